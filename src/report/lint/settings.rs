//! Findings about the settings alone, whatever their source.

use super::{View, finding};
use crate::base::nearest::nearest;
use crate::base::number::{DAY, counted, grouped};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{Problem, Severity};
use crate::model::{JOB_RESOURCES, Scheduler, UsageResetPeriod};
use crate::report::words::listed;
use crate::rules::policy::Policy;
use crate::rules::policy::formula::{Formula, Inputs};
use std::collections::BTreeMap;

/// A half-life above this is a finding: usage of a year ago counts for more than half.
const YEAR: f64 = 365.0 * DAY as f64;

/// Returns the findings about the settings.
pub(super) fn findings(view: &View<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    found.extend(half_life(view));
    found.extend(weight(view));
    if scheduler(view) == Scheduler::Pbs {
        found.extend(usage_formula(view));
    }
    found.extend(formula_faults(view));
    found
}

/// Returns the findings about a `job_sort_formula` itself: users for whom it fails, and a value that grows with usage.
pub(crate) fn formula_faults(view: &View<'_>) -> Vec<Problem> {
    let mut faults = Vec::new();
    // A formula that is set also orders jobs while another rule is looked at.
    let is_set = scheduler(view) == Scheduler::Pbs && view.settings.formula.set.is_some();
    if (is_set || view.policy == Policy::Formula)
        && let Ok(formula) = Formula::of_settings(view.settings)
    {
        faults.extend(failing(view, &formula));
        faults.extend(rising(view, &formula));
    }
    faults
}

/// What to do about a formula of usage.
const USAGE_ADVICE: &str = "write a formula of resources in sched_config, such as ncpus*walltime";

/// Returns what is wrong with the formula of usage, which PBS does not check when it reads it. Where Python fails, PBS
/// uses 0.
fn usage_formula(view: &View<'_>) -> Vec<Problem> {
    let formula = match Formula::of_usage(&view.settings.pbs.fairshare_usage_res) {
        Ok(formula) => formula,
        Err(error) => {
            let message = sentence!("fairshare_usage_res cannot be computed: {error}");
            return vec![finding(view, "usage-formula-broken", message, USAGE_ADVICE)];
        }
    };
    let mut found = Vec::new();
    found.extend(unknown_resource(view, &formula));
    found.extend(without_value(view, &formula));
    found
}

/// Returns the finding for a name in the formula of usage that is no resource of every PBS, a note unless it seems
/// mistyped: sites have others.
fn unknown_resource(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    let given = &view.settings.formula.resources;
    let resource = formula
        .resources()
        .find(|name| !JOB_RESOURCES.contains(name) && !given.contains_key(*name))?;
    let nearest = nearest(resource, JOB_RESOURCES);
    let mistyped = match nearest {
        Some(nearest) => sentence!(" (did you mean {nearest}?)"),
        None => Shown::default(),
    };
    let name = shown(resource.as_bytes());
    let message = sentence!(
        "fairshare_usage_res names {name}{mistyped}, which only a site can have defined: without that resource the formula fails, \
         and PBS charges nothing"
    );
    let advice = sentence!("correct the name; if the site defined it, give --set {name}=0 too");
    let mut found = finding(view, "usage-formula-name", message, advice);
    if nearest.is_none() {
        found.severity = Severity::Note;
    }
    Some(found)
}

/// Returns the finding for a formula of usage that fails even for a job that has all resources it names.
fn without_value(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    /// How much of each resource such a job has.
    const AMOUNT: f64 = 4.0;
    let mut job = BTreeMap::new();
    let mut amounts = Vec::new();
    for name in formula.resources() {
        job.insert(name.to_owned(), AMOUNT);
        amounts.push(sentence!("{}={AMOUNT}", shown(name.as_bytes())));
    }
    let error = formula.value(&Inputs::of_job(&job)).err()?;
    let of_job = if amounts.is_empty() {
        Shown::default()
    } else {
        sentence!(" for a job with {}", listed(&amounts))
    };
    let value = if error.makes_zero() {
        "; PBS uses 0 then, so it charges nothing"
    } else {
        ""
    };
    let message = sentence!("fairshare_usage_res has no value{of_job}: {error}{value}");
    Some(finding(view, "usage-formula-fails", message, USAGE_ADVICE))
}

/// Returns the finding for a formula that fails for some users, such as a division by a target of 0%.
fn failing(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    let job = &view.settings.formula.resources;
    let mut first = None;
    let mut count = 0;
    for node in view.tree.users() {
        if let Some(inputs) = Inputs::of_node(view.evaluation, node, job)
            && let Err(error) = formula.value(&inputs)
        {
            count += 1;
            first.get_or_insert((node, error));
        }
    }
    let (node, error) = first?;
    let users = counted(count, "user", "users");
    let value = if error.makes_zero() {
        "; PBS uses 0 then"
    } else {
        ""
    };
    Some(finding(
        view,
        "formula-fails",
        sentence!(
            "job_sort_formula fails for {users}, such as {}: {error}{value}",
            view.path(node)
        ),
        "use fairshare_factor, which is 0 for a target of 0%",
    ))
}

