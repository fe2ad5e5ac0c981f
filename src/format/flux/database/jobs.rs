//! The table of finished jobs, which holds the bank of each since flux-accounting 0.40.
//!
//! `flux account-update-usage` counts the jobs of an association that ended after the last one it counted, after
//! `ignore_older_than` of the bank, and after the last change of the settings of usage.

use super::OpenDatabase;
use super::error::Failure;
use super::problem::DatabaseProblem;
use super::tables::{DatabaseReader, figure, text, text_or_empty};
use crate::base::number::counted;
use crate::base::shown::{Shown, shown};
use crate::format::flux::jobs::{end_of, ran};
use crate::format::flux::users_by_bank;
use crate::format::jobs::{LatestDate, RanJobs};
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal, input};
use crate::model::{Bins, Fact, FinishedJob, Flux, NodeId, Recorded, Tree};
use hashbrown::HashMap;
use rusqlite::Row;
use serde_json::Value;
use std::path::Path;

/// The columns that are read, in this order.
const COLUMNS: &[&str] = &["id", "userid", "bank", "t_run", "t_inactive", "r"];

/// Returns all jobs of a database that Flux counts for the associations of a tree, whose user ids were recorded.
pub fn ran_jobs(
    path: &Path,
    tree: &Tree,
    recorded: &Recorded,
    settings: &Flux,
    report: OnProgress,
) -> LoadResult<RanJobs> {
    let opened = OpenDatabase::open(path, &mut *report)?;
    let name = input::name(path);
    let mut database = DatabaseReader::new(&opened.store, name.clone(), report);
    let wanted = WantedJobs {
        tree,
        recorded,
        latest: LatestDate::after(None, Some(opened.files.changed())),
        uncounted: None,
    };
    let jobs = match wanted.read(&mut database) {
        Ok(Some(jobs)) => jobs,
        Ok(None) => {
            let advice = "give a database of flux-accounting 0.40 or newer, or a CSV file of jobs";
            let what = "has no table of jobs with their banks";
            return Err(Refusal::does(&name, what, advice).into());
        }
        Err(failure) => return Err(failure.into_load_error(&opened.files)),
    };
    let ran = ran(jobs.into_iter(), settings);
    Ok(RanJobs {
        problems: database.problems,
        ..ran
    })
}

/// The jobs that are in the current bins of a database, or in none yet.
pub(super) struct UncountedJobs<'a> {
    /// The bins of all associations.
    bins: &'a Bins,
    /// The moment from which ended jobs are in the current bins.
    since: f64,
}

impl<'a> UncountedJobs<'a> {
    /// Returns the jobs since the noted end of the period, or since one half-life before it in the first period, which
    /// is twice as long.
    pub(super) fn new(tree: &Tree, bins: &'a Bins, settings: &Flux) -> Self {
        let end = settings.end_half_life_period;
        let mut is_shifted = false;
        let mut is_used = false;
        let mut is_later = false;
        for &node in tree.nodes() {
            is_later |= bins.counted(node) >= end;
            if let [now, past @ ..] = bins.get(node) {
                is_used |= *now != 0.0;
                for past in past {
                    is_shifted |= *past != 0.0;
                }
            }
        }
        let since = if is_shifted && (is_later || !is_used) {
            end
        } else {
            end - f64::from(settings.decay_half_life)
        };
        Self { bins, since }
    }

    /// Returns whether a job of an association, which has these nodes, is one of them if it ended at a moment.
    fn has(&self, nodes: &[NodeId], end: f64) -> bool {
        if end >= self.since {
            return true;
        }
        for &node in nodes {
            if end > self.bins.counted(node) {
                return true;
            }
        }
        false
    }
}

/// The jobs that are read of a table.
pub(super) struct WantedJobs<'a> {
    /// The tree whose associations are charged.
    pub(super) tree: &'a Tree,
    /// With the ids of users.
    pub(super) recorded: &'a Recorded,
    /// The date after which a job is wrong.
    pub(super) latest: LatestDate,
    /// The only ones that are wanted; `None` wants all.
    pub(super) uncounted: Option<UncountedJobs<'a>>,
}

/// A job of an association.
pub(super) type JobOfUser = (NodeId, FinishedJob);

