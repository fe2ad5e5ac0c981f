//! Slurm's clock compared with the decay thread of the real controller.

use crate::support::golden;
use fairscope::base::extended::Extended;
use fairscope::model::generate::{Shape, generate};
use fairscope::model::{
    Campaign, Kind, NodeId, Pace, Position, Scheduler, Settings, Shares, Tree, TreeBuilder, Usage,
};
use fairscope::rules::clock::Clock;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The tree of `input.txt`, and its nodes by the ids in that file.
fn tree(folder: &Path) -> (Tree, HashMap<u32, NodeId>) {
    let text = std::fs::read_to_string(folder.join("input.txt")).expect("a tree");
    let mut builder = TreeBuilder::new(b"root");
    let mut nodes = HashMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [id, parent, name, kind, shares, usage] = fields[..] else {
            panic!("{line}");
        };
        let kind = if kind == "user" {
            Kind::User
        } else {
            Kind::Account
        };
        let parent: u32 = parent.parse().expect("an id");
        let node = match nodes.get(&parent) {
            None => NodeId::ROOT,
            Some(&parent) => {
                let name = builder.intern(name.as_bytes());
                builder.push(parent, name, kind, Position::Last)
            }
        };
        builder.set_shares(node, Shares::new(shares.parse().expect("shares")));
        if let Ok(usage) = usage.parse() {
            builder.set_usage(node, Usage::new(usage));
        }
        nodes.insert(id.parse().expect("an id"), node);
    }
    (builder.build(), nodes)
}

/// An 80-bit C99 hexadecimal float.
fn long_double(text: &str) -> Extended {
    let digits = text.strip_prefix("0x").expect("hexadecimal");
    let (digits, power) = digits.split_once('p').expect("a power");
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).expect("digits");
    let power: i32 = power.parse().expect("a power");
    let power = power - 4 * i32::try_from(fraction.len()).expect("few digits");
    Extended::from_u64(mantissa).scaled(power)
}

#[test]
fn golden_usage_equals_that_of_the_decay_thread() {
    let Some(folder) = golden("slurm_policies").map(|folder| folder.join("decay")) else {
        return;
    };
    let (mut files, mut compared, mut different) = (0, 0, Vec::new());
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "tsv") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("figures");
        let mut lines = text.lines();
        let header: HashMap<&str, &str> = lines
            .next()
            .expect("a header")
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
            .collect();
        let (mut tree, nodes) = tree(&folder);
        let mut settings = Settings {
            scheduler: Some(Scheduler::Slurm),
            ..Settings::default()
        };
        settings
            .set("PriorityDecayHalfLife", header["half_life"])
            .expect("a half-life");
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if let Some((_, period)) = name.split_once("reset-") {
            let period = period.trim_end_matches("-job");
            settings
                .set("PriorityUsageResetPeriod", period)
                .expect("a period");
            if period == "now" {
                // The setting holds from the controller's start, so all usage is cleared at once.
                for &node in nodes.values() {
                    if tree.usage(node).amount().is_some() {
                        tree.set_usage(node, Usage::new(0.0));
                    }
                }
            }
        }
        if let Some((id, cpus)) = header["job"].split_once(':') {
            let mut pace = Pace::default();
            pace.set_rate(
                nodes[&id.parse().expect("an id")],
                cpus.parse().expect("CPUs"),
            );
            settings.time.pace = Arc::new(pace);
        }
        let start: i64 = header["start"].parse().expect("a moment");
        settings.time.taken = Some(start);
        let mut clock = Clock::new(&tree, &settings);
        files += 1;
        for line in lines.skip(1).filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let moment: i64 = fields[1].parse().expect("a moment");
            let wait = u64::try_from(moment - start).expect("later") - clock.passed();
            let _ = clock.advance(wait, &mut |_| ControlFlow::Continue(()));
            let node = nodes[&fields[2].parse().expect("an id")];
            compared += 1;
            if clock.held(node) != long_double(fields[5]) {
                different.push(format!("{name}: {line} {:?}", clock.held(node)));
            }
        }
    }
    println!(
        "{files} files, {compared} numbers compared, {} differ",
        different.len()
    );
    different.truncate(20);
    assert!(files == 8 && different.is_empty(), "{different:#?}");
}

