//! The Time screen: opened, left, and its lines asked for.

use crate::report::outline::View;
use crate::tui::job::Job;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::session::Session;
use crate::tui::time::following::{Followed, Following};
use crate::tui::time::state::Asked;

impl App {
    /// Opens the screen beside the tree; on it, works out again what was stopped.
    pub(crate) fn open_time(&mut self) {
        if let Some(session) = self.session_mut() {
            session.time.given_up = None;
            if !session.time.is_open {
                session.time.is_open = true;
                session.show(View::Tree);
            }
        }
    }

    /// Leaves the screen; time stops passing by itself.
    pub(crate) fn close_time(&mut self) {
        if let Some(session) = self.session_mut() {
            session.time.is_open = false;
            session.time.beat = None;
            session.time.stop_asking();
        }
    }

    /// The question to ask, if the screen is open and shows the answer to another one. One is asked at a time: the one
    /// under way is told to stop first. Notes what is assumed as well.
    pub(crate) fn ask_to_follow(&mut self) -> Option<Effect> {
        let number = self.ui.questions + 1;
        let session = self.sessions.get_mut(self.current)?;
        if !session.time.is_open {
            return None;
        }
        session.note_assumed();
        if session.is_behind() || session.scenario.is_trying() {
            return None;
        }
        let question = session.question();
        let time = &mut session.time;
        if let Some(asked) = &time.asked {
            if asked.question != question {
                time.stop_asking();
            }
            return None;
        }
        let is_there = time
            .followed
            .as_ref()
            .is_some_and(|followed| followed.question == question);
        if is_there || time.given_up.as_ref() == Some(&question) {
            return None;
        }
        let scenario = Box::new(session.scenario.before_waiting());
        let job = Job::new(number, Following::new(question.clone(), scenario));
        time.given_up = None;
        time.asked = Some(Asked {
            ticket: job.ticket().clone(),
            question,
        });
        self.ui.questions = number;
        Some(Effect::Follow(Box::new(job)))
    }

    /// Shows lines that are still waited for.
    pub(crate) fn show_followed(&mut self, number: u64, followed: Option<Box<Followed>>) {
        let is_asker = |session: &&mut Session| {
            let asked = session.time.asked.as_ref();
            asked.is_some_and(|asked| asked.ticket.is(number))
        };
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return;
        };
        let asked = session.time.asked.take();
        let was_cancelled = asked.is_some_and(|asked| asked.ticket.is_cancelled());
        if let Some(followed) = followed.filter(|_| !was_cancelled) {
            session.time.followed = Some(followed);
        }
    }
}
