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
use crate::format::problem::{Place, Problems};
use crate::format::{LoadError, LoadResult, OnProgress, Refusal};
use crate::model::{MomentError, NodeId, Settings, Tree, moment_of};
use crate::rules::policy::formula::{Formula, Inputs};
use hashbrown::{HashMap, HashSet};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use memchr::{memchr, memchr2, memmem};
use std::collections::BTreeMap;

const ADVICE: &str =
    "give files of /var/spool/pbs/server_priv/accounting, or the output of qstat -xf";

/// The beginning of a job in `qstat -xf`.
const BLOCK: &[u8] = b"Job Id:";

/// The keys of the texts that are read of a job, in logs and in `qstat -xf`.
const KEYS: [&str; 2] = [
    "user group account queue start end",
    "euser egroup Account_Name queue stime obittime job_state Job_Owner mtime",
];

/// Reads the jobs in an accounting log or in `qstat -xf`, for which a tree is charged. Dates are of the time zone. A job
/// that cannot be charged is a problem.
pub fn read(
    input: &Input,
    tree: &Tree,
    settings: &Settings,
    zone: &TimeZone,
    report: OnProgress<'_>,
) -> LoadResult<RanJobs> {
    let text = without_mark(&input.bytes);
    let mut log = JobLog::of(tree, settings, zone)?;
    log.latest = LatestDate::after(settings.time.taken, input.modified);
    log.ran.problems = Problems::of(input.name());
    let mut meter = Meter::new(input.name(), Some(text.len() as u64), report);
    let is_qstat = text.trim_ascii_start().starts_with(BLOCK);
    let (mut at, mut long) = (0, Vec::new());
    let lines = text.split(|&byte| byte == b'\n');
    for (line, text) in (1_u64..).zip(lines.chain(is_qstat.then_some(BLOCK))) {
        meter.at(at, log.ran.jobs.len())?;
        at += text.len() as u64 + 1;
        if !is_qstat {
            if !text.trim_ascii().is_empty() {
                log.line(line, text.trim_ascii());
            }
        } else if let Some(more) = text.strip_prefix(b"\t") {
            // A long value goes on in lines that begin with a tab.
            long.extend_from_slice(more.trim_ascii());
        } else {
            if let Some(equals) = memmem::find(&long, b" = ") {
                log.field(&long[..equals], &long[equals + 3..]);
            }
            text.trim_ascii().clone_into(&mut long);
            if let Some(id) = text.strip_prefix(BLOCK) {
                log.end_block();
                log.begin(line, id.trim_ascii());
            }
        }
    }
    log.end(input)
}

/// Takes `KEY=VALUE` from the beginning of a text. A value in quotes may hold blanks.
fn next_field<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    loop {
        *rest = rest.trim_ascii_start();
        let (key, behind) = rest.split_at(memchr2(b'=', b' ', rest)?);
        *rest = &behind[1..];
        if behind[0] == b'=' {
            let quoted = rest.strip_prefix(b"\"");
            let quoted = quoted.and_then(|text| Some(&text[..memchr(b'"', text)?]));
            let bare = &rest[..memchr(b' ', rest).unwrap_or(rest.len())];
            *rest = &rest[quoted.map_or(bare.len(), |quoted| quoted.len() + 2)..];
            return Some((key, quoted.unwrap_or(bare)));
        }
    }
}

/// A resource that the formula names, or the walltime: what a job used of it, and what it requested.
struct Resource {
    name: String,
    amounts: [Option<f64>; 2],
    /// Whether some job had it so far.
    is_known: bool,
}

struct JobLog<'a> {
    zone: &'a TimeZone,
    latest: LatestDate,
    entity: &'a str,
    formula: Formula,
    nodes: HashMap<&'a [u8], NodeId>,
    /// PBS's group of the entities that the tree lacks.
    unknown: Option<NodeId>,
    /// The line, the name, and the texts of the present job by the places of their keys; empty if it lacks them.
    line: u64,
    id: &'a [u8],
    texts: [Vec<u8>; 9],
    /// The walltime first.
    resources: Vec<Resource>,
    seen: HashSet<(&'a [u8], i64)>,
    /// How many records there were, those that charge nothing included.
    records: usize,
    /// The places of the entities that the tree lacks, by name.
    strangers: HashMap<Vec<u8>, usize>,
    ran: RanJobs,
}

