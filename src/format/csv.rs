//! CSV: one node a row, accounts before their members.
//!
//! ```text
//! parent,name,shares,usage,type
//! ,physics,40,,account
//! physics,alice,2,1200.5,user
//! ```
//!
//! The columns may be in any order; `name`, `parent` and `shares` are required. `parent` names an account of an earlier
//! row and is empty for nodes at the top. If several accounts have the name, the last one before the row is meant, so
//! rows that follow their account are read as a person would read them.
//!
//! Names are bytes. A quoted field may contain commas, quotes (doubled) and line ends. Blanks around a field do not count,
//! unless they are part of a name in quotes.

mod cells;
mod rows;

use super::input::{Meter, without_mark};
use super::loss::{Fault, Loss, Losses};
use super::problem::{Place, Problems, problems};
use super::sheet::{Records, sheet_columns};
use super::stated::{self, StatedSum, SumSource};
use super::text::{number, records_follow_rows, sums_in_any_order};
use super::{Format, LoadResult, Loaded, OnProgress, Request};
use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Position, Recorded, Settings, Shares, Snapshot, Tree};
use cells::{CsvCells, no_header};
use csv::{ByteRecord, QuoteStyle};
use rows::{CsvRow, CsvRows, NodeType, ROOT_NAME};

sheet_columns! {
    /// The columns of a tree.
    enum CsvColumn {
        Parent, "parent";
        Name, "name";
        Shares, "shares";
        Usage, "usage";
        Type, "type";
        Partition, "partition";
        Active, "active";
    }
}

problems! {
/// What can be wrong in a file.
    enum CsvProblem {
        NoRows, Warning "csv-no-rows",
            "there is a header but no usable row, so the tree has only a root",
            "add rows such as: ,physics,40,,account";
        NoName, Error "csv-no-name",
            "the row has no name and was left out",
            "give it a name, or remove the row";
        BadShares { name: Shown, text: Shown }, Error "csv-bad-shares",
            "the shares of {name} are {text:?}; expected a whole number of 64 bits, or parent; the row was left out",
            "write a number such as 40";
        NegativeShares { name: Shown, shares: Shares }, Warning "csv-negative-shares",
            "the shares of {name} are {shares}; PBS uses them as they are; Slurm and Flux read them as very large numbers",
            "write a whole number from 0 to 2147483647";
        LargeShares { name: Shown, shares: Shares }, Warning "csv-large-shares",
            "the shares of {name} are {shares}; Flux uses them as they are; PBS and Slurm truncate them to 32 bits",
            "write a whole number from 0 to 2147483647";
        BadUsage { name: Shown, text: Shown }, Error "csv-bad-usage",
            "the usage of {name} is {text:?}; expected a number from 0 up, or nothing; the row was left out",
            "write a number such as 1200.5";
        BadType { name: Shown, word: Shown }, Warning "csv-bad-type",
            "the type of {name} is {word:?}; expected account, user or others; it is read as an account if a later row is below it, otherwise as a user",
            "write account or user";
        BadActive { text: Shown }, Warning "csv-bad-active",
            "active is {text:?}; expected 0 or 1; it is not used",
            "write 1 for a user with jobs, 0 for one without, or nothing";
        UnknownParent { parent: Shown }, Error "csv-unknown-parent",
            "unknown account '{parent}\': no earlier row defines it; the row was left out",
            "put the account's row before the rows below it, without the type user";
        AmbiguousParent { parent: Shown, line: u64 }, Warning "csv-ambiguous-parent",
            "several earlier rows are called {parent}; this row is put under the last one, on line {line}",
            "give the intended one the type account and the others the type user";
        RepeatedAccount { name: Shown, line: u64 }, Warning "csv-repeated-account",
            "the account {name} is already on line {line}; later rows that name it are put under this one",
            "give every account a name of its own, or keep each account's rows right below it";
        SecondRoot { name: Shown, line: u64 }, Warning "csv-second-root",
            "{name} is a second root; the root on line {line} has its members, and its shares and usage are not read",
            "remove one of the two rows, or name its account in the column parent";
        RepeatedName { name: Shown }, Warning "csv-repeated-name",
            "{name} appears twice under its account; both are kept",
            "remove one of the two, or give it another name";
        OpenQuotes { name: Shown }, Warning "csv-open-quotes",
            "the name {name} spans several lines, so the rows on them are not read",
            "close the quotes that open before it, or double a quote within a name";
        TooFewFields { name: Shown }, Warning "csv-too-few-fields",
            "the row of {name} ends before its shares; it is given 1",
            "write a comma for each field, also for an empty one";
        TooManyFields { name: Shown, length: usize, width: usize }, Warning "csv-too-many-fields",
            "the row of {name} has {length} fields, but the header names {width}; the others are not read",
            "put a name that holds a comma in quotes, or remove the last fields";
    }
}

/// The bytes of a row, roughly. They tell how many rows a file may have.
const ROW_BYTES: usize = 24;

