//! Undo, redo and the edit history.

use crate::base::number::counted;
use crate::base::shown::sentence;
use crate::model::NodeId;
use crate::scenario::{Edit, Entry, History, Scenario};
use crate::tui::input::action::Action;
use crate::tui::state::scenarios::{edit_title, entry, last_row, rejected};
use crate::tui::state::{Dialog, Scope, Session, Ui};
use crate::tui::update::menus::{PAGE, moved};
use crossterm::event::{KeyCode, KeyEvent};

pub(crate) fn undo(session: &mut Session, ui: &mut Ui) {
    if session.latest().history().undoes_policy() {
        session.change(Scope::Policy, Scenario::undo_policy);
        let policy = session.latest().policy();
        return ui.say(sentence!("undid the change of policy: {}", policy.title()));
    }
    match travel(session, Scenario::undo, History::done) {
        Some(text) => ui.say(sentence!("undid: {}", edit_title(&text))),
        None => ui.say("nothing to undo: this is the snapshot as it was read"),
    }
}

pub(crate) fn redo(session: &mut Session, ui: &mut Ui) {
    if session.latest().history().redoes_policy() {
        session.change(Scope::Policy, Scenario::redo_policy);
        let policy = session.latest().policy();
        return ui.say(sentence!("redid the change of policy: {}", policy.title()));
    }
    match travel(session, Scenario::redo, History::undone) {
        Some(text) => ui.say(sentence!("redid: {}", edit_title(&text))),
        None => ui.say("nothing to redo"),
    }
}

/// Undoes or redoes one edit. `entries` are the edits in that direction, the nearest last.
fn travel(
    session: &mut Session,
    step: fn(&mut Scenario) -> Option<String>,
    entries: fn(&History) -> &[Entry],
) -> Option<String> {
    let next = entries(session.latest().history()).last()?;
    let (scope, removed) = (Scope::by(&next.edit), removed(&next.edit));
    let known = session.scenario.tree().id_count();
    let text = session.change(scope, step);
    // The cursor moves to a node that came back.
    let tree = session.scenario.tree();
    let added = (known..tree.id_count()).last().map(NodeId::from_index);
    if let Some(node) = added.or(removed).filter(|&node| tree.contains(node)) {
        session.select(node);
    }
    text
}

fn removed(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::Remove { node } => Some(*node),
        Edit::Batch(edits) => edits.iter().find_map(removed),
        _ => None,
    }
}

pub(crate) fn list(session: &Session, _: &Ui) -> Dialog {
    let cursor = session.scenario.history().done().len();
    Dialog::History { cursor }
}

pub(crate) fn press(session: &mut Session, ui: &mut Ui, event: KeyEvent, action: Option<Action>) {
    let last = last_row(session);
    let Some(Dialog::History { cursor }) = &mut ui.dialog else {
        return;
    };
    if let Some(place) = moved(action, *cursor, last, PAGE) {
        *cursor = place;
    } else if event.code == KeyCode::Enter {
        let state = *cursor;
        choose(session, ui, state);
    } else {
        ui.dialog = None;
    }
}

/// Closes the list and goes to a state in it, by its row.
pub(crate) fn choose(session: &mut Session, ui: &mut Ui, state: usize) {
    if state <= last_row(session) {
        ui.dialog = None;
        travel_to(session, ui, state);
    }
}

/// Undoes or redoes edits until `state` edits are applied.
fn travel_to(session: &mut Session, ui: &mut Ui, state: usize) {
    if let Some(rejected) = rejected(session, state) {
        return ui.say(sentence!("not applied: {}", rejected.why));
    }
    let now = session.latest().history().done().len();
    let between = now.min(state) + 1..=now.max(state);
    let entries = between.filter_map(|state| entry(session, state));
    let Some(scope) = entries.map(|entry| Scope::by(&entry.edit)).max() else {
        return ui.say("this is the current state");
    };
    session.change(scope, |scenario| {
        for _ in state..now {
            scenario.undo();
        }
        for _ in now..state {
            scenario.redo();
        }
    });
    let edits = |count| counted(count, "edit", "edits");
    ui.say(if state < now {
        sentence!("undid {}", edits(now - state))
    } else {
        sentence!("redid {}", edits(state - now))
    });
}
