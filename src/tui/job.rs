//! Tasks that take long: they run on threads of their own, on copies, while the screen takes keys.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Identifies a job that runs, and cancels it.
#[derive(Clone, Debug)]
pub struct Ticket {
    number: u64,
    is_cancelled: Arc<AtomicBool>,
}

impl Ticket {
    /// Returns whether the job has this number.
    pub(crate) const fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// Cancels the job: its thread stops at the next chance.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns whether the job was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Returns `Break` once the job was cancelled, as searches take it.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// A task with the number that its answer bears. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Job<T> {
    ticket: Ticket,
    /// What is computed.
    pub task: T,
}

impl<T> PartialEq for Job<T> {
    /// Numbers are given once, so the same number is the same job.
    fn eq(&self, other: &Self) -> bool {
        self.ticket.is(other.number())
    }
}

impl<T> Eq for Job<T> {}

impl<T> Job<T> {
    /// Returns a job under a number that no other has.
    pub(crate) fn new(number: u64, task: T) -> Self {
        Self {
            ticket: Ticket {
                number,
                is_cancelled: Arc::default(),
            },
            task,
        }
    }

    /// Returns the number that the answer bears.
    pub const fn number(&self) -> u64 {
        self.ticket.number
    }

    /// Returns the ticket that identifies and cancels the job.
    pub(crate) const fn ticket(&self) -> &Ticket {
        &self.ticket
    }
}
