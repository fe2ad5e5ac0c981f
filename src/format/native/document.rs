//! A TOML document in our format: its tables, and the positions in it.

use super::problem::NativeProblem;
use crate::base::nearest::changes;
use crate::base::places::Places;
use crate::base::shown::{Shown, is_safe, sentence, shown, shown_text};
use crate::format::problem::{Problem, Problems};
use crate::format::{LoadError, LoadResult};
use std::fmt::Write as _;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The version of the format that we read and write.
pub(super) const VERSION: i64 = 1;

/// The keys of the top level.
const KEYS: &[&str] = &[
    "fairscope",
    "policy",
    "scheduler",
    "usage_unit",
    "taken",
    "settings",
    "tree",
    "source",
    "edit",
    "scenario",
];

/// How many letters of an unknown key are compared with known ones.
const LONGEST: usize = 64;

/// Returns what a problem reports as not read, and so not written back: a key by its name, all else by its line.
pub(crate) fn not_read(problem: &Problem) -> Option<Shown> {
    match problem.code {
        "toml-unknown-key" => problem.unread_key.clone(),
        "toml-bad-edit"
        | "toml-tree-in-scenario"
        | "toml-not-text"
        | "toml-not-a-table"
        | "toml-not-a-list" => Some(sentence!("line {}", problem.line?)),
        _ => None,
    }
}

/// Why a file is not one of ours, or not one that we read. The file's name stands before it.
#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentError {
    /// The text is not TOML.
    #[error(
        "{line}:{column}: this is not TOML: {message}; correct the line, or name another format with --format"
    )]
    NotToml {
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What the reader of TOML says.
        message: Shown,
    },
    /// There is no key for the version.
    #[error(
        " the version is missing; expected fairscope = 1 at the top; add it if fairscope wrote this file"
    )]
    NoVersion,
    /// The file is of a later version.
    #[error(
        " this is version {0} of the format, and this program reads version {VERSION}; use a newer fairscope"
    )]
    NewVersion(i64),
    /// The version is no number of one.
    #[error(" unknown version; expected fairscope = 1")]
    UnknownVersion,
    /// The file is neither a tree nor a scenario.
    #[error(
        " [tree] and [source] are missing; expected a tree with rows, or a scenario with the path of its source"
    )]
    NoTree,
    /// The tree is another value.
    #[error(
        " tree is not a table; write [tree] on a line of its own and below it rows = '''...'''"
    )]
    TreeNotATable,
    /// The source of a scenario is another value.
    #[error(" source is not a table; write [source] and below it path = \"...\"")]
    SourceNotATable,
}

impl DocumentError {
    /// Returns the error with the file's name before it.
    pub(super) fn of_file(&self, file: &Shown) -> LoadError {
        LoadError::Refused(sentence!("{file}:{self}"))
    }
}

/// A file of ours: the places in its text, and what is odd about it.
pub(super) struct Document<'a> {
    /// All of the file.
    text: &'a str,
    /// The lines and columns of the text.
    places: Places<'a>,
    /// The problems that were found so far.
    pub(super) problems: Problems,
}

impl<'a> Document<'a> {
    /// Parses a file whose version we read, and returns it with its top level.
    pub(super) fn parse(text: &'a str, file: &Shown) -> LoadResult<(Self, DeTable<'a>)> {
        let mut document = Self {
            text,
            places: Places::new(text.as_bytes()),
            problems: Problems::of(file.clone()),
        };
        match document.top() {
            Ok(top) => {
                document.check_keys(&top, KEYS);
                Ok((document, top))
            }
            Err(error) => Err(error.of_file(file)),
        }
    }

