//! Numbers shown as printed: random trees whose usage has hidden digits.

use super::loaded;
use crate::support::random::Random;
use fairscope::format::Request;
use fairscope::model::{
    Fact, Kind, NodeId, Position, Settings, Shares, TieOrder, Tree, TreeBuilder,
};
use fairscope::open::opened::Opened;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::Edit;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The properties of one kind of random tree.
#[derive(Clone, Copy, Debug)]
struct Sort {
    /// The largest usage of a user.
    most: u64,
    /// One user in this number has no usage, or less than 1.
    idle: usize,
    /// One node in this number has shares `parent`; 0 for none.
    parent: usize,
    /// One node in this number has no shares; 0 for none.
    without_shares: usize,
    /// Whether shares and usage take so few values that many nodes tie.
    ties: bool,
    /// Whether accounts include the usage of deleted users.
    deleted: bool,
}

const SORTS: [Sort; 7] = [
    Sort {
        most: 40,
        idle: 3,
        parent: 0,
        without_shares: 0,
        ties: false,
        deleted: false,
    },
    Sort {
        most: 3_000,
        idle: 8,
        parent: 0,
        without_shares: 9,
        ties: false,
        deleted: true,
    },
    Sort {
        most: 1_000_000,
        idle: 5,
        parent: 0,
        without_shares: 0,
        ties: false,
        deleted: false,
    },
    Sort {
        most: 4_000_000_000_000,
        idle: 4,
        parent: 0,
        without_shares: 7,
        ties: false,
        deleted: true,
    },
    Sort {
        most: 500,
        idle: 2,
        parent: 0,
        without_shares: 0,
        ties: true,
        deleted: false,
    },
    Sort {
        most: 20_000,
        idle: 5,
        parent: 5,
        without_shares: 0,
        ties: false,
        deleted: false,
    },
    Sort {
        most: 900_000_000,
        idle: 5,
        parent: 4,
        without_shares: 8,
        ties: true,
        deleted: true,
    },
];

fn one_of(random: &mut Random, count: usize) -> bool {
    count > 0 && random.below(count) == 0
}

/// A tree with fractional usage, as in Slurm after decay.
fn tree(random: &mut Random, sort: Sort) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    let mut users = Vec::new();
    let count = 2 + random.below(24);
    for number in 0..count {
        let above = accounts[random.below(accounts.len())];
        let is_account = number == 0 || random.below(3) == 0;
        let (kind, name) = if is_account {
            (Kind::Account, format!("a{number:02}"))
        } else {
            (Kind::User, format!("u{number:02}"))
        };
        let name = builder.intern(name.as_bytes());
        let node = builder.push(above, name, kind, Position::Last);
        let most = if sort.ties { 2 } else { 100 };
        let shares = match random.below(60) {
            0 if !sort.ties => 1_000_000,
            _ => i64::try_from(random.between(1, most)).unwrap(),
        };
        let shares = if one_of(random, sort.parent) {
            Shares::PARENT
        } else if one_of(random, sort.without_shares) {
            Shares::new(0)
        } else {
            Shares::new(shares)
        };
        builder.set_shares(node, shares);
        if is_account {
            accounts.push(node);
        } else {
            let whole = random.between(0, sort.most) as f64;
            let fraction = random.between(0, 999_999) as f64 / 1e6;
            let used = match random.below(sort.idle) {
                0 if random.below(2) == 0 => 0.0,
                0 => fraction,
                _ if sort.ties => random.between(1, 3) as f64 * (sort.most as f64 / 3.3),
                _ => whole + fraction,
            };
            users.push((node, used));
        }
    }
    let mut used = vec![0.0; builder.len()];
    let mut below: Vec<(NodeId, f64)> = users.clone();
    if sort.deleted {
        let whose = accounts[random.below(accounts.len())];
        below.push((whose, random.between(1, sort.most) as f64 * 0.37));
    }
    for (node, amount) in below {
        let mut here = Some(node);
        while let Some(node) = here {
            used[node.index()] += amount;
            here = builder.parent(node);
        }
    }
    for (index, &used) in used.iter().enumerate() {
        let node = NodeId::from_index(index);
        builder.record(node, used, false);
    }
    builder.build()
}

