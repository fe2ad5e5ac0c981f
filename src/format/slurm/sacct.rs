//! `sacct`: the jobs that ran, each with its association and what it was charged a second.
//!
//! As `priority_multifactor.c` of Slurm 22.05 to 26.05 charges them: from the start to the end, the time that a job was
//! suspended included, whatever its state was. Each run of a job that was put back into the queue counts. Steps are part
//! of their job.
//!
//! A job that is resized is charged up to then with what it had. The next calculation charges its whole period with what
//! it has since, because the job's start stays the first one. Where limits are enforced, Slurm 26.05.5 charges each
//! component of a heterogeneous job at its submission, for the time since the last calculation; 24.11.5 does not.

mod json;
mod problems;

use super::prices::{Prices, note_unknown};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::jobs::{LatestDate, RanJob, RanJobs};
use crate::format::problem::{Place, Problems};
use crate::format::sheet::{Headings, SheetColumn as _, SheetRow, sheet_columns};
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal, input};
use crate::model::{Fact, Moment, MomentError, NodeId, Snapshot, moment_of, release_of};
use jiff::tz::TimeZone;
use problems::{Counts, JobProblem, jobs};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The command that prints the jobs again.
const AGAIN: &str = "run sacct -a -D -X -P -S START -o JobID,JobIDRaw,User,Account,Cluster,Partition,QOS,Submit,Start,End,AllocTRES,State,AssocID,Restarts";

/// The first version that is known to charge heterogeneous jobs at their submission.
const CHARGING_SUBMISSIONS: (u32, u32) = (26, 5);
/// The last version that is known not to charge them then.
const NOT_CHARGING_SUBMISSIONS: (u32, u32) = (24, 11);

sheet_columns! {
    /// What is read of a job.
    enum JobColumn {
        Id, "JobIDRaw";
        ArrayId, "JobID";
        User, "User";
        Account, "Account";
        Cluster, "Cluster";
        Partition, "Partition";
        Qos, "QOS";
        Start, "Start";
        End, "End";
        Allocated, "AllocTRES";
        Association, "AssocID";
        State, "State";
        Restarts, "Restarts";
        Submit, "Submit";
    }
}

/// A job between its columns.
type JobRow<'a> = SheetRow<'a, JobColumn>;

impl<'a> JobRow<'a> {
    /// Returns the number of the job, or its place in an array.
    fn id(&self) -> &'a [u8] {
        match self.get(JobColumn::Id) {
            Some(id) => id,
            None => self.text(JobColumn::ArrayId),
        }
    }

    /// Returns whether it is a component of a heterogeneous job: `6+0`.
    fn is_component(&self) -> bool {
        self.text(JobColumn::ArrayId).contains(&b'+')
    }
}

/// The names of an association.
#[derive(PartialEq, Eq, Hash)]
struct AssociationNames<'a> {
    /// The user.
    user: &'a [u8],
    /// The account of the user.
    account: &'a [u8],
    /// Empty for the association of all partitions.
    partition: &'a [u8],
}

/// A run of a job, by one of its ends.
#[derive(PartialEq, Eq, Hash)]
struct RunKey {
    /// The number of the job.
    job: u64,
    /// The start or the end, in Unix seconds.
    time: i64,
}

/// Jobs as they are read.
struct JobReader<'a> {
    /// What seconds of jobs cost.
    prices: &'a Prices,
    /// The time zone of times without an offset.
    zone: &'a TimeZone,
    /// The date after which a time is wrong.
    latest: LatestDate,
    /// By the bits of their ids.
    by_id: HashMap<u64, NodeId>,
    /// The associations by their names.
    by_names: HashMap<AssociationNames<'a>, NodeId>,
    /// The cluster of the tree, or else of the first job.
    cluster: Vec<u8>,
    /// The runs, by their start.
    seen: HashSet<RunKey>,
    /// The starts of runs that ended because their job was resized, by their end.
    resized: HashMap<RunKey, i64>,
    /// The numbers of the jobs that are charged, in their order.
    numbers: Vec<Option<u64>>,
    /// Whether components of heterogeneous jobs are charged at their submission; `None` if that is unknown.
    charges_submissions: Option<bool>,
    /// The numbers of those that are charged.
    submitted: HashSet<u64>,
    /// Whether the columns tell components of heterogeneous jobs and their submission.
    tells_submissions: bool,
    /// When the controller was started, in Unix seconds.
    booted: Option<i64>,
    /// What is left out or doubtful.
    counts: Counts,
    /// The jobs that are charged, and the problems.
    ran: RanJobs,
}

