//! What is known of a tree beside its columns, and whether it still applies to the tree.

use crate::base::extended::Extended;
use crate::model::{Bins, NodeId, Order, Pace, Shares, TieOrder, Tree, Usage};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

impl Tree {
    /// Returns whether the nodes and their places are as at an earlier moment.
    pub(crate) fn has_order(&self, then: &Arc<Order>) -> bool {
        let now = &self.shape().order;
        Arc::ptr_eq(then, now) || (then.nodes() == now.nodes() && then.above() == now.above())
    }

    /// Returns whether all shares are as at an earlier moment.
    pub(crate) fn has_shares(&self, then: &Arc<Vec<Shares>>) -> bool {
        has_kept(then, &self.shares)
    }

    /// Returns whether all usage is as at an earlier moment.
    pub(crate) fn has_usages(&self, then: &Arc<Vec<Usage>>) -> bool {
        has_kept(then, &self.usage)
    }
}

/// Returns whether a column has the same values. Nodes that were added and removed again have later ids.
fn has_kept<T: PartialEq>(then: &Arc<Vec<T>>, now: &Arc<Vec<T>>) -> bool {
    Arc::ptr_eq(then, now) || now.get(..then.len()) == Some(then)
}

/// A scheduler's internal usage at a moment. It applies only while the tree is as it was at that moment.
#[derive(Clone, Debug)]
pub struct UsageState {
    /// The order of the tree at that moment.
    order: Arc<Order>,
    /// The usage of the tree at that moment.
    usage: Arc<Vec<Usage>>,
    amounts: Amounts,
    /// The usage bins of flux-accounting.
    bins: Option<Arc<Bins>>,
    /// The period at whose beginning the amounts were noted.
    period: Option<SteadyPeriod>,
}

/// The amounts in a scheduler's memory, by node id.
#[derive(Clone, Debug)]
pub enum Amounts {
    /// As the doubles of PBS, Flux and our own trees.
    Doubles(Vec<f64>),
    /// As the long doubles of Slurm.
    Long(Arc<Vec<Extended>>),
}

/// A period with the same half-life and pace, in which usage follows from its value at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyPeriod {
    /// When it began, in seconds since the snapshot.
    pub(crate) since: u64,
    /// The half-life in seconds; 0 never decays.
    pub(crate) half_life: u32,
    /// The usage rates and campaigns.
    pub(crate) pace: Arc<Pace>,
}

impl UsageState {
    /// Returns the usage state of a tree.
    pub fn of(tree: &Tree, amounts: Amounts) -> Self {
        Self {
            order: tree.shared_order(),
            usage: tree.shared_usage(),
            amounts,
            bins: None,
            period: None,
        }
    }

    /// Returns whether it belongs to this tree: its shape and usage are the same, or all changes were undone.
    pub(crate) fn is_of(&self, tree: &Tree) -> bool {
        tree.has_order(&self.order) && tree.has_usages(&self.usage)
    }

    /// Returns the amounts in a tree's order, adjusted by the change of its usage. `None` if they are doubles.
    pub(super) fn amounts_in(&self, tree: &Tree) -> Option<Vec<Extended>> {
        let amounts = self.long()?;
        if !self.is_of(tree) {
            return Some(carried(self, amounts, tree));
        }
        let mut ordered = Vec::with_capacity(tree.node_count());
        for node in tree.nodes() {
            let amount = amounts.get(node.index()).copied();
            ordered.push(amount.unwrap_or(Extended::ZERO));
        }
        Some(ordered)
    }

    /// Returns the same state with the usage bins of flux-accounting.
    pub fn with_bins(mut self, bins: Arc<Bins>) -> Self {
        self.bins = Some(bins);
        self
    }

    /// Returns the usage bins. They describe a node's usage only while that is the usage of this state.
    pub fn bins(&self) -> Option<&Bins> {
        self.bins.as_deref()
    }

