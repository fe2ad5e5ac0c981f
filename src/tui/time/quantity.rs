//! The quantities drawn over time.

use crate::analysis::simulate::NodeSeries;
use crate::base::number;
use crate::base::shown::{Shown, sentence};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Factor,
    Rank,
    Usage,
    /// Its portion of its level's usage.
    UsageShare,
}

impl Quantity {
    pub(crate) const ALL: [Self; 4] = [Self::Factor, Self::Rank, Self::Usage, Self::UsageShare];

    /// Returns the next quantity; the first follows the last.
    pub(crate) const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

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
        let number = match self {
            Self::Factor => *line.factor.get(place)?,
            Self::Rank => line.rank.get(place)?.map(f64::from),
            Self::Usage => *line.usage.get(place)?,
            Self::UsageShare => *line.usage_share.get(place)?,
        };
        number.filter(|number| number.is_finite())
    }

    /// Returns a number as text, in full and in short.
    pub(crate) fn texts(self, number: f64) -> [Shown; 2] {
        let text = match self {
            Self::Factor if (0.001..1000.0).contains(&number) => {
                return [number::fraction(number), sentence!("{number:.3}")];
            }
            Self::Factor => number::fraction(number),
            Self::Rank => sentence!("{number:.0}"),
            Self::Usage => number::short(number),
            Self::UsageShare => number::percent(number),
        };
        [text.clone(), text]
    }

    /// Whether smaller numbers are drawn higher, as for ranks.
    pub(crate) fn is_upside_down(self) -> bool {
        self == Self::Rank
    }
}
