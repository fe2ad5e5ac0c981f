//! One of several outputs: its rows under the names of the tree, and their nodes.

use crate::base::cores;
use crate::base::shown::shown;
use crate::format::Format;
use crate::format::slurm::dump::unescaped;
use crate::format::slurm::rows::{Row, Rows};
use crate::model::{Fact, NameId, NameInterner, Names, NodeId, TreeBuilder, UsagePrecision};
use hashbrown::HashMap;
use std::cmp::Reverse;

/// What distinguishes an association from the others of its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The account; for a user its account.
    account: NameId,
    /// The user; `None` for the account itself.
    user: Option<NameId>,
    /// The partition; `None` for all.
    partition: Option<NameId>,
    /// How many rows with the same names come before.
    earlier: u32,
}

/// The age of an association; an older one is less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Age {
    /// Its place in Slurm's list, which grows from the newest to the oldest; 0 if unknown.
    left: Reverse<u32>,
    /// Its number; 0 if unknown.
    id: u32,
}

impl Age {
    /// Returns the age that a row tells.
    fn of_row(row: &Row) -> Self {
        Self {
            left: Reverse(row.left),
            id: row.id,
        }
    }
}

/// One output. Its rows have the names of the tree.
pub(super) struct OutputPart {
    /// What was read.
    pub(super) rows: Rows,
    /// The cluster whose rows count; `None` if all do.
    pub(super) cluster: Option<NameId>,
    /// The node of every row; `None` for rows of other clusters and rows that are not in the tree.
    pub(super) nodes: Vec<Option<NodeId>>,
}

