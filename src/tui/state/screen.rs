//! The screens, each with a tab, and what can be in front of them.

use super::OpenPage;
use crate::report::outline::Listing;
use crate::tui::input::action::Action;

/// A screen of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Screen {
    #[default]
    Tree,
    /// The users by rank.
    Ranking,
    /// The users under all policies.
    Policies,
    /// A chart of the time to come beside the tree.
    Time,
}

impl Screen {
    /// Returns which rows it lists.
    pub(crate) const fn listing(self) -> Listing {
        match self {
            Self::Tree | Self::Time => Listing::Tree,
            Self::Ranking => Listing::Ranking,
            Self::Policies => Listing::Users,
        }
    }

    /// Returns the action that goes to it.
    const fn action(self) -> Action {
        match self {
            Self::Tree => Action::TreeScreen,
            Self::Ranking => Action::RankingScreen,
            Self::Policies => Action::PoliciesScreen,
            Self::Time => Action::TimeScreen,
        }
    }
}

/// What is between the title and the bottom line, and takes the keys while no dialog is open.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Front<'a> {
    Nothing,
    Page {
        /// The screen that the page leaves for.
        below: Screen,
        open: &'a OpenPage,
    },
    Screen(Screen),
}

impl Front<'_> {
    /// Returns the action whose tab is open; `None` on a page without a tab, and where nothing is open.
    pub(crate) fn open_tab(self) -> Option<Action> {
        match self {
            Self::Page { open, .. } if !open.is_plan() => None,
            front => front.tab(),
        }
    }

    /// Returns the tab from which the next one is counted: below a page without a tab, that of the screen.
    fn tab(self) -> Option<Action> {
        match self {
            Self::Nothing => None,
            Self::Page { open, .. } if open.is_plan() => Some(Action::PlanScreen),
            Self::Page { below: screen, .. } | Self::Screen(screen) => Some(screen.action()),
        }
    }

    /// Returns the action of the tab so many tabs further; the first follows the last. `None` where nothing is open.
    pub(crate) fn tab_after(self, by: isize) -> Option<Action> {
        let tab = self.tab()?;
        let place = TABS.iter().position(|&(action, _)| action == tab)?;
        let count = TABS.len().cast_signed();
        let wanted = place.cast_signed() + by;
        let next = wanted.rem_euclid(count).cast_unsigned();
        let (action, _) = TABS[next];
        Some(action)
    }
}

/// The tabs from left to right: the action that opens each, and its name.
pub(crate) const TABS: [(Action, &str); 5] = [
    (Action::TreeScreen, "Tree"),
    (Action::RankingScreen, "Ranking"),
    (Action::PoliciesScreen, "Policies"),
    (Action::TimeScreen, "Time"),
    (Action::PlanScreen, "Plan"),
];
