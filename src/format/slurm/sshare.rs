//! Outputs of `sshare`, by any version and with any columns.
//!
//! Accounts are indented by one blank per level, and nothing else shows their parents. A user's row repeats the
//! account's name, one blank deeper than the account's own row. The cells of a sheet have lost these blanks, so the rows
//! are divided by a layout of Slurm's tables instead.

mod cells;
mod header;
mod oddity;
mod parents;
mod problem;
mod rows;

use super::rows::{
    Rows, fills_levels, has_numbers, note_missing_users, policy_of_factors, ranks_only_users,
};
use crate::base::number::counted;
use crate::base::shown::shown;
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::Place;
use crate::format::{LoadResult, OnProgress, Refusal};
use crate::model::{Fact, Incomplete};
use crate::rules::policy::Policy;
use header::Header;
use memchr::memchr_iter;
use problem::SshareProblem;
use rows::RowReader;

/// The banner that `-M` prints above each cluster's block.
const BANNER: &[u8] = b"CLUSTER:";

/// The command to run for outputs that do not give a tree.
const REMEDY: &str = "run sshare -a -l -P";

/// How many rows may not fit the columns, even if they are most.
const MOST_LEFT_OUT: usize = 3;

/// What to do about missing users.
const UNFILTERED: &str =
    "run sshare -a -l -P: without -a, or with -A and -u, sshare lists only some";

/// Returns whether the text looks like an output of `sshare`.
pub(crate) fn is(text: &[u8]) -> bool {
    Header::find(text).is_some()
}

/// Reads the associations of an output. Fails if it has no columns of accounts and users, or no rows that fit them, if it
/// does not show which account is above which, or if the user cancelled.
pub(super) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let file = input.name();
    let text = without_mark(&input.bytes);
    let Some(header) = Header::find(text) else {
        let what = "contains no columns of sshare";
        let advice =
            format!("expected a header with Account, User, RawShares and RawUsage: {REMEDY}");
        return Err(Refusal::does(&file, what, &advice).into());
    };
    let mut reader = RowReader::new(input, header);
    reader.note_guess();
    let length = text.len();
    let mut meter = Meter::new(file, Some(length as u64), report);
    let mut start = 0;
    for end in memchr_iter(b'\n', text).chain([length]) {
        let line = &text[start..end];
        start = end + 1;
        let below = text.get(start..).unwrap_or_default();
        reader.read(line, below)?;
        meter.at(start as u64, reader.rows.rows.len())?;
    }
    finish(reader)
}

/// Checks what was read, and sets what is known only after the last line.
fn finish(mut reader: RowReader) -> LoadResult<Rows> {
    if let Some(what) = missing_rows(&reader) {
        return Err(Refusal::does(&reader.rows.file, what, REMEDY).into());
    }
    if reader.hides_indentation() {
        let what = "has right-aligned accounts, which loses the indentation that shows which account is above which";
        let advice = format!("write the column as Account%-40, or {REMEDY}");
        return Err(Refusal::does(&reader.rows.file, what, &advice).into());
    }
    // With -U, and under PrivateData, Slurm lists users without their accounts.
    let mut associations = reader.rows.rows.iter();
    if associations.all(|row| row.user.is_some()) {
        reader.rows.incomplete = Some(Incomplete::WithoutAccounts);
    }
    leave_second_tree(&mut reader);
    note_flat_list(&mut reader);
    reader.settle_deep();
    reader.repair_slashes();
    reader.rows.policy = reader.policy();
    let mut rows = reader.rows;
    if rows.policy == Some(Policy::FairTree) && !has_numbers(&rows, Fact::LevelFs) {
        rows.policy = None;
    }
    if fills_levels(&rows) {
        rows.figures.retain(|(fact, _)| *fact != Fact::LevelFs);
    }
    if rows.policy != Some(Policy::LevelBased) && ranks_only_users(&rows) {
        rows.policy = Some(Policy::FairTree);
    }
    note_missing_users(&mut rows, Incomplete::SshareUsers, UNFILTERED);
    reader.odd.report(&mut rows.problems);
    if rows.policy.is_none() {
        rows.policy = policy_of_factors(&rows);
    }
    Ok(rows)
}

/// Returns that an output has too few rows, if it does.
fn missing_rows(reader: &RowReader) -> Option<&'static str> {
    let count = reader.rows.rows.len();
    if reader.left_out > MOST_LEFT_OUT && reader.left_out > count {
        return Some(
            "contains columns of sshare, but most rows do not fit them, as when lines were wrapped or cells were lost",
        );
    }
    if count > 0 {
        return None;
    }
    Some(if reader.rows.problems.list().is_empty() {
        "contains columns of sshare but no row below them"
    } else {
        "contains columns of sshare but no row that fits them, as when pasting loses blanks"
    })
}

/// Leaves out what begins with a second root: the same table once more, or the outputs of two clusters in one file without
/// the banners of -M.
fn leave_second_tree(reader: &mut RowReader) {
    let rows = &mut reader.rows;
    let mut start = second_root(rows);
    if start.is_none()
        && let Some(table) = reader.second_table
        && table.row < rows.rows.len()
    {
        if !rows.is_repeated_from(table.row) {
            rows.problems.report(table.line, SshareProblem::SecondTable);
            return;
        }
        start = Some(table.row);
    }
    let Some(start) = start else {
        return;
    };
    let line = rows.rows[start].line;
    let left_out = counted(rows.rows.len() - start, "row was", "rows were");
    let problem = if rows.is_repeated_from(start) {
        SshareProblem::SameTable { left_out }
    } else {
        SshareProblem::SecondRoot { left_out }
    };
    rows.problems.report(line, problem);
    rows.rows.truncate(start);
    reader.levels.truncate(start);
    reader.deep.retain(|deep| deep.row < start);
}

/// Returns the row of the second account root outside every cluster.
fn second_root(rows: &Rows) -> Option<usize> {
    let root = rows.names.find(b"root")?;
    let mut is_second = false;
    for (place, row) in rows.rows.iter().enumerate() {
        if row.is_top() && row.cluster.is_none() && row.account == root {
            if is_second {
                return Some(place);
            }
            is_second = true;
        }
    }
    None
}

/// Reports that the indentation was lost, so that all accounts are below the root: no row is indented, as in trimmed
/// lines, or the row of a user is not deeper than that of its account, as where runs of blanks became one.
fn note_flat_list(reader: &mut RowReader) {
    let rows = &mut reader.rows;
    let root = rows.names.find(b"root");
    let mut has_root = false;
    let mut accounts = 0;
    let mut is_flat = true;
    for row in &rows.rows {
        if row.user.is_none() {
            has_root |= Some(row.account) == root;
            is_flat &= row.parent.is_none();
            accounts += 1;
        }
    }
    if has_root && accounts > 1 && is_flat {
        rows.incomplete.get_or_insert(Incomplete::WithoutParents);
        rows.problems.report(Place::WHOLE, SshareProblem::Flat);
    } else if let Some(place) = reader.first_level_user {
        rows.incomplete.get_or_insert(Incomplete::WithoutParents);
        let row = rows.rows[place];
        let names = rows.names.names();
        let user = shown(names.bytes(row.user.unwrap_or(row.account)));
        let account = shown(names.bytes(row.account));
        let problem = SshareProblem::FewBlanks { user, account };
        rows.problems.report(row.line, problem);
    }
}
