//! Opening a source: whole files and standard input as bytes, and an error sentence for everything else.
//!
//! Nothing here waits for another process: a pipe or a device given as a path is refused before it is opened. A file
//! that changes while it is read is read again, so that what is shown was true at one moment.

mod foreign;
mod open;
mod packed;
mod paste;
mod watched;

pub(crate) use foreign::{
    check, check_lines, companion, refuse_recognised, refuse_unknown, without_mark,
};
pub use open::PathKind;
pub(crate) use open::not_opened;
pub(crate) use open::{find, is_there, look, open};
pub(crate) use paste::{clean, is_rows_left_out};

use super::slurm::companion::Companion;
use super::{Format, LoadError, LoadResult, OnProgress, Problems, Progress, Refusal};
use crate::base::disk::{self, File, Metadata, MetadataExt as _};
use crate::base::number::grouped;
use crate::base::shown::{Shown, shown};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use watched::{StandardInput, Watched};

/// The largest source: a tree of 10 million nodes is a fifth of this.
const LARGEST: u64 = 2 << 30;

/// How much is read at a time.
const CHUNK: usize = 1 << 20;

/// How many bytes are read between two reports of progress.
const REPORTED: u64 = 128 << 10;

/// How much of a file decides about its format.
const HEAD: usize = 1 << 20;

/// How often a file that changes meanwhile is read.
const ATTEMPTS: usize = 3;

/// The contents of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The path as given; `-` for standard input.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
    /// When it was last changed, in Unix seconds, if known.
    pub modified: Option<i64>,
}

impl Input {
    /// Creates the contents of a source. The time is in Unix seconds.
    pub(crate) fn of(path: &Path, bytes: Vec<u8>, modified: Option<i64>) -> Self {
        Self {
            path: path.to_owned(),
            bytes,
            modified,
        }
    }

    /// Returns the path as safe text.
    pub fn name(&self) -> Shown {
        name(&self.path)
    }
}

/// Returns the path of a file beside another, whose name has a suffix more.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns whether a path means standard input.
fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns a path as safe text.
pub fn name(path: &Path) -> Shown {
    if is_standard_input(path) {
        "standard input".into()
    } else {
        shown(path.as_os_str().as_encoded_bytes())
    }
}

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tree.
    Tree(Format),
    /// Slurm's configuration, which is read beside a tree.
    Settings,
    /// An output about the jobs of a tree, which is read beside it.
    Companion(Companion),
}

/// A source whose kind was looked for, without what copying added around it.
pub(crate) struct Recognized {
    /// Its contents.
    pub(crate) input: Input,
    /// `None` if it is of no known kind.
    pub(crate) kind: Option<Kind>,
    /// What was taken away of it.
    pub(crate) problems: Problems,
}

impl Recognized {
    /// Returns the format of its tree, or `None` if it has none of a known format.
    pub(crate) fn format(&self) -> Option<Format> {
        match self.kind {
            Some(Kind::Tree(format)) => Some(format),
            _ => None,
        }
    }

    /// Checks that it is not certainly something that cannot be read.
    pub(crate) fn check(&self) -> LoadResult<()> {
        if self.input.bytes.is_empty() {
            let file = self.input.name();
            let advice = "expected a tree: check what should have written it";
            return Err(Refusal::is(&file, "empty", advice).into());
        }
        if matches!(self.kind, Some(Kind::Companion(_))) {
            return Ok(());
        }
        check(&self.input)
    }
}

/// Reports how far a file has been read, once per megabyte.
pub(super) struct Meter<'a> {
    /// Called with each report; it may cancel the reading.
    report: OnProgress<'a>,
    /// How far the file was read at the last report.
    progress: Progress,
    /// At how many bytes the next report is due.
    next: u64,
}

