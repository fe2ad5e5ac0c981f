//! Reading rows of CSV, and which row each names as its parent.

use super::cells::CsvCells;
use super::{CsvColumn, CsvProblem};
use crate::base::shown::shown;
use crate::format::problem::Problems;
use crate::format::sheet::line_of;
use crate::format::text::{self, parsed};
use crate::model::{NameId, Shares, TreeBuilder, Usage};
use csv::ByteRecord;

/// The name of a root without a row.
pub(super) const ROOT_NAME: &[u8] = b"root";

/// What a row says about the kind of its node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeType {
    /// It may be an account or a user.
    Nothing,
    Account,
    User,
    Root,
    /// All that its level has and the table does not list.
    Others,
}

/// The words of a type, in small letters.
const TYPES: &[(&str, NodeType)] = &[
    ("", NodeType::Nothing),
    ("account", NodeType::Account),
    ("acct", NodeType::Account),
    ("bank", NodeType::Account),
    ("group", NodeType::Account),
    ("user", NodeType::User),
    ("entity", NodeType::User),
    ("root", NodeType::Root),
    ("others", NodeType::Others),
];

/// A row that can be used.
pub(super) struct CsvRow {
    /// The name of its node.
    pub(super) name: NameId,
    /// The row of the parent; `None` at the top.
    pub(super) parent: Option<u32>,
    /// The shares in its account.
    pub(super) shares: Shares,
    /// Its usage; none where the cell is empty.
    pub(super) usage: Usage,
    /// What its cell says of the kind of the node.
    pub(super) node_type: NodeType,
    /// Whether a later row is below it.
    has_children: bool,
    /// Its line, from 1.
    pub(super) line: u64,
}

impl CsvRow {
    /// Returns whether it is an account, as far as the rows before the last one tell.
    pub(super) fn is_account(&self) -> bool {
        self.has_children || matches!(self.node_type, NodeType::Account | NodeType::Root)
    }

    /// Returns whether it is at the top and has the name or type of a root.
    pub(super) fn may_be_root(&self, builder: &TreeBuilder) -> bool {
        if self.parent.is_some() {
            return false;
        }
        match self.node_type {
            NodeType::Root => true,
            NodeType::User => false,
            _ => builder.name_bytes(self.name) == ROOT_NAME,
        }
    }
}

/// The row that a `parent` of some name means so far.
#[derive(Clone, Copy)]
struct ParentCandidate {
    /// The place of that row in the list.
    row: u32,
    /// Whether an earlier row has that name, too, without type account and without members.
    is_one_of_several: bool,
}

/// A partition, and the row that names it.
pub(super) struct RowPartition {
    /// The place of the row in the list.
    pub(super) row: u32,
    pub(super) partition: Vec<u8>,
}

/// Whether a node has jobs, and the row that says so.
pub(super) struct RowActive {
    /// The place of the row in the list.
    pub(super) row: u32,
    pub(super) is_active: bool,
}

/// The rows of a file that can be used, and what is wrong with the others.
pub(super) struct CsvRows<'a> {
    cells: CsvCells<'a>,
    pub(super) problems: Problems,
    /// The names, and later the nodes.
    pub(super) builder: TreeBuilder,
    /// In the order of the file.
    pub(super) list: Vec<CsvRow>,
    /// By name: the row that later rows mean by it.
    candidates: Vec<Option<ParentCandidate>>,
    /// Partitions of rows, which most files do not have.
    pub(super) partitions: Vec<RowPartition>,
    /// What the rows say of jobs.
    pub(super) active: Vec<RowActive>,
}

impl<'a> CsvRows<'a> {
    /// Starts without rows. Until its row is known, the root has the name of the first row, so no other name is stored.
    pub(super) fn new(
        cells: CsvCells<'a>,
        problems: Problems,
        first_name: &[u8],
        expected: usize,
    ) -> Self {
        let mut builder = TreeBuilder::new(first_name);
        builder.reserve(expected);
        Self {
            cells,
            problems,
            builder,
            list: Vec::with_capacity(expected),
            candidates: Vec::with_capacity(expected),
            partitions: Vec::new(),
            active: Vec::new(),
        }
    }

