//! One of several outputs: its rows of the chosen cluster, under the names of the tree.

use crate::base::number::word_for;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::dump::unescaped;
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadError, Request};
use crate::model::{
    Fact, Figures, NameId, Names, NodeId, Shares, TreeBuilder, Usage, UsagePrecision,
};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The most clusters that are listed.
const MOST_LISTED: usize = 20;

/// An association by its names in the tree's own table. Equal ones are distinguished by how many came before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) account: usize,
    pub(super) user: Option<usize>,
    pub(super) partition: Option<usize>,
    pub(super) repetition: u32,
}

/// One of several associations of a user in an account.
pub(super) struct Association {
    node: NodeId,
    shares: Option<Shares>,
    /// The least and the most that the usage can be, if known.
    usage: Option<(f64, f64)>,
}

impl Association {
    /// Returns whether shares and usage allow both to be the same association.
    fn can_be(&self, other: &Self) -> bool {
        let shares = self.shares.zip(other.shares);
        let usage = self.usage.zip(other.usage);
        shares.is_none_or(|(own, other)| own == other)
            && usage.is_none_or(|(own, other)| own.0 <= other.1 && other.0 <= own.1)
    }
}

/// One output with its names translated.
pub(super) struct OutputPart {
    pub(super) rows: Rows,
    /// The tree's name of each name of the output.
    pub(super) names: Vec<NameId>,
    /// The rows of the chosen cluster.
    pub(super) chosen: Vec<u32>,
    /// The nodes of the chosen rows; `None` for rows that are not in the tree.
    pub(super) nodes: Vec<Option<NodeId>>,
}

impl OutputPart {
    pub(super) fn name(&self, name: NameId) -> NameId {
        self.names[name.index()]
    }

    pub(super) fn row(&self, place: usize) -> &Row {
        &self.rows.rows[self.chosen[place] as usize]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.chosen.iter().map(|&row| &self.rows.rows[row as usize])
    }

    /// Returns the keys of the chosen rows, in their order.
    pub(super) fn keys(&self) -> Vec<Key> {
        let mut seen: HashMap<Key, u32> = HashMap::new();
        let key = |row: &Row| Key {
            account: self.name(row.account).index(),
            user: row.user.map(|name| self.name(name).index()),
            partition: row.partition.map(|name| self.name(name).index()),
            repetition: 0,
        };
        self.rows()
            .map(|row| {
                let key = key(row);
                let count = seen.entry(key).or_insert(0);
                let repetition = *count;
                *count += 1;
                Key { repetition, ..key }
            })
            .collect()
    }

    /// Returns whether any row states a partition.
    pub(super) fn has_partitions(&self) -> bool {
        self.rows().any(|row| row.partition.is_some())
    }

