//! The jobs that ran under PBS: the server's accounting logs, or `qstat -xf`.
//!
//! A job costs the value of `fairshare_usage_res`: of the resources it used as far as its record tells them, else of those
//! it requested. It is charged evenly from its start to its end. PBS itself evaluates the formula at the start of each
//! scheduling cycle, after the decays that are due, and charges what has come since the last one. What a job used after
//! the last cycle that saw it run is never charged. So PBS charges less than this by the use in a part of a cycle, and
//! nothing for a job that no cycle saw.
//!
//! In a log the record `E` tells the end of a job, and `R` that of a run that was put back into the queue. Other records
//! charge nothing.

use super::number;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::jobs::{LatestDate, RanJob, RanJobs, Stranger};
use crate::format::problem::{Place, Problems, problems};
use crate::format::text::split;
use crate::format::{LoadError, LoadResult, OnProgress, Refusal};
use crate::model::{MomentError, NodeId, Settings, Tree, moment_of};
use crate::rules::policy::formula::{EvalError, Formula, Inputs};
use hashbrown::{HashMap, HashSet};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use memchr::{memchr, memchr2, memmem};
use std::collections::BTreeMap;
use std::ops::Range;

/// Where jobs that ran are.
const ADVICE: &str =
    "give files of /var/spool/pbs/server_priv/accounting, or the output of qstat -xf";

/// The beginning of a job in `qstat -xf`.
const BLOCK: &[u8] = b"Job Id:";

/// How logs and `qstat -xf` write dates that are no Unix seconds.
const DATE_FORMS: &[&str] = &["%m/%d/%Y %H:%M:%S", "%a %b %e %H:%M:%S %Y"];

problems! {
    /// What is wrong with a job, or with all of them.
    enum JobProblem {
        NoRecord, Error "pbs-job-line",
            "the line was left out: expected a record such as 11/23/2026 20:50:28;E;12.server;user=bob",
            "{ADVICE}";
        NotCharged { id: Shown, error: ChargeError }, Error "pbs-job-line",
            "job {id} was left out: {error}",
            "{ADVICE}";
        Repeated { id: Shown }, Warning "pbs-job-repeated",
            "job {id} was left out: an earlier record has this end", "give each log once";
        UnknownEntity { name: Shown, id: Shown }, Warning "pbs-job-unknown",
            "{name} of job {id} is not in the tree; it was charged below unknown, with 1 share",
            "set fairshare_entity as PBS has it if this is no entity of it";
        NoneCharged { records: Shown }, Warning "pbs-jobs-none",
            "no job can be charged, among {records}",
            "{ADVICE}";
        NoResource { name: String }, Warning "pbs-job-resource",
            "no job has {name}, so it counts as 0 in fairshare_usage_res",
            "set fairshare_usage_res as in sched_config";
    }
}

/// Why a job is not charged.
#[derive(Debug, thiserror::Error)]
enum ChargeError {
    /// A date after the latest one.
    #[error("{0}")]
    Late(Shown),
    /// No start, no end, or an end before the start.
    #[error("its start and end are not two moments, the earlier first")]
    Times,
    /// Neither the entity nor the group of unknown ones is in the tree.
    #[error("its {kind} '{name}' is not in the tree")]
    NoEntity { kind: Shown, name: Shown },
    /// An amount of a resource that is no number, or negative.
    #[error("{0} is not an amount from 0 up")]
    Amount(Shown),
    /// The formula has no value that counts.
    #[error("fairshare_usage_res gives no finite number")]
    Infinite,
    /// The formula has no value.
    #[error("fairshare_usage_res has no value: {0}")]
    Formula(EvalError),
}

