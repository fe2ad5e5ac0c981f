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

use super::prices::{Prices, note_unknown};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::jobs::{LatestDate, RanJob, RanJobs};
use crate::format::problem::{Place, Problems, problems};
use crate::format::sheet::{Headings, SheetColumn as _, SheetRow, sheet_columns};
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal, input};
use crate::model::{
    ClockReading, Fact, Moment, MomentError, NodeId, Snapshot, moment_of, release_of,
};
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};
use std::path::Path;

const AGAIN: &str = "run sacct -a -D -X -P -S START -o \
                     JobID,JobIDRaw,User,Account,Cluster,Partition,QOS,Submit,Start,End,AllocTRES,State,AssocID,Restarts";

/// The first version that charges heterogeneous jobs at their submission, and the last one that does not.
const CHARGING_SUBMISSIONS: (u32, u32) = (26, 5);
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

/// The columns without which nothing can be charged.
const NEEDED: [JobColumn; 3] = [JobColumn::Start, JobColumn::End, JobColumn::Allocated];

/// The cells of a job; empty where there are none.
#[derive(Clone, Copy, Default)]
struct JobRow<'a> {
    number: &'a [u8],
    array_id: &'a [u8],
    user: &'a [u8],
    account: &'a [u8],
    cluster: &'a [u8],
    partition: &'a [u8],
    qos: &'a [u8],
    start: &'a [u8],
    end: &'a [u8],
    allocated: &'a [u8],
    association: &'a [u8],
    state: &'a [u8],
    restarts: &'a [u8],
    submitted: &'a [u8],
}

impl<'a> JobRow<'a> {
    fn of(row: &SheetRow<'a, JobColumn>) -> Self {
        Self {
            number: row.text(JobColumn::Id),
            array_id: row.text(JobColumn::ArrayId),
            user: row.text(JobColumn::User),
            account: row.text(JobColumn::Account),
            cluster: row.text(JobColumn::Cluster),
            partition: row.text(JobColumn::Partition),
            qos: row.text(JobColumn::Qos),
            start: row.text(JobColumn::Start),
            end: row.text(JobColumn::End),
            allocated: row.text(JobColumn::Allocated),
            association: row.text(JobColumn::Association),
            state: row.text(JobColumn::State),
            restarts: row.text(JobColumn::Restarts),
            submitted: row.text(JobColumn::Submit),
        }
    }

    /// Returns the number of the job, or its place in an array.
    fn id(&self) -> &'a [u8] {
        if self.number.is_empty() {
            self.array_id
        } else {
            self.number
        }
    }

    /// Returns whether it is a component of a heterogeneous job: `6+0`.
    fn is_component(&self) -> bool {
        self.array_id.contains(&b'+')
    }
}

