//! The columns of an output: from its header, or from what its lines show without one.

use super::BANNER;
use crate::format::sheet::kind::CellKind;
use crate::format::slurm::table::SlurmColumn::{self, Recorded};
use crate::format::slurm::table::{Command, LineForm, LineSplit, TableLayout};
use crate::format::text::split;
use crate::model::Fact;
use memchr::memchr;

/// How many lines are examined to find a header, or to guess the columns.
const SAMPLE: usize = 400;

/// The columns that `sshare` prints, in its order, and in which of its outputs each is. The outputs are numbered from the
/// fewest columns to the most; without a header the first that fits is used.
const PRINTED: &[(SlurmColumn, &str)] = &[
    (SlurmColumn::Account, "123456789"),
    (SlurmColumn::User, "123456789"),
    (SlurmColumn::Cluster, "       89"),
    (SlurmColumn::Partition, " 2   6789"),
    (SlurmColumn::Id, "       89"),
    (SlurmColumn::RawShares, "123456789"),
    (Recorded(Fact::NormShares), "123456789"),
    (SlurmColumn::RawUsage, "123456789"),
    (Recorded(Fact::NormUsage), "  3456789"),
    (Recorded(Fact::EffectvUsage), "123456789"),
    (Recorded(Fact::FairShare), "123456789"),
    (Recorded(Fact::LevelFs), "    5 789"),
    (Recorded(Fact::GrpTresMins), "   456789"),
    (Recorded(Fact::GrpTresRaw), "        9"),
    (Recorded(Fact::TresRunMins), "   456789"),
];

/// Returns the columns of an output, by its number.
fn columns_of(output: char) -> Vec<SlurmColumn> {
    let mut columns = Vec::new();
    for (column, outputs) in PRINTED {
        if outputs.contains(output) {
            columns.push(*column);
        }
    }
    columns
}

/// Returns whether the columns are those of `-l`, or of `-l -m`, without Fair Tree and so without LevelFS.
pub(super) fn are_long(columns: &[SlurmColumn]) -> bool {
    columns_of('4') == columns || columns_of('6') == columns
}

/// The columns of an output.
pub(super) struct Header {
    /// The columns.
    pub(super) layout: TableLayout,
    /// The number of its line, from 0; `None` if there is no header, and the columns are a guess.
    pub(super) line: Option<usize>,
}

impl Header {
    /// Finds the columns of an output. Returns `None` if it does not look like one of `sshare`.
    pub(super) fn find(text: &[u8]) -> Option<Self> {
        let mut rows = Vec::new();
        let mut lines = split(text, b'\n').take(SAMPLE).peekable();
        let mut number = 0;
        while let Some(line) = lines.next() {
            let below = lines.peek().copied();
            if let Some(layout) = TableLayout::of_header(Command::Sshare, line, below) {
                let line = Some(number);
                return Some(Self { layout, line });
            }
            let row = line.trim_ascii_end();
            let is_comment = row.starts_with(b"#");
            if !row.is_empty() && !is_comment && !row.starts_with(BANNER) {
                rows.push(row);
            }
            number += 1;
        }
        let layout = guess(&rows)?;
        Some(Self { layout, line: None })
    }
}

/// Returns the columns of rows without a header, or `None` if they are none that `sshare` prints.
fn guess(rows: &[&[u8]]) -> Option<TableLayout> {
    let has_bars = memchr(b'|', rows.first()?).is_some();
    let mut endings = vec![false];
    if has_bars && rows.iter().all(|row| row.ends_with(b"|")) {
        endings.insert(0, true);
    }
    for ends_in_bar in endings {
        for output in '1'..='9' {
            let columns = columns_of(output);
            let form = if has_bars {
                LineForm::Bars { ends_in_bar }
            } else {
                let widths = columns.iter().map(|column| column.usual_width());
                LineForm::Fixed(widths.collect())
            };
            let layout = TableLayout::new(Command::Sshare, columns, form);
            if fits(&layout, rows) {
                return Some(layout);
            }
        }
    }
    if has_bars { guess_counts(rows) } else { None }
}

/// Returns whether lines match the columns. A name may contain bars, so some lines may have too many cells.
fn fits(layout: &TableLayout, rows: &[&[u8]]) -> bool {
    let mut cells = Vec::new();
    let mut divided = 0;
    let mut decimals = 0;
    let mut used = 0;
    for row in rows {
        if layout.divide(row, &mut cells) != LineSplit::Whole {
            continue;
        }
        divided += 1;
        for (column, cell) in layout.columns.iter().zip(&cells) {
            let text = cell.trim_ascii();
            if text.is_empty() {
                continue;
            }
            if !column.kind().fits(text) {
                return false;
            }
            if column.has_decimals() {
                decimals += 1;
            }
            if *column == SlurmColumn::RawUsage {
                used += 1;
            }
        }
    }
    // Every association has usage, and almost all of them a number with decimals.
    let most = rows.len() - rows.len() / 4;
    divided >= most && used >= most && decimals >= most
}

/// Guesses the columns of an unusual selection: accounts and users first, and two columns of whole numbers.
fn guess_counts(rows: &[&[u8]]) -> Option<TableLayout> {
    let mut divided: Vec<Vec<&[u8]>> = Vec::new();
    for row in rows {
        divided.push(split(row, b'|').collect());
    }
    let count = divided.first()?.len();
    if count <= 4 || !rows[0].starts_with(b"root||") {
        return None;
    }
    if divided.iter().any(|cells| cells.len() != count) {
        return None;
    }
    let mut columns = vec![SlurmColumn::Account, SlurmColumn::User];
    let mut counts = vec![SlurmColumn::RawUsage, SlurmColumn::RawShares];
    for place in 2..count {
        columns.push(if holds_counts(&divided, place) {
            counts.pop()?
        } else {
            SlurmColumn::Unknown
        });
    }
    if !counts.is_empty() {
        return None;
    }
    let form = LineForm::Bars { ends_in_bar: false };
    Some(TableLayout::new(Command::Sshare, columns, form))
}

/// Returns whether the cells at a place are whole numbers, or empty, but not all of them.
fn holds_counts(rows: &[Vec<&[u8]>], place: usize) -> bool {
    let mut is_filled = false;
    for cells in rows {
        let cell = cells[place].trim_ascii();
        if !CellKind::Count.fits(cell) {
            return false;
        }
        is_filled |= !cell.is_empty();
    }
    is_filled
}
