//! Reconstructs the scheduler's usage from what it printed.
//!
//! A dump shows usage truncated to whole numbers or a few decimals, and ratios and ranks that were computed from all of
//! its digits. Here usages are chosen that are printed as in the dump, and from which the scheduler's own rules compute
//! the other columns as in the dump, ranks and ties included. Edits are evaluated on them. So without edits nothing
//! differs from what the scheduler printed, and an edit changes only what it must.

mod agreement;
mod classic;
mod columns;
mod fair_tree;
mod family;
mod order;
mod parts;
mod range;
#[cfg(test)]
pub(in crate::source) mod sample;
mod tie;

pub use agreement::Contradiction;

use crate::base::extended::Extended;
use crate::model::{
    Amounts, Fact, Kind, Listing, NodeId, ParentFactors, PrintedNumbers, Settings, Snapshot, Tree,
    UsageState,
};
use crate::rules::policy::Policy;
use agreement::{FACTS, contradictions};
use range::Range;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Reconstructed usages, and what else the printed ranks reveal.
struct Reconstruction {
    /// By position: the usage.
    usage: Vec<Extended>,
    /// The places of accounts in Slurm's list, if ties reveal them and the tree does not.
    listing: HashMap<NodeId, u32>,
}

/// Returns whether usages can be reconstructed for a policy.
#[must_use]
pub const fn can_reconstruct(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::FairTree | Policy::Classic | Policy::DepthOblivious
    )
}

/// Reconstructs usages from which a policy computes the printed numbers, and puts them into the snapshot's tree.
/// Numbers in `impossible` are ignored.
///
/// Returns the printed numbers for which no usage was found. The policy shows these as printed.
pub fn reconstruct(
    snapshot: &mut Snapshot,
    policy: Policy,
    impossible: &[(Fact, NodeId)],
) -> Vec<Contradiction> {
    let left_of = |snapshot: &Snapshot| {
        let evaluation = policy.evaluate(&snapshot.tree, &snapshot.settings);
        contradictions(snapshot, &evaluation)
    };
    let mut left = left_of(snapshot);
    if left.is_empty() {
        return left;
    }
    if matches!(policy, Policy::Classic | Policy::DepthOblivious) {
        choose_parent_factors(snapshot, policy);
        left = left_of(snapshot);
    }
    let impossible: HashSet<(Fact, NodeId)> = impossible.iter().copied().collect();
    let mut best = None;
    let given_tree = GivenTree::of(snapshot, policy, &impossible);
    for least in 0..INWARD.len() {
        let Some(found) = given_tree
            .as_ref()
            .map(|given_tree| given_tree.solve(least))
        else {
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
        let mut numbers: BTreeMap<Fact, Vec<(NodeId, f64)>> = BTreeMap::new();
        for left in &left {
            let own = numbers.entry(left.fact).or_default();
            own.push((left.node, left.printed));
        }
        show_as_printed(snapshot, policy, numbers, false);
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
    let misfits = |&parent_factors: &ParentFactors| {
        let mut settings = snapshot.settings.clone();
        settings.slurm.parent_factors = parent_factors;
        let evaluation = policy.evaluate(tree, &settings);
        // Compares by the size of the differences, because the last digits of usage are not known yet.
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
    /// Puts the usages into a tree.
    fn put_into(self, tree: &mut Tree, settings: &Settings) {
        let mut by_id = vec![Extended::ZERO; tree.id_count()];
        for (&node, &usage) in tree.nodes().iter().zip(&self.usage) {
            by_id[node.index()] = usage;
        }
        let listing = (!self.listing.is_empty()).then_some(Listing::Revealed {
            tie_order: settings.slurm.tie_order,
            places: self.listing,
        });
        tree.set_listing(listing);
        let usage_state = UsageState::of(tree, Amounts::Long(Arc::new(by_id)));
        tree.set_usage_state(Some(usage_state));
    }
}

/// How far inside the printed bounds usages are searched, as a part of half the width: first comfortably, then
/// anywhere.
const INWARD: [f64; 3] = [0.2, 0.01, 0.0];

/// Where the total usage is tried within its range, after its printed number.
const TOTALS: [f64; 7] = [0.5, 0.25, 0.75, 0.05, 0.95, 0.0, 1.0];

/// Returns the totals to try, the most likely first.
fn totals(printed: Extended, range: Range) -> impl Iterator<Item = Extended> {
    let printed = std::iter::once(printed).filter(move |&printed| range.contains(printed));
    printed.chain(TOTALS.map(move |part| range.at(part)))
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
    let numbers = printed.collect();
    show_as_printed(snapshot, policy, numbers, true);
}

fn show_as_printed(
    snapshot: &mut Snapshot,
    policy: Policy,
    numbers: BTreeMap<Fact, Vec<(NodeId, f64)>>,
    is_all: bool,
) {
    let settings = &snapshot.settings.slurm;
    let printed = PrintedNumbers::of(&snapshot.tree, policy.name(), settings, numbers, is_all);
    snapshot.tree.set_printed(Some(printed));
}

/// The data of a tree for the search, under one of the policies for which usages can be reconstructed.
enum GivenTree<'a> {
    FairTree(fair_tree::GivenTree<'a>),
    Classic(classic::GivenTree<'a>),
}

impl<'a> GivenTree<'a> {
    /// Returns the data of a tree, or `None` for other policies.
    fn of(
        snapshot: &'a Snapshot,
        policy: Policy,
        impossible: &'a HashSet<(Fact, NodeId)>,
    ) -> Option<Self> {
        match policy {
            Policy::FairTree => Some(Self::FairTree(fair_tree::GivenTree::of(
                snapshot, impossible,
            ))),
            Policy::Classic | Policy::DepthOblivious => Some(Self::Classic(
                classic::GivenTree::of(snapshot, policy, impossible),
            )),
            _ => None,
        }
    }

    /// Finds usages, with bounds moved inward by at most the part at the place `least` of the table.
    fn solve(&self, least: usize) -> Reconstruction {
        match self {
            Self::FairTree(given_tree) => given_tree.solve(least).0,
            Self::Classic(given_tree) => given_tree.solve(INWARD[least]),
        }
    }
}