    /// Returns the usage that the tree had for a node at the moment of this state.
    pub(crate) fn usage(&self, node: NodeId) -> Usage {
        self.usage.get(node.index()).copied().unwrap_or(Usage::NONE)
    }

    /// Returns the same state with the amounts taken as those at the beginning of a period.
    pub(crate) fn at_begin_of(mut self, period: SteadyPeriod) -> Self {
        self.period = Some(period);
        self
    }

    /// Returns the amount of a node, rounded to a double; 0 for nodes that were added later.
    pub(crate) fn amount(&self, node: NodeId) -> f64 {
        match &self.amounts {
            Amounts::Doubles(amounts) => amounts.get(node.index()).copied().unwrap_or(0.0),
            Amounts::Long(amounts) => amounts.get(node.index()).map_or(0.0, |long| long.to_f64()),
        }
    }

    /// Returns the amounts by node id, or `None` if they are doubles.
    pub(crate) fn long(&self) -> Option<&[Extended]> {
        match &self.amounts {
            Amounts::Doubles(_) => None,
            Amounts::Long(amounts) => Some(amounts),
        }
    }

    /// Returns the period at whose beginning the amounts were noted, or `None` if they are those of the moment.
    pub(crate) fn period(&self) -> Option<&SteadyPeriod> {
        self.period.as_ref()
    }
}

/// A scheduler's internal usage, carried over to a tree that was changed since, by position.
///
/// An edit changes the usage that is shown, which is a whole number in most dumps, and the usage in memory by the same
/// amount. The remainder behind the shown digits follows the node: an association that moves takes it along, and a
/// reset removes it from the accounts above.
struct UsageCarrier<'a> {
    usage_state: &'a UsageState,
    amounts: &'a [Extended],
    tree: &'a Tree,
    /// The usage; `None` if it follows from the members.
    usage: Vec<Option<Extended>>,
    /// Whether the usage differs from the scheduler's.
    is_changed: Vec<bool>,
}

/// Returns the amounts of a state in the order of a tree that was changed since.
fn carried(usage_state: &UsageState, amounts: &[Extended], tree: &Tree) -> Vec<Extended> {
    let count = tree.node_count();
    let mut carried = UsageCarrier {
        usage_state,
        amounts,
        tree,
        usage: vec![None; count],
        is_changed: vec![false; count],
    };
    for position in 0..count {
        carried.carry(position);
    }
    for position in 1..count {
        carried.take_along(position);
    }
    carried.summed_up()
}

/// The usage that a node had at the moment of a state.
#[derive(Clone, Copy)]
struct FormerUsage {
    /// The usage in the scheduler's memory.
    in_memory: Extended,
    /// The usage that was shown.
    shown: f64,
}

