//! Applies saved edits as far as they fit. The others are reported, and kept beside those that are done.

use super::apply_parsed;
use crate::format::SavedEdit;
use crate::model::{Settings, Tree};
use crate::scenario::{Edit, LanguageError, Scenario, parse, parse_briefly};

/// How many edits that do not fit get suggestions: each is a search through the tree, and there may be thousands.
const SUGGESTED: usize = 100;

/// A line of a saved edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct RejectedLine {
    pub line: u64,
    pub text: String,
    pub error: LanguageError,
}

/// Applies a saved edit. If it has several lines, those that fit are applied as one edit; the scenario keeps the
/// others, and they are returned in their order.
pub(crate) fn apply_fitting(scenario: &mut Scenario, edit: &SavedEdit) -> Vec<RejectedLine> {
    let (text, bytes) = (edit.text.trim(), edit.text.as_bytes());
    let read = reader(scenario.rejected().len());
    let parsed = read(bytes, scenario.tree(), scenario.settings());
    let apply = |parsed| apply_parsed(scenario, parsed, bytes, edit.reason.clone());
    let Err(error) = parsed.and_then(apply) else {
        return Vec::new();
    };
    let rejected_lines = if text.contains('\n') {
        apply_lines(scenario, edit)
    } else {
        vec![rejected_line(edit, 0, text, error)]
    };
    if let [first, ..] = &rejected_lines[..] {
        let why = first.error.to_string();
        let lines = rejected_lines.iter().map(|rejected| &rejected.text[..]);
        let lines: Vec<&str> = lines.collect();
        scenario.keep_rejected(lines.join("\n"), edit.reason.clone(), why);
    }
    rejected_lines
}

type Reader = fn(&[u8], &Tree, &Settings) -> Result<Edit, LanguageError>;

/// Returns how the next edit is read after so many that did not fit.
fn reader(rejected: usize) -> Reader {
    if rejected < SUGGESTED {
        parse
    } else {
        parse_briefly
    }
}

/// Applies the lines that fit, as one edit; returns the others.
fn apply_lines(scenario: &mut Scenario, edit: &SavedEdit) -> Vec<RejectedLine> {
    let mut rejected_lines = Vec::new();
    let mut parts = Vec::new();
    let mut tried = scenario.clone();
    for (place, line) in edit.text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        // Every part names nodes of the tree before the whole edit, and is applied after the parts above it.
        let read = reader(scenario.rejected().len() + rejected_lines.len());
        let part = read(line.as_bytes(), scenario.tree(), scenario.settings());
        let done = part.and_then(|part| {
            tried.apply(part.clone())?;
            Ok(part)
        });
        match done {
            Ok(part) => parts.push(part),
            Err(error) => rejected_lines.push(rejected_line(edit, place, line, error)),
        }
    }
    if !parts.is_empty() {
        let done = scenario.apply_because(Edit::Batch(parts), edit.reason.clone());
        debug_assert!(done.is_ok(), "the same parts were done to a copy: {done:?}");
    }
    rejected_lines
}

fn rejected_line(edit: &SavedEdit, place: usize, text: &str, error: LanguageError) -> RejectedLine {
    RejectedLine {
        line: u64::try_from(edit.line + place).unwrap_or(u64::MAX),
        text: text.to_owned(),
        error,
    }
}
