//! Edits of the tree's structure: adding, removing, renaming and moving nodes.

use crate::base::number::counted;
use crate::base::shown::{sentence, shown};
use crate::model::{Kind, NodeId, Tree, escape_name, path_of};
use crate::report::label;
use crate::scenario::Edit;
use crate::tui::input::action::Action;
use crate::tui::state::pane::{names, users_in};
use crate::tui::state::picker::shared_beginning;
use crate::tui::state::{Confirm, Purpose, Session, Ui};
use crate::tui::update::editing::{apply, as_one};

/// Asks for a node to add to the selected account, which is unfolded to show the new node.
pub(crate) fn ask_for_node(session: &mut Session, ui: &mut Ui) {
    let account = session.selected_account();
    session.set_unfolded(account, true);
    ui.prompt(Purpose::Add(account), String::new());
}

pub(crate) fn ask_for_new_name(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail("the root cannot be renamed; choose a node below it");
    }
    let name = escape_name(session.scenario.tree().name(node));
    let name = ui.typeable(name);
    ui.prompt(Purpose::Rename(node), name);
}

pub(crate) fn remove_nodes(session: &mut Session, ui: &mut Ui) {
    let nodes = tops(session.scenario.tree(), &session.targets());
    if nodes == [session.selected()] {
        return remove(session, ui, &nodes);
    }
    ui.ask(Confirm::RemoveNodes(nodes));
}

/// Removes nodes with their subtrees, as one edit. No node may be an ancestor of another.
pub(crate) fn remove(session: &mut Session, ui: &mut Ui, nodes: &[NodeId]) {
    let tree = session.scenario.tree();
    // The source may have been read again while the question was open.
    let is_there = |node: &NodeId| tree.contains(*node);
    let nodes: Vec<NodeId> = nodes.iter().copied().filter(is_there).collect();
    let users: usize = nodes.iter().map(|&node| users_in(tree, node)).sum();
    let users = counted(users, "user", "users");
    let what = match nodes[..] {
        [node] if tree.kind(node) == Kind::User => shown(tree.name(node)),
        [node] => sentence!("{} with {users}", shown(tree.name(node))),
        _ => sentence!("{} with {users}", names(tree, &nodes)),
    };
    let edits = nodes.iter().map(|&node| Edit::Remove { node }).collect();
    let Some(edit) = as_one(edits) else {
        return;
    };
    apply(session, ui, edit);
    if ui.notice.is_none() {
        let key = ui.hint(Action::Undo);
        ui.say(sentence!("removed {what}; {key} restores it"));
    }
}

/// Moves the marked nodes to the selected account. Without marks, asks for the new account of the selected node.
pub(crate) fn move_nodes(session: &mut Session, ui: &mut Ui) {
    let tree = session.scenario.tree();
    if session.marked_count() == 0 {
        let node = session.selected();
        if node == NodeId::ROOT {
            return ui.fail("the root cannot be moved; choose a node below it");
        }
        return ui.prompt(Purpose::MoveTo(node), String::new());
    }
    let to = session.selected_account();
    let mut nodes = tops(tree, &session.targets());
    nodes.retain(|&node| tree.parent(node) != Some(to));
    if nodes.is_empty() {
        let account = label(tree, to);
        return ui.say(sentence!("the marked nodes are already below {account}"));
    }
    let moved = names(tree, &nodes);
    let account = label(tree, to);
    let edits = nodes.iter().map(|&node| Edit::Move { node, to });
    let Some(edit) = as_one(edits.collect()) else {
        return;
    };
    apply(session, ui, edit);
    if ui.notice.is_none() {
        session.set_unfolded(to, true);
        ui.say(sentence!("moved {moved} below {account}"));
    }
}

pub(crate) fn show_added(session: &mut Session, ui: &Ui) {
    if ui.notice.is_none() {
        let newest = session.scenario.tree().id_count() - 1;
        session.select(NodeId::from_index(newest));
    }
}

/// Returns the longest beginning of all account paths that match, by path or name, if longer than what is typed.
pub(crate) fn completed(tree: &Tree, typed: &str) -> Option<String> {
    let by_name = !typed.contains('/');
    let accounts = tree.nodes()[1..].iter().copied();
    let accounts = accounts.filter(|&node| tree.kind(node) == Kind::Account);
    // Writing a path is slow, so names that cannot match are skipped first.
    let named =
        accounts.filter(|&node| !by_name || escape_name(tree.name(node)).starts_with(typed));
    let paths = named.filter_map(|node| path_of(tree, node));
    let paths = paths.filter(|path| by_name || path.starts_with(typed));
    let common = paths.reduce(|mut common, path| {
        common.truncate(shared_beginning(common.as_bytes(), path.as_bytes()));
        common
    });
    // Matching names in different accounts may have no longer path in common.
    common.filter(|common| common.len() > typed.len())
}

/// Returns the nodes that are not below another one of them. `nodes` must be in tree order.
fn tops(tree: &Tree, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut end = 0;
    let mut tops = Vec::new();
    for &node in nodes {
        let span = tree.order().span(node);
        if span.start >= end {
            end = span.end;
            tops.push(node);
        }
    }
    tops
}
