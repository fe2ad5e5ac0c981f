//! The header of a table of associations, or what its rows show of their columns without one.

use super::{MOST_BARS, line_at};
use crate::format::slurm::indentation::indent;
use crate::format::slurm::table::{Column, Command, Layout, LineForm};

/// How many lines are searched for the header, because errors of the command may come before it.
const LINES: usize = 10;

/// How many rows are examined if there is no header.
const SAMPLE: usize = 400;

/// The header of a table.
pub(super) struct Header<'a> {
    /// The line of the column names; empty if the columns were detected by their content.
    pub(super) line: &'a [u8],
    pub(super) layout: Layout,
    /// Whether the accounts are aligned right in their column, so that no indentation is visible.
    pub(super) right: bool,
    /// Where the rows begin: the position in the text, and the number of the line before.
    pub(super) end: usize,
    pub(super) number: u32,
}

impl<'a> Header<'a> {
    /// Finds the header of a table of associations, or returns `None` if there is none.
    pub(super) fn find(text: &'a [u8]) -> Option<Self> {
        let mut at = 0;
        for number in (1..).take(LINES) {
            let Some((line, next)) = line_at(text, at) else {
                break;
            };
            let (ruler, behind) = line_at(text, next).unwrap_or((b"", next));
            if let Some(layout) = Layout::of_header(Command::Sacctmgr, line, Some(ruler)) {
                let is_fixed = matches!(layout.form, LineForm::Fixed(_));
                let (end, number) = if is_fixed {
                    (behind, number + 1)
                } else {
                    (next, number)
                };
                let right = layout.right && has_right_accounts(line, &layout, text, end);
                return Some(Self {
                    line,
                    layout,
                    right,
                    end,
                    number,
                });
            }
            at = next;
        }
        Self::guess(text)
    }

    /// Returns the columns of rows without a line of names, as of `-n`, or `None`. root is in the first row, without a
    /// user. The shares are the first cells after it that are a number or `parent` in all rows.
    fn guess(text: &'a [u8]) -> Option<Self> {
        let mut rows = Vec::new();
        let (mut at, mut start, mut above) = (0, None, 0);
        while let Some((line, next)) = line_at(text, at).filter(|_| rows.len() < SAMPLE) {
            if line.trim_ascii().is_empty() || (start.is_none() && line[0] == b'#') {
                above += u32::from(start.is_none());
            } else {
                start.get_or_insert(at);
                rows.push(line.split(|&byte| byte == b'|').collect::<Vec<_>>());
            }
            at = next;
        }
        // The last line of the beginning of a file may be cut.
        if !text.ends_with(b"\n") && rows.len() > 2 {
            rows.pop();
        }
        let count = rows.first()?.len();
        // A name with a bar makes one cell more.
        let most = count + MOST_BARS;
        let all = rows.len();
        let is_alike = rows.iter().all(|row| (count..=most).contains(&row.len()));
        rows.retain(|row| row.len() == count);
        let first = rows.first()?;
        let account = first.iter().position(|cell| *cell == b"root")?;
        let is_table = is_alike && rows.len() > 1 && count > 2 && rows.len() * 2 > all;
        let has_no_user = first.get(account + 1).is_some_and(|cell| cell.is_empty());
        // Only sshare prints parts with decimals.
        let has_parts = rows.iter().flatten().any(|cell| is_part(cell));
        let cluster = first.get(..account);
        let is_of_one_cluster = rows.iter().all(|row| row.get(..account) == cluster);
        if !is_table || account > 1 || !has_no_user || has_parts || !is_of_one_cluster {
            return None;
        }
        let is_share = |&place: &usize| {
            let is_number = |cell: &[u8]| cell == b"parent" || is_count(cell);
            rows.iter().all(|row| is_number(row[place]))
        };
        let mut numbers = (account + 2..count).filter(is_share);
        let share = numbers.next()?;
        // In the default output of sacctmgr the shares are the third column after the account. In others two columns
        // could be confused.
        if share != account + 3 && numbers.next().is_some() {
            return None;
        }
        let mut columns = vec![Column::Unknown; count];
        if account == 1 {
            columns[0] = Column::Cluster;
        }
        columns[account] = Column::Account;
        columns[account + 1] = Column::User;
        if share == account + 3 {
            columns[account + 2] = Column::Partition;
        }
        columns[share] = Column::RawShares;
        // A last column that is always empty is the same as none.
        let is_closed = |row: &Vec<&[u8]>| row.last().is_some_and(|cell| cell.is_empty());
        let ends_in_bar = share + 2 == count && rows.iter().all(is_closed);
        if ends_in_bar {
            columns.pop();
        }
        let form = LineForm::Bars { ends_in_bar };
        Some(Self {
            line: b"",
            layout: Layout::new(Command::Sacctmgr, columns, form),
            right: false,
            end: start?,
            number: above,
        })
    }

    pub(super) fn has(&self, column: Column) -> bool {
        self.layout.place(column).is_some()
    }

    /// Returns whether the table has a column with the name or number of parents.
    pub(super) fn names_parents(&self) -> bool {
        self.has(Column::ParentName) || (self.has(Column::ParentId) && self.has(Column::Id))
    }
}

/// Returns whether the accounts below a name that is aligned right are so, too. Slurm up to 20.11 aligns them left.
fn has_right_accounts(line: &[u8], layout: &Layout, text: &[u8], mut at: usize) -> bool {
    let mut cells = Vec::new();
    layout.divide(line, &mut cells);
    let has_blanks_before = indent(layout.cell(&cells, Column::Account)) > 0;
    for _ in 0..SAMPLE {
        let Some((line, next)) = line_at(text, at) else {
            break;
        };
        at = next;
        layout.divide(line, &mut cells);
        let cell = layout.cell(&cells, Column::Account);
        if !cell.trim_ascii().is_empty() && cell.ends_with(b" ") {
            return false;
        }
    }
    has_blanks_before
}

fn is_count(cell: &[u8]) -> bool {
    !cell.is_empty() && cell.iter().all(u8::is_ascii_digit)
}

/// Returns whether the cell is a fraction as sshare prints it, such as `0.009901`.
fn is_part(cell: &[u8]) -> bool {
    const DECIMALS: usize = 6;
    let Some(point) = cell.iter().position(|&byte| byte == b'.') else {
        return false;
    };
    let (whole, decimals) = (&cell[..point], &cell[point + 1..]);
    is_count(whole) && is_count(decimals) && decimals.len() == DECIMALS
}