/// Reads the jobs of a file for the associations of a tree. A line that cannot be read is a problem, and is left out.
pub(crate) fn read(
    path: &Path,
    snapshot: &Snapshot,
    prices: &Prices,
    zone: &TimeZone,
    report: OnProgress<'_>,
) -> LoadResult<RanJobs> {
    let file = input::name(path);
    let mut reader = JobReader::new(path, snapshot, prices, zone);
    let mut headings: Option<Headings<JobColumn>> = None;
    let mut is_json = false;
    input::lines(path, report, &mut |line, text| {
        if let Some(headings) = &headings {
            reader.read_line(line, text, headings);
            return Ok(true);
        }
        if line == 1 && text.trim_ascii_start().starts_with(b"{") {
            is_json = true;
            return Ok(false);
        }
        headings = read_headings(text, &file)?;
        Ok(true)
    })?;
    if is_json {
        reader.tells_submissions = true;
        json::read(&input::read(path, report)?, &mut reader)?;
    } else if let Some(headings) = &headings {
        reader.tells_submissions =
            headings.has(JobColumn::ArrayId) && headings.has(JobColumn::Submit);
    } else {
        return Err(Refusal::does(&file, "has no header of sacct", AGAIN).into());
    }
    reader.finish(snapshot, &file)
}

/// Reads a line of headings; `None` for a line before them. Fails for headings that lack a column, or that are in
/// columns of a fixed width.
fn read_headings(text: &[u8], file: &Shown) -> LoadResult<Option<Headings<JobColumn>>> {
    if !text.contains(&b'|') {
        for word in text.split(u8::is_ascii_whitespace) {
            if word == b"JobID" {
                let what =
                    "the output of sacct in columns, which cut names and leave out what is charged";
                return Err(Refusal::is(file, what, AGAIN).into());
            }
        }
        return Ok(None);
    }
    let headings = Headings::of_line(text);
    // Without these nothing can be charged.
    let needed = [JobColumn::Start, JobColumn::End, JobColumn::Allocated];
    for column in needed {
        if !headings.has(column) {
            let name = column.name();
            let what = format!("has no column {name}");
            return Err(Refusal::does(file, &what, AGAIN).into());
        }
    }
    Ok(Some(headings))
}

/// A time as `sacct` prints it.
enum JobTime {
    /// `None` or `Unknown`, or 0 seconds.
    Never,
    /// A moment up to the latest date.
    At(Moment),
    /// Too late to be true, in Unix seconds.
    Late(i64),
    /// No time.
    Bad,
}

/// When a job ran, in Unix seconds.
struct RunTimes {
    /// The start.
    from: i64,
    /// `i64::MAX` if it still runs.
    until: i64,
}

/// Returns the number of a job, with the place in its array: `12_3`. `None` for other texts.
fn number(id: &[u8]) -> Option<u64> {
    let mut parts = id.split(|&byte| byte == b'_' || byte == b'+');
    let job: u32 = parsed(parts.next()?)?;
    let mut number = u64::from(job) << 32;
    if let Some(part) = parts.next() {
        let task: u32 = parsed(part)?;
        let place = task.checked_add(1)?;
        number += u64::from(place);
    }
    Some(number)
}

/// Returns whether a version charges heterogeneous jobs at their submission, with limits enforced; `None` if unknown.
fn charges_submissions(snapshot: &Snapshot) -> Option<bool> {
    if snapshot.settings.slurm.charges_ends == Some(false) {
        return Some(false);
    }
    let release = release_of(&snapshot.source.version)?;
    if release >= CHARGING_SUBMISSIONS {
        Some(true)
    } else if release <= NOT_CHARGING_SUBMISSIONS {
        Some(false)
    } else {
        None
    }
}

impl<'a> JobReader<'a> {
    /// Begins with the associations of a tree.
    fn new(path: &Path, snapshot: &'a Snapshot, prices: &'a Prices, zone: &'a TimeZone) -> Self {
        let tree = &snapshot.tree;
        let mut by_id = HashMap::new();
        let mut by_names = HashMap::new();
        for node in tree.users() {
            if let Some(id) = snapshot.recorded.figure(Fact::Id, node) {
                by_id.insert(id.value.to_bits(), node);
            }
            let account = match tree.parent(node) {
                Some(account) => tree.name(account),
                None => b"",
            };
            let names = AssociationNames {
                user: tree.name(node),
                account,
                partition: tree.partition(node).unwrap_or_default(),
            };
            by_names.entry(names).or_insert(node);
        }
        Self {
            prices,
            zone,
            latest: LatestDate::after(snapshot.settings.time.taken, input::modified(path)),
            by_id,
            by_names,
            cluster: snapshot.source.cluster.clone().into_bytes(),
            seen: HashSet::new(),
            resized: HashMap::new(),
            numbers: Vec::new(),
            charges_submissions: charges_submissions(snapshot),
            submitted: HashSet::new(),
            tells_submissions: false,
            booted: snapshot.settings.slurm.booted_in(zone),
            counts: Counts::default(),
            ran: RanJobs {
                problems: Problems::of(input::name(path)),
                ..RanJobs::default()
            },
        }
    }

