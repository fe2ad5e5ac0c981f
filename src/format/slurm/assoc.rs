//! `sacctmgr show assoc`: a table of associations with any columns, and `show account withassoc`.
//!
//! Parents are given by `ParentName` or `ParentID`, and with `tree` also by the indentation of the accounts. A user's
//! row repeats the name of its account, with `tree` one blank deeper.

mod problem;
mod rows;

use super::indentation::indent;
use super::json::association_list;
use super::rows::{Rows, stored_shares};
use super::table::{Command, LineForm, LineSplit, SlurmColumn, TableLayout, is_ruler, joined};
use crate::format::input::{Input, Meter, is_rows_left_out, without_mark};
use crate::format::problem::Place;
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal};
use crate::model::{Scheduler, Shares};
use problem::AssocProblem;
use rows::TableReader;

/// The largest count of shares. The next number means `parent`.
pub(super) const MOST_SHARES: i64 = Shares::most(Some(Scheduler::Slurm));

const COMMAND: &str = "run sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins";

/// How many extra bars a line may have. More than a few names with bars in one line do not occur.
const MOST_BARS: usize = 6;

/// How many lines are searched for the header, because errors of the command may come before it.
const LINES: usize = 10;

const SAMPLE: usize = 400;

/// Returns whether the text looks like a table of associations, or like JSON of them.
pub fn is(text: &[u8]) -> bool {
    association_list::is(text) || Header::find(text).is_some()
}

/// Reads a table of associations: with bars or of fixed width, as a tree or not; or JSON. Fails if it
/// has no header line, lists no account, has lost its indentation, or the user cancelled.
pub fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    if association_list::is(&input.bytes) {
        return association_list::read(input, report);
    }
    let text = without_mark(&input.bytes);
    let Some(header) = Header::find(text) else {
        let what = "has no line of column names such as Account and Share";
        let advice = format!("{COMMAND}, without -n");
        return Err(Refusal::does(&input.name(), what, &advice).into());
    };
    let mut meter = Meter::new(input.name(), Some(text.len() as u64), report);
    let is_tree = !header.layout.right && is_tree(text, &header);
    let mut reader = TableReader::new(input, is_tree);
    if header.line.is_empty() {
        let problem = AssocProblem::NoHeader;
        reader.rows.problems.report(Place::WHOLE, problem);
    }
    let mut number = header.number;
    for (line, at) in lines(text, header.end) {
        number = number.saturating_add(1);
        meter.at(at as u64, reader.rows.rows.len())?;
        // The headings may appear again, with their ruler.
        if line.trim_ascii().is_empty() || line == header.line || is_ruler(line) {
            continue;
        }
        if is_rows_left_out(line) {
            reader.note_rows_left_out(line, number);
        } else {
            reader.read(&header, line, number);
        }
    }
    let rows = reader.finish(&header);
    check(&rows, &header)?;
    Ok(rows)
}

/// Refuses a table that lists users without their accounts, or neither shares nor parents.
fn check(rows: &Rows, header: &Header<'_>) -> LoadResult<()> {
    let what = if rows.rows.is_empty() {
        "a table of sacctmgr without any association"
    } else if !rows.rows.iter().any(|row| row.user.is_none()) {
        "sacctmgr show user with associations: it lists users without their accounts, so there is no tree"
    } else if header.layout.right && !header.names_parents() {
        "a table of sacctmgr with right-aligned accounts, which does not show which account is above which"
    } else if !header.has(SlurmColumn::RawShares) && !header.names_parents() {
        "a table of sacctmgr without the column Share"
    } else {
        return Ok(());
    };
    Err(Refusal::is(&rows.file, what, COMMAND).into())
}

/// Returns whether the accounts are indented. Then their names in all rows of users are indented, too.
fn is_tree(text: &[u8], header: &Header<'_>) -> bool {
    let mut cells = Vec::new();
    let (mut indented, mut flush) = (0_usize, 0_usize);
    for (line, _) in lines(text, header.end) {
        if divide(line, &header.layout, &mut cells, |_| true).is_err() {
            continue;
        }
        let account = header.layout.cell(&cells, SlurmColumn::Account);
        if account.trim_ascii().is_empty() {
            continue;
        }
        let is_indented = account.starts_with(b" ");
        let user = header.layout.cell(&cells, SlurmColumn::User);
        if !user.trim_ascii().is_empty() {
            return is_indented;
        }
        indented += usize::from(is_indented);
        flush += usize::from(!is_indented);
    }
    // Without users, only root is not indented.
    indented > 0 && flush <= 1
}

