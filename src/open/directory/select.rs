//! Selects the outputs of a directory that belong together: those of one cluster, one moment and one tree.

use super::{FoundContents, SlurmOutput, UnusedFile, file_name};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::problem::{Place, Problems, problems};
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadError, LoadResult, Request};
use std::cmp::Reverse;
use std::collections::BTreeSet;

problems! {
    /// Why outputs of a directory are not shown.
    enum SelectionProblem {
        Clusters { several: String, shown: Shown }, Warning "directory-clusters",
            "it contains {several}; {shown} is shown, because its output is the newest",
            "choose another with --cluster NAME";
        Moments { left_out: Shown }, Warning "directory-moments",
            "it contains outputs of different times, by the times of the files; the newest with usage and those within 6 hours of it are shown, {left_out} left out",
            "open the others one by one, or all with: fairscope timeline FILE...";
    }
}

/// How far apart outputs of one moment can be, in seconds, because they are taken one after another.
const MOMENT: i64 = 6 * 3600;

/// The formats of Slurm, the one with the most information first.
const ORDER: &[Format] = &[
    Format::SlurmJson,
    Format::Sshare,
    Format::AssocMgr,
    Format::SacctmgrAssoc,
    Format::SacctmgrDump,
    Format::Sreport,
];

/// Returns the clusters of an output; none if it does not name them.
fn clusters(rows: &Rows) -> BTreeSet<String> {
    let names = rows.names.names();
    let mut clusters = BTreeSet::new();
    for cluster in rows.clusters() {
        clusters.insert(String::from_utf8_lossy(names.bytes(cluster)).into_owned());
    }
    clusters
}

/// Returns the names of clusters as safe text.
fn shown_names(clusters: &BTreeSet<String>) -> Vec<Shown> {
    let names = clusters.iter().map(|name| shown(name.as_bytes()));
    names.collect()
}

/// Keeps the outputs of one cluster: the requested one, or else that of the newest output. Returns its name; `None` if
/// there are not several.
pub(super) fn keep_one_cluster(
    contents: &mut FoundContents,
    request: &Request,
    problems: &mut Problems,
) -> LoadResult<Option<String>> {
    let mut all = BTreeSet::new();
    for part in &contents.parts {
        all.extend(clusters(&part.rows));
    }
    if all.len() < 2 {
        return Ok(None);
    }
    let names = shown_names(&all);
    let several = format!("outputs of {} clusters: {}", all.len(), names.join(", "));
    let chosen = if let Some(cluster) = &request.cluster {
        cluster.clone()
    } else if let Some(newest) = of_newest(&contents.parts) {
        let shown = shown(newest.as_bytes());
        let problem = SelectionProblem::Clusters { several, shown };
        problems.report(Place::WHOLE, problem);
        newest
    } else {
        return Err(LoadError::Clusters {
            text: sentence!("{} contains {several}", problems.file),
            names,
        });
    };
    contents.leave_out(|part| {
        let clusters = clusters(&part.rows);
        if clusters.is_empty() || clusters.contains(&chosen) {
            return None;
        }
        let names = shown_names(&clusters).join(", ");
        Some(sentence!("of the cluster {names}"))
    });
    for file in std::mem::take(&mut contents.configs) {
        let cluster = &file.config.cluster;
        if cluster.is_empty() || *cluster == chosen {
            contents.configs.push(file);
        } else {
            contents.left_out.push(UnusedFile {
                reason: sentence!("of the cluster {}", shown(cluster.as_bytes())),
                path: file.path,
            });
        }
    }
    Ok(Some(chosen))
}

