//! The Time screen: opening, playing, undoing, comparing assumptions, stopping.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, scenario, told};
use crate::support::loading::load_path;
use crate::support::trees::{self, SEED};
use fairscope::model::Snapshot;
use fairscope::scenario::{Edit, Scenario};
use fairscope::tui::{Effect, Message, Options, Work};
use std::ops::ControlFlow;
use std::sync::Arc;

const DAY: u64 = 24 * 60 * 60;

/// 2026-11-21 09:00 UTC.
const MOMENT: i64 = 1_795_251_600;

/// The seed tree with a known date.
fn dated() -> Snapshot {
    let mut snapshot = trees::pbs(SEED);
    snapshot.settings.time.taken = Some(MOMENT);
    snapshot
}

fn is_question(effect: &Effect) -> bool {
    matches!(effect, Effect::Work(Work::Run(_)))
}

/// Answers until no question is left.
fn settle(journey: &mut Journey) {
    while journey.effects.iter().any(is_question) {
        journey.answer();
    }
}

/// Opens and draws the screen at a node given by its name.
fn open(snapshot: Snapshot, name: &str) -> Journey {
    let mut journey = Journey::with(snapshot).keys(&format!("/{name}<enter><esc> 4 t a"));
    settle(&mut journey);
    journey
}

fn days(journey: &Journey) -> f64 {
    scenario(journey).settings().time.passed as f64 / DAY as f64
}

/// Returns the edits as they would be saved.
fn edits(journey: &Journey) -> Vec<&str> {
    let done = scenario(journey).history().edits().into_iter();
    done.map(|entry| entry.text.as_str()).collect()
}

#[track_caller]
fn assert_asks_nothing(journey: &Journey) {
    let mut effects = journey.effects.iter();
    assert!(!effects.any(is_question), "{:?}", journey.effects);
}

/// Returns the number of the beat that the explorer waits for.
fn beat(journey: &mut Journey) -> Option<u64> {
    let at = |effect: &Effect| match effect {
        Effect::Work(Work::Beat(number)) => Some(*number),
        _ => None,
    };
    let found = journey.effects.iter().find_map(at);
    journey.effects.retain(|effect| at(effect).is_none());
    found
}

#[test]
fn the_screen_opens_on_what_becomes_of_the_node() {
    let mut journey = Journey::on(SEED).keys("jj 4");
    settle(&mut journey);
    journey.must_show_all(&[
        "Factor of suzy  now day 0",
        "b all go on",
        "b, c",
        "a all stop",
        "a all stop",
        "b all go on",
        "c only suzy stops",
    ]);
    let mut marked = Journey::on(SEED).keys("j m m 4");
    settle(&mut marked);
    marked.must_show_all(&["Factor  now day 0", "a scott", "b suzy"]);
}

#[test]
fn one_key_draws_the_node_with_its_rivals_and_says_so() {
    let mut journey = Journey::on(SEED).keys("jj 4 t a");
    journey.must_show_all(&["computing", "esc stops", "Group / user"]);
    assert_eq!(
        notice(&journey),
        "lines: suzy and the users next to it in rank"
    );
    settle(&mut journey);
    journey.must_show_all(&[
        "4 Time",
        "Factor  now day 0",
        "at the end",
        "a suzy",
        "4 d",
        "the lines span 4 half-lives, 4 d.",
        "Assumed: nobody uses anything",
        "No dates: the source does not say when it was taken.",
    ]);
    journey.press("1");
    journey.must_show_all(&["tree order", "Of tree"]);
    journey.must_hide("at the end");
}

#[test]
fn a_known_date_puts_dates_below_the_axis() {
    let mut journey = open(dated(), "suzy");
    journey.must_show_all(&[
        "now day 0 · 2026-11-21 09:00 UTC",
        "2026-11-21",
        "2026-11-25",
    ]);
}

#[test]
fn the_last_supported_day_has_a_date() {
    let mut snapshot = dated();
    // The start of 9999-12-31.
    snapshot.settings.time.taken = Some(253_402_214_400);
    let mut journey = open(snapshot, "suzy");
    journey.must_show("now day 0 · 9999-12-31 00:00 UTC");
}

