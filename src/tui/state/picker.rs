//! The list above the prompt for a source: the files of the directory that is typed, and the sources that were opened last.

use crate::base::shown::Shown;
use crate::open::folder::{Content, Entry, Folder};
use crate::tui::job::Ticket;
use std::path::PathBuf;

/// A list that a thread reads, as far as it has come.
#[derive(Debug)]
pub(crate) struct Catalog {
    ticket: Ticket,
    /// What was listed, or why nothing can be; `None` as long as the thread reads.
    pub(crate) listed: Option<Result<Folder, Shown>>,
}

impl Catalog {
    /// Returns the list of a job that has told nothing yet.
    pub(crate) const fn new(ticket: Ticket) -> Self {
        Self {
            ticket,
            listed: None,
        }
    }

    /// Returns what was listed; `None` as long as the thread reads, or if nothing can be listed.
    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.listed.as_ref()?.as_ref().ok()
    }

    /// Returns the entries, none as long as the thread reads.
    pub(crate) fn entries(&self) -> &[Entry] {
        self.folder().map_or(&[], |folder| &folder.entries)
    }

    /// Notes what the entry at a place is.
    pub(crate) fn note(&mut self, place: usize, content: Content) {
        if let Some(Ok(folder)) = &mut self.listed
            && let Some(entry) = folder.entries.get_mut(place)
        {
            entry.content = Some(content);
        }
    }
}

impl Drop for Catalog {
    fn drop(&mut self) {
        // Nothing waits for a list that is not on the screen.
        self.ticket.cancel();
    }
}

/// The state of the list above a prompt for a source.
#[derive(Debug)]
pub(crate) struct Picker {
    /// The line that the rows complete.
    pub(crate) line: String,
    /// The directory that the line leads into.
    pub(crate) path: PathBuf,
    pub(crate) here: Catalog,
    /// The sources that were opened last, if a file keeps them.
    pub(crate) recent: Option<Catalog>,
    /// The line of the row that a key or the mouse chose.
    pub(crate) chosen: Option<String>,
}

/// What the line of a built-in tree begins with.
pub(crate) const EXAMPLE: &str = "example:";

/// Splits a line behind its last slash: the directory, and the beginning of a name in it.
pub(crate) fn split(line: &str) -> (&str, &str) {
    match line.rfind('/') {
        Some(slash) => line.split_at(slash + 1),
        None => ("", line),
    }
}

impl Picker {
    /// Returns the list that a job reads, if its answer is still awaited.
    pub(crate) fn catalog_mut(&mut self, number: u64) -> Option<&mut Catalog> {
        if self.here.ticket.number == number {
            return Some(&mut self.here);
        }
        match &mut self.recent {
            Some(recent) if recent.ticket.number == number => Some(recent),
            _ => None,
        }
    }

    /// Returns whether the line names a built-in tree.
    pub(crate) fn is_of_examples(&self) -> bool {
        self.line.starts_with(EXAMPLE)
    }
}

/// Returns the length of the beginning that two names share, without a part of a character at its end.
pub(crate) fn shared_beginning(one: &[u8], other: &[u8]) -> usize {
    let mut same = 0;
    while same < one.len() && one.get(same) == other.get(same) {
        same += 1;
    }
    // The bytes of a character behind its first one begin with these bits.
    while same > 0
        && let Some(byte) = one.get(same)
        && byte & 0xC0 == 0x80
    {
        same -= 1;
    }
    same
}
