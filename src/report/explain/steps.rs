//! The levels of a path, each after its name.

use super::{Emphasis, Line};
use crate::base::number::counted;
use crate::base::shown::{Shown, cells, sentence};
use crate::model::NodeId;
use crate::report::View;

/// The number of levels written out at the top and at the bottom of a long path.
const WRITTEN_OUT: usize = 8;

/// The levels that are written out, each after its name.
pub(super) struct Steps<'a> {
    view: &'a View<'a>,
    nodes: Vec<NodeId>,
    /// Cells of the longest name.
    width: usize,
}

impl<'a> Steps<'a> {
    pub(super) fn new(view: &'a View<'a>, nodes: Vec<NodeId>) -> Self {
        let mut steps = Self {
            view,
            nodes,
            width: 0,
        };
        steps.width = steps
            .written_out()
            .map(|index| cells(&view.label(steps.nodes[index])))
            .max()
            .unwrap_or(0);
        steps
    }

    /// Returns the number of levels left out in the middle.
    fn left_out(&self) -> usize {
        self.nodes.len().saturating_sub(2 * WRITTEN_OUT)
    }

    fn written_out(&self) -> impl Iterator<Item = usize> {
        let (count, left_out) = (self.nodes.len(), self.left_out());
        let top = count.min(WRITTEN_OUT);
        (0..top).chain(top + left_out..count)
    }

    /// Returns a level's name, as wide as the longest.
    pub(super) fn label(&self, node: NodeId) -> Shown {
        let name = self.view.label(node);
        let blanks = " ".repeat(self.width.saturating_sub(cells(&name)));
        sentence!("  {name}{blanks}  ")
    }

    /// Writes a line for each level, and one for those left out.
    pub(super) fn each(&self, lines: &mut Vec<Line>, line: impl Fn(usize, &str) -> Line) {
        for index in self.written_out() {
            if index == WRITTEN_OUT + self.left_out() && self.left_out() > 0 {
                let left_out = counted(self.left_out(), "level", "levels");
                lines.push(Line::of(
                    Emphasis::Dim,
                    sentence!("  … {left_out} in between"),
                ));
            }
            lines.push(line(index, &self.label(self.nodes[index])));
        }
    }
}
