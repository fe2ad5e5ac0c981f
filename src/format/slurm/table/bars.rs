//! Names with bars in a line whose cells stand between bars.

use super::{SlurmColumn, TableLayout};

/// Joins cells that were divided at bars in names: of all ways with numbers where numbers belong, the most likely one.
/// `is_account` knows the names of accounts so far. Returns `None` if there is no such way.
pub(in crate::format::slurm) fn joined<'a>(
    line: &'a [u8],
    pieces: &[&'a [u8]],
    layout: &TableLayout,
    is_account: impl Fn(&[u8]) -> bool,
) -> Option<Vec<&'a [u8]>> {
    let columns = &layout.columns[..];
    let extra = pieces.len() - columns.len();
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'|', line).map(|bar| bar + 1));
    // Of columns with the same name the first counts.
    let is_first = |place: &usize| !columns[..*place].contains(&columns[*place]);
    let torn: Vec<usize> = (0..columns.len())
        .filter(|&place| TORN.contains(&columns[place]))
        .filter(is_first)
        .collect();
    let mut bars = vec![0; torn.len()];
    *bars.first_mut()? = extra;
    let mut best: Option<(usize, Vec<&'a [u8]>)> = None;
    loop {
        let mut cells = Vec::with_capacity(columns.len());
        let (mut piece, mut ragged) = (0, 0);
        for place in 0..columns.len() {
            let held = torn.iter().position(|&torn| torn == place);
            let last = piece + held.map_or(0, |held| bars[held]);
            if last > piece {
                ragged += usize::from(pieces[piece].is_empty() || pieces[last].is_empty());
            }
            cells.push(&line[starts[piece]..starts[last] + pieces[last].len()]);
            piece = last + 1;
        }
        if let Some(oddity) = oddity(&cells, columns, &is_account) {
            let oddity = oddity + 4 * ragged;
            if best.as_ref().is_none_or(|(least, _)| oddity < *least) {
                best = Some((oddity, cells));
            }
        }
        if !next_distribution(&mut bars) {
            return best.map(|(_, cells)| cells);
        }
    }
}

/// The columns whose cells may hold bars.
const TORN: [SlurmColumn; 5] = [
    SlurmColumn::Account,
    SlurmColumn::User,
    SlurmColumn::ParentName,
    SlurmColumn::Description,
    SlurmColumn::Organization,
];

/// Returns how unlikely the cells are, or `None` if they are impossible.
fn oddity(
    cells: &[&[u8]],
    columns: &[SlurmColumn],
    is_account: impl Fn(&[u8]) -> bool,
) -> Option<usize> {
    let (mut account, mut user, mut parent): (&[u8], &[u8], &[u8]) = (b"", b"", b"");
    let (mut description, mut cluster): (Option<&[u8]>, Option<&[u8]>) = (None, None);
    for (&cell, column) in cells.iter().zip(columns) {
        match column {
            _ if !column.kind().fits(cell.trim_ascii()) => return None,
            SlurmColumn::Account => account = cell.trim_ascii_start(),
            SlurmColumn::User => user = cell,
            SlurmColumn::ParentName => parent = cell,
            SlurmColumn::Cluster => cluster = Some(cell),
            SlurmColumn::Description => description = Some(cell.trim_ascii_start()),
            _ => {}
        }
    }
    let is_nowhere = cluster.is_some_and(<[u8]>::is_empty);
    let is_stranger = !user.is_empty() && !is_account(account);
    // Only accounts have a parent's name.
    let is_both = !user.is_empty() && !parent.is_empty();
    let differs = description.is_some_and(|text| text != account);
    let unlikely = 2 * usize::from(is_stranger || is_both) + usize::from(differs);
    Some(4 * usize::from(is_nowhere) + unlikely)
}

/// Advances to the next distribution of the same number of bars; false after the last.
fn next_distribution(bars: &mut [usize]) -> bool {
    let first = bars.iter().position(|&count| count > 0);
    let Some(first) = first.filter(|first| first + 1 < bars.len()) else {
        return false;
    };
    bars[0] = std::mem::take(&mut bars[first]) - 1;
    bars[first + 1] += 1;
    true
}
