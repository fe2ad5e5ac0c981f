//! One of several outputs: its rows under the names of the tree, and their nodes.

use crate::base::number::word_for;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::dump::unescaped;
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadError, LoadResult, Request};
use crate::model::{Fact, NameId, NameInterner, Names, NodeId, TreeBuilder, UsagePrecision};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const MOST_LISTED: usize = 20;

/// An association by its account, user and partition. Equal ones are distinguished by how many came before.
pub(super) type Key = (NameId, Option<NameId>, Option<NameId>, u32);

/// One output. Its rows have the names of the tree.
pub(super) struct OutputPart {
    pub(super) rows: Rows,
    cluster: Option<NameId>,
    /// The node of every row; `None` for rows of other clusters and rows that are not in the tree.
    pub(super) nodes: Vec<Option<NodeId>>,
}

impl OutputPart {
    /// Returns the rows of the chosen cluster with their places in the output.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &Row)> {
        let rows = self.rows.rows.iter().enumerate();
        rows.filter(|(_, row)| {
            self.cluster.is_none() || row.cluster.is_none() || row.cluster == self.cluster
        })
    }

    pub(super) fn known_rows(&self) -> impl Iterator<Item = (NodeId, &Row)> {
        self.rows()
            .filter_map(|(place, row)| Some((self.nodes[place]?, row)))
    }

    pub(super) fn usages(&self) -> impl Iterator<Item = (NodeId, f64)> {
        self.known_rows()
            .filter_map(|(node, row)| Some((node, row.usage.amount()?)))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = (usize, Key)> {
        let mut seen: HashMap<(NameId, Option<NameId>, Option<NameId>), u32> = HashMap::new();
        self.rows().map(move |(place, row)| {
            let count = seen.entry((row.account, row.user, row.partition));
            let count = count.or_insert(0);
            *count += 1;
            (place, (row.account, row.user, row.partition, *count - 1))
        })
    }

    pub(super) fn has_partitions(&self) -> bool {
        self.rows().any(|(_, row)| row.partition.is_some())
    }

    fn places_of_users(&self) -> HashMap<(NameId, NameId), Vec<usize>> {
        let mut places: HashMap<_, Vec<usize>> = HashMap::new();
        for (place, row) in self.rows() {
            if let Some(user) = row.user {
                places.entry((row.account, user)).or_default().push(place);
            }
        }
        places
    }

    /// Returns whether shares and usage allow a row to be the same association as one of another output.
    fn can_be(&self, place: usize, other: (&Self, usize)) -> bool {
        let usage =
            |part: &Self, row: &Row| Some(part.rows.usage_precision.bounds(row.usage.amount()?));
        let (own, same) = (&self.rows.rows[place], &other.0.rows.rows[other.1]);
        let shares = own.shares.zip(same.shares);
        let usage = usage(self, own).zip(usage(other.0, same));
        shares.is_none_or(|(own, other)| own == other)
            && usage.is_none_or(|(own, other)| own.0 <= other.1 && other.0 <= own.1)
    }

    /// Returns the nodes of rows, by place, if only this or the output of the tree states partitions: of a user with one
    /// row in both, that one; of a user with several, those with the same shares and usage. Without partitions in the
    /// tree, no other may have them.
    pub(super) fn nodes_of_same_associations(&self, base: &Self) -> HashMap<usize, NodeId> {
        let mut found = HashMap::new();
        let is_strict = self.has_partitions();
        let known = base.places_of_users();
        for (user, places) in self.places_of_users() {
            let known = known.get(&user);
            let Some(known) = known.filter(|known| known.len() == places.len()) else {
                continue;
            };
            let is_only = places.len() == 1;
            let mut left = known.clone();
            for place in places {
                let fits = |other: &usize| is_only || self.can_be(place, (base, *other));
                if is_strict && known.iter().filter(|other| fits(other)).count() > 1 {
                    continue;
                }
                if let Some(at) = left.iter().position(fits) {
                    let node = base.nodes[left.remove(at)];
                    found.extend(node.map(|node| (place, node)));
                }
            }
        }
        found
    }

    /// Returns whether parents are given by name and not by indentation, which a name can imitate.
    pub(super) fn names_parents(&self) -> bool {
        let mut rows = self.rows();
        self.rows.format != Format::Sshare && rows.any(|(_, row)| row.parent.is_some())
    }

    /// Returns whether it shows the places of associations in Slurm's list or their numbers.
    pub(super) fn knows_age(&self) -> bool {
        self.rows().any(|(_, row)| row.id > 0 || row.left > 0)
    }

    pub(super) fn has_usage(&self) -> bool {
        self.rows().any(|(_, row)| row.usage.amount().is_some())
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

    /// Returns the most decimals of a column, or `None` if the column is missing or empty.
    pub(super) fn decimals(&self, fact: Fact) -> Option<i8> {
        let figures = self.rows.figures(fact)?;
        let rows = 0..self.rows.rows.len();
        let decimals = rows.filter_map(|row| figures.at(row).map(|figure| figure.decimals));
        decimals.max()
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
    match row.user {
        Some(user) => format!("{account}/{}", shown(names.bytes(user))),
        None => account.into(),
    }
}

/// Returns the places of an output's rows, the oldest association first: as an output tells that shows their places in
/// Slurm's list, or else their numbers. In the order printed if none does.
pub(super) fn by_age(parts: &[OutputPart], of: usize) -> Vec<usize> {
    let own = &parts[of];
    let mut places: Vec<usize> = own.rows().map(|(place, _)| place).collect();
    let own_first = || std::iter::once(own).chain(parts);
    let with_left = own_first().find(|part| part.rows().any(|(_, row)| row.left > 0));
    let telling = with_left.or_else(|| own_first().find(|part| part.knows_age()));
    let age = |row: &Row| (Reverse(row.left), row.id);
    let Some(telling) = telling else {
        return places;
    };
    if std::ptr::eq(telling, own) {
        places.sort_by_key(|&place| age(&own.rows.rows[place]));
        return places;
    }
    let keys = telling.keys();
    let known = keys.map(|(place, key)| (key, age(&telling.rows.rows[place])));
    let known: HashMap<Key, _> = known.collect();
    let ages = own.keys().map(|(place, key)| (place, known.get(&key)));
    let ages: HashMap<usize, _> = ages.collect();
    places.sort_by_key(|place| ages[place]);
    places
}

/// The names with a backslash, as a dump is read, and whether they are from one. Other outputs print two for one.
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
            None => self.0.entry(read).or_insert((intern(), is_dump)).0,
        }
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
        let names = names.names().iter();
        let translated =
            names.map(|(_, bytes)| spellings.find(rows.format, bytes, || builder.intern(bytes)));
        let translated: Vec<NameId> = translated.collect();
        let new = |name: NameId| translated[name.index()];
        for row in &mut rows.rows {
            row.account = new(row.account);
            row.user = row.user.map(new);
            row.partition = row.partition.map(new);
            row.parent = row.parent.map(new);
            row.cluster = row.cluster.map(new);
        }
    }
    let parts = outputs.into_iter().map(|rows| OutputPart {
        nodes: vec![None; rows.rows.len()],
        cluster: None,
        rows,
    });
    (parts.collect(), builder)
}

