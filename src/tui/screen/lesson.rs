//! The strip of a lesson: what is said, what is asked, and the keys that go on.

use super::painter::{Button, Painter, below, narrow, skip, split_bottom};
use crate::base::shown::{Shown, cut, sentence};
use crate::report::lesson::{Caption, Reply, Stage, Task};
use crate::tui::input::action::Action;
use crate::tui::input::event::KeyCode;
use crate::tui::input::keymap::Keymap;
use crate::tui::state::lesson::key_of;
use crate::tui::state::scenarios::edit_title;
use crate::tui::state::{App, LessonPlace, OpenLesson, Session};
use crate::tui::widget::{places, wrap};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

/// The cells and the lines of the smallest screen for a lesson.
const SMALLEST: (u16, u16) = (60, 16);

/// The widest line of the strip. Longer lines are hard to read.
const WIDEST: u16 = 110;

/// The widest line in the large layout.
const WIDEST_LARGE: u16 = 84;

/// The height from which the large layout leaves a blank line above and below the text.
const LOWEST_WITH_BLANKS: u16 = 30;

/// The fewest lines for the text, so that the rows above rarely move.
const LINES: usize = 3;

/// The cells before the text.
const MARGIN: u16 = 2;

/// The strip below the rows, with its lines wrapped.
#[derive(Default)]
pub(crate) struct LessonStrip {
    title: Shown,
    /// What is said or asked.
    text: Vec<(String, Style)>,
    /// What the reader is to do.
    task: Vec<(String, Style)>,
    keys: Vec<Button>,
    /// The column and the row of each key.
    places: Vec<Position>,
    /// The blank lines above and below the text.
    blanks: u16,
}

impl LessonStrip {
    /// Returns the strip for a screen of that size; `None` if no lesson is played.
    pub(crate) fn of(app: &App, screen: Rect) -> Option<Self> {
        let session = app.session()?;
        let lesson = session.played_lesson()?;
        let mut strip = Self {
            title: title(lesson),
            ..Self::default()
        };
        let theme = &app.ui.theme;
        let room = screen.width.saturating_sub(MARGIN);
        let (width, height) = SMALLEST;
        if screen.width < width || screen.height < height {
            let text = sentence!(
                "too small: a lesson needs {width}x{height}; fairscope lesson NAME --format-out text prints it"
            );
            strip.text = lines(&text, room.into(), theme.error);
            return Some(strip);
        }
        let is_large = app.ui.presenter.is_some();
        let widest = if is_large { WIDEST_LARGE } else { WIDEST };
        let width = usize::from(screen.width.min(widest).saturating_sub(2 * MARGIN));
        let said = Said::of(lesson, session, &app.ui.options.config.keymap);
        strip.text = lines(&said.text, width, theme.strong);
        if let Some(task) = &said.task {
            let style = if said.is_well {
                theme.strong
            } else {
                theme.key
            };
            strip.task = lines(task, width, style);
        }
        strip.keys = keys(lesson);
        let mut widths = Vec::new();
        for key in &strip.keys {
            widths.push(narrow(key.cells()));
        }
        strip.places = places(&widths, room);
        strip.blanks = u16::from(is_large && screen.height >= LOWEST_WITH_BLANKS);
        Some(strip)
    }

    /// Returns the lines that the strip wants, with the rule above it.
    pub(crate) fn height(&self) -> u16 {
        let lines = self.text.len() + self.task.len();
        1 + narrow(lines.max(LINES)) + self.key_rows() + 2 * self.blanks
    }

    /// Returns the rows of the keys.
    fn key_rows(&self) -> u16 {
        match self.places.last() {
            Some(last) => last.y + 1,
            None => 0,
        }
    }

    /// Draws the strip. Where there is too little room, lines of the text are left out, but none of the task.
    pub(crate) fn draw(mut self, p: &mut Painter, area: Rect) {
        p.rule(area);
        let inside = skip(area, 1);
        let title = sentence!(" {} ", self.title);
        let room = usize::from(area.width.saturating_sub(2));
        let fitting = cut(&title, room);
        p.put(inside, fitting, p.theme.heading);
        let rows = split_bottom(skip(area, MARGIN), self.key_rows());
        let text = below(rows.above, 1 + self.blanks);
        let room_for_text = usize::from(text.height).saturating_sub(self.task.len());
        if self.text.len() > room_for_text {
            self.text.truncate(room_for_text);
            if let Some((last, _)) = self.text.last_mut() {
                last.push_str(" …");
            }
        }
        self.text.append(&mut self.task);
        p.put_lines(text, self.text);
        for (at, key) in self.places.iter().zip(&self.keys) {
            let row = below(rows.below, at.y);
            let place = skip(row, at.x);
            if !place.is_empty() {
                p.button(place, key);
            }
        }
    }
}

/// Returns a text in lines of so many cells.
fn lines(text: &str, width: usize, style: Style) -> Vec<(String, Style)> {
    let mut lines = Vec::new();
    for line in wrap(text, width) {
        lines.push((line, style));
    }
    lines
}

