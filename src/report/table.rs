//! Tables: columns that know their cells, and rows that are made as they are written.

mod cell;

pub(crate) use cell::Cell;

use super::line::Emphasis;
use super::room::DECIDING;
use crate::base::number::{Alignment, Unit, Value};
use crate::base::shown::{Shown, cells};
use std::borrow::Cow;
use std::io::{self, Write};

/// The blanks between two columns of text.
const GAP: usize = 2;

/// The fewest cells of a name that is cut to make room.
const NARROWEST: usize = 16;

/// The heading of a column for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    text: Shown,
    /// The side on which the cells of the column are aligned.
    alignment: Alignment,
}

impl Heading {
    /// Returns the heading of a column of text.
    pub(crate) fn left(text: impl Into<Shown>) -> Self {
        Self {
            text: text.into(),
            alignment: Alignment::Left,
        }
    }

    /// Returns the heading of a column of numbers.
    pub(crate) fn right(text: impl Into<Shown>) -> Self {
        Self {
            text: text.into(),
            alignment: Alignment::Right,
        }
    }
}

/// What a column has for each row.
type OfRow<'a, R, T> = Box<dyn Fn(&R) -> T + 'a>;

/// A column of a table over rows of type `R`.
pub(crate) struct Column<'a, R> {
    /// The name in CSV.
    name: Shown,
    heading: Heading,
    /// The place in the order in which columns get room; `None` for one that is always there.
    order: Option<u8>,
    cell: OfRow<'a, R, Cell<'a>>,
    /// The number that a cell tells, where the cell is text.
    key: Option<OfRow<'a, R, Value>>,
    emphasis: Option<OfRow<'a, R, Emphasis>>,
}

impl<'a, R> Column<'a, R> {
    /// Returns a column under a heading, which is its name too.
    pub(crate) fn new(heading: Heading, cell: impl Fn(&R) -> Cell<'a> + 'a) -> Self {
        Self {
            name: heading.text.clone(),
            heading,
            order: None,
            cell: Box::new(cell),
            key: None,
            emphasis: None,
        }
    }

    /// Returns a column of text.
    pub(crate) fn left(heading: impl Into<Shown>, text: impl Fn(&R) -> Shown + 'a) -> Self {
        Self::new(Heading::left(heading), move |row| text(row).into())
    }

    /// Returns a column of numbers that are written as text.
    pub(crate) fn right(heading: impl Into<Shown>, text: impl Fn(&R) -> Shown + 'a) -> Self {
        Self::new(Heading::right(heading), move |row| text(row).into())
    }

    /// Returns a column of text for machines.
    pub(super) fn exact(name: &'static str, text: impl Fn(&R) -> Cow<'a, str> + 'a) -> Self {
        Self::new(Heading::left(name), move |row| Cell::Exact(text(row)))
    }

    /// Returns a column of numbers of one unit.
    pub(super) fn number(
        heading: impl Into<Shown>,
        unit: Unit,
        value: impl Fn(&R) -> Value + 'a,
    ) -> Self {
        let cell = move |row: &R| Cell::Number(value(row), unit);
        Self::new(Heading::right(heading), cell)
    }

    /// Returns the column with another name in CSV.
    pub(super) fn named(mut self, name: impl Into<Shown>) -> Self {
        self.name = name.into();
        self
    }

    /// Returns the column with the numbers that its cells tell as text, so that rows can be sorted by them.
    pub(super) fn keyed(mut self, key: impl Fn(&R) -> Value + 'a) -> Self {
        self.key = Some(Box::new(key));
        self
    }

    /// Returns the column with cells that are emphasized where a medium can do that.
    pub(super) fn emphasized(mut self, emphasis: impl Fn(&R) -> Emphasis + 'a) -> Self {
        self.emphasis = Some(Box::new(emphasis));
        self
    }

    /// Returns the column as one that gives way to those of a lower order where a table is too wide.
    pub(super) fn giving_way(mut self, order: u8) -> Self {
        self.order = Some(order);
        self
    }

    /// Returns the cell of a row.
    pub(super) fn cell(&self, row: &R) -> Cell<'a> {
        (self.cell)(row)
    }
}

/// A table or a tree of a document. Its rows are made as they are written, so that a table of a million rows is never
/// held in memory.
pub(crate) struct Table<'a> {
    rows: Box<dyn Rows + 'a>,
    /// Whether every account is before its members, and the first column is the name.
    pub(super) is_tree: bool,
}

/// What a column says of all of its cells.
pub(super) struct ColumnHead<'t> {
    pub(super) text: &'t Shown,
    pub(super) alignment: Alignment,
    /// The place in the order in which columns get room; `None` for one that is always there.
    order: Option<u8>,
    /// Whether some cells may be emphasized.
    pub(super) has_emphasis: bool,
}

