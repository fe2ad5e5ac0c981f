//! Keys: what each does on each screen and page, the lists behind prefix keys, the help and the list of actions.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, scenario};
use crate::support::trees::SEED;
use fairscope::tui::{
    Action, AnswerPurpose, Dialog, EditPurpose, Effect, Keymap, Options, Purpose, TerminalEffect,
};

/// What can be in front, and the keys that lead there.
const FRONTS: [(&str, &str); 8] = [
    ("Tree", "1"),
    ("Ranking", "2"),
    ("Policies", "3"),
    ("Time", "4"),
    ("Plan", "5"),
    ("solve", "gjj i3<enter>"),
    ("contention", "c b <ctrl-u>4<space>for<space>2h<enter>"),
    ("manual", "<f1>"),
];

/// Returns an explorer with that in front, and one edit.
fn front(keys: &str) -> Journey {
    let mut journey = Journey::on(SEED).size(60, 16).keys("jj + k");
    journey.press(keys);
    // The chart is slow to compute, and no key depends on it.
    if keys != "4" {
        journey.answer();
    }
    journey.effects.clear();
    journey
}

/// Returns the keys of an action as journeys press them.
fn keys_of(action: Action) -> String {
    let keymap = Keymap::default();
    let mut bindings = keymap.keys(action).iter().map(ToString::to_string);
    let is_known = |binding: &String| !binding.starts_with("Pg");
    let binding = bindings.find(is_known).expect("a journey can press it");
    let keys = binding.split(' ').map(|key| match key {
        "<" => "<lt>".to_owned(),
        key if key.chars().count() == 1 => key.to_owned(),
        key => match key.strip_prefix('^') {
            Some(letter) => format!("<ctrl-{}>", letter.to_lowercase()),
            None => format!("<{}>", key.to_lowercase()),
        },
    });
    keys.collect()
}

/// Returns the tab that is open.
fn is_open(journey: &mut Journey, tab: &str) -> bool {
    journey.press("?");
    let is_open = journey
        .screen()
        .contains(&format!("Keys of the {tab} screen"));
    journey.press("<esc>");
    is_open
}

#[test]
fn global_keys_mean_the_same_everywhere() {
    for (name, keys) in FRONTS {
        let mut journey = front(keys).keys(":");
        assert!(
            matches!(journey.app.dialog(), Some(Dialog::Menu(menu)) if menu.title == "Actions"),
            "{name}"
        );
        journey.press("<esc> ?");
        assert!(
            matches!(journey.app.dialog(), Some(Dialog::Help(_))),
            "{name}"
        );
        journey.press("<esc> o");
        assert!(
            matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if prompt.purpose == Purpose::Answer(AnswerPurpose::Open)),
            "{name}"
        );
        journey.press("<esc>");
        assert!(journey.app.dialog().is_none(), "{name}");
        // The tab after the last is the first, and a page counts as the screen below it.
        let tabs = ["Tree", "Ranking", "Policies", "Time", "Plan"];
        let place = tabs.iter().position(|tab| *tab == name).unwrap_or(0);
        for (key, by) in [("<tab>", 1), ("<shift-tab>", 4)] {
            let mut journey = front(keys).keys(key);
            journey.answer();
            let tab = tabs[(place + by) % tabs.len()];
            assert!(is_open(&mut journey, tab), "{name} {key} {tab}");
        }
        let mut journey = front(keys).keys("u");
        journey.answer();
        let edits = scenario(&journey).history().edits().len();
        if name == "manual" {
            assert_eq!(edits, 1, "the manual covers the tree");
            notice(&journey).must_contain("Undo");
        } else {
            assert_eq!(edits, 0, "{name}");
        }
    }
}