#[test]
fn one_key_changes_the_drawn_number_without_a_new_computation() {
    let mut journey = open(trees::pbs(SEED), "suzy");
    for title in ["Rank", "Usage", "Share of its level's usage", "Factor"] {
        journey.press("t q");
        journey.must_show(title);
        assert_asks_nothing(&journey);
    }
}

#[test]
fn repeated_steps_of_time_are_one_edit() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys(") ) )");
    assert_eq!(edits(&journey), ["wait 3d"]);
    assert!((days(&journey) - 3.0).abs() < 1e-9);
    journey.must_show_all(&["now day 3", "cput  4 users"]);
    // The lines stay the same. The clock moves along them.
    assert_asks_nothing(&journey);
    journey.press("(");
    assert_eq!(edits(&journey), ["wait 2d"]);
    journey.press("0");
    assert!(edits(&journey).is_empty());
    journey.press("(");
    notice(&journey).must_contain("earlier times are unknown");
    journey.press(") ) u");
    assert!(edits(&journey).is_empty(), "{:?}", edits(&journey));
    assert!(days(&journey) < 1e-9);
    journey.press("U");
    assert_eq!(edits(&journey), ["wait 2d"]);
}

#[test]
fn several_steps_of_time_give_the_same_bits_as_one_wait() {
    let base = Arc::new(dated());
    let policy = fairscope::rules::policy::Policy::Pbs;
    let mut stepped = Scenario::new(Arc::clone(&base), policy);
    for day in [1, 2, 5, 4, 9] {
        let went = stepped.move_clock(day * DAY, &mut |_| ControlFlow::Continue(()));
        assert!(went.expect("there is such a day").is_continue());
    }
    let mut waited = Scenario::new(base, policy);
    let seconds = 9 * DAY;
    waited.apply(Edit::Wait { seconds }).expect("it can wait");
    assert_eq!(stepped.history().edits().len(), 1);
    assert_eq!(stepped.history().edits()[0].text, "wait 9d");
    let bits = |scenario: &Scenario| -> Vec<u64> {
        let nodes = scenario.tree().nodes().iter();
        nodes
            .map(|&node| {
                scenario
                    .tree()
                    .usage(node)
                    .amount()
                    .unwrap_or(-1.0)
                    .to_bits()
            })
            .collect()
    };
    assert_eq!(bits(&stepped), bits(&waited));
    stepped.undo();
    assert_eq!(stepped.settings().time.passed, 0);
}

#[test]
fn time_steps_back_only_to_the_last_other_edit() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys(") e50<enter>");
    settle(&mut journey);
    journey.press(")");
    assert_eq!(
        edits(&journey),
        ["wait 1d", "shares group2/suzy=50", "wait 1d"]
    );
    journey.press("( (");
    assert_eq!(edits(&journey), ["wait 1d", "shares group2/suzy=50"]);
    notice(&journey).must_contain("the clock cannot go back before the last edit; u undoes");
}

#[test]
fn time_plays_in_beats_until_it_is_stopped() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys("<space>");
    journey.must_show_all(&["▶ 1 d", "now day 1"]);
    let number = beat(&mut journey).expect("it plays");
    journey.send(Message::Beat(number));
    journey.must_show("now day 2");
    assert_eq!(beat(&mut journey), Some(number));
    // The clock pauses while a prompt is open.
    journey.press("e");
    journey.send(Message::Beat(number));
    assert_eq!(beat(&mut journey), Some(number));
    journey.press("<esc>");
    assert!((days(&journey) - 2.0).abs() < 1e-9);
    journey.press("<space>");
    journey.send(Message::Beat(number));
    assert_eq!(beat(&mut journey), None);
    assert_eq!(edits(&journey), ["wait 2d"]);
    journey.press("<space>");
    let again = beat(&mut journey).expect("it plays again");
    journey.press("<esc>");
    journey.send(Message::Beat(again));
    assert_eq!(edits(&journey), ["wait 3d"]);
    journey.must_show("at the end");
    journey.press("<esc>");
    assert!(!journey.screen().contains("at the end"), "esc leaves");
}

