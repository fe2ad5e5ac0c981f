//! Asking for the comparison of policies: only while its screen is open, one at a time, and again when the tree
//! has changed since.

use super::{App, Effect, Message};
use crate::model::{Settings, Tree};
use crate::report::outline::View;
use crate::rules::policy::{Comparison, Policy};

/// A tree to be compared under several policies. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Comparing {
    number: u64,
    tree: Tree,
    settings: Settings,
    policies: Vec<Policy>,
}

impl PartialEq for Comparing {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Comparing {}

impl Comparing {
    /// Compares, which takes about a second for a million users.
    #[must_use]
    pub fn perform(self) -> Message {
        let comparison = Comparison::of(&self.tree, &self.settings, &self.policies);
        Message::Compared {
            number: self.number,
            comparison: Box::new(comparison),
        }
    }
}

/// What is known about one tree under all policies.
#[derive(Clone, Debug, Default)]
pub(super) struct Compared {
    /// The newest answer.
    pub(super) comparison: Option<Box<Comparison>>,
    /// The revision of the tree it is of.
    revision: u64,
    /// The question under way, and the revision it was asked about.
    asked: Option<(u64, u64)>,
}

impl App {
    /// The question to ask, if its screen is open and the answer there is of another tree.
    pub(super) fn ask_to_compare(&mut self) -> Option<Effect> {
        let number = self.questions + 1;
        let session = self
            .sessions
            .get_mut(self.current)
            .filter(|session| session.view == View::Users)?;
        if session.is_compared() || session.compared.asked.is_some() {
            return None;
        }
        session.compared.asked = Some((number, session.revision));
        let comparing = Comparing {
            number,
            tree: session.scenario.tree().clone(),
            settings: session.scenario.settings().clone(),
            policies: session.offered_policies(),
        };
        self.questions = number;
        Some(Effect::Compare(Box::new(comparing)))
    }

    /// Shows an answer that is still waited for.
    pub(super) fn show_compared(
        &mut self,
        number: u64,
        comparison: Box<Comparison>,
    ) -> Vec<Effect> {
        let is_asker = |session: &&mut super::Session| {
            session
                .compared
                .asked
                .is_some_and(|(asked, _)| asked == number)
        };
        if let Some(session) = self.sessions.iter_mut().find(is_asker) {
            let (_, revision) = session.compared.asked.take().unwrap_or_default();
            let users = comparison.users().to_vec();
            session.compared.revision = revision;
            session.compared.comparison = Some(comparison);
            session.list_users(users);
        }
        Vec::new()
    }
}

impl super::Session {
    /// Whether the comparison there is is of the tree as it is now.
    pub(super) fn is_compared(&self) -> bool {
        self.compared.revision == self.revision
            && self
                .compared
                .comparison
                .as_ref()
                .is_some_and(|comparison| comparison.policies() == self.offered_policies())
    }
}