impl<'a> Meter<'a> {
    /// Creates a meter of a file that has not been read yet. `total` is its length in bytes, if known.
    pub(super) fn new(file: Shown, total: Option<u64>, report: OnProgress<'a>) -> Self {
        Self {
            report,
            progress: Progress {
                file,
                total,
                ..Progress::default()
            },
            next: REPORTED,
        }
    }

    /// Creates a meter of a text of a file.
    pub(super) fn of_text(file: Shown, text: &[u8], report: OnProgress<'a>) -> Self {
        let length = text.len() as u64;
        Self::new(file, Some(length), report)
    }

    /// Reports that so many bytes and nodes were read, if that is due. Fails if the user cancelled.
    #[inline]
    pub(super) fn at(&mut self, bytes: u64, nodes: usize) -> LoadResult<()> {
        if bytes < self.next {
            return Ok(());
        }
        self.tell(bytes, nodes)
    }

    /// Reports where the reading is, whether or not it got further. Fails if the user cancelled.
    pub(super) fn ask(&mut self) -> LoadResult<()> {
        self.tell(self.progress.done, self.progress.nodes)
    }

    #[cold]
    fn tell(&mut self, bytes: u64, nodes: usize) -> LoadResult<()> {
        self.next = bytes + REPORTED;
        self.progress.done = bytes;
        self.progress.nodes = nodes;
        if (self.report)(&self.progress).is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }
}

/// Looks at the first bytes of a long file, unpacked, before the rest is read.
pub(crate) type LookAtStart<'a> = &'a mut dyn FnMut(&Input) -> LoadResult<()>;

/// Reads a file, or standard input for `-`, and unpacks gzip and zstd. An empty file is no error here.
pub fn read(path: &Path, report: OnProgress) -> LoadResult<Input> {
    read_checked(path, &mut |_| Ok(()), report)
}

/// Reads a file as [`read`] does. A long one is looked at before the rest of it is read.
pub(crate) fn read_checked(
    path: &Path,
    look: LookAtStart,
    report: OnProgress,
) -> LoadResult<Input> {
    let mut look_at_bytes = |bytes: &[u8]| {
        if packed::is_packed(bytes) {
            return Ok(());
        }
        let first = head(bytes).to_vec();
        let start = Input::of(path, first, None);
        foreign::check_first_line(&start)?;
        look(&start)
    };
    let mut input = read_whole(path, &mut look_at_bytes, &mut *report)?;
    let meter = Meter::new(input.name(), None, report);
    input.bytes = packed::unpacked(input.bytes, &mut look_at_bytes, meter)?;
    Ok(input)
}

/// Returns as much of a file as decides about its format.
pub(crate) fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(HEAD)]
}

/// Called with the number of each line, from 1, and its text; `false` ends the reading.
pub(crate) type OnLine<'a> = &'a mut dyn FnMut(u64, &[u8]) -> LoadResult<bool>;

/// Reads the lines of a file that may be much longer than one needs to remember of it. Blank ones are left out.
pub(crate) fn lines(path: &Path, report: OnProgress, take: OnLine) -> LoadResult<()> {
    if is_read_at_once(path)? {
        let bytes = read(path, &mut *report)?.bytes;
        let mut meter = Meter::of_text(name(path), &bytes, report);
        return take_lines(path, &mut &bytes[..], &mut meter, take);
    }
    let file = open(path)?;
    let length = inspect(&file, path)?.len();
    let mut meter = Meter::new(name(path), Some(length), report);
    let mut reader = BufReader::with_capacity(CHUNK, file);
    take_lines(path, &mut reader, &mut meter, take)
}

/// Returns whether a source is read at once, because it is standard input or compressed.
fn is_read_at_once(path: &Path) -> LoadResult<bool> {
    if is_standard_input(path) {
        return Ok(true);
    }
    let start = first_bytes(path, 4)?;
    Ok(packed::is_packed(&start))
}

/// Returns the first bytes of a file as they are, fewer if it is shorter.
fn first_bytes(path: &Path, length: usize) -> LoadResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut start = open(path)?.take(length as u64);
    match start.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(not_opened(path, error)),
    }
}

