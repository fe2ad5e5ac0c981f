//! Flux's usage bins compared with runs of the real `flux account-update-usage`.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::flux::{ASSOCIATIONS, BANKS, Made, ROWS, load_with, made};
use crate::support::golden;
use crate::support::loading::{load_path, load_quietly};
use fairscope::format::{FilesBeside, Request};
use fairscope::model::{
    Amounts, BinRow, Bins, FinishedJob, Flux, Kind, NodeId, Pace, Position, Scheduler, Settings,
    Shares, Snapshot, Tree, TreeBuilder, Usage, UsageState,
};
use fairscope::rules::clock::flux::{JobUsageFactor, NewJobs, Period, Totals, usage_of};
use fairscope::rules::clock::{Assumption, Clock, next_shift};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::{Edit, Scenario};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const DAY: u64 = 86_400;
const WEEK: u64 = 7 * DAY;

fn number(value: &Value) -> f64 {
    // The JSON reader may round the last bit, so the number is parsed from its text.
    value.to_string().parse().expect("a number")
}

fn count(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect()
}

fn jobs(value: &Value) -> Vec<FinishedJob> {
    let job = |job: &Value| FinishedJob {
        nnodes: count(&job["nnodes"]),
        ncores: count(&job["ncores"]),
        ngpus: count(&job["ngpus"]),
        t_run: number(&job["t_run"]),
        t_inactive: number(&job["t_inactive"]),
    };
    value.as_array().expect("a list").iter().map(job).collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn golden_update_runs_take_the_same_branch_and_give_the_same_bins_as_flux() {
    let Some(path) = golden("flux/usage").map(|folder| folder.join("steps.jsonl")) else {
        return;
    };
    let text = std::fs::read_to_string(path).expect("steps");
    let (mut branches, mut compared, mut different) = (BTreeMap::new(), 0, Vec::new());
    for line in text.lines() {
        let step: Value = serde_json::from_str(line).expect("JSON");
        let settings = Flux {
            node_weight: number(&step["weights"]["node"]),
            core_weight: number(&step["weights"]["core"]),
            gpu_weight: number(&step["weights"]["gpu"]),
            ..Flux::default()
        };
        let period = Period {
            half_life: number(&step["half_life"]),
            end: number(&step["end_half_life_period"]),
            // The database stores it as text with fifteen digits.
            decay_factor: format!("{:.15}", number(&step["decay_factor"]))
                .parse()
                .expect("a number"),
            now: number(&step["now"]),
        };
        let fresh = NewJobs::since(0.0, &jobs(&step["jobs"]), &settings);
        let mut bins = numbers(&step["bins"]);
        let mut job_usage = number(&step["job_usage_before"]);
        let branch = char::from(b"ABCD"[period.branch(fresh) as usize]);
        *branches.entry(branch).or_insert(0) += 1;
        let returned = period.update(&mut bins, &mut job_usage, fresh);
        // The state before the step.
        let last_end = fresh.map_or(5.0, |fresh| fresh.last_end);
        let mut ours = vec![returned, job_usage, last_end];
        ours.extend(&bins);
        let mut theirs = vec![
            number(&step["returned"]),
            number(&step["job_usage_after"]),
            number(&step["last_job_timestamp_after"]),
        ];
        theirs.extend(numbers(&step["bins_after"]));
        compared += ours.len() + 1;
        if step["branch"] != branch.to_string() || bits(&ours) != bits(&theirs) {
            different.push(format!("{}: {branch} {ours:?} {theirs:?}", step["case"]));
        }
    }
    println!(
        "{branches:?}, {compared} numbers compared, {} steps differ",
        different.len()
    );
    different.truncate(10);
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(branches.values().sum::<u32>(), 400);
}

#[test]
fn golden_bins_shift_as_in_the_current_release_of_flux() {
    let Some(path) = golden("flux/usage").map(|folder| folder.join("decay_versions.txt")) else {
        return;
    };
    let text = std::fs::read_to_string(path).expect("releases");
    let list = |text: &str| -> Vec<f64> {
        let numbers = text.trim_matches(|char| "[]() ".contains(char)).split(", ");
        numbers
            .map(|text| text.parse().expect("a number"))
            .collect()
    };
    let run = Period {
        half_life: 100.0,
        end: 1000.0,
        decay_factor: 0.5,
        now: 1101.0,
    };
    let mut compared = 0;
    for line in text.lines() {
        let (release, rest) = line.split_once(" bins ").expect("a release");
        let (bins, rest) = rest.split_once(" -> past ").expect("bins");
        let (past, stored) = rest
            .split_once(" ; stored bins after shift ")
            .expect("the past");
        let minor = release.split('.').nth(1).expect("a minor number");
        // Earlier releases decayed past usage in other ways.
        if minor.parse::<u32>().expect("a number") < 56 {
            continue;
        }
        let (mut after, mut usage) = (list(bins), 0.0);
        run.update(&mut after, &mut usage, None);
        assert_eq!(usage.to_string(), list(past)[0].to_string(), "{line}");
        assert_eq!(after[1..], list(stored)[1..], "{line}");
        compared += after.len();
    }
    assert!(compared > 0, "no line is of the current release");
    println!("{compared} numbers compared, 0 differ");
}

/// The bank and name of a user, or the name of a bank and an empty name.
fn name_of(tree: &Tree, node: NodeId) -> (String, String) {
    let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
    match (tree.kind(node), tree.parent(node)) {
        (Kind::User, Some(bank)) => (name(bank), name(node)),
        _ => (name(node), String::new()),
    }
}

/// Bank and user; the user is empty for the bank itself.
type Association = (String, String);

/// Fair-shares computed from the usage of each association, for active associations.
fn fair_shares(
    database: &Path,
    usage: &HashMap<(String, String, String), u64>,
) -> HashMap<Association, String> {
    let mut active = load_with(database, &[]).expect("a database").snapshot;
    let nodes = active.tree.nodes().to_vec();
    for &node in &nodes {
        if active.tree.kind(node) == Kind::User {
            let (bank, user) = name_of(&active.tree, node);
            let usage = f64::from_bits(usage[&(bank, user, String::new())]);
            active.tree.set_usage(node, Usage::new(usage));
        }
    }
    let evaluation = Policy::Flux.evaluate(&active.tree, &active.settings);
    let shares = nodes.iter().filter_map(|&node| {
        let share = evaluation.number(ColumnId::Factor, node)?;
        Some((name_of(&active.tree, node), format!("{share:.6}")))
    });
    shares.collect()
}

#[test]
fn golden_an_update_of_a_database_gives_the_same_usage_as_flux() {
    let Some(root) = golden("flux/usage") else {
        return;
    };
    let (mut databases, mut read, mut compared, mut different) = (0, 0, 0, Vec::new());
    for (case, now) in [
        ("e2e_first_period", 1_750_500_000.0),
        ("e2e_ignore_older_than", 1_751_213_600.0),
        ("e2e_rotation", 1_751_213_600.0),
    ] {
        let folder = root.join(case);
        let database = folder.join("before.db");
        let whole = load_with(&database, &[("inactive", "show")])
            .expect("a database")
            .snapshot;
        let tree = &whole.tree;
        let settings = &whole.settings.flux;
        let run = Period {
            half_life: f64::from(settings.decay_half_life),
            end: settings.end_half_life_period,
            decay_factor: settings.decay_factor,
            now,
        };
        let ids = (0..tree.id_count()).map(NodeId::from_index);
        let mut usage: Vec<f64> = ids
            .map(|node| tree.usage(node).amount().unwrap_or(0.0))
            .collect();
        let mut ours: HashMap<(String, String, String), u64> = HashMap::new();
        for &node in tree.nodes() {
            if tree.kind(node) == Kind::Account {
                continue;
            }
            let key = name_of(tree, node);
            let all = whole.recorded.all_bins();
            let jobs = whole.recorded.jobs(node);
            read += jobs.len();
            let fresh = NewJobs::since(all.counted(node), jobs, settings);
            let mut bins = all.get(node).to_vec();
            run.update(&mut bins, &mut usage[node.index()], fresh);
            let (bank, user) = key;
            for (period, bin) in bins.iter().enumerate() {
                ours.insert(
                    (bank.clone(), user.clone(), period.to_string()),
                    bin.to_bits(),
                );
            }
            let last = fresh.map_or_else(|| all.counted(node), |fresh| fresh.last_end);
            ours.insert((bank, user, "last".to_owned()), last.to_bits());
        }
        fairscope::rules::clock::flux::sum_banks(tree, &mut usage);
        for &node in tree.nodes() {
            let (bank, user) = name_of(tree, node);
            ours.insert((bank, user, String::new()), usage[node.index()].to_bits());
        }
        let shares = fair_shares(&database, &ours);
        let mut compare = |what: &str, is_equal: bool| {
            compared += 1;
            if !is_equal {
                different.push(format!("{case}: {what}"));
            }
        };
        let text = std::fs::read_to_string(folder.join("expected.tsv")).expect("figures");
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let theirs = |place: usize| fields[place].parse::<f64>().expect("a number").to_bits();
            let key = |what: &str| (fields[1].to_owned(), fields[2].to_owned(), what.to_owned());
            match fields[0] {
                "BANK" => {
                    let key = (fields[1].to_owned(), String::new(), String::new());
                    compare(line, ours[&key] == theirs(4));
                }
                "ASSOC" => {
                    compare(line, ours[&key("")] == theirs(4));
                    let share = shares.get(&(fields[1].to_owned(), fields[2].to_owned()));
                    let share: f64 = share.map_or(0.5, |share| share.parse().expect("a number"));
                    compare(line, share.to_bits() == theirs(5));
                }
                "BIN" => compare(line, ours[&key(fields[3])] == theirs(4)),
                "LAST" => compare(line, ours[&key("last")] == theirs(3)),
                "END_HL" => compare(line, run.next_end().to_bits() == theirs(fields.len() - 1)),
                other => panic!("{other}"),
            }
        }
        databases += 1;
    }
    println!(
        "{databases} databases, {read} jobs read from them, {compared} numbers compared, {} differ",
        different.len()
    );
    different.truncate(20);
    assert!(databases == 3 && different.is_empty(), "{different:#?}");
}

