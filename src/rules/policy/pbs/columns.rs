//! PBS's columns, computed whole or from those before an edit.

use super::{FamilyShares, factor, percentages, rank, tree_usage, tree_usages, usage_over_perc};
use crate::base::cores;
use crate::model::Tree;
use crate::rules::policy::changed::{LARGE_PART, changed_family};
use crate::rules::policy::evaluation::{Column, Inputs, Numbers};
use crate::rules::policy::series::Series;
use crate::rules::policy::{ColumnId, Evaluation};
use std::ops::Range;

/// The columns that PBS's numbers are in, but for the rank.
#[derive(Clone)]
pub(super) struct PbsColumns {
    pub(super) usage: Series<f64>,
    shares: Series<i32>,
    of_level: Series<f32>,
    of_tree: Series<f32>,
    effective: Series<f32>,
    pub(super) factors: Series<f64>,
    ratios: Series<f64>,
    pub(super) walk_ranks: Series<u32>,
}

/// Which numbers are not those of an earlier evaluation.
pub(in crate::rules::policy) enum Changed {
    /// None but those of a span of positions.
    Span(Range<usize>),
    /// Any.
    Anything,
}

/// The number of nodes from which another thread is worth its start.
const WORTH_A_THREAD: usize = 20_000;

/// Returns the factor that follows from tree usage and percentage: the known one if these are the same as before. A power
/// is the most expensive step here, and an edit changes few of them.
fn factor_after(before: (f32, f32), known: f64, now: (f32, f32)) -> f64 {
    let bits = |(used, target): (f32, f32)| (used.to_bits(), target.to_bits());
    if bits(before) == bits(now) {
        known
    } else {
        factor(now.0, now.1)
    }
}

impl PbsColumns {
    /// Returns the columns of an evaluation, or `None` if it has others.
    pub(super) fn of(evaluation: &Evaluation) -> Option<Self> {
        let doubles = |id| evaluation.doubles(id).cloned();
        let singles = |id| match evaluation.numbers(id)? {
            Numbers::Single(numbers) => Some(numbers.clone()),
            _ => None,
        };
        let Numbers::Rank(walk_ranks) = evaluation.numbers(ColumnId::WalkRank)? else {
            return None;
        };
        Some(Self {
            usage: doubles(ColumnId::Usage)?,
            shares: evaluation.pbs_shares()?.clone(),
            of_level: singles(ColumnId::GroupPercentage)?,
            of_tree: singles(ColumnId::FairsharePerc)?,
            effective: singles(ColumnId::FairshareTreeUsage)?,
            factors: doubles(ColumnId::FairshareFactor)?,
            ratios: doubles(ColumnId::UsageOverPerc)?,
            walk_ranks: walk_ranks.clone(),
        })
    }

    /// Computes all of them from shares and usage. Of earlier ones of a tree of this shape, those factors are kept that
    /// follow from the same numbers.
    pub(super) fn compute(
        tree: &Tree,
        blank: Option<&[bool]>,
        (shares, usage): (Vec<i32>, Series<f64>),
        earlier: Option<&Self>,
    ) -> Self {
        let family = FamilyShares::of(tree, blank, &shares, 0..shares.len());
        let (of_level, of_tree) = percentages(tree, &family);
        let held = usage.in_one_piece();
        let effective = tree_usages(tree, &held, &of_level);
        let factors = || -> Vec<f64> {
            let inputs = effective.iter().copied().zip(of_tree.iter().copied());
            match earlier {
                Some(earlier) => {
                    let before = earlier.effective.iter().zip(earlier.of_tree.iter());
                    let known = before.zip(earlier.factors.iter()).zip(inputs);
                    known
                        .map(|((before, known), now)| factor_after(before, known, now))
                        .collect()
                }
                None => inputs
                    .map(|(effective, of_tree)| factor(effective, of_tree))
                    .collect(),
            }
        };
        let ratios: Vec<f64> = held
            .iter()
            .zip(&of_tree)
            .map(|(&usage, &of_tree)| usage_over_perc(usage, of_tree))
            .collect();
        let walk_ranks = || rank::walk_ranks(tree, blank, |at| of_tree[at], |at| ratios[at]);
        // Neither needs the other.
        let threads = if shares.len() < WORTH_A_THREAD {
            1
        } else {
            cores::count()
        };
        let (factors, walk_ranks) = cores::both(threads, factors, walk_ranks);
        Self {
            usage,
            shares: shares.into(),
            of_level: of_level.into(),
            of_tree: of_tree.into(),
            effective: effective.into(),
            factors: factors.into(),
            ratios: ratios.into(),
            walk_ranks: walk_ranks.into(),
        }
    }

