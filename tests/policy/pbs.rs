//! PBS's numbers compared with the real scheduler's, bit for bit.

use crate::support::pbs::{Case, bits, cases, latin1, text};
use fairscope::base::number::Value;
use fairscope::format::pbs::Parsed;
use fairscope::model::{Kind, NodeId, Recorded, Snapshot, Source, Tree, Usage};
use fairscope::rules::policy::pbs::compare_path;
use fairscope::rules::policy::{ColumnId, DecisionSide, Evaluation, Policy};
use fairscope::scenario::{Edit, EditError, Scenario};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

fn evaluated(case: &Case) -> Option<(Parsed, Evaluation)> {
    let parsed = case.parsed()?;
    let evaluation = Policy::Pbs.evaluate(&parsed.tree, &parsed.settings);
    Some((parsed, evaluation))
}

/// The bits of a number in the type that PBS uses for it.
fn our_bits(evaluation: &Evaluation, column: ColumnId, node: NodeId) -> u64 {
    match evaluation.value(column, node) {
        Value::Single(number) => u64::from(number.to_bits()),
        Value::Double(number) => number.to_bits(),
        other => panic!("{column:?} is {other:?}"),
    }
}

fn rank(evaluation: &Evaluation, column: ColumnId, node: NodeId) -> i64 {
    match evaluation.value(column, node) {
        Value::Count(rank) => rank,
        other => panic!("a user's {column:?} is {other:?}"),
    }
}

#[test]
fn golden_numbers_equal_the_real_schedulers_bit_for_bit() {
    let columns = [
        (ColumnId::FairsharePerc, "tree_percentage"),
        (ColumnId::GroupPercentage, "group_percentage"),
        (ColumnId::Usage, "usage"),
        (ColumnId::FairshareTreeUsage, "usage_factor"),
        (ColumnId::FairshareFactor, "fairshare_factor"),
        (ColumnId::UsageOverPerc, "usage_over_perc"),
    ];
    let mut compared = 0;
    let mut different = Vec::new();
    for case in cases() {
        let objects = case.objects("nodes.jsonl");
        let Some((parsed, evaluation)) = evaluated(&case).filter(|_| !objects.is_empty()) else {
            continue;
        };
        let tree = &parsed.tree;
        assert_eq!(tree.node_count(), objects.len(), "nodes of {}", case.name);
        for (&node, object) in tree.nodes().iter().zip(&objects) {
            assert_eq!(tree.name(node), text(object, "name"), "{}", case.name);
            assert_eq!(tree.shares(node).count(), object["shares"].as_i64());
            assert_eq!(
                Some(i64::from(tree.group(node))),
                object["cresgroup"].as_i64()
            );
            for (column, key) in columns {
                compared += 1;
                let (ours, theirs) = (our_bits(&evaluation, column, node), bits(object, key));
                let is_nan = evaluation.number(column, node).is_some_and(f64::is_nan);
                let both_nan = is_nan && object[key].as_str().is_some_and(|n| n.contains("nan"));
                if ours != theirs && !both_nan {
                    different.push(format!(
                        "{} {} {key}: {ours:x} {theirs:x}",
                        case.name, object["name"]
                    ));
                }
            }
        }
    }
    println!("{compared} numbers compared, {} differ", different.len());
    assert!(different.is_empty(), "{different:#?}");
}

/// The values that PBS compares without a formula: usage/perc level by level, up to a node without shares.
fn vector(parsed: &Parsed, evaluation: &Evaluation, node: NodeId) -> Vec<u64> {
    let mut vector = Vec::new();
    for node in parsed.tree.line(node) {
        let has_share = evaluation
            .number(ColumnId::FairsharePerc, node)
            .is_some_and(|portion| portion > 0.0);
        if !has_share {
            vector.push(f64::INFINITY.to_bits());
            break;
        }
        let ratio = evaluation.number(ColumnId::UsageOverPerc, node);
        vector.push((ratio.expect("a ratio") + 0.0).to_bits());
    }
    vector
}

/// The users of an order file, by rank.
fn order(case: &Case, parsed: &Parsed, file: &str) -> Vec<NodeId> {
    let by_name: HashMap<&[u8], NodeId> = parsed
        .tree
        .nodes()
        .iter()
        .map(|&node| (parsed.tree.name(node), node))
        .collect();
    case.objects(file)
        .iter()
        .map(|object| by_name[&text(object, "entity")[..]])
        .filter(|&node| parsed.tree.kind(node) == Kind::User)
        .collect()
}

