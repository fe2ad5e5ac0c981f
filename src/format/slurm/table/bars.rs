//! Bars in names: a line with more cells than columns has some, and what the columns hold tells where.

use super::{LineSplit, SlurmColumn, TableLayout};

/// The columns whose cells may hold bars.
const TORN: &[SlurmColumn] = &[
    SlurmColumn::Account,
    SlurmColumn::User,
    SlurmColumn::ParentName,
    SlurmColumn::Description,
    SlurmColumn::Organization,
];

impl TableLayout {
    /// Divides a line, whose names may have so many bars in them. `is_account` knows the names of accounts so far.
    pub(crate) fn divide_with_bars<'a>(
        &self,
        line: &'a [u8],
        most_bars: usize,
        cells: &mut Vec<&'a [u8]>,
        is_account: &dyn Fn(&[u8]) -> bool,
    ) -> LineSplit {
        let split = self.divide(line, cells);
        if let LineSplit::Many(count) = split
            && count <= self.columns.len() + most_bars
            && count == cells.len()
            && let Some(joined) = self.joined(line, cells, is_account)
        {
            *cells = joined;
            return LineSplit::Joined;
        }
        split
    }

    /// Joins pieces of a line that was divided at bars in names: of all ways with numbers where numbers belong, the most
    /// likely one, the first of equals. Returns `None` if there is no such way.
    fn joined<'a>(
        &self,
        line: &'a [u8],
        pieces: &[&'a [u8]],
        is_account: &dyn Fn(&[u8]) -> bool,
    ) -> Option<Vec<&'a [u8]>> {
        // How many bars are in the cell of each column that may hold some: first all of them in the first.
        let torn = self.torn();
        let mut bars = vec![0; torn.len()];
        *bars.first_mut()? = pieces.len() - self.columns.len();
        let mut best = None;
        let mut least = usize::MAX;
        loop {
            let mut cells = Vec::with_capacity(self.columns.len());
            let mut rest = line;
            let mut at = 0;
            let mut ragged = 0;
            for place in 0..self.columns.len() {
                let mut last = at;
                if let Some(index) = torn.iter().position(|&torn| torn == place) {
                    last += bars[index];
                }
                if last > at && (pieces[at].is_empty() || pieces[last].is_empty()) {
                    ragged += 1;
                }
                let mut length = last - at;
                for piece in &pieces[at..=last] {
                    length += piece.len();
                }
                cells.push(&rest[..length]);
                rest = rest.get(length + 1..).unwrap_or_default();
                at = last + 1;
            }
            if let Some(of_cells) = self.oddity(&cells, is_account) {
                let oddity = of_cells + 4 * ragged;
                if oddity < least {
                    least = oddity;
                    best = Some(cells);
                }
            }
            if !next_distribution(&mut bars) {
                return best;
            }
        }
    }

    /// Returns the places of the columns whose cells may hold bars. Of columns with one name it is the first.
    fn torn(&self) -> Vec<usize> {
        let mut torn = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            if TORN.contains(column) && self.place(*column) == Some(place) {
                torn.push(place);
            }
        }
        torn
    }

    /// Returns how unlikely the cells are, from 0, or `None` if they are impossible.
    fn oddity(&self, cells: &[&[u8]], is_account: &dyn Fn(&[u8]) -> bool) -> Option<usize> {
        for (cell, column) in cells.iter().zip(&self.columns) {
            if !column.kind().fits(cell.trim_ascii()) {
                return None;
            }
        }
        let account = self.cell(cells, SlurmColumn::Account).trim_ascii_start();
        let is_user = !self.cell(cells, SlurmColumn::User).is_empty();
        let has_parent = !self.cell(cells, SlurmColumn::ParentName).is_empty();
        let mut oddity = 0;
        let cluster = self.cell(cells, SlurmColumn::Cluster);
        if self.has(SlurmColumn::Cluster) && cluster.is_empty() {
            oddity += 4;
        }
        // Only accounts have a parent's name.
        if is_user && (has_parent || !is_account(account)) {
            oddity += 2;
        }
        let description = self.cell(cells, SlurmColumn::Description);
        if self.has(SlurmColumn::Description) && description.trim_ascii_start() != account {
            oddity += 1;
        }
        Some(oddity)
    }
}

/// Advances to the next distribution of the same number of bars; false after the last.
fn next_distribution(bars: &mut [usize]) -> bool {
    let Some(first) = bars.iter().position(|&count| count > 0) else {
        return false;
    };
    if first + 1 == bars.len() {
        return false;
    }
    bars[0] = std::mem::take(&mut bars[first]) - 1;
    bars[first + 1] += 1;
    true
}
