//! Benchmarks of speed. Goals are medians on two shared cores; two figures are for 1e5 and 1e6 nodes.
//!
//! | bench | goal |
//! |---|---|
//! | `evaluate` | at most 8 and 80 ms, under every policy, for every shape and for an all-tied tree |
//! | `load_resource_group` | at most 9 and 180 ms |
//! | `load_csv` | well under 300 ms at 1e6 |
//! | `load_toml` | within the 70 and 650 ms to the first screen |
//! | `load_slurm` | at most 15 ms for each 10,000 rows of text, 100 ms for each 10,000 of JSON |
//! | `load_flux` | at most 10 ms for each 10,000 associations |
//! | `diff` | at most 300 ms at 1e5, both trees evaluated |
//! | `rebuild_order` | no goal of its own; every edit of the shape includes it |
//! | `solve_for_a_rank` | at most 1.5 s at 1e5, also for an impossible rank |
//! | `sensitivity_of_a_user` | at most 2 s at 1e5 |
//! | `measure_impact` | at most 100 ms at 1e5, both sides evaluated |
//! | `edit_all_marked` | at most 500 ms for 1e5 nodes, undo included |
//! | `simulate_a_year` | at most 10 s for 1e5 users and 365 days, with an evaluation every day |
//!
//! Without a filter, three tables are printed. The first compares each policy's time at 1e6 users with the scheduler's
//! own and shows the ratio. The second shows the time to open Slurm's and Flux's files for 1e4 and 1e5 users and the
//! ratio of the two times, which is 10 if time grows linearly with the tree. The third shows the time to read every kind
//! of list that a file can hold, and the ratio at twice the length.

#[path = "bench/growth.rs"]
mod growth;

use divan::Bencher;
use fairscope::analysis::diff::Diff;
use fairscope::analysis::impact::Impact;
use fairscope::analysis::simulate::Simulation;
use fairscope::analysis::solve::{Goal, ShareQuestion, sensitivity, solve};
use fairscope::format::convert::convert;
use fairscope::format::native::parse as parse_native;
use fairscope::format::{Format, Request, csv};
use fairscope::model::generate::{Shape, generate};
use fairscope::model::{Kind, NodeId, Scheduler, Shares, Snapshot, Tree, Usage};
use fairscope::open::load;
use fairscope::open::opened::Opened;
use fairscope::rules::policy::{Basis, ColumnId, Comparison, Evaluation, Policy};
use fairscope::scenario::{Edit, PaceChange, Scenario};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const SHAPES: [Shape; 4] = [Shape::Balanced, Shape::Skewed, Shape::Flat, Shape::Chain];
const SEED: u64 = 1;

fn main() {
    divan::main();
    // A filter selects benchmarks, so the tables are left out.
    if std::env::args()
        .skip(1)
        .all(|argument| argument == "--bench")
    {
        print_ratios();
        print_growth();
        growth::print();
    }
}

fn cases() -> impl Iterator<Item = (usize, Shape)> {
    SIZES
        .into_iter()
        .flat_map(|size| SHAPES.map(|shape| (size, shape)))
}

fn file(snapshot: &Snapshot, to: Format) -> Vec<u8> {
    let conversion = convert(snapshot, &snapshot.tree, &snapshot.settings, to);
    let conversion = conversion.expect("there are no edits");
    let mut files = conversion.files.into_iter();
    files.next().map(|(_, bytes)| bytes).unwrap_or_default()
}

/// Every user with the same shares and usage.
fn all_tied(users: usize) -> Tree {
    let mut tree = generate(users, Shape::Balanced, SEED).tree;
    for index in 1..tree.id_count() {
        let node = NodeId::from_index(index);
        tree.set_shares(node, Shares::new(1));
        tree.set_usage(node, Usage::NONE);
    }
    tree
}

fn evaluations() -> impl Iterator<Item = (Policy, usize, Shape)> {
    Policy::ALL
        .iter()
        .flat_map(|&policy| cases().map(move |(size, shape)| (policy, size, shape)))
}

#[divan::bench(args = evaluations(), sample_count = 10, sample_size = 1)]
fn evaluate(bencher: Bencher, (policy, size, shape): (Policy, usize, Shape)) {
    let snapshot = generate(size, shape, SEED);
    bencher.bench_local(|| policy.evaluate(&snapshot.tree, &snapshot.settings));
}