#[test]
fn golden_first_bins_hold_the_jobs_of_the_current_period() {
    let Some(root) = golden("flux/usage") else {
        return;
    };
    let mut lines = Vec::new();
    for case in ["e2e_first_period", "e2e_ignore_older_than", "e2e_rotation"] {
        let loaded = load_with(&root.join(case).join("after.db"), &[]).expect("a database");
        let Snapshot {
            tree,
            settings,
            recorded,
            ..
        } = &loaded.snapshot;
        let users = tree
            .nodes()
            .iter()
            .filter(|&&node| tree.kind(node) == Kind::User);
        let (mut users_with_jobs, mut equal) = (0, 0);
        for &node in users {
            let jobs = recorded.jobs(node);
            let used = NewJobs::since(0.0, jobs, &settings.flux);
            let used = used.map_or(0.0, |jobs| jobs.usage);
            users_with_jobs += usize::from(!jobs.is_empty());
            let bins = recorded.bins(node);
            equal += usize::from(!jobs.is_empty() && bins[0].to_bits() == used.to_bits());
        }
        lines.push(format!(
            "{case}: {equal} of {users_with_jobs} users with jobs"
        ));
    }
    println!(
        "first bin equal to the jobs of the period, to the last bit: {}",
        lines.join("; ")
    );
    assert_eq!(lines[0], "e2e_first_period: 36 of 36 users with jobs");
}

