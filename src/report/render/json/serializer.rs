//! The layout of our JSON: what is an object or array of lines, what stands on one line, and how numbers and texts are
//! written.
//!
//! A `serde_json::ser::Formatter` could not do it: serde_json drops the name that marks a value as one of lines before its
//! formatter is asked, and writes `null` for infinities.

use crate::base::number::{Exact, Value};
use crate::base::shown::is_plain;
use serde::Serialize;
use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple};
use std::fmt::Display;
use std::io::{self, Write};

/// The name that marks a value with one item a line.
pub(super) const LINES: &str = "lines";

/// Writes values as they are made. The outermost has its items on lines of their own; others have where it is said.
pub(super) struct Serializer<'a> {
    /// Where the document goes.
    out: &'a mut dyn Write,
    /// How many objects and arrays are open.
    depth: usize,
    /// Whether the value that comes next has its items on lines of their own.
    has_lines: bool,
}

/// Why a value could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct Failure(#[from] io::Error);

impl ser::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Self(io::Error::other(message.to_string()))
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

/// Whether something could be written.
type Done = Result<(), Failure>;

impl<'a> Serializer<'a> {
    /// Returns a serializer that writes one document.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            depth: 0,
            has_lines: true,
        }
    }

    /// Begins an object or array with its brackets.
    fn open(&mut self, open: u8, close: u8) -> Result<Items<'_, 'a>, Failure> {
        self.out.write_all(&[open])?;
        self.depth += 1;
        Ok(Items {
            has_lines: self.has_lines,
            serializer: self,
            close,
            is_empty: true,
        })
    }

    /// Writes what is JSON without quotes: numbers, true, false, null.
    fn raw(&mut self, value: impl Display) -> Done {
        Ok(write!(self.out, "{value}")?)
    }

    /// Writes a float; those that JSON does not have are words.
    fn float(&mut self, is_finite: bool, number: Value) -> Done {
        let quote = if is_finite { "" } else { "\"" };
        self.raw(format_args!("{quote}{}{quote}", Exact(number)))
    }
}

/// Writes a text in its quotes.
fn write_string(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    if text.bytes().all(stands_as_it_is) {
        out.write_all(text.as_bytes())?;
    } else {
        for char in text.chars() {
            write_char(out, char)?;
        }
    }
    out.write_all(b"\"")
}

/// Returns whether a byte of a text needs no second look: most texts have no other bytes.
fn stands_as_it_is(byte: u8) -> bool {
    matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~')
}

/// Writes a character of a text.
fn write_char(out: &mut dyn Write, char: char) -> io::Result<()> {
    match char {
        '"' | '\\' => write!(out, "\\{char}"),
        '\n' => out.write_all(b"\\n"),
        '\r' => out.write_all(b"\\r"),
        '\t' => out.write_all(b"\\t"),
        _ if is_plain(char) => write!(out, "{char}"),
        // What a person would not be shown as it is, a terminal must not see either.
        _ => {
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            Ok(())
        }
    }
}

/// Numbers and truth values, which JSON writes as Rust does.
macro_rules! as_it_stands {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(fn $name(self, value: $type) -> Done {
            self.raw(value)
        })*
    };
}

/// Variants with values in them, which no report has.
macro_rules! refused {
    ($($name:ident($($argument:ty),*) -> $output:ty),* $(,)?) => {
        $(fn $name(self, name: &'static str $(, _: $argument)*) -> Result<$output, Failure> {
            Err(with_values(name))
        })*
    };
}

/// Returns the refusal of a type with such variants.
fn with_values(name: &str) -> Failure {
    ser::Error::custom(format_args!("{name} has variants with values"))
}

impl<'s, 'a> ser::Serializer for &'s mut Serializer<'a> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Items<'s, 'a>;
    type SerializeTuple = Items<'s, 'a>;
    type SerializeTupleStruct = Impossible<(), Failure>;
    type SerializeTupleVariant = Impossible<(), Failure>;
    type SerializeMap = Items<'s, 'a>;
    type SerializeStruct = Items<'s, 'a>;
    type SerializeStructVariant = Impossible<(), Failure>;

    as_it_stands! {
        serialize_bool: bool,
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
    }

    fn serialize_f32(self, number: f32) -> Done {
        self.float(number.is_finite(), Value::Single(number))
    }

    fn serialize_f64(self, number: f64) -> Done {
        self.float(number.is_finite(), Value::Double(number))
    }

    refused! {
        serialize_tuple_struct(usize) -> Self::SerializeTupleStruct,
        serialize_tuple_variant(u32, &'static str, usize) -> Self::SerializeTupleVariant,
        serialize_struct_variant(u32, &'static str, usize) -> Self::SerializeStructVariant,
    }

    fn serialize_char(self, char: char) -> Done {
        self.serialize_str(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Done {
        Ok(write_string(self.out, text)?)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Done {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Done {
        self.raw("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        self.raw("null")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Done {
        self.raw("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Done {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Done {
        self.has_lines |= name == LINES;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Done {
        Err(with_values(name))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'s, 'a>, Failure> {
        self.open(b'[', b']')
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'s, 'a>, Failure> {
        self.open(b'[', b']')
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'s, 'a>, Failure> {
        self.open(b'{', b'}')
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'s, 'a>, Failure> {
        self.open(b'{', b'}')
    }
}

/// An object or array of which some items are written.
pub(super) struct Items<'s, 'a> {
    /// The writer of the whole document.
    serializer: &'s mut Serializer<'a>,
    /// The bracket at its end.
    close: u8,
    /// Whether its items are on lines of their own.
    has_lines: bool,
    /// Whether no item is written yet.
    is_empty: bool,
}

impl Items<'_, '_> {
    /// Writes an item of an array, or the key of one of an object, and what separates it from the one before.
    fn item<T: Serialize + ?Sized>(&mut self, item: &T) -> Done {
        let Serializer { out, depth, .. } = self.serializer;
        let is_first = std::mem::take(&mut self.is_empty);
        let comma = if is_first { "" } else { "," };
        if self.has_lines {
            write!(out, "{comma}\n{:1$}", "", 2 * *depth)?;
        } else if !is_first {
            out.write_all(b", ")?;
        }
        self.serializer.has_lines = false;
        item.serialize(&mut *self.serializer)
    }

    /// Writes the bracket at the end.
    fn close(self) -> Done {
        let Serializer { out, depth, .. } = self.serializer;
        *depth -= 1;
        if self.has_lines && !self.is_empty {
            write!(out, "\n{:1$}", "", 2 * *depth)?;
        }
        Ok(out.write_all(&[self.close])?)
    }
}

macro_rules! arrays {
    ($($trait:ident),*) => {
        $(impl $trait for Items<'_, '_> {
            type Ok = ();
            type Error = Failure;

            fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                self.item(value)
            }

            fn end(self) -> Done {
                self.close()
            }
        })*
    };
}

arrays!(SerializeSeq, SerializeTuple);

impl SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        self.item(key)?;
        self.serializer.raw(": ")
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut *self.serializer)
    }

    fn end(self) -> Done {
        self.close()
    }
}

impl SerializeStruct for Items<'_, '_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Done {
        self.serialize_entry(key, value)
    }

    fn end(self) -> Done {
        self.close()
    }
}
