//! The table under pseudonyms.

use super::BankHeader;
use super::row::indent;
use crate::format::LoadResult;
use crate::format::input::{Input, without_mark};
use crate::model::{Named, Pseudonyms};

/// A row under its pseudonyms, with its numbers as text.
struct AnonymousRow {
    /// The bank; for a user its bank.
    name: String,
    /// The user; empty for a bank.
    user: String,
    /// Whether Flux counts it.
    is_active: bool,
    /// The shares; empty if the cell is no number, as the next two.
    shares: String,
    usage: String,
    fairshare: String,
    /// The rows below it.
    below: Vec<usize>,
}

/// A bank above the next rows, by its own name.
struct OpenBank<'a> {
    /// Its name.
    name: &'a [u8],
    /// The place of its row.
    place: usize,
}

/// A row that is still to be written.
struct PendingRow {
    /// Its place among the rows.
    place: usize,
    /// How many banks are above it.
    depth: usize,
}

/// Returns the table with pseudonyms, banks and users in the order of these. What is no number is left out.
pub(in crate::format) fn anonymised(input: &Input, pseudonyms: &Pseudonyms) -> LoadResult<Vec<u8>> {
    let text = without_mark(&input.bytes);
    let header = BankHeader::read(text, input)?;
    let mut rows: Vec<AnonymousRow> = Vec::new();
    // The banks from the root to the last one.
    let mut open: Vec<OpenBank> = Vec::new();
    let lines = text.split(|&byte| byte == b'\n');
    for line in lines.skip(header.line + 1) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let depth = indent(line).min(open.len());
        let bank = open[..depth].last().map(|bank| bank.name);
        let Some(row) = header.layout.row(line, depth, bank) else {
            continue;
        };
        open.truncate(depth);
        let place = rows.len();
        if let Some(bank) = open.last() {
            rows[bank.place].below.push(place);
        } else if place > 0 {
            // A second table begins here.
            break;
        }
        rows.push(AnonymousRow {
            name: pseudonyms.of(Named::Account, row.name),
            user: pseudonyms.of(Named::User, row.user.unwrap_or_default()),
            is_active: row.is_active,
            shares: number(row.shares),
            usage: number(row.usage),
            fairshare: number(row.fairshare),
            below: Vec::new(),
        });
        if row.user.is_none() {
            open.push(OpenBank {
                name: row.name,
                place,
            });
        }
    }
    Ok(written(&rows).into_bytes())
}

/// Returns the text of a cell if it is a number, or nothing.
fn number(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell.trim_ascii()).into_owned();
    if text.parse::<f64>().is_ok() {
        text
    } else {
        String::new()
    }
}

/// Returns the table of rows, of which the first is the root.
fn written(rows: &[AnonymousRow]) -> String {
    let mut table = "Bank|Username|Active|RawShares|RawUsage|Fairshare\n".to_owned();
    let mut pending = Vec::new();
    if !rows.is_empty() {
        pending.push(PendingRow { place: 0, depth: 0 });
    }
    while let Some(PendingRow { place, depth }) = pending.pop() {
        let row = &rows[place];
        table.push_str(&" ".repeat(depth));
        let active = if row.is_active { "true" } else { "false" };
        let cells: &[&str] = &[
            &row.name,
            &row.user,
            active,
            &row.shares,
            &row.usage,
            &row.fairshare,
        ];
        table.push_str(&cells.join("|"));
        table.push('\n');
        let mut below = row.below.clone();
        below.sort_by_key(|&place| {
            let row = &rows[place];
            (row.user.is_empty(), &row.user, &row.name, place)
        });
        for place in below.into_iter().rev() {
            let depth = depth + 1;
            pending.push(PendingRow { place, depth });
        }
    }
    table
}
