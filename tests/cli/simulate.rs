//! `simulate`: its output, its errors and its exit codes.

use super::seed;
use crate::support::command::{Ran, Run, answered};
use crate::support::data;
use crate::support::expected::Expected as _;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A tree with a known date. Tests set `moment` and alice's usage.
const TREE: &str = r#"fairscope = 1
policy = "fair-tree"
scheduler = "slurm"
usage_unit = "billing"
taken = "MOMENT"

[settings]
PriorityDecayHalfLife = "7-0"

[tree]
rows = '''
physics 60
  alice 1 ALICE
  bob 1 1000000
chemistry 40
  carol 1 1000000
'''
"#;

fn tree(folder: &Path, moment: &str, alice: &str) -> PathBuf {
    let path = folder.join(format!("{}.toml", &moment[..10]));
    let text = TREE.replace("MOMENT", moment).replace("ALICE", alice);
    std::fs::write(&path, text).expect("it can be written");
    path
}

fn simulate<S: AsRef<OsStr>>(path: &Path, args: &[S]) -> Ran {
    Run::fairscope(["simulate", path.to_str().expect("UTF-8")])
        .args(args)
        .run()
}

fn simulate_example<S: AsRef<OsStr>>(args: &[S]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let path = tree(folder.path(), "2026-11-21T00:00:00Z", "9000000");
    simulate(&path, args)
}

