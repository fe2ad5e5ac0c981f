//! `sacctmgr show assoc`: a table of associations with any columns, and `show account withassoc`.
//!
//! Parents are given by `ParentName` or `ParentID`, and with `tree` also by the indentation of the accounts. A user's
//! row repeats the name of its account, with `tree` one blank deeper.

mod guess;
mod header;
mod problem;
mod rows;

use super::json::association_list;
use super::rows::{Rows, stored_shares};
use super::table::{SlurmColumn, is_ruler};
use crate::format::input::{Input, Meter, is_rows_left_out, without_mark};
use crate::format::problem::Place;
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal};
use crate::model::{Scheduler, Shares};
use guess::guess;
use header::Header;
use problem::AssocProblem;
use rows::TableReader;

/// The largest count of shares. The next number means `parent`.
pub(super) const MOST_SHARES: i64 = Shares::most(Some(Scheduler::Slurm));

/// The command that prints a table with all that is read.
const COMMAND: &str = "run sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins";

/// Returns whether the text looks like a table of associations, or like JSON of them.
pub fn is(text: &[u8]) -> bool {
    association_list::is(text) || find_header(text).is_some()
}

/// Returns what is above the rows of a table, with or without headings. `None` if the text is no table.
fn find_header(text: &[u8]) -> Option<Header<'_>> {
    let header = Header::find(text);
    if header.is_some() {
        return header;
    }
    guess(text)
}

/// Reads a table of associations: with bars or of fixed width, as a tree or not; or JSON. Fails if it
/// has no header line, lists no account, has lost its indentation, or the user cancelled.
pub fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    if association_list::is(&input.bytes) {
        return association_list::read(input, report);
    }
    let file = input.name();
    let text = without_mark(&input.bytes);
    let Some(header) = find_header(text) else {
        let what = "has no line of column names such as Account and Share";
        let advice = format!("{COMMAND}, without -n");
        return Err(Refusal::does(&file, what, &advice).into());
    };
    let length = text.len() as u64;
    let mut meter = Meter::new(file, Some(length), report);
    let mut reader = TableReader::new(input, &header);
    if header.line.is_empty() {
        let problem = AssocProblem::NoHeader;
        reader.rows.problems.report(Place::WHOLE, problem);
    }
    let mut lines = header.rows.clone();
    let mut number = header.lines_above;
    while let Some(line) = lines.next() {
        number = number.saturating_add(1);
        let rows = reader.rows.rows.len();
        meter.at(lines.at as u64, rows)?;
        // The headings may appear again, with their ruler.
        let is_heading = line == header.line || is_ruler(line);
        if is_heading || line.trim_ascii().is_empty() {
            continue;
        }
        if is_rows_left_out(line) {
            reader.note_rows_left_out(line, number);
        } else {
            reader.read(line, number);
        }
    }
    let rows = reader.finish();
    check(&rows, &header)?;
    Ok(rows)
}

/// Refuses a table that lists users without their accounts, or neither shares nor parents.
fn check(rows: &Rows, header: &Header<'_>) -> LoadResult<()> {
    let what = if rows.rows.is_empty() {
        "a table of sacctmgr without any association"
    } else if !has_account(rows) {
        "sacctmgr show user with associations: it lists users without their accounts, so there is no tree"
    } else if header.names_parents() {
        return Ok(());
    } else if header.layout.right {
        "a table of sacctmgr with right-aligned accounts, which does not show which account is above which"
    } else if !header.has(SlurmColumn::RawShares) {
        "a table of sacctmgr without the column Share"
    } else {
        return Ok(());
    };
    Err(Refusal::is(&rows.file, what, COMMAND).into())
}

/// Returns whether a row is of an account itself.
fn has_account(rows: &Rows) -> bool {
    for row in &rows.rows {
        if row.user.is_none() {
            return true;
        }
    }
    false
}

/// Reads shares as Slurm's commands accept them: a number, or `parent`.
pub(super) fn shares_of(text: &[u8]) -> Option<Shares> {
    if text.eq_ignore_ascii_case(b"parent") {
        return Some(Shares::PARENT);
    }
    let count = parsed(text)?;
    let shares = stored_shares(count);
    if !shares.is_parent() && !(0..=MOST_SHARES).contains(&count) {
        return None;
    }
    Some(shares)
}
