//! Lists of desired shares: an account or a user a line, by its path or a name that occurs once.
//!
//! ```text
//! path,shares                         commas, semicolons, tabs or bars; with a header or without
//! physics/alice,2
//!
//! account,user,shares                 a line without a user is about the account
//! physics,alice,2
//!
//! # the accounts of OleHolmNielsen/Slurm_tools
//! physics:science:40:Physics department
//!
//! [{"name": "physics", "parent": "science", "fairshare": 40}]
//! ```

mod columns;

use super::input::{Input, check_lines, without_mark};
use super::problem::{Problems, problems};
use super::sheet::{Headings, Records, SheetColumn as _, line_of, mark_between};
use super::{LoadError, LoadResult, text};
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, Shares, escape_name};
use columns::{DesiredColumn, DesiredColumns, DesiredPlace};
use csv::ByteRecord;
use serde_json::Value;

/// The shares that a node should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredShares {
    /// Its path, a name, or both with the name of its account; `/` is the top.
    pub place: Vec<u8>,
    /// Its kind; `None` if the source does not tell it.
    pub kind: Option<Kind>,
    /// The shares.
    pub shares: Shares,
    /// The line that tells them, from 1; `None` if they are of a tree.
    pub line: Option<u64>,
}

/// What becomes of a line with a problem.
pub(crate) const LEFT_OUT: &str = "the line is left out";

problems! {
/// What can be wrong in a list.
    enum DesiredProblem {
        Incomplete, Error "desired-bad-line",
            "the name or the shares are missing; expected both, in the form of the first line",
            "the line is left out";
        BadShares { word: Shown }, Error "desired-bad-line",
            "{word} is not a number of shares; expected one from 0 up, or parent",
            "the line is left out";
        PathAndName, Error "desired-bad-line",
            "the columns path and name both say whose shares they are; remove one of them",
            "the line is left out";
        BrokenJson, Error "desired-bad-line",
            "the JSON breaks off here, or it has an error or no list",
            "the line is left out";
        UnreadColumn { heading: Shown, others: Shown }, Note "desired-unread-column",
            "the column {heading} is not read beside {others}",
            "remove the columns that do not say whose shares they are";
    }
}

/// What a list tells.
pub(crate) struct DesiredList {
    /// Its lines that can be used.
    pub(crate) list: Vec<DesiredShares>,
    /// The lines that are left out.
    pub(crate) problems: Problems,
    /// The columns that are not read.
    pub(crate) notes: Problems,
}

/// Reads a list. What is wrong with a line is a problem; fails if no line tells shares.
pub(crate) fn read(input: &Input) -> LoadResult<DesiredList> {
    let file = input.name();
    let mut reader = ListReader {
        told: DesiredList {
            list: Vec::new(),
            problems: Problems::of(file.clone()),
            notes: Problems::of(file.clone()),
        },
        has_header: false,
    };
    let bytes = without_mark(&input.bytes);
    if let Some(b'[' | b'{') = bytes.trim_ascii_start().first() {
        reader.read_json(bytes);
    } else {
        check_lines(input)?;
        reader.read_table(bytes);
    }
    let told = reader.told;
    if !told.list.is_empty() || (reader.has_header && told.problems.is_empty()) {
        return Ok(told);
    }
    let why = match told.problems.list().first() {
        Some(problem) => sentence!(" ({})", problem.message),
        None => Shown::default(),
    };
    Err(LoadError::Refused(sentence!(
        "{file} tells no shares{why}; expected lines such as physics,40, accounts as \
         account:parent:fairshare:description, JSON with name, parent and fairshare, or any tree that fairscope opens"
    )))
}

/// Reads a list line by line.
struct ListReader {
    /// What was read so far.
    told: DesiredList,
    /// Whether its first line has titles, so that it is a list even without others.
    has_header: bool,
}

impl ListReader {
    /// Reads lines of cells: those of `account:parent:fairshare`, or those of a table.
    fn read_table(&mut self, bytes: &[u8]) {
        let first = first_line(bytes);
        if is_of_account(first) {
            // The tool that reads such accounts writes all names in small letters.
            let lowered = bytes.to_ascii_lowercase();
            let records = Records::of_list(&lowered, b':', false);
            self.read_rows(records, DesiredColumns::OF_ACCOUNTS, true);
        } else {
            let records = Records::of_list(bytes, mark_between(first), true);
            self.read_rows(records, DesiredColumns::USUAL, false);
        }
    }

