//! The possible values of Slurm's columns, given shares and the usage shown.

mod fair_tree;
pub(super) mod given_tree;
mod possible;
mod unsettled;

pub(super) use possible::part;

use super::interval::Interval;
use super::judgement::Judgement;
use super::tally::Tally;
use crate::model::{Fact, Figures, Format, Settings, release_of};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use given_tree::GivenTree;
use possible::{factor, powers, whole};

/// The first version in which a user with shares `parent` shows the pair of its fair-share parent in classic.
const PARENT_PAIRS_SINCE: (u32, u32) = (25, 11);

impl GivenTree<'_> {
    /// Returns the part of all usage.
    pub(super) fn norm_usage(&self, position: usize) -> Interval {
        part(self.usage[position], self.usage[0]).at_most_one()
    }

    /// Returns, by position, the part of all usage, narrowed by its recorded value.
    fn norm_usages(&self) -> Vec<Interval> {
        let parts = (0..self.usage.len()).map(|position| self.norm_usage(position));
        self.narrowed(Fact::NormUsage, parts.collect())
    }

    /// Returns the part of the level's shares; 0 for the root.
    pub(super) fn share(&self, position: usize) -> Interval {
        Interval::exactly(self.associations.portion(position))
    }

    /// Returns the possible values of a recorded number, or `None` if it was not recorded.
    pub(super) fn recorded(&self, fact: Fact, position: usize) -> Option<Interval> {
        let node = self.snapshot.tree.nodes()[position];
        let figure = self.snapshot.recorded.figure(fact, node)?;
        Some(Interval::of(figure))
    }

    /// Verifies the recorded columns against a rule.
    pub(super) fn check(&self, policy: Policy, settings: &Settings) -> Tally {
        let evaluation = policy.evaluate(&self.snapshot.tree, settings);
        let mut tally = Tally::new(self.associations.len());
        let shares = self.shares(&evaluation);
        self.compare(&mut tally, Fact::NormShares, &evaluation, |position| {
            (position > 0).then(|| shares[position])
        });
        self.compare(&mut tally, Fact::NormUsage, &evaluation, |position| {
            (position > 0).then(|| self.norm_usage(position))
        });
        let effective = match policy {
            Policy::Classic => self.classic_usage(),
            Policy::DepthOblivious if self.is_filling_in => self.unsettled_usage(&shares),
            Policy::DepthOblivious => self.depth_oblivious_usage(&shares),
            _ => self.level_usage(),
        };
        self.compare(&mut tally, Fact::EffectvUsage, &evaluation, |position| {
            (position > 0).then(|| effective[position])
        });
        let effective = self.narrowed(Fact::EffectvUsage, effective);
        match policy {
            Policy::FairTree | Policy::FairTreeDocumented => {
                self.check_fair_tree(&mut tally, &evaluation, settings, &shares, &effective);
            }
            Policy::Classic | Policy::DepthOblivious => {
                let dampening = f64::from(settings.slurm.dampening.max(1));
                self.check_factors(&mut tally, &evaluation, dampening, &shares, &effective);
            }
            Policy::LevelBased => {
                super::level_based::check(self, &mut tally, &evaluation, settings, &effective);
            }
            Policy::Pbs | Policy::PbsWalk | Policy::Tickets | Policy::Flux | Policy::Formula => {}
        }
        tally
    }

    fn compare(
        &self,
        tally: &mut Tally,
        fact: Fact,
        evaluation: &Evaluation,
        expected: impl Fn(usize) -> Option<Interval>,
    ) {
        let judge =
            |position, figure| Some(Judgement::of(Interval::of(figure), expected(position)?));
        let column = column(fact);
        tally.compare(self.snapshot, fact, judge, |node| {
            evaluation.number(column, node)
        });
    }

    /// Returns, by position, the part of the shares, which does not depend on truncated numbers.
    fn shares(&self, evaluation: &Evaluation) -> Vec<Interval> {
        let nodes = self.snapshot.tree.nodes().iter();
        nodes
            .map(|&node| {
                let share = evaluation.number(ColumnId::NormShares, node);
                let share = share.unwrap_or(0.0);
                Interval::between(share, share)
            })
            .collect()
    }

    /// Returns computed values, narrowed by the recorded values of the same column.
    fn narrowed(&self, fact: Fact, mut computed: Vec<Interval>) -> Vec<Interval> {
        for (position, computed) in computed.iter_mut().enumerate() {
            *computed = computed.narrowed(self.recorded(fact, position));
        }
        computed
    }

    /// Returns, by position, the part of the fair-share parent's usage. It is bounded by raw usage and by the recorded
    /// parts of all usage.
    fn level_usage(&self) -> Vec<Interval> {
        let whole = self.norm_usages();
        let parents = self.associations.fair_share_parent.iter();
        parents
            .enumerate()
            .map(|(position, &parent)| match (position, parent as usize) {
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
            if self.associations.is_parent(position)
                || self.associations.level_shares(position) == 0
            {
                return above;
            }
            let portion = self.associations.portion(position);
            own.times(Interval::exactly(1.0 - portion))
                .plus(above.times(Interval::exactly(portion)))
        })
    }

    /// Returns, by position, effective usage under `DEPTH_OBLIVIOUS`, from the root down.
    fn depth_oblivious_usage(&self, shares: &[Interval]) -> Vec<Interval> {
        let own = self.norm_usages();
        let mut levels = vec![Interval::ZERO; own.len()];
        for (position, &own) in own.iter().enumerate().skip(1) {
            if !self.associations.is_parent(position) {
                let parent = self.associations.fair_share_parent[position] as usize;
                levels[parent] = levels[parent].plus(own);
            }
        }
        self.handed_down(|position, parent, above| {
            let (own, share) = (own[position], shares[position]);
            if parent == 0 {
                return own;
            }
            if self.associations.is_parent(position) {
                return above;
            }
            if share.high == 0.0 || own.high == 0.0 || above.high == 0.0 {
                return own;
            }
            let account = above.over(shares[parent]);
            let ratio = own.over(share).over(levels[parent].over(shares[parent]));
            let settled = account.times(powers(ratio, account)).times(share);
            if own.low == 0.0 || above.low == 0.0 {
                settled.or(own)
            } else {
                settled
            }
        })
    }

    /// Returns, by position, a number computed from the fair-share parent's; the root's is 1. Each is narrowed by the
    /// recorded effective usage before it is handed down.
    fn handed_down(
        &self,
        mut rule: impl FnMut(usize, usize, Interval) -> Interval,
    ) -> Vec<Interval> {
        let mut numbers = Vec::with_capacity(self.usage.len());
        let mut handed_down = Vec::with_capacity(self.usage.len());
        for (position, &parent) in self.associations.fair_share_parent.iter().enumerate() {
            let parent = parent as usize;
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
        if !self.shows_factors() {
            return;
        }
        let release = release_of(&self.snapshot.source.version);
        let factor = |position: usize| factor(effective[position], shares[position], dampening);
        let judge = |position: usize, figure| {
            let recorded = Interval::of(figure);
            let parent = self.associations.fair_share_parent[position] as usize;
            let meets = |position| recorded.meets(factor(position));
            let is_possible = match release {
                _ if !self.associations.is_parent(position) => meets(position),
                Some(release) if release >= PARENT_PAIRS_SINCE => meets(parent),
                Some(_) => meets(position),
                None => meets(position) || meets(parent),
            };
            Some(if is_possible {
                Judgement::Equal
            } else {
                Judgement::Differs
            })
        };
        tally.compare(self.snapshot, Fact::FairShare, judge, |node| {
            evaluation.number(ColumnId::Factor, node)
        });
    }

    /// Returns whether classic's factors are in the dump. JSON up to 25.05 has 0 for all nodes, because the command
    /// computes them only for its text.
    fn shows_factors(&self) -> bool {
        let Some(factors) = self.snapshot.recorded.figures(Fact::FairShare) else {
            return false;
        };
        let is_zero = |factors: &Figures| {
            let mut nodes = self.snapshot.tree.nodes().iter();
            nodes.all(|&node| factors.get(node).is_none_or(|figure| figure.value == 0.0))
        };
        !(self.snapshot.source.format == Format::SlurmJson && is_zero(factors))
    }

    /// Returns the dampening factor that most factors require, if they were computed by this rule and depend on it.
    /// Otherwise returns `None`.
    pub(super) fn dampening(&self, policy: Policy, settings: &Settings) -> Option<u16> {
        /// More rows than this add no certainty.
        const ENOUGH: usize = 1000;
        let factors = self.snapshot.recorded.figures(Fact::FairShare)?;
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
        let nodes = self.snapshot.tree.nodes();
        let asked = |position: usize, of: usize| {
            let factor = Interval::of(factors.get(nodes[position])?);
            if factor.low <= 0.0 || factor.high >= 1.0 {
                return None;
            }
            let exponent = Interval::between(-factor.high.log2(), -factor.low.log2());
            let divisor = effective[of].over(shares[of]).over(exponent);
            let (least, most) = (divisor.low.ceil().max(1.0), divisor.high.floor());
            (least.to_bits() == most.to_bits() && most <= f64::from(u16::MAX)).then_some(least)
        };
        let is_parent = |&position: &usize| self.associations.is_parent(position);
        let places = || 0..nodes.len();
        let own = places().filter(|position| !is_parent(position));
        let own = own.filter_map(|position| asked(position, position));
        let mut votes = std::collections::BTreeMap::new();
        for dampening in own.take(ENOUGH) {
            *votes.entry(dampening.to_bits()).or_insert(0_usize) += 1;
        }
        if votes.is_empty() {
            // A node with shares `parent` has the factor of the fair-share parent's pair, if not of its own.
            let parents = &self.associations.fair_share_parent;
            let parent_nodes = places().filter(is_parent);
            let parent_nodes =
                parent_nodes.filter_map(|position| asked(position, parents[position] as usize));
            for dampening in parent_nodes.take(ENOUGH) {
                *votes.entry(dampening.to_bits()).or_insert(0) += 1;
            }
        }
        let (bits, _) = votes.into_iter().max_by_key(|&(_, votes)| votes)?;
        whole(f64::from_bits(bits))
    }
}

/// Returns the computed column for a recorded one.
fn column(fact: Fact) -> ColumnId {
    match fact {
        Fact::NormUsage => ColumnId::NormUsage,
        Fact::EffectvUsage => ColumnId::EffectvUsage,
        Fact::LevelFs => ColumnId::LevelFs,
        Fact::FairShare => ColumnId::Factor,
        _ => ColumnId::NormShares,
    }
}
