//! The page of the plan: the edits, what they do, and the commands.

use super::{Page, Role, Section};
use crate::format::native::Reference;
use crate::report::impact::{impact, sections, summary};
use crate::scenario::Scenario;
use crate::shown::shown;

pub(super) fn page(scenario: &Scenario, _reference: &Reference) -> Page {
    let mut page = Page {
        title: "The plan".to_owned(),
        what: "the commands".to_owned(),
        file: "plan.sh".to_owned(),
        ..Page::default()
    };
    let mut edits = Section::new("Edits");
    for entry in scenario.history().done() {
        for line in entry.text.lines() {
            edits.push(Role::Text, shown(line.as_bytes()));
        }
        if !entry.reason.is_empty() {
            edits.push(
                Role::Dim,
                format!("because: {}", shown(entry.reason.as_bytes())),
            );
        }
    }
    page.sections.push(edits);
    let impact = impact(scenario);
    let text = summary(scenario, &impact);
    page.sections
        .push(Section::new("Impact").with(Role::Text, text));
    let tables = sections(scenario, &impact);
    page.sections.extend(tables.iter().map(Section::of));
    page
}
