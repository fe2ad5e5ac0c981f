//! Verifies recorded numbers against computed ones, and detects which rule made them.
//!
//! A dump has usage truncated to whole numbers and ratios rounded to six decimals, so nothing computed from it can
//! equal the scheduler's numbers. But every recorded number can be tested for whether it is *possible*: whether some
//! usage that is shown as in the dump gives a ratio that is printed as in the dump. The intervals of possible numbers
//! are narrow where usage is large, and they are sound: a number outside of them was not computed from this usage and
//! these shares under this rule.

mod detect;
mod evidence;
mod fair_tree;
mod flux;
mod given_tree;
mod interval;
mod level_based;
mod slurm;
mod stale;
mod tally;

pub use crate::model::Fact;
pub use evidence::{Caveat, Detected, Doubt, Evidence, Fit, KnownSetting, NextBest};
pub use stale::{Older, Stale};

use crate::base::number::Value;
use crate::model::{Format, Incomplete, NodeId, Scheduler, Settings, Snapshot};
use crate::rules::policy::Policy;
use crate::trust::printed::{Contradiction, has_printed_numbers};
use detect::{Detection, RuleCandidate, detect, detect_by_columns, detect_classic};
use given_tree::GivenTree;
use tally::Tally;

/// A tree's recorded columns compared with a policy's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// One entry per recorded column that the policy computes, in the order of the table of facts.
    pub columns: Vec<ColumnCheck>,
    /// Why recorded numbers are of another moment than the shares and usage beside them.
    pub stale: Option<Stale>,
    /// The rule that made the recorded numbers.
    pub detected: Option<Detected>,
    /// Why recorded numbers cannot be verified: parts of the tree are missing.
    pub unverified: Option<Incomplete>,
    /// The policy they were compared with: the one that made them, if that can be detected.
    pub policy: Option<Policy>,
    /// Settings of this policy that the numbers reveal.
    pub settings: Vec<KnownSetting>,
    /// Why its ranks may differ from the scheduler's.
    pub caveat: Option<Caveat>,
    /// The recorded numbers that cannot have been computed from the shares and usage beside them.
    pub impossible: Vec<(Fact, NodeId)>,
    /// Whether this policy gives every recorded number digit by digit.
    pub is_reproduced: bool,
}

impl Verification {
    /// Returns the most important column: the factor, if it was recorded.
    pub fn main_column(&self) -> Option<&ColumnCheck> {
        for column in &self.columns {
            if let Fact::FairShare | Fact::FluxFairshare | Fact::FairShareRaw = column.fact {
                return Some(column);
            }
        }
        self.columns.first()
    }

    /// Returns whether the recorded numbers are those of `DEPTH_OBLIVIOUS` before its first settled period.
    pub fn is_unsettled(&self) -> bool {
        self.stale == Some(Stale::Unsettled)
    }

    /// Returns whether the recorded numbers were compared with this policy under these settings.
    pub fn is_of(&self, policy: Policy, settings: &Settings) -> bool {
        self.policy == Some(policy) && self.settings.iter().all(|known| known.is_in(settings))
    }

    /// Returns the caveat for the ranks of a policy, or `None` if there is none.
    pub fn caveat_of(&self, policy: Policy) -> Option<&Caveat> {
        if self.policy == Some(policy) {
            self.caveat.as_ref()
        } else {
            None
        }
    }

    /// Returns whether all recorded numbers were compared, and are of the moment of shares and usage.
    pub fn is_conclusive(&self) -> bool {
        self.stale.is_none() && self.unverified.is_none()
    }

    /// Updates the result once the numbers are shown as printed. `left` are the recorded numbers that no usage gives.
    pub fn settle(&mut self, left: &[Contradiction]) {
        for column in &mut self.columns {
            column.undecided = 0;
            column.first_difference = None;
            column.largest_difference = None;
            column.equal = column.rows;
            for left in left {
                if left.fact != column.fact {
                    continue;
                }
                column.equal = column.equal.saturating_sub(1);
                column.add(Difference {
                    node: left.node,
                    recorded: Value::Double(left.printed),
                    computed: Value::Double(left.computed),
                });
            }
        }
        self.caveat = Caveat::of_contradictions(left);
    }

    /// Notes the rule that made the recorded numbers, and the settings that they require.
    fn set_detected(&mut self, detected: Detected) {
        self.policy = Some(detected.policy);
        self.settings.clone_from(&detected.settings);
        self.detected = Some(detected);
    }

    /// Returns whether any recorded number differs from ours.
    pub fn differs(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.first_difference.is_some())
    }
}

/// One recorded column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnCheck {
    /// The column.
    pub fact: Fact,
    /// How many rows have a number.
    pub rows: usize,
    /// How many of them equal ours, within the printed precision.
    pub equal: usize,
    /// How many differ in a way that the missing digits decide.
    pub undecided: usize,
    /// The first one that differs and should not.
    pub first_difference: Option<Difference>,
    /// The one that differs most and should not, the first of equals: it tells rounding from another setting.
    pub largest_difference: Option<Difference>,
}

