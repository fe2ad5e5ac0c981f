//! `fairscope pbsfs`: what PBS's own program would print.

use super::{Outcome, output};
use crate::report::pbsfs;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};

/// The arguments behind `pbsfs`, where that is the command: no other parser may touch them. Help alone is
/// left to ours.
pub(super) fn arguments(args: &[OsString]) -> Option<&[OsString]> {
    let [_, command, rest @ ..] = args else {
        return None;
    };
    let asks_for_help = matches!(rest, [only] if only == "--help");
    (command == "pbsfs" && !asks_for_help).then_some(rest)
}

pub(super) fn run(args: &[OsString]) -> Outcome {
    let ran = pbsfs::run(args, std::io::stderr().is_terminal());
    let _ = std::io::stderr().write_all(&ran.stderr);
    output::print(|out| out.write_all(&ran.stdout))?;
    Ok(ran.code)
}