#[test]
fn parallel_cycles_equal_one_cycle_at_a_time() {
    const CYCLE: u64 = 300;
    const CYCLES: u64 = 3_000;
    let mut snapshot = generate(3_000, Shape::Skewed, 7);
    snapshot.settings.scheduler = Some(Scheduler::Slurm);
    let tree = &snapshot.tree;
    for is_busy in [false, true] {
        let mut at_once = Clock::new(tree, &snapshot.settings);
        if is_busy {
            at_once.set_pace(Arc::new(at_once.steady()));
        }
        let mut one_by_one = at_once.clone();
        assert!(
            at_once
                .advance(CYCLE * CYCLES, &mut |_| ControlFlow::Continue(()))
                .is_continue()
        );
        for _ in 0..CYCLES {
            assert!(
                one_by_one
                    .advance(CYCLE, &mut |_| ControlFlow::Continue(()))
                    .is_continue()
            );
        }
        for &node in tree.nodes() {
            assert_eq!(at_once.held(node), one_by_one.held(node));
        }
    }
}

#[test]
fn idle_usage_decays_alike_beside_busy_users() {
    // With this half-life less than a half of the usage is left after one cycle.
    const HALF_LIFE: &str = "00:01:40";
    let mut builder = TreeBuilder::new(b"root");
    let name = builder.intern(b"user");
    let users: Vec<NodeId> = (0..16)
        .map(|_| builder.push(NodeId::ROOT, name, Kind::User, Position::Last))
        .collect();
    for &user in &users {
        builder.set_usage(user, Usage::new(1e9));
    }
    let tree = builder.build();
    let mut settings = Settings {
        scheduler: Some(Scheduler::Slurm),
        ..Settings::default()
    };
    settings
        .set("PriorityDecayHalfLife", HALF_LIFE)
        .expect("a half-life");
    let mut idle = Clock::new(&tree, &settings);
    let mut busy = idle.clone();
    let mut pace = Pace::default();
    for &user in &users[..8] {
        pace.set_rate(user, 1.0);
    }
    busy.set_pace(Arc::new(pace));
    let _ = idle.advance(3600, &mut |_| ControlFlow::Continue(()));
    let _ = busy.advance(3600, &mut |_| ControlFlow::Continue(()));
    for &user in &users[8..] {
        assert_eq!(busy.held(user), idle.held(user));
    }
}

proptest! {
    /// What is charged to a few users is summed up without looking at the other nodes.
    #[test]
    fn usage_of_few_users_is_charged_as_that_of_all(
        parents in vec(any::<Index>(), 100..200),
        charged in vec((any::<Index>(), 0.0..1e9), 0..4),
    ) {
        let mut builder = TreeBuilder::new(b"root");
        let name = builder.intern(b"node");
        let mut nodes = vec![NodeId::ROOT];
        for parent in parents {
            let parent = nodes[parent.index(nodes.len()) / 4];
            nodes.push(builder.push(parent, name, Kind::Account, Position::Last));
        }
        let tree = builder.build();
        let settings = Settings { scheduler: Some(Scheduler::Slurm), ..Settings::default() };
        let after = |idle: &[NodeId]| {
            let mut pace = Pace::default();
            let idle = idle.iter().map(|&node| (node, 0.0));
            let charged = charged.iter().map(|(node, rate)| (*node.get(&nodes), *rate));
            for (node, rate) in charged.chain(idle) {
                pace.plan(Campaign { node, rate, from: 0, until: 7200 });
            }
            let mut clock = Clock::new(&tree, &settings);
            clock.set_pace(Arc::new(pace));
            let _ = clock.advance(3600, &mut |_| ControlFlow::Continue(()));
            nodes.iter().map(|&node| clock.held(node)).collect::<Vec<_>>()
        };
        prop_assert_eq!(after(&[]), after(&nodes));
    }
}