/// The start of the timelines.
const T0: i64 = 1_750_000_000;

/// A moment in thousandths of weeks after `T0`, in seconds.
fn after(thousandths: u64) -> u64 {
    WEEK * thousandths / 1000
}

/// A bank with two users with these bins, this many thousandths of a week after `T0`, when the database was made.
fn bank(bins: [&[f64]; 2], thousandths: u64) -> (Tree, Settings, [NodeId; 2]) {
    let mut builder = TreeBuilder::new(b"root");
    let name = builder.intern(b"A");
    let account = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
    let users = [b"u1", b"u2"].map(|user| {
        let name = builder.intern(user);
        let node = builder.push(account, name, Kind::User, Position::Last);
        builder.set_shares(node, Shares::new(1));
        node
    });
    builder.set_shares(account, Shares::new(1));
    let mut rows = Vec::new();
    for (node, bins) in users.into_iter().zip(bins) {
        builder.set_usage(node, Usage::new(bins.iter().sum()));
        rows.extend((0..).zip(bins).map(|(period, &usage)| BinRow {
            node,
            period,
            usage,
        }));
    }
    let mut tree = builder.build();
    let usage_state = UsageState::of(&tree, Amounts::Doubles(vec![0.0; tree.id_count()]));
    let bins = Arc::new(Bins::of(tree.id_count(), &rows));
    tree.set_usage_state(Some(usage_state.with_bins(bins)));
    let mut settings = Settings {
        scheduler: Some(Scheduler::Flux),
        ..Settings::default()
    };
    settings.flux.end_half_life_period = (T0 + 604_800) as f64;
    settings.time.taken = Some(T0.saturating_add_unsigned(after(thousandths)));
    (tree, settings, users)
}

