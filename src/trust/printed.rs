//! Numbers of a dump shown as they were printed, and usage from which an edit goes on.
//!
//! A dump shows usage truncated to whole numbers or a few decimals, and ratios and ranks that were computed from all of
//! its digits. Without edits every number is shown as printed. An edit is evaluated, and under Fair Tree the users that
//! truncated usage cannot tell apart would change places without an edit of theirs. So there the missing digits are
//! estimated from the printed ratios, and within what these leave open, from the printed ranks.

mod estimate;

use crate::base::cores;
use crate::model::{
    EXACT, Fact, Figure, NodeId, ParentFactors, PrintedColumns, PrintedNumber, PrintedNumbers,
    Settings, Snapshot, UsageEstimate,
};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use estimate::estimated_usage;
use std::borrow::Cow;
use std::collections::HashSet;

/// The printed columns that Slurm's policies compute.
const FACTS: &[Fact] = &[
    Fact::FairShare,
    Fact::LevelFs,
    Fact::EffectvUsage,
    Fact::NormUsage,
    Fact::NormShares,
];

/// The relative error allowed for a number with all its digits. JSON writers get the last digit wrong: 1/74 is
/// 0.013513513513513514, and Slurm 24.11 prints 0.013513513513513516.
const LAST_DIGITS: f64 = 8.0 * f64::EPSILON;

/// A printed number that the policy does not reproduce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// The column.
    pub fact: Fact,
    /// The node.
    pub node: NodeId,
    /// The number in the dump.
    pub printed: f64,
    /// The policy's own number.
    pub computed: f64,
}

/// The numbers of a dump that are shown as printed, and what follows from them.
#[derive(Debug)]
pub struct PrintedDump {
    /// The numbers that the policy does not reproduce, or `None` if it reproduces all of them.
    pub numbers: Option<PrintedNumbers>,
    /// The usage from which edits go on, or `None` if that is the usage of the tree.
    pub estimate: Option<UsageEstimate>,
    /// The classic factor of nodes with shares `parent` that was printed for most of them.
    pub parent_factors: ParentFactors,
    /// The numbers that no usage gives, beside the policy's own.
    pub contradictions: Vec<Contradiction>,
}

/// Returns whether Slurm prints numbers of a policy, which are then shown as printed.
pub const fn has_printed_numbers(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::FairTree | Policy::Classic | Policy::DepthOblivious
    )
}

/// Compares the printed numbers of a snapshot with a policy under these settings, and estimates the usage from which edits
/// go on. Numbers in `impossible` do not follow from the shares and usage beside them.
pub fn printed_dump(
    snapshot: &Snapshot,
    settings: &Settings,
    policy: Policy,
    impossible: &[(Fact, NodeId)],
) -> PrintedDump {
    let recalled = Recalled::of(snapshot, settings, policy);
    let all_impossible: HashSet<&(Fact, NodeId)> = impossible.iter().collect();
    let mut columns = PrintedColumns::new();
    let mut contradictions = Vec::new();
    for found in all_contradictions(snapshot, &recalled.evaluation) {
        let is_impossible = all_impossible.contains(&(found.fact, found.node));
        if is_impossible {
            contradictions.push(found);
        }
        columns.entry(found.fact).or_default().push(PrintedNumber {
            node: found.node,
            value: found.printed,
            is_impossible,
        });
    }
    let contradicts_nothing = columns.is_empty();
    let mut dump = recalled.dump(snapshot, policy, columns);
    dump.contradictions = contradictions;
    if contradicts_nothing {
        dump.numbers = None;
    }
    dump
}

/// What follows from the printed numbers for edits: the usage and settings from which they go on.
struct Recalled {
    estimate: Option<UsageEstimate>,
    settings: Settings,
    /// The policy's own numbers with both.
    evaluation: Evaluation,
}

impl Recalled {
    /// Estimates the usage under Fair Tree, and else the factor of nodes with shares `parent`.
    fn of(snapshot: &Snapshot, settings: &Settings, policy: Policy) -> Self {
        let mut own_settings = settings.clone();
        let mut tree = Cow::Borrowed(&snapshot.tree);
        let mut estimate = None;
        // Without a column no edit is computed.
        let is_computed = !snapshot.tree.lacks_column();
        if is_computed && policy == Policy::FairTree {
            let estimated = estimated_usage(snapshot, settings.slurm.tie_order);
            tree = Cow::Owned(estimated.applied_to(&snapshot.tree));
            estimate = Some(estimated);
        } else if is_computed {
            let parent_factors = printed_parent_factors(snapshot, settings, policy);
            own_settings.slurm.parent_factors = parent_factors;
        }
        let evaluation = policy.evaluate(&tree, &own_settings);
        Self {
            estimate,
            settings: own_settings,
            evaluation,
        }
    }

