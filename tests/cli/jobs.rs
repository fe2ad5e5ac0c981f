//! `--jobs`: usage from the jobs that ran.

mod recorded;

use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::tempdir;

const FOLDER: &str = "tests/data/slurm_jobs";

/// The moment of `sshare.psv`.
const TAKEN: &str = "1795467844";

/// The header of a small file of jobs.
const HEADER: &str =
    "JobIDRaw|User|Account|Cluster|Partition|QOS|Start|End|AllocTRES|State|AssocID|Restarts";

/// Returns the arguments that open a tree with what tells how jobs are charged.
fn tree(sshare: &Path, of_stack: &Path) -> Vec<PathBuf> {
    let qos = ["qos.psv", "qos_full.psv"].map(|name| of_stack.join(name));
    let qos = qos
        .into_iter()
        .rfind(|path| path.exists())
        .expect("factors");
    let with = || PathBuf::from("--with");
    let config = [PathBuf::from("--config"), of_stack.join("config.txt")];
    let beside = [with(), of_stack.join("partition.txt"), with(), qos];
    let all = [sshare.join("sshare.psv")].into_iter().chain(config);
    all.chain(beside).collect()
}

fn show(tree: &[PathBuf], jobs: &Path, more: &[&str]) -> Ran {
    let run = Run::fairscope(["show", "--format-out", "json", "--jobs"]);
    run.arg(jobs).args(tree).args(more).run()
}

/// Returns account, user and partition of a node.
fn key(node: &Value) -> [String; 3] {
    let path = node["path"].as_str().expect("a path");
    let (above, name) = path.rsplit_once('/').unwrap_or(("root", path));
    let text = |text: &str| text.to_owned();
    if node["kind"] == "user" {
        let partition = node["partition"].as_str().unwrap_or_default();
        let account = above.rsplit('/').next().unwrap_or_default();
        let user = name.split(['@', ':', '[']).next().unwrap_or_default();
        [text(account), text(user), text(partition)]
    } else if name.is_empty() {
        ["root", "", ""].map(str::to_owned)
    } else {
        [name, "", ""].map(str::to_owned)
    }
}

/// Returns the usage of every association as the controller printed it, with two decimals.
fn controlled(folder: &Path) -> HashMap<[String; 3], f64> {
    let text = fs::read_to_string(folder.join("assoc_mgr.txt")).expect("assoc_mgr");
    let mut found = HashMap::new();
    let mut current = None;
    for line in text.lines() {
        let word = |name: &str| {
            let mut words = line.split_ascii_whitespace();
            let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.map(|value| value.split('(').next().unwrap_or_default().to_owned())
        };
        if line.starts_with("ClusterName=") {
            current =
                Some(["Account", "UserName", "Partition"].map(|name| word(name).expect(name)));
        }
        if let Some(usage) = word("UsageRaw/Norm/Efctv")
            && let Some(association) = current.take()
        {
            let usage = usage.split('/').next().expect("a number");
            found.insert(association, usage.parse().expect("a number"));
        }
    }
    found
}

/// Returns a column of `sshare` by association.
fn printed(folder: &Path, column: &str) -> HashMap<[String; 3], String> {
    let text = fs::read_to_string(folder.join("sshare.psv")).expect("sshare");
    let mut rows = text.lines().map(|line| line.split('|').map(str::trim));
    let header: Vec<&str> = rows.next().expect("a header").collect();
    let rows = rows.map(|row| {
        let row: Vec<&str> = row.collect();
        let cell = |name: &str| {
            let place = header.iter().position(|heading| *heading == name);
            place.map_or("", |place| row[place]).to_owned()
        };
        (["Account", "User", "Partition"].map(cell), cell(column))
    });
    rows.collect()
}

/// How far usage is from that of the controller, and how many factors are those of `sshare`.
#[derive(Debug, Default)]
struct Residual {
    numbers: usize,
    worst: f64,
    /// Of users alone.
    worst_user: f64,
    factors: usize,
    equal: usize,
}

impl Residual {
    fn add(&mut self, capture: &Path, nodes: &[Value]) {
        let (usage, factors) = (controlled(capture), printed(capture, "FairShare"));
        for node in nodes {
            let key = key(node);
            let difference = (usage[&key] - node["usage"].as_f64().unwrap_or(0.0)).abs();
            self.numbers += 1;
            self.worst = self.worst.max(difference);
            if node["kind"] == "user" {
                self.worst_user = self.worst_user.max(difference);
                self.factors += 1;
                let factor = format!("{:.6}", node["factor"].as_f64().expect("a factor"));
                self.equal += usize::from(factor == factors[&key]);
            }
        }
    }
}

/// Returns the captures of a stack, each with the second at which the controller was asked.
fn captures(stack: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["minutes", "sprio", "."] {
        let Ok(entries) = fs::read_dir(stack.join(folder)) else {
            continue;
        };
        for capture in entries.map(|entry| entry.expect("an entry").path()) {
            let has = |name: &str| capture.join(name).exists();
            if !has("assoc_mgr.txt") || !has("time.txt") || capture.ends_with("before") {
                continue;
            }
            let times = fs::read_to_string(capture.join("time.txt")).expect("times");
            let mut lines = times.lines();
            let line = lines.find(|line| line.starts_with("assoc_mgr") || line.starts_with("core"));
            let digits = line.unwrap_or(&times).find("17").expect("a time");
            found.push((
                capture,
                line.unwrap_or(&times)[digits..digits + 10].to_owned(),
            ));
        }
    }
    found.sort();
    found
}