impl<'a> JobLog<'a> {
    fn of(tree: &'a Tree, settings: &'a Settings, zone: &'a TimeZone) -> LoadResult<Self> {
        let text = &settings.pbs.fairshare_usage_res;
        let formula = Formula::of_usage(text).map_err(|why| {
            let advice = "set a formula of resources, as in --set fairshare_usage_res=cput";
            LoadError::Refused(sentence!("fairshare_usage_res: {why}; {advice}"))
        })?;
        let names = ["walltime"].into_iter().chain(formula.resources());
        let resources = names.map(|name| Resource {
            name: name.to_owned(),
            amounts: [None; 2],
            is_known: false,
        });
        // The first node of a name is the last that comes.
        let nodes = tree.nodes().iter().rev();
        Ok(Self {
            zone,
            latest: LatestDate::default(),
            entity: &settings.pbs.fairshare_entity,
            resources: resources.collect(),
            formula,
            nodes: nodes.map(|&node| (tree.name(node), node)).collect(),
            unknown: tree.unknown(),
            line: 0,
            id: b"",
            texts: Default::default(),
            seen: HashSet::new(),
            records: 0,
            strangers: HashMap::new(),
            ran: RanJobs::default(),
        })
    }

    fn begin(&mut self, line: u64, id: &'a [u8]) {
        (self.line, self.id) = (line, id);
        self.texts.iter_mut().for_each(Vec::clear);
        for resource in &mut self.resources {
            resource.amounts = [None; 2];
        }
    }

    fn field(&mut self, key: &[u8], value: &[u8]) {
        let used = key.strip_prefix(b"resources_used.");
        if let Some(name) = used.or_else(|| key.strip_prefix(b"Resource_List.")) {
            let resources = self.resources.iter_mut();
            for resource in resources.filter(|resource| resource.name.as_bytes() == name) {
                let amount = number::resource(value.trim_ascii()).0;
                resource.amounts[usize::from(used.is_none())] = Some(amount);
            }
        } else {
            let place = |keys: &&str| keys.split(' ').position(|known| known.as_bytes() == key);
            if let Some(place) = KEYS.iter().find_map(place) {
                value.trim_ascii().clone_into(&mut self.texts[place]);
            }
        }
    }

    fn line(&mut self, line: u64, text: &'a [u8]) {
        let mut parts = text.splitn(4, |&byte| byte == b';');
        let mut next = || parts.next().unwrap_or_default();
        let (stamp, kind, id, mut rest) = (next(), next(), next(), next());
        self.begin(line, id);
        if kind.len() != 1 || !kind[0].is_ascii_alphabetic() || id.is_empty() {
            let why = "expected a record such as 11/23/2026 20:50:28;E;12.server;user=bob";
            return self.refuse(sentence!("the line was left out: {why}"));
        }
        while let (b"E" | b"R", Some((key, value))) = (kind, next_field(&mut rest)) {
            self.field(key, value);
        }
        if self.texts[5].is_empty() {
            stamp.clone_into(&mut self.texts[5]);
        }
        let has_used = || memmem::find(text, b" resources_used.").is_some();
        self.charge(kind == b"E" || (kind == b"R" && has_used()), false);
    }

    /// Charges the job of a block of `qstat -xf`.
    fn end_block(&mut self) {
        let [user, .., from, until, state, owner, changed] = &mut self.texts;
        if user.is_empty() {
            user.extend(owner.iter().take_while(|&&byte| byte != b'@'));
        }
        if until.is_empty() {
            until.append(changed);
        }
        let is_running = matches!(&state[..], b"R" | b"E");
        // A job that was deleted while it waited has no start.
        let has_run = (is_running || matches!(&state[..], b"F" | b"X")) && !from.is_empty();
        if !self.id.is_empty() {
            self.charge(has_run, is_running);
        }
    }

    fn refuse(&mut self, message: Shown) {
        let problems = &mut self.ran.problems;
        problems.refuse(self.line, "pbs-job-line", message, ADVICE);
    }