    /// Returns the dump of which these numbers are shown as printed.
    fn dump(self, snapshot: &Snapshot, policy: Policy, columns: PrintedColumns) -> PrintedDump {
        let slurm = &self.settings.slurm;
        let numbers = PrintedNumbers::new(&snapshot.tree, policy.name(), slurm, columns);
        PrintedDump {
            numbers: Some(numbers),
            parent_factors: slurm.parent_factors,
            estimate: self.estimate,
            contradictions: Vec::new(),
        }
    }
}

/// Returns the factor of nodes with shares `parent` that comes nearest to the printed ones; the present one without such
/// nodes.
fn printed_parent_factors(
    snapshot: &Snapshot,
    settings: &Settings,
    policy: Policy,
) -> ParentFactors {
    let tree = &snapshot.tree;
    let is_parent = |node: NodeId| node != NodeId::ROOT && tree.shares(node).is_parent();
    if !tree.nodes().iter().copied().any(is_parent) {
        return settings.slurm.parent_factors;
    }
    let mut tried = settings.clone();
    let mut best = ParentFactors::default();
    let mut least = f64::INFINITY;
    for parent_factors in ParentFactors::ALL {
        tried.slurm.parent_factors = parent_factors;
        let evaluation = policy.evaluate(tree, &tried);
        let mut misfit = 0.0;
        for found in all_contradictions(snapshot, &evaluation) {
            // The size of a difference counts, because the last digits of usage are not known yet.
            if found.fact == Fact::FairShare && is_parent(found.node) {
                misfit += (found.printed - found.computed).abs();
            }
        }
        if misfit < least {
            least = misfit;
            best = parent_factors;
        }
    }
    best
}

/// Returns the numbers of a snapshot that does not list or state everything, and what edits go on from. Numbers that the policy
/// computes are left out if they are printed so, but not the factors, which no part of a tree gives.
pub fn printed_part(snapshot: &Snapshot, settings: &Settings, policy: Policy) -> PrintedDump {
    let tree = &snapshot.tree;
    let recalled = Recalled::of(snapshot, settings, policy);
    let mut columns = PrintedColumns::new();
    for &fact in FACTS {
        let Some(figures) = snapshot.recorded.figures(fact) else {
            continue;
        };
        let Some(computing) = ColumnId::computing(fact) else {
            continue;
        };
        // Fair Tree has no factor for accounts. Some outputs print 0 there.
        let is_for_users = fact == Fact::FairShare && policy == Policy::FairTree;
        let column = columns.entry(fact).or_default();
        for &node in tree.nodes() {
            if is_for_users && tree.is_account(node) {
                continue;
            }
            let Some(figure) = figures.get(node) else {
                continue;
            };
            let is_reproduced = match recalled.evaluation.number(computing, node) {
                Some(number) => is_printed_so(number, figure),
                None => false,
            };
            if fact == Fact::FairShare || !is_reproduced {
                column.push(PrintedNumber {
                    node,
                    value: figure.value,
                    is_impossible: false,
                });
            }
        }
    }
    recalled.dump(snapshot, policy, columns)
}

/// Returns whether a policy reproduces every printed number.
pub(super) fn are_reproduced(snapshot: &Snapshot, evaluation: &Evaluation) -> bool {
    let mut facts = FACTS.iter();
    facts.all(|&fact| contradictions(snapshot, evaluation, fact).next().is_none())
}

/// Returns all printed numbers that a policy does not reproduce, column by column.
fn all_contradictions(snapshot: &Snapshot, evaluation: &Evaluation) -> Vec<Contradiction> {
    let columns = cores::each(FACTS, cores::count(), |&fact| {
        contradictions(snapshot, evaluation, fact).collect::<Vec<_>>()
    });
    columns.concat()
}

/// Returns the printed numbers of a column that a policy does not reproduce, in the order of the tree. Numbers that one
/// of the two does not have are left out, unless rounded usage is why.
fn contradictions(
    snapshot: &Snapshot,
    evaluation: &Evaluation,
    fact: Fact,
) -> impl Iterator<Item = Contradiction> {
    let figures = snapshot.recorded.figures(fact);
    let column = ColumnId::computing(fact);
    let is_rounded = snapshot.tree.rounded_usage().is_some();
    snapshot.tree.nodes().iter().filter_map(move |&node| {
        let figure = figures?.get(node)?;
        let computed = match evaluation.number(column?, node) {
            Some(number) => number,
            None if is_rounded => f64::NAN,
            None => return None,
        };
        if is_printed_so(computed, figure) {
            return None;
        }
        Some(Contradiction {
            fact,
            node,
            printed: figure.value,
            computed,
        })
    })
}

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
            let computed = format!("{number:.decimals$}");
            computed == format!("{:.decimals$}", figure.value)
        }
    }
}
