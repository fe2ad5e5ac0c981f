//! What happens to the explorer, and the jobs on threads of their own.

#![expect(missing_docs, reason = "what has no word is what its name says")]

use super::{ClockTask, Confirm, Reload, ReloadTask};
use crate::base::fingerprint::Fingerprint;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::format::native::EditSummary;
use crate::format::{LoadError, OnProgress, Progress, Request};
use crate::open::folder::{self, Content, Folder, identify};
use crate::open::opened::Opened;
use crate::open::{FileStates, live};
use crate::report::lesson::Lesson;
use crate::rules::policy::{Comparison, Policy};
use crate::scenario::Scenario;
use crate::tui::input::event::{KeyEvent, MouseEvent};
use crate::tui::job::{Now, Ticket};
use crate::tui::page::PageTask;
use crate::tui::page::content::Page;
use crate::tui::recent::{self, Kept};
use crate::tui::time::forecast::{Forecast, ForecastTask};
use ratatui::layout::Position;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The longest text for the clipboard in bytes, as terminals accept it.
pub(crate) const LONGEST_COPY: usize = 74_000;

/// The time between two steps of a clock that plays.
pub(crate) const BEAT: Duration = Duration::from_millis(250);

/// Something that happened to the explorer.
#[derive(Debug)]
pub enum Message {
    Key(KeyEvent),
    Mouse(MouseEvent),
    /// Text was pasted; only asked for while a prompt is open.
    Paste(String),
    /// The terminal has a new size: draw everything again.
    Resize,
    /// The explorer was stopped and has the terminal again.
    Resume,
    /// The colours around the explorer changed: this theme fits them.
    Theme(&'static str),
    Open(Box<Request>),
    /// Nothing was named to be opened: the built-in example is to be shown.
    Example,
    Lesson(Arc<Lesson>),
    DoubleClick(Position),
    Progress(Progress),
    /// Loading is done, and the numbers are there.
    Loaded(Box<Opened>),
    /// Loading failed; a sentence says why and how to fix it.
    LoadFailed(Shown),
    LoadCancelled,
    /// Loading failed, as this sentence says, because one of these clusters is to be chosen.
    Clusters(Shown, Vec<Shown>),
    /// A file was written. It has this fingerprint, where the system tells one.
    Saved(PathBuf, Option<Fingerprint>),
    Exported(Vec<PathBuf>),
    /// A file was not written: it exists, or it is no longer the one that was read or saved.
    Ask(Confirm),
    /// The tree at this place has no unsaved edits, but its draft could not be removed, for a reason of the system.
    DraftLeft(usize, PathBuf, Shown),
    /// A file could not be written; a sentence says why and how to fix it.
    SaveFailed(Shown),
    /// The job of this number tells something.
    Answer(u64, Answer),
    Beat(u64),
    /// The time to read the source again has come.
    Tick,
    /// Unsaved edits of an earlier run were found in this file.
    DraftFound(FoundDraft),
    /// These words were kept for a source; none if nothing was.
    Recalled(Kept, PathBuf, Vec<Vec<u8>>),
    /// These lessons were finished in earlier runs.
    Finished(Vec<Vec<u8>>),
    /// That a lesson was finished cannot be kept; a sentence says why.
    FinishedUnkept(Shown),
}

/// Unsaved edits that an earlier run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDraft {
    /// The file that keeps them.
    pub path: PathBuf,
    /// Their source and how many there are; `None` if the file cannot be read.
    pub summary: Option<EditSummary>,
    /// The local time of the last one: `19:15`, with the date before it if that is not today.
    pub when: Shown,
}

impl FoundDraft {
    /// Returns what was left: `3 edits of sched_priv`.
    pub(crate) fn edits(&self) -> Shown {
        match &self.summary {
            Some(EditSummary { source, edits }) => {
                let edits = counted(*edits, "edit", "edits");
                sentence!("{edits} of {source}")
            }
            None => "edits".into(),
        }
    }

    /// Returns `was` for one edit, and `were` otherwise.
    pub(crate) fn were(&self) -> &'static str {
        match &self.summary {
            Some(EditSummary { edits: 1, .. }) => "was",
            _ => "were",
        }
    }

    /// Returns what was left and when: `3 edits of sched_priv from 19:15`.
    pub(crate) fn told(&self) -> Shown {
        sentence!("{} from {}", self.edits(), self.when)
    }
}

/// What a thread does with a copy of the state. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub enum Task {
    /// Ranks a tree under several policies, which takes about a second for a million users.
    Comparison(Box<Scenario>, Vec<Policy>),
    /// Computes the numbers of a changed scenario, which takes up to a second for a million nodes.
    Evaluation(Box<Scenario>),
    Forecast(ForecastTask),
    Clock(ClockTask),
    Page(PageTask),
    Reload(ReloadTask),
    Folder(PathBuf),
    /// Lists the sources that were opened last, which a file holds, but those that are open.
    Recent(PathBuf, Vec<PathBuf>),
}

