//! How earlier releases of flux-accounting shifted the bins.
//!
//! The function that decays past usage was corrected twice. A database that was shifted by an older release holds other
//! bins and another usage than it would today.

use super::update::total;

/// Releases of flux-accounting that shift the bins in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 0.5 to 0.7: the oldest bin still counts, and each bin is stored two periods back.
    V05,
    /// 0.8 to 0.42: the oldest bin no longer counts; stored as before.
    V08,
    /// 0.43 to 0.55: stored one period back, but decayed by powers although the bins are already decayed.
    V43,
    /// 0.56 and newer: each bin is decayed once and stored one period back.
    V56,
}

impl Release {
    /// All rules, the oldest first.
    pub const ALL: [Self; 4] = [Self::V05, Self::V08, Self::V43, Self::V56];

    /// Returns the range of releases in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::V05 => "0.5 to 0.7",
            Self::V08 => "0.8 to 0.42",
            Self::V43 => "0.43 to 0.55",
            Self::V56 => "0.56 and newer",
        }
    }

    /// Returns the rule of a release by its minor number (42 is 0.42), or `None` for releases that had no bins.
    pub fn of(minor: u32) -> Option<Self> {
        match minor {
            0..5 => None,
            5..8 => Some(Self::V05),
            8..43 => Some(Self::V08),
            43..56 => Some(Self::V43),
            56.. => Some(Self::V56),
        }
    }

    /// Returns the past usage that the release adds to new usage at a shift, and the bins that it stores. The first bin
    /// is not changed here.
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
        // The old releases begin with the second decayed bin, so the oldest remains as it was.
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
