//! Tables: columns that know their cells, and the same rows as aligned text, Markdown or CSV.

mod cell;
mod column;

pub use cell::Cell;
pub use column::{Column, Heading};

use crate::base::number::Alignment;
use crate::base::shown::{Shown, cells};
use crate::report::room::DECIDING;

/// The blanks between two columns of text.
const GAP: usize = 2;

/// The fewest cells of a name that is cut to make room.
const NARROWEST: usize = 16;

/// A table as aligned lines: the headings, then one line a row, every column as wide as its widest cell. Each cell is
/// looked at twice, once for its width and once for its text, so that a table of a million rows is never held in memory.
pub(in crate::report) struct Lines<'c, 'a, R> {
    columns: Vec<&'c Column<'a, R>>,
    widths: Vec<usize>,
    /// The headings of the columns that are left out.
    pub(in crate::report) left_out: Vec<Shown>,
}

impl<'c, 'a, R> Lines<'c, 'a, R> {
    /// Lays out a table within `room` cells; `None` is any number. Columns that give way are left out, the last in their
    /// order first; a name that is still too long is cut.
    pub(in crate::report) fn new(
        columns: &'c [Column<'a, R>],
        rows: impl Iterator<Item = R>,
        room: Option<usize>,
    ) -> Self {
        let mut widths: Vec<usize> = columns.iter().map(|it| cells(&it.heading().text)).collect();
        for row in rows {
            for (column, width) in columns.iter().zip(&mut widths) {
                *width = column.cell(&row).widest(*width);
            }
        }
        let mut table = Self {
            columns: columns.iter().collect(),
            widths,
            left_out: Vec::new(),
        };
        if let Some(room) = room {
            table.fit(room);
        }
        table
    }

    /// Leaves columns out, and narrows the first column if that is not enough.
    fn fit(&mut self, room: usize) {
        let orders: Vec<Option<u8>> = self.columns.iter().map(|column| column.order()).collect();
        let needed = |place: usize| self.widths[place] + GAP;
        let always = (0..orders.len()).filter(|&place| orders[place].is_none());
        let mut left = (room + GAP).saturating_sub(always.map(needed).sum());
        let mut cut = self
            .widths
            .first()
            .map_or(0, |name| name.saturating_sub(NARROWEST));
        let mut giving: Vec<usize> = (0..orders.len())
            .filter(|&place| orders[place].is_some())
            .collect();
        giving.sort_by_key(|&place| orders[place]);
        let mut is_kept: Vec<bool> = orders.iter().map(Option::is_none).collect();
        for place in giving {
            let needed = needed(place);
            let decides = orders[place].is_some_and(|order| order <= DECIDING);
            is_kept[place] = needed <= left || (decides && needed <= left + cut);
            if is_kept[place] {
                cut -= needed.saturating_sub(left).min(cut);
                left = left.saturating_sub(needed);
            }
        }
        let headings = self.columns.iter().zip(&is_kept);
        let left_out = headings.filter(|(_, is_kept)| !**is_kept);
        self.left_out = left_out
            .map(|(column, _)| column.heading().text.clone())
            .collect();
        let mut kept = is_kept.iter();
        self.columns.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.widths.retain(|_| kept.next() == Some(&true));
        let whole: usize = self.widths.iter().map(|width| width + GAP).sum();
        let over = whole.saturating_sub(room + GAP);
        if let Some(name) = self.widths.first_mut() {
            *name -= over.min(name.saturating_sub(NARROWEST));
        }
    }

    /// Returns the lines.
    pub(in crate::report) fn of(
        self,
        rows: impl Iterator<Item = R>,
    ) -> impl Iterator<Item = Shown> {
        let Self {
            columns, widths, ..
        } = self;
        let headings = columns
            .iter()
            .map(|column| Cell::Shown(column.heading().text.clone()));
        let head = line(&columns, &widths, headings);
        let body = rows.map(move |row| {
            let cells = columns.iter().map(|column| column.cell(&row));
            line(&columns, &widths, cells)
        });
        std::iter::once(head).chain(body)
    }
}

/// Returns a table as aligned lines of any length.
pub fn lines<'c, R>(
    columns: &'c [Column<'_, R>],
    rows: impl Iterator<Item = R> + Clone + 'c,
) -> impl Iterator<Item = Shown> + 'c {
    Lines::new(columns, rows.clone(), None).of(rows)
}

/// The cells of one line, each on its side of its column.
fn line<'a, R>(
    columns: &[&Column<'a, R>],
    widths: &[usize],
    row: impl Iterator<Item = Cell<'a>>,
) -> Shown {
    let mut line = Shown::with_capacity(widths.iter().map(|width| width + GAP).sum());
    let mut text = Shown::default();
    for (place, cell) in row.enumerate() {
        if place > 0 {
            line.pad(GAP);
        }
        let width = widths[place];
        text.clear();
        cell.put_shown(&mut text);
        let mut taken = cells(&text);
        if taken > width {
            text = cell.cut(text, width);
            taken = cells(&text);
        }
        let padding = width.saturating_sub(taken);
        match columns[place].heading().alignment {
            Alignment::Left => {
                line += &text;
                line.pad(padding);
            }
            Alignment::Right => {
                line.pad(padding);
                line += &text;
            }
        }
    }
    line.trimmed()
}
