//! The layout of our JSON: what is an object or array of lines, what stands on one line, and how numbers and texts are
//! written.
//!
//! A `serde_json::ser::Formatter` could not do it: it is not told which value is marked as one of lines, and `null` is
//! written for infinities before it is asked.

use crate::base::number::{Exact, Value};
use serde::Serialize;
use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple};
use std::fmt::Display;
use std::io::{self, Write};

/// The name that marks a value with one item a line.
pub(super) const LINES: &str = "lines";

struct Level {
    close: u8,
    has_lines: bool,
    is_empty: bool,
}

/// Writes values as they are made. The outermost has its items on lines of their own; others have where it is said.
pub(super) struct Serializer<'a> {
    out: &'a mut dyn Write,
    levels: Vec<Level>,
    /// Whether the value that comes next has its items on lines of their own.
    has_lines: bool,
    is_after_key: bool,
}

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

type Done = Result<(), Failure>;

impl<'a> Serializer<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            levels: Vec::new(),
            has_lines: true,
            is_after_key: false,
        }
    }

    fn separate(&mut self) -> Done {
        if std::mem::take(&mut self.is_after_key) {
            return Ok(());
        }
        let indent = 2 * self.levels.len();
        let Some(level) = self.levels.last_mut() else {
            return Ok(());
        };
        let is_first = std::mem::take(&mut level.is_empty);
        let comma = if is_first { "" } else { "," };
        if level.has_lines {
            write!(self.out, "{comma}\n{:indent$}", "")?;
        } else if !is_first {
            self.out.write_all(b", ")?;
        }
        Ok(())
    }

    fn open(&mut self, open: u8, close: u8) -> Result<&mut Self, Failure> {
        let has_lines = std::mem::take(&mut self.has_lines);
        self.separate()?;
        self.out.write_all(&[open])?;
        let is_empty = true;
        self.levels.push(Level {
            close,
            has_lines,
            is_empty,
        });
        Ok(self)
    }

    /// Closes the innermost object or array; the outermost ends the document with a line end.
    fn close(&mut self) -> Done {
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        if level.has_lines && !level.is_empty {
            write!(self.out, "\n{:indent$}", "", indent = 2 * self.levels.len())?;
        }
        self.out.write_all(&[level.close])?;
        if self.levels.is_empty() {
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes what is JSON without quotes: numbers, true, false, null.
    fn raw(&mut self, value: impl Display) -> Done {
        self.has_lines = false;
        self.separate()?;
        Ok(write!(self.out, "{value}")?)
    }

    /// Writes a float; those that JSON does not have are words.
    fn float(&mut self, is_finite: bool, number: Value) -> Done {
        if is_finite {
            self.raw(Exact(number))
        } else {
            self.string(&Exact(number).to_string())
        }
    }

    fn string(&mut self, text: &str) -> Done {
        self.has_lines = false;
        self.separate()?;
        Ok(write_string(self.out, text)?)
    }
}

fn write_string(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    out.write_all(b"\"")?;
    if text.as_bytes().iter().all(is_plain) {
        out.write_all(text.as_bytes())?;
        return out.write_all(b"\"");
    }
    for char in text.chars() {
        match char {
            '"' | '\\' => write!(out, "\\{char}")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\t' => out.write_all(b"\\t")?,
            // What a person would not be shown as it is, a terminal must not see either.
            _ if !crate::base::shown::is_plain(char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
            _ => write!(out, "{char}")?,
        }
    }
    out.write_all(b"\"")
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

fn with_values(name: &str) -> Failure {
    ser::Error::custom(format_args!("{name} has variants with values"))
}

impl ser::Serializer for &mut Serializer<'_> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Impossible<(), Failure>;
    type SerializeTupleVariant = Impossible<(), Failure>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
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
        self.string(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Done {
        self.string(text)
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
        self.string(variant)
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

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Failure> {
        self.open(b'[', b']')
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Failure> {
        self.open(b'[', b']')
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Failure> {
        self.open(b'{', b'}')
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Failure> {
        self.open(b'{', b'}')
    }
}

macro_rules! arrays {
    ($($trait:ident),*) => {
        $(impl $trait for &mut Serializer<'_> {
            type Ok = ();
            type Error = Failure;

            fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                self.close()
            }
        })*
    };
}

arrays!(SerializeSeq, SerializeTuple);

impl SerializeMap for &mut Serializer<'_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        key.serialize(&mut **self)?;
        self.out.write_all(b": ")?;
        self.is_after_key = true;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }

    fn end(self) -> Done {
        self.close()
    }
}

impl SerializeStruct for &mut Serializer<'_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Done {
        self.serialize_entry(key, value)
    }

    fn end(self) -> Done {
        self.close()
    }
}