/// Reads the jobs in an accounting log or in `qstat -xf`, for which a tree is charged. Dates are of the time zone. A job
/// that cannot be charged is a problem.
pub fn read(
    input: &Input,
    tree: &Tree,
    settings: &Settings,
    zone: &TimeZone,
    report: OnProgress,
) -> LoadResult<RanJobs> {
    let text = without_mark(&input.bytes);
    let mut reader = JobReader::new(input, tree, settings, zone)?;
    let mut meter = Meter::of_text(input.name(), text, report);
    let is_qstat = text.trim_ascii_start().starts_with(BLOCK);
    let mut at = 0;
    for (line, text) in (1..).zip(split(text, b'\n')) {
        meter.at(at, reader.ran.jobs.len())?;
        at += text.len() as u64 + 1;
        if is_qstat {
            reader.read_qstat(line, text);
        } else {
            reader.read_log(line, text.trim_ascii());
        }
    }
    if is_qstat {
        reader.end_block();
    }
    reader.finish(&input.name())
}

/// Takes `KEY=VALUE` from the beginning of a text, with the words before it. A value in quotes may hold blanks. `None` if
/// no field is left.
fn next_field<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    loop {
        *rest = rest.trim_ascii_start();
        let end = memchr2(b'=', b' ', rest)?;
        let key = &rest[..end];
        let is_key = rest[end] == b'=';
        *rest = &rest[end + 1..];
        if !is_key {
            continue;
        }
        if let Some(quoted) = rest.strip_prefix(b"\"")
            && let Some(end) = memchr(b'"', quoted)
        {
            *rest = &quoted[end + 1..];
            return Some((key, &quoted[..end]));
        }
        let end = memchr(b' ', rest).unwrap_or(rest.len());
        let value = &rest[..end];
        *rest = &rest[end..];
        return Some((key, value));
    }
}

/// What a record tells about a job. Texts are empty where it tells nothing.
#[derive(Default)]
struct JobRecord<'a> {
    /// The line of the record, or of its beginning.
    line: u64,
    /// The number of the job, with its server.
    id: &'a [u8],
    /// The user.
    user: Vec<u8>,
    /// The group of the user.
    group: Vec<u8>,
    /// The account string.
    account: Vec<u8>,
    /// The queue.
    queue: Vec<u8>,
    /// When it began.
    start: Vec<u8>,
    /// When it ended.
    end: Vec<u8>,
    /// Its state, in `qstat -xf`.
    state: Vec<u8>,
    /// Its owner and the host of the owner, in `qstat -xf`.
    owner: Vec<u8>,
    /// When it last changed, in `qstat -xf`.
    changed: Vec<u8>,
    /// Whether it still runs.
    is_running: bool,
}

impl JobRecord<'_> {
    /// Returns the text of a key of logs or of `qstat -xf`; `None` for other keys.
    fn text(&mut self, key: &[u8]) -> Option<&mut Vec<u8>> {
        Some(match key {
            b"user" | b"euser" => &mut self.user,
            b"group" | b"egroup" => &mut self.group,
            b"account" | b"Account_Name" => &mut self.account,
            b"queue" => &mut self.queue,
            b"start" | b"stime" => &mut self.start,
            b"end" | b"obittime" => &mut self.end,
            b"job_state" => &mut self.state,
            b"Job_Owner" => &mut self.owner,
            b"mtime" => &mut self.changed,
            _ => return None,
        })
    }
}

/// A resource that the formula names, or the walltime.
struct Resource {
    /// Its name.
    name: String,
    /// How much of it the present job used; `None` if that is not told.
    used: Option<f64>,
    /// How much of it the present job requested; `None` if that is not told.
    requested: Option<f64>,
    /// Whether some job had it so far.
    is_known: bool,
}

/// Charges jobs as they are read.
struct JobReader<'a> {
    /// The time zone of dates.
    zone: &'a TimeZone,
    /// The date after which a time is wrong.
    latest: LatestDate,
    /// The setting `fairshare_entity`: who is charged.
    entity: &'a str,
    /// The setting `fairshare_usage_res`: what is charged.
    formula: Formula,
    /// The nodes of the tree by name.
    nodes: HashMap<&'a [u8], NodeId>,
    /// PBS's group of the entities that the tree lacks; `None` in a tree that is not of PBS.
    unknown: Option<NodeId>,
    /// The present job.
    record: JobRecord<'a>,
    /// A field of `qstat -xf` that may go on in the next line.
    field: Vec<u8>,
    /// The walltime, and then the resources of the formula.
    resources: Vec<Resource>,
    /// The jobs that are charged, with their ends.
    seen: HashSet<(&'a [u8], i64)>,
    /// How many records there were, those that charge nothing included.
    records: usize,
    /// The places of the entities that the tree lacks, by name.
    strangers: HashMap<Vec<u8>, usize>,
    /// The jobs that are charged, and the problems.
    ran: RanJobs,
}

