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
use super::sheet::{Records, line_of};
use super::{LoadError, LoadResult, problem::Problems, text};
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, Shares, escape_name};
use columns::{DesiredColumns, DesiredPlace};
use csv::ByteRecord;
use serde_json::Value;

/// The shares that a node should have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct DesiredShares {
    /// Its path, a name, or both with the name of its account; `/` is the top.
    pub place: Vec<u8>,
    pub kind: Option<Kind>,
    pub shares: Shares,
    pub line: Option<u64>,
}

const EXPECTED: &str = "expected lines such as physics,40, accounts as account:parent:fairshare:description, JSON \
                        with name, parent and fairshare, or any tree that fairscope opens";

/// What becomes of a line with a problem.
pub(crate) const LEFT_OUT: &str = "the line is left out";

/// The headings of shares, in small letters.
const SHARES: [&str; 4] = ["shares", "rawshares", "raw_shares", "fairshare"];

/// What a list tells.
pub(crate) struct DesiredList {
    pub(crate) list: Vec<DesiredShares>,
    /// The lines that are left out.
    pub(crate) problems: Problems,
    /// The columns that are not read.
    pub(crate) notes: Problems,
}

/// Reads a list. What is wrong with a line is a problem; fails if no line tells shares.
pub(crate) fn read(input: &Input) -> LoadResult<DesiredList> {
    let mut reader = ListReader {
        told: DesiredList {
            list: Vec::new(),
            problems: Problems::of(input.name()),
            notes: Problems::of(input.name()),
        },
        has_header: false,
    };
    let bytes = without_mark(&input.bytes);
    if matches!(bytes.trim_ascii_start().first(), Some(b'[' | b'{')) {
        reader.read_json(bytes);
    } else {
        check_lines(input)?;
        reader.read_table(bytes);
    }
    let told = reader.told;
    if !told.list.is_empty() || reader.has_header && told.problems.is_empty() {
        return Ok(told);
    }
    let first = told.problems.list().first();
    let why = first.map_or_else(Shown::default, |it| sentence!(" ({})", it.message));
    let file = input.name();
    Err(LoadError::Refused(sentence!(
        "{file} tells no shares{why}; {EXPECTED}"
    )))
}

struct ListReader {
    told: DesiredList,
    /// Whether its first line has titles, so that it is a list even without others.
    has_header: bool,
}

impl ListReader {
    fn read_table(&mut self, bytes: &[u8]) {
        let mark = separator(bytes);
        // The tool that reads such accounts writes all names in small letters.
        let is_accounts = mark == b':';
        let lowered = bytes.to_ascii_lowercase();
        let bytes = if is_accounts { &lowered } else { bytes };
        let mut records = Records::of_list(bytes, mark, !is_accounts);
        let mut columns = if is_accounts {
            DesiredColumns::OF_ACCOUNTS
        } else {
            DesiredColumns::USUAL
        };
        let mut record = ByteRecord::new();
        let mut is_first = true;
        while records.read(&mut record) {
            let line = line_of(&record);
            if std::mem::take(&mut is_first)
                && let Some(found) = DesiredColumns::of(&record)
            {
                self.has_header = true;
                match found {
                    Ok(found) => columns = found,
                    Err(why) => return self.refuse(line, why),
                }
                // Such accounts have a description, too.
                if !is_accounts {
                    columns.note_others(&record, line, &mut self.told.notes);
                }
                continue;
            }
            let mut place = columns.place(&record);
            if let Some(place) = &mut place
                && is_accounts
            {
                place.kind.get_or_insert(Kind::Account);
            }
            self.take(line, place, record.get(columns.shares));
        }
    }

    /// Reads the objects of the first list.
    fn read_json(&mut self, bytes: &[u8]) {
        let list = memchr::memchr(b'[', bytes);
        let mut at = list.map_or(bytes.len(), |list| list + 1);
        let places = Places::new(bytes);
        loop {
            let is_between = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b',';
            at += bytes[at..].iter().take_while(is_between).count();
            let (line, _) = places.of(at);
            if matches!(bytes.get(at), Some(b']')) {
                return;
            }
            let values = serde_json::Deserializer::from_slice(&bytes[at..]);
            let mut values = values.into_iter::<Value>();
            let Some(Ok(value)) = values.next() else {
                let message = "the JSON breaks off here, or it has an error or no list";
                return self.refuse(line, message.into());
            };
            at += values.byte_offset();
            let text = |key| match &value[key] {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            let name = |key| Some(escape_name(text(key)?.as_bytes()).into_bytes());
            let named = name("name").filter(|name| !name.is_empty());
            let place = named.map(|own| DesiredPlace {
                above: name("parent"),
                name: own,
                kind: Some(Kind::Account),
            });
            let shares = text("fairshare");
            self.take(line, place, shares.as_ref().map(String::as_bytes));
        }
    }

    /// Adds the shares of a line, or a problem.
    fn take(&mut self, line: u64, place: Option<DesiredPlace>, field: Option<&[u8]>) {
        // A sign would be that of a change.
        let unsigned = field.filter(|field| !field.starts_with(b"+"));
        let shares = unsigned.and_then(text::shares);
        let shares = shares.filter(|shares| shares.count().is_none_or(|count| count >= 0));
        let field = field.filter(|field| !field.is_empty());
        let message = match (place, shares, field) {
            (Some(DesiredPlace { above, name, kind }), Some(shares), _) => {
                let place = match above {
                    Some(above) => [&above[..], b"/", &name].concat(),
                    None => name,
                };
                return self.told.list.push(DesiredShares {
                    place,
                    kind,
                    shares,
                    line: Some(line),
                });
            }
            (Some(_), None, Some(field)) => {
                let word = shown(field);
                sentence!("{word} is not a number of shares; expected one from 0 up, or parent")
            }
            _ => "the name or the shares are missing; expected both, in the form of the first line"
                .into(),
        };
        self.refuse(line, message);
    }

    fn refuse(&mut self, line: u64, message: Shown) {
        let code = "desired-bad-line";
        self.told.problems.refuse(line, code, message, LEFT_OUT);
    }
}

fn is_one_of(field: &[u8], words: &[&str]) -> bool {
    let mut words = words.iter();
    words.any(|word| field.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns what separates the fields of the first line. A description may hold all but the first.
fn separator(bytes: &[u8]) -> u8 {
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && line[0] != b'#');
    let first = first.unwrap_or_default();
    let third = first.split(|&byte| byte == b':').nth(2);
    let is_shares = |field| is_one_of(field, &SHARES) || text::shares(field).is_some();
    let is_account = third.is_some_and(is_shares);
    let marks = if is_account { b":" } else { &b"\t;,|"[..] };
    let mark = marks.iter().find(|mark| first.contains(mark));
    mark.copied().unwrap_or(b',')
}
