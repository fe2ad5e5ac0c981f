//! A screen as text: its characters in lines, without the blanks at their ends.

use super::safe;
use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

/// Returns the lines of a screen. Each ends with a line break.
pub(super) fn lines(screen: &Buffer) -> String {
    let columns = usize::from(screen.area.width.max(1));
    let mut text = String::new();
    for row in screen.content.chunks(columns) {
        let start = text.len();
        let mut cells = row.iter();
        while let Some(cell) = cells.next() {
            let symbol = safe(cell).symbol();
            text.push_str(symbol);
            if symbol.width() > 1 {
                // The cell behind a wide character belongs to it.
                cells.next();
            }
        }
        let length = text[start..].trim_end().len();
        text.truncate(start + length);
        text.push('\n');
    }
    text
}