problems! {
    enum JobProblem {
        Cells { count: usize, expected: usize }, Error "slurm-jobs-line",
            "{count} cells in place of {expected}; the job was left out",
            "print it again with sacct -P, without fields that may hold a bar";
        LateTime { why: Shown }, Warning "slurm-jobs-time",
            "the job was left out: {why}",
            "expected times such as 2026-11-23T20:48:02 or 2026-11-23T20:48:02+01:00, or seconds since 1970";
        NoTimes { start: Shown, end: Shown }, Warning "slurm-jobs-time",
            "Start is {start} and End is {end}, which are not both times; the job was left out",
            "expected times such as 2026-11-23T20:48:02 or 2026-11-23T20:48:02+01:00, or seconds since 1970";
        EndsEarly, Warning "slurm-jobs-time",
            "the job ends before it starts, and was left out",
            "check the clocks of the nodes, and sacctmgr show runawayjobs";
        Resources { allocated: Shown }, Warning "slurm-jobs-tres",
            "AllocTRES is {allocated}, which is not NAME=COUNT behind commas; the job was left out",
            "print it again with sacct -P";
        UnknownUser { user: Shown, account: Shown }, Warning "slurm-jobs-unknown",
            "the tree has no user '{user}\' in the account {account}; the job was left out",
            "give the tree of that time, or add the association";
        BeforeBoot { began: Shown, booted: Shown }, Note "slurm-jobs-before-boot",
            "{began} began before BOOT_TIME{booted}: the calculations before that are taken to be as regular as those since, an error of at most one period of each of these jobs",
            "for exact usage begin with a tree that was saved since then: --add-usage";
        OtherClusters { jobs: Shown }, Warning "slurm-jobs-cluster",
            "{jobs} of other clusters left out", "name the cluster with sacct -M";
        Twice { jobs: Shown }, Warning "slurm-jobs-twice",
            "{jobs} printed twice, and charged once", "nothing needs to be done";
        Billed { jobs: Shown }, Warning "slurm-jobs-billing",
            "{jobs} charged by billing= of AllocTRES, a whole number, for the weights of the partition give another one",
            "save scontrol show partition and scontrol show config of that time";
        Submissions { jobs: Shown }, Warning "slurm-jobs-submitted",
            "{jobs} of several components (heterogeneous), without what Slurm 26.05 charges for them at their submission",
            "print JobID and Submit, too; jobs that never began, and versions between 24.11 and 26.05, are not known well enough";
        SkippedHour { jobs: Shown }, Warning "slurm-jobs-zone",
            "{jobs} with a time in an hour that the clock of the time zone skipped, taken as if it had not",
            "give the time zone of the cluster with --timezone";
        HourShownTwice { jobs: Shown }, Warning "slurm-jobs-clock",
            "{jobs} with a time in the hour that the clock showed twice, taken to be the first one",
            "print times with SLURM_TIME_FORMAT=%s";
        LastRunOnly { jobs: Shown }, Warning "slurm-jobs-requeued",
            "{jobs} or more put back into the queue, of which only the last run is in the file",
            "run sacct with -D";
    }
}

/// Jobs as they are read.
struct Reader<'a> {
    prices: &'a Prices,
    zone: &'a TimeZone,
    latest: LatestDate,
    /// By the bits of their ids.
    by_id: HashMap<u64, NodeId>,
    /// By user, account and partition; the last is empty for the association of all partitions.
    by_names: HashMap<[&'a [u8]; 3], NodeId>,
    cluster: Vec<u8>,
    /// The runs, by the number of the job and the start.
    seen: HashSet<(u64, i64)>,
    /// The starts of runs that ended because their job was resized, by the number of the job and that end.
    resized: HashMap<(u64, i64), i64>,
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
    counts: Counts,
    ran: RanJobs,
}

/// How many rows are left out or doubtful.
#[derive(Default)]
struct Counts {
    rows: usize,
    steps: usize,
    others: usize,
    twice: usize,
    billed: usize,
    /// With a time that the clock showed twice, and with one that it skipped.
    twice_shown: usize,
    skipped: usize,
    is_requeued: bool,
    has_requeued: bool,
    /// Components of heterogeneous jobs whose charge at their submission is not known.
    submissions: usize,
    /// Begun before the controller was started.
    early: usize,
}

impl Counts {
    /// Counts a job whose times are doubtful.
    fn clock(&mut self, times: [Moment; 2]) {
        let has = |reading| times.iter().any(|time| time.reading == reading);
        self.twice_shown += usize::from(has(ClockReading::Twice));
        self.skipped += usize::from(has(ClockReading::Skipped));
    }

