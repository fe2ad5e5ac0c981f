//! Guide lines: the position of a node in the tree, drawn in front of its name.

use crate::base::shown::{Shown, cells, sentence};

/// The levels with guide lines. Deeper nodes show their depth: a chain of a million nodes needs a million columns.
pub(crate) const DRAWN: usize = 40;

/// Returns the guide lines of rows in which every account precedes its subtree, by their steps below the first.
pub(crate) fn guides(depths: &[u32]) -> Vec<Guide> {
    let mut is_last = vec![false; depths.len()];
    let mut is_seen = Vec::new();
    for (row, &depth) in depths.iter().enumerate().rev() {
        let depth = depth as usize;
        is_seen.resize(depth + 1, false);
        is_last[row] = !is_seen[depth];
        is_seen[depth] = true;
    }
    // By bit, for each level down to the last row's: whether more siblings follow there.
    let mut goes_on = 0_u64;
    let mut guides = Vec::with_capacity(depths.len());
    for (row, &depth) in depths.iter().enumerate() {
        let level = (depth as usize).min(DRAWN + 1);
        let below = u64::MAX << level;
        goes_on &= !below;
        if !is_last[row] {
            goes_on |= 1 << level;
        }
        guides.push(Guide { depth, goes_on });
    }
    guides
}

/// What stands before the name of a row: lines, or its depth if that is too large; for the first row nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guide {
    /// Steps below the first row.
    pub(crate) depth: u32,
    /// By bit, for each level down to the row's own: whether more siblings follow there.
    goes_on: u64,
}

impl Guide {
    /// Returns what stands before a name where rows fold: nothing, but for nodes that are too deep.
    pub(crate) fn folded(self) -> Self {
        if self.is_deep() {
            self
        } else {
            Self::default()
        }
    }

    /// Returns whether the depth is told in words.
    const fn is_deep(self) -> bool {
        self.depth as usize > DRAWN
    }

    /// Returns whether more siblings follow on a level.
    const fn goes_on(self, level: u32) -> bool {
        self.goes_on >> level & 1 == 1
    }

    /// Returns the cells that it takes.
    pub(crate) fn cells(self) -> usize {
        if !self.is_deep() {
            return self.depth as usize * cells(BRANCH);
        }
        let mut text = Shown::default();
        self.put(&mut text);
        cells(&text)
    }

    /// Adds it to a line.
    pub(crate) fn put(self, text: &mut Shown) {
        let depth = self.depth;
        if self.is_deep() {
            *text += &sentence!("… {depth} levels down: ");
        } else if depth > 0 {
            for level in 1..depth {
                let piece = if self.goes_on(level) { THROUGH } else { BLANK };
                *text += &piece.into();
            }
            let piece = if self.goes_on(depth) { BRANCH } else { END };
            *text += &piece.into();
        }
    }
}

/// A level above, where siblings follow.
const THROUGH: &str = "│  ";

/// A level above, where none follows.
const BLANK: &str = "   ";

/// Before a name, where siblings follow.
const BRANCH: &str = "├─ ";

/// Before a name, where none follows.
const END: &str = "└─ ";
