//! The derivation of a Flux user's usage, job by job: by the notes of 2021, and as flux-accounting counts today.
//!
//! A job counts nodes × seconds. What the next run of flux-accounting makes of them depends on whether a period of the decay
//! ends before it, which a source need not tell: then both outcomes are derived.

use super::why::{Derivation, Step};
use crate::base::number::amount;
use crate::base::shown::{Shown, sentence};
use crate::model::{FinishedJob, Kind, NodeId};
use crate::report::View;
use crate::report::render::json::{Entries, object};
use crate::report::render::line::Emphasis;
use crate::rules::clock::flux::{Branch, JobUsageFactor, NewJobs, Period, Totals, bins_held};
use crate::rules::policy::Policy;
use serde::Serialize;

/// The usage of a user, job by job.
struct JobUsage {
    /// By the notes of 2021.
    notes: JobUsageFactor,
    /// The usage of the jobs that Flux counted already; 0 without such jobs.
    counted: f64,
    /// The usage in the bin that should hold them.
    first_bin: f64,
    /// The usage of the new jobs as flux-accounting counts it; `None` if all jobs are counted already.
    fresh: Option<NewJobs>,
    /// The usage after the next run: in a new period, and in the same one.
    today: Vec<NextRun>,
    /// Which of the two applies; `None` if the source does not tell when the period ends.
    actual: Option<Branch>,
}

/// The usage after the next run of flux-accounting.
struct NextRun {
    /// How the run counts.
    branch: Branch,
    /// The usage that the run gives.
    usage: f64,
    /// The bins after the run, the newest first.
    bins: Vec<f64>,
}

impl JobUsage {
    /// Returns the usage of a user. `None` for accounts, under other policies, and without jobs.
    fn of(view: &View<'_>, node: NodeId) -> Option<Self> {
        let is_user = view.tree.kind(node) == Kind::User;
        let is_asked = is_user && view.policy == Policy::Flux;
        if !is_asked || !view.recorded.has_jobs() {
            return None;
        }
        let settings = &view.settings.flux;
        let bins = bins(view, node);
        let jobs = view.recorded.jobs(node);
        let mut of_siblings: Vec<&FinishedJob> = Vec::new();
        if let Some(bank) = view.tree.parent(node) {
            for member in view.tree.children(bank) {
                if member != node {
                    of_siblings.extend(view.recorded.jobs(member));
                }
            }
        }
        let notes = JobUsageFactor::new(
            Totals::over(jobs),
            &bins,
            settings.decay_factor,
            Totals::over(of_siblings),
        );
        let last_counted = view.recorded.all_bins().counted(node);
        let mut counted_jobs = jobs.to_vec();
        counted_jobs.retain(|job| job.t_inactive <= last_counted);
        let counted = match NewJobs::since(0.0, &counted_jobs, settings) {
            Some(counted) => counted.usage,
            None => 0.0,
        };
        let fresh = NewJobs::since(last_counted, jobs, settings);
        let now = match fresh {
            Some(fresh) => fresh.last_end,
            None => 0.0,
        };
        let half_life = f64::from(settings.decay_half_life);
        // One period ends with the last job, the other ended long before.
        let mut period = Period {
            half_life,
            end: now,
            decay_factor: settings.decay_factor,
            now,
        };
        let in_new_period = NextRun::of(&period, &bins, fresh);
        period.end = now - 2.0 * half_life;
        let in_same_period = NextRun::of(&period, &bins, fresh);
        period.end = settings.period_end.unwrap_or(settings.end_half_life_period);
        let is_known = fresh.is_some() && period.end > 0.0;
        Some(Self {
            notes,
            counted,
            first_bin: bins.first().copied().unwrap_or(0.0),
            fresh,
            today: vec![in_new_period, in_same_period],
            actual: is_known.then(|| period.branch(fresh)),
        })
    }

    /// Returns the numbers of the notes with their names; `None` for a factor that is none.
    fn by_the_notes(&self) -> Vec<(&'static str, Option<f64>)> {
        let notes = &self.notes;
        vec![
            (CURRENT, Some(notes.current())),
            (PAST, Some(notes.past)),
            (HISTORICAL, Some(notes.historical())),
            (OF_SIBLINGS, Some(notes.siblings.product())),
            (FACTOR, notes.factor()),
        ]
    }
}

