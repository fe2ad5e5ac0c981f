//! Reading rows of CSV, and which row each names as its parent.

use super::header::{CsvColumn, Fields, Notes};
use crate::base::shown::{sentence, shown};
use crate::format::text::{parsed, shares};
use crate::model::{NameId, Shares, TreeBuilder, Usage};

/// The name of a root without a row.
pub(super) const ROOT_NAME: &[u8] = b"root";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeType {
    Nothing,
    Account,
    User,
    Root,
}

const TYPES: &[(&str, NodeType)] = &[
    ("", NodeType::Nothing),
    ("account", NodeType::Account),
    ("acct", NodeType::Account),
    ("bank", NodeType::Account),
    ("group", NodeType::Account),
    ("user", NodeType::User),
    ("entity", NodeType::User),
    ("root", NodeType::Root),
];

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

pub(super) struct CsvRows {
    pub(super) builder: TreeBuilder,
    pub(super) list: Vec<CsvRow>,
    candidates: Vec<Option<ParentCandidate>>,
    pub(super) partitions: Vec<(u32, Vec<u8>)>,
    pub(super) active: Vec<(u32, bool)>,
}

impl CsvRows {
    /// Starts without rows. Until its row is known, the root has the name of the first row, so no other name is stored.
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
    pub(super) fn read(&mut self, fields: Fields<'_>, notes: &mut Notes<'_>) {
        let name = fields.name(CsvColumn::Name, notes);
        if name.is_empty() {
            let message = "the row has no name and was left out";
            let advice = "give it a name, or remove the row";
            let place = fields.place(CsvColumn::Name, notes);
            return notes.found.refuse(place, "csv-no-name", message, advice);
        }
        let word = fields.get(CsvColumn::Type).trim_ascii();
        let mut types = TYPES.iter();
        let known = types.find(|(known, _)| word.eq_ignore_ascii_case(known.as_bytes()));
        let node_type = known.map(|(_, node_type)| *node_type);
        let parent = fields.name(CsvColumn::Parent, notes);
        let text = fields.get(CsvColumn::Shares).trim_ascii();
        // The root does not share with anyone.
        let may_lack = text.is_empty() && parent.is_empty() && node_type != Some(NodeType::User);
        let Some(shares) = shares(text).or_else(|| may_lack.then(|| Shares::new(1))) else {
            let (name, text) = (shown(name), shown(text));
            let message = sentence!(
                "the shares of {name} are {text:?}; expected a whole number of 64 bits, or parent; the row was left out"
            );
            let advice = "write a number such as 40";
            let place = fields.place(CsvColumn::Shares, notes);
            return notes.found.refuse(place, "csv-bad-shares", message, advice);
        };
        if let Some((code, meaning)) = odd_shares(shares) {
            let message = sentence!("the shares of {} are {shares}; {meaning}", shown(name));
            let advice = "write a whole number from 0 to 2147483647";
            let place = fields.place(CsvColumn::Shares, notes);
            notes.found.warn(place, code, message, advice);
        }
        let text = fields.get(CsvColumn::Usage).trim_ascii();
        let Some(usage) = usage(text) else {
            let (name, text) = (shown(name), shown(text));
            let message = sentence!(
                "the usage of {name} is {text:?}; expected a number from 0 up, or nothing; the row was left out"
            );
            let advice = "write a number such as 1200.5";
            let place = fields.place(CsvColumn::Usage, notes);
            return notes.found.refuse(place, "csv-bad-usage", message, advice);
        };
        let Ok(above) = self.parent_row(parent, fields, notes) else {
            return;
        };
        if node_type.is_none() {
            let (name, word) = (shown(name), shown(word));
            let message = sentence!(
                "the type of {name} is {word:?}; expected account or user; it is read as an account if a later row is \
                 below it, otherwise as a user"
            );
            let advice = "write account or user";
            let place = fields.place(CsvColumn::Type, notes);
            notes.found.warn(place, "csv-bad-type", message, advice);
        }
        check_form(name, fields, notes);
        let row = u32::try_from(self.list.len())
            .expect("a row has bytes, and a file less than 2^32 rows");
        self.read_rare(row, fields, notes);
        let id = self.builder.intern(name);
        self.list.push(CsvRow {
            name: id,
            parent: above,
            shares,
            usage,
            node_type: node_type.unwrap_or(NodeType::Nothing),
            has_children: false,
            line: fields.record.position().map_or(0, csv::Position::line),
        });
        self.offer_as_parent(row, fields, notes);
    }

    /// Reads the columns that most files do not have.
    fn read_rare(&mut self, row: u32, fields: Fields<'_>, notes: &mut Notes<'_>) {
        let partition = fields.name(CsvColumn::Partition, notes);
        if !partition.is_empty() {
            self.partitions.push((row, partition.to_vec()));
        }
        match fields.get(CsvColumn::Active).trim_ascii() {
            b"" => {}
            b"0" => self.active.push((row, false)),
            b"1" => self.active.push((row, true)),
            other => {
                let other = shown(other);
                let message = sentence!("active is {other:?}; expected 0 or 1; it is not used");
                let advice = "write 1 for a user with jobs, 0 for one without, or nothing";
                let place = fields.place(CsvColumn::Active, notes);
                notes.found.warn(place, "csv-bad-active", message, advice);
            }
        }
    }

