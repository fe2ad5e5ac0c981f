//! `fairscope pbsfs`: the output of PBS's own program.

use super::{Outcome, output};
use crate::base::shown::{Backslash, shown_format};
use crate::report::pbsfs;
use clap::Args as Arguments;
use output::Content;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};

/// `fairscope pbsfs`
#[derive(Arguments, Debug)]
pub struct PbsfsArgs {
    /// Options and operands as pbsfs takes them, the sched_priv directory last
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    pub args: Vec<OsString>,
}

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
        let text = shown_format(&ran.stderr, Backslash::Doubled);
        (&stderr).write_all(text.as_bytes())
    } else {
        (&stderr).write_all(&ran.stderr)
    };
    output::print(Content::Raw, |out| out.write_all(&ran.stdout))?;
    Ok(ran.code)
}