fn pass(clock: &mut Clock, seconds: u64) {
    let _ = clock.advance(seconds, &mut |_| ControlFlow::Continue(()));
}

/// The bins of a node at this moment.
fn bins_of(clock: &Clock, node: NodeId) -> Vec<f64> {
    let tree = clock.tree();
    let usage_state = tree.usage_state().and_then(UsageState::bins).expect("bins");
    usage_state.get(node).to_vec()
}

#[test]
fn bins_first_shift_after_two_half_lives_and_then_after_each() {
    let (tree, settings, [user, _]) = bank([&[1000.0, 0.0, 0.0, 0.0], &[0.0; 4]], 500);
    let mut clock = Clock::new(&tree, &settings);
    let at = |clock: &mut Clock, thousandths: u64| {
        let wait = after(thousandths) - after(500) - clock.passed();
        pass(clock, wait);
        let usage = clock.usage(user).amount().expect("usage");
        (bins_of(clock, user), usage)
    };
    assert_eq!(at(&mut clock, 1500), (vec![1000.0, 0.0, 0.0, 0.0], 1000.0));
    assert_eq!(at(&mut clock, 2000), (vec![1000.0, 0.0, 0.0, 0.0], 1000.0));
    assert_eq!(at(&mut clock, 2036), (vec![0.0, 500.0, 0.0, 0.0], 500.0));
    assert_eq!(at(&mut clock, 3036), (vec![0.0, 0.0, 250.0, 0.0], 250.0));
    assert_eq!(at(&mut clock, 4036), (vec![0.0, 0.0, 0.0, 125.0], 125.0));
    assert_eq!(at(&mut clock, 5036), (vec![0.0; 4], 0.0));
}

#[test]
fn each_run_after_a_pause_shifts_the_bins_once() {
    let (tree, settings, [user, _]) = bank([&[1000.0, 0.0, 0.0, 0.0], &[0.0; 4]], 5600);
    let mut clock = Clock::new(&tree, &settings);
    let overdue = |clock: &Clock| next_shift(clock.settings()).map(|shift| shift.overdue);
    assert_eq!(overdue(&clock), Some(4));
    let usage: Vec<f64> = (0..5)
        .map(|_| {
            pass(&mut clock, 3600);
            clock.usage(user).amount().expect("usage")
        })
        .collect();
    assert_eq!(usage, [500.0, 250.0, 125.0, 0.0, 0.0]);
    let end = clock.settings().flux.period_end;
    assert_eq!(end, Some((T0 + 5 * 604_800) as f64));
    assert_eq!(overdue(&clock), Some(0));
}

#[test]
fn a_rate_fills_the_first_bin_without_double_counting() {
    let (tree, mut settings, [user, other]) = bank([&[0.0; 4], &[7.0, 6.0, 5.0, 4.0]], 2000);
    let mut pace = Pace::default();
    pace.set_rate(user, 0.25);
    settings.time.pace = Arc::new(pace);
    let mut clock = Clock::new(&tree, &settings);
    // The first run shifts; usage since then counts in the next run.
    pass(&mut clock, 3600);
    assert_eq!(bins_of(&clock, user), [0.0; 4]);
    pass(&mut clock, 3600);
    assert_eq!(bins_of(&clock, user), [1800.0, 0.0, 0.0, 0.0]);
    assert_eq!(bins_of(&clock, other), [0.0, 3.5, 3.0, 2.5]);
    pass(&mut clock, 6 * WEEK);
    let bins = bins_of(&clock, user);
    let week = 0.25 * 604_800.0;
    assert_eq!(bins[1..], [week / 2.0, week / 4.0, week / 8.0]);
    let usage = clock.usage(user).amount().expect("usage");
    assert_eq!(usage.to_bits(), bins.iter().sum::<f64>().to_bits());
}