/// A row of a table. Columns are numbered from the left.
pub(super) trait Row {
    fn cell(&self, column: usize) -> Cell<'_>;
    /// Returns the number that a cell tells, or `None` if its text is all there is.
    fn key(&self, column: usize) -> Option<Value>;
    fn emphasis(&self, column: usize) -> Emphasis;
    /// Returns how the whole row is emphasized.
    fn own_emphasis(&self) -> Emphasis;
    /// Returns the steps below the first row of a tree.
    fn depth(&self) -> usize;
}

/// Does something with a row.
pub(super) type OnRow<'v> = &'v mut dyn FnMut(&dyn Row) -> io::Result<()>;

/// The columns and rows of a table, whatever its rows are.
trait Rows {
    fn heads(&self) -> Vec<ColumnHead<'_>>;
    fn each(&self, on_row: OnRow<'_>) -> io::Result<()>;
}

/// Columns over rows of type `R`.
struct TypedRows<'a, R, I> {
    columns: Vec<Column<'a, R>>,
    rows: I,
    depth: fn(&R) -> usize,
    emphasis: fn(&R) -> Emphasis,
}

struct TypedRow<'t, 'a, R, I> {
    table: &'t TypedRows<'a, R, I>,
    row: R,
}

impl<R, I: Iterator<Item = R> + Clone> Rows for TypedRows<'_, R, I> {
    fn heads(&self) -> Vec<ColumnHead<'_>> {
        let columns = self.columns.iter();
        let heads = columns.map(|column| ColumnHead {
            text: &column.heading.text,
            alignment: column.heading.alignment,
            order: column.order,
            has_emphasis: column.emphasis.is_some(),
        });
        heads.collect()
    }

    fn each(&self, on_row: OnRow<'_>) -> io::Result<()> {
        let mut rows = self.rows.clone();
        rows.try_for_each(|row| on_row(&TypedRow { table: self, row }))
    }
}

impl<R, I> Row for TypedRow<'_, '_, R, I> {
    fn cell(&self, column: usize) -> Cell<'_> {
        self.table.columns[column].cell(&self.row)
    }

    fn key(&self, column: usize) -> Option<Value> {
        let key = self.table.columns[column].key.as_ref();
        match (key, self.cell(column)) {
            (Some(key), _) => Some(key(&self.row)),
            (None, Cell::Number(value, _)) => Some(value),
            (None, Cell::Shown(_) | Cell::Exact(_) | Cell::Node(..) | Cell::Label(..)) => None,
        }
    }

    fn emphasis(&self, column: usize) -> Emphasis {
        let emphasis = self.table.columns[column].emphasis.as_ref();
        emphasis.map_or(Emphasis::Plain, |emphasis| emphasis(&self.row))
    }

    fn own_emphasis(&self) -> Emphasis {
        (self.table.emphasis)(&self.row)
    }

    fn depth(&self) -> usize {
        (self.table.depth)(&self.row)
    }
}

impl<'a> Table<'a> {
    pub(crate) fn new<R: 'a>(
        columns: Vec<Column<'a, R>>,
        rows: impl Iterator<Item = R> + Clone + 'a,
    ) -> Self {
        Self::emphasized(columns, rows, |_| Emphasis::Plain)
    }

    /// Returns a table with whole rows emphasized on the screen.
    pub(crate) fn emphasized<R: 'a>(
        columns: Vec<Column<'a, R>>,
        rows: impl Iterator<Item = R> + Clone + 'a,
        emphasis: fn(&R) -> Emphasis,
    ) -> Self {
        let rows = TypedRows {
            columns,
            rows,
            depth: |_| 0,
            emphasis,
        };
        Self::of(rows, false)
    }

    /// Returns a tree: the first column is the name, and every account is before its members. `depth` returns the steps
    /// of a row below the first. Text has a table, with the guide lines that its names begin with.
    pub(super) fn tree<R: 'a>(
        columns: Vec<Column<'a, R>>,
        rows: impl Iterator<Item = R> + Clone + 'a,
        depth: fn(&R) -> usize,
    ) -> Self {
        let rows = TypedRows {
            columns,
            rows,
            depth,
            emphasis: |_| Emphasis::Plain,
        };
        Self::of(rows, true)
    }

    fn of(rows: impl Rows + 'a, is_tree: bool) -> Self {
        let rows = Box::new(rows);
        Self { rows, is_tree }
    }

    pub(super) fn heads(&self) -> Vec<ColumnHead<'_>> {
        self.rows.heads()
    }

    pub(super) fn each(&self, on_row: OnRow<'_>) -> io::Result<()> {
        self.rows.each(on_row)
    }

    /// Returns the table as aligned lines, its headings first, each with how it is emphasized.
    pub(crate) fn lines(&self) -> Vec<(Shown, Emphasis)> {
        let mut lines = Vec::new();
        // Collecting lines cannot fail.
        let _ = self.each_line(None, &mut |line, emphasis| {
            lines.push((line, emphasis));
            Ok(())
        });
        lines
    }

    /// Writes aligned lines within `room` cells; `None` is any number. `on_line` gets each line and how it is emphasized,
    /// the headings first. Returns the headings of the columns that were left out.
    pub(super) fn each_line(
        &self,
        room: Option<usize>,
        on_line: &mut dyn FnMut(Shown, Emphasis) -> io::Result<()>,
    ) -> io::Result<Vec<Shown>> {
        let (layout, left_out) = Layout::of(self, room)?;
        let heads = self.heads();
        let headings = layout.columns.iter();
        let headings = headings.map(|&(column, _)| Cell::Shown(heads[column].text.clone()));
        on_line(layout.line(&heads, headings), Emphasis::Dim)?;
        self.each(&mut |row| {
            let cells = layout.columns.iter().map(|&(column, _)| row.cell(column));
            on_line(layout.line(&heads, cells), row.own_emphasis())
        })?;
        Ok(left_out)
    }
}

