//! The changed lines of a file.

use super::line_fields;
use crate::analysis::plan::PlanFile;
use crate::base::shown::Shown;
use hashbrown::HashMap;

/// A removed or added line.
pub(crate) struct ChangedLine {
    /// Whether the line was added.
    pub(crate) is_new: bool,
    /// Its number in its file, from 1.
    pub(super) number: usize,
    /// Its fields; there is at least one.
    pub(crate) fields: Vec<Shown>,
}

/// Returns the lines of a file without the blank ones at its end.
pub(super) fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .trim_ascii_end()
        .split(|&byte| byte == b'\n')
        .collect()
}

/// Returns the removed and the added lines in the order of the files, each added line after the one that it replaces.
pub(crate) fn changed_lines(file: &PlanFile) -> Vec<ChangedLine> {
    let before = file.before.as_deref().map_or_else(Vec::new, lines);
    let after = lines(&file.bytes);
    let changed = |is_new, place: usize, line| ChangedLine {
        is_new,
        number: place + 1,
        fields: line_fields(line),
    };
    let old_line = |place: usize| changed(false, place, before[place]);
    let unchanged = unchanged(&before, &after);
    // By new line: the old line up to which old ones go before it.
    let mut until = vec![before.len(); after.len()];
    let mut next_unchanged = before.len();
    for (place, old) in unchanged.iter().enumerate().rev() {
        next_unchanged = old.unwrap_or(next_unchanged);
        until[place] = next_unchanged;
    }
    let mut changes = Vec::new();
    let mut next = 0;
    for (place, &line) in after.iter().enumerate() {
        if let Some(old) = unchanged[place] {
            changes.extend((next..old).map(old_line));
            next = old + 1;
            continue;
        }
        if next < until[place] {
            changes.push(old_line(next));
            next += 1;
        }
        changes.push(changed(true, place, line));
    }
    changes.extend((next..before.len()).map(old_line));
    changes
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
