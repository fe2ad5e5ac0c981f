//! The prompts for edits: for each purpose what is asked for, how the line is read, and what becomes of it.

use crate::base::number::{Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Scheduler, Settings, Tree, resolve};
use crate::report::shares as count_text;
use crate::rules::policy::ColumnId;
use crate::scenario::{Amount, Edit, Scenario, example_job, is_worked_out, parse};
use crate::tui::state::pane::names;
use crate::tui::state::{EditPurpose, EditedCell, PromptLabels, Scope, Session, Ui};
use crate::tui::update::editing::{
    addition, amount, charge_or_amount, renaming, setting, shares, show_added, usage,
};
use crate::tui::update::settings::announce;

/// The edit that a line describes, `None` if it changes nothing, or the reason why the line is not an edit.
pub(super) type ParsedEdit = Result<Option<Edit>, Shown>;

/// The words with which lines of the edit language begin.
const LANGUAGE: &str =
    "shares usage add remove move rename set charge scale split trade wait rate campaign pace";

/// Returns labels of a prompt whose text belongs to no cell.
fn text(label: Shown, verb: &'static str, hint: impl Into<Shown>) -> PromptLabels {
    PromptLabels {
        label,
        verb,
        hint: hint.into(),
        cell: None,
    }
}

/// Returns the texts around a prompt for an edit.
pub(super) fn labels(purpose: &EditPurpose, session: &Session) -> PromptLabels {
    let tree = session.scenario.tree();
    match *purpose {
        EditPurpose::Shares(node) => PromptLabels {
            label: sentence!("shares of {}", targets(session, node)),
            verb: "apply",
            hint: hint_of_shares(session, node),
            cell: node.map(|node| edited_cell(session, node, ColumnId::Shares)),
        },
        EditPurpose::Usage(node) => PromptLabels {
            label: sentence!("usage of {}", targets(session, node)),
            verb: "apply",
            hint: hint_of_usage(session, node),
            cell: node.map(|node| edited_cell(session, node, ColumnId::Usage)),
        },
        EditPurpose::Add(account) => {
            let name = shown(tree.name(account));
            let label = sentence!("add below {name}");
            text(label, "add", "NAME shares=5 kind=account")
        }
        EditPurpose::Rename(node) => {
            let name = shown(tree.name(node));
            let label = sentence!("rename {name} to");
            text(label, "apply", "another name")
        }
        EditPurpose::MoveTo(node) => {
            let name = shown(tree.name(node));
            let label = sentence!("move {name} to");
            let hint = "a path or name, tab completes, / is the root";
            text(label, "move", hint)
        }
        EditPurpose::Family(edit) => text(edit.label(tree), "apply", "100 +10 *2"),
        EditPurpose::Line => text("edit".into(), "apply", LANGUAGE),
        EditPurpose::Setting(key, _) => {
            let hint = hint_of_setting(session, key);
            text(key.into(), "apply", hint)
        }
    }
}

/// Returns the name of the node to be edited, or of all marked ones.
fn targets(session: &Session, node: Option<NodeId>) -> Shown {
    let tree = session.scenario.tree();
    match node {
        Some(node) => shown(tree.name(node)),
        None => sentence!("{} (marked)", names(tree, &session.marks.nodes(tree))),
    }
}

/// Returns the forms of an amount, and what one of them gives here.
fn hint_of_shares(session: &Session, node: Option<NodeId>) -> Shown {
    let Some(node) = node else {
        return "20 sets all; +10 *1.2 +20% change each; 10% of level".into();
    };
    let example = match EXAMPLE.shares(session.scenario.tree_before_trial(), node) {
        Ok(count) => sentence!("+20% ({})", count_text(count)),
        Err(_) => "+20%".into(),
    };
    match session.scenario.settings().scheduler {
        Some(Scheduler::Pbs | Scheduler::Flux) => {
            sentence!("20, +10, *1.2, {example}, 50% of level")
        }
        _ => sentence!("20, +10, *1.2, {example}, 50% of level, parent"),
    }
}

/// The change whose result the prompt for shares shows.
const EXAMPLE: Amount = Amount::MorePercent(20.0);

/// Returns what can be typed for usage; `None` is for all marked nodes.
fn hint_of_usage(session: &Session, node: Option<NodeId>) -> Shown {
    let mut job = shown(example_job(session.scenario.settings()).as_bytes());
    if !job.is_empty() {
        job = sentence!(" {job}");
    }
    match node {
        Some(_) => sentence!("3600 +3600 *0.5{job}"),
        None => sentence!("3600 sets all; +3600 *0.5{job} change each"),
    }
}

/// Returns the value that a setting has in the snapshot, and what can be typed for it.
fn hint_of_setting(session: &Session, key: &str) -> Shown {
    let base = session.scenario.base();
    let policy = session.scenario.policy();
    let value = policy.setting(&base.tree, &base.settings, key);
    let expected = Settings::expected(key).unwrap_or_default();
    sentence!("was {} · {expected}", shown(value.as_bytes()))
}

