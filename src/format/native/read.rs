//! Reads a tree and its settings.
//!
//! The rows give the shape, the shares and the usage. In which order the scheduler recorded the usage matters to sums of
//! floats, so a file can list that too. Without such a list it is the order of the rows.

use super::document::{Document, DocumentError, plain};
use super::problem::NativeProblem;
use super::rows::{BLANKS, TreeRow, amount};
use super::settings::configure;
use super::write::default_root;
use crate::base::number::amount as amount_for_people;
use crate::base::shown::{sentence, shown};
use crate::format::flux;
use crate::format::input::{Input, Meter};
use crate::format::problem::Place;
use crate::format::stated::{self, StatedSum, SumSource};
use crate::format::{Format, LoadResult, Loaded, OnProgress, Request};
use crate::model::{
    Amounts, BinRow, Bins, Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot,
    Tree, TreeBuilder, Usage, UsageState, moment_of,
};
use crate::rules::policy::Policy;
use jiff::tz::TimeZone;
use std::mem;
use std::sync::Arc;
use toml::de::DeTable;

/// The keys of `[tree]`.
const TREE_KEYS: &[&str] = &["root", "rows", "recorded", "jobs"];

/// The name of PBS's group of entities that the tree does not have.
const UNKNOWN: &[u8] = b"unknown";

/// Reads a file with a tree.
pub(super) fn parse<'a>(
    mut document: Document<'a>,
    top: &DeTable<'a>,
    request: &Request,
    report: OnProgress,
) -> LoadResult<Loaded> {
    let Some(table) = document.table(top, "tree") else {
        let error = if top.contains_key("tree") {
            DocumentError::TreeNotATable
        } else {
            DocumentError::NoTree
        };
        return Err(error.of_file(&document.problems.file));
    };
    document.check_keys(table, TREE_KEYS);
    let scheduler = document.named(top, "scheduler", Scheduler::named, |name| {
        NativeProblem::UnknownScheduler { name }
    });
    let mut settings = Settings {
        scheduler,
        ..Settings::default()
    };
    let sets_unknown = configure(&mut document, top, &mut settings);
    let is_pbs = scheduler == Some(Scheduler::Pbs);
    let mut reader = TreeReader::new(document, table, is_pbs);
    reader.rows(table, report)?;
    let mut unknown = None;
    if is_pbs {
        let shares = settings.pbs.unknown_shares;
        let node = reader.unknown(shares);
        if sets_unknown {
            reader.settle_unknown(node, shares);
        }
        unknown = Some(node);
    }
    reader.records(table);
    if let Some(unknown) = unknown {
        reader.builder.follow_pbs(unknown);
    }
    let TreeReader {
        mut document,
        builder,
        stated,
        mut recorded,
        bins,
        ..
    } = reader;
    let mut tree = builder.build();
    if !bins.is_empty() {
        set_bins(&mut tree, &mut recorded, &bins);
    }
    jobs(&mut document, table, request, &tree, &mut recorded)?;
    if let Some(unknown) = unknown
        && let Some(count) = tree.shares(unknown).count()
        && !sets_unknown
    {
        // PBS has one number for both.
        settings.pbs.unknown_shares = i32::try_from(count).unwrap_or(i32::MAX);
    }
    let counted = if is_pbs {
        SumSource::Users
    } else {
        SumSource::Stated
    };
    stated::check(&tree, &stated, counted, &mut document.problems);
    let mut source = request.file_source(Format::Toml);
    let unit = match document.string(top, "usage_unit") {
        Some(unit) => unit,
        None if is_pbs => &settings.pbs.fairshare_usage_res,
        None => "",
    };
    unit.clone_into(&mut source.usage_unit);
    source.taken = moment(&mut document, top, "taken", &TimeZone::UTC);
    let policy = policy(&mut document, top);
    let snapshot = Snapshot::new(tree, settings, source, recorded);
    Ok(Loaded {
        policy,
        ..Loaded::new(snapshot, document.problems)
    })
}

/// Reads the policy of a table. An unknown one is a problem.
pub(super) fn policy<'a>(document: &mut Document<'a>, table: &DeTable<'a>) -> Option<Policy> {
    document.named(table, "policy", Policy::named, |name| {
        let mut known = Vec::new();
        for policy in Policy::ALL {
            known.push(policy.name());
        }
        NativeProblem::UnknownPolicy {
            name,
            known: known.join(", "),
        }
    })
}

