//! Reads and writes the scenarios of a file: a single one at the top level, several as `[[scenario]]`.

use crate::base::shown::shown;
use crate::format::native::document::{Document, quoted};
use crate::format::native::problem::NativeProblem;
use crate::format::native::read;
use crate::format::{SavedEdit, SavedScenario};
use std::collections::HashSet;
use std::fmt::Write as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of a scenario.
const KEYS: &[&str] = &["name", "policy", "shown", "edit"];

/// The keys of an edit.
const EDIT_KEYS: &[&str] = &["do", "reason"];

/// Returns whether a scenario is written at the top level of its file: it is the only one and needs no name.
pub(super) fn is_alone(scenarios: &[SavedScenario]) -> bool {
    match scenarios {
        [scenario] => scenario.name.is_empty(),
        _ => false,
    }
}

/// Writes scenarios as tables of their own, the edits with their reasons.
pub(super) fn write(text: &mut String, scenarios: &[SavedScenario], front: usize) {
    if is_alone(scenarios) {
        write_edits(text, "edit", &scenarios[0].edits);
        return;
    }
    for (place, scenario) in scenarios.iter().enumerate() {
        let name = quoted(&scenario.name);
        // Writing to a String cannot fail, here and below.
        let _ = write!(text, "\n[[scenario]]\nname = {name}\n");
        if let Some(policy) = scenario.policy {
            let name = quoted(policy.name());
            let _ = writeln!(text, "policy = {name}");
        }
        if place == front && scenarios.len() > 1 {
            text.push_str("shown = true\n");
        }
        write_edits(text, "scenario.edit", &scenario.edits);
    }
}

/// Writes the edits of a scenario, each as a table of its own.
fn write_edits(text: &mut String, table: &str, edits: &[SavedEdit]) {
    for edit in edits {
        let parts = quoted_lines(&edit.text);
        let _ = write!(text, "\n[[{table}]]\ndo = {parts}\n");
        if !edit.reason.is_empty() {
            let reason = quoted(&edit.reason);
            let _ = writeln!(text, "reason = {reason}");
        }
    }
}

/// Returns the parts of an edit as a TOML value, each on a line of its own.
fn quoted_lines(edit: &str) -> String {
    if !edit.contains('\n') {
        return quoted(edit);
    }
    let mut text = "\"\"\"".to_owned();
    for line in edit.lines() {
        let line = quoted(line);
        text.push('\n');
        text.push_str(&line[1..line.len() - 1]);
    }
    text.push_str("\"\"\"");
    text
}

/// The scenarios of a file.
pub(super) struct Listed {
    /// At least one.
    pub(super) scenarios: Vec<SavedScenario>,
    /// The place of the one to show.
    pub(super) front: usize,
}

/// Reads the scenarios.
pub(super) fn read<'a>(document: &mut Document<'a>, top: &DeTable<'a>) -> Listed {
    let policy = read::policy(document, top);
    let loose = read_edits(document, top);
    let mut reader = ScenarioReader {
        document,
        scenarios: Vec::new(),
        front: None,
        names: Names::default(),
    };
    if let Some(value) = top.get("scenario") {
        reader.read(value);
    }
    for scenario in &mut reader.scenarios {
        // The policy at the top level applies to all scenarios without one.
        scenario.policy = scenario.policy.or(policy);
    }
    let mut name = None;
    if reader.scenarios.is_empty() {
        name = Some(String::new());
    } else if let Some(edits) = top.get("edit") {
        let free = reader.names.free();
        let problem = NativeProblem::LooseEdits { name: free.clone() };
        reader.document.report(edits, problem);
        name = Some(free);
    }
    if let Some(name) = name {
        reader.scenarios.push(SavedScenario {
            name,
            policy,
            edits: loose,
        });
    }
    Listed {
        scenarios: reader.scenarios,
        front: reader.front.unwrap_or(0),
    }
}

/// Reads the scenarios of `[[scenario]]`.
struct ScenarioReader<'d, 'a> {
    /// The file, to report problems.
    document: &'d mut Document<'a>,
    /// Those that were read so far.
    scenarios: Vec<SavedScenario>,
    /// The place of the first one with `shown = true`.
    front: Option<usize>,
    names: Names<'d>,
}

