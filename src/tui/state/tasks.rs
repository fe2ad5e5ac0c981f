//! Running tasks: every job becomes the message that answers it.

use crate::base::save::Fingerprint;
use crate::base::shown::Shown;
use crate::format::{LoadError, Loaded, OnProgress, Request};
use crate::open::FileStates;
use crate::open::folder::identify;
use crate::open::live;
use crate::open::opened::Opened;
use crate::rules::policy::Policy;
use crate::tui::job::Job;
use crate::tui::state::message::{Message, Task};
use crate::tui::state::picker::ListTask;
use crate::tui::state::reading::ReloadTask;
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
            opened.compute_numbers();
            Ok(Message::Loaded(Box::new(opened)))
        }
        Err(error @ LoadError::Missing(_)) => Err(Shown::error(&error)),
        Err(LoadError::Cancelled) => Ok(Message::LoadCancelled),
        Err(error) => Ok(Message::LoadFailed(error.line())),
    }
}

impl Job<Task> {
    /// Runs the job and returns its answer, which is empty if the job was cancelled. `tell` gets reports of the progress.
    pub fn perform(self, tell: &mut dyn FnMut(Message)) -> Message {
        let (number, ticket) = (self.number(), self.ticket().clone());
        match self.task {
            Task::Comparison(task) => Message::Compared {
                number,
                comparison: Box::new(task.answer()),
            },
            Task::Evaluation(task) => Message::Evaluated {
                number,
                scenario: task.answer(),
            },
            Task::Forecast(task) => Message::ForecastReady {
                number,
                forecast: task.answer(&ticket).map(Box::new),
            },
            Task::Clock(task) => {
                let tell = &mut |passed| tell(Message::ClockProgress { number, passed });
                let scenario = task.answer(&ticket, tell);
                Message::ClockMoved { number, scenario }
            }
            Task::Page(task) => Message::Answered {
                number,
                page: task.answer(&ticket).map(Box::new),
            },
        }
    }
}

impl Job<ReloadTask> {
    /// Returns what to open.
    pub const fn request(&self) -> &Request {
        &self.task.request
    }

    /// Notes the states of the source's files now, before they are read, and returns whether these are the ones that
    /// were read last. Then the tree on the screen is the source's.
    pub fn is_unchanged(&mut self, file_states: Option<FileStates>) -> bool {
        self.task.look(file_states)
    }

    /// Returns the message that nothing changed up to a time of day.
    pub fn skip(self, read_at: String) -> Message {
        let number = self.number();
        Message::Unchanged { number, read_at }
    }

    /// Returns the message with what was loaded at a time of day.
    pub fn perform(self, loaded: Loaded, read_at: String) -> Message {
        let number = self.number();
        Message::Reloaded(Box::new(self.task.answer(number, loaded, read_at)))
    }
}

impl Job<ListTask> {
    /// Returns the directory that is listed; `None` for the sources that were opened last.
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
