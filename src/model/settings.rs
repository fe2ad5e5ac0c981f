//! What the source said about how to count: one struct of settings per scheduler, one table of their keys.

mod flux;
mod formula;
mod slurm;
mod time;

pub use flux::Flux;
pub use formula::{Formula, JOB_RESOURCES};
pub use slurm::{MOST_LEVELS, Slurm, TieOrder, UsageResetPeriod};
pub use time::{Campaign, Pace, Time};

use crate::table::table;
use formula::{AMOUNT, resource, resource_amount};

table! {
    /// Whose tree this is, and therefore which words and which policy come first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Scheduler {
        Pbs, "pbs", "PBS Professional, OpenPBS";
        Slurm, "slurm", "Slurm";
        Flux, "flux", "Flux";
    }
}

impl Scheduler {
    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Pbs => "PBS",
            Self::Slurm => "Slurm",
            Self::Flux => "Flux",
        }
    }
}

/// The settings a tree is evaluated under.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The scheduler whose files were read; nothing for CSV and TOML that do not say.
    pub scheduler: Option<Scheduler>,
    /// What PBS reads from `sched_config`.
    pub pbs: Pbs,
    /// What Slurm reads from `slurm.conf`.
    pub slurm: Slurm,
    /// What flux-accounting keeps in its database.
    pub flux: Flux,
    /// PBS's `job_sort_formula`, and a job for it.
    pub formula: Formula,
    /// How much time was let pass, and who uses how much in it.
    pub time: Time,
}

/// PBS's fairshare settings, as the scheduler holds them after reading `sched_config`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pbs {
    /// Whether fairshare is on in prime time.
    pub fair_share_prime: bool,
    /// Whether fairshare is on in non-prime time.
    pub fair_share_non_prime: bool,
    /// What owns usage: `euser`, `egroup`, `Account_Name`, `queue`, `egroup:euser`.
    pub fairshare_entity: String,
    /// The formula of usage, and so its unit.
    pub fairshare_usage_res: String,
    /// What usage is multiplied by at each decay: a 32-bit float in PBS.
    pub fairshare_decay_factor: f32,
    /// Seconds between decays. -2 is never; minus infinity in PBS's own struct is `i64::MIN` here.
    pub fairshare_decay_time: i64,
    /// The shares of the group `unknown`.
    pub unknown_shares: i32,
    /// Whether a job whose entity has no share never runs.
    pub fairshare_enforce_no_shares: bool,
    /// When usage was last decayed, in Unix seconds; 0 is never.
    pub last_decay: i64,
}

impl Default for Pbs {
    /// What PBS does without `sched_config`.
    fn default() -> Self {
        Self {
            fair_share_prime: false,
            fair_share_non_prime: false,
            fairshare_entity: "euser".to_owned(),
            fairshare_usage_res: "cput".to_owned(),
            fairshare_decay_factor: 0.5,
            fairshare_decay_time: 24 * 60 * 60,
            unknown_shares: 0,
            fairshare_enforce_no_shares: true,
            last_decay: 0,
        }
    }
}

/// Why a setting was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such key.
    #[error("{0}, and what a job asks for, such as ncpus or walltime")]
    Unknown(String),
    /// The value does not fit the key.
    #[error("{key} cannot be {}; expected {expected}", if value.trim().is_empty() { "empty" } else { value })]
    Value {
        /// The key.
        key: String,
        /// The value as given.
        value: String,
        /// What would fit.
        expected: &'static str,
    },
}

/// One row of the table of settings: its key, what fits, how it is read and written.
struct Setting {
    key: &'static str,
    expected: &'static str,
    read: fn(&Settings) -> String,
    write: fn(&mut Settings, &str) -> Option<()>,
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Every setting that `--set KEY=VALUE`, a scenario and the explorer know.
fn table() -> impl Iterator<Item = &'static Setting> {
    PBS.iter()
        .chain(slurm::TABLE)
        .chain(flux::TABLE)
        .chain(FORMULA)
}