/// Returns the bins of a user: those of the tree at its moment, else the recorded ones.
fn bins(view: &View<'_>, node: NodeId) -> Vec<f64> {
    let settings = &view.settings.flux;
    let mut current = None;
    if let Some(state) = view.tree.usage_state() {
        current = state.bins();
    }
    let mut bins = match current {
        Some(bins) => bins.get(node).to_vec(),
        None => view.recorded.bins(node).to_vec(),
    };
    if bins.is_empty() {
        // The age of the usage is unknown.
        bins.push(view.tree.usage(node).amount().unwrap_or(0.0));
        bins.resize(bins_held(settings, 0), 0.0);
    }
    bins.resize(bins_held(settings, bins.len()), 0.0);
    bins
}

impl NextRun {
    /// Returns the usage after a run in a period.
    fn of(period: &Period, before: &[f64], fresh: Option<NewJobs>) -> Self {
        let mut bins = before.to_vec();
        let mut usage = 0.0;
        let branch = period.branch(fresh);
        usage = period.update(&mut bins, &mut usage, fresh);
        Self {
            branch,
            usage,
            bins,
        }
    }

    /// Returns whether the run begins a new period.
    const fn is_in_new_period(&self) -> bool {
        matches!(self.branch, Branch::Shifted | Branch::Renewed)
    }

    /// Returns its name in JSON.
    const fn name(&self) -> &'static str {
        if self.is_in_new_period() {
            NEW_PERIOD
        } else {
            SAME_PERIOD
        }
    }

    /// Returns its line in the derivation. It is known to be the one if its branch is `actual`.
    fn step(&self, actual: Option<Branch>) -> Step {
        let name = if self.is_in_new_period() {
            "in a new period"
        } else {
            "in the same period"
        };
        let bins = sentence!("bins {}", joined(&self.bins, ", "));
        let usage = amount(self.usage);
        let result = Step::of(name, "").gives(usage);
        let step = result.noting_as(Emphasis::Plain, bins);
        if actual == Some(self.branch) {
            return step.noting("this applies here");
        }
        step
    }
}

/// Returns numbers with a sign between them.
fn joined(numbers: &[f64], sign: &'static str) -> Shown {
    let mut texts = Vec::new();
    for &number in numbers {
        texts.push(amount(number));
    }
    Shown::joined(texts, sign)
}

/// Returns a factor with the six digits that the notes print.
fn six_digits(factor: f64) -> Shown {
    /// From here the format of the notes would change to scientific notation.
    const LARGEST: f64 = 1e6;
    if !(1e-4..LARGEST).contains(&factor) {
        return amount(factor);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the logarithm of what lies in the range is small"
    )]
    let digits = 5_usize.saturating_sub(factor.log10().floor().max(0.0) as usize);
    sentence!("{factor:.digits$}")
}

/// Returns nodes × seconds, up to the result.
fn product(totals: Totals) -> Shown {
    let nodes = amount(totals.nodes as f64);
    let seconds = amount(totals.seconds);
    sentence!("{nodes} × {seconds} = ")
}

/// Returns how the usage of a user came about; nothing if no jobs are known.
pub(super) fn derivations(view: &View<'_>, node: NodeId) -> Vec<Derivation> {
    match JobUsage::of(view, node) {
        Some(usage) => {
            let notes = notes_derivation(&usage.notes);
            vec![notes, usage.today_derivation()]
        }
        None => Vec::new(),
    }
}

