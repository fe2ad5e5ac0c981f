//! A TOML document in our format: its tables, and the positions in it.

use super::VERSION;
use crate::base::places::Places;
use crate::base::shown::{Shown, is_safe, sentence, shown, shown_text};
use crate::format::{LoadError, Problem, Problems, Severity};
use std::fmt::Write as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys at the top level.
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

/// The beginning of the message about an unknown key.
const NO_KEY: &str = "unknown key '";
const NOT_READ: &str = "'; it is not read";

/// Returns what a problem of a file reports as not read, and so not written back: a key by its name, everything else by
/// its line.
pub(crate) fn not_read(problem: &Problem) -> Option<String> {
    match problem.code {
        "toml-unknown-key" => {
            let key = problem.message.strip_prefix(NO_KEY)?;
            key.strip_suffix(NOT_READ).map(str::to_owned)
        }
        "toml-bad-edit"
        | "toml-tree-in-scenario"
        | "toml-not-text"
        | "toml-not-a-table"
        | "toml-not-a-list" => Some(format!("line {}", problem.line?)),
        _ => None,
    }
}

/// A parsed file whose version we read.
pub(super) struct Document<'a> {
    text: &'a str,
    pub(super) file: &'a Shown,
    table: DeTable<'a>,
    places: Places<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(
        text: &'a str,
        file: &'a Shown,
        problems: &mut Problems,
    ) -> Result<Self, LoadError> {
        let refused = |sentence: String| Err(LoadError::Refused(sentence!("{file}:{sentence}")));
        let places = Places::new(text.as_bytes());
        let table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                let byte = error.span().map_or(0, |span| span.start);
                let (line, column) = places.of(byte);
                let message = shown_text(error.message().as_bytes());
                return refused(format!(
                    "{line}:{column}: this is not TOML: {message}; correct the line, or name another format with --format"
                ));
            }
        };
        let document = Self {
            text,
            file,
            table,
            places,
        };
        match document.table.get("fairscope").map(Spanned::get_ref) {
            None => {
                return refused(
                    " the version is missing; expected fairscope = 1 at the top; add it if fairscope wrote this file".to_owned(),
                );
            }
            Some(version) => match plain(version).as_deref().map(str::parse::<i64>) {
                Some(Ok(VERSION)) => {}
                Some(Ok(version)) if version > VERSION => {
                    return refused(format!(
                        " this is version {version} of the format, and this program reads version {VERSION}; \
                         use a newer fairscope"
                    ));
                }
                _ => {
                    return refused(" unknown version; expected fairscope = 1".to_owned());
                }
            },
        }
        document.check_keys(&document.table, KEYS, problems);
        Ok(document)
    }

    pub(super) fn is_scenario(&self) -> bool {
        self.table.contains_key("source")
    }

    /// Returns the table at the top level.
    pub(super) fn top(&self) -> &DeTable<'a> {
        &self.table
    }

    /// Returns a value at the top level.
    pub(super) fn value(&self, key: &str) -> Option<&Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    /// Returns a table at the top level. A value of another type is a problem.
    pub(super) fn table(&self, key: &str, problems: &mut Problems) -> Option<&DeTable<'a>> {
        let value = self.value(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            let message = sentence!("{key} is not a table and is not read");
            let advice = sentence!("write [{key}] on a line of its own and its keys below");
            self.warn(value, "toml-not-a-table", message, advice, problems);
        }
        table
    }

    /// Returns the text of a string. A value of another type is a problem.
    pub(super) fn string<'t>(
        &self,
        table: &'t DeTable<'a>,
        key: &str,
        problems: &mut Problems,
    ) -> Option<&'t str> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            let message = sentence!("{key} is not text and is not read");
            self.warn(
                value,
                "toml-not-text",
                message,
                "write it in quotes",
                problems,
            );
        }
        text
    }

    /// Returns the text of a string at the top level.
    pub(super) fn top_string(&self, key: &str, problems: &mut Problems) -> Option<&str> {
        self.string(&self.table, key, problems)
    }

    /// Reports the unknown keys of a table.
    pub(super) fn check_keys(&self, table: &DeTable<'a>, known: &[&str], problems: &mut Problems) {
        self.check_other_keys(table, known, |_| false, problems);
    }

    /// Reports the keys of a table that are neither among the known ones nor allowed otherwise.
    pub(super) fn check_other_keys(
        &self,
        table: &DeTable<'a>,
        known: &[&str],
        is_allowed: impl Fn(&str) -> bool,
        problems: &mut Problems,
    ) {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) || is_allowed(name) {
                continue;
            }
            problems.push_with(|| self.unknown_key(name, key.span().start, known));
        }
    }

    fn unknown_key(&self, name: &str, at: usize, known: &[&str]) -> Problem {
        let near = known
            .iter()
            .map(|known| (distance(name, known), known))
            .min()
            .filter(|(changes, known)| changes * 2 < known.len());
        let suggestion = match near {
            Some((_, nearest)) => format!("did you mean '{nearest}'?"),
            None => format!("expected one of {};", known.join(", ")),
        };
        let (line, column) = self.places.of(at);
        Problem {
            severity: Severity::Warning,
            code: "toml-unknown-key",
            file: self.file.to_owned(),
            line: Some(line),
            column: Some(column),
            message: sentence!("{NO_KEY}{}{NOT_READ}", shown(name.as_bytes())),
            advice: sentence!("{suggestion} correct it, or remove the line"),
        }
    }

    /// Reports what is odd about a value.
    pub(super) fn warn(
        &self,
        value: &Spanned<DeValue<'a>>,
        code: &'static str,
        message: impl Into<Shown>,
        advice: impl Into<Shown>,
        problems: &mut Problems,
    ) {
        let (line, column) = self.places.of(value.span().start);
        problems.push(Problem {
            severity: Severity::Warning,
            code,
            file: self.file.to_owned(),
            line: Some(line),
            column: Some(column),
            message: message.into(),
            advice: advice.into(),
        });
    }

    /// Returns the line, from 1, of a byte.
    pub(super) fn line_of(&self, byte: usize) -> u64 {
        self.places.of(byte).0
    }

    /// Returns the line, from 1, in which the text of a string begins.
    pub(super) fn first_line(&self, value: &Spanned<DeValue<'a>>) -> u64 {
        let span = value.span();
        let (line, _) = self.places.of(span.start);
        let raw = &self.text[span];
        let opens_alone = ["'''", "\"\"\""].iter().any(|quotes| {
            raw.strip_prefix(quotes)
                .is_some_and(|rest| rest.starts_with('\n') || rest.starts_with("\r\n"))
        });
        line + u64::from(opens_alone)
    }
}

/// Returns a string, number, boolean or time as text, or `None` for arrays and tables.
pub(super) fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        DeValue::Datetime(time) => Some(time.to_string()),
        DeValue::Integer(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// Returns how many letters must be changed, added or removed to make one word of another.
fn distance(one: &str, other: &str) -> usize {
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, left) in one.bytes().take(64).enumerate() {
        let mut corner = row;
        above[0] = row + 1;
        for (column, right) in other.bytes().enumerate() {
            let cost = corner + usize::from(left != right);
            corner = above[column + 1];
            above[column + 1] = cost.min(corner + 1).min(above[column] + 1);
        }
    }
    above[other.len()]
}

/// Returns a text as a TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
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
