//! Slurm's settings of fair-share, decay and priority.

use super::SettingStep::{One, OneOf, Seconds, Typed};
use super::{Settings, UNKNOWN, above_zero, duration, or_word, set, set_unless, setting_table};
use crate::base::number::{self, DAY};
use crate::base::shown::{Shown, shown};
use crate::base::table::table;
use crate::model::{DurationForm, WrittenTime, duration_forms};
use jiff::tz::TimeZone;

/// Slurm's fair-share settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slurm {
    /// `PriorityLevels` of `LEVEL_BASED`, 1 to 16; `None` derives the levels from the tree.
    pub priority_levels: Option<u8>,
    /// `FairShareDampeningFactor`, from 1 up.
    pub dampening: u16,
    /// The order in which Fair Tree visits accounts that tie.
    pub tie_order: TieOrder,
    /// `PriorityDecayHalfLife` in seconds; 0 never decays.
    pub decay_half_life: u32,
    /// `PriorityCalcPeriod` in seconds: how often usage decays and factors are computed.
    pub calc_period: u32,
    /// `PriorityUsageResetPeriod`.
    pub usage_reset_period: UsageResetPeriod,
    /// What the factors of a job add to its priority.
    pub weights: PriorityWeights,
    /// `PriorityMaxAge` in seconds, at which the factor of a job's age is 1.
    pub max_age: u32,
    /// `TRESBillingWeights` of the partition in which jobs are charged: `CPU=1.0,Mem=0.25G`; empty counts CPUs.
    pub billing_weights: String,
    /// How these weights become the billing of a job. `PriorityFlags` chooses it; `None` if these are unknown.
    pub billing_rule: Option<BillingRule>,
    /// Whether a job's priority never falls: `INCR_ONLY` of `PriorityFlags`.
    pub only_rises: bool,
    /// Whether a job is charged when it ends: Slurm does so where `AccountingStorageEnforce` has `limits` or `safe`.
    /// `None` if that is unknown.
    pub charges_ends: Option<bool>,
    /// `BOOT_TIME`, when the controller was started, which its calculations follow. `None` if unknown.
    pub booted: Option<WrittenTime>,
    /// Which classic factor is shown for nodes with shares `parent`. The dump shows it, so it has no key.
    pub parent_factors: ParentFactors,
}

/// The points of job priority of a factor of 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityWeights {
    /// Of age, association, fairshare, job size, partition and QOS; `None` for those that are not known.
    pub factors: [Option<u32>; 6],
    /// `PriorityWeightTRES`: `CPU=300,Mem=200`; empty adds nothing.
    pub tres: String,
}

impl PriorityWeights {
    /// Returns `PriorityWeightFairShare`, if known.
    pub const fn fair_share(&self) -> Option<u32> {
        self.factors[2]
    }
}

/// How the weighted resources of a job become its billing, as `assoc_mgr_tres_weighted` computes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BillingRule {
    /// They are added up.
    #[default]
    Sum,
    /// `MAX_TRES`: the greatest of those on a node (CPUs, memory, nodes, GRES), and the sum of the others.
    Max,
    /// `MAX_TRES_GRES`: the greatest of CPUs, memory and nodes, and the sum of the others.
    MaxBesideGres,
}

impl BillingRule {
    /// Returns the billing of weighted resources, each with its name in lower case.
    pub fn billing<'a>(self, weighed: impl Iterator<Item = (&'a str, f64)>) -> f64 {
        let mut greatest = 0.0_f64;
        let mut sum = 0.0;
        for (name, amount) in weighed {
            let is_compared = match self {
                Self::Sum => false,
                Self::Max => is_of_node(name) || name == "gres" || name.starts_with("gres/"),
                Self::MaxBesideGres => is_of_node(name),
            };
            if is_compared {
                greatest = greatest.max(amount);
            } else {
                sum += amount;
            }
        }
        greatest + sum
    }
}

/// What one of each resource costs, in billing, by the names of the resources in lower case and in the order in which
/// they were written. Empty counts CPUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BillingWeights(Vec<(String, f64)>);

/// A part of `TRESBillingWeights` that is no weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "TRESBillingWeights contains {0}, which is not NAME=WEIGHT; expected weights such as \
     CPU=1.0,Mem=0.25G,GRES/gpu=2.0"
)]
pub struct BillingError(Shown);

