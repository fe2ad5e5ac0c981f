//! What the parts of the screen draw with: texts in areas, keys to click, rows under a cursor, and boxes.

use crate::base::shown::{Shown, cells, cut};
use crate::rules::policy::RuleColumn;
use crate::tui::input::event::{KeyCode, KeyEvent, KeyModifiers};
use crate::tui::input::keymap::Key;
use crate::tui::state::{Click, Drawn, Placed, Ui};
pub(crate) use crate::tui::widget::narrow;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Padding, Widget as _};

/// What drawing needs: the state, the cells to draw on, and where it notes what it drew.
pub(crate) struct Painter<'a> {
    /// The state that all trees share.
    pub(crate) ui: &'a Ui,
    /// The theme on the screen.
    pub(crate) theme: &'a Theme,
    /// The cells of the screen.
    pub(crate) buffer: &'a mut Buffer,
    /// Where things are on this frame.
    pub(crate) drawn: &'a mut Drawn,
}

/// A key with what it does, on the screen.
pub(crate) struct KeyOnScreen {
    /// The cells of both.
    pub(crate) area: Rect,
    /// The rest of the line.
    pub(crate) behind: Rect,
}

/// A key to press or to click, and what it does.
pub(crate) struct Button {
    /// The key.
    code: KeyCode,
    /// What it does, in a few words.
    text: Shown,
}

impl Button {
    /// Returns a button with these words.
    pub(crate) fn new(code: KeyCode, text: impl Into<Shown>) -> Self {
        Self {
            code,
            text: text.into(),
        }
    }

    /// Returns its cells.
    pub(crate) fn cells(&self) -> usize {
        cells(&key_name(self.code)) + 1 + cells(&self.text)
    }
}

/// What stands at the beginning of a row.
#[derive(Clone, Copy)]
pub(crate) struct RowMarks {
    /// On the row under the cursor.
    pub(crate) selected: &'static str,
    /// On every other row.
    pub(crate) other: &'static str,
}

impl RowMarks {
    /// The marks of lists in boxes.
    pub(crate) const LIST: Self = Self {
        selected: "❯ ",
        other: "  ",
    };
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

/// Returns the cells of a text as a coordinate.
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

/// Two areas, one above the other.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    /// The upper area.
    pub(crate) above: Rect,
    /// The lower area.
    pub(crate) below: Rect,
}

/// Splits so many lines off the top of an area.
pub(crate) fn split_top(area: Rect, lines: u16) -> Split {
    let height = lines.min(area.height);
    Split {
        above: Rect { height, ..area },
        below: below(area, height),
    }
}

/// Splits so many lines off the bottom of an area.
pub(crate) fn split_bottom(area: Rect, lines: u16) -> Split {
    split_top(area, area.height.saturating_sub(lines))
}

/// Returns a key without modifiers as hints name it.
fn key_name(code: KeyCode) -> String {
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

    /// Draws a text at the right end of the first line of an area.
    pub(crate) fn put_right(&mut self, area: Rect, text: &str, style: Style) {
        let blanks = area.width.saturating_sub(width_of(text));
        self.put(skip(area, blanks), text, style);
    }

    /// Draws a line with styles of its own on the first line of an area.
    pub(crate) fn put_line(&mut self, area: Rect, line: &Line) {
        self.buffer.set_line(area.x, area.y, line, area.width);
    }

    /// Draws lines from the top of an area, as many as there is room for; one that is too long ends in `…`.
    pub(crate) fn put_lines<T: AsRef<str>>(
        &mut self,
        area: Rect,
        lines: impl IntoIterator<Item = (T, Style)>,
    ) {
        let mut rows = area.rows();
        for (line, style) in lines {
            let Some(row) = rows.next() else { return };
            self.put_cut(row, line.as_ref(), style);
        }
    }

    /// Draws lines of one style as [`Painter::put_lines`] does.
    pub(crate) fn put_text<T: AsRef<str>>(&mut self, area: Rect, lines: &[T], style: Style) {
        for (row, line) in area.rows().zip(lines) {
            self.put_cut(row, line.as_ref(), style);
        }
    }

    /// Draws a line across the top of an area.
    pub(crate) fn rule(&mut self, area: Rect) {
        self.put(area, "─".repeat(area.width.into()), self.theme.guide);
    }

    /// Draws a line down the left edge of an area.
    pub(crate) fn upright(&mut self, area: Rect, style: Style) {
        for row in area.rows() {
            self.put(row, "│", style);
        }
    }

    /// Draws a key and what it does.
    pub(crate) fn put_key(
        &mut self,
        area: Rect,
        key: &str,
        text: &str,
        style: Style,
    ) -> KeyOnScreen {
        let rest = self.put(area, key, self.theme.key);
        let behind = self.put(skip(rest, 1), text, style);
        KeyOnScreen {
            area: Rect::new(area.x, area.y, behind.x - area.x, 1),
            behind,
        }
    }

    /// Draws a key and what it does, which a click presses. Returns the area behind both.
    pub(crate) fn button(&mut self, area: Rect, button: &Button) -> Rect {
        let style = self.theme.text;
        let key = self.put_key(area, &key_name(button.code), &button.text, style);
        self.note_target(key.area, Click::Key(button.code));
        key.behind
    }

    /// Notes what a click on an area does.
    pub(crate) fn note_target(&mut self, area: Rect, what: Click) {
        self.drawn.targets.push(Placed { what, area });
    }

    /// Notes where the heading of a column is; `None` is that of the names.
    pub(crate) fn note_heading(&mut self, what: Option<RuleColumn>, area: Rect) {
        self.drawn.headings.push(Placed { what, area });
    }

    /// Draws a row: its mark, which is another one under the cursor, and its content behind the mark.
    pub(crate) fn row(
        &mut self,
        row: Rect,
        is_selected: bool,
        marks: RowMarks,
        content: impl FnOnce(&mut Self, Rect),
    ) {
        let theme = self.theme;
        if !is_selected {
            let rest = self.put(row, marks.other, theme.key);
            return content(self, rest);
        }
        self.buffer.set_style(row, theme.selected);
        let rest = self.put(row, marks.selected, theme.key);
        content(self, rest);
        self.ui.layout().emphasise(row, theme, self.buffer);
    }

    /// Takes away what was drawn in an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        Clear.render(area, self.buffer);
        self.buffer.set_style(area, self.theme.page());
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
        let outer = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        self.drawn.dialog = outer;
        self.clear(outer);
        let theme = self.theme;
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

/// What stands between the keys in the foot of a box.
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
