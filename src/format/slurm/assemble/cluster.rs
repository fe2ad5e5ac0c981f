//! The cluster whose associations form the tree.

use super::error::AssembleError;
use super::part::OutputPart;
use crate::base::number::word_for;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{LoadError, LoadResult, Request};
use crate::model::{NameId, Names};
use std::collections::BTreeMap;

/// How many clusters a message lists at most.
const MOST_LISTED: usize = 20;

/// Keeps the rows of one cluster, and returns its name; `None` if no output states one and none was requested. Fails if
/// the requested cluster is unknown, or if there are several and none was requested.
pub(super) fn choose_cluster(
    parts: &mut [OutputPart],
    names: &Names,
    request: &Request,
) -> LoadResult<Option<String>> {
    let mut clusters: BTreeMap<&[u8], NameId> = BTreeMap::new();
    for part in &*parts {
        for cluster in part.rows.clusters() {
            clusters.insert(names.bytes(cluster), cluster);
        }
    }
    let shown_names: Vec<Shown> = clusters.keys().map(|name| shown(name)).collect();
    let chosen = match request.cluster.as_deref().map(str::as_bytes) {
        Some(name) => {
            if !clusters.is_empty() && !clusters.contains_key(name) {
                let unknown = AssembleError::UnknownCluster {
                    cluster: shown(name),
                    files_hold: files_hold(parts),
                    list: list(&shown_names),
                };
                return Err(unknown.into());
            }
            Some(name)
        }
        None if clusters.len() > 1 => {
            let count = clusters.len();
            let files_hold = files_hold(parts);
            let list = list(&shown_names);
            return Err(LoadError::Clusters {
                text: sentence!("{files_hold} {count} clusters: {list}"),
                names: shown_names,
            });
        }
        None => clusters.keys().next().copied(),
    };
    let Some(chosen) = chosen else {
        return Ok(None);
    };
    let cluster = clusters.get(chosen).copied();
    for part in parts {
        part.cluster = cluster;
    }
    Ok(Some(String::from_utf8_lossy(chosen).into_owned()))
}

/// Returns the beginning of a sentence about what the files hold.
fn files_hold(parts: &[OutputPart]) -> Shown {
    let files = Shown::joined(parts.iter().map(|part| &part.rows.file), " and ");
    let hold = word_for(parts.len(), "holds", "hold");
    sentence!("{files} {hold}")
}

/// Returns the first names of a list, and how many more there are.
fn list(names: &[Shown]) -> Shown {
    if names.len() <= MOST_LISTED {
        return Shown::joined(names, ", ");
    }
    let first = Shown::joined(&names[..MOST_LISTED], ", ");
    let more = names.len() - MOST_LISTED;
    sentence!("{first}, … and {more} more")
}