#[test]
fn golden_walk_ranks_equal_the_real_schedulers_job_order() {
    let mut compared = 0;
    for case in cases() {
        let Some((parsed, evaluation)) = evaluated(&case) else {
            continue;
        };
        let order = order(&case, &parsed, "order-fairshare.jsonl");
        for (place, &node) in (1..).zip(&order) {
            let rank = rank(&evaluation, ColumnId::WalkRank, node);
            let first = order
                .iter()
                .position(|&other| {
                    vector(&parsed, &evaluation, other) == vector(&parsed, &evaluation, node)
                })
                .expect("the node itself");
            assert_eq!(
                usize::try_from(rank),
                Ok(first + 1),
                "{} place {place}",
                case.name
            );
            compared += 1;
        }
    }
    println!("{compared} places compared, 0 differ");
}

#[test]
fn golden_walk_policy_ranks_users_in_the_real_schedulers_job_order() {
    let (mut compared, mut pairs) = (0, 0);
    for case in cases() {
        let Some((parsed, by_factor)) = evaluated(&case) else {
            continue;
        };
        let tree = &parsed.tree;
        let by_walk = Policy::PbsWalk.evaluate(tree, &parsed.settings);
        for &node in tree.nodes() {
            // All numbers equal those under the factor's order, bit for bit; only the rank differs.
            for &column in Policy::Pbs.columns() {
                let bits = |evaluation: &Evaluation| {
                    let value = evaluation.value(column, node);
                    value.as_f64().map(f64::to_bits)
                };
                assert_eq!(bits(&by_walk), bits(&by_factor), "{} {column:?}", case.name);
            }
        }
        let order = order(&case, &parsed, "order-fairshare.jsonl");
        let mut last = None;
        for (place, &node) in (1..).zip(&order) {
            let own = vector(&parsed, &by_factor, node);
            let expected = match &last {
                Some((before, rank)) if *before == own => *rank,
                _ => place,
            };
            assert_eq!(by_walk.rank(node), Some(expected), "{}", case.name);
            last = Some((own, expected));
            compared += 1;
        }
        let few = &order[..order.len().min(60)];
        for (&a, &b) in few.iter().flat_map(|a| few.iter().map(move |b| (a, b))) {
            let decision = Policy::PbsWalk.decision(tree, &by_walk, a, b);
            let expected = match compare_path(tree, &by_walk, a, b) {
                Ordering::Less => Some(DecisionSide::Own),
                Ordering::Equal => None,
                Ordering::Greater => Some(DecisionSide::Other),
            };
            assert_eq!(decision.first, expected, "{} {a:?} {b:?}", case.name);
            pairs += 1;
        }
    }
    println!("{compared} places and {pairs} pairs compared, 0 differ");
}

#[test]
fn golden_factor_ranks_equal_the_real_schedulers_order() {
    let mut compared = 0;
    for case in cases() {
        let Some((parsed, evaluation)) = evaluated(&case) else {
            continue;
        };
        let mut order = order(&case, &parsed, "order-factor.jsonl");
        let values: HashMap<Vec<u8>, String> = case
            .objects("order-factor.jsonl")
            .iter()
            .map(|object| {
                let value = object["formula_value"].as_str().expect("a value");
                (text(object, "entity"), value.to_owned())
            })
            .collect();
        let key = |node: NodeId| {
            let value = &values[parsed.tree.name(node)];
            (value, rank(&evaluation, ColumnId::WalkRank, node))
        };
        // The place of a NaN is undefined in PBS's sort; here it is last.
        order.sort_by_key(|&node| values[parsed.tree.name(node)] == "nan");
        let mut expected = 0;
        let mut before = None;
        for (place, &node) in (1..).zip(&order) {
            if before.replace(key(node)) != Some(key(node)) {
                expected = place;
            }
            let rank = rank(&evaluation, ColumnId::Rank, node);
            assert_eq!(rank, expected, "{} place {place}", case.name);
            compared += 1;
        }
    }
    println!("{compared} places compared, 0 differ");
}