/// Divides a line into its cells, and says whether bars in names were told from those between cells. `is_account` knows
/// the names of accounts so far. The error is the number of cells, if it does not fit the columns.
fn divide<'a>(
    line: &'a [u8],
    layout: &TableLayout,
    cells: &mut Vec<&'a [u8]>,
    is_account: impl Fn(&[u8]) -> bool,
) -> Result<bool, usize> {
    let count = match layout.divide(line, cells) {
        LineSplit::Whole | LineSplit::Across => return Ok(false),
        LineSplit::Few(count) => return Err(count),
        LineSplit::Many(count) => count,
    };
    if count > layout.columns.len() + MOST_BARS || count > cells.len() {
        return Err(count);
    }
    *cells = joined(line, cells, layout, is_account).ok_or(count)?;
    Ok(true)
}

/// Reads shares as Slurm's commands accept them: a number, or `parent`.
pub(super) fn shares_of(text: &[u8]) -> Option<Shares> {
    if text.eq_ignore_ascii_case(b"parent") {
        return Some(Shares::PARENT);
    }
    let count = parsed(text)?;
    let shares = stored_shares(count);
    (shares.is_parent() || (0..=MOST_SHARES).contains(&count)).then_some(shares)
}

/// Returns the line that begins at a position, without its end, and where the next begins. `None` at the end.
fn line_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..length];
    Some((line.strip_suffix(b"\r").unwrap_or(line), at + length + 1))
}

/// Returns the lines from a position on, each with where the next begins.
fn lines(text: &[u8], at: usize) -> impl Iterator<Item = (&[u8], usize)> {
    std::iter::successors(line_at(text, at), |&(_, next)| line_at(text, next))
}

struct Header<'a> {
    /// The line of the column names; empty if the columns were detected by their content.
    line: &'a [u8],
    /// The columns. The accounts are aligned right if their names are, and then no indentation is visible.
    layout: TableLayout,
    /// Where the rows begin: the position in the text, and the number of the line before.
    end: usize,
    number: u32,
}

impl<'a> Header<'a> {
    fn find(text: &'a [u8]) -> Option<Self> {
        for (number, (line, next)) in (1..).zip(lines(text, 0)).take(LINES) {
            let (ruler, behind) = line_at(text, next).unwrap_or((b"", next));
            if let Some(mut layout) = TableLayout::of_header(Command::Sacctmgr, line, Some(ruler)) {
                let (end, number) = match layout.form {
                    LineForm::Fixed(_) => (behind, number + 1),
                    LineForm::Bars { .. } => (next, number),
                };
                layout.right = layout.right && has_right_accounts(line, &layout, text, end);
                return Some(Self {
                    line,
                    layout,
                    end,
                    number,
                });
            }
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
        // By default the shares are the third column after the account. In other outputs columns could be confused.
        if share != account + 3 && numbers.next().is_some() {
            return None;
        }
        let mut columns = vec![SlurmColumn::Unknown; count];
        if account == 1 {
            columns[0] = SlurmColumn::Cluster;
        }
        columns[account] = SlurmColumn::Account;
        columns[account + 1] = SlurmColumn::User;
        if share == account + 3 {
            columns[account + 2] = SlurmColumn::Partition;
        }
        columns[share] = SlurmColumn::RawShares;
        // A last column that is always empty is the same as none.
        let is_closed = |row: &Vec<&[u8]>| row.last().is_some_and(|cell| cell.is_empty());
        let ends_in_bar = share + 2 == count && rows.iter().all(is_closed);
        if ends_in_bar {
            columns.pop();
        }
        let form = LineForm::Bars { ends_in_bar };
        Some(Self {
            line: b"",
            layout: TableLayout::new(Command::Sacctmgr, columns, form),
            end: start?,
            number: above,
        })
    }

    fn has(&self, column: SlurmColumn) -> bool {
        self.layout.place(column).is_some()
    }

    /// Returns whether the table has a column with the name or number of parents.
    fn names_parents(&self) -> bool {
        self.has(SlurmColumn::ParentName)
            || (self.has(SlurmColumn::ParentId) && self.has(SlurmColumn::Id))
    }
}

/// Returns whether the accounts below a name that is aligned right are so, too. Slurm up to 20.11 aligns them left.
fn has_right_accounts(line: &[u8], layout: &TableLayout, text: &[u8], at: usize) -> bool {
    let mut cells = Vec::new();
    layout.divide(line, &mut cells);
    let has_blanks_before = indent(layout.cell(&cells, SlurmColumn::Account)) > 0;
    for (line, _) in lines(text, at).take(SAMPLE) {
        layout.divide(line, &mut cells);
        let cell = layout.cell(&cells, SlurmColumn::Account);
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
    let (whole, decimals) = cell.split_at(cell.len().saturating_sub(DECIMALS + 1));
    is_count(whole) && decimals.strip_prefix(b".").is_some_and(is_count)
}
