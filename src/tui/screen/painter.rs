//! What the parts of the screen draw with: texts in areas, keys to click, rows under a cursor, and boxes.

use crate::base::shown::{cells, cut};
use crate::tui::input::keymap::Key;
use crate::tui::state::Ui;
use crate::tui::widget::{Click, Regions};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;
use ratatui::widgets::{Block, Clear, Padding, Widget as _};

pub(crate) struct Painter<'a> {
    pub(crate) ui: &'a Ui,
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) regions: &'a mut Regions,
}

/// Returns a number of cells as a coordinate: the last one if no screen is that large.
pub(crate) fn narrow(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}

/// Returns the nearest whole number from 0 to the largest one; 0 for what is no number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped first"
)]
pub(crate) fn whole(number: f64, largest: u16) -> u16 {
    number.clamp(0.0, largest.into()).round() as u16
}

pub(crate) fn width_of(text: &str) -> u16 {
    narrow(cells(text))
}

/// Returns an area without so many cells at its left edge.
pub(crate) fn skip(area: Rect, cells: u16) -> Rect {
    let x = area.x.saturating_add(cells);
    Rect {
        x,
        width: area.right().saturating_sub(x),
        ..area
    }
}

/// Returns an area without so many cells at its right edge.
pub(crate) fn short_of(area: Rect, cells: u16) -> Rect {
    let width = area.width.saturating_sub(cells);
    Rect { width, ..area }
}

/// Returns an area without so many lines at its top.
pub(crate) fn below(area: Rect, lines: u16) -> Rect {
    let y = area.y.saturating_add(lines);
    Rect {
        y,
        height: area.bottom().saturating_sub(y),
        ..area
    }
}

pub(crate) fn key_name(code: KeyCode) -> String {
    Key::of(KeyEvent::new(code, KeyModifiers::NONE)).to_string()
}

impl Painter<'_> {
    /// Draws a text on the first line of an area. Returns the area behind it.
    pub(crate) fn put(&mut self, area: Rect, text: impl AsRef<str>, style: Style) -> Rect {
        let room = usize::from(area.width);
        let (x, _) = self.buffer.set_stringn(area.x, area.y, text, room, style);
        skip(area, x - area.x)
    }

    /// Draws a text on the first line of an area; one that is too long ends in `…`. Returns the area behind it.
    pub(crate) fn put_cut(&mut self, area: Rect, text: &str, style: Style) -> Rect {
        self.put(area, cut(text, area.width.into()), style)
    }

    pub(crate) fn put_right(&mut self, area: Rect, text: &str, style: Style) {
        let blanks = area.width.saturating_sub(width_of(text));
        self.put(skip(area, blanks), text, style);
    }

    /// Draws lines from the top of an area, as many as there is room for; one that is too long ends in `…`.
    pub(crate) fn put_lines<T: AsRef<str>>(
        &mut self,
        area: Rect,
        lines: impl IntoIterator<Item = (T, Style)>,
    ) {
        for ((line, style), row) in lines.into_iter().zip(area.rows()) {
            self.put_cut(row, line.as_ref(), style);
        }
    }

    pub(crate) fn rule(&mut self, area: Rect) {
        self.put(area, "─".repeat(area.width.into()), self.ui.theme.guide);
    }

    pub(crate) fn upright(&mut self, area: Rect, style: Style) {
        for row in area.rows() {
            self.put(row, "│", style);
        }
    }

    /// Draws a key and what it does. Returns the area of both and the area behind them.
    pub(crate) fn put_key(&mut self, area: Rect, key: &str, text: &str, style: Style) -> [Rect; 2] {
        let rest = self.put(area, key, self.ui.theme.key);
        let rest = self.put(skip(rest, 1), text, style);
        [Rect::new(area.x, area.y, rest.x - area.x, 1), rest]
    }

    /// Draws a key and what it does, which a click presses. Returns the area behind both.
    pub(crate) fn button(&mut self, area: Rect, code: KeyCode, text: &str) -> Rect {
        let style = self.ui.theme.text;
        let [place, rest] = self.put_key(area, &key_name(code), text, style);
        self.regions.targets.push((place, Click::Key(code)));
        rest
    }

    /// Draws a row: its mark, which is another one under the cursor, and its content behind the mark.
    pub(crate) fn row(
        &mut self,
        row: Rect,
        is_selected: bool,
        [mark_of_cursor, mark]: [&str; 2],
        content: impl FnOnce(&mut Self, Rect),
    ) {
        let theme = &self.ui.theme;
        if is_selected {
            self.buffer.set_style(row, theme.selected);
        }
        let mark = if is_selected { mark_of_cursor } else { mark };
        let rest = self.put(row, mark, theme.key);
        content(self, rest);
        if is_selected {
            self.ui.layout().emphasise(row, theme, self.buffer);
        }
    }

    pub(crate) fn clear(&mut self, area: Rect) {
        Clear.render(area, self.buffer);
        self.buffer.set_style(area, self.ui.theme.page());
    }

    /// Draws a box in the middle of an area, as high as its lines need, and notes where it is. Returns the area inside.
    /// Where not all keys in its foot fit, the last ones are the most important.
    pub(crate) fn panel(
        &mut self,
        title: &str,
        foot: &str,
        (width, lines): (u16, usize),
        area: Rect,
    ) -> Rect {
        let height = narrow(lines).saturating_add(2).min(area.height);
        let width = width.min(area.width);
        let (x, y) = ((area.width - width) / 2, (area.height - height) / 2);
        let outer = Rect::new(area.x + x, area.y + y, width, height);
        self.regions.dialog = outer;
        self.clear(outer);
        let theme = &self.ui.theme;
        let foot = fitting(foot, usize::from(width.saturating_sub(4)));
        let block = Block::bordered()
            .border_style(theme.guide)
            .padding(Padding::horizontal(1))
            .title(Span::styled(format!(" {title} "), theme.title))
            .title_bottom(Span::styled(format!(" {foot} "), theme.dim));
        let inner = block.inner(outer);
        block.render(outer, self.buffer);
        inner
    }
}

const BETWEEN: &str = " · ";

/// Returns the last keys of a foot that fit into a width.
fn fitting(mut foot: &str, width: usize) -> &str {
    while cells(foot) > width {
        match foot.split_once(BETWEEN) {
            Some((_, rest)) => foot = rest,
            None => return "",
        }
    }
    foot
}