impl OutputPart {
    /// Returns the rows of the chosen cluster with their places in the output.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &Row)> {
        let rows = cores::in_turn(self.rows.rows.iter().enumerate());
        rows.filter(|(_, row)| self.counts(row))
    }

    /// Returns whether a row is of the chosen cluster, as far as that is stated.
    fn counts(&self, row: &Row) -> bool {
        if self.cluster.is_none() || row.cluster.is_none() {
            return true;
        }
        row.cluster == self.cluster
    }

    /// Returns whether a row of the chosen cluster is such a one.
    fn has(&self, is_such: impl Fn(&Row) -> bool) -> bool {
        for (_, row) in self.rows() {
            if is_such(row) {
                return true;
            }
        }
        false
    }

    /// Returns the rows that have a node in the tree.
    pub(super) fn known_rows(&self) -> impl Iterator<Item = (NodeId, &Row)> {
        self.rows()
            .filter_map(|(place, row)| Some((self.nodes[place]?, row)))
    }

    /// Returns the usage of the nodes that have some here.
    pub(super) fn usages(&self) -> impl Iterator<Item = (NodeId, f64)> {
        self.known_rows()
            .filter_map(|(node, row)| Some((node, row.usage.amount()?)))
    }

    /// Returns the keys of the rows of the chosen cluster with their places in the output.
    pub(super) fn keys(&self) -> Vec<(usize, Key)> {
        let mut counts: HashMap<Key, u32> = HashMap::new();
        let mut keys = Vec::new();
        for (place, row) in self.rows() {
            let mut key = Key {
                account: row.account,
                user: row.user,
                partition: row.partition,
                earlier: 0,
            };
            let count = counts.entry(key).or_insert(0);
            key.earlier = *count;
            *count += 1;
            keys.push((place, key));
        }
        keys
    }

    /// Returns whether it shows the partitions of associations.
    pub(super) fn has_partitions(&self) -> bool {
        self.has(|row| row.partition.is_some())
    }

    /// Returns the places of the rows of each user in an account.
    fn places_of_users(&self) -> HashMap<(NameId, NameId), Vec<usize>> {
        let mut places: HashMap<_, Vec<usize>> = HashMap::new();
        for (place, row) in self.rows() {
            if let Some(user) = row.user {
                let key = (row.account, user);
                let known = places.entry(key).or_default();
                known.push(place);
            }
        }
        places
    }

    /// Returns the least and the most usage of a row; `None` if it states none.
    fn usage_bounds(&self, row: &Row) -> Option<(f64, f64)> {
        let amount = row.usage.amount()?;
        let precision = self.rows.usage_precision;
        Some(precision.bounds(amount))
    }

    /// Returns whether shares and usage allow a row to be the same association as one of another output.
    fn can_be(&self, place: usize, base: &Self, other: usize) -> bool {
        let own = &self.rows.rows[place];
        let other = &base.rows.rows[other];
        let have_shares = own.shares.is_some() && other.shares.is_some();
        if have_shares && own.shares != other.shares {
            return false;
        }
        let Some((low, high)) = self.usage_bounds(own) else {
            return true;
        };
        let Some((least, most)) = base.usage_bounds(other) else {
            return true;
        };
        low <= most && least <= high
    }

    /// Returns the nodes of rows, by place, if only this or the output of the tree states partitions: of a user with one
    /// row in both, that one; of a user with several, those with the same shares and usage. Without partitions in the
    /// tree, no other may have them.
    pub(super) fn nodes_of_same_associations(&self, base: &Self) -> HashMap<usize, NodeId> {
        let mut found = HashMap::new();
        let is_strict = self.has_partitions();
        let known = base.places_of_users();
        for (user, places) in self.places_of_users() {
            let Some(known) = known.get(&user) else {
                continue;
            };
            if known.len() != places.len() {
                continue;
            }
            let is_only = places.len() == 1;
            let mut left = known.clone();
            for place in places {
                let mut fitting = known.clone();
                fitting.retain(|&other| is_only || self.can_be(place, base, other));
                if is_strict && fitting.len() > 1 {
                    continue;
                }
                if let Some(at) = left.iter().position(|other| fitting.contains(other))
                    && let Some(node) = base.nodes[left.remove(at)]
                {
                    found.insert(place, node);
                }
            }
        }
        found
    }

    /// Returns whether parents are given by name and not by indentation, which a name can imitate.
    pub(super) fn names_parents(&self) -> bool {
        if self.rows.format == Format::Sshare {
            return false;
        }
        self.has(|row| row.parent.is_some())
    }

    /// Returns whether it shows the places of associations in Slurm's list.
    fn knows_places(&self) -> bool {
        self.has(|row| row.left > 0)
    }

    /// Returns whether it shows the places of associations in Slurm's list or their numbers.
    pub(super) fn knows_age(&self) -> bool {
        self.has(|row| row.id > 0 || row.left > 0)
    }

    /// Returns whether it states usage.
    pub(super) fn has_usage(&self) -> bool {
        self.has(|row| row.usage.amount().is_some())
    }

    /// Returns whether it states the usage that Slurm ranks by.
    pub(super) fn has_ranking_usage(&self) -> bool {
        self.has_usage() && !self.is_of_period()
    }

    /// Returns whether it is an output that never has usage.
    pub(super) fn is_without_usage(&self) -> bool {
        matches!(
            self.rows.format,
            Format::SacctmgrDump | Format::SacctmgrAssoc
        )
    }

    /// Returns whether its usage is of a period, as summed by sreport: not decayed, and without accounts of its own.
    pub(super) fn is_of_period(&self) -> bool {
        self.rows.usage_unit.is_some()
    }

    /// Returns how many nodes have usage here that contradicts the usage of another output.
    pub(super) fn differing_usages(&self, other: &Self) -> usize {
        let usage_of_other: HashMap<NodeId, f64> = other.usages().collect();
        let mut count = 0;
        for (node, own) in self.usages() {
            let Some(&usage) = usage_of_other.get(&node) else {
                continue;
            };
            let (low, high) = self.rows.usage_precision.bounds(own);
            let (least, most) = other.rows.usage_precision.bounds(usage);
            // A large double is off by more than the digits that were cut.
            let slack = own.abs() * 1e-15;
            if low > most + slack || high + slack < least {
                count += 1;
            }
        }
        count
    }

    /// Returns the most decimals of a column, or `None` if the column is missing or empty.
    pub(super) fn decimals(&self, fact: Fact) -> Option<i8> {
        let figures = self.rows.figures(fact)?;
        let mut most = None;
        for row in 0..self.rows.rows.len() {
            if let Some(figure) = figures.at(row) {
                most = most.max(Some(figure.decimals));
            }
        }
        most
    }

    /// Returns how much of usage it shows; larger is more.
    pub(super) fn quality(&self) -> u8 {
        match self.rows.usage_precision {
            UsagePrecision::Exact => u8::MAX,
            UsagePrecision::Whole => 1,
            UsagePrecision::Decimals(decimals) => decimals.clamp(2, u8::MAX - 1),
            UsagePrecision::Rounded(_) => 0,
        }
    }
}

