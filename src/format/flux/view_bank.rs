//! The table of `flux account view-bank ROOT -t`, with or without `-P`, and of the old `flux account-shares`.
//!
//! Every user may print it, while the database is only for administrators. Banks are indented by their depth, and the
//! row of a user repeats the name of its bank, one blank deeper.

mod anonymous;
mod problem;
mod row;

use super::{
    BankBuilder, BankPlace, FAIRSHARE_DECIMALS, Inactive, held_shares, leading_count,
    leading_number, note_sums, snapshot,
};
use crate::base::number::counted;
use crate::base::shown::{shown, shown_text};
use crate::format::input::{Input, Meter, is_rows_left_out, without_mark};
use crate::format::sheet::kind::{plain_count, plain_decimal};
use crate::format::{
    Format, LoadError, LoadResult, Loaded, OnProgress, Problems, Refusal, Request,
};
use crate::model::{EXACT, Fact, Figure, Settings, TreeBuilder, UsagePrecision};
pub(in crate::format) use anonymous::anonymised;
pub(in crate::format) use row::{BankTableLayout, is_heading, rules};

use problem::BankProblem;
use row::{BankRow, indent};

/// The decimals to which the usage of the first bank is rounded.
const ROOT_DECIMALS: i8 = 2;

/// Returns whether the text begins with the header of such a table.
pub fn is(text: &[u8]) -> bool {
    BankHeader::find(text).is_some()
}

/// The line of headings. The command itself may come before it.
struct BankHeader {
    /// The line, from 0.
    line: usize,
    /// What it announces.
    layout: BankTableLayout,
}

impl BankHeader {
    /// Returns the header of a text, or `None` if it begins with another line.
    fn find(text: &[u8]) -> Option<Self> {
        let lines = text.split(|&byte| byte == b'\n');
        for (number, line) in lines.enumerate() {
            if !line.trim_ascii().is_empty() && !line.starts_with(b"$") {
                return Some(Self {
                    line: number,
                    layout: BankTableLayout::of_header(line)?,
                });
            }
        }
        None
    }

    /// Returns the header of a text. Fails if it begins with another line.
    fn read(text: &[u8], input: &Input) -> LoadResult<Self> {
        let what = "does not begin with Bank, Username, Active, RawShares, RawUsage, Fairshare";
        match Self::find(text) {
            Some(header) => Ok(header),
            None => Err(refusal(input, what)),
        }
    }
}

/// Returns the error of a text that is no such table.
fn refusal(input: &Input, what: &str) -> LoadError {
    let advice = "give the output of flux account view-bank ROOT -t -P";
    Refusal::does(&input.name(), what, advice).into()
}

