//! A large tree is on the screen before its numbers are verified: as they were printed, until a job brings the rest.

use crate::support::data;
use crate::support::files::files_below;
use crate::support::journey::{Journey, assert_shows, notice, scenario};
use crate::support::loading::{load_quietly, request};
use fairscope::source::opened::Unverified;
use fairscope::tui::{Action, Effect, Job, Keymap, Message, Options};
use std::path::{Path, PathBuf};

/// A dump of Fair Tree with 14 users.
const DUMP: &str = "slurm/three_levels/sshare_a_l_P.txt";

/// A dump of classic fair-share.
const CLASSIC: &str = "slurm/captures/09-classic-damp5/26.05/sshare_a_P.txt";

/// A dump of classic fair-share, which its numbers reveal and not its columns.
const HIDDEN: &str = "\
Account|User|RawShares|RawUsage|EffectvUsage|FairShare
root|||300|1.000000|
 a||1|100|0.333333|
  a|ann|1|100|0.333333|0.629961
 b||1|200|0.666667|
  b|bob|1|200|0.666667|0.396850
";

/// Returns a file of the test data, read and not verified.
fn unverified(file: &Path) -> Unverified {
    let loaded = load_quietly(&request(file));
    let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Unverified::new(loaded, None)
}

/// Opens a file in two steps, as a large one. `None` if it is verified before it is shown.
fn printed(file: &Path, options: Options) -> Option<Journey> {
    let unverified = Box::new(unverified(file));
    let opened = Box::new(unverified.as_printed()?);
    let mut journey = Journey::empty(options);
    journey.send(Message::Printed { opened, unverified });
    Some(journey)
}

fn two_steps(file: &str) -> Journey {
    printed(&data(file), Options::default()).expect("it can be shown as it was printed")
}

/// Opens a file in one step.
fn one_step(file: &Path, options: Options) -> Journey {
    let mut journey = Journey::empty(options);
    let opened = unverified(file).verified();
    journey.send(Message::Loaded(Box::new(opened)));
    journey
}

/// Returns the verification that was asked for.
fn asked(journey: &mut Journey) -> Job<Unverified> {
    let is_asked = |effect: &Effect| matches!(effect, Effect::Verify(_));
    let place = journey.effects.iter().position(is_asked);
    match journey.effects.remove(place.expect("a verification runs")) {
        Effect::Verify(job) => *job,
        _ => unreachable!("it was found"),
    }
}

/// Delivers the verification.
fn verify(journey: &mut Journey) {
    let job = asked(journey);
    journey.send(job.perform());
}

/// Returns all dumps of Slurm's in the test data that can be shown before they are verified.
fn dumps() -> Vec<PathBuf> {
    let mut files = files_below(&data("slurm"));
    files.retain(|file| {
        let name = file.file_name().expect("a file has a name");
        name.to_string_lossy().starts_with("sshare") && unverified(file).as_printed().is_some()
    });
    assert!(files.len() > 10, "{files:?}");
    files
}

/// Returns the keys of an action as journeys press them; `None` if they cannot.
fn keys_of(action: Action) -> Option<String> {
    let keymap = Keymap::shipped();
    let binding = keymap.keys(action).first()?.to_string();
    let keys = binding.split(' ').map(|key| match key.strip_prefix('^') {
        _ if key == "<" => "<lt>".to_owned(),
        _ if key.chars().count() == 1 => key.to_owned(),
        Some(letter) => format!("<ctrl-{}>", letter.to_lowercase()),
        None => format!("<{}>", key.to_lowercase()),
    });
    let keys: String = keys.collect();
    (!keys.contains("<pg")).then_some(keys)
}

