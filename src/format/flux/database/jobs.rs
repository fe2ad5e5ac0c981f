//! The table of finished jobs, which holds the bank of each since flux-accounting 0.40.
//!
//! `flux account-update-usage` counts the jobs of an association that ended after the last one it counted, after
//! `ignore_older_than` of the bank, and after the last change of the settings of usage.

use super::database_files::Failure;
use super::opened;
use super::tables::{DatabaseReader, figure, text};
use crate::base::number::counted;
use crate::base::shown::{sentence, shown};
use crate::format::flux::jobs::{end_of, ran};
use crate::format::flux::users_by_bank;
use crate::format::jobs::{LatestDate, RanJobs};
use crate::format::problem::{Place, Problems};
use crate::format::text::parsed;
use crate::format::{LoadError, LoadResult, OnProgress, Refusal, input};
use crate::model::{Bins, Fact, FinishedJob, Flux, NodeId, Recorded, Tree};
use hashbrown::HashMap;
use serde_json::Value;
use std::path::Path;

const COLUMNS: &[&str] = &["id", "userid", "bank", "t_run", "t_inactive", "r"];

/// Moments before which ended jobs do not count, by bank, and one for all banks, by its key among the settings.
const IGNORED: [(&str, [&str; 2]); 2] = [
    ("bank_table", ["bank", "ignore_older_than"]),
    ("config_table", ["key", "value"]),
];

/// Returns all jobs of a database that Flux counts for the associations of a tree, whose user ids were recorded.
pub fn ran_jobs(
    path: &Path,
    tree: &Tree,
    recorded: &Recorded,
    settings: &Flux,
    report: OnProgress<'_>,
) -> LoadResult<RanJobs> {
    opened(path, report, &mut |store, files, report| {
        let name = input::name(path);
        let mut problems = Problems::of(name.clone());
        let mut database = DatabaseReader::new(store, name.clone(), report);
        let latest = LatestDate::of([None, Some(files.changed())]);
        let is_wanted = |_, _| true;
        let jobs = read(
            &mut database,
            tree,
            recorded,
            &is_wanted,
            latest,
            &mut problems,
        )?;
        let Some(jobs) = jobs else {
            let advice = "give a database of flux-accounting 0.40 or newer, or a CSV file of jobs";
            let refusal = Refusal::does(&name, "has no table of jobs with their banks", advice);
            return Err(LoadError::from(refusal).into());
        };
        let ran = ran(jobs.into_iter(), settings);
        Ok(RanJobs { problems, ..ran })
    })
}

/// Returns the moment from which ended jobs are in the current bins: the noted end of the period, or one half-life before
/// it in the first period, which is twice as long.
pub(super) fn current_since(tree: &Tree, bins: &Bins, settings: &Flux) -> f64 {
    let end = settings.end_half_life_period;
    let bins_of = || tree.nodes().iter().map(|&node| (node, bins.get(node)));
    let is_shifted = bins_of().any(|(_, bins)| bins.iter().skip(1).any(|&past| past != 0.0));
    let is_used = bins_of().any(|(_, bins)| bins.first().is_some_and(|&now| now != 0.0));
    let is_later = bins_of().any(|(node, _)| bins.counted(node) >= end);
    if is_shifted && (is_later || !is_used) {
        return end;
    }
    end - f64::from(settings.decay_half_life)
}