/// A row of the table of jobs.
struct JobRow<'a> {
    /// The id of the user.
    user: Option<f64>,
    /// The name of the bank; empty if the row has none.
    bank: &'a [u8],
    /// When it began, in Unix seconds; 0 if it was cancelled while it waited.
    from: f64,
    /// When it ended, in Unix seconds; -1 if that is missing.
    end: f64,
    /// The resource set R, as JSON.
    resources: &'a [u8],
}

impl<'a> JobRow<'a> {
    /// Takes the cells of a row.
    fn new(row: &'a Row) -> rusqlite::Result<Self> {
        Ok(Self {
            user: figure(row.get_ref(1)?),
            bank: text_or_empty(row.get_ref(2)?),
            from: figure(row.get_ref(3)?).unwrap_or(-1.0),
            end: figure(row.get_ref(4)?).unwrap_or(-1.0),
            resources: text_or_empty(row.get_ref(5)?),
        })
    }

    /// Returns the job, or why it cannot be read.
    fn job(&self, latest: LatestDate) -> Result<FinishedJob, Shown> {
        let Some(mut job) = resources(self.resources) else {
            return Err("R is not a resource set of version 1, so Flux skips it, too".into());
        };
        let is_known = self.from > 0.0 && self.end < f64::MAX;
        if !is_known || self.from > self.end {
            return Err("t_inactive is not a moment after t_run".into());
        }
        job.t_run = self.from;
        job.t_inactive = self.end;
        let end = end_of(&job);
        if latest.excludes(end) {
            return Err(latest.refusal(end));
        }
        Ok(job)
    }

    /// Returns the nodes of the association of the job; `None` if it is not among these.
    fn nodes<'n>(&'n self, associations: &'n NodesByUser<'n>) -> Option<&'n Vec<NodeId>> {
        let id = self.user?.to_bits();
        let bank = self.bank;
        associations.get(&UserOfBank { id, bank })
    }
}

impl WantedJobs<'_> {
    /// Returns the jobs that Flux counts for the associations of the tree. `None` without a table. A job that cannot be
    /// read is a problem; so is what is left of a damaged table.
    pub(super) fn read(
        &self,
        database: &mut DatabaseReader,
    ) -> Result<Option<Vec<JobOfUser>>, Failure> {
        let Some(table) = database.table("jobs")? else {
            return Ok(None);
        };
        for column in COLUMNS {
            if !table.has(column) {
                return Ok(None);
            }
        }
        let ignored = moments(database, "bank_table", &["bank", "ignore_older_than"])?;
        let config = moments(database, "config_table", &["key", "value"])?;
        let mut reader = JobReader {
            wanted: self,
            users: self.users(),
            ignored,
            reconfigured: moment_of(&config, b"reconfigure_time"),
            jobs: Vec::new(),
            rows: 0,
            strangers: 0,
        };
        let outcome = reader.read(database, &table.query(COLUMNS, None));
        match outcome {
            Err(Failure::Sqlite(_)) => {
                let rows = counted(reader.rows, "row", "rows");
                database.report(DatabaseProblem::UnreadJobs { rows });
            }
            outcome => outcome?,
        }
        if reader.strangers > 0 {
            let jobs = counted(reader.strangers, "job is", "jobs are");
            database.report(DatabaseProblem::UnknownUsers { jobs });
        }
        Ok(Some(reader.jobs))
    }

    /// Returns the associations by the id of their user and the name of their bank.
    fn users(&self) -> NodesByUser<'_> {
        let mut users = NodesByUser::new();
        for ((bank, _), node) in users_by_bank(self.tree) {
            let Some(figure) = self.recorded.figure(Fact::Userid, node) else {
                continue;
            };
            let id = figure.value.to_bits();
            let user = UserOfBank { id, bank };
            users.entry(user).or_default().push(node);
        }
        for nodes in users.values_mut() {
            nodes.sort_unstable();
        }
        users
    }
}

/// What identifies an association in the table of jobs.
#[derive(PartialEq, Eq, Hash)]
struct UserOfBank<'a> {
    /// The bits of the id of the user.
    id: u64,
    /// The name of the bank.
    bank: &'a [u8],
}

/// The nodes of each association.
type NodesByUser<'a> = HashMap<UserOfBank<'a>, Vec<NodeId>>;

/// Moments by names, in Unix seconds.
type Moments = HashMap<Vec<u8>, f64>;

