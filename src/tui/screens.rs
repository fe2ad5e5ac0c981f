//! The screens, each with a tab: where one is, and the next one.

use super::page::Open;
use super::session::Session;
use super::{Action, App, Effect};
use crate::report::outline::View;

/// The screens in the order of their tabs.
pub(super) const SCREENS: [(Action, &str); 5] = [
    (Action::TreeScreen, "Tree"),
    (Action::RankingScreen, "Ranking"),
    (Action::PoliciesScreen, "Policies"),
    (Action::TimeScreen, "Time"),
    (Action::PlanScreen, "Plan"),
];

/// The screen that is open, or that lies below a page without a tab.
fn screen(session: &Session, page: Option<&Open>) -> Action {
    match session.view {
        _ if page.is_some_and(Open::is_plan) => Action::PlanScreen,
        _ if session.time.is_open() => Action::TimeScreen,
        View::Tree => Action::TreeScreen,
        View::Ranking => Action::RankingScreen,
        View::Users => Action::PoliciesScreen,
    }
}

/// The screen whose tab is the open one; none on a page without a tab.
pub(super) fn open_screen(session: &Session, page: Option<&Open>) -> Option<Action> {
    let has_tab = page.is_none_or(Open::is_plan);
    has_tab.then(|| screen(session, page))
}

impl App {
    /// Goes to a screen, from a page as well.
    pub(super) fn go_to_screen(&mut self, screen: Action) -> Vec<Effect> {
        self.page = None;
        self.act(screen)
    }

    /// Goes to the screen of the next tab; after the last comes the first.
    pub(super) fn next_screen(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let now = screen(session, self.page.as_ref());
        let place = SCREENS.iter().position(|&(screen, _)| screen == now);
        let next = place.map_or(0, |place| (place + 1) % SCREENS.len());
        self.go_to_screen(SCREENS[next].0)
    }
}
