//! Standard output and standard error, and their errors.

use crate::base::shown::TextWriter;
use crate::report::{Form, ProseForm};
use color_eyre::config::{HookBuilder, Theme};
use color_eyre::eyre::{self, WrapErr};
use std::io::{self, BufWriter, Write};

/// The size of the output buffer in bytes. It saves a report of a million lines a million writes.
const BUFFER: usize = 1 << 16;

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text for people. What a terminal would not draw as itself is written out on the way.
    Text,
    /// The bytes of a format, which has rules of its own.
    Data,
}

impl Content {
    const fn new(is_for_people: bool) -> Self {
        if is_for_people {
            Self::Text
        } else {
            Self::Data
        }
    }
}

impl From<Form> for Content {
    fn from(form: Form) -> Self {
        Self::new(form.is_for_people())
    }
}

impl From<ProseForm> for Content {
    fn from(form: ProseForm) -> Self {
        Self::new(form.is_for_people())
    }
}

/// Writes a report to standard output.
///
/// # Errors
/// If standard output cannot be written, except because its reader closed the pipe.
pub(super) fn print(
    content: impl Into<Content>,
    report: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> eyre::Result<()> {
    let stdout = io::stdout().lock();
    match content.into() {
        Content::Text => print_to(TextWriter::new(stdout), report),
        Content::Data => print_to(stdout, report),
    }
}

/// Writes a report to a writer through the buffer.
fn print_to(
    writer: impl Write,
    report: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> eyre::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, writer);
    let written = report(&mut out).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // The buffered rest has no reader either.
            drop(out.into_parts());
            Ok(())
        }
        written => written.wrap_err(
            "standard output could not be written; the output is not complete, send it where there is room",
        ),
    }
}

/// Writes lines of text on standard error. A failure is ignored: there is no place left to report it.
pub(super) fn say(text: &str) {
    let mut stderr = TextWriter::new(io::stderr().lock());
    let _ = writeln!(stderr, "{text}").and_then(|()| stderr.flush());
}

/// Writes an error on standard error.
pub(super) fn complain(sentence: &str) {
    say(&format!("fairscope: {sentence}"));
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