#[test]
fn the_number_of_steps_does_not_change_the_result() {
    let (tree, mut settings, [user, other]) = bank([&[3.5, 2.0, 1.0, 0.5], &[1.0; 4]], 1300);
    let mut pace = Pace::default();
    pace.set_rate(user, 0.123_456_789);
    settings.time.pace = Arc::new(pace);
    let mut whole = Clock::new(&tree, &settings);
    pass(&mut whole, 5 * WEEK);
    let mut parts = Clock::new(&tree, &settings);
    for seconds in [100, 3500, 3600, 7300, DAY, 11 * DAY + 5] {
        pass(&mut parts, seconds);
        // The tree and the settings hold the whole state after a wait.
        parts = Clock::new(&parts.tree(), parts.settings());
    }
    let rest = 5 * WEEK - parts.passed();
    pass(&mut parts, rest);
    for node in [user, other] {
        assert_eq!(bits(&bins_of(&whole, node)), bits(&bins_of(&parts, node)));
    }
    assert_eq!(whole.settings(), parts.settings());
}

#[test]
fn undo_restores_the_bins_exactly() {
    let (tree, settings, [user, _]) = bank([&[1500.0, 500.0, 0.0, 0.0], &[1.0; 4]], 1900);
    let loaded = load_path(&made(&[BANKS, ASSOCIATIONS, ROWS]).path).expect("a database");
    let snapshot = Snapshot {
        tree,
        settings,
        ..loaded.snapshot
    };
    let mut scenario = Scenario::new(Arc::new(snapshot), Policy::Flux);
    let bins = |scenario: &Scenario| {
        let clock = Clock::new(scenario.tree(), scenario.settings());
        bins_of(&clock, user)
    };
    let before = (bins(&scenario), scenario.settings().clone());
    for _ in 0..3 {
        let seconds = 5 * DAY;
        scenario.apply(Edit::Wait { seconds }).expect("it fits");
    }
    assert_eq!(bins(&scenario), [0.0, 0.0, 0.0, 187.5]);
    for _ in 0..3 {
        scenario.undo().expect("an edit");
    }
    assert_eq!((bins(&scenario), scenario.settings().clone()), before);
}

#[test]
fn editing_usage_updates_the_bins() {
    let (mut tree, settings, [up, down]) =
        bank([&[4.0, 2.0, 0.0, 0.0], &[8.0, 4.0, 2.0, 2.0]], 500);
    tree.set_usage(up, Usage::new(10.0));
    tree.set_usage(down, Usage::new(4.0));
    let clock = Clock::new(&tree, &settings);
    assert_eq!(bins_of(&clock, up), [8.0, 2.0, 0.0, 0.0]);
    assert_eq!(bins_of(&clock, down), [2.0, 1.0, 0.5, 0.5]);
}

#[test]
fn usage_without_bins_belongs_to_the_current_period() {
    let (mut tree, mut settings, [user, _]) = bank([&[8.0, 0.0, 0.0, 0.0], &[0.0; 4]], 0);
    tree.set_usage_state(None);
    settings.flux.end_half_life_period = 0.0;
    settings.time.taken = None;
    let mut clock = Clock::new(&tree, &settings);
    assert!(
        clock.assumptions().contains(&Assumption::NoBins),
        "{:?}",
        clock.assumptions()
    );
    pass(&mut clock, WEEK);
    assert_eq!(clock.usage(user).amount(), Some(8.0));
    pass(&mut clock, 3600);
    assert_eq!(clock.usage(user).amount(), Some(4.0));
}

#[test]
fn a_run_sets_the_usage_of_banks_to_the_sum_of_their_users() {
    let (mut tree, settings, [_, user]) =
        bank([&[8.0, 0.0, 0.0, 0.0], &[4.0, 0.0, 0.0, 0.0]], 2000);
    let account = tree.parent(user).expect("a bank");
    tree.set_usage(account, Usage::new(100.0));
    let mut clock = Clock::new(&tree, &settings);
    assert_eq!(clock.usage(account).amount(), Some(100.0));
    pass(&mut clock, 3600);
    assert_eq!(clock.usage(account).amount(), Some(6.0));
    assert_eq!(clock.usage(NodeId::ROOT).amount(), None);
}

