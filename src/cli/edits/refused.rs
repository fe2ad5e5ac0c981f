//! The lines of a file of edits that could not be applied, reported together.

use crate::cli::output::{MOST_LISTED, listed};
use color_eyre::eyre::{self, bail};

/// The refused lines so far.
pub(super) struct Refusals<'a> {
    file: &'a str,
    /// The plural noun for the lines of the file.
    many: &'static str,
    count: usize,
    sentences: Vec<String>,
}

impl<'a> Refusals<'a> {
    pub(super) fn new(file: &'a str, many: &'static str) -> Self {
        Self {
            file,
            many,
            count: 0,
            sentences: Vec::new(),
        }
    }

    /// Returns the number of refused lines so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds a refusal; `sentence` is only called if it will be shown.
    pub(super) fn push(&mut self, line: Option<u64>, sentence: impl FnOnce() -> String) {
        self.count += 1;
        if self.sentences.len() < MOST_LISTED {
            let place = place(self.file, line);
            self.sentences.push(format!("{place}{}", sentence()));
        }
    }

    /// Fails if anything was refused, with one sentence or a list of all. `note` adds a remark about the whole file.
    pub(super) fn end(self, of: usize, note: Option<&str>) -> eyre::Result<()> {
        let Self {
            file, many, count, ..
        } = self;
        let note = note.map_or_else(String::new, |note| format!("{note}; "));
        match &self.sentences[..] {
            [] => Ok(()),
            [sentence] => {
                bail!("{sentence}; nothing was applied; {note}correct or remove the line")
            }
            sentences => {
                let of = of.max(count);
                bail!(
                    "{count} of {of} {many} of {file} cannot be applied, so none was; {note}correct or remove the \
                     lines:\n  {}",
                    listed(sentences, count)
                )
            }
        }
    }
}

/// Returns the place of an error as far as it is known, as in `plan.csv:3: `.
pub(super) fn place(file: &str, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{file}:{line}: "),
        None => format!("{file}: "),
    }
}
