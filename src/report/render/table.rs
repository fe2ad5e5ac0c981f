//! Tables: columns that know their cells, and rows that are made as they are written.

mod cell;

pub(crate) use cell::Cell;

use super::column_widths::DECIDING;
use super::line::Emphasis;
use crate::base::number::{Alignment, Unit, Value};
use crate::base::shown::{Shown, cells};
use std::borrow::Cow;
use std::io::{self, Write};

/// The blanks between two columns.
const GAP: usize = 2;

/// The fewest cells of a name that is cut to make room.
const NARROWEST: usize = 16;

/// The heading of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// The heading for people.
    pub(crate) text: Shown,
    /// The side at which the cells stand.
    pub(crate) alignment: Alignment,
    /// The name for machines.
    name: Shown,
    /// The place in the order in which columns get room; `None` for one that is always there.
    order: Option<u8>,
    /// Whether some cells may be emphasized.
    pub(crate) has_emphasis: bool,
}

impl Heading {
    /// Returns a heading whose name for machines is the same.
    pub(crate) fn new(text: Shown, alignment: Alignment) -> Self {
        Self {
            name: text.clone(),
            text,
            alignment,
            order: None,
            has_emphasis: false,
        }
    }

    /// Returns the heading of texts.
    pub(crate) fn left(text: impl Into<Shown>) -> Self {
        Self::new(text.into(), Alignment::Left)
    }

    /// Returns the heading of numbers.
    pub(crate) fn right(text: impl Into<Shown>) -> Self {
        Self::new(text.into(), Alignment::Right)
    }
}

/// What is made of a row.
type OfRow<'a, R, T> = Box<dyn Fn(&R) -> T + 'a>;

/// A column of a table of rows `R`.
pub(crate) struct Column<'a, R> {
    /// Its heading.
    heading: Heading,
    /// The cell of a row.
    cell: OfRow<'a, R, Cell<'a>>,
    /// How the cell of a row is emphasized.
    emphasis: OfRow<'a, R, Emphasis>,
}

impl<'a, R> Column<'a, R> {
    /// Returns a column, with the cell of each row.
    pub(crate) fn new<C: Into<Cell<'a>>>(heading: Heading, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self {
            heading,
            cell: Box::new(move |row| cell(row).into()),
            emphasis: Box::new(|_| Emphasis::Plain),
        }
    }

    /// Returns a column of texts.
    pub(crate) fn left<C: Into<Cell<'a>>>(
        heading: impl Into<Shown>,
        cell: impl Fn(&R) -> C + 'a,
    ) -> Self {
        Self::new(Heading::left(heading), cell)
    }

    /// Returns a column of texts that tell numbers.
    pub(crate) fn right<C: Into<Cell<'a>>>(
        heading: impl Into<Shown>,
        cell: impl Fn(&R) -> C + 'a,
    ) -> Self {
        Self::new(Heading::right(heading), cell)
    }

    /// Returns a column of text for machines.
    pub(crate) fn exact(name: &'static str, text: impl Fn(&R) -> Cow<'a, str> + 'a) -> Self {
        Self::left(name, move |row| Cell::Exact(text(row)))
    }

    /// Returns a column of numbers: rounded for people, in full for machines.
    pub(crate) fn number(
        heading: impl Into<Shown>,
        unit: Unit,
        value: impl Fn(&R) -> Value + 'a,
    ) -> Self {
        Self::right(heading, move |row| Cell::Number(value(row), unit))
    }

    /// Returns the column with another name for machines.
    pub(crate) fn named(mut self, name: impl Into<Shown>) -> Self {
        self.heading.name = name.into();
        self
    }

    /// Returns the column with an emphasis for each row.
    pub(crate) fn emphasized(mut self, emphasis: impl Fn(&R) -> Emphasis + 'a) -> Self {
        self.heading.has_emphasis = true;
        self.emphasis = Box::new(emphasis);
        self
    }

    /// Returns the column as one that gives way to those of a lower order where a table is too wide.
    pub(crate) fn giving_way(mut self, order: u8) -> Self {
        self.heading.order = Some(order);
        self
    }

    /// Returns the cell of a row.
    pub(crate) fn cell(&self, row: &R) -> Cell<'a> {
        (self.cell)(row)
    }
}

/// A row of a table. Columns are numbered from the left.
pub(crate) struct Row<'r, 'a> {
    /// The cell in a column.
    cell: &'r dyn Fn(usize) -> Cell<'a>,
    /// How the cell in a column is emphasized.
    emphasis: &'r dyn Fn(usize) -> Emphasis,
    /// How the whole row is emphasized on the screen.
    own_emphasis: Emphasis,
    /// The steps below the first row of a tree.
    pub(crate) depth: usize,
}

impl<'a> Row<'_, 'a> {
    /// Returns the cell in a column.
    pub(crate) fn cell(&self, column: usize) -> Cell<'a> {
        (self.cell)(column)
    }

    /// Returns how the cell in a column is emphasized.
    pub(crate) fn emphasis(&self, column: usize) -> Emphasis {
        (self.emphasis)(column)
    }
}

