//! Tickets against what Slurm 14.11 handed out.

use crate::support::slurm::cases;
use fairscope::model::Settings;
use fairscope::policy::{ColumnId, Policy, Value};

#[test]
fn golden_tickets_and_factors_are_slurms() {
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