    /// Reads a line of a table.
    fn read_line(&mut self, line: u64, text: &[u8], headings: &Headings<JobColumn>) {
        let row = headings.divide(text);
        if row.is_whole() {
            self.take(line, &row);
        } else {
            let count = row.len();
            let expected = headings.len();
            self.report(line, JobProblem::Cells { count, expected });
        }
    }

    /// Reports why the job of a line is left out.
    fn report(&mut self, line: u64, problem: JobProblem) {
        self.ran.problems.report(line, problem);
    }

    /// Charges a job, or reports why it is not charged.
    fn take(&mut self, line: u64, row: &JobRow<'_>) {
        let job = match self.job(row) {
            Ok(Some(job)) => job,
            Ok(None) => return,
            Err(problem) => return self.report(line, problem),
        };
        if let Some(booted) = self.booted
            && job.from < booted
        {
            self.counts.early += 1;
        }
        self.charge(job, number(row.id()));
    }

    /// Adds a job that is charged, with its number if it has one.
    fn charge(&mut self, job: RanJob, number: Option<u64>) {
        self.ran.jobs.push(job);
        self.numbers.push(number);
    }

    /// Charges a component of a heterogeneous job for the time from the last calculation to its submission.
    fn charge_submission(&mut self, row: &JobRow<'_>, node: NodeId, rate: f64) {
        if self.charges_submissions == Some(false) || !row.is_component() {
            return;
        }
        let is_charged = self.charges_submissions.is_some();
        let submitted = self.time(row, JobColumn::Submit);
        if let JobTime::At(Moment { first, .. }) = submitted
            && let Some(number) = number(row.id())
            && is_charged
        {
            // The runs of a job that was put back have one submission.
            if self.submitted.insert(number) {
                let mut job = RanJob::new(node, first, first, rate);
                job.since = i64::MIN;
                self.charge(job, None);
            }
        } else {
            self.counts.submissions += 1;
        }
    }

    /// Returns what is charged for a job; `None` for a step, and for a job that did not run.
    fn job(&mut self, row: &JobRow<'_>) -> Result<Option<RanJob>, JobProblem> {
        self.counts.rows += 1;
        let id = row.id();
        if id.contains(&b'.') {
            self.counts.steps += 1;
            return Ok(None);
        }
        let state = row.text(JobColumn::State);
        let restarts: Option<u64> = parsed(row.text(JobColumn::Restarts));
        self.counts.has_requeued |= state.starts_with(b"REQUEUED");
        self.counts.has_restarts |= restarts > Some(0);
        if !self.is_of_cluster(row) {
            self.counts.others += 1;
            return Ok(None);
        }
        let Some(times) = self.times(row)? else {
            return Ok(None);
        };
        let Some(allocated) = row.get(JobColumn::Allocated) else {
            return Ok(None);
        };
        let partition = row.text(JobColumn::Partition);
        let qos = row.text(JobColumn::Qos);
        let Some(rate) = self.prices.rate(partition, qos, allocated) else {
            let allocated = shown(allocated);
            return Err(JobProblem::Resources { allocated });
        };
        let Some(node) = self.association(row) else {
            let user = shown(row.text(JobColumn::User));
            let account = shown(row.text(JobColumn::Account));
            return Err(JobProblem::UnknownUser { user, account });
        };
        let RunTimes { from, until } = times;
        let number = number(id);
        if let Some(job) = number
            && !self.seen.insert(RunKey { job, time: from })
        {
            self.counts.repeated += 1;
            return Ok(None);
        }
        if !rate.is_by_weights {
            self.counts.billed += 1;
        }
        self.charge_submission(row, node, rate.units);
        if let Some(job) = number
            && state.starts_with(b"RESIZING")
        {
            let end = RunKey { job, time: until };
            self.resized.insert(end, from);
        }
        Ok(Some(RanJob::new(node, from, until, rate.units)))
    }

    /// Returns whether a job is of the cluster, which the first job tells if the tree does not.
    fn is_of_cluster(&mut self, row: &JobRow<'_>) -> bool {
        let cluster = row.text(JobColumn::Cluster);
        if self.cluster.is_empty() {
            self.cluster = cluster.to_vec();
        }
        cluster.is_empty() || cluster == self.cluster
    }

