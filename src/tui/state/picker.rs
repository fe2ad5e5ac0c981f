//! The list above the prompt for a source: what is read of the directory that the line leads into, and of what was opened
//! last.

use crate::base::shown::Shown;
use crate::open::folder::{Content, Entry, Folder};
use crate::tui::job::Ticket;
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) ticket: Ticket,
    /// What was listed, or why nothing can be; `None` as long as the thread reads.
    pub(crate) listed: Option<Result<Folder, Shown>>,
}

impl Catalog {
    pub(crate) const fn new(ticket: Ticket) -> Self {
        Self {
            ticket,
            listed: None,
        }
    }

    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.listed.as_ref()?.as_ref().ok()
    }

    /// Returns the entries, none as long as the thread reads.
    pub(crate) fn entries(&self) -> &[Entry] {
        self.folder().map_or(&[], |folder| &folder.entries)
    }

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
        let recent = self.recent.as_mut()?;
        (recent.ticket.number == number).then_some(recent)
    }

    pub(crate) fn is_of_examples(&self) -> bool {
        self.line.starts_with(EXAMPLE)
    }
}

/// Returns the length of the beginning that two names share, without a part of a character at its end.
pub(crate) fn shared_beginning(one: &[u8], other: &[u8]) -> usize {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let continues = |at: usize| one.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (0..=same).rfind(|&at| !continues(at)).unwrap_or(0)
}