/// Gets one row after the other.
type OnRow<'v, 'a> = &'v mut dyn FnMut(&Row<'_, 'a>) -> io::Result<()>;

/// A table or a tree, whose rows are made as they are written: a million rows are never held in memory.
pub(crate) struct Table<'a> {
    /// The headings of the columns.
    pub(crate) heads: Vec<Heading>,
    /// Makes the rows.
    each: Box<dyn Fn(OnRow<'_, 'a>) -> io::Result<()> + 'a>,
    /// Whether every account is before its members, and the first column is the name.
    pub(crate) is_tree: bool,
    /// Whether its rows are the choices of the page, from the first on.
    pub(crate) has_choices: bool,
}

impl<'a> Table<'a> {
    /// Returns a table of rows.
    pub(crate) fn new<R: 'a>(
        columns: Vec<Column<'a, R>>,
        rows: impl Iterator<Item = R> + Clone + 'a,
    ) -> Self {
        Self::of(columns, rows, |_| Emphasis::Plain, None)
    }

    /// Returns a table whose rows are emphasized on the screen, or a tree if `depth` returns the steps of a row below the
    /// first. Text has a tree as a table, with the guide lines that its names begin with.
    pub(crate) fn of<R: 'a>(
        columns: Vec<Column<'a, R>>,
        rows: impl Iterator<Item = R> + Clone + 'a,
        emphasis: fn(&R) -> Emphasis,
        depth: Option<fn(&R) -> usize>,
    ) -> Self {
        let mut heads = Vec::with_capacity(columns.len());
        for column in &columns {
            heads.push(column.heading.clone());
        }
        Self {
            heads,
            each: Box::new(move |on_row| {
                for row in rows.clone() {
                    let depth = match depth {
                        Some(depth) => depth(&row),
                        None => 0,
                    };
                    on_row(&Row {
                        cell: &|column| columns[column].cell(&row),
                        emphasis: &|column| (columns[column].emphasis)(&row),
                        own_emphasis: emphasis(&row),
                        depth,
                    })?;
                }
                Ok(())
            }),
            is_tree: depth.is_some(),
            has_choices: false,
        }
    }

    /// Returns the table as one whose rows are the choices of the page.
    pub(crate) fn with_choices(mut self) -> Self {
        self.has_choices = true;
        self
    }

    /// Makes one row after the other.
    pub(crate) fn each(&self, on_row: OnRow<'_, 'a>) -> io::Result<()> {
        (self.each)(on_row)
    }

    /// Writes comma-separated values, a header first: the same names, order and full numbers as JSON.
    pub(crate) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for head in &self.heads {
            writer.write_field(head.name.as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
        let mut text = String::new();
        self.each(&mut |row| {
            for column in 0..self.heads.len() {
                text.clear();
                row.cell(column).put(&mut text);
                writer.write_field(&text)?;
            }
            writer.write_record(None::<&[u8]>)?;
            Ok(())
        })?;
        writer.flush()
    }

    /// Writes aligned lines within `room` cells; `None` is any number. `on_line` gets each line and how it is emphasized,
    /// the headings first, which end with a sign if columns were left out. Returns the headings of those.
    pub(crate) fn each_line(
        &self,
        room: Option<usize>,
        on_line: &mut dyn FnMut(Shown, Emphasis) -> io::Result<()>,
    ) -> io::Result<Vec<Shown>> {
        /// What the headings end with where columns are left out.
        const SIGN: &str = " …";
        let mut columns = self.drawn_columns()?;
        let mut left_out = Vec::new();
        if let Some(room) = room {
            let whole = columns.clone();
            left_out = fit(&mut columns, &self.heads, room);
            if !left_out.is_empty() {
                columns = whole;
                let beside_sign = room.saturating_sub(cells(SIGN));
                left_out = fit(&mut columns, &self.heads, beside_sign);
            }
        }
        let mut headings = line(&columns, |column| {
            Cell::Shown(self.heads[column].text.clone())
        });
        if !left_out.is_empty() {
            headings += &SIGN.into();
        }
        on_line(headings, Emphasis::Dim)?;
        self.each(&mut |row| {
            let text = line(&columns, |column| row.cell(column));
            on_line(text, row.own_emphasis)
        })?;
        Ok(left_out)
    }

    /// Returns the columns as wide as their cells. Each cell is looked at for its width, then for its text.
    fn drawn_columns(&self) -> io::Result<Vec<DrawnColumn>> {
        let mut columns = Vec::with_capacity(self.heads.len());
        for (column, head) in self.heads.iter().enumerate() {
            columns.push(DrawnColumn {
                column,
                width: cells(&head.text),
                alignment: head.alignment,
            });
        }
        self.each(&mut |row| {
            for own in &mut columns {
                own.width = row.cell(own.column).widest(own.width);
            }
            Ok(())
        })?;
        Ok(columns)
    }
}

