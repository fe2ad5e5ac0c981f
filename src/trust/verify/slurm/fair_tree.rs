//! Fair Tree's Level FS and ranks.

use super::GivenTree;
use crate::base::number::Value;
use crate::model::{Fact, Figure, Settings};
use crate::rules::policy::{ColumnId, Evaluation};
use crate::trust::verify::interval::Interval;
use crate::trust::verify::judgement::Judgement;
use crate::trust::verify::ranks::Ranks;
use crate::trust::verify::tally::Tally;

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
        let ranks = Ranks::of(self, order, (points, bounds), by_usage);
        let judge = |position: usize, figure: Figure| {
            if self.associations.is_user[position] {
                Some(ranks.judge(position, figure))
            } else {
                // Fair Tree ranks only users. JSON has 0 for accounts.
                (figure.value > 0.0).then_some(Judgement::Differs)
            }
        };
        tally.compare(self.snapshot, Fact::FairShare, judge, |node| {
            evaluation.number(ColumnId::Factor, node)
        });
    }
}
