//! Reading rows of CSV, and which row each names as its parent.

use super::fields::{NodeType, node_type, odd_shares, shares, usage};
use super::header::{Column, Layout};
use super::notes::Notes;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::Severity;
use crate::model::{NameId, Shares, TreeBuilder, Usage};
use csv::ByteRecord;

/// The name of a root without a row.
pub(super) const ROOT_NAME: &[u8] = b"root";

/// One parsed row.
pub(super) struct CsvRow {
    pub(super) name: NameId,
    /// The row of the parent; `None` at the top.
    pub(super) parent: Option<u32>,
    pub(super) shares: Shares,
    pub(super) usage: Usage,
    pub(super) node_type: NodeType,
    has_children: bool,
    pub(super) line: u64,
}

impl CsvRow {
    pub(super) fn is_account(&self) -> bool {
        self.has_children || matches!(self.node_type, NodeType::Account | NodeType::Root)
    }
}

/// The row that a `parent` of some name means so far.
#[derive(Clone, Copy)]
struct ParentCandidate {
    row: u32,
    /// Whether an earlier row has that name, too, without type account and without members.
    is_one_of_several: bool,
}

/// The rows parsed so far.
pub(super) struct CsvRows {
    pub(super) builder: TreeBuilder,
    pub(super) list: Vec<CsvRow>,
    /// By name.
    candidates: Vec<Option<ParentCandidate>>,
    pub(super) partitions: Vec<(u32, Vec<u8>)>,
    pub(super) active: Vec<(u32, bool)>,
}

impl CsvRows {
    /// Starts without rows. The root is known only at the end. Until then it has the name of the first row, so that no
    /// name is stored that no node has.
    pub(super) fn new(first_name: &[u8], expected: usize) -> Self {
        let mut builder = TreeBuilder::new(first_name);
        builder.reserve(expected);
        Self {
            builder,
            list: Vec::with_capacity(expected),
            candidates: Vec::with_capacity(expected),
            partitions: Vec::new(),
            active: Vec::new(),
        }
    }

    /// Reads one row. An invalid row is left out and reported.
    pub(super) fn read(&mut self, record: &ByteRecord, layout: &Layout, problems: &mut Notes<'_>) {
        let mut say = |severity, column: Column, code, message: Shown, advice| {
            let index = layout.index(column).unwrap_or(0);
            problems.at_field(record, index, severity, code, message, advice);
        };
        let name = layout.field(record, Column::Name);
        if name.is_empty() {
            let message = "the row has no name and was left out";
            return say(
                Severity::Error,
                Column::Name,
                "csv-no-name",
                message.into(),
                "give it a name, or remove the row",
            );
        }
        let text = layout.field(record, Column::Type).trim_ascii();
        let node_type = node_type(text);
        let parent = layout.field(record, Column::Parent);
        let shares_text = layout.field(record, Column::Shares).trim_ascii();
        let shares = match shares(shares_text) {
            Ok(shares) => shares,
            // The root does not share with anyone.
            Err(())
                if shares_text.is_empty()
                    && parent.is_empty()
                    && node_type != Some(NodeType::User) =>
            {
                Shares::new(1)
            }
            Err(()) => {
                let expected = "a whole number of 64 bits, or parent";
                return say(
                    Severity::Error,
                    Column::Shares,
                    "csv-bad-shares",
                    no_number("shares", "are", name, shares_text, expected),
                    "write a number such as 40",
                );
            }
        };
        if let Some((code, meaning)) = odd_shares(shares) {
            let message = sentence!("the shares of {} are {shares}; {meaning}", shown(name));
            let advice = "write a whole number from 0 to 2147483647";
            say(Severity::Warning, Column::Shares, code, message, advice);
        }
        let usage_text = layout.field(record, Column::Usage).trim_ascii();
        let Some(usage) = usage(usage_text) else {
            let expected = "a number from 0 up, or nothing";
            return say(
                Severity::Error,
                Column::Usage,
                "csv-bad-usage",
                no_number("usage", "is", name, usage_text, expected),
                "write a number such as 1200.5",
            );
        };
        let Ok(above) = self.find_parent(parent, record, layout, problems) else {
            return;
        };
        check_form(record, layout, name, text, problems);
        let row = u32::try_from(self.list.len())
            .expect("a row has bytes, and a file less than 2^32 rows");
        self.read_rare(row, record, layout, problems);
        let id = self.builder.intern(name);
        let line = record.position().map_or(0, csv::Position::line);
        self.list.push(CsvRow {
            name: id,
            parent: above,
            shares,
            usage,
            node_type: node_type.unwrap_or(NodeType::Nothing),
            has_children: false,
            line,
        });
        self.offer_as_parent(row, record, layout, problems);
    }

    /// Reads the columns that most files do not have.
    fn read_rare(
        &mut self,
        row: u32,
        record: &ByteRecord,
        layout: &Layout,
        problems: &mut Notes<'_>,
    ) {
        let partition = layout.field(record, Column::Partition);
        if !partition.is_empty() {
            self.partitions.push((row, partition.to_vec()));
        }
        match layout.field(record, Column::Active).trim_ascii() {
            b"" => {}
            b"0" => self.active.push((row, false)),
            b"1" => self.active.push((row, true)),
            other => problems.at_field(
                record,
                layout.index(Column::Active).unwrap_or(0),
                Severity::Warning,
                "csv-bad-active",
                sentence!(
                    "active is {:?}; expected 0 or 1; it is not used",
                    shown(other)
                ),
                "write 1 for a user with jobs, 0 for one without, or nothing",
            ),
        }
    }