fn golden() -> Option<PathBuf> {
    let golden = std::env::var_os("FAIRSCOPE_GOLDEN");
    if golden.is_none() {
        println!("skipped: FAIRSCOPE_GOLDEN is not set");
    }
    Some(Path::new(&golden?).join("slurm_jobs"))
}

/// Compares all captures of the first stack with the usage of jobs.
fn replayed(stack: &Path, jobs: &Path, more: &[&str]) -> Residual {
    let mut residual = Residual::default();
    for (capture, taken) in captures(stack) {
        // After a change of shares the factors are those of the shares before, up to the next calculation.
        let before = capture.with_file_name("0-before");
        let is_changed = capture.ends_with("1-just-after-change");
        let shares = if is_changed { &before } else { &capture };
        let mut arguments = tree(shares, &stack.join("before"));
        if more.contains(&"without partitions") {
            arguments.retain(|path| !path.ends_with("partition.txt"));
            arguments.remove(3);
        }
        if more.contains(&"without factors") {
            arguments.truncate(arguments.len() - 2);
        }
        let more: Vec<&str> = more
            .iter()
            .copied()
            .filter(|it| !it.starts_with("without"))
            .collect();
        let at = [&more[..], &["--at", &taken]].concat();
        residual.add(&capture, &show(&arguments, jobs, &at).nodes());
    }
    residual
}

#[test]
fn golden_usage_and_factors_of_every_capture_follow_from_the_jobs() {
    let Some(golden) = golden() else { return };
    let stack = golden.join("24.11");
    for file in ["XD_epoch.psv", "XD_utc.psv", "stepsD.psv", "jsonD.json"] {
        let residual = replayed(&stack, &stack.join("sacct").join(file), &[]);
        println!("{file}: {residual:?}");
        assert_eq!(residual.numbers, 1008);
        assert!(residual.worst < 0.0051, "{file}: {residual:?}");
        assert_eq!((residual.equal, residual.factors), (774, 774), "{file}");
    }
}

#[test]
fn golden_usage_after_a_restart_without_limits_goes_on_from_what_was_printed() {
    let Some(golden) = golden() else { return };
    let (stack, before) = (golden.join("24.11-nolimits"), golden.join("24.11/before"));
    let jobs = stack.join("sacct/XD_epoch.psv");
    let mut after = Residual::default();
    for (capture, taken) in captures(&stack) {
        let has_limits = capture.ends_with("x0-before-restart") || capture.ends_with("x1-freed");
        let at = ["--at", &taken];
        if has_limits {
            let mut residual = Residual::default();
            residual.add(
                &capture,
                &show(&tree(&capture, &before), &jobs, &at).nodes(),
            );
            assert!(residual.worst < 0.0051, "{residual:?}");
            continue;
        }
        let restarted = stack.join("x2-after-restart");
        let mut arguments = tree(&restarted, &before);
        arguments[2] = stack.join("config.txt");
        arguments.extend([PathBuf::from("--with"), restarted.join("assoc_mgr.txt")]);
        let more = [&at[..], &["--add-usage"]].concat();
        after.add(&capture, &show(&arguments, &jobs, &more).nodes());
    }
    println!("{after:?}");
    // Two numbers of two decimals differ by a hundredth.
    assert!(after.worst < 0.0101, "{after:?}");
    assert_eq!((after.numbers, after.equal, after.factors), (280, 215, 215));
}

#[test]
fn golden_each_fact_about_charges_counts() {
    let Some(golden) = golden() else { return };
    let stack = golden.join("24.11");
    let jobs = stack.join("sacct/XD_epoch.psv");
    let folder = tempdir().expect("a temporary directory");
    let text = fs::read_to_string(&jobs).expect("jobs");
    let header: Vec<&str> = text.lines().next().expect("a header").split('|').collect();
    let place = |name: &str| {
        header
            .iter()
            .position(|heading| *heading == name)
            .expect(name)
    };
    let (end, suspended) = (place("End"), place("Suspended"));
    let rows = text.lines().map(|line| {
        let mut cells: Vec<String> = line.split('|').map(str::to_owned).collect();
        let parts = cells[suspended]
            .split(':')
            .map(|part| part.parse::<u64>().unwrap_or(0));
        let seconds = parts.fold(0, |sum, part| sum * 60 + part);
        if let Ok(ended) = cells[end].parse::<u64>() {
            cells[end] = (ended - seconds).to_string();
        }
        cells.join("|") + "\n"
    });
    let resting = folder.path().join("resting.psv");
    fs::write(&resting, rows.collect::<String>()).expect("a file");
    let once = stack.join("sacct/X.psv");
    let wrong = [
        (
            "ends are not charged",
            &jobs,
            &["--set", "AccountingStorageEnforce=associations"][..],
            1928.5,
        ),
        ("the time suspended is not charged", &resting, &[], 390.5),
        (
            "billing is a whole number",
            &jobs,
            &["without partitions"],
            168.5,
        ),
        ("a QOS does not count", &jobs, &["without factors"], 1528.5),
        ("only the last run is known", &once, &[], 300.0),
        (
            "calculations are 15 s late",
            &jobs,
            &["--set", "BOOT_TIME=2026-11-23T20:48:17"],
            300.0,
        ),
    ];
    for (what, jobs, more, least) in wrong {
        let residual = replayed(&stack, jobs, more);
        println!("{what}: {:.1} of a user", residual.worst_user);
        assert!(residual.worst_user >= least, "{what}: {residual:?}");
    }
}