/// A table that holds its cells as texts.
#[derive(Debug)]
pub(crate) struct KeptTable {
    /// The headings of the columns.
    heads: Vec<Heading>,
    /// The rows, from the top.
    rows: Vec<KeptRow>,
    /// Whether the rows are the choices of the page.
    has_choices: bool,
}

/// A row of a table that holds its cells.
#[derive(Debug)]
struct KeptRow {
    /// One cell for each column.
    cells: Vec<Cell<'static>>,
    /// How the whole row is emphasized on the screen.
    emphasis: Emphasis,
}

impl Table<'_> {
    /// Returns the table with its cells as texts for people.
    pub(crate) fn kept(&self) -> KeptTable {
        let mut rows = Vec::new();
        // Collecting rows cannot fail.
        let _ = self.each(&mut |row| {
            let mut cells = Vec::with_capacity(self.heads.len());
            for column in 0..self.heads.len() {
                cells.push(row.cell(column).kept());
            }
            rows.push(KeptRow {
                cells,
                emphasis: row.own_emphasis,
            });
            Ok(())
        });
        KeptTable {
            heads: self.heads.clone(),
            rows,
            has_choices: self.has_choices,
        }
    }
}

impl KeptTable {
    /// Returns the table of these cells.
    pub(crate) fn table(&self) -> Table<'_> {
        let mut columns = Vec::with_capacity(self.heads.len());
        for (place, heading) in self.heads.iter().enumerate() {
            let cell = move |row: &&KeptRow| row.cells[place].clone();
            columns.push(Column::new(heading.clone(), cell));
        }
        let mut table = Table::of(columns, self.rows.iter(), |row| row.emphasis, None);
        table.has_choices = self.has_choices;
        table
    }
}

/// A column as it is drawn.
#[derive(Clone, Copy)]
struct DrawnColumn {
    /// Its place among all columns of the table.
    column: usize,
    /// Its width in cells.
    width: usize,
    /// The side at which its cells stand.
    alignment: Alignment,
}

impl DrawnColumn {
    /// Returns the cells that it takes with the gap behind it.
    const fn needed(self) -> usize {
        self.width + GAP
    }
}

/// Leaves out columns that give way, the last in their order first, and cuts names that are still too long. Returns
/// the headings that are left out.
fn fit(columns: &mut Vec<DrawnColumn>, heads: &[Heading], room: usize) -> Vec<Shown> {
    let is_kept = kept_columns(columns, heads, room);
    columns.retain(|own| is_kept[own.column]);
    let mut whole = 0;
    for own in columns.iter() {
        whole += own.needed();
    }
    let over = whole.saturating_sub(room + GAP);
    if let Some(name) = columns.first_mut() {
        name.width -= over.min(name.width.saturating_sub(NARROWEST));
    }
    let mut left_out = Vec::new();
    for (column, head) in heads.iter().enumerate() {
        if !is_kept[column] {
            left_out.push(head.text.clone());
        }
    }
    left_out
}

/// Returns which columns fit, by their places: those that never give way, and of the others the first in their order. For
/// a column that decides, the name may be cut.
fn kept_columns(columns: &[DrawnColumn], heads: &[Heading], room: usize) -> Vec<bool> {
    let mut left = room + GAP;
    let mut giving = Vec::new();
    for own in columns {
        match heads[own.column].order {
            Some(order) => giving.push((order, own)),
            None => left = left.saturating_sub(own.needed()),
        }
    }
    giving.sort_by_key(|(order, _)| *order);
    let mut cut = match columns.first() {
        Some(name) => name.width.saturating_sub(NARROWEST),
        None => 0,
    };
    let mut is_kept = vec![true; heads.len()];
    for (order, own) in giving {
        let missing = own.needed().saturating_sub(left);
        let is_cut_for = order <= DECIDING && missing <= cut;
        if missing == 0 || is_cut_for {
            cut -= missing;
            left = left.saturating_sub(own.needed());
        } else {
            is_kept[own.column] = false;
        }
    }
    is_kept
}

/// Returns a line of cells, which are given by the places of their columns.
fn line<'c>(columns: &[DrawnColumn], cell: impl Fn(usize) -> Cell<'c>) -> Shown {
    let mut capacity = 0;
    for own in columns {
        capacity += own.needed();
    }
    let mut line = Shown::with_capacity(capacity);
    let mut text = Shown::default();
    for (place, own) in columns.iter().enumerate() {
        if place > 0 {
            line.pad(GAP);
        }
        let cell = cell(own.column);
        text.clear();
        cell.put_shown(&mut text);
        let mut taken = cells(&text);
        if taken > own.width {
            text = cell.cut(text, own.width);
            taken = cells(&text);
        }
        let padding = own.width.saturating_sub(taken);
        match own.alignment {
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
