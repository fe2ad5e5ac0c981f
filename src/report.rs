//! Rows to bytes: the same numbers as the screen's, for people, scripts and other programs.
//!
//! Every report is a function from a [`View`] to bytes; it opens nothing, asks no clock and knows no
//! terminal. Text for people goes through `shown`, machine formats use their own escaping, and no report
//! ever holds an escape byte.

pub mod check;
pub mod csv;
pub mod explain;
mod field;
pub mod json;
pub mod lint;
pub mod markdown;
pub mod pbsfs;
pub mod policies;
pub mod rank;
mod rows;
pub mod show;
pub mod split;
pub mod table;
mod tree;
pub mod whatif;

pub use field::Field;
pub use rows::{Options, Sort};

use crate::format::Problems;
use crate::model::{NodeId, Recorded, Settings, Source, Tree, path_of};
use crate::outline::{points, recorded};
use crate::policy::{ColumnId, Evaluation, Policy, Value};
use crate::scenario::Scenario;
use crate::shown::shown;
use crate::table::table;

/// The name and version of the form of all our JSON.
const SCHEMA: &str = "fairscope/1";

table! {
    /// How a report is written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Form {
        Tree, "tree", "Text with guide lines, accounts above their users";
        Table, "table", "Text, one line a node";
        Csv, "csv", "Comma-separated values with a header line, numbers in full";
        Json, "json", "JSON, numbers in full";
        Markdown, "markdown", "A Markdown table";
    }
}

/// A tree under a policy, as reports see it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The settings it was evaluated under.
    pub settings: &'a Settings,
    /// The rule in force.
    pub policy: Policy,
    /// The numbers.
    pub evaluation: &'a Evaluation,
    /// Where it came from.
    pub source: &'a Source,
    /// What was odd or wrong in the source.
    pub problems: &'a Problems,
    /// What the scheduler printed beside shares and usage.
    pub recorded: &'a Recorded,
}

impl<'a> View<'a> {
    /// A scenario with its edits.
    #[must_use]
    pub fn of(scenario: &'a Scenario, problems: &'a Problems) -> Self {
        Self {
            tree: scenario.tree(),
            settings: scenario.settings(),
            policy: scenario.policy(),
            evaluation: scenario.evaluation(),
            source: &scenario.base().source,
            problems,
            recorded: &scenario.base().recorded,
        }
    }

    /// The snapshot under a scenario, without its edits.
    #[must_use]
    pub fn before(scenario: &'a Scenario, problems: &'a Problems) -> Self {
        Self {
            tree: &scenario.base().tree,
            settings: &scenario.base().settings,
            policy: scenario.policy(),
            evaluation: scenario.baseline(),
            source: &scenario.base().source,
            problems,
            recorded: &scenario.base().recorded,
        }
    }

    /// The number of a node in a column, the tree's own facts included.
    #[must_use]
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        match column {
            ColumnId::Shares => self
                .tree
                .shares(node)
                .count()
                .map_or(Value::Parent, Value::Count),
            ColumnId::GroupId => Value::Count(i64::from(self.tree.group(node))),
            ColumnId::Factor => self.evaluation.value(self.policy.factor_column(), node),
            ColumnId::PriorityPoints => points(self.policy, self.settings, self.evaluation, node),
            ColumnId::Recorded(fact) => recorded(self.recorded, fact, node),
            column => self.evaluation.value(column, node),
        }
    }

    /// The name of a node, for people.
    #[must_use]
    pub fn name(&self, node: NodeId) -> String {
        shown(self.tree.name(node))
    }

    /// The path of a node, for people; the root goes by its name.
    #[must_use]
    pub fn path(&self, node: NodeId) -> String {
        if node == NodeId::ROOT {
            return self.name(node);
        }
        match path_of(self.tree, node) {
            // A path is already escaped, and a `\` of its own must not be doubled.
            Some(path) => visible(&path),
            None => format!("…/{}", self.name(node)),
        }
    }
}

/// A path for people: what its own escapes leave invisible is written out, its backslashes stay.
fn visible(path: &str) -> String {
    path.split('\\')
        .map(|part| shown(part.as_bytes()))
        .collect::<Vec<_>>()
        .join("\\")
}
