//! The table of `flux account view-bank ROOT -t`, with or without `-P`, and of the old `flux account-shares`.
//!
//! Every user may print it, while the database is only for administrators. Banks are indented by their depth, and the
//! row of a user repeats the name of its bank, one blank deeper.

mod problem;
mod row;

use super::{
    BankBuilder, BankPlace, FAIRSHARE_DECIMALS, Inactive, held_shares, leading_count,
    leading_number, note_sums, snapshot,
};
use crate::base::number::counted;
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::input::{Input, Meter, is_rows_left_out, without_mark};
use crate::format::sheet::kind::{plain_count, plain_decimal};
use crate::format::{
    Format, LoadError, LoadResult, Loaded, OnProgress, Problems, Refusal, Request,
};
use crate::model::{EXACT, Fact, Figure, Named, Pseudonyms, Settings, TreeBuilder, UsagePrecision};
pub(in crate::format) use row::{BankTableLayout, is_heading, rules};

use problem::BankProblem;
use row::{BankRow, indent};

/// The decimals to which the usage of the first bank is rounded.
const ROOT_DECIMALS: i8 = 2;

/// Returns whether the text begins with the header of such a table.
pub fn is(text: &[u8]) -> bool {
    header(text).is_some()
}

/// Returns the layout that the header announces, and its line from 0. The command itself may come before it.
fn header(text: &[u8]) -> Option<(usize, BankTableLayout)> {
    let mut lines = text.split(|&byte| byte == b'\n').enumerate();
    let (at, line) =
        lines.find(|(_, line)| !line.trim_ascii().is_empty() && !line.starts_with(b"$"))?;
    Some((at, BankTableLayout::of_header(line)?))
}

/// Reads it. Rows that are none of a bank or user are reported.
pub fn parse(input: &Input, request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let bytes = &input.bytes;
    let text = without_mark(bytes);
    let Some((at, layout)) = header(text) else {
        return Err(LoadError::Refused(sentence!(
            "{} does not begin with Bank, Username, Active, RawShares, RawUsage, Fairshare; give the output of flux \
             account view-bank ROOT -t -P",
            input.name()
        )));
    };
    let mut table = BankTable {
        layout,
        builder: BankBuilder::new(TreeBuilder::new(b"root"), Inactive::of(request)?),
        problems: Problems::of(input.name()),
        line: Vec::new(),
        left_out: 0,
    };
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let mut read = 0;
    for (place, line) in lines.iter().enumerate() {
        read += line.len() as u64 + 1;
        meter.at(read, table.builder.tree.len())?;
        let number = place as u64 + 1;
        if place > at && line.trim_ascii_end() == lines[at].trim_ascii_end() {
            table.note_second_table(&lines[at + 1..], place - at - 1, number);
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if place > at && !line.trim_ascii().is_empty() {
            table.take(number, line);
        }
    }
    if table.left_out > 0 && has_lost_blanks(&lines[at + 1..], layout) {
        let what = "has rows of users that are not deeper than their bank, as when blanks are lost, and only blanks show \
                    which bank is above which";
        let advice = "give the output of flux account view-bank ROOT -t -P";
        return Err(Refusal::does(&input.name(), what, advice).into());
    }
    if table.line.is_empty() {
        return Err(LoadError::Refused(sentence!(
            "{} has a header but no banks; give the output of flux account view-bank ROOT -t -P",
            input.name()
        )));
    }
    table.builder.inactive.tell(&mut table.problems);
    table.builder.recorded.usage_precision = if layout.is_old {
        UsagePrecision::Decimals(0)
    } else {
        UsagePrecision::Exact
    };
    let settings = Settings::default();
    let tree = table.builder.tree.build();
    let (recorded, inactive) = (table.builder.recorded, table.builder.inactive);
    note_sums(&tree, &recorded, inactive, &mut table.problems);
    let mut snapshot = snapshot(tree, settings, recorded, request, Format::ViewBank);
    snapshot.source.taken = input.modified;
    Ok(Loaded::new(snapshot, table.problems))
}

/// Returns whether a row of a user is not deeper than that of its bank, so that the depth of banks was lost, too.
fn has_lost_blanks(lines: &[&[u8]], layout: BankTableLayout) -> bool {
    let mut bank: &[u8] = b"";
    let mut depth = 0;
    for line in lines {
        let blanks = indent(line);
        let Some(cells) = layout.cells_alone(line) else {
            continue;
        };
        if cells[1].is_empty() {
            bank = cells[0];
            depth = blanks;
        } else if cells[0] == bank && blanks <= depth {
            return true;
        }
    }
    false
}

/// A row under its pseudonyms, with its numbers as text.
struct AnonymousRow {
    name: String,
    user: String,
    is_active: bool,
    shares: String,
    usage: String,
    fairshare: String,
    /// The rows below it.
    below: Vec<usize>,
}

/// Returns the table with pseudonyms, banks and users in the order of these. What is no number is left out.
pub(in crate::format) fn anonymised(input: &Input, pseudonyms: &Pseudonyms) -> LoadResult<Vec<u8>> {
    let text = without_mark(&input.bytes);
    let Some((at, layout)) = header(text) else {
        let what = "does not begin with Bank, Username, Active, RawShares, RawUsage, Fairshare";
        let advice = "give the output of flux account view-bank ROOT -t -P";
        return Err(Refusal::does(&input.name(), what, advice).into());
    };
    let mut rows: Vec<AnonymousRow> = Vec::new();
    // The banks from the root to the last one, with their places.
    let mut open: Vec<(Vec<u8>, usize)> = Vec::new();
    for line in text.split(|&byte| byte == b'\n').skip(at + 1) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let blanks = indent(line);
        let depth = blanks.min(open.len());
        let bank = depth.checked_sub(1).map(|above| &open[above].0[..]);
        let Some(row) = layout.row(line, depth, bank) else {
            continue;
        };
        let place = rows.len();
        let number = |cell: &[u8]| {
            let text = String::from_utf8_lossy(cell.trim_ascii()).into_owned();
            let is_number = text.parse::<f64>().is_ok();
            if is_number { text } else { String::new() }
        };
        rows.push(AnonymousRow {
            name: pseudonyms.of(Named::Account, row.name),
            user: pseudonyms.of(Named::User, row.user.unwrap_or_default()),
            is_active: row.is_active,
            shares: number(row.shares),
            usage: number(row.usage),
            fairshare: number(row.fairshare),
            below: Vec::new(),
        });
        let is_bank = row.user.is_none();
        let name = row.name.to_vec();
        open.truncate(depth);
        if let Some(&(_, above)) = open.last() {
            rows[above].below.push(place);
        } else if place > 0 {
            // A second table begins here.
            rows.pop();
            break;
        }
        if is_bank {
            open.push((name, place));
        }
    }
    let mut made = "Bank|Username|Active|RawShares|RawUsage|Fairshare\n".to_owned();
    let mut pending: Vec<(usize, usize)> = rows.first().map(|_| (0, 0)).into_iter().collect();
    while let Some((place, depth)) = pending.pop() {
        let row = &rows[place];
        let bank = format!("{}{}", " ".repeat(depth), row.name);
        let active = if row.is_active { "true" } else { "false" };
        let cells: [&str; 6] = [
            &bank,
            &row.user,
            active,
            &row.shares,
            &row.usage,
            &row.fairshare,
        ];
        made.push_str(&cells.join("|"));
        made.push('\n');
        let mut below = row.below.clone();
        below.sort_by_key(|&place| {
            let row = &rows[place];
            (row.user.is_empty(), &row.user, &row.name, place)
        });
        pending.extend(below.into_iter().rev().map(|place| (place, depth + 1)));
    }
    Ok(made.into_bytes())
}

