//! Asking for the comparison of policies: only while its screen is open, one at a time, and again when the tree
//! has changed since.

use crate::report::outline::View;
use crate::rules::policy::Comparison;
use crate::tui::job::Job;
use crate::tui::state::app::App;
use crate::tui::state::compared::Comparing;
use crate::tui::state::message::Effect;
use crate::tui::state::session::Session;

impl App {
    /// The question to ask, if its screen is open and the answer there is of another tree.
    pub(crate) fn ask_to_compare(&mut self) -> Option<Effect> {
        let number = self.ui.questions + 1;
        let session = self
            .sessions
            .get_mut(self.current)
            .filter(|session| session.view == View::Users)?;
        if session.is_compared() || session.compared.asked.is_some() {
            return None;
        }
        session.compared.asked = Some((number, session.revision));
        let comparing = Comparing {
            tree: session.scenario.tree().clone(),
            settings: session.scenario.settings().clone(),
            policies: session.offered_policies(),
        };
        self.ui.questions = number;
        Some(Effect::Compare(Box::new(Job::new(number, comparing))))
    }

    /// Shows an answer that is still waited for.
    pub(crate) fn show_compared(&mut self, number: u64, comparison: Box<Comparison>) {
        let is_asker = |session: &&mut Session| {
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
    }
}
