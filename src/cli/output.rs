//! Standard output and standard error, and their errors.

use super::values::TableArgs;
use super::{FINE, Outcome};
use crate::base::ascii::{AsciiWriter, is_locale_ascii};
use crate::base::number::grouped;
use crate::base::shown::{Backslash, Shown, TextWriter, sentence, wrap};
use crate::report::{Form, Output, words};
use crate::tui::picture::PictureForm;
use color_eyre::config::{HookBuilder, Theme};
use color_eyre::eyre::{self, WrapErr, bail};
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::termios::tcgetwinsize;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::{env, fs};

/// The size of the output buffer in bytes. It saves a report of a million lines a million writes.
const BUFFER: usize = 1 << 16;

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text for people. What a terminal would not draw as itself is written out on the way.
    Text,
    /// The bytes of a format whose rules write out what is not safe: JSON, TOML, HTML, the CSV of reports.
    Data,
    /// The bytes of a format that holds any name as it is. A terminal gets them as safe text.
    Raw,
}

impl From<Form> for Content {
    fn from(form: Form) -> Self {
        if form.is_text() {
            Self::Text
        } else if form == Form::OpenMetrics {
            Self::Raw
        } else {
            Self::Data
        }
    }
}

impl From<PictureForm> for Content {
    fn from(form: PictureForm) -> Self {
        if form == PictureForm::Text {
            Self::Text
        } else {
            Self::Data
        }
    }
}

/// Writes a report to standard output; a pipe that its reader closed is no error. On a terminal its tables fit the width,
/// and what they leave out is said on standard error.
pub(super) fn print(
    content: impl Into<Content>,
    report: impl FnOnce(&mut Output<'_>) -> io::Result<()>,
) -> Outcome {
    if is_stdout_closed() {
        bail!(
            "standard output is closed, so nothing was printed; open it, or send it to /dev/null"
        );
    }
    let stdout = io::stdout().lock();
    let is_terminal = stdout.is_terminal();
    match content.into() {
        Content::Data | Content::Raw if !is_terminal => print_to(stdout, report),
        Content::Text => print_to(TextWriter::new(suited(stdout), Backslash::Kept), report),
        Content::Data => print_to(TextWriter::new(stdout, Backslash::Kept), report),
        Content::Raw => print_to(TextWriter::new(stdout, Backslash::Doubled), report),
    }
}

/// Returns a writer of text with no characters but those of the locale.
fn suited<'a>(out: impl Write + 'a) -> Box<dyn Write + 'a> {
    if is_locale_ascii(|name| env::var_os(name)) {
        Box::new(AsciiWriter::new(out))
    } else {
        Box::new(out)
    }
}

/// Writes a text that was made whole, as [`print`] does.
pub(super) fn print_whole(content: impl Into<Content>, text: impl AsRef<[u8]>) -> Outcome {
    let bytes = text.as_ref();
    print(content, |out| out.write_all(bytes))
}

/// The shells that close standard output for `>&-`.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "dash", "fish", "ksh", "ksh93", "mksh", "sh", "yash", "zsh",
];

