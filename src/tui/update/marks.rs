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

/// Marks the selected node or takes its mark away, and goes to the next row.
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
    let mut paths = Vec::new();
    for node in session.marks.nodes(tree) {
        paths.extend(path_of(tree, node));
    }
    ui.say(match paths.len() {
        0 => "no marks are kept for this source".into(),
        count => sentence!("kept for this source: {}", counted(count, "mark", "marks")),
    });
    ui.queue(Memory::KeepWords(Kept::Marks, source, paths));
}

impl App {
    /// Marks nodes or shows columns, as they were kept for a source.
    pub(crate) fn recall(&mut self, kept: Kept, source: &Path, words: &[Vec<u8>]) {
        for session in &mut self.sessions {
            let kept_under = kept_source(&self.ui, session.request());
            if kept_under.as_deref() != Some(source) {
                continue;
            }
            match kept {
                Kept::Marks => mark_paths(session, words),
                Kept::Columns => {
                    columns::recall(session, words);
                    session.tell_blank_cells();
                }
            }
        }
    }
}

/// Marks the nodes of these paths, as far as the tree has them.
fn mark_paths(session: &mut Session, paths: &[Vec<u8>]) {
    let tree = session.scenario.tree();
    for path in paths {
        if let Ok(node) = resolve(tree, path) {
            session.marks.set(node, true);
        }
    }
}

/// Marks or unmarks what was chosen in the menu of marks.
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
    for node in nodes {
        let was_marked = marking == MarkScope::Others && before.contains(node);
        if node != NodeId::ROOT {
            session.marks.set(node, !was_marked);
        }
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
    if nodes.is_empty() {
        return ui.fail("the root has no shares to lock; choose a node below it");
    }
    let is_locked = !nodes.iter().all(|&node| session.locks.contains(node));
    for &node in &nodes {
        session.locks.set(node, is_locked);
    }
    let nodes = names(session.scenario.tree(), &nodes);
    let key = ui.hint(Action::Family);
    ui.say(if is_locked {
        sentence!("locked the shares of {nodes}: family edits ({key}) leave them alone")
    } else {
        sentence!("unlocked the shares of {nodes}")
    });
}

/// Returns the menu of what can be marked at once.
pub(crate) fn menu(session: &Session, ui: &Ui) -> Dialog {
    let tree = session.scenario.tree();
    let parent = session.selected_account();
    let account = ui.spelled(label(tree, parent));
    let children = counted(known_children(tree, parent).count(), "node", "nodes");
    let rows = counted(session.pane().outline.rows().len(), "row", "rows");
    let marks = counted(session.marked_count(), "mark", "marks");
    let items = [
        Item::new(
            Choice::Mark(MarkScope::Children),
            "children",
            sentence!("Members directly below {account}: {children}"),
        ),
        Item::new(
            Choice::Mark(MarkScope::Rows),
            "rows",
            sentence!("Every row shown, as filtered and folded: {rows}"),
        ),
        Item::new(
            Choice::Mark(MarkScope::Others),
            "others",
            "Invert: only rows that are not marked now",
        ),
        Item::new(
            Choice::Mark(MarkScope::Kept),
            "watch",
            "Keep these marks: this source has them again when it is opened",
        ),
        Item::new(
            Choice::Mark(MarkScope::Nothing),
            "clear",
            sentence!("Clear all marks: {marks}"),
        ),
    ];
    Dialog::menu("Mark", items, None)
}

impl FamilyEdit {
    /// Returns the edit that a typed amount makes of it, or `None` if nothing would change.
    pub(crate) fn typed(self, session: &Session, amount: Amount) -> Result<Option<Edit>, Shown> {
        let tree = session.scenario.tree();
        let kept = session.locks.nodes(tree);
        let made = match self {
            Self::Scale(account) => {
                let total = counted_out(amount, tree, account)?;
                holders(session, account, &kept).scale(total)
            }
            Self::SplitTotal(account) => {
                let total = counted_out(amount, tree, account)?;
                holders(session, account, &kept).split(Some(total))
            }
            Self::Split(account) => holders(session, account, &kept).split(None),
            Self::Normalise(account) => {
                let before = &session.scenario.base().tree;
                let total = level_sum(before, account);
                holders(session, account, &kept).scale(total)
            }
            Self::Trade(node) => {
                let count = traded(amount, tree, node)?;
                let settings = session.scenario.settings();
                trade(tree, settings, node, count, &kept)
            }
        };
        match made {
            Ok(Edit::Batch(edits)) if edits.is_empty() => Ok(None),
            Ok(edit) => Ok(Some(edit)),
            Err(error) => Err(Shown::error(&error)),
        }
    }
}

/// Returns the shares of a node that trades with its siblings. The level keeps its sum, so a percentage is relative to that
/// sum.
fn traded(amount: Amount, tree: &Tree, node: NodeId) -> Result<i64, Shown> {
    match (amount, tree.parent(node)) {
        (Amount::PercentOfLevel(_), Some(account)) => counted_out(amount, tree, account),
        _ => whole(amount, tree, node),
    }
}

