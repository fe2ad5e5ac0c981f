//! The settings that PBS reads from `sched_config`.

use super::SettingStep::{One, OneOf, Seconds, Twentieth, Typed};
use super::{boolean, duration, set, setting_table};
use crate::base::number::DAY;
use crate::model::{DurationForm, duration_forms};

/// When PBS's fairshare is on: `fair_share` of `sched_config`, which may differ in prime and non-prime time.
///
/// While it is off PBS does not compare users by this tree, charges no usage to it, and bars nobody without a share. A
/// `job_sort_formula` can still use the numbers of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FairShare {
    /// Not stated: assumed to be on.
    #[default]
    Assumed,
    /// At all times.
    Always,
    /// In prime time.
    Prime,
    /// In non-prime time.
    NonPrime,
    /// PBS's own default.
    Never,
}

impl FairShare {
    /// What can be stated, in the order of its steps.
    pub(crate) const STATED: &[Self] = &[Self::Always, Self::Prime, Self::NonPrime, Self::Never];

    /// Returns when it is on, if it is on or off in prime time and in non-prime time.
    pub(crate) const fn of(prime: bool, non_prime: bool) -> Self {
        match (prime, non_prime) {
            (true, true) => Self::Always,
            (true, false) => Self::Prime,
            (false, true) => Self::NonPrime,
            (false, false) => Self::Never,
        }
    }

    /// Returns whether it is on in prime time.
    pub const fn is_on_in_prime(self) -> bool {
        matches!(self, Self::Assumed | Self::Always | Self::Prime)
    }

    /// Returns whether it is on in non-prime time.
    pub const fn is_on_in_non_prime(self) -> bool {
        matches!(self, Self::Assumed | Self::Always | Self::NonPrime)
    }

    /// Returns whether it is ever on.
    pub(crate) const fn is_on(self) -> bool {
        !matches!(self, Self::Never)
    }

    /// Returns the time in which it is on, in PBS's words, or `None` if it is on at all times or never.
    pub(crate) const fn period(self) -> Option<&'static str> {
        match self {
            Self::Prime => Some("prime"),
            Self::NonPrime => Some("non-prime"),
            Self::Assumed | Self::Always | Self::Never => None,
        }
    }

    /// Returns the value as [`FairShare::named`] reads it.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Assumed => "true (assumed)",
            Self::Always => "true",
            Self::Prime => "true prime",
            Self::NonPrime => "true non_prime",
            Self::Never => "false",
        }
    }

    /// Reads a value, with the word for the time as in `sched_config`. Returns `None` if it is invalid.
    pub(crate) fn named(text: &str) -> Option<Self> {
        if text == Self::Assumed.text() {
            return Some(Self::Assumed);
        }
        let mut words = text.split_whitespace();
        let is_on = boolean(words.next()?)?;
        let period = words.next().map(str::to_ascii_lowercase);
        let fair_share = match (is_on, period.as_deref()) {
            (true, None | Some("all")) => Self::Always,
            (true, Some("prime")) => Self::Prime,
            (true, Some("non_prime")) => Self::NonPrime,
            (false, None | Some("all")) => Self::Never,
            _ => return None,
        };
        match words.next() {
            None => Some(fair_share),
            Some(_) => None,
        }
    }
}

/// PBS's fairshare settings, as the scheduler holds them after reading `sched_config`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pbs {
    /// When fairshare is on.
    pub fair_share: FairShare,
    /// The owner of usage: `euser`, `egroup`, `Account_Name`, `queue`, `egroup:euser`.
    pub fairshare_entity: String,
    /// The formula of usage, which gives its unit.
    pub fairshare_usage_res: String,
    /// The factor of usage at each decay: a 32-bit float in PBS.
    pub fairshare_decay_factor: f32,
    /// Seconds between decays. -2 is never. PBS's minus infinity is `i64::MIN` here.
    pub fairshare_decay_time: i64,
    /// The shares of the group `unknown`.
    pub unknown_shares: i32,
    /// Whether jobs of an entity without a share never run.
    pub fairshare_enforce_no_shares: bool,
    /// When usage was last decayed, in Unix seconds; 0 is never.
    pub last_decay: i64,
}

