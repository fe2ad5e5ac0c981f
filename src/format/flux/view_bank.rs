//! The table of `flux account view-bank ROOT -t`, with or without `-P`, and of the old `flux account-shares`.
//!
//! Every user may print it, while the database is only for administrators. Banks are indented by their depth, and the
//! row of a user repeats the name of its bank, one blank deeper.

mod row;

use super::{
    BankBuilder, BankPlace, FAIRSHARE_DECIMALS, Inactive, held_shares, leading_count,
    leading_number, note_sums, snapshot,
};
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::{
    Format, LoadError, LoadResult, Loaded, OnProgress, Problems, Refusal, Request,
};
use crate::model::{EXACT, Fact, Figure, Named, Pseudonyms, Settings, TreeBuilder, UsagePrecision};
use row::{BankRow, BankTableLayout};

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
    };
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let mut read = 0;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        read += line.len() as u64 + 1;
        meter.at(read, table.builder.tree.len())?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if number > at as u64 + 1 && !line.trim_ascii().is_empty() {
            table.take(number, line);
        }
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
        let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
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
}

impl BankTable {
    fn take(&mut self, number: u64, line: &[u8]) {
        let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
        // A name may begin with blanks. A row is at most one level below the last bank.
        let depth = blanks.min(self.line.len());
        let bank = depth.checked_sub(1).map(|above| &self.line[above].name[..]);
        let Some(row) = self.layout.row(line, depth, bank) else {
            let text = shown_text(line.trim_ascii());
            let message = sentence!("{text} is not a row of a bank or user; it was left out");
            let advice = "give the output of flux account view-bank ROOT -t -P as it was printed";
            let code = "flux-bad-row";
            return self.problems.refuse(number, code, message, advice);
        };
        if depth == 0 && !self.line.is_empty() {
            let name = shown(row.name);
            let message = sentence!("{name} is not below the first bank; it was left out");
            let (code, advice) = ("flux-second-root", "give the output of one command");
            return self.problems.refuse(number, code, message, advice);
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
        let (shares, is_whole) = leading_count(row.shares).unwrap_or((0, false));
        if !is_whole || shares < 0 {
            let meaning = if is_whole {
                "Flux reads them as a very large number".to_owned()
            } else {
                format!("expected a whole number; they are read as {shares}")
            };
            let (whose, found) = (row.label(), shown(row.shares));
            let message = sentence!("the shares of {whose} are {found}; {meaning}");
            let code = "flux-odd-shares";
            let advice = "set them with flux account edit-user or edit-bank, --shares=NUMBER";
            self.problems.warn(number, code, message, advice);
        }
        shares
    }

    fn usage(&mut self, number: u64, row: &BankRow<'_>) -> f64 {
        let (usage, is_number) = leading_number(row.usage);
        let is_finite = usage.is_finite();
        let counted = if is_finite { usage.max(0.0) } else { 0.0 };
        if !is_number || counted.to_bits() != (usage + 0.0).to_bits() {
            let (whose, found) = (row.label(), shown(row.usage));
            let message = sentence!(
                "the usage of {whose} is {found}; expected a number from 0 up; it is counted as {counted}"
            );
            let advice = "run flux account-update-usage, or flux account clear-usage BANK";
            let code = "flux-odd-usage";
            self.problems.warn(number, code, message, advice);
        }
        counted
    }
}
