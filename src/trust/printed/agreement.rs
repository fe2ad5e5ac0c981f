//! Compares computed numbers with printed ones, digit by digit.

use crate::model::{EXACT, Fact, Figure, NodeId, Snapshot};
use crate::rules::policy::{ColumnId, Evaluation};

/// The printed columns that Slurm's policies compute.
pub(super) const FACTS: [Fact; 5] = [
    Fact::FairShare,
    Fact::LevelFs,
    Fact::EffectvUsage,
    Fact::NormUsage,
    Fact::NormShares,
];

/// A printed number that the policy does not reproduce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// The column.
    pub fact: Fact,
    /// The node.
    pub node: NodeId,
    /// The printed number.
    pub printed: f64,
    /// The policy's number.
    pub computed: f64,
}

/// The relative error allowed for a number with all its digits. JSON writers get the last digit wrong: 1/74 is
/// 0.013513513513513514, and Slurm 24.11 prints 0.013513513513513516.
const LAST_DIGITS: f64 = 8.0 * f64::EPSILON;

/// Returns whether a number is printed with these digits.
fn is_printed_so(number: f64, figure: Figure) -> bool {
    if number.to_bits() == figure.value.to_bits() {
        return true;
    }
    if !number.is_finite() || !figure.value.is_finite() {
        return false;
    }
    let off = (number - figure.value).abs();
    if figure.decimals == EXACT {
        return off <= figure.value.abs() * LAST_DIGITS;
    }
    let half = figure.half_unit();
    // Far from the midpoint of two texts the difference is sufficient.
    let bit = figure.value.next_up() - figure.value;
    if off + bit < half * 0.999 {
        return true;
    }
    if off > half * 1.001 {
        return false;
    }
    match usize::try_from(figure.decimals) {
        // A number halfway between two texts after the first of two roundings can become either.
        Ok(2) | Err(_) => off <= half,
        Ok(decimals) => {
            let text = |number: f64| format!("{number:.decimals$}");
            text(number) == text(figure.value)
        }
    }
}

/// Returns the printed numbers of a column that an evaluation does not reproduce.
fn of_column<'a>(
    snapshot: &'a Snapshot,
    evaluation: &'a Evaluation,
    fact: Fact,
) -> impl Iterator<Item = Contradiction> + 'a {
    let figures = snapshot.recorded.figures(fact);
    let column = ColumnId::computing(fact);
    let nodes = snapshot.tree.nodes().iter();
    nodes.filter_map(move |&node| {
        let computed = evaluation.number(column?, node)?;
        let figure = figures?.get(node)?;
        (!is_printed_so(computed, figure)).then_some(Contradiction {
            fact,
            node,
            printed: figure.value,
            computed,
        })
    })
}

/// Returns the printed numbers that an evaluation does not reproduce.
pub(super) fn contradictions(snapshot: &Snapshot, evaluation: &Evaluation) -> Vec<Contradiction> {
    let of_columns = FACTS
        .iter()
        .map(|&fact| of_column(snapshot, evaluation, fact));
    of_columns.flatten().collect()
}
