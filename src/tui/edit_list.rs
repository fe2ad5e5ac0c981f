//! The list of edits, done and undone, and the way to each.

use super::ahead::Touched;
use super::app::App;
use super::dialog::Dialog;
use super::overlay::{first_shown, frame};
use super::session::Session;
use super::{Action, Effect};
use crate::base::number::counted;
use crate::base::shown::{cells, cut, shown};
use crate::scenario::{Entry, Unfit};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The list, the state of now under the cursor.
pub(super) fn open(session: &Session) -> Dialog {
    Dialog::History {
        cursor: session.scenario.history().done().len(),
    }
}

/// The edit that leads to the state after so many edits; nothing for the snapshot itself.
fn entry(session: &Session, state: usize) -> Option<&Entry> {
    let history = session.scenario.history();
    let (done, undone) = (history.done(), history.undone());
    let place = state.checked_sub(1)?;
    done.get(place).or_else(|| {
        // What was undone last comes first.
        let place = place.checked_sub(done.len())?;
        undone.iter().rev().nth(place)
    })
}

/// The edit in a row below all states: one that is kept though it does not fit.
fn unfit(session: &Session, row: usize) -> Option<&Unfit> {
    let place = row.checked_sub(last_state(session) + 1)?;
    session.scenario.unfit().get(place)
}

fn last_row(session: &Session) -> usize {
    last_state(session) + session.scenario.unfit().len()
}

fn last_state(session: &Session) -> usize {
    let history = session.scenario.history();
    history.done().len() + history.undone().len()
}

impl App {
    /// Moves through the list, goes to a state, or closes it.
    pub(super) fn walk_through_edits(
        &mut self,
        event: KeyEvent,
        action: Option<Action>,
    ) -> Vec<Effect> {
        let last = self.session().map_or(0, last_row);
        let Some(Dialog::History { cursor }) = &mut self.dialog else {
            return Vec::new();
        };
        match action {
            Some(Action::Down) => *cursor = (*cursor + 1).min(last),
            Some(Action::Up) => *cursor = cursor.saturating_sub(1),
            Some(Action::PageDown) => *cursor = (*cursor + 10).min(last),
            Some(Action::PageUp) => *cursor = cursor.saturating_sub(10),
            Some(Action::First) => *cursor = 0,
            Some(Action::Last) => *cursor = last,
            _ if event.code == KeyCode::Enter => {
                let state = *cursor;
                self.dialog = None;
                return self.travel_to(state);
            }
            _ => self.dialog = None,
        }
        Vec::new()
    }

    /// Takes back or does again what lies between now and the state after so many edits.
    fn travel_to(&mut self, state: usize) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        if let Some(unfit) = unfit(session, state) {
            let why = unfit.why.clone();
            return self.say(format!("not applied: {why}"));
        }
        let now = session.meant().history().done().len();
        let between = now.min(state) + 1..=now.max(state);
        let entries = between.filter_map(|state| entry(session, state));
        let touched = entries.map(|entry| Touched::by(&entry.inverse)).max();
        let Some(touched) = touched else {
            return self.say("this is where you are");
        };
        session.change(touched, |scenario| {
            for _ in state..now {
                scenario.undo();
            }
            for _ in now..state {
                scenario.redo();
            }
        });
        let edits = |count| counted(count, "edit", "edits");
        self.say(if state < now {
            format!("took back {}", edits(now - state))
        } else {
            format!("did {} again", edits(state - now))
        })
    }
}

/// Draws the states, the snapshot on top.
pub(super) fn draw(app: &App, cursor: usize, area: Rect, buffer: &mut Buffer) {
    let Some(session) = app.session() else { return };
    let last = last_row(session);
    let foot = "enter goes there · j k move · any other key closes";
    let width = area.width.min(100);
    let inner = frame(app, "Edits", foot, area, last + 1, width, buffer);
    let now = session.scenario.history().done().len();
    let first = first_shown(cursor, inner.height);
    for (state, y) in (first..=last).zip(inner.y..inner.bottom()) {
        let row = Rect {
            y,
            height: 1,
            ..inner
        };
        if state == cursor {
            buffer.set_style(row, app.theme.selected);
        }
        let room = |x: u16| usize::from(row.right().saturating_sub(x));
        let pointer = if state == cursor { "❯" } else { " " };
        let (x, _) = buffer.set_stringn(row.x, y, pointer, room(row.x), app.theme.key);
        let mark = if state == now { "● " } else { "  " };
        let (x, _) = buffer.set_stringn(x, y, mark, room(x), app.theme.key);
        let style = if state > now {
            app.theme.dim
        } else {
            app.theme.text
        };
        let unfit = unfit(session, state);
        let (text, reason) = match (entry(session, state), unfit) {
            (_, Some(unfit)) => (title(&unfit.text), shown(unfit.reason.as_bytes())),
            (Some(entry), None) => (title(&entry.text), shown(entry.reason.as_bytes())),
            (None, None) => ("the snapshot as it was read".to_owned(), String::new()),
        };
        let text = app.spelled(text);
        let (x, _) = buffer.set_stringn(x, y, cut(&text, room(x)), room(x), style);
        let state_words = match unfit {
            Some(_) => "  not applied",
            None if state > now => "  taken back",
            None => "",
        };
        let reason = if reason.is_empty() {
            String::new()
        } else {
            format!("  {}", app.spelled(reason))
        };
        let rest = format!("{state_words}{reason}");
        if cells(&rest) > 0 {
            buffer.set_stringn(x, y, cut(&rest, room(x)), room(x), app.theme.dim);
        }
    }
}

/// An edit in one line: of several parts the first, and how many more there are.
pub(super) fn title(text: &str) -> String {
    let mut lines = text.lines();
    let first = shown(lines.next().unwrap_or_default().as_bytes());
    match lines.count() {
        0 => first,
        more => format!("{first} and {}", counted(more, "more", "more")),
    }
}
