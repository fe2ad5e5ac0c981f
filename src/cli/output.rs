//! Standard output and standard error, and their errors.

use color_eyre::eyre::{self, WrapErr};
use std::io::{self, BufWriter, Write};

/// The size of the output buffer in bytes. It saves a report of a million lines a million writes.
const BUFFER: usize = 1 << 16;

/// Writes a report to standard output.
///
/// # Errors If standard output cannot be written, except because its reader closed the pipe.
pub(super) fn print(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> eyre::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
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

/// Writes a line on standard error. A failure is ignored: there is no place left to report it.
pub(super) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes an error on standard error.
pub(super) fn complain(sentence: &str) {
    say(&format!("fairscope: {sentence}"));
}
