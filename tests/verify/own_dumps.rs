//! Random trees printed as `sshare -a -l -P` does under each of Slurm's policies, and opened under every policy.

use super::loaded;
use crate::support::associations::drawn;
use crate::support::random::Random;
use fairscope::base::number::Value;
use fairscope::base::number::word;
use fairscope::format::Request;
use fairscope::model::{Kind, NodeId, Settings, Tree};
use fairscope::open::opened::Opened;
use fairscope::report::{View, dump};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::trust::verify::Evidence;
use std::collections::BTreeMap;
use std::fmt::Write as _;

fn tree(random: &mut Random) -> Tree {
    let mut drawing = String::new();
    for top in 0..random.between(2, 5) {
        writeln!(drawing, "a{top}/ {}", random.between(1, 30)).expect("room");
        for account in 0..random.between(1, 4) {
            writeln!(drawing, "  a{top}b{account}/ {}", random.between(1, 9)).expect("room");
            for user in 0..random.between(1, 5) {
                let (shares, usage) = (random.between(1, 20), random.between(0, 5_000_000));
                writeln!(drawing, "    u{top}x{account}x{user} {shares} | {usage}").expect("room");
            }
        }
    }
    drawn(&drawing).tree
}

/// Output of `sshare -a -l -P` under a policy.
fn printed(tree: &Tree, policy: Policy, settings: &Settings) -> String {
    let numbers = policy.evaluate(tree, settings);
    let is_classic = matches!(policy, Policy::Classic | Policy::DepthOblivious);
    let last = match policy {
        Policy::FairTree => "|LevelFS",
        Policy::LevelBased => "|FairShare Raw",
        _ => "",
    };
    let mut text = format!(
        "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare{last}\n"
    );
    let total = numbers
        .number(ColumnId::Usage, NodeId::ROOT)
        .expect("usage");
    for &node in tree.nodes() {
        let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
        let fixed = |column| {
            let number = numbers.number(column, node);
            number.map_or_else(String::new, |number| format!("{number:.6}"))
        };
        let is_root = node == NodeId::ROOT;
        let is_user = tree.kind(node) == Kind::User;
        let (account, user) = match tree.parent(node).filter(|_| is_user) {
            Some(above) => (name(above), name(node)),
            None => (name(node), String::new()),
        };
        let usage = numbers.number(ColumnId::Usage, node).expect("usage");
        let shares = tree.shares(node).count().filter(|_| !is_root);
        let shares = shares.map_or_else(String::new, |count| count.to_string());
        let norm_shares = match (is_root, is_classic) {
            (true, true) => "1.000000".to_owned(),
            (true, false) => "0.000000".to_owned(),
            _ => fixed(ColumnId::NormShares),
        };
        let norm_usage = if is_root {
            String::new()
        } else {
            format!("{:.6}", usage / total)
        };
        let effective = if is_root {
            "1.000000".to_owned()
        } else {
            fixed(ColumnId::EffectvUsage)
        };
        let factor = if is_user || is_classic {
            fixed(policy.factor_column())
        } else {
            String::new()
        };
        let last = match (policy, numbers.value(ColumnId::PriorityFsRaw, node)) {
            (Policy::FairTree, _) if is_root => "|".to_owned(),
            (Policy::FairTree, _) => format!("|{}", fixed(ColumnId::LevelFs)),
            (_, Value::Word(bits)) => format!("|{}", word(bits).trim_start_matches('0')),
            _ => String::new(),
        };
        let indent = " ".repeat(tree.depth(node) as usize);
        writeln!(
            text,
            "{indent}{account}|{user}|{shares}|{norm_shares}|{usage}|{norm_usage}|{effective}|{factor}{last}"
        )
        .expect("room");
    }
    text
}

fn opened(text: &str, policy: Option<Policy>) -> Opened {
    let loaded = loaded(text, &Request::default());
    Opened::new(loaded, policy)
}

#[test]
fn dumps_of_every_policy_are_recognised_under_every_other_policy() {
    let mut random = Random::new(2026);
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..40 {
        let tree = tree(&mut random);
        let dampening = [1, 2, 5, 11][random.below(4)];
        let levels = u8::try_from(random.between(1, 16)).expect("up to 16");
        for policy in [
            Policy::FairTree,
            Policy::Classic,
            Policy::DepthOblivious,
            Policy::LevelBased,
        ] {
            let mut settings = Settings::default();
            settings.slurm.dampening = dampening;
            settings.slurm.priority_levels = Some(levels);
            let text = printed(&tree, policy, &settings);
            let own = opened(&text, None);
            let (known, named) = counts.entry(policy.name()).or_default();
            let found = &own.source.verification;
            let differs = found.differs() || found.stale.is_some();
            let is_known = own.scenario.policy() == policy && found.policy == Some(policy);
            let set = &own.scenario.settings().slurm;
            let has_settings = match policy {
                Policy::Classic | Policy::DepthOblivious => set.dampening == dampening,
                // The words of 11 and 12 levels are equal here, and so are those of 13 to 16.
                Policy::LevelBased => {
                    set.priority_levels == Some(levels)
                        || found.detected.as_ref().is_some_and(|found| {
                            matches!(
                                found.evidence,
                                Evidence::Words {
                                    levels: Some(_),
                                    ..
                                }
                            )
                        })
                }
                _ => true,
            };
            if !is_known || differs || !has_settings {
                wrong.push(format!(
                    "{policy:?} {dampening} {levels}: {found:?}\n{text}"
                ));
                continue;
            }
            *known += 1;
            for &other in Policy::ALL {
                let shown = opened(&text, Some(other));
                let view = View::of(&shown.scenario, &shown.source.problems)
                    .verified(&shown.source.verification);
                let headline = dump::headline(&view);
                let is_named = match &headline {
                    None => other == policy,
                    Some(line) => {
                        other != policy
                            && line
                                .contains(&format!("(dump: {}", dump::name(policy, view.settings)))
                            && line.contains(", verified ")
                            && !line.contains(", verified 0/")
                    }
                };
                *named += usize::from(is_named);
                if !is_named {
                    wrong.push(format!("{policy:?} shown under {other:?}: {headline:?}"));
                }
            }
        }
    }
    println!("dumps known, and named rightly under all policies: {counts:?}");
    assert_eq!(wrong, Vec::<String>::new());
}
