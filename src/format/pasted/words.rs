//! Words of a row that lost its empty cells: which column each belongs to, by what the columns hold.

use crate::format::sheet::kind::{CellKind, ColumnRule, is_parent};

/// How unlikely a name is that looks like a cell of another kind.
const ODD_NAME: u32 = 4;

/// How likely the rest of a row is from some word and column on.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// How unlikely the best way is, from 0.
    cost: u32,
    /// How many best ways there are; at most 2 are counted.
    ways: u32,
    /// Whether the best way puts the word into the column, which else stays empty.
    is_word: bool,
}

impl Rest {
    /// The end of the row.
    const END: Self = Self {
        cost: 0,
        ways: 1,
        is_word: false,
    };

    /// Returns the rest from one column before on, which is so unlikely, with a word in it or empty.
    const fn after(self, cost: u32, is_word: bool) -> Self {
        Self {
            cost: self.cost + cost,
            ways: self.ways,
            is_word,
        }
    }
}

/// Returns the column of each word. `None` if no way fits what the columns hold, or several do equally.
pub(super) fn places(words: &[&[u8]], columns: &[ColumnRule]) -> Option<Vec<usize>> {
    if words.is_empty() || words.len() > columns.len() {
        return None;
    }
    let width = columns.len() + 1;
    let count = (words.len() + 1) * width;
    // The rests of the row, by word and column. The last one is its end: behind all columns no word may be left.
    let mut rests: Vec<Option<Rest>> = vec![None; count];
    rests[count - 1] = Some(Rest::END);
    for word in (0..=words.len()).rev() {
        for (column, rule) in columns.iter().enumerate().rev() {
            let at = word * width + column;
            let mut filled = None;
            if let Some(text) = words.get(word)
                && let Some(behind) = rests[at + width + 1]
                && rule.kind.fits(text)
            {
                filled = Some(behind.after(oddity(text, rule.kind), true));
            }
            let empty = rests[at + 1].map(|behind| behind.after(rule.blank, false));
            rests[at] = likelier(filled, empty);
        }
    }
    if rests[0]?.ways > 1 {
        return None;
    }
    let mut places = Vec::with_capacity(words.len());
    for column in 0..columns.len() {
        if rests[places.len() * width + column]?.is_word {
            places.push(column);
        }
    }
    Some(places)
}

/// Returns how unlikely a word is as a cell of that kind.
fn oddity(word: &[u8], kind: CellKind) -> u32 {
    let is_odd = is_parent(word)
        || CellKind::Count.fits(word)
        || CellKind::Number.fits(word)
        || CellKind::Flag.fits(word)
        || CellKind::Amounts.fits(word);
    if kind == CellKind::Name && is_odd {
        ODD_NAME
    } else {
        0
    }
}

/// Returns the likelier of two ways, and how many such there are.
fn likelier(one: Option<Rest>, other: Option<Rest>) -> Option<Rest> {
    let (Some(first), Some(second)) = (one, other) else {
        return one.or(other);
    };
    if first.cost == second.cost {
        let ways = (first.ways + second.ways).min(2);
        return Some(Rest { ways, ..first });
    }
    if first.cost < second.cost { one } else { other }
}
