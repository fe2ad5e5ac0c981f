//! `fairscope pbsfs`: the output of PBS's own program.

use super::{Outcome, output};
use crate::base::shown::shown;
use crate::report::pbsfs;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};

/// Returns the arguments after `pbsfs` if that is the command, else `None`. No other parser may read them, except for
/// help.
pub(super) fn arguments(args: &[OsString]) -> Option<&[OsString]> {
    let [_, command, rest @ ..] = args else {
        return None;
    };
    let asks_for_help = matches!(rest, [only] if only == "--help");
    (command == "pbsfs" && !asks_for_help).then_some(rest)
}

pub(super) fn run(args: &[OsString]) -> Outcome {
    let stderr = std::io::stderr();
    let ran = pbsfs::run(args, stderr.is_terminal());
    // A failure of standard error is ignored: there is no place left to report it.
    let _ = if stderr.is_terminal() {
        (&stderr).write_all(&for_terminal(&ran.stderr))
    } else {
        (&stderr).write_all(&ran.stderr)
    };
    let is_terminal = std::io::stdout().is_terminal();
    output::print(output::Content::Data, |out| {
        if is_terminal {
            out.write_all(&for_terminal(&ran.stdout))
        } else {
            out.write_all(&ran.stdout)
        }
    })?;
    Ok(ran.code)
}

/// Returns the output for a terminal: line ends and tabs stay, and names, which may contain any byte, are made visible.
fn for_terminal(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\t')) {
        let (name, end) = match piece {
            [name @ .., b'\n' | b'\t'] => (name, &piece[name.len()..]),
            name => (name, &[][..]),
        };
        text.extend_from_slice(shown(name).as_bytes());
        text.extend_from_slice(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::for_terminal;

    #[test]
    fn a_terminal_gets_lines_and_tabs_and_no_escapes() {
        let text = b"a\x1b[31m\t: 1\nb\\c\xff";
        assert_eq!(for_terminal(text), b"a\\e[31m\t: 1\nb\\\\c\\xFF");
    }
}
