//! Edits of the scenario: cells, nudges, undo and redo.

use crate::model::{Kind, NodeId};
use crate::scenario::{Edit, EditError, Entry, Scenario, shares_line};
use crate::tui::state::ahead::Touched;
use crate::tui::state::app::App;
use crate::tui::state::history::title;
use crate::tui::state::node_set::names;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Nudged;
use crate::tui::update::typed;

impl App {
    /// Asks for other shares of the marked nodes, or of the selected one.
    pub(crate) fn edit_shares(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        if session.marked_count() > 0 {
            return self.ui.prompt(Purpose::MarkedShares, String::new());
        }
        let node = session.selected();
        if node == NodeId::ROOT {
            return self.refuse_root();
        }
        let text = session.scenario.tree().shares(node).to_string();
        self.ui.prompt(Purpose::Shares(node), text);
    }

    /// Asks for another usage of the marked nodes, or of the selected one.
    pub(crate) fn edit_usage(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        if session.marked_count() > 0 {
            return self.ui.prompt(Purpose::MarkedUsage, String::new());
        }
        let (node, tree) = (session.selected(), session.scenario.tree());
        if node == NodeId::ROOT {
            return self.refuse_root();
        }
        if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account {
            return self.ui.fail(
                "an account's usage is the sum of its users'; change the usage of a user below it",
            );
        }
        let amount = tree.usage(node).amount();
        let text = amount.map(|amount| amount.to_string()).unwrap_or_default();
        self.ui.prompt(Purpose::Usage(node), text);
    }

    /// Asks for an edit in the edit language; one of the selected node's shares stands there already.
    pub(crate) fn ask_for_edit(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let node = session.selected();
        let text = if node == NodeId::ROOT {
            String::new()
        } else {
            shares_line(session.scenario.tree(), node)
        };
        self.ui.prompt(Purpose::Edit, self.ui.typeable(text));
    }

    fn refuse_root(&mut self) {
        self.ui.fail(
            "the root has no shares or usage of its own; choose an account or a user below it",
        );
    }

    /// Adds so many shares to the marked nodes, or to the selected one; one edit with the key before, if that did
    /// the same.
    pub(crate) fn nudge(&mut self, by: i64) {
        let Some(session) = self.session_mut() else {
            return;
        };
        let edit = typed::nudge(session.scenario.tree(), &session.targets(), by);
        let edit = match edit {
            Ok(Some(edit)) => edit,
            Ok(None) => return,
            Err(error) => return self.ui.fail(error),
        };
        let now = Nudged(session.revision);
        let is_same = session.nudged == Some(now);
        if is_same {
            self.apply_by(edit, Scenario::apply_to_last);
        } else {
            self.apply(edit);
        }
        if let Some(session) = self.session_mut() {
            session.nudged = Some(Nudged(session.revision));
        }
        self.say_what_was_nudged();
    }

    /// Names the nodes whose shares a key changed, where marks mean others than the one under the cursor.
    fn say_what_was_nudged(&mut self) {
        let Some(session) = self.session().filter(|_| self.ui.notice.is_none()) else {
            return;
        };
        let targets = session.targets();
        if targets != [session.selected()] {
            let named = names(session.scenario.tree(), &targets);
            self.ui.say(format!("changed what is marked: {named}"));
        }
    }

    /// Applies an edit to the open tree.
    pub(crate) fn apply(&mut self, edit: Edit) {
        self.apply_because(edit, String::new());
    }

    /// Applies an edit to the open tree, and keeps why it was made.
    pub(crate) fn apply_because(&mut self, edit: Edit, reason: String) {
        self.apply_by(edit, |scenario, edit| scenario.apply_because(edit, reason));
    }

    fn apply_by(
        &mut self,
        edit: Edit,
        apply: impl FnOnce(&mut Scenario, Edit) -> Result<(), EditError>,
    ) {
        let Some(session) = self.session_mut() else {
            return;
        };
        match session.change(Touched::by(&edit), |scenario| apply(scenario, edit)) {
            Ok(()) => {}
            Err(error) => self.ui.fail(error.to_string()),
        }
    }

    /// Takes back the last edit.
    pub(crate) fn undo(&mut self) {
        match self.travel(|scenario| scenario.history().done(), Scenario::undo) {
            Some(text) => self.ui.say(format!("took back: {}", title(&text))),
            None => self
                .ui
                .say("nothing to take back: this is the snapshot as it was read"),
        }
    }

    /// Does again what was last taken back.
    pub(crate) fn redo(&mut self) {
        match self.travel(|scenario| scenario.history().undone(), Scenario::redo) {
            Some(text) => self.ui.say(format!("did again: {}", title(&text))),
            None => self.ui.say("nothing to do again"),
        }
    }

    /// Goes a step through history; `entries` are those in that direction, the nearest last.
    fn travel(
        &mut self,
        entries: fn(&Scenario) -> &[Entry],
        step: fn(&mut Scenario) -> Option<String>,
    ) -> Option<String> {
        let session = self.session_mut()?;
        let next = entries(session.meant()).last();
        let next = next?;
        let (touched, restored) = (Touched::by(&next.inverse), restored(&next.inverse));
        let text = session.change(touched, step);
        // What comes back is what the user wants to see.
        let tree = session.scenario.tree();
        if let Some(node) = restored.filter(|&node| tree.contains(node)) {
            session.select(node);
        }
        text
    }
}

/// The first node that an edit brings back.
fn restored(edit: &Edit) -> Option<NodeId> {
    let edits = match edit {
        Edit::Batch(edits) => edits,
        edit => std::slice::from_ref(edit),
    };
    // The last one that was removed is the first that comes back.
    edits.iter().rev().find_map(|edit| match edit {
        Edit::Restore { node } => Some(*node),
        Edit::Batch(_) => restored(edit),
        _ => None,
    })
}