impl ColumnCheck {
    /// Returns a column none of whose rows has been compared yet.
    const fn new(fact: Fact) -> Self {
        Self {
            fact,
            rows: 0,
            equal: 0,
            undecided: 0,
            first_difference: None,
            largest_difference: None,
        }
    }

    /// Adds a number that differs and should not.
    fn add(&mut self, difference: Difference) {
        self.first_difference.get_or_insert(difference);
        let most = self.largest_difference.get_or_insert(difference);
        if difference.size() > most.size() {
            *most = difference;
        }
    }

    /// Returns how many rows differ and should not.
    pub const fn differing(&self) -> usize {
        self.rows - self.equal - self.undecided
    }
}

/// A recorded number that differs from ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The node.
    pub node: NodeId,
    /// The recorded number, or a 64-bit priority.
    pub recorded: Value,
    /// Our number; `Null` if the policy has none there.
    pub computed: Value,
}

impl Difference {
    /// Returns how far the two are apart; infinity if one of them is no number.
    pub fn size(&self) -> f64 {
        if let Some(recorded) = self.recorded.as_f64()
            && let Some(computed) = self.computed.as_f64()
        {
            let distance = (recorded - computed).abs();
            if !distance.is_nan() {
                return distance;
            }
        }
        f64::INFINITY
    }
}

/// Verifies a snapshot's recorded columns against the policy that made them, whatever policy is shown.
///
/// That policy is detected from the numbers. If they do not reveal it, it is `shown` if that can have made them, or
/// else `usual`: the policy that the source suggests, or its scheduler's.
pub fn verify_dump(snapshot: &Snapshot, shown: Policy, usual: Policy) -> Verification {
    let settings = &snapshot.settings;
    let has_formula = settings.formula.set.is_some();
    let mut verification = match settings.scheduler {
        // PBS's files record usage and no computed numbers, so there is nothing to verify. They are of no other
        // scheduler, and the formula decides which of its orders applies.
        Some(Scheduler::Pbs) if snapshot.source.format == Format::Pbs => Verification {
            detected: Some(Detected::certain(
                Policy::usual(settings),
                Evidence::PbsFile { has_formula },
            )),
            policy: Some(shown),
            ..Verification::default()
        },
        Some(Scheduler::Flux) if !snapshot.recorded.is_empty() => flux::verify(snapshot),
        Some(Scheduler::Slurm) if !snapshot.recorded.is_empty() => {
            let given_tree = GivenTree::of(snapshot);
            match snapshot.recorded.incomplete {
                Some(_) => verify_part(&given_tree, usual),
                None => verify_slurm(&given_tree, shown, usual),
            }
        }
        _ => Verification {
            policy: Some(shown),
            ..Verification::default()
        },
    };
    verification.caveat = Caveat::of(snapshot, &verification);
    verification
}

/// Detects the policy of a dump with missing rows, whose columns cannot be verified.
fn verify_part(given_tree: &GivenTree, usual: Policy) -> Verification {
    let mut verification = Verification {
        unverified: given_tree.snapshot.recorded.incomplete,
        policy: Some(usual),
        ..Verification::default()
    };
    if let Some(detected) = detect_by_columns(given_tree) {
        verification.set_detected(detected);
    } else if given_tree.tree.part().is_some()
        && matches!(usual, Policy::Classic | Policy::DepthOblivious)
        && let Some(detected) = detect_classic(given_tree)
    {
        verification.set_detected(detected);
    }
    verification
}

/// Verifies a dump of Slurm's with all of its rows.
fn verify_slurm(given_tree: &GivenTree, shown: Policy, usual: Policy) -> Verification {
    let settings = &given_tree.snapshot.settings;
    let usual = if is_printed(usual) {
        usual
    } else {
        Policy::FairTree
    };
    let detection = detect(given_tree);
    let is_certain = match &detection {
        Some(detection) => detection.detected.certain,
        None => false,
    };
    if !is_certain && shown != usual && is_printed(shown) {
        let rule = RuleCandidate::with(given_tree, shown, None, settings);
        if can_have_made_all(&rule.tally) {
            let mut verification = rule.verification(given_tree);
            verification.detected = detection.map(|detection| detection.detected);
            return verification;
        }
    }
    match detection {
        Some(Detection { detected, rule }) => {
            let mut verification = rule.verification(given_tree);
            verification.set_detected(detected);
            verification
        }
        None => RuleCandidate::with(given_tree, usual, None, settings).verification(given_tree),
    }
}

/// Returns whether Slurm prints columns of a policy. Only these can be verified.
const fn is_printed(policy: Policy) -> bool {
    has_printed_numbers(policy) || matches!(policy, Policy::LevelBased)
}

/// Returns whether a rule can have made every number, and some of each column are certain.
fn can_have_made_all(tally: &Tally) -> bool {
    let mut columns = tally.columns.iter();
    tally.misfits() == 0 && !tally.columns.is_empty() && columns.all(|column| column.equal > 0)
}
