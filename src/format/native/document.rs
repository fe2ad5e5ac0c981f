//! A TOML document in our format: its tables, and the positions in it.

use crate::base::nearest::changes;
use crate::base::places::Places;
use crate::base::shown::{Shown, is_safe, sentence, shown, shown_text};
use crate::format::problem::{Problem, Problems};
use crate::format::{LoadError, LoadResult};
use std::fmt::Write as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The version of the format that we read and write.
pub(super) const VERSION: i64 = 1;

const KEYS: &str = "fairscope policy scheduler usage_unit taken settings tree source edit scenario";

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

/// A file of ours: the places in its text, and what is odd about it.
pub(super) struct Document<'a> {
    text: &'a str,
    places: Places<'a>,
    pub(super) problems: Problems,
}

impl<'a> Document<'a> {
    /// Parses a file whose version we read, and returns it with its top level.
    pub(super) fn parse(text: &'a str, file: &'a Shown) -> LoadResult<(Self, DeTable<'a>)> {
        let refused = |sentence: String| Err(LoadError::Refused(sentence!("{file}:{sentence}")));
        let places = Places::new(text.as_bytes());
        let table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                let (line, column) = places.of(error.span().map_or(0, |span| span.start));
                let message = shown_text(error.message().as_bytes());
                return refused(format!(
                    "{line}:{column}: this is not TOML: {message}; correct the line, or name another format with --format"
                ));
            }
        };
        let Some(version) = table.get("fairscope") else {
            return refused(
                " the version is missing; expected fairscope = 1 at the top; add it if fairscope wrote this file"
                    .to_owned(),
            );
        };
        match plain(version.get_ref()).as_deref().map(str::parse::<i64>) {
            Some(Ok(VERSION)) => {}
            Some(Ok(version)) if version > VERSION => {
                return refused(format!(
                    " this is version {version} of the format, and this program reads version {VERSION}; use a newer \
                     fairscope"
                ));
            }
            _ => return refused(" unknown version; expected fairscope = 1".to_owned()),
        }
        let mut document = Self {
            text,
            places,
            problems: Problems::of(file.clone()),
        };
        document.check_keys(&table, KEYS);
        Ok((document, table))
    }

    /// Returns a table in a table. A value of another type is a problem.
    pub(super) fn table<'t>(&mut self, top: &'t DeTable<'a>, key: &str) -> Option<&'t DeTable<'a>> {
        let value = top.get(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            let message = sentence!("{key} is not a table and is not read");
            let advice = sentence!("write [{key}] on a line of its own and its keys below");
            self.warn(value, "toml-not-a-table", message, advice);
        }
        table
    }

    /// Returns the text of a string. A value of another type is a problem.
    pub(super) fn string<'t>(&mut self, table: &'t DeTable<'a>, key: &str) -> Option<&'t str> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            let message = sentence!("{key} is not text and is not read");
            self.warn(value, "toml-not-text", message, "write it in quotes");
        }
        text
    }

    /// Returns what a name in a table names. Another name is a problem, in which `ignored` tells what is done without it.
    pub(super) fn named<T>(
        &mut self,
        table: &DeTable<'a>,
        key: &str,
        named: impl FnOnce(&str) -> Option<T>,
        problem: (&'static str, &str, Shown),
    ) -> Option<T> {
        let name = self.string(table, key)?;
        let found = named(name);
        if let (None, Some(value)) = (&found, table.get(key)) {
            let (code, ignored, advice) = problem;
            let message = sentence!("unknown {key} '{}\'; {ignored}", shown(name.as_bytes()));
            self.warn(value, code, message, advice);
        }
        found
    }

    /// Reports the keys of a table that are not among the known ones, which blanks separate.
    pub(super) fn check_keys(&mut self, table: &DeTable<'a>, known: &str) {
        let known: Vec<&str> = known.split(' ').collect();
        self.check_other_keys(table, &known, |_| false);
    }

    /// Reports the keys of a table that are neither among the known ones nor allowed otherwise.
    pub(super) fn check_other_keys(
        &mut self,
        table: &DeTable<'a>,
        known: &[&str],
        is_allowed: impl Fn(&str) -> bool,
    ) {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) || is_allowed(name) {
                continue;
            }
            let start = &name.as_bytes()[..name.len().min(LONGEST)];
            // The words of further problems are not kept.
            let is_kept = self.problems.count() < Problems::KEPT;
            let near = known.iter().filter(|_| is_kept);
            let near = near.map(|known| (changes(start, known.as_bytes()), known));
            let suggestion = match near.min() {
                Some((changes, nearest)) if changes * 2 < nearest.len() => {
                    format!("did you mean '{nearest}'?")
                }
                _ => format!("expected one of {};", known.join(", ")),
            };
            let advice = sentence!("{suggestion} correct it, or remove the line");
            let place = self.places.of(key.span().start);
            let name = shown(name.as_bytes());
            self.problems
                .warn_unread(place, "toml-unknown-key", name, advice);
        }
    }

    pub(super) fn warn(
        &mut self,
        value: &Spanned<DeValue<'a>>,
        code: &'static str,
        message: impl Into<Shown>,
        advice: impl Into<Shown>,
    ) {
        let place = self.places.of(value.span().start);
        self.problems.warn(place, code, message, advice);
    }

    pub(super) fn refuse(
        &mut self,
        value: &Spanned<DeValue<'a>>,
        code: &'static str,
        message: impl Into<Shown>,
        advice: &'static str,
    ) {
        let line = self.line_of(value);
        self.problems.refuse(line, code, message, advice);
    }

    pub(super) fn line_of(&self, value: &Spanned<DeValue<'a>>) -> u64 {
        self.places.of(value.span().start).0
    }

    /// Returns the line, from 1, in which the text of a string begins.
    pub(super) fn first_line(&self, value: &Spanned<DeValue<'a>>) -> u64 {
        let raw = &self.text[value.span()];
        let opens_alone = ["'''", "\"\"\""].iter().any(|quotes| {
            raw.strip_prefix(quotes)
                .is_some_and(|rest| rest.starts_with('\n') || rest.starts_with("\r\n"))
        });
        self.line_of(value) + u64::from(opens_alone)
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
