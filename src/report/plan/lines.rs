//! The changed lines of a file.

use hashbrown::HashMap;

/// A removed or added line.
pub(super) struct ChangedLine<'a> {
    /// Whether the line was added.
    pub(super) is_new: bool,
    /// Its number in its file, from 1.
    pub(super) number: usize,
    /// The content.
    pub(super) line: &'a [u8],
}

/// Returns the removed and the added lines in the order of the files, each added line after the one that it replaces.
pub(super) fn changed_lines<'a>(before: &[&'a [u8]], after: &[&'a [u8]]) -> Vec<ChangedLine<'a>> {
    let unchanged = unchanged(before, after);
    // By new line: the old line up to which old ones go before it.
    let mut until = vec![before.len(); after.len()];
    let mut next_unchanged = before.len();
    for (place, old) in unchanged.iter().enumerate().rev() {
        next_unchanged = old.unwrap_or(next_unchanged);
        until[place] = next_unchanged;
    }
    let old_line = |place: usize| ChangedLine {
        is_new: false,
        number: place + 1,
        line: before[place],
    };
    let mut changed = Vec::new();
    let mut next = 0;
    for (place, &line) in after.iter().enumerate() {
        if let Some(old) = unchanged[place] {
            changed.extend((next..old).map(old_line));
            next = old + 1;
            continue;
        }
        if next < until[place] {
            changed.push(old_line(next));
            next += 1;
        }
        changed.push(ChangedLine {
            is_new: true,
            number: place + 1,
            line,
        });
    }
    changed.extend((next..before.len()).map(old_line));
    changed
}

/// For each new line the old one that it is, if it stays: of the lines that both files have, the longest row that
/// is in the same order in both.
fn unchanged(before: &[&[u8]], after: &[&[u8]]) -> Vec<Option<usize>> {
    // By line, the first old place that has it and is not taken yet; by old place, the next one with the same line.
    let mut first: HashMap<&[u8], Option<usize>> = HashMap::with_capacity(before.len());
    let mut next = vec![None; before.len()];
    for (place, &line) in before.iter().enumerate().rev() {
        next[place] = first.insert(line, Some(place)).flatten();
    }
    let mut take = |line: &[u8]| {
        let free = first.get_mut(line)?;
        let place = (*free)?;
        *free = next[place];
        Some(place)
    };
    let old: Vec<Option<usize>> = after.iter().map(|line| take(line)).collect();
    // The rows so far by length: the new line each of them ends with, so that it ends with the earliest old one.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; after.len()];
    for (place, of_old) in old.iter().enumerate().filter(|(_, old)| old.is_some()) {
        let length = ends.partition_point(|&end| old[end] < *of_old);
        previous[place] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(place);
        } else {
            ends[length] = place;
        }
    }
    let mut unchanged = vec![None; after.len()];
    let mut last = ends.last().copied();
    while let Some(place) = last {
        unchanged[place] = old[place];
        last = previous[place];
    }
    unchanged
}
