//! Guide lines: the position of a node in the tree, drawn in front of its name.

use crate::base::shown::{Shown, sentence};

/// The number of levels with guide lines. Deeper nodes show their depth, because a chain of a million nodes would need
/// a million columns.
pub(super) const DRAWN: usize = 40;

/// The guide lines of rows in which every account precedes its subtree.
#[derive(Clone, Debug)]
pub(super) struct Guides {
    /// Steps below the first row.
    depths: Vec<u32>,
    /// Whether the row is the last of its siblings among the rows.
    is_last: Vec<bool>,
    /// For each level above the row: whether more siblings follow there.
    goes_on: Vec<bool>,
}

impl Guides {
    /// Finds the last siblings, from the depths of the rows.
    pub(super) fn new(depths: Vec<u32>) -> Self {
        let mut is_last = vec![false; depths.len()];
        let mut is_seen = Vec::new();
        for (row, &depth) in depths.iter().enumerate().rev() {
            let depth = depth as usize;
            is_seen.resize(depth + 1, false);
            is_last[row] = !std::mem::replace(&mut is_seen[depth], true);
        }
        Self {
            depths,
            is_last,
            goes_on: Vec::new(),
        }
    }

    /// Returns the guide lines of a row; rows must be asked for from the first on, in order.
    pub(super) fn before(&mut self, row: usize) -> Shown {
        let depth = self.depths[row] as usize;
        self.goes_on.truncate(depth);
        self.goes_on.push(!self.is_last[row]);
        if let Some(text) = deep(depth) {
            return text;
        }
        let above = (1..depth).map(|level| if self.goes_on[level] { "│  " } else { "   " });
        let own = (depth > 0).then(|| {
            if self.is_last[row] {
                "└─ "
            } else {
                "├─ "
            }
        });
        above.chain(own).map(Shown::from).collect()
    }
}

/// Returns what stands before the name of a node that is too deep for guide lines; `None` for others.
pub(super) fn deep(depth: usize) -> Option<Shown> {
    (depth > DRAWN).then(|| sentence!("… {depth} levels down: "))
}

#[cfg(test)]
mod tests {
    use super::Guides;

    #[test]
    fn guides_join_siblings_and_end_at_the_last() {
        let mut guides = Guides::new(vec![0, 1, 2, 2, 1, 2]);
        let lines: Vec<_> = (0..6).map(|row| guides.before(row)).collect();
        assert_eq!(lines, ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ "]);
    }
}
