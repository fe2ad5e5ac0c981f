//! Marked nodes, which are edited together, and edits of the shares of a whole level, which leave locked ones alone.

use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::report::label;
use crate::scenario::{Amount, Edit, ShareHolders, level_sum, trade};
use crate::tui::input::action::Action;
use crate::tui::recent::Kept;
use crate::tui::state::pane::names;
use crate::tui::state::{
    App, Choice, Dialog, EditPurpose, FamilyEdit, Item, MarkScope, Memory, Session, Ui,
};
use crate::tui::update::columns;
use crate::tui::update::editing::{apply, apply_told};
use crate::tui::update::opening::kept_source;
use std::path::Path;

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
fn known_children(tree: &Tree, account: NodeId) -> impl Iterator<Item = NodeId> {
    let children = tree.children(account);
    children.filter(|&child| Some(child) != tree.unknown())
}

/// Keeps the marks for the source, which has them again when it is opened next; no marks forget them.
fn keep(session: &Session, ui: &mut Ui) {
    let Some(source) = kept_source(ui, session.request()) else {
        return ui.fail("marks are kept for a file or directory alone; save the tree first");
    };
    let tree = session.scenario.tree();
    let nodes = session.marks.nodes(tree).into_iter();
    let paths: Vec<String> = nodes.filter_map(|node| path_of(tree, node)).collect();
    ui.say(match paths.len() {
        0 => "no marks are kept for this source".into(),
        count => sentence!("kept for this source: {}", counted(count, "mark", "marks")),
    });
    ui.queue(Memory::KeepWords(Kept::Marks, source, paths));
}

impl App {
    /// Marks nodes or shows columns, as they were kept for a source.
    pub(crate) fn recall(&mut self, kept: Kept, source: &Path, words: &[Vec<u8>]) {
        let ui = &self.ui;
        let is_it =
            |session: &&mut Session| kept_source(ui, session.request()).as_deref() == Some(source);
        for session in self.sessions.iter_mut().filter(is_it) {
            match kept {
                Kept::Marks => {
                    let tree = session.scenario.tree();
                    for node in words.iter().filter_map(|path| resolve(tree, path).ok()) {
                        session.marks.set(node, true);
                    }
                }
                Kept::Columns => {
                    columns::recall(session, words);
                    session.tell_blank_cells();
                }
            }
        }
    }
}

