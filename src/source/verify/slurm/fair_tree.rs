//! Fair Tree's Level FS and ranks.

use super::GivenTree;
use crate::base::number::Value;
use crate::model::{Fact, Figure, NodeId, Settings};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::source::verify::detect::CheckedRule;
use crate::source::verify::interval::Interval;
use crate::source::verify::judgement::Judgement;
use crate::source::verify::ranks::{RankBasis, Ranks};
use crate::source::verify::tally::Tally;
use std::rc::Rc;

impl GivenTree<'_> {
    /// Verifies the recorded Level FS and ranks against Fair Tree.
    pub(super) fn check_fair_tree(
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
                Value::Count(rank) => u32::try_from(rank).unwrap_or(0),
                _ => 0,
            });
        }
        let order = settings.slurm.tie_order;
        let basis = RankBasis::of(order, points, bounds);
        let ranks = Ranks::of(self, &basis, order, by_usage);
        self.compare_ranks(tally, &ranks, |node| {
            evaluation.number(ColumnId::Factor, node)
        });
        tally.ranks = Some(Rc::new(basis));
    }

    /// Compares the recorded ranks. `computed` is the factor of a node, to show where they differ.
    fn compare_ranks(
        &self,
        tally: &mut Tally,
        ranks: &Ranks,
        computed: impl Fn(NodeId) -> Option<f64>,
    ) {
        let judge = |position: usize, figure: Figure| {
            if self.associations.is_user[position] {
                Some(ranks.judge(position, figure))
            } else {
                // Fair Tree ranks only users. JSON has 0 for accounts.
                (figure.value > 0.0).then_some(Judgement::Differs)
            }
        };
        tally.compare(self.snapshot, Fact::FairShare, judge, computed);
    }

    /// Verifies the recorded columns against a rule as [`Self::check`] does, from what they were already compared with:
    /// another order of ties changes nothing but ranks.
    pub(in crate::source::verify) fn check_after(
        &self,
        checked: CheckedRule<'_>,
        policy: Policy,
        settings: &Settings,
    ) -> Tally {
        if checked.policy != policy {
            return self.check(policy, settings);
        }
        if checked.settings == settings {
            return checked.tally.clone();
        }
        let order = settings.slurm.tie_order;
        let mut reordered = checked.settings.clone();
        reordered.slurm.tie_order = order;
        let tree = &self.snapshot.tree;
        let is_computed = |settings: &Settings| {
            let printed = tree.printed(policy.name(), &settings.slurm);
            printed.is_none()
        };
        match &checked.tally.ranks {
            Some(basis)
                if policy == Policy::FairTree
                    && reordered == *settings
                    && is_computed(settings)
                    && is_computed(checked.settings) =>
            {
                let by_usage = basis.by_usage(order, self);
                let ranks = Ranks::of(self, basis, order, by_usage);
                let mut tally = checked.tally.without(self.snapshot, Fact::FairShare);
                self.compare_ranks(&mut tally, &ranks, |node| {
                    ranks.factor(tree.order().position(node)?)
                });
                tally
            }
            _ => self.check(policy, settings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckedRule, GivenTree, Policy, Tally};
    use crate::model::{Fact, TieOrder};
    use crate::source::printed::sample::{Sort, printed};

    /// Returns everything that the tally counted.
    fn counts(tally: &Tally) -> String {
        let Tally {
            columns, differing, ..
        } = tally;
        let (rows, misfits) = (tally.rows(), tally.misfits());
        format!("{columns:?} {differing:?} {rows} {misfits}")
    }

    #[test]
    fn another_order_of_ties_changes_what_a_check_of_everything_would_change() {
        let (mut ranked_otherwise, mut undecided) = (0, 0);
        for seed in 0..500 {
            let snapshot = printed(seed, Sort::of(seed));
            let given_tree = GivenTree::of(&snapshot);
            for &from in TieOrder::ALL {
                let mut settings = snapshot.settings.clone();
                settings.slurm.tie_order = from;
                let tally = given_tree.check(Policy::FairTree, &settings);
                let checked = CheckedRule {
                    policy: Policy::FairTree,
                    settings: &settings,
                    tally: &tally,
                };
                for &to in TieOrder::ALL {
                    let mut settings = settings.clone();
                    settings.slurm.tie_order = to;
                    let again = given_tree.check_after(checked, Policy::FairTree, &settings);
                    let plain = given_tree.check(Policy::FairTree, &settings);
                    assert_eq!(
                        counts(&again),
                        counts(&plain),
                        "seed {seed} {from:?} {to:?}"
                    );
                    ranked_otherwise += usize::from(counts(&again) != counts(&tally));
                }
                let ranks = tally.columns.iter().find(|own| own.fact == Fact::FairShare);
                undecided += ranks.map_or(0, |ranks| ranks.undecided);
            }
        }
        // The trees hold what the order decides, and what it leaves undecided.
        assert!(ranked_otherwise > 50, "{ranked_otherwise}");
        assert!(undecided > 50, "{undecided}");
    }
}
