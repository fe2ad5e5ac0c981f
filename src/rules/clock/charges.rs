//! Usage charged within a period: rates all the time, campaigns for a part of it.

use crate::model::{Campaign, NodeId, Pace, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// The rates and campaigns of all users with usage, to be asked for one period after another.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    /// The rates by node, which are campaigns that never end, then the campaigns.
    parts: Vec<Campaign>,
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
    pub(super) node: NodeId,
    /// Units of usage per second.
    pub(super) rate: f64,
    /// For how many seconds of the period.
    pub(super) seconds: u64,
    /// When it ends, in seconds since the snapshot: at the end of the period or earlier.
    pub(super) until: u64,
}

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
    pub(super) fn of(pace: &Pace) -> Self {
        let rates = pace.rates().map(|(node, rate)| Campaign {
            node,
            rate,
            from: 0,
            until: u64::MAX,
        });
        let mut parts: Vec<Campaign> = rates.collect();
        let rates = parts.len();
        parts.extend_from_slice(pace.campaigns());
        let mut by_begin: Vec<usize> = (rates..parts.len()).collect();
        let mut by_end = by_begin.clone();
        by_begin.sort_by_key(|&place| parts[place].from);
        by_end.sort_by_key(|&place| parts[place].until);
        let campaigns = parts[rates..].iter();
        let mut changes: Vec<u64> = campaigns.flat_map(|it| [it.from, it.until]).collect();
        changes.sort_unstable();
        Self {
            parts,
            rates,
            by_begin,
            by_end,
            changes,
        }
    }

    pub(super) fn between(&self, from: u64, until: u64) -> impl Iterator<Item = Charge> {
        let parts = self.parts.iter();
        parts.filter_map(move |part| charge(part, from, until))
    }

    /// Returns what is charged since `from` for what ended after one moment, up to another.
    pub(super) fn ended(&self, from: u64, after: u64, until: u64) -> impl Iterator<Item = Charge> {
        let end = |moment: u64| {
            let places = &self.by_end;
            places.partition_point(|&place| self.parts[place].until <= moment)
        };
        let (first, last) = (end(after), end(until));
        let mut ended = self.by_end[first..last.max(first)].to_vec();
        ended.sort_unstable();
        let ended = ended.into_iter();
        ended.filter_map(move |place| charge(&self.parts[place], from, until))
    }

    /// Returns the next moment after this one at which somebody starts or stops using something.
    pub(super) fn next_change(&self, after: u64) -> u64 {
        let next = self.changes.partition_point(|&moment| moment <= after);
        self.changes.get(next).copied().unwrap_or(u64::MAX)
    }

    /// Returns the place of a node's rate.
    fn rate(&self, node: NodeId) -> Option<usize> {
        let rates = &self.parts[..self.rates];
        rates.binary_search_by_key(&node, |part| part.node).ok()
    }
}