#[test]
fn a_stopped_computation_is_not_shown_and_restarts_on_request() {
    let mut journey = Journey::on(SEED).keys("jj 4 <esc>");
    journey.must_show("stopped; 4 computes it again");
    settle(&mut journey);
    journey.must_show("stopped");
    journey.press("4");
    settle(&mut journey);
    journey.must_show("at the end");
}

#[test]
fn a_newer_question_replaces_an_older_one() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t + t + t + t + t + t +");
    let asked = journey.effects.iter();
    let asked = asked.filter(|effect| is_question(effect));
    assert_eq!(asked.count(), 1, "one thread at a time");
    settle(&mut journey);
    journey.must_show("360 d");
    journey.press("t -");
    settle(&mut journey);
    journey.must_show_all(&["150 d", "180 d"]);
}

#[test]
fn the_clock_jumps_by_durations_and_to_dates() {
    let mut journey = open(dated(), "suzy").keys("t d 36h<enter>");
    assert_eq!(edits(&journey), ["wait 1d12h"]);
    journey.press("t d 2026-11-25<enter>");
    assert_eq!(edits(&journey), ["wait 3d15h"]);
    journey.must_show("2026-11-25 00:00 UTC");
    journey.press("t d 2026-11-20<enter>");
    journey.must_show("is in the past");
    journey.press("<esc> t d soon<enter>");
    journey.must_show_all(&["soon is not a duration", "14d, 2w"]);
    journey.press("<esc>");
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t d 2026-11-25<enter>");
    journey.must_show("does not say when it was taken");
}

/// Receives this many progress messages of the running clock, then stops listening.
fn receive_progress(journey: &mut Journey, count: usize) {
    let moving = journey.effects.iter().find_map(|effect| match effect {
        Effect::Work(Work::Run(moving)) => Some(moving.clone()),
        _ => None,
    });
    let heard = told(*moving.expect("moving the clock"), "", None);
    for message in heard.into_iter().take(count) {
        journey.send(message);
    }
}

#[test]
fn absurd_times_and_rates_are_refused_in_the_prompt() {
    let mut journey = open(dated(), "suzy");
    for (typed, refusal) in [
        ("t d 99999999999999999999d<enter>", "past the year 9999"),
        ("t d 10000-01-01<enter>", "past the year 9999"),
        ("t d 2026-13-01<enter>", "2026-13-01 is not a time"),
        ("9 nan<enter>", "a rate cannot be NaN units"),
        ("9 -3<enter>", "a rate cannot be -3 units"),
        ("9 2e15<enter>", "a rate cannot be 2e15 units"),
    ] {
        journey.press(typed);
        journey.must_show(refusal);
        journey.press("<esc>");
        assert!(edits(&journey).is_empty(), "{typed}");
    }
}

#[test]
fn long_computations_run_in_the_background_with_progress_and_can_be_stopped() {
    let long = || open(trees::pbs(SEED), "suzy").keys("t d 4000d<enter>");
    let mut journey = long();
    assert!(days(&journey) < 1e-9);
    journey.must_show("working");
    receive_progress(&mut journey, 3);
    journey.must_show_all(&["moving the clock: day ", " of 4000   esc stops"]);
    // Keys keep working meanwhile.
    journey.press("j t q");
    journey.must_show_all(&["Rank", " of 4000   esc stops"]);
    settle(&mut journey);
    assert!((days(&journey) - 4000.0).abs() < 1e-9);
    assert_eq!(edits(&journey), ["wait 4000d"]);
    journey.must_hide("esc stops");
    let mut journey = long().keys("<esc>");
    notice(&journey).must_contain("the clock did not move");
    settle(&mut journey);
    assert!(days(&journey) < 1e-9);
    // It continues on other screens and can be stopped there too.
    let mut journey = long().keys("1");
    receive_progress(&mut journey, 1);
    journey.must_show(" of 4000   esc stops");
    journey.press("<esc>");
    settle(&mut journey);
    assert!(edits(&journey).is_empty());
}

