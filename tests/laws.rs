//! Property tests over random trees, edits and bytes.

use crate::support::loading::{go_on, open};
use fairscope::base::number::Value;
use fairscope::base::shown::shown;
use fairscope::format::native::{parse as parse_native, write_tree};
use fairscope::format::{Format, Request, Severity, csv};
use fairscope::model::{
    Campaign, Kind, NodeId, Position, Premise, Recorded, Scheduler, Settings, Shares, Snapshot,
    Source, Tree, TreeBuilder, Usage, path_of, resolve,
};
use fairscope::report::outline::{Listing, Outline, Sort};
use fairscope::rules::policy::{
    Basis, ColumnId, Evaluation, EveryRule, Neighbour, Policy, RuleColumn,
};
use fairscope::scenario::{Edit, PaceChange, Scenario, parse, write};
use fairscope::tui::Session;
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A node to create: parent (an index into the existing nodes), name, shares, usage, group and kind.
type Seedling = (prop::sample::Index, Vec<u8>, i64, Option<f64>, i32, bool);

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z]{1,3}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 1..6),
        1 => "[/\\\\@#'\" =~,.\u{e9}-]{1,4}".prop_map(String::into_bytes),
    ]
}

fn amount() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        (0_u32..100_000).prop_map(|amount| Some(f64::from(amount))),
        (0.0..1e18).prop_map(Some),
        prop::num::f64::POSITIVE
            .prop_map(|amount| Some(amount).filter(|amount| amount.is_finite())),
    ]
}

fn seedling() -> impl Strategy<Value = Seedling> {
    (
        any::<prop::sample::Index>(),
        name(),
        0_i64..1000,
        amount(),
        -2_i32..20,
        any::<bool>(),
    )
}

fn seedlings() -> impl Strategy<Value = Vec<Seedling>> {
    vec(seedling(), 0..40)
}

/// Returns the best rank in the subtree of any node, by looking at all of it.
fn ranks_within<'a>(tree: &'a Tree, evaluation: &'a Evaluation) -> impl Fn(NodeId) -> Option<u32> {
    |node| {
        let below = tree.nodes()[tree.order().span(node)].iter();
        below.filter_map(|&node| evaluation.rank(node)).min()
    }
}

/// A tree without a scheduler: users have no children, and usage records follow the order of the nodes.
fn plain_tree(seedlings: &[Seedling]) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for (parent, name, shares, usage, _, is_account) in seedlings {
        let name = builder.intern(name);
        let kind = if *is_account {
            Kind::Account
        } else {
            Kind::User
        };
        let node = builder.push(*parent.get(&accounts), name, kind, Position::Last);
        builder.set_shares(
            node,
            if *shares == 7 {
                Shares::PARENT
            } else {
                Shares::new(*shares)
            },
        );
        if *is_account {
            accounts.push(node);
            builder.set_usage(
                node,
                usage
                    .filter(|_| *shares < 100)
                    .map_or(Usage::NONE, Usage::new),
            );
        } else if let Some(amount) = usage {
            builder.record(node, *amount, true);
        }
    }
    builder.build()
}

/// A PBS tree: newest siblings first, usage records in another order, some of groups and some repeated.
fn pbs_tree(seedlings: &[Seedling]) -> Tree {
    let mut builder = TreeBuilder::new(b"TREEROOT");
    builder.set_shares(NodeId::ROOT, Shares::new(-1));
    let unknown = builder.intern(b"unknown");
    let unknown = builder.push(NodeId::ROOT, unknown, Kind::Account, Position::First);
    builder.set_group(unknown, 1);
    let mut nodes = vec![NodeId::ROOT, unknown];
    for (parent, name, shares, _, group, _) in seedlings {
        if builder.find_name(name).is_some() {
            continue;
        }
        let name = builder.intern(name);
        let node = builder.push(*parent.get(&nodes), name, Kind::User, Position::First);
        builder.set_shares(node, Shares::new(*shares - 5));
        builder.set_group(node, *group);
        nodes.push(node);
    }
    for (place, _, _, usage, _, _) in seedlings {
        if let Some(amount) = usage {
            let node = *place.get(&nodes);
            let adds = !builder.has_children(node);
            builder.record(node, *amount, adds);
        }
    }
    builder.follow_pbs(unknown);
    builder.build()
}

fn snapshot(tree: &Tree) -> Snapshot {
    let mut settings = Settings::default();
    if tree.kinds_follow_shape() {
        settings.scheduler = Some(Scheduler::Pbs);
    }
    Snapshot::new(
        tree.clone(),
        settings,
        Source::default(),
        Recorded::default(),
    )
}

