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

/// The cells left of the text.
const MARGIN: u16 = 2;

/// A line of the strip, and its style.
type StripLine = (String, Style);

/// The strip of a lesson, laid out.
pub(crate) struct LessonStrip {
    title: Shown,
    lines: Vec<StripLine>,
    answers: Vec<Shown>,
    is_last: bool,
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
        let strip = strip(app, session)?;
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            let text = sentence!(
                "a lesson needs {}x{}; fairscope lesson --format-out text prints it",
                SMALLEST.0,
                SMALLEST.1
            );
            return Some(Self {
                title: strip.title,
                lines: vec![(text.to_string(), theme.error)],
                answers: Vec::new(),
                is_last,
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
            answers: strip.answers,
            is_last,
            blanks: u16::from(is_large && area.height >= LOWEST_WITH_BLANKS),
        })
    }

    /// Returns the height: a rule with the title, the lines, and the keys.
    pub(crate) fn height(&self) -> u16 {
        let lines = self.lines.len().max(LINES);
        u16::try_from(lines + 2).unwrap_or(u16::MAX) + 2 * self.blanks
    }

    /// Draws the strip, and notes where its keys can be clicked.
    pub(crate) fn draw(&self, app: &App, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
        let theme = &app.ui.theme;
        let width = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, "─".repeat(width), width, theme.guide);
        let title = sentence!(" {} ", self.title);
        let title = cut(&title, width.saturating_sub(2));
        buffer.set_stringn(area.x + 1, area.y, &title, width, theme.heading);
        let rows = area.y + 1 + self.blanks..area.bottom().saturating_sub(1);
        for ((line, style), y) in self.lines.iter().zip(rows) {
            buffer.set_stringn(area.x + MARGIN, y, line, width, *style);
        }
        let mut keys: Vec<(KeyCode, String)> = Vec::new();
        for (answer, digit) in self.answers.iter().zip('1'..='9') {
            keys.push((KeyCode::Char(digit), answer.to_string()));
        }
        let on = match (self.answers.is_empty(), self.is_last) {
            (false, _) => "show the answer",
            (true, true) => "finish",
            (true, false) => "next",
        };
        keys.push((KeyCode::Char(' '), on.to_owned()));
        keys.push((KeyCode::Backspace, "back".to_owned()));
        keys.push((KeyCode::Esc, "leave".to_owned()));
        let mut place = Rect {
            x: area.x + MARGIN,
            y: area.bottom() - 1,
            width: area.width - MARGIN,
            height: 1,
        };
        for (code, text) in &keys {
            let needed = cells(&button::key_name(*code)) + 1 + cells(text);
            if usize::from(place.width) < needed {
                break;
            }
            let x = button::draw(theme, (*code, text), place, buffer, regions) + 2;
            place.width = area.right().saturating_sub(x);
            place.x = x;
        }
    }
}

/// Returns what the strip says about the tree on the screen.
fn strip(app: &App, session: &Session) -> Option<Strip> {
    let lesson = session.lesson.as_ref()?;
    let is_changed = session.changes != lesson.changes;
    Some(lesson.strip(session.latest(), is_changed, &app.ui.keymap))
}
