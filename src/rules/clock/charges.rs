//! Usage charged within a period: rates all the time, campaigns for a part of it.

use crate::model::{Campaign, NodeId, Pace, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// The rates and campaigns of all users with usage, to be asked for one period after another.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    /// The rates by node, which are campaigns that never end, then the campaigns.
    parts: Vec<Campaign>,
    /// How many of them are rates.
    rates: usize,
    /// The places of the campaigns, by their beginning.
    by_begin: Vec<usize>,
    /// The places of the campaigns, by their end.
    by_end: Vec<usize>,
    /// When campaigns begin and end, in order.
    changes: Vec<u64>,
}

/// The usage of one user within a period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    /// The user.
    pub(super) node: NodeId,
    /// Units of usage per second.
    pub(super) rate: f64,
    /// For how many seconds of the period.
    pub(super) seconds: u64,
    /// When it ends, in seconds since the snapshot: at the end of the period or earlier.
    pub(super) until: u64,
}

/// A period for which usage is charged, in seconds since the snapshot.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChargedPeriod {
    /// When it begins.
    pub(super) from: u64,
    /// When it ends.
    pub(super) until: u64,
    /// Campaigns that ended up to this moment are not charged any more.
    pub(super) over: u64,
}

/// Returns what a campaign uses between two moments, or `None` if that is nothing.
fn charge(part: &Campaign, from: u64, until: u64) -> Option<Charge> {
    let end = until.min(part.until);
    let seconds = end.saturating_sub(from.max(part.from));
    (seconds > 0).then_some(Charge {
        node: part.node,
        rate: part.rate,
        seconds,
        until: end,
    })
}

impl Charges {
    /// Returns the rates and campaigns of a pace.
    pub(super) fn new(pace: &Pace) -> Self {
        let mut parts = Vec::new();
        for (node, rate) in pace.rates() {
            parts.push(Campaign {
                node,
                rate,
                from: 0,
                until: u64::MAX,
            });
        }
        let rates = parts.len();
        let mut changes = Vec::new();
        for campaign in pace.campaigns() {
            changes.push(campaign.from);
            changes.push(campaign.until);
        }
        changes.sort_unstable();
        parts.extend_from_slice(pace.campaigns());
        let mut by_begin: Vec<usize> = (rates..parts.len()).collect();
        let mut by_end = by_begin.clone();
        by_begin.sort_by_key(|&place| parts[place].from);
        by_end.sort_by_key(|&place| parts[place].until);
        Self {
            parts,
            rates,
            by_begin,
            by_end,
            changes,
        }
    }

    /// Returns what everybody uses between two moments.
    pub(super) fn between(&self, from: u64, until: u64) -> impl Iterator<Item = Charge> {
        let parts = self.parts.iter();
        parts.filter_map(move |part| charge(part, from, until))
    }

    /// Returns what is charged since `from` for what ended after one moment, up to another.
    pub(super) fn ended(&self, from: u64, after: u64, until: u64) -> Vec<Charge> {
        let first = self.ended_up_to(after);
        let last = self.ended_up_to(until).max(first);
        let mut places = self.by_end[first..last].to_vec();
        places.sort_unstable();
        let mut charges = Vec::with_capacity(places.len());
        for place in places {
            charges.extend(charge(&self.parts[place], from, until));
        }
        charges
    }

    /// Returns how many campaigns end up to a moment.
    fn ended_up_to(&self, moment: u64) -> usize {
        let places = &self.by_end;
        places.partition_point(|&place| self.parts[place].until <= moment)
    }

    /// Returns the next moment after this one at which somebody starts or stops using something.
    pub(super) fn next_change(&self, after: u64) -> u64 {
        let next = self.changes.partition_point(|&moment| moment <= after);
        self.changes.get(next).copied().unwrap_or(u64::MAX)
    }

    /// Returns the rates.
    fn rates(&self) -> &[Campaign] {
        &self.parts[..self.rates]
    }

    /// Returns the place of a node's rate, or `None` if it has none.
    fn rate(&self, node: NodeId) -> Option<usize> {
        let found = self.rates().binary_search_by_key(&node, |part| part.node);
        found.ok()
    }
}

/// What is charged in one period after another, node by node. What goes on unchanged is not computed again.
#[derive(Clone, Debug, Default)]
pub(super) struct Running<T> {
    /// How many campaigns have begun.
    begun: usize,
    /// How many campaigns are over.
    over: usize,
    /// The nodes with campaigns.
    nodes: BTreeMap<NodeId, NodeCharges<T>>,
    /// The nodes whose charges are not those of the period before.
    changing: BTreeSet<NodeId>,
}

/// What is charged to a node with campaigns.
#[derive(Clone, Debug, Default)]
struct NodeCharges<T> {
    /// The places of the node's rate and of its campaigns.
    parts: Vec<usize>,
    /// The sums of the first of them, as many as stay the same in whole periods.
    sums: Vec<T>,
    /// What all of them are charged in this period.
    total: T,
}

impl<T: Sum> Running<T> {
    /// Returns what is charged to each node within a period, by the `amount` of each charge. Periods have one length, and
    /// are asked for in order.
    pub(super) fn within(
        &mut self,
        charges: &Charges,
        period: ChargedPeriod,
        amount: impl Fn(Charge) -> T,
    ) -> Vec<(NodeId, T)> {
        self.begin(charges, period);
        self.end(charges, period);
        for node in std::mem::take(&mut self.changing) {
            let Some(own) = self.nodes.get_mut(&node) else {
                continue;
            };
            if own.parts.is_empty() {
                self.nodes.remove(&node);
            } else if !own.add_up(charges, period, &amount) {
                self.changing.insert(node);
            }
        }
        let mut charged = Vec::with_capacity(charges.rates + self.nodes.len());
        for rate in charges.rates() {
            if self.nodes.contains_key(&rate.node) {
                continue;
            }
            if let Some(charge) = charge(rate, period.from, period.until) {
                charged.push((rate.node, amount(charge)));
            }
        }
        for (&node, own) in &self.nodes {
            charged.push((node, own.total));
        }
        charged
    }

