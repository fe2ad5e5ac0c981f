//! Navigation in the open tree: rows, folds, search results and the view.

use crate::base::shown::{sentence, shown_path};
use crate::model::{NodeId, path_of};
use crate::report::label;
use crate::report::lesson::WhyView;
use crate::report::outline::{Listing, Search, Sort};
use crate::tui::input::action::Action;
use crate::tui::state::{Screen, Session, TerminalEffect, Ui};

pub(crate) fn step(session: &mut Session, by: isize) {
    session.go_to(session.pane().cursor.saturating_add_signed(by));
}

pub(crate) fn page(session: &mut Session, by: isize) {
    let page = session.pane().viewport.height.max(2) - 1;
    step(session, by * page.cast_signed());
}

pub(crate) fn unfold_all(session: &mut Session, ui: &mut Ui, unfolded: bool) {
    let rows = session.pane().outline.rows().len();
    session.change_outline(|outline, scenario| outline.set_all_unfolded(scenario, unfolded));
    if session.pane().outline.rows().len() == rows {
        let state = if unfolded { "unfolded" } else { "folded" };
        ui.say(sentence!("everything is {state} already"));
    }
}

pub(crate) fn reverse_sort(session: &mut Session, ui: &mut Ui) {
    let sort = session.pane().outline.sort();
    let sort = sort.or_else(|| (session.listing() == Listing::Ranking).then_some(Sort::RANK));
    if let Some(sort) = sort {
        let reversed = Some(sort.reversed());
        session.change_outline(|outline, scenario| outline.set_sort(scenario, reversed));
    } else {
        let key = ui.hint(Action::SortRows);
        ui.say(sentence!("not sorted by a column; {key} sorts"));
    }
}

pub(crate) fn scroll_columns(session: &mut Session, by: isize) {
    session.columns.offset = session.columns.offset.saturating_add_signed(by);
}

pub(crate) fn next_why(session: &mut Session) {
    session.why = match session.why {
        WhyView::Shown => WhyView::Full,
        WhyView::Full => WhyView::Hidden,
        WhyView::Hidden => WhyView::Shown,
    }
}

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
    let is_unfolded = session.pane().outline.is_unfolded(node);
    if !session.set_unfolded(node, !is_unfolded) {
        say_leaf(session, ui);
    }
}

fn say_leaf(session: &Session, ui: &mut Ui) {
    let name = label(session.scenario.tree(), session.selected());
    ui.say(sentence!("nothing below {name} to unfold"));
}

pub(crate) fn go_left(session: &mut Session) {
    let node = session.selected();
    let is_folded = node != NodeId::ROOT && session.set_unfolded(node, false);
    if !is_folded
        && session.listing() == Listing::Tree
        && let Some(parent) = session.scenario.tree().parent(node)
    {
        session.select(parent);
    }
}

pub(crate) fn go_right(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    let has_children = session.scenario.tree().has_children(node);
    if !has_children {
        say_leaf(session, ui);
    } else if !session.set_unfolded(node, true) {
        let row = session.pane().cursor + 1;
        session.go_to(row);
    }
}

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

pub(crate) fn copy_path(session: &mut Session, ui: &mut Ui) {
    let Some(path) = path_of(session.scenario.tree(), session.selected()) else {
        return ui.fail("this node is too deep to have a path");
    };
    // A line end in a name would end a command where the path is pasted.
    let path = shown_path(&path);
    ui.say(sentence!("copied {path}"));
    ui.queue(TerminalEffect::Copy(path.into()));
}