#[test]
fn assumptions_come_before_the_table_and_the_answer_after_it() {
    let text = simulate_example(&[
        "--until",
        "14d",
        "--step",
        "7d",
        "--node",
        "alice",
        "--pace",
        "steady",
        "--idle",
        "alice",
        "--goal",
        "ahead-of bob",
    ])
    .success();
    insta::assert_snapshot!(text, @"
    Assumed under Slurm Fair Tree:
      everybody uses just enough to keep their usage constant
      but physics/alice uses nothing
      Slurm halves usage in 7 d, applied every 5 min

    Usage
    10.0 M │
           │●───╮
           │    ╰────╮
           │         ╰───╮
    5.00 M │             ╰───●╮
           │                  ╰────────╮
           │                           ╰─────●
           │
         0 │
           └──────────────────────────────────
            2026-11-21 00:00  2026-12-05 00:00
    Of level
    90.0% │●───╮
          │    ╰──────╮
          │           ╰─────●╮
    80.0% │                  ╰───╮
          │                      ╰───╮
          │                          ╰───╮
    70.0% │                              ╰──●
          │
          │
    60.0% │
          └──────────────────────────────────
           2026-11-21 00:00  2026-12-05 00:00
    Factor: 0.333333 throughout
    Rank: 3 throughout

    Path           When               Usage  Of level    Factor  Rank
    physics/alice  2026-11-21 00:00  9.00 M     90.0%  0.333333     3
    physics/alice  2026-11-28 00:00  4.50 M     81.8%  0.333333     3
    physics/alice  2026-12-05 00:00  2.25 M     69.2%  0.333333     3

    physics/alice is ahead of physics/bob in 22 d 4 h (2026-12-13 04:40): rank 2, factor 0.666667; one step before, it is rank 3, factor 0.333333.
    ");
}

#[test]
fn on_target_is_the_default_goal() {
    let steady = [
        "--until", "30d", "--node", "alice", "--pace", "steady", "--idle", "alice",
    ];
    let ran = simulate_example(&steady);
    let unasked = ran.success();
    let sentence = "physics/alice is on target in 22 d 4 h (2026-12-13 04:40): uses 49.999% of physics, \
                    target 50.000%; one step before, it uses 50.008% of physics, target 50.000%. Above it then: physics \
                    is over its target (uses 66.7% of all usage, target 60.0%).";
    unasked.must_contain(sentence);
    for goal in [&["--goal"][..], &["--goal", "on-target"]] {
        assert_eq!(
            simulate_example(&[&steady[..], goal].concat()).success(),
            unasked
        );
    }
    // A goal that was asked for and is not reached gives exit code 1. Without a goal the run succeeds.
    let idle = ["--until", "30d", "--node", "alice"];
    let told = simulate_example(&idle).success();
    let sentence = "physics/alice is never on target at this pace. All usage shrinks alike, so nobody \
        moves. It then uses 90.0% of physics, target 50.0%. Above it then: physics is over its target (uses 90.9% of all usage, target \
                    60.0%).";
    told.must_contain(sentence);
    let asked = simulate_example(&[&idle[..], &["--goal", "on-target"]].concat());
    assert_eq!(asked.code, Some(1));
    // Without a node there is no question about a goal.
    let text = simulate_example(&["--until", "30d"]).success();
    text.must_lack("on target");
}

#[test]
fn json_has_the_target_and_usage_of_each_level_of_the_path() {
    let args = ["--until", "1d", "--node", "bob", "--format-out", "json"];
    let json = simulate_example(&args).success();
    json.must_contain(r#""goal": "on-target", "reached": "2026-11-21T00:00:00Z""#);
    json.must_contain(r#""levels": [{"path": "physics", "used": 0.9090909090909091, "target": 0.6, "on_target": false}, {"path": "physics/bob", "used": 0.1, "target": 0.5, "on_target": true}]"#);
}

#[test]
fn a_goal_on_target_is_refused_for_nodes_without_a_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = tree(folder.path(), "2026-11-21T00:00:00Z", "9000000");
    let text = std::fs::read_to_string(&path).expect("it can be read");
    std::fs::write(&path, text.replace("bob 1 ", "bob parent ")).expect("it can be written");
    let unasked = simulate(&path, &["--until", "1d", "--node", "bob"]).success();
    unasked.must_lack("target");
    let asked = simulate(&path, &["--until", "1d", "--node", "bob", "--goal"]);
    let error = asked.failure(2);
    error.must_contain(
        "physics/bob has no target of its own: its shares are `parent`; ask for a rank or a factor",
    );
}

#[test]
fn a_goal_that_idle_decay_cannot_reach_gives_exit_code_1() {
    let ran = simulate_example(&["--until", "30d", "--node", "alice", "--goal", "rank<=1"]);
    assert_eq!(ran.code, Some(1));
    let text = ran.text();
    text.must_contain("physics/alice is never at rank 1 at this pace. All usage shrinks alike, so nobody moves. It");
}

#[test]
fn the_effect_of_a_campaign_is_not_reported_as_the_end_of_decay() {
    let args = ["--until", "30d", "--node", "bob", "--goal", "rank<=1"];
    let ran = simulate_example(&[&args[..], &["--campaign", "bob=1000:1d..2d"]].concat());
    assert_eq!(ran.code, Some(1));
    let text = ran.text();
    text.must_contain("physics/bob is never at rank 1 at this pace. The campaigns are over then, and all usage shrinks alike, \
        so nobody moves. It then has rank 3");
}

#[test]
fn another_half_life_is_shown_in_a_second_column() {
    let args = [
        "--until",
        "14d",
        "--step",
        "7d",
        "--node",
        "alice",
        "--compare",
        "PriorityDecayHalfLife=14-0",
    ];
    let text = simulate_example(&args).success();
    text.must_contain("with PriorityDecayHalfLife=14-0: Slurm halves usage in 14 d");
    // The times at which each node is on target follow the table.
    let last = text
        .lines()
        .rfind(|line| line.starts_with("physics/alice  "));
    let last = last.expect("a row");
    let cells: Vec<&str> = last.split("  ").filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[2].trim(), "2.25 M", "{text}");
    assert_eq!(cells[6].trim(), "4.50 M", "{text}");
    text.must_lack("makes no difference");
    // A setting of another scheduler has no effect, and the output says so.
    let text = simulate_example(&[&args[..7], &["fairshare_decay_factor=0.25"]].concat()).success();
    text.must_contain("with fairshare_decay_factor=0.25: Slurm halves usage in 7 d, applied every 5 min; it changes nothing \
             shown here\n");
}

#[test]
fn usage_rates_are_measured_from_an_older_snapshot() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = tree(folder.path(), "2026-11-14T00:00:00Z", "2000000");
    let new = tree(folder.path(), "2026-11-21T00:00:00Z", "9000000");
    let old = old.to_str().expect("UTF-8");
    let text = simulate(&new, &["--until", "7d", "--pace", old]).success();
    text.must_contain("everybody continues as in the 7 d between");
    text.must_contain("by 3 users");
    let new = new.to_str().expect("UTF-8");
    let ran = simulate(Path::new(old), &["--until", "7d", "--pace", new]);
    assert_eq!(ran.code, Some(2));
    ran.stderr.must_contain("was not taken before");
}

