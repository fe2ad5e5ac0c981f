//! The help: all keys with what they do, in as many columns as the screen has room for.

use super::painter::{Painter, narrow, skip};
use crate::base::shown::{cells, visible};
use crate::tui::input::action::Action;
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
pub(crate) fn draw_help(p: &mut Painter, help: &Help, area: Rect) {
    let margin = if area.width >= WITH_MARGIN { 4 } else { 0 };
    let width = area.width.saturating_sub(margin);
    let inside = usize::from(width.saturating_sub(4)).max(1);
    let fitting = (inside + GAP) / (NARROWEST + GAP);
    let count = fitting.clamp(1, MOST_COLUMNS);
    let column = (inside - GAP * (count - 1)) / count;
    let most = usize::from(area.height.saturating_sub(2));
    let blocks = blocks(p.ui, help, column);
    let rows = fewest_rows(&blocks, count, most);
    let table = HelpTable {
        columns: flow(&blocks, rows),
        width: column,
        count,
        rows,
    };
    let lines = table.lines();
    let title = format!("Keys of {}: {}_", help.place, visible(&help.list.query));
    let pages = table.pages();
    let page = help.list.cursor / rows.max(1) + 1;
    let turn = if pages > 1 {
        format!("page {} of {pages}, space turns it · ", page.min(pages))
    } else {
        String::new()
    };
    let close = if help.list.query.is_empty() {
        p.ui.hint(Action::Quit)
    } else {
        "esc".into()
    };
    let foot = format!("type to search · {turn}{close} close");
    let size = (width, rows.max(1));
    let inner = p.panel(&title, &foot, size, area);
    let height = usize::from(inner.height);
    p.drawn.help = DrawnHelp { height, lines };
    if table.columns.is_empty() {
        p.put(inner, "no matching key", p.theme.dim);
        return;
    }
    let top = help.list.cursor.min(lines.saturating_sub(height));
    for (line, place) in inner.rows().zip(top..) {
        table.draw_line(p, place, line);
    }
}

/// The lines of the help in columns: several pages, one below the other.
struct HelpTable {
    columns: Vec<Block>,
    /// The cells of a column.
    width: usize,
    /// The columns beside each other on a page.
    count: usize,
    /// The rows of a page.
    rows: usize,
}

impl HelpTable {
    /// Returns the number of pages; 0 without an entry.
    fn pages(&self) -> usize {
        self.columns.len().div_ceil(self.count)
    }

    /// Returns the rows of all pages.
    fn lines(&self) -> usize {
        self.rows * self.pages()
    }

    /// Draws a row. Below the last row of a page the first one of the next follows.
    fn draw_line(&self, p: &mut Painter, place: usize, line: Rect) {
        let first = place / self.rows * self.count;
        for at in 0..self.count {
            if let Some(texts) = self.columns.get(first + at)
                && let Some(text) = texts.get(place % self.rows)
            {
                let left = at * (self.width + GAP);
                let cell = skip(line, narrow(left));
                let room = narrow(self.width).min(cell.width);
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
