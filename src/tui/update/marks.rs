//! Marked nodes, which are edited together, and locked nodes, whose shares edits of a level do not change.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
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

pub(crate) fn mark_many(session: &mut Session, ui: &mut Ui, marking: MarkScope) {
    let account = session.selected_account();
    let Session {
        scenario, marks, ..
    } = &mut *session;
    let tree = scenario.tree();
    match marking {
        MarkScope::Nothing => marks.clear(),
        MarkScope::Children => {
            let children = tree.children(account);
            for child in children.filter(|&child| Some(child) != tree.unknown()) {
                marks.set(child, true);
            }
        }
        MarkScope::Rows | MarkScope::Others => {
            let before = marks.clone();
            marks.clear();
            let rows = session.pane().outline.rows().to_vec();
            for node in rows.into_iter().filter(|&node| node != NodeId::ROOT) {
                let is_marked = marking == MarkScope::Rows || !before.contains(node);
                session.marks.set(node, is_marked);
            }
        }
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
    let children = tree.children(account);
    let children = children
        .filter(|&child| Some(child) != tree.unknown())
        .count();
    let rows = session.pane().outline.rows().len();
    let marked = session.marked_count();
    let item =
        |marking, name: &'static str, help: Shown| Item::new(Choice::Mark(marking), name, help);
    let items = vec![
        item(
            MarkScope::Children,
            "children",
            sentence!(
                "Members directly below {}: {}",
                ui.spelled(label(tree, account)),
                counted(children, "node", "nodes")
            ),
        ),
        item(
            MarkScope::Rows,
            "rows",
            sentence!(
                "Every row shown, as filtered and folded: {}",
                counted(rows, "row", "rows")
            ),
        ),
        item(
            MarkScope::Others,
            "others",
            "Invert: only rows that are not marked now".into(),
        ),
        item(
            MarkScope::Nothing,
            "clear",
            sentence!("Clear all marks: {}", counted(marked, "mark", "marks")),
        ),
    ];
    Dialog::menu("Mark", items, None)
}
