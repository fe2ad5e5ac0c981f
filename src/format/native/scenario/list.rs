//! Reads and writes the scenarios of a file: a single one at the top level, several as `[[scenario]]`.

use crate::base::shown::{sentence, shown};
use crate::format::native::document::{Document, quoted};
use crate::format::native::read;
use crate::format::{SavedEdit, SavedScenario};
use std::collections::HashSet;
use std::fmt::Write as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const KEYS: &str = "name policy shown edit";

const EDIT_ADVICE: &str = "write it like this: do = \"shares group1/bob=20\"";

/// Returns whether a scenario is written at the top level of its file: it is the only one and needs no name.
pub(super) fn is_alone(scenarios: &[SavedScenario]) -> bool {
    matches!(scenarios, [scenario] if scenario.name.is_empty())
}

/// Writes scenarios as tables of their own, the edits with their reasons.
pub(super) fn write(text: &mut String, scenarios: &[SavedScenario], front: usize) {
    if is_alone(scenarios) {
        write_edits(text, "edit", &scenarios[0].edits);
        return;
    }
    for (place, scenario) in scenarios.iter().enumerate() {
        // Writing to a String cannot fail, here and below.
        let _ = write!(text, "\n[[scenario]]\nname = {}\n", quoted(&scenario.name));
        if let Some(policy) = scenario.policy {
            let _ = writeln!(text, "policy = {}", quoted(policy.name()));
        }
        if place == front && scenarios.len() > 1 {
            text.push_str("shown = true\n");
        }
        write_edits(text, "scenario.edit", &scenario.edits);
    }
}

fn write_edits(text: &mut String, table: &str, edits: &[SavedEdit]) {
    for edit in edits {
        let _ = write!(text, "\n[[{table}]]\ndo = {}\n", quoted_lines(&edit.text));
        if !edit.reason.is_empty() {
            let _ = writeln!(text, "reason = {}", quoted(&edit.reason));
        }
    }
}

/// Returns the parts of an edit as a TOML value, each on a line of its own.
fn quoted_lines(edit: &str) -> String {
    if !edit.contains('\n') {
        return quoted(edit);
    }
    let inside = |line: &str| {
        let line = quoted(line);
        line[1..line.len() - 1].to_owned()
    };
    let lines: Vec<_> = edit.lines().map(inside).collect();
    format!("\"\"\"\n{}\"\"\"", lines.join("\n"))
}

/// Reads the scenarios, of which there is at least one, and the place of the one to show.
pub(super) fn read<'a>(
    document: &mut Document<'a>,
    top: &DeTable<'a>,
) -> (Vec<SavedScenario>, usize) {
    let policy = read::policy(document, top);
    let loose = read_edits(document, top);
    let mut listed = ScenarioReader {
        document,
        scenarios: Vec::new(),
        front: None,
        names: Names::default(),
    };
    if let Some(value) = top.get("scenario") {
        listed.read(value);
    }
    for scenario in &mut listed.scenarios {
        // The policy at the top level applies to all scenarios without one.
        scenario.policy = scenario.policy.or(policy);
    }
    let is_none = listed.scenarios.is_empty();
    let stated = top.get("edit");
    if is_none || stated.is_some() {
        let mut name = String::new();
        if let (false, Some(value)) = (is_none, stated) {
            name = listed.names.free();
            let message = sentence!(
                "there are edits outside any [[scenario]]; they are put into a scenario of their own, {name}"
            );
            let advice = "write [[scenario.edit]] below the scenario they belong to";
            let code = "toml-bad-scenario";
            listed.document.warn(value, code, message, advice);
        }
        listed.scenarios.push(SavedScenario {
            name,
            policy,
            edits: loose,
        });
    }
    (listed.scenarios, listed.front.unwrap_or(0))
}

