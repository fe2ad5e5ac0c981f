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

mod header;
mod rows;

use super::input::{Meter, without_mark};
use super::loss::{Fault, Loss, Losses};
use super::problem::{Place, Problems};
use super::sheet::Records;
use super::stated::{self, StatedSum, SumSource};
use super::text::{number, records_follow_rows, sums_in_any_order};
use super::{Format, LoadResult, Loaded, OnProgress, Request};
use crate::base::shown::{sentence, shown};
use crate::model::{Kind, NodeId, Position, Recorded, Settings, Shares, Snapshot, Tree};
use csv::{ByteRecord, QuoteStyle};
pub(super) use header::note_unknown;
use header::{CsvColumn, HeaderLayout, Notes, no_header};
use rows::{CsvRows, NodeType, ROOT_NAME};

/// Reads a CSV file; fails without a usable header, or if the user cancelled.
#[expect(
    clippy::needless_pass_by_value,
    reason = "every format takes the bytes it was given, so that a large file is not held twice"
)]
pub fn parse(bytes: Vec<u8>, request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let text = without_mark(&bytes);
    let mut records = Records::of(text, b',');
    let mut record = ByteRecord::new();
    let mut notes = Notes {
        text,
        found: Problems::of(request.file_name()),
        scan: None,
    };
    if !records.read(&mut record) {
        return Err(no_header(&notes.found.file, "it is empty"));
    }
    let layout = HeaderLayout::parse(&record, &mut notes)?;
    let mut is_row = records.read(&mut record);
    let first = layout.fields(&record).name(CsvColumn::Name, &mut notes);
    let first = if is_row { first } else { ROOT_NAME };
    let mut rows = CsvRows::new(first, text.len() / 24);
    let file = notes.found.file.clone();
    let mut meter = Meter::new(file, u64::try_from(bytes.len()).ok(), report);
    while is_row {
        meter.at(records.bytes(), rows.list.len())?;
        rows.read(layout.fields(&record), &mut notes);
        is_row = records.read(&mut record);
    }
    let mut problems = notes.found;
    if rows.list.is_empty() {
        let message = "there is a header but no usable row, so the tree has only a root";
        let advice = "add rows such as: ,physics,40,,account";
        problems.warn(Place::WHOLE, "csv-no-rows", message, advice);
    }
    Ok(rows.into_loaded(request, problems))
}

impl CsvRows {
    /// Returns the row of the root, if any: an account alone at the top, or else the first with a root's name or type.
    fn root(&self) -> Option<usize> {
        let mut top = (0..self.list.len()).filter(|&row| self.list[row].parent.is_none());
        let first = top.next()?;
        let second = top.next();
        if second.is_none() && self.list[first].is_account() {
            return Some(first);
        }
        let mut rows = std::iter::once(first).chain(second).chain(top);
        rows.find(|&row| self.may_be_root(row))
    }

    /// Whether a row is at the top and has the name or type of a root.
    fn may_be_root(&self, row: usize) -> bool {
        let row = &self.list[row];
        let has_name = || self.builder.name_bytes(row.name) == ROOT_NAME;
        let is_root =
            row.node_type == NodeType::Root || row.node_type != NodeType::User && has_name();
        is_root && row.parent.is_none()
    }

    fn into_loaded(mut self, request: &Request, mut problems: Problems) -> Loaded {
        let root = self.root();
        let name = root.map(|row| self.builder.name_bytes(self.list[row].name));
        let name = name.unwrap_or(ROOT_NAME).to_vec();
        self.builder.rename_root(&name);
        let mut nodes: Vec<NodeId> = Vec::with_capacity(self.list.len());
        let mut stated = Vec::new();
        let others = (0..self.list.len())
            .filter(|&row| root.is_some_and(|root| row != root) && self.may_be_root(row));
        let others: Vec<usize> = others.collect();
        for (index, row) in self.list.iter().enumerate() {
            if let (Some(root), true) = (root, others.binary_search(&index).is_ok()) {
                let name = shown(self.builder.name_bytes(row.name));
                let line = self.list[root].line;
                let message = sentence!(
                    "{name} is a second root; the root on line {line} has its members, and its shares and usage are not read"
                );
                let advice = "remove one of the two rows, or name its account in the column parent";
                problems.warn(row.line, "csv-second-root", message, advice);
                nodes.push(NodeId::ROOT);
                continue;
            }
            let kind = if row.is_account() {
                Kind::Account
            } else {
                Kind::User
            };
            let node = if Some(index) == root {
                NodeId::ROOT
            } else {
                let parent = row.parent.map_or(NodeId::ROOT, |row| nodes[row as usize]);
                self.builder.push(parent, row.name, kind, Position::Last)
            };
            nodes.push(node);
            self.builder.set_shares(node, row.shares);
            match row.usage.amount() {
                Some(amount) if kind == Kind::User => self.builder.record(node, amount, true),
                Some(usage) => {
                    self.builder.set_usage(node, row.usage);
                    stated.push(StatedSum {
                        account: node,
                        usage,
                        line: row.line,
                    });
                }
                None => {}
            }
        }
        for (row, partition) in &self.partitions {
            self.builder.set_partition(nodes[*row as usize], partition);
        }
        for &(row, active) in &self.active {
            self.builder.set_active(nodes[row as usize], active);
        }
        let tree = self.builder.build();
        for (row, &node) in self.list.iter().zip(&nodes) {
            if tree.ordinal(node).is_some() {
                let name = shown(tree.name(node));
                let message = sentence!("{name} appears twice under its account; both are kept");
                let advice = "remove one of the two, or give it another name";
                let code = "csv-repeated-name";
                problems.warn(row.line, code, message, advice);
            }
        }
        stated.retain(|row: &StatedSum| tree.has_children(row.account));
        stated::check(&tree, &stated, SumSource::Stated, &mut problems);
        let source = request.file_source(Format::Csv);
        let snapshot = Snapshot::new(tree, Settings::default(), source, Recorded::default());
        Loaded::new(snapshot, problems)
    }
}

