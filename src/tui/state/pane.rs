//! One of the lists of a tree, and how much room the why pane takes from it.

use crate::model::NodeId;
use crate::report::outline::Outline;
use crate::tui::widget::viewport::Viewport;
use std::cell::Cell;

/// How much of the screen the why pane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Why {
    /// A part at the bottom.
    #[default]
    Shown,
    /// Everything below the title.
    Zoomed,
    /// None.
    Hidden,
}

/// One of the lists, with its cursor.
#[derive(Clone, Debug, Default)]
pub struct Pane {
    /// Its rows.
    pub outline: Outline,
    /// The selected row.
    pub cursor: usize,
    /// The rows on the screen.
    pub viewport: Cell<Viewport>,
}

impl Pane {
    /// The selected node; the root of an empty list.
    #[must_use]
    pub fn selected(&self) -> NodeId {
        self.outline
            .rows()
            .get(self.cursor)
            .copied()
            .unwrap_or(NodeId::ROOT)
    }
}