struct ScenarioReader<'d, 'a> {
    document: &'d mut Document<'a>,
    scenarios: Vec<SavedScenario>,
    front: Option<usize>,
    names: Names<'d>,
}

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
            if !self.given.contains(name.as_str()) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl<'d, 'a> ScenarioReader<'d, 'a> {
    fn read(&mut self, value: &'d Spanned<DeValue<'a>>) {
        let code = "toml-bad-scenario";
        let advice = "write [[scenario]] above each, and name = \"...\" below it";
        let Some(list) = value.get_ref().as_array() else {
            let message = "scenario is not a list of scenarios and is not read";
            return self.document.warn(value, code, message, advice);
        };
        let tables = list.iter().filter_map(|value| value.get_ref().as_table());
        let names = tables.filter_map(|table| table.get("name")?.get_ref().as_str());
        self.names.given = names.collect();
        for value in list {
            if let Some(table) = value.get_ref().as_table() {
                self.read_one(value, table);
            } else {
                let message = "the scenario is not a table; it was left out";
                self.document.refuse(value, code, message, advice);
            }
        }
    }

    fn read_one(&mut self, value: &Spanned<DeValue<'a>>, table: &'d DeTable<'a>) {
        let document = &mut *self.document;
        document.check_keys(table, KEYS);
        let name = document.string(table, "name").unwrap_or_default();
        let name = if name.is_empty() || !self.names.taken.insert(name.to_owned()) {
            let free = self.names.free();
            let why = if name.is_empty() {
                "the scenario has no name".to_owned()
            } else {
                let name = shown(name.as_bytes());
                format!("a scenario before this one is called {name} too")
            };
            let message = sentence!("{why}; it is called {free}");
            let advice = "give it a name of its own, as in: name = \"more for physics\"";
            let at = table.get("name").unwrap_or(value);
            document.warn(at, "scenario-renamed", message, advice);
            free
        } else {
            name.to_owned()
        };
        if let Some(value) = table.get("shown") {
            let message = match value.get_ref().as_bool() {
                None => Some("shown is neither true nor false and is not read"),
                Some(true) if self.front.is_some() => {
                    Some("another scenario before this one is shown first already")
                }
                Some(is_shown) => {
                    let place = self.scenarios.len();
                    self.front = self.front.or_else(|| is_shown.then_some(place));
                    None
                }
            };
            if let Some(message) = message {
                let advice = "write shown = true in one of the scenarios";
                document.warn(value, "toml-bad-scenario", message, advice);
            }
        }
        self.scenarios.push(SavedScenario {
            name,
            policy: read::policy(document, table),
            edits: read_edits(document, table),
        });
    }
}

fn read_edits<'a>(document: &mut Document<'a>, table: &DeTable<'a>) -> Vec<SavedEdit> {
    let Some(value) = table.get("edit") else {
        return Vec::new();
    };
    let Some(list) = value.get_ref().as_array() else {
        let message = "edit is not a list of edits and is not read";
        let advice = "write [[edit]] above each";
        document.warn(value, "toml-bad-edit", message, advice);
        return Vec::new();
    };
    let edits = list.iter().filter_map(|value| read_edit(document, value));
    edits.collect()
}

fn read_edit<'a>(document: &mut Document<'a>, value: &Spanned<DeValue<'a>>) -> Option<SavedEdit> {
    let mut bad = |message: &'static str| {
        document.refuse(value, "toml-bad-edit", message, EDIT_ADVICE);
        None
    };
    let Some(table) = value.get_ref().as_table() else {
        return bad("the edit is not a table; it was left out");
    };
    let what = table.get("do");
    let Some((what, text)) = what.and_then(|what| Some((what, what.get_ref().as_str()?))) else {
        return bad("the edit does not say what to do; it was left out");
    };
    let line = document.first_line(what);
    document.check_keys(table, "do reason");
    let reason = document.string(table, "reason");
    Some(SavedEdit {
        text: text.to_owned(),
        reason: reason.unwrap_or_default().to_owned(),
        line: usize::try_from(line).unwrap_or(usize::MAX),
    })
}
