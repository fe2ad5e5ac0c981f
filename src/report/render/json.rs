//! JSON, written in a stream, so that a tree of a million nodes is never held as a JSON value.
//!
//! Floats are the shortest text that reads back to the same bits; infinities and NaN, which JSON does not
//! have, are the strings `inf`, `-inf` and `nan`. What a terminal must not see is written as `\u` escapes.

mod serializer;

use crate::analysis::diff::SettingChange;
use crate::base::number::{Exact, Value};
use crate::base::shown::sentence;
use crate::format::Problem;
use crate::model::{Settings, Shares, Source, date_of};
use crate::report::View;
use crate::report::words::source as words;
use serde::Serialize;
use serializer::Serializer;
use std::borrow::Cow;
use std::io::{self, Write};

/// The name of the contract that every document keeps.
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
#[derive(Clone)]
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

/// Returns shares as a value: a number, or `parent`.
pub(crate) fn shares(shares: Shares) -> Value {
    match shares.count() {
        Some(count) => Value::Count(count),
        None => Value::Parent,
    }
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

/// Returns a time as RFC 3339, or `None` if it is beyond the calendar.
pub(crate) fn rfc3339(seconds: i64) -> Option<String> {
    let date = date_of(seconds)?;
    Some(format!("{date}Z"))
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
    let mut part = None;
    if view.tree.part().is_some() {
        part = Some(object! { complete: false });
    }
    let document = object! {
        schema: SCHEMA,
        source: object! {
            #[serde(flatten)]
            source: source(view.source),
            #[serde(flatten)]
            part: part,
        },
        policy: object! {
            name: policy_name(view),
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

/// Returns the name of the policy; `None` without a tree.
fn policy_name(view: &View<'_>) -> Option<&'static str> {
    if view.source.lacks_tree {
        return None;
    }
    Some(view.policy.name())
}

/// Which policy made the recorded numbers and how many of its factors were verified, where another one is the current policy.
fn dump(view: &View<'_>) -> Option<impl Serialize> {
    let verification = view.verification?;
    if verification.is_of(view.policy, view.settings) {
        return None;
    }
    let policy = verification.policy?;
    let mut rows = 0;
    let mut equal = 0;
    if let Some(column) = verification.main_column() {
        rows = column.rows;
        equal = column.equal;
    }
    Some(object! { dump: object! { policy: policy.name(), rows: rows, equal: equal } })
}

/// Returns where the tree comes from.
pub(crate) fn source(source: &Source) -> impl Serialize {
    let mut facts = Vec::new();
    for (name, text) in [("cluster", &source.cluster), ("version", &source.version)] {
        if !text.is_empty() {
            facts.push((name, text));
        }
    }
    let mut format = Some(source.format.name());
    if source.lacks_tree {
        format = None;
    }
    let mut list = None;
    if !source.origins.is_empty() {
        let origins: Vec<String> = source.origins.iter().map(words::origin).collect();
        list = Some(object! { origins: origins });
    }
    object! {
        format: format,
        path: &source.path,
        taken: source.taken.and_then(rfc3339),
        usage_unit: &source.usage_unit,
        #[serde(flatten)]
        facts: Entries(facts),
        #[serde(flatten)]
        list: list,
    }
}

/// The value of a setting, in the type that its text has.
#[derive(Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum SettingValue {
    /// Without a text.
    Unset,
    /// `true` or `false`.
    Truth(bool),
    /// An integer.
    Whole(i64),
    /// Any other number.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl SettingValue {
    /// Returns the value that a text is.
    pub(crate) fn of(text: &str) -> Self {
        if let Ok(whole) = text.parse() {
            return Self::Whole(whole);
        }
        if let Ok(number) = text.parse() {
            return Self::Number(number);
        }
        match text {
            "" => Self::Unset,
            "true" => Self::Truth(true),
            "false" => Self::Truth(false),
            _ => Self::Text(text.to_owned()),
        }
    }
}

/// Returns the settings that the policy reads, with their values.
fn own_settings(view: &View<'_>) -> impl Serialize {
    let mut settings = Vec::new();
    for &key in view.policy.setting_keys() {
        let text = view.policy.setting(view.tree, view.settings, key);
        // A formula is a text, also where it is a number: `00` must not become another one.
        let value = if Settings::is_text(key) && !text.is_empty() {
            SettingValue::Text(text)
        } else {
            SettingValue::of(&text)
        };
        settings.push((key, value));
    }
    Entries(settings)
}

/// Returns changed settings.
pub(crate) fn settings(changes: &[SettingChange]) -> impl Serialize {
    List(changes.iter().map(setting_change))
}

/// Returns a changed setting.
fn setting_change(change: &SettingChange) -> impl Serialize {
    object! { key: change.key, before: &change.before, after: &change.after }
}

/// Returns problems, one a line.
pub(crate) fn problems(problems: &[Problem]) -> impl Serialize {
    Lines(List(problems.iter().map(problem)))
}

/// Returns a problem.
fn problem(problem: &Problem) -> impl Serialize {
    object! {
        severity: problem.severity.name(),
        code: problem.code,
        file: &problem.file,
        line: problem.line,
        column: problem.column,
        message: &problem.message,
        advice: &problem.advice,
    }
}
