//! JSON, written as it is made: a tree of a million nodes is never held as a JSON value.
//!
//! Floats are the shortest text that reads back to the same bits; infinities and NaN, which JSON does not
//! have, are the strings `inf`, `-inf` and `nan`. What a terminal must not see is written as `\u` escapes.

use super::{Field, SCHEMA, View};
use crate::base::number::Exact;
use crate::base::number::Value;
use crate::model::{Fact, Kind, NodeId, Source, date_of};
use crate::rules::policy::ColumnId;
use crate::source::format::Problem;
use std::fmt::Display;
use std::io::{self, Write};

/// How the items of an object or array are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One item a line.
    Lines,
    /// All on one line.
    Inline,
}

/// An object or array that is being written.
#[derive(Debug)]
struct Level {
    close: u8,
    layout: Layout,
    is_empty: bool,
}

/// Writes JSON piece by piece: keys, values, and what opens and closes.
pub(super) struct Json<'a> {
    out: &'a mut dyn Write,
    levels: Vec<Level>,
    is_after_key: bool,
}

impl<'a> Json<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            levels: Vec::new(),
            is_after_key: false,
        }
    }

    /// Writes what stands between two items.
    fn separate(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_after_key) {
            return Ok(());
        }
        let indent = 2 * self.levels.len();
        let Some(level) = self.levels.last_mut() else {
            return Ok(());
        };
        let is_first = std::mem::take(&mut level.is_empty);
        if !is_first {
            self.out.write_all(b",")?;
        }
        match level.layout {
            Layout::Lines => write!(self.out, "\n{:indent$}", ""),
            Layout::Inline if is_first => Ok(()),
            Layout::Inline => self.out.write_all(b" "),
        }
    }

    pub(super) fn key(&mut self, key: &str) -> io::Result<()> {
        self.separate()?;
        write_string(self.out, key)?;
        self.out.write_all(b": ")?;
        self.is_after_key = true;
        Ok(())
    }

    fn open(&mut self, open: u8, close: u8, layout: Layout) -> io::Result<()> {
        self.separate()?;
        self.out.write_all(&[open])?;
        self.levels.push(Level {
            close,
            layout,
            is_empty: true,
        });
        Ok(())
    }

    pub(super) fn object(&mut self, layout: Layout) -> io::Result<()> {
        self.open(b'{', b'}', layout)
    }

    pub(super) fn array(&mut self, layout: Layout) -> io::Result<()> {
        self.open(b'[', b']', layout)
    }

    /// Closes the innermost object or array; the outermost ends the document with a line end.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        if level.layout == Layout::Lines && !level.is_empty {
            write!(self.out, "\n{:indent$}", "", indent = 2 * self.levels.len())?;
        }
        self.out.write_all(&[level.close])?;
        if self.levels.is_empty() {
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    pub(super) fn string(&mut self, text: &str) -> io::Result<()> {
        self.separate()?;
        write_string(self.out, text)
    }

    /// Writes a text, or null.
    pub(super) fn text(&mut self, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => self.string(text),
            None => self.raw("null"),
        }
    }

    /// Writes what is JSON as it stands: whole numbers, true, false, null.
    pub(super) fn raw(&mut self, value: impl Display) -> io::Result<()> {
        self.separate()?;
        write!(self.out, "{value}")
    }

    /// Writes a whole number, or null.
    pub(super) fn count(&mut self, count: Option<impl Display>) -> io::Result<()> {
        match count {
            Some(count) => self.raw(count),
            None => self.raw("null"),
        }
    }

    pub(super) fn value(&mut self, value: Value) -> io::Result<()> {
        match value {
            Value::Null => self.raw("null"),
            Value::Parent => self.string("parent"),
            Value::Word(_) => self.string(&Exact(value).to_string()),
            value if value.as_f64().is_some_and(|number| !number.is_finite()) => {
                self.string(&Exact(value).to_string())
            }
            value => self.raw(Exact(value)),
        }
    }

    pub(super) fn double(&mut self, number: f64) -> io::Result<()> {
        self.value(Value::Double(number))
    }

    pub(super) fn single(&mut self, number: f32) -> io::Result<()> {
        self.value(Value::Single(number))
    }
}

