//! `scontrol show config`: Slurm's settings. `slurm.conf` itself is read in the same way.

use crate::base::shown::{Shown, shown};
use crate::format::input::Input;
use crate::format::problem::problems;
use crate::format::{LoadResult, Problems, Refusal};
use crate::model::{
    BillingRule, Moment, Named, Pseudonyms, Scheduler, SettingError, Settings, UsageResetPeriod,
    moment_of, release_of,
};
use crate::rules::policy::Policy;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write as _;

/// How many lines are examined to detect a configuration, because a `slurm.conf` may begin with long comments.
const LINES: usize = 5000;

/// The beginning of the line with the local time at which it was printed.
const HEADING: &[u8] = b"Configuration data as of ";

/// The first version with Fair Tree as the default.
const FAIR_TREE_SINCE: (u32, u32) = (19, 5);

/// The keys that are settings here, under the same names.
const SETTINGS: &[&str] = &[
    "PriorityDecayHalfLife",
    "PriorityCalcPeriod",
    "PriorityUsageResetPeriod",
    "FairShareDampeningFactor",
    "PriorityWeightFairShare",
    "PriorityWeightAge",
    "PriorityWeightAssoc",
    "PriorityWeightJobSize",
    "PriorityWeightPartition",
    "PriorityWeightQOS",
    "PriorityWeightTRES",
    "PriorityMaxAge",
    "PriorityLevels",
    "AccountingStorageEnforce",
    "BOOT_TIME",
];

/// The key of the cluster's name.
const CLUSTER: &str = "ClusterName";
/// The key of Slurm's version.
const VERSION: &str = "SLURM_VERSION";
/// The key of the flags, some of which choose a policy.
pub(crate) const FLAGS: &str = "PriorityFlags";
/// The key of the plugin that computes priorities.
const TYPE: &str = "PriorityType";
/// The key of a list of resources, which have names.
const RESOURCES: &str = "PriorityWeightTRES";

/// The keys that are read and are no settings here.
const OTHERS: &[&str] = &[CLUSTER, VERSION, FLAGS, TYPE];

/// The plugin without fair-share.
const BASIC: &str = "priority/basic";

/// A flag that chooses a policy.
struct PolicyFlag {
    /// The flag in upper case.
    flag: &'static str,
    /// What it chooses.
    policy: Policy,
}

/// A flag and the policy that it chooses.
const fn chooses(flag: &'static str, policy: Policy) -> PolicyFlag {
    PolicyFlag { flag, policy }
}

/// The flags that choose a policy. If there are several the first counts, as in Slurm.
const POLICIES: &[PolicyFlag] = &[
    chooses("TICKET_BASED", Policy::Tickets),
    chooses("DEPTH_OBLIVIOUS", Policy::DepthOblivious),
    chooses("LEVEL_BASED", Policy::LevelBased),
    chooses("NO_FAIR_TREE", Policy::Classic),
    chooses("FAIR_TREE", Policy::FairTree),
];

/// The flags that choose no policy.
const OTHER_FLAGS: &[&str] = &[
    "ACCRUE_ALWAYS",
    "CALCULATE_RUNNING",
    "INCR_ONLY",
    "MAX_TRES",
    "MAX_TRES_GRES",
    "NO_NORMAL_ALL",
    "NO_NORMAL_ASSOC",
    "NO_NORMAL_PART",
    "NO_NORMAL_QOS",
    "NO_NORMAL_TRES",
    "SMALL_RELATIVE_TO_TIME",
];

problems! {
    /// What is odd about a setting.
    enum ConfigProblem {
        Basic, Warning "slurm-priority-basic",
            "PriorityType is priority/basic, so jobs run in order of submission and fair-share is not in use",
            "set PriorityType=priority/multifactor in slurm.conf; the ranks shown are those it would give";
        Unit { key: &'static str, value: Shown, assumed: String, own: Shown }, Warning "slurm-setting",
            "{key} is {value}, which is not a valid value; {assumed} is assumed",
            "write it as Slurm does, as in {own}";
        Value { key: &'static str, value: Shown, assumed: String, expected: &'static str }, Warning "slurm-setting",
            "{key} is {value}, which is not a valid value; {assumed} is assumed",
            "expected {expected}";
        ResetNow, Note "slurm-reset-now",
            "PriorityUsageResetPeriod is NOW, so all usage is set to 0 at every start of slurmctld",
            "set it to NONE or to a period";
    }
}

/// Returns the flags that Slurm knows.
pub(crate) fn flags() -> impl Iterator<Item = &'static str> {
    let choosing = POLICIES.iter().map(|known| known.flag);
    choosing.chain(OTHER_FLAGS.iter().copied())
}