#[test]
fn q_and_escape_close_a_page_and_q_quits_a_screen() {
    for (name, keys) in FRONTS {
        let is_screen = ["Tree", "Ranking", "Policies", "Time"].contains(&name);
        let mut journey = front(keys).keys("q");
        let asks = matches!(journey.app.dialog(), Some(Dialog::Confirm(_)));
        assert_eq!(asks, is_screen, "{name}: one edit is not saved");
        if !is_screen {
            assert!(is_open(&mut journey, "Tree"), "{name}");
            let mut journey = front(keys).keys("<esc>");
            assert!(is_open(&mut journey, "Tree"), "{name}");
        }
    }
}

/// Keys that may find nothing to do, and then need no words: the cursor is at an end already.
const AT_AN_END: [Action; 12] = [
    Action::Down,
    Action::Up,
    Action::PageDown,
    Action::PageUp,
    Action::First,
    Action::Last,
    Action::ColumnsLeft,
    Action::ColumnsRight,
    Action::WhyDown,
    Action::WhyUp,
    Action::TreeScreen,
    Action::Cancel,
];

/// Returns the names of the actions that help lists, each once.
fn listed(mut journey: Journey) -> Vec<&'static str> {
    journey.press("?");
    let Some(Dialog::Help(help)) = journey.app.dialog() else {
        panic!("help is open");
    };
    let entries = help.entries.iter();
    let names: Vec<&str> = entries.map(|entry| entry.name).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    for (place, one) in names.iter().enumerate() {
        assert!(!names[place + 1..].contains(one), "{one} is there twice");
    }
    names
}

#[test]
fn help_lists_exactly_what_works_and_no_key_is_dead_without_a_word() {
    let mut silent = Vec::new();
    for (name, keys) in FRONTS.into_iter().chain([("nothing", "")]) {
        let open = || match name {
            "nothing" => Journey::empty(Options::default()),
            _ => front(keys),
        };
        let listed = listed(open());
        for &action in Action::ALL {
            let mut journey = open();
            let before = journey.screen();
            let key = keys_of(action);
            journey.press(&key);
            let said = notice(&journey);
            let is_refused = [
                "not on this page",
                "this works on the tree",
                "no tree is open",
            ]
            .iter()
            .any(|words| said.starts_with(words));
            assert_eq!(
                listed.contains(&action.name()),
                !is_refused,
                "{name}: {}: {said}",
                action.name()
            );
            let is_silent = said.is_empty()
                && journey.app.dialog().is_none()
                && journey.effects.is_empty()
                && journey.screen() == before;
            let is_there = AT_AN_END.contains(&action) || keys.ends_with(&key);
            if is_silent && !is_there && name != "nothing" {
                silent.push(format!("{name}: {}", action.name()));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn a_key_without_an_action_says_so() {
    let mut journey = Journey::on(SEED).keys("%");
    assert_eq!(notice(&journey), "% has no action; ? lists the keys");
    journey.press("j");
    assert_eq!(notice(&journey), "", "until the next key");
}

#[test]
fn a_prefix_key_lists_what_can_follow() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("t");
    journey.must_show_all(&[
        "┌ t … ─",
        "g Set the goal",
        "c Plan a campaign",
        "esc cancel",
    ]);
    journey.press("g");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if prompt.purpose == Purpose::Answer(AnswerPurpose::TimeGoal))
    );
    for close in ["<esc>", "<ctrl-c>"] {
        let mut journey = Journey::on(SEED).keys("t");
        journey.press(close);
        assert!(!journey.screen().contains("Plan a campaign"), "{close}");
        assert_eq!(notice(&journey), "");
        assert!(journey.effects.is_empty(), "{close}");
    }
    let mut journey = Journey::on(SEED).keys("t x");
    assert_eq!(
        notice(&journey),
        "t x has no action; t lists what can follow it"
    );
    journey.press("j");
    assert_eq!(notice(&journey), "", "the prefix is gone");
}

#[test]
fn a_prefix_key_lists_only_what_works_there() {
    let mut journey = front("5").keys("v");
    journey.must_show("Choose the theme");
    journey.must_hide("Choose the columns");
    let journey = front("<f1>").keys("t x");
    assert!(!notice(&journey).is_empty());
    let mut journey = front("<f1>").keys("v");
    journey.must_show("Choose the theme");
    journey.must_hide("Choose the columns");
}

#[test]
fn the_palette_finds_actions_by_letters_apart() {
    let first = |query: &str| {
        let mut journey = Journey::on(SEED).keys(":");
        journey.press(query);
        let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
            panic!("the palette is open");
        };
        menu.passing().first().map(|item| item.name.to_string())
    };
    assert_eq!(first("undo").as_deref(), Some("Undo"));
    assert_eq!(
        first("fold_all").as_deref(),
        Some("Fold all"),
        "by its name"
    );
    assert_eq!(first("busy").as_deref(), Some("Simulate a busy cluster"));
    assert_eq!(first("smbsy").as_deref(), Some("Simulate a busy cluster"));
    assert_eq!(first("zzqqk"), None);
}

