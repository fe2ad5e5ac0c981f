//! The columns of an output: from its header, or from what its lines show without one.

use super::BANNER;
use crate::format::sheet::kind::CellKind;
use crate::format::slurm::table::{Command, LineForm, LineSplit, SlurmColumn, TableLayout};
use crate::model::Fact;
use memchr::memchr;

/// How many lines are examined to find a header, or to guess the columns.
const SAMPLE: usize = 400;

/// The columns that `sshare` prints, in its order, and in which of its outputs each is. The outputs are numbered from the
/// fewest columns to the most; without a header the first that fits is used.
const PRINTED: [(SlurmColumn, &str); 15] = [
    (SlurmColumn::Account, "123456789"),
    (SlurmColumn::User, "123456789"),
    (SlurmColumn::Cluster, "       89"),
    (SlurmColumn::Partition, " 2   6789"),
    (SlurmColumn::Id, "       89"),
    (SlurmColumn::RawShares, "123456789"),
    (SlurmColumn::Recorded(Fact::NormShares), "123456789"),
    (SlurmColumn::RawUsage, "123456789"),
    (SlurmColumn::Recorded(Fact::NormUsage), "  3456789"),
    (SlurmColumn::Recorded(Fact::EffectvUsage), "123456789"),
    (SlurmColumn::Recorded(Fact::FairShare), "123456789"),
    (SlurmColumn::Recorded(Fact::LevelFs), "    5 789"),
    (SlurmColumn::Recorded(Fact::GrpTresMins), "   456789"),
    (SlurmColumn::Recorded(Fact::GrpTresRaw), "        9"),
    (SlurmColumn::Recorded(Fact::TresRunMins), "   456789"),
];

/// The outputs of `-l` and of `-l -m` without Fair Tree.
const LONG: [char; 2] = ['4', '6'];

fn columns_of(output: char) -> Vec<SlurmColumn> {
    let printed = PRINTED.iter();
    let printed = printed.filter(|(_, outputs)| outputs.contains(output));
    printed.map(|(column, _)| *column).collect()
}

/// Returns whether the columns are those of `-l` without LevelFS.
pub(super) fn are_long(columns: &[SlurmColumn]) -> bool {
    LONG.into_iter().any(|output| columns_of(output) == columns)
}

/// Finds the columns of an output, and the number of its header's line from 0, or `None` for that if they are a guess.
/// Returns `None` if it does not look like one of `sshare`.
pub(super) fn find(text: &[u8]) -> Option<(TableLayout, Option<usize>)> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').take(SAMPLE).collect();
    for (place, line) in lines.iter().enumerate() {
        let below = lines.get(place + 1).copied();
        if let Some(layout) = TableLayout::of_header(Command::Sshare, line, below) {
            return Some((layout, Some(place)));
        }
    }
    let is_row = |line: &&[u8]| !line.is_empty() && line[0] != b'#' && !line.starts_with(BANNER);
    let rows = lines.into_iter().map(<[u8]>::trim_ascii_end).filter(is_row);
    Some((guess(&rows.collect::<Vec<_>>())?, None))
}

fn guess(rows: &[&[u8]]) -> Option<TableLayout> {
    let has_bars = memchr(b'|', rows.first()?).is_some();
    let may_end_in_bar = has_bars && rows.iter().all(|row| row.ends_with(b"|"));
    let endings = may_end_in_bar.then_some(true).into_iter().chain([false]);
    let usual = |output, ends_in_bar| {
        let columns = columns_of(output);
        let form = if has_bars {
            LineForm::Bars { ends_in_bar }
        } else {
            LineForm::Fixed(columns.iter().map(|column| column.usual_width()).collect())
        };
        TableLayout::new(Command::Sshare, columns, form)
    };
    let mut forms = endings.flat_map(|ending| ('1'..='9').map(move |output| usual(output, ending)));
    let fitting = forms.find(|layout| fits(layout, rows));
    fitting.or_else(|| has_bars.then(|| guess_counts(rows)).flatten())
}

/// Returns whether lines match the columns. A name may contain bars, so some lines may have too many cells.
fn fits(layout: &TableLayout, rows: &[&[u8]]) -> bool {
    let mut cells = Vec::new();
    let (mut whole, mut decimals, mut used) = (0, 0, 0);
    for row in rows {
        if layout.divide(row, &mut cells) != LineSplit::Whole {
            continue;
        }
        whole += 1;
        for (&column, cell) in layout.columns.iter().zip(&cells) {
            let cell = cell.trim_ascii();
            if !column.kind().fits(cell) {
                return false;
            }
            let is_filled = !cell.is_empty();
            decimals += usize::from(is_filled && is_decimal(column));
            used += usize::from(is_filled && column == SlurmColumn::RawUsage);
        }
    }
    // Every association has usage, and almost all of them a number with decimals.
    let most = rows.len() - rows.len() / 4;
    whole >= most && used >= most && decimals >= most
}

fn is_decimal(column: SlurmColumn) -> bool {
    matches!(column.kind(), CellKind::Portion | CellKind::Number)
}

/// Guesses the columns of an unusual selection: accounts and users first, and two columns of whole numbers.
fn guess_counts(rows: &[&[u8]]) -> Option<TableLayout> {
    let lines = rows.iter();
    let divided = lines.map(|row| row.split(|&byte| byte == b'|').collect());
    let divided: Vec<Vec<&[u8]>> = divided.collect();
    let count = divided.first()?.len();
    let is_table = count > 4 && divided.iter().all(|cells| cells.len() == count);
    if !is_table || !rows[0].starts_with(b"root||") {
        return None;
    }
    let is_count = |place: &usize| {
        let mut cells = divided.iter().map(|cells| cells[*place].trim_ascii());
        let is_filled = cells.clone().any(|cell| !cell.is_empty());
        is_filled && cells.all(|cell| CellKind::Count.fits(cell))
    };
    let counts: Vec<usize> = (2..count).filter(is_count).collect();
    let &[shares, usage] = &counts[..] else {
        return None;
    };
    let mut columns = vec![SlurmColumn::Unknown; count];
    columns[0] = SlurmColumn::Account;
    columns[1] = SlurmColumn::User;
    columns[shares] = SlurmColumn::RawShares;
    columns[usage] = SlurmColumn::RawUsage;
    let form = LineForm::Bars { ends_in_bar: false };
    Some(TableLayout::new(Command::Sshare, columns, form))
}