/// Takes the lines of a reader, except blank ones.
fn take_lines(
    path: &Path,
    reader: &mut dyn BufRead,
    meter: &mut Meter,
    take: OnLine,
) -> LoadResult<()> {
    let mut text = Vec::new();
    let mut bytes = 0;
    for number in 1.. {
        text.clear();
        let mut rest = Read::take(&mut *reader, foreign::LONGEST_LINE as u64);
        let length = match rest.read_until(b'\n', &mut text) {
            Ok(length) => length,
            Err(error) => return Err(not_opened(path, error)),
        };
        bytes += length as u64;
        meter.at(bytes, 0)?;
        let mut line = text.trim_ascii_end();
        if number == 1 {
            line = without_mark(line);
        }
        if length == 0 {
            break;
        }
        if !line.is_empty() && !take(number, line)? {
            break;
        }
        if length == foreign::LONGEST_LINE {
            return Err(foreign::refuse_line(&name(path), number));
        }
    }
    Ok(())
}

/// Reads a file as its scheduler does, without unpacking.
pub(crate) fn read_as_is(path: &Path, report: OnProgress) -> LoadResult<Input> {
    read_whole(path, &mut |_| Ok(()), report)
}

/// Looks at the first bytes of a long file, as they are.
type LookAtBytes<'a> = &'a mut dyn FnMut(&[u8]) -> LoadResult<()>;

/// Reads a file as it is, again if it changes meanwhile.
fn read_whole(path: &Path, look: LookAtBytes, report: OnProgress) -> LoadResult<Input> {
    let file = name(path);
    let failed = |error| not_opened(path, error);
    if is_standard_input(path) {
        let mut source = SourceReader {
            limit: LARGEST,
            expected: 0,
            look,
            failed: &failed,
            meter: Meter::new(file, None, report),
        };
        let bytes = source.read(&mut StandardInput)?;
        return Ok(Input::of(path, bytes, None));
    }
    for _ in 0..ATTEMPTS {
        let mut opened = open(path)?;
        let before = inspect(&opened, path)?;
        let length = before.len();
        if length > LARGEST {
            return Err(too_large(&file));
        }
        // Some file systems do not know a length before a file is read.
        let is_known = length > 0;
        let expected = if is_known { Some(length) } else { None };
        // Reading one byte more than expected detects a file that grows.
        let limit = if is_known { length + 1 } else { LARGEST };
        let mut source = SourceReader {
            limit,
            expected: length,
            look: &mut *look,
            failed: &failed,
            meter: Meter::new(file.clone(), expected, &mut *report),
        };
        let bytes = source.read(&mut opened)?;
        let read = bytes.len() as u64;
        let after = inspect(&opened, path)?;
        let has_length = read == length && after.len() == length;
        let is_unchanged = before.modified().ok() == after.modified().ok();
        if !is_known || (has_length && is_unchanged) {
            let modified = before.mtime();
            return Ok(Input::of(path, bytes, Some(modified)));
        }
    }
    let what = format!("changed while it was read, {ATTEMPTS} times in a row");
    let advice = "open it again when no program writes to it, or open a copy";
    Err(Refusal::does(&file, &what, advice).into())
}

/// Returns when a file was last changed, in Unix seconds. `None` for standard input, and if that is not known.
pub(crate) fn modified(path: &Path) -> Option<i64> {
    if is_standard_input(path) {
        return None;
    }
    let metadata = disk::metadata(path).ok()?;
    Some(metadata.mtime())
}

/// Reads the beginning of a file, unpacked, with the time of the file: enough to detect its format.
pub(crate) fn read_start(path: &Path, length: usize) -> LoadResult<Input> {
    let file = open(path)?;
    let modified = inspect(&file, path)?.mtime();
    let mut bytes = Vec::new();
    let mut first = file.take(length as u64);
    if let Err(error) = first.read_to_end(&mut bytes) {
        return Err(not_opened(path, error));
    }
    let start = packed::start(bytes, length);
    Ok(Input::of(path, start, Some(modified)))
}