#[test]
fn csv_has_a_row_for_each_node_and_moment_and_answers_on_standard_error() {
    let ran = simulate_example(&[
        "--until",
        "2d",
        "--step",
        "1d",
        "--charge",
        "bob=64",
        "--node",
        "alice",
        "--node",
        "bob",
        "--goal",
        "ahead-of carol",
        "--format-out",
        "csv",
    ]);
    let said = ran.stderr.clone();
    let text = ran.text();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("path,seconds,time,usage,usage_share,factor,rank")
    );
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 6);
    rows[4].must_begin("physics/bob,86400,2026-11-22T00:00:00Z,");
    assert_eq!(said.lines().count(), 2, "{said}");
}

#[test]
fn days_are_numbered_if_the_date_is_unknown() {
    let csv = "parent,name,shares,usage,type\n,physics,1,,account\nphysics,alice,1,100,user\n";
    let ran = Run::fairscope(["simulate", "-", "--until", "36h", "--step", "12h"])
        .input(csv)
        .run();
    let text = ran.success();
    text.must_contain("day 0 ");
    text.must_contain("day 1 12:00 ");
    let json = Run::fairscope([
        "simulate",
        "-",
        "--until",
        "36h",
        "--step",
        "12h",
        "--format-out",
        "json",
    ])
    .input(csv)
    .run()
    .success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(
        json["times"],
        serde_json::json!([0, 43_200, 86_400, 129_600])
    );
}

#[test]
fn edits_and_elapsed_time_come_before_the_simulation() {
    let text = simulate_example(&[
        "--edit",
        "wait 7d",
        "--edit",
        "usage alice=0",
        "--until",
        "2026-11-29",
        "--node",
        "alice",
    ])
    .success();
    text.must_contain("2026-11-28 00:00");
    text.must_contain("2026-11-29 00:00");
    text.must_lack("2026-11-21 00:00");
}