    /// Returns the row that a `parent` means; `None` at the top.
    fn parent_row(
        &mut self,
        parent: &[u8],
        fields: Fields<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Option<u32>, ()> {
        if parent.is_empty() {
            return Ok(None);
        }
        // Rows of one account mostly follow each other.
        if let Some(above) = self.list.last().and_then(|row| row.parent)
            && let name = self.list[above as usize].name
            && self.builder.name_bytes(name) == parent
            && self.candidate(name).is_some_and(|it| it.row == above)
        {
            return Ok(Some(above));
        }
        let name = self.builder.find_name(parent);
        match name.and_then(|name| self.candidate(name)) {
            Some(candidate) => {
                let row = &mut self.list[candidate.row as usize];
                if candidate.is_one_of_several && !row.is_account() {
                    let (parent, line) = (shown(parent), row.line);
                    let message = sentence!(
                        "several earlier rows are called {parent}; this row is put under the last one, on line {line}"
                    );
                    let code = "csv-ambiguous-parent";
                    let advice =
                        "give the intended one the type account and the others the type user";
                    let place = fields.place(CsvColumn::Parent, notes);
                    notes.found.warn(place, code, message, advice);
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
                let code = "csv-unknown-parent";
                let advice =
                    "put the account's row before the rows below it, without the type user";
                let place = fields.place(CsvColumn::Parent, notes);
                notes.found.refuse(place, code, message, advice);
                Err(())
            }
        }
    }

    fn candidate(&self, name: NameId) -> Option<ParentCandidate> {
        self.candidates.get(name.index()).copied().flatten()
    }

    /// Lets later rows name this one as their parent, unless it is a user, or may be one and an account has that name.
    fn offer_as_parent(&mut self, row: u32, fields: Fields<'_>, notes: &mut Notes<'_>) {
        let own = &self.list[row as usize];
        let (name, node_type) = (own.name, own.node_type);
        if node_type == NodeType::User {
            return;
        }
        let before = self.candidate(name);
        let account_before = before.filter(|before| self.list[before.row as usize].is_account());
        if let Some(account) = account_before {
            if node_type == NodeType::Nothing {
                return;
            }
            // The second of two roots is reported when the root is known.
            if !self.may_be_root(row as usize) || !self.may_be_root(account.row as usize) {
                let message = sentence!(
                    "the account {} is already on line {}; later rows that name it are put under this one",
                    shown(self.builder.name_bytes(name)),
                    self.list[account.row as usize].line
                );
                let code = "csv-repeated-account";
                let advice = "give every account a name of its own, or keep each account's rows right below it";
                let place = fields.place(CsvColumn::Name, notes);
                notes.found.warn(place, code, message, advice);
            }
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

/// Reports what is odd about the form of a row that is used nevertheless.
fn check_form(name: &[u8], fields: Fields<'_>, notes: &mut Notes<'_>) {
    if name.contains(&b'\n') {
        let message = sentence!(
            "the name {} spans several lines, so the rows on them are not read",
            shown(name)
        );
        let advice = "close the quotes that open before it, or double a quote within a name";
        let place = fields.place(CsvColumn::Name, notes);
        notes.found.warn(place, "csv-open-quotes", message, advice);
    }
    let length = fields.record.len();
    if fields.layout.index(CsvColumn::Shares) >= Some(length) {
        let name = shown(name);
        let message = sentence!("the row of {name} ends before its shares; it is given 1");
        let advice = "write a comma for each field, also for an empty one";
        let code = "csv-too-few-fields";
        let place = notes.place(fields.record, length);
        notes.found.warn(place, code, message, advice);
    }
    let width = fields.layout.width;
    if length > width {
        let message = sentence!(
            "the row of {} has {length} fields, but the header names {width}; the others are not read",
            shown(name)
        );
        let advice = "put a name that holds a comma in quotes, or remove the last fields";
        let code = "csv-too-many-fields";
        let place = notes.place(fields.record, width);
        notes.found.warn(place, code, message, advice);
    }
}

/// Returns the code and words for shares that not every scheduler can hold, or `None` for other shares.
fn odd_shares(shares: Shares) -> Option<(&'static str, &'static str)> {
    match shares.count()? {
        ..0 => Some((
            "csv-negative-shares",
            "PBS uses them as they are; Slurm and Flux read them as very large numbers",
        )),
        count if count > i64::from(u32::MAX) => Some((
            "csv-large-shares",
            "Flux uses them as they are; PBS and Slurm truncate them to 32 bits",
        )),
        _ => None,
    }
}

fn usage(text: &[u8]) -> Option<Usage> {
    if text.is_empty() {
        return Some(Usage::NONE);
    }
    let amount: f64 = parsed(text)?;
    (amount.is_finite() && amount >= 0.0).then(|| Usage::new(amount))
}
