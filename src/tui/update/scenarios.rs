//! Several scenarios of one tree: copying, switching, naming, comparing and removing them; and the edit history of one.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::NodeId;
use crate::rules::policy::Policy;
use crate::scenario::{Edit, Entry, OtherScenarios, Scenario};
use crate::tui::input::action::Action;
use crate::tui::input::event::KeyEvent;
use crate::tui::state::scenarios::{AT_ONCE, edit_title, entry, last_row, rejected, title};
use crate::tui::state::{
    AnswerPurpose, Choice, Confirm, Dialog, Item, ListKey, ListSize, ListState, PAGE, Scope,
    Session, Ui,
};

/// Asks for the name of a copy of the scenario. The prompt suggests one that is free.
pub(crate) fn ask_for_copy(session: &mut Session, ui: &mut Ui) {
    let name = session.other_scenarios.free_name(&session.scenario);
    ui.prompt(AnswerPurpose::NewScenario, name);
}

/// Asks for another name of the scenario. The prompt suggests the one that it has.
pub(crate) fn ask_for_other_name(session: &mut Session, ui: &mut Ui) {
    ui.prompt(
        AnswerPurpose::RenameScenario,
        session.scenario.name().to_owned(),
    );
}

/// Asks for a note on the last edit. The prompt suggests the one that it has.
pub(crate) fn ask_why(session: &mut Session, ui: &mut Ui) {
    let Some(last) = session.scenario.history().last_edit() else {
        return ui.say("there is no edit to add a note to");
    };
    ui.prompt(AnswerPurpose::Reason, last.reason.clone());
}

/// Adds a copy of the scenario under a typed name, and puts it in front. Fails if the name is taken or none.
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

/// Gives the scenario a typed name. Fails if the name is taken or none.
pub(crate) fn rename(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let name = session.other_name(text)?;
    ui.say(sentence!("renamed to {}", shown(name.as_bytes())));
    session.catch_up();
    session.changes += 1;
    session.other_scenarios.rename(&mut session.scenario, name);
    Ok(())
}

/// Notes a typed reason for the last edit.
pub(crate) fn give_reason(session: &mut Session, ui: &mut Ui, text: &str) {
    session.scenario.give_reason(text.trim());
    session.changes += 1;
    ui.say("note added to the last edit");
}

/// Shows the next scenario of the tree. The first follows the last.
pub(crate) fn next(session: &mut Session, ui: &mut Ui) {
    let count = session.other_scenarios.count();
    if count == 1 {
        let key = ui.hint(Action::NewScenario);
        return ui.say(match ui.front_page() {
            // That key has no effect on a page.
            Some(_) => "there is only one scenario".into(),
            None => sentence!("there is only one scenario; {key} makes another"),
        });
    }
    let next = (session.other_scenarios.place() + 1) % count;
    show(session, ui, next);
}

/// Puts the scenario at a place among all in front, and says what it does.
pub(crate) fn show(session: &mut Session, ui: &mut Ui, place: usize) {
    session.replace_scenario(|others, front| others.bring(front, place));
    let summary = effect_summary(&session.scenario);
    ui.say(sentence!("{}: {summary}", title(&session.scenario)));
}

/// Compares the scenario on the screen with another one, or with the snapshot if `place` is `None`.
pub(crate) fn compare(session: &mut Session, ui: &mut Ui, place: Option<usize>) {
    session.catch_up();
    let mut other = None;
    if let Some(place) = place {
        other = session.scenarios().nth(place).cloned();
    }
    session.scenario.compare_with(other.as_ref());
    session.refresh();
    let against = match session.scenario.compared() {
        Some(name) => shown(name.as_bytes()),
        None => "the source".into(),
    };
    ui.say(sentence!("before and Δ compare with {against}"));
}

/// Asks before the scenario in front is removed. The only one cannot be.
pub(crate) fn ask_to_remove(session: &mut Session, ui: &mut Ui) {
    let key = ui.hint(Action::Undo);
    if session.other_scenarios.count() == 1 {
        return ui.say(sentence!("it is the only scenario; {key} undoes its edits"));
    }
    ui.ask(Confirm::RemoveScenario);
}

/// Removes the scenario in front, and shows another one.
pub(crate) fn remove(session: &mut Session, ui: &mut Ui) {
    if let Some(removed) = session.replace_scenario(OtherScenarios::remove) {
        ui.say(sentence!("removed {}", title(&removed)));
    }
}

