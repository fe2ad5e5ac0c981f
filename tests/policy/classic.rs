//! Classic and depth-oblivious fair-share against what Slurm 14.11 computed.

use crate::support::slurm::{Case, Row, cases};
use fairscope::model::{Kind, Settings};
use fairscope::policy::{ColumnId, Evaluation, Policy};

/// The columns of ours, and what the golden tables call them.
const COLUMNS: [(ColumnId, &str); 3] = [
    (ColumnId::NormShares, "shares_norm"),
    (ColumnId::NormUsage, "usage_norm"),
    (ColumnId::EffectvUsage, "usage_efctv"),
];

fn settings(dampening: &str) -> Settings {
    let mut settings = Settings::default();
    settings
        .set("FairShareDampeningFactor", dampening)
        .expect("a dampening factor");
    settings
}

/// A number of ours beside Slurm's.
struct Pair {
    place: String,
    ours: Option<f64>,
    theirs: Option<f64>,
    /// Whether our tree has the very usage that Slurm had.
    is_same_input: bool,
}

impl Pair {
    fn is_same(&self) -> bool {
        self.ours.map(f64::to_bits) == self.theirs.map(f64::to_bits)
    }

    /// How far the numbers are from each other, as a part of Slurm's.
    fn difference(&self) -> f64 {
        match (self.ours, self.theirs) {
            _ if self.is_same() => 0.0,
            (Some(ours), Some(theirs)) => (ours - theirs).abs() / theirs.abs(),
            _ => f64::INFINITY,
        }
    }
}

/// The numbers of a node: those of the columns, and the factor.
fn pairs(case: &Case, numbers: &Evaluation, row: &Row, is_same_input: bool) -> Vec<Pair> {
    let is_user = case.tree.kind(row.node) == Kind::User;
    let factor = if is_user { "factor" } else { "factor_sshare" };
    COLUMNS
        .into_iter()
        .chain([(ColumnId::Factor, factor)])
        .map(|(column, name)| Pair {
            place: format!("{} {} {name}", case.name, row.text("name").unwrap_or("?")),
            ours: numbers.number(column, row.node),
            theirs: row.number(name),
            is_same_input,
        })
        .filter(|pair| pair.ours.is_some() || pair.theirs.is_some())
        .collect()
}

/// Every number of the tables of an algorithm.
fn all_pairs(policy: Policy, algorithm: &str) -> Vec<Pair> {
    let mut all = Vec::new();
    for case in cases() {
        for table in case.tables(algorithm) {
            let dampening = table
                .trim_start_matches(algorithm)
                .trim_start_matches('-')
                .trim_end_matches(".tsv");
            let numbers = policy.evaluate(&case.tree, &settings(dampening));
            let rows = case.table(&table);
            assert_eq!(rows.len(), case.tree.node_count(), "{} {table}", case.name);
            let is_same_input = case.holds_usage_of(&table, &rows);
            let pairs = rows
                .iter()
                .flat_map(|row| pairs(&case, &numbers, row, is_same_input));
            all.extend(pairs);
        }
    }
    all
}

/// Asserts that no number is further from Slurm's than a part of it, and says how near they are.
fn assert_within(limit: f64, what: &str, pairs: &[Pair]) {
    let same = pairs.iter().filter(|pair| pair.is_same()).count();
    let mut largest = 0.0;
    for pair in pairs {
        let difference = pair.difference();
        let Pair {
            place,
            ours,
            theirs,
            ..
        } = pair;
        assert!(difference <= limit, "{place}: {ours:?} is not {theirs:?}");
        largest = f64::max(largest, difference);
    }
    println!(
        "{what}: {} numbers compared, {same} the same to the bit, \
         the largest relative difference is {largest:e}",
        pairs.len()
    );
}

#[test]
fn golden_classic_numbers_are_slurms_to_the_bit() {
    let (pairs, other): (Vec<_>, Vec<_>) = all_pairs(Policy::Classic, "classic")
        .into_iter()
        .partition(|pair| pair.is_same_input);
    let differ: Vec<_> = pairs
        .iter()
        .filter(|pair| !pair.is_same())
        .map(|pair| format!("{}: {:?} is not {:?}", pair.place, pair.ours, pair.theirs))
        .collect();
    println!(
        "classic: {} numbers compared, {} differ",
        pairs.len(),
        differ.len()
    );
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert_within(1e-14, "classic, usage rounded", &other);
}

#[test]
fn golden_depth_oblivious_numbers_are_slurms_to_nine_digits() {
    let pairs = all_pairs(Policy::DepthOblivious, "depth");
    assert_within(1e-9, "depth-oblivious", &pairs);
}