/// All facts of a tree in tree order.
/// Returns the settings without the pace, and the pace with the places of its nodes in the tree: ids are given anew when
/// a scenario is opened, if nodes were added and removed before.
fn settings_by_place(scenario: &Scenario) -> (Settings, Vec<String>) {
    let mut settings = scenario.settings().clone();
    let pace = std::mem::take(&mut settings.time.pace);
    let nodes = scenario.tree().nodes();
    let place = |node: NodeId| nodes.iter().position(|&other| other == node);
    let campaign = |campaign: &Campaign| {
        let node = NodeId::ROOT;
        format!(
            "{:?} {:?}",
            place(campaign.node),
            Campaign {
                node,
                ..campaign.clone()
            }
        )
    };
    let rates = pace.rates();
    let rates = rates.map(|(node, rate)| format!("{:?} {:x}", place(node), rate.to_bits()));
    let mut texts: Vec<String> = rates.collect();
    texts.sort();
    texts.extend(pace.campaigns().iter().map(campaign));
    texts.extend(pace.premises.iter().map(|premise| match premise {
        Premise::Resting(node) => format!("{:?} rests", place(*node)),
        Premise::Rate { node, rate } => format!("{:?} {:x}", place(*node), rate.to_bits()),
        Premise::Campaign(planned) => campaign(planned),
        premise => format!("{premise:?}"),
    }));
    (settings, texts)
}

fn facts(tree: &Tree) -> Vec<String> {
    tree.nodes()
        .iter()
        .map(|&node| {
            format!(
                "{} {} {} {:?} {:?} {} {:?}",
                tree.depth(node),
                shown(tree.name(node)),
                tree.shares(node),
                tree.usage(node).amount().map(f64::to_bits),
                tree.kind(node),
                tree.group(node),
                tree.ordinal(node),
            )
        })
        .collect()
}

/// All numbers in tree order, as bits.
fn numbers(tree: &Tree, evaluation: &Evaluation) -> Vec<Option<u64>> {
    let columns = Policy::Pbs.columns().iter();
    columns
        .flat_map(|&column| {
            let number = move |&node| evaluation.number(column, node);
            tree.nodes().iter().map(number)
        })
        // All NaNs count as equal.
        .map(|number| {
            number.map(|number| {
                if number.is_nan() {
                    u64::MAX
                } else {
                    number.to_bits()
                }
            })
        })
        .collect()
}

fn evaluated(tree: &Tree) -> Vec<Option<u64>> {
    numbers(tree, &Policy::Pbs.evaluate(tree, &Settings::default()))
}

/// Returns the accounts whose stated usage is not that of the users below: whole numbers may differ by 1 for each of
/// these and the account. What PBS recorded for a group is listed apart, and is no sum.
fn differing_sums(tree: &Tree) -> Vec<NodeId> {
    let mut differing = Vec::new();
    if tree.kinds_follow_shape() {
        return differing;
    }
    for &account in tree.nodes() {
        let Some(stated) = tree.usage(account).amount() else {
            continue;
        };
        if tree.kind(account) == Kind::User || !tree.has_children(account) {
            continue;
        }
        let below = tree.nodes()[tree.order().span(account)].iter().copied();
        let below = below.filter(|&node| tree.kind(node) == Kind::User || !tree.has_children(node));
        let below: Vec<f64> = below.filter_map(|node| tree.usage(node).amount()).collect();
        let total: f64 = below.iter().sum();
        let is_whole = below.iter().all(|usage| usage.fract() == 0.0) && stated.fract() == 0.0;
        let cut = if is_whole {
            below.len() as f64 + 1.0
        } else {
            0.0
        };
        if (stated - total).abs() > cut.max(stated.max(total) * 1e-6) {
            differing.push(account);
        }
    }
    differing
}

/// Reads a tree that states usage for so many accounts that is not that of their users.
fn read_native(bytes: &[u8], differing: usize) -> Snapshot {
    let loaded = parse_native(
        bytes,
        &Request::default(),
        &mut |_| ControlFlow::Continue(()),
        None,
    );
    let loaded = loaded.expect("what we write we read");
    let problems = loaded.problems.list();
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, vec!["usage-sum-differs"; differing], "{problems:?}");
    loaded.snapshot
}

