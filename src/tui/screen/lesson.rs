//! The strip of a lesson: what is said, what is asked, and the keys that go on.

use crate::base::shown::{Shown, cells, cut, sentence};
use crate::tui::screen::button;
use crate::tui::state::app::App;
use crate::tui::state::lesson::Strip;
use crate::tui::state::session::Session;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::wrap;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The smallest screen on which a lesson is played.
const SMALLEST: (u16, u16) = (60, 16);

/// The widest line of the strip. Longer lines are hard to read.
const WIDEST: u16 = 110;

/// The widest line of the strip in the large layout.
const WIDEST_LARGE: u16 = 84;

/// The height from which the large layout leaves a blank line above and below the text.
const LOWEST_WITH_BLANKS: u16 = 30;

/// The fewest lines for the text, so that the rows above rarely move.
const LINES: usize = 3;

/// The cells between two keys.
const BETWEEN: u16 = 2;

/// The cells left of the text.
const MARGIN: u16 = 2;

/// A line of the strip, and its style.
type StripLine = (String, Style);

/// The strip of a lesson, laid out.
pub(crate) struct LessonStrip {
    title: Shown,
    lines: Vec<StripLine>,
    /// The keys with what they do, a row after the other.
    keys: Vec<Vec<(KeyCode, String)>>,
    /// The blank lines above and below the text.
    blanks: u16,
}

impl LessonStrip {
    /// Returns the strip of the lesson that is played on the open tree; `None` if none is.
    pub(crate) fn of(app: &App, area: Rect) -> Option<Self> {
        let session = app.session()?;
        let lesson = session.lesson.as_ref().filter(|lesson| !lesson.is_left)?;
        let theme = &app.ui.theme;
        let is_last = lesson.is_revealed && lesson.step + 1 == lesson.count();
        let room = usize::from(area.width.saturating_sub(MARGIN));
        let strip = strip(app, session)?;
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            let text = sentence!(
                "too small: a lesson needs {}x{}; fairscope lesson NAME --format-out text prints it",
                SMALLEST.0,
                SMALLEST.1
            );
            let lines = wrap(&text, room).into_iter();
            return Some(Self {
                title: strip.title,
                lines: lines.map(|line| (line, theme.error)).collect(),
                keys: Vec::new(),
                blanks: 0,
            });
        }
        let is_large = app.ui.is_presenting();
        let widest = if is_large { WIDEST_LARGE } else { WIDEST };
        let width = usize::from(area.width.min(widest).saturating_sub(2 * MARGIN));
        let styled = |text: &str, style: Style| {
            let lines = wrap(text, width).into_iter();
            lines.map(|line| (line, style)).collect::<Vec<_>>()
        };
        let mut lines = styled(&strip.text, theme.strong);
        if let Some(task) = &strip.task {
            let style = if strip.is_well {
                theme.strong
            } else {
                theme.key
            };
            lines.extend(styled(task, style));
        }
        Some(Self {
            title: strip.title,
            lines,
            keys: rows(keys(&strip.answers, is_last), room),
            blanks: u16::from(is_large && area.height >= LOWEST_WITH_BLANKS),
        })
    }

    /// Returns the height: a rule with the title, the lines, and the keys.
    pub(crate) fn height(&self) -> u16 {
        let lines = self.lines.len().max(LINES) + self.keys.len();
        u16::try_from(lines + 1).unwrap_or(u16::MAX) + 2 * self.blanks
    }

    /// Draws the strip, and notes where its keys can be clicked.
    pub(crate) fn draw(&self, app: &App, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
        let theme = &app.ui.theme;
        let width = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, "─".repeat(width), width, theme.guide);
        let title = sentence!(" {} ", self.title);
        let title = cut(&title, width.saturating_sub(2));
        buffer.set_stringn(area.x + 1, area.y, &title, width, theme.heading);
        let below = u16::try_from(self.keys.len()).unwrap_or(area.height);
        let bottom = area.bottom().saturating_sub(below);
        for ((line, style), y) in self.lines.iter().zip(area.y + 1 + self.blanks..bottom) {
            buffer.set_stringn(area.x + MARGIN, y, line, width, *style);
        }
        for (keys, y) in self.keys.iter().zip(bottom..area.bottom()) {
            let mut place = Rect {
                x: area.x + MARGIN,
                y,
                width: area.width - MARGIN,
                height: 1,
            };
            for (code, text) in keys {
                let x = button::draw(theme, (*code, text), place, buffer, regions) + BETWEEN;
                place.width = area.right().saturating_sub(x);
                place.x = x;
            }
        }
    }
}

/// Returns the keys of the step with what they do: an answer each, then how to go on.
fn keys(answers: &[Shown], is_last: bool) -> Vec<(KeyCode, String)> {
    let answers = answers.iter().zip('1'..='9');
    let mut keys: Vec<(KeyCode, String)> = answers
        .map(|(answer, digit)| (KeyCode::Char(digit), answer.to_string()))
        .collect();
    let on = match (keys.is_empty(), is_last) {
        (false, _) => "show the answer",
        (true, true) => "finish",
        (true, false) => "next",
    };
    keys.push((KeyCode::Char(' '), on.to_owned()));
    keys.push((KeyCode::Backspace, "back".to_owned()));
    keys.push((KeyCode::Esc, "leave".to_owned()));
    keys
}

/// Returns keys in rows of so many cells.
fn rows(keys: Vec<(KeyCode, String)>, room: usize) -> Vec<Vec<(KeyCode, String)>> {
    let mut rows = vec![Vec::new()];
    let mut used = 0;
    for (code, text) in keys {
        let needed = cells(&button::key_name(code)) + 1 + cells(&text);
        if used > 0 && used + needed > room {
            rows.push(Vec::new());
            used = 0;
        }
        used += needed + usize::from(BETWEEN);
        if let Some(row) = rows.last_mut() {
            row.push((code, text));
        }
    }
    rows
}

/// Returns what the strip says about the tree on the screen.
fn strip(app: &App, session: &Session) -> Option<Strip> {
    let lesson = session.lesson.as_ref()?;
    let is_changed = session.changes != lesson.changes;
    Some(lesson.strip(session.latest(), is_changed, &app.ui.options.keymap))
}
