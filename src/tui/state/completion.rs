//! The rows of the list above the prompt for a source. Each completes the line: what was opened last, the directory that
//! the line leads into, the one above it, and what it holds of that name.

use super::picker::{EXAMPLE, shared_beginning, split};
use super::{Picker, Ui};
use crate::base::disk;
use crate::base::shown::{Shown, read_back, sentence, shown};
use crate::format::{Example, is_example};
use crate::open::folder::{Content, Entry};
use memchr::memmem;
use std::path::{Path, PathBuf};

/// A row of the list.
#[derive(Clone, Debug)]
pub(crate) struct Completion {
    pub(crate) kind: CompletionKind,
    /// The line that it completes to, by which it is known.
    pub(crate) line: String,
    /// Its name, without the slash behind a directory.
    pub(crate) name: Shown,
    /// What it is, as far as somebody has looked.
    pub(crate) content: Option<Content>,
    pub(crate) is_directory: bool,
    /// Whether enter opens it, although it may be a directory.
    pub(crate) is_source: bool,
    /// Whether the line means it, so that the cursor is on the first such row until another one is chosen.
    is_meant: bool,
}

/// What a row of the list is, apart from what stands at its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionKind {
    Heading,
    /// A source that was opened before.
    Recent,
    /// The directory that is listed, as a source.
    Itself,
    Parent,
    Entry,
    Example(Example),
}

impl Completion {
    /// Returns whether it is a heading, which is passed over.
    pub(crate) fn is_heading(&self) -> bool {
        self.kind == CompletionKind::Heading
    }

    /// Returns a row of which nothing is known but its name.
    fn new(kind: CompletionKind, line: String, name: impl Into<Shown>) -> Self {
        Self {
            kind,
            line,
            name: name.into(),
            content: None,
            is_directory: false,
            is_source: false,
            is_meant: false,
        }
    }
}

impl Picker {
    /// Returns the rows that complete the line: what begins with the typed name before what only holds it, each with the
    /// directories first.
    pub(crate) fn rows(&self, ui: &Ui) -> Vec<Completion> {
        let mut rows = Vec::new();
        if let Some(typed) = self.line.strip_prefix(EXAMPLE) {
            for &example in Example::ALL {
                if example.name().starts_with(typed) {
                    let line = example.source();
                    let name = sentence!("{line}");
                    rows.push(Completion {
                        is_meant: true,
                        ..Completion::new(CompletionKind::Example(example), line, name)
                    });
                }
            }
            return rows;
        }
        self.add_recent(ui, &mut rows);
        self.add_directories(ui, &mut rows);
        let (folder, _) = split(&self.line);
        for fitting in self.fitting() {
            let line = joined(ui, folder, fitting.entry.name.as_encoded_bytes());
            let name = shown(fitting.entry.name.as_encoded_bytes());
            rows.push(Completion {
                is_meant: fitting.fit <= Fit::Beginning,
                ..self.of_entry(CompletionKind::Entry, fitting.entry, line, name)
            });
        }
        // Where nothing else is listed, the way is up.
        if self.here.listed.is_some() && !rows.iter().any(|row| row.is_meant) {
            for row in &mut rows {
                row.is_meant = row.kind == CompletionKind::Parent;
            }
        }
        rows
    }

    /// Adds the sources that were opened before, as long as nothing is typed.
    fn add_recent(&self, ui: &Ui, rows: &mut Vec<Completion>) {
        let Some(recent) = self.recent.as_ref().filter(|_| self.line.is_empty()) else {
            return;
        };
        if recent.entries().is_empty() {
            return;
        }
        rows.push(Completion::new(
            CompletionKind::Heading,
            String::new(),
            "opened before",
        ));
        for entry in recent.entries() {
            let line = ui.line(Path::new(&entry.name));
            let name = sentence!("{line}");
            rows.push(self.of_entry(CompletionKind::Recent, entry, line, name));
        }
        rows.push(Completion::new(
            CompletionKind::Heading,
            String::new(),
            "in this directory",
        ));
    }

    /// Adds the directory itself and the one above it, where the line may mean them.
    fn add_directories(&self, ui: &Ui, rows: &mut Vec<Completion>) {
        let (folder, typed) = split(&self.line);
        let content = self.here.folder().map(|folder| folder.content);
        let is_source = content.is_some_and(Content::is_source);
        if typed == "." || (typed.is_empty() && is_source) {
            rows.push(Completion {
                content,
                is_directory: true,
                is_source: true,
                is_meant: true,
                ..Completion::new(CompletionKind::Itself, itself(folder), ".")
            });
        }
        if matches!(typed, "" | "." | "..") && folder != "/" {
            rows.push(Completion {
                content: Some(Content::Directory),
                is_directory: true,
                ..Completion::new(CompletionKind::Parent, parent_of(ui, folder), "..")
            });
        }
    }

