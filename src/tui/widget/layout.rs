//! How rows and columns are laid out: close together, or large enough for the back of a room.

use super::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As much as fits.
    Usual,
    /// Fewer columns with wider gaps, and blank lines between the rows.
    Large,
}

/// The width from which the gaps of the large layout are wide.
const WIDE: u16 = 100;

/// The fewest rows with blank lines between them. A lower table has none.
const FEWEST_APART: u16 = 6;

impl Layout {
    pub(crate) const fn gap(self, width: u16) -> u16 {
        match self {
            Self::Usual => 1,
            Self::Large if width < WIDE => 2,
            Self::Large => 3,
        }
    }

    /// Returns the lines from one row to the next, in a list of this height.
    pub(crate) const fn pitch(self, height: u16) -> u16 {
        match self {
            Self::Large if height.div_ceil(2) >= FEWEST_APART => 2,
            _ => 1,
        }
    }

    pub(crate) const fn pointer(self) -> &'static str {
        match self {
            Self::Usual => "❯",
            Self::Large => "▶",
        }
    }

    pub(crate) fn emphasise(self, row: Rect, theme: &Theme, buffer: &mut Buffer) {
        if theme.selected.add_modifier.contains(Modifier::REVERSED) {
            // The colours of reversed cells would be backgrounds, one beside the other.
            let plain = Style::new()
                .fg(theme.ink(theme.text))
                .remove_modifier(Modifier::DIM);
            buffer.set_style(row, plain);
        }
        if self == Self::Large {
            buffer.set_style(row, theme.strong);
        }
    }
}
