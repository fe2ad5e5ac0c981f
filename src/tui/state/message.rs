//! What happens to the explorer, and what it wants done: both are data, so both can be logged and tested.

use crate::base::save::Fingerprint;
use crate::rules::policy::Comparison;
use crate::scenario::Scenario;
use crate::source::format::{Progress, Request};
use crate::source::opened::Opened;
use crate::tui::job::Job;
use crate::tui::page::content::Page;
use crate::tui::page::task::PageTask;
use crate::tui::state::comparison::ComparisonTask;
use crate::tui::state::pending::EvaluationTask;
use crate::tui::state::reading::{Reading, ReloadTask};
use crate::tui::time::clock::ClockTask;
use crate::tui::time::forecast::{Forecast, ForecastTask};
use crossterm::event::{KeyEvent, MouseEvent};
use std::path::PathBuf;

/// The most that goes to the clipboard, in bytes: what terminals accept.
pub(crate) const LONGEST_COPY: usize = 74_000;

/// Something that happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted; only asked for while a prompt is open.
    Paste(String),
    /// The terminal has a new size, or was just resumed: draw everything again.
    Resize,
    /// A source is to be opened.
    Open(Box<Request>),
    /// Nothing was named to be opened: the built-in example is to be shown.
    Example,
    /// Loading has come this far.
    Progress(Progress),
    /// Loading is done, and the numbers are there.
    Loaded(Box<Opened>),
    /// Loading failed, with a sentence that says why and how to mend it.
    LoadFailed(String),
    /// Loading was cancelled and has stopped.
    LoadCancelled,
    /// A file was written.
    Saved {
        /// Where.
        path: PathBuf,
        /// The file as it is now; nothing where the system does not tell.
        seen: Option<Fingerprint>,
    },
    /// A file is already there and nobody said that it may be replaced.
    FileExists {
        /// Where.
        path: PathBuf,
        /// What was to be written.
        contents: String,
    },
    /// Files that are no scenarios were written.
    Exported(Vec<PathBuf>),
    /// A file is no longer the one that was read or saved.
    FileChanged {
        /// Where.
        path: PathBuf,
        /// What was to be written.
        contents: String,
    },
    /// A file could not be written, with a sentence that says why and how to mend it.
    SaveFailed(String),
    /// A tree was compared under several policies.
    Compared {
        /// The number of the [`ComparisonTask`] this answers.
        number: u64,
        /// The ranks.
        comparison: Box<Comparison>,
    },
    /// The numbers of a changed scenario were worked out.
    Evaluated {
        /// The number of the [`EvaluationTask`] this answers.
        number: u64,
        /// The scenario, with its numbers.
        scenario: Box<Scenario>,
    },
    /// The lines of the Time screen were worked out.
    Followed {
        /// The number of the [`ForecastTask`] this answers.
        number: u64,
        /// The lines; nothing where nobody waited for them any more.
        forecast: Option<Box<Forecast>>,
    },
    /// The clock was moved.
    Moved {
        /// The number of the [`ClockTask`] this answers.
        number: u64,
        /// The scenario at that moment, with its numbers, or a sentence why it does not come to it; nothing where
        /// nobody waited for it any more.
        scenario: Result<Option<Box<Scenario>>, String>,
    },
    /// A clock that is being moved has come this far.
    MovedOn {
        /// The number of the [`ClockTask`].
        number: u64,
        /// Seconds since the snapshot.
        passed: u64,
    },
    /// The beat of this number is over.
    Beat(u64),
    /// A page was worked out.
    Answered {
        /// The number of the [`PageTask`] this answers.
        number: u64,
        /// What it says, or a sentence why there is nothing to say.
        page: Result<Box<Page>, String>,
    },
    /// A source was read again.
    Reloaded(Box<Reading>),
    /// A source could not be read again, with a sentence that says why and how to mend it.
    ReloadFailed {
        /// The number of the [`ReloadTask`] this answers.
        number: u64,
        /// Why.
        reason: String,
    },
    /// The time that was to be waited for is over.
    Tick,
    /// Unsaved edits of an earlier run were found in this file.
    DraftFound(PathBuf),
    /// The process was asked to end.
    Terminate,
}

/// What a file to be written may take the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Nothing: there must be no such file.
    Never,
    /// The file as it was read or saved before, if nobody changed it since.
    IfUnchanged(Fingerprint),
    /// Whatever is there.
    Always,
}

/// Something the explorer wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Load a source on the loading thread.
    Load(Request),
    /// Stop loading.
    CancelLoad,
    /// Read a source again on a thread of its own.
    Reload(Box<Job<ReloadTask>>),
    /// Stop reading again.
    CancelReload,
    /// Wait so many seconds, asleep, and say so.
    Wait(u32),
    /// Write a file, whole or not at all.
    Save {
        /// Where.
        path: PathBuf,
        /// What.
        contents: String,
        /// What it may take the place of.
        overwrite: Overwrite,
        /// The sources, none of whose files is ever written to.
        sources: Vec<Request>,
    },
    /// Remove a draft whose edits are open here, once they are kept again.
    RemoveDraft(PathBuf),
    /// Write new files, each whole or not at all.
    Export {
        /// Where, and what.
        files: Vec<(PathBuf, Vec<u8>)>,
        /// The sources, none of whose files is ever written to.
        sources: Vec<Request>,
    },
    /// Compare policies on a thread of its own.
    Compare(Box<Job<ComparisonTask>>),
    /// Work out the numbers of a scenario on a thread of its own.
    Evaluate(Job<EvaluationTask>),
    /// Work out the lines of the Time screen on a thread of its own.
    Follow(Box<Job<ForecastTask>>),
    /// Move the clock on a thread of its own.
    Move(Box<Job<ClockTask>>),
    /// Wait for a beat, asleep, and say so.
    Beat {
        /// What it is told by.
        number: u64,
        /// How long it is.
        milliseconds: u32,
    },
    /// Work out a page on a thread of its own.
    Ask(Box<Job<PageTask>>),
    /// Put text on the clipboard, through the terminal.
    Copy(String),
    /// Ask the terminal to mark pasted text, or to stop doing so. Only inside prompts: an unterminated
    /// paste would otherwise swallow every key that follows.
    Pasting(bool),
    /// Draw the screen from nothing: something else wrote on it.
    Redraw,
    /// Stop, as `^Z` does, and come back with `fg`.
    Suspend,
    /// End the program.
    Quit,
}