/// Writes a string with its quotes.
fn write_string(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    out.write_all(b"\"")?;
    if text.as_bytes().iter().all(is_plain) {
        out.write_all(text.as_bytes())?;
        return out.write_all(b"\"");
    }
    for char in text.chars() {
        let mut bytes = [0; 4];
        let bytes: &str = char.encode_utf8(&mut bytes);
        match char {
            '"' | '\\' => write!(out, "\\{char}")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\t' => out.write_all(b"\\t")?,
            // What a person would not be shown as it is, a terminal must not see either.
            _ if crate::base::shown::shown(bytes.as_bytes()) != bytes => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
            _ => out.write_all(bytes.as_bytes())?,
        }
    }
    out.write_all(b"\"")
}

/// A name as text: bytes that are not UTF-8 as `\xNN`.
pub(super) fn name_text(name: &[u8]) -> std::borrow::Cow<'_, str> {
    use std::fmt::Write as _;
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

/// Bytes as pairs of hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A time as RFC 3339; nothing for a time no calendar holds.
pub(super) fn rfc3339(seconds: i64) -> Option<String> {
    date_of(seconds).map(|time| format!("{time}Z"))
}

/// Opens the document and writes what all of them begin with: schema, source, policy.
pub(super) fn open(json: &mut Json<'_>, view: &View<'_>) -> io::Result<()> {
    json.object(Layout::Lines)?;
    json.key("schema")?;
    json.string(SCHEMA)?;
    json.key("source")?;
    source(json, view.source)?;
    json.key("policy")?;
    json.object(Layout::Inline)?;
    json.key("name")?;
    json.string(view.policy.name())?;
    json.key("settings")?;
    settings(json, view)?;
    dump(json, view)?;
    json.close()
}

/// Writes which policy made the recorded numbers and how many of its factors were verified, where another one is in
/// force.
fn dump(json: &mut Json<'_>, view: &View<'_>) -> io::Result<()> {
    let other = view
        .verification
        .filter(|found| !found.is_of(view.policy, view.settings));
    let Some((verification, policy)) = other.and_then(|found| Some((found, found.policy?))) else {
        return Ok(());
    };
    json.key("dump")?;
    json.object(Layout::Inline)?;
    json.key("policy")?;
    json.string(policy.name())?;
    let column = verification.main_column();
    json.key("rows")?;
    json.raw(column.map_or(0, |column| column.rows))?;
    json.key("equal")?;
    json.raw(column.map_or(0, |column| column.equal))?;
    json.close()
}

/// Writes where a tree came from.
pub(super) fn source(json: &mut Json<'_>, source: &Source) -> io::Result<()> {
    json.object(Layout::Inline)?;
    json.key("format")?;
    json.string(source.format.name())?;
    json.key("path")?;
    json.string(&source.path)?;
    json.key("taken")?;
    json.text(source.taken.and_then(rfc3339).as_deref())?;
    json.key("usage_unit")?;
    json.string(&source.usage_unit)?;
    for (key, text) in [("cluster", &source.cluster), ("version", &source.version)] {
        if !text.is_empty() {
            json.key(key)?;
            json.string(text)?;
        }
    }
    if !source.origins.is_empty() {
        json.key("origins")?;
        json.array(Layout::Inline)?;
        for origin in &source.origins {
            json.string(origin)?;
        }
        json.close()?;
    }
    json.close()
}

/// Writes the settings that the policy reads; numbers and truth values as such.
fn settings(json: &mut Json<'_>, view: &View<'_>) -> io::Result<()> {
    json.object(Layout::Inline)?;
    for key in view.policy.setting_keys() {
        json.key(key)?;
        let text = view.policy.setting(view.tree, view.settings, key);
        match text.as_str() {
            "true" | "false" => json.raw(&text)?,
            "" => json.raw("null")?,
            number if number.parse::<i64>().is_ok() => json.raw(number)?,
            number => match number.parse::<f64>() {
                Ok(number) => json.double(number)?,
                Err(_) => json.string(&text)?,
            },
        }
    }
    json.close()
}