impl Default for Pbs {
    /// Returns PBS's values without `sched_config`, but `fair_share` is assumed to be on, as a tree is meant to count.
    fn default() -> Self {
        Self {
            fair_share: FairShare::Assumed,
            fairshare_entity: "euser".to_owned(),
            fairshare_usage_res: "cput".to_owned(),
            fairshare_decay_factor: 0.5,
            fairshare_decay_time: DAY.into(),
            unknown_shares: 0,
            fairshare_enforce_no_shares: true,
            last_decay: 0,
        }
    }
}

/// The values of `fairshare_entity`.
const ENTITIES: &[&str] = &["euser", "egroup", "Account_Name", "queue", "egroup:euser"];

setting_table! {
    "unknown_shares",
        help: "The shares of the group unknown: entities missing from resource_group split them equally",
        expected: "a whole number of shares from 0 to 2147483647",
        step: One,
        |settings| settings.pbs.unknown_shares.to_string(),
        |settings, text| {
            let shares = text.parse().ok().filter(|shares| *shares >= 0);
            set(&mut settings.pbs.unknown_shares, shares)
        };
    "fairshare_decay_factor",
        help: "What usage is multiplied by at a decay",
        expected: "a number above 0 and below 1",
        step: Twentieth,
        |settings| settings.pbs.fairshare_decay_factor.to_string(),
        |settings, text| {
            let factor: f32 = text.parse().ok()?;
            if factor <= 0.0 || factor >= 1.0 || factor.is_nan() {
                return None;
            }
            settings.pbs.fairshare_decay_factor = factor;
            Some(())
        };
    "fairshare_decay_time",
        help: "The time between two decays of usage",
        expected: concat!(duration_forms!(MinutesSeconds), ", above 0"),
        step: Seconds(3_600),
        |settings| settings.pbs.fairshare_decay_time.to_string(),
        |settings, text| {
            let time = duration(text, DurationForm::MinutesSeconds);
            set(&mut settings.pbs.fairshare_decay_time, time.filter(|&time| time > 0))
        };
    "fairshare_enforce_no_shares",
        help: "Whether jobs without a target never run; if not, last of their siblings",
        expected: "true or false",
        step: OneOf(|| vec!["true", "false"]),
        |settings| settings.pbs.fairshare_enforce_no_shares.to_string(),
        |settings, text| set(&mut settings.pbs.fairshare_enforce_no_shares, boolean(text));
    "fair_share",
        help: "Whether PBS uses the tree, to order jobs and to charge usage; it may differ in prime time",
        expected: "true, false, true prime or true non_prime",
        step: OneOf(|| FairShare::STATED.iter().map(|stated| stated.text()).collect()),
        |settings| settings.pbs.fair_share.text().to_owned(),
        |settings, text| set(&mut settings.pbs.fair_share, FairShare::named(text));
    "fairshare_entity",
        help: "Whom a job charges: its user (euser), group (egroup), account string (Account_Name), queue, or its user within its group (egroup:euser)",
        expected: "euser, egroup, Account_Name, queue or egroup:euser",
        step: OneOf(|| ENTITIES.to_vec()),
        |settings| settings.pbs.fairshare_entity.clone(),
        |settings, text| {
            let mut entities = ENTITIES.iter();
            let entity = entities.find(|known| known.eq_ignore_ascii_case(text))?;
            (*entity).clone_into(&mut settings.pbs.fairshare_entity);
            Some(())
        };
    "fairshare_usage_res",
        help: "What a job is charged: a formula of resources, each as used if PBS knows that, else as requested",
        expected: "a formula such as cput or ncpus*walltime",
        step: Typed,
        |settings| settings.pbs.fairshare_usage_res.clone(),
        |settings, text| {
            (!text.is_empty()).then(|| text.clone_into(&mut settings.pbs.fairshare_usage_res))
        };
}