    /// Reports a problem of a cell.
    fn report(&mut self, row: &ByteRecord, column: CsvColumn, problem: CsvProblem) {
        let place = self.cells.place(row, column);
        self.problems.report(place, problem);
    }

    /// Reads one row. An invalid row is left out and reported.
    pub(super) fn read(&mut self, record: &ByteRecord) {
        let name = self.cells.name(record, CsvColumn::Name);
        if name.is_empty() {
            return self.report(record, CsvColumn::Name, CsvProblem::NoName);
        }
        let word = self.cells.text(record, CsvColumn::Type);
        let node_type = type_of(word);
        let parent = self.cells.name(record, CsvColumn::Parent);
        // The root does not share with anyone.
        let may_be_root = parent.is_empty() && node_type != Some(NodeType::User);
        let Some(shares) = self.shares(record, name, may_be_root) else {
            return;
        };
        let Some(usage) = self.usage(record, name) else {
            return;
        };
        let parent_row = match self.parent_row(parent, record) {
            Ok(row) => row,
            Err(problem) => return self.report(record, CsvColumn::Parent, problem),
        };
        if node_type.is_none() {
            let problem = CsvProblem::BadType {
                name: shown(name),
                word: shown(word),
            };
            self.report(record, CsvColumn::Type, problem);
        }
        self.check_form(name, record);
        let index = u32::try_from(self.list.len())
            .expect("a row has bytes, and a file less than 2^32 rows");
        self.read_partition(index, record);
        self.read_active(index, record);
        self.list.push(CsvRow {
            name: self.builder.intern(name),
            parent: parent_row,
            shares,
            usage,
            node_type: node_type.unwrap_or(NodeType::Nothing),
            has_children: false,
            line: line_of(record),
        });
        self.offer_as_parent(index, record);
    }

    /// Returns the shares of a row; `None` if they are wrong, which is reported.
    fn shares(&mut self, record: &ByteRecord, name: &[u8], may_be_root: bool) -> Option<Shares> {
        let text = self.cells.text(record, CsvColumn::Shares);
        let Some(shares) = text::shares(text) else {
            if text.is_empty() && may_be_root {
                return Some(Shares::new(1));
            }
            let problem = CsvProblem::BadShares {
                name: shown(name),
                text: shown(text),
            };
            self.report(record, CsvColumn::Shares, problem);
            return None;
        };
        let count = shares.count().unwrap_or(0);
        if count < 0 {
            let name = shown(name);
            let problem = CsvProblem::NegativeShares { name, shares };
            self.report(record, CsvColumn::Shares, problem);
        } else if count > i64::from(u32::MAX) {
            let name = shown(name);
            let problem = CsvProblem::LargeShares { name, shares };
            self.report(record, CsvColumn::Shares, problem);
        }
        Some(shares)
    }

    /// Returns the usage of a row; `None` if it is wrong, which is reported.
    fn usage(&mut self, record: &ByteRecord, name: &[u8]) -> Option<Usage> {
        let text = self.cells.text(record, CsvColumn::Usage);
        if text.is_empty() {
            return Some(Usage::NONE);
        }
        if let Some(amount) = parsed::<f64>(text)
            && amount.is_finite()
            && amount >= 0.0
        {
            return Some(Usage::new(amount));
        }
        let problem = CsvProblem::BadUsage {
            name: shown(name),
            text: shown(text),
        };
        self.report(record, CsvColumn::Usage, problem);
        None
    }

    /// Keeps the partition of a row, if it has one.
    fn read_partition(&mut self, row: u32, record: &ByteRecord) {
        let name = self.cells.name(record, CsvColumn::Partition);
        if !name.is_empty() {
            let partition = name.to_vec();
            self.partitions.push(RowPartition { row, partition });
        }
    }

    /// Keeps whether the node of a row has jobs, if the row says so.
    fn read_active(&mut self, row: u32, record: &ByteRecord) {
        let is_active = match self.cells.text(record, CsvColumn::Active) {
            b"" => return,
            b"0" => false,
            b"1" => true,
            other => {
                let text = shown(other);
                return self.report(record, CsvColumn::Active, CsvProblem::BadActive { text });
            }
        };
        self.active.push(RowActive { row, is_active });
    }