#[test]
fn an_edit_or_a_newer_move_stops_the_moving_clock() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t d 4000d<enter> +");
    notice(&journey).must_contain("edited meanwhile");
    settle(&mut journey);
    assert_eq!(edits(&journey), ["shares group2/suzy=61"]);
    // A jump starts from the moment on the screen, steps from where the clock was going.
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t d 4000d<enter> t d 3d<enter>");
    settle(&mut journey);
    assert_eq!(edits(&journey), ["wait 3d"]);
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t d 4000d<enter> ) ) (");
    settle(&mut journey);
    assert_eq!(edits(&journey), ["wait 4001d"]);
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t d 4000d<enter> 0");
    settle(&mut journey);
    assert!(edits(&journey).is_empty());
}

#[test]
fn a_stopped_undo_of_time_changes_nothing() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys("t d 4000d<enter>");
    settle(&mut journey);
    journey.press("( <esc>");
    settle(&mut journey);
    assert_eq!(edits(&journey), ["wait 4000d"]);
    let base = Arc::new(dated());
    let mut scenario = Scenario::new(base, fairscope::rules::policy::Policy::Pbs);
    for passed in [2 * DAY, 4000 * DAY] {
        let went = scenario.move_clock(passed, &mut |_| ControlFlow::Continue(()));
        assert!(went.expect("there is such a day").is_continue());
    }
    let before = scenario.tree().state_hash();
    for passed in [DAY, 5000 * DAY] {
        let went = scenario.move_clock(passed, &mut |_| ControlFlow::Break(()));
        assert!(went.expect("there is such a day").is_break());
        assert_eq!(scenario.tree().state_hash(), before);
        assert_eq!(scenario.settings().time.passed, 4000 * DAY);
        assert_eq!(scenario.history().edits()[0].text, "wait 4000d");
        assert!(scenario.history().undone().is_empty());
    }
}

#[test]
fn a_long_wait_typed_as_an_edit_runs_in_the_background() {
    let mut journey = open(trees::pbs(SEED), "suzy").keys("; wait <space> 4000d");
    assert!(days(&journey) < 1e-9, "it is not tried while it is typed");
    journey.press("<enter>");
    assert!(days(&journey) < 1e-9);
    receive_progress(&mut journey, 1);
    journey.must_show(" of 4000   esc stops");
    settle(&mut journey);
    assert_eq!(edits(&journey), ["wait 4000d"]);
    journey.press("; wait <space> 9999999999999d");
    journey.must_show("9999");
    journey.press("<enter>");
    assert_asks_nothing(&journey);
}

#[test]
fn assumptions_follow_typing_applying_and_undoing() {
    let idle = "Assumed: nobody uses anything; ";
    let charged = "Assumed: group2/scott uses 2.5 a second; ";
    let mut journey = open(trees::pbs(SEED), "scott");
    for (keys, said) in [
        ("9 2.5", charged),
        ("<esc>", idle),
        ("9 2.5<enter>", charged),
        ("u", idle),
    ] {
        journey.press(keys);
        settle(&mut journey);
        journey.must_show(said);
    }
}

#[test]
fn usage_rates_are_edits() {
    let mut journey = open(trees::pbs(SEED), "scott").keys("6");
    notice(&journey).must_contain("all stop");
    journey.press("7 8");
    assert_eq!(
        edits(&journey),
        [
            "pace idle",
            "pace steady",
            "pace steady\nrate group2/scott=0"
        ]
    );
    settle(&mut journey);
    journey.must_show("Assumed: ");
    journey.press("9 2.5<enter>");
    assert_eq!(edits(&journey).last(), Some(&"rate group2/scott=2.5"));
    journey.press("t c <enter>");
    assert_eq!(
        edits(&journey).last(),
        Some(&"campaign group2/scott=1 from 0s until 7d")
    );
    settle(&mut journey);
    journey.must_show("░");
    // An account can rest with everything below it, but has no rate of its own.
    let mut journey = open(trees::pbs(SEED), "group2").keys("8");
    assert_eq!(edits(&journey), ["pace steady\nrate group2=0"]);
    let pace = &scenario(&journey).settings().time.pace;
    assert_eq!(pace.rates().count(), 2, "cathy and bob");
    journey.press("9");
    notice(&journey).must_contain("only users run jobs");
}