    /// Reads rows whose columns are the usual ones, unless the first row names them.
    fn read_rows(&mut self, mut records: Records, usual: DesiredColumns, is_of_accounts: bool) {
        let mut row = ByteRecord::new();
        if !records.read(&mut row) {
            return;
        }
        let mut columns = usual;
        let headings = Headings::of_record(&row);
        let mut is_row = true;
        if let Some(shares) = headings.place(DesiredColumn::Shares) {
            self.has_header = true;
            let line = line_of(&row);
            columns = match DesiredColumns::new(&headings, shares) {
                Ok(columns) => columns,
                Err(problem) => return self.told.problems.report(line, problem),
            };
            // Such accounts have a description, too.
            if !is_of_accounts {
                columns.note_others(&headings, &row, line, &mut self.told.notes);
            }
            is_row = records.read(&mut row);
        }
        while is_row {
            let mut place = columns.place(&row);
            if is_of_accounts && let Some(place) = &mut place {
                place.kind.get_or_insert(Kind::Account);
            }
            let cell = row.get(columns.shares).unwrap_or_default();
            self.take(line_of(&row), place, cell);
            is_row = records.read(&mut row);
        }
    }

    /// Reads the objects of the first list.
    fn read_json(&mut self, bytes: &[u8]) {
        let mut at = match memchr::memchr(b'[', bytes) {
            Some(list) => list + 1,
            None => bytes.len(),
        };
        let places = Places::new(bytes);
        loop {
            while matches!(
                bytes.get(at),
                Some(b',' | b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
            ) {
                at += 1;
            }
            if bytes.get(at) == Some(&b']') {
                return;
            }
            let (line, _) = places.of(at);
            let values = serde_json::Deserializer::from_slice(&bytes[at..]);
            let mut values = values.into_iter::<Value>();
            let Some(Ok(account)) = values.next() else {
                return self.told.problems.report(line, DesiredProblem::BrokenJson);
            };
            at += values.byte_offset();
            let shares = member(&account, "fairshare").unwrap_or_default();
            self.take(line, place_of_account(&account), shares.as_bytes());
        }
    }

    /// Adds the shares of a line, or a problem.
    fn take(&mut self, line: u64, place: Option<DesiredPlace>, cell: &[u8]) {
        match desired_shares(line, place, cell) {
            Ok(shares) => self.told.list.push(shares),
            Err(problem) => self.told.problems.report(line, problem),
        }
    }
}

/// Returns the shares that a line tells of a node in a cell.
fn desired_shares(
    line: u64,
    place: Option<DesiredPlace>,
    cell: &[u8],
) -> Result<DesiredShares, DesiredProblem> {
    let place = place.ok_or(DesiredProblem::Incomplete)?;
    if cell.is_empty() {
        return Err(DesiredProblem::Incomplete);
    }
    let Some(shares) = shares(cell) else {
        let word = shown(cell);
        return Err(DesiredProblem::BadShares { word });
    };
    Ok(DesiredShares {
        place: match place.above {
            Some(above) => [&above[..], b"/", &place.name].concat(),
            None => place.name,
        },
        kind: place.kind,
        shares,
        line: Some(line),
    })
}

/// Returns shares from 0 up, or `parent`. A sign would be that of a change.
fn shares(cell: &[u8]) -> Option<Shares> {
    let shares = text::shares(cell)?;
    let is_negative = matches!(shares.count(), Some(..0));
    if is_negative || cell.starts_with(b"+") {
        return None;
    }
    Some(shares)
}

/// Returns the value of a key in an object as text; `None` if it is missing.
fn member(object: &Value, key: &str) -> Option<String> {
    match &object[key] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Returns the account that an object is about; `None` if it has no name.
fn place_of_account(account: &Value) -> Option<DesiredPlace> {
    let name = member(account, "name").unwrap_or_default();
    if name.is_empty() {
        return None;
    }
    Some(DesiredPlace {
        above: member(account, "parent").as_deref().map(in_path),
        name: in_path(&name),
        kind: Some(Kind::Account),
    })
}

/// Returns a name as a path has it.
fn in_path(name: &str) -> Vec<u8> {
    escape_name(name.as_bytes()).into_bytes()
}

/// Returns the first line that is neither blank nor a comment; empty if there is none.
fn first_line(bytes: &[u8]) -> &[u8] {
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if !line.is_empty() && !line.starts_with(b"#") {
            return line;
        }
    }
    b""
}

/// Returns whether a line is of `account:parent:fairshare`, whose description may hold all other marks.
fn is_of_account(line: &[u8]) -> bool {
    match line.split(|&byte| byte == b':').nth(2) {
        Some(third) => DesiredColumn::Shares.is_called(third) || text::shares(third).is_some(),
        None => false,
    }
}
