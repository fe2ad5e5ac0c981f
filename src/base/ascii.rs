//! Text in ASCII alone, for terminals that show nothing else.
//!
//! Reports and screens are made as usual and then converted, so that nothing needs a second version.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Returns the ASCII replacement of a character that reports or screens draw. `None` if they do not draw it.
///
/// No mark becomes a character that means something else in the same place: `*` is an edited number, `-` joins words
/// and is a key, `=` is a locked share.
pub const fn spelling(char: char) -> Option<char> {
    Some(match char {
        '▸' | '┌' | '┐' | '┘' | '╭' | '╮' | '╰' | '╯' | '▆' => '+',
        '▾' | '─' | '▄' | '–' => '-',
        '│' | '├' => '|',
        '└' => '`',
        '❯' | '»' | '→' | '▶' => '>',
        '«' => '<',
        '▁' => '_',
        '▂' | '·' => '.',
        '▃' | '░' => ':',
        '▅' => '=',
        '▇' => '*',
        '█' | '▌' | '▐' => '#',
        '▲' => '^',
        '▼' => 'v',
        '●' => '@',
        '…' => '~',
        'Δ' => 'd',
        '×' => 'x',
        '≠' => '!',
        '✓' => 'y',
        _ => return None,
    })
}

/// Returns whether the locale that the environment variables describe shows ASCII alone, as the locale C does.
pub(crate) fn is_locale_ascii(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
        let value = variable(name).unwrap_or_default();
        // The first that is set decides.
        if !value.is_empty() {
            let locale = value.to_string_lossy().to_lowercase();
            return !locale.contains("utf-8") && !locale.contains("utf8");
        }
    }
    // Without any of them the locale is C.
    true
}

/// Returns a text for a screen that is converted later: only characters without an ASCII replacement are written out.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii() || spelling(char).is_some() {
            escaped.push(char);
        } else {
            escaped.extend(char.escape_unicode());
        }
    }
    escaped
}

/// Writes whole characters in ASCII: those that reports draw are replaced, others written out as `\u{…}` or `\x…`.
#[derive(Debug)]
pub struct AsciiWriter<W: Write>(W);

impl<W: Write> AsciiWriter<W> {
    /// Creates a writer in front of another.
    pub(crate) const fn new(out: W) -> Self {
        Self(out)
    }
}

impl<W: Write> Write for AsciiWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            for char in escape(chunk.valid()).chars() {
                text.push(spelling(char).unwrap_or(char));
            }
            for byte in chunk.invalid() {
                // Writing to a String cannot fail.
                let _ = write!(text, "\\x{byte:02X}");
            }
        }
        self.0.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