    /// Charges the present job if it ran, or tells why not. The record of a whole array repeats those of its jobs.
    fn charge(&mut self, has_run: bool, is_running: bool) {
        self.records += 1;
        if !has_run || memmem::find(self.id, b"[]").is_some() {
            return;
        }
        let (job, id) = (self.job(is_running), shown(self.id));
        match job {
            Ok((job, stranger)) if self.seen.insert((self.id, job.until)) => {
                if let Some(name) = stranger {
                    self.add_stranger(name);
                }
                self.ran.jobs.push(job);
            }
            Ok(_) => {
                let message = sentence!("job {id} was left out: an earlier record has this end");
                let problems = &mut self.ran.problems;
                problems.warn(self.line, "pbs-job-repeated", message, "give each log once");
            }
            Err(why) => self.refuse(sentence!("job {id} was left out: {why}")),
        }
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

    /// Returns what the present job is charged, with the name of its entity if the tree lacks it; or why it is not.
    fn job(&mut self, is_running: bool) -> Result<(RanJob, Option<Vec<u8>>), Shown> {
        let [user, group, account, queue, from, until, ..] = &self.texts;
        let walltimes = self.resources[0].amounts;
        let walltime = walltimes.into_iter().flatten().find(|&time| time > 0.0);
        let ended = self.moment(until);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what began before 1970 is refused"
        )]
        let began = || ended?.checked_sub(walltime.filter(|_| from.is_empty())? as i64);
        let from = self.moment(from).or_else(began);
        let dates = [from, ended.filter(|_| !is_running)].into_iter().flatten();
        if let Some(late) = dates.max().filter(|&date| self.latest.excludes(date)) {
            return Err(self.latest.refusal(late));
        }
        let until = if is_running { Some(i64::MAX) } else { ended };
        let (Some(from @ 1..), Some(until)) = (from, until.filter(|it| Some(*it) >= from)) else {
            return Err("its start and end are not two moments, the earlier first".into());
        };
        let (nobody, pair) = (Vec::new(), [&group[..], b":", user].concat());
        let name = match self.entity {
            "euser" => user,
            "egroup" => group,
            "queue" => queue,
            "Account_Name" if !account.is_empty() => account,
            _ if group.is_empty() || user.is_empty() => &nobody,
            _ => &pair,
        };
        let known = self.nodes.get(&name[..]).copied();
        let Some(node) = known.or(self.unknown).filter(|_| !name.is_empty()) else {
            let (name, entity) = (shown(name), self.entity);
            return Err(sentence!("its {entity} '{name}' is not in the tree"));
        };
        let stranger = known.is_none().then(|| name.clone());
        if known.is_none() {
            let [id, name] = [self.id, name].map(shown);
            let message = sentence!(
                "{name} of job {id} is not in the tree; it was charged below unknown, with 1 share"
            );
            let advice = "set fairshare_entity as PBS has it if this is no entity of it";
            let problems = &mut self.ran.problems;
            problems.warn(self.line, "pbs-job-unknown", message, advice);
        }
        // What began just now goes on as it requested, and all else as it did so far.
        let is_new = is_running && walltimes[0].is_none_or(|time| time <= 0.0);
        let usage = self.usage(usize::from(is_new))?;
        let until = until.max(from.saturating_add(1));
        let seconds = (until - from) as f64;
        let seconds = walltime.filter(|_| is_running).unwrap_or(seconds);
        let rate = usage / seconds;
        Ok((RanJob::new(node, from, until, rate), stranger))
    }

    /// Returns the usage of the present job by what it used, if `first` is 0, and what it requested; or why it is unknown.
    fn usage(&mut self, first: usize) -> Result<f64, Shown> {
        let mut held = BTreeMap::new();
        for resource in &mut self.resources {
            let (name, amounts) = (&resource.name, resource.amounts);
            let amount = amounts[first].or(amounts[1]);
            resource.is_known |= amount.is_some();
            let amount = amount.unwrap_or(0.0);
            if !amount.is_finite() || amount < 0.0 {
                return Err(sentence!("{name} is not an amount from 0 up"));
            }
            held.insert(name.clone(), amount);
        }
        match self.formula.value(&Inputs::of_job(&held)) {
            Ok(value) if value.is_finite() => Ok(f64::from(value).max(0.0)),
            Ok(_) => Err("fairshare_usage_res gives no finite number".into()),
            Err(error) if error.makes_zero() => Ok(0.0),
            Err(error) => Err(sentence!("fairshare_usage_res has no value: {error}")),
        }
    }

    /// Returns a moment in Unix seconds, the last one there is if it is beyond the calendar: a date as in logs, as C's
    /// `ctime` writes it, or in any other form.
    fn moment(&self, text: &[u8]) -> Option<i64> {
        let text = std::str::from_utf8(text).ok()?;
        if let Ok(seconds) = text.parse() {
            return Some(seconds);
        }
        let forms = ["%m/%d/%Y %H:%M:%S", "%a %b %e %H:%M:%S %Y"];
        let mut dates = forms.iter().map(|form| DateTime::strptime(form, text));
        if let Some(date) = dates.find_map(Result::ok) {
            let date = date.to_zoned(self.zone.clone());
            return Some(date.ok()?.timestamp().as_second());
        }
        match moment_of(text, self.zone) {
            Ok(moment) => Some(moment.usual()),
            Err(MomentError::Beyond(_)) => Some(i64::MAX),
            Err(MomentError::Form(_)) => None,
        }
    }

    /// Returns the jobs. Refuses a file without any record.
    fn end(mut self, input: &Input) -> LoadResult<RanJobs> {
        let problems = &mut self.ran.problems;
        let mut named = self.resources.iter().skip(1);
        if self.records == 0 {
            let what = "has no record of a job of PBS";
            return Err(Refusal::does(&input.name(), what, ADVICE).into());
        }
        if self.ran.jobs.is_empty() {
            let records = counted(self.records, "record", "records");
            let message = sentence!("no job can be charged, among {records}");
            problems.warn(Place::WHOLE, "pbs-jobs-none", message, ADVICE);
        } else if let Some(Resource { name, .. }) = named.find(|it| !it.is_known) {
            let message = sentence!("no job has {name}, so it counts as 0 in fairshare_usage_res");
            let advice = "set fairshare_usage_res as in sched_config";
            problems.warn(Place::WHOLE, "pbs-job-resource", message, advice);
        }
        Ok(self.ran)
    }
}