/// Reads a moment in Unix seconds. One that is none is a problem.
pub(super) fn moment<'a>(
    document: &mut Document<'a>,
    table: &DeTable<'a>,
    key: &'static str,
    zone: &TimeZone,
) -> Option<i64> {
    let value = table.get(key)?;
    let text = plain(value.get_ref()).unwrap_or_default();
    if let Ok(moment) = moment_of(&text, zone) {
        return Some(moment.usual());
    }
    let text = shown(text.as_bytes());
    document.report(value, NativeProblem::NotATime { key, text });
    None
}

/// Records the bins of the rows, as a database of flux-accounting has them.
fn set_bins(tree: &mut Tree, recorded: &mut Recorded, rows: &[BinRow]) {
    let bins = Arc::new(Bins::of(tree.id_count(), rows));
    recorded.set_bins(Arc::clone(&bins));
    let mut amounts = Vec::with_capacity(tree.id_count());
    for id in 0..tree.id_count() {
        let usage = tree.usage(NodeId::from_index(id));
        amounts.push(usage.amount().unwrap_or(0.0));
    }
    let state = UsageState::of(tree, Amounts::Doubles(amounts));
    tree.set_usage_state(Some(state.with_bins(bins)));
}

/// Reads the finished jobs of Flux, which are written as CSV.
fn jobs<'a>(
    document: &mut Document<'a>,
    table: &DeTable<'a>,
    request: &Request,
    tree: &Tree,
    recorded: &mut Recorded,
) -> LoadResult<()> {
    let Some(value) = table.get("jobs") else {
        return Ok(());
    };
    let Some(text) = document.string(table, "jobs") else {
        return Ok(());
    };
    // As many empty lines as there are before it, so that a problem has its line of the file.
    let line = document.first_line(value);
    let above = usize::try_from(line.saturating_sub(1)).unwrap_or(0);
    let mut csv = vec![b'\n'; above];
    csv.extend_from_slice(text.as_bytes());
    let input = Input::of(request.path(), csv, None);
    flux::jobs::read(&input, tree, recorded, &mut document.problems)
}

/// Reads the rows of a tree, and then the order in which their usage was recorded.
struct TreeReader<'a> {
    /// The file, to report problems.
    document: Document<'a>,
    /// The tree as far as it is read.
    builder: TreeBuilder,
    /// Whether the tree is one of PBS, where usage of groups follows from their entities.
    is_pbs: bool,
    /// By row number, the root first; `None` for a row that was left out.
    rows: Vec<Option<UsageRow>>,
    /// The accounts that the next row may belong to, from the top down.
    above: Vec<RowAbove>,
    /// The usage that rows state for accounts with members.
    stated: Vec<StatedSum>,
    /// The nodes without shares.
    recorded: Recorded,
    /// Flux's usage by period, row by row.
    bins: Vec<BinRow>,
}

/// The usage in a row of the tree.
#[derive(Clone, Copy)]
struct UsageRow {
    /// The node of the row.
    node: NodeId,
    /// What the row states, or the sum of its bins.
    usage: Usage,
    /// 0 for the root, which need not have a line.
    line: u64,
}

/// A row above the next one.
struct RowAbove {
    /// How many blanks and tabs stand before it.
    indent: usize,
    /// Its node.
    node: NodeId,
}

/// A word of `recorded`: the usage of a node, as one record.
struct RecordWord {
    /// The node whose usage was recorded.
    node: NodeId,
    /// How much was recorded: what the word states, or else the row.
    amount: f64,
    /// Whether it has a `~`: it counts in the accounts above although the node has members, or does not count there
    /// although it has none.
    is_marked: bool,
}

impl<'a> TreeReader<'a> {
    /// Begins a tree with its root, which the table may state.
    fn new(mut document: Document<'a>, table: &DeTable<'a>, is_pbs: bool) -> Self {
        let usual = default_root(is_pbs);
        let stated = document.string(table, "root").unwrap_or(usual);
        let row = match TreeRow::parse(stated) {
            Ok(row) => row,
            Err(refused) => {
                if let Some(value) = table.get("root") {
                    let error = sentence!("{}", refused.error);
                    document.report_line(value, NativeProblem::Root { error });
                }
                TreeRow::parse(usual).expect("a root needs a name and a number of shares")
            }
        };
        let mut reader = Self {
            document,
            builder: TreeBuilder::new(&row.name),
            is_pbs,
            rows: Vec::new(),
            above: Vec::new(),
            stated: Vec::new(),
            recorded: Recorded::default(),
            bins: Vec::new(),
        };
        reader.settle_row(NodeId::ROOT, &row, 0);
        reader
    }