    /// Returns the associations of users, by account and user: each with its node, its shares, and the least and the
    /// most that its usage can be.
    pub(super) fn associations(&self) -> HashMap<(usize, usize), Vec<Association>> {
        let mut all: HashMap<(usize, usize), Vec<Association>> = HashMap::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let row = self.row(place);
            if let (Some(node), Some(user)) = (*node, row.user) {
                let key = (self.name(row.account).index(), self.name(user).index());
                all.entry(key)
                    .or_default()
                    .push(self.association(place, node));
            }
        }
        all
    }

    fn association(&self, place: usize, node: NodeId) -> Association {
        let row = self.row(place);
        let usage = row.usage.amount();
        Association {
            node,
            shares: row.shares,
            usage: usage.map(|usage| self.rows.usage_precision.bounds(usage)),
        }
    }

    /// Returns the nodes of rows, by place, if only one of both outputs states partitions: of a user with one row in
    /// both, that one; of a user with several, those with the same shares and usage. Without partitions in the tree,
    /// no other may have them.
    pub(super) fn nodes_of_same_associations(
        &self,
        known: &HashMap<(usize, usize), Vec<Association>>,
    ) -> HashMap<usize, NodeId> {
        let mut found = HashMap::new();
        let is_strict = self.has_partitions();
        let mut own: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (place, row) in self.rows().enumerate() {
            if let Some(user) = row.user {
                let key = (self.name(row.account).index(), self.name(user).index());
                own.entry(key).or_default().push(place);
            }
        }
        for (key, places) in own {
            let Some(associations) = known.get(&key).filter(|known| known.len() == places.len())
            else {
                continue;
            };
            if let ([place], [only]) = (&places[..], &associations[..]) {
                found.insert(*place, only.node);
                continue;
            }
            let mut left: Vec<&Association> = associations.iter().collect();
            for place in places {
                let row = self.association(place, NodeId::ROOT);
                let fitting = associations.iter().filter(|other| row.can_be(other));
                let fitting = fitting.count();
                if is_strict && fitting > 1 {
                    continue;
                }
                if let Some(at) = left.iter().position(|other| row.can_be(other)) {
                    found.insert(place, left.remove(at).node);
                }
            }
        }
        found
    }

    /// Returns the name of a row in messages: `physics/alice`. The names are the tree's.
    pub(super) fn label(&self, row: &Row, names: &Names) -> String {
        let name = |name| shown(names.bytes(self.name(name)));
        let account = name(row.account);
        match row.user {
            Some(user) => format!("{account}/{}", name(user)),
            None => account.into(),
        }
    }

    /// Returns whether parents are given by name and not by indentation, which a name can imitate.
    pub(super) fn names_parents(&self) -> bool {
        self.rows.format != Format::Sshare && self.rows().any(|row| row.parent.is_some())
    }

    /// Returns whether it shows the places of associations in Slurm's list or their numbers.
    pub(super) fn knows_age(&self) -> bool {
        self.rows().any(|row| row.id > 0 || row.left > 0)
    }

    pub(super) fn has_usage(&self) -> bool {
        self.rows().any(|row| row.usage.amount().is_some())
    }

    /// Returns whether its usage is of a period, as summed by sreport: not decayed, and without accounts of its own.
    pub(super) fn is_of_period(&self) -> bool {
        self.rows.usage_unit.is_some()
    }

    /// Returns for how many nodes of the tree it has the usage.
    pub(super) fn known_usages(&self) -> usize {
        self.usages().count()
    }

    /// Returns how many nodes have usage here that contradicts the usage of another output.
    pub(super) fn differing_usages(&self, other: &Self) -> usize {
        let of_other: HashMap<NodeId, f64> = other.usages().collect();
        let differs = |&(node, own): &(NodeId, f64)| {
            let (low, high) = self.rows.usage_precision.bounds(own);
            of_other.get(&node).is_some_and(|&usage| {
                let (least, most) = other.rows.usage_precision.bounds(usage);
                // A large double is off by more than the digits that were cut.
                let slack = own.abs() * 1e-15;
                low > most + slack || high + slack < least
            })
        };
        self.usages().filter(differs).count()
    }

    /// Drops recorded numbers.
    pub(super) fn forget_figures(&mut self) {
        self.rows.figures.clear();
    }

    /// Drops usage and recorded numbers.
    pub(super) fn forget_numbers(&mut self) {
        for row in &mut self.rows.rows {
            row.usage = Usage::NONE;
        }
        self.rows.figures.clear();
    }

    /// Returns the node of every row of the output; `None` for rows of other clusters and rows that are not in the
    /// tree.
    pub(super) fn nodes_of_rows(&self) -> Vec<Option<NodeId>> {
        let mut nodes = vec![None; self.rows.rows.len()];
        for (place, &row) in self.chosen.iter().enumerate() {
            nodes[row as usize] = self.nodes[place];
        }
        nodes
    }

    /// Takes a column of recorded numbers out of the output, row by row. Returns `None` if it does not have the column.
    pub(super) fn take_figures(&mut self, fact: Fact) -> Option<Figures> {
        let columns = &mut self.rows.figures;
        let place = columns.iter().position(|(known, _)| *known == fact)?;
        Some(columns.swap_remove(place).1)
    }

    /// Returns the most decimals of a column, or `None` if the column is missing or empty.
    pub(super) fn decimals(&self, fact: Fact) -> Option<i8> {
        let mut columns = self.rows.figures.iter();
        let (_, figures) = columns.find(|(known, _)| *known == fact)?;
        let rows = 0..self.rows.rows.len();
        let decimals = rows.filter_map(|row| figures.at(row).map(|figure| figure.decimals));
        decimals.max()
    }

    /// Returns the nodes of the tree with their usage in this output.
    fn usages(&self) -> impl Iterator<Item = (NodeId, f64)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(place, node)| node.zip(self.row(place).usage.amount()))
    }
}

/// Returns the places of an output's rows, the oldest association first: as an output tells that shows their places in
/// Slurm's list, or else their numbers. In the order printed if none does.
pub(super) fn by_age(parts: &[OutputPart], of: usize) -> Vec<usize> {
    let own = &parts[of];
    let mut places: Vec<usize> = (0..own.chosen.len()).collect();
    let own_first = || std::iter::once(own).chain(parts);
    let with_left = own_first().find(|part| part.rows().any(|row| row.left > 0));
    let telling = with_left.or_else(|| own_first().find(|part| part.knows_age()));
    let age = |row: &Row| (Reverse(row.left), row.id);
    let Some(telling) = telling else {
        return places;
    };
    if std::ptr::eq(telling, own) {
        places.sort_by_key(|&place| age(own.row(place)));
        return places;
    }
    let ages = telling.rows().map(age);
    let known: HashMap<Key, _> = telling.keys().into_iter().zip(ages).collect();
    let keys = own.keys();
    places.sort_by_key(|&place| known.get(&keys[place]).copied());
    places
}

