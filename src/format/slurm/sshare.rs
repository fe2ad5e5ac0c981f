//! Outputs of `sshare`, by any version and with any columns.
//!
//! Accounts are indented by one blank per level, and nothing else shows their parents. A user's row repeats the
//! account's name, one blank deeper than the account's own row.

mod header;
mod parents;
mod problem;
mod rows;

use super::rows::{Row, Rows, note_missing_users, policy_of_factors, some, stored_shares};
use super::table::{SlurmColumn, TableLayout};
use crate::base::number::counted;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::{Place, Problems};
use crate::format::sheet::kind::{is_parent, plain_count, plain_decimal};
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal};
use crate::model::{Figure, Incomplete, Shares};
use memchr::memchr_iter;
use problem::SshareProblem;
use rows::RowReader;
use std::collections::BTreeMap;

/// The banner that `-M` prints above each cluster's block.
const BANNER: &[u8] = b"CLUSTER:";

/// The command to run for outputs that do not give a tree.
const REMEDY: &str = "run sshare -a -m -l -P";

/// How many rows may not fit the columns, even if they are most.
const MOST_LEFT_OUT: usize = 3;

const UNFILTERED: &str =
    "run sshare -a -m -l -P: without -a, or with -A and -u, sshare lists only some";

pub(crate) fn is(text: &[u8]) -> bool {
    header::find(text).is_some()
}

pub(super) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let file = input.name();
    let text = without_mark(&input.bytes);
    let Some((layout, header)) = header::find(text) else {
        let what = "contains no columns of sshare";
        let advice =
            format!("expected a header with Account, User, RawShares and RawUsage: {REMEDY}");
        return Err(Refusal::does(&file, what, &advice).into());
    };
    check_columns(&file, &layout)?;
    let mut reader = RowReader::new(input, layout, header);
    if header.is_none() {
        let columns = reader.layout.columns.iter().map(|column| column.name());
        let columns = columns.collect::<Vec<_>>().join(", ");
        let problem = SshareProblem::NoHeader { columns };
        reader.rows.problems.report(Place::WHOLE, problem);
    }
    let mut meter = Meter::new(file, Some(text.len() as u64), report);
    let mut start = 0;
    for (number, end) in (1..).zip(memchr_iter(b'\n', text).chain([text.len()])) {
        let line = &text[start..end];
        start = end + 1;
        let below = text.get(start..).unwrap_or_default();
        reader.read(number, line, below)?;
        meter.at(start as u64, reader.rows.rows.len())?;
    }
    finish(reader)
}

/// Checks what was read, and sets what is known only after the last line.
fn finish(mut reader: RowReader) -> LoadResult<Rows> {
    let file = reader.rows.file.clone();
    let is_lost = reader.left_out > MOST_LEFT_OUT && reader.left_out > reader.rows.rows.len();
    if reader.rows.rows.is_empty() || is_lost {
        let what = match reader.rows.problems.list() {
            _ if is_lost => {
                "contains columns of sshare, but most rows do not fit them, as when lines were wrapped or cells were lost"
            }
            [] => "contains columns of sshare but no row below them",
            _ => {
                "contains columns of sshare but no row that fits them, as when pasting loses blanks"
            }
        };
        return Err(Refusal::does(&file, what, REMEDY).into());
    }
    if reader.layout.right && reader.alignment == [true, false] {
        let what = "has right-aligned accounts, which loses the indentation that shows which account is above which";
        let advice = format!("write the column as Account%-40, or {REMEDY}");
        return Err(Refusal::does(&file, what, &advice).into());
    }
    // With -U, and under PrivateData, Slurm lists users without their accounts.
    if reader.rows.rows.iter().all(|row| row.user.is_some()) {
        reader.rows.incomplete = Some(Incomplete::WithoutAccounts);
    }
    leave_second_tree(&mut reader);
    note_flat_list(&mut reader);
    reader.settle_deep();
    reader.repair_slashes();
    note_missing_users(&mut reader.rows, Incomplete::SshareUsers, UNFILTERED);
    let policy = (reader.policy()).or_else(|| policy_of_factors(&reader.rows));
    let mut rows = reader.rows;
    reader.odd.tell(&mut rows.problems);
    rows.policy = policy;
    Ok(rows)
}

fn check_columns(file: &Shown, layout: &TableLayout) -> LoadResult<()> {
    for column in [SlurmColumn::Account, SlurmColumn::User] {
        if layout.place(column).is_none() {
            let name = column.name();
            let what = format!("has no column {name}, so accounts and users cannot be told apart");
            let advice = format!("add {name} to -o, or {REMEDY}");
            return Err(Refusal::does(file, &what, &advice).into());
        }
    }
    Ok(())
}

fn note_columns(problems: &mut Problems, layout: &TableLayout, line: u64) {
    if layout.place(SlurmColumn::RawShares).is_none() {
        problems.report(line, SshareProblem::NoShares);
    }
    for name in layout.unknown() {
        let name = shown(name);
        problems.report(line, SshareProblem::UnknownColumn { name });
    }
}