    /// Returns when a job ran; `None` if it did not.
    fn times(&mut self, row: &JobRow<'_>) -> Result<Option<RunTimes>, JobProblem> {
        let start = self.time(row, JobColumn::Start);
        let end = self.time(row, JobColumn::End);
        let mut times = RunTimes {
            from: 0,
            until: i64::MAX,
        };
        match (start, end) {
            (JobTime::Never, JobTime::Never | JobTime::At(_)) => {
                if self.charges_submissions != Some(false) && row.is_component() {
                    self.counts.submissions += 1;
                }
                return Ok(None);
            }
            (JobTime::At(from), JobTime::Never) => {
                self.counts.count_readings(&[from]);
                times.from = from.first;
            }
            (JobTime::At(from), JobTime::At(until)) => {
                self.counts.count_readings(&[from, until]);
                times.from = from.first;
                times.until = until.first;
                if times.until < times.from {
                    times.until = until.last;
                }
            }
            (JobTime::Late(moment), _) | (_, JobTime::Late(moment)) => {
                let why = self.latest.refusal(moment);
                return Err(JobProblem::LateTime { why });
            }
            (JobTime::Bad, _) | (_, JobTime::Bad) => {
                let start = shown(row.text(JobColumn::Start));
                let end = shown(row.text(JobColumn::End));
                return Err(JobProblem::NoTimes { start, end });
            }
        }
        if times.until < times.from {
            return Err(JobProblem::EndsEarly);
        }
        Ok(Some(times))
    }

    /// Reads a time of a job.
    fn time(&self, row: &JobRow<'_>, column: JobColumn) -> JobTime {
        let cell = row.text(column);
        if matches!(cell, b"" | b"None" | b"Unknown" | b"0") {
            return JobTime::Never;
        }
        let text = String::from_utf8_lossy(cell);
        let moment = match moment_of(&text, self.zone) {
            Ok(moment) => moment,
            Err(MomentError::Form(_)) => return JobTime::Bad,
            Err(MomentError::Beyond(_)) => return JobTime::Late(i64::MAX),
        };
        let first = moment.first;
        if self.latest.excludes(first) {
            JobTime::Late(first)
        } else if first > 0 {
            JobTime::At(moment)
        } else {
            JobTime::Bad
        }
    }

    /// Returns the association of a job: by its id, else by its names, with its partition if there is one for that.
    fn association(&self, row: &JobRow<'_>) -> Option<NodeId> {
        let id: Option<f64> = parsed(row.text(JobColumn::Association));
        if let Some(id) = id
            && let Some(&node) = self.by_id.get(&id.to_bits())
        {
            return Some(node);
        }
        for partition in [row.text(JobColumn::Partition), b""] {
            let names = AssociationNames {
                user: row.text(JobColumn::User),
                account: row.text(JobColumn::Account),
                partition,
            };
            if let Some(&node) = self.by_names.get(&names) {
                return Some(node);
            }
        }
        None
    }

    /// Returns when a job began that was resized since, from the start of one of its runs.
    fn first_start(&self, job: u64, start: i64) -> i64 {
        let mut first = start;
        while let Some(&before) = self.resized.get(&RunKey { job, time: first })
            && before < first
        {
            first = before;
        }
        first
    }

    /// Reports what was left out or assumed. Fails if only steps were found.
    fn finish(mut self, snapshot: &Snapshot, file: &Shown) -> LoadResult<RanJobs> {
        let rows = self.counts.rows;
        if rows > 0 && self.counts.steps == rows {
            let what = "has only steps of jobs, which are not charged";
            return Err(Refusal::does(file, what, AGAIN).into());
        }
        let mut ran = std::mem::take(&mut self.ran);
        for (place, job) in ran.jobs.iter_mut().enumerate() {
            if let Some(number) = self.numbers[place] {
                job.since = self.first_start(number, job.from);
            }
        }
        let is_charged = self.charges_submissions == Some(true);
        let lacks_submissions = is_charged && !self.tells_submissions;
        let settings = &snapshot.settings;
        let problems = &mut ran.problems;
        note_unknown(self.prices, settings, lacks_submissions, problems);
        if self.counts.early > 0 {
            let began = jobs(self.counts.early);
            let booted = match &settings.slurm.booted {
                Some(time) => sentence!(", {time}"),
                None => Shown::default(),
            };
            let problem = JobProblem::BeforeBoot { began, booted };
            problems.report(Place::WHOLE, problem);
        }
        self.counts.report(problems);
        Ok(ran)
    }
}