impl<'a> JobReader<'a> {
    /// Begins with the names of a tree. Fails if the formula is none of resources.
    fn new(
        input: &Input,
        tree: &'a Tree,
        settings: &'a Settings,
        zone: &'a TimeZone,
    ) -> LoadResult<Self> {
        let formula = match Formula::of_usage(&settings.pbs.fairshare_usage_res) {
            Ok(formula) => formula,
            Err(error) => {
                let advice = "set a formula of resources, as in --set fairshare_usage_res=cput";
                let refusal = sentence!("fairshare_usage_res: {error}; {advice}");
                return Err(LoadError::Refused(refusal));
            }
        };
        let mut resources = Vec::new();
        for name in ["walltime"].into_iter().chain(formula.resources()) {
            resources.push(Resource {
                name: name.to_owned(),
                used: None,
                requested: None,
                is_known: false,
            });
        }
        let mut nodes = HashMap::new();
        for &node in tree.nodes() {
            nodes.entry(tree.name(node)).or_insert(node);
        }
        Ok(Self {
            zone,
            latest: LatestDate::after(settings.time.taken, input.modified),
            entity: &settings.pbs.fairshare_entity,
            formula,
            nodes,
            unknown: tree.unknown(),
            record: JobRecord::default(),
            field: Vec::new(),
            resources,
            seen: HashSet::new(),
            records: 0,
            strangers: HashMap::new(),
            ran: RanJobs {
                problems: Problems::of(input.name()),
                ..RanJobs::default()
            },
        })
    }

    /// Begins with a job.
    fn begin(&mut self, line: u64, id: &'a [u8]) {
        self.record = JobRecord {
            line,
            id,
            ..JobRecord::default()
        };
        for resource in &mut self.resources {
            resource.used = None;
            resource.requested = None;
        }
    }

    /// Takes a field of the present job.
    fn set(&mut self, key: &[u8], value: &[u8]) {
        if let Some(text) = self.record.text(key) {
            return value.trim_ascii().clone_into(text);
        }
        let amount = number::resource(value.trim_ascii());
        let used = key.strip_prefix(b"resources_used.");
        let requested = key.strip_prefix(b"Resource_List.");
        for resource in &mut self.resources {
            let name = Some(resource.name.as_bytes());
            if name == used {
                resource.used = Some(amount);
            } else if name == requested {
                resource.requested = Some(amount);
            }
        }
    }

    /// Reads a line of a log.
    fn read_log(&mut self, line: u64, text: &'a [u8]) {
        if text.is_empty() {
            return;
        }
        let mut parts = text.splitn(4, |&byte| byte == b';');
        let stamp = parts.next().unwrap_or_default();
        let kind = parts.next().unwrap_or_default();
        let id = parts.next().unwrap_or_default();
        let is_kind = kind.len() == 1 && kind[0].is_ascii_alphabetic();
        if !is_kind || id.is_empty() {
            return self.ran.problems.report(line, JobProblem::NoRecord);
        }
        self.records += 1;
        let has_run = match kind {
            b"E" => true,
            b"R" => memmem::find(text, b" resources_used.").is_some(),
            _ => false,
        };
        if !has_run {
            return;
        }
        self.begin(line, id);
        let mut rest = parts.next().unwrap_or_default();
        while let Some((key, value)) = next_field(&mut rest) {
            self.set(key, value);
        }
        if self.record.end.is_empty() {
            stamp.clone_into(&mut self.record.end);
        }
        self.end_job();
    }

    /// Reads a line of `qstat -xf`.
    fn read_qstat(&mut self, line: u64, text: &'a [u8]) {
        if let Some(more) = text.strip_prefix(b"\t") {
            // A long value goes on in lines that begin with a tab.
            self.field.extend_from_slice(more.trim_ascii());
            return;
        }
        self.end_field();
        self.field = text.trim_ascii().to_vec();
        if let Some(id) = text.strip_prefix(BLOCK) {
            self.end_block();
            self.begin(line, id.trim_ascii());
        }
    }