    /// Says what was left out or assumed.
    fn tell(&self, problems: &mut Problems) {
        let jobs = |count| counted(count, "job", "jobs");
        let mut tell = |count, problem: fn(Shown) -> JobProblem| {
            if count > 0 {
                problems.report(Place::WHOLE, problem(jobs(count)));
            }
        };
        tell(self.others, |jobs| JobProblem::OtherClusters { jobs });
        tell(self.twice, |jobs| JobProblem::Twice { jobs });
        tell(self.billed, |jobs| JobProblem::Billed { jobs });
        tell(self.submissions, |jobs| JobProblem::Submissions { jobs });
        tell(self.skipped, |jobs| JobProblem::SkippedHour { jobs });
        tell(self.twice_shown, |jobs| JobProblem::HourShownTwice { jobs });
        if self.is_requeued && !self.has_requeued {
            problems.report(Place::WHOLE, JobProblem::LastRunOnly { jobs: jobs(1) });
        }
    }
}

/// Reads the jobs of a file for the associations of a tree. A line that cannot be read is a problem, and is left out.
pub(crate) fn read(
    path: &Path,
    snapshot: &Snapshot,
    prices: &Prices,
    zone: &TimeZone,
    report: OnProgress<'_>,
) -> LoadResult<RanJobs> {
    let mut reader = Reader::of(path, snapshot, prices, zone);
    let mut headings: Option<Headings<JobColumn>> = None;
    let mut is_json = false;
    input::lines(path, report, &mut |line, text| {
        let Some(headings) = &headings else {
            is_json = line == 1 && text.trim_ascii_start().starts_with(b"{");
            headings = header(text, &input::name(path))?;
            reader.tells_submissions = is_json || headings.as_ref().is_some_and(tells_submissions);
            return Ok(!is_json);
        };
        let row = headings.divide(text);
        if row.is_whole() {
            reader.take(line, JobRow::of(&row));
        } else {
            let (count, expected) = (row.len(), headings.len());
            let problem = JobProblem::Cells { count, expected };
            reader.ran.problems.report(line, problem);
        }
        Ok(true)
    })?;
    if is_json {
        json::read(&input::read(path, report)?, &mut reader)?;
    } else if headings.is_none() {
        return Err(Refusal::does(&input::name(path), "has no header of sacct", AGAIN).into());
    }
    reader.finish(snapshot, &input::name(path))
}

/// Returns whether the columns tell components of heterogeneous jobs and their submission.
fn tells_submissions(headings: &Headings<JobColumn>) -> bool {
    headings.has(JobColumn::ArrayId) && headings.has(JobColumn::Submit)
}

/// Returns what the columns of a header hold; `None` of a line before the header.
fn header(text: &[u8], file: &Shown) -> LoadResult<Option<Headings<JobColumn>>> {
    if !text.contains(&b'|') {
        let mut words = text.split(u8::is_ascii_whitespace);
        if words.any(|word| word == b"JobID") {
            let what =
                "the output of sacct in columns, which cut names and leave out what is charged";
            return Err(Refusal::is(file, what, AGAIN).into());
        }
        return Ok(None);
    }
    let headings = Headings::of_line(text);
    for column in NEEDED {
        if !headings.has(column) {
            let what = format!("has no column {}", column.name());
            return Err(Refusal::does(file, &what, AGAIN).into());
        }
    }
    Ok(Some(headings))
}

/// A time as `sacct` prints it.
enum JobTime {
    /// `None` or `Unknown`, or 0 seconds.
    Never,
    At(Moment),
    /// Too late to be true, in Unix seconds.
    Late(i64),
    Bad,
}

impl JobTime {
    fn of(text: &[u8], zone: &TimeZone, latest: LatestDate) -> Self {
        if matches!(text, b"" | b"None" | b"Unknown" | b"0") {
            return Self::Never;
        }
        match moment_of(&String::from_utf8_lossy(text), zone) {
            Ok(moment) if latest.excludes(moment.first) => Self::Late(moment.first),
            Ok(moment) if moment.first > 0 => Self::At(moment),
            Ok(_) | Err(MomentError::Form(_)) => Self::Bad,
            Err(MomentError::Beyond(_)) => Self::Late(i64::MAX),
        }
    }
}

