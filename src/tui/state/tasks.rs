//! Running tasks: every job becomes the message that answers it.

use crate::base::save::Fingerprint;
use crate::base::shown::Shown;
use crate::rules::policy::Policy;
use crate::source::format::folder::identify;
use crate::source::format::{FileStates, LoadError, Loaded, OnProgress, Request};
use crate::source::live;
use crate::source::opened::Opened;
use crate::tui::job::{Job, Ticket};
use crate::tui::page::task::PageTask;
use crate::tui::state::comparison::ComparisonTask;
use crate::tui::state::message::Message;
use crate::tui::state::pending::EvaluationTask;
use crate::tui::state::picker::ListTask;
use crate::tui::state::reading::ReloadTask;
use crate::tui::time::clock::ClockTask;
use crate::tui::time::forecast::ForecastTask;
use std::path::{Path, PathBuf};

/// Opens a source under `policy`, if one is given, and returns the message with its tree. `read_at` is the time of day,
/// and `file_states` are those of its files before.
///
/// # Errors
/// If there is no such file.
pub(crate) fn opened(
    request: &Request,
    policy: Option<Policy>,
    read_at: String,
    file_states: Option<FileStates>,
    report: OnProgress<'_>,
) -> Result<Message, Shown> {
    // The fingerprint is taken before reading, so that a change during the reading is noticed.
    let seen = Fingerprint::of(&request.path).ok();
    match live::load(request, report) {
        Ok(loaded) => {
            let mut opened = Opened::new(loaded, policy);
            opened.read_at = Some(read_at);
            // A scenario reads other files again than its own.
            opened.file_states = file_states.filter(|_| opened.reference.request == *request);
            opened.scenario_seen = seen.filter(|_| opened.scenario_path.is_some());
            // The numbers are computed here too, so that the screen need not wait.
            opened.work_out();
            Ok(Message::Loaded(Box::new(opened)))
        }
        Err(error @ LoadError::Missing(_)) => Err(Shown::error(&error)),
        Err(LoadError::Cancelled) => Ok(Message::LoadCancelled),
        Err(error) => Ok(Message::LoadFailed(error.line())),
    }
}

/// A task without progress.
pub trait Task: Clone + Send + 'static {
    /// Runs the task and returns the message with its result, under that number.
    fn answered(self, number: u64, ticket: &Ticket) -> Message;
}

impl Task for ComparisonTask {
    fn answered(self, number: u64, _: &Ticket) -> Message {
        Message::Compared {
            number,
            comparison: Box::new(self.answer()),
        }
    }
}

impl Task for EvaluationTask {
    fn answered(self, number: u64, _: &Ticket) -> Message {
        Message::Evaluated {
            number,
            scenario: self.answer(),
        }
    }
}

impl Task for ForecastTask {
    fn answered(self, number: u64, ticket: &Ticket) -> Message {
        Message::ForecastReady {
            number,
            forecast: self.answer(ticket).map(Box::new),
        }
    }
}

impl Task for PageTask {
    fn answered(self, number: u64, ticket: &Ticket) -> Message {
        Message::Answered {
            number,
            page: self.answer(ticket).map(Box::new),
        }
    }
}

impl<T: Task> Job<T> {
    /// Runs the job; one that was cancelled ends early with an empty result.
    #[must_use]
    pub fn perform(self) -> Message {
        let (number, ticket) = (self.number(), self.ticket().clone());
        self.task.answered(number, &ticket)
    }
}

impl Job<ClockTask> {
    /// Moves the clock and reports again and again how far it has come.
    #[must_use]
    pub fn perform(self, tell: &mut dyn FnMut(Message)) -> Message {
        let (number, ticket) = (self.number(), self.ticket().clone());
        let tell = &mut |passed| tell(Message::ClockProgress { number, passed });
        Message::ClockMoved {
            number,
            scenario: self.task.answer(&ticket, tell),
        }
    }
}

impl Job<ReloadTask> {
    /// Returns what to open.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.task.request
    }

    /// Notes the states of the source's files now, before they are read, and returns whether these are the ones that
    /// were read last. Then the tree on the screen is the source's.
    #[must_use]
    pub fn is_unchanged(&mut self, file_states: Option<FileStates>) -> bool {
        self.task.look(file_states)
    }

    /// Returns the message that nothing changed up to a time of day.
    #[must_use]
    pub fn skip(self, read_at: String) -> Message {
        let number = self.number();
        Message::Unchanged { number, read_at }
    }

    /// Returns the message with what was loaded at a time of day.
    #[must_use]
    pub fn perform(self, loaded: Loaded, read_at: String) -> Message {
        let number = self.number();
        Message::Reloaded(Box::new(self.task.answer(number, loaded, read_at)))
    }
}

impl Job<ListTask> {
    /// Returns the directory that is listed; `None` for the sources that were opened last.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.task {
            ListTask::Folder(path) => Some(path),
            ListTask::Recent { .. } => None,
        }
    }

    /// Tells the names, then what each entry is, until the job is cancelled.
    pub fn perform(self, tell: &mut dyn FnMut(Message)) {
        let (number, ticket) = (self.number(), self.ticket().clone());
        let (listed, base) = match self.task.names(&ticket) {
            Ok((folder, base)) => (Ok(folder), base),
            Err(LoadError::Cancelled) => return,
            Err(error) => (Err(error.line()), PathBuf::new()),
        };
        let entries = listed.iter().flat_map(|folder| &folder.entries);
        let paths: Vec<_> = entries.map(|entry| base.join(&entry.name)).collect();
        tell(Message::Listed { number, listed });
        for (place, path) in paths.iter().enumerate() {
            if ticket.is_cancelled() {
                return;
            }
            let content = identify(path);
            tell(Message::Identified {
                number,
                place,
                content,
            });
        }
    }
}
