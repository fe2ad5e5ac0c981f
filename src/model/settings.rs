//! The settings that the source states: one struct per scheduler, and one table of their keys. What a scheduler calls a
//! node with members.

mod flux;
mod formula;
mod pbs;
mod slurm;
mod time;

pub use flux::Flux;
pub(crate) use formula::is_time;
pub use formula::{Formula, JOB_RESOURCES};
pub use pbs::{FairShare, Pbs};
pub(crate) use slurm::BillingWeights;
pub use slurm::{
    BillingError, BillingRule, LINEAGE_SINCE, MOST_LEVELS, ParentFactors, PriorityWeights, Slurm,
    TieOrder, UsageResetPeriod, release_of,
};
pub use time::{Campaign, Measured, Pace, Premise, Time};

use super::duration::{DurationForm, has_unit, seconds_of};
use crate::base::nearest::unknown_of;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::base::table::table;
use formula::{EXPECTED_AMOUNT, resource, resource_amount};
use std::str::FromStr;

table! {
    /// The scheduler of a tree, which decides the words and the default policy.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Scheduler {
        Pbs, "pbs", "PBS Professional, OpenPBS";
        Slurm, "slurm", "Slurm";
        Flux, "flux", "Flux";
    }
}

impl Scheduler {
    /// Returns its name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Pbs => "PBS",
            Self::Slurm => "Slurm",
            Self::Flux => "Flux",
        }
    }

    /// Returns its word for a node with members.
    pub(crate) const fn noun(self) -> Noun {
        match self {
            Self::Pbs => GROUP,
            Self::Slurm => ACCOUNT,
            Self::Flux => BANK,
        }
    }
}

/// The settings a tree is evaluated under.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The scheduler whose files were read; `None` for CSV and TOML that do not name one.
    pub scheduler: Option<Scheduler>,
    /// The settings of PBS's `sched_config`.
    pub pbs: Pbs,
    /// The settings of Slurm.
    pub slurm: Slurm,
    /// The settings of flux-accounting.
    pub flux: Flux,
    /// PBS's `job_sort_formula`, and the job for which it is evaluated.
    pub formula: Formula,
    /// Simulated time.
    pub time: Time,
}

/// Why a setting was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such setting. The sentence names similar ones.
    #[error("{0}")]
    Unknown(Shown),
    /// The setting cannot have this value.
    #[error("{key} cannot be {}; expected {expected}", if value.trim().is_empty() { "empty" } else { value })]
    Value {
        /// The key.
        key: Shown,
        /// The refused value.
        value: Shown,
        /// The accepted values, in words.
        expected: &'static str,
    },
    /// The value has a unit, but the scheduler itself reads none.
    #[error(
        "{key} cannot be {value} here, because the scheduler reads no units; expected one such as {own}"
    )]
    Unit {
        /// The key.
        key: Shown,
        /// The refused value.
        value: Shown,
        /// The present value, as the scheduler reads it.
        own: Shown,
    },
}

impl SettingError {
    /// Returns the error for a value that a setting cannot have.
    fn value(key: &str, value: &str, expected: &'static str) -> Self {
        Self::Value {
            key: shown(key.as_bytes()),
            value: shown(value.as_bytes()),
            expected,
        }
    }
}

/// How a key for steps changes a setting.
#[derive(Clone, Copy, Debug)]
pub enum SettingStep {
    /// Not at all: the value is typed.
    Typed,
    /// A number, by 1.
    One,
    /// A number from 0 to 1, by 0.05.
    Twentieth,
    /// A duration, by so many seconds.
    Seconds(u32),
    /// To the next of these values, in cyclic order.
    OneOf(fn() -> Vec<&'static str>),
}

/// One row of the table of settings: its key, what it is for, its accepted values, how a key changes it, and how it is
/// read and written.
struct Setting {
    key: &'static str,
    help: &'static str,
    expected: &'static str,
    step: SettingStep,
    read: fn(&Settings) -> String,
    write: fn(&mut Settings, &str) -> Option<()>,
}

/// Defines a table from rows with the fields of [`Setting`].
macro_rules! setting_table {
    ($(
        $key:literal, help: $help:expr, expected: $expected:expr, step: $step:expr, $read:expr, $write:expr;
    )*) => {
        pub(super) const TABLE: &[super::Setting] = &[$(super::Setting {
            key: $key,
            help: $help,
            expected: $expected,
            step: $step,
            read: $read,
            write: $write,
        },)*];
    };
}
use setting_table;

/// Reads a truth value.
fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// The text of an unknown weight.
const UNKNOWN: &str = "unknown";

/// Returns a value as text, or the word for none.
fn or_word(value: Option<impl ToString>, word: &str) -> String {
    match value {
        Some(value) => value.to_string(),
        None => word.to_owned(),
    }
}

/// Reads a number above 0.
fn above_zero<T: FromStr + Default + PartialOrd>(text: &str) -> Option<T> {
    text.parse().ok().filter(|value| *value > T::default())
}

/// Puts a value in its place, or none for the word that means none, if the text was understood.
fn set_unless<T: FromStr>(place: &mut Option<T>, word: &str, text: &str) -> Option<()> {
    *place = if text.eq_ignore_ascii_case(word) {
        None
    } else {
        Some(text.parse().ok()?)
    };
    Some(())
}

/// Puts a value in its place, if it was understood.
fn set<T>(place: &mut T, value: Option<T>) -> Option<()> {
    *place = value?;
    Some(())
}

/// Returns every setting that `--set KEY=VALUE`, a scenario and the explorer know.
fn table() -> impl Iterator<Item = &'static Setting> {
    let tables = [pbs::TABLE, slurm::TABLE, flux::TABLE, formula::TABLE];
    tables.into_iter().flatten()
}