/// What is charged in one period after another, node by node. What goes on unchanged is not computed again.
#[derive(Clone, Debug, Default)]
pub(super) struct Running<T> {
    /// How many campaigns have begun, and how many are over.
    begun: usize,
    over: usize,
    /// The nodes with campaigns.
    nodes: BTreeMap<NodeId, NodeCharges<T>>,
    /// The nodes whose charges are not those of the period before.
    changing: BTreeSet<NodeId>,
}

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
    /// Returns what is charged to each node within a period, by the `amount` of each charge. What ends up to `over` is not.
    /// Periods have one length, and are asked for in order.
    pub(super) fn within(
        &mut self,
        charges: &Charges,
        [from, until]: [u64; 2],
        over: u64,
        amount: impl Fn(Charge) -> T,
    ) -> Vec<(NodeId, T)> {
        self.begin(charges, until, over);
        self.end(charges, until, over);
        for node in std::mem::take(&mut self.changing) {
            let Some(own) = self.nodes.get_mut(&node) else {
                continue;
            };
            own.total = own.sums.last().copied().unwrap_or_default();
            let mut is_whole = true;
            for &place in &own.parts[own.sums.len()..] {
                let part = &charges.parts[place];
                if let Some(charge) = charge(part, from, until) {
                    own.total += amount(charge);
                }
                is_whole &= part.from <= from && part.until >= until;
                if is_whole {
                    own.sums.push(own.total);
                }
            }
            if own.parts.is_empty() {
                self.nodes.remove(&node);
            } else if !is_whole {
                self.changing.insert(node);
            }
        }
        let rates = charges.parts[..charges.rates].iter();
        let rates = rates.filter(|rate| !self.nodes.contains_key(&rate.node));
        let rates = rates.filter_map(|rate| Some((rate.node, amount(charge(rate, from, until)?))));
        let campaigns = self.nodes.iter().map(|(&node, own)| (node, own.total));
        rates.chain(campaigns).collect()
    }

    /// Adds the campaigns that begin before the end of a period.
    fn begin(&mut self, charges: &Charges, until: u64, over: u64) {
        while let Some(&place) = charges.by_begin.get(self.begun) {
            let part = &charges.parts[place];
            if part.from >= until {
                break;
            }
            self.begun += 1;
            if part.until > over {
                let own = self.nodes.entry(part.node).or_insert_with(|| NodeCharges {
                    parts: charges.rate(part.node).into_iter().collect(),
                    ..NodeCharges::default()
                });
                own.change(place, |parts, at| parts.insert(at, place));
                self.changing.insert(part.node);
            }
        }
    }

    /// Removes the campaigns that are over, and looks again at those that end within the period.
    fn end(&mut self, charges: &Charges, until: u64, over: u64) {
        for &place in &charges.by_end[self.over..] {
            let part = &charges.parts[place];
            let is_over = part.until <= over;
            if !is_over && part.until >= until {
                break;
            }
            self.over += usize::from(is_over);
            let own = self.nodes.get_mut(&part.node);
            if let Some(own) = own.filter(|own| own.parts.binary_search(&place).is_ok()) {
                own.change(place, |parts, at| {
                    if is_over {
                        parts.remove(at);
                    }
                });
                self.changing.insert(part.node);
            }
        }
    }
}

impl<T> NodeCharges<T> {
    /// Changes the parts where one is, or belongs; the sums up to there stay.
    fn change(&mut self, place: usize, change: impl FnOnce(&mut Vec<usize>, usize)) {
        let at = self.parts.partition_point(|&part| part < place);
        self.sums.truncate(at);
        change(&mut self.parts, at);
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
    pub(super) fn of(tree: &Tree, charged: &[(NodeId, T)]) -> Self {
        let all = || Self::OfAll(summed_up(tree, charged.iter().copied()));
        of_few(tree, charged).map_or_else(all, Self::OfFew)
    }
}

/// Returns the sums that [`summed_up`] returns, of the nodes that are charged something. `None` if these are many.
///
/// The last position is summed up first, so every account adds up its children in the same order as there.
fn of_few<T: Sum>(tree: &Tree, charged: &[(NodeId, T)]) -> Option<Vec<(NodeId, T)>> {
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
pub(super) fn summed_up<T: Sum>(tree: &Tree, charged: impl Iterator<Item = (NodeId, T)>) -> Vec<T> {
    let nothing = T::default();
    let mut charged = charged.peekable();
    if charged.peek().is_none() {
        return vec![nothing; tree.id_count()];
    }
    let order = tree.order();
    let mut by_position = vec![nothing; order.nodes().len()];
    for (node, amount) in charged {
        if let Some(position) = order.position(node) {
            by_position[position] += amount;
        }
    }
    for position in (1..by_position.len()).rev() {
        let (above, amount) = (order.above()[position] as usize, by_position[position]);
        if amount != nothing {
            by_position[above] += amount;
        }
    }
    let mut by_id = vec![nothing; tree.id_count()];
    for (&node, amount) in order.nodes().iter().zip(by_position) {
        by_id[node.index()] = amount;
    }
    by_id
}
