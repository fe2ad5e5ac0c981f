//! The derivation of a Flux user's usage, job by job: by the notes of 2021, and as flux-accounting counts today.

use super::why::{Derivation, Step};
use crate::base::number::amount;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::json::{Entries, object};
use crate::report::render::line::Emphasis;
use crate::rules::clock::flux::{Branch, JobUsageFactor, NewJobs, Period, Totals, bins_held};
use crate::rules::policy::Policy;
use serde::Serialize;

struct JobUsage {
    notes: JobUsageFactor,
    /// The usage of the jobs that Flux counted already, and the bin that should hold it; 0 without such jobs.
    counted: [f64; 2],
    /// The usage of the new jobs as flux-accounting counts it; `None` if all jobs are counted already.
    fresh: Option<NewJobs>,
    today: [NextRun; 2],
    /// Which of the two applies; `None` if the source does not tell when the period ends.
    actual: Option<Branch>,
}

struct NextRun {
    branch: Branch,
    usage: f64,
    bins: Vec<f64>,
}

impl JobUsage {
    /// Returns `None` for accounts, under other policies, and without jobs.
    fn of(view: &View<'_>, node: NodeId) -> Option<Self> {
        let is_asked = view.policy == Policy::Flux && view.tree.kind(node) == Kind::User;
        if !is_asked || !view.recorded.has_jobs() {
            return None;
        }
        let settings = &view.settings.flux;
        let current = view.tree.usage_state().and_then(|state| state.bins());
        let recorded = || view.recorded.bins(node);
        let bins = current.map_or_else(recorded, |bins| bins.get(node));
        let mut bins = bins.to_vec();
        if bins.is_empty() {
            // The age of the usage is unknown.
            bins.push(view.tree.usage(node).amount().unwrap_or(0.0));
            bins.resize(bins_held(settings, 0), 0.0);
        }
        bins.resize(bins_held(settings, bins.len()), 0.0);
        let jobs = view.recorded.jobs(node);
        let bank = view.tree.parent(node).into_iter();
        let members = bank.flat_map(|bank| view.tree.children(bank));
        let siblings = members.filter(|&member| member != node);
        let notes = JobUsageFactor::new(
            Totals::over(jobs),
            &bins,
            settings.decay_factor,
            Totals::over(siblings.flat_map(|sibling| view.recorded.jobs(sibling))),
        );
        let counted = view.recorded.all_bins().counted(node);
        let fresh = NewJobs::since(counted, jobs, settings);
        let counted = jobs.iter().filter(|job| job.t_inactive <= counted);
        let counted = NewJobs::since(0.0, &counted.copied().collect::<Vec<_>>(), settings);
        let counted = counted.map_or(0.0, |counted| counted.usage);
        let half_life = f64::from(settings.decay_half_life);
        let end = settings.period_end.unwrap_or(settings.end_half_life_period);
        let period = |end: f64, now: f64| Period {
            half_life,
            end,
            decay_factor: settings.decay_factor,
            now,
        };
        let last = fresh.map_or(0.0, |fresh| fresh.last_end);
        // One period ends with the last job, the other ended long before.
        let today = [last, last - 2.0 * half_life].map(|end| {
            let run = period(end, last);
            let (mut bins, mut usage) = (bins.clone(), 0.0);
            let branch = run.branch(fresh);
            usage = run.update(&mut bins, &mut usage, fresh);
            NextRun {
                branch,
                usage,
                bins,
            }
        });
        let is_known = fresh.is_some() && end > 0.0;
        let actual = is_known.then(|| period(end, last).branch(fresh));
        Some(Self {
            notes,
            counted: [counted, bins.first().copied().unwrap_or(0.0)],
            fresh,
            today,
            actual,
        })
    }

    fn by_the_notes(&self) -> [(&'static str, Option<f64>); 5] {
        let notes = &self.notes;
        [
            (NAMES[0], Some(notes.current())),
            (NAMES[1], Some(notes.past)),
            (NAMES[2], Some(notes.historical())),
            (NAMES[3], Some(notes.siblings.product())),
            (NAMES[4], notes.factor()),
        ]
    }
}

impl NextRun {
    fn name(&self) -> &'static str {
        match self.branch {
            Branch::Shifted | Branch::Renewed => NAMES[5],
            _ => NAMES[6],
        }
    }
}

