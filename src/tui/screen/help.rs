//! The help: all keys with what they do, in as many columns as the screen has room for.

use crate::base::shown::{cells, visible};
use crate::tui::screen::painter::{Painter, narrow, skip};
use crate::tui::state::drawn::DrawnHelp;
use crate::tui::state::{Help, HelpEntry, Ui};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The cells of the narrowest column.
const NARROWEST: usize = 35;

/// The most columns beside each other.
const MOST_COLUMNS: usize = 3;

/// The cells of the keys in a column.
const KEYS: usize = 13;

/// The cells between two columns.
const GAP: usize = 2;

/// The width from which the table is in sight on both sides.
const WITH_MARGIN: u16 = 60;

/// Draws the help in the middle of an area, and notes how much of it is on the screen.
pub(crate) fn draw_help(p: &mut Painter<'_>, help: &Help, area: Rect) {
    let margin = if area.width >= WITH_MARGIN { 4 } else { 0 };
    let width = area.width.saturating_sub(margin);
    let inside = usize::from(width.saturating_sub(4)).max(1);
    let count = ((inside + GAP) / (NARROWEST + GAP)).clamp(1, MOST_COLUMNS);
    let column = (inside - GAP * (count - 1)) / count;
    let blocks = blocks(p.ui, help, column);
    let rows = fewest_rows(&blocks, count, usize::from(area.height.saturating_sub(2)));
    let columns = flow(&blocks, rows);
    let pages = columns.len().div_ceil(count);
    let lines = rows * pages;
    let title = format!("Keys of {}: {}_", help.place, visible(&help.list.query));
    let next = if pages > 1 { "space next page · " } else { "" };
    let foot = format!("type to search · {next}esc close");
    let inner = p.panel(&title, &foot, (width, rows.max(1)), area);
    let height = usize::from(inner.height);
    p.drawn.help = DrawnHelp { height, lines };
    if columns.is_empty() {
        p.put(inner, "no matching key", p.ui.theme.dim);
        return;
    }
    let top = help.list.cursor.min(lines.saturating_sub(height));
    for (line, place) in inner.rows().zip(top..) {
        // Below the last row of a page the first one of the next follows.
        let first = place / rows * count;
        for at in 0..count {
            if let Some(texts) = columns.get(first + at)
                && let Some(text) = texts.get(place % rows)
            {
                let cell = skip(line, narrow(at * (column + GAP)));
                let room = narrow(column).min(cell.width);
                p.buffer.set_line(cell.x, cell.y, text, room);
            }
        }
    }
}

/// Lines that stay together: an entry, or a heading with its first entry.
type Block = Vec<Line<'static>>;

/// Returns the entries that pass, section by section.
fn blocks(ui: &Ui, help: &Help, width: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut section = "";
    for entry in help.passing() {
        let mut block = Vec::new();
        if entry.section != section {
            section = entry.section;
            if !blocks.is_empty() {
                block.push(Line::default());
            }
            block.push(Line::styled(section, ui.theme.strong));
        }
        block.extend(entry_lines(ui, entry, width));
        blocks.push(block);
    }
    blocks
}

/// Returns the keys of an entry, as many as there is room for.
fn keys_of(entry: &HelpEntry) -> String {
    let mut keys = String::new();
    for key in &entry.keys {
        if !keys.is_empty() {
            if cells(&keys) + 2 + cells(key) > KEYS - 1 {
                break;
            }
            keys.push_str(", ");
        }
        keys.push_str(key);
    }
    keys
}

/// Returns the lines of an entry: its keys, and what they do.
fn entry_lines(ui: &Ui, entry: &HelpEntry, width: usize) -> Block {
    let mut keys = keys_of(entry);
    let mut lines = Vec::new();
    for text in wrap(entry.help, width.saturating_sub(KEYS).max(1)) {
        let blanks = " ".repeat(KEYS.saturating_sub(cells(&keys)));
        lines.push(Line::from(vec![
            // They stand on the first line.
            Span::styled(std::mem::take(&mut keys), ui.theme.key),
            Span::raw(blanks),
            Span::styled(text, ui.theme.text),
        ]));
    }
    lines
}

/// Returns the height of columns that holds all blocks in so many columns; `most` if they need more than one screen.
fn fewest_rows(blocks: &[Block], count: usize, most: usize) -> usize {
    let mut lines = 0;
    let mut longest = 0;
    for block in blocks {
        lines += block.len();
        longest = longest.max(block.len());
    }
    let least = lines.div_ceil(count).max(longest).max(1);
    for rows in least..most {
        if flow(blocks, rows).len() <= count {
            return rows;
        }
    }
    most.max(1)
}

/// Returns the blocks in columns of this height. Only a block that is longer than a column is split.
fn flow(blocks: &[Block], rows: usize) -> Vec<Block> {
    let mut columns: Vec<Block> = Vec::new();
    // The lines that the last column has room for.
    let mut room = 0;
    for block in blocks {
        if block.len() > room && block.len() <= rows {
            columns.push(Vec::new());
            room = rows;
        }
        for line in block {
            if room == 0 {
                columns.push(Vec::new());
                room = rows;
            }
            if let Some(column) = columns.last_mut()
                && !(column.is_empty() && line.width() == 0)
            {
                column.push(line.clone());
                room -= 1;
            }
        }
    }
    columns
}
