//! Going through the list of edits.

use crate::base::number::counted;
use crate::tui::input::action::Action;
use crate::tui::state::ahead::Touched;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::history::{entry, last_row, rejected};
use crate::tui::state::session::Session;
use crossterm::event::{KeyCode, KeyEvent};

/// The list, the state of now under the cursor.
pub(crate) fn open(session: &Session) -> Dialog {
    Dialog::History {
        cursor: session.scenario.history().done().len(),
    }
}

impl App {
    /// Moves through the list, goes to a state, or closes it.
    pub(crate) fn walk_through_edits(&mut self, event: KeyEvent, action: Option<Action>) {
        let last = self.session().map_or(0, last_row);
        let Some(Dialog::History { cursor }) = &mut self.ui.dialog else {
            return;
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
                self.ui.dialog = None;
                self.travel_to(state);
            }
            _ => self.ui.dialog = None,
        }
    }

    /// Takes back or does again what lies between now and the state after so many edits.
    fn travel_to(&mut self, state: usize) {
        let Some(session) = self.session_mut() else {
            return;
        };
        if let Some(rejected) = rejected(session, state) {
            let why = rejected.why.clone();
            return self.ui.say(format!("not applied: {why}"));
        }
        let now = session.meant().history().done().len();
        let between = now.min(state) + 1..=now.max(state);
        let entries = between.filter_map(|state| entry(session, state));
        let touched = entries.map(|entry| Touched::by(&entry.inverse)).max();
        let Some(touched) = touched else {
            return self.ui.say("this is where you are");
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
        self.ui.say(if state < now {
            format!("took back {}", edits(now - state))
        } else {
            format!("did {} again", edits(state - now))
        });
    }
}
