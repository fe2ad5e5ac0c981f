//! Navigation in the open tree: rows, folds, search results and the view.

use crate::base::shown::{Shown, sentence, shown_path};
use crate::model::{NodeId, path_of};
use crate::report::lesson::WhyView;
use crate::report::outline::{Listing, Search, Sort};
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::scenario::Scenario;
use crate::tui::input::action::Action;
use crate::tui::state::pane::available;
use crate::tui::state::{Screen, Session, TerminalEffect, Ui};

/// Moves the cursor by so many rows, up if negative.
pub(crate) fn step(session: &mut Session, by: isize) {
    let row = session.pane().cursor.saturating_add_signed(by);
    session.go_to(row);
}

/// Moves the cursor by so many screens, up if negative. One row of each screen stays visible.
pub(crate) fn page(session: &mut Session, by: isize) {
    let height = session.pane().viewport.height;
    let rows = height.max(2) - 1;
    step(session, by * rows.cast_signed());
}

/// Unfolds or folds everything, or says that nothing is left to do.
pub(crate) fn unfold_all(session: &mut Session, ui: &mut Ui, unfolded: bool) {
    if session.pane().outline.is_flat() {
        return say_flat(ui);
    }
    let before = session.pane().outline.rows().len();
    session.change_outline(|outline, scenario| outline.set_all_unfolded(scenario, unfolded));
    let after = session.pane().outline.rows().len();
    if after == before {
        let state = if unfolded { "unfolded" } else { "folded" };
        ui.say(sentence!("everything is {state} already"));
    }
}

/// Sorts by a column, or reverses the order if it sorts by that column already. The cursor goes to the first row of it.
pub(crate) fn sort(session: &mut Session, ui: &mut Ui, sort: Option<Sort>) {
    session.sort_by(sort);
    go_to_first(session);
    ui.say(order_of_rows(session));
}

/// Goes to the first row behind the root, which has no siblings.
fn go_to_first(session: &mut Session) {
    let rows = session.pane().outline.rows();
    let first = rows.iter().position(|&node| node != NodeId::ROOT);
    session.go_to(first.unwrap_or(0));
}

/// Lists the whole tree in the order of a column, the most over-served first if none was chosen, or in its levels again.
pub(crate) fn sort_whole_tree(session: &mut Session, ui: &mut Ui) {
    if session.listing() != Listing::Tree {
        let key = ui.hint(Action::SortRows);
        return ui.say(sentence!("this list has no levels; {key} sorts it"));
    }
    let node = session.selected();
    let is_flat = !session.pane().outline.is_flat();
    let mut sort = session.pane().outline.sort();
    if is_flat && sort.is_none() {
        sort = Some(order_of_whole_tree(&session.scenario));
    }
    session.change_outline(|outline, scenario| outline.set_flat(scenario, is_flat, sort));
    let order = order_of_rows(session);
    if is_flat {
        let key = ui.hint(Action::SortWholeTree);
        go_to_first(session);
        ui.say(sentence!("the whole tree {order}; {key} shows the levels"));
    } else {
        session.select(node);
        ui.say(sentence!("siblings {order}"));
    }
}

/// Returns the order of a whole tree if none was chosen: the most over-served first, where that has a number.
fn order_of_whole_tree(scenario: &Scenario) -> Sort {
    if available(scenario).contains(&ColumnId::Served) {
        let served = RuleColumn::current(ColumnId::Served);
        Sort::by(Some(served))
    } else {
        Sort::by(None)
    }
}

/// Returns the order of the rows, in words.
fn order_of_rows(session: &Session) -> Shown {
    match session.pane().outline.sort() {
        Some(sort) => order_of(sort),
        None => "in the default order".into(),
    }
}

/// Returns what comes first in an order.
fn order_of(sort: Sort) -> Shown {
    let Some(column) = sort.column else {
        let order = if sort.is_falling {
            "from z to a"
        } else {
            "from a to z"
        };
        return sentence!("by name, {order}");
    };
    let first = match (column.column, sort.is_falling) {
        (ColumnId::Served, true) => "most over-served",
        (ColumnId::Served, false) => "most under-served",
        (_, true) => "largest",
        (_, false) => "smallest",
    };
    sentence!("by {}, {first} first", column.heading())
}