/// Returns how many edits a scenario has, and how many users these move.
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

/// Returns the menu of scenarios, and of what can be done with the one in front.
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
    items.push(Item::marked(
        false,
        Choice::Action(Action::NewScenario),
        "new",
        sentence!("A copy of {front}"),
    ));
    items.push(Item::marked(
        false,
        Choice::RenameScenario,
        "rename",
        sentence!("Another name for {front}"),
    ));
    if session.other_scenarios.count() > 1 {
        items.push(Item::marked(
            false,
            Choice::CompareScenario,
            "compare",
            sentence!("What {front} is compared with: the source, or another scenario"),
        ));
        items.push(Item::marked(
            false,
            Choice::RemoveScenario,
            "remove",
            sentence!("Drops {front} and its edits"),
        ));
    }
    Dialog::menu("Scenarios", items, Some(Choice::Scenario(in_front)))
}

/// Asks for the scenario that the one in front is compared with.
pub(crate) fn ask_what_to_compare(session: &mut Session, ui: &mut Ui) {
    let now = session.scenario.compared();
    let mut items = vec![Item::marked(
        now.is_none(),
        Choice::Against(None),
        "the source",
        "The source as it was read, without edits",
    )];
    for (place, other) in session.scenarios().enumerate() {
        if place == session.other_scenarios.place() {
            continue;
        }
        items.push(Item::marked(
            now == Some(other.name()),
            Choice::Against(Some(place)),
            &title(other),
            effect_summary(other),
        ));
    }
    ui.show(Dialog::menu("Compare with", items, None));
}

/// Undoes the last entry of the history, and says what it was.
pub(crate) fn undo(session: &mut Session, ui: &mut Ui) {
    let history = session.latest().history();
    let Some(last) = history.done().last().cloned() else {
        return ui.say("nothing to undo: this is the source as it was read");
    };
    travel(session, &last, |scenario| {
        scenario.undo();
    });
    ui.say(told("undid", &last, session.latest().policy()));
}

/// Does again what was undone last, and says what it was.
pub(crate) fn redo(session: &mut Session, ui: &mut Ui) {
    let history = session.latest().history();
    let Some(next) = history.undone().last().cloned() else {
        return ui.say("nothing to redo");
    };
    travel(session, &next, |scenario| {
        scenario.redo();
    });
    ui.say(told("redid", &next, session.latest().policy()));
}

/// Returns that an entry of the history was undone or redone, in the words of the entry.
fn told(verb: &'static str, entry: &Entry, policy: Policy) -> Shown {
    match entry {
        Entry::Edit(edit) => sentence!("{verb}: {}", edit_title(&edit.text)),
        Entry::Policy(_) => sentence!("{verb} the change of policy: {}", policy.title()),
    }
}

/// Undoes or redoes an entry of the history. The cursor moves to a node that came back.
fn travel(session: &mut Session, entry: &Entry, step: fn(&mut Scenario)) {
    let known = session.tree().id_count();
    session.change(scope(entry), step);
    let tree = session.tree();
    let count = tree.id_count();
    let mut returned = None;
    if count > known {
        returned = Some(NodeId::from_index(count - 1));
    } else if let Some(done) = entry.edit() {
        returned = removed(&done.edit);
    }
    if let Some(node) = returned
        && tree.contains(node)
    {
        session.select(node);
    }
}

/// Returns what undoing or redoing an entry changes.
fn scope(entry: &Entry) -> Scope {
    match entry {
        Entry::Edit(entry) => Scope::by(&entry.edit),
        Entry::Policy(_) => Scope::Policy,
    }
}

/// Returns the first node that an edit removes; `None` if it removes none.
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

/// Handles a key in the edit history. A key that is none of a list closes it.
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
    let mut count = 0;
    let mut widest = None;
    let mut are_edits = true;
    for place in now.min(state) + 1..=now.max(state) {
        if let Some(entry) = entry(session, place) {
            count += 1;
            widest = widest.max(Some(scope(entry)));
            are_edits &= entry.edit().is_some();
        }
    }
    let Some(scope) = widest else {
        return ui.say("this is the current state");
    };
    let changes = if are_edits {
        counted(count, "edit", "edits")
    } else {
        counted(count, "change", "changes")
    };
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
