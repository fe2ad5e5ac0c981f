//! What lies over what: prompts and the messages of threads in several orders, two trees with unsaved edits, and the
//! hints of a keymap that is turned round.

use crate::support::journey::{Journey, notice, scenario};
use crate::support::trees::{self, SEED};
use fairscope::base::shown::Shown;
use fairscope::tui::{Config, Confirm, Dialog, Effect, Message, Options};

const OTHER: &str = "\nguests 10\n  eve 10 | 5\n  mallory 20 | 7\n";

/// Returns every order of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        let mut longer = Vec::new();
        for order in orders {
            for next in 0..count {
                if !order.contains(&next) {
                    longer.push([&order[..], &[next]].concat());
                }
            }
        }
        orders = longer;
    }
    orders
}

/// What a thread tells while something else is being done.
fn told(which: usize) -> Message {
    match which {
        0 => Message::SaveFailed("there is no room".into()),
        1 => Message::Ask(Confirm::Replace("x.toml".into(), "text".to_owned())),
        2 => Message::Loaded(trees::opened(trees::loaded(trees::pbs(OTHER)))),
        _ => Message::Exported(vec!["plan.sh".into()]),
    }
}

fn prompt_line(journey: &Journey) -> Option<&str> {
    match journey.app.dialog() {
        Some(Dialog::Prompt(prompt)) => Some(prompt.input.value()),
        _ => None,
    }
}

fn asks_to_replace(journey: &Journey) -> bool {
    matches!(
        journey.app.dialog(),
        Some(Dialog::Confirm(Confirm::Replace(..)))
    )
}

#[test]
fn a_prompt_keeps_its_line_and_its_tree_whatever_threads_tell_meanwhile() {
    for order in orders(3) {
        let mut journey = Journey::on(SEED).keys("jj e4");
        let node = journey.selected();
        for &which in &order {
            journey.send(told(which));
            assert_eq!(prompt_line(&journey), Some("4"), "{order:?}");
        }
        journey.press("2<enter>");
        assert_eq!(journey.selected(), node, "{order:?}");
        assert_eq!(scenario(&journey).history().edits().len(), 1, "{order:?}");
        assert!(asks_to_replace(&journey), "{order:?}");
        journey.press("<esc>");
        assert!(journey.app.dialog().is_none(), "{order:?}");
        journey.press("<ctrl-n>");
        journey.must_show("mallory");
    }
}

#[test]
fn a_failure_behind_a_prompt_is_seen_once_the_prompt_is_left() {
    for leave in ["<esc>", "<enter>"] {
        for order in [[0, 3], [3, 0]] {
            let mut journey = Journey::on(SEED).keys("jj e");
            for which in order {
                journey.send(told(which));
            }
            journey.press(leave);
            let said = notice(&journey);
            let last = if order[1] == 0 { "no room" } else { "plan.sh" };
            assert!(said.contains(last), "{leave} {order:?}: {said}");
        }
    }
}

#[test]
fn a_question_waits_for_the_key_behind_a_prefix() {
    for key in ["s", "<esc>", "X"] {
        let mut journey = Journey::on(SEED).keys("jc");
        journey.send(told(1));
        assert!(!asks_to_replace(&journey), "{key}");
        journey.press(key);
        if key == "s" {
            assert!(matches!(journey.app.dialog(), Some(Dialog::Menu(_))));
            journey.press("<esc>");
        }
        assert!(asks_to_replace(&journey), "{key}");
    }
}

#[test]
fn a_tree_that_arrives_behind_a_prefix_leaves_the_tree_that_the_next_key_is_for() {
    let mut journey = Journey::on(SEED).keys("jv");
    journey.send(told(2));
    journey.press("i");
    assert!(
        prompt_line(&journey).is_some(),
        "{:?}",
        journey.app.dialog()
    );
    journey.must_show("suzy");
}

#[test]
fn quitting_asks_until_the_edits_of_each_tree_are_saved_or_given_up() {
    let mut journey = Journey::on(SEED).keys("j +");
    journey.send(told(2));
    journey.press("j + q");
    journey.must_show("2 trees have edits that are not saved");
    journey.press("<esc>");
    assert!(!journey.effects.contains(&Effect::Quit));

    // One tree is saved, and the question is about the other one.
    journey.press("w<ctrl-u>one.toml<enter>");
    journey.send(Message::Saved("one.toml".into(), None));
    journey.press("<ctrl-c>");
    journey.must_show("1 edit is not saved");
    journey.press("w");
    assert!(
        prompt_line(&journey).is_some(),
        "{:?}",
        journey.app.dialog()
    );
    journey.press("<ctrl-u>two.toml<enter>");
    assert!(!journey.effects.contains(&Effect::Quit));
    journey.send(Message::Saved("two.toml".into(), None));
    journey.press("q");
    assert!(journey.effects.contains(&Effect::Quit));
}

#[test]
fn what_is_saved_while_the_question_is_open_lets_the_explorer_quit() {
    let mut journey = Journey::on(SEED).keys("j + w<ctrl-u>one.toml<enter>");
    journey.press("q");
    journey.must_show("1 edit is not saved");
    journey.send(Message::Saved("one.toml".into(), None));
    assert!(journey.effects.contains(&Effect::Quit));
}

/// Returns options in which some of the usual keys have each other's actions.
fn swapped() -> Options {
    let text = "[keys]\nedit_shares = [\"u\"]\nundo = [\"e\"]\nhelp = [\"w\"]\nsave = [\"?\"]\n\
                palette = [\"q\"]\nquit = [\":\"]\ncancel = [\"0\"]\nreset_clock = [\"esc\"]\n";
    let config = Config::parse(&Shown::from("config.toml"), text.as_bytes());
    assert!(config.refused.is_empty(), "{:?}", config.refused);
    config.below(Options::default())
}

/// Returns the key before a hint on the last line.
fn hinted(journey: &mut Journey, words: &str) -> String {
    let screen = journey.screen();
    let last = screen.lines().last().expect("a line");
    let (before, _) = last
        .split_once(&format!(" {words}"))
        .unwrap_or_else(|| panic!("no {words:?} in {last}"));
    before.rsplit(' ').next().expect("a key").to_owned()
}

#[test]
fn hints_name_the_keys_of_a_keymap_that_is_turned_round() {
    let mut journey = Journey::with_options(trees::pbs(SEED), swapped()).keys("j");
    for (words, key) in [("help", "w"), ("shares", "u"), ("undo", "e"), ("save", "?")] {
        assert_eq!(hinted(&mut journey, words), key);
    }
    assert_eq!(hinted(&mut journey, "quit"), ":");
    journey.press("u7<enter>");
    assert_eq!(scenario(&journey).history().edits().len(), 1);
    journey.press("e");
    assert_eq!(scenario(&journey).history().edits().len(), 0);
    journey.press("5");
    assert_eq!(hinted(&mut journey, "back"), ":");
    journey.press("0");
    assert_eq!(hinted(&mut journey, "quit"), ":");
}

#[test]
fn a_click_on_a_hint_does_what_its_key_does() {
    let mut journey = Journey::with_options(trees::pbs(SEED), swapped()).keys("j");
    let screen = journey.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let last = lines.last().expect("a line");
    let at = last.find("shares").expect("a hint");
    let x = u16::try_from(last[..at].chars().count()).expect("a column");
    let y = u16::try_from(lines.len() - 1).expect("a row");
    journey.click(x, y);
    assert!(prompt_line(&journey).is_some());
}