/// Reads the moments of a table, by names. Empty without the table.
fn moments(
    database: &mut DatabaseReader,
    table: &'static str,
    columns: &[&str],
) -> Result<Moments, Failure> {
    let mut moments = HashMap::new();
    let Some(mut statement) = database.select(table, columns)? else {
        return Ok(moments);
    };
    let mut rows = statement.query([])?;
    while let Some(row) = database.next(&mut rows)? {
        let value = row.get_ref(1)?;
        let written = text_or_empty(value).trim_ascii();
        let moment = figure(value).or_else(|| parsed(written));
        let name = text(row.get_ref(0)?);
        if let Some(name) = name
            && let Some(moment) = moment
        {
            moments.insert(name.to_vec(), moment);
        }
    }
    Ok(moments)
}

/// Returns the moment of a name; 0 if there is none.
fn moment_of(moments: &Moments, name: &[u8]) -> f64 {
    match moments.get(name) {
        Some(moment) => *moment,
        None => 0.0,
    }
}

/// Reads the rows of the table of jobs.
struct JobReader<'a> {
    /// Which jobs are wanted.
    wanted: &'a WantedJobs<'a>,
    /// The nodes of each association of the tree.
    users: NodesByUser<'a>,
    /// By bank: the moment before which ended jobs do not count.
    ignored: Moments,
    /// The same of all banks.
    reconfigured: f64,
    /// The jobs so far.
    jobs: Vec<JobOfUser>,
    /// How many rows were read.
    rows: usize,
    /// How many jobs are of associations that are not in the tree.
    strangers: usize,
}

impl JobReader<'_> {
    /// Reads all rows that can be read.
    fn read(&mut self, database: &mut DatabaseReader, query: &str) -> Result<(), Failure> {
        let mut statement = database.query(query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            self.rows += 1;
            let job = JobRow::new(row)?;
            if let Err(why) = self.take(&job) {
                let id = shown(text_or_empty(row.get_ref(0)?));
                database.report(DatabaseProblem::BadJob { id, why });
            }
        }
        Ok(())
    }

    /// Adds a job, unless Flux does not count it. Fails if it cannot be read.
    fn take(&mut self, row: &JobRow) -> Result<(), Shown> {
        let ignored = moment_of(&self.ignored, row.bank);
        let since = ignored.max(self.reconfigured);
        let has_ended = row.end > 0.0;
        if row.from == 0.0 || (has_ended && row.end <= since) {
            return Ok(());
        }
        let Some(nodes) = row.nodes(&self.users) else {
            self.strangers += 1;
            return Ok(());
        };
        if let Some(uncounted) = &self.wanted.uncounted
            && has_ended
            && !uncounted.has(nodes, row.end)
        {
            return Ok(());
        }
        let job = row.job(self.wanted.latest)?;
        for &node in nodes {
            self.jobs.push((node, job));
        }
        Ok(())
    }
}

/// Returns a job with the resources in R, a resource set of Flux's RFC 20.
fn resources(json: &[u8]) -> Option<FinishedJob> {
    let set: Value = serde_json::from_slice(json).ok()?;
    let mut job = FinishedJob::default();
    for group in set["execution"]["R_lite"].as_array()? {
        let ranks = group["rank"].as_str()?;
        let nodes = id_count(ranks)?;
        let cores = child_count(group, "core")?.checked_mul(nodes)?;
        let gpus = child_count(group, "gpu")?.checked_mul(nodes)?;
        job.nnodes = job.nnodes.checked_add(nodes)?;
        job.ncores = job.ncores.checked_add(cores)?;
        job.ngpus = job.ngpus.checked_add(gpus)?;
    }
    if set["version"] != 1 || job.nnodes == 0 {
        return None;
    }
    Some(job)
}

/// Returns how many resources of a kind each node of a group has; `None` if their ids cannot be read.
fn child_count(group: &Value, kind: &str) -> Option<u64> {
    let ids = group["children"][kind].as_str();
    id_count(ids.unwrap_or_default())
}

/// Returns how many ids there are in `0-3,7`, which may be in square brackets. `None` if it is no set of ids.
fn id_count(ids: &str) -> Option<u64> {
    let mut count = 0_u64;
    let ranges = ids.trim_start_matches('[').trim_end_matches(']');
    for range in ranges.split(',') {
        if range.is_empty() {
            continue;
        }
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let first: u64 = first.parse().ok()?;
        let last: u64 = last.parse().ok()?;
        let length = last.checked_sub(first)?;
        count = count.checked_add(length)?.checked_add(1)?;
    }
    Some(count)
}
