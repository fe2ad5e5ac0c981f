//! Leaving and suspending: `^C` and `^Z` mean the same in every dialog, menu, prompt and page.

use super::other_scenarios::opened_on;
use crate::support::associations::drawn;
use crate::support::journey::Journey;
use crate::support::trees::SEED;
use fairscope::format::{Example, Request};
use fairscope::tui::{
    Action, AnswerPurpose, Confirm, Dialog, EditPurpose, Effect, Message, Options, Purpose,
    TerminalEffect, Work,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

macro_rules! kinds {
    ($($pattern:pat => $name:literal,)*) => {
        /// Every kind of dialog. A new one does not compile until it is listed here, and then must be reached.
        const KINDS: &[&str] = &[$($name,)*];

        fn kind(dialog: &Dialog) -> &'static str {
            match dialog { $($pattern => $name,)* }
        }
    };
}

macro_rules! prompt {
    ($purpose:pat) => {
        Dialog::Prompt(fairscope::tui::Prompt {
            purpose: $purpose,
            ..
        })
    };
}

kinds! {
    prompt!(Purpose::Edit(EditPurpose::Shares(Some(_)))) => "shares",
    prompt!(Purpose::Edit(EditPurpose::Usage(Some(_)))) => "usage",
    prompt!(Purpose::Edit(EditPurpose::Shares(None))) => "marked shares",
    prompt!(Purpose::Edit(EditPurpose::Usage(None))) => "marked usage",
    prompt!(Purpose::Edit(EditPurpose::Add(_))) => "add",
    prompt!(Purpose::Edit(EditPurpose::Rename(_))) => "rename",
    prompt!(Purpose::Edit(EditPurpose::MoveTo(_))) => "move",
    prompt!(Purpose::Edit(EditPurpose::Family(_))) => "family",
    prompt!(Purpose::Edit(EditPurpose::Line)) => "edit",
    prompt!(Purpose::Edit(EditPurpose::Setting(..))) => "setting",
    prompt!(Purpose::Answer(AnswerPurpose::Search)) => "search",
    prompt!(Purpose::Answer(AnswerPurpose::SearchPage)) => "search page",
    prompt!(Purpose::Answer(AnswerPurpose::Save)) => "save",
    prompt!(Purpose::Answer(AnswerPurpose::NewScenario)) => "new scenario",
    prompt!(Purpose::Answer(AnswerPurpose::RenameScenario)) => "rename scenario",
    prompt!(Purpose::Answer(AnswerPurpose::Reason)) => "reason",
    prompt!(Purpose::Answer(AnswerPurpose::Open)) => "open",
    prompt!(Purpose::Answer(AnswerPurpose::Goal(_))) => "goal",
    prompt!(Purpose::Answer(AnswerPurpose::TimeGoal)) => "time goal",
    prompt!(Purpose::Answer(AnswerPurpose::Jump)) => "jump",
    prompt!(Purpose::Answer(AnswerPurpose::OtherHalfLife)) => "half-life",
    prompt!(Purpose::Answer(AnswerPurpose::DiffWith)) => "diff",
    prompt!(Purpose::Answer(AnswerPurpose::Machine)) => "machine",
    prompt!(Purpose::Answer(AnswerPurpose::SavePage)) => "save page",
    prompt!(Purpose::Answer(AnswerPurpose::SaveScreen)) => "save screen",
    prompt!(Purpose::Answer(AnswerPurpose::Cluster)) => "cluster",
    Dialog::Menu(_) => "menu",
    Dialog::Confirm(Confirm::Quit) => "confirm quit",
    Dialog::Confirm(Confirm::Replace { .. }) => "confirm replace",
    Dialog::Confirm(Confirm::Changed { .. }) => "confirm changed",
    Dialog::Confirm(Confirm::Unread { .. }) => "confirm unread",
    Dialog::Confirm(Confirm::RemoveScenario) => "confirm remove scenario",
    Dialog::Confirm(Confirm::RemoveNodes(_)) => "confirm remove nodes",
    Dialog::Help { .. } => "help",
    Dialog::Curves => "curves",
    Dialog::Surface => "surface",
    Dialog::History { .. } => "history",
}

/// How a place is reached: a way to start, then keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Nothing,
    Seed,
    Plan,
    SlurmPlan,
    FileExists,
    FileChanged,
    UnreadFile,
}

