//! Wrapping of text, and the visible lines of a menu.

use crate::base::shown::{cells, split_at_width};

/// Wraps a sentence at blanks; a word longer than a line is split at the end of the line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        loop {
            let line = lines.last_mut().expect("there is always a last line");
            let used = cells(line);
            let gap = usize::from(used > 0);
            if used + gap + cells(word) <= width {
                if gap > 0 {
                    line.push(' ');
                }
                line.push_str(word);
                break;
            }
            if used > 0 {
                lines.push(String::new());
                continue;
            }
            let (first, rest) = split_at_width(word, width);
            line.push_str(first);
            if rest.is_empty() {
                break;
            }
            word = rest;
            lines.push(String::new());
        }
    }
    lines
}

/// Returns the column and the row of each of several texts of these widths, side by side in rows of so many cells.
pub(crate) fn places(widths: impl Iterator<Item = u16>, room: u16) -> Vec<(u16, u16)> {
    let (mut x, mut y) = (0_u16, 0);
    let places = widths.map(|width| {
        if x > 0 && x.saturating_add(width) > room {
            (x, y) = (0, y + 1);
        }
        let place = (x, y);
        x = x.saturating_add(width).saturating_add(2);
        place
    });
    places.collect()
}

/// Returns the first visible line of a menu such that its cursor is visible.
pub(crate) fn first_shown(cursor: usize, height: u16) -> usize {
    (cursor + 1).saturating_sub(usize::from(height))
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn a_wide_character_is_never_split() {
        assert_eq!(wrap("漢字", 1), ["漢", "字"]);
        assert_eq!(wrap("a漢字 b", 2), ["a", "漢", "字", "b"]);
    }
}