/// Returns the policy that `PriorityFlags` chooses, in any case, or `None` if it leaves that to Slurm's version.
/// The error is a flag that Slurm does not have.
pub(crate) fn policy_of_flags(text: &str) -> Result<Option<Policy>, String> {
    let text = text.to_ascii_uppercase();
    for flag in text.split(',').map(str::trim) {
        if !flag.is_empty() && flags().all(|known| known != flag) {
            return Err(flag.to_owned());
        }
    }
    Ok(chosen(&text))
}

/// Returns the policy that flags in upper case choose, or `None` if they choose none.
fn chosen(flags: &str) -> Option<Policy> {
    for known in POLICIES {
        if is_set(flags, known.flag) {
            return Some(known.policy);
        }
    }
    None
}

/// Sets what `PriorityFlags` say beside the policy.
pub(crate) fn set_flags(settings: &mut Settings, flags: &str) {
    let flags = flags.to_ascii_uppercase();
    settings.slurm.billing_rule = Some(billing_rule(&flags));
    settings.slurm.only_rises = is_set(&flags, "INCR_ONLY");
}

/// Returns how flags in upper case make a billing of resources.
fn billing_rule(flags: &str) -> BillingRule {
    if is_set(flags, "MAX_TRES") {
        BillingRule::Max
    } else if is_set(flags, "MAX_TRES_GRES") {
        BillingRule::MaxBesideGres
    } else {
        BillingRule::Sum
    }
}

/// Returns whether flags in upper case, between commas, have one.
fn is_set(flags: &str, flag: &str) -> bool {
    flags.split(',').any(|set| set.trim() == flag)
}

/// Slurm's settings of fair-share from its configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The settings, with defaults for missing ones.
    pub settings: Settings,
    /// The policy of its flags; `None` if they choose none.
    pub policy: Option<Policy>,
    /// `ClusterName`.
    pub cluster: String,
    /// `SLURM_VERSION`.
    pub version: String,
    /// When it was printed, in Unix seconds. Without a printed time it is the file's.
    pub taken: Option<i64>,
    /// What was odd.
    pub problems: Problems,
}

/// Returns whether the text looks like Slurm's configuration, or some lines of it.
pub fn is_config(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').take(LINES);
    lines.any(|line| line.starts_with(HEADING) || Entry::parse(line).is_some())
}

/// Reads the configuration, whose times are local ones of a zone; fails if none of its lines is about fair-share.
pub fn read(input: &Input, zone: &TimeZone) -> LoadResult<Config> {
    if !is_config(&input.bytes) {
        let what = "contains none of Slurm's settings";
        let advice = "expected lines such as PriorityDecayHalfLife = 7-00:00:00: give the output of scontrol show config";
        return Err(Refusal::does(&input.name(), what, advice).into());
    }
    let mut config = Config {
        taken: input.modified,
        problems: Problems::of(input.name()),
        ..Config::default()
    };
    config.settings.scheduler = Some(Scheduler::Slurm);
    let mut flags = String::new();
    for (number, line) in (1..).zip(input.bytes.split(|&byte| byte == b'\n')) {
        if let Some(time) = line.strip_prefix(HEADING) {
            config.taken = seconds(time, zone).or(config.taken);
            continue;
        }
        let Some(Entry { key, value }) = Entry::parse(line) else {
            continue;
        };
        let is_missing = matches!(value, b"" | b"(null)" | b"N/A");
        let text = String::from_utf8_lossy(value);
        match key {
            FLAGS if is_missing => flags.clear(),
            FLAGS => flags = text.to_ascii_uppercase(),
            _ if is_missing => {}
            CLUSTER => config.cluster = text.into_owned(),
            VERSION => config.version = text.into_owned(),
            TYPE if text.eq_ignore_ascii_case(BASIC) => {
                config.problems.report(number, ConfigProblem::Basic);
            }
            TYPE => {}
            _ => config.set(key, value, number),
        }
    }
    config.policy = match chosen(&flags) {
        Some(policy) => Some(policy),
        None => default_policy(&config.version),
    };
    set_flags(&mut config.settings, &flags);
    Ok(config)
}

