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

/// A half-life above this is a finding: usage of a year ago counts for more than half.
const YEAR: f64 = 365.0 * DAY as f64;

pub(super) fn findings(view: &View<'_>) -> Vec<Problem> {
    let mut found: Vec<Problem> = half_life(view).into_iter().chain(weight(view)).collect();
    if scheduler(view) == Scheduler::Pbs {
        found.extend(usage_formula(view));
    }
    found.extend(formula_faults(view));
    found
}

/// Returns the findings about a `job_sort_formula` itself: users for whom it fails, and a value that grows with usage.
pub(crate) fn formula_faults(view: &View<'_>) -> Vec<Problem> {
    // A formula that is set also orders jobs while another rule is looked at.
    let has_formula = view.policy == Policy::Formula
        || scheduler(view) == Scheduler::Pbs && view.settings.formula.set.is_some();
    let formula = Formula::of_settings(view.settings)
        .ok()
        .filter(|_| has_formula);
    let Some(formula) = formula else {
        return Vec::new();
    };
    let faults = [failing(view, &formula), rising(view, &formula)];
    faults.into_iter().flatten().collect()
}

const USAGE_ADVICE: &str = "write a formula of resources in sched_config, such as ncpus*walltime";

/// What is wrong with the formula of usage, which PBS does not check when it reads it. Where Python fails, PBS uses 0.
fn usage_formula(view: &View<'_>) -> Vec<Problem> {
    let formula = match Formula::of_usage(&view.settings.pbs.fairshare_usage_res) {
        Ok(formula) => formula,
        Err(error) => {
            let message = sentence!("fairshare_usage_res cannot be computed: {error}");
            return vec![finding(view, "usage-formula-broken", message, USAGE_ADVICE)];
        }
    };
    let named = unknown_resource(view, &formula);
    named
        .into_iter()
        .chain(without_value(view, &formula))
        .collect()
}