/// Asserts that writing a tree in our own format and reading it back changes nothing.
fn assert_round_trip(tree: &Tree) {
    let bytes = write_tree(&snapshot(tree), tree, None);
    let differing = differing_sums(tree).len();
    let read = read_native(&bytes, differing);
    assert_eq!(facts(&read.tree), facts(tree));
    assert_eq!(evaluated(&read.tree), evaluated(tree));
    let again = write_tree(&read, &read.tree, None);
    // Reading fills in the unit of a PBS tree's usage.
    let body = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("TOML is UTF-8");
        text[text.find("[tree]").expect("there is a tree")..].to_owned()
    };
    assert_eq!(body(&again), body(&bytes));
    let once_more = read_native(&again, differing);
    assert_eq!(write_tree(&once_more, &once_more.tree, None), again);
}

/// The tree order, computed by plain recursion.
fn naive_walk(tree: &Tree, node: NodeId, order: &mut Vec<NodeId>) {
    order.push(node);
    for child in tree.children(node) {
        naive_walk(tree, child, order);
    }
}

/// An edit of a tree, chosen by numbers; it may be invalid for the tree.
fn edit(
    tree: &Tree,
    (what, one, two, number): (u8, prop::sample::Index, prop::sample::Index, u16),
) -> Edit {
    let node = *one.get(tree.nodes());
    let other = *two.get(tree.nodes());
    match what % 7 {
        0 => Edit::SetShares {
            node,
            shares: Shares::new(i64::from(number)),
        },
        1 => Edit::SetUsage {
            node,
            usage: Usage::new(f64::from(number) / 8.0),
        },
        2 => Edit::Add {
            parent: node,
            name: format!("new{number}").into_bytes(),
            partition: None,
            kind: if number % 3 == 0 {
                Kind::Account
            } else {
                Kind::User
            },
            shares: Shares::new(i64::from(number % 10)),
            usage: if number % 2 == 0 {
                Usage::NONE
            } else {
                Usage::new(f64::from(number))
            },
        },
        3 => Edit::Remove { node },
        4 => Edit::Move { node, to: other },
        5 => Edit::Rename {
            node,
            name: format!("na/me{number}").into_bytes(),
        },
        _ => Edit::SetSetting {
            key: "unknown_shares".to_owned(),
            value: number.to_string(),
        },
    }
}

/// Any edit, batches included; it may be invalid for the tree.
fn any_edit(
    tree: &Tree,
    (what, one, two, number): (u8, prop::sample::Index, prop::sample::Index, u16),
) -> Edit {
    const SETTINGS: &[(&str, &str)] = &[
        ("FairShareDampeningFactor", "5"),
        ("TieOrder", "name"),
        ("fairshare_enforce_no_shares", "true"),
        ("PriorityLevels", "3"),
        ("decay_factor", "0.25"),
    ];
    match what % 10 {
        7 => Edit::SetShares {
            node: *one.get(tree.nodes()),
            shares: Shares::PARENT,
        },
        8 => {
            let (key, value) = SETTINGS[usize::from(number) % SETTINGS.len()];
            Edit::SetSetting {
                key: key.to_owned(),
                value: value.to_owned(),
            }
        }
        9 => {
            let parts = (0..2 + number % 3).map(|part| {
                let what = what / 10 + u8::try_from(part).unwrap_or(0);
                let (one, two) = if part % 2 == 0 {
                    (one, two)
                } else {
                    (two, one)
                };
                edit(tree, (what, one, two, number.wrapping_mul(part + 1)))
            });
            Edit::Batch(parts.collect())
        }
        _ => edit(tree, (what, one, two, number)),
    }
}

/// An edit that passes time; it may be invalid for the tree.
fn passing((what, one, number): (u8, prop::sample::Index, u16), tree: &Tree) -> Edit {
    let node = *one.get(tree.nodes());
    let rate = f64::from(number) / 7.0;
    match what % 8 {
        0 => Edit::Pace(PaceChange::Idle),
        1 => Edit::Pace(PaceChange::Steady),
        2 | 3 => Edit::Pace(PaceChange::Rate { node, rate }),
        4 => Edit::Pace(PaceChange::Campaign(Campaign {
            node,
            rate,
            from: u64::from(number) * 7,
            until: u64::from(number) * 19 + 400,
        })),
        _ => Edit::Wait {
            seconds: u64::from(number) * 11,
        },
    }
}

