//! The possible values of Slurm's columns, given shares and the usage shown.

use super::fair_tree::LevelFsBounds;
use super::given_tree::{GivenTree, PossibleParts};
use super::interval::{Interval, factor, part, powers};
use super::tally::{Judgement, Tally};
use super::{fair_tree, level_based};
use crate::base::cores;
use crate::model::{Fact, Figure, Format, Settings, release_of};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::trust::printed::are_reproduced;
use std::collections::BTreeMap;

/// The first version in which a user with shares `parent` shows the pair of its fair-share parent in classic.
const PARENT_PAIRS_SINCE: (u32, u32) = (25, 11);

/// The part of all usage of a sibling that Slurm has not yet computed: its `NO_VAL`.
const UNKNOWN: f64 = 4_294_967_294.0;

/// Up to this number of siblings every possible number of unknown ones is tried; with more, all numbers at once.
const MOST_TRIED: u32 = 64;

/// The usage of siblings, some of which may be unknown.
#[derive(Clone, Copy, Default)]
struct LevelUsage {
    /// The parts of all usage together.
    usage: Interval,
    /// How many have shares of their own.
    members: u32,
}

impl LevelUsage {
    /// Returns the sums that Slurm may have computed: of all siblings first, then with one or more others unknown.
    fn sums(self) -> Vec<Interval> {
        let others = self.members.saturating_sub(1);
        let mut sums = vec![self.usage];
        if others > MOST_TRIED {
            sums.push(self.with_unknown(1).or(self.with_unknown(others)));
        } else {
            for count in 1..=others {
                sums.push(self.with_unknown(count));
            }
        }
        sums
    }

    /// Returns the sum with so many unknown siblings.
    fn with_unknown(self, count: u32) -> Interval {
        let unknown = UNKNOWN * f64::from(count);
        Interval::between(unknown, unknown + self.usage.high)
    }
}

/// A policy's comparison with all recorded numbers but Fair Tree's ranks, which depend on the order of ties.
pub(super) struct CheckedNumbers<'a> {
    given_tree: &'a GivenTree<'a>,
    tally: Tally,
    /// What ranks are compared with; `None` without recorded ranks, or under another policy.
    level_fs: Option<LevelFsBounds<'a>>,
}

impl CheckedNumbers<'_> {
    /// Adds the comparison of the ranks under the settings' order of ties, which the evaluation is of.
    pub(super) fn with_ranks(&self, settings: &Settings, evaluation: &Evaluation) -> Tally {
        let mut tally = self.tally.clone();
        if let Some(level_fs) = &self.level_fs {
            level_fs.check_ranks(&mut tally, settings.slurm.tie_order, evaluation);
        }
        tally.is_reproduced = are_reproduced(self.given_tree.snapshot, evaluation);
        tally
    }

    /// Returns whether sibling accounts tie, and ranks were recorded.
    pub(super) fn has_tied_accounts(&self, evaluation: &Evaluation) -> bool {
        match &self.level_fs {
            Some(level_fs) => level_fs.has_tied_accounts(evaluation),
            None => false,
        }
    }
}

