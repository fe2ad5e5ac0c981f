//! Walking through the open tree: rows, folds, what was searched for, and how all that is shown.

use crate::model::{NodeId, Tree, path_of};
use crate::report::outline::{Search, Sort, View};
use crate::tui::input::action::Action;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::pane::Why;
use crate::tui::state::session::Session;

impl App {
    /// Actions that only move within the open tree or change how it is shown.
    pub(crate) fn move_about(&mut self, action: Action) {
        let Some(session) = self.session_mut() else {
            return;
        };
        let (cursor, page) = (
            session.pane().cursor,
            session.pane().viewport.height.max(2) - 1,
        );
        let last = session.pane().outline.rows().len().saturating_sub(1);
        match action {
            Action::Down => session.go_to(cursor + 1),
            Action::Up => session.go_to(cursor.saturating_sub(1)),
            Action::PageDown => session.go_to(cursor + page),
            Action::PageUp => session.go_to(cursor.saturating_sub(page)),
            Action::First => session.go_to(0),
            Action::Last => session.go_to(last),
            Action::Toggle => toggle(session),
            Action::Left => go_left(session),
            Action::Right => go_right(session),
            Action::UnfoldAll => {
                session
                    .change_outline(|outline, scenario| outline.set_all_unfolded(scenario, true));
            }
            Action::FoldAll => session
                .change_outline(|outline, scenario| outline.set_all_unfolded(scenario, false)),
            Action::TreeScreen => session.show(View::Tree),
            Action::RankingScreen => session.show(View::Ranking),
            Action::PoliciesScreen => session.show(View::Users),
            Action::ReverseSort => {
                let sort = session
                    .pane()
                    .outline
                    .sort()
                    .or_else(|| (session.view == View::Ranking).then_some(Sort::RANK));
                if let Some(sort) = sort {
                    let reversed = Some(sort.reversed());
                    session
                        .change_outline(|outline, scenario| outline.set_sort(scenario, reversed));
                }
            }
            Action::ColumnsLeft => session.column_offset = session.column_offset.saturating_sub(1),
            Action::ColumnsRight => session.column_offset += 1,
            Action::Why => {
                session.why = match session.why {
                    Why::Shown => Why::Zoomed,
                    Why::Zoomed => Why::Hidden,
                    Why::Hidden => Why::Shown,
                }
            }
            Action::WhyDown => session.why_offset += 1,
            Action::WhyUp => session.why_offset = session.why_offset.saturating_sub(1),
            _ => {}
        }
    }

    pub(crate) fn step_found(&mut self, step: fn(&Search, &Tree, NodeId) -> Option<NodeId>) {
        let Some(session) = self.session_mut() else {
            return;
        };
        let Some(search) = &session.search else {
            let key = self.ui.hint(Action::Search);
            return self
                .ui
                .say(format!("nothing is searched for; {key} finds a name"));
        };
        match step(search, session.scenario.tree(), session.selected()) {
            Some(found) => {
                session.select(found);
            }
            None => self.ui.say("nothing found"),
        }
    }

    pub(crate) fn copy_path(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let Some(path) = path_of(session.scenario.tree(), session.selected()) else {
            return self.ui.fail("this node lies too deep to have a path");
        };
        self.ui.say(format!(
            "copied {}",
            crate::base::shown::shown(path.as_bytes())
        ));
        self.ui.want(Effect::Copy(path));
    }
}

fn toggle(session: &mut Session) {
    let node = session.selected();
    if session.view != View::Tree {
        session.show(View::Tree);
        return;
    }
    let is_unfolded = session.pane().outline.is_unfolded(node);
    session.set_unfolded(node, !is_unfolded);
}

fn go_left(session: &mut Session) {
    let node = session.selected();
    let folded =
        node != NodeId::ROOT && session.view == View::Tree && session.set_unfolded(node, false);
    if !folded
        && session.view == View::Tree
        && let Some(parent) = session.scenario.tree().parent(node)
    {
        session.select(parent);
    }
}

fn go_right(session: &mut Session) {
    let node = session.selected();
    let has_children = session.scenario.tree().has_children(node);
    if session.view == View::Tree && has_children && !session.set_unfolded(node, true) {
        let row = session.pane().cursor + 1;
        session.go_to(row);
    }
}