/// What a job tells.
#[derive(Debug)]
pub enum Answer {
    Comparison(Box<Comparison>),
    Evaluation(Box<Scenario>),
    /// The lines, or `None` if the job was cancelled.
    Forecast(Option<Box<Forecast>>),
    /// How far the clock was moved, in seconds since the snapshot.
    ClockProgress(u64),
    /// The scenario at the other moment, `None` if the job was cancelled, or why the clock cannot get there.
    Clock(Result<Option<Box<Scenario>>, Shown>),
    /// The page, or a sentence that says why there is none.
    Page(Result<Box<Page>, Shown>),
    /// What was read, or a sentence that says why nothing was and how to fix it.
    Reload(Result<Reload, Shown>),
    /// What can be opened, or a sentence that says why nothing can.
    List(Result<Folder, Shown>),
    /// What the listed entry at a place is.
    Entry(usize, Content),
}

/// A task with the ticket by which it is known.
#[derive(Clone, Debug)]
pub struct Job {
    pub ticket: Ticket,
    pub task: Task,
}

impl PartialEq for Job {
    /// Numbers are given once, so the same number is the same job.
    fn eq(&self, other: &Self) -> bool {
        self.ticket.number == other.ticket.number
    }
}

impl Eq for Job {}

impl Job {
    /// Does the task, and tells its progress and its answer. What was cancelled has an empty answer or none.
    pub fn perform(self, now: &dyn Fn() -> Now, tell: &mut dyn FnMut(Message)) {
        let ticket = self.ticket;
        let tell = &mut |answer| tell(Message::Answer(ticket.number, answer));
        match self.task {
            Task::Comparison(scenario, policies) => {
                let comparison = Comparison::new(scenario.basis(), &policies);
                tell(Answer::Comparison(Box::new(comparison)));
            }
            Task::Evaluation(scenario) => {
                let _ = (scenario.before(), scenario.evaluation());
                tell(Answer::Evaluation(scenario));
            }
            Task::Forecast(task) => {
                let forecast = task.answer(&ticket);
                tell(Answer::Forecast(forecast.map(Box::new)));
            }
            Task::Clock(task) => {
                let moved = task.answer(&ticket, &mut |at| tell(Answer::ClockProgress(at)));
                tell(Answer::Clock(moved));
            }
            Task::Page(task) => {
                let page = task.answer(&ticket);
                tell(Answer::Page(page.map(Box::new)));
            }
            Task::Reload(task) => {
                let reload = task.answer(&ticket, now);
                tell(Answer::Reload(reload));
            }
            Task::Folder(path) => {
                let listed = folder::list(&path, &|| ticket.is_cancelled());
                list(&path, listed, &ticket, tell);
            }
            Task::Recent(file, open) => {
                let listed = Ok(recent::list(&file, &open));
                list(Path::new(""), listed, &ticket, tell);
            }
        }
    }
}

/// What was listed, or why nothing can be.
type Listed = Result<Folder, LoadError>;

/// Tells the names in a directory, then what each entry is, until the job is cancelled.
fn list(base: &Path, listed: Listed, ticket: &Ticket, tell: &mut dyn FnMut(Answer)) {
    let folder = match listed {
        Ok(folder) => folder,
        Err(LoadError::Cancelled) => return,
        Err(error) => return tell(Answer::List(Err(error.line()))),
    };
    let mut paths = Vec::new();
    for entry in &folder.entries {
        paths.push(base.join(&entry.name));
    }
    tell(Answer::List(Ok(folder)));
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
    let mut file_states = None;
    if let Some(seconds) = now.unix_seconds {
        file_states = FileStates::at(request, seconds);
    }
    let seen = Fingerprint::of(request.path()).ok();
    let loaded = match live::load(request, report) {
        Ok(loaded) => loaded,
        Err(error) => return not_opened(error),
    };
    let mut opened = Opened::new(loaded, policy);
    opened.source.read_at = Some(now.time_of_day);
    // A scenario reads other files again than its own.
    let reads_same = opened.source.reference.request == *request;
    opened.source.file_states = file_states.filter(|_| reads_same);
    let is_scenario = opened.scenario_path.is_some();
    opened.scenario_seen = seen.filter(|_| is_scenario);
    // The numbers are computed here too, so that the screen need not wait.
    opened.compute_numbers();
    Ok(Message::Loaded(Box::new(opened)))
}

/// Returns the message of a source that was not opened. Fails if its path does not exist.
fn not_opened(error: LoadError) -> Result<Message, Shown> {
    let reason = error.line();
    match error {
        LoadError::Missing(_) => Err(Shown::error(&error)),
        LoadError::Cancelled => Ok(Message::LoadCancelled),
        LoadError::Clusters { names, .. } => Ok(Message::Clusters(reason, names)),
        _ => Ok(Message::LoadFailed(reason)),
    }
}