#[test]
fn usage_and_factors_are_those_that_sshare_printed_then() {
    let folder = Path::new(FOLDER);
    let arguments = tree(folder, folder);
    let nodes = show(&arguments, &folder.join("sacct.psv"), &["--at", TAKEN]).nodes();
    let (usage, factors) = (printed(folder, "RawUsage"), printed(folder, "FairShare"));
    for node in nodes {
        let key = key(&node);
        let whole = node["usage"].as_f64().expect("usage").floor();
        assert_eq!(whole.to_string(), usage[&key], "{key:?}");
        if node["kind"] == "user" {
            let factor = format!("{:.6}", node["factor"].as_f64().expect("a factor"));
            assert_eq!(factor, factors[&key], "{key:?}");
        }
    }
}

/// Returns the usage of `physics/alice` in the test tree after jobs, and what was said.
fn alice(rows: &[&str], more: &[&str]) -> (Option<f64>, Ran) {
    let folder = tempdir().expect("a temporary directory");
    let jobs = folder.path().join("jobs.psv");
    fs::write(&jobs, format!("{HEADER}\n{}\n", rows.join("\n"))).expect("jobs");
    let arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
    let never = ["--set", "PriorityDecayHalfLife=0", "--at", "1795470000"];
    let ran = show(&arguments, &jobs, &[&never[..], more].concat());
    let nodes = if ran.code == Some(0) {
        ran.nodes()
    } else {
        Vec::new()
    };
    let alice = nodes
        .iter()
        .find(|node| key(node) == ["physics", "alice", ""].map(str::to_owned));
    let usage = alice.and_then(|node| node["usage"].as_f64());
    (usage, ran)
}

#[test]
fn what_is_charged_is_worked_out_by_hand() {
    // 4 CPUs and 3 GiB for 100 s in batch: (4 + 0.75) x 100.
    let plain = "1|alice|physics|gold|batch|normal|1795467000|1795467100|billing=4,cpu=4,mem=3G,node=1|COMPLETED||0";
    assert_eq!(alice(&[plain], &[]).0, Some(475.0));
    // Half of it in a cheap QOS, and a job in the other partition by its CPUs.
    let cheap = plain.replace("normal", "cheap");
    let fast = "2|alice|physics|gold|fast|normal|1795467000|1795467010|billing=8,cpu=4,mem=3G,node=1|FAILED||0";
    assert_eq!(alice(&[&cheap, fast], &[]).0, Some(237.5 + 80.0));
    // A job that waits, one that was cancelled before it began, a step.
    let nothing = [
        "3|alice|physics|gold|batch|normal|Unknown|Unknown||PENDING||0",
        "4|alice|physics|gold|batch|normal|None|1795467000||CANCELLED by 0||0",
        "1.batch|alice|physics|gold|batch|normal|1795467000|1795467100|cpu=4|COMPLETED||0",
        plain,
    ];
    assert_eq!(alice(&nothing, &[]).0, Some(475.0));
    // Two runs of one job, the second of which still runs, and is charged up to the last calculation.
    let again = "1|alice|physics|gold|batch|normal|1795469000|Unknown|billing=4,cpu=4,mem=3G,node=1|RUNNING||1";
    let running = alice(&[plain, again], &[]).0.expect("usage");
    assert!((running - 475.0 - 4.75 * 942.0).abs() < 1e-6, "{running}");
}

#[test]
fn usage_is_reset_at_midnight_where_slurm_does_so() {
    let arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
    let jobs = Path::new(FOLDER).join("sacct.psv");
    let total = |at: &str| {
        let daily = ["--set", "PriorityUsageResetPeriod=DAILY", "--at", at];
        show(&arguments, &jobs, &daily).nodes()[0]["usage"]
            .as_f64()
            .expect("usage")
    };
    assert!(total("2026-11-23T21:05:00") > 1000.0);
    // Jobs that still run are charged anew since midnight.
    let (before, after) = (total("2026-11-23T23:59:00"), total("2026-11-24T00:01:30"));
    assert!(after < before / 5.0, "{after} after {before}");
}