impl GivenTree<'_> {
    /// Compares all recorded numbers with a policy's.
    pub(super) fn check(&self, policy: Policy, settings: &Settings) -> Tally {
        let evaluation = policy.evaluate(self.tree, settings);
        let numbers = self.check_numbers(policy, settings, &evaluation);
        numbers.with_ranks(settings, &evaluation)
    }

    /// Compares all recorded numbers but Fair Tree's ranks with a policy's.
    pub(super) fn check_numbers<'a>(
        &'a self,
        policy: Policy,
        settings: &Settings,
        evaluation: &Evaluation,
    ) -> CheckedNumbers<'a> {
        let mut tally = Tally::new(self.associations.len());
        let shares = self.shares(evaluation);
        self.compare(&mut tally, Fact::NormShares, evaluation, |position| {
            Some(shares[position])
        });
        self.compare(&mut tally, Fact::NormUsage, evaluation, |position| {
            Some(self.norm_usage(position))
        });
        let mut effective = match policy {
            Policy::Classic => self.classic_usage(),
            Policy::DepthOblivious => self.depth_oblivious_usage(&shares),
            _ => self.level_usage(),
        };
        self.compare(&mut tally, Fact::EffectvUsage, evaluation, |position| {
            Some(effective[position])
        });
        self.narrow(Fact::EffectvUsage, &mut effective);
        let parts = PossibleParts { shares, effective };
        let mut level_fs = None;
        match policy {
            Policy::FairTree | Policy::FairTreeDocumented => {
                level_fs = fair_tree::check(self, &mut tally, evaluation, &parts);
            }
            Policy::Classic | Policy::DepthOblivious => {
                let dampening = f64::from(settings.slurm.dampening.max(1));
                self.check_factors(&mut tally, evaluation, dampening, &parts);
            }
            Policy::LevelBased => {
                level_based::check(self, &mut tally, evaluation, settings, &parts.effective);
            }
            Policy::Pbs | Policy::PbsWalk | Policy::Tickets | Policy::Flux | Policy::Formula => {}
        }
        CheckedNumbers {
            given_tree: self,
            tally,
            level_fs,
        }
    }

    /// Compares a recorded column with its possible values, which the root has none of.
    pub(super) fn compare(
        &self,
        tally: &mut Tally,
        fact: Fact,
        evaluation: &Evaluation,
        expected: impl Fn(usize) -> Option<Interval>,
    ) {
        tally.compare(self.snapshot, evaluation, fact, |position, figure| {
            if position == 0 || self.is_unknown(evaluation, position) {
                return None;
            }
            let is_possible = Interval::of(figure).meets(expected(position)?);
            Some(Judgement::equal_if(is_possible))
        });
    }

    /// Returns whether nothing tells what a node of a part of a tree competes with.
    fn is_unknown(&self, evaluation: &Evaluation, position: usize) -> bool {
        let node = self.tree.nodes()[position];
        evaluation.is_of_part() && evaluation.number(ColumnId::NormShares, node).is_none()
    }

    /// Returns, by position, the part of the shares, which does not depend on truncated numbers.
    fn shares(&self, evaluation: &Evaluation) -> Vec<Interval> {
        let mut shares = Vec::with_capacity(self.usage.len());
        // Shares that are portions of a level are good to the last digit that was printed of it.
        let off = if self.snapshot.recorded.shares_are_portions {
            1e-6
        } else {
            0.0
        };
        for &node in cores::in_turn(self.tree.nodes()) {
            let share = match evaluation.number(ColumnId::NormShares, node) {
                Some(share) => Interval::between((share - off).max(0.0), share + off),
                None => Interval::ZERO,
            };
            shares.push(share);
        }
        shares
    }

    /// Returns, by position, the part of all usage, narrowed by its recorded value.
    fn norm_usages(&self) -> Vec<Interval> {
        let mut parts = Vec::with_capacity(self.usage.len());
        for position in cores::in_turn(0..self.usage.len()) {
            parts.push(self.norm_usage(position));
        }
        self.narrow(Fact::NormUsage, &mut parts);
        parts
    }

    /// Narrows computed values by the recorded values of the same column.
    fn narrow(&self, fact: Fact, computed: &mut [Interval]) {
        for (position, computed) in computed.iter_mut().enumerate() {
            *computed = computed.narrowed(self.recorded(fact, position));
        }
    }

    /// Returns, by position, the part of the fair-share parent's usage, by raw usage and recorded parts of all usage.
    fn level_usage(&self) -> Vec<Interval> {
        let of_all = self.norm_usages();
        let mut effective = vec![Interval::ONE; of_all.len()];
        for position in 1..of_all.len() {
            let parent = self.parent(position);
            let by_usage = part(self.usage[position], self.usage[parent]);
            let mut by_parts = of_all[position];
            let mut limited = by_parts;
            if parent > 0 {
                limited = of_all[parent];
                by_parts = part(by_parts, limited);
            }
            // The part of all usage is limited to 1, and this one is not.
            effective[position] = if limited.high < 1.0 {
                by_usage.narrowed(by_parts)
            } else {
                by_usage
            };
        }
        effective
    }

    /// Returns, by position, classic's effective usage, from the root down.
    fn classic_usage(&self) -> Vec<Interval> {
        let own = self.norm_usages();
        self.handed_down(|position, parent, above| {
            let own = own[position];
            if parent == 0 {
                return own;
            }
            if self.is_parent(position) || self.associations.level_shares(position) == 0 {
                return above;
            }
            let portion = self.associations.portion(position);
            let inherited = above.times(Interval::exactly(portion));
            own.times(Interval::exactly(1.0 - portion)).plus(inherited)
        })
    }

    /// Returns, by position, effective usage under `DEPTH_OBLIVIOUS`, from the root down.
    ///
    /// After a start every association's part of all usage is Slurm's `NO_VAL` until it is computed, one association
    /// after the other, and a user's only when it is first asked for. Effective usage that is computed meanwhile is
    /// relative to siblings that seem to have used 4,294,967,294 times everything, so most factors are near 1. While
    /// siblings are filled in, it is all possible values that can be printed as recorded.
    fn depth_oblivious_usage(&self, shares: &[Interval]) -> Vec<Interval> {
        let own = self.norm_usages();
        let mut levels = vec![LevelUsage::default(); own.len()];
        for (position, &own) in own.iter().enumerate().skip(1) {
            if !self.is_parent(position) {
                let level = &mut levels[self.parent(position)];
                level.usage = level.usage.plus(own);
                level.members += 1;
            }
        }
        self.handed_down(|position, parent, above| {
            let own = own[position];
            let share = shares[position];
            if parent == 0 {
                return own;
            }
            if self.is_parent(position) {
                return above;
            }
            if share.high == 0.0 || own.high == 0.0 || above.high == 0.0 {
                return own;
            }
            let branch = ObliviousBranch {
                own,
                share,
                above,
                shares_above: shares[parent],
            };
            let level = levels[parent];
            let mut found = None;
            if self.is_filling_in {
                let recorded = self.recorded(Fact::EffectvUsage, position);
                found = branch.any_effective(level, recorded);
            }
            let settled = match found {
                Some(found) => found,
                None => branch.effective(level.usage),
            };
            if own.low == 0.0 || above.low == 0.0 {
                settled.or(own)
            } else {
                settled
            }
        })
    }

    /// Returns, by position, a number computed from the fair-share parent's; the root's is 1. Each is narrowed by the
    /// recorded effective usage before it is handed down.
    fn handed_down(&self, rule: impl Fn(usize, usize, Interval) -> Interval) -> Vec<Interval> {
        let mut numbers = Vec::with_capacity(self.usage.len());
        let mut handed_down = Vec::with_capacity(self.usage.len());
        for position in cores::in_turn(0..self.usage.len()) {
            let parent = self.parent(position);
            let number = match position {
                0 => Interval::ONE,
                _ => rule(position, parent, handed_down[parent]),
            };
            numbers.push(number);
            let recorded = self.recorded(Fact::EffectvUsage, position);
            handed_down.push(number.narrowed(recorded));
        }
        numbers
    }

    /// Verifies classic's factors, also of the root and accounts if they were printed.
    fn check_factors(
        &self,
        tally: &mut Tally,
        evaluation: &Evaluation,
        dampening: f64,
        parts: &PossibleParts,
    ) {
        // JSON up to 25.05 has 0 for all nodes, because the command computes factors only for its text.
        if self.snapshot.source.format == Format::SlurmJson && !self.has_factors() {
            return;
        }
        let check = FactorCheck {
            given_tree: self,
            parts,
            dampening,
            release: release_of(&self.snapshot.source.version),
        };
        let fact = Fact::FairShare;
        tally.compare(self.snapshot, evaluation, fact, |position, figure| {
            if self.is_unknown(evaluation, position) {
                return None;
            }
            Some(Judgement::equal_if(check.is_possible(position, figure)))
        });
    }

    /// Returns whether a factor other than 0 was recorded.
    fn has_factors(&self) -> bool {
        let factors = |position| self.printed(Fact::FairShare, position);
        (0..self.usage.len())
            .filter_map(factors)
            .any(|factor| factor != 0.0)
    }

    /// Returns the dampening factor that most factors require, if they follow from this rule and depend on it.
    pub(super) fn dampening(&self, policy: Policy, settings: &Settings) -> Option<u16> {
        self.figures(Fact::FairShare)?;
        let evaluation = policy.evaluate(self.tree, settings);
        let shares = self.shares(&evaluation);
        let mut effective = match policy {
            Policy::DepthOblivious => self.depth_oblivious_usage(&shares),
            _ => self.classic_usage(),
        };
        for (position, computed) in effective.iter_mut().enumerate() {
            // Factors are computed from the recorded effective usage, even where that is older than usage.
            if let Some(recorded) = self.recorded(Fact::EffectvUsage, position) {
                *computed = recorded.narrowed(*computed);
            }
        }
        let mut own = Votes::default();
        // A node with shares `parent` has the factor of the fair-share parent's pair, if not of its own.
        let mut of_parents = Votes::default();
        for position in 0..self.usage.len() {
            let Some(factor) = self.recorded(Fact::FairShare, position) else {
                continue;
            };
            if self.is_parent(position) {
                let parent = self.parent(position);
                of_parents.add(factor, effective[parent], shares[parent]);
            } else {
                own.add(factor, effective[position], shares[position]);
            }
        }
        own.most().or_else(|| of_parents.most())
    }
}

