//! Served ratios and what sums them up, against a plain computation; and what is a gate.

use crate::support::golden;
use crate::support::growth::{self, Accounts, random_tree};
use crate::support::loading::load_quietly;
use crate::support::random::Random;
use crate::support::trees::{self, SEED};
use fairscope::analysis::gate::{Gate, GateError, Measure};
use fairscope::analysis::metrics::Fairness;
use fairscope::format::Request;
use fairscope::model::{Kind, NodeId, Settings, Snapshot, Tree};
use fairscope::rules::policy::formula::FORMULA;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::Scenario;
use std::sync::Arc;

fn snapshot(random: &mut Random) -> Snapshot {
    let count = random.between(2, 40);
    let accounts = Accounts {
        first: 2,
        one_in: Some(3),
    };
    let tree = random_tree(
        random,
        count,
        accounts,
        |random| growth::shares(random, 10, false, 9),
        |random| (random.below(4) > 0).then(|| random.between(0, 900) as f64),
    );
    let mut settings = Settings::default();
    settings.set(FORMULA, "1000 * fairshare_factor").unwrap();
    growth::snapshot(tree, settings)
}

/// The parts of a level that a node may use and used, from shares and usage alone.
fn parts_of_level(tree: &Tree, node: NodeId, usage: &dyn Fn(NodeId) -> f64) -> (f64, f64) {
    let parent = tree.parent(node).unwrap();
    let shares = |node| tree.shares(node).count().unwrap() as f64;
    let sum = |of: &dyn Fn(NodeId) -> f64| tree.children(parent).map(of).sum::<f64>();
    let part = |own: f64, all: f64| if all > 0.0 { own / all } else { 0.0 };
    (
        part(shares(node), sum(&shares)),
        part(usage(node), sum(usage)),
    )
}

/// Returns the served ratio of a node by the definition, or `None` if it has none that is finite.
fn ratio(scenario: &Scenario, node: NodeId) -> Option<f64> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let number = |column, node| evaluation.number(column, node);
    let usage = |node| number(ColumnId::Usage, node).unwrap();
    let (target, used) = match scenario.policy() {
        Policy::FairTree => parts_of_level(tree, node, &usage),
        Policy::Classic => {
            // The portions of the tree are those of the levels, one after the other.
            let line = tree.line(node).into_iter();
            let targets = line.map(|node| parts_of_level(tree, node, &usage).0);
            let all = usage(NodeId::ROOT);
            let used = if all > 0.0 { usage(node) / all } else { 0.0 };
            (targets.product(), used)
        }
        Policy::LevelBased => (
            number(ColumnId::NormShares, node)?,
            number(ColumnId::EffectvUsage, node)?,
        ),
        Policy::Flux => (
            number(ColumnId::WeightedShares, node)?,
            number(ColumnId::WeightedUsage, node)?,
        ),
        Policy::Pbs => (
            number(ColumnId::FairsharePerc, node)?,
            // PBS starts every node at 1, also where no usage is recorded.
            if tree
                .nodes()
                .iter()
                .any(|&node| tree.usage(node).amount() > Some(0.0))
            {
                usage(node) / usage(NodeId::ROOT)
            } else {
                0.0
            },
        ),
        other => panic!("{} is not compared", other.name()),
    };
    (target > 0.0).then_some(used / target)
}

fn is_close(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(1.0),
        _ => false,
    }
}

#[test]
fn fairness_is_that_of_a_plain_computation() {
    let policies = [
        Policy::FairTree,
        Policy::Classic,
        Policy::LevelBased,
        Policy::Flux,
        Policy::Pbs,
    ];
    let mut random = Random::new(7);
    let mut seen = 0;
    for case in 0..200 {
        let snapshot = Arc::new(snapshot(&mut random));
        for policy in policies {
            let scenario = Scenario::new(snapshot.clone(), policy);
            let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
            for kind in [Kind::Account, Kind::User] {
                let nodes = tree.nodes()[1..].iter().copied();
                let nodes: Vec<NodeId> = nodes.filter(|&node| tree.kind(node) == kind).collect();
                let of = |&node: &NodeId| ratio(&scenario, node);
                let ratios: Vec<f64> = nodes.iter().filter_map(of).collect();
                let count = ratios.len() as f64;
                let sum: f64 = ratios.iter().sum();
                let squares: f64 = ratios.iter().map(|ratio| ratio * ratio).sum();
                // The mean difference of all pairs, as a part of twice the mean.
                let pairs = ratios
                    .iter()
                    .flat_map(|one| ratios.iter().map(move |other| (one - other).abs()));
                let gini = pairs.sum::<f64>() / (2.0 * count * sum);
                let fairness = Fairness::of(policy, tree, evaluation, kind);
                let about = format!(
                    "tree {case} under {}, {kind:?}: {fairness:?}",
                    policy.name()
                );
                assert_eq!(fairness.count(), ratios.len(), "{about}");
                assert_eq!(fairness.left_out, nodes.len() - ratios.len(), "{about}");
                let jain = (sum > 0.0).then(|| sum * sum / (count * squares));
                assert!(is_close(fairness.jain, jain), "{jain:?} {about}");
                assert!(
                    is_close(fairness.gini, (sum > 0.0).then_some(gini)),
                    "{gini} {about}"
                );
                let is_over = |ratio: &&f64| **ratio > 1.0 + 1e-9;
                let is_under = |ratio: &&f64| **ratio < 1.0 - 1e-9;
                assert!(
                    fairness.over >= ratios.iter().filter(is_over).count(),
                    "{about}"
                );
                assert!(
                    fairness.under >= ratios.iter().filter(is_under).count(),
                    "{about}"
                );
                assert!(fairness.over + fairness.under <= ratios.len(), "{about}");
                let most = ratios.iter().copied().reduce(f64::max);
                let least = ratios.iter().copied().reduce(f64::min);
                assert!(is_close(fairness.most, most), "{about}");
                assert!(is_close(fairness.least, least), "{about}");
                seen += usize::from(jain.is_some());
            }
        }
    }
    assert!(seen > 1000, "{seen} with usage");
}