/// Writes the list of problems under a key.
pub(super) fn problems(json: &mut Json<'_>, key: &str, problems: &[Problem]) -> io::Result<()> {
    json.key(key)?;
    json.array(Layout::Lines)?;
    for problem in problems {
        json.object(Layout::Inline)?;
        for (key, text) in [
            ("severity", problem.severity.name()),
            ("code", problem.code),
            ("file", &problem.file),
        ] {
            json.key(key)?;
            json.string(text)?;
        }
        json.key("line")?;
        json.count(problem.line)?;
        json.key("column")?;
        json.count(problem.column)?;
        json.key("message")?;
        json.string(&problem.message)?;
        json.key("advice")?;
        json.string(&problem.advice)?;
        json.close()?;
    }
    json.close()
}

/// Writes one node as `show` does. `parent` is its parent's place among the rows.
pub(super) fn node(
    json: &mut Json<'_>,
    view: &View<'_>,
    fields: &[Field],
    node: NodeId,
    path: Option<&str>,
    parent: Option<u32>,
) -> io::Result<()> {
    // Who asked for some columns gets those.
    let shows_recorded = !view.recorded.is_empty() && fields == Field::all(view.policy);
    json.object(Layout::Inline)?;
    for &field in fields {
        json.key(field.name())?;
        match field {
            Field::Path => json.text(path)?,
            Field::Name => {
                let name = view.tree.name(node);
                json.string(&name_text(name))?;
                if std::str::from_utf8(name).is_err() {
                    json.key("name_hex")?;
                    json.string(&hex(name))?;
                }
                if let Some(partition) = view.tree.partition(node) {
                    json.key("partition")?;
                    json.string(&name_text(partition))?;
                }
            }
            Field::Kind => json.string(view.tree.kind(node).name())?,
            Field::Depth => json.raw(view.tree.depth(node))?,
            Field::Parent => json.count(parent)?,
            Field::Column(ColumnId::Rank) if view.tree.kind(node) == Kind::Account => {
                json.raw("null")?;
            }
            Field::Column(ColumnId::Recorded(fact)) => recorded(json, view, fact, node)?,
            Field::Column(column) => json.value(view.value(column, node))?,
        }
    }
    if shows_recorded {
        all_recorded(json, view, node)?;
        not_reproduced(json, view, fields, node)?;
    }
    json.close()
}

/// Writes the names of the columns that hold what was printed for a node, where no usage gives it; nothing where all
/// numbers are computed.
fn not_reproduced(
    json: &mut Json<'_>,
    view: &View<'_>,
    fields: &[Field],
    node: NodeId,
) -> io::Result<()> {
    let is_printed = |field: &&Field| matches!(field, Field::Column(column) if view.evaluation.is_printed(*column, node));
    let mut printed = fields.iter().filter(is_printed).peekable();
    if printed.peek().is_none() {
        return Ok(());
    }
    json.key("not_reproduced")?;
    json.array(Layout::Inline)?;
    for field in printed {
        json.string(field.name())?;
    }
    json.close()
}

/// Writes what the source recorded for a node, under a key of its own; nothing where it recorded nothing.
fn all_recorded(json: &mut Json<'_>, view: &View<'_>, node: NodeId) -> io::Result<()> {
    let mut facts = view.recorded.facts().filter(|&fact| {
        let text = view.recorded.text(fact, node);
        text.is_some() || view.recorded.figure(fact, node).is_some()
    });
    let first = facts.next();
    let bins = view.recorded.bins(node);
    if first.is_none() && bins.is_empty() {
        return Ok(());
    }
    json.key("recorded")?;
    json.object(Layout::Inline)?;
    for fact in first.into_iter().chain(facts) {
        json.key(fact.name())?;
        recorded(json, view, fact, node)?;
    }
    if !bins.is_empty() {
        json.key("usage_bins")?;
        json.array(Layout::Inline)?;
        for &usage in bins {
            json.double(usage)?;
        }
        json.close()?;
    }
    json.close()
}

/// Writes one recorded number or text.
fn recorded(json: &mut Json<'_>, view: &View<'_>, fact: Fact, node: NodeId) -> io::Result<()> {
    match view.recorded.text(fact, node) {
        Some(text) => json.string(text),
        None => json.value(view.value(ColumnId::Recorded(fact), node)),
    }
}