/// What `DEPTH_OBLIVIOUS` computes a node's effective usage from.
struct ObliviousBranch {
    /// The node's part of all usage.
    own: Interval,
    /// The node's part of the shares.
    share: Interval,
    /// The effective usage of the fair-share parent.
    above: Interval,
    /// The fair-share parent's part of the shares.
    shares_above: Interval,
}

impl ObliviousBranch {
    /// Returns the effective usage if all siblings have used this part of all usage.
    fn effective(&self, siblings: Interval) -> Interval {
        let account = self.above.over(self.shares_above);
        let target = siblings.over(self.shares_above);
        let ratio = self.own.over(self.share).over(target);
        account.times(powers(ratio, account)).times(self.share)
    }

    /// Returns all effective usage that can be printed as recorded, whichever siblings are unknown. `None` if none can.
    fn any_effective(&self, level: LevelUsage, recorded: Option<Interval>) -> Option<Interval> {
        let mut found: Option<Interval> = None;
        for sum in level.sums() {
            let effective = self.effective(sum);
            if let Some(recorded) = recorded
                && !recorded.meets(effective)
            {
                continue;
            }
            found = Some(match found {
                Some(found) => found.or(effective),
                None => effective,
            });
        }
        found
    }
}

/// Compares recorded factors with those of classic and `DEPTH_OBLIVIOUS`.
struct FactorCheck<'a> {
    given_tree: &'a GivenTree<'a>,
    parts: &'a PossibleParts,
    dampening: f64,
    /// Slurm's release, if the dump tells it.
    release: Option<(u32, u32)>,
}

