//! The command line: arguments in, reports out, an exit code back.
//!
//! 0: no findings; 1: the command ran and found something; 2: it could not run. One sentence on standard error explains
//! an error. A closed pipe is no error, because its reader may need only the first lines.

mod advise;
pub mod args;
mod ask;
mod compare;
mod contention;
mod edits;
mod files;
mod gates;
mod help;
mod key_file;
mod lesson;
mod look;
mod me;
mod metrics;
mod open;
mod output;
mod page;
mod plan;
mod queue;
mod script;
mod simulate;
mod solve;
mod source;
mod values;

use crate::base::nearest::unknown;
use crate::base::shown::{Shown, sentence, shown, visible};
use crate::report::Form;
use args::{Args, Command};
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use color_eyre::eyre::eyre;
use std::ffi::OsString;

const FINE: u8 = 0;
const FOUND: u8 = 1;
const FAILED: u8 = 2;

/// What a subcommand gives: its exit code, or why it could not run.
type Outcome = color_eyre::Result<u8>;

/// Runs the program; `args` begins with its name. Returns the exit code.
pub fn run(args: &[OsString]) -> u8 {
    crate::tui::watch_for_crashes();
    output::report_panics();
    let outcome = match look::pbsfs_arguments(args) {
        // pbsfs reads its options itself, as the real one does.
        Some(arguments) => look::pbsfs(arguments),
        None => match parse(args) {
            Ok(parsed) => match mistyped_command(&parsed, args) {
                Some(sentence) => Err(eyre!(sentence)),
                None => dispatch(parsed),
            },
            Err(error) => match mistyped(&error, args) {
                Some(sentence) => Err(eyre!(sentence)),
                None => return refuse(&error, args),
            },
        },
    };
    exit_code(outcome)
}

/// Returns the exit code of an outcome, after writing its error.
fn exit_code(outcome: Outcome) -> u8 {
    outcome.unwrap_or_else(|error| {
        output::complain(&format!("{error:#}"));
        FAILED
    })
}

/// Reads the arguments. `--json` is another word for `-o json`.
fn parse(args: &[OsString]) -> Result<Args, clap::Error> {
    let mut spelled = args.to_vec();
    for arg in &mut spelled {
        if arg == "--" {
            break;
        }
        if arg == "--json" {
            *arg = "--format-out=json".into();
        }
    }
    let matches = help::program(args).try_get_matches_from(spelled)?;
    Args::from_arg_matches(&matches)
}

/// Returns the message for a form in the wrong place, or for a mistyped command, which looks like a source with further
/// arguments.
fn mistyped(error: &clap::Error, args: &[OsString]) -> Option<Shown> {
    if let Some(sentence) = misplaced_form(error, args) {
        return Some(sentence);
    }
    let first = args.get(1)?.to_str()?;
    let program = Args::command();
    let is_misplaced = error.kind() == ErrorKind::ArgumentConflict && !first.starts_with('-');
    (is_misplaced && program.find_subcommand(first).is_none())
        .then(|| unknown_command(&program, first))
}

/// Returns the message for a form of the output in a place where there is none: behind `--format`, which is about the
/// source, or given to a command that prints no report.
fn misplaced_form(error: &clap::Error, args: &[OsString]) -> Option<Shown> {
    let ContextValue::String(option) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    if error.kind() == ErrorKind::UnknownArgument {
        if option == "--format-out" && args.contains(&"--json".into()) {
            return Some("this command prints no report; leave out --json".into());
        }
        return None;
    }
    let ContextValue::String(value) = error.get(ContextKind::InvalidValue)? else {
        return None;
    };
    for form in Form::ALL {
        if option == "--format <NAME>" && form.name() == value {
            return Some(sentence!(
                "--format is the format of the source; did you mean -o {value}?"
            ));
        }
    }
    None
}