/// Output of `sshare -a -l -P` for a tree, or of `sshare -a -P`.
fn printed(tree: &Tree, policy: Policy, settings: &Settings, is_long: bool) -> String {
    let evaluation = policy.evaluate(tree, settings);
    let mut text = "Account|User|RawShares|NormShares|RawUsage".to_owned();
    text.push_str(if is_long { "|NormUsage" } else { "" });
    text.push_str("|EffectvUsage|FairShare");
    let has_level_fs = is_long && policy == Policy::FairTree;
    text.push_str(if has_level_fs { "|LevelFS\n" } else { "\n" });
    let mut order: Vec<NodeId> = Vec::new();
    let mut pending = vec![NodeId::ROOT];
    while let Some(node) = pending.pop() {
        order.push(node);
        let mut children: Vec<NodeId> = tree.children(node).collect();
        // Users before accounts, by name.
        children.sort_by_key(|&child| (tree.kind(child) == Kind::Account, tree.name(child)));
        pending.extend(children.into_iter().rev());
    }
    for node in order {
        let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
        let is_user = tree.kind(node) == Kind::User;
        let account = if is_user {
            name(tree.parent(node).unwrap())
        } else {
            name(node)
        };
        let indent = " ".repeat(tree.depth(node) as usize);
        let user = if is_user { name(node) } else { String::new() };
        let number = |column| match evaluation.number(column, node) {
            Some(number) if number.is_infinite() => "inf".to_owned(),
            Some(number) => format!("{number:.6}"),
            None => String::new(),
        };
        let shares = tree.shares(node);
        let shares = if node == NodeId::ROOT {
            String::new()
        } else {
            shares.to_string()
        };
        let usage = tree.usage(node).amount().unwrap_or(0.0).trunc();
        write!(
            text,
            "{indent}{account}|{user}|{shares}|{}|{usage}",
            number(ColumnId::NormShares)
        )
        .unwrap();
        if is_long {
            write!(text, "|{}", number(ColumnId::NormUsage)).unwrap();
        }
        write!(
            text,
            "|{}|{}",
            number(ColumnId::EffectvUsage),
            number(ColumnId::Factor)
        )
        .unwrap();
        if has_level_fs {
            let is_blank = tree.shares(node).is_parent();
            let level_fs = if is_blank {
                String::new()
            } else {
                number(ColumnId::LevelFs)
            };
            write!(text, "|{level_fs}").unwrap();
        }
        text.push('\n');
    }
    text
}

fn open(text: &str, policy: Policy) -> Opened {
    let loaded = loaded(text, &Request::default());
    Opened::new(loaded, Some(policy))
}

/// The number of printed values that no usage gives, and the values displayed differently from the dump.
fn marks(opened: &Opened) -> (usize, Vec<String>) {
    let scenario = &opened.scenario;
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let recorded = &scenario.base().recorded;
    let (mut marked, mut wrong) = (0, Vec::new());
    for fact in [
        Fact::NormShares,
        Fact::NormUsage,
        Fact::EffectvUsage,
        Fact::LevelFs,
        Fact::FairShare,
    ] {
        let column = ColumnId::computing(fact).unwrap();
        for &node in tree.nodes() {
            marked += usize::from(evaluation.is_printed(column, node));
            let printed = recorded.figure(fact, node).map(|figure| figure.value);
            let shown = evaluation.number(column, node);
            if let (Some(printed), Some(shown)) = (printed, shown)
                && format!("{printed:.6}") != format!("{shown:.6}")
            {
                let name = String::from_utf8_lossy(tree.name(node));
                wrong.push(format!("{name}: {printed} is shown as {shown}"));
            }
        }
    }
    (marked, wrong)
}

#[test]
fn random_dumps_are_displayed_as_printed_before_and_after_an_undone_edit() {
    /// Number of trees of each sort.
    const TREES: u64 = 60;
    let mut settings = Settings::default();
    settings.slurm.tie_order = TieOrder::Name;
    let mut wrong = Vec::new();
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (place, sort) in SORTS.into_iter().enumerate() {
        for seed in 0..TREES {
            let mut random = Random::new(1_000 * place as u64 + seed);
            let tree = tree(&mut random, sort);
            for policy in [Policy::FairTree, Policy::Classic, Policy::DepthOblivious] {
                for is_long in [true, false] {
                    let text = printed(&tree, policy, &settings, is_long);
                    let mut opened = open(&text, policy);
                    if opened.source.verification.policy != Some(policy) {
                        // So small a tree can match another policy too, which is reported.
                        continue;
                    }
                    let (marked, contradictions) = marks(&opened);
                    let (reconstructed, of_policy) = found.entry(policy.name()).or_insert((0, 0));
                    *of_policy += 1;
                    *reconstructed += usize::from(marked == 0);
                    if !contradictions.is_empty() {
                        let what = contradictions.join(", ");
                        wrong.push(format!("{place}/{seed} {policy:?}: {what}\n{text}"));
                    }
                    let before = opened.scenario.evaluation().clone();
                    let user = |&&node: &&NodeId| opened.scenario.tree().kind(node) == Kind::User;
                    let Some(&node) = opened.scenario.tree().nodes().iter().rfind(user) else {
                        continue;
                    };
                    let shares = Shares::new(7);
                    let edit = Edit::Batch(vec![
                        Edit::SetShares { node, shares },
                        Edit::Remove { node },
                    ]);
                    opened.scenario.apply(edit).unwrap();
                    let _ = opened.scenario.evaluation();
                    assert!(opened.scenario.undo().is_some());
                    assert!(*opened.scenario.evaluation() == before, "{text}");
                }
            }
        }
    }
    for (policy, (reconstructed, dumps)) in &found {
        println!("{policy}: {reconstructed} of {dumps} dumps reconstructed to the last number");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
