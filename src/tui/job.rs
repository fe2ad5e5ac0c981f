//! Jobs that run on threads of their own, as they are known to those that wait for them.

use crate::base::cores::rest;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Identifies a job that runs, and cancels it.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// The number that every answer of the job bears.
    pub number: u64,
    is_cancelled: Arc<AtomicBool>,
}

impl Ticket {
    /// Returns the ticket of a job that nobody has cancelled.
    pub(crate) fn new(number: u64) -> Self {
        Self {
            number,
            is_cancelled: Arc::default(),
        }
    }

    /// Cancels the job: its thread stops at the next chance.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns whether nobody waits for the answer. Where nothing runs at the same time, it may be cancelled in here.
    pub(crate) fn is_cancelled(&self) -> bool {
        rest();
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

/// The time of day, and the time in Unix seconds where files are to be compared with it.
#[derive(Clone, Debug)]
pub struct Now {
    /// Such as `12:00:00`.
    pub time_of_day: String,
    /// `None` where the clock is that of a script.
    pub unix_seconds: Option<i64>,
}

/// The job that runs for one purpose, and what it is about.
#[derive(Clone, Debug)]
pub(crate) struct Running<T>(Option<(Ticket, T)>);

impl<T> Default for Running<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Running<T> {
    /// Takes note of a job that begins, and cancels the one before it.
    pub(crate) fn begin(&mut self, ticket: Ticket, about: T) {
        self.cancel();
        self.0 = Some((ticket, about));
    }

    /// Returns what the running job is about; `None` if none runs.
    pub(crate) fn about(&self) -> Option<&T> {
        let (_, about) = self.0.as_ref()?;
        Some(about)
    }

    /// Returns what the job of this number is about, to note its progress. `None` if another runs, or none.
    pub(crate) fn about_mut(&mut self, number: u64) -> Option<&mut T> {
        let (ticket, about) = self.0.as_mut()?;
        (ticket.number == number).then_some(about)
    }

    /// Notes that the job of this number answered, and returns what it was about. `None` if another runs, or none.
    pub(crate) fn end(&mut self, number: u64) -> Option<T> {
        let answered = self.0.take_if(|(ticket, _)| ticket.number == number);
        let (_, about) = answered?;
        Some(about)
    }

    /// Cancels the job. It still runs until it notices.
    pub(crate) fn cancel(&self) {
        if let Some((ticket, _)) = &self.0 {
            ticket.cancel();
        }
    }

    /// Cancels the job and forgets it: its answer will be refused. Returns what it was about.
    pub(crate) fn forget(&mut self) -> Option<T> {
        self.cancel();
        self.0.take().map(|(_, about)| about)
    }
}
