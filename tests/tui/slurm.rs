//! Trees of Slurm and Flux in the explorer: what was verified, and when recorded numbers come first.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::loading::load_quietly;
use crate::support::{data, golden, trees};
use fairscope::format::{Request, SourceKind};
use fairscope::tui::{Message, Options};
use std::path::PathBuf;

/// Opens files of the test data. The first one is the source.
fn open(files: &[&str]) -> Journey {
    open_paths(files.iter().map(|file| data(file)).collect())
}

fn open_paths(mut paths: Vec<PathBuf>) -> Journey {
    let request = Request {
        source: SourceKind::Path {
            path: paths.remove(0),
            more: paths,
        },
        ..Request::default()
    };
    let loaded = load_quietly(&request);
    let mut journey = Journey::empty(Options::default());
    let loaded = loaded.expect("it can be read");
    journey.send(Message::Loaded(trees::opened(loaded)));
    journey.press("<esc>");
    journey
}

fn three_levels() -> Journey {
    open(&[
        "slurm/three_levels/sshare_a_l_P.txt",
        "slurm/three_levels/scontrol_show_config.txt",
    ])
}

fn line(journey: &mut Journey, number: usize) -> String {
    let screen = journey.screen();
    screen.lines().nth(number).unwrap_or_default().to_owned()
}

#[test]
fn the_title_shows_the_cluster_and_that_the_dump_is_verified() {
    let mut journey = three_levels().size(80, 24);
    let title = line(&mut journey, 0);
    assert_eq!(
        title,
        " sshare_a_l_P.txt  Slurm 24.11.5 on gold · Fair Tree  ✓ verified 14/14"
    );
    journey.resize(120, 40);
    line(&mut journey, 0).must_begin(" fairscope  sshare_a_l_P.txt  Slurm 24.11.5 on gold");
}

#[test]
fn a_narrow_title_shows_edits_before_the_mark() {
    let mut journey = three_levels().size(80, 24).keys("+");
    let title = line(&mut journey, 0);
    title.must_contain("Fair Tree  1 edit ●");
}

#[test]
fn under_another_policy_the_title_names_the_policy_of_the_dump() {
    let mut journey = three_levels().keys("p");
    journey.answer();
    let expected = "policy: Slurm classic (the dump used Slurm Fair Tree)";
    assert_eq!(notice(&journey), expected);
    let title = line(&mut journey, 0);
    let expected = "Slurm 24.11.5 on gold · policy: classic (dump: Fair Tree, verified 14/14)";
    title.must_contain(expected);
    title.must_lack("✓");
    journey.resize(80, 24);
    let title = line(&mut journey, 0);
    let expected = " sshare_a_l_P.txt  policy: classic (dump: Fair Tree, verified 14/14)";
    title.must_contain(expected);
}

#[test]
fn one_key_shows_the_output_of_check() {
    let mut journey = three_levels().keys("!");
    journey.answer();
    let screen = journey.screen();
    for text in [
        "Source: no problems",
        "verified 23/23 NormShares",
        "14/14 FairShare",
        "the cluster ranks by Fair Tree: 23 of 23 rows",
    ] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    journey.press("<esc>");
    assert!(journey.app.dialog().is_none());
}

#[test]
fn problems_and_findings_are_beside_what_was_verified() {
    let mut journey = open(&["slurm/three_levels/sshare_plain.txt"]).keys("!");
    journey.answer();
    let screen = journey.screen();
    for text in ["nothing verified: users are missing", "slurm-users-missing"] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    // The dump lists no users, so an account cannot be reported as empty.
    screen.must_lack("account-without-users");
}

#[test]
fn ranks_undecided_by_truncated_usage_are_slurms_own_also_after_an_undo() {
    let mut journey = open(&["slurm/undecided/sshare_a_l_P.txt"]).size(80, 24);
    let title = line(&mut journey, 0);
    title.must_end("✓ verified 19/19");
    let heading = line(&mut journey, 2);
    heading.must_lack("FairShare");
    journey.press("jj");
    // Its LevelFS is printed like that of eleven siblings. Only the printed rank shows the order.
    let row = journey.row("pp01");
    row.must_contain(" 0.526316 ");
    journey.must_hide("Slurm's own");
    journey.press("+");
    let heading = line(&mut journey, 2);
    heading.trim_end_matches('»').must_end("Δ");
    journey.press("u");
    journey.row("pp01").must_contain(" 0.526316 ");
}

#[test]
fn an_incomplete_dump_is_reported() {
    let mut journey = open(&["slurm/three_levels/sshare_plain.txt"]);
    let title = line(&mut journey, 0);
    title.must_contain("  part of a tree: 1 of ? users");
    line(&mut journey, 2).must_lack("FairShare");
    let screen = journey.screen();
    screen.must_contain("ranks are not known, and FairShare only as printed");
}

#[test]
fn stored_factors_of_flux_are_shown_first_when_they_are_outdated() {
    let Some(folder) = golden("flux") else {
        return;
    };
    let mut journey = open_paths(vec![folder.join("30_nested_tied_banks/input.db")]);
    let heading = line(&mut journey, 2);
    heading.must_contain("fairshare   Factor");
    let screen = journey.screen();
    screen.must_contain("the stored fairshare is older than the stored shares and usage");
}

#[test]
fn associations_of_a_user_are_told_apart_by_their_partition() {
    let mut journey = open(&["slurm/partitions/sshare_a_m_P.txt"]);
    for keys in ["1", "2"] {
        journey.press(keys);
        for name in ["ada@batch", "ada@debug", "ada@gpu"] {
            journey.row(name);
        }
    }
}

#[test]
fn recorded_columns_are_offered_with_their_meaning() {
    let mut journey = three_levels().size(200, 40).keys("d d vc recorded");
    let screen = journey.screen();
    for text in [
        "[ ] FairShare, recorded",
        "Slurm's factor as it enters job priority",
    ] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    while !journey.screen().contains("❯ [ ] FairShare, recorded") {
        journey.press("<down>");
    }
    journey.press("<enter> <esc>");
    line(&mut journey, 2).must_contain("FairShare");
}

#[test]
fn priority_points_are_shown_when_the_weight_is_known() {
    let mut journey = three_levels();
    line(&mut journey, 2).must_contain("Points");
    let mut journey = open(&["slurm/three_levels/sshare_a_l_P.txt"]);
    line(&mut journey, 2).must_lack("Points");
}