#[test]
fn usage_is_reset_at_midnight_in_the_time_zone_of_the_cluster() {
    let plain = "1|alice|physics|gold|batch|normal|2026-11-28T23:50:00|2026-11-28T23:55:00|billing=4,cpu=4,mem=0M,node=1|COMPLETED||0";
    let daily = ["--set", "PriorityUsageResetPeriod=DAILY"];
    let folder = tempdir().expect("a temporary directory");
    let jobs = folder.path().join("jobs.psv");
    fs::write(&jobs, format!("{HEADER}\n{plain}\n")).expect("jobs");
    let arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
    let at = |moment: &str| {
        let never = [
            "--set",
            "PriorityDecayHalfLife=0",
            "--timezone",
            "Asia/Kabul",
            "--at",
            moment,
        ];
        show(&arguments, &jobs, &[&daily[..], &never].concat()).nodes()[0]["usage"].as_f64()
    };
    assert_eq!(at("2026-11-28T23:58:00"), Some(1200.0));
    assert_eq!(at("2026-11-29T00:01:30"), Some(0.0));
    // A forecast of the tree as it is resets usage then, too.
    let forecast = |zone: &[&str]| {
        let run = Run::fairscope(["simulate", "--until", "20h", "--step", "10h"]);
        let run = run.args(tree(Path::new(FOLDER), Path::new(FOLDER)));
        run.args(daily).args(zone).run().text()
    };
    let [unknown, known] = [&[][..], &["--timezone", "Asia/Kabul"]].map(forecast);
    unknown.must_contain("at midnight in UTC unless --timezone names");
    known.must_lack("in UTC");
}

#[test]
fn the_start_of_the_controller_is_local_or_has_a_zone() {
    // Calculations every minute: the job of 90 s is charged at those between its start and its end.
    let row = "1|alice|physics|gold|batch|normal|1795467000|1795467100|billing=4,cpu=4,mem=0M,node=1|COMPLETED||0";
    let folder = tempdir().expect("a temporary directory");
    let jobs = folder.path().join("jobs.psv");
    fs::write(&jobs, format!("{HEADER}\n{row}\n")).expect("jobs");
    let arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
    let said = |booted: &str, zone: &str| {
        let booted = format!("BOOT_TIME={booted}");
        let run = Run::fairscope(["check", "--at", "1795470000", "--set", &booted]);
        let run = run.args(["--timezone", zone, "--jobs"]).arg(&jobs);
        run.args(&arguments).run().text()
    };
    // The job begins at 20:50:00 in UTC, 21:50:00 in Berlin.
    for (booted, zone, is_later) in [
        ("2026-11-23T20:49:59", "UTC", false),
        ("2026-11-23T20:50:01", "UTC", true),
        ("2026-11-23T20:50:01", "Europe/Berlin", false),
        ("2026-11-23T21:50:01", "Europe/Berlin", true),
        ("2026-11-23T20:49:59Z", "Europe/Berlin", false),
        ("2026-11-23T20:50:01Z", "Europe/Berlin", true),
        ("2026-11-23T22:50:01+02:00", "Europe/Berlin", true),
        ("2026-11-23T22:49:59+02:00", "Europe/Berlin", false),
    ] {
        let text = said(booted, zone);
        let is_told = text.contains("began before BOOT_TIME");
        assert_eq!(is_told, is_later, "{booted} in {zone}: {text}");
    }
}

#[test]
fn a_moment_without_an_offset_is_one_of_the_time_zone() {
    let until = |moment: &str| {
        let run = Run::fairscope(["simulate", "--step", "12h", "--timezone", "Asia/Kabul"]);
        let run = run.args(["--until", moment, "--format-out", "json"]);
        run.args(tree(Path::new(FOLDER), Path::new(FOLDER)))
            .run()
            .text()
    };
    let local = until("2026-12-01T00:00:00");
    assert_eq!(local, until("2026-12-01T00:00:00+04:30"));
    assert_ne!(local, until("2026-12-01T00:00:00Z"));
}

#[test]
fn the_greatest_resource_of_a_node_is_charged_with_max_tres() {
    let plain = "1|alice|physics|gold|batch|normal|1795467000|1795467100|billing=4,cpu=4,mem=3G,node=1|COMPLETED||0";
    let folder = tempdir().expect("a temporary directory");
    let of_flags = |flags: &str| {
        let config = folder.path().join("config.txt");
        let text = fs::read_to_string(Path::new(FOLDER).join("config.txt")).expect("settings");
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("PriorityFlags"));
        let lines: Vec<&str> = lines.collect();
        fs::write(
            &config,
            format!("{}\nPriorityFlags = {flags}\n", lines.join("\n")),
        )
        .expect("a file");
        let jobs = folder.path().join("jobs.psv");
        fs::write(&jobs, format!("{HEADER}\n{plain}\n")).expect("jobs");
        let mut arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
        arguments[2] = config;
        let never = ["--set", "PriorityDecayHalfLife=0", "--at", "1795470000"];
        let nodes = show(&arguments, &jobs, &never).nodes();
        let alice = nodes
            .iter()
            .find(|node| key(node) == ["physics", "alice", ""].map(str::to_owned));
        alice.and_then(|node| node["usage"].as_f64())
    };
    assert_eq!(of_flags(""), Some(475.0));
    // The greater of 4 CPUs and 0.75 for 3 GiB.
    assert_eq!(of_flags("MAX_TRES"), Some(400.0));
    assert_eq!(
        of_flags("SMALL_RELATIVE_TO_TIME,MAX_TRES_GRES"),
        Some(400.0)
    );
    let asked = alice(&[plain], &["--set", "PriorityFlags=MAX_TRES"]);
    assert_eq!(asked.0, Some(400.0));
}

