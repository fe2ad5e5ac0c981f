//! Finished jobs from a CSV file: one line a job, columns by name; and what a finished job is charged.

use super::users_by_bank;
use crate::base::shown::{sentence, shown};
use crate::format::csv::note_unknown;
use crate::format::input::{Input, without_mark};
use crate::format::jobs::{LatestDate, RanJob, RanJobs};
use crate::format::problem::{Place, Problems};
use crate::format::text::parsed;
use crate::format::{LoadError, LoadResult};
use crate::model::{FinishedJob, Flux, NodeId, Recorded, Tree};
use crate::rules::clock::flux::usage_of;
use csv::ByteRecord;

/// The columns, the required ones first.
const COLUMNS: &str = "user,bank,nnodes,t_run,t_inactive,ncores,ngpus";

/// How many of the columns are required.
const NEEDED: usize = 5;

/// Reads jobs and records them for the users of a tree. An invalid line is reported and left out.
pub(crate) fn read(
    input: &Input,
    tree: &Tree,
    recorded: &mut Recorded,
    problems: &mut Problems,
) -> LoadResult<()> {
    let latest = LatestDate::of([None, input.modified]);
    let file = input.name();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(without_mark(&input.bytes));
    let mut record = ByteRecord::new();
    // Reading from memory into bytes cannot fail. It can only reach the end of the rows.
    let _ = reader.read_byte_record(&mut record);
    let columns: Vec<&str> = COLUMNS.split(',').collect();
    let places = columns.iter().map(|column| {
        let mut headings = record.iter().map(<[u8]>::trim_ascii);
        headings.position(|heading| heading.eq_ignore_ascii_case(column.as_bytes()))
    });
    let places: Vec<Option<usize>> = places.collect();
    if let Some(missing) = (0..NEEDED).find(|&column| places[column].is_none()) {
        return Err(LoadError::Refused(sentence!(
            "{file} has no column {} for the jobs; expected a first line that names the columns: {}, and where they \
             count ncores,ngpus",
            columns[missing],
            columns[..NEEDED].join(",")
        )));
    }
    // The file takes precedence over the table of a database.
    recorded.forget_jobs();
    let users = users_by_bank(tree);
    let mut of_file = Problems::of(file);
    let line = record.position().map_or(1, csv::Position::line);
    for (place, heading) in record.iter().enumerate() {
        if !places.contains(&Some(place)) {
            note_unknown(&mut of_file, line, heading, &columns.join(", "));
        }
    }
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let line = record.position().map_or(0, csv::Position::line);
        let field = |column: usize| {
            let field = places[column].and_then(|place| record.get(place));
            field.unwrap_or_default().trim_ascii()
        };
        let (user, bank) = (field(0), field(1));
        let advice = "write whole numbers of nodes, cores and GPUs, and moments in Unix seconds, the end not before \
                      the start";
        match (job(&field), users.get(&(bank, user))) {
            (Ok(job), _) if latest.excludes(end_of(&job)) => {
                let why = latest.refusal(end_of(&job));
                let message = sentence!("the job was left out: {why}");
                of_file.refuse(line, "flux-jobs-bad-line", message, advice);
            }
            (Ok(job), Some(&node)) => recorded.push_job(node, job),
            (Ok(_), None) => {
                let (user, bank) = (shown(user), shown(bank));
                let message =
                    sentence!("unknown user '{user}\' in the bank {bank}; the job was left out");
                let advice = "write the names as flux account view-bank prints them";
                of_file.warn(line, "flux-jobs-unknown-user", message, advice);
            }
            (Err(column), _) => {
                let found = match field(column) {
                    [] => "missing".into(),
                    text => shown(text),
                };
                let message = sentence!("{} is {found}, and the job was left out", columns[column]);
                of_file.refuse(line, "flux-jobs-bad-line", message, advice);
            }
        }
    }
    if !recorded.has_jobs() {
        let message = "it has no jobs of users in the tree, so no job usage is shown";
        let advice = "give the jobs of the users in the tree, one a line, as in: bob,physics,2,1605635403,1605637403";
        of_file.warn(Place::WHOLE, "flux-jobs-none", message, advice);
    }
    problems.append(of_file);
    Ok(())
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
        let last_second = [until.saturating_sub(1), until];
        let rate = usage_of(&job, settings);
        ran.jobs.push(RanJob::of(node, last_second, rate));
    }
    ran
}

/// Returns a job from its fields, or the column that is invalid.
fn job<'a>(field: &impl Fn(usize) -> &'a [u8]) -> Result<FinishedJob, usize> {
    let count = |column| match field(column) {
        [] if column >= NEEDED => Ok(0),
        text => parsed::<u64>(text).ok_or(column),
    };
    let moment = |column| {
        let moment = parsed(field(column));
        let moment = moment.filter(|it: &f64| it.is_finite() && *it >= 0.0);
        moment.ok_or(column)
    };
    let job = FinishedJob {
        nnodes: count(2)?,
        t_run: moment(3)?,
        t_inactive: moment(4)?,
        ncores: count(5)?,
        ngpus: count(6)?,
    };
    (job.elapsed() >= 0.0).then_some(job).ok_or(4)
}