impl BillingWeights {
    /// Reads `TRESBillingWeights`: `CPU=1.0,Mem=0.25G`. Memory is weighed by the MiB.
    pub(crate) fn read(text: &str) -> Result<Self, BillingError> {
        let mut weights = Vec::new();
        if text.trim().is_empty() {
            return Ok(Self(weights));
        }
        for part in text.split(',') {
            let Some((name, weight)) = named_weight(part) else {
                return Err(BillingError(shown(part.as_bytes())));
            };
            weights.push((name, weight));
        }
        Ok(Self(weights))
    }

    /// Returns whether no weights are set, so that CPUs are counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first resource of a name in any case, with what one of it costs.
    pub(crate) fn named(&self, name: &[u8]) -> Option<(&str, f64)> {
        let mut weights = self.iter();
        weights.find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
    }

    /// Returns the resources with what one of each costs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, weight)| (name.as_str(), *weight))
    }
}

/// Reads `Mem=0.25G`: the name in lower case, and the weight.
fn named_weight(part: &str) -> Option<(String, f64)> {
    let (name, weight) = part.split_once('=')?;
    Some((name.trim().to_ascii_lowercase(), scaled(weight.trim())?))
}

/// Reads a weight: `0.25G` is a quarter for each GB of a resource counted in MB.
fn scaled(text: &str) -> Option<f64> {
    let last = text.chars().last()?;
    let unit = match last {
        'K' => 1024.0,
        'M' => 1.0,
        'G' => 1.0 / 1024.0,
        'T' => 1.0 / (1024.0 * 1024.0),
        _ => return amount(text),
    };
    Some(amount(text.strip_suffix(last)?)? * unit)
}

/// Reads a number from 0 up.
fn amount(text: &str) -> Option<f64> {
    let amount: f64 = text.parse().ok()?;
    if amount.is_finite() && amount >= 0.0 {
        Some(amount)
    } else {
        None
    }
}

/// Returns whether a resource is one of those that every node has.
fn is_of_node(name: &str) -> bool {
    matches!(name, "cpu" | "mem" | "node")
}

/// The pair of effective usage and shares in the classic factor of a node with shares `parent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParentFactors {
    /// For users as in job priority, and for accounts as Slurm up to 25.05 prints it.
    #[default]
    Jobs,
    /// The node's own pair, as `sshare` up to 25.05 prints it for accounts and users.
    Own,
    /// The fair-share parent's pair, as Slurm prints it for both since 25.11.
    FairShareParent,
}

impl ParentFactors {
    /// All variants, the default first.
    pub const ALL: [Self; 3] = [Self::Jobs, Self::Own, Self::FairShareParent];

    /// Returns whether a user or an account uses the fair-share parent's pair.
    pub(crate) const fn uses_parent(self, is_user: bool) -> bool {
        match self {
            Self::Jobs => is_user,
            Self::Own => false,
            Self::FairShareParent => true,
        }
    }
}

impl Slurm {
    /// Returns when the controller was started, in Unix seconds, by the clocks of its time zone. `None` if unknown.
    pub(crate) fn booted_in(&self, zone: &TimeZone) -> Option<i64> {
        self.booted?.in_zone(zone)
    }
}

impl Default for Slurm {
    /// Returns Slurm's values for settings that are not in `slurm.conf`.
    fn default() -> Self {
        Self {
            priority_levels: None,
            dampening: 1,
            tie_order: TieOrder::Name,
            decay_half_life: 7 * DAY,
            calc_period: 5 * 60,
            usage_reset_period: UsageResetPeriod::None,
            weights: PriorityWeights::default(),
            max_age: 7 * DAY,
            billing_weights: String::new(),
            billing_rule: None,
            only_rises: false,
            charges_ends: None,
            booted: None,
            parent_factors: ParentFactors::Jobs,
        }
    }
}

table! {
    /// The order in which Slurm lists associations, and in which it visits those that tie.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TieOrder {
        Name, "name", "Alphabetical, users before accounts: as `sshare` prints them";
        Lineage, "lineage", "By the bytes of the lineage, as Slurm does since 23.11";
        Newest, "newest", "The newest first, as Slurm up to 23.02 does until an association is updated";
    }
}