/// Reverses the order of the rows. The ranking has one by itself; other lists must be sorted by a column.
pub(crate) fn reverse_sort(session: &mut Session, ui: &mut Ui) {
    let sort = match session.pane().outline.sort() {
        Some(sort) => sort,
        None if session.listing() == Listing::Ranking => Sort::RANK,
        None => {
            let key = ui.hint(Action::SortRows);
            return ui.say(sentence!("not sorted by a column; {key} sorts"));
        }
    };
    let reversed = Some(sort.reversed());
    session.change_outline(|outline, scenario| outline.set_sort(scenario, reversed));
}

/// Scrolls the columns by so many, to the left if negative.
pub(crate) fn scroll_columns(session: &mut Session, by: isize) {
    let offset = &mut session.columns.offset;
    *offset = offset.saturating_add_signed(by);
}

/// Shows the why pane in full, hides it, or shows it again, in this order.
pub(crate) fn next_why(session: &mut Session) {
    session.why = match session.why {
        WhyView::Shown => WhyView::Full,
        WhyView::Full => WhyView::Hidden,
        WhyView::Hidden => WhyView::Shown,
    }
}

/// Scrolls the why pane by so many lines, up if negative.
pub(crate) fn scroll_why(session: &mut Session, by: isize) {
    session.why_offset = session.why_offset.saturating_add_signed(by);
}

/// Folds or unfolds the selected account. On another screen, goes to the node in the tree.
pub(crate) fn toggle(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    if session.listing() != Listing::Tree {
        session.lists.left_account = None;
        return session.show(Screen::Tree);
    }
    if session.pane().outline.is_flat() {
        return sort_whole_tree(session, ui);
    }
    let is_unfolded = session.pane().outline.is_unfolded(node);
    if !session.set_unfolded(node, !is_unfolded) {
        say_leaf(session, ui);
    }
}

/// Says that a list without levels has none to fold.
fn say_flat(ui: &mut Ui) {
    let key = ui.hint(Action::SortWholeTree);
    ui.say(sentence!("this list has no levels; {key} shows them"));
}

/// Says that there is nothing to unfold.
fn say_leaf(session: &Session, ui: &mut Ui) {
    let name = session.label(session.selected());
    ui.say(sentence!("nothing below {name} to unfold"));
}

/// Folds the selected account, or goes to the account above it.
pub(crate) fn go_left(session: &mut Session) {
    let node = session.selected();
    let is_folded = node != NodeId::ROOT && session.set_unfolded(node, false);
    if is_folded || session.listing() != Listing::Tree {
        return;
    }
    if let Some(parent) = session.tree().parent(node) {
        session.select(parent);
    }
}

/// Unfolds the selected account, or goes to the first node below it.
pub(crate) fn go_right(session: &mut Session, ui: &mut Ui) {
    if session.pane().outline.is_flat() {
        return say_flat(ui);
    }
    let node = session.selected();
    let has_children = session.tree().has_children(node);
    if !has_children {
        return say_leaf(session, ui);
    }
    let is_unfolded = session.set_unfolded(node, true);
    if !is_unfolded {
        step(session, 1);
    }
}

/// Goes to another of the nodes that were found, as `step` finds it from the selected one.
pub(crate) fn step_found(
    session: &mut Session,
    ui: &mut Ui,
    step: fn(&Search, NodeId) -> Option<NodeId>,
) {
    let Some(search) = &session.search else {
        let key = ui.hint(Action::Search);
        return ui.say(sentence!("no active search; {key} searches names"));
    };
    match step(search, session.selected()) {
        Some(found) => session.select(found),
        None => ui.say("no match"),
    }
}

/// Copies the path of the selected node to the clipboard.
pub(crate) fn copy_path(session: &mut Session, ui: &mut Ui) {
    let tree = session.tree();
    let node = session.selected();
    let Some(path) = path_of(tree, node) else {
        return ui.fail("this node is too deep to have a path");
    };
    // A line end in a name would end a command where the path is pasted.
    let line = shown_path(&path);
    ui.say(sentence!("copied {line}"));
    ui.queue(TerminalEffect::Copy(line.into()));
}
