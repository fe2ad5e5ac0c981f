//! A long file, read in windows: what is parsed is dropped, so that the file is never in memory as a whole.

use super::{
    Input, LARGEST, LONGEST_LINE, LoadError, Meter, OnProgress, head, inspect, is_clean, long_line,
    name, not_opened, open, seconds,
};
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

/// How many bytes of one item are kept before the file is given up.
const MOST: usize = 64 << 20;

/// A file, and the part of it that is in memory.
pub(in crate::source::format) struct Windows<'a> {
    file: File,
    path: &'a Path,
    before: Metadata,
    /// How many bytes are read at a time, unless one item is longer.
    step: usize,
    bytes: Vec<u8>,
    /// How many of these bytes are parsed.
    parsed: usize,
    /// How many bytes of the file are no longer in memory.
    dropped: u64,
    meter: Meter<'a>,
}

impl<'a> Windows<'a> {
    /// Opens a file of at least so many bytes, or returns `None` for a shorter one, and one that is too large.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(in crate::source::format) fn open(
        path: &'a Path,
        least: u64,
        step: usize,
        report: OnProgress<'a>,
    ) -> Result<Option<Self>, LoadError> {
        let file = open(path)?;
        let before = inspect(&file, path)?;
        if before.len() < least || before.len() > LARGEST {
            return Ok(None);
        }
        Ok(Some(Self {
            meter: Meter::new(name(path), Some(before.len()), report),
            file,
            path,
            before,
            step,
            bytes: Vec::new(),
            parsed: 0,
            dropped: 0,
        }))
    }

    /// Returns the length of the file when it was opened.
    pub(in crate::source::format) fn length(&self) -> u64 {
        self.before.len()
    }

    /// Returns when the file was last changed, in Unix seconds, if known.
    pub(in crate::source::format) fn modified(&self) -> Option<i64> {
        seconds(&self.before)
    }

    /// Returns the beginning of the file, once it was read.
    pub(in crate::source::format) fn start(&self) -> Input {
        Input {
            path: self.path.to_owned(),
            bytes: head(self.rest()).to_vec(),
            modified: self.modified(),
        }
    }

    /// Returns what is in memory and not parsed.
    pub(in crate::source::format) fn rest(&self) -> &[u8] {
        &self.bytes[self.parsed..]
    }

    /// Reads further and returns the length of the complete lines, and whether more may follow. Returns `None` if one of
    /// them is too long for a line, or has what copying adds.
    ///
    /// # Errors
    /// If the file cannot be read, or the user cancelled.
    pub(in crate::source::format) fn lines(
        &mut self,
        nodes: usize,
    ) -> Result<Option<(usize, bool)>, LoadError> {
        let has_more = self.fill(nodes)?;
        let rest = self.rest();
        let end = match memchr::memrchr(b'\n', rest) {
            Some(end) if has_more => end + 1,
            None if has_more => 0,
            _ => rest.len(),
        };
        let (lines, cut) = rest.split_at(end);
        let is_usual = long_line(lines).is_none() && cut.len() <= LONGEST_LINE && is_clean(lines);
        Ok(is_usual.then_some((end, has_more)))
    }

    /// Drops so many bytes of the rest.
    pub(in crate::source::format) fn drop_parsed(&mut self, count: usize) {
        self.parsed += count;
    }

    /// Puts other bytes of the same length in place of the rest.
    pub(in crate::source::format) fn replace(&mut self, rest: &[u8]) {
        self.bytes[self.parsed..].copy_from_slice(rest);
    }

    /// Reads further and reports the number of nodes. Returns false at the end of the file, or if the rest is too long.
    ///
    /// # Errors
    /// If the file cannot be read, or the user cancelled.
    pub(in crate::source::format) fn fill(&mut self, nodes: usize) -> Result<bool, LoadError> {
        self.bytes.drain(..self.parsed);
        self.dropped += self.parsed as u64;
        self.parsed = 0;
        let wanted = self.step.max(self.bytes.len());
        if self.bytes.len() > MOST {
            return Ok(false);
        }
        self.bytes.reserve_exact(wanted + 1);
        let mut next = (&mut self.file).take(wanted as u64);
        let count = next
            .read_to_end(&mut self.bytes)
            .map_err(|error| not_opened(self.path, error))?;
        self.meter.at(self.read(), nodes)?;
        Ok(count > 0)
    }

    /// Returns how many bytes of the file were read.
    fn read(&self) -> u64 {
        self.dropped + self.bytes.len() as u64
    }

    /// Returns whether all of the file was read and it did not change meanwhile.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub(in crate::source::format) fn is_whole(&self) -> Result<bool, LoadError> {
        let after = inspect(&self.file, self.path)?;
        let is_same_time = self.before.modified().ok() == after.modified().ok();
        Ok(self.read() == self.length() && after.len() == self.length() && is_same_time)
    }

    /// Returns the report of progress, for what follows.
    pub(in crate::source::format) fn into_meter(self) -> Meter<'a> {
        self.meter
    }
}
