//! The help, in as many columns as the screen has room for.

use crate::base::shown::{cells, visible};
use crate::tui::screen::painter::{Painter, narrow, skip};
use crate::tui::state::{Help, HelpEntry, Ui};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

const NARROWEST: usize = 35;
const MOST_COLUMNS: usize = 3;

/// The cells of the keys in a column.
const KEYS: usize = 13;

const GAP: usize = 2;

pub(crate) fn draw(p: &mut Painter<'_>, help: &Help, area: Rect) {
    let margin = if area.width >= 60 { 4 } else { 0 };
    let width = area.width.saturating_sub(margin);
    let inside = usize::from(width.saturating_sub(4)).max(1);
    let count = ((inside + GAP) / (NARROWEST + GAP)).clamp(1, MOST_COLUMNS);
    let column = (inside - GAP * (count - 1)) / count;
    let blocks = blocks(p.ui, help, column);
    let rows = fewest_rows(&blocks, count, usize::from(area.height.saturating_sub(2)));
    let columns = flow(&blocks, rows);
    let screens = columns.len().div_ceil(count);
    let height = rows * screens;
    let title = format!("Keys of {}: {}_", help.place, visible(&help.query));
    let foot = match screens {
        2.. => "type to search · space next page · esc close",
        _ => "type to search · esc close",
    };
    let inner = p.panel(&title, foot, (width, rows.max(1)), area);
    let visible_rows = usize::from(inner.height);
    p.regions.help = (visible_rows, height);
    if columns.is_empty() {
        p.put(inner, "no matching key", p.ui.theme.dim);
        return;
    }
    let offset = help.offset.min(height.saturating_sub(visible_rows));
    for (line, place) in inner.rows().zip(offset..height) {
        let first = place / rows * count;
        for (at, lines) in columns.iter().skip(first).take(count).enumerate() {
            if let Some(text) = lines.get(place % rows) {
                let cell = skip(line, narrow(at * (column + GAP)));
                let room = narrow(column).min(cell.width);
                p.buffer.set_line(cell.x, cell.y, text, room);
            }
        }
    }
}

/// Lines that stay together: an entry, or a heading with its first entry.
type Block = Vec<Line<'static>>;

fn blocks(ui: &Ui, help: &Help, width: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    for section in help
        .passing()
        .chunk_by(|one, other| one.section == other.section)
    {
        for (place, entry) in section.iter().enumerate() {
            let mut block = Vec::new();
            if place == 0 {
                if !blocks.is_empty() {
                    block.push(Line::default());
                }
                block.push(Line::styled(entry.section, ui.theme.strong));
            }
            block.extend(entry_lines(ui, entry, width));
            blocks.push(block);
        }
    }
    blocks
}

/// Returns the lines of an entry: as many of its keys as there is room for, and what they do.
fn entry_lines(ui: &Ui, entry: &HelpEntry, width: usize) -> Block {
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
    let texts = wrap(entry.help, width.saturating_sub(KEYS).max(1));
    let keys = std::iter::once(keys).chain(std::iter::repeat(String::new()));
    let lines = texts.into_iter().zip(keys).map(|(text, keys)| {
        let pad = " ".repeat(KEYS.saturating_sub(cells(&keys)));
        Line::from(vec![
            Span::styled(keys, ui.theme.key),
            Span::raw(pad),
            Span::styled(text, ui.theme.text),
        ])
    });
    lines.collect()
}

/// Returns the height of columns that holds all blocks in so many columns; `most` if they need more than one screen.
fn fewest_rows(blocks: &[Block], count: usize, most: usize) -> usize {
    let lines: usize = blocks.iter().map(Vec::len).sum();
    let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut heights = lines.div_ceil(count).max(longest)..most;
    heights
        .find(|&rows| rows > 0 && flow(blocks, rows).len() <= count)
        .unwrap_or_else(|| most.max(1))
}

/// Returns the blocks in columns of this height. Only a block that is longer than a column is split.
fn flow(blocks: &[Block], rows: usize) -> Vec<Vec<Line<'static>>> {
    let mut columns: Vec<Vec<Line<'static>>> = Vec::new();
    for block in blocks {
        let last = columns.last();
        let has_room = last.is_some_and(|column| column.len() + block.len() <= rows);
        if !has_room && block.len() <= rows {
            columns.push(Vec::new());
        }
        for line in block {
            if columns.last().is_none_or(|column| column.len() >= rows) {
                columns.push(Vec::new());
            }
            if let Some(column) = columns.last_mut()
                && !(column.is_empty() && line.width() == 0)
            {
                column.push(line.clone());
            }
        }
    }
    columns
}