impl UsageCarrier<'_> {
    fn node(&self, position: usize) -> NodeId {
        self.tree.nodes()[position]
    }

    /// Returns the usage of a node at the moment of the state; `None` if it had none.
    fn former_usage(&self, node: NodeId) -> Option<FormerUsage> {
        Some(FormerUsage {
            in_memory: *self.amounts.get(node.index())?,
            shown: self.usage_state.usage(node).amount()?,
        })
    }

    /// Carries the usage of one node over to its present usage.
    fn carry(&mut self, position: usize) {
        let node = self.node(position);
        let former = self.former_usage(node);
        let Some(now) = self.tree.usage(node).amount() else {
            self.is_changed[position] = true;
            return;
        };
        self.is_changed[position] = true;
        self.usage[position] = Some(match former {
            Some(former) if now.to_bits() == former.shown.to_bits() => {
                self.is_changed[position] = false;
                former.in_memory
            }
            // A reset leaves nothing.
            _ if now == 0.0 => Extended::ZERO,
            Some(former) => {
                let shown = Extended::finite_or_zero(former.shown);
                let change = Extended::finite_or_zero(now).minus(shown);
                former.in_memory.plus(change).max(Extended::ZERO)
            }
            None => Extended::finite_or_zero(now),
        });
    }

    /// Moves the remainder behind the shown digits from a node's former ancestors to its present ones.
    fn take_along(&mut self, position: usize) {
        let node = self.node(position);
        let order = &self.usage_state.order;
        let (Some(former), Some(old)) = (self.former_usage(node), order.position(node)) else {
            return;
        };
        let old_parent = order.nodes()[order.above()[old] as usize];
        let has_moved = self.tree.parent(node) != Some(old_parent);
        let is_reset = self.usage[position].is_some_and(Extended::is_zero) && former.shown > 0.0;
        // A user that starts anew elsewhere leaves all of its usage behind.
        if has_moved == is_reset {
            return;
        }
        let shown = Extended::finite_or_zero(former.shown);
        let behind = former.in_memory.minus(shown);
        let tree = self.tree;
        for account in tree.upwards(old_parent) {
            self.add(account, behind, Extended::minus);
        }
        if has_moved {
            for account in tree.upwards(node).skip(1) {
                self.add(account, behind, Extended::plus);
            }
        }
    }

    /// Adds an amount to an account, or takes it away.
    fn add(&mut self, node: NodeId, amount: Extended, change: fn(Extended, Extended) -> Extended) {
        let Some(position) = self.tree.order().position(node) else {
            return;
        };
        // An account that shows 0 has no remainder either.
        if self.tree.usage(node).amount() == Some(0.0) {
            return;
        }
        if let Some(usage) = &mut self.usage[position] {
            *usage = change(*usage, amount).max(Extended::ZERO);
            self.is_changed[position] = true;
        }
    }

    /// Returns all usage. No account that changed has less than the sum of its members.
    fn summed_up(self) -> Vec<Extended> {
        let above = self.tree.above();
        let mut below = vec![Extended::ZERO; above.len()];
        let mut usage = below.clone();
        for position in (0..above.len()).rev() {
            usage[position] = match self.usage[position] {
                Some(own) if self.is_changed[position] => own.max(below[position]),
                Some(own) => own,
                None => below[position],
            };
            if position > 0 {
                let home = above[position] as usize;
                below[home] = below[home].plus(usage[position]);
            }
        }
        usage
    }
}

/// The order of accounts in Slurm's list of associations. Accounts that tie are visited in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Places among siblings that tie, which the printed ranks reveal. Slurm up to 23.02 lists the newest association
    /// first after slurmctld starts, and only some of its outputs show which that is.
    Revealed {
        /// The order of ties over which the places take precedence; they mean nothing under another.
        tie_order: TieOrder,
        /// By account.
        places: HashMap<NodeId, u32>,
        /// Whether they can only be the age of associations, because they contradict names and lineages.
        is_by_age: bool,
    },
    /// By name instead of age, as Slurm up to 23.02 sorts when an association is updated, until slurmctld restarts.
    Updated,
}

impl Listing {
    /// Returns whether accounts are listed by age until an association is updated, whatever order of ties is set.
    pub(crate) const fn is_by_age(&self) -> bool {
        matches!(
            self,
            Self::Revealed {
                is_by_age: true,
                ..
            }
        )
    }

    /// Returns the order of ties instead of the setting.
    pub(crate) fn tie_order(&self, setting: TieOrder) -> TieOrder {
        match (self, setting) {
            (Self::Updated, TieOrder::Newest) => TieOrder::Name,
            _ => setting,
        }
    }

    /// Returns whether the place of an account is known.
    pub(crate) fn has(&self, set: TieOrder, node: NodeId) -> bool {
        match self {
            Self::Revealed {
                tie_order, places, ..
            } => *tie_order == set && places.contains_key(&node),
            Self::Updated => false,
        }
    }

    /// Compares the places of two accounts. Returns `None` unless both are known.
    pub(crate) fn order(&self, setting: TieOrder, a: NodeId, b: NodeId) -> Option<Ordering> {
        match self {
            Self::Revealed {
                tie_order, places, ..
            } if *tie_order == setting => Some(places.get(&a)?.cmp(places.get(&b)?)),
            _ => None,
        }
    }
}
