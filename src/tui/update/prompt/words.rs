//! The names and values in the labels of prompts; empty without an open tree.

use crate::base::number::{Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::NodeId;
use crate::rules::policy::ColumnId;
use crate::tui::state::node_set::names;
use crate::tui::state::session::Session;

/// Returns the name of a node.
pub(super) fn name(session: Option<&Session>, node: NodeId) -> Shown {
    session.map_or_else(Shown::default, |session| {
        shown(session.scenario.tree().name(node))
    })
}

/// Returns the names of the marked nodes.
pub(super) fn marked(session: Option<&Session>) -> Shown {
    let named = session.map_or_else(Shown::default, |session| {
        let tree = session.scenario.tree();
        names(tree, &session.marks.nodes(tree))
    });
    sentence!("{named} (marked)")
}

/// Returns the text of a cell in the snapshot, empty for a new node.
pub(super) fn before(session: Option<&Session>, node: NodeId, column: ColumnId) -> Shown {
    let Some(session) = session.filter(|session| !session.scenario.is_new(node)) else {
        return Shown::default();
    };
    let base = &session.scenario.base().tree;
    match column {
        ColumnId::Shares => sentence!("{}", base.shares(node)),
        _ => base.usage(node).amount().map_or_else(
            || "none".into(),
            |amount| cell(Value::Double(amount), column.unit()),
        ),
    }
}

/// Returns the value of a setting in the snapshot.
pub(super) fn value_before(session: &Session, key: &str) -> Shown {
    let base = session.scenario.base();
    let policy = session.scenario.policy();
    let value = policy.setting(&base.tree, &base.settings, key);
    shown(value.as_bytes())
}