    /// Returns the row that a `parent` means; `None` at the top.
    fn parent_row(
        &mut self,
        parent: &[u8],
        record: &ByteRecord,
    ) -> Result<Option<u32>, CsvProblem> {
        if parent.is_empty() {
            return Ok(None);
        }
        if let Some(row) = self.parent_of_last(parent) {
            return Ok(Some(row));
        }
        let Some(candidate) = self.candidate_of(parent) else {
            if parent == ROOT_NAME {
                return Ok(None);
            }
            let parent = shown(parent);
            return Err(CsvProblem::UnknownParent { parent });
        };
        let row = &mut self.list[candidate.row as usize];
        let is_ambiguous = candidate.is_one_of_several && !row.is_account();
        row.has_children = true;
        if is_ambiguous {
            let problem = CsvProblem::AmbiguousParent {
                parent: shown(parent),
                line: row.line,
            };
            self.report(record, CsvColumn::Parent, problem);
        }
        Ok(Some(candidate.row))
    }

    /// Returns the parent of the last row if it has this name: rows of one account mostly follow each other.
    fn parent_of_last(&self, parent: &[u8]) -> Option<u32> {
        let row = self.list.last()?.parent?;
        let name = self.list[row as usize].name;
        if self.builder.name_bytes(name) == parent && self.candidate(name)?.row == row {
            return Some(row);
        }
        None
    }

    /// Returns the row that a name means so far.
    fn candidate_of(&self, name: &[u8]) -> Option<ParentCandidate> {
        self.candidate(self.builder.find_name(name)?)
    }

    /// Returns the row that a name means so far; `None` if no row that may be an account has it.
    fn candidate(&self, name: NameId) -> Option<ParentCandidate> {
        *self.candidates.get(name.index())?
    }

    /// Lets later rows name this one as their parent, unless it is a user, or may be one and an account has that name.
    fn offer_as_parent(&mut self, index: u32, record: &ByteRecord) {
        let row = &self.list[index as usize];
        if row.node_type == NodeType::User {
            return;
        }
        let name = row.name;
        let mut is_one_of_several = false;
        if let Some(candidate) = self.candidate(name) {
            let before = &self.list[candidate.row as usize];
            if before.is_account() {
                if row.node_type == NodeType::Nothing {
                    return;
                }
                // The second of two roots is reported when the root is known.
                let builder = &self.builder;
                if !row.may_be_root(builder) || !before.may_be_root(builder) {
                    let problem = CsvProblem::RepeatedAccount {
                        name: shown(builder.name_bytes(name)),
                        line: before.line,
                    };
                    self.report(record, CsvColumn::Name, problem);
                }
            } else {
                is_one_of_several = true;
            }
        }
        if self.candidates.len() <= name.index() {
            self.candidates.resize(name.index() + 1, None);
        }
        self.candidates[name.index()] = Some(ParentCandidate {
            row: index,
            is_one_of_several,
        });
    }

    /// Reports what is odd about the form of a row that is used nevertheless.
    fn check_form(&mut self, name: &[u8], record: &ByteRecord) {
        if name.contains(&b'\n') {
            let name = shown(name);
            self.report(record, CsvColumn::Name, CsvProblem::OpenQuotes { name });
        }
        let length = record.len();
        if self.cells.ends_before(record, CsvColumn::Shares) {
            let place = self.cells.place_at(record, length);
            let name = shown(name);
            let problem = CsvProblem::TooFewFields { name };
            self.problems.report(place, problem);
        }
        let width = self.cells.width();
        if length > width {
            let place = self.cells.place_at(record, width);
            let problem = CsvProblem::TooManyFields {
                name: shown(name),
                length,
                width,
            };
            self.problems.report(place, problem);
        }
    }
}

/// Returns what a cell says about the kind of a node; `None` for a word that is not known.
fn type_of(word: &[u8]) -> Option<NodeType> {
    for (known, node_type) in TYPES {
        if word.eq_ignore_ascii_case(known.as_bytes()) {
            return Some(*node_type);
        }
    }
    None
}
