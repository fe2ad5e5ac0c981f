//! Served ratios and what sums them up, against a plain computation; and what is a gate.

use crate::support::golden;
use crate::support::growth::{self, Accounts, Sprout, random_tree};
use crate::support::loading::load_quietly;
use crate::support::random::Random;
use crate::support::trees::{self, SEED};
use fairscope::analysis::gate::{Gate, GateError, GateValues, Measure};
use fairscope::analysis::impact::Impact;
use fairscope::analysis::metrics::Fairness;
use fairscope::format::Request;
use fairscope::model::{Kind, NodeId, Settings, Shares, Snapshot, Tree, resolve};
use fairscope::rules::policy::formula::FORMULA;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::{Edit, Scenario};
use fairscope::trust::verify::verify_dump;
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
    let request = Request::to_open(folder.join("aalborg_biocloud_sshare.txt"));
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

/// A level of three below an account, of which the last gets the shares that are missing to a sum.
fn level_of(random: &mut Random, sum: i64, policy: Policy, other: i64) -> (Scenario, NodeId) {
    let first = 1 + i64::try_from(random.below(usize::try_from(sum / 3).unwrap())).unwrap();
    let second = 1 + i64::try_from(random.below(usize::try_from(sum / 3).unwrap())).unwrap();
    let shares = [other, 100 - other, first, second, sum - first - second];
    let tree = growth::grown(5, |number, _| Sprout {
        account: usize::from(number > 1),
        kind: if number == 0 {
            Kind::Account
        } else {
            Kind::User
        },
        shares: Shares::new(shares[number]),
        usage: (number > 0).then_some(number as f64),
    });
    let snapshot = growth::snapshot(tree, Settings::default());
    let scenario = Scenario::new(Arc::new(snapshot), policy);
    let last = resolve(scenario.tree(), b"n0/n4").unwrap();
    (scenario, last)
}

#[test]
fn a_bound_that_is_met_exactly_is_not_exceeded() {
    const POLICIES: [Policy; 6] = [
        Policy::FairTree,
        Policy::LevelBased,
        Policy::Classic,
        Policy::Flux,
        Policy::Pbs,
        Policy::PbsWalk,
    ];
    let mut wrong = Vec::new();
    for seed in 0..750 {
        let random = &mut Random::new(seed);
        let policy = POLICIES[random.below(POLICIES.len())];
        let percent = i64::try_from(random.between(1, 40)).unwrap();
        let unit = i64::try_from(random.between(1, 400)).unwrap();
        let is_loss = random.below(2) == 0;
        // What the level has before and after: 99 and 100 of a unit for a loss of 1%, 101 and 100 for a gain.
        let before = unit
            * if is_loss {
                100 - percent
            } else {
                100 + percent
            };
        let other = i64::try_from(random.between(1, 99)).unwrap();
        let (mut scenario, last) = level_of(random, before, policy, other);
        let now = scenario.tree().shares(last).count().unwrap();
        let shares = now + unit * 100 - before;
        assert!(shares > 0, "{seed}: {shares}");
        let shares = Shares::new(shares);
        let edit = Edit::SetShares { node: last, shares };
        scenario.apply(edit).unwrap();
        let name = if is_loss { "diluted" } else { "enriched" };
        let verification = verify_dump(scenario.base(), policy, policy);
        for (sign, is_broken) in [(">", false), (">=", true), ("<", false), ("=", true)] {
            let text = format!("{name} {sign} {percent}%");
            let gate = Gate::parse(text.as_bytes(), scenario.tree()).unwrap();
            let judgement = gate.judge(&scenario, &verification, 0, &GateValues::default());
            if judgement.is_broken() != is_broken {
                let dilution = Impact::of(&scenario).dilution;
                wrong.push(format!("{seed}: {policy:?} {text}: {dilution:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong: {}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_node_loses_by_its_level_what_its_edited_account_does_not_lose() {
    // The account is edited, and one of its users: the other two lose or gain by the level alone, under targets of the tree
    // as under those of the level.
    for policy in [Policy::FairTree, Policy::Classic, Policy::Flux, Policy::Pbs] {
        for (account, user, expected) in [
            (80, 30, [0.2, 0.0]),
            (20, 30, [0.2, 0.0]),
            (80, 5, [0.0, 0.0]),
            (20, 5, [0.0, 0.0]),
        ] {
            let random = &mut Random::new(7);
            let (mut scenario, last) = level_of(random, 40, policy, 50);
            let first = scenario.tree().parent(last).unwrap();
            let now = scenario.tree().shares(last).count().unwrap();
            let more = if user == 30 { 10 } else { 0 };
            let edits = [(first, account), (last, now + more)];
            for (node, shares) in edits {
                let shares = Shares::new(shares);
                scenario.apply(Edit::SetShares { node, shares }).unwrap();
            }
            // The other user of the top level is diluted or enriched by the account.
            let [mut loss, mut gain] = expected;
            let before = 50.0 / 100.0;
            let after = 50.0 / (50.0 + account as f64);
            loss = f64::max(loss, 1.0 - after / before);
            gain = f64::max(gain, after / before - 1.0);
            let dilution = Impact::of(&scenario).dilution;
            let is_near = (dilution.largest_loss() - loss).abs() < 1e-6
                && (dilution.largest_gain() - gain).abs() < 1e-6;
            assert!(
                is_near,
                "{policy:?} {account} {more}: {dilution:?}, not {loss} {gain}"
            );
        }
    }
}
