//! The edits done and undone, and the states between them.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::scenario::{Entry, RejectedEdit};
use crate::tui::state::session::Session;

/// Returns the edit that leads to the state after so many edits, or `None` for the snapshot itself.
pub(crate) fn entry(session: &Session, state: usize) -> Option<&Entry> {
    let history = session.scenario.history();
    let (done, undone) = (history.done(), history.undone());
    let place = state.checked_sub(1)?;
    done.get(place).or_else(|| {
        // What was undone last comes first.
        let place = place.checked_sub(done.len())?;
        undone.iter().rev().nth(place)
    })
}

/// Returns the rejected edit in a row below all states, or `None` in a row of a state.
pub(crate) fn rejected(session: &Session, row: usize) -> Option<&RejectedEdit> {
    let place = row.checked_sub(last_state(session) + 1)?;
    session.scenario.rejected().get(place)
}

pub(crate) fn last_row(session: &Session) -> usize {
    last_state(session) + session.scenario.rejected().len()
}

fn last_state(session: &Session) -> usize {
    let history = session.scenario.history();
    history.done().len() + history.undone().len()
}

/// Returns an edit in one line: of several parts the first, and the number of the others.
pub(crate) fn title(text: &str) -> Shown {
    let mut lines = text.lines();
    let first = shown_text(lines.next().unwrap_or_default().as_bytes());
    match lines.count() {
        0 => first,
        more => sentence!("{first} and {}", counted(more, "more", "more")),
    }
}
