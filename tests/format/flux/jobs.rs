//! The table of jobs in a database: the resources of each, what it costs, and rows that are not jobs.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::flux::{load_with, made};
use crate::support::golden;
use crate::support::loading::{go_on, load_path, load_quietly, sentences};
use fairscope::format::flux::ran_jobs;
use fairscope::format::jobs::RanJobs;
use fairscope::format::{FilesBeside, Request};
use fairscope::model::{FinishedJob, Kind, NodeId, Snapshot};
use fairscope::rules::clock::flux::usage_of;
use std::collections::BTreeMap;
use std::path::Path;

/// Two banks and three users with bins, under schema 38, in the period that begins at 10,000.
const TREE: &str = "
CREATE TABLE bank_table (bank_id integer PRIMARY KEY AUTOINCREMENT, bank text NOT NULL, active int DEFAULT 1, parent_bank text DEFAULT '', shares int NOT NULL, job_usage real DEFAULT 0.0, priority real DEFAULT 0.0, ignore_older_than bigint DEFAULT 0);
CREATE TABLE association_table (active int DEFAULT 1, username tinytext NOT NULL, userid int, bank tinytext NOT NULL, shares int DEFAULT 1, job_usage real DEFAULT 0.0, fairshare real DEFAULT 0.5, PRIMARY KEY (username, bank));
CREATE TABLE job_usage_factor_table (username text, userid int, bank text, last_job_timestamp real);
CREATE TABLE job_usage_per_association_table (username text, userid int, bank text, period int, value real);
CREATE TABLE t_half_life_period_table (cluster text, end_half_life_period real);
CREATE TABLE config_table (key text PRIMARY KEY, value text);
CREATE TABLE jobs (id char(16) PRIMARY KEY NOT NULL, userid integer NOT NULL, t_submit real NOT NULL, t_run real NOT NULL, t_inactive real NOT NULL, ranks text NOT NULL, R text NOT NULL, jobspec text NOT NULL, project text, bank text);
INSERT INTO bank_table (bank, parent_bank, shares, ignore_older_than) VALUES ('root', '', 1, 0), ('A', 'root', 2, 0), ('B', 'root', 1, 10500);
INSERT INTO association_table (username, userid, bank, job_usage, active) VALUES ('ann', 1001, 'A', 9450.0, 1), ('bob', 1002, 'A', 0.0, 1), ('ann', 1001, 'B', 0.0, 1), ('old', 1003, 'B', 0.0, 0);
INSERT INTO job_usage_factor_table VALUES ('ann', 1001, 'A', 11000.0), ('bob', 1002, 'A', 0.0), ('ann', 1001, 'B', 0.0);
INSERT INTO job_usage_per_association_table VALUES ('ann', 1001, 'A', 0, 9400.0), ('ann', 1001, 'A', 1, 50.0), ('bob', 1002, 'A', 0, 0.0), ('bob', 1002, 'A', 1, 0.0), ('ann', 1001, 'B', 0, 0.0), ('ann', 1001, 'B', 1, 0.0);
INSERT INTO t_half_life_period_table VALUES ('cluster', 10000.0);
INSERT INTO config_table VALUES ('priority_usage_reset_period', '7200'), ('priority_decay_half_life', '3600'), ('decay_factor', '0.5'), ('node_weight', '1.0'), ('core_weight', '0.5'), ('gpu_weight', '2.0');
";

/// Writes a database with rows of jobs: id, userid, bank, `t_run`, `t_inactive`, R.
fn database(jobs: &[(&str, i64, &str, f64, f64, &str)]) -> crate::support::flux::Made {
    let made = made(&[TREE]);
    let connection = rusqlite::Connection::open(&made.path).unwrap();
    for (id, user, bank, run, end, resources) in jobs {
        let values: [&dyn rusqlite::ToSql; 6] = [id, user, run, end, resources, bank];
        let insert = "INSERT INTO jobs VALUES (?1, ?2, 1.0, ?3, ?4, '', ?5, '{}', NULL, ?6)";
        connection.execute(insert, &values[..]).unwrap();
    }
    made
}

/// Two nodes of 8 cores and 2 GPUs, and one of 4 cores.
const R: &str = r#"{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-7","gpu":"0,1"}},{"rank":"5","children":{"core":"[0-2,6]"}}],"starttime":0.0,"expiration":0.0,"nodelist":["n[0-1,5]"]}}"#;
const ONE_NODE: &str = r#"{"version":1,"execution":{"R_lite":[{"rank":"3"}]}}"#;

fn ran(path: &Path, snapshot: &Snapshot) -> RanJobs {
    let Snapshot {
        tree,
        settings,
        recorded,
        ..
    } = snapshot;
    ran_jobs(path, tree, recorded, &settings.flux, &mut go_on).expect("a database")
}