/// Reads a CSV file; fails without a usable header, or if the user cancelled.
#[expect(
    clippy::needless_pass_by_value,
    reason = "every format takes the bytes it was given, so that a large file is not held twice"
)]
pub fn parse(bytes: Vec<u8>, request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    let text = without_mark(&bytes);
    let mut records = Records::of(text, b',');
    let mut record = ByteRecord::new();
    let file = request.file_name();
    let mut problems = Problems::of(file.clone());
    if !records.read(&mut record) {
        return Err(no_header(&file, "it is empty"));
    }
    let mut cells = CsvCells::new(&record, text, &mut problems)?;
    let mut is_row = records.read(&mut record);
    let first_name = if is_row {
        cells.name(&record, CsvColumn::Name)
    } else {
        ROOT_NAME
    };
    let mut rows = CsvRows::new(cells, problems, first_name, text.len() / ROW_BYTES);
    let mut meter = Meter::of_text(file, &bytes, report);
    while is_row {
        meter.at(records.bytes(), rows.list.len())?;
        rows.read(&record);
        is_row = records.read(&mut record);
    }
    if rows.list.is_empty() {
        rows.problems.report(Place::WHOLE, CsvProblem::NoRows);
    }
    Ok(rows.into_loaded(request))
}

impl CsvRows<'_> {
    /// Returns the row of the root, if any: an account alone at the top, or else the first with a root's name or type.
    fn root(&self) -> Option<usize> {
        let mut root = None;
        let mut first_at_top = None;
        let mut count_at_top = 0;
        for (index, row) in self.list.iter().enumerate() {
            if row.parent.is_some() {
                continue;
            }
            count_at_top += 1;
            first_at_top.get_or_insert(index);
            if root.is_none() && row.may_be_root(&self.builder) {
                root = Some(index);
            }
        }
        if let Some(first) = first_at_top
            && count_at_top == 1
            && self.list[first].is_account()
        {
            return Some(first);
        }
        root
    }

    /// Makes the tree of the rows.
    fn into_loaded(mut self, request: &Request) -> Loaded {
        let root = self.root();
        let root_name = match root {
            Some(root) => self.builder.name_bytes(self.list[root].name).to_vec(),
            None => ROOT_NAME.to_vec(),
        };
        self.builder.rename_root(&root_name);
        let mut nodes: Vec<NodeId> = Vec::with_capacity(self.list.len());
        let mut stated = Vec::new();
        for (index, row) in self.list.iter().enumerate() {
            if let Some(root) = root
                && index != root
                && row.may_be_root(&self.builder)
            {
                let name = shown(self.builder.name_bytes(row.name));
                let line = self.list[root].line;
                let problem = CsvProblem::SecondRoot { name, line };
                self.problems.report(row.line, problem);
                nodes.push(NodeId::ROOT);
                continue;
            }
            let kind = kind(row);
            let node = if Some(index) == root {
                NodeId::ROOT
            } else {
                let parent = match row.parent {
                    Some(parent) => nodes[parent as usize],
                    None => NodeId::ROOT,
                };
                self.builder.push(parent, row.name, kind, Position::Last)
            };
            nodes.push(node);
            self.builder.set_shares(node, row.shares);
            let Some(usage) = row.usage.amount() else {
                continue;
            };
            if kind == Kind::Account {
                self.builder.set_usage(node, row.usage);
                stated.push(StatedSum {
                    account: node,
                    usage,
                    line: row.line,
                });
            } else {
                self.builder.record(node, usage, true);
            }
        }
        for row in &self.partitions {
            let node = nodes[row.row as usize];
            self.builder.set_partition(node, &row.partition);
        }
        for row in &self.active {
            let node = nodes[row.row as usize];
            self.builder.set_active(node, row.is_active);
        }
        let tree = self.builder.build();
        let mut problems = self.problems;
        for (row, &node) in self.list.iter().zip(&nodes) {
            if tree.ordinal(node).is_some() {
                let name = shown(tree.name(node));
                problems.report(row.line, CsvProblem::RepeatedName { name });
            }
        }
        stated.retain(|row| tree.has_children(row.account));
        stated::check(&tree, &stated, SumSource::Stated, &mut problems);
        let source = request.file_source(Format::Csv);
        let snapshot = Snapshot::new(tree, Settings::default(), source, Recorded::default());
        Loaded::new(snapshot, problems)
    }
}

/// Returns the kind of the node of a row, of which all rows below it are known.
fn kind(row: &CsvRow) -> Kind {
    if row.is_account() {
        Kind::Account
    } else if row.node_type == NodeType::Others {
        Kind::Others
    } else {
        Kind::User
    }
}

/// Writes a tree in tree order, so that [`parse`] reads it back. A conversion reports what cannot be written.
pub fn write(tree: &Tree) -> Vec<u8> {
    write_rows(tree).expect("writing to memory does not fail")
}

