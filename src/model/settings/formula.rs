//! A formula of PBS, and the job it is evaluated for.

use super::SettingStep::Typed;
use super::{Settings, duration, setting_table};
use crate::model::DurationForm;
use std::collections::BTreeMap;

/// PBS's `job_sort_formula`, and the resources of the job for which it is evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    /// The formula that is set; `None` if there is none, so that PBS walks the tree.
    pub set: Option<String>,
    /// The amounts of the job's resources, by name; times in seconds.
    pub(crate) resources: BTreeMap<String, f64>,
}

impl Formula {
    /// The formula of PBS's own design document.
    pub const EXAMPLE: &'static str = "pow(2, -(fairshare_tree_usage/fairshare_perc))";

    /// Returns the text of the formula: the one that is set, or the [example](Self::EXAMPLE).
    pub fn text(&self) -> &str {
        self.set.as_deref().unwrap_or(Self::EXAMPLE)
    }
}

setting_table! {
    "job_sort_formula",
        help: "What PBS sorts jobs by, computed once at the start of a cycle; the larger value runs first",
        expected: "a formula such as fairshare_factor or pow(2, -(fairshare_tree_usage/fairshare_perc)), or nothing to unset it",
        step: Typed,
        |settings| settings.formula.set.clone().unwrap_or_default(),
        |settings, text| {
            settings.formula.set = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
            Some(())
        };
}

/// The properties of a job that a formula can use: PBS's numeric resources, and its facts about the job.
pub const JOB_RESOURCES: &[&str] = &[
    "accrue_type",
    "cput",
    "eligible_time",
    "file",
    "job_priority",
    "max_walltime",
    "mem",
    "min_walltime",
    "mpiprocs",
    "naccelerators",
    "ncpus",
    "nchunk",
    "ngpus",
    "nice",
    "nodect",
    "ompthreads",
    "pcput",
    "pmem",
    "pvmem",
    "queue_priority",
    "soft_walltime",
    "vmem",
    "walltime",
];

/// The prefix of the setting of a site's own resource: `resources.NAME`.
const SITE_RESOURCE: &str = "resources.";

/// Returns the resource that a key names, or `None` if it names none.
pub(super) fn resource(key: &str) -> Option<&str> {
    match key.strip_prefix(SITE_RESOURCE) {
        Some(name) if is_resource_name(name) => Some(name),
        Some(_) => None,
        None => JOB_RESOURCES.iter().copied().find(|name| *name == key),
    }
}

/// Returns whether a text can be the name of a site's own resource.
fn is_resource_name(name: &str) -> bool {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.bytes().all(is_of_word)
}

/// The accepted amounts of a resource, in words.
pub(super) const EXPECTED_AMOUNT: &str =
    "a number; for a time also 1.5h, 1h30m, 14d, 14-0, HH:MM:SS or MM:SS";

/// Returns whether the amount of a resource is a time.
pub(crate) fn is_time(resource: &str) -> bool {
    resource.ends_with("time") || resource.ends_with("cput")
}

/// Reads the amount of a resource, a time in seconds. `None` if it is none.
pub(super) fn resource_amount(name: &str, text: &str) -> Option<f64> {
    let amount = text.parse().ok().filter(|amount: &f64| amount.is_finite());
    // The unit of another resource is no unit of time: `mem=2w` would be two words to PBS.
    if amount.is_some() || !(is_time(name) || text.contains(':')) {
        return amount;
    }
    let seconds: u64 = duration(text, DurationForm::MinutesSeconds)?;
    Some(seconds as f64)
}

impl Settings {
    /// Returns the key of the setting for a resource of a job.
    pub(crate) fn resource_key(name: &str) -> String {
        if JOB_RESOURCES.contains(&name) {
            name.to_owned()
        } else {
            format!("{SITE_RESOURCE}{name}")
        }
    }
}
