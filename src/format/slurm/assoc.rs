//! `sacctmgr show assoc`: a table of associations with any columns, and `show account withassoc`.
//!
//! Parents are given by `ParentName` or `ParentID`, and with `tree` also by the indentation of the accounts. A user's
//! row repeats the name of its account, with `tree` one blank deeper.

mod header;
mod rows;

use super::json::association_list;
use super::rows::{Rows, stored_shares};
use super::table::{Column, LineSplit};
use crate::format::input::{Input, Meter};
use crate::format::{LoadError, OnProgress, Refusal, Severity};
use crate::model::{Scheduler, Shares};
use header::Header;
use rows::TableReader;

/// The largest count of shares. The next number means `parent`.
pub(super) const MOST_SHARES: i64 = Shares::most(Some(Scheduler::Slurm));

/// The command that prints everything.
const COMMAND: &str = "run sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins";

/// How many extra bars a line may have. More than a few names with bars in one line do not occur.
const MOST_BARS: usize = 6;

/// Returns whether the text looks like a table of associations, or like JSON of them.
pub fn is(text: &[u8]) -> bool {
    association_list::is(text) || Header::find(text).is_some()
}

/// Reads a table of associations: with bars or of fixed width, as a tree or not; or JSON.
///
/// # Errors
/// If it has no header line, lists no account, has lost its indentation, or the user cancelled.
pub fn read(input: &Input, report: OnProgress<'_>) -> Result<Rows, LoadError> {
    if association_list::is(&input.bytes) {
        return association_list::read(input, report);
    }
    let bytes = &input.bytes;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Some(header) = Header::find(text) else {
        return Err(Refusal::does(
            &input.name(),
            "has no line of column names such as Account and Share",
            &format!("{COMMAND}, without -n"),
        )
        .into());
    };
    let mut meter = Meter::new(input.name(), Some(text.len() as u64), report);
    let is_tree = !header.right && is_tree(text, &header);
    let mut reader = TableReader::new(input, &header, is_tree);
    if header.line.is_empty() {
        reader.rows.add_problem(
            Severity::Note,
            "slurm-no-header",
            "there is no header line; by their content the columns were identified as those of sacctmgr show assoc",
            "run sacctmgr without -n if they are not",
        );
    }
    let (mut at, mut number) = (header.end, header.number);
    let mut cells = Vec::new();
    while let Some((line, next)) = line_at(text, at) {
        at = next;
        number = number.saturating_add(1);
        meter.at(at as u64, reader.rows.rows.len())?;
        if !line.trim_ascii().is_empty() && line != header.line {
            reader.read(line, number, &mut cells);
        }
    }
    let rows = reader.finish();
    check(&rows, &header)?;
    Ok(rows)
}

/// Refuses a table that lists users without their accounts, or neither shares nor parents.
fn check(rows: &Rows, header: &Header<'_>) -> Result<(), LoadError> {
    let what = if rows.rows.is_empty() {
        "a table of sacctmgr without any association"
    } else if !rows.rows.iter().any(|row| row.user.is_none()) {
        "sacctmgr show user with associations: it lists users without their accounts, so there is no tree"
    } else if header.right && !header.names_parents() {
        "a table of sacctmgr with right-aligned accounts, which does not show which account is above which"
    } else if !header.has(Column::RawShares) && !header.names_parents() {
        "a table of sacctmgr without the column Share"
    } else {
        return Ok(());
    };
    Err(Refusal::is(&rows.file, what, COMMAND).into())
}

/// Returns whether the accounts are indented. Then the account names in the rows of users are indented too, all of
/// them.
fn is_tree(text: &[u8], header: &Header<'_>) -> bool {
    let (mut cells, mut at) = (Vec::new(), header.end);
    let (mut indented, mut flush) = (0_usize, 0_usize);
    while let Some((line, next)) = line_at(text, at) {
        at = next;
        let split = header.layout.divide(line, &mut cells);
        if matches!(split, LineSplit::Few(_) | LineSplit::Many(_)) {
            continue;
        }
        let account = header.layout.cell(&cells, Column::Account);
        if account.trim_ascii().is_empty() {
            continue;
        }
        let is_indented = account.starts_with(b" ");
        let user = header.layout.cell(&cells, Column::User);
        if !user.trim_ascii().is_empty() {
            return is_indented;
        }
        indented += usize::from(is_indented);
        flush += usize::from(!is_indented);
    }
    // Without users, only root is not indented.
    indented > 0 && flush <= 1
}

/// Reads shares as Slurm's commands accept them: a number, or `parent`.
pub(super) fn shares_of(text: &[u8]) -> Option<Shares> {
    if text.eq_ignore_ascii_case(b"parent") {
        return Some(Shares::PARENT);
    }
    let count = std::str::from_utf8(text).ok()?.parse().ok()?;
    let shares = stored_shares(count);
    (shares.is_parent() || (0..=MOST_SHARES).contains(&count)).then_some(shares)
}

/// Returns the line that begins at a position, without its end, and where the next one begins. `None` at the end of the
/// text.
fn line_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..length];
    Some((line.strip_suffix(b"\r").unwrap_or(line), at + length + 1))
}