#[test]
fn a_resized_job_is_charged_anew_since_the_calculation_before() {
    // Calculations come at second 2. With limits: 4 CPUs from 0 to 30 s, then 2 CPUs from second 2 on.
    let rows = [
        "1|alice|physics|gold|batch|normal|1795467000|1795467030|billing=4,cpu=4,mem=0M,node=1|RESIZING||0",
        "1|alice|physics|gold|batch|normal|1795467030|1795467100|billing=2,cpu=2,mem=0M,node=1|COMPLETED||0",
    ];
    let (usage, ran) = alice(&rows, &[]);
    let calculated = 1_795_467_002;
    let again = 2.0 * f64::from(1_795_467_100 - calculated);
    assert_eq!(usage, Some(4.0 * 30.0 + again), "{}", ran.stderr);
}

#[test]
fn doubtful_jobs_are_counted_and_told() {
    let plain = "1|alice|physics|gold|batch|normal|1795467000|1795467100|billing=4,cpu=4,mem=3G,node=1|COMPLETED||0";
    let cases = [
        (
            "9|nobody|physics|gold|batch|normal|1795467000|1795467100|cpu=4|COMPLETED||0",
            "slurm-jobs-unknown",
        ),
        (
            "9|alice|physics|gold|batch|normal|1795467100|1795467000|cpu=4|COMPLETED||0",
            "slurm-jobs-time",
        ),
        (
            "9|alice|physics|gold|batch|normal|-5|1795467000|cpu=4|COMPLETED||0",
            "slurm-jobs-time",
        ),
        (
            "9|alice|physics|gold|batch|normal|yesterday|1795467000|cpu=4|COMPLETED||0",
            "slurm-jobs-time",
        ),
        (
            "9|alice|physics|gold|batch|normal|1795467000|1795467100|four|COMPLETED||0",
            "slurm-jobs-tres",
        ),
        (
            "9|alice|physics|gold|batch|normal|1795467000|1795467100|cpu=-4|COMPLETED||0",
            "slurm-jobs-tres",
        ),
        ("9|alice|physics|gold|batch", "slurm-jobs-line"),
        (
            "9|alice|physics|iron|batch|normal|1795467000|1795467100|cpu=4|COMPLETED||0",
            "slurm-jobs-cluster",
        ),
        (plain, "slurm-jobs-twice"),
        (
            "9|alice|physics|gold|batch|normal|1795467000|1795467000|billing=40,cpu=4|COMPLETED||0",
            "slurm-jobs-billing",
        ),
        (
            "9|alice|physics|gold|batch|normal|1795467000|1795467000|cpu=4|COMPLETED||1",
            "slurm-jobs-requeued",
        ),
    ];
    for (row, code) in cases {
        let folder = tempdir().expect("a temporary directory");
        let jobs = folder.path().join("jobs.psv");
        fs::write(&jobs, format!("{HEADER}\n{plain}\n{row}\n")).expect("jobs");
        let check = Run::fairscope(["check", "--jobs"]).arg(&jobs);
        let check = check.args(tree(Path::new(FOLDER), Path::new(FOLDER))).run();
        let text = String::from_utf8_lossy(&check.stdout);
        assert!(text.contains(code), "{row}: {text}");
        assert_eq!(alice(&[plain, row], &[]).0, Some(475.0), "{row}");
    }
}

#[test]
fn times_follow_the_time_zone_and_the_hour_that_comes_twice() {
    let row = |start: &str, end: &str| {
        format!(
            "1|alice|physics|gold|batch|normal|{start}|{end}|billing=4,cpu=4,mem=0M|COMPLETED||0"
        )
    };
    let zone = ["--timezone", "Europe/Berlin"];
    // The clock was set back at 03:00: two hours.
    let usage = alice(&[&row("2026-10-25T01:30:00", "2026-10-25T02:30:00")], &zone).0;
    assert_eq!(usage, Some(4.0 * 3600.0));
    let usage = alice(&[&row("2026-10-25T02:45:00", "2026-10-25T02:15:00")], &zone).0;
    assert_eq!(usage, Some(4.0 * 1800.0));
    let (_, ran) = alice(
        &[&row("2026-10-25T02:45:00", "2026-10-25T02:50:00")],
        &["--timezone", "Mars"],
    );
    ran.stderr.must_contain("Mars is no time zone");
}

#[test]
fn what_is_no_list_of_jobs_is_refused_with_what_to_run() {
    let cases = [
        (
            "JobID  JobName  State\n------ ----- -----\n1  a  RUNNING\n",
            "in columns",
        ),
        ("hello\n", "has no header of sacct"),
        (
            "JobID|User|Account|Start|End\n1|a|b|1|2\n",
            "has no column AllocTRES",
        ),
        (
            "JobID|User|Account|Start|End|AllocTRES\n1.0|alice|physics|1795467000|1795467100|cpu=4\n",
            "only steps",
        ),
        ("{\"jobs\": [{\"job_id\": 1", "is no JSON of sacct"),
        ("{\"jobs\": [{\"name\": \"a|b\"", "is no JSON of sacct"),
        (
            "JobID|User|Account|Start|End|AllocTRES\n",
            "has no job that ran",
        ),
    ];
    for (text, reason) in cases {
        let folder = tempdir().expect("a temporary directory");
        let jobs = folder.path().join("jobs.psv");
        fs::write(&jobs, text).expect("jobs");
        let arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
        let ran = show(&arguments, &jobs, &[]);
        assert_eq!(ran.code, Some(2), "{text}");
        ran.stderr.must_contain(reason);
    }
}

