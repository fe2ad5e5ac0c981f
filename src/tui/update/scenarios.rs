//! Several scenarios of one tree: copying, switching, naming, comparing and removing them; and the edit history of one.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::NodeId;
use crate::rules::policy::Policy;
use crate::scenario::{Edit, Entry, OtherScenarios, Scenario};
use crate::tui::input::action::Action;
use crate::tui::state::scenarios::{AT_ONCE, edit_title, entry, last_row, rejected, title};
use crate::tui::state::{
    AnswerPurpose, Choice, Confirm, Dialog, Item, ListKey, ListSize, ListState, PAGE, Scope,
    Session, Ui,
};
use crossterm::event::KeyEvent;

pub(crate) fn ask_for_copy(session: &mut Session, ui: &mut Ui) {
    let name = session.other_scenarios.free_name(&session.scenario);
    ui.prompt(AnswerPurpose::NewScenario, name);
}

pub(crate) fn ask_for_other_name(session: &mut Session, ui: &mut Ui) {
    ui.prompt(
        AnswerPurpose::RenameScenario,
        session.scenario.name().to_owned(),
    );
}

pub(crate) fn ask_why(session: &mut Session, ui: &mut Ui) {
    let Some(last) = session.scenario.history().last_edit() else {
        return ui.say("there is no edit to add a note to");
    };
    ui.prompt(AnswerPurpose::Reason, last.reason.clone());
}

pub(crate) fn add_copy(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let name = session.new_name(text)?;
    ui.say(sentence!("{} is a new copy", shown(name.as_bytes())));
    session.catch_up();
    session.scenario.end_nudges();
    let mut copy = session.scenario.clone();
    copy.set_name(name);
    session.changes += 1;
    session.other_scenarios.add(&mut session.scenario, copy);
    Ok(())
}

pub(crate) fn rename(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let name = session.other_name(text)?;
    ui.say(sentence!("renamed to {}", shown(name.as_bytes())));
    session.catch_up();
    session.changes += 1;
    session.other_scenarios.rename(&mut session.scenario, name);
    Ok(())
}

pub(crate) fn give_reason(session: &mut Session, ui: &mut Ui, text: &str) {
    session.scenario.give_reason(text.trim());
    session.changes += 1;
    ui.say("note added to the last edit");
}

pub(crate) fn next(session: &mut Session, ui: &mut Ui) {
    if session.other_scenarios.count() == 1 {
        let key = ui.hint(Action::NewScenario);
        return ui.say(match ui.front_page() {
            // That key has no effect on a page.
            Some(_) => "there is only one scenario".into(),
            None => sentence!("there is only one scenario; {key} makes another"),
        });
    }
    let place = (session.other_scenarios.place() + 1) % session.other_scenarios.count();
    show(session, ui, place);
}

pub(crate) fn show(session: &mut Session, ui: &mut Ui, place: usize) {
    session.replace_scenario(|others, front| others.bring(front, place));
    let summary = effect_summary(&session.scenario);
    ui.say(sentence!("{}: {summary}", title(&session.scenario)));
}

/// Compares the scenario on the screen with another one, or with the snapshot if `place` is `None`.
pub(crate) fn compare(session: &mut Session, ui: &mut Ui, place: Option<usize>) {
    session.catch_up();
    let other = place.and_then(|place| session.scenarios().nth(place).cloned());
    session.scenario.compare_with(other.as_ref());
    session.refresh();
    let against = match session.scenario.compared() {
        Some(name) => shown(name.as_bytes()),
        None => "the snapshot".into(),
    };
    ui.say(sentence!("before and Δ compare with {against}"));
}

pub(crate) fn ask_to_remove(session: &mut Session, ui: &mut Ui) {
    let key = ui.hint(Action::Undo);
    if session.other_scenarios.count() == 1 {
        return ui.say(sentence!("it is the only scenario; {key} undoes its edits"));
    }
    ui.ask(Confirm::RemoveScenario);
}

pub(crate) fn remove(session: &mut Session, ui: &mut Ui) {
    if let Some(removed) = session.replace_scenario(OtherScenarios::remove) {
        ui.say(sentence!("removed {}", title(&removed)));
    }
}

fn effect_summary(scenario: &Scenario) -> Shown {
    let edits = scenario.history().edits().len();
    if edits == 0 {
        return "no edits".into();
    }
    let edits = counted(edits, "edit", "edits");
    // A menu does not wait for the numbers of a large tree.
    if scenario.tree().node_count() > AT_ONCE {
        return edits;
    }
    let users = counted(scenario.users_moved(), "user moves", "users move");
    sentence!("{edits}, {users}")
}

pub(crate) fn menu(session: &Session, _: &Ui) -> Dialog {
    let in_front = session.other_scenarios.place();
    let mut items = Vec::new();
    for (place, scenario) in session.scenarios().enumerate() {
        let choice = Choice::Scenario(place);
        let policy = scenario.policy().title();
        let help = sentence!("{} · {policy}", effect_summary(scenario));
        let is_now = place == in_front;
        items.push(Item::marked(is_now, choice, &title(scenario), help));
    }
    let front = title(&session.scenario);
    let mut offer =
        |choice, name: &str, help: Shown| items.push(Item::marked(false, choice, name, help));
    let copy = sentence!("A copy of {front}");
    offer(Choice::Action(Action::NewScenario), "new", copy);
    let another = sentence!("Another name for {front}");
    offer(Choice::RenameScenario, "rename", another);
    if session.other_scenarios.count() > 1 {
        let other = "the snapshot, or another scenario";
        let compared = sentence!("What {front} is compared with: {other}");
        offer(Choice::CompareScenario, "compare", compared);
        let dropped = sentence!("Drops {front} and its edits");
        offer(Choice::RemoveScenario, "remove", dropped);
    }
    Dialog::menu("Scenarios", items, Some(Choice::Scenario(in_front)))
}

