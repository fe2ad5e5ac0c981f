//! The legend of the chart: the letter of each line, its name, and its numbers now and at the end.

use crate::base::shown::{cells, cut_name, sentence};
use crate::tui::screen::low_legend::LowLegend;
use crate::tui::screen::painter::{Painter, narrow};
use crate::tui::time::wording::Wording;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The cells of a number now.
const NOW: usize = 8;

/// The cells of a number at the end.
const END: usize = 10;

/// The cells of a number at the end under the other half-life.
const OTHER: usize = 8;

/// A line of the legend.
pub(crate) struct LegendEntry {
    /// The letters of the lines.
    pub(crate) letters: String,
    /// The name of the lines.
    pub(crate) name: Wording,
    /// The number now.
    pub(crate) now: Wording,
    /// The number at the end.
    pub(crate) end: Wording,
    /// The number at the end under the other half-life; `None` without one.
    pub(crate) other: Option<Wording>,
    /// The style of the lines.
    pub(crate) style: Style,
}

/// The lines of the legend, as a table or in as few rows as they fit into.
pub(crate) struct Legend {
    /// The lines, in the order of their letters.
    pub(crate) entries: Vec<LegendEntry>,
    /// Whether several stand in a row, without their full names.
    pub(crate) is_low: bool,
}

impl Legend {
    /// Returns the rows of the legend: a heading and one per entry, or several entries per row in a low one.
    pub(crate) fn height(&self, width: u16) -> u16 {
        if self.is_low {
            return self.low(width).height();
        }
        let heading = usize::from(!self.entries.is_empty());
        narrow(heading + self.entries.len())
    }

    /// Draws the legend, as many of its rows as there is room for.
    pub(crate) fn draw(&self, p: &mut Painter, area: Rect) {
        if self.is_low {
            self.low(area.width).draw(p, area);
        } else {
            self.draw_table(p, area);
        }
    }

    /// Draws the legend as a table. Names without room are drawn in short.
    fn draw_table(&self, p: &mut Painter, area: Rect) {
        let columns = LegendColumns::of(&self.entries, area.width.into());
        let mut rows = area.rows();
        let Some(top) = rows.next() else { return };
        p.put(
            top,
            columns.line("", "now", "at the end", "dashed"),
            p.theme.dim,
        );
        for entry in &self.entries {
            let Some(row) = rows.next() else { return };
            let room = columns.name.saturating_sub(cells(&entry.letters) + 1);
            let mut name = &entry.name.full;
            if cells(name) > room {
                name = &entry.name.short;
            }
            let other = match &entry.other {
                Some(other) => &other.full,
                None => "",
            };
            let name = sentence!("{} {name}", entry.letters);
            let line = columns.line(&name, &entry.now.full, &entry.end.full, other);
            p.put(row, line, entry.style);
        }
    }

    /// Returns the low legend in rows of so many cells.
    fn low(&self, width: u16) -> LowLegend {
        let mut texts = Vec::new();
        for entry in &self.entries {
            let name = &entry.name.short;
            let now = &entry.now.short;
            let end = &entry.end.short;
            let mut text = sentence!("{} {name} {now} → {end}", entry.letters);
            if let Some(other) = &entry.other {
                text += &sentence!(", dashed {}", other.short);
            }
            texts.push((text, entry.style));
        }
        LowLegend::of(texts, width)
    }
}

/// The columns of the legend: the name is on the left, and the numbers are on the right.
struct LegendColumns {
    /// The cells of the name.
    name: usize,
    /// Whether there is a column for another half-life.
    has_other: bool,
}

impl LegendColumns {
    fn of(entries: &[LegendEntry], width: usize) -> Self {
        let has_other = entries.iter().any(|entry| entry.other.is_some());
        let mut numbers = 1 + NOW + 1 + END;
        if has_other {
            numbers += 1 + OTHER;
        }
        Self {
            name: width.saturating_sub(numbers),
            has_other,
        }
    }

    /// Returns a line of the table.
    fn line(&self, name: &str, now: &str, end: &str, other: &str) -> String {
        let name = cut_name(name, self.name);
        let blanks = " ".repeat(self.name.saturating_sub(cells(&name)));
        let line = format!("{name}{blanks} {now:>NOW$} {end:>END$}");
        if self.has_other {
            return format!("{line} {other:>OTHER$}");
        }
        line
    }
}
