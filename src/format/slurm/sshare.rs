//! Outputs of `sshare`, by any version and with any columns.
//!
//! Accounts are indented by one blank per level, and nothing else shows their parents. A user's row repeats the
//! account's name, one blank deeper than the account's own row.

mod header;
mod parents;
mod rows;

use super::rows::{Row, Rows, note_missing_users, policy_of_factors, some, stored_shares};
use super::table::{SlurmColumn, TableLayout};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::{Place, Problems};
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal};
use crate::model::{Figure, Incomplete, Shares};
use memchr::memchr_iter;
use rows::RowReader;
use std::collections::BTreeMap;

/// The banner that `-M` prints above each cluster's block.
const BANNER: &[u8] = b"CLUSTER:";

/// The command to run for outputs that do not give a tree.
const REMEDY: &str = "run sshare -a -m -l -P";

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
        let names = reader.layout.columns.iter().map(|column| column.name());
        let names = names.collect::<Vec<_>>().join(", ");
        let message = sentence!(
            "there is no header line; by their content the columns were identified as {names}"
        );
        let advice = "run sshare without -n if they are not";
        let problems = &mut reader.rows.problems;
        problems.note(Place::WHOLE, "slurm-no-header", message, advice);
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
    if reader.rows.rows.is_empty() {
        let what = match reader.rows.problems.list() {
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
    note_flat_list(&mut reader.rows);
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
        let message = "the column RawShares is missing; every node was given 1 share";
        let advice = "add RawShares to -o, or run sshare -a -m -l -P";
        problems.warn(line, "slurm-no-shares", message, advice);
    }
    for name in layout.unknown() {
        let message = sentence!("unknown column '{}\'; it was left out", shown(name));
        let advice = "nothing needs to be done if you do not need it";
        problems.note(line, "slurm-column", message, advice);
    }
}

/// Leaves out what begins with a second root: the outputs of two clusters in one file, without the banners of -M.
fn leave_second_tree(reader: &mut RowReader) {
    let rows = &mut reader.rows;
    let root = rows.names.find(b"root");
    let is_root = |row: &Row| {
        let is_top = row.user.is_none() && row.parent.is_none() && row.cluster.is_none();
        is_top && Some(row.account) == root
    };
    let mut roots = rows.rows.iter().enumerate().filter(|(_, row)| is_root(row));
    let Some((start, &Row { line, .. })) = roots.nth(1) else {
        return;
    };
    let left = counted(rows.rows.len() - start, "row was", "rows were");
    let message = sentence!(
        "a second account root begins here, as in the outputs of two clusters in one file; {left} left out from here on"
    );
    let advice = "give each output a file of its own, or run sshare -M, which names the clusters";
    let (problems, line) = (&mut rows.problems, u64::from(line));
    problems.refuse(line, "slurm-second-root", message, advice);
    rows.rows.truncate(start);
    reader.levels.truncate(start);
    reader.deep.retain(|deep| deep.row < start);
}

/// Reports that no row is indented below the root's, as in trimmed lines.
fn note_flat_list(rows: &mut Rows) {
    let accounts = || rows.rows.iter().filter(|row| row.user.is_none());
    let root = rows.names.find(b"root");
    let has_root = accounts().any(|row| Some(row.account) == root);
    if has_root && accounts().count() > 1 && accounts().all(|row| row.parent.is_none()) {
        let message = "no row is indented, and only the indentation shows which account is above which; all accounts \
                       were put under root";
        let advice = "print the output again without trimming its lines, or give sacctmgr dump as well, which names \
                      the account above";
        let problems = &mut rows.problems;
        problems.warn(Place::WHOLE, "slurm-flat", message, advice);
    }
}

/// Returns a number and its decimals: `0.063123`, `inf`, `2.0000e+15`. `None` if it is no number.
fn figure(cell: &[u8]) -> Option<Figure> {
    let text = std::str::from_utf8(cell).ok()?;
    let value: f64 = text.parse().ok()?;
    let (end, exponent) = match cell.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(end) => (end, text[end + 1..].parse().ok()?),
        None => (cell.len(), 0),
    };
    let point = cell[..end].iter().position(|&byte| byte == b'.');
    let behind = point.map_or(0, |point| end - point - 1);
    let decimals = i64::try_from(behind).ok()? - exponent;
    Some(Figure {
        value,
        decimals: i8::try_from(decimals.clamp(i64::from(i8::MIN), i64::from(i8::MAX) - 1)).ok()?,
    })
}

/// Reads usage: a whole number, which may be larger than a double holds exactly and is then rounded.
fn usage(cell: &[u8]) -> Option<f64> {
    let value = figure(cell)?.value;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// Reads raw shares: a count, or `parent` in letters or as the number that represents it.
fn shares(cell: &[u8]) -> Option<Shares> {
    if cell.eq_ignore_ascii_case(b"parent") {
        return Some(Shares::PARENT);
    }
    // The root of old versions has 1.000000.
    let count: i64 = parsed(cell.strip_suffix(b".000000").unwrap_or(cell))?;
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
    /// Returns the problem's code, its sentence about these names, and the advice.
    fn words(self, names: &[String]) -> (&'static str, Shown, &'static str) {
        const UNCUT: &str = "run sshare -a -m -l -P, which cuts nothing";
        const PARENTS: &str =
            "give sshare -a --json or sacctmgr dump as well, which name the account above";
        let count = |one, many| counted(names.len(), one, many);
        let names = some(names);
        match self {
            Self::Leading => (
                "slurm-leading-blank",
                sentence!(
                    "{} has more blanks before it than levels; its name is assumed to begin with blanks: {names}",
                    count("account", "accounts")
                ),
                "check the account with sacctmgr show assoc tree; sshare -a --json keeps such names",
            ),
            Self::Cut => (
                "slurm-cut-name",
                sentence!(
                    "{} cut to the width of the column and end in +: {names}; different names may look the same",
                    count("name is", "names are")
                ),
                UNCUT,
            ),
            Self::CutAlike => (
                "slurm-cut-alike",
                sentence!(
                    "{} cut to the same name as an earlier one; a number was added to distinguish them: {names}",
                    count("account was", "accounts were")
                ),
                UNCUT,
            ),
            Self::Moved | Self::Unsettled => {
                let treatment = match self {
                    Self::Moved => "placed according to NormShares",
                    _ => "may belong to another account; left there",
                };
                let message = sentence!(
                    "{} printed below a name with a slash and {treatment}: {names}",
                    count("account is", "accounts are")
                );
                ("slurm-slash", message, PARENTS)
            }
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
            let (code, message, advice) = oddity.words(names);
            problems.warn(*line, code, message, advice);
        }
    }
}
