//! The strip of a lesson: what is said, what is asked, and the keys that go on.

use crate::base::shown::{Shown, cut, sentence};
use crate::report::lesson::{Caption, Stage};
use crate::tui::input::keymap::Keymap;
use crate::tui::screen::painter::{Painter, below, key_name, narrow, skip, width_of};
use crate::tui::state::lesson::key_of;
use crate::tui::state::{App, OpenLesson, Session};
use crate::tui::widget::{places, wrap};
use crossterm::event::KeyCode;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;

const SMALLEST: (u16, u16) = (60, 16);

/// The widest line of the strip. Longer lines are hard to read.
const WIDEST: u16 = 110;

const WIDEST_LARGE: u16 = 84;

/// The height from which the large layout leaves a blank line above and below the text.
const LOWEST_WITH_BLANKS: u16 = 30;

/// The fewest lines for the text, so that the rows above rarely move.
const LINES: usize = 3;

const MARGIN: u16 = 2;

type Answer = (KeyCode, String);

#[derive(Default)]
pub(crate) struct LessonStrip {
    title: Shown,
    lines: Vec<(String, Style)>,
    keys: Vec<Answer>,
    /// The column and the row of each key.
    places: Vec<(u16, u16)>,
    /// The blank lines above and below the text.
    blanks: u16,
}

impl LessonStrip {
    pub(crate) fn of(app: &App, area: Rect) -> Option<Self> {
        let session = app.session()?;
        let lesson = session.played_lesson()?;
        let theme = &app.ui.theme;
        let is_last = lesson.is_revealed && lesson.step + 1 == lesson.count();
        let room = usize::from(area.width.saturating_sub(MARGIN));
        let (name, step) = (&lesson.staged.lesson.title, lesson.step + 1);
        let title = sentence!("{name}  step {step} of {}", lesson.count());
        let (said, task, is_well) = said(lesson, session, &app.ui.options.config.keymap);
        let styled = |text: &str, width, style| {
            let lines = wrap(text, width).into_iter();
            lines.map(move |line| (line, style))
        };
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            let (width, height) = SMALLEST;
            let text = sentence!(
                "too small: a lesson needs {width}x{height}; fairscope lesson NAME --format-out text prints it"
            );
            return Some(Self {
                title,
                lines: styled(&text, room, theme.error).collect(),
                ..Self::default()
            });
        }
        let is_large = app.ui.presenter.is_some();
        let widest = if is_large { WIDEST_LARGE } else { WIDEST };
        let width = usize::from(area.width.min(widest).saturating_sub(2 * MARGIN));
        let mut lines: Vec<_> = styled(&said, width, theme.strong).collect();
        if let Some(task) = &task {
            let style = if is_well { theme.strong } else { theme.key };
            lines.extend(styled(task, width, style));
        }
        let question = lesson.open_question();
        let answers = question.map(|reply| reply.answers);
        let keys = keys(answers.unwrap_or_default(), is_last);
        let widths = keys.iter();
        let widths = widths.map(|(code, text)| width_of(&key_name(*code)) + 1 + width_of(text));
        Some(Self {
            title,
            lines,
            places: places(widths, narrow(room)),
            keys,
            blanks: u16::from(is_large && area.height >= LOWEST_WITH_BLANKS),
        })
    }

    pub(crate) fn height(&self) -> u16 {
        1 + narrow(self.lines.len().max(LINES)) + self.key_rows() + 2 * self.blanks
    }

    fn key_rows(&self) -> u16 {
        self.places.last().map_or(0, |(_, y)| y + 1)
    }

    pub(crate) fn draw(&self, p: &mut Painter<'_>, area: Rect) {
        p.rule(area);
        let title = sentence!(" {} ", self.title);
        let title = cut(&title, usize::from(area.width.saturating_sub(2)));
        p.put(skip(area, 1), title, p.ui.theme.heading);
        let keys = Length(self.key_rows());
        let [text, buttons] = Layout::vertical([Min(0), keys]).areas(skip(area, MARGIN));
        let lines = self.lines.iter().map(|(line, style)| (line, *style));
        p.put_lines(below(text, 1 + self.blanks), lines);
        for ((code, text), &(x, y)) in self.keys.iter().zip(&self.places) {
            let place = below(skip(buttons, x), y);
            if !place.is_empty() {
                p.button(place, *code, text);
            }
        }
    }
}

/// Returns what is said about the tree, which the reader may have changed, and what the reader is to do or what came of
/// it, with whether the task is done or the answer was right.
fn said(lesson: &OpenLesson, session: &Session, keymap: &Keymap) -> (Shown, Option<Shown>, bool) {
    let key = |name: &str| key_of(keymap, name);
    let stage = lesson.stage();
    let step = stage.step;
    if lesson.open_question().is_some() {
        return (stage.asked(&key).unwrap_or_default(), None, false);
    }
    let mut text = lesson.staged.text(lesson.step, &key);
    let mut is_well = lesson.is_done;
    if let (Some(chosen), Some(reply)) = (lesson.chosen, stage.reply()) {
        let is_right = reply.is_right.get(chosen) == Some(&true);
        is_well |= is_right;
        text = if is_right {
            sentence!("Right. {text}")
        } else {
            sentence!("The answer: {}. {text}", reply.right())
        };
    }
    let live = stage.with(session.latest());
    let say = |stage: &Stage<'_>, caption: &Caption| stage.said(caption, &key).unwrap_or_default();
    let task = step.task.as_ref().map(|task| {
        // What came of it stays, whatever is undone later.
        if let Some(done_with) = lesson.done_with.as_ref().filter(|_| lesson.is_done) {
            return sentence!("Done. {}", say(&stage.with(done_with), &task.done));
        }
        let is_changed = session.changes != lesson.changes;
        let text = say(&live, &task.text);
        match task.not_yet.as_ref().filter(|_| is_changed) {
            Some(not_yet) => sentence!("{text} Not yet. {}", say(&live, not_yet)),
            None => text,
        }
    });
    (text, task, is_well)
}

/// Returns the keys of the step with what they do: an answer each, then how to go on.
fn keys(answers: Vec<Shown>, is_last: bool) -> Vec<Answer> {
    let answers = answers.into_iter().zip('1'..='9');
    let answers = answers.map(|(answer, digit)| (KeyCode::Char(digit), answer.into()));
    let mut keys: Vec<Answer> = answers.collect();
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