/// Returns the cluster of the newest output. `None` if several clusters' are equally new, or no times are known.
fn of_newest(parts: &[SlurmOutput]) -> Option<String> {
    let mut newest: Option<i64> = None;
    let mut of_newest = BTreeSet::new();
    for part in parts {
        let mut clusters = clusters(&part.rows);
        let Some(taken) = part.rows.taken else {
            continue;
        };
        if clusters.len() != 1 || newest.is_some_and(|newest| newest > taken) {
            continue;
        }
        if newest != Some(taken) {
            of_newest.clear();
            newest = Some(taken);
        }
        of_newest.append(&mut clusters);
    }
    if of_newest.len() == 1 {
        of_newest.pop_first()
    } else {
        None
    }
}

/// Returns whether an output has usage in Slurm's unit.
fn has_usage(part: &SlurmOutput) -> bool {
    let has = |row: &Row| row.usage.amount().is_some();
    part.rows.format != Format::Sreport && part.rows.rows.iter().any(has)
}

/// Returns the time of the newest output with usage, or if there is none, of the newest output. `None` if no times are
/// known.
fn newest(parts: &[SlurmOutput]) -> Option<i64> {
    let mut newest = None;
    let mut with_usage = None;
    for part in parts {
        newest = newest.max(part.rows.taken);
        if has_usage(part) {
            with_usage = with_usage.max(part.rows.taken);
        }
    }
    with_usage.or(newest)
}

/// Keeps the outputs of the newest moment at which usage was printed.
pub(super) fn keep_one_moment(contents: &mut FoundContents, problems: &mut Problems) {
    let Some(newest) = newest(&contents.parts) else {
        return;
    };
    let before = contents.left_out.len();
    contents.leave_out(|part| {
        let taken = part.rows.taken.unwrap_or(newest);
        let apart = newest - taken;
        if apart.abs() <= MOMENT {
            return None;
        }
        let age = age(apart.abs());
        let which = if apart > 0 { "older" } else { "newer" };
        Some(sentence!("{age} {which} than the newest output with usage"))
    });
    let left_out = contents.left_out.len() - before;
    if left_out > 0 {
        let left_out = counted(left_out, "output is", "outputs are");
        problems.report(Place::WHOLE, SelectionProblem::Moments { left_out });
    }
}

/// Returns seconds in hours, or from two days on in days.
fn age(seconds: i64) -> Shown {
    let hours = usize::try_from(seconds / 3600).unwrap_or(usize::MAX);
    if hours < 48 {
        counted(hours, "hour", "hours")
    } else {
        counted(hours / 24, "day", "days")
    }
}

/// Returns the names of the accounts in an output.
fn accounts(rows: &Rows) -> BTreeSet<Vec<u8>> {
    let names = rows.names.names();
    let mut accounts = BTreeSet::new();
    for row in &rows.rows {
        accounts.insert(names.bytes(row.account).to_vec());
    }
    accounts
}

/// Keeps the outputs that list the accounts of the best one, because those of another cluster need not name it.
pub(super) fn keep_one_tree(contents: &mut FoundContents) {
    sort(&mut contents.parts);
    let Some(best) = contents.parts.first() else {
        return;
    };
    let known = accounts(&best.rows);
    let name = file_name(&best.path);
    contents.leave_out(|part| {
        let own = accounts(&part.rows);
        let common = own.intersection(&known).count();
        if common * 2 >= own.len().min(known.len()) {
            return None;
        }
        Some(sentence!("its accounts are not those of {name}"))
    });
}

/// Puts the best output first: with all associations, with usage, with whole names, with partitions, the newest.
pub(super) fn sort(parts: &mut [SlurmOutput]) {
    parts.sort_by_key(|part| {
        let rows = &part.rows;
        let has_partitions = rows.rows.iter().any(|row| row.partition.is_some());
        let mut problems = rows.problems.list().iter();
        let cuts_names = problems.any(|problem| problem.code == "slurm-cut-name");
        (
            rows.format == Format::Sreport,
            rows.incomplete.is_some(),
            !has_usage(part),
            cuts_names,
            !has_partitions,
            ORDER.iter().position(|format| *format == rows.format),
            Reverse(rows.taken),
        )
    });
}
