//! The screens, each with a tab.

use crate::report::outline::View;
use crate::tui::input::action::Action;
use crate::tui::state::open_page::Open;
use crate::tui::state::session::Session;

/// The screens in the order of their tabs.
pub(crate) const SCREENS: [(Action, &str); 5] = [
    (Action::TreeScreen, "Tree"),
    (Action::RankingScreen, "Ranking"),
    (Action::PoliciesScreen, "Policies"),
    (Action::TimeScreen, "Time"),
    (Action::PlanScreen, "Plan"),
];

/// The screen that is open, or that lies below a page without a tab.
pub(crate) fn screen(session: &Session, page: Option<&Open>) -> Action {
    match session.view {
        _ if page.is_some_and(Open::is_plan) => Action::PlanScreen,
        _ if session.time.is_open() => Action::TimeScreen,
        View::Tree => Action::TreeScreen,
        View::Ranking => Action::RankingScreen,
        View::Users => Action::PoliciesScreen,
    }
}

/// The screen whose tab is the open one; none on a page without a tab.
pub(crate) fn open_screen(session: &Session, page: Option<&Open>) -> Option<Action> {
    let has_tab = page.is_none_or(Open::is_plan);
    has_tab.then(|| screen(session, page))
}
