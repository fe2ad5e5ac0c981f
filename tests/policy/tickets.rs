//! Tickets compared with those of Slurm 14.11.

use crate::support::associations::drawn;
use crate::support::random::Random;
use crate::support::slurm::cases;
use fairscope::base::number::Value;
use fairscope::model::{NodeId, Settings};
use fairscope::rules::policy::{ColumnId, Policy};
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[test]
fn golden_tickets_and_factors_equal_slurms() {
    let (mut compared, mut exact) = (0, 0);
    for case in cases() {
        for table in case.tables("ticket") {
            let numbers = Policy::Tickets.evaluate(&case.tree, &Settings::default());
            let rows = case.table(&table);
            assert_eq!(rows.len(), case.tree.node_count(), "{} {table}", case.name);
            for row in rows {
                let place = format!("{} {}", case.name, row.text("name").unwrap_or("?"));
                for (column, name) in [
                    (ColumnId::NormShares, "shares_norm"),
                    (ColumnId::EffectvUsage, "usage_efctv"),
                ] {
                    let ours = numbers.number(column, row.node).expect("a number");
                    let theirs = row.number(name).expect("a number");
                    assert_eq!(ours.to_bits(), theirs.to_bits(), "{place} {name}");
                    exact += 1;
                }
                let ours = numbers.value(ColumnId::Tickets, row.node);
                let theirs = row.count("tickets").expect("a whole number");
                assert_eq!(ours, Value::Count(theirs.cast_signed()), "{place}");
                let ours = numbers.number(ColumnId::Factor, row.node).map(f64::to_bits);
                let theirs = row.number("factor").map(f64::to_bits);
                assert_eq!(ours, theirs, "{place} factor");
                compared += 1;
            }
        }
    }
    println!("tickets: tickets and factors of {compared} nodes compared, 0 differ");
    println!("tickets: {exact} shares and usages compared, 0 differ");
}

#[test]
fn tickets_do_not_depend_on_the_order_of_rows() {
    let mut random = Random::new(75);
    let mut moved = 0;
    for _ in 0..40 {
        let mut lines: Vec<String> = Vec::new();
        let accounts = random.between(3, 8);
        for account in 0..accounts {
            let mut block = format!("a{account}/ {}\n", random.between(1, 1000));
            // A chain passes all tickets down, and rounding may lose one at each level.
            let depth = usize::try_from(random.between(1, 6)).expect("a few levels");
            for level in 1..depth {
                writeln!(block, "{}c{account}x{level}/ 1", "  ".repeat(level)).expect("room");
            }
            for user in 0..random.between(1, 4) {
                let (shares, usage) = (random.between(1, 50), random.between(0, 1_000_000));
                let indent = "  ".repeat(depth);
                writeln!(block, "{indent}u{account}x{user} {shares} | {usage}").expect("room");
            }
            lines.push(block);
        }
        let tickets = |drawing: &str| {
            let tree = drawn(drawing).tree;
            let numbers = Policy::Tickets.evaluate(&tree, &Settings::default());
            let node = |&node: &NodeId| {
                let name = String::from_utf8_lossy(tree.name(node)).into_owned();
                (
                    name,
                    numbers.number(ColumnId::Tickets, node).map(f64::to_bits),
                )
            };
            tree.nodes().iter().map(node).collect::<BTreeMap<_, _>>()
        };
        let listed = tickets(&lines.concat());
        for _ in 0..4 {
            let (one, other) = (random.below(lines.len()), random.below(lines.len()));
            lines.swap(one, other);
            assert_eq!(tickets(&lines.concat()), listed, "{lines:?}");
            moved += 1;
        }
    }
    println!("tickets: {moved} trees in another order, 0 differ");
}
