//! One output among several: its rows of the cluster that was chosen, under the names of the tree.

use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadError, Request};
use crate::model::{NameId, Names, NodeId, TreeBuilder, UsagePrecision};
use crate::shown::shown;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// An association by its names in the tree's own table. Equal ones are told apart by how many came before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) account: usize,
    pub(super) user: Option<usize>,
    pub(super) partition: Option<usize>,
    pub(super) repetition: u32,
}

/// One output, its names translated.
pub(super) struct Part {
    pub(super) rows: Rows,
    /// The tree's name of each name of the output.
    pub(super) names: Vec<NameId>,
    /// The rows of the cluster that was chosen.
    pub(super) chosen: Vec<u32>,
    /// The nodes of the chosen rows; nothing for what is not in the tree.
    pub(super) nodes: Vec<Option<NodeId>>,
}

impl Part {
    pub(super) fn name(&self, name: NameId) -> NameId {
        self.names[name.index()]
    }

    pub(super) fn row(&self, place: usize) -> &Row {
        &self.rows.rows[self.chosen[place] as usize]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.chosen.iter().map(|&row| &self.rows.rows[row as usize])
    }

    /// The keys of the chosen rows, in their order.
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

    /// How a row is named in messages: `physics/alice`. The names are the tree's.
    pub(super) fn label(&self, row: &Row, names: &Names) -> String {
        let name = |name| shown(names.bytes(self.name(name)));
        let account = name(row.account);
        match row.user {
            Some(user) => format!("{account}/{}", name(user)),
            None => account,
        }
    }

    /// Whether parents are said by name and not by indentation, which a name can imitate.
    pub(super) fn names_parents(&self) -> bool {
        self.rows.format != Format::Sshare && self.rows().any(|row| row.parent.is_some())
    }

    pub(super) fn has_usage(&self) -> bool {
        self.rows().any(|row| row.usage.amount().is_some())
    }
}

/// The outputs with their names translated, and a tree to be, which has these names. It takes over the table of the
/// first output, so that a large one is not gone through again.
pub(super) fn parts(mut outputs: Vec<Rows>, root_name: &[u8]) -> (Vec<Part>, TreeBuilder) {
    let first = outputs.first_mut();
    let known = first.map(|rows| std::mem::take(&mut rows.names));
    let known = known.unwrap_or_default();
    let mut of_first: Vec<NameId> = known.names().iter().map(|(name, _)| name).collect();
    let mut builder = TreeBuilder::with_names(known, root_name);
    let parts = outputs.into_iter().map(|mut rows| {
        let names = std::mem::take(&mut rows.names);
        let mut translated = std::mem::take(&mut of_first);
        translated.extend(names.names().iter().map(|(_, bytes)| builder.intern(bytes)));
        Part {
            names: translated,
            chosen: Vec::new(),
            nodes: Vec::new(),
            rows,
        }
    });
    (parts.collect(), builder)
}

/// Keeps the rows of one cluster; gives its name, where any output tells.
pub(super) fn choose_cluster(
    parts: &mut [Part],
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
        names.collect::<Vec<_>>().join(", ")
    };
    let files = || {
        let files = parts.iter().map(|part| part.rows.file.as_str());
        let holds = if parts.len() == 1 { "holds" } else { "hold" };
        format!("{} {holds}", files.collect::<Vec<_>>().join(" and "))
    };
    let wanted: Option<Vec<u8>> = match (&request.cluster, clusters.len()) {
        (Some(cluster), 1..) if !clusters.contains(cluster.as_bytes()) => {
            return Err(LoadError::Refused(format!(
                "there is no cluster {}; {} {}",
                shown(cluster.as_bytes()),
                files(),
                listed()
            )));
        }
        (Some(cluster), _) => Some(cluster.clone().into_bytes()),
        (None, 0) => None,
        (None, 1) => clusters.first().cloned(),
        (None, count) => {
            return Err(LoadError::Refused(format!(
                "{} {count} clusters: {}; a tree is of one: choose it with --cluster NAME",
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

/// How much of a number an output shows; larger is more.
pub(super) fn quality(rows: &Rows) -> u8 {
    match rows.usage_precision {
        UsagePrecision::Exact => u8::MAX,
        UsagePrecision::Whole => 0,
        UsagePrecision::Decimals(decimals) => decimals.min(u8::MAX - 1),
    }
}

/// The output from which usage is taken: the one that cuts off least, of equals the first.
pub(super) fn choose_usage(parts: &[Part]) -> Option<usize> {
    let with_usage = parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.has_usage());
    let best = with_usage.rev().max_by_key(|(_, part)| quality(&part.rows));
    best.map(|(index, _)| index)
}

/// Which output gave what, where there are several.
pub(super) fn origins(parts: &[Part], base: usize, usage: Option<usize>) -> Vec<String> {
    if parts.len() < 2 {
        return Vec::new();
    }
    let named = |index: usize| {
        let rows = &parts[index].rows;
        format!("{} ({})", rows.file, rows.format.name())
    };
    let mut origins = vec![format!("associations and shares are from {}", named(base))];
    if let Some(usage) = usage {
        let digits = match parts[usage].rows.usage_precision {
            UsagePrecision::Exact => "in full".to_owned(),
            UsagePrecision::Whole => "cut to whole numbers".to_owned(),
            UsagePrecision::Decimals(decimals) => format!("with {decimals} decimals"),
        };
        origins.push(format!("usage is from {}, {digits}", named(usage)));
    }
    origins
}
