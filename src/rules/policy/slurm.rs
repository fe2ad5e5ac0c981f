//! The common basis of Slurm's rules: which nodes compete with each other, for which part of the shares, with what
//! usage.
//!
//! Follows `src/common/assoc_mgr.c` (`_set_assoc_parent_and_user`, `_normalize_assoc_shares`) and
//! `priority_multifactor.c` of Slurm 14.11, whose arithmetic has not changed since.
//!
//! A node with shares `parent` takes no part in the split. Members of such an account compete with the children of the
//! nearest account above that is not `parent`: their *fair-share parent*.

mod usage;

use crate::base::cores;
use crate::base::extended::{Extended, Ratio};
use crate::model::{Kind, NodeId, TieOrder, Tree};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;
use usage::Usages;

/// The divisor of the root's shares if nothing is inherited: Slurm's `NO_VAL`, as if it were a sum.
const ROOT_LEVEL_SHARES: f64 = 4_294_967_294.0;

/// A tree as Slurm's rules see it, by position in the tree's order.
pub(crate) struct Associations<'a> {
    /// The parent; the root's is itself.
    pub(super) above: &'a [u32],
    /// The nearest account above that is not `parent`; the root's is itself.
    pub(crate) fair_share_parent: Cow<'a, [u32]>,
    /// Whether the node has shares `parent`; `None` if no node has.
    is_parent: Option<Vec<bool>>,
    /// Raw shares, cut to 32 bits; 0 for `parent`.
    pub(super) shares: Vec<u32>,
    /// The shares of all nodes that have the node as their fair-share parent: a sum of 32 bits, which wraps.
    totals: Vec<u32>,
    /// Decayed usage: users as recorded, accounts as recorded or the sum of the users and childless accounts below.
    pub(super) usage: Usages,
    pub(crate) is_user: Arc<Vec<bool>>,
}

