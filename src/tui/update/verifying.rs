//! A large tree is shown as it was printed while a thread verifies its numbers and reconstructs its usage. Keys move
//! through it at once.
//!
//! An edit, a page, a menu or another policy needs numbers that were not printed, or states what was verified. Such an
//! action waits for the thread, and so does all input after it. Then the verified tree takes the place of the printed
//! one, and everything that waited happens in its order.

use crate::source::opened::{Opened, Unverified};
use crate::tui::input::action::Action;
use crate::tui::input::key::Key;
use crate::tui::job::Job;
use crate::tui::state::app::App;
use crate::tui::state::message::{Effect, Message};
use crate::tui::state::waiting::WaitingAction;
use crate::tui::update::is_control;
use crate::tui::update::settings::announcement;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

impl App {
    /// Shows a large tree as it was printed, and requests its verification.
    pub(crate) fn show_printed(&mut self, opened: Opened, unverified: Unverified) {
        if self.ui.lesson.is_some() {
            // The first step of a lesson needs the numbers. The trees of lessons are small.
            return self.show_loaded(unverified.verified());
        }
        let number = self.ui.next_question();
        let job = Job::new(number, unverified);
        self.ui.queue(Effect::Verify(Box::new(job)));
        self.show_opened(opened, Some(number));
    }

    /// Puts the verified tree in the place of the printed one, and announces its policy if that is another one.
    pub(crate) fn show_verified(&mut self, number: u64, verified: Opened) {
        let mut sessions = self.sessions.iter();
        let Some(place) = sessions.position(|session| session.verifying == Some(number)) else {
            return;
        };
        let session = &mut self.sessions[place];
        let before = session.scenario.policy();
        session.settle(verified);
        if session.scenario.policy() != before && place == self.ui.current {
            self.ui.notice = Some(announcement(session));
        }
    }

    /// Returns whether the numbers of the tree on the screen are still being verified.
    pub(crate) fn is_verifying(&self) -> bool {
        let session = self.session();
        session.is_some_and(|session| session.verifying.is_some())
    }

    /// Makes an action wait for verified numbers, and all input after it.
    pub(crate) fn wait_to_act(&mut self, action: Action) {
        let input = Vec::new();
        self.ui.waiting = Some(WaitingAction { action, input });
        self.ui.say("waiting for the verification; esc cancels");
    }

    /// Holds input back while an action waits, and returns any other message. Esc and `^C` cancel the wait.
    pub(crate) fn hold_back(&mut self, message: Message) -> Option<Message> {
        let Some(waiting) = &mut self.ui.waiting else {
            return Some(message);
        };
        match message {
            Message::Key(key) if is_cancel(key) => {
                self.ui.waiting = None;
                self.ui.say("cancelled; the verification goes on");
                None
            }
            // As elsewhere, Alt with a key is esc and that key.
            Message::Key(key) if key.modifiers.contains(KeyModifiers::ALT) => {
                self.ui.waiting = None;
                Some(message)
            }
            Message::Key(key)
                if self.ui.keymap.action(None, Key::of(key)) == Some(Action::Suspend) =>
            {
                Some(message)
            }
            Message::Key(_) | Message::Mouse(_) | Message::DoubleClick(_) | Message::Paste(_) => {
                waiting.input.push(message);
                None
            }
            message => Some(message),
        }
    }

    /// Performs the action that waited, once the numbers are verified, and returns the input after it.
    pub(crate) fn resume_action(&mut self) -> Vec<Message> {
        if self.is_verifying() {
            return Vec::new();
        }
        let Some(WaitingAction { action, input }) = self.ui.waiting.take() else {
            return Vec::new();
        };
        self.ui.notice = None;
        self.act_in_front(action);
        input
    }
}

/// Returns whether a key cancels a wait.
fn is_cancel(key: KeyEvent) -> bool {
    key.code == KeyCode::Esc || is_control(key, 'c')
}