    /// Returns the columns of the same tree with the same usage and other shares. `None` if a large part of the tree has
    /// other numbers.
    pub(super) fn after(
        &self,
        tree: &Tree,
        blank: Option<&[bool]>,
        shares: &[i32],
    ) -> Option<(Self, Changed)> {
        let above = tree.order().above();
        let Some(account) = changed_family(tree.order(), self.shares.iter(), shares) else {
            return Some((self.clone(), Changed::Span(0..0)));
        };
        let span = account..tree.order().ends()[account] as usize;
        if span.len() * LARGE_PART > above.len() {
            return None;
        }
        let start = span.start;
        let family = FamilyShares::of(tree, blank, shares, span.clone());
        let mut of_level: Vec<f32> = vec![self.of_level.at(start)];
        let mut of_tree: Vec<f32> = vec![self.of_tree.at(start)];
        let mut effective: Vec<f32> = vec![self.effective.at(start)];
        let mut factors: Vec<f64> = vec![self.factors.at(start)];
        let mut ratios: Vec<f64> = vec![self.ratios.at(start)];
        let total = self.usage.at(0);
        for (position, &parent) in above.iter().enumerate().take(span.end).skip(start + 1) {
            let parent = parent as usize;
            let target = of_tree[parent - start];
            let portion = family.portion(position, parent, target);
            let (level, target) = portion.map_or((0.0, 0.0), |part| (part, part * target));
            let usage = self.usage.at(position);
            let of_parent = (parent > 0).then(|| effective[parent - start]);
            let used = tree_usage(usage, total, of_parent, level);
            let before = (self.effective.at(position), self.of_tree.at(position));
            let known = self.factors.at(position);
            factors.push(factor_after(before, known, (used, target)));
            ratios.push(usage_over_perc(usage, target));
            of_level.push(level);
            of_tree.push(target);
            effective.push(used);
        }
        let mut columns = Self {
            usage: self.usage.clone(),
            shares: self.shares.patched(start, shares[span.clone()].to_vec()),
            of_level: self.of_level.patched(start, of_level),
            of_tree: self.of_tree.patched(start, of_tree),
            effective: self.effective.patched(start, effective),
            factors: self.factors.patched(start, factors),
            ratios: self.ratios.patched(start, ratios),
            walk_ranks: self.walk_ranks.clone(),
        };
        let walked = columns.walked_again(tree, blank, span.clone());
        let (percentage, ratio) = (&columns.of_tree, &columns.ratios);
        let (walk_ranks, changed) = if let Some(ranks) = walked {
            (
                columns.walk_ranks.patched(start, ranks),
                Changed::Span(span),
            )
        } else {
            let ranks = rank::walk_ranks(tree, blank, |at| percentage.at(at), |at| ratio.at(at));
            (ranks.into(), Changed::Anything)
        };
        columns.walk_ranks = walk_ranks;
        Some((columns, changed))
    }

    /// Returns the places in the walk of a span of which the numbers have changed, if its account and those above tie
    /// with no sibling, so that its users keep their places among all. Otherwise `None`.
    fn walked_again(
        &self,
        tree: &Tree,
        blank: Option<&[bool]>,
        span: Range<usize>,
    ) -> Option<Vec<u32>> {
        let (percentage, ratio) = (|at| self.of_tree.at(at), |at| self.ratios.at(at));
        let key = |at| rank::key(percentage(at), ratio(at));
        let above = tree.order().above();
        let is_counted = |at: usize| !blank.is_some_and(|blank| blank[at]);
        let stands_alone = |account: usize| {
            let ties = |sibling: u32| {
                let sibling = sibling as usize;
                sibling != account && is_counted(sibling) && key(sibling) == key(account)
            };
            percentage(account) > 0.0
                && is_counted(account)
                && !tree.order().children(above[account]).any(ties)
        };
        let mut account = span.start;
        while account > 0 && stands_alone(account) {
            account = above[account] as usize;
        }
        if account > 0 {
            return None;
        }
        let ranked = self.walk_ranks.span(span.clone()).filter(|&rank| rank > 0);
        // Without users there is no rank to give.
        let first = ranked.min().unwrap_or(1);
        let top = u32::try_from(span.start).expect("positions are 32 bits wide");
        let below = (top, first);
        Some(rank::walk_ranks_below(
            tree, blank, below, percentage, ratio,
        ))
    }

    /// Returns what orders users.
    pub(super) fn keys(
        &self,
    ) -> rank::UserKeys<impl Fn(usize) -> f32 + '_, impl Fn(usize) -> u32 + '_> {
        rank::UserKeys {
            sort_key: |position| rank::sort_key(self.factors.at(position)),
            walk_rank: |position| self.walk_ranks.at(position),
        }
    }

    /// Returns them as an evaluation without a rank.
    pub(super) fn evaluation(self, tree: &Tree, blank: Option<Vec<bool>>) -> Evaluation {
        let columns = vec![
            Column::new(ColumnId::Usage, Numbers::Double(self.usage)),
            Column::new(ColumnId::GroupPercentage, Numbers::Single(self.of_level)),
            Column::new(ColumnId::FairsharePerc, Numbers::Single(self.of_tree)),
            Column::new(
                ColumnId::FairshareTreeUsage,
                Numbers::Single(self.effective),
            ),
            Column::new(ColumnId::FairshareFactor, Numbers::Double(self.factors)),
            Column::new(ColumnId::UsageOverPerc, Numbers::Double(self.ratios)),
            Column::new(ColumnId::WalkRank, Numbers::Rank(self.walk_ranks)),
        ];
        Evaluation::new(tree, columns, blank).following_from(Inputs::Pbs(self.shares))
    }
}