#[test]
fn a_node_is_drawn_under_each_assumption_with_its_recovery() {
    let mut journey = open(trees::pbs(SEED), "scott").keys("t a");
    settle(&mut journey);
    journey.must_show_all(&[
        "Factor of scott",
        "a all stop",
        "b all go on",
        "c only scott stops",
        "a (all stop): 2nd and on target after 10 d.",
        "b (all go on): stays 4th for 16 d, because group2/scott keeps using 83.3% of all usage; its target is 24.0%.",
        "c (only scott stops): 2nd and on target after 4 d 22 h.",
    ]);
}

#[test]
fn the_decay_of_usage_is_a_setting_of_the_screen() {
    let mut journey = open(trees::pbs(SEED), "scott").keys(",");
    journey.must_show_all(&["fairshare_decay_time ", "fairshare_decay_factor 0.5"]);
    journey.press("<enter> 3600<enter>");
    assert_eq!(edits(&journey), ["set fairshare_decay_time=3600"]);
    settle(&mut journey);
    journey.must_show("by 0.5 every 1 h");
    let mut first = open(trees::pbs(SEED), "scott").keys(",");
    first.must_show("❯ fairshare_decay_time 86400");
    journey.press("1 ,");
    journey.must_show_all(&["❯ unknown_shares 0", "fairshare_decay_time 3600"]);
    let mut journey = Journey::example("flux").keys("4 ,");
    journey.must_show("priority_decay_half_life 604800");
}

#[test]
fn another_half_life_is_drawn_dashed_without_changing_the_scenario() {
    let mut journey = open(trees::pbs(SEED), "scott").keys("8 t h 3d<enter>");
    settle(&mut journey);
    journey.must_show_all(&["a A scott", "dashed", "a half-life of 3 d"]);
    assert_eq!(edits(&journey).len(), 1);
    journey.press("t h 0<enter>");
    journey.must_show("0 is not a half-life");
    journey.press("<ctrl-u><enter>");
    settle(&mut journey);
    journey.must_hide("a A scott");
}

#[test]
fn a_node_without_the_chosen_number_is_drawn_by_another_number() {
    // Under Flux an account has no factor and no rank.
    let mut journey = Journey::example("flux").keys("4");
    settle(&mut journey);
    journey.must_show_all(&[
        "Usage of account1  now day 0",
        "a all stop",
        "The source has no usage bins: all usage is assumed to be of the current half-life period.",
    ]);
    journey.press("t q");
    journey.must_show("Share of its level's usage of account1  now");
    journey.press("t q");
    journey.must_show("Usage of account1  now day 0");
    journey.press("j");
    settle(&mut journey);
    journey.must_show("Factor of leaf.1.1");
    // All nodes are below the root, so it has no rank to reach.
    journey.press("g");
    settle(&mut journey);
    journey.must_show("of root  now day 0");
    journey.must_hide("first to run");
}

/// Returns the words in those lines of a screen that hold a text.
fn tokens<'a>(screen: &'a str, holding: &str) -> Vec<&'a str> {
    let lines = screen.lines().filter(|line| line.contains(holding));
    lines.flat_map(str::split_whitespace).collect()
}

