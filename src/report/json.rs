//! JSON, written in a stream, so that a tree of a million nodes is never held as a JSON value.
//!
//! Floats are the shortest text that reads back to the same bits; infinities and NaN, which JSON does not
//! have, are the strings `inf`, `-inf` and `nan`. What a terminal must not see is written as `\u` escapes.

mod document;
mod row;
mod serializer;

pub(super) use document::{SettingValue, problems, source, write};
pub(super) use row::{Row, rows};

use crate::base::number::{Exact, Value};
use crate::model::{Shares, date_of};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;

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
pub(super) use object;

/// A value with one item a line.
#[derive(Serialize)]
#[serde(rename = "lines")]
pub(super) struct Lines<T>(pub(super) T);

/// A list whose items are made while they are written.
pub(super) struct List<I>(pub(super) I);

impl<I: IntoIterator<Item: Serialize> + Clone> Serialize for List<I> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// An object whose keys and values are made while they are written.
pub(super) struct Entries<I>(pub(super) I);

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

/// Returns shares as a number, or `parent`.
pub(super) fn shares(shares: Shares) -> Value {
    shares.count().map_or(Value::Parent, Value::Count)
}

/// Returns a name as text: bytes that are not UTF-8 as `\xNN`.
pub(super) fn name_text(name: &[u8]) -> Cow<'_, str> {
    if let Ok(name) = std::str::from_utf8(name) {
        return name.into();
    }
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text.into()
}

/// Returns bytes as pairs of hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns a time as RFC 3339, or `None` if it is beyond the calendar.
pub(super) fn rfc3339(seconds: i64) -> Option<String> {
    date_of(seconds).map(|time| format!("{time}Z"))
}
