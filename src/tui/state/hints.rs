//! The hints of the last line: which keys are named for what is in front, the most useful first.

use super::{App, Front, OpenPage, Screen, Session};
use crate::tui::input::action::Action;

/// An action, and the words that name what it does here.
pub(crate) type Hint = (Action, &'static str);

macro_rules! hints {
    ($($action:ident $words:literal),* $(,)?) => { &[$((Action::$action, $words),)*] };
}

/// The keys that are suggested on a page.
const ON_PAGE: &[Hint] = hints! {
    CopyPath "copy", Save "save", Down "scroll",
};

/// The keys that are suggested in the manual.
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

/// Returns the keys that are suggested on a page, by what there is to choose.
fn on_page(open: &OpenPage) -> Vec<Hint> {
    let Some(page) = &open.page else {
        return Vec::new();
    };
    if page.topic.is_some() {
        return ON_MANUAL.to_vec();
    }
    let mut hints = ON_PAGE.to_vec();
    if !page.jobs.is_empty() {
        hints.splice(
            0..0,
            hints! { Toggle "why", Mark "mark, compare" }
                .iter()
                .copied(),
        );
    } else if !page.choices.is_empty() {
        hints.insert(0, (Action::Toggle, "apply it"));
    } else if page.lacks_cluster {
        hints.insert(0, (Action::Toggle, "name the cluster"));
    }
    hints
}

/// The keys that are suggested on the Time screen.
const ON_TIME: &[Hint] = hints! {
    Help "help", Toggle "play", StepForward "later", StepBack "earlier", ResetClock "reset", GoToDate "date",
    NextQuantity "usage/rank", Assumptions "lines", AssumeIdle "all stop", AssumeSteady "all go on",
    AssumeNodeIdle "only this stops", UsageRate "rate", Campaign "campaign", Goal "goal",
    OtherHalfLife "half-life", Settings "decay", LongerHorizon "longer", ShorterHorizon "shorter",
    NextStep "speed",
};

/// Returns the hints for the page or the screen in front, the most useful first. On the screens of an example they tell
/// early how to open another tree. A lesson takes the blank for its next step, so that other uses of it are not
/// suggested. Recovered edits are offered first, until they are opened.
pub(crate) fn hints(app: &App) -> Vec<Hint> {
    let front = app.front();
    let mut hints = usual(front);
    if let Some(session) = app.session() {
        if session.played_lesson().is_some() {
            remove(&mut hints, Action::Toggle);
        }
        if matches!(front, Front::Screen(Screen::Tree)) {
            fit_to_tree(&mut hints, session);
        }
    }
    if app.ui.offered_draft().is_some() {
        remove(&mut hints, Action::Open);
        hints.insert(0, (Action::Open, "unsaved edits"));
    }
    hints
}

/// Moves the keys that matter most on this tree to the front.
fn fit_to_tree(hints: &mut Vec<Hint>, session: &Session) {
    if session.shows_example() {
        remove(hints, Action::Open);
        hints.insert(1, (Action::Open, "open"));
        // Who has edited something needs the room for other keys.
        if session.has_edits() {
            put_behind_save(hints, Action::NextPolicy);
        } else {
            let columns = place_of(hints, Action::NextColumns);
            hints.insert(columns + 1, (Action::Lessons, "lessons"));
        }
    }
    // What was edited is undone or saved rather than looked for.
    if session.has_edits() {
        put_behind_save(hints, Action::Search);
    }
}

/// Takes away the hint for an action.
fn remove(hints: &mut Vec<Hint>, action: Action) {
    hints.retain(|&(hinted, _)| hinted != action);
}

/// Moves the hint for an action behind that for saving.
fn put_behind_save(hints: &mut Vec<Hint>, action: Action) {
    let hint = hints.remove(place_of(hints, action));
    let save = place_of(hints, Action::Save);
    hints.insert(save + 1, hint);
}

/// Returns the place of the hint for an action, or the last one.
fn place_of(hints: &[Hint], action: Action) -> usize {
    for (place, &(hinted, _)) in hints.iter().enumerate() {
        if hinted == action {
            return place;
        }
    }
    hints.len() - 1
}

/// Returns the keys that are suggested on what is in front of any tree.
fn usual(front: Front<'_>) -> Vec<Hint> {
    let hints: &[Hint] = match front {
        Front::Page { open, .. } => return on_page(open),
        Front::Screen(Screen::Time) => ON_TIME,
        Front::Nothing => hints! { Help "help", Open "open" },
        Front::Screen(Screen::Tree) => hints! {
            Help "help", EditShares "shares", Search "find", NextPolicy "policy",
            NextColumns "columns", Undo "undo", Save "save", Solve "solve", Toggle "fold",
            PlanScreen "plan", EditUsage "usage", Mark "mark", Settings "settings", SortRows "sort",
            FilterRows "filter", LowerSetting "less, more", Why "why", Curves "curves", Open "open",
        },
        Front::Screen(Screen::Ranking) => hints! {
            Help "help", EditShares "shares", Toggle "in tree", Queue "queue", Search "find", Solve "solve",
            Undo "undo", Save "save", NextPolicy "policy", PlanScreen "plan", EditUsage "usage",
            Compare "compare", Settings "settings", SortRows "sort", FilterRows "filter",
            Why "why",
        },
        Front::Screen(Screen::Policies) => hints! {
            Help "help", NextPolicy "policy", Toggle "explain", Search "find", EditShares "shares",
            Undo "undo", Settings "settings", SortRows "sort", FilterRows "filter",
            Why "agreement, why",
        },
    };
    hints.to_vec()
}