/// Returns the title of the strip: the step, what it is about, and where there is room the lesson.
fn title(lesson: &OpenLesson) -> Shown {
    let name = &lesson.staged.lesson.title;
    if lesson.place == LessonPlace::End {
        return sentence!("{name} · finished");
    }
    let step = lesson.step + 1;
    let count = lesson.count();
    match &lesson.stage().step.title {
        Some(title) => sentence!("{step} of {count} · {title} · {name}"),
        None => sentence!("{step} of {count} · {name}"),
    }
}

/// What a step says.
struct Said {
    /// What is said about the tree, which the reader may have changed, or what is asked about it.
    text: Shown,
    /// What the reader is to do, or what came of it; `None` where there is nothing to do, or not yet.
    task: Option<Shown>,
    /// Whether the task is done or the answer was right.
    is_well: bool,
}

impl Said {
    /// Returns what the step of a lesson says now.
    fn of(lesson: &OpenLesson, session: &Session, keymap: &Keymap) -> Self {
        let key = |name: &str| key_of(keymap, name);
        if lesson.place == LessonPlace::End {
            return Self {
                text: at_the_end(lesson, &key),
                task: None,
                is_well: false,
            };
        }
        let stage = lesson.stage();
        if lesson.open_question().is_some() {
            return Self {
                text: stage.asked(&key).unwrap_or_default(),
                task: None,
                is_well: false,
            };
        }
        let mut said = Self {
            text: lesson.staged.text(lesson.step, &key),
            task: None,
            is_well: lesson.is_done,
        };
        if let (Some(chosen), Some(reply)) = (lesson.chosen, stage.reply()) {
            said.judge(chosen, &reply);
        }
        if let Some(task) = &stage.step.task {
            said.task = Some(of_task(lesson, session, task, keymap));
        }
        said
    }

    /// Says whether an answer was right, before everything else.
    fn judge(&mut self, chosen: usize, reply: &Reply) {
        if reply.is_right.get(chosen) == Some(&true) {
            self.is_well = true;
            self.text = sentence!("Right. {}", self.text);
        } else {
            self.text = sentence!("No: {}. {}", reply.numbers, self.text);
        }
    }
}

/// Returns what the lesson comes to, and how to go on.
fn at_the_end(lesson: &OpenLesson, key: &dyn Fn(&str) -> Shown) -> Shown {
    let list = key(Action::Lessons.name());
    let on = sentence!("{list} lists the lessons.");
    match lesson.staged.summary(key) {
        Some(summary) => sentence!("{summary} {on}"),
        None => on,
    }
}

/// Returns a text of a lesson about the tree of a stage.
fn caption(stage: &Stage<'_>, caption: &Caption, keymap: &Keymap) -> Shown {
    let said = stage.said(caption, &|name| key_of(keymap, name));
    said.unwrap_or_default()
}

/// Returns what the reader is to do, that it is not done yet after a change, or what came of it.
fn of_task(lesson: &OpenLesson, session: &Session, task: &Task, keymap: &Keymap) -> Shown {
    let stage = lesson.stage();
    // What came of it stays, whatever is undone later.
    if lesson.is_done
        && let Some(done_with) = &lesson.done_with
    {
        let done = caption(&stage.with(done_with), &task.done, keymap);
        return sentence!("Done. {done}");
    }
    let latest = session.latest();
    let live = stage.with(latest);
    let text = caption(&live, &task.text, keymap);
    let tried = lesson.tried(latest);
    let Some(last) = tried.last() else {
        return text;
    };
    let mut answer = sentence!("{text} Not yet with {}.", edit_title(&last.text));
    if let Some(not_yet) = &task.not_yet {
        answer = sentence!("{answer} {}", caption(&live, not_yet, keymap));
    }
    if let Some(hint) = &task.hint
        && tried.len() > 1
    {
        answer = sentence!("{answer} {}", caption(&live, hint, keymap));
    }
    answer
}

/// Returns the keys of the step with what they do: an answer each, then how to go on.
fn keys(lesson: &OpenLesson) -> Vec<Button> {
    let mut keys = Vec::new();
    if lesson.place == LessonPlace::End {
        let on = match lesson.staged.lesson.next() {
            Some(next) => sentence!("next lesson: {next}"),
            None => "all lessons".into(),
        };
        keys.push(Button::new(KeyCode::Enter, on));
        keys.push(Button::new(KeyCode::Backspace, "back"));
        keys.push(Button::new(KeyCode::Esc, "stay on this tree"));
        return keys;
    }
    if let Some(reply) = lesson.open_question() {
        for (answer, digit) in reply.answers.into_iter().zip('1'..='9') {
            keys.push(Button::new(KeyCode::Char(digit), answer));
        }
    }
    let is_last = lesson.is_revealed && lesson.step + 1 == lesson.count();
    let on = if !keys.is_empty() {
        "show the answer"
    } else if is_last {
        "finish"
    } else {
        "next"
    };
    keys.push(Button::new(KeyCode::Enter, on));
    keys.push(Button::new(KeyCode::Backspace, "back"));
    keys.push(Button::new(KeyCode::Esc, "leave"));
    keys
}
