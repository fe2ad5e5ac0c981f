//! The common keys of all JSON documents: schema, source and policy first, problems last.

use super::serializer::Serializer;
use super::{Entries, Lines, List, object, rfc3339};
use crate::format::Problem;
use crate::model::{Settings, Source};
use crate::report::words::source as words;
use crate::report::{SCHEMA, View};
use crate::trust::verify::KnownSetting;
use serde::Serialize;
use std::io::{self, Write};

/// Writes a document: the common keys, then its own.
pub(in crate::report) fn write(
    out: &mut dyn Write,
    view: &View<'_>,
    body: impl Serialize,
) -> io::Result<()> {
    let document = object! {
        schema: SCHEMA,
        source: source(view.source),
        policy: policy(view),
        #[serde(flatten)]
        body: body,
    };
    Ok(document.serialize(&mut Serializer::new(out))?)
}

fn policy(view: &View<'_>) -> impl Serialize {
    object! {
        name: view.policy.name(),
        settings: settings(view),
        #[serde(flatten)]
        dump: dump(view),
    }
}

/// Which policy made the recorded numbers and how many of its factors were verified, where another one is the current policy.
fn dump(view: &View<'_>) -> Option<impl Serialize> {
    let verification = view
        .verification
        .filter(|found| !found.is_of(view.policy, view.settings))?;
    let policy = verification.policy?;
    let column = verification.main_column();
    Some(object! {
        dump: object! {
            policy: policy.name(),
            rows: column.map_or(0, |column| column.rows),
            equal: column.map_or(0, |column| column.equal),
        },
    })
}

/// Returns where a tree came from.
pub(in crate::report) fn source(source: &Source) -> impl Serialize {
    let facts = [("cluster", &source.cluster), ("version", &source.version)];
    let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
    let origins: Vec<String> = source.origins.iter().map(words::origin).collect();
    let origins = Some(origins).filter(|origins| !origins.is_empty());
    object! {
        format: source.format.name(),
        path: &source.path,
        taken: source.taken.and_then(rfc3339),
        usage_unit: &source.usage_unit,
        #[serde(flatten)]
        facts: Entries(facts),
        #[serde(flatten)]
        list: origins.map(|origins| object! { origins: origins }),
    }
}

/// The value of a setting, by its type.
#[derive(Serialize)]
#[serde(untagged)]
pub(in crate::report) enum SettingValue {
    Unset,
    Truth(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl SettingValue {
    /// Returns a setting derived from recorded numbers.
    pub(in crate::report) fn known(known: KnownSetting) -> Self {
        match known {
            KnownSetting::TieOrder(order) => Self::Text(order.name().to_owned()),
            KnownSetting::PriorityLevels(levels) => Self::Whole(levels.into()),
            KnownSetting::Dampening(factor) => Self::Whole(factor.into()),
        }
    }

    fn of(text: &str) -> Self {
        match text {
            "" => Self::Unset,
            "true" => Self::Truth(true),
            "false" => Self::Truth(false),
            number => match (number.parse(), number.parse()) {
                (Ok(whole), _) => Self::Whole(whole),
                (_, Ok(number)) => Self::Number(number),
                _ => Self::Text(text.to_owned()),
            },
        }
    }
}

/// The settings that the policy reads; numbers and truth values as such.
fn settings(view: &View<'_>) -> impl Serialize {
    let keys = view.policy.setting_keys().iter();
    Entries(keys.map(|&key| {
        let text = view.policy.setting(view.tree, view.settings, key);
        // A formula is a text, also where it is a number: `00` must not become another one.
        let value = if Settings::is_text(key) && !text.is_empty() {
            SettingValue::Text(text)
        } else {
            SettingValue::of(&text)
        };
        (key, value)
    }))
}

/// Returns a list of problems, one a line.
pub(in crate::report) fn problems(problems: &[Problem]) -> impl Serialize {
    Lines(List(problems.iter().map(|problem| {
        object! {
            severity: problem.severity.name(),
            code: problem.code,
            file: &problem.file,
            line: problem.line,
            column: problem.column,
            message: &problem.message,
            advice: &problem.advice,
        }
    })))
}