#[test]
fn the_palette_of_a_page_does_what_works_there_and_closes_it_for_the_rest() {
    let mut journey = front("5").keys(": copy");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Menu(_))));
    let mut journey2 = front("5").keys(": copy_path <enter>");
    assert!(
        journey2
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Terminal(TerminalEffect::Copy(text)) if text.contains("resource_group"))),
        "it copies the plan"
    );
    journey2.press(": edit_shares <enter>");
    assert!(
        matches!(journey2.app.dialog(), Some(Dialog::Prompt(prompt)) if matches!(prompt.purpose, Purpose::Edit(EditPurpose::Shares(_))))
    );
    journey2.must_show("Group / user");
    journey.press("<esc>");
}

#[test]
fn help_is_searched_by_typing_and_turned_by_space() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("?");
    journey.must_show_all(&["On this screen", "page 1 of "]);
    let first = journey.screen();
    journey.press("<space>");
    assert_ne!(journey.screen(), first);
    for _ in 0..9 {
        journey.press("<space>");
        if journey.screen() == first {
            break;
        }
    }
    assert_eq!(journey.screen(), first, "the first page follows the last");
    journey.press("half");
    journey.must_show("half-life, dashed");
    journey.must_hide("Undo");
    journey.press("zzz");
    journey.must_show("no matching key");
    journey.press("<backspace><backspace><backspace><backspace><backspace><backspace><backspace>");
    assert_eq!(journey.screen(), first);
    journey.press("?");
    assert!(journey.app.dialog().is_none());
}

#[test]
fn help_never_cuts_a_word() {
    for (width, height) in [(80, 24), (120, 40), (200, 50), (40, 12)] {
        let mut journey = Journey::on(SEED).size(width, height).keys("?");
        let mut seen = String::new();
        for _ in 0..60 {
            let screen = journey.screen();
            seen.push_str(&screen);
            screen.must_lack("…");
            journey.press("<space>");
        }
        for action in Action::ALL {
            for word in action.help().split(' ') {
                assert!(seen.contains(word), "{word} at {width}x{height}:\n{seen}");
            }
        }
    }
}

#[test]
fn capitals_and_blanks_around_a_name_find_it_where_nothing_else_does() {
    for typed in [
        "/ALICE<enter>",
        "/alice<space><enter>",
        "/<space>Alice<enter>",
    ] {
        let journey = Journey::example("site").keys(typed);
        assert_eq!(journey.selected(), "alice", "{typed}");
    }
}

#[test]
fn a_search_without_a_match_finds_names_with_letters_between() {
    let mut journey = Journey::on(SEED).keys("/ cty <enter>");
    assert_eq!(journey.selected(), "cathy");
    journey.must_show("/cty 1 of 1 similar");
    let mut journey = Journey::on(SEED).keys("/ ath <enter>");
    assert_eq!(journey.selected(), "cathy");
    assert!(
        !journey.screen().contains("similar"),
        "the text is part of it"
    );
}