/// The columns of a table as text, each with its width. Each cell is looked at twice, once for its width and once for its
/// text.
struct Layout {
    columns: Vec<(usize, usize)>,
}

impl Layout {
    /// Returns the columns that fit, and the headings of the others. Columns that give way are left out, the last in their
    /// order first; a name that is still too long is cut.
    fn of(table: &Table<'_>, room: Option<usize>) -> io::Result<(Self, Vec<Shown>)> {
        let heads = table.heads();
        let mut widths: Vec<usize> = heads.iter().map(|it| cells(it.text)).collect();
        table.each(&mut |row| {
            for (column, width) in widths.iter_mut().enumerate() {
                *width = row.cell(column).widest(*width);
            }
            Ok(())
        })?;
        let columns = widths.into_iter().enumerate().collect();
        let mut layout = Self { columns };
        let left_out = room.map_or_else(Vec::new, |room| layout.fit(&heads, room));
        Ok((layout, left_out))
    }

    /// Leaves columns out, and narrows the first column if that is not enough. Returns the headings that are left out.
    fn fit(&mut self, heads: &[ColumnHead<'_>], room: usize) -> Vec<Shown> {
        let needed = |&(_, width): &(usize, usize)| width + GAP;
        let always = self.columns.iter().filter(|it| heads[it.0].order.is_none());
        let mut left = (room + GAP).saturating_sub(always.map(needed).sum());
        let name = self.columns.first().map_or(0, |name| name.1);
        let mut cut = name.saturating_sub(NARROWEST);
        let mut giving: Vec<_> = (0..heads.len())
            .filter(|&it| heads[it].order.is_some())
            .collect();
        giving.sort_by_key(|&column| heads[column].order);
        let mut is_kept = vec![true; heads.len()];
        for column in giving {
            let needed = needed(&self.columns[column]);
            let decides = heads[column].order.is_some_and(|order| order <= DECIDING);
            is_kept[column] = needed <= left || (decides && needed <= left + cut);
            if is_kept[column] {
                cut -= needed.saturating_sub(left).min(cut);
                left = left.saturating_sub(needed);
            }
        }
        self.columns.retain(|it| is_kept[it.0]);
        let whole: usize = self.columns.iter().map(needed).sum();
        let over = whole.saturating_sub(room + GAP);
        if let Some((_, name)) = self.columns.first_mut() {
            *name -= over.min(name.saturating_sub(NARROWEST));
        }
        let left_out = heads.iter().zip(is_kept).filter(|(_, is_kept)| !is_kept);
        left_out.map(|(head, _)| head.text.clone()).collect()
    }

    /// Returns the cells of one line, each on its side of its column.
    fn line<'c>(&self, heads: &[ColumnHead<'_>], row: impl Iterator<Item = Cell<'c>>) -> Shown {
        let capacity = self.columns.iter().map(|(_, width)| width + GAP).sum();
        let mut line = Shown::with_capacity(capacity);
        let mut text = Shown::default();
        for (place, (cell, &(column, width))) in row.zip(&self.columns).enumerate() {
            if place > 0 {
                line.pad(GAP);
            }
            text.clear();
            cell.put_shown(&mut text);
            let mut taken = cells(&text);
            if taken > width {
                text = cell.cut(text, width);
                taken = cells(&text);
            }
            let padding = width.saturating_sub(taken);
            match heads[column].alignment {
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
}

/// Writes comma-separated values, a header first: the same names, order and full numbers as JSON.
pub(super) fn write_csv<R>(
    out: &mut dyn Write,
    columns: &[Column<'_, R>],
    rows: impl Iterator<Item = R>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(columns.iter().map(|column| column.name.as_bytes()))?;
    let mut text = String::new();
    for row in rows {
        for column in columns {
            text.clear();
            column.cell(&row).put(&mut text);
            writer.write_field(&text)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}