#[test]
fn the_screen_after_verification_is_that_of_one_step() {
    for file in dumps() {
        for keys in ["", "j", "jjj l", "2 jj", "/ a <enter> n", "v J", "gz"] {
            let mut late = printed(&file, Options::default()).expect("it is one of them");
            let mut at_once = one_step(&file, Options::default());
            for journey in [&mut late, &mut at_once] {
                journey.press(keys);
            }
            verify(&mut late);
            for size in [(120, 40), (80, 24), (250, 60)] {
                for journey in [&mut late, &mut at_once] {
                    journey.resize(size.0, size.1);
                    // Drops a notice about another policy.
                    journey.press("<ctrl-l>");
                }
                assert_eq!(
                    late.screen(),
                    at_once.screen(),
                    "{}: {keys}",
                    file.display()
                );
                assert_eq!(late.buffer(), at_once.buffer());
            }
        }
    }
}

#[test]
fn the_title_says_that_numbers_are_being_verified() {
    let mut journey = two_steps(DUMP);
    assert_shows(&mut journey, &["Fair Tree  verifying…", "why "]);
    assert!(!journey.screen().contains("verified"));
    verify(&mut journey);
    assert_shows(&mut journey, &["✓ verified 14/14"]);
    assert!(!journey.screen().contains("verifying"));
}

#[test]
fn what_follows_from_digits_that_were_not_printed_is_blank_until_then() {
    let mut journey = two_steps(DUMP).size(200, 40).keys("jj");
    let before = journey.row("alice");
    let has_bar = |row: &str| row.contains(['█', '▉', '▊', '▋', '▌', '▍', '▎', '▏']);
    assert!(!has_bar(&before) && !before.contains('x'), "{before}");
    verify(&mut journey);
    let after = journey.row("alice");
    assert!(has_bar(&after) && after.contains('x'), "{after}");
}

#[test]
fn another_policy_is_announced_when_the_numbers_reveal_it() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("sshare.txt");
    std::fs::write(&file, HIDDEN).expect("the folder is ours");
    let mut journey = printed(&file, Options::default()).expect("it can be shown");
    assert_shows(&mut journey, &["Slurm Fair Tree  verifying…"]);
    verify(&mut journey);
    let said = notice(&journey);
    assert!(said.starts_with("policy: Slurm classic"), "{said}");
    assert_shows(&mut journey, &["Slurm classic  ✓ verified"]);
}

