//! Finished jobs from a CSV file: one line a job, columns by name; and what a finished job is charged.

use super::users_by_bank;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::Input;
use crate::format::jobs::{LatestDate, RanJob, RanJobs};
use crate::format::problem::{Place, Problems, problems};
use crate::format::sheet::{Headings, Records, SheetColumn as _, SheetRow, line_of, sheet_columns};
use crate::format::text::parsed;
use crate::format::{LoadError, LoadResult};
use crate::model::{FinishedJob, Flux, NodeId, Recorded, Tree};
use crate::rules::clock::flux::usage_of;
use csv::ByteRecord;
use hashbrown::HashMap;

sheet_columns! {
    /// The columns, the required ones first.
    enum JobColumn {
        User, "user";
        Bank, "bank";
        Nodes, "nnodes";
        Started, "t_run";
        Ended, "t_inactive";
        Cores, "ncores";
        Gpus, "ngpus";
    }
}

/// How many of the columns are required.
const NEEDED: usize = 5;

problems! {
/// What can be wrong in a file of jobs.
    enum FinishedJobProblem {
        Late { why: Shown }, Error "flux-jobs-bad-line",
            "the job was left out: {why}",
            "write whole numbers of nodes, cores and GPUs, and moments in Unix seconds, the end not before the start";
        BadCell { column: &'static str, found: Shown }, Error "flux-jobs-bad-line",
            "{column} is {found}, and the job was left out",
            "write whole numbers of nodes, cores and GPUs, and moments in Unix seconds, the end not before the start";
        UnknownUser { user: Shown, bank: Shown }, Warning "flux-jobs-unknown-user",
            "unknown user '{user}\' in the bank {bank}; the job was left out",
            "write the names as flux account view-bank prints them";
        NoJobs, Warning "flux-jobs-none",
            "it has no jobs of users in the tree, so no job usage is shown",
            "give the jobs of the users in the tree, one a line, as in: bob,physics,2,1605635403,1605637403";
    }
}

/// Reads jobs and records them for the users of a tree. An invalid line is reported and left out.
pub(crate) fn read(
    input: &Input,
    tree: &Tree,
    recorded: &mut Recorded,
    problems: &mut Problems,
) -> LoadResult<()> {
    let file = input.name();
    let mut records = Records::of(&input.bytes, b',');
    let mut record = ByteRecord::new();
    records.read(&mut record);
    let headings = Headings::of_record(&record);
    for &column in &JobColumn::ALL[..NEEDED] {
        if !headings.has(column) {
            return Err(LoadError::Refused(sentence!(
                "{file} has no column {} for the jobs; expected a first line that names the columns: \
                 user,bank,nnodes,t_run,t_inactive, and where they count ncores,ngpus",
                column.name()
            )));
        }
    }
    // The file takes precedence over the table of a database.
    recorded.forget_jobs();
    let mut of_file = Problems::of(file);
    headings.note_unknown(line_of(&record), &mut of_file);
    let reader = JobReader {
        users: users_by_bank(tree),
        latest: LatestDate::after(None, input.modified),
    };
    while records.read(&mut record) {
        match reader.job(&headings.row(&record)) {
            Ok((node, job)) => recorded.push_job(node, job),
            Err(problem) => of_file.report(line_of(&record), problem),
        }
    }
    if !recorded.has_jobs() {
        of_file.report(Place::WHOLE, FinishedJobProblem::NoJobs);
    }
    problems.append(of_file);
    Ok(())
}

/// Reads the rows of a file.
struct JobReader<'a> {
    /// The associations, by the names of their bank and user.
    users: HashMap<(&'a [u8], &'a [u8]), NodeId>,
    /// The date after which a job is wrong.
    latest: LatestDate,
}

impl JobReader<'_> {
    /// Returns the job of a row, and the association that is charged for it.
    fn job(
        &self,
        row: &SheetRow<'_, JobColumn>,
    ) -> Result<(NodeId, FinishedJob), FinishedJobProblem> {
        let job = finished_job(row).map_err(|column| FinishedJobProblem::BadCell {
            column: column.name(),
            found: row.get(column).map_or_else(|| "missing".into(), shown),
        })?;
        if self.latest.excludes(end_of(&job)) {
            let why = self.latest.refusal(end_of(&job));
            return Err(FinishedJobProblem::Late { why });
        }
        let user = row.text(JobColumn::User);
        let bank = row.text(JobColumn::Bank);
        match self.users.get(&(bank, user)) {
            Some(&node) => Ok((node, job)),
            None => Err(FinishedJobProblem::UnknownUser {
                user: shown(user),
                bank: shown(bank),
            }),
        }
    }
}

/// Returns the whole second in which Flux sees the end of a job, in Unix seconds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a moment beyond the years of an i64 is the last there is"
)]
pub(super) fn end_of(job: &FinishedJob) -> i64 {
    job.t_inactive.ceil() as i64
}

/// Returns finished jobs as Flux charges them: whole, in the second in which it sees their end.
pub fn ran(jobs: impl Iterator<Item = (NodeId, FinishedJob)>, settings: &Flux) -> RanJobs {
    let mut ran = RanJobs::default();
    for (node, job) in jobs {
        let until = end_of(&job);
        let rate = usage_of(&job, settings);
        ran.jobs
            .push(RanJob::new(node, until.saturating_sub(1), until, rate));
    }
    ran
}

/// Returns a job from its cells, or the column that is invalid.
fn finished_job(row: &SheetRow<'_, JobColumn>) -> Result<FinishedJob, JobColumn> {
    let job = FinishedJob {
        nnodes: row
            .get(JobColumn::Nodes)
            .and_then(parsed)
            .ok_or(JobColumn::Nodes)?,
        t_run: moment(row, JobColumn::Started)?,
        t_inactive: moment(row, JobColumn::Ended)?,
        ncores: count(row, JobColumn::Cores)?,
        ngpus: count(row, JobColumn::Gpus)?,
    };
    if job.elapsed() >= 0.0 {
        Ok(job)
    } else {
        Err(JobColumn::Ended)
    }
}

/// Returns how many there are of a resource; none where it is not told.
fn count(row: &SheetRow<'_, JobColumn>, column: JobColumn) -> Result<u64, JobColumn> {
    match row.get(column) {
        Some(text) => parsed(text).ok_or(column),
        None => Ok(0),
    }
}

/// Returns a moment in Unix seconds.
fn moment(row: &SheetRow<'_, JobColumn>, column: JobColumn) -> Result<f64, JobColumn> {
    let moment: f64 = row.get(column).and_then(parsed).ok_or(column)?;
    if moment.is_finite() && moment >= 0.0 {
        Ok(moment)
    } else {
        Err(column)
    }
}
