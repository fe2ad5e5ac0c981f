//! Opening sources and doing jobs, as their threads do.

use crate::base::save::Fingerprint;
use crate::base::shown::Shown;
use crate::format::{LoadError, OnProgress, Request};
use crate::open::FileStates;
use crate::open::folder::{self, Folder, identify};
use crate::open::live;
use crate::open::opened::Opened;
use crate::rules::policy::{Comparison, Policy};
use crate::tui::job::{Now, Ticket};
use crate::tui::recent;
use crate::tui::state::{Answer, Job, Message, Task};
use std::path::Path;

impl Job {
    /// Does the task, and tells its progress and its answer. What was cancelled has an empty answer or none.
    pub fn perform(self, now: &dyn Fn() -> Now, tell: &mut dyn FnMut(Message)) {
        let ticket = self.ticket;
        let tell = &mut |answer| tell(Message::Answer(ticket.number, answer));
        match self.task {
            Task::Comparison(scenario, policies) => {
                let (tree, settings) = (scenario.tree(), scenario.settings());
                let comparison = Comparison::of(tree, settings, &policies);
                tell(Answer::Comparison(Box::new(comparison)));
            }
            Task::Evaluation(scenario) => {
                let _ = (scenario.before(), scenario.evaluation());
                tell(Answer::Evaluation(scenario));
            }
            Task::Forecast(task) => tell(Answer::Forecast(task.answer(&ticket).map(Box::new))),
            Task::Clock(task) => {
                let moved = task.answer(&ticket, &mut |at| tell(Answer::ClockProgress(at)));
                tell(Answer::Clock(moved));
            }
            Task::Page(task) => tell(Answer::Page(task.answer(&ticket).map(Box::new))),
            Task::Reload(task) => tell(Answer::Reload(task.answer(&ticket, now))),
            Task::Folder(path) => {
                let listed = folder::list(&path, &|| ticket.is_cancelled());
                list(&path, listed, &ticket, tell);
            }
            Task::Recent(file, open) => {
                list(Path::new(""), Ok(recent::list(&file, &open)), &ticket, tell);
            }
        }
    }
}

/// Tells the names in a directory, then what each entry is, until the job is cancelled.
fn list(
    base: &Path,
    listed: Result<Folder, LoadError>,
    ticket: &Ticket,
    tell: &mut dyn FnMut(Answer),
) {
    let listed = match listed {
        Err(LoadError::Cancelled) => return,
        listed => listed.map_err(|error| error.line()),
    };
    let entries = listed.iter().flat_map(|folder| &folder.entries);
    let paths: Vec<_> = entries.map(|entry| base.join(&entry.name)).collect();
    tell(Answer::List(listed));
    for (place, path) in paths.iter().enumerate() {
        if ticket.is_cancelled() {
            return;
        }
        tell(Answer::Entry(place, identify(path)));
    }
}

/// Opens a source under `policy`, if one is given, and returns the message with its tree.
pub(crate) fn opened(
    request: &Request,
    policy: Option<Policy>,
    now: Now,
    report: OnProgress<'_>,
) -> Result<Message, Shown> {
    // Both are taken before reading, so that a change during the reading is noticed.
    let seconds = now.unix_seconds;
    let file_states = seconds.and_then(|now| FileStates::of(request, now));
    let seen = Fingerprint::of(&request.path).ok();
    match live::load(request, report) {
        Ok(loaded) => {
            let mut opened = Opened::new(loaded, policy);
            opened.read_at = Some(now.time_of_day);
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
