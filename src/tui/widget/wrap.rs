//! Wrapping of text, and the visible lines of a menu.

use crate::base::shown::cells;

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
            let mut taken = 0;
            let end = word.char_indices().find(|(_, char)| {
                taken += unicode_width::UnicodeWidthChar::width(*char).unwrap_or(0);
                taken > width
            });
            let end = end.map_or(word.len(), |(end, _)| end.max(1));
            line.push_str(&word[..end]);
            word = &word[end..];
            lines.push(String::new());
            if word.is_empty() {
                break;
            }
        }
    }
    lines
}

/// Returns the first visible line of a menu such that its cursor is visible.
pub(crate) fn first_shown(cursor: usize, height: u16) -> usize {
    (cursor + 1).saturating_sub(usize::from(height))
}
