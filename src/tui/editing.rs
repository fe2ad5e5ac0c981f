//! Edits of the scenario: cells, nudges, undo and redo.

use super::ahead::Touched;
use super::dialog::Purpose;
use super::{App, Effect};
use crate::model::{Kind, NodeId, Shares};
use crate::scenario::{Edit, Entry, Scenario};
use crate::shown::shown;

impl App {
    /// Asks for other shares of the selected node.
    pub(super) fn edit_shares(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let node = session.selected();
        if node == NodeId::ROOT {
            return self.refuse_root();
        }
        let text = session.scenario.tree().shares(node).to_string();
        self.prompt(Purpose::Shares(node), text)
    }

    /// Asks for another usage of the selected node.
    pub(super) fn edit_usage(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let (node, tree) = (session.selected(), session.scenario.tree());
        if node == NodeId::ROOT {
            return self.refuse_root();
        }
        if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account {
            return self.fail(
                "an account's usage is the sum of its users'; change the usage of a user below it",
            );
        }
        let amount = tree.usage(node).amount();
        let text = amount.map(|amount| amount.to_string()).unwrap_or_default();
        self.prompt(Purpose::Usage(node), text)
    }

    fn refuse_root(&mut self) -> Vec<Effect> {
        self.fail(
            "the root has no shares or usage of its own; choose an account or a user below it",
        )
    }

    /// Adds so many shares to the selected node.
    pub(super) fn nudge(&mut self, by: i64) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let node = session.selected();
        let Some(count) = session.scenario.tree().shares(node).count() else {
            return self.fail("parent is not a number of shares; e gives this node its own");
        };
        if node != NodeId::ROOT && count + by < 0 {
            return self.fail("shares cannot fall below 0");
        }
        self.apply(Edit::SetShares {
            node,
            shares: Shares::new(count + by),
        })
    }

    /// Applies an edit to the open tree.
    pub(super) fn apply(&mut self, edit: Edit) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        match session.change(Touched::by(&edit), |scenario| scenario.apply(edit)) {
            Ok(()) => Vec::new(),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Takes back the last edit.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        match self.travel(|scenario| scenario.history().done(), Scenario::undo) {
            Some(text) => self.say(format!("took back: {}", shown(text.as_bytes()))),
            None => self.say("nothing to take back: this is the snapshot as it was read"),
        }
    }

    /// Does again what was last taken back.
    pub(super) fn redo(&mut self) -> Vec<Effect> {
        match self.travel(|scenario| scenario.history().undone(), Scenario::redo) {
            Some(text) => self.say(format!("did again: {}", shown(text.as_bytes()))),
            None => self.say("nothing to do again"),
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
        let touched = Touched::by(&next?.inverse);
        session.change(touched, step)
    }
}
