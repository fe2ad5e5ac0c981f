//! The axes of the chart: days and dates at the bottom, and on the left the quantity with its round numbers.

use super::wording::Wording;
use crate::analysis::simulate::NodeSeries;
use crate::base::number;
use crate::base::shown::{Shown, sentence};
use crate::model::date_of;

/// The seconds of a day.
pub(crate) const DAY: u64 = number::DAY as u64;

/// Returns a moment in days since the snapshot, for people: `day 3`, `day 3, 12 h`, `day 3, 12:30 h`.
pub(crate) fn moment(passed: u64) -> Shown {
    let hours = passed % DAY / 3600;
    let minutes = passed % 3600 / 60;
    let day = passed / DAY;
    match (hours, minutes) {
        (0, 0) => sentence!("day {day}"),
        (hours, 0) => sentence!("day {day}, {hours} h"),
        (hours, minutes) => sentence!("day {day}, {hours}:{minutes:02} h"),
    }
}

/// Returns the date of a moment in Unix seconds, with the time of day if `has_time`; `None` beyond the calendar.
pub(crate) fn date(taken: i64, passed: u64, has_time: bool) -> Option<Shown> {
    let date = date_of(taken.checked_add_unsigned(passed)?)?;
    let form = if has_time {
        "%Y-%m-%d %H:%M"
    } else {
        "%Y-%m-%d"
    };
    Some(sentence!("{}", date.strftime(form)))
}

/// Returns the label of a moment on the time axis: in days, or in hours on an axis shorter than two days and off half days,
/// and in minutes off whole hours.
pub(crate) fn tick(passed: u64, until: u64) -> Shown {
    if until >= 2 * DAY && passed.is_multiple_of(DAY / 2) {
        let days = passed as f64 / DAY as f64;
        let text = sentence!("{days:.1}");
        return sentence!("{} d", text.trim_end_matches(".0"));
    }
    if !passed.is_multiple_of(3600) {
        return sentence!("{} min", passed / 60);
    }
    sentence!("{} h", passed / 3600)
}

/// The possible distances between two ticks that are less than an hour, in minutes.
const MINUTES: &[u64] = &[1, 2, 5, 10, 20, 30];

/// The possible distances between two ticks that are less than a day, in hours.
const HOURS: &[u64] = &[1, 2, 6, 12];

/// The possible distances between two ticks from a day on, in days.
const DAYS: &[u64] = &[1, 2, 5, 7, 10, 15, 30, 60, 90, 180, 365, 730, 1825];

/// Returns the moments of ticks: round minutes, hours or days, as close as labels of `widest` cells allow on `cells` cells.
pub(crate) fn ticks(from: u64, until: u64, widest: u16, cells: u16) -> Vec<u64> {
    let span = until.saturating_sub(from).max(1);
    let together = span.saturating_mul(widest.into());
    let step = round_step(together.div_ceil(u64::from(cells.max(1))));
    let mut moments = Vec::new();
    for place in from.div_ceil(step)..=until / step {
        moments.push(place * step);
    }
    moments
}

/// Returns the smallest round number of seconds that is no smaller; the number itself if it is beyond the last one.
fn round_step(seconds: u64) -> u64 {
    for &minutes in MINUTES {
        if minutes * 60 >= seconds {
            return minutes * 60;
        }
    }
    for &hours in HOURS {
        if hours * 3600 >= seconds {
            return hours * 3600;
        }
    }
    for &days in DAYS {
        if days * DAY >= seconds {
            return days * DAY;
        }
    }
    seconds
}

/// Returns the smallest round number that is no smaller: 1, 2 or 5 times a power of ten.
pub(crate) fn round_up(number: f64) -> f64 {
    if number.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) || !number.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(number.log10().floor());
    for step in [1.0, 2.0, 5.0, 10.0] {
        // Rounding may make the power slightly too small.
        if step * power >= number * 0.999_999 {
            return step * power;
        }
    }
    number
}

/// A number of a node that changes over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Quantity {
    /// Its fair-share factor.
    #[default]
    Factor,
    /// Its rank, 1 being the best.
    Rank,
    /// What counts as used.
    Usage,
    /// Its portion of its level's usage.
    UsageShare,
}

impl Quantity {
    /// All quantities, in the order in which a key goes through them.
    pub(crate) const ALL: [Self; 4] = [Self::Factor, Self::Rank, Self::Usage, Self::UsageShare];

    /// Returns the next quantity; the first follows the last.
    pub(crate) const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    /// Returns its name above the chart.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Factor => "Factor",
            Self::Rank => "Rank",
            Self::Usage => "Usage",
            Self::UsageShare => "Share of its level's usage",
        }
    }

    /// Returns the number at a moment, by the index of the moment; `None` if there is none or it is infinite.
    pub(crate) fn of(self, line: &NodeSeries, place: usize) -> Option<f64> {
        let at_moment = match self {
            Self::Factor => *line.factor.get(place)?,
            Self::Rank => {
                let rank = *line.rank.get(place)?;
                rank.map(f64::from)
            }
            Self::Usage => *line.usage.get(place)?,
            Self::UsageShare => *line.usage_share.get(place)?,
        };
        let number = at_moment?;
        if !number.is_finite() {
            return None;
        }
        Some(number)
    }

    /// Returns the number of a line that has the same one at every moment, as it is written; `None` if it changes, or is not
    /// known somewhere.
    pub(crate) fn constant(self, line: &NodeSeries) -> Option<Shown> {
        let first = self.texts(self.of(line, 0)?).full;
        for place in 1..line.usage.len() {
            if self.texts(self.of(line, place)?).full != first {
                return None;
            }
        }
        Some(first)
    }

    /// Returns a number as text, in full and in short.
    pub(crate) fn texts(self, number: f64) -> Wording {
        let full = match self {
            Self::Factor => number::fraction(number),
            Self::Rank => sentence!("{number:.0}"),
            Self::Usage => number::short(number),
            Self::UsageShare => number::percent(number),
        };
        let is_short = (0.001..1000.0).contains(&number);
        if self == Self::Factor && is_short {
            let short = sentence!("{number:.3}");
            return Wording { full, short };
        }
        Wording::same(full)
    }
}