/// Returns the row of a key in any case, or `None` for an unknown key.
fn row(key: &str) -> Option<&'static Setting> {
    table().find(|setting| setting.key.eq_ignore_ascii_case(key))
}

/// Reads a duration in seconds, if a whole number of this type holds it.
fn duration<T: TryFrom<u64>>(text: &str, form: DurationForm) -> Option<T> {
    T::try_from(seconds_of(text, form).ok()?).ok()
}

impl Settings {
    /// Returns the keys of all settings, in the order of the table.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        table().map(|setting| setting.key)
    }

    /// Returns a key as the table spells it, because schedulers ignore case. An unknown key is returned as it is.
    pub(crate) fn spelled(key: &str) -> &str {
        match row(key) {
            Some(setting) => setting.key,
            None => key,
        }
    }

    /// Returns the accepted values of a key, in words, or `None` for an unknown key.
    pub fn expected(key: &str) -> Option<&'static str> {
        match row(key) {
            Some(setting) => Some(setting.expected),
            None if resource(key).is_some() => Some(EXPECTED_AMOUNT),
            None => None,
        }
    }

    /// Returns what a setting is for, in one sentence; empty for a resource of a job.
    pub fn help(key: &str) -> &'static str {
        match row(key) {
            Some(setting) => setting.help,
            None => "",
        }
    }

    /// Returns how a key for steps changes a setting. Amounts of resources are numbers; an unknown key has no steps.
    pub fn step(key: &str) -> SettingStep {
        match row(key) {
            Some(setting) => setting.step,
            None if resource(key).is_some() => SettingStep::One,
            None => SettingStep::Typed,
        }
    }

    /// Returns the keys of a scheduler's settings, those of PBS's formula among them.
    pub(crate) fn keys_of(scheduler: Scheduler) -> impl Iterator<Item = &'static str> {
        let tables = match scheduler {
            Scheduler::Pbs => [pbs::TABLE, formula::TABLE],
            Scheduler::Slurm => [slurm::TABLE, &[]],
            Scheduler::Flux => [flux::TABLE, &[]],
        };
        tables.into_iter().flatten().map(|setting| setting.key)
    }

    /// Returns the word for a node with members in a tree with these settings: `account` if they name no scheduler.
    pub(crate) fn noun(&self) -> Noun {
        match self.scheduler {
            Some(scheduler) => scheduler.noun(),
            None => ACCOUNT,
        }
    }

    /// Returns whether the value of a key is any text, so that digits in it are no number.
    pub(crate) fn is_text(key: &str) -> bool {
        matches!(key, "job_sort_formula" | "fairshare_usage_res")
    }

    /// Returns the value of a setting as text that [`Settings::set`] would take, or `None` for an unknown key.
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        if let Some(setting) = row(key) {
            return Some((setting.read)(self));
        }
        let amount = self.formula.resources.get(resource(key)?)?;
        Some(amount.to_string())
    }

    /// Replaces one setting.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        if let Some(name) = resource(key) {
            let Some(amount) = resource_amount(name, value) else {
                return Err(SettingError::value(key, value, EXPECTED_AMOUNT));
            };
            self.formula.resources.insert(name.to_owned(), amount);
            return Ok(());
        }
        let Some(setting) = row(key) else {
            let keys: Vec<&str> = Self::keys().collect();
            return Err(SettingError::Unknown(unknown_of(
                "setting",
                key,
                &keys,
                &format!(
                    "{}, and resources that a job requests, such as ncpus or walltime",
                    keys.join(", ")
                ),
            )));
        };
        match (setting.write)(self, value) {
            Some(()) => Ok(()),
            None => Err(SettingError::value(setting.key, value, setting.expected)),
        }
    }

    /// Replaces one setting by the text that a scheduler has for it, whose durations have no units.
    pub(crate) fn set_as_written(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        if has_unit(value) {
            return Err(SettingError::Unit {
                key: shown(key.as_bytes()),
                value: shown(value.as_bytes()),
                own: shown(self.get(key).unwrap_or_default().as_bytes()),
            });
        }
        self.set(key, value)
    }
}

/// A scheduler's word for a node with members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noun {
    /// One of them: `account`.
    pub(crate) one: &'static str,
    /// Several: `accounts`.
    pub(crate) many: &'static str,
    /// One of them with its article: `an account`.
    pub(crate) any: &'static str,
    /// The heading of a column: `Account`.
    pub(crate) title: &'static str,
    /// The heading of a column that lists them with their users: `Account / user`.
    pub(crate) with_users: &'static str,
}

/// The word of Slurm, and of trees of no scheduler.
const ACCOUNT: Noun = Noun {
    one: "account",
    many: "accounts",
    any: "an account",
    title: "Account",
    with_users: "Account / user",
};

/// The word of PBS.
const GROUP: Noun = Noun {
    one: "group",
    many: "groups",
    any: "a group",
    title: "Group",
    with_users: "Group / user",
};

/// The word of Flux.
const BANK: Noun = Noun {
    one: "bank",
    many: "banks",
    any: "a bank",
    title: "Bank",
    with_users: "Bank / user",
};

impl Noun {
    /// Returns `9 accounts and 3 users`, without a part that is 0.
    pub(crate) fn and_users(self, accounts: usize, users: usize) -> Shown {
        let accounts_text = counted(accounts, self.one, self.many);
        let users_text = counted(users, "user", "users");
        if users == 0 {
            accounts_text
        } else if accounts == 0 {
            users_text
        } else {
            sentence!("{accounts_text} and {users_text}")
        }
    }
}
