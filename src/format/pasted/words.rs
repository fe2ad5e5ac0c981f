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

/// Returns the column of each word. `None` if no way fits what the columns hold, or several do equally.
pub(super) fn places(words: &[&[u8]], columns: &[ColumnRule]) -> Option<Vec<usize>> {
    if words.is_empty() || words.len() > columns.len() {
        return None;
    }
    let width = columns.len() + 1;
    // The rests of the row, by word and column. Without words all columns stay empty.
    let mut rests: Vec<Option<Rest>> = vec![None; (words.len() + 1) * width];
    for word in (0..=words.len()).rev() {
        for column in (0..=columns.len()).rev() {
            let rest = if column == columns.len() {
                let is_end = word == words.len();
                is_end.then_some(Rest {
                    cost: 0,
                    ways: 1,
                    is_word: false,
                })
            } else {
                let rule = columns[column];
                let empty = rests[word * width + column + 1].map(|rest| Rest {
                    cost: rest.cost + rule.blank,
                    is_word: false,
                    ..rest
                });
                let filled = match words.get(word) {
                    Some(text) if rule.kind.fits(text) => rests[(word + 1) * width + column + 1]
                        .map(|rest| Rest {
                            cost: rest.cost + oddity(text, rule.kind),
                            is_word: true,
                            ..rest
                        }),
                    _ => None,
                };
                likelier(filled, empty)
            };
            rests[word * width + column] = rest;
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
    let others = [
        CellKind::Count,
        CellKind::Number,
        CellKind::Flag,
        CellKind::Amounts,
    ];
    let is_odd =
        kind == CellKind::Name && (is_parent(word) || others.iter().any(|other| other.fits(word)));
    if is_odd { ODD_NAME } else { 0 }
}

/// Returns the likelier of two ways, and how many such there are.
fn likelier(one: Option<Rest>, other: Option<Rest>) -> Option<Rest> {
    match (one, other) {
        (Some(one), Some(other)) if one.cost == other.cost => Some(Rest {
            ways: (one.ways + other.ways).min(2),
            ..one
        }),
        (Some(one), Some(other)) => Some(if one.cost < other.cost { one } else { other }),
        (one, other) => one.or(other),
    }
}
