//! Working out what was asked: every job becomes the message that answers it.

use crate::source::format::{Loaded, Request};
use crate::tui::job::{Job, Ticket};
use crate::tui::page::asking::Asking;
use crate::tui::state::ahead::Evaluating;
use crate::tui::state::compared::Comparing;
use crate::tui::state::message::Message;
use crate::tui::state::reading::Reloading;
use crate::tui::time::following::Following;
use crate::tui::time::moving::Moving;

/// Something that takes long to answer, and says nothing until then.
pub trait Question: Clone + Send + 'static {
    /// The message with the answer, which bears that number.
    fn answered(self, number: u64, ticket: &Ticket) -> Message;
}

impl Question for Comparing {
    fn answered(self, number: u64, _: &Ticket) -> Message {
        Message::Compared {
            number,
            comparison: Box::new(self.answer()),
        }
    }
}

impl Question for Evaluating {
    fn answered(self, number: u64, _: &Ticket) -> Message {
        Message::Evaluated {
            number,
            scenario: self.answer(),
        }
    }
}

impl Question for Following {
    fn answered(self, number: u64, ticket: &Ticket) -> Message {
        Message::Followed {
            number,
            followed: self.answer(ticket).map(Box::new),
        }
    }
}

impl Question for Asking {
    fn answered(self, number: u64, ticket: &Ticket) -> Message {
        Message::Answered {
            number,
            page: self.answer(ticket).map(Box::new),
        }
    }
}

impl<T: Question> Job<T> {
    /// Works out the answer; one that nobody waits for any more comes early and says nothing.
    #[must_use]
    pub fn perform(self) -> Message {
        let (number, ticket) = (self.number(), self.ticket().clone());
        self.question.answered(number, &ticket)
    }
}

impl Job<Moving> {
    /// Moves the clock, and tells again and again how far it has come.
    #[must_use]
    pub fn perform(self, tell: &mut dyn FnMut(Message)) -> Message {
        let (number, ticket) = (self.number(), self.ticket().clone());
        let tell = &mut |passed| tell(Message::MovedOn { number, passed });
        Message::Moved {
            number,
            scenario: self.question.answer(&ticket, tell),
        }
    }
}

impl Job<Reloading> {
    /// What to open.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.question.request
    }

    /// Makes an answer of what was loaded at a time of day.
    #[must_use]
    pub fn perform(self, loaded: Loaded, read_at: String) -> Message {
        let number = self.number();
        Message::Reloaded(Box::new(self.question.answer(number, loaded, read_at)))
    }
}
