//! The headings of a table of associations, and the lines below them.

use crate::format::slurm::indentation::indent;
use crate::format::slurm::table::{Command, LineForm, LineSplit, SlurmColumn, TableLayout};
use crate::format::text::parsed;

/// How many extra bars a line may have. More than a few names with bars in one line do not occur.
pub(super) const MOST_BARS: usize = 6;

/// How many rows are looked at to find out what the columns are.
pub(super) const SAMPLE: usize = 400;

/// How many lines are searched for the header, because errors of the command may come before it.
const LINES: u32 = 10;

/// The lines of a text, without their ends.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    /// The text.
    text: &'a [u8],
    /// Where the next line begins.
    pub(super) at: usize,
}

impl<'a> Lines<'a> {
    /// Returns all lines of a text.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Returns whether the text ends with the end of a line.
    pub(super) fn is_complete(&self) -> bool {
        self.text.ends_with(b"\n")
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.text.get(self.at..)?;
        if rest.is_empty() {
            return None;
        }
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += length + 1;
        let line = &rest[..length];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// What stands above the rows of a table.
pub(super) struct Header<'a> {
    /// The line of the column names; empty if the columns were detected by their content.
    pub(super) line: &'a [u8],
    /// The columns. The accounts are aligned right if their names are, and then no indentation is visible.
    pub(super) layout: TableLayout,
    /// The lines below.
    pub(super) rows: Lines<'a>,
    /// How many lines are above the rows.
    pub(super) lines_above: u32,
}

/// A line that is divided into its cells.
pub(super) struct DividedLine<'a> {
    /// What is above the line.
    header: &'a Header<'a>,
    /// The cells, with their blanks.
    pub(super) cells: Vec<&'a [u8]>,
    /// Whether bars in names were told from those between cells.
    pub(super) is_guessed: bool,
}

impl<'a> DividedLine<'a> {
    /// Returns the cell of a column, with its blanks; empty if there is no such column.
    pub(super) fn cell(&self, column: SlurmColumn) -> &'a [u8] {
        let layout = &self.header.layout;
        layout.cell(&self.cells, column)
    }

    /// Returns the text of a column, without the blanks that fill a fixed width.
    pub(super) fn text(&self, column: SlurmColumn) -> &'a [u8] {
        let cell = self.cell(column);
        if self.header.is_fixed() {
            cell.trim_ascii()
        } else {
            cell
        }
    }

    /// Returns the account, with the blanks before it that may be its indentation.
    pub(super) fn account(&self) -> &'a [u8] {
        let account = self.cell(SlurmColumn::Account);
        if self.header.layout.right {
            account.trim_ascii()
        } else if self.header.is_fixed() {
            account.trim_ascii_end()
        } else if has_tab_before(account) {
            // A program put it in the place of blanks, and how many is not known.
            account.trim_ascii_start()
        } else {
            account
        }
    }

    /// Returns the whole number in a column; 0 if there is none.
    pub(super) fn number(&self, column: SlurmColumn) -> u32 {
        parsed(self.text(column)).unwrap_or(0)
    }

    /// Returns whether there is a column, but nothing in it.
    pub(super) fn lacks(&self, column: SlurmColumn) -> bool {
        let is_empty = self.text(column).is_empty();
        is_empty && self.header.has(column)
    }

    /// Returns whether only one cell has a text.
    pub(super) fn has_one_text(&self) -> bool {
        let mut texts = 0;
        for cell in &self.cells {
            texts += usize::from(!cell.trim_ascii().is_empty());
        }
        texts == 1
    }
}

impl<'a> Header<'a> {
    /// Finds the headings of a table; `None` if there are none.
    pub(super) fn find(text: &'a [u8]) -> Option<Self> {
        let mut lines = Lines::new(text);
        for number in 1..=LINES {
            let Some(line) = lines.next() else {
                break;
            };
            let mut below = lines.clone();
            let ruler = below.next().unwrap_or_default();
            let Some(layout) = TableLayout::of_header(Command::Sacctmgr, line, Some(ruler)) else {
                continue;
            };
            // A ruler is below headings of fixed width.
            let has_ruler = matches!(layout.form, LineForm::Fixed(_));
            let mut header = Self {
                line,
                layout,
                rows: if has_ruler { below } else { lines },
                lines_above: number + u32::from(has_ruler),
            };
            header.layout.right = header.layout.right && header.has_right_accounts();
            return Some(header);
        }
        None
    }

    /// Returns whether there is a column.
    pub(super) fn has(&self, column: SlurmColumn) -> bool {
        self.layout.place(column).is_some()
    }

    /// Returns whether the columns have fixed widths.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self.layout.form, LineForm::Fixed(_))
    }

    /// Returns whether the table has a column with the name or number of parents.
    pub(super) fn names_parents(&self) -> bool {
        if self.has(SlurmColumn::ParentName) {
            return true;
        }
        self.has(SlurmColumn::ParentId) && self.has(SlurmColumn::Id)
    }

    /// Returns whether the accounts are indented. Then their names in all rows of users are indented, too.
    pub(super) fn is_tree(&self) -> bool {
        if self.layout.right {
            return false;
        }
        let mut has_indented = false;
        let mut flush = 0;
        for line in self.rows.clone() {
            let Ok(line) = self.divide(line, |_| true) else {
                continue;
            };
            let account = line.cell(SlurmColumn::Account);
            if account.trim_ascii().is_empty() {
                continue;
            }
            let is_indented = account.starts_with(b" ") || account.starts_with(b"\t");
            if !line.cell(SlurmColumn::User).trim_ascii().is_empty() {
                return is_indented;
            }
            has_indented |= is_indented;
            flush += usize::from(!is_indented);
        }
        // Without users, only root is not indented.
        has_indented && flush <= 1
    }

    /// Returns whether the accounts below a name that is aligned right are so, too. Slurm up to 20.11 aligns them left.
    fn has_right_accounts(&self) -> bool {
        let mut cells = Vec::new();
        self.layout.divide(self.line, &mut cells);
        let has_blanks_before = indent(self.layout.cell(&cells, SlurmColumn::Account)) > 0;
        for line in self.rows.clone().take(SAMPLE) {
            self.layout.divide(line, &mut cells);
            let account = self.layout.cell(&cells, SlurmColumn::Account);
            if !account.trim_ascii().is_empty() && account.ends_with(b" ") {
                return false;
            }
        }
        has_blanks_before
    }

    /// Divides a line into its cells. `is_account` knows the names of accounts so far. The error is the number of cells,
    /// if it does not fit the columns.
    pub(super) fn divide<'b>(
        &'b self,
        line: &'b [u8],
        is_account: impl Fn(&[u8]) -> bool,
    ) -> Result<DividedLine<'b>, usize> {
        let layout = &self.layout;
        let mut cells = Vec::with_capacity(layout.columns.len());
        let is_guessed = match layout.divide_with_bars(line, MOST_BARS, &mut cells, &is_account) {
            LineSplit::Whole | LineSplit::Across => false,
            LineSplit::Joined => true,
            LineSplit::Few(count) | LineSplit::Many(count) => return Err(count),
        };
        Ok(DividedLine {
            header: self,
            cells,
            is_guessed,
        })
    }
}

/// Returns whether one of the blanks before the text of a cell is a TAB.
fn has_tab_before(cell: &[u8]) -> bool {
    let text = cell.trim_ascii_start();
    let length = cell.len() - text.len();
    cell[..length].contains(&b'\t')
}