/// The names of scenarios, for those that need another one.
#[derive(Default)]
struct Names<'d> {
    /// Every name that the file uses.
    given: HashSet<&'d str>,
    /// The names of the scenarios that were read.
    taken: HashSet<String>,
    /// The number of the last `scenario N` that was found free; every smaller one is taken.
    last: usize,
}

impl Names<'_> {
    /// Returns the first free one of `scenario N`, which counts as taken from then on.
    fn free(&mut self) -> String {
        loop {
            self.last += 1;
            let name = format!("scenario {}", self.last);
            let is_given = self.given.contains(name.as_str());
            if !is_given && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl<'d, 'a> ScenarioReader<'d, 'a> {
    /// Reads the list of scenarios.
    fn read(&mut self, value: &'d Spanned<DeValue<'a>>) {
        let Some(list) = value.get_ref().as_array() else {
            let problem = NativeProblem::ScenariosNotAList;
            return self.document.report(value, problem);
        };
        for value in list {
            if let Some(table) = value.get_ref().as_table()
                && let Some(name) = table.get("name")
                && let Some(name) = name.get_ref().as_str()
            {
                self.names.given.insert(name);
            }
        }
        for value in list {
            if let Some(table) = value.get_ref().as_table() {
                self.read_one(value, table);
            } else {
                let problem = NativeProblem::ScenarioNotATable;
                self.document.report_line(value, problem);
            }
        }
    }

    /// Reads one scenario.
    fn read_one(&mut self, value: &Spanned<DeValue<'a>>, table: &'d DeTable<'a>) {
        self.document.check_keys(table, KEYS);
        let name = self.name(value, table);
        if let Some(value) = table.get("shown") {
            self.read_shown(value);
        }
        self.scenarios.push(SavedScenario {
            name,
            policy: read::policy(self.document, table),
            edits: read_edits(self.document, table),
        });
    }

    /// Returns the name of a scenario: its own if it has one that no other has, or else a free one.
    fn name(&mut self, value: &Spanned<DeValue<'a>>, table: &'d DeTable<'a>) -> String {
        let name = self.document.string(table, "name").unwrap_or_default();
        if !name.is_empty() && self.names.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let free = self.names.free();
        let given = free.clone();
        let problem = if name.is_empty() {
            NativeProblem::ScenarioWithoutName { given }
        } else {
            let name = shown(name.as_bytes());
            NativeProblem::ScenarioNameTaken { name, given }
        };
        let place = table.get("name").unwrap_or(value);
        self.document.report(place, problem);
        free
    }

    /// Reads whether the next scenario is the one to show.
    fn read_shown(&mut self, value: &Spanned<DeValue<'a>>) {
        match value.get_ref().as_bool() {
            None => {
                let problem = NativeProblem::ShownNotABool;
                self.document.report(value, problem);
            }
            Some(true) if self.front.is_some() => {
                let problem = NativeProblem::ShownTwice;
                self.document.report(value, problem);
            }
            Some(true) => self.front = Some(self.scenarios.len()),
            Some(false) => {}
        }
    }
}

/// Reads the edits of a table.
fn read_edits<'a>(document: &mut Document<'a>, table: &DeTable<'a>) -> Vec<SavedEdit> {
    let Some(value) = table.get("edit") else {
        return Vec::new();
    };
    let Some(list) = value.get_ref().as_array() else {
        document.report(value, NativeProblem::EditsNotAList);
        return Vec::new();
    };
    let mut edits = Vec::new();
    for value in list {
        match read_edit(document, value) {
            Ok(edit) => edits.push(edit),
            Err(problem) => document.report_line(value, problem),
        }
    }
    edits
}

/// Reads one edit.
fn read_edit<'a>(
    document: &mut Document<'a>,
    value: &Spanned<DeValue<'a>>,
) -> Result<SavedEdit, NativeProblem> {
    let Some(table) = value.get_ref().as_table() else {
        return Err(NativeProblem::EditNotATable);
    };
    let what = table.get("do").ok_or(NativeProblem::EditWithoutText)?;
    let Some(text) = what.get_ref().as_str() else {
        return Err(NativeProblem::EditWithoutText);
    };
    let line = document.first_line(what);
    document.check_keys(table, EDIT_KEYS);
    let reason = document.string(table, "reason");
    Ok(SavedEdit {
        text: text.to_owned(),
        reason: reason.unwrap_or_default().to_owned(),
        line: usize::try_from(line).unwrap_or(usize::MAX),
    })
}