#[test]
fn golden_a_published_cluster_has_the_indices_that_were_measured() {
    let Some(folder) = golden("public/sshare_excerpts") else {
        return;
    };
    let request = Request {
        path: folder.join("aalborg_biocloud_sshare.txt"),
        ..Request::default()
    };
    let loaded = load_quietly(&request).unwrap();
    let scenario = trees::opened(loaded).scenario;
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let accounts = Fairness::of(scenario.policy(), tree, evaluation, Kind::Account);
    let rounded = |number: Option<f64>| format!("{:.3}", number.unwrap());
    assert_eq!(accounts.count(), 22);
    assert_eq!(rounded(accounts.jain), "0.316");
    assert_eq!(rounded(accounts.gini), "0.705");
    assert_eq!(rounded(accounts.most), "2.066");
}

fn parse(text: &str) -> Result<Gate, GateError> {
    Gate::parse(text.as_bytes(), &trees::pbs(SEED).tree)
}

#[test]
fn a_gate_is_a_value_an_operator_and_a_number() {
    for text in [
        "gini > 0.6",
        "gini>60%",
        " gini ( users ) >= 1 ",
        "gini(accounts) != 0",
        "jain < 0.5",
        "jain <= 100 %",
        "served(group2/suzy) < 0.5",
        "served(suzy) < 0.5x",
        "served( suzy ) > 250%",
        "rank(suzy) > 10",
        "rank(group1) = 1",
        "diluted > 1%",
        "diluted > 0.01",
        "enriched > 200%",
        "movers > 100",
        "contradictions > 0",
    ] {
        assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
    }
}

#[test]
fn what_is_no_gate_is_refused_with_the_nearest_word() {
    let values = "(gini, jain, served, rank, diluted, enriched, movers, contradictions)";
    let percentage = "expected a percentage such as 1%, or a number below 1";
    let index = "expected a number from 0 to 1, or a percentage";
    for (text, expected) in [
        (
            "",
            "'' is not a condition; expected one such as gini > 0.6 or served(physics) < 0.5",
        ),
        (
            "gini",
            "'gini' is not a condition; expected one such as gini > 0.6 or served(physics) < 0.5",
        ),
        (
            "gini 0.6",
            "'gini 0.6' is not a condition; expected one such as gini > 0.6 or served(physics) < 0.5",
        ),
        (
            "served(suzy > 1",
            "'served(suzy > 1' is not a condition; expected one such as gini > 0.6 or served(physics) < 0.5",
        ),
        (
            "ginni > 0.6",
            &format!("unknown value 'ginni'; did you mean 'gini'? {values}"),
        ),
        ("> 0.6", &format!("unknown value '' {values}")),
        (
            "elephants > 3",
            &format!("unknown value 'elephants' {values}"),
        ),
        (
            "gini => 0.6",
            "unknown operator '=>'; did you mean '>'? (<, <=, >, >=, =, !=)",
        ),
        ("gini > ", &format!("'' does not fit gini; {index}")),
        ("gini > many", &format!("'many' does not fit gini; {index}")),
        ("gini > 60", &format!("'60' does not fit gini; {index}")),
        ("gini > 0.6x", &format!("'0.6x' does not fit gini; {index}")),
        ("gini > -0.1", &format!("'-0.1' does not fit gini; {index}")),
        ("jain < nan", &format!("'nan' does not fit jain; {index}")),
        ("jain < 101%", &format!("'101%' does not fit jain; {index}")),
        (
            "gini(group2) > 0.6",
            "gini takes users or accounts in its brackets",
        ),
        (
            "served > 1",
            "served needs a node in brackets, as in (physics)",
        ),
        (
            "served(suzy) > inf",
            "'inf' does not fit served; expected a multiple of the target, such as 0.5, 0.5x or 50%",
        ),
        (
            "served(suzi) > 1",
            "unknown node 'suzi'; did you mean 'group2/suzy'?",
        ),
        (
            "rank(suzy) > 10%",
            "'10%' does not fit rank; expected a whole number",
        ),
        (
            "rank(suzy) > 1.5",
            "'1.5' does not fit rank; expected a whole number",
        ),
        (
            "diluted > 1",
            &format!("'1' does not fit diluted; {percentage}"),
        ),
        (
            "enriched > 2x",
            &format!("'2x' does not fit enriched; {percentage}"),
        ),
        (
            "movers > 5%",
            "'5%' does not fit movers; expected a whole number",
        ),
        (
            "movers(group2) > 5",
            "movers is a value of the whole tree; leave out the brackets",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), *expected, "{text}");
    }
}

#[test]
fn the_manual_lists_every_value_of_gates() {
    for measure in Measure::ALL {
        let page = include_str!("../assets/manual/gates.md");
        let row = format!("| `{}", measure.name());
        assert!(page.contains(&row), "the manual lacks {row}");
    }
}

#[test]
fn names_may_hold_the_signs_of_gates() {
    let tree = trees::pbs("a(b)>=1 60 | 5\n100% 40 | 5\n").tree;
    for text in ["served(a(b)>=1) > 0.5", "served(100%) != 1"] {
        assert!(Gate::parse(text.as_bytes(), &tree).is_ok(), "{text}");
    }
}
