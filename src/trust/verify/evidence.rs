//! The evidence for the rule that made recorded numbers.

use crate::model::{Settings, TieOrder};
use crate::rules::policy::Policy;

/// The rule that made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// The policy.
    pub policy: Policy,
    /// Settings that the numbers require.
    pub settings: Vec<KnownSetting>,
    /// The evidence.
    pub evidence: Evidence,
    /// Whether nothing else can have made them.
    pub certain: bool,
}

/// A setting that recorded numbers reveal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownSetting {
    /// The order of accounts that tie.
    TieOrder(TieOrder),
    /// The levels of `LEVEL_BASED`.
    PriorityLevels(u8),
    /// The dampening factor of classic and `DEPTH_OBLIVIOUS`.
    Dampening(u16),
}

impl KnownSetting {
    /// Returns its key, as in the table of settings.
    pub const fn key(self) -> &'static str {
        match self {
            Self::TieOrder(_) => "TieOrder",
            Self::PriorityLevels(_) => "PriorityLevels",
            Self::Dampening(_) => "FairShareDampeningFactor",
        }
    }

    /// Returns its value, as in the table of settings.
    pub fn value(self) -> String {
        match self {
            Self::TieOrder(order) => order.name().to_owned(),
            Self::PriorityLevels(levels) => levels.to_string(),
            Self::Dampening(factor) => factor.to_string(),
        }
    }

    /// Returns whether it is the expected default: no dampening.
    pub const fn is_usual(self) -> bool {
        matches!(self, Self::Dampening(1))
    }

    /// Returns whether settings have it.
    pub fn is_in(self, settings: &Settings) -> bool {
        let slurm = &settings.slurm;
        match self {
            Self::TieOrder(order) => slurm.tie_order == order,
            Self::PriorityLevels(levels) => slurm.priority_levels == Some(levels),
            Self::Dampening(factor) => slurm.dampening == factor,
        }
    }

    /// Sets its value in settings.
    pub fn put_in(self, settings: &mut Settings) {
        let slurm = &mut settings.slurm;
        match self {
            Self::TieOrder(order) => slurm.tie_order = order,
            Self::PriorityLevels(levels) => slurm.priority_levels = Some(levels),
            Self::Dampening(factor) => slurm.dampening = factor,
        }
    }
}

/// How many of the recorded rows a rule can have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The rows that it can have made.
    pub fits: usize,
    /// All rows.
    pub rows: usize,
}

/// The rule that fits next best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextBest {
    /// Its policy.
    pub policy: Policy,
    /// How many rows it can have made.
    pub fits: usize,
}

/// The evidence for the rule that made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The tree is of PBS's own file. The formula decides the order, or none is set.
    PbsFile {
        /// Whether a `job_sort_formula` is set.
        has_formula: bool,
    },
    /// Flux has one rule only.
    FluxAlone(Fit),
    /// All numbers fit the rule, and not all fit another.
    Alone(Fit, NextBest),
    /// All numbers fit the rule and another as well, because no account is below another.
    SameAs {
        /// How many numbers there are.
        fit: Fit,
        /// The other policy.
        policy: Policy,
        /// The settings that the other policy would have.
        settings: Vec<KnownSetting>,
    },
    /// The numbers are those before the rule's first settled period.
    Unsettled,
    /// The numbers are older than the usage beside them, and agree with each other.
    BetweenCalculations,
    /// Nearly all numbers fit the rule, and far fewer fit another.
    MostLikely(Fit, NextBest),
    /// There are 64-bit priorities, which `LEVEL_BASED` alone prints.
    Words {
        /// How many of them are right.
        fit: Fit,
        /// The fewest and the most levels that give the same priorities, if there are several.
        levels: Option<(u8, u8)>,
    },
    /// There is a Level FS, which Fair Tree alone prints.
    LevelFs(Fit),
    /// Rows are missing, and there is a Level FS.
    HasLevelFs,
    /// Rows are missing, and there are 64-bit priorities.
    HasWords,
    /// Normalized shares are those of classic.
    NormShares {
        /// How many would differ under Fair Tree.
        differing: usize,
        /// How many there are.
        rows: usize,
    },
}
