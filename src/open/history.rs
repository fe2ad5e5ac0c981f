//! The usage that jobs gave a tree: the scheduler's clock is run over them, from before the first one to the moments
//! that are asked for.

use super::refused;
use crate::base::number::{DAY, grouped};
use crate::base::shown::{Shown, sentence};
use crate::format::jobs::{Computed, LATEST, RanJob, RanJobs, Stranger};
use crate::format::problem::{Place, problems};
use crate::format::series::{Dated, Dump, Series};
use crate::format::slurm::companion::Companion;
use crate::format::slurm::prices::Prices;
use crate::format::{
    LoadError, LoadResult, Loaded, OnProgress, Problems, Progress, ProgressUnit, Request, Severity,
    flux, input, pbs, slurm,
};
use crate::model::{
    Campaign, Kind, Origin, Pace, Scheduler, Settings, Shares, Snapshot, Time, Tree, Usage, date_of,
};
use crate::rules::clock::{Clock, OnSeconds};
use jiff::tz::TimeZone;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

problems! {
    /// What is odd about the moments that a request asks for.
    enum HistoryProblem {
        Late { asked: Shown, last: Shown }, Warning "jobs-late",
            "the moment asked for, {asked}, is more than a year after the last job, of {last}",
            "give an earlier one with --at or --until, unless usage is meant to decay so long";
    }
}

/// The most numbers of usage that are kept, one for every node and moment.
const MOST: usize = 8_000_000;

/// The time that the jobs of a file span, in Unix seconds.
#[derive(Clone, Copy)]
struct JobSpan {
    /// When the first one began.
    first: i64,
    /// When the last one began or ended.
    last: i64,
}