table! {
    /// When Slurm resets all usage to 0.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum UsageResetPeriod {
        None, "NONE", "Never";
        Now, "NOW", "Once, when the controller starts";
        Daily, "DAILY", "Every midnight";
        Weekly, "WEEKLY", "Sundays at midnight";
        Monthly, "MONTHLY", "On the first of every month";
        Quarterly, "QUARTERLY", "On the first of every quarter";
        Yearly, "YEARLY", "On the first of every year";
    }
}

/// With more levels a bucket of `LEVEL_BASED` would have fewer than four bits.
pub const MOST_LEVELS: u8 = 16;

/// Derives `PriorityLevels` from the depth of the tree.
const AUTO: &str = "auto";

/// Reads a duration above 0.
fn period(text: &str) -> Option<u32> {
    match duration(text, DurationForm::SlurmSetting) {
        Some(0) | None => None,
        seconds => seconds,
    }
}

/// Writes seconds as `scontrol show config` does: `7-00:00:00`, `00:05:00`.
fn duration_text(seconds: u32) -> String {
    number::duration(i64::from(seconds)).into()
}

/// The words of `AccountingStorageEnforce` that enforce limits.
const WITH_LIMITS: &[&str] = &["all", "limits", "safe"];

/// The other words of `AccountingStorageEnforce`.
const OTHERS: &[&str] = &["associations", "nojobs", "none", "nosteps", "qos", "wckeys"];

/// Reads the value of `AccountingStorageEnforce`: whether it enforces limits. `None` if a word is unknown.
fn enforces_limits(text: &str) -> Option<bool> {
    let mut enforces = false;
    for word in text.to_ascii_lowercase().split(',') {
        let is_with_limits = WITH_LIMITS.contains(&word.trim());
        if !is_with_limits && !OTHERS.contains(&word.trim()) {
            return None;
        }
        enforces |= is_with_limits;
    }
    Some(enforces)
}

/// The weights of job priority have one row but for their key and their place among the factors.
const WEIGHT_HELP: &str = "What a factor of 1 adds, in points of job priority";

/// The accepted weights, in words.
const WEIGHT_EXPECTED: &str = "a whole number from 0 to 4294967295, or unknown";

/// Writes the weight of one of the factors.
fn weight<const FACTOR: usize>(settings: &Settings) -> String {
    or_word(settings.slurm.weights.factors[FACTOR], UNKNOWN)
}

/// Reads the weight of one of the factors.
fn set_weight<const FACTOR: usize>(settings: &mut Settings, text: &str) -> Option<()> {
    set_unless(&mut settings.slurm.weights.factors[FACTOR], UNKNOWN, text)
}

