//! A series of dumps in the explorer: it opens on the newest, keys step through it, and a page shows a node's history.

use crate::support::dumps::four_days;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, told};
use fairscope::format::{Request, SourceKind};
use fairscope::tui::{Effect, Message, Options, Task, Work};

/// Opens a directory of dumps.
fn open(folder: &std::path::Path) -> Journey {
    let mut journey = Journey::empty(Options::default());
    let request = Request::to_open(folder);
    let effects = journey.app.update(Message::Open(Box::new(request)));
    journey.effects.extend(effects);
    journey.answer();
    journey
}

/// Answers the newest read request as its thread would.
fn read(journey: &mut Journey) {
    let reloading = journey
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Work(Work::Run(job)) if matches!(job.task, Task::Reload(_)) => {
                Some(job.clone())
            }
            _ => None,
        });
    journey.effects.clear();
    let reloading = reloading.expect("something is to be read");
    for message in told(*reloading, "12:00:00", None) {
        journey.send(message);
    }
}

fn title(journey: &mut Journey) -> String {
    journey.screen().lines().next().unwrap().to_owned()
}

#[test]
fn a_directory_of_dumps_opens_on_the_newest_and_the_title_says_which() {
    let folder = four_days();
    let mut journey = open(folder.path());
    title(&mut journey).must_contain("2025-04-06 · dump 5 of 5");
    journey.must_show("{ and } show the previous and the next");
}

#[test]
fn keys_step_through_the_dumps_and_keep_the_cursor_and_the_edits() {
    let folder = four_days();
    let mut journey = open(folder.path());
    journey.press("x G");
    while journey.selected() != "suzy" {
        journey.press("k");
    }
    journey.press("+ {");
    read(&mut journey);
    journey.press("{");
    read(&mut journey);
    title(&mut journey).must_contain("2025-04-04 · dump 3 of 5");
    title(&mut journey).must_contain("1 edit");
    assert_eq!(journey.selected(), "suzy");
    journey.must_show("no ranks differ between 2025-04-05 and 2025-04-04");
    journey.row("bob");
    journey.press("}");
    read(&mut journey);
    title(&mut journey).must_contain("2025-04-05 · dump 4 of 5");
}

#[test]
fn keys_step_through_days_that_were_computed_from_jobs() {
    let mut journey = Journey::example("month").keys("x");
    title(&mut journey).must_contain("2026-03-31 · dump 30 of 30");
    let now = journey.row("bob");
    journey.press("+ {{{");
    read(&mut journey);
    title(&mut journey).must_contain("2026-03-28");
    title(&mut journey).must_contain("dump 27 of 30");
    title(&mut journey).must_contain("1 edit");
    assert_ne!(journey.row("bob"), now);
    journey.press("u }}}");
    read(&mut journey);
    title(&mut journey).must_contain("dump 30 of 30");
    journey.press("B");
    journey.answer();
    let screen = journey.screen();
    screen.must_contain("30 moments, computed from jobs");
}

#[test]
fn a_held_key_continues_from_the_dump_being_read() {
    let folder = four_days();
    let mut journey = open(folder.path());
    journey.press("{{{");
    read(&mut journey);
    title(&mut journey).must_contain("dump 2 of 5");
    journey.press("{{{{");
    journey.must_show("this is the oldest dump, from 2025-04-01");
    read(&mut journey);
    title(&mut journey).must_contain("dump 1 of 5");
}

#[test]
fn a_deleted_dump_leaves_the_screen_unchanged() {
    let folder = four_days();
    let mut journey = open(folder.path());
    std::fs::remove_file(folder.path().join("gold-2025-04-05.csv")).unwrap();
    journey.press("{");
    read(&mut journey);
    title(&mut journey).must_contain("dump 5 of 5");
    journey.must_show("not reloaded");
    journey.press("{");
    assert!(matches!(
        journey.effects.last(),
        Some(Effect::Work(Work::Run(_)))
    ));
}

#[test]
fn a_single_tree_has_no_series() {
    let mut journey = Journey::example("small");
    journey.press("{");
    journey.must_show("this tree is not part of a series");
    journey.press("B");
    journey.must_show("this tree is not part of a series");
}

#[test]
fn the_history_of_a_node_is_drawn_with_its_gaps() {
    let folder = four_days();
    let mut journey = open(folder.path()).size(100, 50);
    journey.press("x G");
    while journey.selected() != "zoe" {
        journey.press("k");
    }
    journey.press("B");
    journey.answer();
    insta::assert_snapshot!(journey.screen(), @"
    fairscope  gold-2025-04-06.csv  csv · Slurm Fair Tree  2025-04-06 · dump 5 of 5  1 problem
    1 Tree  2 Ranking  3 Policies  4 Time  5 Plan
    History of b/zoe
      5 dumps under Slurm Fair Tree, 2025-04-01 to 2025-04-06, one a day; 1 is missing.

    b/zoe  not in 2 dumps
      Rank: 1 throughout
      Factor: 1.000000 throughout
      Usage
      60 │
         │                        ●─────●
         │                        │
      40 │                       ╭╯
         │                      ╭╯
         │                     ╭╯
      20 │                    ╭╯
         │                    │
         │                   ╭╯
       0 │                  ●╯
         └───────────────────────────────
          2025-04-01           2025-04-06
      Shares: 1 throughout
      NormShares: 0.500000 throughout

      When            Shares  NormShares  Usage    Factor  Rank
      2025-04-01   not there
      2025-04-02   not there
      … 1 missing
      2025-04-04           1    0.500000      0  1.000000     1
      2025-04-05           1    0.500000     50  1.000000     1
      2025-04-06           1    0.500000     50  1.000000     1

    What changed between the dumps
      When         Nodes  Users  Usage  Added  Removed  New shares   Diluted  New ranks  Largest move
      2025-04-01       6      3    800
      2025-04-02       6      3  1,600                                                2  a/bob 1 → 3
      … 1 missing
      2025-04-04       7      4  1,600      1                    1  2 -50.0%          3  a/bob 3 → 4
      2025-04-05       6      3    750               1
      2025-04-06       6      3    750









    y copy  w save  j scroll  : actions  q back
    ");
}

#[test]
fn marked_nodes_share_the_page_which_follows_the_dump() {
    let folder = four_days();
    let mut journey = open(folder.path()).size(100, 120);
    journey.press("x gj m j m B");
    journey.answer();
    let screen = journey.screen();
    screen.must_contain("5 dumps under");
    journey.press("{");
    read(&mut journey);
    journey.answer();
    title(&mut journey).must_contain("dump 4 of 5");
    journey.must_show("5 dumps under");
    journey.press("<esc>");
    journey.row("ann");
}

#[test]
fn the_history_is_drawn_in_ascii_on_an_ascii_screen() {
    let folder = four_days();
    let mut journey = Journey::empty(Options {
        is_ascii: true,
        ..Options::default()
    });
    let effects = journey.app.update(Message::Open(Box::new(Request {
        source: SourceKind::Series(vec![folder.path().to_owned()]),
        ..Request::default()
    })));
    journey.effects.extend(effects);
    journey.answer();
    journey.press("j B");
    journey.answer();
    assert!(journey.screen().is_ascii(), "{}", journey.screen());
    journey.must_hide("?");
}