#[test]
fn impossible_simulations_are_refused_with_a_reason() {
    let cases = answered("
        --until 0
            --until cannot be 0; expected a duration such as 1d
        --until 2026-11-20
            --until 2026-11-20 is in the past: the simulation begins at 2026-11-21 00:00; give a later moment, or a duration such as 14d
        --until soon
            --until soon is neither a duration nor a date; expected one such as 14d, 1.5h, 2-12:00:00, 2026-12-02 or 2026-12-02T20:51:03Z
        --until 1:30
            --until: 1:30 has two meanings; write 1h30m or 1m30s
        --until 9999999d
            --until 9999999d: that is past the year 9999; expected a time before it, such as 7d
        --until 7d --node bob --goal rank<=1 --horizon 9999999d
            --horizon 9999999d: that is past the year 9999; expected a time before it, such as 7d
        --until 7d --compare PriorityDecayHalfLife=soon
            --compare: PriorityDecayHalfLife cannot be soon; expected a number of minutes, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00, HH:MM:SS or MM:SS; 0 never decays
        --until 7d --step 0
            --step cannot be 0; expected a duration such as 1d
        --until 7d --step often
            --step: often is not a duration; expected a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00 or HH:MM:SS
        --until 365d --step 1s
            too many numbers: 31,536,001 moments of 3 nodes; expected at most 100,000 moments and 2,000,000 numbers of each kind; choose a longer --step, or fewer nodes
        --until 7d --node zoe
            unknown node 'zoe'; write the path from the root, as in group/user, or a name that occurs once
        --until 7d --charge physics=4
            --charge 'physics=4': physics is no user and runs no jobs itself; set the rate of a user below it
        --until 7d --charge zoe=4
            --charge 'zoe=4': unknown node 'zoe'; write the path from the root, as in group/user, or a name that occurs once
        --until 7d --campaign bob=4
            --campaign 'bob=4': it is not complete; expected PATH=RATE:FROM..UNTIL, as in group1/bob=64:3d..10d
        --until 7d --campaign bob=4:3d..2d
            --campaign 'bob=4:3d..2d': the campaign ends before it begins; expected times such as from 3d until 10d
        --until 7d --pace fast
            --pace fast is not idle, steady or an existing file; expected one of the three
        --until 7d --node bob --goal share>=0.1
            time does not change a share of the tree; use `fairscope solve`, or a goal such as rank<=3, factor>=0.5 or ahead-of PATH
        --until 7d --node bob --goal 'ahead-of bob'
            physics/bob cannot be ahead of itself; name another user or account
    ", &[]);
    for (args, sentence) in cases {
        let ran = simulate_example(&args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert_eq!(ran.stderr, format!("fairscope: {sentence}\n"));
    }
    let two_lines = ["--until", "7d", "--charge", "bob=4\nrate carol=4"];
    let sentence =
        "--charge 'bob=4\\nrate carol=4': it has more than one line; use one option for each user";
    let error = simulate_example(&two_lines).failure(2);
    assert_eq!(error, format!("fairscope: {sentence}\n"));
}

#[test]
fn trees_of_every_scheduler_can_be_simulated() {
    let sources = [
        PathBuf::from(seed()),
        data("slurm/gold"),
        data("flux/45_wal_after_update_fshare/input.db"),
    ];
    for source in sources {
        for pace in ["idle", "steady"] {
            let ran = simulate(&source, &["--until", "7d", "--pace", pace]);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let text = ran.text();
            text.must_begin("Assumed under ");
        }
        let markdown = simulate(&source, &["--until", "7d", "--format-out", "markdown"]).text();
        markdown.must_contain("| Path | When |");
    }
}

#[test]
fn an_unreached_goal_is_explained_in_the_terms_of_the_scheduler() {
    let cases: &[(&str, &[&str], &str)] = &[
        (
            "example:small",
            &["--node", "scott", "--goal", "rank<=1", "--pace", "steady"],
            "group2/scott is never at rank 1 at this pace. group2 keeps using 83.3% of all usage; its target is 60.0%. \
             It then has rank 4 and factor 0.090201, group1/",
        ),
        (
            "example:flux",
            &["--node", "leaf.1.2", "--goal", "rank<=3", "--horizon", "5d"],
            "account1/leaf.1.2 is not at rank 3 or better within 5 d. Nobody uses anything, and usage does not decay by then. It then has rank 7",
        ),
        (
            "example:flux",
            &[
                "--node",
                "leaf.1.2",
                "--goal",
                "rank<=3",
                "--horizon",
                "20d",
            ],
            "account1/leaf.1.2 is not at rank 3 or better within 20 d. All usage shrinks alike, \
        so nobody moves until the oldest bins are dropped",
        ),
        (
            "example:flux",
            &["--node", "leaf.1.2", "--goal", "rank<=3"],
            "account1/leaf.1.2 is at rank 3 or better in 28 d",
        ),
        (
            "example:small",
            &["--node", "unknown", "--goal", "rank<=1"],
            "unknown is never at rank 1 at this pace. Only users have a rank, and it has no users.\n",
        ),
    ];
    for (source, args, sentence) in cases {
        let ran = simulate(Path::new(source), &["--until", "7d"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ran = Run::fairscope(["simulate", source, "--until", "7d"])
            .args(*args)
            .run();
        let text = ran.text();
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
    // A goal within an account is not explained by the standing of the account.
    let gold = data("slurm/gold");
    let ran = simulate(
        &gold,
        &[
            "--until",
            "7d",
            "--pace",
            "steady",
            "--node",
            "leo",
            "--goal",
            "ahead-of kate",
        ],
    );
    let text = ran.text();
    let sentence = "engineering/ee/leo is never ahead of engineering/ee/kate at this pace. engineering/ee/leo keeps \
                    using 50.0% of engineering/ee; its target is 33.3%.";
    text.must_contain(sentence);
}

/// Returns a copy of the seed tree whose files were written so long after the last decay.
fn seed_copied_after(seconds: u64) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for file in ["resource_group", "sched_config", "usage"] {
        let path = copy.path().join(file);
        std::fs::copy(data("seed").join(file), &path).expect("it can be copied");
        let file = std::fs::File::options().write(true).open(&path);
        // According to the usage file, PBS last decayed at 1,700,000,000.
        let written =
            std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + seconds);
        file.and_then(|file| file.set_modified(written))
            .expect("its time can be set");
    }
    copy
}

#[test]
fn an_old_copy_starts_at_its_last_decay() {
    let copy = seed_copied_after(1104 * 86_400);
    let text = simulate(copy.path(), &["--until", "2d", "--node", "scott"]).success();
    let lines = "  the usage file is dated 1104 d after its last decay, as a copy is; time starts at that decay\n  \
                 PBS multiplies usage by 0.5 every 1 d, down to 1\n";
    text.must_contain(lines);
    text.must_contain("2023-11-14 22:13:20");
    text.must_contain("    500  ");
    text.must_lack("    125  ");
}

#[test]
fn overdue_decays_are_reported() {
    let copy = seed_copied_after(20 * 3600);
    let args = ["--edit", "set fairshare_decay_time=01:00:00"];
    let text = simulate(copy.path(), &[&["--until", "1d"][..], &args].concat()).success();
    let line = "  PBS multiplies usage by 0.5 every 1 h, down to 1; the last decay was 20 h 10 min ago, so the next cycle \
                applies it 20 times\n";
    text.must_contain(line);
    text.must_lack("is dated");
}

#[test]
fn a_date_in_the_past_is_refused() {
    let cases = answered(
        "
        --until -3d
            --until -3d is in the past; expected a duration after the time of the source, such as 14d
        --until 3d --edit 'wait -3d'
            -3d is in the past; the clock only moves forward, and undo moves it back
        --until 3d --edit 'wait 10d' --campaign bob=4:1d..3d
            the campaign ends before the clock, which is at 10 d after the time of the source; a campaign counts from there: choose a later end, or plan it before stepping forward
        --until 3d --node bob --seed 4
            '--node <PATH>' cannot be used with '--seed <S>'
        --until 3d --cores 4 --demand -1
            --demand '-1': expected a number of cores or unlimited
        ",
        &[],
    );
    for (args, sentence) in cases {
        simulate_example(&args).failure(2).must_contain(sentence);
    }
}

#[test]
fn a_user_on_target_below_accounts_that_are_not_is_told_so_first() {
    let args = [
        "simulate",
        "example:site",
        "--until",
        "1d",
        "--node",
        "physics/astro/alice",
    ];
    let text = Run::fairscope(args).run().text();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Above physics/astro/alice, physics is over its target (uses 56.7% of all usage, target 40.0%); \
                physics/astro is over its target";
    assert!(words.contains(said), "{text}");
    assert!(
        words.contains("physics/astro/alice itself is on target now: uses"),
        "{text}"
    );
}

#[test]
fn a_steady_pace_swings_between_the_decays_of_pbs() {
    let args = [
        "simulate",
        &super::seed(),
        "--until",
        "1d",
        "--node",
        "scott",
        "--pace",
        "steady",
    ];
    let text = Run::fairscope(args).run().text();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("so usage rises between decays and falls at each"),
        "{text}"
    );
    assert!(!words.contains("keep their usage constant"), "{text}");
}

#[test]
fn without_an_end_the_forecast_spans_half_lives_and_says_so() {
    let gold = data("slurm/gold").into_os_string();
    let gold = gold.to_str().expect("UTF-8");
    let text = Run::fairscope(["simulate", gold, "alice"]).run().text();
    text.must_contain("  the forecast spans 4 half-lives, 28 d\n");
    let asked = Run::fairscope(["simulate", gold, "alice", "--until", "14d"]).run();
    asked.text().must_lack("half-lives");
    // Nothing halves usage, so it is a month.
    let still = [
        "simulate",
        gold,
        "alice",
        "--set",
        "PriorityDecayHalfLife=0",
    ];
    let text = Run::fairscope(still).run().text();
    text.must_lack("half-lives");
    text.must_contain("2026-12-21 02:11:04");
}

#[test]
fn lines_that_coincide_are_drawn_once() {
    let tree = "parent,name,shares,usage,type\n,a,1,8,user\n,b,1,8,user\n,c,2,1,user\n";
    let args = ["simulate", "-", "--until", "14d", "--policy", "fair-tree"];
    let text = Run::fairscope(args).input(tree.to_owned()).run().text();
    text.must_contain("Usage (a, b are one line)\n");
    let html = Run::fairscope(args.iter().chain(&["-o", "html"]));
    html.input(tree.to_owned())
        .run()
        .text()
        .must_contain(">a, b</text>");
}
