//! What recorded numbers show of the rule that made them.

use crate::model::{Settings, TieOrder};
use crate::rules::policy::Policy;

/// The rule that made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// The policy.
    pub policy: Policy,
    /// Settings that it must have had.
    pub settings: Vec<KnownSetting>,
    /// What shows it.
    pub evidence: Evidence,
    /// Whether nothing else can have made them.
    pub certain: bool,
}

/// A setting that recorded numbers show.
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
    /// Its key, as in the table of settings.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::TieOrder(_) => "TieOrder",
            Self::PriorityLevels(_) => "PriorityLevels",
            Self::Dampening(_) => "FairShareDampeningFactor",
        }
    }

    /// Its value, as in the table of settings.
    #[must_use]
    pub fn value(self) -> String {
        match self {
            Self::TieOrder(order) => order.name().to_owned(),
            Self::PriorityLevels(levels) => levels.to_string(),
            Self::Dampening(factor) => factor.to_string(),
        }
    }

    /// Returns whether it is what everybody expects: not to dampen.
    #[must_use]
    pub const fn is_usual(self) -> bool {
        matches!(self, Self::Dampening(1))
    }

    /// Returns whether settings have it.
    #[must_use]
    pub fn is_in(self, settings: &Settings) -> bool {
        let slurm = &settings.slurm;
        match self {
            Self::TieOrder(order) => slurm.tie_order == order,
            Self::PriorityLevels(levels) => slurm.priority_levels == Some(levels),
            Self::Dampening(factor) => slurm.dampening == factor,
        }
    }

    /// Gives settings its value.
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
    /// Those it can have made.
    pub fits: usize,
    /// All of them.
    pub rows: usize,
}

/// The rule that comes nearest to the one that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextBest {
    /// Its policy.
    pub policy: Policy,
    /// How many rows it can have made.
    pub fits: usize,
}

/// What shows which rule made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The tree is of PBS's own file; the formula decides the order, or none is set.
    PbsFile {
        /// Whether a `job_sort_formula` is set.
        has_formula: bool,
    },
    /// Flux has one rule only.
    FluxAlone(Fit),
    /// All numbers are the rule's, and not all are another's.
    Alone(Fit, NextBest),
    /// All numbers are the rule's, and another's as well: where no account lies below another the two are one.
    SameAs {
        /// How many numbers they are.
        fit: Fit,
        /// The other policy.
        policy: Policy,
        /// The settings it would have had.
        settings: Vec<KnownSetting>,
    },
    /// The numbers are those before the rule's first settled period.
    Unsettled,
    /// The numbers are older than the usage beside them, and agree with each other.
    BetweenCalculations,
    /// Nearly all numbers are the rule's, and far fewer another's.
    MostLikely(Fit, NextBest),
    /// There are words of 64 bits, which `LEVEL_BASED` alone prints.
    Words {
        /// How many of them are right.
        fit: Fit,
        /// The fewest and the most levels that give the same words, where that is more than one number.
        levels: Option<(u8, u8)>,
    },
    /// There is a Level FS, which Fair Tree alone prints.
    LevelFs(Fit),
    /// Rows are missing, and there is a Level FS.
    HasLevelFs,
    /// Rows are missing, and there are words of 64 bits.
    HasWords,
    /// Normalized shares are those of classic.
    NormShares {
        /// How many would differ under Fair Tree.
        differing: usize,
        /// Of how many.
        rows: usize,
    },
}
