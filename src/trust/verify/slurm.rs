//! The possible values of Slurm's columns, given shares and the usage shown.

use super::fair_tree::LevelFsBounds;
use super::given_tree::{GivenTree, Interval, factor, part, powers};
use super::tally::{Judgement, Tally};
use super::{fair_tree, level_based};
use crate::model::{Fact, Format, NodeId, Settings, release_of};
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
    usage: Interval,
    /// How many have shares of their own.
    members: u32,
}

impl LevelUsage {
    /// Returns the sums that Slurm may have computed: of all siblings first, then with one or more others unknown.
    fn sums(self) -> impl Iterator<Item = Interval> {
        let others = self.members.saturating_sub(1);
        let unknown = move |count: u32| {
            let unknown = UNKNOWN * f64::from(count);
            Interval::between(unknown, unknown + self.usage.high)
        };
        let tried = (1..=others).take_while(move |_| others <= MOST_TRIED);
        let tried = tried.map(unknown);
        let at_once = (others > MOST_TRIED).then(|| unknown(1).or(unknown(others)));
        std::iter::once(self.usage).chain(tried).chain(at_once)
    }
}

impl GivenTree<'_> {
    pub(super) fn check(&self, policy: Policy, settings: &Settings) -> Tally {
        let evaluation = policy.evaluate(&self.snapshot.tree, settings);
        let (numbers, level_fs) = self.check_numbers(policy, settings, &evaluation);
        self.check_ranks(numbers, level_fs.as_ref(), settings, &evaluation)
    }

    /// Compares all recorded numbers but Fair Tree's ranks, which depend on the order of ties; returns their bounds.
    pub(super) fn check_numbers(
        &self,
        policy: Policy,
        settings: &Settings,
        evaluation: &Evaluation,
    ) -> (Tally, Option<LevelFsBounds<'_>>) {
        let mut tally = Tally::new(self.associations.len());
        let shares = self.shares(evaluation);
        let mut compare = |fact, expected: &dyn Fn(usize) -> Interval| {
            self.compare(&mut tally, fact, evaluation, |at| Some(expected(at)));
        };
        compare(Fact::NormShares, &|position| shares[position]);
        compare(Fact::NormUsage, &|position| self.norm_usage(position));
        let effective = match policy {
            Policy::Classic => self.classic_usage(),
            Policy::DepthOblivious => self.depth_oblivious_usage(&shares),
            _ => self.level_usage(),
        };
        compare(Fact::EffectvUsage, &|position| effective[position]);
        let effective = self.narrowed(Fact::EffectvUsage, effective);
        let mut level_fs = None;
        match policy {
            Policy::FairTree | Policy::FairTreeDocumented => {
                level_fs = fair_tree::check(self, &mut tally, evaluation, &shares, &effective);
            }
            Policy::Classic | Policy::DepthOblivious => {
                let dampening = f64::from(settings.slurm.dampening.max(1));
                self.check_factors(&mut tally, evaluation, dampening, &shares, &effective);
            }
            Policy::LevelBased => {
                level_based::check(self, &mut tally, evaluation, settings, &effective);
            }
            Policy::Pbs | Policy::PbsWalk | Policy::Tickets | Policy::Flux | Policy::Formula => {}
        }
        (tally, level_fs)
    }

    /// Adds the comparison of Fair Tree's ranks under an order of ties, which the evaluation is of, to that of the numbers.
    pub(super) fn check_ranks(
        &self,
        mut tally: Tally,
        level_fs: Option<&LevelFsBounds<'_>>,
        settings: &Settings,
        evaluation: &Evaluation,
    ) -> Tally {
        if let Some(level_fs) = level_fs {
            level_fs.check_ranks(&mut tally, settings.slurm.tie_order, evaluation);
        }
        tally.is_reproduced = are_reproduced(self.snapshot, evaluation);
        tally
    }

    /// Compares a recorded column with its possible values, which the root has none of.
    pub(super) fn compare(
        &self,
        tally: &mut Tally,
        fact: Fact,
        evaluation: &Evaluation,
        expected: impl Fn(usize) -> Option<Interval>,
    ) {
        let judge = |position: usize, figure| {
            let expected = expected(position).filter(|_| position > 0)?;
            Some(Judgement::equal_if(Interval::of(figure).meets(expected)))
        };
        tally.compare(self.snapshot, evaluation, fact, judge);
    }

    /// Returns, by position, the part of the shares, which does not depend on truncated numbers.
    fn shares(&self, evaluation: &Evaluation) -> Vec<Interval> {
        let share = |&node: &NodeId| {
            let share = evaluation.number(ColumnId::NormShares, node).unwrap_or(0.0);
            Interval::between(share, share)
        };
        self.snapshot.tree.nodes().iter().map(share).collect()
    }

    /// Returns, by position, the part of all usage, narrowed by its recorded value.
    fn norm_usages(&self) -> Vec<Interval> {
        let parts = (0..self.usage.len()).map(|position| self.norm_usage(position));
        self.narrowed(Fact::NormUsage, parts.collect())
    }

    /// Returns computed values, narrowed by the recorded values of the same column.
    fn narrowed(&self, fact: Fact, mut computed: Vec<Interval>) -> Vec<Interval> {
        for (position, computed) in computed.iter_mut().enumerate() {
            *computed = computed.narrowed(self.recorded(fact, position));
        }
        computed
    }

    /// Returns, by position, the part of the fair-share parent's usage, by raw usage and recorded parts of all usage.
    fn level_usage(&self) -> Vec<Interval> {
        let whole = self.norm_usages();
        let positions = 0..self.usage.len();
        positions
            .map(|position| match (position, self.parent(position)) {
                (0, _) => Interval::ONE,
                (_, 0) => part(self.usage[position], self.usage[0]).narrowed(
                    // The part of all usage is limited to 1, and this one is not.
                    Some(whole[position]).filter(|part| part.high < 1.0),
                ),
                (_, parent) => part(self.usage[position], self.usage[parent]).narrowed(
                    Some(part(whole[position], whole[parent])).filter(|_| whole[parent].high < 1.0),
                ),
            })
            .collect()
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
            own.times(Interval::exactly(1.0 - portion))
                .plus(above.times(Interval::exactly(portion)))
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
            let (own, share, level) = (own[position], shares[position], levels[parent]);
            if parent == 0 {
                return own;
            }
            if self.is_parent(position) {
                return above;
            }
            if share.high == 0.0 || own.high == 0.0 || above.high == 0.0 {
                return own;
            }
            let account = above.over(shares[parent]);
            let effective = |sum: Interval| {
                let ratio = own.over(share).over(sum.over(shares[parent]));
                account.times(powers(ratio, account)).times(share)
            };
            let recorded = self.recorded(Fact::EffectvUsage, position);
            let fits = |number: &Interval| recorded.is_none_or(|recorded| recorded.meets(*number));
            let possible = level.sums().map(effective).filter(fits);
            let found = self.is_filling_in.then(|| possible.reduce(Interval::or));
            let settled = found.flatten().unwrap_or_else(|| effective(level.usage));
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
        for position in 0..self.usage.len() {
            let parent = self.parent(position);
            let number = match position {
                0 => Interval::ONE,
                _ => rule(position, parent, handed_down[parent]),
            };
            numbers.push(number);
            handed_down.push(number.narrowed(self.recorded(Fact::EffectvUsage, position)));
        }
        numbers
    }

    /// Verifies classic's factors, also of the root and accounts if they were printed.
    fn check_factors(
        &self,
        tally: &mut Tally,
        evaluation: &Evaluation,
        dampening: f64,
        shares: &[Interval],
        effective: &[Interval],
    ) {
        // JSON up to 25.05 has 0 for all nodes, because the command computes factors only for its text.
        let mut factors = (0..self.usage.len()).map(|at| self.printed(Fact::FairShare, at));
        let is_json = self.snapshot.source.format == Format::SlurmJson;
        if is_json && factors.all(|factor| factor.is_none_or(|factor| factor == 0.0)) {
            return;
        }
        let release = release_of(&self.snapshot.source.version);
        let judge = |position: usize, figure| {
            let recorded = Interval::of(figure);
            let meets = |at: usize| recorded.meets(factor(effective[at], shares[at], dampening));
            let parent = self.parent(position);
            Some(Judgement::equal_if(match release {
                _ if !self.is_parent(position) => meets(position),
                Some(release) if release >= PARENT_PAIRS_SINCE => meets(parent),
                Some(_) => meets(position),
                None => meets(position) || meets(parent),
            }))
        };
        tally.compare(self.snapshot, evaluation, Fact::FairShare, judge);
    }

    /// Returns the dampening factor that most factors require, if they follow from this rule and depend on it.
    pub(super) fn dampening(&self, policy: Policy, settings: &Settings) -> Option<u16> {
        /// More rows than this add no certainty.
        const ENOUGH: usize = 1000;
        self.figures(Fact::FairShare)?;
        let evaluation = policy.evaluate(&self.snapshot.tree, settings);
        let shares = self.shares(&evaluation);
        let mut effective = match policy {
            Policy::DepthOblivious => self.depth_oblivious_usage(&shares),
            _ => self.classic_usage(),
        };
        for (position, computed) in effective.iter_mut().enumerate() {
            // Factors are computed from the recorded effective usage, even where that is older than usage.
            if let Some(recorded) = self.recorded(Fact::EffectvUsage, position) {
                *computed = recorded.narrowed(Some(*computed));
            }
        }
        let asked = |position: usize, of: usize| {
            let factor = self.recorded(Fact::FairShare, position)?;
            if factor.low <= 0.0 || factor.high >= 1.0 {
                return None;
            }
            let exponent = Interval::between(-factor.high.log2(), -factor.low.log2());
            let divisor = effective[of].over(shares[of]).over(exponent);
            let (least, most) = (divisor.low.ceil().max(1.0), divisor.high.floor());
            (least.to_bits() == most.to_bits()).then(|| whole(least))?
        };
        let most_asked = |asked: &mut dyn Iterator<Item = u16>| {
            let mut votes = BTreeMap::new();
            for dampening in asked.take(ENOUGH) {
                *votes.entry(dampening).or_insert(0_usize) += 1;
            }
            let most = votes.into_iter().max_by_key(|&(_, votes)| votes);
            most.map(|(dampening, _)| dampening)
        };
        let is_parent = |&position: &usize| self.is_parent(position);
        let positions = 0..self.usage.len();
        let own = positions.clone().filter(|position| !is_parent(position));
        let mut own = own.filter_map(|position| asked(position, position));
        // A node with shares `parent` has the factor of the fair-share parent's pair, if not of its own.
        let found = positions.filter(is_parent);
        let mut found = found.filter_map(|position| asked(position, self.parent(position)));
        most_asked(&mut own).or_else(|| most_asked(&mut found))
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