    /// Takes a field of `qstat -xf` that does not go on.
    fn end_field(&mut self) {
        let field = std::mem::take(&mut self.field);
        if let Some(equals) = memmem::find(&field, b" = ") {
            self.set(&field[..equals], &field[equals + 3..]);
        }
    }

    /// Charges the job of a block of `qstat -xf`.
    fn end_block(&mut self) {
        let record = &mut self.record;
        if record.id.is_empty() {
            return;
        }
        if record.user.is_empty() {
            let end = memchr(b'@', &record.owner).unwrap_or(record.owner.len());
            record.user.extend_from_slice(&record.owner[..end]);
        }
        if record.end.is_empty() {
            record.end.append(&mut record.changed);
        }
        record.is_running = matches!(&record.state[..], b"R" | b"E");
        let has_ended = matches!(&record.state[..], b"F" | b"X");
        // A job that was deleted while it waited has no start.
        let has_run = (record.is_running || has_ended) && !record.start.is_empty();
        self.records += 1;
        if has_run {
            self.end_job();
        }
    }

    /// Charges the present job, or reports why not. The record of a whole array repeats those of its jobs.
    fn end_job(&mut self) {
        let JobRecord { line, id, .. } = self.record;
        if memmem::find(id, b"[]").is_some() {
            return;
        }
        if let Err(error) = self.charge() {
            let id = shown(id);
            let problem = JobProblem::NotCharged { id, error };
            self.ran.problems.report(line, problem);
        }
    }

    /// Charges the present job, unless it was charged already.
    fn charge(&mut self) -> Result<(), ChargeError> {
        let JobRecord { line, id, .. } = self.record;
        let times = self.times()?;
        let name = self.entity_name();
        let known = self.nodes.get(&name[..]).copied();
        let node = match known.or(self.unknown) {
            Some(node) if !name.is_empty() => node,
            _ => {
                return Err(ChargeError::NoEntity {
                    kind: Shown::again(self.entity.to_owned()),
                    name: shown(&name),
                });
            }
        };
        if known.is_none() {
            let problem = JobProblem::UnknownEntity {
                name: shown(&name),
                id: shown(id),
            };
            self.ran.problems.report(line, problem);
        }
        let usage = self.usage()?;
        let until = times.end.max(times.start.saturating_add(1));
        let seconds = match self.walltime() {
            Some(walltime) if self.record.is_running => walltime,
            _ => (until - times.start) as f64,
        };
        if !self.seen.insert((id, until)) {
            let problem = JobProblem::Repeated { id: shown(id) };
            self.ran.problems.report(line, problem);
            return Ok(());
        }
        if known.is_none() {
            self.add_stranger(name);
        }
        let job = RanJob::new(node, times.start, until, usage / seconds);
        self.ran.jobs.push(job);
        Ok(())
    }

    /// Notes that the next job is of an entity that the tree lacks.
    fn add_stranger(&mut self, name: Vec<u8>) {
        let strangers = &mut self.ran.strangers;
        let next = strangers.len();
        let place = *self.strangers.entry(name.clone()).or_insert(next);
        if place == next {
            let jobs = Vec::new();
            strangers.push(Stranger { name, jobs });
        }
        strangers[place].jobs.push(self.ran.jobs.len());
    }

    /// Returns the walltime that the present job used, or else that it requested, in seconds; `None` if neither is above 0.
    fn walltime(&self) -> Option<f64> {
        let walltime = &self.resources[0];
        for amount in [walltime.used, walltime.requested] {
            if amount.is_some_and(|seconds| seconds > 0.0) {
                return amount;
            }
        }
        None
    }

