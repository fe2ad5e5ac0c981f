//! What Slurm's columns can be, given shares and what is shown of usage.

use super::interval::Interval;
use super::ranks::Ranks;
use super::tally::{Judgement, Tally};
use crate::model::{Fact, Figures, Settings, Snapshot};
use crate::policy::slurm::Associations;
use crate::policy::{ColumnId, Evaluation, Policy};

/// A snapshot of Slurm's, with what its usage can be.
pub(super) struct Ground<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) associations: Associations<'a>,
    /// By position: the usage itself.
    pub(super) usage: Vec<Interval>,
    /// By position: the part of all usage, narrowed by what was recorded of it.
    norm_usage: Vec<Interval>,
    /// By position: the part of the level's shares.
    pub(super) shares: Vec<Interval>,
}

/// The first version in which a user with shares `parent` shows the pair of its fair-share parent in classic.
const PARENT_PAIRS_SINCE: (u32, u32) = (25, 11);

impl<'a> Ground<'a> {
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
        let associations = Associations::of(&snapshot.tree);
        let usage = usage(snapshot);
        let shares = (0..usage.len()).map(|position| match position {
            0 => Interval::ZERO,
            position => Interval::exactly(associations.portion(position)),
        });
        Self {
            snapshot,
            norm_usage: parts(&usage),
            shares: shares.collect(),
            associations,
            usage,
        }
    }

    /// The same snapshot with other usage.
    pub(super) fn with_usage(&self, usage: Vec<Interval>) -> Ground<'a> {
        Ground {
            norm_usage: parts(&usage),
            usage,
            ..Self::of(self.snapshot)
        }
    }

    /// By position: what was recorded of a fact, as what it can be.
    pub(super) fn recorded(&self, fact: Fact, position: usize) -> Option<Interval> {
        let node = self.snapshot.tree.nodes()[position];
        let figure = self.snapshot.recorded.figure(fact, node)?;
        Some(Interval::of(figure))
    }

    /// Holds the recorded columns against a rule.
    pub(super) fn check(&self, policy: Policy, settings: &Settings) -> Tally {
        let evaluation = policy.evaluate(&self.snapshot.tree, settings);
        let mut tally = Tally::new(self.associations.len());
        let shares = self.shares(&evaluation);
        self.compare(&mut tally, Fact::NormShares, &evaluation, |position| {
            (position > 0).then(|| shares[position])
        });
        self.compare(&mut tally, Fact::NormUsage, &evaluation, |position| {
            (position > 0).then(|| self.norm_usage[position])
        });
        let effective = match policy {
            Policy::Classic => self.classic_usage(),
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
            Policy::Pbs | Policy::Tickets | Policy::Flux | Policy::Formula => {}
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

    /// By position: the part of the shares, which depends on nothing that is cut.
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

    /// What was computed, narrowed by what was recorded of the same column.
    fn narrowed(&self, fact: Fact, mut computed: Vec<Interval>) -> Vec<Interval> {
        for (position, computed) in computed.iter_mut().enumerate() {
            *computed = computed.narrowed(self.recorded(fact, position));
        }
        computed
    }

    /// By position: the part of the fair-share parent's usage. Beside raw usage, what was recorded of the parts of all
    /// usage bounds it.
    fn level_usage(&self) -> Vec<Interval> {
        let whole = self.narrowed(Fact::NormUsage, self.norm_usage.clone());
        let homes = self.associations.fair_share_parent.iter();
        homes
            .enumerate()
            .map(|(position, &home)| match (position, home as usize) {
                (0, _) => Interval::ONE,
                (_, 0) => part(self.usage[position], self.usage[0]).narrowed(
                    // The part of all usage is cut at 1, this one is not.
                    Some(whole[position]).filter(|part| part.high < 1.0),
                ),
                (_, home) => part(self.usage[position], self.usage[home]).narrowed(
                    Some(part(whole[position], whole[home])).filter(|_| whole[home].high < 1.0),
                ),
            })
            .collect()
    }

    /// By position: classic's effective usage, from the root down.
    fn classic_usage(&self) -> Vec<Interval> {
        let own = self.narrowed(Fact::NormUsage, self.norm_usage.clone());
        self.from_the_root(|position, home, above| {
            let own = own[position];
            if home == 0 {
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

    /// By position: effective usage under `DEPTH_OBLIVIOUS`, from the root down.
    fn depth_oblivious_usage(&self, shares: &[Interval]) -> Vec<Interval> {
        let own = self.narrowed(Fact::NormUsage, self.norm_usage.clone());
        let mut levels = vec![Interval::ZERO; own.len()];
        for position in 1..own.len() {
            if !self.associations.is_parent(position) {
                let home = self.associations.fair_share_parent[position] as usize;
                levels[home] = levels[home].plus(own[position]);
            }
        }
        self.from_the_root(|position, home, above| {
            let (own, share) = (own[position], shares[position]);
            if home == 0 {
                return own;
            }
            if self.associations.is_parent(position) {
                return above;
            }
            if share.high == 0.0 || own.high == 0.0 || above.high == 0.0 {
                return own;
            }
            let account = above.over(shares[home]);
            let ratio = own.over(share).over(levels[home].over(shares[home]));
            let settled = account.times(powers(ratio, account)).times(share);
            if own.low == 0.0 || above.low == 0.0 {
                settled.or(own)
            } else {
                settled
            }
        })
    }

    /// By position: a number that is made from the fair-share parent's; the root's is 1. Each is narrowed by what was
    /// recorded of effective usage before it is handed down.
    fn from_the_root(
        &self,
        mut rule: impl FnMut(usize, usize, Interval) -> Interval,
    ) -> Vec<Interval> {
        let mut numbers = Vec::with_capacity(self.usage.len());
        let mut handed_down = Vec::with_capacity(self.usage.len());
        for (position, &home) in self.associations.fair_share_parent.iter().enumerate() {
            let home = home as usize;
            let number = match position {
                0 => Interval::ONE,
                _ => rule(position, home, handed_down[home]),
            };
            numbers.push(number);
            handed_down.push(number.narrowed(self.recorded(Fact::EffectvUsage, position)));
        }
        numbers
    }

    fn check_fair_tree(
        &self,
        tally: &mut Tally,
        evaluation: &Evaluation,
        settings: &Settings,
        shares: &[Interval],
        effective: &[Interval],
    ) {
        let associations = &self.associations;
        let level_fs = |position: usize| {
            if associations.is_parent(position) {
                Interval::exactly(f64::INFINITY)
            } else if shares[position].high == 0.0 {
                Interval::ZERO
            } else {
                shares[position].over(effective[position])
            }
        };
        self.compare(tally, Fact::LevelFs, evaluation, |position| {
            let is_transparent =
                associations.is_parent(position) && !associations.is_user[position];
            (position > 0 && !is_transparent).then(|| level_fs(position))
        });
        if self.snapshot.recorded.figures(Fact::FairShare).is_none() {
            return;
        }
        let mut bounds = Vec::with_capacity(associations.len());
        let mut points = Vec::with_capacity(associations.len());
        let mut by_usage = Vec::with_capacity(associations.len());
        let figures = self.snapshot.recorded.figures(Fact::LevelFs);
        for (position, &node) in self.snapshot.tree.nodes().iter().enumerate() {
            let number = |column| evaluation.number(column, node);
            let recorded = figures.and_then(|figures| figures.get(node));
            let computed = level_fs(position);
            bounds.push(match recorded {
                Some(figure) => Interval::of(figure).narrowed(Some(computed)),
                None => computed,
            });
            points.push(match recorded {
                Some(figure) => figure.value,
                None => number(ColumnId::LevelFs).unwrap_or(0.0),
            });
            by_usage.push(match evaluation.value(ColumnId::SchedulerRank, node) {
                crate::policy::Value::Count(rank) => u32::try_from(rank).unwrap_or(0),
                _ => 0,
            });
        }
        let order = settings.slurm.tie_order;
        let tree = &self.snapshot.tree;
        let ranks = Ranks::of(tree, order, associations, points, &bounds, by_usage);
        let judge = |position: usize, figure| {
            associations.is_user[position].then(|| ranks.judge(position, figure))
        };
        tally.compare(self.snapshot, Fact::FairShare, judge, |node| {
            evaluation.number(ColumnId::Factor, node)
        });
    }

    /// Classic's factors; the root's and accounts' too, where they were printed.
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
        let release = release(&self.snapshot.source.version);
        let factor = |position: usize| factor(effective[position], shares[position], dampening);
        let judge = |position: usize, figure| {
            let recorded = Interval::of(figure);
            let home = self.associations.fair_share_parent[position] as usize;
            let meets = |position| recorded.meets(factor(position));
            let is_possible = match release {
                _ if !self.associations.is_parent(position) => meets(position),
                Some(release) if release >= PARENT_PAIRS_SINCE => meets(home),
                Some(_) => meets(position),
                None => meets(position) || meets(home),
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

    /// Whether classic's factors are in the dump: JSON up to 25.05 has 0 for everybody, for the command computes
    /// them only for its text.
    fn shows_factors(&self) -> bool {
        let Some(factors) = self.snapshot.recorded.figures(Fact::FairShare) else {
            return false;
        };
        let is_zero = |factors: &Figures| {
            let mut nodes = self.snapshot.tree.nodes().iter();
            nodes.all(|&node| factors.get(node).is_none_or(|figure| figure.value == 0.0))
        };
        !(self.snapshot.source.format == "slurm-json" && is_zero(factors))
    }

    /// The dampening factor that most factors ask for, if they were computed by this rule and hang on it.
    pub(super) fn dampening(&self, policy: Policy, settings: &Settings) -> Option<u16> {
        /// More rows than this make nothing surer.
        const ENOUGH: usize = 1000;
        let factors = self.snapshot.recorded.figures(Fact::FairShare)?;
        let evaluation = policy.evaluate(&self.snapshot.tree, settings);
        let shares = self.shares(&evaluation);
        let effective = self.narrowed(
            Fact::EffectvUsage,
            match policy {
                Policy::DepthOblivious => self.depth_oblivious_usage(&shares),
                _ => self.classic_usage(),
            },
        );
        let mut votes = std::collections::BTreeMap::new();
        let nodes = self.snapshot.tree.nodes().iter().enumerate();
        let asked = nodes.filter_map(|(position, &node)| {
            let factor = Interval::of(factors.get(node)?);
            if self.associations.is_parent(position) || factor.low <= 0.0 || factor.high >= 1.0 {
                return None;
            }
            let exponent = Interval::between(-factor.high.log2(), -factor.low.log2());
            let divisor = effective[position].over(shares[position]).over(exponent);
            let (least, most) = (divisor.low.ceil().max(1.0), divisor.high.floor());
            (least == most && most <= f64::from(u16::MAX)).then_some(least)
        });
        for dampening in asked.take(ENOUGH) {
            *votes.entry(dampening.to_bits()).or_insert(0_usize) += 1;
        }
        let (bits, _) = votes.into_iter().max_by_key(|&(_, votes)| votes)?;
        whole(f64::from_bits(bits))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and within the range, which is asked first"
)]
fn whole(number: f64) -> Option<u16> {
    (1.0..=f64::from(u16::MAX))
        .contains(&number)
        .then_some(number as u16)
}

/// The column of ours that a recorded one is.
fn column(fact: Fact) -> ColumnId {
    match fact {
        Fact::NormUsage => ColumnId::NormUsage,
        Fact::EffectvUsage => ColumnId::EffectvUsage,
        Fact::LevelFs => ColumnId::LevelFs,
        Fact::FairShare => ColumnId::Factor,
        _ => ColumnId::NormShares,
    }
}

/// `24.11.5` as (24, 11).
fn release(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// By position: what usage can be. Accounts without any of their own have what their users have.
fn usage(snapshot: &Snapshot) -> Vec<Interval> {
    let (tree, recorded) = (&snapshot.tree, &snapshot.recorded);
    let above = tree.order().above();
    let mut usage = vec![Interval::ZERO; tree.node_count()];
    for (position, &node) in tree.nodes().iter().enumerate().rev() {
        if let Some((low, high)) = recorded.usage_bounds(tree.usage(node)) {
            usage[position] = Interval { low, high };
        }
        if position > 0 {
            let own = usage[position];
            let home = &mut usage[above[position] as usize];
            *home = home.plus(own);
        }
    }
    usage
}

/// By position: the part of all usage.
fn parts(usage: &[Interval]) -> Vec<Interval> {
    let parts = usage.iter().map(|own| part(*own, usage[0]).at_most_one());
    parts.collect()
}

/// The part of a whole; 0 where the whole is 0.
pub(super) fn part(own: Interval, whole: Interval) -> Interval {
    if own.high == 0.0 || whole.high == 0.0 {
        Interval::ZERO
    } else if whole.low == 0.0 {
        own.over(whole).or(Interval::ZERO)
    } else {
        own.over(whole)
    }
}

/// 2^-(effective usage / shares / dampening); 0 without shares.
fn factor(effective: Interval, share: Interval, dampening: f64) -> Interval {
    if share.high == 0.0 {
        return Interval::ZERO;
    }
    let exponent = effective.over(share).over(Interval::exactly(dampening));
    // The power magnifies what is wrong with the exponent by the exponent.
    let low = (-exponent.high * (1.0 + 1e-13)).exp2();
    let high = (-exponent.low * (1.0 - 1e-13)).exp2();
    Interval::between(low, high)
}

/// A node's ratio to the power that leads it back to its account's target.
fn powers(ratio: Interval, account: Interval) -> Interval {
    /// How hard an account that is far from its target holds back a child that would bring it nearer.
    const HOLD: f64 = 5.0;
    let held = |account: f64| 1.0 / (1.0 + (HOLD * account.ln()).powi(2));
    // Where the account is nearest to its target, and where it is furthest from it.
    let furthest = held(account.low).min(held(account.high));
    let nearest = if account.low <= 1.0 && account.high >= 1.0 {
        1.0
    } else {
        held(account.low).max(held(account.high))
    };
    let leads_away =
        (ratio.low <= 1.0 && account.low <= 1.0) || (ratio.high >= 1.0 && account.high >= 1.0);
    let leads_back =
        (ratio.low < 1.0 && account.high > 1.0) || (ratio.high > 1.0 && account.low < 1.0);
    let (least, most) = match (leads_away, leads_back) {
        (true, true) => (furthest, 1.0),
        (true, false) => (1.0, 1.0),
        _ => (furthest, nearest),
    };
    let corners = [
        ratio.low.powf(least),
        ratio.low.powf(most),
        ratio.high.powf(least),
        ratio.high.powf(most),
    ];
    let least = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let most = corners.iter().copied().fold(0.0, f64::max);
    // The C library's powers are not the nearest numbers.
    Interval::between(least * (1.0 - 1e-12), most * (1.0 + 1e-12))
}
