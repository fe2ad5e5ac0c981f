//! What earlier releases of flux-accounting made of the bins at a shift.
//!
//! The function that decays the past was corrected twice; a database that an older release shifted holds other bins
//! and another usage than today's would.

use super::update::total;

/// Releases of flux-accounting that shift the bins alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 0.5 to 0.7: the oldest bin still counts, and each bin is stored two periods back.
    V05,
    /// 0.8 to 0.42: the oldest bin counts no more; stored as before.
    V08,
    /// 0.43 to 0.55: stored one period back, but decayed by powers although the bins are decayed already.
    V43,
    /// 0.56 and newer: each bin is decayed once and stored one period back.
    V56,
}

impl Release {
    /// All, the oldest first.
    pub const ALL: [Self; 4] = [Self::V05, Self::V08, Self::V43, Self::V56];

    /// Returns the releases in words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::V05 => "0.5 to 0.7",
            Self::V08 => "0.8 to 0.42",
            Self::V43 => "0.43 to 0.55",
            Self::V56 => "0.56 and newer",
        }
    }

    /// Returns the rules of a release, by its minor number: 42 is 0.42. `None` before there were bins.
    #[must_use]
    pub fn of(minor: u32) -> Option<Self> {
        match minor {
            0..5 => None,
            5..8 => Some(Self::V05),
            8..43 => Some(Self::V08),
            43..56 => Some(Self::V43),
            56.. => Some(Self::V56),
        }
    }

    /// Returns what is left of the past at a shift, as the release adds it to new usage, and the bins that it stores.
    /// The first bin is left as it is: what becomes of it is not decided here.
    #[must_use]
    pub fn shift(self, bins: &[f64], decay_factor: f64) -> (f64, Vec<f64>) {
        let mut power = 1.0;
        let decayed: Vec<f64> = bins
            .iter()
            .map(|&usage| {
                power = match self {
                    Self::V56 => decay_factor,
                    _ => power * decay_factor,
                };
                usage * power
            })
            .collect();
        let kept = decayed.len().saturating_sub(1);
        let past = match self {
            Self::V05 => total(&decayed),
            _ => total(&decayed[..kept]),
        };
        // The old releases begin with the second decayed bin, so the oldest stays as it was.
        let stored = match self {
            Self::V05 | Self::V08 => decayed.get(1..kept).unwrap_or_default(),
            Self::V43 | Self::V56 => &decayed[..kept],
        };
        let mut after = bins.to_vec();
        for (bin, &usage) in after.iter_mut().skip(1).zip(stored) {
            *bin = usage;
        }
        (past, after)
    }
}