/// How the rows of a tree are written.
#[derive(Default)]
struct CsvForm {
    has_partition: bool,
    has_active: bool,
    /// Whether names have blanks around them, which only quotes keep.
    has_outer_blanks: bool,
}

impl CsvForm {
    /// Returns the form that all nodes of a tree need.
    fn new(tree: &Tree) -> Self {
        let mut form = Self::default();
        for &node in tree.nodes() {
            form.has_active |= tree.active(node).is_some();
            form.has_outer_blanks |= has_outer_blanks(tree.name(node));
            if let Some(partition) = tree.partition(node) {
                form.has_partition = true;
                form.has_outer_blanks |= has_outer_blanks(partition);
            }
        }
        form
    }
}

/// Returns whether a name has blanks around it.
fn has_outer_blanks(name: &[u8]) -> bool {
    name.trim_ascii().len() < name.len()
}

/// Writes the header and a row for each node, except for those without a name.
fn write_rows(tree: &Tree) -> csv::Result<Vec<u8>> {
    let form = CsvForm::new(tree);
    let quotes = if form.has_outer_blanks {
        QuoteStyle::NonNumeric
    } else {
        QuoteStyle::Necessary
    };
    let mut out = csv::WriterBuilder::new()
        .quote_style(quotes)
        .from_writer(Vec::with_capacity(tree.node_count() * 32));
    let mut headings = vec!["parent", "name", "shares", "usage", "type"];
    if form.has_partition {
        headings.push("partition");
    }
    if form.has_active {
        headings.push("active");
    }
    out.write_record(headings)?;
    for &node in tree.nodes() {
        if tree.name(node).is_empty() && node != NodeId::ROOT {
            continue;
        }
        write_row(&mut out, tree, node, &form)?;
    }
    out.into_inner().map_err(|error| error.into_error().into())
}

/// Writes the row of a node. A root without a name gets one.
fn write_row(
    out: &mut csv::Writer<Vec<u8>>,
    tree: &Tree,
    node: NodeId,
    form: &CsvForm,
) -> csv::Result<()> {
    let parent = match tree.parent(node) {
        Some(parent) if parent != NodeId::ROOT => tree.name(parent),
        _ => b"",
    };
    let name = match tree.name(node) {
        b"" => ROOT_NAME,
        name => name,
    };
    out.write_field(parent)?;
    out.write_field(name)?;
    out.write_field(shares(tree, node))?;
    out.write_field(usage(tree, node).map(number).unwrap_or_default())?;
    out.write_field(match node {
        NodeId::ROOT => "root",
        _ => tree.kind(node).name(),
    })?;
    if form.has_partition {
        out.write_field(tree.partition(node).unwrap_or_default())?;
    }
    if form.has_active {
        out.write_field(match tree.active(node) {
            Some(true) => "1",
            Some(false) => "0",
            None => "",
        })?;
    }
    out.write_record(None::<&[u8]>)
}

/// Returns the shares as written in a row. Those of the root divide nothing, and are left out if they do not fit.
fn shares(tree: &Tree, node: NodeId) -> String {
    match tree.shares(node).count() {
        Some(..0) if node == NodeId::ROOT => String::new(),
        Some(count) => count.to_string(),
        None => Shares::PARENT.to_string(),
    }
}

/// Returns the usage as written in a row. The usage of a PBS account is the sum of its members and is not written.
fn usage(tree: &Tree, node: NodeId) -> Option<f64> {
    let amount = tree.usage(node).amount()?;
    let is_given = tree.is_charged(node) || !tree.kinds_follow_shape();
    if is_given && amount.is_finite() && amount >= 0.0 {
        return Some(amount);
    }
    None
}

/// Returns what CSV cannot hold of a tree.
pub(crate) fn losses(tree: &Tree) -> Vec<Loss> {
    let mut of_nodes = Losses::default();
    // By name: the last account of that name.
    let mut accounts: Vec<Option<NodeId>> = vec![None; tree.names().len()];
    for &node in &tree.nodes()[1..] {
        let loses_usage = tree.usage(node).amount().is_some() && usage(tree, node).is_none();
        of_nodes.add_if(tree.name(node).is_empty(), Fault::CsvName, node);
        of_nodes.add_if(loses_usage, Fault::CsvUsage, node);
        of_nodes.add_if(tree.group(node) != 0, Fault::Groups, node);
        if let Some(parent) = tree.parent(node)
            && parent != NodeId::ROOT
            && accounts[tree.name_id(parent).index()] != Some(parent)
        {
            of_nodes.add(Fault::CsvParent, node);
        }
        if tree.kind(node) == Kind::Account {
            accounts[tree.name_id(node).index()] = Some(node);
        }
    }
    let mut losses = of_nodes.list(tree);
    if !records_follow_rows(tree, tree.records()) && !sums_in_any_order(tree, tree.records()) {
        losses.push(Loss::RecordOrder);
    }
    losses
}