/// Returns the length of an open file, and when it was last changed.
fn inspect(file: &File, path: &Path) -> LoadResult<Metadata> {
    match file.metadata() {
        Ok(metadata) => Ok(metadata),
        Err(error) => Err(not_opened(path, error)),
    }
}

/// Reads a source as it is, chunk by chunk.
struct SourceReader<'a, 'm> {
    /// The bytes after which the reading ends.
    limit: u64,
    /// About how many bytes there are; 0 if that is not known.
    expected: u64,
    /// Sees the first bytes of a long source before the rest is read.
    look: LookAtBytes<'a>,
    /// Explains an error.
    failed: &'a dyn Fn(io::Error) -> LoadError,
    /// How much was read.
    meter: Meter<'m>,
}

impl SourceReader<'_, '_> {
    /// Reads the source up to its end or the limit.
    fn read(&mut self, source: &mut dyn Read) -> LoadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut is_looked_at = false;
        loop {
            if bytes.len() >= HEAD && !is_looked_at {
                is_looked_at = true;
                (self.look)(&bytes)?;
            }
            // What was not looked at gets no room yet.
            let most = if is_looked_at { u64::MAX } else { HEAD as u64 };
            self.make_room(&mut bytes, most)?;
            let missing = self.limit - bytes.len() as u64;
            let wanted = missing.min(CHUNK as u64);
            let count = self.read_chunk(source, wanted, &mut bytes)?;
            let length = bytes.len() as u64;
            if length >= LARGEST {
                return Err(too_large(&self.meter.progress.file));
            }
            if count < wanted || wanted == 0 {
                // Whoever reads what the source holds reports the end.
                return Ok(bytes);
            }
            self.meter.at(length, 0)?;
        }
    }

    /// Reserves memory for what is expected, but for no more than so many bytes.
    fn make_room(&self, bytes: &mut Vec<u8>, most: u64) -> LoadResult<()> {
        let expected = self.expected.min(most);
        let known = usize::try_from(expected).unwrap_or(usize::MAX);
        let missing = known.saturating_sub(bytes.len());
        // There is room for the byte that would show more.
        let room = missing.saturating_add(1);
        if bytes.try_reserve_exact(room).is_err() {
            return Err(self.without_room(known));
        }
        Ok(())
    }

    /// Adds the next bytes, and returns how many there were.
    fn read_chunk(
        &mut self,
        source: &mut dyn Read,
        wanted: u64,
        bytes: &mut Vec<u8>,
    ) -> LoadResult<u64> {
        let mut watched = Watched {
            source,
            meter: &mut self.meter,
            is_cancelled: false,
        };
        let mut part = watched.by_ref().take(wanted);
        let error = match part.read_to_end(bytes) {
            Ok(count) => return Ok(count as u64),
            Err(error) => error,
        };
        if watched.is_cancelled {
            return Err(LoadError::Cancelled);
        }
        match error.kind() {
            ErrorKind::OutOfMemory => Err(self.without_room(bytes.len())),
            _ => Err((self.failed)(error)),
        }
    }

    /// Explains that the system gave no memory for so many bytes.
    fn without_room(&self, length: usize) -> LoadError {
        let size = grouped(length.div_ceil(1 << 20));
        let need = format!("needs {size} MiB of memory, which are not available");
        let advice = "end other programs, raise the limit (ulimit -v), or open a smaller tree";
        Refusal::does(&self.meter.progress.file, &need, advice).into()
    }
}

/// Explains that a file is too long.
fn too_large(file: &Shown) -> LoadError {
    let what = "is larger than 2 GiB, too large for a fairshare tree";
    Refusal::does(file, what, "open the scheduler's own file").into()
}
