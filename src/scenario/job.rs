//! The usage that a job will be charged: computed from its resources and its time, by the formula of the tree's
//! scheduler.
//!
//! - PBS: `fairshare_usage_res` of the job's resources, as the scheduler evaluates formulas (a 32-bit float); `time` is
//!   its `walltime`.
//! - Slurm: billing times seconds. `billing` is given directly; otherwise it is the sum of `TRESBillingWeights` times
//!   the job's resources, under `MAX_TRES` the greatest, or its CPUs if no weights are set. `factor` is the QOS's
//!   `UsageFactor`.
//! - Flux: (nodes × `node_weight` + cores × `core_weight` + gpus × `gpu_weight`) × seconds, rounded to five decimals.
//! - Other trees: nodes (or cores, if no nodes are given) × seconds.
//!
//! `jobs` is the number of such jobs.

use crate::base::shown::{Shown, shown};
use crate::model::{DurationError, DurationForm, Scheduler, Settings, Slurm, is_time, seconds_of};
use crate::rules::policy::formula::{EvalError, Formula, FormulaError, Inputs};
use std::collections::BTreeMap;

/// Why a job's usage cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum JobError {
    #[error("{word} is not an amount of a resource; expected words such as {example}")]
    Word { word: Shown, example: Shown },
    #[error("{value} is not an amount of {key}; expected a number from 0 up")]
    Amount { key: Shown, value: Shown },
    #[error("{key}: {error}")]
    Time { key: Shown, error: DurationError },
    #[error("{key} is not charged here; a job can have {known}")]
    Unknown { key: Shown, known: Shown },
    #[error("the job has no {0}; add it, as in {0}={1}")]
    Missing(Shown, &'static str),
    #[error(
        "TRESBillingWeights contains {0}, which is not NAME=WEIGHT; expected weights such as \
         CPU=1.0,Mem=0.25G,GRES/gpu=2.0"
    )]
    Weights(Shown),
    #[error("fairshare_usage_res: {}", .0.sentence())]
    Formula(#[from] FormulaError),
    #[error(
        "fairshare_usage_res has no value for this job: {0}; charge the usage itself, as in usage PATH+=3600"
    )]
    Value(#[from] EvalError),
    #[error(
        "fairshare_usage_res has no value for this job: it depends on the current fairshare; charge the usage itself, \
         as in usage PATH+=3600"
    )]
    OfTheMoment,
}

/// Returns the usage that jobs described as `nodes=4 time=2:00:00` are charged, in the unit of the tree's scheduler.
pub fn job_usage(text: &str, settings: &Settings) -> Result<f64, JobError> {
    let mut job = Job::read(text, settings)?;
    let count = job.take("jobs").unwrap_or(1.0);
    let one = match settings.scheduler {
        Some(Scheduler::Pbs) => pbs(job, settings)?,
        Some(Scheduler::Slurm) => slurm(job, settings)?,
        Some(Scheduler::Flux) => flux(job, settings)?,
        None => plain(job)?,
    };
    Ok(one * count)
}

/// Returns the description of a job that the tree's scheduler charges, such as `nodes=4 time=2h`. Empty if it charges no
/// job, because `fairshare_usage_res` has no value.
pub fn example_job(settings: &Settings) -> String {
    let known = ["nodes=4 time=2h", "cpus=4 time=2h", "billing=4 time=2h"];
    let mut known: Vec<String> = known.map(str::to_owned).to_vec();
    if settings.scheduler == Some(Scheduler::Pbs)
        && let Ok(formula) = Formula::of_usage(&settings.pbs.fairshare_usage_res)
    {
        let words = formula.resources().map(|name| match name {
            "walltime" => "time=2h".to_owned(),
            "cput" => "cput=2h".to_owned(),
            name => format!("{name}=4"),
        });
        known.insert(0, words.collect::<Vec<_>>().join(" "));
    }
    let mut accepted = known.into_iter();
    let accepted = accepted.find(|text| !text.is_empty() && job_usage(text, settings).is_ok());
    accepted.unwrap_or_default()
}

/// Returns the same for an error, or the form of its words.
pub(super) fn job_form(settings: &Settings) -> Shown {
    match example_job(settings) {
        none if none.is_empty() => "RESOURCE=AMOUNT".into(),
        example => shown(example.as_bytes()),
    }
}

/// The resources of a job, by name in lower case.
struct Job(BTreeMap<String, f64>);

impl Job {
    /// Reads the resources of a job, with times as its scheduler writes them.
    fn read(text: &str, settings: &Settings) -> Result<Self, JobError> {
        let form = match settings.scheduler {
            Some(Scheduler::Pbs | Scheduler::Slurm) => DurationForm::MinutesSeconds,
            Some(Scheduler::Flux) | None => DurationForm::Common,
        };
        let mut holds = BTreeMap::new();
        for word in text.split_ascii_whitespace() {
            let pair = word.split_once('=');
            let (key, value) = pair.ok_or_else(|| JobError::Word {
                word: shown(word.as_bytes()),
                example: job_form(settings),
            })?;
            let amount = value.parse().ok();
            let amount = amount.filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
            let amount = match amount {
                Some(amount) => amount,
                None if is_time(key) => {
                    let seconds = seconds_of(value, form);
                    let refused = |error| JobError::Time {
                        key: shown(key.as_bytes()),
                        error,
                    };
                    seconds.map_err(refused)? as f64
                }
                None => {
                    return Err(JobError::Amount {
                        key: shown(key.as_bytes()),
                        value: shown(value.as_bytes()),
                    });
                }
            };
            holds.insert(key.to_ascii_lowercase(), amount);
        }
        Ok(Self(holds))
    }