#[test]
fn golden_pairs_compare_as_in_the_real_scheduler() {
    let mut compared = 0;
    for case in cases() {
        let (Some((parsed, evaluation)), Some(matrix)) =
            (evaluated(&case), case.bytes("pairs.tsv"))
        else {
            continue;
        };
        let matrix = String::from_utf8(matrix).expect("text");
        let nodes = parsed.tree.nodes();
        for (row, &a) in matrix.lines().zip(nodes) {
            let (name, signs) = row.rsplit_once('\t').expect("a name and signs");
            let name: String = serde_json::from_str(name).expect("a quoted name");
            assert_eq!(latin1(&name), parsed.tree.name(a));
            for (sign, &b) in signs.chars().zip(nodes) {
                let expected = match sign {
                    '<' => Ordering::Less,
                    '>' => Ordering::Greater,
                    _ => Ordering::Equal,
                };
                let ours = compare_path(&parsed.tree, &evaluation, a, b);
                assert_eq!(ours, expected, "{} {name}", case.name);
                compared += 1;
            }
        }
    }
    println!("{compared} pairs compared, 0 differ");
}

/// The value of `pbsfs -s` as pbsfs reads it. `None` if pbsfs does not apply it.
fn amount(value: &str) -> Option<f64> {
    if value.is_empty() {
        return Some(0.0);
    }
    value.parse().ok()
}

#[test]
fn golden_usage_edits_give_the_same_numbers_as_pbsfs() {
    let mut compared = 0;
    for after in cases() {
        let Some(command) = after.objects("command.json").pop() else {
            continue;
        };
        let before = Case {
            name: after.name.clone(),
            expected: after.group.clone(),
            group: after.group.clone(),
        };
        let parsed = before.parsed().expect("a tree");
        let args = command["args"].as_array().expect("arguments");
        let name = latin1(args[2].as_str().expect("a name"));
        let value = args[3].as_str().expect("a value");
        let node = parsed
            .tree
            .nodes()
            .iter()
            .copied()
            .find(|&node| parsed.tree.name(node) == name);
        let (Some(node), Some(amount)) = (node, amount(value)) else {
            continue;
        };
        let base = Arc::new(Snapshot::new(
            parsed.tree,
            parsed.settings,
            Source::default(),
            Recorded::default(),
        ));
        let mut scenario = Scenario::new(base, Policy::Pbs);
        let usage = Usage::new(amount);
        match scenario.apply(Edit::SetUsage { node, usage }) {
            Ok(()) => {}
            Err(EditError::UsageOfAccount(_)) => assert!(scenario.tree().has_children(node)),
            Err(EditError::Usage(_)) => assert!(amount < 0.0),
            Err(other) => panic!("{other}"),
        }
        if amount < 0.0 {
            // PBS writes this value and refuses it at the next read; fairscope refuses it at once.
            continue;
        }
        let (expected, evaluation) = evaluated(&after).expect("a tree");
        let unknown = expected.tree.unknown().expect("a PBS tree has one");
        let cut_name = &name[..name.len().min(49)];
        let comes_back_cut = expected
            .tree
            .children(unknown)
            .any(|child| expected.tree.name(child) == cut_name);
        if name.len() > 49 && comes_back_cut {
            // PBS truncates the name and finds an unknown entity at the next read, so no plan should do this.
            continue;
        }
        // A rewritten file lists the unknown entities in another order.
        let by_name = |tree: &Tree| {
            let mut nodes = tree.nodes().to_vec();
            nodes.sort_by_key(|&node| tree.name(node).to_vec());
            nodes
        };
        let (ours, theirs) = (by_name(scenario.tree()), by_name(&expected.tree));
        assert_eq!(ours.len(), theirs.len(), "{}", after.name);
        for (&ours, &theirs) in ours.iter().zip(&theirs) {
            assert_eq!(scenario.tree().name(ours), expected.tree.name(theirs));
            for column in [
                ColumnId::Usage,
                ColumnId::FairshareTreeUsage,
                ColumnId::FairshareFactor,
            ] {
                assert_eq!(
                    our_bits(scenario.evaluation(), column, ours),
                    our_bits(&evaluation, column, theirs),
                    "{} {column:?}",
                    after.name
                );
                compared += 1;
            }
        }
    }
    println!("{compared} numbers compared, 0 differ");
}