/// A snapshot of a scheduler's tree with a date, and with usage that the scheduler can hold.
fn moment(seedlings: &[Seedling], scheduler: Option<Scheduler>) -> Snapshot {
    let tree = match scheduler {
        Some(Scheduler::Pbs) => pbs_tree(seedlings),
        _ => plain_tree(seedlings),
    };
    let mut snapshot = snapshot(&tree);
    snapshot.settings.scheduler = scheduler;
    snapshot.settings.time.taken = Some(1_700_000_000);
    snapshot.settings.pbs.fairshare_decay_time = 7_200;
    snapshot.settings.slurm.decay_half_life = 86_400;
    snapshot
}

/// The tested clocks: PBS, Slurm and no scheduler.
const CLOCKS: [Option<Scheduler>; 3] = [Some(Scheduler::Pbs), Some(Scheduler::Slurm), None];

/// All numbers that a policy computes for a tree, as bits.
pub(crate) fn said(policy: Policy, tree: &Tree, evaluation: &Evaluation) -> Vec<u64> {
    let bits = |value: Value| match value {
        // No column holds both, and all NaNs count as equal.
        Value::Null => u64::MAX,
        Value::Parent => u64::MAX - 1,
        Value::Count(count) => count.cast_unsigned(),
        Value::Double(number) if number.is_nan() => u64::MAX - 2,
        Value::Double(number) => number.to_bits(),
        Value::Single(number) if number.is_nan() => u64::MAX - 2,
        Value::Single(number) => u64::from(number.to_bits()),
        Value::Word(word) => word,
    };
    let columns = policy.columns().iter();
    let values = columns.flat_map(|&column| {
        let nodes = tree.nodes().iter();
        nodes.map(move |&node| evaluation.value(column, node))
    });
    let ranks = evaluation.ranks().iter().map(|&rank| u64::from(rank));
    values.map(bits).chain(ranks).collect()
}