/// Returns the sum of the shares of an account's children after an amount is applied to it.
fn counted_out(amount: Amount, tree: &Tree, account: NodeId) -> Result<i64, Shown> {
    let now = level_sum(tree, account) as f64;
    let total = match amount {
        Amount::More(more) => Amount::Exactly(now + more),
        Amount::Times(times) => Amount::Exactly(now * times),
        Amount::MorePercent(percent) => Amount::Exactly(now + now * percent / 100.0),
        Amount::PercentOfLevel(percent) => Amount::Exactly(now * percent / 100.0),
        amount => amount,
    };
    whole(total, tree, account)
}

/// Returns the shares of a node after an amount is applied to them.
fn whole(amount: Amount, tree: &Tree, node: NodeId) -> Result<i64, Shown> {
    let shares = match amount.shares(tree, node) {
        Ok(shares) => shares,
        Err(error) => return Err(Shown::error(&error)),
    };
    match shares.count() {
        Some(count) => Ok(count),
        None => Err("parent is not a number of shares; expected one such as 100 or *2".into()),
    }
}

/// Makes an edit of a family, or asks for its amount first.
pub(crate) fn edit_family(session: &mut Session, ui: &mut Ui, edit: FamilyEdit) {
    let tree = session.scenario.tree();
    let text = match edit {
        FamilyEdit::Scale(account) | FamilyEdit::SplitTotal(account) => {
            level_sum(tree, account).to_string()
        }
        FamilyEdit::Trade(node) => tree.shares(node).to_string(),
        FamilyEdit::Normalise(_) => return apply_to_family(session, ui, edit, None),
        FamilyEdit::Split(account) => {
            let uneven = uneven_split(session, account);
            return apply_to_family(session, ui, edit, uneven);
        }
    };
    ui.prompt(EditPurpose::Family(edit), text);
}

/// Makes an edit of a family that needs no amount, and says these words of it, if there are any.
fn apply_to_family(session: &mut Session, ui: &mut Ui, edit: FamilyEdit, words: Option<Shown>) {
    let edit = match edit.typed(session, Amount::More(0.0)) {
        Ok(Some(edit)) => edit,
        Ok(None) => return ui.say("nothing changes: they already have these shares"),
        Err(error) => return ui.fail(error),
    };
    match words {
        Some(words) => apply_told(session, ui, edit, &words),
        None => apply(session, ui, edit),
    };
}

/// Returns the children of an account that have shares; those of `kept` nodes stay as they are.
fn holders<'a>(session: &'a Session, account: NodeId, kept: &[NodeId]) -> ShareHolders<'a> {
    let tree = session.scenario.tree();
    let settings = session.scenario.settings();
    ShareHolders::of(tree, settings, account, kept)
}

/// Returns how the shares of an account cannot be split equally; `None` if they can.
fn uneven_split(session: &Session, account: NodeId) -> Option<Shown> {
    let kept = session.locks.nodes(session.scenario.tree());
    holders(session, account, &kept).uneven(None)
}

/// Returns the menu of edits of the selected node's family.
pub(crate) fn family_menu(session: &Session, ui: &Ui) -> Dialog {
    let tree = session.scenario.tree();
    let account = session.selected_account();
    let family = ui.spelled(label(tree, account));
    let children = counted(known_children(tree, account).count(), "child", "children");
    let total = grouped(level_sum(tree, account));
    let split = match uneven_split(session, account) {
        Some(uneven) => sentence!("{children} of {family}: {uneven}"),
        None => sentence!("{children} of {family}: the same for each, {total} together"),
    };
    let mut items = vec![
        Item::new(
            Choice::Family(FamilyEdit::Scale(account)),
            "scale to",
            sentence!("{children} of {family}, now {total} shares: another sum, ratios kept"),
        ),
        Item::new(
            Choice::Family(FamilyEdit::Split(account)),
            "split equally",
            split,
        ),
        Item::new(
            Choice::Family(FamilyEdit::SplitTotal(account)),
            "split a sum",
            sentence!("{children} of {family}: the same for each, of another sum"),
        ),
    ];
    if !session.scenario.is_new(account) {
        let before = grouped(level_sum(&session.scenario.base().tree, account));
        items.push(Item::new(
            Choice::Family(FamilyEdit::Normalise(account)),
            "normalise",
            sentence!("{children} of {family}: {before} together as in the source, ratios kept"),
        ));
    }
    let node = session.selected();
    if let Some(level) = tree.parent(node) {
        let name = ui.spelled(label(tree, node));
        let total = grouped(level_sum(tree, level));
        items.push(Item::new(
            Choice::Family(FamilyEdit::Trade(node)),
            "trade",
            sentence!("Change {name}, and let its siblings absorb it: {total} together"),
        ));
    }
    Dialog::menu("Shares of a family; locked ones stay", items, None)
}