pub(crate) fn mark_many(session: &mut Session, ui: &mut Ui, marking: MarkScope) {
    if marking == MarkScope::Kept {
        return keep(session, ui);
    }
    let account = session.selected_account();
    let before = session.marks.clone();
    if marking != MarkScope::Children {
        session.marks.clear();
    }
    let nodes = match marking {
        MarkScope::Nothing | MarkScope::Kept => Vec::new(),
        MarkScope::Children => known_children(session.scenario.tree(), account).collect(),
        MarkScope::Rows | MarkScope::Others => session.pane().outline.rows().to_vec(),
    };
    for node in nodes.into_iter().filter(|&node| node != NodeId::ROOT) {
        let is_marked = marking != MarkScope::Others || !before.contains(node);
        session.marks.set(node, is_marked);
    }
    ui.say(match session.marked_count() {
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
    let children = sentence!("Members directly below {account}: {children}");
    let rows = sentence!("Every row shown, as filtered and folded: {rows}");
    let others = "Invert: only rows that are not marked now".into();
    let clear = sentence!("Clear all marks: {marked}");
    let watch = "Keep these marks: this source has them again when it is opened".into();
    let items = [
        (MarkScope::Children, "children", children),
        (MarkScope::Rows, "rows", rows),
        (MarkScope::Others, "others", others),
        (MarkScope::Kept, "watch", watch),
        (MarkScope::Nothing, "clear", clear),
    ];
    let items = items.map(|(scope, name, help)| Item::new(Choice::Mark(scope), name, help));
    Dialog::menu("Mark", items, None)
}

impl FamilyEdit {
    pub(crate) fn typed(self, session: &Session, amount: Amount) -> Result<Option<Edit>, Shown> {
        let (tree, settings) = (session.scenario.tree(), session.scenario.settings());
        let kept = session.locks.nodes(tree);
        let total = |account| counted_out(amount, tree, account);
        let holders = |account| ShareHolders::of(tree, settings, account, &kept);
        let edit = match self {
            Self::Scale(of) => holders(of).scale(total(of)?),
            Self::SplitTotal(of) => holders(of).split(Some(total(of)?)),
            Self::Split(of) => holders(of).split(None),
            Self::Normalise(of) => {
                let sum = level_sum(&session.scenario.base().tree, of);
                holders(of).scale(sum)
            }
            Self::Trade(node) => {
                // The level keeps its sum, so a percentage is relative to that sum.
                let count = match (amount, tree.parent(node)) {
                    (Amount::PercentOfLevel(_), Some(account)) => {
                        counted_out(amount, tree, account)
                    }
                    _ => whole(amount, tree, node),
                };
                trade(tree, settings, node, count?, &kept)
            }
        };
        let edit = edit.map_err(|error| Shown::error(&error))?;
        let is_nothing = matches!(&edit, Edit::Batch(edits) if edits.is_empty());
        Ok((!is_nothing).then_some(edit))
    }
}

/// Returns the sum of the shares of an account's children after an amount is applied to it.
fn counted_out(amount: Amount, tree: &Tree, account: NodeId) -> Result<i64, Shown> {
    let now = level_sum(tree, account) as f64;
    let amount = match amount {
        Amount::More(more) => Amount::Exactly(now + more),
        Amount::Times(times) => Amount::Exactly(now * times),
        Amount::MorePercent(percent) => Amount::Exactly(now + now * percent / 100.0),
        Amount::PercentOfLevel(percent) => Amount::Exactly(now * percent / 100.0),
        amount => amount,
    };
    whole(amount, tree, account)
}

/// Returns the shares of a node after an amount is applied to them.
fn whole(amount: Amount, tree: &Tree, node: NodeId) -> Result<i64, Shown> {
    let shares = amount.shares(tree, node);
    let count = shares.map_err(|error| Shown::error(&error))?.count();
    count.ok_or_else(|| "parent is not a number of shares; expected one such as 100 or *2".into())
}

pub(crate) fn edit_family(session: &mut Session, ui: &mut Ui, edit: FamilyEdit) {
    let (tree, settings) = (session.scenario.tree(), session.scenario.settings());
    let text = match edit {
        FamilyEdit::Scale(of) | FamilyEdit::SplitTotal(of) => level_sum(tree, of).to_string(),
        FamilyEdit::Trade(node) => tree.shares(node).to_string(),
        FamilyEdit::Normalise(_) | FamilyEdit::Split(_) => {
            let kept = session.locks.nodes(tree);
            let uneven = match edit {
                FamilyEdit::Split(of) => ShareHolders::of(tree, settings, of, &kept).uneven(None),
                _ => None,
            };
            return match edit.typed(session, Amount::More(0.0)) {
                Ok(Some(edit)) => {
                    match uneven {
                        Some(uneven) => apply_told(session, ui, edit, &uneven),
                        None => apply(session, ui, edit),
                    };
                }
                Ok(None) => ui.say("nothing changes: they already have these shares"),
                Err(error) => ui.fail(error),
            };
        }
    };
    ui.prompt(EditPurpose::Family(edit), text);
}

pub(crate) fn family_menu(session: &Session, ui: &Ui) -> Dialog {
    let tree = session.scenario.tree();
    let (node, account) = (session.selected(), session.selected_account());
    let family = ui.spelled(label(tree, account));
    let children = known_children(tree, account).count();
    let children = counted(children, "child", "children");
    let total = grouped(level_sum(tree, account));
    let item = |edit, name: &'static str, help: Shown| Item::new(Choice::Family(edit), name, help);
    let scaled = sentence!("{children} of {family}, now {total} shares: another sum, ratios kept");
    let kept = session.locks.nodes(tree);
    let holders = ShareHolders::of(tree, session.scenario.settings(), account, &kept);
    let same = match holders.uneven(None) {
        Some(uneven) => sentence!("{children} of {family}: {uneven}"),
        None => sentence!("{children} of {family}: the same for each, {total} together"),
    };
    let split = sentence!("{children} of {family}: the same for each, of another sum");
    let mut items = vec![
        item(FamilyEdit::Scale(account), "scale to", scaled),
        item(FamilyEdit::Split(account), "split equally", same),
        item(FamilyEdit::SplitTotal(account), "split a sum", split),
    ];
    if !session.scenario.is_new(account) {
        let before = grouped(level_sum(&session.scenario.base().tree, account));
        let help =
            sentence!("{children} of {family}: {before} together as in the snapshot, ratios kept");
        items.push(item(FamilyEdit::Normalise(account), "normalise", help));
    }
    if let Some(level) = tree.parent(node) {
        let name = ui.spelled(label(tree, node));
        let total = grouped(level_sum(tree, level));
        let help = sentence!("Change {name}, and let its siblings absorb it: {total} together");
        items.push(item(FamilyEdit::Trade(node), "trade", help));
    }
    Dialog::menu("Shares of a family; locked ones stay", items, None)
}