/// Returns the number of a job, with the place in its array: `12_3`. `None` for other texts.
fn number(id: &[u8]) -> Option<u64> {
    let mut parts = id.split(|byte| matches!(byte, b'_' | b'+'));
    let job: u32 = parsed(parts.next()?)?;
    let task = parts.next();
    let task = task.map_or(Some(0), |it| parsed::<u32>(it)?.checked_add(1))?;
    Some(u64::from(job) << 32 | u64::from(task))
}

/// Returns when a job began that was resized since, from the start of one of its runs.
fn first_start(resized: &HashMap<(u64, i64), i64>, number: u64, start: i64) -> i64 {
    let mut first = start;
    while let Some(&before) = resized.get(&(number, first)).filter(|&&it| it < first) {
        first = before;
    }
    first
}

/// Returns whether a version charges heterogeneous jobs at their submission, with limits enforced; `None` if unknown.
fn charges_submissions(snapshot: &Snapshot) -> Option<bool> {
    if snapshot.settings.slurm.charges_ends == Some(false) {
        return Some(false);
    }
    let release = release_of(&snapshot.source.version)?;
    let is_known = release <= NOT_CHARGING_SUBMISSIONS || release >= CHARGING_SUBMISSIONS;
    is_known.then_some(release >= CHARGING_SUBMISSIONS)
}

