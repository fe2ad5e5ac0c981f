//! The explanation of a node in every situation that a policy knows, as text that was read.
//!
//! All texts are in `tests/data/prose.md`. `UPDATE=1 cargo test prose` writes them again; read what differs before it is
//! kept.

mod situations;

use super::text_of;
use crate::support::associations::drawn;
use crate::support::kept::kept;
use crate::support::loading::load_quietly;
use crate::support::{data, trees};
use fairscope::format::{Loaded, Request};
use fairscope::model::{Kind, NodeId, Scheduler, resolve};
use fairscope::open::opened::Opened;
use fairscope::report::{View, explain};
use fairscope::rules::policy::Policy;
use fairscope::scenario::parse;
use situations::{Situation, Tree, all};
use std::fmt::Write as _;

/// The fewest situations.
const FEWEST: usize = 60;

/// Opens the tree of a situation as the program does. Settings are read with a file, as after `--set`.
fn loaded(situation: &Situation) -> Loaded {
    match situation.tree {
        Tree::Pbs(drawing) => trees::loaded(trees::pbs(drawing)),
        Tree::Slurm(drawing) => trees::loaded(drawn(drawing)),
        Tree::Flux(drawing) => {
            let mut snapshot = drawn(drawing);
            snapshot.settings.scheduler = Some(Scheduler::Flux);
            trees::loaded(snapshot)
        }
        Tree::File(path) => {
            let path = if path.starts_with("example:") {
                path.into()
            } else {
                data(path)
            };
            let settings = situation.edits.iter().filter_map(|edit| {
                let (key, value) = edit.strip_prefix("set ")?.split_once('=')?;
                Some((key.to_owned(), value.to_owned()))
            });
            let request = Request {
                settings: settings.collect(),
                ..Request::to_open(path)
            };
            let loaded = load_quietly(&request);
            loaded.expect("it can be read")
        }
    }
}

/// Returns the explanation of a situation under a policy.
fn text(situation: &Situation, policy: Policy) -> String {
    let mut opened = Opened::new(loaded(situation), Some(policy));
    let scenario = &mut opened.scenario;
    for edit in &situation.edits {
        let parsed = parse(edit.as_bytes(), scenario.tree(), scenario.settings());
        let parsed = parsed.unwrap_or_else(|error| panic!("{edit}: {error}"));
        scenario.apply(parsed).expect("an edit that fits");
    }
    let tree = scenario.tree();
    let node = match situation.node {
        "" => {
            let nodes = tree.nodes().iter().copied();
            let users: Vec<NodeId> = nodes
                .filter(|&node| tree.kind(node) == Kind::User)
                .collect();
            users.get(users.len() / 2).copied()
        }
        "/" => Some(NodeId::ROOT),
        path => resolve(tree, path.as_bytes()).ok(),
    };
    let node = node.unwrap_or_else(|| panic!("{}: no {}", situation.title, situation.node));
    let view = View::of(scenario, &opened.source.problems).verified(&opened.source.verification);
    let lines = explain::lines(&view, &scenario.explain(node));
    text_of(&lines)
}

/// Returns all explanations, by policy, and their number.
fn explanations() -> (String, usize) {
    let mut today = String::from("# Explanations, read one by one\n");
    let mut count = 0;
    let situations = all();
    for &policy in Policy::ALL {
        let _ = write!(today, "\n## {}\n", policy.title());
        let asked = situations.iter();
        for situation in asked.filter(|situation| situation.policies.contains(&policy)) {
            count += 1;
            let _ = write!(today, "\n### {}\n\n", situation.title);
            if !situation.edits.is_empty() {
                let _ = write!(today, "After `{}`:\n\n", situation.edits.join("`, `"));
            }
            let _ = write!(today, "```text\n{}```\n", text(situation, policy));
        }
    }
    (today, count)
}

#[test]
fn every_explanation_reads_as_it_was_reviewed() {
    let (today, count) = explanations();
    println!("{count} situations");
    assert!(count >= FEWEST, "{count}");
    let before = kept(&data("prose.md"), &today);
    let differs = before
        .lines()
        .zip(today.lines())
        .position(|(one, other)| one != other);
    let at = differs.unwrap_or_else(|| before.lines().count().min(today.lines().count()));
    let shown = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(at.saturating_sub(3)).take(8).collect();
        lines.join("\n")
    };
    assert!(
        before == today,
        "tests/data/prose.md differs from line {} on:\n{}\n\nThe program says:\n{}",
        at + 1,
        shown(&before),
        shown(&today)
    );
}