    /// Adds the campaigns that begin before the end of a period.
    fn begin(&mut self, charges: &Charges, period: ChargedPeriod) {
        while let Some(&place) = charges.by_begin.get(self.begun) {
            let part = &charges.parts[place];
            if part.from >= period.until {
                break;
            }
            self.begun += 1;
            if part.until > period.over {
                let own = self.nodes.entry(part.node).or_insert_with(|| NodeCharges {
                    parts: charges.rate(part.node).into_iter().collect(),
                    ..NodeCharges::default()
                });
                let at = own.sum_anew_from(place);
                own.parts.insert(at, place);
                self.changing.insert(part.node);
            }
        }
    }

    /// Removes the campaigns that are over, and looks again at those that end within the period.
    fn end(&mut self, charges: &Charges, period: ChargedPeriod) {
        for &place in &charges.by_end[self.over..] {
            let part = &charges.parts[place];
            let is_over = part.until <= period.over;
            if !is_over && part.until >= period.until {
                break;
            }
            self.over += usize::from(is_over);
            let Some(own) = self.nodes.get_mut(&part.node) else {
                continue;
            };
            if own.parts.binary_search(&place).is_err() {
                continue;
            }
            let at = own.sum_anew_from(place);
            if is_over {
                own.parts.remove(at);
            }
            self.changing.insert(part.node);
        }
    }
}

impl<T: Sum> NodeCharges<T> {
    /// Drops the sums from the place of a part on, and returns where that part is, or belongs.
    fn sum_anew_from(&mut self, place: usize) -> usize {
        let at = self.parts.partition_point(|&part| part < place);
        self.sums.truncate(at);
        at
    }

    /// Adds up what is charged in a period. Returns whether the next period has the same charges, if nothing begins or ends.
    fn add_up(
        &mut self,
        charges: &Charges,
        period: ChargedPeriod,
        amount: &impl Fn(Charge) -> T,
    ) -> bool {
        self.total = self.sums.last().copied().unwrap_or_default();
        let mut is_whole = true;
        for &place in &self.parts[self.sums.len()..] {
            let part = &charges.parts[place];
            if let Some(charge) = charge(part, period.from, period.until) {
                self.total += amount(charge);
            }
            is_whole &= part.from <= period.from && part.until >= period.until;
            if is_whole {
                self.sums.push(self.total);
            }
        }
        is_whole
    }
}

/// One part in so many of the tree is few nodes, which are summed up without looking at the others.
const FEW: usize = 32;

/// A number that is added up from 0, its default.
pub(super) trait Sum: Copy + Default + PartialEq + AddAssign {}

impl<T: Copy + Default + PartialEq + AddAssign> Sum for T {}

/// What is charged to each node and to all nodes below it.
#[derive(Clone, Debug)]
pub(super) enum Sums<T> {
    /// By node id.
    OfAll(Vec<T>),
    /// Of a few nodes; all others are charged nothing.
    OfFew(Vec<(NodeId, T)>),
}

impl<T: Sum> Sums<T> {
    /// Sums up what is charged to users. Those that were removed are charged nothing.
    pub(super) fn new(tree: &Tree, charged: &[(NodeId, T)]) -> Self {
        match sums_of_few(tree, charged) {
            Some(sums) => Self::OfFew(sums),
            None => Self::OfAll(summed_up(tree, charged)),
        }
    }
}

/// Returns the sums that [`summed_up`] returns, of the nodes that are charged something. `None` if these are many.
///
/// The last position is summed up first, so every account adds up its children in the same order as there.
fn sums_of_few<T: Sum>(tree: &Tree, charged: &[(NodeId, T)]) -> Option<Vec<(NodeId, T)>> {
    let order = tree.order();
    let most = order.nodes().len() / FEW;
    if charged.len() > most {
        return None;
    }
    let mut open: BTreeMap<usize, T> = BTreeMap::new();
    for &(node, amount) in charged {
        if let Some(position) = order.position(node) {
            *open.entry(position).or_default() += amount;
        }
    }
    let mut sums = Vec::new();
    while let Some((position, amount)) = open.pop_last() {
        if sums.len() >= most {
            return None;
        }
        sums.push((order.nodes()[position], amount));
        if position > 0 {
            let above = order.above()[position] as usize;
            *open.entry(above).or_default() += amount;
        }
    }
    Some(sums)
}

/// Returns, by node id, what is charged to a node and all nodes below it. Removed users are charged nothing.
pub(super) fn summed_up<T: Sum>(tree: &Tree, charged: &[(NodeId, T)]) -> Vec<T> {
    let nothing = T::default();
    let mut by_id = vec![nothing; tree.id_count()];
    if charged.is_empty() {
        return by_id;
    }
    let order = tree.order();
    let mut by_position = vec![nothing; order.nodes().len()];
    for &(node, amount) in charged {
        if let Some(position) = order.position(node) {
            by_position[position] += amount;
        }
    }
    for position in (1..by_position.len()).rev() {
        let amount = by_position[position];
        if amount != nothing {
            by_position[order.above()[position] as usize] += amount;
        }
    }
    for (&node, amount) in order.nodes().iter().zip(by_position) {
        by_id[node.index()] = amount;
    }
    by_id
}
