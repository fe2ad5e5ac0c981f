//! What must hold before the commands of a plan run: the programs that they call are there, and what they change is as
//! the source had it.

use super::omission::planned_tree;
use super::{NetChanges, Omission};
use crate::model::{NodeId, Tree};
use crate::scenario::Scenario;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// What a script checks before its first command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precondition {
    /// The programs that the commands and the checks call.
    pub(crate) programs: Vec<&'static str>,
    /// How the scheduler lists the nodes; `None` if none of them is compared.
    pub(crate) listing: Option<Listing>,
    /// The changed nodes, as lines of the listing.
    pub(crate) rows: Vec<StateRow>,
}

/// A command that lists nodes, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    /// The columns of its lines, for people.
    pub(crate) columns: &'static str,
    pub(crate) command: String,
    /// The program of awk that brings its output into this form; `None` if it has it.
    pub(crate) awk: Option<&'static str>,
}

/// A node before and after a plan, as a line of the scheduler's listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateRow {
    /// The beginning of the line, which identifies the node.
    pub(crate) key: String,
    /// What follows before the plan. `None` if the node is not there.
    pub(crate) before: Option<String>,
    /// What follows after it. `None` if the node is not there.
    pub(crate) after: Option<String>,
}

/// The line of a node: its beginning, which identifies it, and the rest.
pub(super) struct Line {
    pub(super) key: String,
    pub(super) rest: String,
}

/// Returns the nodes that a plan changes, with the lines that `line` gives them. Usage is not compared, because it keeps
/// changing.
pub(super) fn state_rows(
    scenario: &Scenario,
    omissions: &BTreeSet<Omission>,
    line: &dyn Fn(&Tree, NodeId) -> Option<Line>,
) -> Vec<StateRow> {
    let before = &scenario.base().tree;
    let after = planned_tree(scenario, omissions);
    let changes = NetChanges::up_to(scenario, &after);
    let removed = changes.removed.iter();
    let removed = removed.flat_map(|&node| &before.nodes()[before.order().span(node)]);
    let others = [&changes.moved, &changes.renamed, &changes.shares];
    let others = others.into_iter().flatten().chain(&changes.added);
    let mut rows: Vec<StateRow> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut row_of = |rows: &mut Vec<StateRow>, key: String| {
        let place = *places.entry(key.clone()).or_insert(rows.len());
        if place == rows.len() {
            rows.push(StateRow {
                key,
                before: None,
                after: None,
            });
        }
        place
    };
    for &node in removed.chain(others) {
        if node == NodeId::ROOT {
            continue;
        }
        if before.contains(node)
            && let Some(Line { key, rest }) = line(before, node)
        {
            let place = row_of(&mut rows, key);
            rows[place].before = Some(rest);
        }
        if after.contains(node)
            && let Some(Line { key, rest }) = line(&after, node)
        {
            let place = row_of(&mut rows, key);
            rows[place].after = Some(rest);
        }
    }
    rows
}
