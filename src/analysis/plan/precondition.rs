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

/// The lines of nodes, by their keys.
#[derive(Default)]
struct StateRows {
    rows: Vec<StateRow>,
    places: HashMap<String, usize>,
}

impl StateRows {
    /// Returns the row of a key.
    fn row(&mut self, key: String) -> &mut StateRow {
        let end = self.rows.len();
        let place = *self.places.entry(key.clone()).or_insert(end);
        if place == end {
            self.rows.push(StateRow {
                key,
                before: None,
                after: None,
            });
        }
        &mut self.rows[place]
    }
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
    let mut nodes = Vec::new();
    for &node in &changes.removed {
        nodes.extend_from_slice(before.within(node));
    }
    nodes.extend(changes.moved);
    nodes.extend(changes.renamed);
    nodes.extend(changes.shares);
    nodes.extend(changes.added);
    let mut listed = StateRows::default();
    for node in nodes {
        if node == NodeId::ROOT {
            continue;
        }
        if before.contains(node)
            && let Some(line) = line(before, node)
        {
            listed.row(line.key).before = Some(line.rest);
        }
        if after.contains(node)
            && let Some(line) = line(&after, node)
        {
            listed.row(line.key).after = Some(line.rest);
        }
    }
    listed.rows
}