proptest! {
    #![proptest_config(crate::support::laws(256))]

    #[test]
    fn our_own_format_keeps_every_fact_and_every_bit(seedlings in seedlings()) {
        assert_round_trip(&plain_tree(&seedlings));
        assert_round_trip(&pbs_tree(&seedlings));
    }

    #[test]
    fn csv_keeps_every_fact_and_every_bit(mut seedlings in seedlings()) {
        for (place, seedling) in seedlings.iter_mut().enumerate() {
            // CSV identifies accounts by name alone; group numbers exist only in PBS.
            if seedling.5 {
                seedling.1.extend(format!("-{place}").bytes());
            }
        }
        let tree = plain_tree(&seedlings);
        let bytes = csv::write(&tree);
        let loaded = csv::parse(bytes.clone(), &Request::default(), &mut go_on);
        let read = loaded.unwrap().snapshot.tree;
        prop_assert_eq!(facts(&read), facts(&tree));
        prop_assert_eq!(csv::write(&read), bytes);
    }

    #[test]
    fn undo_reverts_and_redo_reapplies_every_edit(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        choices in vec(any::<(u8, prop::sample::Index, prop::sample::Index, u16)>(), 1..12),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let mut scenario = Scenario::new(Arc::new(snapshot(&tree)), Policy::Pbs);
        let state = |scenario: &Scenario| (
            facts(scenario.tree()),
            scenario.settings().clone(),
            numbers(scenario.tree(), scenario.evaluation()),
        );
        let mut states = vec![state(&scenario)];
        for choice in choices {
            let edit = edit(scenario.tree(), choice);
            let before = state(&scenario);
            if scenario.apply(edit).is_ok() {
                states.push(state(&scenario));
            } else {
                prop_assert_eq!(state(&scenario), before, "a refused edit changes nothing");
            }
        }
        for before in states.iter().rev().skip(1) {
            prop_assert!(scenario.undo().is_some());
            prop_assert_eq!(&state(&scenario), before);
        }
        prop_assert!(scenario.undo().is_none());
        for after in &states[1..] {
            prop_assert!(scenario.redo().is_some());
            prop_assert_eq!(&state(&scenario), after);
        }
    }

    #[test]
    fn rows_are_in_the_order_of_any_column(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        policy in prop::sample::select(Policy::ALL),
        column in prop::option::of(any::<prop::sample::Index>()),
        is_falling in any::<bool>(),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let scenario = Scenario::new(Arc::new(snapshot(&tree)), policy);
        let columns = [
            policy.columns(),
            policy.usual_columns(),
            &[ColumnId::Served, ColumnId::Balance, ColumnId::Before, ColumnId::Rank],
        ];
        let column = column.map(|index| *index.get(&columns.concat()));
        let sort = Sort { column: column.map(RuleColumn::current), is_falling };
        // The plain road: nodes without a number last, ties in the order of the tree.
        let order = |one: &NodeId, other: &NodeId| {
            let Some(column) = column else {
                let names = tree.name(*one).cmp(tree.name(*other));
                return if is_falling { names.reverse() } else { names };
            };
            let number = |node: NodeId| match scenario.value(column, node) {
                Value::Word(word) => Some((word, 0.0)),
                value => Some((0, value.as_f64().filter(|number| !number.is_nan())?)),
            };
            match (number(*one), number(*other)) {
                (Some(one), Some(other)) => {
                    let numbers = one.partial_cmp(&other).expect("no NaN");
                    if is_falling { numbers.reverse() } else { numbers }
                }
                (one, other) => other.is_some().cmp(&one.is_some()),
            }
        };
        let mut outline = Outline::new(&scenario, Listing::Tree);
        outline.set_all_unfolded(&scenario, true);
        outline.set_sort(&scenario, Some(sort));
        let mut plain = Vec::new();
        let mut pending = vec![NodeId::ROOT];
        while let Some(node) = pending.pop() {
            plain.push(node);
            let mut family: Vec<NodeId> = tree.children(node).collect();
            family.sort_by(order);
            pending.extend(family.into_iter().rev());
        }
        prop_assert_eq!(outline.rows(), &plain);

        let mut ranking = Outline::new(&scenario, Listing::Ranking);
        ranking.set_sort(&scenario, Some(sort));
        let users = tree.nodes().iter().copied();
        let mut users: Vec<NodeId> = users.filter(|&node| tree.kind(node) == Kind::User).collect();
        users.sort_by(order);
        prop_assert_eq!(ranking.rows(), &users);
    }

    #[test]
    fn neighbours_in_the_ranking_are_those_of_the_ranks(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        policy in prop::sample::select(Policy::ALL),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let scenario = Scenario::new(Arc::new(snapshot(&tree)), policy);
        let evaluation = scenario.evaluation();
        for &node in tree.nodes() {
            let Some(own) = evaluation.rank(node) else { continue };
            let ranks = || tree.nodes().iter().filter_map(|&other| Some((evaluation.rank(other)?, other)));
            let first = |rank: u32| ranks().find(|&(other, _)| other == rank);
            let ahead = ranks().map(|(rank, _)| rank).filter(|&rank| rank < own).max();
            let behind = ranks().map(|(rank, _)| rank).filter(|&rank| rank > own).min();
            let explanation = scenario.explain(node);
            let said = |neighbour: Option<Neighbour>| neighbour.map(|other| (other.rank, other.node));
            prop_assert_eq!(said(explanation.ahead), ahead.and_then(first));
            prop_assert_eq!(said(explanation.behind), behind.and_then(first));
            prop_assert_eq!(explanation.tied + 1, ranks().filter(|&(rank, _)| rank == own).count());
            prop_assert_eq!(evaluation.best_rank(node), Some(own));
        }
        let best = ranks_within(&tree, evaluation);
        for &node in tree.nodes() {
            prop_assert_eq!(evaluation.best_rank(node), best(node));
        }
    }

    #[test]
    fn levels_put_ahead_whoever_ranks_before_a_node(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        policy in prop::sample::select(Policy::ALL),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let scenario = Scenario::new(Arc::new(snapshot(&tree)), policy);
        let evaluation = scenario.evaluation();
        // Under Fair Tree the level decides at which two paths part, unless an account has `parent` shares.
        let parts = policy == Policy::FairTree && tree.nodes().iter().all(|&node| !tree.shares(node).is_parent());
        for &node in tree.nodes() {
            let explanation = scenario.explain(node);
            let Some(own) = evaluation.best_rank(node) else { continue };
            let before = || tree.nodes().iter().filter(|&&other| evaluation.rank(other).is_some_and(|rank| rank < own));
            let ahead: usize = explanation.levels.iter().map(|level| level.users_ahead).sum();
            if ahead > 0 {
                prop_assert_eq!(ahead, before().count());
            }
            let mut outer = NodeId::ROOT;
            for level in explanation.levels.iter().filter(|_| parts) {
                let is_here = |&&other: &&NodeId| tree.is_within(other, outer) && !tree.is_within(other, level.node);
                let mut last = None;
                for &other in before().filter(is_here) {
                    if last.is_none_or(|last| evaluation.rank(other) > evaluation.rank(last)) {
                        last = Some(other);
                    }
                }
                prop_assert_eq!(level.users_ahead, before().filter(is_here).count());
                prop_assert_eq!(level.last_ahead, last);
                outer = level.node;
            }
        }
    }

    #[test]
    fn numbers_beside_those_of_another_rule_are_those_of_the_rule_alone(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        known in prop::sample::select(Policy::ALL),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let mut settings = Settings::default();
        settings.set("job_sort_formula", "fairshare_perc / (1 + fairshare_tree_usage)").expect("a formula");
        let rules = EveryRule::default();
        let evaluation = known.evaluate(&tree, &settings);
        let basis = Basis::computed(&tree, &settings);
        rules.compute(Policy::ALL, (known, &evaluation), basis);
        for &policy in Policy::ALL {
            let alone = policy.evaluate(&tree, &settings);
            let beside = rules.under(policy, basis);
            prop_assert_eq!(said(policy, &tree, beside), said(policy, &tree, &alone));
            prop_assert_eq!(beside.ranking(), alone.ranking());
        }
    }

    #[test]
    fn explanations_do_not_depend_on_those_before(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        policy in prop::sample::select(Policy::ALL),
        visits in vec(any::<prop::sample::Index>(), 1..12),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let scenario = Scenario::new(Arc::new(snapshot(&tree)), policy);
        for visit in visits {
            let node = *visit.get(tree.nodes());
            let alone = Scenario::new(Arc::new(snapshot(&tree)), policy);
            let texts = [&scenario, &alone].map(|scenario| format!("{:?}", scenario.explain(node)));
            prop_assert_eq!(&texts[0], &texts[1]);
        }
    }

    #[test]
    fn numbers_match_the_tree_after_any_edits_and_undos(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        policy in prop::sample::select(Policy::ALL),
        steps in vec(any::<(u8, u8, prop::sample::Index, prop::sample::Index, u16)>(), 1..16),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let mut scenario = Scenario::new(Arc::new(snapshot(&tree)), policy);
        let state = |scenario: &Scenario| (scenario.tree().state_hash(), scenario.settings().clone());
        let mut states = vec![state(&scenario)];
        for (step, what, one, two, number) in steps {
            let done = scenario.history().edits().len();
            match step % 8 {
                0 => { scenario.undo(); }
                1 => { scenario.redo(); }
                2 => {
                    let edit = any_edit(scenario.tree(), (what, one, two, number));
                    if scenario.try_out(edit).is_ok() {
                        let _ = scenario.evaluation();
                    }
                    scenario.end_trial();
                }
                _ => {
                    let edit = any_edit(scenario.tree(), (what, one, two, number));
                    // As in the explorer: a number is on the screen before it is taken.
                    if step % 8 == 3 && scenario.try_out(edit.clone()).is_ok() {
                        let _ = scenario.evaluation();
                    }
                    if scenario.apply_because(edit, format!("because {number}")).is_ok() {
                        states.truncate(done + 1);
                        states.push(state(&scenario));
                    }
                }
            }
            let place = scenario.history().edits().len();
            prop_assert_eq!(&state(&scenario), &states[place]);
            let anew = policy.evaluate(scenario.tree(), scenario.settings());
            prop_assert_eq!(
                said(policy, scenario.tree(), scenario.evaluation()),
                said(policy, scenario.tree(), &anew)
            );
        }
        while scenario.undo().is_some() {}
        prop_assert_eq!(&state(&scenario), &states[0]);
        prop_assert_eq!(scenario.tree().state_hash(), tree.state_hash());
        prop_assert_eq!(facts(scenario.tree()), facts(&tree));
        while scenario.redo().is_some() {}
        prop_assert_eq!(Some(&state(&scenario)), states.last());
    }

    #[test]
    fn undoing_waits_and_edits_restores_earlier_states(
        seedlings in seedlings(),
        scheduler in prop::sample::select(&CLOCKS[..]),
        policy in prop::sample::select(Policy::ALL),
        steps in vec((any::<(u8, prop::sample::Index, u16)>(), any::<prop::sample::Index>()), 1..14),
    ) {
        let snapshot = moment(&seedlings, scheduler);
        let mut scenario = Scenario::new(Arc::new(snapshot.clone()), policy);
        let state = |scenario: &Scenario| (
            scenario.tree().state_hash(),
            scenario.settings().clone(),
            said(policy, scenario.tree(), scenario.evaluation()),
        );
        let mut states = vec![state(&scenario)];
        for ((what, one, number), two) in steps {
            let edit = if what % 2 == 0 {
                passing((what / 2, one, number), scenario.tree())
            } else {
                any_edit(scenario.tree(), (what / 2, one, two, number))
            };
            if scenario.apply(edit).is_ok() {
                states.push(state(&scenario));
            }
            let anew = policy.evaluate(scenario.tree(), scenario.settings());
            prop_assert_eq!(
                said(policy, scenario.tree(), scenario.evaluation()),
                said(policy, scenario.tree(), &anew)
            );
        }
        for before in states.iter().rev().skip(1) {
            prop_assert!(scenario.undo().is_some());
            prop_assert_eq!(&state(&scenario), before);
        }
        prop_assert_eq!(scenario.tree().state_hash(), snapshot.tree.state_hash());
        prop_assert_eq!(scenario.settings(), &snapshot.settings);
        for after in &states[1..] {
            prop_assert!(scenario.redo().is_some());
            prop_assert_eq!(&state(&scenario), after);
        }
    }

    #[test]
    fn one_wait_equals_several_shorter_waits(
        seedlings in seedlings(),
        scheduler in prop::sample::select(&CLOCKS[..]),
        half_life in prop::sample::select(&[0_u32, 3_600, 86_400][..]),
        pace in vec(any::<(u8, prop::sample::Index, u16)>(), 0..6),
        waits in vec(0_u64..90_000, 1..8),
    ) {
        let mut snapshot = moment(&seedlings, scheduler);
        snapshot.settings.slurm.decay_half_life = half_life;
        let policy = match scheduler {
            Some(Scheduler::Slurm) => Policy::FairTree,
            _ => Policy::Pbs,
        };
        let mut before = Scenario::new(Arc::new(snapshot), policy);
        for (what, one, number) in pace {
            // An invalid edit changes nothing.
            let _ = before.apply(passing((what % 5, one, number), before.tree()));
        }
        let (mut once, mut often) = (before.clone(), before);
        once.apply(Edit::Wait { seconds: waits.iter().sum() }).expect("time passes");
        for seconds in waits {
            often.apply(Edit::Wait { seconds }).expect("time passes");
        }
        prop_assert_eq!(facts(once.tree()), facts(often.tree()));
        prop_assert_eq!(once.settings(), often.settings());
        prop_assert_eq!(
            said(policy, once.tree(), once.evaluation()),
            said(policy, often.tree(), often.evaluation())
        );
    }

    #[test]
    fn saved_scenarios_reopen_unchanged(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        front in any::<prop::sample::Index>(),
        wanted in vec((
            "\\PC{1,12}",
            prop::sample::select(Policy::ALL),
            vec((any::<(u8, prop::sample::Index, prop::sample::Index, u16)>(), "\\PC{0,9}"), 0..6),
        ), 1..4),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (source, file) = (folder.path().join("tree.toml"), folder.path().join("plan.toml"));
        std::fs::write(&source, write_tree(&snapshot(&tree), &tree, None)).expect("the folder is ours");
        let mut before = open(&source, Some(wanted[0].1));
        let plain = before.scenario.clone();
        for (place, (name, policy, edits)) in wanted.iter().enumerate() {
            let mut scenario = plain.beside(Some(*policy));
            for (choice, reason) in edits {
                // An invalid edit changes nothing.
                let (what, one, _, number) = *choice;
                let edit = if what % 3 == 0 {
                    passing((what / 3, one, number), scenario.tree())
                } else {
                    any_edit(scenario.tree(), *choice)
                };
                let _ = scenario.apply_because(edit, reason.clone());
            }
            if wanted.len() > 1 || place % 2 == 1 {
                scenario.set_name(format!("{name}{place}"));
            }
            if place == 0 {
                before.scenario = scenario;
            } else {
                before.other_scenarios.add(&mut before.scenario, scenario);
            }
        }
        before.other_scenarios.bring(&mut before.scenario, front.index(wanted.len()));
        let session = Session::new(before);
        let text = session.scenario_text(&file, folder.path());
        std::fs::write(&file, &text).expect("the folder is ours");
        let after = open(&file, None);
        prop_assert!(after.source.problems.list().iter().all(|problem| problem.severity < Severity::Error), "{:?}\n{text}", after.source.problems);
        prop_assert!(!format!("{:?}", after.source.problems).contains("scenario-"), "{text}");
        prop_assert!(!format!("{:?}", after.source.problems).contains("toml-"), "{:?}{text}", after.source.problems);
        prop_assert_eq!(after.other_scenarios.place(), session.other_scenarios.place());
        prop_assert_eq!(after.other_scenarios.count(), session.other_scenarios.count());
        let pairs = session.other_scenarios.all(&session.scenario).zip(after.other_scenarios.all(&after.scenario));
        for (was, is) in pairs {
            prop_assert_eq!(is.name(), was.name());
            prop_assert_eq!(is.policy(), was.policy());
            prop_assert_eq!(settings_by_place(is), settings_by_place(was));
            prop_assert_eq!(is.history().mark(), was.history().mark(), "{}", text);
            prop_assert_eq!(facts(is.tree()), facts(was.tree()), "{}", text);
            prop_assert_eq!(is.tree().state_hash(), was.tree().state_hash());
            prop_assert_eq!(
                said(is.policy(), is.tree(), is.evaluation()),
                said(was.policy(), was.tree(), was.evaluation())
            );
        }
        let again = Session::new(after).scenario_text(&file, folder.path());
        prop_assert_eq!(again, text);
    }

    #[test]
    fn written_edits_parse_to_the_same_edit(
        seedlings in seedlings(),
        is_pbs in any::<bool>(),
        choice in any::<(u8, prop::sample::Index, prop::sample::Index, u16)>(),
    ) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        let edit = edit(&tree, choice);
        let mut scenario = Scenario::new(Arc::new(snapshot(&tree)), Policy::Pbs);
        if scenario.apply(edit.clone()).is_ok() {
            let text = write(&edit, &tree);
            prop_assert_eq!(parse(text.as_bytes(), &tree, &Settings::default()), Ok(edit), "{}", text);
        }
    }

    #[test]
    fn the_tree_order_equals_a_plain_recursive_walk(seedlings in seedlings(), gone in any::<prop::sample::Index>()) {
        let mut tree = pbs_tree(&seedlings);
        tree.remove(*gone.get(&tree.nodes()[1..]));
        let mut order = Vec::new();
        naive_walk(&tree, NodeId::ROOT, &mut order);
        prop_assert_eq!(tree.nodes(), &order[..]);
        for &node in &order {
            let mut below = Vec::new();
            naive_walk(&tree, node, &mut below);
            prop_assert_eq!(&tree.nodes()[tree.order().span(node)], &below[..]);
            prop_assert_eq!(tree.line(node).len(), tree.depth(node) as usize);
        }
    }

    #[test]
    fn every_path_resolves_to_its_node(seedlings in seedlings(), is_pbs in any::<bool>()) {
        let tree = if is_pbs { pbs_tree(&seedlings) } else { plain_tree(&seedlings) };
        for &node in tree.nodes() {
            let path = path_of(&tree, node).unwrap();
            prop_assert_eq!(resolve(&tree, path.as_bytes()), Ok(node), "{}", path);
        }
    }

    #[test]
    fn parsers_never_panic(bytes in vec(any::<u8>(), 0..200), rows in "[a-z0-9 @\"\\\\=#\n\t'~.-]{0,200}") {
        let mut go_on = |_: &_| ControlFlow::Continue(());
        let request = Request::default();
        let mut table = b"parent,name,shares,usage,type\n".to_vec();
        table.extend_from_slice(&bytes);
        let mut tree = b"fairscope = 1\n[tree]\nrows = '''\n".to_vec();
        tree.extend_from_slice(rows.replace("'''", "").as_bytes());
        tree.extend_from_slice(b"\n'''\n");
        for (format, bytes) in [
            (Format::Csv, bytes.clone()),
            (Format::Csv, table),
            (Format::Toml, bytes),
            (Format::Toml, tree),
        ] {
            let loaded = match format {
                Format::Csv => csv::parse(bytes, &request, &mut go_on),
                _ => parse_native(&bytes, &request, &mut go_on, None),
            };
            drop(loaded);
        }
    }

    #[test]
    fn different_names_are_displayed_differently(one in name(), other in name()) {
        prop_assert_eq!(one == other, shown(&one) == shown(&other));
    }

    #[test]
    fn control_characters_of_names_never_reach_the_terminal(bytes in vec(any::<u8>(), 0..40), text in "\\PC{0,20}|[\u{200b}-\u{202e}\u{1b}\u{9b}\u{e0001}]{0,9}") {
        for name in [bytes, text.into_bytes()] {
            for char in shown(&name).chars() {
                prop_assert!(!char.is_control(), "{char:?}");
                prop_assert!(!('\u{200b}'..='\u{200f}').contains(&char), "{char:?}");
                prop_assert!(!('\u{202a}'..='\u{202e}').contains(&char), "{char:?}");
                prop_assert!(!('\u{e0000}'..='\u{e007f}').contains(&char), "{char:?}");
            }
        }
    }
}