#[test]
fn strict_refuses_jobs_of_users_who_are_not_in_the_tree() {
    let row = "9|nobody|physics|gold|batch|normal|1795467000|1795467100|cpu=4|COMPLETED||0";
    let (_, ran) = alice(&[row], &["--strict"]);
    assert_eq!(ran.code, Some(2));
    let error = "jobs.psv:2: warning: the tree has no user 'nobody' in the account physics";
    ran.stderr.must_contain(error);
}

/// The arguments that open the test tree with its jobs.
fn with_jobs() -> Vec<PathBuf> {
    let folder = Path::new(FOLDER);
    let mut arguments = tree(folder, folder);
    arguments.extend([PathBuf::from("--jobs"), folder.join("sacct.psv")]);
    arguments
}

#[test]
fn a_series_of_jobs_is_computed_compared_and_saved() {
    let every = ["--every", "4m", "--until", "2026-11-23T21:04:04"];
    let timeline = Run::fairscope(["timeline"]).args(with_jobs()).args(every);
    let text = timeline.args(["--format-out", "table"]).run().text();
    let beginning = "4 moments, computed from jobs, under Slurm Fair Tree, \
                     2026-11-23 20:52 to 2026-11-23 21:04, one every 4 min.";
    text.must_begin(beginning);

    let compared = Run::fairscope(["timeline"]).args(with_jobs()).args(every);
    let compared = compared.args([
        "--node",
        "physics",
        "--node",
        "bio",
        "--edit",
        "shares physics=1",
    ]);
    let text = compared.run().text();
    let lead =
        "science/physics would have been ahead of science/bio at 0 of 4 moments; it was at 4.";
    text.must_contain(lead);

    let folder = tempdir().expect("a temporary directory");
    let out = folder.path().join("series");
    let convert = Run::fairscope(["convert", "--to", "toml", "--out"]).arg(&out);
    convert.args(with_jobs()).args(every).run().text();
    let saved = Run::fairscope([
        "timeline",
        "--node",
        "science/physics/alice",
        "--format-out",
        "json",
    ]);
    let computed = Run::fairscope([
        "timeline",
        "--node",
        "science/physics/alice",
        "--format-out",
        "json",
    ]);
    let [saved, computed] = [saved.arg(&out), computed.args(with_jobs()).args(every)].map(|run| {
        let json: Value = serde_json::from_slice(&run.run().stdout).expect("JSON");
        json["nodes"][0].clone()
    });
    assert_eq!(saved["usage"].as_array().map(Vec::len), Some(4));
    assert_eq!(saved, computed);
}

#[test]
fn a_scenario_of_jobs_remembers_the_moment() {
    let folder = tempdir().expect("a temporary directory");
    let scenario = folder.path().join("scenario.toml");
    // Copies have a date of their own, which is not before that of their jobs.
    let [tree, jobs] = ["sshare.psv", "sacct.psv"].map(|name| {
        let copy = folder.path().join(name);
        let bytes = fs::read(Path::new(FOLDER).join(name)).expect("it is there");
        fs::write(&copy, bytes).expect("a copy");
        copy
    });
    let text = format!(
        "fairscope = 1\n[source]\npath = {tree:?}\njobs = {jobs:?}\nat = \"2026-11-23T20:58:03Z\"\n"
    );
    fs::write(&scenario, text).expect("a scenario");
    let opened = Run::fairscope(["show", "--format-out", "json"])
        .arg(&scenario)
        .run();
    let direct = Run::fairscope([
        "show",
        "--format-out",
        "json",
        "--at",
        "2026-11-23T20:58:03",
        "--jobs",
    ]);
    let direct = direct.arg(&jobs).arg(&tree).run();
    assert_eq!(opened.nodes(), direct.nodes());
}

#[test]
fn the_usage_file_of_pbs_follows_from_its_log() {
    let folder = tempdir().expect("a temporary directory");
    let of_pbs = |name: &str| folder.path().join("sched_priv").join(name);
    fs::create_dir(folder.path().join("sched_priv")).expect("a folder");
    fs::write(
        of_pbs("resource_group"),
        "physics 10 root 60\nbob 11 physics 1\nalice 12 physics 1\n",
    )
    .expect("a tree");
    let config = "fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\n\
                  fairshare_decay_time: 24:00:00\nfairshare_decay_factor: 0.5\n";
    fs::write(of_pbs("sched_config"), config).expect("settings");
    let log = folder.path().join("20261123");
    let records = "\
11/23/2026 21:50:28;E;12.server;user=bob group=phys start=1795467028 end=1795470628 resources_used.ncpus=4 \
resources_used.walltime=01:00:00
11/23/2026 22:20:28;E;13.server;user=alice group=chem start=1795470628 end=1795472428 resources_used.ncpus=8 \
resources_used.walltime=00:15:00
";
    fs::write(&log, records).expect("a log");
    // Usage begins with 1. It is halved at midnight.
    for (at, [bob, alice]) in [
        ("2026-11-23T23:30:00", [14_401.0, 7_201.0]),
        ("2026-11-24T00:30:00", [7_200.5, 3_600.5]),
        ("2026-11-26T00:30:00", [1_800.125, 900.125]),
    ] {
        let out = folder.path().join(at);
        let convert = Run::fairscope(["convert", "--to", "pbs", "--at", at, "--jobs"]).arg(&log);
        convert
            .arg(folder.path().join("sched_priv"))
            .arg("--out")
            .arg(&out)
            .run()
            .text();
        let written = Run::fairscope(["show", "--format-out", "json"])
            .arg(&out)
            .run();
        let usage = |name: &str| {
            let nodes = written.nodes();
            let node = nodes
                .iter()
                .find(|node| key(node)[1] == name)
                .expect("a user");
            node["usage"].as_f64()
        };
        assert_eq!(
            [usage("bob"), usage("alice")],
            [bob, alice].map(Some),
            "{at}"
        );
    }
}