struct OpenBank {
    name: Vec<u8>,
    place: BankPlace,
}

struct BankTable {
    layout: BankTableLayout,
    builder: BankBuilder,
    problems: Problems,
    /// The banks from the root to the last one.
    line: Vec<OpenBank>,
    /// How many lines were no row of the tree.
    left_out: usize,
}

impl BankTable {
    /// Reports that the headings appear again on a line, behind `count` of the lines below the first ones.
    fn note_second_table(&mut self, below: &[&[u8]], count: usize, number: u64) {
        let first = filled_lines(&below[..count]);
        let second = filled_lines(&below[count + 1..]);
        let left_out = counted(second.len(), "row was", "rows were");
        let problem = if first == second {
            BankProblem::SameTable { left_out }
        } else {
            BankProblem::SecondTable { left_out }
        };
        self.problems.report(number, problem);
    }

    fn take(&mut self, number: u64, line: &[u8]) {
        let blanks = indent(line);
        if is_rows_left_out(line) {
            let line = shown_text(line.trim_ascii());
            let problem = BankProblem::RowsLeftOut { line };
            return self.problems.report(number, problem);
        }
        // A name may begin with blanks. A row is at most one level below the last bank.
        let depth = blanks.min(self.line.len());
        let bank = depth.checked_sub(1).map(|above| &self.line[above].name[..]);
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

    fn take_bank(&mut self, row: &BankRow<'_>, depth: usize, shares: i64, usage: f64) {
        self.line.truncate(depth);
        let above = self.line.last().map(|above| above.place);
        let place = self.builder.bank(above, row.name, row.is_active);
        if let Some(node) = place.node {
            self.builder.tree.set_shares(node, held_shares(shares));
            let decimals = match (self.layout.is_old, depth) {
                (true, _) => 0,
                (false, 0) => ROOT_DECIMALS,
                (false, _) => EXACT,
            };
            let value = usage;
            let recorded = &mut self.builder.recorded;
            recorded.set(Fact::JobUsage, node, Figure { value, decimals });
        }
        let name = row.name.to_vec();
        self.line.push(OpenBank { name, place });
    }

    fn take_user(&mut self, row: &BankRow<'_>, shares: i64, usage: f64) {
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

    fn shares(&mut self, number: u64, row: &BankRow<'_>) -> i64 {
        let (read, is_whole) = leading_count(&plain_count(row.shares)).unwrap_or((0, false));
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

    fn usage(&mut self, number: u64, row: &BankRow<'_>) -> f64 {
        let (usage, is_number) = leading_number(&plain_decimal(row.usage));
        let counted = if usage.is_finite() {
            usage.max(0.0)
        } else {
            0.0
        };
        if !is_number || counted.to_bits() != (usage + 0.0).to_bits() {
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
