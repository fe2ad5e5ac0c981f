//! The columns of a table without headings, as of `sacctmgr -n`, by the content of their cells.

use super::header::{Header, Lines, MOST_BARS, SAMPLE};
use crate::format::slurm::table::{Command, LineForm, SlurmColumn, TableLayout};
use crate::format::text::split;

/// The first rows of a table, as far as no name has a bar.
struct RowSample<'a> {
    /// The cells of each row.
    rows: Vec<Vec<&'a [u8]>>,
    /// How many cells each row has.
    count: usize,
}

impl<'a> RowSample<'a> {
    /// Takes rows with as many cells as the first. `None` if the lines are no rows of one table.
    fn take(lines: Lines<'a>) -> Option<Self> {
        let is_complete = lines.is_complete();
        let mut rows = Vec::new();
        for line in lines {
            if rows.len() == SAMPLE {
                break;
            }
            if !line.trim_ascii().is_empty() {
                let cells: Vec<&[u8]> = split(line, b'|').collect();
                rows.push(cells);
            }
        }
        // The last line of the beginning of a file may be cut.
        if !is_complete && rows.len() > 2 {
            rows.pop();
        }
        let count = rows.first()?.len();
        // A name with a bar makes one cell more.
        let most = count + MOST_BARS;
        for row in &rows {
            if row.len() < count || row.len() > most {
                return None;
            }
        }
        let all = rows.len();
        rows.retain(|row| row.len() == count);
        let has_most = rows.len() > 1 && rows.len() * 2 > all;
        if count <= 2 || !has_most {
            return None;
        }
        Some(Self { rows, count })
    }

    /// Returns whether all cells of a column are of a kind.
    fn all(&self, column: usize, is_of_kind: impl Fn(&[u8]) -> bool) -> bool {
        for row in &self.rows {
            if !is_of_kind(row[column]) {
                return false;
            }
        }
        true
    }
}

/// Returns the columns of rows without a line of names, as of `-n`, or `None`. root is in the first row, without a
/// user. The shares are the first cells after it that are a number or `parent` in all rows.
pub(super) fn guess(text: &[u8]) -> Option<Header<'_>> {
    let mut lines = Lines::new(text);
    let mut rows = lines.clone();
    let mut lines_above = 0;
    while is_above_rows(lines.next()?) {
        rows = lines.clone();
        lines_above += 1;
    }
    let sample = RowSample::take(rows.clone())?;
    let (columns, ends_in_bar) = columns(&sample)?;
    let form = LineForm::Bars { ends_in_bar };
    Some(Header {
        line: b"",
        layout: TableLayout::new(Command::Sacctmgr, columns, form),
        rows,
        lines_above,
    })
}

/// Returns whether a line above the rows is none of them.
fn is_above_rows(line: &[u8]) -> bool {
    line.starts_with(b"#") || line.trim_ascii().is_empty()
}

/// Returns the columns of rows, and whether a bar ends each. `None` if they are not those of a table of associations.
fn columns(sample: &RowSample<'_>) -> Option<(Vec<SlurmColumn>, bool)> {
    let first = &sample.rows[0];
    let account = first.iter().position(|cell| *cell == b"root")?;
    let user = first.get(account + 1)?;
    if account > 1 || !user.is_empty() {
        return None;
    }
    // Only sshare prints parts with decimals.
    for cell in sample.rows.iter().flatten() {
        if is_part(cell) {
            return None;
        }
    }
    let mut columns = vec![SlurmColumn::Unknown; sample.count];
    if account == 1 {
        let is_of_one_cluster = sample.all(0, |cell| cell == first[0]);
        if !is_of_one_cluster {
            return None;
        }
        columns[0] = SlurmColumn::Cluster;
    }
    let mut numbers = Vec::new();
    for column in account + 2..sample.count {
        if sample.all(column, is_share) {
            numbers.push(column);
        }
    }
    let share = *numbers.first()?;
    // By default the shares are the third column after the account. In other outputs columns could be confused.
    let is_default = share == account + 3;
    if !is_default && numbers.len() > 1 {
        return None;
    }
    columns[account] = SlurmColumn::Account;
    columns[account + 1] = SlurmColumn::User;
    if is_default {
        columns[account + 2] = SlurmColumn::Partition;
    }
    columns[share] = SlurmColumn::RawShares;
    // A last column that is always empty is the same as none.
    let last = sample.count - 1;
    let ends_in_bar = last == share + 1 && sample.all(last, <[u8]>::is_empty);
    if ends_in_bar {
        columns.pop();
    }
    Some((columns, ends_in_bar))
}

/// Returns whether a cell can be shares.
fn is_share(cell: &[u8]) -> bool {
    cell == b"parent" || is_count(cell)
}

/// Returns whether a cell is a whole number without a sign.
fn is_count(cell: &[u8]) -> bool {
    if cell.is_empty() {
        return false;
    }
    cell.iter().all(u8::is_ascii_digit)
}

/// Returns whether the cell is a fraction as sshare prints it, such as `0.009901`.
fn is_part(cell: &[u8]) -> bool {
    const DECIMALS: usize = 6;
    let point = cell.len().saturating_sub(DECIMALS + 1);
    let (whole, part) = cell.split_at(point);
    match part.strip_prefix(b".") {
        Some(decimals) => is_count(whole) && is_count(decimals),
        None => false,
    }
}