/// The names with a backslash, as a dump is read, and whether they are from one. Other outputs print two backslashes
/// where a dump is read with one.
#[derive(Default)]
struct Spellings(HashMap<Vec<u8>, (NameId, bool)>);

impl Spellings {
    /// Returns the tree's name of a name: that of a dump and of other outputs is one.
    fn find(&mut self, format: Format, name: &[u8], intern: impl FnOnce() -> NameId) -> NameId {
        if !name.contains(&b'\\') {
            return intern();
        }
        let is_dump = format == Format::SacctmgrDump;
        let read = if is_dump {
            name.to_vec()
        } else {
            unescaped(name)
        };
        match self.0.get(&read) {
            Some(&(known, was_dump)) if was_dump != is_dump => known,
            Some(_) => intern(),
            None => {
                let own = intern();
                self.0.insert(read, (own, is_dump));
                own
            }
        }
    }
}

/// Returns the outputs with their names translated, and a new tree with these names. The name table of the first output
/// is reused, so that a large one is not copied.
pub(super) fn parts(mut outputs: Vec<Rows>, root_name: &[u8]) -> (Vec<OutputPart>, TreeBuilder) {
    let first = outputs.first_mut();
    let known = first.map(|rows| std::mem::take(&mut rows.names));
    let known = known.unwrap_or_default();
    let mut of_first: Vec<NameId> = known.names().iter().map(|(name, _)| name).collect();
    let mut spellings = Spellings::default();
    if let Some(first) = outputs.first() {
        for (name, bytes) in known.names().iter() {
            spellings.find(first.format, bytes, || name);
        }
    }
    let mut builder = TreeBuilder::with_names(known, root_name);
    let parts = outputs.into_iter().map(|mut rows| {
        let names = std::mem::take(&mut rows.names);
        let mut translated = std::mem::take(&mut of_first);
        let names = names
            .names()
            .iter()
            .map(|(_, bytes)| spellings.find(rows.format, bytes, || builder.intern(bytes)));
        translated.extend(names);
        OutputPart {
            names: translated,
            chosen: Vec::new(),
            nodes: Vec::new(),
            rows,
        }
    });
    (parts.collect(), builder)
}

/// Keeps the rows of one cluster, and returns its name if any output states it.
pub(super) fn choose_cluster(
    parts: &mut [OutputPart],
    names: &Names,
    request: &Request,
) -> Result<Option<String>, LoadError> {
    let mut clusters: BTreeSet<Vec<u8>> = BTreeSet::new();
    for part in &*parts {
        let mut last = None;
        for row in &part.rows.rows {
            if row.cluster != last {
                last = row.cluster;
                clusters.extend(last.map(|cluster| names.bytes(part.name(cluster)).to_vec()));
            }
        }
    }
    let listed = || {
        let names = clusters.iter().map(|name| shown(name));
        let mut names: Vec<Shown> = names.take(MOST_LISTED).collect();
        if let more @ 1.. = clusters.len() - names.len() {
            names.push(sentence!("… and {more} more"));
        }
        names.join(", ")
    };
    let files = || {
        let files = parts.iter().map(|part| part.rows.file.as_str());
        let holds = word_for(parts.len(), "holds", "hold");
        format!("{} {holds}", files.collect::<Vec<_>>().join(" and "))
    };
    let wanted: Option<Vec<u8>> = match (&request.cluster, clusters.len()) {
        (Some(cluster), 1..) if !clusters.contains(cluster.as_bytes()) => {
            return Err(LoadError::Refused(sentence!(
                "unknown cluster '{}\'; {} {}",
                shown(cluster.as_bytes()),
                files(),
                listed()
            )));
        }
        (Some(cluster), _) => Some(cluster.clone().into_bytes()),
        (None, 0) => None,
        (None, 1) => clusters.first().cloned(),
        (None, count) => {
            return Err(LoadError::Refused(sentence!(
                "{} {count} clusters: {}; choose one with --cluster NAME",
                files(),
                listed()
            )));
        }
    };
    for part in parts {
        let is_wanted = |row: &Row| match (row.cluster, &wanted) {
            (Some(cluster), Some(wanted)) => names.bytes(part.name(cluster)) == wanted,
            _ => true,
        };
        let rows = (0_u32..).zip(&part.rows.rows);
        let chosen = rows.filter(|(_, row)| is_wanted(row));
        part.chosen = chosen.map(|(place, _)| place).collect();
        part.nodes = vec![None; part.chosen.len()];
    }
    Ok(wanted.map(|name| String::from_utf8_lossy(&name).into_owned()))
}

/// Returns how much of a number an output shows; larger is more.
pub(super) fn quality(rows: &Rows) -> u8 {
    match rows.usage_precision {
        UsagePrecision::Exact => u8::MAX,
        UsagePrecision::Whole => 1,
        UsagePrecision::Decimals(decimals) => decimals.clamp(2, u8::MAX - 1),
        UsagePrecision::Rounded(_) => 0,
    }
}
