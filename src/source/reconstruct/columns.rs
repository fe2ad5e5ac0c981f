//! The constraints on usage from the printed columns.

use super::range::Range;
use crate::base::extended::Extended;
use crate::model::{Fact, Figure, NodeId, Snapshot, UsagePrecision};
use std::collections::HashSet;

/// The printed columns of a snapshot, without ignored numbers.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) impossible: &'a HashSet<(Fact, NodeId)>,
}

impl Columns<'_> {
    /// Returns the printed number of the node at a position, or `None`.
    pub(super) fn figure(&self, fact: Fact, position: usize) -> Option<Figure> {
        let node = self.snapshot.tree.nodes()[position];
        let figure = self.snapshot.recorded.figure(fact, node)?;
        let is_impossible = !self.impossible.is_empty() && self.impossible.contains(&(fact, node));
        (!is_impossible).then_some(figure)
    }

    /// Returns the possible values of a ratio by its printed number; any number if none was printed.
    pub(super) fn ratio(&self, fact: Fact, position: usize, inward: f64) -> Range {
        let figure = self.figure(fact, position);
        figure
            .and_then(|figure| Range::printed(figure, inward))
            .unwrap_or(Range::ANY)
    }

    /// Returns the possible usage by its printed number.
    pub(super) fn usage(&self, position: usize) -> Range {
        let node = self.snapshot.tree.nodes()[position];
        let Some(amount) = self.snapshot.tree.usage(node).amount() else {
            return Range::ANY;
        };
        let Some(printed) = Extended::from_f64(amount) else {
            return Range::ANY;
        };
        match self.snapshot.recorded.usage_precision {
            UsagePrecision::Exact => Range::exactly(printed),
            UsagePrecision::Whole => {
                // Below the next whole number, at the precision of a double.
                let unit = (amount.next_up() - amount).max(1.0);
                let most = Extended::from_f64(unit * (1.0 - 1e-12)).unwrap_or(Extended::ONE);
                Range {
                    low: printed,
                    high: Some(printed.plus(most)),
                }
            }
            precision @ UsagePrecision::Rounded(_) => {
                let (low, high) = precision.bounds(amount);
                Range {
                    low: Extended::from_f64(low).unwrap_or(Extended::ZERO),
                    high: Extended::from_f64(high),
                }
            }
            UsagePrecision::Decimals(decimals) => {
                let figure = Figure {
                    value: amount,
                    decimals: decimals.cast_signed(),
                };
                Range::printed(figure, 0.0).unwrap_or(Range::ANY)
            }
        }
    }

    /// Returns whether the parts of all usage were printed.
    pub(super) fn has_norm_usage(&self) -> bool {
        self.snapshot.recorded.figures(Fact::NormUsage).is_some()
    }

    /// Returns the possible usage by its part of all usage.
    pub(super) fn norm(&self, position: usize, total: Option<Extended>, inward: f64) -> Range {
        total.map_or(Range::ANY, |total| {
            uncut(self.ratio(Fact::NormUsage, position, inward)).times(total)
        })
    }

    /// Returns the possible total by a printed part of it.
    pub(super) fn total_by(&self, position: usize, part: Range) -> Range {
        let part = uncut(part);
        let usage = self.usage(position);
        Range {
            low: part
                .high
                .and_then(|most| usage.low.over(most))
                .unwrap_or(Extended::ZERO),
            high: usage.high.and_then(|high| high.over(part.low)),
        }
    }

    /// Returns the possible total by all printed parts of it.
    pub(super) fn total(&self, inward: f64) -> Range {
        let mut total = self.usage(0);
        let positions = 1..self.snapshot.tree.node_count();
        let has_parts = [Fact::NormUsage, Fact::EffectvUsage]
            .into_iter()
            .any(|fact| {
                let mut parts = positions
                    .clone()
                    .map(|position| self.ratio(fact, position, 0.0));
                parts.any(|part| !part.low.is_zero())
            });
        if has_parts {
            total = total.above_zero();
        }
        for position in positions {
            let part = self.ratio(Fact::NormUsage, position, inward);
            total = total.narrowed(self.total_by(position, part));
        }
        total
    }
}

/// Returns the possible values of a part, which is printed as 1 if it is larger.
fn uncut(part: Range) -> Range {
    let is_cut = part.high.is_some_and(|high| high >= Extended::ONE);
    Range {
        high: part.high.filter(|_| !is_cut),
        ..part
    }
}
