//! The list above the prompt for a source: what can be opened from where the line leads, and what was opened last.

use crate::base::shown::{Shown, read_back};
use crate::format::Example;
use crate::open::folder::{Content, Entry, Folder};
use crate::tui::job::Ticket;
use memchr::memmem;
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Heading(&'static str),
    /// A source that was opened before, by its place among them.
    Recent(usize),
    /// The directory that is listed, as a source.
    Itself,
    Parent,
    /// An entry of the directory, by its place in it.
    Entry(usize),
    Example(Example),
}

#[derive(Debug)]
pub(crate) struct Picker {
    /// The line that the rows continue.
    pub(crate) line: String,
    /// The directory that the line leads into.
    pub(crate) path: PathBuf,
    pub(crate) here: Catalog,
    /// The sources that were opened last, if a file keeps them.
    pub(crate) recent: Option<Catalog>,
    /// The row that a key or the mouse chose.
    pub(crate) chosen: Option<Target>,
}

const EXAMPLE: &str = "example:";

/// Splits a line behind its last slash: the directory, and the beginning of a name in it.
pub(crate) fn split(line: &str) -> (&str, &str) {
    line.rfind('/')
        .map_or(("", line), |slash| line.split_at(slash + 1))
}

impl Picker {
    /// Returns the list that a job reads, if its answer is still awaited.
    pub(crate) fn catalog_mut(&mut self, number: u64) -> Option<&mut Catalog> {
        let mut catalogs = std::iter::once(&mut self.here).chain(&mut self.recent);
        catalogs.find(|catalog| catalog.ticket.number == number)
    }

    pub(crate) fn is_of_examples(&self) -> bool {
        self.line.starts_with(EXAMPLE)
    }

    pub(crate) fn entry(&self, target: Target) -> Option<&Entry> {
        match target {
            Target::Recent(place) => self.recent.as_ref()?.entries().get(place),
            Target::Entry(place) => self.here.entries().get(place),
            _ => None,
        }
    }

    /// Returns what a row stands for, as far as somebody has looked.
    pub(crate) fn content(&self, target: Target) -> Option<Content> {
        match target {
            Target::Itself => self.here.folder().map(|folder| folder.content),
            Target::Parent => Some(Content::Directory),
            Target::Recent(_) | Target::Entry(_) => self.entry(target)?.content,
            Target::Heading(_) | Target::Example(_) => None,
        }
    }

    pub(crate) fn is_directory(&self, target: Target) -> bool {
        match target {
            Target::Parent | Target::Itself => true,
            target => self.entry(target).is_some_and(Entry::is_directory),
        }
    }

    /// Returns the rows that the line leaves: those that begin with the typed name before those that only hold it, each
    /// with the directories first.
    pub(crate) fn rows(&self) -> Vec<Target> {
        if let Some(typed) = self.line.strip_prefix(EXAMPLE) {
            let examples = Example::ALL.iter().copied();
            let passing = examples.filter(|example| example.name().starts_with(typed));
            return passing.map(Target::Example).collect();
        }
        let mut rows = Vec::new();
        let (folder, typed) = split(&self.line);
        let recent = self.recent.as_ref().map_or(&[][..], Catalog::entries);
        if self.line.is_empty() && !recent.is_empty() {
            rows.push(Target::Heading("opened before"));
            rows.extend((0..recent.len()).map(Target::Recent));
            rows.push(Target::Heading("in this directory"));
        }
        let is_source = self.content(Target::Itself).is_some_and(Content::is_source);
        if typed == "." || (typed.is_empty() && is_source) {
            rows.push(Target::Itself);
        }
        if matches!(typed, "" | "." | "..") && folder != "/" {
            rows.push(Target::Parent);
        }
        let typed = self.typed();
        let entries = self.here.entries().iter().enumerate();
        let fitting = entries.filter_map(|(place, entry)| {
            let fit = fit(&typed, entry)?;
            Some((fit, !entry.is_directory(), place))
        });
        let mut fitting: Vec<_> = fitting.collect();
        fitting.sort_unstable();
        rows.extend(fitting.iter().map(|&(_, _, place)| Target::Entry(place)));
        rows
    }

    /// Returns the row under the cursor: the chosen one, or else the first that begins with what was typed.
    pub(crate) fn cursor(&self, rows: &[Target]) -> Option<usize> {
        let chosen = |row: &Target| Some(*row) == self.chosen;
        if let Some(place) = rows.iter().position(chosen) {
            return Some(place);
        }
        let typed = self.typed();
        let is_first = |row: &Target| match row {
            Target::Heading(_) | Target::Parent => false,
            Target::Recent(_) | Target::Itself | Target::Example(_) => true,
            Target::Entry(place) => {
                let fit = fit(&typed, &self.here.entries()[*place]);
                fit.is_some_and(|fit| fit <= Fit::Beginning)
            }
        };
        let first = rows.iter().position(is_first);
        // Where nothing else is listed, the way is up.
        let is_parent = |row: &Target| *row == Target::Parent && self.here.listed.is_some();
        first.or_else(|| rows.iter().position(is_parent))
    }

    /// Returns the beginning of a name that was typed, in small letters.
    fn typed(&self) -> Vec<u8> {
        read_back(split(&self.line).1.as_bytes()).to_ascii_lowercase()
    }

    /// Returns the names that begin with what was typed.
    pub(crate) fn candidates(&self) -> Vec<&[u8]> {
        let typed = self.typed();
        let begins = |entry: &&Entry| fit(&typed, entry).is_some_and(|fit| fit <= Fit::Beginning);
        let entries = self.here.entries().iter().filter(begins);
        entries.map(|entry| entry.name.as_encoded_bytes()).collect()
    }
}

/// How well a name fits what was typed, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Beginning,
    Part,
}

/// Returns how well a name fits small letters, whatever its case. Hidden names must be asked for by their dot.
fn fit(typed: &[u8], entry: &Entry) -> Option<Fit> {
    let name = entry.name.as_encoded_bytes().to_ascii_lowercase();
    if name.starts_with(b".") && !typed.starts_with(b".") {
        None
    } else if name == typed {
        Some(Fit::Whole)
    } else if name.starts_with(typed) {
        Some(Fit::Beginning)
    } else if matches!(typed, b"." | b"..") {
        // These are directories, and nearly every name holds a dot.
        None
    } else {
        memmem::find(&name, typed).map(|_| Fit::Part)
    }
}

/// Returns the length of the beginning that two names share, without a part of a character at its end.
pub(crate) fn shared_beginning(one: &[u8], other: &[u8]) -> usize {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let continues = |at: usize| one.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (0..=same).rfind(|&at| !continues(at)).unwrap_or(0)
}