#[test]
fn labels_below_the_axis_never_touch_at_any_width_and_horizon() {
    let mut journey = open(dated(), "suzy");
    for _ in 0..4 {
        journey.press("t -");
    }
    for _ in 0..9 {
        settle(&mut journey);
        for width in (34..=210).step_by(8) {
            journey.resize(width, 30);
            let screen = journey.screen();
            let is_date = |word: &&str| word.len() == 10 && word.starts_with("20");
            let all = tokens(&screen, "2026-11-21");
            let dates: Vec<&str> = all
                .iter()
                .copied()
                .filter(|word| word.contains("20") && !word.contains(':'))
                .collect();
            assert!(dates.iter().all(is_date), "{dates:?} at {width}\n{screen}");
        }
        journey.press("t +");
    }
}

#[test]
fn the_answer_the_assumption_and_the_legend_fit_80_by_24() {
    let mut journey = open(dated(), "suzy");
    journey.resize(80, 24);
    journey.must_show_all(&[
        "Factor  now day 0 · 2026-11-21  step 1 d",
        "now at the end",
        "a suzy",
        "d scott",
        "2026-11-25",
        " suzy: 1st after 10 d (2026-12-01 09:20 UTC).",
        " Assumed: nobody uses anything; ",
        "every 1 d, down to\n 1; the lines span 4 half-lives, 4 d.\n",
    ]);
    journey.press("t a");
    settle(&mut journey);
    journey.must_show_all(&[
        "a all stop 0.382 → 0.379",
        "2026-11-25",
        " a (all stop): 1st after 10 d (2026-12-01 09:20 UTC).",
        " b (all go on): stays 3rd for 16 d, because group2 keeps using 83.3% of all\n usage; its target is 60.0%.\n",
        " c (only suzy stops): stays 3rd for 16 d, because group2 keeps using 83.3% of\n all usage; its target is 60.0%.\n",
        " Assumed: PBS multiplies usage by 0.5 every 1 d, down to 1; the lines span 4\n half-lives, 4 d.\n",
    ]);
}

#[test]
fn recovery_times_count_from_the_clock() {
    let mut journey = open(dated(), "scott").keys("8");
    settle(&mut journey);
    journey.must_show_all(&[" scott: 2nd and on target after 4 d 22 h (2026-11-26 07:00 UTC)."]);
    journey.press("t d 2d<enter>");
    journey.must_show(" scott: 2nd and on target after 2 d 22 h (2026-11-26 07:00 UTC).");
    // A key sets another goal, and the screen keeps it until it is undone.
    journey.press("t g factor>=0.5<enter>");
    settle(&mut journey);
    journey.must_show(" scott: factor 0.5 after ");
    journey.press("t d 4d<enter>");
    journey.must_show(" scott: factor 0.5 on day 4, ");
    journey.press("t g 4<enter>");
    settle(&mut journey);
    journey.must_show(" scott: 4th on day 0.");
    journey.press("t g share>=5%<enter>");
    journey.must_show("time does not change");
    journey.press("<ctrl-u>ahead-of<space>group1/bob<enter>");
    settle(&mut journey);
    journey.must_show_all(&[" scott: ", "ahead of bob "]);
    journey.press("t g");
    journey.must_show("goal of the estimate: ahead-of group1/bob");
    journey.press("<ctrl-u><enter>");
    settle(&mut journey);
    journey.must_show(" scott: 2nd and on target on day 4, 22 h");
    let mut journey = open(dated(), "cathy");
    journey.must_show(" cathy: stays 1st.");
    journey.press(")");
    journey.must_show(" cathy: stays 1st.");
    // An account has the rank of its best user.
    let mut journey = open(dated(), "group1");
    journey.must_show(" group1: its best user 1st now.");
}

#[test]
fn small_screens_show_the_short_sentences_in_full() {
    let mut journey = open(dated(), "suzy").keys("t a");
    settle(&mut journey);
    journey.resize(60, 15);
    journey.must_show_all(&[
        "Factor of suzy",
        "a all stop 0.382 → 0.379",
        "b all go on 0.382 → 0.382",
        "4 d",
        " a: 1st after 10 d",
        " b: stays 3rd for 16 d.",
        " c: stays 3rd for 16 d.",
        " Assumed: PBS multiplies usage by 0.5",
    ]);
}