#[test]
fn golden_usage_of_flux_follows_from_its_table_of_jobs() {
    let Some(golden) = golden() else { return };
    let database = golden
        .with_file_name("flux")
        .join("usage/e2e_first_period/after.db");
    let show = |more: &[&str]| {
        let run = Run::fairscope(["show", "--format-out", "json"])
            .arg(&database)
            .args(more);
        run.arg("--jobs").arg(&database).run().nodes()
    };
    let stored = Run::fairscope(["show", "--format-out", "json"])
        .arg(&database)
        .run();
    // An hour after the last job ended. Twelve users have more usage than jobs of the table.
    let computed = show(&["--at", "1750495749"]);
    let mut equal = 0;
    for (stored, computed) in stored.nodes().iter().zip(&computed) {
        let [stored, computed] = [stored, computed].map(|node| node["usage"].as_f64());
        let (Some(stored), Some(computed)) = (stored, computed) else {
            continue;
        };
        equal += usize::from((stored - computed).abs() < 1e-3);
        assert!(computed < stored + 1e-3);
    }
    println!("{equal} numbers of {}", computed.len());
    assert!(equal >= 30);
}

#[test]
fn a_compressed_list_and_one_on_standard_input_are_read_as_the_file() {
    let folder = tempdir().expect("a temporary directory");
    let packed = folder.path().join("sacct.psv.gz");
    let text = fs::read(Path::new(FOLDER).join("sacct.psv")).expect("jobs");
    let file = fs::File::create(&packed).expect("a file");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &text).expect("a file");
    encoder.finish().expect("a file");
    let plain = show(&with_jobs()[..7], &Path::new(FOLDER).join("sacct.psv"), &[]).nodes();
    assert_eq!(show(&with_jobs()[..7], &packed, &[]).nodes(), plain);
    let run = Run::fairscope(["show", "--format-out", "json", "--jobs", "-"]);
    let piped = run.args(&with_jobs()[..7]).input(text).run();
    assert_eq!(piped.nodes(), plain);
}

#[test]
fn an_edited_half_life_is_said_to_leave_the_past_as_it_is() {
    let folder = Path::new(FOLDER);
    let whatif = |edit: &str| {
        let run = Run::fairscope(["whatif", "--edit", edit, "--jobs"]);
        let run = run.arg(folder.join("sacct.psv"));
        run.args(tree(folder, folder)).run()
    };
    let ran = whatif("set PriorityDecayHalfLife=0-1");
    let said = "so the edit of PriorityDecayHalfLife changes only what follows; to compute that usage with it too, give \
                --set PriorityDecayHalfLife=";
    ran.stderr.must_contain(said);
    let other = whatif("set FairShareDampeningFactor=3");
    other.stderr.must_lack("only what follows");
}

#[test]
fn users_that_resource_group_lacks_become_children_of_unknown_with_their_usage() {
    let folder = tempdir().expect("a temporary directory");
    let of_pbs = |name: &str| folder.path().join("sched_priv").join(name);
    fs::create_dir(folder.path().join("sched_priv")).expect("a folder");
    let tree = "physics 10 root 60\nbob 11 physics 1\nalice 12 physics 1\n";
    fs::write(of_pbs("resource_group"), tree).expect("a tree");
    let config = "fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 24:00:00\n";
    fs::write(of_pbs("sched_config"), config).expect("settings");
    let log = folder.path().join("20261123");
    let record = |time: &str, user: &str, id: u32| {
        format!(
            "11/23/2026 {time};E;{id}.server;user={user} start=1795467028 end=1795470628 resources_used.ncpus=4 \
             resources_used.walltime=01:00:00\n"
        )
    };
    let records = [
        record("21:50:28", "zoe", 1),
        record("21:50:28", "bob", 2),
        record("21:50:28", "zoe", 3),
    ];
    fs::write(&log, records.concat()).expect("a log");
    let run = Run::fairscope([
        "show",
        "--format-out",
        "json",
        "--at",
        "2026-11-23T23:30:00",
        "--jobs",
    ]);
    let ran = run.arg(&log).arg(folder.path().join("sched_priv")).run();
    let nodes = ran.nodes();
    let of = |path: &str| nodes.iter().find(|node| node["path"] == path);
    let zoe = of("unknown/zoe").expect("a child of unknown");
    assert_eq!(zoe["usage"].as_f64(), Some(28_801.0));
    assert_eq!(zoe["shares"], 1);
    assert_eq!(
        of("physics/bob").expect("bob")["usage"].as_f64(),
        Some(14_401.0)
    );
}

