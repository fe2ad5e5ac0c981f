//! How fast usage decays, as one number for every scheduler.

use super::pbs::is_decaying;
use crate::base::number::DAY;
use crate::model::{Scheduler, Settings};
use std::time::Duration;

/// How many half-lives a forecast spans until a length is chosen: a 16th of the usage is left then.
pub(crate) const USUAL_HALF_LIVES: u32 = 4;

/// The shortest of these spans, in seconds: a few cycles of a scheduler.
const SHORTEST: u64 = 1800;

/// The longest of these spans, in seconds.
const LONGEST: u64 = 5 * 365 * DAY as u64;

/// Returns the half-life of usage in seconds. `None` if usage does not decay.
pub(crate) fn half_life(settings: &Settings) -> Option<f64> {
    let seconds = match settings.scheduler {
        Some(Scheduler::Pbs) => {
            let factor = f64::from(settings.pbs.fairshare_decay_factor);
            settings.pbs.fairshare_decay_time as f64 * 0.5_f64.ln() / factor.ln()
        }
        Some(Scheduler::Flux) => f64::from(settings.flux.decay_half_life),
        Some(Scheduler::Slurm) | None => f64::from(settings.slurm.decay_half_life),
    };
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}

/// Returns whether a scheduler with these settings leaves half of the usage after a half-life.
fn is_halving(settings: &Settings) -> bool {
    match settings.scheduler {
        Some(Scheduler::Pbs) => is_decaying(settings),
        // The period of its bins is called a half-life whatever the factor.
        Some(Scheduler::Flux) => settings.flux.decay_factor.total_cmp(&0.5).is_eq(),
        Some(Scheduler::Slurm) | None => true,
    }
}

/// How far ahead is looked where usage does not halve, in seconds.
const MONTH: u64 = 30 * 24 * 60 * 60;

/// Returns how many seconds ahead is looked if nobody says: [`usual_span`], or else a month.
pub(crate) fn span_ahead(settings: &Settings) -> u64 {
    usual_span(settings).unwrap_or(MONTH)
}

/// Returns the seconds of [`USUAL_HALF_LIVES`] half-lives. `None` if usage does not halve, or if that is too short or too long
/// for a forecast.
pub(crate) fn usual_span(settings: &Settings) -> Option<u64> {
    if !is_halving(settings) {
        return None;
    }
    let seconds = half_life(settings)? * f64::from(USUAL_HALF_LIVES);
    let span = Duration::try_from_secs_f64(seconds.round()).ok()?.as_secs();
    (SHORTEST..=LONGEST).contains(&span).then_some(span)
}
