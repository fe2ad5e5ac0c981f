//! A legend in as few rows as it fits into, for screens on which a plot needs the others.

use super::painter::{Painter, below, skip, width_of};
use crate::base::shown::Shown;
use crate::tui::widget::places;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

/// A legend whose entries stand side by side.
#[derive(Default)]
pub(crate) struct LowLegend {
    entries: Vec<LowEntry>,
}

/// An entry, and where it stands.
struct LowEntry {
    at: Position,
    text: Shown,
    style: Style,
}

impl LowLegend {
    /// Returns the legend of these texts in rows of so many cells.
    pub(crate) fn of(texts: Vec<(Shown, Style)>, width: u16) -> Self {
        let mut widths = Vec::new();
        for (text, _) in &texts {
            widths.push(width_of(text));
        }
        let mut legend = Self::default();
        for ((text, style), at) in texts.into_iter().zip(places(&widths, width)) {
            legend.entries.push(LowEntry { at, text, style });
        }
        legend
    }

    /// Returns its rows.
    pub(crate) fn height(&self) -> u16 {
        match self.entries.last() {
            Some(last) => last.at.y + 1,
            None => 0,
        }
    }

    /// Draws it from the top of an area, as many of its rows as there is room for.
    pub(crate) fn draw(&self, p: &mut Painter, area: Rect) {
        for entry in &self.entries {
            let place = below(skip(area, entry.at.x), entry.at.y);
            p.put_text(place, &[&entry.text], entry.style);
        }
    }
}
