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
use detect::{detect, detect_by_columns};
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
        let factors = [Fact::FairShare, Fact::FluxFairshare, Fact::FairShareRaw];
        let mut columns = self.columns.iter();
        let factor = columns.find(|column| factors.contains(&column.fact));
        factor.or_else(|| self.columns.first())
    }

    /// Returns whether the recorded numbers are those of `DEPTH_OBLIVIOUS` before its first settled period.
    pub fn is_unsettled(&self) -> bool {
        self.stale == Some(Stale::Unsettled)
    }

    /// Returns whether the recorded numbers were compared with this policy under these settings.
    pub fn is_of(&self, policy: Policy, settings: &Settings) -> bool {
        let mut known = self.settings.iter();
        self.policy == Some(policy) && known.all(|known| known.is_in(settings))
    }

    /// Returns the caveat for the ranks of a policy, or `None` if there is none.
    pub fn caveat_of(&self, policy: Policy) -> Option<&Caveat> {
        self.caveat.as_ref().filter(|_| self.policy == Some(policy))
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
            let mut differing = 0;
            let fact = column.fact;
            for left in left.iter().filter(|left| left.fact == fact) {
                differing += 1;
                column.add(Difference {
                    node: left.node,
                    recorded: Value::Double(left.printed),
                    computed: Value::Double(left.computed),
                });
            }
            column.equal = column.rows.saturating_sub(differing);
        }
        self.caveat = Caveat::of_contradictions(left);
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
        let numbers = self.recorded.as_f64().zip(self.computed.as_f64());
        let distance = numbers.map(|(recorded, computed)| (recorded - computed).abs());
        distance.filter(|it| !it.is_nan()).unwrap_or(f64::INFINITY)
    }
}

/// Verifies a snapshot's recorded columns against the policy that made them, whatever policy is shown.
///
/// That policy is detected from the numbers. If they do not reveal it, it is `shown` if that can have made them, or
/// else `usual`: the policy that the source suggests, or its scheduler's.
pub fn verify_dump(snapshot: &Snapshot, shown: Policy, usual: Policy) -> Verification {
    let settings = &snapshot.settings;
    let has_formula = settings.formula.set.is_some();
    let verification = match settings.scheduler {
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
                Some(_) => of_part(&given_tree, usual),
                None => of_slurm(&given_tree, shown, usual),
            }
        }
        _ => Verification {
            policy: Some(shown),
            ..Verification::default()
        },
    };
    Verification {
        caveat: Caveat::of(snapshot, &verification),
        ..verification
    }
}

/// Detects the policy of a dump with missing rows, whose columns cannot be verified.
fn of_part(given_tree: &GivenTree, usual: Policy) -> Verification {
    let detected = detect_by_columns(given_tree);
    let found = detected.as_ref();
    Verification {
        unverified: given_tree.snapshot.recorded.incomplete,
        policy: Some(found.map_or(usual, |found| found.policy)),
        settings: found.map_or_else(Vec::new, |found| found.settings.clone()),
        detected,
        ..Verification::default()
    }
}

fn of_slurm(given_tree: &GivenTree, shown: Policy, usual: Policy) -> Verification {
    let settings = &given_tree.snapshot.settings;
    // Only columns that Slurm prints can be verified.
    let is_printed = |policy| has_printed_numbers(policy) || policy == Policy::LevelBased;
    let usual = Some(usual).filter(|&usual| is_printed(usual));
    let usual = usual.unwrap_or(Policy::FairTree);
    let found = detect(given_tree);
    let is_certain = found.as_ref().is_some_and(|(found, _)| found.certain);
    if !is_certain && shown != usual && is_printed(shown) {
        let tally = given_tree.check(shown, settings);
        // Whether it can have made every number, and some of each column are certain.
        let is_known = |column: &ColumnCheck| column.equal > 0;
        if tally.misfits() == 0 && !tally.columns.is_empty() && tally.columns.iter().all(is_known) {
            return Verification {
                detected: found.map(|(detected, _)| detected),
                ..of_rule(given_tree, shown, settings, tally)
            };
        }
    }
    let Some((detected, rule)) = found else {
        let tally = given_tree.check(usual, settings);
        return of_rule(given_tree, usual, settings, tally);
    };
    Verification {
        settings: detected.settings.clone(),
        detected: Some(detected),
        ..of_rule(given_tree, rule.policy, &rule.settings, rule.tally)
    }
}

/// Returns what a comparison with a rule tells, and whether the columns are of different moments.
fn of_rule(given: &GivenTree, policy: Policy, settings: &Settings, tally: Tally) -> Verification {
    let is_odd = tally.misfits() > 0;
    let stale = is_odd.then(|| stale::explain(given, policy, settings, &tally));
    Verification {
        columns: tally.columns,
        impossible: tally.differing,
        is_reproduced: tally.is_reproduced,
        stale: stale.flatten(),
        policy: Some(policy),
        ..Verification::default()
    }
}