/// Writes a tree in tree order, so that [`parse`] reads it back. A conversion reports what cannot be written.
pub fn write(tree: &Tree) -> Vec<u8> {
    write_rows(tree).expect("writing to memory does not fail")
}

fn write_rows(tree: &Tree) -> csv::Result<Vec<u8>> {
    let has = |is_set: &dyn Fn(NodeId) -> bool| tree.nodes().iter().any(|&node| is_set(node));
    let has_partition = has(&|node| tree.partition(node).is_some());
    let has_active = has(&|node| tree.active(node).is_some());
    // Only quotes keep blanks around a name.
    let is_outer = |name: &[u8]| name.trim_ascii().len() < name.len();
    let has_blanks = has(&|node| {
        let partition = tree.partition(node).unwrap_or_default();
        is_outer(tree.name(node)) || is_outer(partition)
    });
    let quotes = if has_blanks {
        QuoteStyle::NonNumeric
    } else {
        QuoteStyle::Necessary
    };
    let mut out = csv::WriterBuilder::new()
        .quote_style(quotes)
        .from_writer(Vec::with_capacity(tree.node_count() * 32));
    let mut headings = vec!["parent", "name", "shares", "usage", "type"];
    headings.extend(has_partition.then_some("partition"));
    headings.extend(has_active.then_some("active"));
    out.write_record(headings)?;
    for &node in tree.nodes() {
        let name = tree.name(node);
        if name.is_empty() && node != NodeId::ROOT {
            continue;
        }
        let parent = tree.parent(node).filter(|&parent| parent != NodeId::ROOT);
        out.write_field(parent.map_or(&b""[..], |parent| tree.name(parent)))?;
        out.write_field(if name.is_empty() { b"root" } else { name })?;
        out.write_field(shares(tree, node))?;
        out.write_field(usage(tree, node).map(number).unwrap_or_default())?;
        let kind = tree.kind(node).name();
        out.write_field(if node == NodeId::ROOT { "root" } else { kind })?;
        if has_partition {
            out.write_field(tree.partition(node).unwrap_or_default())?;
        }
        if has_active {
            let active = tree.active(node).map(|it| u8::from(it).to_string());
            out.write_field(active.unwrap_or_default())?;
        }
        out.write_record(None::<&[u8]>)?;
    }
    out.into_inner().map_err(|error| error.into_error().into())
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
    let is_given = tree.kind(node) == Kind::User || !tree.kinds_follow_shape();
    let amount = tree.usage(node).amount();
    amount.filter(|amount| is_given && amount.is_finite() && *amount >= 0.0)
}

pub(crate) fn losses(tree: &Tree) -> Vec<Loss> {
    let mut losses = Losses::default();
    let mut accounts: Vec<Option<NodeId>> = vec![None; tree.names().len()];
    for &node in &tree.nodes()[1..] {
        losses.add_if(tree.name(node).is_empty(), Fault::CsvName, node);
        let has_usage = tree.usage(node).amount().is_some();
        losses.add_if(
            has_usage && usage(tree, node).is_none(),
            Fault::CsvUsage,
            node,
        );
        losses.add_if(tree.group(node) != 0, Fault::Groups, node);
        if let Some(parent) = tree.parent(node).filter(|&parent| parent != NodeId::ROOT)
            && accounts[tree.name_id(parent).index()] != Some(parent)
        {
            losses.add(Fault::CsvParent, node);
        }
        if tree.kind(node) == Kind::Account {
            accounts[tree.name_id(node).index()] = Some(node);
        }
    }
    let mut losses = losses.list(tree);
    if !records_follow_rows(tree, tree.records()) && !sums_in_any_order(tree, tree.records()) {
        losses.push(Loss::RecordOrder);
    }
    losses
}