/// Returns the cell whose value is typed, with what it held in the snapshot.
fn edited_cell(session: &Session, node: NodeId, column: ColumnId) -> EditedCell {
    EditedCell {
        node,
        column,
        before: before(session, node, column),
    }
}

/// Returns what a cell held in the snapshot; empty for a new node.
fn before(session: &Session, node: NodeId, column: ColumnId) -> Shown {
    if session.scenario.is_new(node) {
        return Shown::default();
    }
    let base = &session.scenario.base().tree;
    if column == ColumnId::Shares {
        return sentence!("{}", base.shares(node));
    }
    match base.shown_usage(node) {
        Some(amount) => cell(Value::Double(amount), column.unit()),
        None => "none".into(),
    }
}

/// Returns whether a first character goes on with the suggested text; otherwise it replaces it.
pub(super) fn goes_on(purpose: &EditPurpose, char: char) -> bool {
    // A number, a sign and `parent` complete `shares PATH=`. Any other character starts another edit.
    *purpose == EditPurpose::Line && (char.is_ascii_digit() || "+-*.p".contains(char))
}

/// Returns the edit of a line. Blanks around it are ignored; an empty line changes nothing.
pub(super) fn edit(purpose: &EditPurpose, session: &Session, line: &str) -> ParsedEdit {
    let text = line.trim();
    let scenario = &session.scenario;
    let tree = scenario.tree();
    if text.is_empty() {
        return Ok(None);
    }
    match *purpose {
        EditPurpose::Shares(node) => {
            let amount = amount(text)?;
            shares(tree, &nodes(session, node), amount)
        }
        EditPurpose::Usage(node) => {
            let amount = charge_or_amount(scenario, text)?;
            usage(tree, &nodes(session, node), amount)
        }
        EditPurpose::Add(account) => {
            let edit = addition(scenario, account, text)?;
            Ok(Some(edit))
        }
        EditPurpose::Rename(node) => Ok(renaming(tree, node, text)),
        EditPurpose::MoveTo(node) => moved(tree, node, text),
        EditPurpose::Family(edit) => {
            let amount = amount(text)?;
            edit.typed(session, amount)
        }
        EditPurpose::Line => edit_of_line(scenario, text),
        EditPurpose::Setting(key, _) => setting(scenario, key, text),
    }
}

/// Reads a line of the edit language. A level may have the shares already that are asked for: then there is no edit.
fn edit_of_line(scenario: &Scenario, line: &str) -> ParsedEdit {
    match parse(line.as_bytes(), scenario.tree(), scenario.settings()) {
        Ok(edit) if edit.parts().is_empty() => Ok(None),
        Ok(edit) => Ok(Some(edit)),
        Err(error) => Err(Shown::error(&error)),
    }
}

/// Returns the node to be edited, or else the nodes that the next edit changes.
fn nodes(session: &Session, node: Option<NodeId>) -> Vec<NodeId> {
    match node {
        Some(node) => vec![node],
        None => session.targets(),
    }
}

/// Returns the edit that moves a node to an account of that path or name; `None` if it is there already.
fn moved(tree: &Tree, node: NodeId, text: &str) -> ParsedEdit {
    // The root has no name to type.
    let path = if text == "/" { "" } else { text };
    let to = match resolve(tree, path.as_bytes()) {
        Ok(to) => to,
        Err(error) => return Err(Shown::error(&error)),
    };
    if tree.parent(node) == Some(to) {
        return Ok(None);
    }
    Ok(Some(Edit::Move { node, to }))
}

/// Returns the reason of the edit that a line describes, empty if it needs none.
pub(super) fn reason(purpose: &EditPurpose, session: &Session, text: &str) -> String {
    match purpose {
        // The job that is charged, if the line describes one.
        EditPurpose::Usage(_) if text.contains('=') => {
            format!("charge {}", text.trim_start_matches('+'))
        }
        EditPurpose::Family(edit) => format!("{} {text}", edit.label(session.scenario.tree())),
        EditPurpose::Line if is_worked_out(text.as_bytes()) => text.to_owned(),
        _ => String::new(),
    }
}

/// Does what follows an accepted line that changed something, or nothing.
pub(super) fn end(purpose: &EditPurpose, session: &mut Session, ui: &mut Ui, is_changed: bool) {
    match *purpose {
        EditPurpose::Add(_) if is_changed => show_added(session),
        EditPurpose::MoveTo(node) if is_changed => session.select(node),
        EditPurpose::Setting(key, before) if is_changed || before.is_some() => {
            announce(session, ui, key, before.is_some());
        }
        _ => {}
    }
}

/// Takes back the policy that a cancelled prompt for its formula chose.
pub(super) fn leave(purpose: &EditPurpose, session: &mut Session) {
    if let EditPurpose::Setting(_, Some(before)) = purpose
        && *before != session.latest().policy()
    {
        session.change(Scope::Policy, Scenario::drop_policy_choice);
    }
}