    /// Returns the row of an entry that was listed.
    fn of_entry(
        &self,
        kind: CompletionKind,
        entry: &Entry,
        line: String,
        name: Shown,
    ) -> Completion {
        // What was typed to its end is opened before somebody has looked at it, too: the same keys must not lead elsewhere
        // where the disk is slow.
        let is_source = match entry.content {
            Some(content) => content.is_source(),
            None => line == self.line,
        };
        Completion {
            kind,
            line,
            name,
            content: entry.content,
            is_directory: entry.is_directory(),
            is_source,
            is_meant: kind == CompletionKind::Recent,
        }
    }

    /// Returns the entries that fit what was typed, the best first.
    fn fitting(&self) -> Vec<FittingEntry<'_>> {
        let typed = self.typed();
        let mut fitting = Vec::new();
        for entry in self.here.entries() {
            if let Some(fit) = fit(&typed, entry) {
                fitting.push(FittingEntry { fit, entry });
            }
        }
        fitting.sort_by_key(|fitting| (fitting.fit, !fitting.entry.is_directory()));
        fitting
    }

    /// Returns the row under the cursor: the chosen one, or else the first that the line means.
    pub(crate) fn cursor(&self, rows: &[Completion]) -> Option<usize> {
        if let Some(chosen) = &self.chosen {
            for (place, row) in rows.iter().enumerate() {
                if row.line == *chosen && !row.is_heading() {
                    return Some(place);
                }
            }
        }
        rows.iter().position(|row| row.is_meant)
    }

    /// Returns the beginning of a name that was typed, in small letters.
    fn typed(&self) -> Vec<u8> {
        read_back(split(&self.line).1.as_bytes()).to_ascii_lowercase()
    }

    /// Returns the line up to the point where the possible names differ. `None` if that is no more than was typed, or if
    /// there is a single name: that is completed as its row, with a slash behind a directory.
    pub(crate) fn common_line(&self, ui: &Ui) -> Option<String> {
        let (folder, typed) = split(&self.line);
        if self.is_of_examples() || typed.is_empty() {
            return None;
        }
        let mut names = Vec::new();
        for FittingEntry { fit, entry } in self.fitting() {
            if fit <= Fit::Beginning {
                names.push(entry.name.as_encoded_bytes());
            }
        }
        let (first, others) = names.split_first()?;
        if others.is_empty() {
            return None;
        }
        let mut common = *first;
        for name in others {
            common = &common[..shared_beginning(common, name)];
        }
        let line = joined(ui, folder, common);
        if line.len() <= self.line.len() {
            return None;
        }
        Some(line)
    }
}

/// An entry of the directory that fits what was typed.
struct FittingEntry<'a> {
    fit: Fit,
    entry: &'a Entry,
}

/// Returns the line of the directory that is listed.
fn itself(folder: &str) -> String {
    match folder.trim_end_matches('/') {
        "" if folder.is_empty() => ".".to_owned(),
        "" | "~" => folder.to_owned(),
        path => path.to_owned(),
    }
}

/// Returns the line of an entry. A name that means something else where it stands alone begins with `./`.
fn joined(ui: &Ui, folder: &str, name: &[u8]) -> String {
    let path = PathBuf::from(disk::name_of(name.to_vec()));
    let has_other_meaning = path.as_os_str() == "-" || is_example(&path);
    let is_ambiguous = folder.is_empty() && has_other_meaning;
    let start = if is_ambiguous { "./" } else { folder };
    let name = ui.typeable(shown(name).into());
    format!("{start}{name}")
}

/// Returns the line of the directory above one.
fn parent_of(ui: &Ui, folder: &str) -> String {
    let path = folder.trim_end_matches('/');
    let (above, last) = split(path);
    match last {
        "~" if above.is_empty() => {
            let above = ui.options.home.as_deref().and_then(Path::parent);
            ui.line(above.unwrap_or_else(|| Path::new("/")))
        }
        "" | "." => format!("{above}../"),
        ".." => format!("{path}/../"),
        _ => above.to_owned(),
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
