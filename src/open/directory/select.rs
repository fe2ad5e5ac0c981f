//! Selects the outputs of a directory that belong together: those of one cluster, one moment and one tree.

use super::{Contents, SlurmOutput, file_name};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input;
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadError, Problem, Request, Severity};
use std::collections::BTreeSet;

/// How far apart outputs of one moment can be, in seconds, because they are taken one after another.
const MOMENT: i64 = 6 * 3600;

/// The formats of Slurm, the one with the most information first.
const ORDER: [Format; 6] = [
    Format::SlurmJson,
    Format::Sshare,
    Format::AssocMgr,
    Format::SacctmgrAssoc,
    Format::SacctmgrDump,
    Format::Sreport,
];

/// Returns the clusters that an output names.
fn clusters(rows: &Rows) -> BTreeSet<String> {
    let names = rows.names.names();
    let mut clusters = BTreeSet::new();
    let mut last = None;
    for row in &rows.rows {
        if row.cluster != last {
            last = row.cluster;
            clusters
                .extend(last.map(|name| String::from_utf8_lossy(names.bytes(name)).into_owned()));
        }
    }
    clusters
}

/// Keeps the outputs of one cluster: the requested one, or else that of the newest output.
pub(super) fn keep_one_cluster(
    contents: &mut Contents,
    request: &Request,
    problems: &mut Vec<Problem>,
) -> Result<Option<String>, LoadError> {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for part in &contents.parts {
        all.extend(clusters(&part.rows));
    }
    if all.len() < 2 {
        return Ok(None);
    }
    let folder = input::name(&request.path);
    let listed: Vec<Shown> = all.iter().map(|name| shown(name.as_bytes())).collect();
    let newest = of_newest(&contents.parts);
    let chosen = match (&request.cluster, newest) {
        (Some(cluster), _) => cluster.clone(),
        (None, Some(newest)) => {
            problems.push(Problem::about(
                Severity::Warning,
                "directory-clusters",
                &folder,
                sentence!(
                    "it contains outputs of {} clusters: {}; {} is shown, because its output is the newest",
                    all.len(),
                    listed.join(", "),
                    shown(newest.as_bytes())
                ),
                "choose another with --cluster NAME",
            ));
            newest
        }
        (None, None) => {
            return Err(LoadError::Refused(sentence!(
                "{folder} contains outputs of {} clusters: {}; choose one with --cluster NAME",
                all.len(),
                listed.join(", ")
            )));
        }
    };
    let parts = std::mem::take(&mut contents.parts);
    for part in parts {
        let clusters = clusters(&part.rows);
        if clusters.is_empty() || clusters.contains(&chosen) {
            contents.parts.push(part);
        } else {
            let others: Vec<Shown> = clusters.iter().map(|name| shown(name.as_bytes())).collect();
            let reason = sentence!("of the cluster {}", others.join(", "));
            contents.left_out.push((part.path, reason));
        }
    }
    let configs = std::mem::take(&mut contents.configs);
    for (path, config) in configs {
        if config.cluster.is_empty() || config.cluster == chosen {
            contents.configs.push((path, config));
        } else {
            let reason = sentence!("of the cluster {}", shown(config.cluster.as_bytes()));
            contents.left_out.push((path, reason));
        }
    }
    Ok(Some(chosen))
}

/// Returns the cluster of the newest output, or `None` if outputs of several clusters are equally new, or no times are
/// known.
fn of_newest(parts: &[SlurmOutput]) -> Option<String> {
    let dated = parts.iter().filter_map(|part| {
        let clusters = clusters(&part.rows);
        let only = clusters.first().filter(|_| clusters.len() == 1)?;
        Some((part.rows.taken?, only.clone()))
    });
    let newest = dated.clone().map(|(taken, _)| taken).max()?;
    let of_newest = dated.filter(|(taken, _)| *taken == newest);
    let of_newest: BTreeSet<String> = of_newest.map(|(_, cluster)| cluster).collect();
    let is_one = of_newest.len() == 1;
    of_newest.into_iter().next().filter(|_| is_one)
}

/// Returns whether an output has usage in Slurm's unit.
fn has_usage(part: &SlurmOutput) -> bool {
    let has = |row: &Row| row.usage.amount().is_some();
    part.rows.format != Format::Sreport && part.rows.rows.iter().any(has)
}

/// Keeps the outputs of the newest moment at which usage was printed.
pub(super) fn keep_one_moment(
    contents: &mut Contents,
    folder: &Shown,
    problems: &mut Vec<Problem>,
) {
    let with_usage = contents.parts.iter().filter(|part| has_usage(part));
    let newest = with_usage.filter_map(|part| part.rows.taken).max();
    let newest = newest.or_else(|| {
        contents
            .parts
            .iter()
            .filter_map(|part| part.rows.taken)
            .max()
    });
    let Some(newest) = newest else {
        return;
    };
    let mut left_out = 0;
    let parts = std::mem::take(&mut contents.parts);
    for part in parts {
        let apart = part.rows.taken.map_or(0, |taken| newest - taken);
        if apart.abs() <= MOMENT {
            contents.parts.push(part);
            continue;
        }
        left_out += 1;
        let hours = usize::try_from(apart.abs() / 3600).unwrap_or(usize::MAX);
        let age = if hours < 48 {
            counted(hours, "hour", "hours")
        } else {
            counted(hours / 24, "day", "days")
        };
        let which = if apart > 0 { "older" } else { "newer" };
        let reason = sentence!("{age} {which} than the newest output with usage");
        contents.left_out.push((part.path, reason));
    }
    if left_out > 0 {
        problems.push(Problem::about(
            Severity::Warning,
            "directory-moments",
            folder,
            sentence!(
                "it contains outputs of different times, by the times of the files; the newest with usage and those \
                 within 6 hours of it are shown, {} left out",
                counted(left_out, "output is", "outputs are")
            ),
            "open the others one by one, or all with: fairscope timeline FILE...",
        ));
    }
}

/// Returns the accounts that an output lists.
fn accounts(rows: &Rows) -> BTreeSet<Vec<u8>> {
    let names = rows.names.names();
    let accounts = rows
        .rows
        .iter()
        .map(|row| names.bytes(row.account).to_vec());
    accounts.collect()
}

/// Keeps the outputs that list the accounts of the best one, because those of another cluster need not name it.
pub(super) fn keep_one_tree(contents: &mut Contents) {
    sort(&mut contents.parts);
    let Some(best) = contents.parts.first() else {
        return;
    };
    let (known, name) = (accounts(&best.rows), file_name(&best.path));
    let parts = std::mem::take(&mut contents.parts);
    for part in parts {
        let own = accounts(&part.rows);
        let common = own.intersection(&known).count();
        if common * 2 >= own.len().min(known.len()) {
            contents.parts.push(part);
        } else {
            let reason = sentence!("its accounts are not those of {name}");
            contents.left_out.push((part.path, reason));
        }
    }
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
            std::cmp::Reverse(rows.taken),
        )
    });
}