impl FactorCheck<'_> {
    /// Returns whether a factor follows from a pair that Slurm may have used for the node.
    fn is_possible(&self, position: usize, figure: Figure) -> bool {
        let factor = Interval::of(figure);
        if !self.given_tree.is_parent(position) {
            return self.is_of_pair(factor, position);
        }
        let parent = self.given_tree.parent(position);
        match self.release {
            Some(release) if release >= PARENT_PAIRS_SINCE => self.is_of_pair(factor, parent),
            Some(_) => self.is_of_pair(factor, position),
            None => self.is_of_pair(factor, position) || self.is_of_pair(factor, parent),
        }
    }

    /// Returns whether a factor follows from the usage and shares at a position.
    fn is_of_pair(&self, recorded: Interval, position: usize) -> bool {
        let effective = self.parts.effective[position];
        let share = self.parts.shares[position];
        recorded.meets(factor(effective, share, self.dampening))
    }
}

/// How many factors require each dampening factor.
#[derive(Default)]
struct Votes {
    by_dampening: BTreeMap<u16, usize>,
    count: usize,
}

impl Votes {
    /// More factors than this add no certainty.
    const ENOUGH: usize = 1000;

    /// Counts a factor of this usage and these shares, if it depends on the dampening factor.
    fn add(&mut self, factor: Interval, effective: Interval, share: Interval) {
        if self.count == Self::ENOUGH || factor.low <= 0.0 || factor.high >= 1.0 {
            return;
        }
        let exponent = Interval::between(-factor.high.log2(), -factor.low.log2());
        let divisor = effective.over(share).over(exponent);
        let least = divisor.low.ceil().max(1.0);
        let most = divisor.high.floor();
        if least.to_bits() == most.to_bits()
            && let Some(dampening) = whole(least)
        {
            *self.by_dampening.entry(dampening).or_default() += 1;
            self.count += 1;
        }
    }

    /// Returns the dampening factor that most require, the largest of several; `None` without factors.
    fn most(&self) -> Option<u16> {
        let mut most = None;
        let mut most_votes = 0;
        for (&dampening, &votes) in &self.by_dampening {
            if votes >= most_votes {
                most = Some(dampening);
                most_votes = votes;
            }
        }
        most
    }
}

/// Returns a whole number that 16 bits hold, or `None`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and within the range, which is asked first"
)]
fn whole(number: f64) -> Option<u16> {
    let is_possible = (1.0..=f64::from(u16::MAX)).contains(&number);
    is_possible.then_some(number as u16)
}