setting_table! {
    "PriorityLevels",
        help: "How many levels have a bucket, in the 64-bit priority of LEVEL_BASED",
        expected: "a whole number from 1 to 16, so that a bucket has at least 4 bits; or auto for the depth of the \
                   tree",
        step: One,
        |settings| or_word(settings.slurm.priority_levels, AUTO),
        |settings, text| {
            let mut levels = None;
            set_unless(&mut levels, AUTO, text)?;
            if let Some(count) = levels
                && !(1..=MOST_LEVELS).contains(&count)
            {
                return None;
            }
            settings.slurm.priority_levels = levels;
            Some(())
        };
    "FairShareDampeningFactor",
        help: "What usage / shares is divided by, so that classic factors of small shares differ",
        expected: "a whole number from 1 to 65535; 1 means no dampening",
        step: One,
        |settings| settings.slurm.dampening.to_string(),
        |settings, text| set(&mut settings.slurm.dampening, above_zero(text));
    "TieOrder",
        help: "Which of two tied accounts is first, under Fair Tree",
        expected: "name, lineage (Slurm since 23.11) or newest (Slurm up to 23.02 until an association is updated)",
        step: OneOf(|| TieOrder::ALL.iter().map(|order| order.name()).collect()),
        |settings| settings.slurm.tie_order.name().to_owned(),
        |settings, text| {
            let order = TieOrder::named(&text.to_ascii_lowercase());
            set(&mut settings.slurm.tie_order, order)
        };
    "PriorityDecayHalfLife",
        help: "The time in which usage halves",
        expected: concat!(duration_forms!(SlurmSetting), "; 0 never decays"),
        step: Seconds(DAY),
        |settings| duration_text(settings.slurm.decay_half_life),
        |settings, text| {
            let time = duration(text, DurationForm::SlurmSetting);
            set(&mut settings.slurm.decay_half_life, time)
        };
    "PriorityCalcPeriod",
        help: "The time between two calculations, of usage and of factors",
        expected: concat!(duration_forms!(SlurmSetting), ", above 0"),
        step: Seconds(60),
        |settings| duration_text(settings.slurm.calc_period),
        |settings, text| set(&mut settings.slurm.calc_period, period(text));
    "PriorityUsageResetPeriod",
        help: "When all usage is set to 0",
        expected: "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY",
        step: OneOf(|| UsageResetPeriod::ALL.iter().map(|period| period.name()).collect()),
        |settings| settings.slurm.usage_reset_period.name().to_owned(),
        |settings, text| {
            let period = UsageResetPeriod::named(&text.to_ascii_uppercase());
            set(&mut settings.slurm.usage_reset_period, period)
        };
    "PriorityWeightFairShare",
        help: WEIGHT_HELP,
        expected: WEIGHT_EXPECTED,
        step: One,
        weight::<2>,
        set_weight::<2>;
    "PriorityWeightAge",
        help: WEIGHT_HELP,
        expected: WEIGHT_EXPECTED,
        step: One,
        weight::<0>,
        set_weight::<0>;
    "PriorityWeightAssoc",
        help: WEIGHT_HELP,
        expected: WEIGHT_EXPECTED,
        step: One,
        weight::<1>,
        set_weight::<1>;
    "PriorityWeightJobSize",
        help: WEIGHT_HELP,
        expected: WEIGHT_EXPECTED,
        step: One,
        weight::<3>,
        set_weight::<3>;
    "PriorityWeightPartition",
        help: WEIGHT_HELP,
        expected: WEIGHT_EXPECTED,
        step: One,
        weight::<4>,
        set_weight::<4>;
    "PriorityWeightQOS",
        help: WEIGHT_HELP,
        expected: WEIGHT_EXPECTED,
        step: One,
        weight::<5>,
        set_weight::<5>;
    "PriorityWeightTRES",
        help: "What a factor of 1 of each resource adds, in points of job priority",
        expected: "weights of resources, such as CPU=300,Mem=200; empty adds nothing",
        step: Typed,
        |settings| settings.slurm.weights.tres.clone(),
        |settings, text| set(&mut settings.slurm.weights.tres, Some(text.trim().into()));
    "PriorityMaxAge",
        help: "The time after which the factor of a job's age is 1",
        expected: concat!(duration_forms!(SlurmSetting), ", above 0"),
        step: Seconds(DAY),
        |settings| duration_text(settings.slurm.max_age),
        |settings, text| set(&mut settings.slurm.max_age, period(text));
    "TRESBillingWeights",
        help: "What a second of each resource costs",
        expected: "weights of resources, such as CPU=1.0,Mem=0.25G,GRES/gpu=2.0; empty counts CPUs",
        step: Typed,
        |settings| settings.slurm.billing_weights.clone(),
        |settings, text| {
            let weights = Some(text.trim().to_owned());
            set(&mut settings.slurm.billing_weights, weights)
        };
    "AccountingStorageEnforce",
        help: "What slurmctld enforces; with limits it charges jobs at their end, too",
        expected: "words of slurm.conf behind commas, such as associations,limits,qos; none; or unknown",
        step: OneOf(|| vec![UNKNOWN, "none", "limits"]),
        |settings| {
            let word = match settings.slurm.charges_ends {
                Some(true) => "limits",
                Some(false) => "none",
                None => UNKNOWN,
            };
            word.to_owned()
        },
        |settings, text| {
            settings.slurm.charges_ends = if text.eq_ignore_ascii_case(UNKNOWN) {
                None
            } else {
                Some(enforces_limits(text)?)
            };
            Some(())
        };
    "BOOT_TIME",
        help: "When slurmctld was started, from where its calculations are counted",
        expected: "a local time such as 2026-11-23T20:48:02, the same with Z or an offset such as +01:00, or unknown",
        step: Typed,
        |settings| or_word(settings.slurm.booted, UNKNOWN),
        |settings, text| {
            settings.slurm.booted = if text.eq_ignore_ascii_case(UNKNOWN) {
                None
            } else {
                Some(WrittenTime::parse(text)?)
            };
            Some(())
        };
}

/// The first release whose associations have lineages, by which they are sorted.
pub const LINEAGE_SINCE: (u32, u32) = (23, 11);

/// Returns the release of a version: `24.11.5` is (24, 11). `None` if it is no version.
pub fn release_of(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