#[test]
fn keys_that_need_verified_numbers_wait_and_then_act_in_their_order() {
    for keys in [
        "j e 30 <enter>",
        "j + + - k",
        "5",
        "3 j",
        "4",
        "!",
        "p p",
        "s Fair <enter>",
        "i rank=1 <enter>",
        "x A zoe <enter>",
        ": undo <enter> j",
        ": plan <enter>",
        "jj e 7 <enter> u 2 jj",
    ] {
        let mut late = two_steps(DUMP);
        let mut at_once = one_step(&data(DUMP), Options::default());
        late.press(keys);
        assert_shows(&mut late, &["verifying…", "waiting for the verification"]);
        assert!(scenario(&late).history().is_untouched(), "{keys}");
        verify(&mut late);
        at_once.press(keys);
        for journey in [&mut late, &mut at_once] {
            journey.answer();
        }
        assert_eq!(late.screen(), at_once.screen(), "{keys}");
        let edits = |journey: &Journey| {
            let done = scenario(journey).history().done();
            let texts = done.iter().map(|entry| entry.text.clone());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(edits(&late), edits(&at_once), "{keys}");
    }
}

#[test]
fn whatever_is_pressed_meanwhile_the_printed_numbers_stay() {
    for &action in Action::ALL {
        let Some(keys) = keys_of(action) else {
            continue;
        };
        let mut late = two_steps(DUMP);
        let before = late.app.session().expect("a tree is open").clone();
        late.press("jj");
        late.press(&keys);
        let session = late.app.session().expect("a tree is open");
        assert!(session.scenario.history().is_untouched(), "{keys}");
        assert_eq!(
            session.scenario.policy(),
            before.scenario.policy(),
            "{keys}"
        );
        for &node in session.scenario.tree().nodes() {
            for &column in before.scenario.policy().columns() {
                let value = |scenario: &fairscope::scenario::Scenario| {
                    format!("{:?}", scenario.value(column, node))
                };
                assert_eq!(value(&session.scenario), value(&before.scenario), "{keys}");
            }
        }
        let runs = |effect: &&Effect| {
            matches!(
                effect,
                Effect::Compare(_) | Effect::Forecast(_) | Effect::Ask(_) | Effect::Evaluate(_)
            )
        };
        assert_eq!(late.effects.iter().find(runs), None, "{keys}");
        // And then it is as if the numbers had been there before the keys.
        verify(&mut late);
        late.answer();
        let mut at_once = one_step(&data(DUMP), Options::default());
        at_once.press("jj");
        at_once.press(&keys);
        at_once.answer();
        assert_eq!(late.screen(), at_once.screen(), "{keys}");
    }
}

#[test]
fn esc_cancels_what_waits() {
    for cancel in ["<esc>", "<ctrl-c>"] {
        let mut journey = two_steps(DUMP);
        journey.press("j e 30 <enter> 5");
        journey.press(cancel);
        assert_eq!(notice(&journey), "cancelled; the verification goes on");
        // Keys move again.
        let row = journey.selected();
        journey.press("j");
        assert_ne!(journey.selected(), row);
        verify(&mut journey);
        assert!(scenario(&journey).history().is_untouched());
        assert!(journey.app.dialog().is_none());
        assert_shows(&mut journey, &["✓ verified 14/14"]);
    }
}

#[test]
fn quitting_waits_for_nothing() {
    let journey = two_steps(DUMP).keys("jj q");
    assert!(journey.effects.contains(&Effect::Quit));
    let mut journey = two_steps(DUMP).keys("e 30");
    journey.send(Message::Terminate);
    assert!(journey.effects.contains(&Effect::Quit));
}

#[test]
fn a_dialog_that_is_open_stays_open() {
    let mut journey = two_steps(DUMP).keys("/ al");
    verify(&mut journey);
    journey.press("ice <enter>");
    let mut at_once = one_step(&data(DUMP), Options::default()).keys("/ alice <enter>");
    assert_eq!(journey.screen(), at_once.screen());
}

#[test]
fn another_tree_that_opens_meanwhile_does_not_take_the_keys_that_wait() {
    let mut journey = two_steps(DUMP).keys("j e");
    let other = unverified(&data(CLASSIC)).verified();
    journey.send(Message::Loaded(Box::new(other)));
    journey.press("30 <enter>");
    verify(&mut journey);
    assert_shows(&mut journey, &["tree 1 of 2", "1 edit"]);
}

#[test]
fn a_watched_tree_is_not_read_again_before_it_is_verified() {
    let options = Options {
        watch: Some(1),
        ..Options::default()
    };
    let mut journey = printed(&data(DUMP), options).expect("it can be shown");
    let is_read = |journey: &Journey| {
        let mut effects = journey.effects.iter();
        effects.any(|effect| matches!(effect, Effect::Reload(_)))
    };
    journey.send(Message::Tick);
    assert!(!is_read(&journey));
    verify(&mut journey);
    journey.send(Message::Tick);
    assert!(is_read(&journey));
}

#[test]
fn a_screen_that_was_chosen_for_the_start_waits() {
    let options = || Options {
        screen: Some(Action::PoliciesScreen),
        ..Options::default()
    };
    let mut late = printed(&data(DUMP), options()).expect("it can be shown");
    assert_shows(&mut late, &["tree order", "waiting for the verification"]);
    verify(&mut late);
    let mut at_once = one_step(&data(DUMP), options());
    for journey in [&mut late, &mut at_once] {
        journey.answer();
    }
    assert_eq!(late.screen(), at_once.screen());
}

#[test]
fn a_verification_that_is_no_longer_awaited_is_dropped() {
    let mut journey = two_steps(DUMP);
    let job = asked(&mut journey);
    journey.send(job.clone().perform());
    journey.press("j + j");
    let before = journey.buffer();
    journey.send(job.perform());
    assert_eq!(journey.buffer(), before);
}