/// Returns the finding for a formula whose value grows with usage.
fn rising(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    /// The target of the user whose usage grows.
    const TARGET: f32 = 0.5;
    let mut values = Vec::new();
    for usage in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let inputs = Inputs {
            fairshare_perc: TARGET,
            fairshare_tree_usage: usage,
            fairshare_factor: f64::from(-usage / TARGET).exp2(),
            job: &view.settings.formula.resources,
        };
        values.push(formula.value(&inputs).ok()?);
    }
    if !values.is_sorted() || values.first() >= values.last() {
        return None;
    }
    Some(finding(
        view,
        "formula-rises-with-usage",
        "job_sort_formula gives a user with more usage a larger value, so that user's jobs run first",
        "use fairshare_factor, or a minus sign before fairshare_tree_usage",
    ))
}

/// Returns whose settings apply: the source's scheduler, or else the one whose rule ranks.
fn scheduler(view: &View<'_>) -> Scheduler {
    let of_rule = match view.policy {
        Policy::Flux => Scheduler::Flux,
        Policy::Pbs | Policy::PbsWalk | Policy::Formula => Scheduler::Pbs,
        _ => Scheduler::Slurm,
    };
    view.settings.scheduler.unwrap_or(of_rule)
}

/// How usage decays by the settings of a scheduler.
struct DecaySettings {
    /// After how many seconds a portion is left.
    seconds: f64,
    /// The portion that is left.
    left: f64,
    /// Why usage never decays, if it does not.
    keys: Shown,
    /// What to set.
    advice: &'static str,
}

impl DecaySettings {
    /// Returns how usage decays. `None` where it is set to 0 at times.
    fn of(view: &View<'_>) -> Option<Self> {
        let settings = view.settings;
        Some(match scheduler(view) {
            Scheduler::Slurm => {
                let period = settings.slurm.usage_reset_period;
                // NOW resets once, which is no period.
                if !matches!(period, UsageResetPeriod::None | UsageResetPeriod::Now) {
                    return None;
                }
                let half_life = settings.slurm.decay_half_life;
                let name = period.name();
                Self {
                    seconds: f64::from(half_life),
                    left: if half_life == 0 { 1.0 } else { 0.5 },
                    keys: sentence!(
                        "PriorityDecayHalfLife is 0 and PriorityUsageResetPeriod is {name}"
                    ),
                    advice: "set PriorityDecayHalfLife, such as to 7-0, or PriorityUsageResetPeriod",
                }
            }
            Scheduler::Pbs => Self {
                seconds: settings.pbs.fairshare_decay_time as f64,
                left: f64::from(settings.pbs.fairshare_decay_factor),
                keys: "fairshare_decay_factor is 1".into(),
                advice: "set fairshare_decay_time and fairshare_decay_factor in sched_config, such as to 24:00:00 and 0.5",
            },
            Scheduler::Flux => Self {
                seconds: f64::from(settings.flux.decay_half_life),
                left: settings.flux.decay_factor,
                keys: "decay_factor is 1".into(),
                advice: "set priority_decay_half_life and decay_factor, such as to 604800 and 0.5",
            },
        })
    }
}

/// Returns the finding for usage that never decays, or hardly.
fn half_life(view: &View<'_>) -> Option<Problem> {
    let decay = DecaySettings::of(view)?;
    if decay.left >= 1.0 {
        let keys = decay.keys;
        let message = sentence!(
            "{keys}: usage never decays, so a single large job keeps a user last forever"
        );
        return Some(finding(view, "half-life-zero", message, decay.advice));
    }
    let half_life = decay.seconds * 0.5_f64.ln() / decay.left.ln();
    if half_life > YEAR {
        let days = half_life / f64::from(DAY);
        let message = sentence!(
            "usage takes {days:.0} days to halve: what was used a year ago still counts for more than half"
        );
        return Some(finding(view, "half-life-long", message, decay.advice));
    }
    None
}

/// Returns the finding for a weight with which fair-share decides nothing, or too little.
fn weight(view: &View<'_>) -> Option<Problem> {
    let (key, weight) = match scheduler(view) {
        Scheduler::Slurm => (
            "PriorityWeightFairShare",
            view.settings.slurm.weights.fair_share().map(i64::from),
        ),
        Scheduler::Flux => (
            "the weight of fairshare",
            view.settings.flux.fairshare_weight,
        ),
        Scheduler::Pbs => return formula(view),
    };
    let gives_ranks = matches!(
        view.policy,
        Policy::FairTree | Policy::FairTreeDocumented | Policy::LevelBased | Policy::Flux
    );
    let users = i64::try_from(view.evaluation.user_count()).unwrap_or(i64::MAX);
    let message = match weight? {
        weight if weight <= 0 => {
            sentence!("{key} is {weight}: fair-share has no effect on the priority of jobs")
        }
        weight if gives_ranks && weight < users => {
            let points = grouped(weight);
            let count = grouped(users);
            sentence!(
                "{key} is {points}, and there are {count} users: one rank is worth less than one point of priority, so neighbours \
                 get the same priority"
            )
        }
        _ => return None,
    };
    let twice = grouped(users.saturating_mul(2));
    let advice = sentence!("set it to {twice} or more, twice the number of users");
    Some(finding(view, "weight-too-small", message, advice))
}

/// Returns the finding for a formula that does not use fair-share.
fn formula(view: &View<'_>) -> Option<Problem> {
    if view.policy != Policy::Formula {
        return None;
    }
    let formula = Formula::of_settings(view.settings).ok()?;
    if formula.names_fairshare() {
        return None;
    }
    Some(finding(
        view,
        "weight-too-small",
        "job_sort_formula does not use fair-share, so fair-share has no effect on the order of jobs",
        "add a term such as 1000*fairshare_factor",
    ))
}
