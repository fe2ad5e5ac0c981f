//! The lists of a tree, and the room of the why pane.

use crate::model::NodeId;
use crate::report::outline::Outline;
use crate::tui::widget::viewport::Viewport;
use std::cell::Cell;

/// The room of the why pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Why {
    /// The lower part of the screen.
    #[default]
    Shown,
    /// Everything below the title.
    Zoomed,
    /// None.
    Hidden,
}

/// A list with its cursor.
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
    /// Returns the selected node, or the root of an empty list.
    pub fn selected(&self) -> NodeId {
        self.outline
            .rows()
            .get(self.cursor)
            .copied()
            .unwrap_or(NodeId::ROOT)
    }
}