/// Reads it. Rows that are none of a bank or user are reported.
pub fn parse(input: &Input, request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    let text = without_mark(&input.bytes);
    let header = BankHeader::read(text, input)?;
    let layout = header.layout;
    let tree = TreeBuilder::new(b"root");
    let mut table = BankTable {
        layout,
        builder: BankBuilder::new(tree, Inactive::of(request)?),
        problems: Problems::of(input.name()),
        line: Vec::new(),
        left_out: 0,
    };
    let mut meter = Meter::of_text(input.name(), &input.bytes, report);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let (above, below) = lines.split_at(header.line + 1);
    let headings = above[header.line].trim_ascii_end();
    let mut read = 0;
    for (place, line) in below.iter().enumerate() {
        read += line.len() as u64 + 1;
        meter.at(read, table.builder.tree.len())?;
        let number = (above.len() + place) as u64 + 1;
        if line.trim_ascii_end() == headings {
            let (first, second) = below.split_at(place);
            table.note_second_table(first, &second[1..], number);
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.trim_ascii().is_empty() {
            table.take(number, line);
        }
    }
    if table.left_out > 0 && has_lost_blanks(below, layout) {
        let what = "has rows of users that are not deeper than their bank, as when blanks are lost, and only blanks show \
                    which bank is above which";
        return Err(refusal(input, what));
    }
    if table.line.is_empty() {
        return Err(refusal(input, "has a header but no banks"));
    }
    let mut problems = table.problems;
    let builder = table.builder;
    builder.inactive.tell(&mut problems);
    let mut recorded = builder.recorded;
    recorded.usage_precision = if layout.is_old {
        UsagePrecision::Decimals(0)
    } else {
        UsagePrecision::Exact
    };
    let tree = builder.tree.build();
    note_sums(&tree, &recorded, builder.inactive, &mut problems);
    let settings = Settings::default();
    let mut snapshot = snapshot(tree, settings, recorded, request, Format::ViewBank);
    snapshot.source.taken = input.modified;
    Ok(Loaded::new(snapshot, problems))
}

/// Returns whether a row of a user is not deeper than that of its bank, so that the depth of banks was lost, too.
fn has_lost_blanks(lines: &[&[u8]], layout: BankTableLayout) -> bool {
    let mut bank: &[u8] = b"";
    let mut depth = 0;
    for line in lines {
        let Some(row) = layout.row_alone(line) else {
            continue;
        };
        let blanks = indent(line);
        if row.user.unwrap_or_default().is_empty() {
            bank = row.name;
            depth = blanks;
        } else if row.name == bank && blanks <= depth {
            return true;
        }
    }
    false
}

/// A bank above the next rows.
struct OpenBank {
    /// Its name.
    name: Vec<u8>,
    /// Where it is in the tree.
    place: BankPlace,
}

/// The table as far as it is read.
struct BankTable {
    /// How its lines are divided.
    layout: BankTableLayout,
    /// The tree so far.
    builder: BankBuilder,
    /// What is wrong or odd so far.
    problems: Problems,
    /// The banks from the root to the last one.
    line: Vec<OpenBank>,
    /// How many lines were no row of the tree.
    left_out: usize,
}

impl BankTable {
    /// Reports that the headings appear again on a line, between the lines below the first ones and others.
    fn note_second_table(&mut self, first: &[&[u8]], second: &[&[u8]], number: u64) {
        let first = filled_lines(first);
        let second = filled_lines(second);
        let left_out = counted(second.len(), "row was", "rows were");
        let problem = if first == second {
            BankProblem::SameTable { left_out }
        } else {
            BankProblem::SecondTable { left_out }
        };
        self.problems.report(number, problem);
    }

    /// Reads a line.
    fn take(&mut self, number: u64, line: &[u8]) {
        if is_rows_left_out(line) {
            let line = shown_text(line.trim_ascii());
            let problem = BankProblem::RowsLeftOut { line };
            return self.problems.report(number, problem);
        }
        // A name may begin with blanks. A row is at most one level below the last bank.
        let depth = indent(line).min(self.line.len());
        let mut bank = None;
        if let Some(above) = self.line[..depth].last() {
            bank = Some(&above.name[..]);
        }
        let Some(row) = self.layout.row(line, depth, bank) else {
            self.left_out += 1;
            let line = shown_text(line.trim_ascii());
            let problem = BankProblem::BadRow { line };
            return self.problems.report(number, problem);
        };
        if depth == 0 && !self.line.is_empty() {
            self.left_out += 1;
            let name = shown(row.name);
            let problem = BankProblem::SecondRoot { name };
            return self.problems.report(number, problem);
        }
        let shares = self.shares(number, &row);
        let usage = self.usage(number, &row);
        if row.user.is_some() {
            self.line.truncate(depth);
            self.take_user(&row, shares, usage);
        } else {
            self.take_bank(&row, depth, shares, usage);
        }
    }

    /// Adds a bank below the last one that is less deep.
    fn take_bank(&mut self, row: &BankRow, depth: usize, shares: i64, usage: f64) {
        self.line.truncate(depth);
        let above = self.line.last().map(|above| above.place);
        let place = self.builder.bank(above, row.name, row.is_active);
        if let Some(node) = place.node {
            self.builder.tree.set_shares(node, held_shares(shares));
            let decimals = if self.layout.is_old {
                0
            } else if depth == 0 {
                ROOT_DECIMALS
            } else {
                EXACT
            };
            let figure = Figure {
                value: usage,
                decimals,
            };
            self.builder.recorded.set(Fact::JobUsage, node, figure);
        }
        let name = row.name.to_vec();
        self.line.push(OpenBank { name, place });
    }

    /// Adds a user below the last bank.
    fn take_user(&mut self, row: &BankRow, shares: i64, usage: f64) {
        let (Some(bank), Some(user)) = (self.line.last(), row.user) else {
            return;
        };
        let builder = &mut self.builder;
        let Some(bank) = builder.bank_of_user(bank.place, row.is_active) else {
            return;
        };
        let name = builder.tree.intern(user);
        let node = builder.user(bank, name, row.is_active, shares, usage);
        let (value, is_number) = leading_number(row.fairshare);
        if is_number {
            let decimals = FAIRSHARE_DECIMALS;
            let figure = Figure { value, decimals };
            builder.recorded.set(Fact::FluxFairshare, node, figure);
        }
    }

    /// Reads shares as Flux reads them, and reports those that it never writes.
    fn shares(&mut self, number: u64, row: &BankRow) -> i64 {
        let shares = plain_count(row.shares);
        let (read, is_whole) = leading_count(&shares).unwrap_or((0, false));
        if is_whole && read >= 0 {
            return read;
        }
        let whose = row.label();
        let shares = shown(row.shares);
        if is_whole {
            let problem = BankProblem::NegativeShares { whose, shares };
            self.problems.report(number, problem);
        } else {
            let problem = BankProblem::OddShares {
                whose,
                shares,
                read,
            };
            self.problems.report(number, problem);
        }
        read
    }

    /// Reads usage, which counts from 0 up, and reports what Flux never writes.
    fn usage(&mut self, number: u64, row: &BankRow) -> f64 {
        let (usage, is_number) = leading_number(&plain_decimal(row.usage));
        let counted = if usage.is_finite() {
            usage.max(0.0)
        } else {
            0.0
        };
        let is_as_read = counted.to_bits() == (usage + 0.0).to_bits();
        if !is_number || !is_as_read {
            let problem = BankProblem::OddUsage {
                whose: row.label(),
                usage: shown(row.usage),
                counted,
            };
            self.problems.report(number, problem);
        }
        counted
    }
}

/// Returns the lines that are not empty, without the blanks at their ends.
fn filled_lines<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut filled = Vec::new();
    for line in lines {
        let line = line.trim_ascii_end();
        if !line.is_empty() {
            filled.push(line);
        }
    }
    filled
}