/// PBS's settings by key.
const PBS: &[Setting] = &[
    Setting {
        key: "unknown_shares",
        expected: "a whole number of shares from 0 to 2147483647",
        read: |settings| settings.pbs.unknown_shares.to_string(),
        write: |settings, text| {
            let shares = text.parse().ok().filter(|&shares: &i32| shares >= 0)?;
            settings.pbs.unknown_shares = shares;
            Some(())
        },
    },
    Setting {
        key: "fairshare_decay_factor",
        expected: "a number between 0 and 1, neither of them included",
        read: |settings| settings.pbs.fairshare_decay_factor.to_string(),
        write: |settings, text| {
            let factor = text
                .parse()
                .ok()
                .filter(|&factor: &f32| factor > 0.0 && factor < 1.0)?;
            settings.pbs.fairshare_decay_factor = factor;
            Some(())
        },
    },
    Setting {
        key: "fairshare_decay_time",
        expected: "HH:MM:SS or a whole number of seconds above 0",
        read: |settings| settings.pbs.fairshare_decay_time.to_string(),
        write: |settings, text| {
            settings.pbs.fairshare_decay_time = seconds(text)?;
            Some(())
        },
    },
    Setting {
        key: "fairshare_enforce_no_shares",
        expected: "true or false",
        read: |settings| settings.pbs.fairshare_enforce_no_shares.to_string(),
        write: |settings, text| {
            settings.pbs.fairshare_enforce_no_shares = boolean(text)?;
            Some(())
        },
    },
    Setting {
        key: "fairshare_entity",
        expected: "euser, egroup, Account_Name, queue or egroup:euser",
        read: |settings| settings.pbs.fairshare_entity.clone(),
        write: |settings, text| {
            let known = ["euser", "egroup", "Account_Name", "queue", "egroup:euser"];
            known
                .contains(&text)
                .then(|| text.clone_into(&mut settings.pbs.fairshare_entity))
        },
    },
    Setting {
        key: "fairshare_usage_res",
        expected: "a formula such as cput or ncpus*walltime",
        read: |settings| settings.pbs.fairshare_usage_res.clone(),
        write: |settings, text| {
            (!text.is_empty()).then(|| text.clone_into(&mut settings.pbs.fairshare_usage_res))
        },
    },
];

/// The formula by key.
const FORMULA: &[Setting] = &[Setting {
    key: "job_sort_formula",
    expected: "a formula such as fairshare_factor or pow(2, -(fairshare_tree_usage/fairshare_perc))",
    read: |settings| settings.formula.text.clone(),
    write: |settings, text| {
        (!text.trim().is_empty()).then(|| text.clone_into(&mut settings.formula.text))
    },
}];

/// Reads `SS`, `MM:SS` or `HH:MM:SS`.
fn seconds(text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    for part in text.split(':') {
        let part: u32 = part.parse().ok()?;
        total = total.checked_mul(60)?.checked_add(i64::from(part))?;
    }
    (total > 0 && text.split(':').count() <= 3).then_some(total)
}

impl Settings {
    /// The keys of all settings, in the order of the table.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        table().map(|setting| setting.key)
    }

    /// What fits a key, in words.
    #[must_use]
    pub fn expected(key: &str) -> Option<&'static str> {
        table()
            .find(|setting| setting.key == key)
            .map(|setting| setting.expected)
            .or_else(|| resource(key).map(|_| AMOUNT))
    }

    /// The value of a setting as text that [`Settings::set`] would take; nothing for an unknown key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<String> {
        table()
            .find(|setting| setting.key == key)
            .map(|setting| (setting.read)(self))
            .or_else(|| {
                let amount = self.formula.resources.get(resource(key)?)?;
                Some(amount.to_string())
            })
    }

    /// Replaces one setting.
    ///
    /// # Errors
    /// If there is no such setting or the value does not fit it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        if let Some(name) = resource(key) {
            let amount = resource_amount(value).ok_or_else(|| SettingError::Value {
                key: crate::shown::shown(key.as_bytes()),
                value: crate::shown::shown(value.as_bytes()),
                expected: AMOUNT,
            })?;
            self.formula.resources.insert(name.to_owned(), amount);
            return Ok(());
        }
        let Some(setting) = table().find(|setting| setting.key == key) else {
            return Err(SettingError::Unknown(crate::nearest::unknown(
                "setting",
                key,
                Self::keys(),
            )));
        };
        (setting.write)(self, value).ok_or_else(|| SettingError::Value {
            key: setting.key.to_owned(),
            value: crate::shown::shown(value.as_bytes()),
            expected: setting.expected,
        })
    }
}
