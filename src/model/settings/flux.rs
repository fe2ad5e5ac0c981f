//! Settings of flux-accounting, from its `config_table` and `priority_factor_weight_table`.

use super::SettingStep::{One, OneOf, Seconds, Twentieth};
use super::{UNKNOWN, duration, or_word, set, set_unless, setting_table};
use crate::base::number::DAY;
use crate::model::{DurationForm, duration_forms};

/// Settings of flux-accounting.
#[derive(Clone, Debug, PartialEq)]
pub struct Flux {
    /// `priority_decay_half_life` in seconds: the length of a usage bin's period.
    pub decay_half_life: u32,
    /// `priority_usage_reset_period` in seconds, which together with the half-life gives the number of bins.
    pub usage_reset_period: u32,
    /// `decay_factor`: the factor of every bin when a new one begins.
    pub decay_factor: f64,
    /// The usage of a second of a node.
    pub node_weight: f64,
    /// The usage of a second of a core.
    pub core_weight: f64,
    /// The usage of a second of a GPU.
    pub gpu_weight: f64,
    /// The weight of fair-share in job priority, if known: the points of a factor of 1.
    pub fairshare_weight: Option<i64>,
    /// When the bins shift next, in Unix seconds (`end_half_life_period`); 0 if unknown.
    pub end_half_life_period: f64,
    /// The value of `end_half_life_period` after simulated time; `None` before the clock began.
    pub period_end: Option<f64>,
    /// Whether inactive associations and banks are in the tree, without numbers (`inactive`).
    pub shows_inactive: bool,
}

impl Default for Flux {
    /// Returns the settings of a new database.
    fn default() -> Self {
        Self {
            decay_half_life: 604_800,
            usage_reset_period: 2_419_200,
            decay_factor: 0.5,
            node_weight: 1.0,
            core_weight: 0.0,
            gpu_weight: 0.0,
            fairshare_weight: None,
            end_half_life_period: 0.0,
            period_end: None,
            shows_inactive: false,
        }
    }
}

/// Reads a number from 0 up.
fn weight(text: &str) -> Option<f64> {
    let weight: f64 = text.parse().ok()?;
    if weight.is_finite() && weight >= 0.0 {
        Some(weight)
    } else {
        None
    }
}

setting_table! {
    "priority_decay_half_life",
        help: "The period of a usage bin, after which usage is multiplied by decay_factor",
        expected: concat!(duration_forms!(Common), ", above 0"),
        step: Seconds(DAY),
        |settings| settings.flux.decay_half_life.to_string(),
        |settings, text| {
            let time = duration(text, DurationForm::Common);
            set(&mut settings.flux.decay_half_life, time.filter(|&time| time > 0))
        };
    "priority_usage_reset_period",
        help: "How long usage is remembered: divided by the half-life, the number of bins",
        expected: duration_forms!(Common),
        step: Seconds(DAY),
        |settings| settings.flux.usage_reset_period.to_string(),
        |settings, text| {
            let time = duration(text, DurationForm::Common);
            set(&mut settings.flux.usage_reset_period, time)
        };
    "decay_factor",
        help: "What a bin is multiplied by, at the end of a half-life",
        expected: "a number from 0 to 1",
        step: Twentieth,
        |settings| settings.flux.decay_factor.to_string(),
        |settings, text| {
            let factor = weight(text).filter(|&factor| factor <= 1.0);
            set(&mut settings.flux.decay_factor, factor)
        };
    "node_weight",
        help: "What a second of a node costs",
        expected: "a number from 0 up",
        step: One,
        |settings| settings.flux.node_weight.to_string(),
        |settings, text| set(&mut settings.flux.node_weight, weight(text));
    "core_weight",
        help: "What a second of a core costs",
        expected: "a number from 0 up",
        step: One,
        |settings| settings.flux.core_weight.to_string(),
        |settings, text| set(&mut settings.flux.core_weight, weight(text));
    "gpu_weight",
        help: "What a second of a GPU costs",
        expected: "a number from 0 up",
        step: One,
        |settings| settings.flux.gpu_weight.to_string(),
        |settings, text| set(&mut settings.flux.gpu_weight, weight(text));
    "fairshare_weight",
        help: "What a fair-share of 1 adds, in points of job priority",
        expected: "a whole number, or unknown",
        step: One,
        |settings| or_word(settings.flux.fairshare_weight, UNKNOWN),
        |settings, text| set_unless(&mut settings.flux.fairshare_weight, UNKNOWN, text);
    "end_half_life_period",
        help: "When the current half-life ends",
        expected: "Unix seconds; 0 is unknown",
        step: One,
        |settings| settings.flux.end_half_life_period.to_string(),
        |settings, text| {
            settings.flux.end_half_life_period = weight(text)?;
            settings.flux.period_end = None;
            Some(())
        };
    "inactive",
        help: "Whether inactive ones are shown, associations and banks, without numbers",
        expected: "hide or show",
        step: OneOf(|| vec!["hide", "show"]),
        |settings| {
            let shows = settings.flux.shows_inactive;
            (if shows { "show" } else { "hide" }).to_owned()
        },
        |settings, text| {
            settings.flux.shows_inactive = match text.to_ascii_lowercase().as_str() {
                "show" => true,
                "hide" => false,
                _ => return None,
            };
            Some(())
        };
}