    /// Parses the top level.
    fn top(&self) -> Result<DeTable<'a>, DocumentError> {
        let top = match DeTable::parse(self.text) {
            Ok(top) => top.into_inner(),
            Err(error) => {
                let start = error.span().map_or(0, |span| span.start);
                let (line, column) = self.places.of(start);
                return Err(DocumentError::NotToml {
                    line,
                    column,
                    message: shown_text(error.message().as_bytes()),
                });
            }
        };
        let version = top.get("fairscope").ok_or(DocumentError::NoVersion)?;
        let version = plain(version.get_ref()).unwrap_or_default();
        match version.parse() {
            Ok(VERSION) => Ok(top),
            Ok(version) if version > VERSION => Err(DocumentError::NewVersion(version)),
            _ => Err(DocumentError::UnknownVersion),
        }
    }

    /// Returns a table in a table. A value of another type is a problem.
    pub(super) fn table<'t>(
        &mut self,
        top: &'t DeTable<'a>,
        key: &'static str,
    ) -> Option<&'t DeTable<'a>> {
        let value = top.get(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.report(value, NativeProblem::NotATable { key });
        }
        table
    }

    /// Returns the text of a string. A value of another type is a problem.
    pub(super) fn string<'t>(
        &mut self,
        table: &'t DeTable<'a>,
        key: &'static str,
    ) -> Option<&'t str> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.report(value, NativeProblem::NotText { key });
        }
        text
    }

    /// Returns what a name in a table names. Another name is a problem, which is made of it.
    pub(super) fn named<T>(
        &mut self,
        table: &DeTable<'a>,
        key: &'static str,
        named: fn(&str) -> Option<T>,
        unknown: impl FnOnce(Shown) -> NativeProblem,
    ) -> Option<T> {
        let value = table.get(key)?;
        let name = self.string(table, key)?;
        let found = named(name);
        if found.is_none() {
            self.report(value, unknown(shown(name.as_bytes())));
        }
        found
    }

    /// Reports the keys of a table that are not among the known ones.
    pub(super) fn check_keys(&mut self, table: &DeTable<'a>, known: &[&str]) {
        for key in table.keys() {
            if !known.contains(&&**key.get_ref()) {
                self.report_unknown_key(key, known);
            }
        }
    }

    /// Reports a key that is not read, with the known one that was probably meant.
    pub(super) fn report_unknown_key(&mut self, key: &Spanned<DeString<'a>>, known: &[&str]) {
        let name = key.get_ref().as_bytes();
        let mut advice = Shown::default();
        // The words of further problems are not kept.
        if self.problems.count() < Problems::KEPT {
            let suggestion = suggestion(name, known);
            advice = sentence!("{suggestion} correct it, or remove the line");
        }
        let place = self.places.of(key.span().start);
        self.problems
            .warn_unread(place, "toml-unknown-key", shown(name), advice);
    }

    /// Reports a problem of a value, at its line and column.
    pub(super) fn report(&mut self, value: &Spanned<DeValue<'a>>, problem: NativeProblem) {
        let place = self.places.of(value.span().start);
        self.problems.report(place, problem);
    }

    /// Reports a problem of a value, at its line.
    pub(super) fn report_line(&mut self, value: &Spanned<DeValue<'a>>, problem: NativeProblem) {
        let line = self.line_of(value);
        self.problems.report(line, problem);
    }

    /// Returns the line, from 1, in which a value begins.
    fn line_of(&self, value: &Spanned<DeValue<'a>>) -> u64 {
        self.places.of(value.span().start).0
    }

    /// Returns the line, from 1, in which the text of a string begins.
    pub(super) fn first_line(&self, value: &Spanned<DeValue<'a>>) -> u64 {
        let raw = &self.text[value.span()];
        let inside = raw
            .strip_prefix("'''")
            .or_else(|| raw.strip_prefix("\"\"\""));
        let inside = inside.unwrap_or_default();
        let begins_below = inside.starts_with('\n') || inside.starts_with("\r\n");
        self.line_of(value) + u64::from(begins_below)
    }
}

/// Returns what is said to somebody who wrote an unknown key: the most similar known one, or all of them.
fn suggestion(key: &[u8], known: &[&str]) -> String {
    let start = &key[..key.len().min(LONGEST)];
    let distances = known
        .iter()
        .map(|known| (changes(start, known.as_bytes()), known));
    match distances.min() {
        Some((changes, nearest)) if changes * 2 < nearest.len() => {
            format!("did you mean '{nearest}'?")
        }
        _ => format!("expected one of {};", known.join(", ")),
    }
}

/// Returns a string, number, boolean or time as text, or `None` for arrays and tables.
pub(super) fn plain(value: &DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        DeValue::Datetime(time) => Some(time.to_string()),
        DeValue::Integer(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// Returns a text as a TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // Writing to a String cannot fail.
            char if !is_safe(char) => {
                let _ = match u32::from(char) {
                    code @ ..=0xffff => write!(quoted, "\\u{code:04X}"),
                    code => write!(quoted, "\\U{code:08X}"),
                };
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
