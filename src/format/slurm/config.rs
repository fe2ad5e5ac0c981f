//! `scontrol show config`: Slurm's settings. `slurm.conf` itself is read in the same way.

use crate::base::shown::{cut, sentence, shown};
use crate::format::input::Input;
use crate::format::{LoadResult, Problems, Refusal};
use crate::model::{
    BillingRule, Moment, Named, Pseudonyms, Scheduler, SettingError, Settings, UsageResetPeriod,
    moment_of, release_of,
};
use crate::rules::policy::Policy;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How many lines are examined to detect a configuration, because a `slurm.conf` may begin with long comments.
const LINES: usize = 5000;

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

/// The other keys that are read.
const CLUSTER: &str = "ClusterName";
const VERSION: &str = "SLURM_VERSION";
/// The key of the flags, some of which choose a policy.
pub(crate) const FLAGS: &str = "PriorityFlags";
const TYPE: &str = "PriorityType";
/// The key of a list of resources, which have names.
const RESOURCES: &str = "PriorityWeightTRES";

const OTHER_FLAGS: &str = "ACCRUE_ALWAYS CALCULATE_RUNNING INCR_ONLY MAX_TRES MAX_TRES_GRES NO_NORMAL_ALL \
                           NO_NORMAL_ASSOC NO_NORMAL_PART NO_NORMAL_QOS NO_NORMAL_TRES SMALL_RELATIVE_TO_TIME";

/// Returns the flags that Slurm knows.
pub(crate) fn flags() -> impl Iterator<Item = &'static str> {
    let choosing = POLICIES.iter().map(|(flag, _)| *flag);
    choosing.chain(OTHER_FLAGS.split(' '))
}

/// Returns the policy that `PriorityFlags` chooses, in any case, or `None` if it leaves that to Slurm's version.
/// The error is a flag that Slurm does not have.
pub(crate) fn policy_of_flags(text: &str) -> Result<Option<Policy>, String> {
    let text = text.to_ascii_uppercase();
    let mut listed = text.split(',').map(str::trim);
    match listed.find(|&flag| !flag.is_empty() && flags().all(|known| known != flag)) {
        Some(flag) => Err(flag.to_owned()),
        None => Ok(chosen(&text)),
    }
}

/// Returns the policy that flags in upper case choose, or `None` if they choose none.
fn chosen(flags: &str) -> Option<Policy> {
    let chosen = POLICIES.iter().find(|(flag, _)| is_set(flags, flag));
    chosen.map(|(_, policy)| *policy)
}

/// Sets what `PriorityFlags` say beside the policy.
pub(crate) fn set_flags(settings: &mut Settings, flags: &str) {
    let flags = flags.to_ascii_uppercase();
    settings.slurm.billing_rule = Some(billing_rule(&flags));
    settings.slurm.only_rises = is_set(&flags, "INCR_ONLY");
}

fn billing_rule(flags: &str) -> BillingRule {
    if is_set(flags, "MAX_TRES") {
        BillingRule::Max
    } else if is_set(flags, "MAX_TRES_GRES") {
        BillingRule::MaxBesideGres
    } else {
        BillingRule::Sum
    }
}

fn is_set(flags: &str, flag: &str) -> bool {
    flags.split(',').any(|set| set.trim() == flag)
}

/// The flags that choose a policy. If there are several the first counts, as in Slurm.
const POLICIES: &[(&str, Policy)] = &[
    ("TICKET_BASED", Policy::Tickets),
    ("DEPTH_OBLIVIOUS", Policy::DepthOblivious),
    ("LEVEL_BASED", Policy::LevelBased),
    ("NO_FAIR_TREE", Policy::Classic),
    ("FAIR_TREE", Policy::FairTree),
];

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
    lines.any(|line| {
        line.starts_with(HEADING) || pair(line).is_some_and(|(key, _)| known(key).is_some())
    })
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
        } else if let Some((key, value)) = pair(line)
            && let Some(key) = known(key)
        {
            let value = match value {
                b"(null)" | b"N/A" => b"",
                value => value,
            };
            let text = || String::from_utf8_lossy(value).into_owned();
            match key {
                FLAGS => flags = text().to_ascii_uppercase(),
                _ if value.is_empty() => {}
                CLUSTER => config.cluster = text(),
                VERSION => config.version = text(),
                _ => config.set(key, value, number),
            }
        }
    }
    // Slurm's default without a flag depends on its version.
    let by_version = match release_of(&config.version) {
        Some(release) if release >= FAIR_TREE_SINCE => Some(Policy::FairTree),
        release => release.map(|_| Policy::Classic),
    };
    config.policy = chosen(&flags).or(by_version);
    set_flags(&mut config.settings, &flags);
    Ok(config)
}