/// Returns whether standard output was closed when the program began; `false` if that cannot be known.
///
/// Rust's runtime opens `/dev/null`, to read and write, instead of a closed standard stream, and what is written there
/// is lost without a word. A shell opens it for `>` to write alone. Others, as Python does for `subprocess.DEVNULL`,
/// open it to read and write and mean it. So it was closed only if a shell began us that has another standard output.
#[expect(
    clippy::disallowed_methods,
    reason = "the kernel gives /proc/PID/comm at once"
)]
fn is_stdout_closed() -> bool {
    if !is_for_both(rustix::stdio::stdout()) || !is_null(Path::new("/proc/self/fd/1")) {
        return false;
    }
    let parent = std::os::unix::process::parent_id();
    let process = Path::new("/proc").join(parent.to_string());
    let Ok(name) = fs::read_to_string(process.join("comm")) else {
        return false;
    };
    if !SHELLS.contains(&name.trim_end()) {
        return false;
    }
    match is_same_as_null(&process.join("fd/1")) {
        Ok(is_null) => !is_null,
        // The shell has none either.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns whether a stream was opened to read and to write; `false` if that cannot be known.
fn is_for_both(stream: BorrowedFd<'_>) -> bool {
    match fcntl_getfl(stream) {
        Ok(flags) => flags & OFlags::RWMODE == OFlags::RDWR,
        Err(_) => false,
    }
}

/// Returns whether a path is `/dev/null`; `false` if that cannot be known.
fn is_null(path: &Path) -> bool {
    is_same_as_null(path).unwrap_or(false)
}

/// Returns whether a path is the device that `/dev/null` is.
fn is_same_as_null(path: &Path) -> io::Result<bool> {
    let own = fs::metadata(path)?;
    let null = fs::metadata("/dev/null")?;
    if !own.file_type().is_char_device() {
        return Ok(false);
    }
    Ok(own.rdev() == null.rdev())
}

/// Writes a report with rows to standard output. What is said about CSV is refused for another form.
pub(super) fn print_rows(
    form: &TableArgs,
    report: impl FnOnce(&mut Output<'_>, Form) -> io::Result<()>,
) -> Outcome {
    if form.csv.for_spreadsheets {
        return print_whole(form.format_out, rows(form, report)?);
    }
    print(form.format_out, |out| report(out, form.format_out))
}

/// Returns a report with rows as it is written to a file. What is said about CSV is refused for another form.
pub(super) fn rows(
    form: &TableArgs,
    report: impl FnOnce(&mut Output<'_>, Form) -> io::Result<()>,
) -> eyre::Result<Vec<u8>> {
    let is_for_spreadsheets = form.csv.for_spreadsheets;
    if is_for_spreadsheets && form.format_out != Form::Csv {
        bail!("--for-spreadsheets needs CSV; add --format-out csv, or leave it out");
    }
    let mut rows = Vec::new();
    report(&mut Output::new(&mut rows, None), form.format_out)?;
    if is_for_spreadsheets {
        return for_spreadsheets(&rows);
    }
    Ok(rows)
}

/// Returns CSV with a `'` before every cell that a spreadsheet would run as a formula; numbers stay.
pub(super) fn for_spreadsheets(csv: &[u8]) -> eyre::Result<Vec<u8>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false);
    reader.flexible(true);
    let mut writer = csv::WriterBuilder::new();
    writer.flexible(true);
    let mut safe = writer.from_writer(Vec::new());
    for row in reader.from_reader(csv).byte_records() {
        for cell in &row? {
            if is_run(cell) {
                safe.write_field([b"'", cell].concat())?;
            } else {
                safe.write_field(cell)?;
            }
        }
        safe.write_record(None::<&[u8]>)?;
    }
    Ok(safe.into_inner()?)
}

/// Returns whether a spreadsheet takes a cell for a formula. A number with a sign is none.
fn is_run(cell: &[u8]) -> bool {
    match cell.first() {
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r') => !is_number(cell),
        _ => false,
    }
}

/// Returns whether a cell is a number.
fn is_number(cell: &[u8]) -> bool {
    match std::str::from_utf8(cell) {
        Ok(text) => text.parse::<f64>().is_ok(),
        Err(_) => false,
    }
}

/// Writes a report. A pipe that its reader closed is no error.
fn print_to(writer: impl Write, report: impl FnOnce(&mut Output<'_>) -> io::Result<()>) -> Outcome {
    let mut buffer = BufWriter::with_capacity(BUFFER, writer);
    let mut out = Output::new(&mut buffer, terminal_width());
    let written = match report(&mut out) {
        Ok(()) => out.flush(),
        Err(error) => Err(error),
    };
    match written {
        Ok(()) => {
            mention_columns(&out.left_out);
            Ok(FINE)
        }
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // The buffered rest has no reader either.
            drop(buffer.into_parts());
            Ok(FINE)
        }
        Err(error) => Err(error).wrap_err(
            "standard output could not be written, so the output is incomplete; check the free space",
        ),
    }
}

/// Returns the cells of a line where standard output is a terminal; `None` where it is none, or does not tell.
pub(super) fn terminal_width() -> Option<usize> {
    width_of(&io::stdout())
}

/// Returns the cells of a line of a stream that is a terminal; `None` if it is none, or does not tell.
fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let size = tcgetwinsize(stream).ok()?;
    let columns = usize::from(size.ws_col);
    if columns == 0 { None } else { Some(columns) }
}

/// Says on standard error which columns a table left out to fit the terminal.
fn mention_columns(left_out: &[Shown]) {
    if !left_out.is_empty() {
        let columns = words::listed(left_out);
        complain(&sentence!(
            "the terminal is too narrow for {columns}; a wider one or a pipe shows all columns"
        ));
    }
}

/// Writes lines of text on standard error, wrapped at the width of a terminal. A failure is ignored: there is no place left to
/// report it.
pub(super) fn say(text: &str) {
    let told = match width_of(&io::stderr()) {
        Some(width) => wrapped(text, width),
        None => text.to_owned(),
    };
    let stderr = io::stderr().lock();
    let mut out = TextWriter::new(suited(stderr), Backslash::Kept);
    let _ = writeln!(out, "{told}");
    let _ = out.flush();
}

/// Returns lines of text wrapped at a width in cells.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        lines.extend(wrap(line, width));
    }
    lines.join("\n")
}

