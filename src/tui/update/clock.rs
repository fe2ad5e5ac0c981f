//! Moving the clock: at once where that is quick, else on a thread that says how far it has come and can be stopped.

use crate::model::Settings;
use crate::scenario::Scenario;
use crate::tui::job::Job;
use crate::tui::state::ahead::Touched;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::session::Session;
use crate::tui::time::moving::{Moving, UnderWay, beginning};
use std::ops::ControlFlow;

impl App {
    /// Moves the clock to a moment, in seconds since the snapshot. A move under way is stopped.
    pub(crate) fn move_clock(&mut self, passed: u64) {
        let number = self.ui.questions + 1;
        let Some(session) = self.session_mut() else {
            return;
        };
        session.catch_up();
        session.scenario.end_trial();
        session.stop_clock();
        let begin = beginning(&session.scenario, passed);
        if session.waits_long(begin, passed) {
            let scenario = Box::new(session.scenario.clone());
            let job = Job::new(number, Moving { scenario, passed });
            session.time.moving = Some(UnderWay {
                ticket: job.ticket().clone(),
                changes: session.changes,
                until: passed,
                at: None,
            });
            self.ui.questions = number;
            return self.ui.want(Effect::Move(Box::new(job)));
        }
        let moved = session.change(Touched::Settings, |scenario| {
            scenario.move_clock(passed, &mut |_| ControlFlow::Continue(()))
        });
        match moved {
            Ok(_) => {}
            Err(error) => {
                session.time.beat = None;
                self.ui.fail(error.to_string());
            }
        }
    }

    /// Lets so much time pass from the moment on the screen.
    pub(crate) fn wait_on(&mut self, seconds: u64) {
        let passed = |settings: &Settings| settings.time.passed;
        let now = self
            .session()
            .map(|session| passed(session.meant().settings()));
        if let Some(now) = now {
            self.move_clock(now.saturating_add(seconds));
        }
    }

    /// Hears how far the clock has come.
    pub(crate) fn hear_of_clock(&mut self, number: u64, passed: u64) {
        let moving = self.sessions.iter_mut();
        let mut moving = moving.filter_map(|session| session.time.moving.as_mut());
        if let Some(under_way) = moving.find(|under_way| under_way.ticket.is(number)) {
            under_way.at = Some(passed);
        }
    }

    /// Shows where a thread moved the clock to.
    pub(crate) fn show_moved(
        &mut self,
        number: u64,
        scenario: Result<Option<Box<Scenario>>, String>,
    ) {
        let is_asker = |session: &&mut Session| {
            let moving = session.time.moving.as_ref();
            moving.is_some_and(|under_way| under_way.ticket.is(number))
        };
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return;
        };
        session.time.moving = None;
        match scenario {
            Ok(Some(scenario)) => {
                session.show_changed(*scenario, Touched::Settings);
            }
            Ok(None) => {}
            Err(error) => {
                session.time.beat = None;
                self.ui.fail(error);
            }
        }
    }

    /// Stops each clock that moves in a tree that was changed meanwhile.
    pub(crate) fn stop_outdated_clocks(&mut self) {
        let mut has_stopped = false;
        for session in &mut self.sessions {
            let changes = session.changes;
            let moving = session.time.moving.as_ref();
            if moving.is_some_and(|under_way| under_way.changes != changes) {
                session.time.beat = None;
                has_stopped |= session.stop_clock();
            }
        }
        if has_stopped && self.ui.notice.is_none() {
            self.ui
                .say("the tree was changed meanwhile, so the clock stands where it stood");
        }
    }
}
