//! What the explorer wants done outside its state, by who does it.

#![expect(missing_docs, reason = "what has no word is what its name says")]

use super::Job;
use crate::base::fingerprint::Fingerprint;
use crate::format::Request;
use crate::tui::picture::PictureForm;
use crate::tui::recent::Kept;
use std::path::PathBuf;

/// Something to be done outside the explorer's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// On a thread, which answers with a message.
    Work(Work),
    /// In the folder of what is kept from run to run.
    Memory(Memory),
    /// On the terminal itself.
    Terminal(TerminalEffect),
    /// Write the screen as it is now to a new file, which is none of the sources.
    SaveScreen(PathBuf, PictureForm, Vec<Request>),
    Quit,
}

/// Work that may take time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    Load(Request),
    CancelLoad,
    /// Wait so many seconds, then send [`Message::Tick`](crate::tui::Message::Tick).
    Wait(u32),
    /// Wait for the beat of this number, which takes a quarter of a second, then send
    /// [`Message::Beat`](crate::tui::Message::Beat).
    Beat(u64),
    /// Write a file, whole or not at all, but never to the files of these sources.
    Save {
        path: PathBuf,
        contents: String,
        overwrite: Overwrite,
        sources: Vec<Request>,
    },
    /// Write new files, each whole or not at all, but never to the files of these sources.
    Export(Vec<(PathBuf, Vec<u8>)>, Vec<Request>),
    Run(Box<Job>),
}

/// Which file a file to be written may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// None: there must be no such file.
    Never,
    /// The file as it was read or saved before, if it was not changed since.
    IfUnchanged(Fingerprint),
    /// Any file.
    Always,
}

/// What is noted or looked up in the folder of what is kept from run to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Remove a draft that the user discards, or whose edits are open here, after they were written to a new one.
    RemoveDraft(PathBuf),
    /// Note a source among those that were opened last.
    Remember(PathBuf),
    /// Keep words for a source; none forgets those that were kept.
    KeepWords(Kept, PathBuf, Vec<String>),
    /// Send [`Message::Recalled`](crate::tui::Message::Recalled) for each kind of words that may be kept for a source.
    Recall(PathBuf),
    /// Note that a built-in lesson was finished.
    Finish(&'static str),
    /// Send [`Message::Finished`](crate::tui::Message::Finished).
    RecallFinished,
}

/// What is done on the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalEffect {
    /// Put text on the clipboard.
    Copy(String),
    /// Let the terminal mark pasted text: only in prompts, for an unterminated paste swallows all keys that follow.
    Pasting(bool),
    /// Draw the whole screen again: something else wrote on it.
    Redraw,
    /// Stop, as `^Z` does, and come back with `fg`.
    Suspend,
}

impl From<Work> for Effect {
    fn from(work: Work) -> Self {
        Self::Work(work)
    }
}

impl From<Memory> for Effect {
    fn from(memory: Memory) -> Self {
        Self::Memory(memory)
    }
}

impl From<TerminalEffect> for Effect {
    fn from(effect: TerminalEffect) -> Self {
        Self::Terminal(effect)
    }
}
