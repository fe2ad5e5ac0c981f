//! The short help, `-h`: one screen with a few examples. `--help` is the long one.

use super::args::Args;
use clap::{Command, CommandFactory as _};
use std::ffi::OsString;

/// The examples of a command's short help.
const EXAMPLES: usize = 3;

/// The short help of the program: the commands by their purpose.
const PROGRAM: &str = "\
{about}

Usage: fairscope [OPTIONS] [SOURCE]...    opens the explorer
       fairscope COMMAND [OPTIONS] ...    prints a report

Commands; fairscope COMMAND -h describes one:
  Look      show  rank  explain  policies  check
  Edit      whatif  solve  simulate  plan
  Compare   diff  timeline
  Files     convert  snapshot  generate  pbsfs
  Help      help  completions  man

Examples:
  fairscope                                    the built-in example
  fairscope /var/spool/pbs/sched_priv          the tree of a PBS scheduler
  fairscope sshare.txt                         the output of sshare -a -l -P
  fairscope --live slurm --watch 60            Slurm itself, read every minute
  fairscope show sched_priv | less             the tree as text
  fairscope explain sched_priv group2/suzy     why suzy has that rank

All options and examples: fairscope --help. The manual: fairscope help
";

/// Returns the program for these arguments, with a short help of one screen.
pub(super) fn program(args: &[OsString]) -> Command {
    let program = Args::command().mut_subcommands(with_short_help);
    // A template is for both forms of the help.
    if args.get(1).is_some_and(|arg| arg == "-h") {
        return program.help_template(PROGRAM);
    }
    if args.iter().any(|arg| arg == "-h") {
        // The values take a line or two of each option, and the long help lists them.
        let without_values = |arg: clap::Arg| {
            let has_value = arg.get_action().takes_values();
            arg.hide_possible_values(has_value)
        };
        return program.mut_subcommands(|command| command.mut_args(without_values));
    }
    program
}

/// Returns a command whose short help has its first examples only.
fn with_short_help(command: Command) -> Command {
    let Some(long) = command.get_after_help().map(ToString::to_string) else {
        return command;
    };
    let examples = long.lines().skip_while(|line| *line != "Examples:");
    let examples: Vec<&str> = examples.take(1 + EXAMPLES).collect();
    let short = format!(
        "{}\n\nAll options and examples: fairscope {} --help",
        examples.join("\n"),
        command.get_name()
    );
    command.after_help(short).after_long_help(long)
}