impl Start {
    /// Presses the keys and answers all questions, as their threads would.
    pub(super) fn with(self, keys: &str) -> Journey {
        let mut folder = None;
        let mut journey = match self {
            Self::Nothing => Journey::empty(Options::default()),
            Self::Seed => Journey::on(SEED),
            Self::Plan => {
                let mut journey = Journey::on(SEED).keys("j+ 5");
                journey.answer();
                journey
            }
            Self::SlurmPlan => {
                let tree = drawn("physics/ 1\n  alice 1 | 5\n  bob 1 | 5");
                let mut journey = Journey::with(tree).keys("gj e7<enter> 5");
                journey.answer();
                journey
            }
            Self::FileExists | Self::FileChanged => {
                let mut journey = Journey::on(SEED);
                let (path, contents) = ("x.toml".into(), "text".to_owned());
                journey.send(Message::Ask(if self == Self::FileExists {
                    Confirm::Replace(path, contents)
                } else {
                    Confirm::Changed(path, contents)
                }));
                journey
            }
            Self::UnreadFile => {
                let edits = "colour = \"red\"\n[[edit]]\ndo = \"shares ann=21\"\n";
                let (journey, kept) = opened_on("parent,name,shares,usage\n,ann,20,500\n", edits);
                folder = Some(kept);
                journey
            }
        }
        .size(80, 24);
        journey.press(keys);
        journey.answer();
        journey.effects.clear();
        drop(folder);
        journey
    }
}

/// Returns a key of each action, as journeys write it.
fn action_keys() -> Vec<String> {
    let text = include_str!("../../assets/keymap.toml");
    let table: BTreeMap<String, Vec<String>> = toml::from_str(text).unwrap();
    let keys = table.into_values().map(|keys| {
        let named = ["esc", "tab", "shift-tab", "enter", "f1", "f2"];
        let is_known = |key: &&String| {
            let is_short = key.split(' ').all(|key| key.chars().count() == 1);
            is_short || key.starts_with("ctrl-") || named.contains(&key.as_str())
        };
        let key = keys.iter().find(is_known);
        match key.expect("a journey can press every action").as_str() {
            "<" => "<lt>".to_owned(),
            key if key.chars().count() == 1 || key.contains(' ') => key.to_owned(),
            key => format!("<{key}>"),
        }
    });
    let keys: Vec<_> = keys.collect();
    assert_eq!(keys.len(), Action::ALL.len());
    keys
}

/// Finds a place for each kind of dialog, and one for each menu by its heading.
pub(super) fn places() -> HashMap<String, (Start, String)> {
    let mut places = HashMap::new();
    let mut visit = |start: Start, keys: String| {
        let journey = start.with(&keys);
        let Some(dialog) = journey.app.dialog() else {
            return 0;
        };
        let (name, lines) = match dialog {
            Dialog::Menu(menu) if ["Actions", "Manual"].contains(&menu.title) => {
                (menu.title.to_owned(), 0)
            }
            Dialog::Menu(menu) => (menu.title.to_owned(), menu.items.len()),
            dialog => (kind(dialog).to_owned(), 0),
        };
        let is_new = !places.contains_key(&name);
        places.entry(name).or_insert((start, keys));
        if is_new { lines } else { 0 }
    };
    // Two scenarios and marks, for the keys that they change.
    for key in ["cs", "e", "E", "D"] {
        let keys = format!("j+ V<ctrl-u>b<enter> + jmjm {key}");
        for line in 0..visit(Start::Seed, keys.clone()) {
            visit(
                Start::Seed,
                format!("{keys}<home>{}<enter>", "<down>".repeat(line)),
            );
        }
    }
    // One edit, without and with a page: every key, and every line of every menu.
    for (start, keys) in [(Start::Seed, "j+"), (Start::Plan, "")] {
        for key in action_keys() {
            let keys = format!("{keys}{key}");
            for line in 0..visit(start, keys.clone()) {
                visit(
                    start,
                    format!("{keys}<home>{}<enter>", "<down>".repeat(line)),
                );
            }
        }
    }
    visit(Start::SlurmPlan, "w".to_owned());
    visit(Start::FileExists, String::new());
    visit(Start::FileChanged, String::new());
    visit(Start::UnreadFile, "j+w<enter>".to_owned());
    places
}

/// Returns how many edits are applied.
fn edits(journey: &Journey) -> usize {
    let session = journey.app.session();
    session.map_or(0, |session| session.scenario.history().edits().len())
}

fn kind_of(journey: &Journey) -> Option<&'static str> {
    journey.app.dialog().map(kind)
}

