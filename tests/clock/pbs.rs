//! PBS's clock compared with `pbsfs -d` and with cycles of the real scheduler.

use crate::support::golden;
use crate::support::pbs::{Case, bits, cases, text};
use fairscope::format::pbs::Parsed;
use fairscope::model::{FairShare, NodeId, Scheduler, Settings};
use fairscope::rules::clock::Clock;
use fairscope::rules::policy::{ColumnId, Policy};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

fn settings(parsed: &Parsed) -> Settings {
    Settings {
        scheduler: Some(Scheduler::Pbs),
        ..parsed.settings.clone()
    }
}

/// Returns a clock whose next cycle is at a moment in Unix seconds.
fn clock_before(cycle: i64, parsed: &Parsed, settings: &mut Settings) -> Clock {
    let until_then = Clock::new(&parsed.tree, settings).cycle();
    settings.time.taken = Some(cycle.saturating_sub_unsigned(until_then));
    Clock::new(&parsed.tree, settings)
}

fn pass_a_cycle(clock: &mut Clock) {
    let passed = clock.advance(clock.cycle(), &mut |_| ControlFlow::Continue(()));
    assert!(passed.is_continue());
}

/// The state before the last `pbsfs -d`, with one decay less.
fn before(case: &Case) -> Option<Case> {
    let (folder, state) = case.name.split_once("/after-d")?;
    let count: u32 = state.parse().ok()?;
    let expected = match count {
        1 => case.group.clone(),
        _ => case.group.join(format!("after-d{}", count - 1)),
    };
    Some(Case {
        name: folder.to_owned(),
        expected,
        group: case.group.clone(),
    })
}

#[test]
fn golden_decay_equals_that_of_pbsfs() {
    let (mut states, mut compared, mut different) = (0, 0, Vec::new());
    for case in cases() {
        let objects = case.objects("nodes.jsonl");
        let Some(parsed) = before(&case).and_then(|case| case.parsed()) else {
            continue;
        };
        let mut settings = settings(&parsed);
        // The next cycle is the first in which usage decays. `pbsfs -d` decays it even if fair_share is off.
        let (last_decay, interval) = (1_000_000, 86_400);
        settings.pbs.last_decay = last_decay;
        settings.pbs.fairshare_decay_time = interval;
        settings.pbs.fair_share = FairShare::Always;
        let mut clock = clock_before(last_decay + interval + 1, &parsed, &mut settings);
        pass_a_cycle(&mut clock);
        // The next run reads what this one wrote.
        let tree = clock.tree();
        let evaluation = Policy::Pbs.evaluate(&tree, &settings);
        let by_name: HashMap<&[u8], NodeId> = tree
            .nodes()
            .iter()
            .map(|&node| (tree.name(node), node))
            .collect();
        states += 1;
        for object in &objects {
            let name = text(object, "name");
            let node = by_name[&name[..]];
            let ours = evaluation.number(ColumnId::Usage, node).expect("usage");
            compared += 1;
            if ours.to_bits() != bits(object, "usage") {
                different.push(format!("{} {}: {ours}", case.name, object["name"]));
            }
        }
    }
    println!(
        "{states} states, {compared} numbers compared, {} differ",
        different.len()
    );
    assert!(states >= 3 && different.is_empty(), "{different:#?}");
}

fn cycles() -> Option<(Vec<Value>, PathBuf)> {
    let folder = golden("pbs")?.join("_extra");
    let text = std::fs::read_to_string(folder.join("decay-cycles.jsonl")).expect("cycles");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    Some((lines.collect(), folder.join("decay-cycles")))
}

#[test]
fn golden_cycles_decay_as_often_as_in_the_real_scheduler() {
    let Some((cycles, folder)) = cycles() else {
        return;
    };
    let case = Case {
        name: "decay-cycles".to_owned(),
        expected: folder.clone(),
        group: folder,
    };
    let parsed = case.parsed().expect("a tree");
    let mut compared = 0;
    for cycle in &cycles {
        let number = |key: &str| cycle[key].as_i64().expect("a number");
        let mut settings = settings(&parsed);
        settings.pbs.last_decay = number("start_last_decay");
        settings.pbs.fairshare_decay_time = number("decay_time");
        let mut clock = clock_before(number("now"), &parsed, &mut settings);
        pass_a_cycle(&mut clock);
        assert_eq!(
            clock.settings().pbs.last_decay,
            number("last_decay_after"),
            "{cycle}"
        );
        for &node in parsed.tree.nodes() {
            let name = String::from_utf8_lossy(parsed.tree.name(node));
            let expected = cycle["in_memory_usage"][&*name].as_str().expect("usage");
            assert_eq!(
                clock.in_memory(node).to_string(),
                expected,
                "{name} {cycle}"
            );
            compared += 1;
        }
        let records = cycle["file_records"].as_array().expect("records");
        let tree = clock.tree();
        for record in records {
            let name = record[0].as_str().expect("a name");
            let node = tree
                .nodes()
                .iter()
                .find(|&&node| tree.name(node) == name.as_bytes());
            let written = tree.usage(*node.expect("a node")).amount();
            assert_eq!(written, record[1].as_f64(), "{name} {cycle}");
            compared += 1;
        }
        let written = tree
            .nodes()
            .iter()
            .filter(|&&node| tree.usage(node).amount().is_some());
        assert_eq!(written.count(), records.len(), "{cycle}");
    }
    println!(
        "{} cycles, {compared} numbers compared, 0 differ",
        cycles.len()
    );
}

#[test]
fn the_number_of_steps_does_not_change_the_result() {
    let case = cases().into_iter().next().expect("a case");
    let parsed = case.parsed().expect("a tree");
    let settings = settings(&parsed);
    let on = &mut |_| ControlFlow::Continue(());
    let mut once = Clock::new(&parsed.tree, &settings);
    let _ = once.advance(10 * 86_400, on);
    let (mut tree, mut settings) = (parsed.tree, settings);
    for _ in 0..40 {
        let mut clock = Clock::new(&tree, &settings);
        let _ = clock.advance(6 * 3_600, on);
        (tree, settings) = (clock.tree(), clock.settings().clone());
    }
    assert_eq!(once.tree().state_hash(), tree.state_hash());
    assert_eq!(*once.settings(), settings);
}