/// Keeps the rows of one cluster, and returns its name if any output states it.
pub(super) fn choose_cluster(
    parts: &mut [OutputPart],
    names: &Names,
    request: &Request,
) -> LoadResult<Option<String>> {
    let clusters = parts.iter().flat_map(|part| part.rows.clusters());
    let clusters = clusters.map(|cluster| (names.bytes(cluster), cluster));
    let clusters: BTreeMap<&[u8], NameId> = clusters.collect();
    let listed = || {
        let names = clusters.keys().map(|name| shown(name));
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
    let asked = request.cluster.as_deref().map(str::as_bytes);
    let wanted = match (asked, clusters.len()) {
        (Some(cluster), 1..) if !clusters.contains_key(cluster) => {
            let (cluster, files, listed) = (shown(cluster), files(), listed());
            return Err(LoadError::Refused(sentence!(
                "unknown cluster '{cluster}\'; {files} {listed}"
            )));
        }
        (None, count @ 2..) => {
            let (files, listed) = (files(), listed());
            return Err(LoadError::Clusters {
                text: sentence!("{files} {count} clusters: {listed}"),
                names: clusters.keys().map(|name| shown(name)).collect(),
            });
        }
        (asked, _) => asked.or_else(|| clusters.keys().next().copied()),
    };
    let cluster = wanted.and_then(|name| clusters.get(name).copied());
    for part in parts {
        part.cluster = cluster;
    }
    Ok(wanted.map(|name| String::from_utf8_lossy(name).into_owned()))
}
