//! The keys suggested on each screen, the most useful first.

use crate::tui::input::action::Action;
use crate::tui::state::{App, Front, OpenPage, Screen};

pub(crate) type Hint = (Action, &'static str);

macro_rules! hints {
    ($($action:ident $words:literal),* $(,)?) => { &[$((Action::$action, $words),)*] };
}

const ON_PAGE: &[Hint] = hints! {
    CopyPath "copy", Save "save", Down "scroll",
};

const ON_MANUAL: &[Hint] = hints! {
    Toggle "follow link", Search "find", Manual "topics", CopyPath "copy",
};

/// Returns the hints at the end of every last line: the way to everything, and the way out.
pub(crate) fn ends(front: Front<'_>) -> [Hint; 2] {
    let out = match front {
        Front::Page { .. } => "back",
        Front::Screen(_) | Front::Nothing => "quit",
    };
    [(Action::Palette, "actions"), (Action::Quit, out)]
}

fn on_page(open: &OpenPage) -> Vec<Hint> {
    let Some(page) = &open.page else {
        return Vec::new();
    };
    if page.topic.is_some() {
        return ON_MANUAL.to_vec();
    }
    let first = match (&page.choices[..], page.lacks_cluster) {
        ([], false) => None,
        ([], true) => Some((Action::Toggle, "name the cluster")),
        _ => Some((Action::Toggle, "apply it")),
    };
    first.into_iter().chain(ON_PAGE.iter().copied()).collect()
}

const ON_TIME: &[Hint] = hints! {
    Help "help", Toggle "play", StepForward "on", StepBack "back", Rewind "rewind", Jump "go to",
    NextQuantity "what", Assumptions "lines", PaceIdle "all idle", PaceSteady "all steady",
    PaceWithout "this one idle", PaceRate "rate", Campaign "campaign", Goal "goal",
    OtherHalfLife "half-life", Settings "decay", LongerHorizon "longer", ShorterHorizon "shorter",
    NextStep "speed",
};

/// Returns the hints for the page or the screen in front, the most useful first. On the screens of an example they tell
/// early how to open another tree. A lesson takes the blank for its next step, so that other uses of it are not
/// suggested.
pub(crate) fn hints(app: &App) -> Vec<Hint> {
    let front = app.front();
    let mut hints = usual(front);
    let Some(session) = app.session() else {
        return hints;
    };
    if session.played_lesson().is_some() {
        hints.retain(|&(action, _)| action != Action::Toggle);
    } else if session.shows_example() && matches!(front, Front::Screen(Screen::Tree)) {
        hints.retain(|&(action, _)| action != Action::Open);
        hints.insert(1, (Action::Open, "open"));
        // Who has edited something needs the room for other keys.
        if !session.has_edits() {
            hints.insert(2, (Action::Lessons, "lessons"));
        }
    }
    hints
}

fn usual(front: Front<'_>) -> Vec<Hint> {
    let hints: &[Hint] = match front {
        Front::Page { open, .. } => return on_page(open),
        Front::Screen(Screen::Time) => ON_TIME,
        Front::Nothing => hints! { Help "help", Open "open" },
        Front::Screen(Screen::Tree) => hints! {
            Help "help", EditShares "shares", Search "find", WhatItTakes "solve", Undo "undo",
            Save "save", NextPolicy "policy", Toggle "fold", PlanScreen "plan", EditUsage "usage",
            Mark "mark", Settings "settings", SortRows "sort", FilterRows "filter",
            LowerSetting "less, more", Columns "columns", Why "why", Curves "curves", Open "open",
        },
        Front::Screen(Screen::Ranking) => hints! {
            Help "help", EditShares "shares", Toggle "in tree", Queue "queue", Search "find", WhatItTakes "solve",
            Undo "undo", Save "save", NextPolicy "policy", PlanScreen "plan", EditUsage "usage",
            CompareTwo "compare", Settings "settings", SortRows "sort", FilterRows "filter",
            Why "why",
        },
        Front::Screen(Screen::Policies) => hints! {
            Help "help", NextPolicy "policy", Toggle "in tree", Search "find", EditShares "shares",
            Undo "undo", Settings "settings", SortRows "sort", FilterRows "filter",
            Why "agreement, why",
        },
    };
    hints.to_vec()
}