/// Returns the factor by the notes of 2021.
fn notes_derivation(notes: &JobUsageFactor) -> Derivation {
    let current = amount(notes.current());
    let past = amount(notes.past);
    let historical = amount(notes.historical());
    let of_siblings = amount(notes.siblings.product());
    let factor = match notes.factor() {
        Some(factor) => {
            let inputs = sentence!("{historical} / {of_siblings} = ");
            Step::of("job usage factor", inputs).gives(six_digits(factor))
        }
        None => Step::of(
            "job usage factor",
            "none, because the siblings used nothing",
        ),
    };
    let sum = sentence!("{current} + {past} = ");
    let decayed = sentence!("{} = ", joined(&notes.decayed, " + "));
    let formula = "(nodes × seconds + decayed bins) / nodes × seconds of the siblings";
    Derivation::of("Job usage factor, by the notes of 2021", formula).with([
        Step::of(CURRENT, product(notes.own)).gives(current),
        Step::of(PAST, decayed).gives(past),
        Step::of(HISTORICAL, sum).gives(historical),
        Step::of(OF_SIBLINGS, product(notes.siblings)).gives(of_siblings),
        factor,
    ])
}

impl JobUsage {
    /// Returns the usage as flux-accounting counts it today.
    fn today_derivation(&self) -> Derivation {
        let mut steps = Vec::new();
        if self.counted > 0.0 {
            let usage = amount(self.first_bin);
            let bin = sentence!("the first bin has {usage}");
            let usage = amount(self.counted);
            let counted = Step::of("jobs counted already", "").gives(usage);
            steps.push(counted.noting_as(Emphasis::Plain, bin));
        }
        steps.push(match self.fresh {
            Some(fresh) => Step::of("new jobs", "").gives(amount(fresh.usage)),
            None => Step::of("new jobs", "none: the bins already contain all"),
        });
        for run in &self.today {
            steps.push(run.step(self.actual));
        }
        let formula = "nodes × seconds of each job, added up, and the bins";
        let note = "No release divides by the siblings' usage. The given jobs are assumed to be those of the last half-life.";
        Derivation::of("Job usage, by flux-accounting 0.56 and newer", formula)
            .with(steps)
            .noting(note)
    }
}

/// The usage of the given jobs.
const CURRENT: &str = "usage_user_current";
/// The usage in the decayed bins.
const PAST: &str = "usage_user_past";
/// The sum of both.
const HISTORICAL: &str = "usage_user_historical";
/// The usage of the siblings' jobs.
const OF_SIBLINGS: &str = "usage_siblings_current";
/// The sum over the usage of the siblings.
const FACTOR: &str = "job_usage_factor";
/// The usage after a run that begins a new period.
const NEW_PERIOD: &str = "in_new_period";
/// The usage after a run in the same period.
const SAME_PERIOD: &str = "in_same_period";

/// The names of the numbers of the table, as JSON has them; the last two are the usage after the next run.
pub(crate) const NAMES: &[&str] = &[
    CURRENT,
    PAST,
    HISTORICAL,
    OF_SIBLINGS,
    FACTOR,
    NEW_PERIOD,
    SAME_PERIOD,
];

/// Returns a number of the table as people read it, by its name; `None` if there is none.
pub(crate) fn number(view: &View<'_>, node: NodeId, name: &str) -> Option<Shown> {
    let usage = JobUsage::of(view, node)?;
    if name == FACTOR {
        let factor = usage.notes.factor()?;
        return Some(six_digits(factor));
    }
    let mut numbers = usage.by_the_notes();
    for run in &usage.today {
        numbers.push((run.name(), Some(run.usage)));
    }
    let mut named = numbers.into_iter();
    let (_, number) = named.find(|(known, _)| *known == name)?;
    number.map(amount)
}

/// Returns the usage of a user for JSON; `None` if no jobs are known.
pub(crate) fn facts(view: &View<'_>, node: NodeId) -> Option<impl Serialize> {
    let usage = JobUsage::of(view, node)?;
    let numbers = usage.by_the_notes();
    let mut today = Vec::new();
    for run in usage.today {
        let facts = object! {
            job_usage: run.usage,
            usage_bins: run.bins.clone(),
            applies: usage.actual.map(|actual| actual == run.branch),
        };
        today.push((run.name(), facts));
    }
    let new_jobs = match usage.fresh {
        Some(fresh) => fresh.usage,
        None => 0.0,
    };
    Some(object! {
        #[serde(flatten)]
        numbers: Entries(numbers),
        counted_jobs: usage.counted,
        new_jobs: new_jobs,
        #[serde(flatten)]
        today: Entries(today),
    })
}
