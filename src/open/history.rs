//! The usage that jobs gave a tree: the scheduler's clock is run over them, from before the first one to the moments
//! that are asked for.

use crate::base::number::{DAY, grouped};
use crate::base::shown::{Shown, sentence};
use crate::format::jobs::{Computed, LATEST, RanJob, RanJobs, Stranger};
use crate::format::problem::Place;
use crate::format::series::{Dated, Dump, Series};
use crate::format::slurm::companion::Companion;
use crate::format::slurm::prices::Prices;
use crate::format::{
    LoadError, LoadResult, Loaded, OnProgress, Problems, Progress, ProgressUnit, Request, Severity,
    flux, input, pbs, slurm,
};
use crate::model::{
    Campaign, Kind, NodeId, Origin, Pace, Scheduler, Settings, Shares, Snapshot, Time, Tree, Usage,
    date_of,
};
use crate::rules::clock::{Clock, OnSeconds};
use jiff::tz::TimeZone;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

/// The most numbers of usage that are kept, one for every node and moment.
const MOST: usize = 8_000_000;

/// Reads jobs that ran, and gives the tree the usage that they gave it.
pub(super) fn read(
    path: &Path,
    loaded: &mut Loaded,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<()> {
    let zone = request.history.zone();
    let (snapshot, problems) = (&mut loaded.snapshot, &mut loaded.problems);
    let ran = match snapshot.settings.scheduler {
        Some(Scheduler::Slurm) => {
            let companions = &loaded.companions;
            let unpriced = |error| LoadError::Refused(sentence!("{error}"));
            let mut prices = Prices::of(&snapshot.settings).map_err(unpriced)?;
            for source in companions.of(Companion::Partitions) {
                prices.read_partitions(&*source.read(&mut *report)?, problems);
            }
            for source in companions.of(Companion::Qos) {
                prices.read_factors(&*source.read(&mut *report)?, problems);
            }
            slurm::sacct::read(path, snapshot, &prices, &zone, &mut *report)?
        }
        Some(Scheduler::Pbs) => {
            let Snapshot { tree, settings, .. } = snapshot;
            let input = input::read(path, &mut *report)?;
            pbs::accounting::read(&input, tree, settings, &zone, &mut *report)?
        }
        Some(Scheduler::Flux) if flux::is_database(path)? => {
            let (recorded, settings) = (&snapshot.recorded, &snapshot.settings.flux);
            flux::ran_jobs(path, &snapshot.tree, recorded, settings, &mut *report)?
        }
        Some(Scheduler::Flux) => {
            let input = input::read(path, &mut *report)?;
            let (tree, recorded) = (&snapshot.tree, &mut snapshot.recorded);
            flux::jobs::read(&input, tree, Arc::make_mut(recorded), problems)?;
            let history = &request.history;
            if history.from.or(history.until).is_none() && history.every.is_none() {
                // The jobs explain the usage of the database.
                return Ok(());
            }
            let jobs = tree.users().flat_map(|node| {
                let jobs = recorded.jobs(node).iter();
                jobs.map(move |job| (node, *job))
            });
            flux::jobs::ran(jobs, &snapshot.settings.flux)
        }
        None => {
            return Err(LoadError::Refused(
                "--jobs needs a tree of a scheduler; leave it out".into(),
            ));
        }
    };
    charge(loaded, ran, &input::name(path), request, report)
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
    let mut problems = ran.problems.list().iter();
    let unknown = problems.find(|it| request.history.is_strict && it.code.contains("unknown"));
    if let Some(problem) = unknown {
        let refusal = sentence!("{problem}; or leave out --strict");
        return Err(LoadError::Refused(refusal));
    }
    loaded.problems.append(std::mem::take(&mut ran.problems));
    let (Some(first), Some(last)) = (ran.jobs.iter().map(|job| job.from).min(), ran.last()) else {
        let mut problems = loaded.problems.list().iter();
        let problem = problems.rfind(|it| it.severity != Severity::Note);
        let reason = problem.map(|it| sentence!(": {it}")).unwrap_or_default();
        let refusal = sentence!("{file} has no job that ran of a user in the tree{reason}");
        return Err(LoadError::Refused(refusal));
    };
    let history = &request.history;
    let moments = moments(request, first, last, loaded.snapshot.tree.id_count())?;
    let mut base = loaded.snapshot.clone();
    add_strangers(&mut base.tree, &mut ran);
    let taken = base.settings.time.taken.filter(|_| history.adds_usage);
    if history.adds_usage {
        let Some(taken) = taken.filter(|&taken| moments[0] >= taken) else {
            return Err(LoadError::Refused(
                "the date of the source is not known, or later than what is asked for; leave out --add-usage".into(),
            ));
        };
        // What ended before is in that usage, and what ran is charged in it up to the last calculation.
        ran.jobs.retain(|job| job.until > taken);
    } else {
        forget_usage(&mut base.tree, base.settings.scheduler);
    }
    let span = [taken.unwrap_or(first), last];
    let begin = begin(&mut base.settings, &history.zone(), span);
    let zone = base.settings.time.zone.take();
    let at = |taken: i64| Time {
        taken: Some(taken),
        zone: zone.clone(),
        ..Time::default()
    };
    base.settings.time = at(begin);
    Arc::make_mut(&mut base.recorded).forget_usage();
    let origin = Origin::Jobs(file.to_string(), ran.jobs.len());
    base.source.origins.push(origin);
    let clock = Clock::of(&base.tree, &base.settings);
    let period = i64::try_from(clock.cycle()).unwrap_or(i64::MAX);
    for job in &mut ran.jobs {
        // The first calculation charges what is new in a job for the whole period, too.
        let calculated = job.from - (job.from - begin).rem_euclid(period);
        job.from = calculated.max(job.since).min(job.from);
    }
    ran.jobs.sort_by_key(|job| Reverse(job.from));
    let mut replay = Replay {
        clock,
        begin,
        waiting: ran.jobs,
        running: Vec::new(),
    };
    if let Some(asked) = history.until {
        check_moment(asked, last, &mut loaded.problems);
    }
    let are_days = moments.iter().all(|at| at % i64::from(DAY) == 0);
    let dated = if are_days {
        Dated::ByDay
    } else {
        Dated::ByMinute
    };
    let mut dumps = Vec::new();
    for moment in moments.iter().copied() {
        replay.advance(moment, &mut |passed| {
            report(&Progress {
                file: sentence!("{file}, charged"),
                unit: ProgressUnit::Seconds,
                done: passed,
                total: u64::try_from(moments[moments.len() - 1] - begin).ok(),
                nodes: 0,
            })
        })?;
        let mut snapshot = Snapshot {
            tree: replay.clock.tree(),
            settings: replay.clock.settings().clone(),
            ..base.clone()
        };
        snapshot.source.taken = Some(moment);
        snapshot.settings.time = at(moment);
        dumps.push(Dump {
            path: request.path().to_owned(),
            at: moment,
            dated,
            computed: Some(Computed(Arc::new(snapshot))),
        });
    }
    if let Some(newest) = dumps.last().and_then(|dump| dump.computed.as_ref()) {
        loaded.snapshot = (*newest.0).clone();
    }
    if dumps.len() > 1 {
        loaded.series = Series::of(dumps);
    }
    Ok(())
}

/// Says that a moment is so much later than the last job that most usage may have decayed, if it is.
fn check_moment(asked: i64, last: i64, problems: &mut Problems) {
    if asked <= last.saturating_add(LATEST) {
        return;
    }
    if let (Some(asked), Some(last)) = (date_of(asked), date_of(last)) {
        let message = sentence!(
            "the moment asked for, {}, is more than a year after the last job, of {}",
            asked.date(),
            last.date()
        );
        let advice =
            "give an earlier one with --at or --until, unless usage is meant to decay so long";
        problems.warn(Place::WHOLE, "jobs-late", message, advice);
    }
}

/// Returns the moments that a request asks for, in order: one, or a first one and the others at the same intervals.
fn moments(request: &Request, first: i64, last: i64, nodes: usize) -> LoadResult<Vec<i64>> {
    let history = &request.history;
    let until = history.until.unwrap_or(last);
    if history.from.is_none() && history.every.is_none() {
        return Ok(vec![until]);
    }
    let step = history.every.map_or_else(|| DAY.into(), |step| step.max(1));
    let begin = || first + i64::try_from(step).map_or(0, |step| step - first.rem_euclid(step));
    let from = history.from.unwrap_or_else(|| begin().min(until));
    let count = u64::try_from(until.saturating_sub(from)).map(|span| span / step + 1);
    let Ok(count) = count else {
        return Err(LoadError::Refused(
            "the series ends before it begins; give --from before --until".into(),
        ));
    };
    let most = MOST / nodes.max(1);
    if usize::try_from(count).is_ok_and(|count| count <= most) {
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        return Ok((0..)
            .map_while(|place: i64| {
                let at = from.checked_add(place.checked_mul(step)?)?;
                (at <= until).then_some(at)
            })
            .collect());
    }
    Err(LoadError::Refused(sentence!(
        "these are {} moments, more than the {} that are kept of this tree; give longer intervals with --every, or a \
         shorter time",
        grouped(count),
        grouped(most)
    )))
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
    let ids = (0..tree.id_count()).map(NodeId::from_index);
    let stated = ids.map(|node| tree.usage(node).amount());
    let usages = stated.map(|stated| stated.map_or(Usage::NONE, |_| first));
    let usages = usages.collect();
    tree.set_usages(usages);
    tree.set_usage_state(None);
}

/// Returns the last calculation of a scheduler before a moment, and moves its own record of time to that.
fn begin(settings: &mut Settings, zone: &TimeZone, [moment, last]: [i64; 2]) -> i64 {
    let before = |known: i64, step: i64| moment - (moment - known).rem_euclid(step.max(1));
    match settings.scheduler {
        Some(Scheduler::Slurm) => {
            let known = settings.slurm.booted_in(zone).unwrap_or(0);
            before(known, settings.slurm.calc_period.into())
        }
        Some(Scheduler::Pbs) => {
            let pbs = &mut settings.pbs;
            pbs.last_decay = before(pbs.last_decay, pbs.fairshare_decay_time);
            pbs.last_decay
        }
        Some(Scheduler::Flux) => {
            let flux = &mut settings.flux;
            let half_life = f64::from(flux.decay_half_life.max(1));
            // The first period ends two half-lives after it began, and is noted with its middle.
            let is_first = flux.end_half_life_period > last as f64;
            let begun = flux.end_half_life_period - if is_first { half_life } else { 0.0 };
            let periods = ((begun - moment as f64) / half_life).ceil();
            flux.end_half_life_period -= periods.max(0.0) * half_life;
            before(0, 60 * 60)
        }
        None => moment,
    }
}

/// Jobs that are charged as time passes.
struct Replay {
    clock: Clock,
    begin: i64,
    /// The jobs by their beginning, the last one first.
    waiting: Vec<RanJob>,
    running: Vec<RanJob>,
}

impl Replay {
    /// Lets time pass up to a moment, and calls `progress` with the seconds since the beginning.
    fn advance(&mut self, to: i64, progress: OnSeconds<'_>) -> LoadResult<()> {
        let end = u64::try_from(to.saturating_sub(self.begin)).unwrap_or(0);
        let passed = self.clock.passed();
        if passed >= end {
            return Ok(());
        }
        let cycle = self.clock.cycle();
        let cycle_begin = passed / cycle * cycle;
        let since = |moment: i64| u64::try_from(moment.saturating_sub(self.begin)).unwrap_or(0);
        self.running.retain(|job| since(job.until) > cycle_begin);
        let next = |job: &&RanJob| since(job.from) < end;
        while let Some(job) = self.waiting.last().filter(next) {
            self.running.push(*job);
            self.waiting.pop();
        }
        let mut pace = Pace::default();
        for job in &self.running {
            pace.plan(Campaign {
                node: job.node,
                rate: job.rate,
                from: since(job.from),
                until: since(job.until),
            });
        }
        self.clock.set_pace(Arc::new(pace));
        let clock = &mut self.clock;
        let advanced = clock.advance(end - passed, &mut |seconds| progress(passed + seconds));
        if advanced.is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }
}
