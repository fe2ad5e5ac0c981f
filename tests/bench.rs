//! Speed, with the goals beside the figures: medians on two shared cores, for 1e5 and 1e6 nodes.
//!
//! | bench | goal |
//! |---|---|
//! | `evaluate` | at most 8 and 80 ms, under every policy, in every shape, an all-tied tree among them |
//! | `load_resource_group` | at most 9 and 180 ms |
//! | `load_csv` | well under 300 ms at 1e6 |
//! | `load_toml` | within the 70 and 650 ms to the first screen |
//! | `rebuild_order` | a part of every edit of the shape |
//!
//! Without a filter, the time of each policy at 1e6 users is printed beside the scheduler's own, with the ratio.

use divan::Bencher;
use fairscope::format::convert::convert;
use fairscope::format::native::parse as parse_native;
use fairscope::format::{Format, Request, csv, load};
use fairscope::generate::{Shape, generate};
use fairscope::model::{NodeId, Shares, Snapshot, Tree, Usage};
use fairscope::policy::{Comparison, Policy};
use std::ops::ControlFlow;
use std::time::Instant;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const SHAPES: [Shape; 4] = [Shape::Balanced, Shape::Skewed, Shape::Flat, Shape::Chain];
const SEED: u64 = 1;

fn main() {
    divan::main();
    // A filter asks for something else.
    if std::env::args()
        .skip(1)
        .all(|argument| argument == "--bench")
    {
        print_ratios();
    }
}

fn cases() -> impl Iterator<Item = (usize, Shape)> {
    SIZES
        .into_iter()
        .flat_map(|size| SHAPES.map(|shape| (size, shape)))
}

fn file(snapshot: &Snapshot, to: Format) -> Vec<u8> {
    let conversion = convert(snapshot, &snapshot.tree, &snapshot.settings, to);
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
fn evaluate_a_million_tied(bencher: Bencher, policy: Policy) {
    let (snapshot, tree) = (generate(1, Shape::Flat, SEED), all_tied(1_000_000));
    bencher.bench_local(|| policy.evaluate(&tree, &snapshot.settings));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn compare_policies(bencher: Bencher, size: usize) {
    let snapshot = generate(size, Shape::Skewed, SEED);
    let policies = Comparison::usual(&snapshot.settings);
    bencher.bench_local(|| Comparison::of(&snapshot.tree, &snapshot.settings, &policies));
}

/// What the schedulers' own code takes for a million users, in milliseconds: measured once on two shared cores,
/// the traversal alone, without loading.
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
        path,
        format: Some(Format::Pbs),
        ..Request::default()
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
    bencher
        .with_inputs(|| bytes.clone())
        .bench_local_values(|bytes| {
            parse_native(bytes, &Request::default(), &mut |_| {
                ControlFlow::Continue(())
            })
        });
}