/// Reads jobs that ran, and gives the tree the usage that they gave it.
pub(super) fn read(
    path: &Path,
    loaded: &mut Loaded,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<()> {
    match read_jobs(path, loaded, request, report)? {
        Some(ran) => charge(loaded, ran, &input::name(path), request, report),
        None => Ok(()),
    }
}

/// Reads the jobs of a file as the scheduler of the tree lists them. `None` if they only explain the usage of the tree.
fn read_jobs(
    path: &Path,
    loaded: &mut Loaded,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<Option<RanJobs>> {
    let zone = request.history.zone();
    let ran = match loaded.snapshot.settings.scheduler {
        Some(Scheduler::Slurm) => {
            let prices = prices(loaded, report)?;
            slurm::sacct::read(path, &loaded.snapshot, &prices, &zone, report)?
        }
        Some(Scheduler::Pbs) => {
            let Snapshot { tree, settings, .. } = &loaded.snapshot;
            let input = input::read(path, report)?;
            pbs::accounting::read(&input, tree, settings, &zone, report)?
        }
        Some(Scheduler::Flux) if flux::is_database(path)? => {
            let snapshot = &loaded.snapshot;
            let settings = &snapshot.settings.flux;
            flux::ran_jobs(path, &snapshot.tree, &snapshot.recorded, settings, report)?
        }
        Some(Scheduler::Flux) => return read_listed(path, loaded, request, report),
        None => {
            return refused("--jobs needs a tree of a scheduler; leave it out");
        }
    };
    Ok(Some(ran))
}

/// Reads what seconds of Slurm's jobs cost: from the settings, and from the outputs that were found with the tree.
fn prices(loaded: &mut Loaded, report: OnProgress<'_>) -> LoadResult<Prices> {
    let settings = &loaded.snapshot.settings;
    let mut prices = match Prices::of(settings) {
        Ok(prices) => prices,
        Err(error) => return refused(sentence!("{error}")),
    };
    for source in loaded.companions.of(Companion::Partitions) {
        let partitions = source.read(report)?;
        prices.read_partitions(&partitions, &mut loaded.problems);
    }
    for source in loaded.companions.of(Companion::Qos) {
        let factors = source.read(report)?;
        prices.read_factors(&factors, &mut loaded.problems);
    }
    Ok(prices)
}

/// Reads a list of Flux's finished jobs, which the tree keeps. `None` unless a request asks for a moment: then the jobs
/// explain the usage of the database.
fn read_listed(
    path: &Path,
    loaded: &mut Loaded,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<Option<RanJobs>> {
    let input = input::read(path, report)?;
    let Loaded {
        snapshot, problems, ..
    } = loaded;
    let tree = &snapshot.tree;
    let recorded = Arc::make_mut(&mut snapshot.recorded);
    flux::jobs::read(&input, tree, recorded, problems)?;
    let history = &request.history;
    let asks_for_one = history.from.is_some() || history.until.is_some();
    if !asks_for_one && history.every.is_none() {
        return Ok(None);
    }
    let mut jobs = Vec::new();
    for node in tree.users() {
        for &job in recorded.jobs(node) {
            jobs.push((node, job));
        }
    }
    let settings = &snapshot.settings.flux;
    Ok(Some(flux::jobs::ran(jobs.into_iter(), settings)))
}

/// Replaces the usage of a tree by what jobs had given it at the last moment that a request asks for. With several
/// moments it becomes one of a series.
pub(super) fn charge(
    loaded: &mut Loaded,
    mut ran: RanJobs,
    file: &Shown,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<()> {
    let history = &request.history;
    if history.is_strict {
        refuse_unknown(&ran)?;
    }
    loaded.problems.append(std::mem::take(&mut ran.problems));
    let Some(span) = span(&ran) else {
        return Err(no_jobs(&loaded.problems, file));
    };
    let moments = moments(request, span, loaded.snapshot.tree.id_count())?;
    let mut base = loaded.snapshot.clone();
    add_strangers(&mut base.tree, &mut ran);
    let mut charged = span;
    if history.adds_usage {
        let taken = match base.settings.time.taken {
            Some(taken) if moments[0] >= taken => taken,
            _ => {
                return refused(
                    "the date of the source is not known, or later than what is asked for; leave out --add-usage",
                );
            }
        };
        // What ended before is in that usage, and what ran is charged in it up to the last calculation.
        ran.jobs.retain(|job| job.until > taken);
        charged.first = taken;
    } else {
        forget_usage(&mut base.tree, base.settings.scheduler);
    }
    let begin = begin(&mut base.settings, &history.zone(), charged);
    let zone = base.settings.time.zone.take();
    base.settings.time = time_at(begin, zone.as_ref());
    Arc::make_mut(&mut base.recorded).forget_usage();
    let origin = Origin::Jobs(file.to_string(), ran.jobs.len());
    base.source.origins.push(origin);
    if let Some(asked) = history.until {
        check_moment(asked, span.last, &mut loaded.problems);
    }
    let dated = precision(&moments);
    let last_moment = moments[moments.len() - 1];
    let span_seconds = u64::try_from(last_moment - begin).ok();
    let mut replay = Replay::new(&base, begin, ran.jobs);
    let mut dumps = Vec::with_capacity(moments.len());
    for moment in moments {
        replay.advance(moment, &mut |passed| {
            report(&Progress {
                file: sentence!("{file}, charged"),
                unit: ProgressUnit::Seconds,
                done: passed,
                total: span_seconds,
                nodes: 0,
            })
        })?;
        let mut snapshot = base.clone();
        snapshot.tree = replay.clock.tree();
        snapshot.settings = replay.clock.settings().clone();
        snapshot.source.taken = Some(moment);
        snapshot.settings.time = time_at(moment, zone.as_ref());
        dumps.push(Dump {
            path: request.path().to_owned(),
            at: moment,
            dated,
            computed: Some(Computed(Arc::new(snapshot))),
        });
    }
    if let Some(newest) = dumps.last()
        && let Some(computed) = &newest.computed
    {
        loaded.snapshot = (*computed.0).clone();
    }
    if dumps.len() > 1 {
        loaded.series = Series::of(dumps);
    }
    Ok(())
}

/// Returns the time that jobs span; `None` without jobs.
fn span(ran: &RanJobs) -> Option<JobSpan> {
    Some(JobSpan {
        first: ran.first()?,
        last: ran.last()?,
    })
}

/// Returns whether moments are given by the day, because all of them are midnights in UTC.
fn precision(moments: &[i64]) -> Dated {
    for moment in moments {
        if moment % i64::from(DAY) != 0 {
            return Dated::ByMinute;
        }
    }
    Dated::ByDay
}

/// Refuses jobs of users who are not in the tree.
fn refuse_unknown(ran: &RanJobs) -> LoadResult<()> {
    for problem in ran.problems.list() {
        if problem.code.contains("unknown") {
            let refusal = sentence!("{problem}; or leave out --strict");
            return refused(refusal);
        }
    }
    Ok(())
}

/// Returns the error for a file without jobs of the tree, with the last problem that may be the reason.
fn no_jobs(problems: &Problems, file: &Shown) -> LoadError {
    let mut reason = Shown::default();
    for problem in problems.list().iter().rev() {
        if problem.severity != Severity::Note {
            reason = sentence!(": {problem}");
            break;
        }
    }
    LoadError::Refused(sentence!(
        "{file} has no job that ran of a user in the tree{reason}"
    ))
}

/// Returns the time of a computed tree, by the clocks of the cluster's zone.
fn time_at(taken: i64, zone: Option<&TimeZone>) -> Time {
    Time {
        taken: Some(taken),
        zone: zone.cloned(),
        ..Time::default()
    }
}

/// Reports that a moment is so much later than the last job that most usage may have decayed, if it is.
fn check_moment(asked: i64, last: i64, problems: &mut Problems) {
    if asked <= last.saturating_add(LATEST) {
        return;
    }
    if let Some(asked) = date_of(asked)
        && let Some(last) = date_of(last)
    {
        let problem = HistoryProblem::Late {
            asked: sentence!("{}", asked.date()),
            last: sentence!("{}", last.date()),
        };
        problems.report(Place::WHOLE, problem);
    }
}

/// Returns the moments that a request asks for, in order: one, or a first one and the others at the same intervals.
/// `nodes` limits how many are kept.
fn moments(request: &Request, span: JobSpan, nodes: usize) -> LoadResult<Vec<i64>> {
    let history = &request.history;
    let until = history.until.unwrap_or(span.last);
    if history.from.is_none() && history.every.is_none() {
        return Ok(vec![until]);
    }
    let every = history.every.unwrap_or_else(|| DAY.into()).max(1);
    let step = i64::try_from(every).ok();
    let from = match (history.from, step) {
        (Some(from), _) => from,
        (None, Some(step)) => first_multiple_after(span.first, step).min(until),
        (None, None) => span.first.min(until),
    };
    let Ok(seconds) = u64::try_from(until.saturating_sub(from)) else {
        return refused("the series ends before it begins; give --from before --until");
    };
    let count = seconds / every + 1;
    let most = MOST / nodes.max(1);
    if usize::try_from(count).is_ok_and(|count| count <= most) {
        let step = step.unwrap_or(i64::MAX);
        let mut moments = Vec::new();
        let mut next = Some(from);
        while let Some(moment) = next
            && moment <= until
        {
            moments.push(moment);
            next = moment.checked_add(step);
        }
        return Ok(moments);
    }
    refused(sentence!(
        "these are {} moments, more than the {} that are kept of this tree; give longer intervals with --every, or a \
         shorter time",
        grouped(count),
        grouped(most)
    ))
}

/// Returns the first multiple of some seconds after a moment.
fn first_multiple_after(moment: i64, step: i64) -> i64 {
    moment.saturating_add(step - moment.rem_euclid(step))
}

/// Adds the entities that the tree lacks below PBS's group `unknown`, as PBS does when it charges them.
fn add_strangers(tree: &mut Tree, ran: &mut RanJobs) {
    let Some(unknown) = tree.unknown() else {
        return;
    };
    for Stranger { name, jobs } in std::mem::take(&mut ran.strangers) {
        let node = tree.add(
            unknown,
            &name,
            None,
            Kind::User,
            Shares::new(1),
            Usage::NONE,
        );
        for place in jobs {
            ran.jobs[place].node = node;
        }
    }
}

/// Sets all usage to that of the beginning, where the tree states any: 0, and under PBS what every entity has without a
/// record.
fn forget_usage(tree: &mut Tree, scheduler: Option<Scheduler>) {
    let first = match scheduler {
        Some(Scheduler::Pbs) => Usage::NONE,
        _ => Usage::new(0.0),
    };
    let mut usages = Vec::with_capacity(tree.id_count());
    for node in tree.all_ids() {
        let is_stated = tree.usage(node).amount().is_some();
        usages.push(if is_stated { first } else { Usage::NONE });
    }
    tree.set_usages(usages);
    tree.set_usage_state(None);
}

/// Returns the last calculation of a scheduler before the first job, and moves its own record of time to that.
fn begin(settings: &mut Settings, zone: &TimeZone, jobs: JobSpan) -> i64 {
    match settings.scheduler {
        Some(Scheduler::Slurm) => {
            let known = settings.slurm.booted_in(zone).unwrap_or(0);
            last_step_before(jobs.first, known, settings.slurm.calc_period.into())
        }
        Some(Scheduler::Pbs) => {
            let pbs = &mut settings.pbs;
            pbs.last_decay = last_step_before(jobs.first, pbs.last_decay, pbs.fairshare_decay_time);
            pbs.last_decay
        }
        Some(Scheduler::Flux) => {
            let flux = &mut settings.flux;
            let half_life = f64::from(flux.decay_half_life.max(1));
            let first = jobs.first as f64;
            let last = jobs.last as f64;
            let mut begun = flux.end_half_life_period;
            // The first period ends two half-lives after it began, and is noted with its middle.
            if begun > last {
                begun -= half_life;
            }
            let periods = ((begun - first) / half_life).ceil();
            flux.end_half_life_period -= periods.max(0.0) * half_life;
            last_step_before(jobs.first, 0, 60 * 60)
        }
        None => jobs.first,
    }
}

/// Returns the last moment not after a given one that is whole steps away from a known one.
fn last_step_before(moment: i64, known: i64, step: i64) -> i64 {
    moment - (moment - known).rem_euclid(step.max(1))
}

/// Jobs that are charged as time passes.
struct Replay {
    /// The scheduler's clock, which holds the tree and its usage.
    clock: Clock,
    /// When the clock began, in Unix seconds.
    begin: i64,
    /// The jobs by their beginning, the last one first.
    waiting: Vec<RanJob>,
    /// The jobs that began, without those that ended before the present calculation.
    running: Vec<RanJob>,
}

impl Replay {
    /// Starts the clock of a tree without the usage of the jobs.
    fn new(base: &Snapshot, begin: i64, mut jobs: Vec<RanJob>) -> Self {
        let clock = Clock::new(&base.tree, &base.settings);
        let period = i64::try_from(clock.cycle()).unwrap_or(i64::MAX);
        for job in &mut jobs {
            // The first calculation charges what is new in a job for the whole period, too.
            let calculated = job.from - (job.from - begin).rem_euclid(period);
            job.from = calculated.max(job.since).min(job.from);
        }
        jobs.sort_by_key(|job| Reverse(job.from));
        Self {
            clock,
            begin,
            waiting: jobs,
            running: Vec::new(),
        }
    }

    /// Returns the seconds from the beginning to a moment; 0 for earlier ones.
    fn since_begin(&self, moment: i64) -> u64 {
        u64::try_from(moment.saturating_sub(self.begin)).unwrap_or(0)
    }

    /// Lets time pass up to a moment, and calls `progress` with the seconds since the beginning.
    fn advance(&mut self, to: i64, progress: OnSeconds<'_>) -> LoadResult<()> {
        let end = self.since_begin(to);
        let passed = self.clock.passed();
        if passed >= end {
            return Ok(());
        }
        let cycle = self.clock.cycle();
        let cycle_begin = passed / cycle * cycle;
        let mut running = std::mem::take(&mut self.running);
        running.retain(|job| self.since_begin(job.until) > cycle_begin);
        while let Some(&job) = self.waiting.last()
            && self.since_begin(job.from) < end
        {
            running.push(job);
            self.waiting.pop();
        }
        let mut pace = Pace::default();
        for job in &running {
            pace.plan(Campaign {
                node: job.node,
                rate: job.rate,
                from: self.since_begin(job.from),
                until: self.since_begin(job.until),
            });
        }
        self.running = running;
        self.clock.set_pace(Arc::new(pace));
        let clock = &mut self.clock;
        let advanced = clock.advance(end - passed, &mut |seconds| progress(passed + seconds));
        if advanced.is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }
}