/// A name in the formula of usage that is no resource of every PBS, a note unless it seems mistyped: sites have others.
fn unknown_resource(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    let given = &view.settings.formula.resources;
    let is_unknown = |name: &&str| !JOB_RESOURCES.contains(name) && !given.contains_key(*name);
    let name = formula.resources().find(is_unknown)?;
    let nearest = nearest(name, JOB_RESOURCES);
    let mistyped = match nearest {
        Some(nearest) => sentence!(" (did you mean {nearest}?)"),
        None => Shown::default(),
    };
    let name = shown(name.as_bytes());
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

/// A formula of usage that fails even for a job that has all resources it names.
fn without_value(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    const AMOUNT: f64 = 4.0;
    let resources = formula.resources().map(|name| (name.to_owned(), AMOUNT));
    let job = resources.collect();
    let error = formula.value(&Inputs::of_job(&job)).err()?;
    let amounts = formula.resources();
    let amounts: Vec<Shown> = amounts
        .map(|name| sentence!("{}={AMOUNT}", shown(name.as_bytes())))
        .collect();
    let of_job = match &amounts[..] {
        [] => Shown::default(),
        amounts => sentence!(" for a job with {}", listed(amounts)),
    };
    let value = if error.makes_zero() {
        "; PBS uses 0 then, so it charges nothing"
    } else {
        ""
    };
    let message = sentence!("fairshare_usage_res has no value{of_job}: {error}{value}");
    Some(finding(view, "usage-formula-fails", message, USAGE_ADVICE))
}

/// A formula that fails for some users, such as a division by a target of 0%.
fn failing(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    let job = &view.settings.formula.resources;
    let mut first = None;
    let mut count = 0;
    for node in view.tree.users() {
        let inputs = Inputs::of_node(view.evaluation, node, job);
        if let Some(error) = inputs.and_then(|inputs| formula.value(&inputs).err()) {
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

/// A formula whose value grows with usage.
fn rising(view: &View<'_>, formula: &Formula) -> Option<Problem> {
    const TARGET: f32 = 0.5;
    let job = &view.settings.formula.resources;
    let value = |usage: f32| {
        let inputs = Inputs {
            fairshare_perc: TARGET,
            fairshare_tree_usage: usage,
            fairshare_factor: f64::from(-usage / TARGET).exp2(),
            job,
        };
        formula.value(&inputs).ok()
    };
    let values: Option<Vec<f32>> = [0.0, 0.25, 0.5, 0.75, 1.0].map(value).into_iter().collect();
    let values = values?;
    let never_falls = values.is_sorted();
    (never_falls && values.first() < values.last()).then(|| {
        finding(
            view,
            "formula-rises-with-usage",
            "job_sort_formula gives a user with more usage a larger value, so that user's jobs run first",
            "use fairshare_factor, or a minus sign before fairshare_tree_usage",
        )
    })
}

/// Whose settings apply: the source's scheduler, or else the one whose rule ranks.
fn scheduler(view: &View<'_>) -> Scheduler {
    let of_rule = match view.policy {
        Policy::Flux => Scheduler::Flux,
        Policy::Pbs | Policy::PbsWalk | Policy::Formula => Scheduler::Pbs,
        _ => Scheduler::Slurm,
    };
    view.settings.scheduler.unwrap_or(of_rule)
}

fn half_life(view: &View<'_>) -> Option<Problem> {
    let settings = view.settings;
    // After how many seconds how much is left, whether it is all set to 0 at times, and what to set.
    let (seconds, left, is_reset, keys, advice) = match scheduler(view) {
        Scheduler::Slurm => {
            let period = settings.slurm.usage_reset_period;
            let half_life = settings.slurm.decay_half_life;
            let name = period.name();
            (
                f64::from(half_life),
                if half_life == 0 { 1.0 } else { 0.5 },
                // NOW resets once, which is no period.
                !matches!(period, UsageResetPeriod::None | UsageResetPeriod::Now),
                sentence!("PriorityDecayHalfLife is 0 and PriorityUsageResetPeriod is {name}"),
                "set PriorityDecayHalfLife, such as to 7-0, or PriorityUsageResetPeriod",
            )
        }
        Scheduler::Pbs => (
            settings.pbs.fairshare_decay_time as f64,
            f64::from(settings.pbs.fairshare_decay_factor),
            false,
            "fairshare_decay_factor is 1".into(),
            "set fairshare_decay_time and fairshare_decay_factor in sched_config, such as to 24:00:00 and 0.5",
        ),
        Scheduler::Flux => (
            f64::from(settings.flux.decay_half_life),
            settings.flux.decay_factor,
            false,
            "decay_factor is 1".into(),
            "set priority_decay_half_life and decay_factor, such as to 604800 and 0.5",
        ),
    };
    if is_reset {
        return None;
    }
    let half_life = seconds * 0.5_f64.ln() / left.ln();
    if left >= 1.0 {
        let message = sentence!(
            "{keys}: usage never decays, so a single large job keeps a user last forever"
        );
        return Some(finding(view, "half-life-zero", message, advice));
    }
    (half_life > YEAR).then(|| {
        finding(
            view,
            "half-life-long",
            sentence!(
                "usage takes {:.0} days to halve: what was used a year ago still counts for more than half",
                half_life / f64::from(DAY)
            ),
            advice,
        )
    })
}

/// A weight with which fair-share decides nothing, or too little.
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
        weight if gives_ranks && weight < users => sentence!(
            "{key} is {}, and there are {} users: one rank is worth less than one point of priority, so neighbours get \
             the same priority",
            grouped(weight),
            grouped(users)
        ),
        _ => return None,
    };
    let advice = sentence!(
        "set it to {} or more, twice the number of users",
        grouped(users.saturating_mul(2))
    );
    Some(finding(view, "weight-too-small", message, advice))
}

fn formula(view: &View<'_>) -> Option<Problem> {
    if view.policy != Policy::Formula {
        return None;
    }
    let formula = Formula::of_settings(view.settings).ok()?;
    (!formula.names_fairshare()).then(|| {
        finding(
            view,
            "weight-too-small",
            "job_sort_formula does not use fair-share, so fair-share has no effect on the order of jobs",
            "add a term such as 1000*fairshare_factor",
        )
    })
}