/// Returns the policy of a version without a flag; `None` if the version is not known.
fn default_policy(version: &str) -> Option<Policy> {
    if release_of(version)? >= FAIR_TREE_SINCE {
        Some(Policy::FairTree)
    } else {
        Some(Policy::Classic)
    }
}

/// A line with a key that is read.
struct Entry<'a> {
    /// The key as we write it, because Slurm ignores case.
    key: &'static str,
    /// The text behind the equals sign, without blanks around it.
    value: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Reads a line up to its comment; `None` if it has no such key.
    fn parse(line: &'a [u8]) -> Option<Self> {
        let end = memchr::memchr(b'#', line).unwrap_or(line.len());
        let line = &line[..end];
        let at = memchr::memchr(b'=', line)?;
        let key = line[..at].trim_ascii();
        for known in SETTINGS.iter().chain(OTHERS) {
            if known.as_bytes().eq_ignore_ascii_case(key) {
                let value = line[at + 1..].trim_ascii();
                return Some(Self { key: known, value });
            }
        }
        None
    }

    /// Returns the value with pseudonyms; `None` if it is not valid.
    fn anonymised(&self, pseudonyms: &Pseudonyms) -> Option<String> {
        let text = String::from_utf8_lossy(self.value);
        let value = match self.key {
            CLUSTER => pseudonyms.of(Named::Cluster, self.value),
            VERSION => Pseudonyms::version(&text),
            FLAGS => {
                let set = text.to_ascii_uppercase();
                let mut known: Vec<&str> = flags().collect();
                known.retain(|flag| is_set(&set, flag));
                known.join(",")
            }
            TYPE if text.eq_ignore_ascii_case(BASIC) => BASIC.to_owned(),
            TYPE => "priority/multifactor".to_owned(),
            RESOURCES => pseudonyms.resources(&text),
            key => {
                let mut settings = Settings::default();
                if text.is_empty() {
                    return None;
                }
                settings.set(key, &text).ok()?;
                settings.get(key)?
            }
        };
        Some(value)
    }
}

/// Returns the settings that are stated and read, with a pseudonym of the cluster. Values that are not valid are left out.
pub(in crate::format) fn anonymised(input: &Input, pseudonyms: &Pseudonyms) -> LoadResult<Vec<u8>> {
    let config = read(input, &TimeZone::UTC)?;
    let mut text = String::new();
    if let Some(taken) = config.taken
        && let Ok(taken) = Timestamp::from_second(taken)
    {
        let local = taken.to_zoned(TimeZone::UTC).datetime();
        text = format!("{}{local}\n", String::from_utf8_lossy(HEADING));
    }
    for line in input.bytes.split(|&byte| byte == b'\n') {
        if let Some(entry) = Entry::parse(line)
            && let Some(value) = entry.anonymised(pseudonyms)
        {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} = {value}", entry.key);
        }
    }
    Ok(text.into_bytes())
}

/// Returns a time as printed by scontrol, in Unix seconds, or `None` if it is none.
fn seconds(text: &[u8], zone: &TimeZone) -> Option<i64> {
    let moment = moment_of(std::str::from_utf8(text).ok()?, zone);
    moment.ok().map(Moment::usual)
}

impl Config {
    /// Sets a setting; a value that is not valid is a problem.
    fn set(&mut self, key: &'static str, value: &[u8], line: u64) {
        let text = String::from_utf8_lossy(value);
        let error = match self.settings.set_as_written(key, &text) {
            Ok(()) => {
                let reset = self.settings.slurm.usage_reset_period;
                if key == "PriorityUsageResetPeriod" && reset == UsageResetPeriod::Now {
                    self.problems.report(line, ConfigProblem::ResetNow);
                }
                return;
            }
            Err(error) => error,
        };
        let value = shown(value).cut(40);
        let assumed = self.settings.get(key).unwrap_or_default();
        let problem = match error {
            SettingError::Unit { own, .. } => ConfigProblem::Unit {
                key,
                value,
                assumed,
                own,
            },
            _ => ConfigProblem::Value {
                key,
                value,
                assumed,
                expected: Settings::expected(key).unwrap_or_default(),
            },
        };
        self.problems.report(line, problem);
    }
}
