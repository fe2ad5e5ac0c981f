//! Marked nodes, which are edited together, and locked nodes, whose shares edits of a level do not change.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree};
use crate::report::label;
use crate::tui::input::action::Action;
use crate::tui::state::node_set::names;
use crate::tui::state::{Choice, Dialog, Item, MarkScope, Session, Ui};

pub(crate) fn mark(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail("the root cannot be marked; choose a node below it");
    }
    let is_marked = session.marks.contains(node);
    session.marks.set(node, !is_marked);
    let next = session.pane().cursor + 1;
    session.go_to(next);
}

/// Returns the children of an account but PBS's group `unknown`.
pub(crate) fn known_children(tree: &Tree, account: NodeId) -> impl Iterator<Item = NodeId> {
    let children = tree.children(account);
    children.filter(|&child| Some(child) != tree.unknown())
}

pub(crate) fn mark_many(session: &mut Session, ui: &mut Ui, marking: MarkScope) {
    let account = session.selected_account();
    let before = session.marks.clone();
    if marking != MarkScope::Children {
        session.marks.clear();
    }
    let nodes = match marking {
        MarkScope::Nothing => Vec::new(),
        MarkScope::Children => known_children(session.scenario.tree(), account).collect(),
        MarkScope::Rows | MarkScope::Others => session.pane().outline.rows().to_vec(),
    };
    for node in nodes.into_iter().filter(|&node| node != NodeId::ROOT) {
        let is_marked = marking != MarkScope::Others || !before.contains(node);
        session.marks.set(node, is_marked);
    }
    let count = session.marked_count();
    ui.say(match count {
        0 => "nothing is marked".into(),
        count => counted(count, "node is marked", "nodes are marked"),
    });
}

/// Locks the shares of the marked or selected nodes, or unlocks them if all are locked.
pub(crate) fn lock(session: &mut Session, ui: &mut Ui) {
    let mut nodes = session.targets();
    nodes.retain(|&node| node != NodeId::ROOT);
    let is_locked = !nodes.iter().all(|&node| session.locks.contains(node));
    for &node in &nodes {
        session.locks.set(node, is_locked);
    }
    if nodes.is_empty() {
        return ui.fail("the root has no shares to lock; choose a node below it");
    }
    let nodes = names(session.scenario.tree(), &nodes);
    let key = ui.hint(Action::Family);
    ui.say(if is_locked {
        sentence!("locked the shares of {nodes}: family edits ({key}) leave them alone")
    } else {
        sentence!("unlocked the shares of {nodes}")
    });
}

pub(crate) fn menu(session: &Session, ui: &Ui) -> Dialog {
    let tree = session.scenario.tree();
    let account = session.selected_account();
    let children = known_children(tree, account).count();
    let children = counted(children, "node", "nodes");
    let rows = counted(session.pane().outline.rows().len(), "row", "rows");
    let marked = counted(session.marked_count(), "mark", "marks");
    let account = ui.spelled(label(tree, account));
    let item =
        |marking, name: &'static str, help: Shown| Item::new(Choice::Mark(marking), name, help);
    let items = vec![
        item(
            MarkScope::Children,
            "children",
            sentence!("Members directly below {account}: {children}"),
        ),
        item(
            MarkScope::Rows,
            "rows",
            sentence!("Every row shown, as filtered and folded: {rows}"),
        ),
        item(
            MarkScope::Others,
            "others",
            "Invert: only rows that are not marked now".into(),
        ),
        item(
            MarkScope::Nothing,
            "clear",
            sentence!("Clear all marks: {marked}"),
        ),
    ];
    Dialog::menu("Mark", items, None)
}