/// Returns the name of a row in messages: `physics/alice`.
pub(super) fn label(row: &Row, names: &Names) -> String {
    let account = shown(names.bytes(row.account));
    let Some(user) = row.user else {
        return account.into();
    };
    let user = shown(names.bytes(user));
    format!("{account}/{user}")
}

/// Returns the places of an output's rows, the oldest association first: as an output tells that shows their places in
/// Slurm's list, or else their numbers. In the order printed if none does.
pub(super) fn by_age(parts: &[OutputPart], base: usize) -> Vec<usize> {
    let own = &parts[base];
    let mut places = Vec::new();
    for (place, _) in own.rows() {
        places.push(place);
    }
    let Some(telling) = output_with_ages(parts, base) else {
        return places;
    };
    let rows = &telling.rows.rows;
    if std::ptr::eq(telling, own) {
        places.sort_by_key(|&place| Age::of_row(&rows[place]));
        return places;
    }
    let mut known = HashMap::new();
    for (place, key) in telling.keys() {
        let age = Age::of_row(&rows[place]);
        known.insert(key, age);
    }
    let mut ages = vec![None; own.rows.rows.len()];
    for (place, key) in own.keys() {
        ages[place] = known.get(&key);
    }
    places.sort_by_key(|&place| ages[place]);
    places
}

/// Returns the output that tells best how old associations are: preferably one with their places in Slurm's list, and
/// the own output before others.
fn output_with_ages(parts: &[OutputPart], own: usize) -> Option<&OutputPart> {
    let mut with_numbers = None;
    for part in std::iter::once(&parts[own]).chain(parts) {
        if part.knows_places() {
            return Some(part);
        }
        if with_numbers.is_none() && part.knows_age() {
            with_numbers = Some(part);
        }
    }
    with_numbers
}

/// A name with a backslash, as a dump is read.
struct Spelling {
    /// The tree's name.
    name: NameId,
    /// Whether it is from a dump. Other outputs print two backslashes for one.
    is_of_dump: bool,
}

/// The names with a backslash.
#[derive(Default)]
struct Spellings(HashMap<Vec<u8>, Spelling>);

impl Spellings {
    /// Returns the tree's name of a name: that of a dump and of other outputs is one. `intern` makes a new one.
    fn find(&mut self, format: Format, name: &[u8], intern: impl FnOnce() -> NameId) -> NameId {
        if !name.contains(&b'\\') {
            return intern();
        }
        let is_of_dump = format == Format::SacctmgrDump;
        let read = if is_of_dump {
            name.to_vec()
        } else {
            unescaped(name)
        };
        if let Some(known) = self.0.get(&read) {
            if known.is_of_dump != is_of_dump {
                return known.name;
            }
            return intern();
        }
        let name = intern();
        self.0.insert(read, Spelling { name, is_of_dump });
        name
    }
}

/// Returns the outputs with their names translated, and a new tree with these names. The name table of the first output
/// is reused, so that a large one is not copied.
pub(super) fn parts(mut outputs: Vec<Rows>, root_name: &[u8]) -> (Vec<OutputPart>, TreeBuilder) {
    let mut known = NameInterner::default();
    let mut spellings = Spellings::default();
    if let Some(first) = outputs.first_mut() {
        known = std::mem::take(&mut first.names);
        for (name, bytes) in known.names().iter() {
            spellings.find(first.format, bytes, || name);
        }
    }
    let mut builder = TreeBuilder::with_names(known, root_name);
    for rows in outputs.iter_mut().skip(1) {
        let names = std::mem::take(&mut rows.names);
        let mut translated = Vec::new();
        for (_, bytes) in names.names().iter() {
            let name = spellings.find(rows.format, bytes, || builder.intern(bytes));
            translated.push(name);
        }
        for row in &mut rows.rows {
            row.account = translated[row.account.index()];
            let others = [
                &mut row.user,
                &mut row.partition,
                &mut row.parent,
                &mut row.cluster,
            ];
            for name in others.into_iter().flatten() {
                *name = translated[name.index()];
            }
        }
    }
    let mut parts = Vec::new();
    for rows in outputs {
        parts.push(OutputPart {
            nodes: vec![None; rows.rows.len()],
            cluster: None,
            rows,
        });
    }
    (parts, builder)
}