    /// Sets everything of a node but its usage, which is recorded in order at the end.
    fn settle_row(&mut self, node: NodeId, row: &TreeRow, line: u64) {
        if let Some(shares) = row.shares {
            self.builder.set_shares(node, shares);
        } else {
            self.builder.set_shares(node, Shares::new(1));
            self.recorded.without_shares.push(node);
        }
        if row.group != 0 {
            self.builder.set_group(node, row.group);
        }
        if let Some(partition) = &row.partition {
            self.builder.set_partition(node, partition);
        }
        if let Some(active) = row.active {
            self.builder.set_active(node, active);
        }
        let mut usage = row.usage;
        if !row.bins.is_empty() {
            usage = self.bins(node, row, line);
        }
        self.rows.push(Some(UsageRow { node, usage, line }));
    }

    /// Takes the bins of a row and returns its usage: what it states, or else the sum of the bins.
    fn bins(&mut self, node: NodeId, row: &TreeRow, line: u64) -> Usage {
        for (period, &usage) in (0..).zip(&row.bins) {
            self.bins.push(BinRow {
                node,
                period,
                usage,
            });
        }
        let sum: f64 = row.bins.iter().sum();
        let Some(stated) = row.usage.amount() else {
            return Usage::new(sum);
        };
        let difference = (stated - sum).abs();
        if difference > stated.max(sum) * 1e-6 {
            let problem = NativeProblem::BinsSum {
                stated: amount_for_people(stated),
                sum: amount_for_people(sum),
            };
            self.report(line, problem);
        }
        row.usage
    }

    /// Reads the rows, each of which is below the last one that is indented less.
    fn rows(&mut self, table: &DeTable, report: OnProgress) -> LoadResult<()> {
        let Some(value) = table.get("rows") else {
            self.report(Place::WHOLE, NativeProblem::NoRows);
            return Ok(());
        };
        let Some(text) = value.get_ref().as_str() else {
            self.report(Place::WHOLE, NativeProblem::RowsNotText);
            return Ok(());
        };
        let likely_rows = text.len() / 16;
        self.builder.reserve(likely_rows);
        self.rows.reserve(likely_rows);
        let first = self.document.first_line(value);
        let file = self.document.problems.file.clone();
        let mut meter = Meter::of_text(file, text.as_bytes(), report);
        for (number, row) in (first..).zip(text.lines()) {
            let read = row.as_ptr().addr() - text.as_ptr().addr();
            meter.at(read as u64, self.builder.len())?;
            self.row(number, row);
        }
        Ok(())
    }

    /// Reads one row, a comment or an empty line.
    fn row(&mut self, line: u64, row: &str) {
        let text = row.trim_start_matches(BLANKS);
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        let mut indent = row.len() - text.len();
        let mut content = text;
        if let Some(leveled) = text.strip_prefix('@') {
            let end = leveled.find(BLANKS).unwrap_or(leveled.len());
            let (level, after) = leveled.split_at(end);
            let Some(least) = self.go_to_level(level) else {
                let level = shown(level.as_bytes());
                let problem = NativeProblem::RowLevel { level };
                return self.leave_out(line, indent, problem);
            };
            indent = indent.max(least);
            content = after.trim_start_matches(BLANKS);
        } else {
            while self.above.pop_if(|above| above.indent >= indent).is_some() {}
        }
        let row_at = row.len() - content.len();
        match TreeRow::parse(content) {
            Ok(parsed) => {
                let node = self.add_node(&parsed);
                self.settle_row(node, &parsed, line);
                self.above.push(RowAbove { indent, node });
            }
            Err(refused) => {
                let error = sentence!("{}", refused.error);
                let problem = NativeProblem::Row { error };
                self.leave_out(line, row_at + refused.column, problem);
            }
        }
    }

    /// Leaves out a row because of a problem at a column, from 0.
    fn leave_out(&mut self, line: u64, column: usize, problem: NativeProblem) {
        self.rows.push(None);
        self.report((line, column as u64 + 1), problem);
    }

    /// Adds the node of a row below the last row above it, which is an account then.
    fn add_node(&mut self, row: &TreeRow) -> NodeId {
        let mut parent = NodeId::ROOT;
        if let Some(above) = self.above.last() {
            parent = above.node;
        }
        let builder = &mut self.builder;
        if builder.kind(parent) == Kind::User {
            builder.set_kind(parent, Kind::Account);
        }
        let name = builder.intern(&row.name);
        let kind = row.kind.unwrap_or(Kind::User);
        builder.push(parent, name, kind, Position::Last)
    }

