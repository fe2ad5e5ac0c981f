//! Selects the outputs of a directory that belong together: those of one cluster, one moment and one tree.

use super::{FoundContents, SlurmOutput, file_name};
use crate::base::number::counted;
use crate::base::shown::{sentence, shown};
use crate::format::problem::{Place, Problems};
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadError, LoadResult, Request};
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

fn clusters(rows: &Rows) -> BTreeSet<String> {
    let names = rows.names.names();
    let name = |cluster| String::from_utf8_lossy(names.bytes(cluster)).into_owned();
    rows.clusters().map(name).collect()
}

/// Keeps the outputs of one cluster: the requested one, or else that of the newest output.
pub(super) fn keep_one_cluster(
    contents: &mut FoundContents,
    request: &Request,
    problems: &mut Problems,
) -> LoadResult<Option<String>> {
    let parts = contents.parts.iter();
    let all: BTreeSet<String> = parts.flat_map(|part| clusters(&part.rows)).collect();
    if all.len() < 2 {
        return Ok(None);
    }
    let names = |clusters: &BTreeSet<String>| {
        let names = clusters.iter().map(|name| shown(name.as_bytes()));
        names.collect::<Vec<_>>().join(", ")
    };
    let several = format!("outputs of {} clusters: {}", all.len(), names(&all));
    let chosen = match (&request.cluster, of_newest(&contents.parts)) {
        (Some(cluster), _) => cluster.clone(),
        (None, Some(newest)) => {
            let message = sentence!(
                "it contains {several}; {} is shown, because its output is the newest",
                shown(newest.as_bytes())
            );
            let advice = "choose another with --cluster NAME";
            problems.warn(Place::WHOLE, "directory-clusters", message, advice);
            newest
        }
        (None, None) => {
            return Err(LoadError::Clusters {
                text: sentence!("{} contains {several}", problems.file),
                names: all.iter().map(|name| shown(name.as_bytes())).collect(),
            });
        }
    };
    contents.leave_out(|part| {
        let clusters = clusters(&part.rows);
        let is_kept = clusters.is_empty() || clusters.contains(&chosen);
        (!is_kept).then(|| sentence!("of the cluster {}", names(&clusters)))
    });
    let is_other = |cluster: &str| !cluster.is_empty() && cluster != chosen;
    let configs = &mut contents.configs;
    let others = configs.extract_if(.., |(_, config)| is_other(&config.cluster));
    contents.left_out.extend(others.map(|(path, config)| {
        let cluster = shown(config.cluster.as_bytes());
        (path, sentence!("of the cluster {cluster}"))
    }));
    Ok(Some(chosen))
}

/// Returns the cluster of the newest output. `None` if several clusters' are equally new, or no times are known.
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
pub(super) fn keep_one_moment(contents: &mut FoundContents, problems: &mut Problems) {
    let parts = contents.parts.iter();
    let with_usage = parts.clone().filter(|part| has_usage(part));
    let newest = with_usage.filter_map(|part| part.rows.taken).max();
    let Some(newest) = newest.or_else(|| parts.filter_map(|part| part.rows.taken).max()) else {
        return;
    };
    let before = contents.left_out.len();
    contents.leave_out(|part| {
        let apart = part.rows.taken.map_or(0, |taken| newest - taken);
        let hours = usize::try_from(apart.abs() / 3600).unwrap_or(usize::MAX);
        let age = match hours {
            ..48 => counted(hours, "hour", "hours"),
            _ => counted(hours / 24, "day", "days"),
        };
        let which = if apart > 0 { "older" } else { "newer" };
        let reason = || sentence!("{age} {which} than the newest output with usage");
        (apart.abs() > MOMENT).then(reason)
    });
    let left_out = contents.left_out.len() - before;
    if left_out > 0 {
        let message = sentence!(
            "it contains outputs of different times, by the times of the files; the newest with usage and those within \
             6 hours of it are shown, {} left out",
            counted(left_out, "output is", "outputs are")
        );
        let advice = "open the others one by one, or all with: fairscope timeline FILE...";
        problems.warn(Place::WHOLE, "directory-moments", message, advice);
    }
}

fn accounts(rows: &Rows) -> BTreeSet<Vec<u8>> {
    let names = rows.names.names();
    let accounts = rows.rows.iter().map(|row| row.account);
    let accounts = accounts.map(|account| names.bytes(account).to_vec());
    accounts.collect()
}

/// Keeps the outputs that list the accounts of the best one, because those of another cluster need not name it.
pub(super) fn keep_one_tree(contents: &mut FoundContents) {
    sort(&mut contents.parts);
    let Some(best) = contents.parts.first() else {
        return;
    };
    let (known, name) = (accounts(&best.rows), file_name(&best.path));
    contents.leave_out(|part| {
        let own = accounts(&part.rows);
        let common = own.intersection(&known).count();
        let is_other = common * 2 < own.len().min(known.len());
        is_other.then(|| sentence!("its accounts are not those of {name}"))
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
            std::cmp::Reverse(rows.taken),
        )
    });
}