impl<'a> Reader<'a> {
    fn of(path: &Path, snapshot: &'a Snapshot, prices: &'a Prices, zone: &'a TimeZone) -> Self {
        let (tree, recorded) = (&snapshot.tree, &snapshot.recorded);
        let (mut by_id, mut by_names) = (HashMap::new(), HashMap::new());
        for node in tree.users() {
            let id = recorded.figure(Fact::Id, node);
            by_id.extend(id.map(|id| (id.value.to_bits(), node)));
            let account = tree.parent(node).map(|account| tree.name(account));
            let partition = tree.partition(node).unwrap_or_default();
            let names = [tree.name(node), account.unwrap_or_default(), partition];
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

    fn take(&mut self, line: u64, row: JobRow<'_>) {
        match self.job(row) {
            Ok(Some(job)) => {
                let is_early = self.booted.is_some_and(|booted| job.from < booted);
                self.counts.early += usize::from(is_early);
                self.charge(job, number(row.id()));
            }
            Ok(None) => {}
            Err(problem) => self.ran.problems.report(line, problem),
        }
    }

    fn charge(&mut self, job: RanJob, number: Option<u64>) {
        self.ran.jobs.push(job);
        self.numbers.push(number);
    }

    /// Charges a component of a heterogeneous job for the time from the last calculation to its submission.
    fn charge_submission(&mut self, row: JobRow<'_>, node: NodeId, rate: f64) {
        if self.charges_submissions == Some(false) || !row.is_component() {
            return;
        }
        let submitted = JobTime::of(row.submitted, self.zone, self.latest);
        match (submitted, number(row.id())) {
            (JobTime::At(moment), Some(number)) if self.charges_submissions.is_some() => {
                // The runs of a job that was put back have one submission.
                if self.submitted.insert(number) {
                    let mut job = RanJob::new(node, moment.first, moment.first, rate);
                    job.since = i64::MIN;
                    self.charge(job, None);
                }
            }
            _ => self.counts.submissions += 1,
        }
    }

    /// Returns what is charged for a job; `None` for a step, and for a job that did not run.
    fn job(&mut self, row: JobRow<'_>) -> Result<Option<RanJob>, JobProblem> {
        let counts = &mut self.counts;
        counts.rows += 1;
        if row.id().contains(&b'.') {
            counts.steps += 1;
            return Ok(None);
        }
        counts.has_requeued |= row.state.starts_with(b"REQUEUED");
        let is_resized = row.state.starts_with(b"RESIZING");
        let restarts = parsed(row.restarts);
        counts.is_requeued |= restarts.is_some_and(|restarts: u64| restarts > 0);
        if self.cluster.is_empty() {
            self.cluster = row.cluster.to_vec();
        } else if !row.cluster.is_empty() && row.cluster != self.cluster {
            counts.others += 1;
            return Ok(None);
        }
        let start = JobTime::of(row.start, self.zone, self.latest);
        let end = JobTime::of(row.end, self.zone, self.latest);
        let (from, until) = match [start, end] {
            [JobTime::Never, JobTime::Never | JobTime::At(_)] => {
                let is_charged = self.charges_submissions != Some(false) && row.is_component();
                counts.submissions += usize::from(is_charged);
                return Ok(None);
            }
            [JobTime::At(from), JobTime::Never] => {
                counts.clock([from, from]);
                (from.first, i64::MAX)
            }
            [JobTime::At(from), JobTime::At(until)] => {
                counts.clock([from, until]);
                let is_later = until.first < from.first;
                (from.first, if is_later { until.last } else { until.first })
            }
            [JobTime::Late(moment), _] | [_, JobTime::Late(moment)] => {
                let why = self.latest.refusal(moment);
                return Err(JobProblem::LateTime { why });
            }
            [JobTime::Bad, _] | [_, JobTime::Bad] => {
                let (start, end) = (shown(row.start), shown(row.end));
                return Err(JobProblem::NoTimes { start, end });
            }
        };
        if until < from {
            return Err(JobProblem::EndsEarly);
        }
        if row.allocated.is_empty() {
            return Ok(None);
        }
        let rate = self.prices.rate(row.partition, row.qos, row.allocated);
        let Some((rate, is_printed)) = rate else {
            let allocated = shown(row.allocated);
            return Err(JobProblem::Resources { allocated });
        };
        let Some(node) = self.node(row) else {
            let (user, account) = (shown(row.user), shown(row.account));
            return Err(JobProblem::UnknownUser { user, account });
        };
        if number(row.id()).is_some_and(|id| !self.seen.insert((id, from))) {
            self.counts.twice += 1;
            return Ok(None);
        }
        self.counts.billed += usize::from(!is_printed);
        self.charge_submission(row, node, rate);
        if let Some(number) = number(row.id()).filter(|_| is_resized) {
            self.resized.insert((number, until), from);
        }
        Ok(Some(RanJob::new(node, from, until, rate)))
    }

    /// Returns the association of a job: by its id, else by its names, with its partition if there is one for that.
    fn node(&self, row: JobRow<'_>) -> Option<NodeId> {
        let id: Option<f64> = parsed(row.association);
        let by_id = id.and_then(|id| self.by_id.get(&id.to_bits()));
        let by_names = |partition| self.by_names.get(&[row.user, row.account, partition]);
        let found = by_id.or_else(|| by_names(row.partition));
        found.or_else(|| by_names(b"")).copied()
    }

    /// Says what was left out or assumed.
    fn finish(self, snapshot: &Snapshot, file: &Shown) -> LoadResult<RanJobs> {
        let Self {
            counts,
            mut ran,
            resized,
            ..
        } = self;
        for (job, number) in ran.jobs.iter_mut().zip(self.numbers) {
            if let Some(number) = number {
                job.since = first_start(&resized, number, job.from);
            }
        }
        if counts.rows > 0 && counts.steps == counts.rows {
            let what = "has only steps of jobs, which are not charged";
            return Err(Refusal::does(file, what, AGAIN).into());
        }
        let lacks_submissions = self.charges_submissions == Some(true) && !self.tells_submissions;
        let settings = &snapshot.settings;
        note_unknown(self.prices, settings, lacks_submissions, &mut ran.problems);
        if counts.early > 0 {
            let began = counted(counts.early, "job", "jobs");
            let booted = settings.slurm.booted;
            let booted = booted.map(|time| sentence!(", {time}")).unwrap_or_default();
            let problem = JobProblem::BeforeBoot { began, booted };
            ran.problems.report(Place::WHOLE, problem);
        }
        counts.tell(&mut ran.problems);
        Ok(ran)
    }
}