#[test]
fn a_steady_pace_keeps_usage_equal_after_every_period() {
    let (tree, mut settings, [user, _]) = bank([&[1600.0, 0.0, 0.0, 0.0], &[0.0; 4]], 500);
    let mut clock = Clock::new(&tree, &settings);
    settings.time.pace = Arc::new(clock.steady());
    clock = Clock::new(&tree, &settings);
    let mut least = f64::INFINITY;
    let mut most: f64 = 0.0;
    pass(&mut clock, 10 * WEEK);
    for _ in 0..WEEK / 3600 {
        pass(&mut clock, 3600);
        let usage = clock.usage(user).amount().expect("usage");
        (least, most) = (least.min(usage), most.max(usage));
    }
    let mean = f64::midpoint(least, most);
    assert!((mean / 1600.0 - 1.0).abs() < 0.02, "{least} to {most}");
}

/// The jobs of the example in the notes: five of one user and two of a sibling.
const JOBS: &str = "user,bank,nnodes,t_run,t_inactive
1002,C,2,1605635403.22141,1605637403.22141
1002,C,2,1605635403.22206,1605637403.22206
1002,C,2,1605635403.22286,1605637403.22286
1002,C,1,1605635403.22348,1605637403.22348
1002,C,1,1605635403.22416,1605637403.22416
1001,C,1,1605635403.22009,1605637403.22009
1001,C,1,1605635403.22073,1605637403.22073
";

/// The database of the example in the notes: one of a bank's two users has four bins of 16.
fn notes() -> Made {
    made(&[
        BANKS,
        ASSOCIATIONS,
        "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('root', '', 1), ('C', 'root', 1);
         INSERT INTO association_table (username, bank, shares, job_usage)
             VALUES ('1001', 'C', 1, 0.0), ('1002', 'C', 1, 64.0);
         CREATE TABLE job_usage_per_association_table (username text, bank text, period int, value real);
         INSERT INTO job_usage_per_association_table VALUES
             ('1002', 'C', 0, 16.0), ('1002', 'C', 1, 16.0), ('1002', 'C', 2, 16.0), ('1002', 'C', 3, 16.0);",
    ])
}