#[divan::bench(args = Policy::ALL, sample_count = 10, sample_size = 1)]
fn evaluate_an_all_tied_tree(bencher: Bencher, policy: Policy) {
    let (snapshot, tree) = (generate(1, Shape::Flat, SEED), all_tied(1_000_000));
    bencher.bench_local(|| policy.evaluate(&tree, &snapshot.settings));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn compare_policies(bencher: Bencher, size: usize) {
    let snapshot = generate(size, Shape::Skewed, SEED);
    let policies = Comparison::usual(&snapshot.settings);
    bencher.bench_local(|| {
        Comparison::new(
            Basis::computed(&snapshot.tree, &snapshot.settings),
            &policies,
        )
    });
}

/// Time of the schedulers' own code for a million users, in milliseconds. Measured once on two shared cores: the
/// traversal alone, without loading.
const SCHEDULERS: [(Policy, f64); 5] = [
    (Policy::LevelBased, 1070.0),
    (Policy::FairTree, 350.0),
    (Policy::Classic, 240.0),
    (Policy::Tickets, 340.0),
    (Policy::Flux, 340.0),
];

/// Prints each policy's time beside the scheduler's own.
fn print_ratios() {
    const RUNS: usize = 7;
    let snapshot = generate(1_000_000, Shape::Balanced, SEED);
    println!("\na million users, balanced: ours, the scheduler's own, the ratio");
    for (policy, own) in SCHEDULERS {
        let mut times: Vec<f64> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                let evaluation = policy.evaluate(&snapshot.tree, &snapshot.settings);
                let time = start.elapsed().as_secs_f64() * 1e3;
                drop(evaluation);
                time
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let time = times[RUNS / 2];
        let (name, ratio) = (policy.name(), own / time);
        println!("{name:12} {time:7.1} ms  {own:7.1} ms  {ratio:5.1}");
    }
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn rebuild_order(bencher: Bencher, (size, shape): (usize, Shape)) {
    let mut tree = generate(size, shape, SEED).tree;
    let last = tree.nodes()[tree.node_count() - 2];
    bencher.bench_local(|| {
        tree.remove(last);
        tree.restore(last);
    });
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn load_resource_group(bencher: Bencher, (size, shape): (usize, Shape)) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("resource_group");
    std::fs::write(&path, file(&generate(size, shape, SEED), Format::Pbs)).expect("there is room");
    let request = Request {
        format: Some(Format::Pbs),
        ..Request::to_open(path)
    };
    bencher.bench_local(|| load(&request, &mut |_| ControlFlow::Continue(())));
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn load_csv(bencher: Bencher, (size, shape): (usize, Shape)) {
    let bytes = file(&generate(size, shape, SEED), Format::Csv);
    bencher
        .with_inputs(|| bytes.clone())
        .bench_local_values(|bytes| {
            csv::parse(bytes, &Request::default(), &mut |_| {
                ControlFlow::Continue(())
            })
        });
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn load_toml(bencher: Bencher, (size, shape): (usize, Shape)) {
    let bytes = file(&generate(size, shape, SEED), Format::Toml);
    bencher.bench_local(|| {
        parse_native(
            &bytes,
            &Request::default(),
            &mut |_| ControlFlow::Continue(()),
            None,
        )
    });
}

/// Numbers of users in the files of Slurm and Flux.
const RECORDED: [usize; 2] = [10_000, 100_000];

/// Kinds of files with numbers that a scheduler computed.
#[derive(Clone, Copy, Debug)]
enum Recording {
    Sshare,
    SlurmJson,
    FluxDb,
}

impl Recording {
    /// Writes a file with this number of users into a folder.
    fn write(self, folder: &Path, users: usize) -> PathBuf {
        let path = folder.join("source");
        match self {
            Self::FluxDb => write_flux(&path, users).expect("a new database can be written"),
            Self::Sshare | Self::SlurmJson => {
                let snapshot = generate(users, Shape::Balanced, SEED);
                let evaluation = Policy::FairTree.evaluate(&snapshot.tree, &snapshot.settings);
                let text = if matches!(self, Self::Sshare) {
                    sshare(&snapshot.tree, &evaluation)
                } else {
                    slurm_json(&snapshot.tree, &evaluation)
                };
                std::fs::write(&path, text).expect("there is room");
            }
        }
        path
    }
}

#[divan::bench(args = SIZES)]
fn diff(bencher: Bencher, users: usize) {
    let old = Arc::new(generate(users, Shape::Skewed, SEED));
    let mut new = Snapshot::clone(&old);
    for &node in old.tree.nodes().iter().step_by(7).skip(1) {
        new.tree.set_usage(node, Usage::new(1234.5));
    }
    let new = Arc::new(new);
    bencher.bench(|| {
        let [old, new] = [&old, &new].map(|base| Scenario::new(Arc::clone(base), Policy::FairTree));
        Diff::between(&old, &new).target_shifts()
    });
}

/// The policies whose searches are measured: one for each way to order users.
const SOLVED: [Policy; 3] = [Policy::Pbs, Policy::FairTree, Policy::LevelBased];

/// An evaluated scenario with this number of users, and the user in the middle of the ranking.
fn middle(users: usize, policy: Policy) -> (Scenario, NodeId) {
    let scenario = Scenario::new(Arc::new(generate(users, Shape::Skewed, SEED)), policy);
    let half = users / 2;
    let mut ranked: Vec<NodeId> = scenario.tree().nodes().to_vec();
    ranked.retain(|&node| scenario.evaluation().rank(node).is_some());
    ranked.sort_by_key(|&node| scenario.evaluation().rank(node));
    let user = ranked[half.min(ranked.len() - 1)];
    (scenario, user)
}

/// Searches for a rank that can be reached, then for one that mostly cannot.
#[divan::bench(args = SOLVED, consts = [45_000, 1], sample_count = 3, sample_size = 1)]
fn solve_for_a_rank<const RANK: u32>(bencher: Bencher, policy: Policy) {
    let (scenario, node) = middle(100_000, policy);
    let question = ShareQuestion {
        node,
        goal: Goal::Rank(RANK),
        change: node,
    };
    bencher.bench_local(|| solve(&scenario, question, &mut |_| ControlFlow::Continue(())));
}

#[divan::bench(args = SOLVED, sample_count = 3, sample_size = 1)]
fn sensitivity_of_a_user(bencher: Bencher, policy: Policy) {
    let (scenario, node) = middle(100_000, policy);
    bencher.bench_local(|| sensitivity(&scenario, node, &mut |_| ControlFlow::Continue(())));
}

#[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
fn measure_impact(bencher: Bencher, users: usize) {
    let (mut scenario, node) = middle(users, Policy::FairTree);
    let shares = Shares::new(12_345);
    scenario
        .apply(Edit::SetShares { node, shares })
        .expect("a user can have other shares");
    let _ = scenario.evaluation();
    bencher.bench_local(|| Impact::of(&scenario));
}

/// An operation applied to all users as one edit.
#[derive(Clone, Copy, Debug)]
enum Bulk {
    Shares,
    Usage,
    Move,
    Remove,
}

#[divan::bench(args = [Bulk::Shares, Bulk::Usage, Bulk::Move, Bulk::Remove], sample_count = 5, sample_size = 1)]
fn edit_all_marked(bencher: Bencher, bulk: Bulk) {
    let base = Arc::new(generate(100_000, Shape::Balanced, SEED));
    let mut scenario = Scenario::new(Arc::clone(&base), Policy::Pbs);
    let to = NodeId::from_index(1);
    let users = base.tree.nodes().iter().copied();
    let users = users.filter(|&node| base.tree.kind(node) == Kind::User);
    let edit = |node| match bulk {
        Bulk::Shares => Edit::SetShares {
            node,
            shares: Shares::new(7),
        },
        Bulk::Usage => Edit::SetUsage {
            node,
            usage: Usage::new(7.0),
        },
        Bulk::Move => Edit::Move { node, to },
        Bulk::Remove => Edit::Remove { node },
    };
    let edits = Edit::Batch(users.map(edit).collect());
    bencher
        .with_inputs(|| edits.clone())
        .bench_local_values(|edits| {
            scenario.apply(edits).expect("every one of them fits");
            scenario.undo().is_some()
        });
}

/// Opens a file as the program does, including the choice of the policy.
fn open(path: &Path) -> Opened {
    let request = Request::to_open(path);
    let loaded = load(&request, &mut |_| ControlFlow::Continue(()));
    Opened::new(loaded.expect("it is what was written"), None)
}

fn name(tree: &Tree, node: NodeId) -> &str {
    match node {
        NodeId::ROOT => "root",
        node => std::str::from_utf8(tree.name(node)).expect("generated names are ASCII"),
    }
}

/// A tree as `sshare -a -l -P` prints it.
fn sshare(tree: &Tree, evaluation: &Evaluation) -> String {
    let mut text = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|\
                    TRESRunMins\n"
        .to_owned();
    for &node in tree.nodes() {
        let number = |column| evaluation.number(column, node).unwrap_or(0.0);
        let is_user = tree.kind(node) == Kind::User;
        let account = tree.parent(node).filter(|_| is_user).unwrap_or(node);
        let user = if is_user { name(tree, node) } else { "" };
        let factor = if is_user {
            format!("{:.6}", number(ColumnId::Factor))
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "{:depth$}{}|{user}|{}|{:.6}|{:.0}|{:.6}|{:.6}|{factor}|{:.6}||cpu=0,mem=0,node=0,billing=0",
            "",
            name(tree, account),
            tree.shares(node),
            number(ColumnId::NormShares),
            number(ColumnId::Usage).trunc(),
            number(ColumnId::NormUsage),
            number(ColumnId::EffectvUsage),
            number(ColumnId::LevelFs),
            depth = tree.depth(node) as usize,
        );
    }
    text
}

/// A tree as `sshare -a --json` prints it.
fn slurm_json(tree: &Tree, evaluation: &Evaluation) -> String {
    /// The number that newer versions write for infinity.
    const INFINITE: f64 = 18_446_744_073_709_551_615.0;
    let mut text = "{\"shares\": {\"shares\": [".to_owned();
    for &node in tree.nodes() {
        let number = |column| {
            let number = evaluation.number(column, node).unwrap_or(0.0);
            let number = number.min(INFINITE);
            format!("{{\"set\": true, \"infinite\": false, \"number\": {number:?}}}")
        };
        let usage = evaluation.number(ColumnId::Usage, node).unwrap_or(0.0);
        let is_user = tree.kind(node) == Kind::User;
        let _ = write!(
            text,
            "{}{{\"id\": {}, \"cluster\": \"c\", \"name\": \"{}\", \"parent\": \"{}\", \"partition\": \"\", \
             \"shares_normalized\": {}, \"shares\": {{\"set\": true, \"infinite\": false, \"number\": {}}}, \
             \"tres\": {{\"run_seconds\": [{{\"name\": \"cpu\", \"value\": 0}}], \"group_minutes\": [], \
             \"usage\": [{{\"name\": \"billing\", \"value\": {usage:.6}}}]}}, \"usage\": {:.0}, \
             \"usage_normalized\": {}, \"effective_usage\": {}, \"fairshare\": {{\"factor\": {}, \"level\": {}}}, \
             \"type\": [\"{}\"]}}",
            if node == NodeId::ROOT { "" } else { ", " },
            node.index() + 1,
            name(tree, node),
            tree.parent(node).map_or("", |parent| name(tree, parent)),
            number(ColumnId::NormShares),
            tree.shares(node),
            usage.trunc(),
            number(ColumnId::NormUsage),
            number(ColumnId::EffectvUsage),
            number(ColumnId::Factor),
            number(ColumnId::LevelFs),
            if is_user { "USER" } else { "ASSOCIATION" },
        );
    }
    text + "]}}"
}

/// A database of flux-accounting with a bank for every thousand users.
#[expect(clippy::disallowed_methods, reason = "a new database")]
fn write_flux(path: &Path, users: usize) -> rusqlite::Result<()> {
    const MEMBERS: usize = 1000;
    let mut connection = rusqlite::Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE bank_table (bank_id integer PRIMARY KEY, bank text, active int, parent_bank text, shares int, \
         job_usage real); \
         CREATE TABLE association_table (active int, username text, userid int, bank text, default_bank text, \
         shares int, job_usage real, fairshare real, max_running_jobs int, max_active_jobs int, max_nodes int, \
         max_cores int, queues text, projects text, PRIMARY KEY (username, bank)); \
         INSERT INTO bank_table VALUES (1, 'root', 1, '', 1, 0.0);",
    )?;
    let banks = users / MEMBERS;
    for bank in 0..banks {
        transaction.execute(
            "INSERT INTO bank_table (bank, active, parent_bank, shares, job_usage) VALUES (?, 1, 'root', 1, 0.0)",
            [format!("bank{bank}")],
        )?;
    }
    let mut insert = transaction.prepare(
        "INSERT INTO association_table VALUES (1, ?1, ?2, ?3, ?3, 1, ?2, 0.5, 5, 7, 2147483647, 2147483647, '', '*')",
    )?;
    for user in 0..users {
        insert.execute((
            format!("user{user:07}"),
            user as f64,
            format!("bank{}", user % banks),
        ))?;
    }
    drop(insert);
    transaction.commit()
}

#[divan::bench(args = RECORDED, consts = [false, true], sample_count = 10, sample_size = 1)]
fn load_slurm<const IS_JSON: bool>(bencher: Bencher, users: usize) {
    let recording = if IS_JSON {
        Recording::SlurmJson
    } else {
        Recording::Sshare
    };
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = recording.write(folder.path(), users);
    bencher.bench_local(|| open(&path));
}

#[divan::bench(args = RECORDED, sample_count = 10, sample_size = 1)]
fn load_flux(bencher: Bencher, users: usize) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = Recording::FluxDb.write(folder.path(), users);
    bencher.bench_local(|| open(&path));
}

/// Prints the time to open the schedulers' files, and how it grows with the number of users.
fn print_growth() {
    const RUNS: usize = 5;
    println!(
        "\nopened, with the numbers held against ours: 10,000 users, 100,000 users, the ratio"
    );
    for recording in [Recording::Sshare, Recording::SlurmJson, Recording::FluxDb] {
        let [small, large] = RECORDED.map(|users| {
            let folder = tempfile::tempdir().expect("a temporary directory can be made");
            let path = recording.write(folder.path(), users);
            let mut times: Vec<f64> = (0..RUNS)
                .map(|_| {
                    let start = Instant::now();
                    let opened = open(&path);
                    let time = start.elapsed().as_secs_f64() * 1e3;
                    drop(opened);
                    time
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[RUNS / 2]
        });
        let (name, ratio) = (format!("{recording:?}"), large / small);
        println!("{name:12} {small:7.1} ms  {large:7.1} ms  {ratio:5.1}");
    }
}

/// The simulated cases: scheduler, policy, and whether all users keep using resources.
const YEARS: [(Option<Scheduler>, Policy, bool); 10] = [
    (Some(Scheduler::Pbs), Policy::Pbs, false),
    (Some(Scheduler::Pbs), Policy::Pbs, true),
    (Some(Scheduler::Slurm), Policy::FairTree, false),
    (Some(Scheduler::Slurm), Policy::FairTree, true),
    (Some(Scheduler::Slurm), Policy::Classic, false),
    (Some(Scheduler::Flux), Policy::Flux, false),
    (Some(Scheduler::Flux), Policy::Flux, true),
    (None, Policy::LevelBased, false),
    (None, Policy::Pbs, false),
    (None, Policy::Pbs, true),
];

/// A year in daily steps, evaluated every day, for 1e5 users.
#[divan::bench(args = YEARS, sample_count = 1, sample_size = 1)]
fn simulate_a_year(
    bencher: Bencher,
    (scheduler, policy, is_steady): (Option<Scheduler>, Policy, bool),
) {
    const DAY: u64 = 86_400;
    let mut snapshot = generate(100_000, Shape::Skewed, SEED);
    snapshot.settings.scheduler = scheduler;
    let mut scenario = Scenario::new(Arc::new(snapshot), policy);
    if is_steady {
        let steady = Edit::Pace(PaceChange::Steady);
        scenario.apply(steady).expect("everybody can go on");
    }
    bencher.bench_local(|| {
        let mut simulation = Simulation::of(&scenario);
        for _ in 0..365 {
            let _ = simulation.advance(DAY, &mut |_| ControlFlow::Continue(()));
            let _ = simulation.look();
        }
    });
}
