//! Usage as the scheduler had it, from what it printed.
//!
//! A dump shows usage cut to whole numbers or to a few decimals, and ratios and ranks that were computed from all of its
//! digits. Here usages are chosen that are printed as the dump has them and from which the scheduler's own rules
//! compute the other columns as the dump has them, ranks and ties included. They are the base on which edits are
//! evaluated: before any edit nothing differs from what the scheduler printed, and an edit moves what it must.

mod agreement;
mod classic;
mod columns;
mod fair_tree;
mod family;
mod order;
mod range;
mod tie;

pub use agreement::Contradiction;

use crate::base::extended::Extended;
use crate::model::{
    Amounts, Fact, Kind, Listing, NodeId, ParentFactors, PrintedNumbers, Settings, Snapshot, Tree,
    UsageState,
};
use crate::rules::policy::Policy;
use agreement::{FACTS, agrees, contradictions};
use range::Range;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Usages that were found, and what else the printed ranks show.
struct Reconstruction {
    /// By position: the usage.
    usage: Vec<Extended>,
    /// The places of accounts in Slurm's list, where ties show them and the tree does not.
    listing: HashMap<NodeId, u32>,
}

/// Returns whether usages can be found from which a policy computes what was printed.
#[must_use]
pub const fn can_reconstruct(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::FairTree | Policy::Classic | Policy::DepthOblivious
    )
}

/// Finds usages from which a policy computes what was printed, and makes them the base of the snapshot's tree. Numbers
/// that are named as `impossible` are not followed.
///
/// Returns the printed numbers that no usage was found for; the policy shows these as they were printed.
pub fn reconstruct(
    snapshot: &mut Snapshot,
    policy: Policy,
    impossible: &[(Fact, NodeId)],
) -> Vec<Contradiction> {
    if agrees(
        snapshot,
        &policy.evaluate(&snapshot.tree, &snapshot.settings),
    ) {
        return Vec::new();
    }
    if matches!(policy, Policy::Classic | Policy::DepthOblivious) {
        choose_parent_factors(snapshot, policy);
    }
    let impossible: HashSet<(Fact, NodeId)> = impossible.iter().copied().collect();
    let mut left = {
        let evaluation = policy.evaluate(&snapshot.tree, &snapshot.settings);
        contradictions(snapshot, &evaluation)
    };
    let mut best = None;
    for least in 0..INWARD.len() {
        let Some(found) = find(snapshot, policy, &impossible, least) else {
            break;
        };
        let mut tried = snapshot.tree.clone();
        found.put_into(&mut tried, &snapshot.settings);
        let evaluation = policy.evaluate(&tried, &snapshot.settings);
        let now_left = contradictions(snapshot, &evaluation);
        if now_left.len() < left.len() {
            left = now_left;
            best = Some(tried);
        }
        if left.len() <= impossible.len() {
            break;
        }
    }
    if let Some(best) = best {
        snapshot.tree = best;
    }
    if !left.is_empty() {
        let numbers = left.iter();
        let numbers = numbers.map(|left| (left.fact, left.node, left.printed));
        show_as_printed(snapshot, policy, numbers.collect(), false);
    }
    left
}

/// Chooses which factor nodes with shares `parent` have: the one that was printed for most of them.
fn choose_parent_factors(snapshot: &mut Snapshot, policy: Policy) {
    let tree = &snapshot.tree;
    let is_parent = |node: NodeId| node != NodeId::ROOT && tree.shares(node).is_parent();
    if !tree.nodes().iter().any(|&node| is_parent(node)) {
        return;
    }
    let misfits = |&parent_factors: &ParentFactors| {
        let mut settings = snapshot.settings.clone();
        settings.slurm.parent_factors = parent_factors;
        let evaluation = policy.evaluate(tree, &settings);
        // By how much they are off, for usage is not known to the last digit yet.
        let contradictions = contradictions(snapshot, &evaluation).into_iter();
        let own = contradictions.filter(|own| own.fact == Fact::FairShare && is_parent(own.node));
        own.map(|own| (own.printed - own.computed).abs()).sum()
    };
    let by_misfits = |one: &ParentFactors, other: &ParentFactors| {
        let (one, other): (f64, f64) = (misfits(one), misfits(other));
        one.total_cmp(&other)
    };
    let best = ParentFactors::ALL.into_iter().min_by(by_misfits);
    snapshot.settings.slurm.parent_factors = best.unwrap_or_default();
}

impl Reconstruction {
    /// Makes the usages the base of a tree.
    fn put_into(self, tree: &mut Tree, settings: &Settings) {
        let mut by_id = vec![Extended::ZERO; tree.id_count()];
        for (&node, &usage) in tree.nodes().iter().zip(&self.usage) {
            by_id[node.index()] = usage;
        }
        let listing = (!self.listing.is_empty())
            .then(|| Listing::new(settings.slurm.tie_order, self.listing));
        tree.set_listing(listing);
        let usage_state = UsageState::of(tree, Amounts::Long(Arc::new(by_id)));
        tree.set_usage_state(Some(usage_state));
    }
}

/// How far inward of the printed bounds usages are looked for, as a part of half the width: first comfortably, then
/// wherever they can be.
const INWARD: [f64; 3] = [0.2, 0.01, 0.0];

/// Where the total usage is looked for within its range, after its printed number.
const TOTALS: [f64; 7] = [0.5, 0.25, 0.75, 0.05, 0.95, 0.0, 1.0];

/// Returns the totals to be tried, the most likely first.
fn totals(printed: Extended, range: Range) -> impl Iterator<Item = Extended> {
    let printed = std::iter::once(printed).filter(move |&printed| range.contains(printed));
    printed.chain(TOTALS.map(move |part| range.at(part)))
}

/// Makes the policy show nothing but what was printed, for a snapshot that lists only some of the associations.
pub fn show_printed_only(snapshot: &mut Snapshot, policy: Policy) {
    let mut numbers = Vec::new();
    for fact in FACTS {
        let Some(figures) = snapshot.recorded.figures(fact) else {
            continue;
        };
        for &node in snapshot.tree.nodes() {
            // Fair Tree has no factor for accounts; some outputs print 0 there.
            let is_account = snapshot.tree.kind(node) == Kind::Account;
            let has_number = !(is_account && fact == Fact::FairShare && policy == Policy::FairTree);
            if let Some(figure) = figures.get(node).filter(|_| has_number) {
                numbers.push((fact, node, figure.value));
            }
        }
    }
    show_as_printed(snapshot, policy, numbers, true);
}

fn show_as_printed(
    snapshot: &mut Snapshot,
    policy: Policy,
    numbers: Vec<(Fact, NodeId, f64)>,
    is_all: bool,
) {
    let settings = &snapshot.settings.slurm;
    let printed = PrintedNumbers::of(&snapshot.tree, policy.name(), settings, numbers, is_all);
    snapshot.tree.set_printed(Some(printed));
}

/// Finds usages; `None` for a policy of which it is not known how, or where none are left to be tried.
fn find(
    snapshot: &Snapshot,
    policy: Policy,
    impossible: &HashSet<(Fact, NodeId)>,
    least: usize,
) -> Option<Reconstruction> {
    match policy {
        Policy::FairTree => Some(
            fair_tree::GivenTree::of(snapshot, impossible)
                .solve(least)
                .0,
        ),
        Policy::Classic | Policy::DepthOblivious => {
            Some(classic::GivenTree::of(snapshot, policy, impossible).solve(INWARD[least]))
        }
        _ => None,
    }
}