    /// Goes up to the account of a row that states its level, from 1 below the root. Returns the least indentation of the
    /// row, or `None` if there is no such level.
    fn go_to_level(&mut self, level: &str) -> Option<usize> {
        let level: usize = level.parse().ok()?;
        let accounts = level.checked_sub(1)?;
        if accounts > self.above.len() {
            return None;
        }
        self.above.truncate(accounts);
        match self.above.last() {
            Some(above) => Some(above.indent + 1),
            None => Some(0),
        }
    }

    /// Returns the group `unknown` of a PBS tree: its row, or a new node after all others with these shares.
    fn unknown(&mut self, shares: i32) -> NodeId {
        let builder = &mut self.builder;
        for index in 1..builder.len() {
            let node = NodeId::from_index(index);
            let is_group = builder.parent(node) == Some(NodeId::ROOT);
            if is_group && builder.name(node) == UNKNOWN {
                return node;
            }
        }
        let name = builder.intern(UNKNOWN);
        let node = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
        builder.set_group(node, 1);
        builder.set_shares(node, Shares::new(shares.into()));
        node
    }

    /// Gives the group `unknown` the shares of the setting. A row with others is reported: PBS has one number for both.
    fn settle_unknown(&mut self, unknown: NodeId, set: i32) {
        let shares = Shares::new(i64::from(set));
        let stated = self.builder.shares(unknown);
        if stated == shares {
            return;
        }
        self.builder.set_shares(unknown, shares);
        let mut place = Place::WHOLE;
        for row in self.rows.iter().flatten() {
            if row.node == unknown {
                place = row.line.into();
                break;
            }
        }
        let stated = sentence!("{stated}");
        self.report(place, NativeProblem::UnknownShares { stated, set });
    }

    /// Records the usage: first in the listed order, and the rest in the order of the rows.
    fn records(&mut self, table: &DeTable<'a>) {
        let is_recorded = self.listed_records(table);
        let rows = mem::take(&mut self.rows);
        for row in rows.into_iter().flatten() {
            if !is_recorded[row.node.index()] {
                self.record_row(row);
            }
        }
    }

    /// Records usage in the order in which `recorded` lists it. Returns by node whether its usage is among it.
    fn listed_records(&mut self, table: &DeTable<'a>) -> Vec<bool> {
        let mut is_recorded = vec![false; self.builder.len()];
        let Some(value) = table.get("recorded") else {
            return is_recorded;
        };
        let first = self.document.first_line(value);
        let Some(text) = self.document.string(table, "recorded") else {
            return is_recorded;
        };
        for (number, line) in (first..).zip(text.lines()) {
            for token in line.split_ascii_whitespace() {
                let Some(record) = self.record_word(token) else {
                    let token = shown(token.as_bytes());
                    self.report(number, NativeProblem::Record { token });
                    continue;
                };
                let node = record.node;
                is_recorded[node.index()] = true;
                let adds = record.is_marked == self.builder.has_children(node);
                self.builder.record(node, record.amount, adds);
            }
        }
        is_recorded
    }

    /// Records the usage of a row that `recorded` does not list.
    fn record_row(&mut self, row: UsageRow) {
        let UsageRow { node, usage, line } = row;
        let Some(amount) = usage.amount() else {
            return;
        };
        let has_members = self.builder.has_children(node);
        if has_members {
            self.stated.push(StatedSum {
                account: node,
                usage: amount,
                line,
            });
        }
        let is_user = self.builder.kind(node) == Kind::User;
        if is_user || (self.is_pbs && !has_members) {
            self.builder.record(node, amount, true);
        } else if !self.is_pbs {
            self.builder.set_usage(node, usage);
        }
    }

    /// Reads `ROW`, `ROW=AMOUNT`, each with an optional `~` at the end.
    fn record_word(&self, token: &str) -> Option<RecordWord> {
        let unmarked = token.strip_suffix('~');
        let word = unmarked.unwrap_or(token);
        let (number, stated) = match word.split_once('=') {
            Some((number, stated)) => (number, Some(stated)),
            None => (word, None),
        };
        let number: usize = number.parse().ok()?;
        let row = self.rows.get(number)?.as_ref()?;
        let amount = match stated {
            Some(stated) => amount(stated)?,
            None => row.usage.amount()?,
        };
        Some(RecordWord {
            node: row.node,
            amount,
            is_marked: unmarked.is_some(),
        })
    }

    /// Reports a problem of a row.
    fn report(&mut self, place: impl Into<Place>, problem: NativeProblem) {
        self.document.problems.report(place, problem);
    }
}
