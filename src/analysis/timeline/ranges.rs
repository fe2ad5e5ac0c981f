//! The nodes that moved most, found with a few numbers per node.

use super::track::{Measure, Point, ValueRange};
use crate::model::Paths;
use crate::scenario::Scenario;
use std::cmp::Ordering;
use std::collections::HashMap;

/// The range of every node's rank or target so far, by path.
#[derive(Debug, Default)]
pub(super) struct RangesByPath {
    /// For each path, the order in which it was first seen, and its range.
    by_path: HashMap<String, (usize, ValueRange)>,
}

impl RangesByPath {
    /// Adds a moment.
    pub(super) fn take(&mut self, scenario: &Scenario, measure: Measure) {
        let mut paths = Paths::new(scenario.tree());
        for &node in scenario.tree().nodes() {
            let Some(path) = paths.next(node) else {
                continue;
            };
            let Some(number) = Point::of(scenario, node).measured(measure) else {
                continue;
            };
            if let Some((_, span)) = self.by_path.get_mut(path) {
                *span = ValueRange::with(Some(*span), number);
            } else {
                let place = self.by_path.len();
                let span = ValueRange::with(None, number);
                self.by_path.insert(path.to_owned(), (place, span));
            }
        }
    }

    /// Returns the paths of the `count` nodes that moved most, the furthest first; of equals the one first seen.
    pub(super) fn most(self, count: usize) -> Vec<String> {
        let moved = |span: &ValueRange| span.width() > 0.0;
        let mut nodes: Vec<_> = self
            .by_path
            .into_iter()
            .filter(|(_, (_, span))| moved(span))
            .collect();
        let by_width = |a: &ValueRange, b: &ValueRange| -> Ordering {
            let widths = b.width().total_cmp(&a.width());
            let ends = |span: &ValueRange| (span.last - span.first).abs();
            widths.then_with(|| ends(b).total_cmp(&ends(a)))
        };
        nodes.sort_by(|(_, (a_place, a)), (_, (b_place, b))| {
            by_width(a, b).then_with(|| a_place.cmp(b_place))
        });
        nodes.truncate(count);
        nodes.into_iter().map(|(path, _)| path).collect()
    }
}