fn unknown_command(program: &clap::Command, word: &str) -> Shown {
    let commands = program.get_subcommands().map(clap::Command::get_name);
    unknown("command", word, commands)
}

/// Returns the message for a first source that is no file: a command after an option, or the first of several sources,
/// which may be a mistyped command unless it contains a dot.
fn mistyped_command(parsed: &Args, args: &[OsString]) -> Option<Shown> {
    let first = parsed.opening.sources.first()?;
    let word = first.to_str()?;
    // What cannot be looked at is there, and opening it says why not.
    let is_missing = matches!(first.try_exists(), Ok(false));
    if !is_missing || word.contains(['/', '.']) || word == "-" {
        return None;
    }
    let program = Args::command();
    if program.find_subcommand(word).is_some() {
        let others = args.iter().skip(1).filter(|arg| *arg != first);
        let others: Vec<_> = others.map(|arg| arg.to_string_lossy()).collect();
        let words = ["fairscope", word].into_iter();
        let words = words.chain(others.iter().map(AsRef::as_ref));
        return Some(sentence!(
            "{word} is a command, and a command comes before its options: {}",
            shown(crate::base::shell::command(words).as_bytes())
        ));
    }
    let has_more = parsed.opening.sources.len() > 1;
    has_more.then(|| unknown_command(&program, word))
}

/// Prints the message of clap: help on standard output, an error on standard error.
fn refuse(error: &clap::Error, args: &[OsString]) -> u8 {
    if !error.use_stderr() {
        let text = error.render().to_string();
        return exit_code(output::print_whole(output::Content::Text, text));
    }
    // The message repeats an argument or its value, and a line end in one would begin a line of its own.
    let mut text = error.render().to_string();
    for arg in args {
        let arg = arg.to_string_lossy();
        // An argument is named without its value where it is unknown.
        let (name, value) = arg.split_once('=').unwrap_or(("", ""));
        for part in [&*arg, name, value] {
            // clap leaves out what styles a text, and so an argument may be printed without some of its characters.
            let printed = StyledStr::from(part.to_owned()).to_string();
            if *visible(&printed) != *printed {
                text = text.replace(&printed, &shown(part.as_bytes()));
            }
        }
    }
    output::say(text.trim_end_matches('\n'));
    FAILED
}

fn dispatch(args: Args) -> Outcome {
    match args.command {
        None => open::explorer(args.opening),
        Some(Command::Show(args)) => look::show(&args),
        Some(Command::Rank(args)) => look::rank(&args),
        Some(Command::Explain(args)) => look::explain(&args),
        Some(Command::Me(args)) => me::run(&args),
        Some(Command::Policies(args)) => look::policies(&args),
        Some(Command::Whatif(args)) => edits::run(&args),
        Some(Command::Diff(args)) => compare::diff(&args),
        Some(Command::Timeline(args)) => compare::timeline(args),
        Some(Command::Solve(args)) => solve::run(args),
        Some(Command::Advise(args)) => advise::run(&args),
        Some(Command::Simulate(args)) => simulate::run(*args),
        Some(Command::Plan(args)) => plan::run(&args),
        Some(Command::Check(args)) => look::check(&args),
        Some(Command::Metrics(args)) => metrics::run(&args),
        Some(Command::Queue(args)) => queue::run(&args),
        Some(Command::Convert(args)) => files::convert(args),
        Some(Command::Snapshot(args)) => files::snapshot(&args),
        Some(Command::Page(args)) => page::run(&args),
        Some(Command::Screenshot(args)) => script::screenshot(&args),
        Some(Command::Generate(args)) => files::generate(&args),
        Some(Command::Pbsfs(args)) => look::pbsfs(&args.args),
        Some(Command::Completions { shell }) => help::completions(shell),
        Some(Command::Lesson(args)) => lesson::run(args),
        Some(Command::Help { words }) => help::help(&words),
        Some(Command::Man { command }) => help::man(command.as_deref()),
    }
}
