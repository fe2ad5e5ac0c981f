//! The evidence for the rule that made recorded numbers, and caveats for computed ranks.

use super::{Fact, Stale, Verification};
use crate::model::{Incomplete, Settings, Snapshot, TieOrder, UsagePrecision};
use crate::rules::policy::Policy;
use crate::trust::printed::{Contradiction, has_printed_numbers};

/// The rule that made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// The rule's policy.
    pub policy: Policy,
    /// Settings that the numbers require.
    pub settings: Vec<KnownSetting>,
    /// What tells that this rule made the numbers.
    pub evidence: Evidence,
    /// Whether nothing else can have made them.
    pub certain: bool,
}

impl Detected {
    /// Returns a rule beside which nothing else can have made the numbers.
    pub(super) const fn certain(policy: Policy, evidence: Evidence) -> Self {
        Self {
            policy,
            settings: Vec::new(),
            evidence,
            certain: true,
        }
    }
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
        settings.get(self.key()) == Some(self.value())
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
    /// How many the rule can have made.
    pub fits: usize,
    /// How many were recorded.
    pub rows: usize,
}

/// The rule that fits next best, and how many rows it can have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextBest {
    /// The rule's policy.
    pub policy: Policy,
    /// How many rows it can have made.
    pub fits: usize,
}

/// The evidence for the rule that made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The tree is of PBS's own file.
    PbsFile {
        /// Whether a `job_sort_formula` is set, which then decides the order.
        has_formula: bool,
    },
    /// Flux has one rule only.
    FluxAlone(Fit),
    /// All numbers fit the rule, and not all fit another.
    Alone(Fit, NextBest),
    /// All numbers fit the rule and another policy with these settings as well, because no account is below another.
    SameAs {
        /// How many rows both can have made: all.
        fit: Fit,
        /// The other policy.
        policy: Policy,
        /// The settings that the numbers require under it.
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
        /// How many rows it can have made.
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
    /// Normalized shares are those of classic, and would differ under Fair Tree.
    NormShares {
        /// How many would differ.
        differing: usize,
        /// How many were recorded.
        rows: usize,
    },
}

/// Why computed ranks may differ from the scheduler's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Numbers are shown as printed, because the source does not tell what they are computed from, for this reason.
    AsPrinted(Incomplete),
    /// Each level is completed by what it lacks, but ranks and Fair Tree's factor need all users, of which only some are
    /// listed, for this reason.
    OfPart(Incomplete),
    /// Each level is completed in the same way, under a rule whose factor needs nothing else.
    UnrankedPart(Incomplete),
    /// Numbers are computed among the listed associations, which are not all, for this reason.
    AmongListed(Incomplete),
    /// `DEPTH_OBLIVIOUS` is not settled yet.
    Unsettled,
    /// Flux's stored numbers are older than the shares and usage beside them.
    StoredOlder,
    /// Recorded columns are of several moments.
    SeveralMoments,
    /// Ranks depend on digits of usage that are not shown.
    HiddenDigits {
        /// How many ranks do.
        ranks: usize,
        /// Whether usage is shown in whole numbers.
        is_whole: bool,
    },
    /// Printed numbers that the policy does not reproduce, which are shown as printed.
    NotReproduced {
        /// Their column; `None` if they are of several.
        column: Option<Fact>,
        /// How many numbers these are.
        count: usize,
    },
}

/// Why computed ranks may differ from the scheduler's, and which recorded column shows more.
#[derive(Clone, Debug, PartialEq)]
pub struct Caveat {
    /// The reason.
    pub reason: Doubt,
    /// The recorded factor, if there is one: the scheduler's own order.
    pub recorded: Option<Fact>,
}

impl Caveat {
    /// Returns the caveat for the ranks of this snapshot, or `None` if there is none.
    pub(super) fn of(snapshot: &Snapshot, verification: &Verification) -> Option<Self> {
        let mut factors = [Fact::FairShare, Fact::FluxFairshare].into_iter();
        let recorded = factors.find(|&fact| snapshot.recorded.figures(fact).is_some());
        let is_printed = verification.policy.is_some_and(has_printed_numbers);
        let reason = match (&verification.stale, verification.unverified) {
            (_, Some(reason)) if is_printed => {
                let reason = if snapshot.tree.part().is_none() {
                    Doubt::AsPrinted(reason)
                } else if verification.policy == Some(Policy::FairTree) {
                    Doubt::OfPart(reason)
                } else {
                    Doubt::UnrankedPart(reason)
                };
                return Some(Self {
                    reason,
                    // The columns themselves are as printed.
                    recorded: None,
                });
            }
            (_, Some(reason)) => Doubt::AmongListed(reason),
            (Some(Stale::Unsettled), None) => Doubt::Unsettled,
            (Some(Stale::Flux { .. }), None) => Doubt::StoredOlder,
            (Some(Stale::Slurm(_)), None) => Doubt::SeveralMoments,
            (None, None) => {
                let mut columns = verification.columns.iter();
                let of_factor = columns.find(|column| Some(column.fact) == recorded)?;
                if of_factor.undecided == 0 {
                    return None;
                }
                let is_whole = snapshot.recorded.usage_precision == UsagePrecision::Whole;
                Doubt::HiddenDigits {
                    ranks: of_factor.undecided,
                    is_whole,
                }
            }
        };
        Some(Self { reason, recorded })
    }

    /// Returns the caveat for numbers that are shown as printed because the policy does not reproduce them, if any.
    pub(super) fn of_contradictions(left: &[Contradiction]) -> Option<Self> {
        let first = left.first()?;
        let is_one = left.iter().all(|left| left.fact == first.fact);
        Some(Self {
            reason: Doubt::NotReproduced {
                column: is_one.then_some(first.fact),
                count: left.len(),
            },
            recorded: None,
        })
    }

    /// Returns the scheduler of a recorded factor.
    pub const fn recorder(fact: Fact) -> &'static str {
        match fact {
            Fact::FluxFairshare => "Flux",
            _ => "Slurm",
        }
    }
}