/// Returns the jobs that Flux counts for the associations of a tree, those that are wanted by the moment of their end.
/// `None` without a table. A job that cannot be read is a problem; so is what is left of a damaged table.
pub(super) fn read(
    database: &mut DatabaseReader<'_>,
    tree: &Tree,
    recorded: &Recorded,
    is_wanted: &dyn Fn(NodeId, f64) -> bool,
    latest: LatestDate,
    problems: &mut Problems,
) -> Result<Option<Vec<(NodeId, FinishedJob)>>, Failure> {
    let table = database.table("jobs")?;
    let has_all = |column: &&str| table.as_ref().is_some_and(|table| table.has(column));
    let Some(table) = table.as_ref().filter(|_| COLUMNS.iter().all(has_all)) else {
        return Ok(None);
    };
    let mut ignored = [HashMap::new(), HashMap::new()];
    for (ignored, (table, columns)) in ignored.iter_mut().zip(IGNORED) {
        database.each_of(table, &columns, |row| {
            let value = row.get_ref(1)?;
            let moment = figure(value).or_else(|| parsed::<f64>(text(value)?.trim_ascii()));
            if let (Some(name), Some(moment)) = (text(row.get_ref(0)?), moment) {
                ignored.insert(name.to_vec(), moment);
            }
            Ok(())
        })?;
    }
    let moment_of = |place: usize, name: &[u8]| ignored[place].get(name).copied().unwrap_or(0.0);
    let reconfigured: f64 = moment_of(1, b"reconfigure_time");
    let mut users: HashMap<_, Vec<NodeId>> = HashMap::new();
    for ((bank, _), node) in users_by_bank(tree) {
        if let Some(id) = recorded.figure(Fact::Userid, node) {
            let key = (id.value.to_bits(), bank);
            users.entry(key).or_default().push(node);
        }
    }
    users.values_mut().for_each(|nodes| nodes.sort_unstable());
    let (mut jobs, mut rows, mut strangers) = (Vec::new(), 0_usize, 0_usize);
    let outcome = database.each(&table.query(COLUMNS, None), |row| {
        rows += 1;
        let user = figure(row.get_ref(1)?);
        let bank = text(row.get_ref(2)?).unwrap_or_default();
        let [from, end] = [row.get_ref(3)?, row.get_ref(4)?].map(|it| figure(it).unwrap_or(-1.0));
        let ignored = moment_of(0, bank).max(reconfigured);
        // A job that was cancelled while it waited began at 0.
        if from == 0.0 || (end > 0.0 && end <= ignored) {
            return Ok(());
        }
        let Some(users) = user.and_then(|user| users.get(&(user.to_bits(), bank))) else {
            strangers += 1;
            return Ok(());
        };
        if end > 0.0 && !users.iter().any(|&node| is_wanted(node, end)) {
            return Ok(());
        }
        let why = match resources(text(row.get_ref(5)?).unwrap_or_default()) {
            Some(mut job) if from > 0.0 && from <= end && end < f64::MAX => {
                (job.t_run, job.t_inactive) = (from, end);
                if !latest.excludes(end_of(&job)) {
                    jobs.extend(users.iter().map(|&node| (node, job)));
                    return Ok(());
                }
                latest.refusal(end_of(&job))
            }
            Some(_) => "t_inactive is not a moment after t_run".into(),
            None => "R is not a resource set of version 1, so Flux skips it, too".into(),
        };
        let id = shown(text(row.get_ref(0)?).unwrap_or_default());
        let message = sentence!("job {id} was left out: {why}");
        let advice = "look at it with flux account view-job-records";
        problems.refuse(Place::WHOLE, "flux-jobs-bad-line", message, advice);
        Ok(())
    });
    match outcome {
        Err(Failure::Sqlite(_)) => {
            let rows = counted(rows, "row", "rows");
            let message = sentence!("the table jobs could not be read beyond {rows}");
            let advice = "look at it with sqlite3 FILE 'PRAGMA integrity_check'";
            problems.warn(Place::WHOLE, "flux-jobs-unread", message, advice);
        }
        outcome => outcome?,
    }
    if strangers > 0 {
        let jobs = counted(strangers, "job is", "jobs are");
        let message = sentence!("{jobs} of associations that are not in the tree, and left out");
        let advice = "give --set inactive=show if they are inactive";
        problems.note(Place::WHOLE, "flux-jobs-unknown-user", message, advice);
    }
    Ok(Some(jobs))
}

/// Returns a job with the resources in R, a resource set of Flux's RFC 20.
fn resources(json: &[u8]) -> Option<FinishedJob> {
    let set: Value = serde_json::from_slice(json).ok()?;
    let mut job = FinishedJob::default();
    for group in set["execution"]["R_lite"].as_array()? {
        let nodes = id_count(group["rank"].as_str()?)?;
        let ids = |kind| group["children"][kind].as_str().unwrap_or_default();
        let of_all = |kind| id_count(ids(kind))?.checked_mul(nodes);
        job.nnodes = job.nnodes.checked_add(nodes)?;
        job.ncores = job.ncores.checked_add(of_all("core")?)?;
        job.ngpus = job.ngpus.checked_add(of_all("gpu")?)?;
    }
    (set["version"] == 1 && job.nnodes > 0).then_some(job)
}

/// Returns how many ids there are in `0-3,7`, which may be in square brackets. `None` if it is no set of ids.
fn id_count(ids: &str) -> Option<u64> {
    let ids = ids.trim_start_matches('[').trim_end_matches(']').split(',');
    ids.filter(|range| !range.is_empty())
        .try_fold(0_u64, |sum, range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [first, last]: [u64; 2] = [first.parse().ok()?, last.parse().ok()?];
            sum.checked_add(last.checked_sub(first)?)?.checked_add(1)
        })
}
