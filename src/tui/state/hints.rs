//! The hints of the last line: which keys are named for what is in front, the most useful first.

use crate::tui::input::action::Action;
use crate::tui::state::{App, Front, OpenPage, Screen, Session};

/// An action, and the words that name what it does here.
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
    Help "help", Toggle "play", StepForward "on", StepBack "back", ResetClock "rewind", GoToDate "go to",
    NextQuantity "what", Assumptions "lines", AssumeIdle "all idle", AssumeSteady "all steady",
    AssumeNodeIdle "this one idle", UsageRate "rate", Campaign "campaign", Goal "goal",
    OtherHalfLife "half-life", Settings "decay", LongerHorizon "longer", ShorterHorizon "shorter",
    NextStep "speed",
};

/// Returns the hints for the page or the screen in front, the most useful first. On the screens of an example they tell
/// early how to open another tree. A lesson takes the blank for its next step, so that other uses of it are not
/// suggested. Recovered edits are offered first, until they are opened.
pub(crate) fn hints(app: &App) -> Vec<Hint> {
    let front = app.front();
    let mut hints = usual(front);
    let session = app.session();
    if session.is_some_and(|session| session.played_lesson().is_some()) {
        hints.retain(|&(action, _)| action != Action::Toggle);
    } else if let Some(session) = session.filter(|session| session.shows_example())
        && matches!(front, Front::Screen(Screen::Tree))
    {
        hints.retain(|&(action, _)| action != Action::Open);
        hints.insert(1, (Action::Open, "open"));
        // Who has edited something needs the room for other keys.
        if session.has_edits() {
            let policy = hints.remove(place_of(&hints, Action::NextPolicy));
            let save = place_of(&hints, Action::Save);
            hints.insert(save + 1, policy);
        } else {
            let columns = place_of(&hints, Action::NextColumns);
            hints.insert(columns + 1, (Action::Lessons, "lessons"));
        }
    }
    if session.is_some_and(Session::has_edits) && matches!(front, Front::Screen(Screen::Tree)) {
        // What was edited is undone or saved rather than looked for.
        let find = hints.remove(place_of(&hints, Action::Search));
        let save = place_of(&hints, Action::Save);
        hints.insert(save + 1, find);
    }
    if app.ui.draft.is_some() {
        hints.retain(|&(action, _)| action != Action::Open);
        hints.insert(0, (Action::Open, "recovered edits"));
    }
    hints
}

/// Returns the place of the hint for an action, or the last one.
fn place_of(hints: &[Hint], action: Action) -> usize {
    let place = hints.iter().position(|&(hinted, _)| hinted == action);
    place.unwrap_or(hints.len() - 1)
}

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