#[test]
fn marked_nodes_are_drawn_instead_of_rivals() {
    let mut journey = Journey::on(SEED).keys("/cathy<enter><esc> m /scott<enter><esc> m 4");
    settle(&mut journey);
    journey.must_show_all(&["a scott", "b cathy"]);
    journey.must_hide("c bob");
}

#[test]
fn the_screen_can_be_drawn_at_any_size_and_in_ascii() {
    let options = Options {
        is_ascii: true,
        theme: Some("mono".to_owned()),
        ..Options::default()
    };
    let mut journey =
        Journey::with_options(dated(), options).keys("jj 4 7 t c <enter> t h 3d<enter>");
    settle(&mut journey);
    journey.press("t d 10d<enter>");
    for (width, height) in [(80, 24), (120, 40), (72, 16), (71, 16), (40, 12), (30, 8)] {
        journey.resize(width, height);
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{screen}");
    }
    for width in 1..=80 {
        for height in 1..=14 {
            journey.resize(width, height);
        }
    }
    journey.resize(50, 9);
    journey.must_show("too small for a chart");
    journey.resize(72, 16);
    journey.must_show("Assumed: ");
}

/// Opens the Time screen of a Slurm cluster, whose usage halves in 7 days, at a user.
fn of_slurm(name: &str) -> Journey {
    let loaded = load_path(data("slurm/gold")).expect("it can be read");
    let mut journey = Journey::with(loaded.snapshot).keys(&format!("/{name}<enter><esc> 4"));
    settle(&mut journey);
    journey
}

#[test]
fn each_assumption_says_what_becomes_of_the_rank_and_why() {
    let mut journey = of_slurm("alice");
    journey.must_show_all(&[
        " a (all stop): all usage shrinks alike, so nobody moves.",
        " b (all go on): stays 10th, because science/physics/alice keeps using 88.9% of science/physics; its target is 62.5%.",
        " c (only alice stops): 4th and on target after 15 d 20 h (2026-12-06 22:",
    ]);
    let mut journey = Journey::with(load_path(data("slurm_jobs")).expect("a tree").snapshot)
        .keys("/o13<enter><esc> 4");
    settle(&mut journey);
    journey.must_show_all(&[
        " a (all stop): all usage shrinks alike, so nobody moves.",
        " b (all go on): stays 23rd, because ops keeps using 33.6% of all usage; its target is 16.5%.",
        " c (only o13 stops): 22nd after 9 min",
        "the lines span 4 half-lives, 40 min.",
        "20 min",
    ]);
}

#[test]
fn flat_factors_are_said_and_usage_is_shown_beside_them() {
    let mut journey = of_slurm("alice");
    journey.must_show_all(&[
        "Factor of alice",
        "The factor of a stays the same. Usage: a 9.88 M → 618 k.",
    ]);
    // Nobody uses anything, so no factor of the lines changes, and usage does.
    journey.press("t a");
    settle(&mut journey);
    journey.must_show_all(&[
        "Usage  now day 0",
        "No factor changes here, so usage is drawn.",
    ]);
    // Keys still choose what is drawn.
    journey.press("t q t q");
    journey.must_show("Factor  now day 0");
    journey.must_hide("No factor changes here");
}

#[test]
fn the_lines_span_half_lives_until_a_length_is_chosen() {
    let mut journey = of_slurm("alice");
    journey.must_show_all(&["the lines span 4 half-lives, 28 d.", "28 d"]);
    journey.press("t +");
    settle(&mut journey);
    assert_eq!(notice(&journey), "horizon: 30 d");
    journey.must_hide("half-lives");
    journey.press("t -");
    settle(&mut journey);
    assert_eq!(notice(&journey), "horizon: 14 d");
    // Without a half-life it is a month.
    let mut snapshot = load_path(data("slurm/gold")).expect("a tree").snapshot;
    snapshot.settings.slurm.decay_half_life = 0;
    let mut journey = Journey::with(snapshot).keys("/alice<enter><esc> 4");
    settle(&mut journey);
    journey.must_show("30 d");
    journey.must_hide("half-lives");
}