fn joined(numbers: &[f64], sign: &'static str) -> Shown {
    Shown::joined(numbers.iter().map(|&number| amount(number)), sign)
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

fn product(totals: Totals) -> Shown {
    let [nodes, seconds] = [totals.nodes as f64, totals.seconds].map(amount);
    sentence!("{nodes} × {seconds} = ")
}

pub(super) fn derivations(view: &View<'_>, node: NodeId) -> Vec<Derivation> {
    let Some(usage) = JobUsage::of(view, node) else {
        return Vec::new();
    };
    let JobUsage { notes, fresh, .. } = &usage;
    let [counted, bin] = usage.counted.map(amount);
    let bin = sentence!("the first bin has {bin}");
    let counted = Step::of("jobs counted already", "").gives(counted);
    let counted = counted.noting_as(Emphasis::Plain, bin);
    let counted = (usage.counted[0] > 0.0).then_some(counted);
    let [current, historical] = [notes.current(), notes.historical()].map(amount);
    let past = amount(notes.past);
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
    let new_jobs = match fresh {
        Some(fresh) => Step::of("new jobs", "").gives(amount(fresh.usage)),
        None => Step::of("new jobs", "none: the bins already contain all"),
    };
    let sum = sentence!("{current} + {past} = ");
    let formula = "(nodes × seconds + decayed bins) / nodes × seconds of the siblings";
    let by_the_notes = Derivation::of("Job usage factor, by the notes of 2021", formula).with([
        Step::of(NAMES[0], product(notes.own)).gives(current),
        Step::of(NAMES[1], sentence!("{} = ", joined(&notes.decayed, " + "))).gives(past),
        Step::of(NAMES[2], sum).gives(historical),
        Step::of(NAMES[3], product(notes.siblings)).gives(of_siblings),
        factor,
    ]);
    let runs = usage.today.iter();
    let runs = runs.map(|run| next_run(run, usage.actual));
    let formula = "nodes × seconds of each job, added up, and the bins";
    let note = "No release divides by the siblings' usage. The given jobs are assumed to be those of the last half-life.";
    let today = Derivation::of("Job usage, by flux-accounting 0.56 and newer", formula)
        .with(counted.into_iter().chain([new_jobs]).chain(runs))
        .noting(note);
    vec![by_the_notes, today]
}

/// Returns the usage after the next run, which is known to be the one if it is `actual`.
fn next_run(run: &NextRun, actual: Option<Branch>) -> Step {
    let name = match run.branch {
        Branch::Shifted | Branch::Renewed => "in a new period",
        _ => "in the same period",
    };
    let bins = sentence!("bins {}", joined(&run.bins, ", "));
    let step = Step::of(name, "").gives(amount(run.usage));
    let step = step.noting_as(Emphasis::Plain, bins);
    if actual == Some(run.branch) {
        return step.noting("this applies here");
    }
    step
}

/// The names of the numbers of the table, as JSON has them; the last two are the usage after the next run.
pub(crate) const NAMES: [&str; 7] = [
    "usage_user_current",
    "usage_user_past",
    "usage_user_historical",
    "usage_siblings_current",
    "job_usage_factor",
    "in_new_period",
    "in_same_period",
];

/// Returns a number of the table as people read it, by its name; `None` if there is none.
pub(crate) fn number(view: &View<'_>, node: NodeId, name: &str) -> Option<Shown> {
    let usage = JobUsage::of(view, node)?;
    let text = if name == NAMES[4] { six_digits } else { amount };
    let today = usage.today.iter().map(|run| (run.name(), Some(run.usage)));
    let mut numbers = usage.by_the_notes().into_iter().chain(today);
    numbers.find(|(known, _)| *known == name)?.1.map(text)
}

pub(crate) fn facts(view: &View<'_>, node: NodeId) -> Option<impl Serialize> {
    let usage = JobUsage::of(view, node)?;
    let numbers = usage.by_the_notes();
    let today = usage.today.map(|run| {
        let facts = object! {
            job_usage: run.usage,
            usage_bins: run.bins.clone(),
            applies: usage.actual.map(|actual| actual == run.branch),
        };
        (run.name(), facts)
    });
    Some(object! {
        #[serde(flatten)]
        numbers: Entries(numbers),
        counted_jobs: usage.counted[0],
        new_jobs: usage.fresh.map_or(0.0, |fresh| fresh.usage),
        #[serde(flatten)]
        today: Entries(today),
    })
}