    /// Returns the row that a `parent` means; `None` at the top.
    fn find_parent(
        &mut self,
        parent: &[u8],
        record: &ByteRecord,
        layout: &Layout,
        problems: &mut Notes<'_>,
    ) -> Result<Option<u32>, ()> {
        if parent.is_empty() {
            return Ok(None);
        }
        // Rows of one account mostly follow each other.
        if let Some(above) = self.list.last().and_then(|row| row.parent)
            && self.builder.name_bytes(self.list[above as usize].name) == parent
            && self
                .candidate(self.list[above as usize].name)
                .is_some_and(|candidate| candidate.row == above)
        {
            return Ok(Some(above));
        }
        let found = self
            .builder
            .find_name(parent)
            .and_then(|name| self.candidate(name));
        let index = layout.index(Column::Parent).unwrap_or(0);
        match found {
            Some(candidate) => {
                let row = &mut self.list[candidate.row as usize];
                if candidate.is_one_of_several && !row.is_account() {
                    let message = sentence!(
                        "several earlier rows are called {}; this row is put under the last one, on line {}",
                        shown(parent),
                        row.line
                    );
                    let advice =
                        "give the intended one the type account and the others the type user";
                    problems.at_field(
                        record,
                        index,
                        Severity::Warning,
                        "csv-ambiguous-parent",
                        message,
                        advice,
                    );
                }
                row.has_children = true;
                Ok(Some(candidate.row))
            }
            None if parent == ROOT_NAME => Ok(None),
            None => {
                let message = sentence!(
                    "unknown account '{}\': no earlier row defines it; the row was left out",
                    shown(parent)
                );
                let advice =
                    "put the account's row before the rows below it, without the type user";
                problems.at_field(
                    record,
                    index,
                    Severity::Error,
                    "csv-unknown-parent",
                    message,
                    advice,
                );
                Err(())
            }
        }
    }

    fn candidate(&self, name: NameId) -> Option<ParentCandidate> {
        self.candidates.get(name.index()).copied().flatten()
    }

    /// Allows later rows to name this one as their parent, unless it is a user, or it may be a user and there is an
    /// account of that name.
    fn offer_as_parent(
        &mut self,
        row: u32,
        record: &ByteRecord,
        layout: &Layout,
        problems: &mut Notes<'_>,
    ) {
        let CsvRow {
            name, node_type, ..
        } = self.list[row as usize];
        if node_type == NodeType::User {
            return;
        }
        let before = self.candidate(name);
        let account_before = before.filter(|before| self.list[before.row as usize].is_account());
        match account_before {
            Some(_) if node_type == NodeType::Nothing => return,
            // The second of two roots is reported when the root is known.
            Some(account)
                if self.may_be_root(row as usize) && self.may_be_root(account.row as usize) => {}
            Some(account) => {
                let message = sentence!(
                    "the account {} is already on line {}; later rows that name it are put under this one",
                    shown(self.builder.name_bytes(name)),
                    self.list[account.row as usize].line
                );
                let index = layout.index(Column::Name).unwrap_or(0);
                let advice = "give every account a name of its own, or keep each account's rows right below it";
                problems.at_field(
                    record,
                    index,
                    Severity::Warning,
                    "csv-repeated-account",
                    message,
                    advice,
                );
            }
            None => {}
        }
        if self.candidates.len() <= name.index() {
            self.candidates.resize(name.index() + 1, None);
        }
        self.candidates[name.index()] = Some(ParentCandidate {
            row,
            is_one_of_several: before.is_some() && account_before.is_none(),
        });
    }
}

/// Reports what is odd about a row that is used nevertheless: its type, or its number of fields.
fn check_form(
    record: &ByteRecord,
    layout: &Layout,
    name: &[u8],
    text: &[u8],
    problems: &mut Notes<'_>,
) {
    if node_type(text).is_none() {
        let index = layout.index(Column::Type).unwrap_or(0);
        let message = sentence!(
            "the type of {} is {:?}; expected account or user; it is read as an account if a later row is below it, \
             otherwise as a user",
            shown(name),
            shown(text)
        );
        let advice = "write account or user";
        problems.at_field(
            record,
            index,
            Severity::Warning,
            "csv-bad-type",
            message,
            advice,
        );
    }
    if name.contains(&b'\n') {
        let message = sentence!(
            "the name {} spans several lines, so the rows on them are not read",
            shown(name)
        );
        let index = layout.index(Column::Name).unwrap_or(0);
        let advice = "close the quotes that open before it, or double a quote within a name";
        let code = "csv-open-quotes";
        problems.at_field(record, index, Severity::Warning, code, message, advice);
    }
    if layout.index(Column::Shares) >= Some(record.len()) {
        let message = sentence!(
            "the row of {} ends before its shares; it is given 1",
            shown(name)
        );
        let advice = "write a comma for each field, also for an empty one";
        let (index, code) = (record.len(), "csv-too-few-fields");
        problems.at_field(record, index, Severity::Warning, code, message, advice);
    }
    if record.len() > layout.width {
        let message = sentence!(
            "the row of {} has {} fields, but the header names {}; the others are not read",
            shown(name),
            record.len(),
            layout.width
        );
        let advice = "put a name that holds a comma in quotes, or remove the last fields";
        problems.at_field(
            record,
            layout.width,
            Severity::Warning,
            "csv-too-many-fields",
            message,
            advice,
        );
    }
}

/// Returns the refusal of a row because of what it holds in place of a number.
fn no_number(noun: &str, verb: &str, name: &[u8], text: &[u8], expected: &str) -> Shown {
    sentence!(
        "the {noun} of {} {verb} {:?}; expected {expected}; the row was left out",
        shown(name),
        shown(text)
    )
}
