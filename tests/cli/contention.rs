//! `simulate --cores`: its output, its errors, and the same output for the same seed.

use super::seed;
use crate::support::command::{Ran, Run, answered};
use crate::support::data;
use crate::support::expected::Expected as _;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

fn run<S: AsRef<OsStr>>(source: &str, args: &[S]) -> Ran {
    Run::fairscope(["simulate", source]).args(args).run()
}

/// Runs on PBS's example at a fixed moment, because PBS's first decay depends on the moment and a checkout sets it. The
/// example's usage is small compared with a day of the machine.
fn run_example<S: AsRef<OsStr>>(args: &[S]) -> Ran {
    let taken = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["resource_group", "sched_config", "sched_formula", "usage"] {
        let copy = folder.path().join(name);
        std::fs::copy(Path::new(&seed()).join(name), &copy).expect("the example");
        let file = File::options().write(true).open(copy).expect("a copy");
        file.set_modified(taken).expect("a time");
    }
    run(folder.path().to_str().expect("UTF-8"), args)
}

fn json(args: &[&str]) -> serde_json::Value {
    let text = run_example(&[args, &["--format-out", "json"]].concat()).success();
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn the_report_shows_the_verdict_then_the_machine_then_the_table() {
    let text = run_example(&["--until", "30d", "--cores", "64", "--job-time", "30m"]).success();
    insta::assert_snapshot!(text, @"
    PBS fairshare does not converge: the top level comes within 5.0% of its targets after 3 d, but group2/scott gets 18.7%, target 24.0% (-22.0%).
    Over windows of 1 d the top level swings by 0.5% of the machine; Jain's index goes from 0.98 to 0.98 (1 is exactly by shares).
    PBS fairshare delivers shares only when all users are directly below the root: fairshare_factor counts a portion of the group's usage as the user's own, so within a group larger shares get more than their target (fair_share without a formula compares level by level).

    Assumptions:
    64 cores for 30 d, jobs of 1 core and 30 min; a cycle every 10 min, half-life 1 d.
    Every user wants all cores; a core used for a second is one unit of usage. Delivered shares are measured over the second half of the run.

    Delivered over time:
    a group2  b group1
    Delivered share under PBS fairshare
    80.0% │
          │
          │
    60.0% │aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          │
          │
    40.0% │bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
          │
          │
    20.0% │
          │
          │
     0.0% │
          └─────────────────────────────────────────────────────────────────────────
           1 d                                                                  30 d
    Thin and dotted: the target.

    Delivered against target:
    Node          Target  Core-hours  Share  Off by
    group2         60.0%      27,898  60.6%   +0.9%
    group2/scott   24.0%       8,610  18.7%  -22.0%
    group2/suzy    36.0%      19,288  41.8%  +16.2%
    group1         40.0%      18,175  39.4%   -1.4%
    group1/cathy   20.0%       9,070  19.7%   -1.6%
    group1/bob     20.0%       9,105  19.8%   -1.1%
    ");
}

#[test]
fn two_policies_are_shown_side_by_side_each_with_a_verdict() {
    let args = [
        "--until",
        "5d",
        "--cores",
        "64",
        "--against",
        "fair-tree",
        "--demand",
        "16",
        "--demand",
        "bob=unlimited",
    ];
    let text = run_example(&args).success();
    text.must_contain("Every user wants at most 16 cores, group1/bob all cores;");
    let heading = text
        .lines()
        .find(|line| line.starts_with("Node"))
        .expect("a table");
    assert!(
        heading.contains(" pbs ") && heading.contains(" fair-tree "),
        "{text}"
    );
    for policy in ["PBS fairshare", "Slurm Fair Tree"] {
        text.must_contain(&format!("{policy} delivers shares"));
    }
    text.must_contain("Demand is limited, and the promise covers only users that want more");
    let markdown = run_example(&[&args[..], &["--format-out", "markdown"]].concat()).success();
    markdown.must_contain("| Node | Target | Core-hours |");
}

#[test]
fn csv_has_a_line_for_each_policy_window_and_node() {
    let args = [
        "--until",
        "4d",
        "--step",
        "2d",
        "--cores",
        "10",
        "--against",
        "classic",
        "--format-out",
        "csv",
    ];
    let text = run_example(&args).success();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("policy,from,until,path,target,core_seconds,share,jain")
    );
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let nodes = rows.len() / 4;
    assert_eq!(rows.len(), 4 * nodes);
    assert_eq!(rows[0][..3], ["pbs", "0", "172800"]);
    assert_eq!(rows[nodes][..3], ["pbs", "172800", "345600"]);
    assert_eq!(rows[2 * nodes][0], "classic");
    let delivered: u64 = rows[..nodes]
        .iter()
        .filter(|row| !row[3].contains('/'))
        .map(|row| row[5].parse::<u64>().expect("core-seconds"))
        .sum();
    // The only idle cores are those whose first jobs end within the first cycle.
    let all = 10 * 172_800;
    assert!((all - 10 * 600..=all).contains(&delivered), "{delivered}");
}

#[test]
fn json_has_the_machine_and_the_deliveries() {
    let json = json(&[
        "--until",
        "4d",
        "--cores",
        "10",
        "--cycle",
        "20m",
        "--job-time",
        "2h",
        "--job-spread",
        "25",
        "--seed",
        "7",
        "--demand",
        "8",
        "--demand",
        "group2=unlimited",
    ]);
    let machine = &json["machine"];
    for (key, value) in [
        ("cores", 10),
        ("cycle", 1200),
        ("counted_every", 1200),
        ("job_time", 7200),
        ("job_spread", 25),
        ("seed", 7),
        ("demand", 8),
        ("watched", 4 * 86_400),
    ] {
        assert_eq!(machine[key], value, "{key}");
    }
    assert_eq!(
        machine["demands"],
        serde_json::json!([{ "path": "group2", "cores": null }])
    );
    let run = &json["runs"][0];
    assert_eq!(run["promise"], "flat-trees");
    assert_eq!(run["promised"], false);
    // Two hours with a half-life of one day.
    let at_once = run["at_once"].as_f64().expect("a number");
    assert!((at_once - 2.0 / 48.0).abs() < 1e-12, "{at_once}");
}

#[test]
fn only_the_same_seed_prints_the_same_bytes() {
    let args = |seed| {
        [
            "--until",
            "3d",
            "--cores",
            "50",
            "--job-spread",
            "50",
            "--seed",
            seed,
            "--format-out",
            "csv",
        ]
    };
    let first = run_example(&args("1")).success();
    assert_eq!(first, run_example(&args("1")).success());
    assert_ne!(first, run_example(&args("2")).success());
}

#[test]
fn jobs_longer_than_a_half_life_are_reported_with_the_size_of_their_swing() {
    let swinging = |half_life: &str| {
        let setting = format!("PriorityDecayHalfLife={half_life}");
        let gold = data("slurm/gold");
        let args = [
            "--until",
            "6d",
            "--step",
            "12h",
            "--cores",
            "20",
            "--cycle",
            "30m",
            "--job-time",
            "12h",
            "--set",
            &setting,
        ];
        let text = run(gold.to_str().expect("UTF-8"), &args).success();
        text.lines()
            .find(|line| line.contains("is short compared with"))
            .map(str::to_owned)
    };
    insta::assert_snapshot!(swinging("12:00:00").expect("it is said"), @"The half-life of 12 h is short compared with jobs of 12 h: most usage decays soon after its job ends, so ranks follow the running jobs, and earlier overuse does not hold a user back. engineering swings between 6.7% and 56.9% of the machine (target 29.7%).");
    assert_eq!(swinging("14-0"), None);
}

#[test]
fn jobs_longer_than_the_simulation_are_reported() {
    let text = run_example(&["--until", "5d", "--cores", "10", "--job-time", "30d"]).success();
    text.must_contain("Jobs of 30 d are long compared with the simulated 5 d");
}

#[test]
fn impossible_machines_are_refused_with_a_reason() {
    let cases = answered("
        --until 5d --cores 0
            a machine needs 1 to 1073741824 cores, not 0
        --until 5d --cores 4 --job-cores 8
            a job on this machine needs 1 to 4 cores, not 8
        --until 5d --cores 4 --cycle 0
            a cycle cannot last 0 s; expected 1 s to 100 years
        --until 5d --cores 4 --cycle 5m
            a cycle of 300 s does not fit the calculation of usage every 600 s; expected a multiple of 600 s
        --until 5d --cores 4 --cycle 10d
            a cycle of 864000 s is longer than the simulation; expected at most 432000 s
        --until 5d --cores 4 --step 1m
            a window of 60 s is shorter than a cycle; expected at least 600 s
        --until 5d --cores 4 --job-time 0
            a job cannot last 0 s; expected 1 s to 100 years
        --until 5d --cores 4 --demand 0
            no demand: the policy ranks no users, or each user wants fewer cores than a job needs
        --until 5d --cores 4 --demand zoe=4
            --demand 'zoe=4': unknown node 'zoe'; write the path from the root, as in group/user, or a name that occurs once
        --until 5d --cores 4 --demand=-4
            --demand '-4': expected a number of cores or unlimited, as in 16 or group/user=16
        --until 5d --cores 4 --demand bob=many
            --demand 'bob=many': expected a number of cores or unlimited, as in 16 or group/user=16
        --until 5d --cores 4 --against pbs
            --against pbs is the current policy; name another one to compare it with
    ", &[]);
    for (args, sentence) in cases {
        let ran = run_example(&args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert_eq!(ran.stderr, format!("fairscope: {sentence}\n"), "{args:?}");
    }
}

#[test]
fn a_target_below_the_granularity_of_cores_is_explained() {
    let gold = data("slurm/gold");
    let args = [
        "--until",
        "10d",
        "--cores",
        "20",
        "--cycle",
        "1h",
        "--job-time",
        "6h",
    ];
    let text = run(gold.to_str().expect("UTF-8"), &args).success();
    let lumps = text.lines().find(|line| line.contains("in lumps"));
    insta::assert_snapshot!(lumps.expect("it is said"), @"Cores are handed out in lumps: usage is counted every 1 h and jobs run for 6 h, so the first user may get 2.5% of all remembered usage before the ranks change; a target of less than 49.5% may be missed by more than 5.0%, such as that of root (1.0%).");
    let longer = [&args[..], &["--policy", "tickets"]].concat();
    let text = run(gold.to_str().expect("UTF-8"), &longer).success();
    text.must_lack("in lumps");
}

#[test]
fn a_simulation_of_minutes_says_so_before_it_begins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tree = folder.path().join("tree.csv");
    let rows: Vec<_> = (0..2000).map(|user| format!(",u{user},1,2\n")).collect();
    let rows = rows.concat();
    std::fs::write(&tree, format!("parent,name,shares,usage\n{rows}")).expect("a temporary file");
    let mut running = Command::new(env!("CARGO_BIN_EXE_fairscope"))
        .arg("simulate")
        .arg(&tree)
        .args(["--until", "20000d", "--cores", "10", "--cycle", "300"])
        .args(["--policy", "pbs", "--against", "classic"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built with the tests");
    // It would run on for minutes, so nothing but what it says first is waited for.
    let mut said = String::new();
    let stderr = running.stderr.take().expect("it was piped");
    BufReader::new(stderr).read_line(&mut said).expect("text");
    running.kill().expect("it runs");
    running.wait().expect("it was started here");
    assert_eq!(
        said,
        "fairscope: this takes about 30 min: 2,001 nodes in each of 5,760,000 cycles; choose a shorter time or a \
         longer cycle, or press ^C\n"
    );
}

#[test]
fn a_simulation_of_seconds_says_nothing_before_it_begins() {
    let ran = run_example(&["--until", "30d", "--cores", "64", "--job-time", "30m"]);
    assert_eq!(ran.stderr, "");
}