fn name(snapshot: &Snapshot, node: NodeId) -> String {
    let names = [snapshot.tree.parent(node).unwrap(), node];
    let names = names.map(|node| String::from_utf8_lossy(snapshot.tree.name(node)).into_owned());
    names.join("/")
}

/// The jobs recorded for each association.
fn recorded(snapshot: &Snapshot) -> BTreeMap<String, Vec<FinishedJob>> {
    let nodes = snapshot.tree.nodes().iter();
    let jobs = nodes.map(|&node| (node, snapshot.recorded.jobs(node).to_vec()));
    let jobs = jobs.filter(|(_, jobs)| !jobs.is_empty());
    jobs.map(|(node, jobs)| (name(snapshot, node), jobs))
        .collect()
}

#[test]
fn jobs_of_the_current_period_explain_the_first_bin() {
    let made = database(&[
        ("past", 1001, "A", 9000.0, 9900.0, ONE_NODE),
        ("counted1", 1001, "A", 10_000.0, 10_400.0, R),
        ("counted2", 1001, "A", 10_000.0, 11_000.0, ONE_NODE),
        ("new", 1001, "A", 11_000.0, 11_500.5, ONE_NODE),
        ("ignored", 1001, "B", 10_000.0, 10_500.0, ONE_NODE),
        ("never ran", 1002, "A", 0.0, 11_000.0, ""),
    ]);
    let loaded = load_path(&made.path).unwrap();
    assert_eq!(
        sentences(&loaded.problems.without(&["flux-inactive"])),
        [""; 0]
    );
    let jobs = recorded(&loaded.snapshot);
    assert_eq!(jobs.keys().collect::<Vec<_>>(), ["A/ann"]);
    let [first, second, new] = jobs["A/ann"][..] else {
        panic!("{jobs:?}");
    };
    assert_eq!((first.nnodes, first.ncores, first.ngpus), (3, 20, 4));
    assert_eq!((second.nnodes, second.ncores, second.ngpus), (1, 0, 0));
    // 3 nodes, 20 cores and 4 GPUs weigh 3 + 10 + 8 = 21; 400 s of them, and 1,000 s of a node.
    let flux = &loaded.snapshot.settings.flux;
    let usage = [first, second, new].map(|job| usage_of(&job, flux));
    assert_eq!(usage.to_vec(), [8400.0, 1000.0, 500.5]);
    let text = Run::fairscope(["explain"])
        .arg(&made.path)
        .arg("A/ann")
        .run()
        .success();
    let begin = text.find("Job usage, by").expect("a derivation");
    let end = text.find("No release").expect("its end");
    insta::assert_snapshot!(&text[begin..end], @r"
    Job usage, by flux-accounting 0.56 and newer: nodes × seconds of each job, added up, and the bins
      jobs counted already    9,400; the first bin has 9,400
      new jobs                500.5
      in the same period      9,950.5; bins 9,900.5, 50; this applies here
      in a new period         5,200.5; bins 5,200.5, 4,700
    ");
}

#[test]
fn all_jobs_that_flux_counts_are_charged() {
    let made = database(&[
        ("past", 1001, "A", 9000.0, 9900.0, ONE_NODE),
        ("half seconds", 1001, "A", 10_000.5, 10_400.25, R),
        ("ignored", 1001, "B", 10_000.0, 10_500.0, ONE_NODE),
        ("b", 1001, "B", 10_000.0, 10_501.0, ONE_NODE),
    ]);
    let snapshot = load_path(&made.path).unwrap().snapshot;
    let ran = ran(&made.path, &snapshot);
    let jobs = ran.jobs.iter().map(|job| {
        let usage = job.rate * (job.until - job.from) as f64;
        (name(&snapshot, job.node), job.from, job.until, usage)
    });
    // Each is counted whole in the second in which Flux sees its end.
    let expected = [
        ("A/ann".to_owned(), 9899, 9900, 900.0),
        // 21 a second for 399.75 s
        ("A/ann".to_owned(), 10_400, 10_401, 8394.75),
        ("B/ann".to_owned(), 10_500, 10_501, 501.0),
    ];
    assert_eq!(jobs.collect::<Vec<_>>(), expected);
    assert_eq!(ran.last(), Some(10_501));
}

#[test]
fn rows_that_are_no_jobs_are_problems() {
    let json = |ranks: &str| ONE_NODE.replace('3', ranks);
    let (backwards, words, huge) = (json("9-3"), json("x"), json("0-18446744073709551615"));
    let made = database(&[
        ("a", 1001, "A", 11_000.0, 12_000.0, "{"),
        ("b", 1001, "A", 11_000.0, 12_000.0, &backwards),
        ("c", 1001, "A", 11_000.0, 12_000.0, &words),
        ("d", 1001, "A", 11_000.0, 12_000.0, &huge),
        (
            "e",
            1001,
            "A",
            11_000.0,
            12_000.0,
            r#"{"version":2,"execution":{"R_lite":[{"rank":"3"}]}}"#,
        ),
        ("f", 1001, "A", 11_000.0, 0.0, ONE_NODE),
        ("g\u{1b}", 1001, "A", 12_000.0, 11_000.5, ONE_NODE),
        ("h", 77, "A", 11_000.0, 12_000.0, ONE_NODE),
        ("i", 1003, "B", 11_000.0, 12_000.0, ONE_NODE),
        ("j", 1001, "C", 11_000.0, 12_000.0, ONE_NODE),
        ("k", 1001, "A", 11_000.0, f64::INFINITY, ONE_NODE),
    ]);
    let loaded = load_path(&made.path).unwrap();
    assert!(recorded(&loaded.snapshot).is_empty());
    let told = loaded.problems.without(&["flux-inactive"]);
    let told = told
        .list()
        .iter()
        .map(|it| format!("{} {}", it.code, it.message));
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r"
    flux-jobs-bad-line job a was left out: R is not a resource set of version 1, so Flux skips it, too
    flux-jobs-bad-line job b was left out: R is not a resource set of version 1, so Flux skips it, too
    flux-jobs-bad-line job c was left out: R is not a resource set of version 1, so Flux skips it, too
    flux-jobs-bad-line job d was left out: R is not a resource set of version 1, so Flux skips it, too
    flux-jobs-bad-line job e was left out: R is not a resource set of version 1, so Flux skips it, too
    flux-jobs-bad-line job f was left out: t_inactive is not a moment after t_run
    flux-jobs-bad-line job g\e was left out: t_inactive is not a moment after t_run
    flux-jobs-bad-line job k was left out: t_inactive is not a moment after t_run
    flux-jobs-unknown-user 3 jobs are of associations that are not in the tree, and left out
    ");
    let problems = ran(&made.path, &loaded.snapshot).problems;
    assert_eq!(problems.count(), 9);
    let shown = load_with(&made.path, &[("inactive", "show")]).unwrap();
    assert_eq!(
        recorded(&shown.snapshot).keys().collect::<Vec<_>>(),
        ["B/old"]
    );
}

#[test]
fn row_beyond_the_limits_of_a_database_ends_the_table_alone() {
    let made = database(&[
        ("a", 1001, "A", 11_000.0, 12_000.0, ONE_NODE),
        ("b", 1001, "A", 11_000.0, 12_000.0, &" ".repeat(2 << 20)),
    ]);
    let loaded = load_path(&made.path).unwrap();
    assert_eq!(recorded(&loaded.snapshot)["A/ann"].len(), 1);
    let told = sentences(&loaded.problems.without(&["flux-inactive"]));
    told[0].must_contain("the table jobs could not be read beyond 1 row");
}

#[test]
fn csv_of_jobs_replaces_the_table() {
    let made = database(&[("a", 1001, "A", 11_000.0, 12_000.0, ONE_NODE)]);
    let jobs = made.folder.path().join("jobs.csv");
    std::fs::write(
        &jobs,
        "user,bank,nnodes,t_run,t_inactive\nann,A,2,11000,13000\n",
    )
    .unwrap();
    let request = Request {
        beside: FilesBeside {
            jobs: Some(jobs),
            ..FilesBeside::default()
        },
        ..Request::to_open(made.path)
    };
    let snapshot = load_quietly(&request).unwrap().snapshot;
    let jobs = recorded(&snapshot);
    let ends: Vec<f64> = jobs["A/ann"].iter().map(|job| job.t_inactive).collect();
    assert_eq!(ends, [13_000.0]);
}

#[test]
fn golden_databases_charge_what_their_jobs_used() {
    let Some(root) = golden("flux/usage") else {
        return;
    };
    let mut count = 0;
    for case in ["e2e_first_period", "e2e_ignore_older_than", "e2e_rotation"] {
        let path = root.join(case).join("before.db");
        let snapshot = load_with(&path, &[("inactive", "show")]).unwrap().snapshot;
        let ran = ran(&path, &snapshot);
        count += ran.jobs.len();
        let mut usage: BTreeMap<NodeId, f64> = BTreeMap::new();
        for job in &ran.jobs {
            *usage.entry(job.node).or_default() += job.rate * (job.until - job.from) as f64;
        }
        let tree = &snapshot.tree;
        for &node in tree
            .nodes()
            .iter()
            .filter(|&&node| tree.kind(node) == Kind::User)
        {
            let jobs = snapshot.recorded.jobs(node).iter();
            let sum: f64 = jobs.map(|job| usage_of(job, &snapshot.settings.flux)).sum();
            let charged = usage.get(&node).copied().unwrap_or(0.0);
            assert!(
                (charged - sum).abs() <= 1e-12 * sum,
                "{case}: {charged} is not {sum}"
            );
        }
    }
    println!("{count} jobs in 3 databases");
    assert!(count > 400);
}
