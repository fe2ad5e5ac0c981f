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
use crate::model::{
    BillingError, BillingWeights, DurationError, DurationForm, Scheduler, Settings, Slurm, is_time,
    seconds_of,
};
use crate::rules::policy::formula::{EvalError, Formula, FormulaError, Inputs};
use std::collections::BTreeMap;

/// Why a job's usage cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum JobError {
    #[error("{word} is not an amount of a resource; expected words such as {example}")]
    Word {
        /// The word.
        word: Shown,
        /// A job that the tree's scheduler charges.
        example: Shown,
    },
    #[error("{value} is not an amount of {key}; expected a number from 0 up")]
    Amount {
        /// The resource.
        key: Shown,
        /// What stands behind its `=`.
        value: Shown,
    },
    #[error("{key}: {error}")]
    Time {
        /// The resource, which is a time.
        key: Shown,
        /// Why its value is no duration.
        error: DurationError,
    },
    #[error("{key} is not charged here; a job can have {known}")]
    Unknown {
        /// The resource.
        key: Shown,
        /// All that a job can have there.
        known: Shown,
    },
    #[error("the job has no {0}; add it, as in {0}={1}")]
    Missing(Shown, &'static str),
    #[error(transparent)]
    Weights(#[from] BillingError),
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

/// A part of a charge, or why a job cannot be charged.
type JobResult<T> = Result<T, JobError>;

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
    if settings.scheduler == Some(Scheduler::Pbs)
        && let Ok(formula) = Formula::of_usage(&settings.pbs.fairshare_usage_res)
    {
        let mut words = Vec::new();
        for name in formula.resources() {
            words.push(match name {
                "walltime" => "time=2h".to_owned(),
                "cput" => "cput=2h".to_owned(),
                name => format!("{name}=4"),
            });
        }
        let example = words.join(" ");
        if !example.is_empty() && job_usage(&example, settings).is_ok() {
            return example;
        }
    }
    for example in ["nodes=4 time=2h", "cpus=4 time=2h", "billing=4 time=2h"] {
        if job_usage(example, settings).is_ok() {
            return example.to_owned();
        }
    }
    String::new()
}

/// Returns the same for an error, or the form of its words.
pub(super) fn job_form(settings: &Settings) -> Shown {
    let example = example_job(settings);
    if example.is_empty() {
        return "RESOURCE=AMOUNT".into();
    }
    shown(example.as_bytes())
}

/// The resources of a job, by name in lower case.
struct Job {
    resources: BTreeMap<String, f64>,
}

impl Job {
    /// Reads the resources of a job, with times as its scheduler writes them.
    fn read(text: &str, settings: &Settings) -> JobResult<Self> {
        let form = match settings.scheduler {
            Some(Scheduler::Pbs | Scheduler::Slurm) => DurationForm::MinutesSeconds,
            Some(Scheduler::Flux) | None => DurationForm::Common,
        };
        let mut resources = BTreeMap::new();
        for word in text.split_ascii_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                return Err(JobError::Word {
                    word: shown(word.as_bytes()),
                    example: job_form(settings),
                });
            };
            let amount = amount(key, value, form)?;
            resources.insert(key.to_ascii_lowercase(), amount);
        }
        Ok(Self { resources })
    }

    /// Takes a resource out, so that it counts as charged.
    fn take(&mut self, key: &str) -> Option<f64> {
        self.resources.remove(key)
    }

    /// Takes the seconds that the job runs, without which nothing can be charged.
    fn time(&mut self) -> JobResult<f64> {
        match self.take("time") {
            Some(time) => Ok(time),
            None => Err(JobError::Missing("time".into(), "2:00:00")),
        }
    }

    /// Refuses the resources that are left, because nothing would be charged for them.
    fn end(self, known: &str) -> JobResult<()> {
        match self.resources.keys().next() {
            None => Ok(()),
            Some(key) => Err(JobError::Unknown {
                key: shown(key.as_bytes()),
                known: Shown::again(known.to_owned()),
            }),
        }
    }
}

/// Reads an amount of a resource: a number from 0 up, or a duration if it is a time.
fn amount(key: &str, value: &str, form: DurationForm) -> JobResult<f64> {
    if let Ok(amount) = value.parse::<f64>()
        && amount.is_finite()
        && amount >= 0.0
    {
        return Ok(amount);
    }
    let key_shown = shown(key.as_bytes());
    if !is_time(key) {
        return Err(JobError::Amount {
            key: key_shown,
            value: shown(value.as_bytes()),
        });
    }
    match seconds_of(value, form) {
        Ok(seconds) => Ok(seconds as f64),
        Err(error) => Err(JobError::Time {
            key: key_shown,
            error,
        }),
    }
}

/// Returns the usage that PBS charges.
fn pbs(mut job: Job, settings: &Settings) -> JobResult<f64> {
    if let Some(time) = job.take("time") {
        let walltime = job.resources.entry("walltime".to_owned());
        walltime.or_insert(time);
    }
    let resources = &job.resources;
    let formula = Formula::parse(&settings.pbs.fairshare_usage_res, resources)?;
    for name in formula.resources() {
        if !resources.contains_key(name) {
            let missing = Shown::again(name.to_owned());
            return Err(JobError::Missing(missing, "64"));
        }
    }
    if formula.names_fairshare() {
        return Err(JobError::OfTheMoment);
    }
    let usage = formula.value(&Inputs::of_job(resources))?;
    Ok(f64::from(usage))
}

/// Returns the usage that Slurm charges.
fn slurm(mut job: Job, settings: &Settings) -> JobResult<f64> {
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
fn billing(job: &mut Job, settings: &Slurm) -> JobResult<f64> {
    let weights = BillingWeights::read(&settings.billing_weights)?;
    if weights.is_empty() {
        return match take_by_tres(job, "cpu") {
            Some(cpus) => Ok(cpus),
            None => Err(JobError::Missing("cpus".into(), "64")),
        };
    }
    let mut weighed = Vec::new();
    for (name, weight) in weights.iter() {
        let count = take_by_tres(job, name).unwrap_or(0.0);
        weighed.push((name, count * weight));
    }
    let rule = settings.billing_rule.unwrap_or_default();
    Ok(rule.billing(weighed.into_iter()))
}

/// Takes a resource by its name in Slurm, or by the plain word for it.
fn take_by_tres(job: &mut Job, tres: &str) -> Option<f64> {
    let word = match tres {
        "cpu" => "cpus",
        "gres/gpu" => "gpus",
        "node" => "nodes",
        _ => return job.take(tres),
    };
    job.take(word).or_else(|| job.take(tres))
}

/// Returns the usage that Flux charges.
fn flux(mut job: Job, settings: &Settings) -> JobResult<f64> {
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

/// Returns the usage in a tree without a scheduler.
fn plain(mut job: Job) -> JobResult<f64> {
    let time = job.time()?;
    let nodes = job.take("nodes");
    let Some(held) = nodes.or_else(|| job.take("cores")) else {
        return Err(JobError::Missing("nodes".into(), "4"));
    };
    let expected = "time, nodes or cores, and jobs";
    job.end(expected)?;
    Ok(held * time)
}