pub(crate) fn ask_what_to_compare(session: &mut Session, ui: &mut Ui) {
    let now = session.scenario.compared();
    let help = "The source as it was read, without edits";
    let snapshot = Item::marked(now.is_none(), Choice::Against(None), "the snapshot", help);
    let mut items = vec![snapshot];
    for (place, other) in session.scenarios().enumerate() {
        if place == session.other_scenarios.place() {
            continue;
        }
        let is_now = now == Some(other.name());
        let choice = Choice::Against(Some(place));
        items.push(Item::marked(
            is_now,
            choice,
            &title(other),
            effect_summary(other),
        ));
    }
    ui.show(Dialog::menu("Compare with", items, None));
}

pub(crate) fn undo(session: &mut Session, ui: &mut Ui) {
    let next = session.latest().history().done().last().cloned();
    ui.say(match next {
        None => "nothing to undo: this is the snapshot as it was read".into(),
        Some(next) => {
            travel(session, &next, |scenario| {
                scenario.undo();
            });
            told("undid", &next, session.latest().policy())
        }
    });
}

pub(crate) fn redo(session: &mut Session, ui: &mut Ui) {
    let next = session.latest().history().undone().last().cloned();
    ui.say(match next {
        None => "nothing to redo".into(),
        Some(next) => {
            travel(session, &next, |scenario| {
                scenario.redo();
            });
            told("redid", &next, session.latest().policy())
        }
    });
}

fn told(verb: &'static str, entry: &Entry, policy: Policy) -> Shown {
    match entry {
        Entry::Edit(edit) => sentence!("{verb}: {}", edit_title(&edit.text)),
        Entry::Policy(_) => sentence!("{verb} the change of policy: {}", policy.title()),
    }
}

/// Undoes or redoes an entry of the history. The cursor moves to a node that came back.
fn travel(session: &mut Session, entry: &Entry, step: fn(&mut Scenario)) {
    let known = session.scenario.tree().id_count();
    session.change(scope(entry), step);
    let tree = session.scenario.tree();
    let added = (known..tree.id_count()).last().map(NodeId::from_index);
    let removed = entry.edit().and_then(|entry| removed(&entry.edit));
    if let Some(node) = added.or(removed).filter(|&node| tree.contains(node)) {
        session.select(node);
    }
}

fn scope(entry: &Entry) -> Scope {
    match entry {
        Entry::Edit(entry) => Scope::by(&entry.edit),
        Entry::Policy(_) => Scope::Policy,
    }
}

fn removed(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::Remove { node } => Some(*node),
        Edit::Batch(edits) => edits.iter().find_map(removed),
        _ => None,
    }
}

/// Returns the edit history, with the cursor on the state on the screen.
pub(crate) fn history(session: &Session, _: &Ui) -> Dialog {
    let now = session.scenario.history().done().len();
    Dialog::History(ListState::at(now))
}

pub(crate) fn press_in_history(
    session: &mut Session,
    ui: &mut Ui,
    event: KeyEvent,
    action: Option<Action>,
) {
    let size = ListSize {
        rows: last_row(session) + 1,
        page: PAGE,
    };
    let Some(Dialog::History(list)) = &mut ui.dialog else {
        return;
    };
    match list.press(event, action, false, size) {
        ListKey::Taken => {}
        ListKey::Choose => {
            let state = list.cursor;
            choose_state(session, ui, state);
        }
        ListKey::Leave | ListKey::Other => ui.dialog = None,
    }
}

/// Closes the list and goes to a state in it, by its row.
pub(crate) fn choose_state(session: &mut Session, ui: &mut Ui, state: usize) {
    if state <= last_row(session) {
        ui.dialog = None;
        travel_to(session, ui, state);
    }
}

/// Undoes or redoes until so many entries of the history are done.
fn travel_to(session: &mut Session, ui: &mut Ui, state: usize) {
    if let Some(rejected) = rejected(session, state) {
        return ui.say(sentence!("not applied: {}", rejected.why));
    }
    let now = session.latest().history().done().len();
    let between = now.min(state) + 1..=now.max(state);
    let between = between.filter_map(|state| entry(session, state));
    let between: Vec<&Entry> = between.collect();
    let Some(scope) = between.iter().map(|entry| scope(entry)).max() else {
        return ui.say("this is the current state");
    };
    let are_edits = between.iter().all(|entry| entry.edit().is_some());
    let (one, several) = if are_edits {
        ("edit", "edits")
    } else {
        ("change", "changes")
    };
    let changes = counted(between.len(), one, several);
    session.change(scope, |scenario| {
        for _ in state..now {
            scenario.undo();
        }
        for _ in now..state {
            scenario.redo();
        }
    });
    let verb = if state < now { "undid" } else { "redid" };
    ui.say(sentence!("{verb} {changes}"));
}
