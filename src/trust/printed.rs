//! Numbers of a dump shown as they were printed, and usage from which an edit goes on.
//!
//! A dump shows usage truncated to whole numbers or a few decimals, and ratios and ranks that were computed from all of
//! its digits. Without edits every number is shown as printed. An edit is evaluated, and under Fair Tree the users that
//! truncated usage cannot tell apart would change places without an edit of theirs. So there the missing digits are
//! estimated from the printed ratios, and within what these leave open, from the printed ranks.

mod estimate;

use crate::base::cores;
use crate::model::{EXACT, Fact, Figure, Kind, NodeId, ParentFactors, PrintedNumbers, Snapshot};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use std::collections::{BTreeMap, HashSet};

/// The printed columns that Slurm's policies compute.
const FACTS: [Fact; 5] = [
    Fact::FairShare,
    Fact::LevelFs,
    Fact::EffectvUsage,
    Fact::NormUsage,
    Fact::NormShares,
];

/// A printed number that the policy does not reproduce.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Contradiction {
    pub fact: Fact,
    pub node: NodeId,
    pub printed: f64,
    pub computed: f64,
}

/// The relative error allowed for a number with all its digits. JSON writers get the last digit wrong: 1/74 is
/// 0.013513513513513514, and Slurm 24.11 prints 0.013513513513513516.
const LAST_DIGITS: f64 = 8.0 * f64::EPSILON;

/// Returns whether Slurm prints numbers of a policy, which are then shown as printed.
pub const fn has_printed_numbers(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::FairTree | Policy::Classic | Policy::DepthOblivious
    )
}

/// Makes a policy show every printed number as printed until the first edit, and estimates the usage from which edits go
/// on, if not all of them are reproduced. Numbers in `impossible` do not follow from the shares and usage beside them.
///
/// Returns the impossible numbers, with the policy's own.
pub fn show_all_printed(
    snapshot: &mut Snapshot,
    policy: Policy,
    impossible: &[(Fact, NodeId)],
) -> Vec<Contradiction> {
    if policy == Policy::FairTree {
        estimate::complete_usage(snapshot);
    } else {
        choose_parent_factors(snapshot, policy);
    }
    let evaluation = policy.evaluate(&snapshot.tree, &snapshot.settings);
    let mut left = contradictions(snapshot, &evaluation);
    let impossible: HashSet<(Fact, NodeId)> = impossible.iter().copied().collect();
    let mut numbers: BTreeMap<Fact, Vec<(NodeId, f64)>> = BTreeMap::new();
    for left in &left {
        let own = numbers.entry(left.fact).or_default();
        own.push((left.node, left.printed));
    }
    left.retain(|left| impossible.contains(&(left.fact, left.node)));
    if !numbers.is_empty() {
        let (tree, rule, settings) = (&snapshot.tree, policy.name(), &snapshot.settings.slurm);
        let printed = PrintedNumbers::of(tree, rule, settings, numbers, impossible, false);
        snapshot.tree.set_printed(Some(printed));
    }
    left
}

/// Chooses the factor of nodes with shares `parent`: the variant that was printed for most of them.
fn choose_parent_factors(snapshot: &mut Snapshot, policy: Policy) {
    let tree = &snapshot.tree;
    let is_parent = |node: NodeId| node != NodeId::ROOT && tree.shares(node).is_parent();
    if !tree.nodes().iter().any(|&node| is_parent(node)) {
        return;
    }
    let misfits = |parent_factors| -> f64 {
        let mut settings = snapshot.settings.clone();
        settings.slurm.parent_factors = parent_factors;
        let evaluation = policy.evaluate(tree, &settings);
        // Compares by the size of the differences, because the last digits of usage are not known yet.
        let contradictions = contradictions(snapshot, &evaluation).into_iter();
        let own = contradictions.filter(|own| own.fact == Fact::FairShare && is_parent(own.node));
        own.map(|own| (own.printed - own.computed).abs()).sum()
    };
    let all = ParentFactors::ALL.map(|it| (misfits(it), it)).into_iter();
    let best = all.min_by(|(one, _), (other, _)| one.total_cmp(other));
    snapshot.settings.slurm.parent_factors = best.map(|(_, it)| it).unwrap_or_default();
}

/// Makes the policy show only printed numbers, for a snapshot that lists only some of the associations.
pub fn show_printed_only(snapshot: &mut Snapshot, policy: Policy) {
    let tree = &snapshot.tree;
    let printed = FACTS.into_iter().filter_map(|fact| {
        let figures = snapshot.recorded.figures(fact)?;
        // Fair Tree has no factor for accounts. Some outputs print 0 there.
        let is_for_users = fact == Fact::FairShare && policy == Policy::FairTree;
        let nodes = tree.nodes().iter().copied();
        let nodes = nodes.filter(|&node| !is_for_users || tree.kind(node) != Kind::Account);
        let own = nodes.filter_map(|node| Some((node, figures.get(node)?.value)));
        Some((fact, own.collect()))
    });
    let (numbers, rule, settings) = (printed.collect(), policy.name(), &snapshot.settings.slurm);
    let printed = PrintedNumbers::of(tree, rule, settings, numbers, HashSet::new(), true);
    snapshot.tree.set_printed(Some(printed));
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
            let text = |number: f64| format!("{number:.decimals$}");
            text(number) == text(figure.value)
        }
    }
}

/// Returns whether a policy reproduces every printed number.
pub(super) fn are_reproduced(snapshot: &Snapshot, evaluation: &Evaluation) -> bool {
    let mut columns = FACTS.into_iter();
    columns.all(|fact| of_column(snapshot, evaluation, fact).next().is_none())
}

fn contradictions(snapshot: &Snapshot, evaluation: &Evaluation) -> Vec<Contradiction> {
    let of_column = |&fact: &Fact| of_column(snapshot, evaluation, fact).collect::<Vec<_>>();
    cores::each(&FACTS, cores::count(), of_column).concat()
}

fn of_column(
    snapshot: &Snapshot,
    evaluation: &Evaluation,
    fact: Fact,
) -> impl Iterator<Item = Contradiction> {
    let (figures, column) = (snapshot.recorded.figures(fact), ColumnId::computing(fact));
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
