//! The keys suggested on each screen, the most useful first.

use crate::tui::input::action::Action;
use crate::tui::state::{App, Front, OpenPage, Screen};

/// An action, and its short description.
pub(crate) type Hint = (Action, &'static str);

const ON_PAGE: &[Hint] = &[
    (Action::CopyPath, "copy"),
    (Action::Save, "save"),
    (Action::Down, "scroll"),
];

const ON_MANUAL: &[Hint] = &[
    (Action::Toggle, "follow link"),
    (Action::Search, "find"),
    (Action::Manual, "topics"),
    (Action::CopyPath, "copy"),
];

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
    let first = if !page.choices.is_empty() {
        Some((Action::Toggle, "apply it"))
    } else if page.lacks_cluster {
        Some((Action::Toggle, "name the cluster"))
    } else {
        None
    };
    first.into_iter().chain(ON_PAGE.iter().copied()).collect()
}

const ON_TIME: &[Hint] = &[
    (Action::Help, "help"),
    (Action::Toggle, "play"),
    (Action::StepForward, "on"),
    (Action::StepBack, "back"),
    (Action::Rewind, "rewind"),
    (Action::Jump, "go to"),
    (Action::NextQuantity, "what"),
    (Action::Assumptions, "lines"),
    (Action::PaceIdle, "all idle"),
    (Action::PaceSteady, "all steady"),
    (Action::PaceWithout, "this one idle"),
    (Action::PaceRate, "rate"),
    (Action::Campaign, "campaign"),
    (Action::Goal, "goal"),
    (Action::OtherHalfLife, "half-life"),
    (Action::Settings, "decay"),
    (Action::LongerHorizon, "longer"),
    (Action::ShorterHorizon, "shorter"),
    (Action::NextStep, "speed"),
];

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
        Front::Nothing => &[(Action::Help, "help"), (Action::Open, "open")],
        Front::Screen(Screen::Tree) => &[
            (Action::Help, "help"),
            (Action::EditShares, "shares"),
            (Action::Search, "find"),
            (Action::WhatItTakes, "solve"),
            (Action::Undo, "undo"),
            (Action::Save, "save"),
            (Action::NextPolicy, "policy"),
            (Action::Toggle, "fold"),
            (Action::PlanScreen, "plan"),
            (Action::EditUsage, "usage"),
            (Action::Mark, "mark"),
            (Action::Settings, "settings"),
            (Action::SortRows, "sort"),
            (Action::FilterRows, "filter"),
            (Action::LowerSetting, "less, more"),
            (Action::Columns, "columns"),
            (Action::Why, "why"),
            (Action::Curves, "curves"),
            (Action::Open, "open"),
        ],
        Front::Screen(Screen::Ranking) => &[
            (Action::Help, "help"),
            (Action::EditShares, "shares"),
            (Action::Toggle, "in tree"),
            (Action::Search, "find"),
            (Action::WhatItTakes, "solve"),
            (Action::Undo, "undo"),
            (Action::Save, "save"),
            (Action::NextPolicy, "policy"),
            (Action::PlanScreen, "plan"),
            (Action::EditUsage, "usage"),
            (Action::CompareTwo, "compare"),
            (Action::Settings, "settings"),
            (Action::SortRows, "sort"),
            (Action::FilterRows, "filter"),
            (Action::Why, "why"),
        ],
        Front::Screen(Screen::Policies) => &[
            (Action::Help, "help"),
            (Action::NextPolicy, "policy"),
            (Action::Toggle, "in tree"),
            (Action::Search, "find"),
            (Action::EditShares, "shares"),
            (Action::Undo, "undo"),
            (Action::Settings, "settings"),
            (Action::SortRows, "sort"),
            (Action::FilterRows, "filter"),
            (Action::Why, "agreement, why"),
        ],
    };
    hints.to_vec()
}