#[test]
fn example_from_the_notes_shows_stored_and_current_usage() {
    let made = notes();
    let jobs = made.folder.path().join("jobs.csv");
    std::fs::write(&jobs, JOBS).expect("a file");
    let explain = |form: &str| {
        Run::fairscope(["explain"])
            .arg(&made.path)
            .args(["1002", "--format-out", form, "--jobs"])
            .arg(&jobs)
            .run()
            .success()
    };
    let text = explain("text");
    let begin = text.find("Job usage factor").expect("the table");
    let end = text.find("Recorded").expect("the neighbours");
    insta::assert_snapshot!(&text[begin..end], @r"
    Job usage factor, by the notes of 2021: (nodes × seconds + decayed bins) / nodes × seconds of the siblings
      usage_user_current      8 × 10,000 = 80,000
      usage_user_past         8 + 4 + 2 + 1 = 15
      usage_user_historical   80,000 + 15 = 80,015
      usage_siblings_current  2 × 4,000 = 8,000
      job usage factor        80,015 / 8,000 = 10.0019
    Job usage, by flux-accounting 0.56 and newer: nodes × seconds of each job, added up, and the bins
      new jobs                16,000
      in the same period      16,064; bins 16,016, 16, 16, 16
      in a new period         16,024; bins 16,024, 8, 8, 8
    No release divides by the siblings' usage. The given jobs are assumed to be those of the last half-life.
    ");
    let json: Value = serde_json::from_str(&explain("json")).expect("JSON");
    let usage = &json["job_usage"];
    assert_eq!(usage["usage_user_current"], 80_000.0);
    assert_eq!(usage["usage_user_past"], 15.0);
    assert_eq!(usage["usage_user_historical"], 80_015.0);
    assert_eq!(usage["new_jobs"], 16_000.0);
    assert_eq!(
        format!("{:.4}", number(&usage["job_usage_factor"])),
        "10.0019"
    );
    assert_eq!(usage["in_same_period"]["job_usage"], 16_064.0);
    assert_eq!(usage["in_new_period"]["job_usage"], 16_024.0);
    let bins = numbers(&usage["in_new_period"]["usage_bins"]);
    assert_eq!(bins, [16_024.0, 8.0, 8.0, 8.0]);
}

#[test]
fn period_of_the_jobs_is_reported_if_its_end_is_known() {
    let made = notes();
    let jobs = made.folder.path().join("jobs.csv");
    std::fs::write(&jobs, JOBS).expect("a file");
    for (end, line) in [
        (1_605_637_000, "in the same period      16,064"),
        (1_605_000_000, "in a new period         16,024"),
    ] {
        let text = Run::fairscope(["explain"])
            .arg(&made.path)
            .args(["1002", "--set", &format!("end_half_life_period={end}")])
            .arg("--jobs")
            .arg(&jobs)
            .run()
            .success();
        let marked: Vec<&str> = text
            .lines()
            .filter(|line| line.ends_with("; this applies here"))
            .collect();
        assert!(marked.len() == 1 && marked[0].contains(line), "{text}");
    }
}

#[test]
fn invalid_job_lines_are_reported_and_left_out() {
    let made = notes();
    let jobs = made.folder.path().join("jobs.csv");
    let text = "bank,user,t_run,t_inactive,nnodes,extra
C,1002,0,10,2,x
C,1002,0,10,two
C,1002,20,10,2
C,nobody,0,10,2
C,1002
C,1002,0,1000000000000000000,2
";
    std::fs::write(&jobs, text).expect("a file");
    let request = Request {
        beside: FilesBeside {
            jobs: Some(jobs.clone()),
            ..FilesBeside::default()
        },
        ..Request::to_open(made.path)
    };
    let loaded = load_quietly(&request).expect("a database");
    let said: Vec<(&str, Option<u64>)> = loaded
        .problems
        .list()
        .iter()
        .map(|problem| (problem.code, problem.line))
        .collect();
    assert_eq!(
        said,
        [
            ("csv-unknown-column", Some(1)),
            ("flux-jobs-bad-line", Some(3)),
            ("flux-jobs-bad-line", Some(4)),
            ("flux-jobs-unknown-user", Some(5)),
            ("flux-jobs-bad-line", Some(6)),
            ("flux-jobs-bad-line", Some(7)),
        ]
    );
    std::fs::write(&jobs, "user,bank\n").expect("a file");
    let refused = load_quietly(&request).expect_err("no column nnodes");
    refused.to_string().must_contain("has no column nnodes");
    std::fs::write(&jobs, "user,bank,nnodes,t_run,t_inactive\n").expect("a file");
    let loaded = load_quietly(&request).expect("a database");
    assert_eq!(loaded.problems.list()[0].code, "flux-jobs-none");
}

#[test]
fn numbers_round_to_five_decimals_as_in_python() {
    let settings = Flux {
        node_weight: 0.015_625,
        ..Flux::default()
    };
    let job = |seconds: f64| FinishedJob {
        nnodes: 1,
        t_inactive: seconds,
        ..FinishedJob::default()
    };
    // Ties round to the even neighbour.
    assert_eq!(usage_of(&job(1.0), &settings).to_string(), "0.01562");
    assert_eq!(usage_of(&job(3.0), &settings).to_string(), "0.04688");
    assert_eq!(usage_of(&job(2.0), &settings).to_string(), "0.03125");
    // The fast path must equal rounding of the exact digits.
    let mut seconds = 0.1;
    for place in 0..20_000 {
        seconds = (seconds * 1.618_033 + f64::from(place) * 0.007) % 1e9;
        let whole = Flux::default();
        let exact: f64 = format!("{seconds:.5}").parse().expect("a number");
        let quick = usage_of(&job(seconds), &whole);
        assert_eq!(quick.to_bits(), exact.to_bits(), "{seconds}");
    }
}

#[test]
fn a_user_without_siblings_with_usage_has_no_factor() {
    let own = Totals {
        nodes: 2,
        seconds: 3.0,
    };
    let factor = JobUsageFactor::new(own, &[16.0], 0.5, Totals::default());
    assert_eq!((factor.historical(), factor.factor()), (14.0, None));
}
