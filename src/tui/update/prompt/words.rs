//! The names and values in the labels of prompts; empty without an open tree.

use crate::base::number::{Value, cell};
use crate::base::shown::shown;
use crate::model::NodeId;
use crate::rules::policy::ColumnId;
use crate::tui::state::node_set::names;
use crate::tui::state::session::Session;

/// Returns the name of a node.
pub(super) fn name(session: Option<&Session>, node: NodeId) -> String {
    session.map_or_else(String::new, |session| {
        shown(session.scenario.tree().name(node)).into()
    })
}

/// Returns the names of the marked nodes.
pub(super) fn marked(session: Option<&Session>) -> String {
    let named = session.map_or_else(String::new, |session| {
        let tree = session.scenario.tree();
        names(tree, &session.marks.nodes(tree))
    });
    format!("{named} (marked)")
}

/// Returns the text of a cell in the snapshot, empty for a new node.
pub(super) fn before(session: Option<&Session>, node: NodeId, column: ColumnId) -> String {
    let Some(session) = session.filter(|session| !session.scenario.is_new(node)) else {
        return String::new();
    };
    let base = &session.scenario.base().tree;
    match column {
        ColumnId::Shares => base.shares(node).to_string(),
        _ => base.usage(node).amount().map_or_else(
            || "none".to_owned(),
            |amount| cell(Value::Double(amount), column.unit()),
        ),
    }
}

/// Returns the value of a setting in the snapshot.
pub(super) fn value_before(session: &Session, key: &str) -> String {
    let base = session.scenario.base();
    let policy = session.scenario.policy();
    let value = policy.setting(&base.tree, &base.settings, key);
    shown(value.as_bytes()).into()
}