impl<'a> Associations<'a> {
    /// Reads a tree.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "Slurm holds shares in 32 bits"
    )]
    pub(crate) fn new(tree: &'a Tree) -> Self {
        let above = tree.above();
        let count = tree.node_count();
        let mut has_parents = false;
        let mut shares = Vec::with_capacity(count);
        let mut is_user = Vec::with_capacity(count);
        let mut recorded = Vec::with_capacity(count);
        // Nodes are in memory in the order in which they were read, so everything about a node is read at once.
        for &node in tree.nodes() {
            let own_shares = tree.shares(node);
            has_parents |= own_shares.is_parent();
            shares.push(own_shares.count().unwrap_or(0) as u32);
            let usage = tree.usage(node).amount().unwrap_or(0.0);
            let own_user = tree.is_user(node);
            let counts = own_user || tree.counts_above(node);
            // This turns -0 to 0.
            recorded.push(if counts { usage + 0.0 } else { 0.0 });
            is_user.push(own_user);
        }
        let usage = Usages::new(tree, &is_user, recorded);
        let mut is_parent = None;
        let mut fair_share_parent = Cow::Borrowed(above);
        if has_parents {
            let marks = marked_parents(tree);
            fair_share_parent = Cow::Owned(fair_share_parents(above, &marks));
            is_parent = Some(marks);
        }
        let mut totals = vec![0_u32; count];
        for (&parent, &shares) in fair_share_parent.iter().zip(&shares).skip(1) {
            let total = &mut totals[parent as usize];
            *total = total.wrapping_add(shares);
        }
        Self {
            above,
            fair_share_parent,
            is_parent,
            shares,
            totals,
            usage,
            is_user: Arc::new(is_user),
        }
    }

    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.shares.len()
    }

    /// Returns whether a node has shares `parent`.
    pub(crate) const fn has_parents(&self) -> bool {
        self.is_parent.is_some()
    }

    /// Returns whether a node below the root has shares `parent`.
    pub(crate) fn is_parent(&self, position: usize) -> bool {
        match &self.is_parent {
            Some(is_parent) => is_parent[position],
            None => false,
        }
    }

    /// Returns the fair-share siblings below every account.
    pub(crate) fn families(&self) -> Families {
        let parents = &self.fair_share_parent;
        let mut starts = vec![0_u32; parents.len() + 1];
        for &parent in &parents[1..] {
            starts[parent as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        let mut members = vec![0_u32; parents.len() - 1];
        for (position, &parent) in (1_u32..).zip(&parents[1..]) {
            let place = &mut next[parent as usize];
            members[*place as usize] = position;
            *place += 1;
        }
        Families { starts, members }
    }

    /// Returns, by position, the steps below the root's children, without `parent` accounts; 0 for the root.
    pub(crate) fn levels(&self) -> Vec<u32> {
        let mut levels = Vec::with_capacity(self.len());
        for &parent in self.fair_share_parent.iter() {
            let level = match parent {
                0 => 0,
                parent => levels[parent as usize] + 1,
            };
            levels.push(level);
        }
        levels
    }

    /// Returns the position of the node's fair-share parent; the root's is its own.
    pub(crate) fn parent(&self, position: usize) -> usize {
        self.fair_share_parent[position] as usize
    }

    /// Returns the shares of the node and its fair-share siblings: a sum of 32 bits, which wraps. 0 for the root.
    pub(crate) fn level_shares(&self, position: usize) -> u32 {
        if position == 0 {
            return 0;
        }
        let parent = self.parent(position);
        self.totals[parent]
    }

    /// Returns every node's part of its level: shares / level's shares, and 0 if the level has none. A `parent` node shows
    /// its fair-share parent's part, and the root its shares as a part of Slurm's `NO_VAL`.
    pub(super) fn norm_shares(&self) -> Vec<f64> {
        let mut norm_shares = Vec::with_capacity(self.len());
        norm_shares.push(f64::from(self.shares[0]) / ROOT_LEVEL_SHARES);
        for position in 1..self.len() {
            let parent = self.parent(position);
            norm_shares.push(if self.is_parent(position) {
                norm_shares[parent]
            } else {
                self.portion(position)
            });
        }
        norm_shares
    }

    /// Returns shares / level's shares of a node that is not `parent`.
    pub(crate) fn portion(&self, position: usize) -> f64 {
        match self.level_shares(position) {
            0 => 0.0,
            total => f64::from(self.shares[position]) / f64::from(total),
        }
    }

    /// Returns the node's part of its fair-share parent's usage; 0 without usage.
    pub(super) fn level_usage(&self, position: usize) -> Extended {
        let parent = self.parent(position);
        let part = self.usage.at(position).over(self.usage.at(parent));
        part.unwrap_or(Extended::ZERO)
    }

    /// Returns the node's part of its fair-share parent's usage, of which doubles are wanted.
    pub(super) fn level_ratio(&self, position: usize) -> Ratio {
        let of_level = self.usage.at(self.parent(position));
        self.usage.at(position).ratio(of_level)
    }

    /// Returns the node's part of all usage, at most 1; 0 without usage.
    pub(super) fn norm_usage(&self, position: usize) -> Extended {
        let part = self.usage.at(position).over(self.usage.at(0));
        part.unwrap_or(Extended::ZERO).min(Extended::ONE)
    }
}

/// The fair-share siblings below every account, in tree order. Users and `parent` accounts have none.
pub(crate) struct Families {
    /// By position: where the node's siblings begin in `members`, with one entry more than there are nodes.
    starts: Vec<u32>,
    /// The positions of all siblings, account by account.
    members: Vec<u32>,
}

impl Families {
    /// Returns the positions of the nodes that have this account as their fair-share parent.
    pub(crate) fn members(&self, account: usize) -> &[u32] {
        let start = self.starts[account] as usize;
        let end = self.starts[account + 1] as usize;
        &self.members[start..end]
    }
}

/// Returns usage as Slurm holds it after loading, or as a clock left it, by node id; 0 for removed nodes.
pub(crate) fn usage_in_memory(tree: &Tree) -> Vec<Extended> {
    let mut by_id = vec![Extended::ZERO; tree.id_count()];
    let usage = Associations::new(tree).usage;
    for (position, node) in tree.positions() {
        by_id[node.index()] = usage.at(position);
    }
    by_id
}

/// Returns, by position, whether a node below the root has shares `parent`.
fn marked_parents(tree: &Tree) -> Vec<bool> {
    let mut is_parent = Vec::with_capacity(tree.node_count());
    for &node in tree.nodes() {
        is_parent.push(tree.shares(node).is_parent());
    }
    is_parent[0] = false;
    is_parent
}

/// Returns, by position, the nearest account above that is not `parent`.
fn fair_share_parents(above: &[u32], is_parent: &[bool]) -> Vec<u32> {
    let mut parents = Vec::with_capacity(above.len());
    for &above in above {
        parents.push(if is_parent[above as usize] {
            parents[above as usize]
        } else {
            above
        });
    }
    parents
}

/// Compares two children of one account by Slurm's list: users before accounts, and then as `TieOrder` says.
pub(crate) fn listed_before(tree: &Tree, tie_order: TieOrder, a: NodeId, b: NodeId) -> Ordering {
    let mut tie_order = tie_order;
    if let Some(listing) = tree.listing() {
        if let Some(order) = listing.order(tie_order, a, b) {
            return order;
        }
        tie_order = listing.tie_order(tie_order);
    }
    match tie_order {
        TieOrder::Name => names_before(tree, a, b),
        TieOrder::Lineage => lineage(tree, a).cmp(&lineage(tree, b)),
        TieOrder::Newest => b.cmp(&a),
    }
}

/// Compares two children of one account: users before accounts, and then by name and partition.
fn names_before(tree: &Tree, a: NodeId, b: NodeId) -> Ordering {
    let a_is_account = tree.is_account(a);
    let b_is_account = tree.is_account(b);
    let a_partition = tree.partition(a).unwrap_or_default();
    let b_partition = tree.partition(b).unwrap_or_default();
    a_is_account
        .cmp(&b_is_account)
        .then_with(|| tree.name(a).cmp(tree.name(b)))
        .then_with(|| a_partition.cmp(b_partition))
}

/// Returns the positions below the root as Slurm 14.11 lists them: depth first, users before accounts, by name.
///
/// The last bit of a sum of doubles depends on the order of its terms, and a ticket can depend on that bit.
pub(super) fn list_order(tree: &Tree) -> Vec<u32> {
    let order = tree.order();
    let count = u32::try_from(order.nodes().len()).expect("positions are 32 bits wide");
    if is_listed(tree) {
        return (1..count).collect();
    }
    let mut list_order = Vec::with_capacity(order.nodes().len());
    let mut pending: Vec<u32> = vec![0];
    while let Some(position) = pending.pop() {
        if position > 0 {
            list_order.push(position);
        }
        let first = pending.len();
        pending.extend(order.children(position));
        if first == pending.len() {
            continue;
        }
        cores::rest();
        // The first of them is pushed last, so that it is popped first.
        pending[first..].sort_by(|&a, &b| {
            let a = order.nodes()[a as usize];
            let b = order.nodes()[b as usize];
            listed_before(tree, TieOrder::Name, b, a)
        });
    }
    list_order
}

/// Returns whether the children of every account are in the order of Slurm's list.
fn is_listed(tree: &Tree) -> bool {
    let order = tree.order();
    // By position: the last child that was met.
    let mut last: Vec<Option<NodeId>> = vec![None; order.nodes().len()];
    for (&node, &above) in order.nodes().iter().zip(order.above()).skip(1) {
        if let Some(before) = last[above as usize].replace(node)
            && listed_before(tree, TieOrder::Name, before, node).is_gt()
        {
            return false;
        }
    }
    true
}

/// Returns the last part of Slurm's lineage: `name/` of an account, `0-name/` or `0-name-partition/` of a user.
fn lineage(tree: &Tree, node: NodeId) -> Vec<u8> {
    let name = tree.name(node);
    match tree.kind(node) {
        Kind::Account => [name, b"/"].concat(),
        Kind::User | Kind::Others => match tree.partition(node) {
            Some(partition) => [b"0-", name, b"-", partition, b"/"].concat(),
            None => [b"0-", name, b"/"].concat(),
        },
    }
}

/// Returns the nodes that compete on an account's level, in the order of the tree: its children, and in addition the
/// members of those with shares `parent`.
pub(super) fn fair_share_children(tree: &Tree, account: NodeId) -> Vec<NodeId> {
    let mut children = Vec::new();
    let mut pending: Vec<NodeId> = tree.children(account).collect();
    pending.reverse();
    while let Some(node) = pending.pop() {
        children.push(node);
        if tree.shares(node).is_parent() {
            let first = pending.len();
            pending.extend(tree.children(node));
            pending[first..].reverse();
        }
    }
    children
}

/// Returns the nearest account above a node that is not `parent`, or `None` for the root.
pub(super) fn fair_share_parent(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let mut parent = tree.parent(node)?;
    while parent != NodeId::ROOT && tree.shares(parent).is_parent() {
        parent = tree.parent(parent)?;
    }
    Some(parent)
}