#[test]
fn interrupt_leaves_every_dialog_as_escape_does_and_suspend_keeps_it() {
    let places = places();
    let mut kinds = BTreeSet::new();
    for (name, (start, keys)) in &places {
        let before = start.with(keys);
        kinds.extend(kind_of(&before));
        let is_prompt = matches!(before.app.dialog(), Some(Dialog::Prompt(_)));
        // What is typed must not be applied.
        let keys = format!("{keys}{}", if is_prompt { "7" } else { "" });
        let leave = |key: &str| {
            let mut journey = start.with(&keys);
            journey.press(key);
            journey
        };
        let (mut escaped, mut interrupted) = (leave("<esc>"), leave("<ctrl-c>"));
        assert!(interrupted.app.dialog().is_none(), "{name} stays");
        assert_eq!(interrupted.screen(), escaped.screen(), "{name}");
        assert_eq!(interrupted.effects, escaped.effects, "{name}");
        assert_eq!(edits(&interrupted), edits(&before), "{name}");
        let is_harmless = |effect: &Effect| {
            !matches!(
                effect,
                Effect::Quit | Effect::Work(Work::Save { .. } | Work::Load(_))
            )
        };
        assert!(interrupted.effects.iter().all(is_harmless), "{name}");

        let mut journey = start.with(&keys);
        let dialog = format!("{:?}", journey.app.dialog());
        journey.press("<ctrl-z>");
        assert_eq!(
            journey.effects,
            [Effect::Terminal(TerminalEffect::Suspend)],
            "{name}"
        );
        assert_eq!(format!("{:?}", journey.app.dialog()), dialog, "{name}");
    }
    assert_eq!(kinds, KINDS.iter().copied().collect(), "kinds of dialogs");
}

#[test]
fn interrupt_leaves_every_page_as_escape_does_and_suspend_keeps_it() {
    let mut pages = 0;
    for key in action_keys() {
        let open = || Start::Seed.with(&format!("jj{key}"));
        let mut quitting = open();
        if quitting.app.dialog().is_some() {
            continue;
        }
        quitting.press("q");
        if quitting.effects.contains(&Effect::Quit) || quitting.app.dialog().is_some() {
            continue;
        }
        // Here `q` does not quit, so a page is open.
        pages += 1;
        let (mut escaped, mut interrupted) = (open(), open());
        escaped.press("<esc>");
        interrupted.press("<ctrl-c>");
        assert_eq!(interrupted.screen(), escaped.screen(), "{key}");
        assert_eq!(interrupted.effects, escaped.effects, "{key}");
        let mut journey = open();
        let screen = journey.screen();
        journey.press("<ctrl-z>");
        assert_eq!(
            journey.effects,
            [Effect::Terminal(TerminalEffect::Suspend)],
            "{key}"
        );
        assert_eq!(journey.screen(), screen, "{key}");
    }
    assert!(pages >= 2, "{pages} pages");
}

#[test]
fn interrupt_quits_where_nothing_is_open_and_suspend_works_everywhere() {
    let screens = ["", "1", "2", "3", "4", "/bob<enter>"];
    let starts = screens.map(|keys| (Start::Seed, keys));
    for (start, keys) in starts.into_iter().chain([(Start::Nothing, "")]) {
        let mut journey = start.with(keys);
        journey.press("<ctrl-z>");
        assert_eq!(
            journey.effects,
            [Effect::Terminal(TerminalEffect::Suspend)],
            "{keys}"
        );
        journey.effects.clear();
        journey.press("<ctrl-c>");
        assert!(journey.effects.contains(&Effect::Quit), "{keys}");

        // Unsaved edits are asked about. A second interrupt closes the question.
        if start == Start::Seed {
            let mut journey = start.with(&format!("j+{keys}"));
            journey.press("<ctrl-c>");
            assert_eq!(kind_of(&journey), Some("confirm quit"), "{keys}");
            journey.press("<ctrl-c>");
            assert_eq!(kind_of(&journey), None, "{keys}");
            assert!(!journey.effects.contains(&Effect::Quit), "{keys}");
        }
    }
}

#[test]
fn suspend_works_while_a_tree_is_loading() {
    let mut journey = Journey::empty(Options::default());
    let path = Example::ALL[0].source();
    journey.send(Message::Open(Box::new(Request::to_open(path))));
    assert!(journey.app.loading().is_some());
    journey.effects.clear();
    journey.press("<ctrl-z>");
    assert_eq!(journey.effects, [Effect::Terminal(TerminalEffect::Suspend)]);
    assert!(journey.app.loading().is_some());
}

#[test]
fn a_resumed_prompt_asks_for_marked_pastes_again() {
    let mut journey = Journey::on(SEED).keys("/");
    journey.effects.clear();
    journey.send(Message::Resume);
    assert_eq!(
        journey.effects,
        [Effect::Terminal(TerminalEffect::Pasting(true))]
    );
    let mut journey = Journey::on(SEED);
    journey.send(Message::Resume);
    assert_eq!(journey.effects, []);
}

#[test]
fn backspace_may_arrive_as_control_h() {
    let mut journey = Journey::on(SEED).keys("/scox<ctrl-h>");
    journey.must_show("find: sco ");
    journey.press("<esc>:suz<ctrl-h>");
    let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
        panic!("the palette is open");
    };
    assert_eq!(menu.list.query, "su");
}