/// Leaves out what begins with a second root: the same table once more, or the outputs of two clusters in one file without
/// the banners of -M.
fn leave_second_tree(reader: &mut RowReader) {
    let second_table = reader
        .second_table
        .filter(|(_, start)| *start < reader.rows.rows.len());
    let rows = &mut reader.rows;
    let start = match (second_root(rows), second_table) {
        (Some(start), _) => start,
        (None, Some((_, start))) if is_repeated(rows, start) => start,
        (None, Some((line, _))) => {
            rows.problems.report(line, SshareProblem::SecondTable);
            return;
        }
        (None, None) => return,
    };
    let line = rows.rows[start].line;
    let left_out = counted(rows.rows.len() - start, "row was", "rows were");
    let problem = if is_repeated(rows, start) {
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
    let mut count = 0;
    for (place, row) in rows.rows.iter().enumerate() {
        let is_top = row.user.is_none() && row.parent.is_none() && row.cluster.is_none();
        if is_top && row.account == root {
            count += 1;
        }
        if count == 2 {
            return Some(place);
        }
    }
    None
}

/// Returns whether the rows from a place on are those before it, once or several times.
fn is_repeated(rows: &Rows, start: usize) -> bool {
    let same = |place: usize, row: &Row| {
        Row {
            line: row.line,
            ..rows.rows[place % start]
        } == *row
    };
    let is_whole = rows.rows.len().is_multiple_of(start);
    is_whole
        && rows
            .rows
            .iter()
            .enumerate()
            .all(|(place, row)| same(place, row))
}

/// Reports that the indentation was lost, so that all accounts are below the root: no row is indented, as in trimmed
/// lines, or the row of a user is not deeper than that of its account, as where runs of blanks became one.
fn note_flat_list(reader: &mut RowReader) {
    let rows = &mut reader.rows;
    let accounts = || rows.rows.iter().filter(|row| row.user.is_none());
    let root = rows.names.find(b"root");
    let has_root = accounts().any(|row| Some(row.account) == root);
    if has_root && accounts().count() > 1 && accounts().all(|row| row.parent.is_none()) {
        rows.problems.report(Place::WHOLE, SshareProblem::Flat);
        return;
    }
    let Some(place) = reader.first_level_user else {
        return;
    };
    let row = rows.rows[place];
    let names = rows.names.names();
    let user = shown(names.bytes(row.user.unwrap_or(row.account)));
    let account = shown(names.bytes(row.account));
    let problem = SshareProblem::FewBlanks { user, account };
    rows.problems.report(row.line, problem);
}

/// Returns a number and its decimals: `0.063123`, `0,063123`, `inf`, `2.0000e+15`. `None` if it is no number.
fn figure(cell: &[u8]) -> Option<Figure> {
    printed_figure(cell).or_else(|| printed_figure(&plain_decimal(cell)))
}

/// Returns a number and its decimals as Slurm prints them.
fn printed_figure(cell: &[u8]) -> Option<Figure> {
    let text = std::str::from_utf8(cell).ok()?;
    let value: f64 = text.parse().ok()?;
    let mut end = cell.len();
    let mut exponent: i64 = 0;
    if let Some(place) = cell.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        end = place;
        exponent = text[place + 1..].parse().ok()?;
    }
    let point = cell[..end].iter().position(|&byte| byte == b'.');
    let behind = point.map_or(0, |point| end - point - 1);
    let decimals = i64::try_from(behind).ok()? - exponent;
    Some(Figure {
        value,
        decimals: i8::try_from(decimals.clamp(i64::from(i8::MIN), i64::from(i8::MAX) - 1)).ok()?,
    })
}

/// Reads usage: a whole number, which may be larger than a double holds exactly and is then rounded. Thousands may be marked.
fn usage(cell: &[u8]) -> Option<f64> {
    let figure = printed_figure(cell).or_else(|| printed_figure(&plain_count(cell)));
    let value = figure?.value;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// Reads raw shares: a count, or `parent` in letters or as the number that represents it.
fn shares(cell: &[u8]) -> Option<Shares> {
    if is_parent(cell) {
        return Some(Shares::PARENT);
    }
    // The root of old versions has 1.000000.
    let whole = cell.strip_suffix(b".000000").unwrap_or(cell);
    let count: i64 = parsed(whole).or_else(|| parsed(&plain_count(whole)))?;
    let fits = (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&count);
    fits.then(|| stored_shares(count))
}

/// Returns a 64-bit priority with 16 digits, of which `sshare -P` omits leading zeros. `None` if it is none.
fn word(cell: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(cell).ok()?;
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bits = u64::from_str_radix(text, 16).ok();
    Some(crate::base::number::word(bits.filter(|_| is_hexadecimal)?).into())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Oddity {
    /// It seems to begin with blanks.
    Leading,
    /// It was cut to the width of its column.
    Cut,
    /// It looks like an earlier account, because both were cut.
    CutAlike,
    /// It was moved from below a name with a slash.
    Moved,
    /// It may or may not belong below a name with a slash.
    Unsettled,
}

impl Oddity {
    /// Returns the problem of some names.
    fn problem(self, names: &[String]) -> SshareProblem {
        let count = |one, many| counted(names.len(), one, many);
        let names = some(names);
        let accounts_are = || count("account is", "accounts are");
        match self {
            Self::Leading => SshareProblem::LeadingBlank {
                count: count("account", "accounts"),
                names,
            },
            Self::Cut => SshareProblem::CutName {
                are: count("name is", "names are"),
                names,
            },
            Self::CutAlike => SshareProblem::CutAlike {
                were: count("account was", "accounts were"),
                names,
            },
            Self::Moved => SshareProblem::Slash {
                are: accounts_are(),
                treatment: "placed according to NormShares",
                names,
            },
            Self::Unsettled => SshareProblem::Slash {
                are: accounts_are(),
                treatment: "may belong to another account; left there",
                names,
            },
        }
    }
}

/// The oddities of an output: of each the line of the first name, and the names.
#[derive(Debug, Default)]
struct Oddities(BTreeMap<Oddity, (u64, Vec<String>)>);

impl Oddities {
    fn add(&mut self, oddity: Oddity, line: u64, name: &[u8]) {
        let (_, names) = self.0.entry(oddity).or_insert((line, Vec::new()));
        names.push(shown(name).into());
    }

    fn tell(&self, problems: &mut Problems) {
        for (oddity, (line, names)) in &self.0 {
            problems.report(*line, oddity.problem(names));
        }
    }
}
