//! Numbers of large trees: worked out on a thread, while the screen shows those before and takes keys.
//!
//! Another policy or setting changes every number of a tree, which takes up to a second for a million nodes. So the
//! change is made on a copy of the scenario, which shares every column with the one on the screen, and the copy takes
//! its place once its numbers are there. What needs the change earlier has it at once and waits for the numbers.

use crate::scenario::Scenario;
use crate::tui::job::Job;
use crate::tui::state::ahead::Evaluating;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::session::Session;

impl App {
    /// The next question about numbers, if one is to be asked and none is under way.
    pub(crate) fn ask_to_evaluate(&mut self) -> Option<Effect> {
        let number = self.ui.questions + 1;
        let ahead = self.sessions.iter_mut().map(|session| &mut session.ahead);
        let mut idle = ahead.filter(|ahead| ahead.under_way.is_none());
        let (changed, under_way) = idle.find_map(|ahead| {
            let changed = ahead.changed.as_mut()?;
            Some((changed, &mut ahead.under_way))
        })?;
        changed.is_asked = true;
        *under_way = Some(number);
        self.ui.questions = number;
        Some(Effect::Evaluate(Job::new(
            number,
            Evaluating {
                scenario: Box::new(changed.scenario.clone()),
            },
        )))
    }

    /// Shows numbers that are still waited for; those of a state that was changed again are dropped.
    pub(crate) fn show_evaluated(&mut self, number: u64, scenario: Scenario) {
        let announced = self.announcement();
        let is_asker = |session: &&mut Session| session.ahead.under_way == Some(number);
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return;
        };
        session.ahead.under_way = None;
        let changed = session.ahead.changed.take_if(|changed| changed.is_asked);
        if let Some(changed) = changed {
            session.show_changed(scenario, changed.touched);
            // What was announced while it was worked out is now so.
            if self.ui.notice == announced {
                self.ui.notice = self.announcement();
            }
        }
    }
}
