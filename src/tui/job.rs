//! Questions that take long: worked out on a thread of their own from copies, while the screen goes on.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// By what a question under way is known to who asked it, who may stop waiting.
#[derive(Clone, Debug)]
pub struct Ticket {
    number: u64,
    is_cancelled: Arc<AtomicBool>,
}

impl Ticket {
    /// Whether an answer of this number is the one that is waited for.
    pub(crate) const fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// Tells the thread at work that nobody waits any more.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// What a search is told that asks whether to go on.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// A question to be worked out, with the number that its answer bears. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Job<T> {
    ticket: Ticket,
    pub(crate) task: T,
}

impl<T> PartialEq for Job<T> {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.ticket.is(other.number())
    }
}

impl<T> Eq for Job<T> {}

impl<T> Job<T> {
    /// A question under a number that no other has.
    pub(crate) fn new(number: u64, task: T) -> Self {
        Self {
            ticket: Ticket {
                number,
                is_cancelled: Arc::default(),
            },
            task,
        }
    }

    /// The number that the answer bears.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.ticket.number
    }

    /// What the question is known by while it is under way.
    pub(crate) const fn ticket(&self) -> &Ticket {
        &self.ticket
    }
}
