//! Edits of the scenario: typed cells, nudges and lines in the edit language.

use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::scenario::{Edit, EditError, Scenario, shares_line};
use crate::tui::state::node_set::names;
use crate::tui::state::pending::Scope;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::update::typed;

/// Asks for new shares of the marked nodes, or of the selected node.
pub(crate) fn edit_shares(session: &mut Session, ui: &mut Ui) {
    if session.marked_count() > 0 {
        return ui.prompt(Purpose::MarkedShares, String::new());
    }
    let node = session.selected();
    if node == NodeId::ROOT {
        return refuse_root(ui);
    }
    let text = session.scenario.tree().shares(node).to_string();
    ui.prompt(Purpose::Shares(node), text);
}

/// Asks for a new usage of the marked nodes, or of the selected node.
pub(crate) fn edit_usage(session: &mut Session, ui: &mut Ui) {
    if session.marked_count() > 0 {
        return ui.prompt(Purpose::MarkedUsage, String::new());
    }
    let (node, tree) = (session.selected(), session.scenario.tree());
    if node == NodeId::ROOT {
        return refuse_root(ui);
    }
    if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account {
        return ui
            .fail("the usage here is the sum of the users'; change the usage of a user below it");
    }
    let amount = tree.usage(node).amount();
    let text = amount.map(typed_amount).unwrap_or_default();
    ui.prompt(Purpose::Usage(node), text);
}

/// Returns a usage as people would type it: without a fraction that does not matter.
fn typed_amount(amount: f64) -> String {
    if amount.abs() < 100.0 {
        amount.to_string()
    } else {
        amount.round().to_string()
    }
}

/// Asks for an edit in the edit language. The prompt suggests one of the selected node's shares.
pub(crate) fn ask_for_edit(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    let text = if node == NodeId::ROOT {
        String::new()
    } else {
        shares_line(session.scenario.tree(), node)
    };
    let text = ui.typeable(text);
    ui.prompt(Purpose::Edit, text);
}

fn refuse_root(ui: &mut Ui) {
    ui.fail("the root has no shares or usage of its own; choose a node below it");
}

/// Adds shares to the marked nodes, or to the selected node. Repeated nudges of the same nodes become one edit.
pub(crate) fn nudge(session: &mut Session, ui: &mut Ui, by: i64) {
    let edit = typed::nudge(session.scenario.tree(), &session.targets(), by);
    let edit = match edit {
        Ok(Some(edit)) => edit,
        Ok(None) => return,
        Err(error) => return ui.fail(error),
    };
    if session.nudge == Some(session.revision) {
        apply_by(session, ui, edit, Scenario::apply_to_last);
    } else {
        apply(session, ui, edit);
    }
    session.nudge = Some(session.revision);
    if ui.notice.is_none() {
        announce_nudged(session, ui);
    }
}

/// Names the nodes that were nudged if they are not just the selected node.
fn announce_nudged(session: &Session, ui: &mut Ui) {
    let targets = session.targets();
    if targets != [session.selected()] {
        let named = names(session.scenario.tree(), &targets);
        ui.say(sentence!("changed the marked nodes: {named}"));
    }
}

/// Applies an edit to the open tree.
pub(crate) fn apply(session: &mut Session, ui: &mut Ui, edit: Edit) {
    apply_because(session, ui, edit, String::new());
}

/// Applies an edit to the open tree, with the reason for it.
pub(crate) fn apply_because(session: &mut Session, ui: &mut Ui, edit: Edit, reason: String) {
    apply_by(session, ui, edit, |scenario, edit| {
        scenario.apply_because(edit, reason)
    });
}

fn apply_by(
    session: &mut Session,
    ui: &mut Ui,
    edit: Edit,
    apply: impl FnOnce(&mut Scenario, Edit) -> Result<(), EditError>,
) {
    match session.change(Scope::by(&edit), |scenario| apply(scenario, edit)) {
        Ok(()) => {}
        Err(error) => ui.fail(Shown::error(&error)),
    }
}