/// Writes a sentence with the program's name before it, as [`say`] does.
pub(super) fn complain(sentence: &str) {
    say(&format!("fairscope: {sentence}"));
}

/// How far a long command is: a line on standard error, if that is a terminal. The line is gone when the command is done.
pub(super) struct Progress {
    /// What is counted, in the plural.
    many: &'static str,
    /// How many there are.
    total: usize,
    /// Whether standard error is a terminal; in a file the line would stay.
    is_terminal: bool,
    /// What was shown last; `None` before the first time.
    percent: Option<usize>,
}

impl Progress {
    /// Returns the progress of a command that has done nothing yet.
    pub(super) fn of(many: &'static str, total: usize) -> Self {
        Self {
            many,
            total,
            is_terminal: io::stderr().is_terminal(),
            percent: None,
        }
    }

    /// Shows how many are done, once for each percent.
    pub(super) fn show(&mut self, done: usize) {
        let percent = Some(done * 100 / self.total.max(1));
        if self.is_terminal && percent != self.percent {
            self.percent = percent;
            let done = grouped(done);
            let total = grouped(self.total);
            write_over(&format!("{done} of {total} {}", self.many));
        }
    }
}

/// Writes over the line of the progress. A failure is ignored, as that of [`say`] is.
fn write_over(text: &str) {
    let mut out = io::stderr().lock();
    let _ = write!(out, "\r\x1b[K{text}");
    let _ = out.flush();
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.percent.is_some() {
            write_over("");
        }
    }
}

/// The most refusals that are listed, and the most names of scenarios.
pub(super) const MOST_LISTED: usize = 20;

/// Returns refusals on a line each: the first ones, and how many of `count` are left.
pub(super) fn listed<T: AsRef<str>>(refused: &[T], count: usize) -> String {
    let mut lines = Vec::new();
    for sentence in refused.iter().take(MOST_LISTED) {
        lines.push(sentence.as_ref());
    }
    let left = count - lines.len();
    let listed = lines.join("\n  ");
    if left == 0 {
        return listed;
    }
    format!("{listed}\n  … and {left} more")
}

/// Makes reports of panics pass the same door: the message of a panic may hold a name.
pub(super) fn report_panics() {
    // Colours would not pass.
    let hooks = HookBuilder::default().theme(Theme::new());
    let (panic_hook, _) = hooks.into_hooks();
    std::panic::set_hook(Box::new(move |info| {
        say(&panic_hook.panic_report(info).to_string());
    }));
}