#[test]
fn usage_of_pbs_begins_with_that_of_an_entity_without_a_record_for_everybody() {
    let folder = tempdir().expect("a temporary directory");
    let log = folder.path().join("20261123");
    let record = "11/23/2026 21:50:28;E;1.server;user=bob start=1795467028 end=1795470628 resources_used.cput=01:00:00\n";
    fs::write(&log, record).expect("a log");
    let run = Run::fairscope([
        "show",
        "--format-out",
        "json",
        "--at",
        "2026-11-23T23:30:00",
        "--jobs",
    ]);
    let ran = run.arg(&log).arg("tests/data/seed").run();
    for node in ran.nodes() {
        let usage = node["usage"].as_f64();
        let is_other = node["kind"] == "user" && key(&node)[1] != "bob";
        assert!(usage == Some(1.0) || !is_other, "{node}");
    }
}

#[test]
fn flux_counts_a_job_whole_when_it_has_ended() {
    let folder = tempdir().expect("a temporary directory");
    let jobs = folder.path().join("jobs.csv");
    let from = 1_795_392_000_i64;
    let hours = |hours: i64| from + hours * 3600;
    let header = "user,bank,nnodes,t_run,t_inactive";
    let text = format!("{header}\nleaf.1.2,account1,2,{from},{}\n", hours(10));
    fs::write(&jobs, text).expect("jobs");
    let usage = |moment: i64| {
        let run = Run::fairscope(["show", "example:flux", "--format-out", "json", "--at"]);
        let ran = run.arg(moment.to_string()).arg("--jobs").arg(&jobs).run();
        let nodes = ran.nodes();
        let own = nodes.iter().find(|node| key(node)[1] == "leaf.1.2");
        own.expect("the user")["usage"].as_f64()
    };
    assert_eq!(usage(hours(5)).unwrap_or(0.0).to_string(), "0");
    assert_eq!(usage(hours(9)).unwrap_or(0.0).to_string(), "0");
    assert_eq!(usage(hours(11)), Some(72_000.0));
}

#[test]
fn slurm_26_charges_a_heterogeneous_job_at_its_submission() {
    let folder = tempdir().expect("a temporary directory");
    let header = "JobID|JobIDRaw|User|Account|Cluster|Partition|QOS|Submit|Start|End|AllocTRES|State|AssocID|Restarts";
    let row = |id: &str, submit: &str, start: &str, end: &str| {
        format!(
            "{id}|6|alice|physics|gold|batch|normal|{submit}|{start}|{end}|billing=4,cpu=4,mem=0M,node=1|COMPLETED||0"
        )
    };
    let config = |version: &str| {
        let config = folder.path().join(format!("{version}.txt"));
        let text = fs::read_to_string(Path::new(FOLDER).join("config.txt")).expect("settings");
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("SLURM_VERSION"));
        let lines: Vec<&str> = lines.collect();
        let text = format!("{}\nSLURM_VERSION = {version}\n", lines.join("\n"));
        fs::write(&config, text).expect("a file");
        config
    };
    let jobs = folder.path().join("jobs.psv");
    let never = ["--set", "PriorityDecayHalfLife=0", "--at", "1795470000"];
    let arguments = |version: &str| {
        let mut arguments = tree(Path::new(FOLDER), Path::new(FOLDER));
        arguments[2] = config(version);
        arguments
    };
    let usage = |version: &str, row: &str| {
        fs::write(&jobs, format!("{header}\n{row}\n")).expect("jobs");
        let nodes = show(&arguments(version), &jobs, &never).nodes();
        let alice = nodes
            .iter()
            .find(|node| key(node) == ["physics", "alice", ""].map(str::to_owned));
        alice.and_then(|node| node["usage"].as_f64())
    };
    // Calculations come at second 2, so 18 s have passed since the last one.
    let component = row("6+0", "1795467020", "1795467100", "1795467160");
    assert_eq!(usage("24.11.5", &component), Some(240.0));
    assert_eq!(usage("26.05.5", &component), Some(240.0 + 4.0 * 18.0));
    let plain = row("6", "1795467020", "1795467100", "1795467160");
    assert_eq!(usage("26.05.5", &plain), Some(240.0));
    let check = |version: &str, row: &str| {
        fs::write(&jobs, format!("{header}\n{row}\n")).expect("jobs");
        let run = Run::fairscope(["check", "--jobs"]).arg(&jobs);
        run.args(arguments(version)).run().text()
    };
    let unknown = row("6+0", "Unknown", "1795467100", "1795467160");
    check("26.05.5", &unknown).must_contain("slurm-jobs-submitted");
    check("25.05.1", &component).must_contain("slurm-jobs-submitted");
    for version in ["24.11.5", "26.05.5"] {
        let text = check(version, &component);
        text.must_lack("slurm-jobs-submitted");
    }
}