    fn take(&mut self, key: &str) -> Option<f64> {
        self.0.remove(key)
    }

    fn time(&mut self) -> Result<f64, JobError> {
        let missing = || JobError::Missing("time".into(), "2:00:00");
        self.take("time").ok_or_else(missing)
    }

    /// Refuses the resources that are left, because nothing would be charged for them.
    fn end(self, known: &str) -> Result<(), JobError> {
        self.0.into_keys().next().map_or(Ok(()), |key| {
            Err(JobError::Unknown {
                key: shown(key.as_bytes()),
                known: Shown::again(known.to_owned()),
            })
        })
    }
}

fn pbs(mut job: Job, settings: &Settings) -> Result<f64, JobError> {
    if let Some(time) = job.take("time") {
        job.0.entry("walltime".to_owned()).or_insert(time);
    }
    let text = &settings.pbs.fairshare_usage_res;
    let formula = Formula::parse(text, &job.0)?;
    if let Some(name) = formula.resources().find(|&name| !job.0.contains_key(name)) {
        return Err(JobError::Missing(Shown::again(name.to_owned()), "64"));
    }
    if formula.names_fairshare() {
        return Err(JobError::OfTheMoment);
    }
    Ok(f64::from(formula.value(&Inputs::of_job(&job.0))?))
}

fn slurm(mut job: Job, settings: &Settings) -> Result<f64, JobError> {
    let time = job.time()?;
    let factor = job.take("factor").unwrap_or(1.0);
    let billing = match job.take("billing") {
        Some(billing) => billing,
        None => billing(&mut job, &settings.slurm)?,
    };
    let expected = "time, billing, cpus, factor, jobs, and what TRESBillingWeights names, such as mem (in MB) and gres/gpu";
    job.end(expected)?;
    Ok(billing * time * factor)
}

/// Returns the billing of a job by `TRESBillingWeights`, or its CPUs without weights.
fn billing(job: &mut Job, settings: &Slurm) -> Result<f64, JobError> {
    let mut take = |name: &str| match name {
        "cpu" => job.take("cpus").or_else(|| job.take("cpu")),
        "gres/gpu" => job.take("gpus").or_else(|| job.take("gres/gpu")),
        "node" => job.take("nodes").or_else(|| job.take("node")),
        name => job.take(name),
    };
    let weights = billing_weights(&settings.billing_weights)?;
    if weights.is_empty() {
        return take("cpu").ok_or_else(|| JobError::Missing("cpus".into(), "64"));
    }
    let weighed = weights.iter();
    let weighed = weighed.map(|(name, weight)| (&**name, take(name).unwrap_or(0.0) * weight));
    Ok(settings.billing_rule.unwrap_or_default().billing(weighed))
}

/// Reads `TRESBillingWeights`: resources by their names in lower case, with what one of each costs, memory by the MiB.
pub(crate) fn billing_weights(text: &str) -> Result<Vec<(String, f64)>, JobError> {
    let parts = text.split(',').filter(|_| !text.trim().is_empty());
    let weights = parts.map(|part| {
        let weight = part.split_once('=');
        let weight =
            weight.and_then(|(name, it)| Some((name.trim().to_ascii_lowercase(), scaled(it)?)));
        weight.ok_or_else(|| JobError::Weights(shown(part.as_bytes())))
    });
    weights.collect()
}

/// Returns a weight: `0.25G` is a quarter for each GB of a resource counted in MB.
fn scaled(text: &str) -> Option<f64> {
    let text = text.trim();
    let units = [
        ('K', 1024.0),
        ('M', 1.0),
        ('G', 1.0 / 1024.0),
        ('T', 1.0 / (1024.0 * 1024.0)),
    ];
    let unit = units.iter().find(|(letter, _)| text.ends_with(*letter));
    let (number, unit) = match unit {
        Some(&(letter, unit)) => (text.strip_suffix(letter)?, unit),
        None => (text, 1.0),
    };
    let weight: f64 = number.parse().ok()?;
    (weight.is_finite() && weight >= 0.0).then_some(weight * unit)
}

fn flux(mut job: Job, settings: &Settings) -> Result<f64, JobError> {
    let time = job.time()?;
    let mut weighted = 0.0;
    let mut has_any = false;
    for (key, weight) in [
        ("nodes", settings.flux.node_weight),
        ("cores", settings.flux.core_weight),
        ("gpus", settings.flux.gpu_weight),
    ] {
        if let Some(count) = job.take(key) {
            has_any = true;
            weighted += count * weight;
        }
    }
    let expected = "time, nodes, cores, gpus and jobs";
    job.end(expected)?;
    if !has_any {
        return Err(JobError::Missing("nodes".into(), "4"));
    }
    Ok((weighted * time * 1e5).round() / 1e5)
}

fn plain(mut job: Job) -> Result<f64, JobError> {
    let time = job.time()?;
    let held = job.take("nodes").or_else(|| job.take("cores"));
    let held = held.ok_or_else(|| JobError::Missing("nodes".into(), "4"))?;
    let expected = "time, nodes or cores, and jobs";
    job.end(expected)?;
    Ok(held * time)
}
