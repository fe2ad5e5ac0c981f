//! `scontrol show config`: Slurm's settings.

use crate::format::LoadError;
use crate::format::input::Input;
use crate::model::Settings;

/// What Slurm's configuration says about fair-share.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file, as it may be shown.
    pub file: String,
    /// The settings, the defaults where it is silent.
    pub settings: Settings,
    /// The policy of its flags, by name.
    pub policy: Option<&'static str>,
    /// `ClusterName`.
    pub cluster: String,
    /// `SLURM_VERSION`.
    pub version: String,
    /// When it was printed, in Unix seconds.
    pub taken: Option<i64>,
    /// What was odd.
    pub problems: crate::format::Problems,
}

/// Whether the text looks like it.
#[must_use]
pub fn is_config(_text: &[u8]) -> bool {
    false
}

/// Reads it.
///
/// # Errors
/// If it cannot be understood at all.
pub fn read(input: &Input) -> Result<Config, LoadError> {
    Err(LoadError::Refused(format!("{}: not yet", input.name())))
}