fn pair(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    let line = &line[..end];
    let at = memchr::memchr(b'=', line)?;
    Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
}

/// Returns the settings that are stated and read, with a pseudonym of the cluster. Values that are not valid are left out.
pub(in crate::format) fn anonymised(input: &Input, pseudonyms: &Pseudonyms) -> LoadResult<Vec<u8>> {
    let config = read(input, &TimeZone::UTC)?;
    let mut lines = Vec::new();
    let taken = config
        .taken
        .and_then(|taken| Timestamp::from_second(taken).ok());
    if let Some(taken) = taken {
        let local = taken.to_zoned(TimeZone::UTC).datetime();
        lines.push(format!("{}{local}", String::from_utf8_lossy(HEADING)));
    }
    for line in input.bytes.split(|&byte| byte == b'\n') {
        let Some((key, value)) = pair(line) else {
            continue;
        };
        let text = String::from_utf8_lossy(value);
        let value = match known(key) {
            Some(CLUSTER) => pseudonyms.of(Named::Cluster, value),
            Some(VERSION) => Pseudonyms::version(&text),
            Some(FLAGS) => {
                let set = text.to_ascii_uppercase();
                let is_set = |flag: &&str| set.split(',').any(|one| one.trim() == *flag);
                flags().filter(is_set).collect::<Vec<_>>().join(",")
            }
            Some(TYPE) if text.eq_ignore_ascii_case("priority/basic") => {
                "priority/basic".to_owned()
            }
            Some(TYPE) => "priority/multifactor".to_owned(),
            Some(RESOURCES) => pseudonyms.resources(&text),
            Some(key) => {
                let mut settings = Settings::default();
                let is_valid = !text.is_empty() && settings.set(key, &text).is_ok();
                match settings.get(key).filter(|_| is_valid) {
                    Some(value) => value,
                    None => continue,
                }
            }
            None => continue,
        };
        let key = known(key).unwrap_or_default();
        lines.push(format!("{key} = {value}"));
    }
    lines.push(String::new());
    Ok(lines.join("\n").into_bytes())
}

/// Returns the key as we write it, because Slurm ignores case. `None` if it is unknown.
fn known(key: &[u8]) -> Option<&'static str> {
    let others = [CLUSTER, VERSION, FLAGS, TYPE];
    let mut all = SETTINGS.iter().copied().chain(others);
    all.find(|known| known.as_bytes().eq_ignore_ascii_case(key))
}

/// Returns a time as printed by scontrol, in Unix seconds, or `None` if it is none.
fn seconds(text: &[u8], zone: &TimeZone) -> Option<i64> {
    let moment = moment_of(std::str::from_utf8(text).ok()?, zone);
    moment.ok().map(Moment::usual)
}

impl Config {
    fn set(&mut self, key: &'static str, value: &[u8], line: u64) {
        let text = &*String::from_utf8_lossy(value);
        let problems = &mut self.problems;
        if key == TYPE {
            if text.eq_ignore_ascii_case("priority/basic") {
                let message = "PriorityType is priority/basic, so jobs run in order of submission and fair-share is not \
                               in use";
                let advice = "set PriorityType=priority/multifactor in slurm.conf; the ranks shown are those it would \
                              give";
                problems.warn(line, "slurm-priority-basic", message, advice);
            }
        } else if let Err(error) = self.settings.set_as_written(key, text) {
            let message = sentence!(
                "{key} is {}, which is not a valid value; {} is assumed",
                cut(&shown(value), 40),
                self.settings.get(key).unwrap_or_default()
            );
            let advice = match error {
                SettingError::Unit { own, .. } => sentence!("write it as Slurm does, as in {own}"),
                _ => sentence!("expected {}", Settings::expected(key).unwrap_or_default()),
            };
            problems.warn(line, "slurm-setting", message, advice);
        } else if key == "PriorityUsageResetPeriod"
            && self.settings.slurm.usage_reset_period == UsageResetPeriod::Now
        {
            let message = "PriorityUsageResetPeriod is NOW, so all usage is set to 0 at every start of slurmctld";
            let advice = "set it to NONE or to a period";
            problems.note(line, "slurm-reset-now", message, advice);
        }
    }
}