    /// Returns when the present job ran, in Unix seconds. The end is `i64::MAX` if it still runs.
    fn times(&self) -> Result<Range<i64>, ChargeError> {
        let record = &self.record;
        let ended = self.moment(&record.end);
        let mut began = self.moment(&record.start);
        if record.start.is_empty()
            && let Some(ended) = ended
            && let Some(walltime) = self.walltime()
        {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "what began before 1970 is refused"
            )]
            let seconds = walltime as i64;
            began = ended.checked_sub(seconds);
        }
        let last = if record.is_running {
            began
        } else {
            began.max(ended)
        };
        if let Some(last) = last
            && self.latest.excludes(last)
        {
            return Err(ChargeError::Late(self.latest.refusal(last)));
        }
        let until = if record.is_running {
            Some(i64::MAX)
        } else {
            ended
        };
        match (began, until) {
            (Some(from), Some(until)) if from > 0 && until >= from => Ok(from..until),
            _ => Err(ChargeError::Times),
        }
    }

    /// Returns the name of the entity that the present job is charged to; empty if its record does not tell it.
    fn entity_name(&self) -> Vec<u8> {
        let record = &self.record;
        match self.entity {
            "euser" => record.user.clone(),
            "egroup" => record.group.clone(),
            "queue" => record.queue.clone(),
            "Account_Name" if !record.account.is_empty() => record.account.clone(),
            _ if record.group.is_empty() || record.user.is_empty() => Vec::new(),
            _ => [&record.group[..], b":", &record.user].concat(),
        }
    }

    /// Returns the usage of the present job by what it used, or else requested. A job that began just now goes on as it
    /// requested, and all others as they did so far.
    fn usage(&mut self) -> Result<f64, ChargeError> {
        let has_run = self.resources[0].used.is_some_and(|seconds| seconds > 0.0);
        let is_new = self.record.is_running && !has_run;
        let mut amounts = BTreeMap::new();
        for resource in &mut self.resources {
            let told = match resource.used {
                Some(used) if !is_new => Some(used),
                _ => resource.requested,
            };
            resource.is_known |= told.is_some();
            let amount = told.unwrap_or(0.0);
            if !amount.is_finite() || amount < 0.0 {
                let name = Shown::again(resource.name.clone());
                return Err(ChargeError::Amount(name));
            }
            amounts.insert(resource.name.clone(), amount);
        }
        match self.formula.value(&Inputs::of_job(&amounts)) {
            Ok(value) if value.is_finite() => Ok(f64::from(value).max(0.0)),
            Ok(_) => Err(ChargeError::Infinite),
            Err(error) if error.makes_zero() => Ok(0.0),
            Err(error) => Err(ChargeError::Formula(error)),
        }
    }

    /// Returns a moment in Unix seconds, the last one there is if it is beyond the calendar: a date as in logs, as C's
    /// `ctime` writes it, or in any other form. `None` for other texts.
    fn moment(&self, bytes: &[u8]) -> Option<i64> {
        let text = str::from_utf8(bytes).ok()?;
        if let Ok(seconds) = text.parse() {
            return Some(seconds);
        }
        for form in DATE_FORMS {
            if let Ok(date) = DateTime::strptime(form, text) {
                let moment = date.to_zoned(self.zone.clone()).ok()?;
                return Some(moment.timestamp().as_second());
            }
        }
        match moment_of(text, self.zone) {
            Ok(moment) => Some(moment.usual()),
            Err(MomentError::Beyond(_)) => Some(i64::MAX),
            Err(MomentError::Form(_)) => None,
        }
    }

    /// Returns the jobs. Refuses a file without any record.
    fn finish(mut self, file: &Shown) -> LoadResult<RanJobs> {
        if self.records == 0 {
            let what = "has no record of a job of PBS";
            return Err(Refusal::does(file, what, ADVICE).into());
        }
        let problems = &mut self.ran.problems;
        if self.ran.jobs.is_empty() {
            let records = counted(self.records, "record", "records");
            problems.report(Place::WHOLE, JobProblem::NoneCharged { records });
            return Ok(self.ran);
        }
        for resource in &self.resources[1..] {
            if !resource.is_known {
                let name = resource.name.clone();
                problems.report(Place::WHOLE, JobProblem::NoResource { name });
                break;
            }
        }
        Ok(self.ran)
    }
}
