//! JSON, written in a stream, so that a tree of a million nodes is never held as a JSON value.
//!
//! Floats are the shortest text that reads back to the same bits; infinities and NaN, which JSON does not
//! have, are the strings `inf`, `-inf` and `nan`. What a terminal must not see is written as `\u` escapes.

mod serializer;

use crate::analysis::diff::SettingChange;
use crate::base::number::{Exact, Value};
use crate::base::shown::{Shown, sentence};
use crate::format::Problem;
use crate::model::{Settings, Shares, Source, date_of};
use crate::report::View;
use crate::report::words::source as words;
use serde::Serialize;
use serializer::Serializer;
use std::borrow::Cow;
use std::io::{self, Write};

const SCHEMA: &str = "fairscope/1";

/// An object: its keys and their values, in order. A flattened value inserts its own keys.
macro_rules! object {
    ($($(#[$attribute:meta])* $key:ident: $value:expr),* $(,)?) => {{
        #[expect(non_camel_case_types, reason = "the type of a value goes by its key")]
        let object = {
            #[derive(Clone, serde::Serialize)]
            struct Object<$($key),*> {
                $($(#[$attribute])* $key: $key,)*
            }
            Object { $($key: $value),* }
        };
        object
    }};
}
pub(crate) use object;

/// A value with one item a line.
#[derive(Clone, Serialize)]
#[serde(rename = "lines")]
pub(crate) struct Lines<T>(pub(crate) T);

/// A list whose items are made while they are written.
pub(crate) struct List<I>(pub(crate) I);

impl<I: IntoIterator<Item: Serialize> + Clone> Serialize for List<I> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// An object whose keys and values are made while they are written.
pub(crate) struct Entries<I>(pub(crate) I);

impl<K: Serialize, V: Serialize, I: IntoIterator<Item = (K, V)> + Clone> Serialize for Entries<I> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}

impl Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Null => serializer.serialize_none(),
            Self::Count(count) => serializer.serialize_i64(count),
            Self::Double(number) => serializer.serialize_f64(number),
            Self::Single(number) => serializer.serialize_f32(number),
            Self::Parent | Self::Word(_) => serializer.collect_str(&Exact(*self)),
        }
    }
}

pub(crate) fn shares(shares: Shares) -> Value {
    shares.count().map_or(Value::Parent, Value::Count)
}

/// Returns a name as text: bytes that are not UTF-8 as `\xNN`.
pub(crate) fn name_text(name: &[u8]) -> Cow<'_, str> {
    if let Ok(name) = std::str::from_utf8(name) {
        return name.into();
    }
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text += &sentence!("\\x{byte:02X}");
        }
    }
    text.into()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| sentence!("{byte:02x}"));
    digits.collect::<Shown>().into()
}

/// Returns a time as RFC 3339, or `None` if it is beyond the calendar.
pub(crate) fn rfc3339(seconds: i64) -> Option<String> {
    date_of(seconds).map(|time| format!("{time}Z"))
}

/// Writes a document: the common keys, then its own, then the problems of its source.
pub(crate) fn write(out: &mut dyn Write, view: &View<'_>, body: impl Serialize) -> io::Result<()> {
    let body = object! {
        #[serde(flatten)]
        body: body,
        problems: problems(view.problems.list()),
    };
    write_bare(out, view, body)
}

/// Writes a document as [`write`] does, but no problems.
pub(crate) fn write_bare(
    out: &mut dyn Write,
    view: &View<'_>,
    body: impl Serialize,
) -> io::Result<()> {
    let document = object! {
        schema: SCHEMA,
        source: object! {
            #[serde(flatten)]
            source: source(view.source),
            #[serde(flatten)]
            part: view.tree.part().map(|_| object! { complete: false }),
        },
        policy: object! {
            name: view.policy.name(),
            settings: own_settings(view),
            #[serde(flatten)]
            dump: dump(view),
        },
        #[serde(flatten)]
        body: body,
    };
    document.serialize(&mut Serializer::new(out))?;
    out.write_all(b"\n")
}

/// Which policy made the recorded numbers and how many of its factors were verified, where another one is the current policy.
fn dump(view: &View<'_>) -> Option<impl Serialize> {
    let verification = view.verification?;
    if verification.is_of(view.policy, view.settings) {
        return None;
    }
    let policy = verification.policy?;
    let column = verification.main_column();
    let (rows, equal) = column.map_or((0, 0), |column| (column.rows, column.equal));
    Some(object! { dump: object! { policy: policy.name(), rows: rows, equal: equal } })
}

pub(crate) fn source(source: &Source) -> impl Serialize {
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

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum SettingValue {
    Unset,
    Truth(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl SettingValue {
    pub(crate) fn of(text: &str) -> Self {
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

fn own_settings(view: &View<'_>) -> impl Serialize {
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

pub(crate) fn settings(changes: &[SettingChange]) -> impl Serialize {
    List(changes.iter().map(|change| {
        object! { key: change.key, before: &change.before, after: &change.after }
    }))
}

pub(crate) fn problems(problems: &[Problem]) -> impl Serialize {
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
