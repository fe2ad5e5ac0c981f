//! What describes the program: topics of the manual, files for packagers, and the help of commands: `-h` on one screen
//! with a few examples, and `--help` in full.

use super::args::Args;
use super::{Outcome, output, unknown_command};
use crate::base::nearest::{nearest, unknown_of};
use crate::base::shown::Shown;
use crate::report::manual::answer::{answer, is_like_a_name};
use crate::report::manual::{TOPICS, Topic, plain_text};
use crate::rules::policy::Policy;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use color_eyre::eyre::{self, bail};
use std::ffi::OsString;

/// The width of a page where standard output is no terminal, as man has it.
const USUAL: usize = 80;

/// The width beyond which lines are hard to read.
const WIDEST: usize = 100;

/// Prints the help of a command or a topic, what the manual says about other words, or the list of the topics.
pub(super) fn help(words: &[String]) -> Outcome {
    let text = match words {
        [] => list(),
        [word] => help_about(word)?,
        _ => found(&words.join(" "))?,
    };
    output::print_whole(output::Content::Text, text)
}

/// Returns the help of a command, a topic of the manual, or what a search of it finds.
fn help_about(word: &str) -> eyre::Result<String> {
    if let Some(help) = help_of_command(word) {
        return Ok(help);
    }
    if let Some(topic) = topic(word) {
        return Ok(plain_text(topic, width()));
    }
    let mut policies = Vec::new();
    for policy in Policy::ALL {
        policies.push(policy.name());
    }
    // Parts of a mistyped name, such as fair-three, may be words of the manual.
    if word.contains('-') && nearest(word, &policies).is_some() {
        bail!(mistyped(word, &policies));
    }
    found(word)
}

/// Returns the sentence about a mistyped name of a topic, a command or a policy.
fn mistyped(word: &str, known: &[&str]) -> Shown {
    unknown_of("topic", word, known, "fairscope help lists the topics")
}

/// Returns the width of a page.
fn width() -> usize {
    match output::terminal_width() {
        Some(columns) => columns.min(WIDEST),
        None => USUAL,
    }
}

/// Returns the sections of the manual that answer a question.
fn found(question: &str) -> eyre::Result<String> {
    let mut known = Vec::new();
    for topic in TOPICS {
        known.push(topic.name);
    }
    let program = Args::command();
    known.extend(program.get_subcommands().map(Command::get_name));
    let reason = match answer(question, &known, width()) {
        Ok(text) => return Ok(text),
        Err(reason) => reason,
    };
    if !is_like_a_name(question, &known) {
        bail!(reason);
    }
    bail!(mistyped(question, &known));
}

/// Returns the topic of that name, or the reference card of a policy.
fn topic(word: &str) -> Option<Topic> {
    if let Some(topic) = Topic::named(word) {
        return Some(topic);
    }
    let policy = Policy::named(word)?;
    Topic::card(policy)
}

/// Returns the long help of a command; `None` for another word.
fn help_of_command(command: &str) -> Option<String> {
    let program = Args::command();
    program.find_subcommand(command)?;
    let words = ["fairscope", command, "--help"].map(OsString::from);
    // Help is what the parser has to say instead of arguments.
    let help = super::parse(&words).err()?;
    let text = help.render();
    Some(text.to_string())
}

/// Returns the list of the topics of the manual.
fn list() -> String {
    let mut longest = 0;
    for topic in TOPICS {
        longest = longest.max(topic.name.len());
    }
    let mut lines = Vec::new();
    for topic in TOPICS {
        let name = topic.name;
        let title = topic.title();
        lines.push(format!("  {name:longest$}  {title}\n"));
    }
    let topics = lines.concat();
    format!(
        "Topics of the manual: fairscope help TOPIC\n\n{topics}\n\
         Search in all topics: fairscope help WORDS, such as fairscope help half-life\n\
         Commands and options: fairscope --help, or fairscope help COMMAND\n"
    )
}

/// Prints the completions of a shell.
pub(super) fn completions(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    let mut program = Args::command();
    clap_complete::generate(shell, &mut program, "fairscope", &mut script);
    output::print_whole(output::Content::Data, script)
}

/// Prints the manual page of the program, or of a command.
pub(super) fn man(command: Option<&str>) -> Outcome {
    let mut program = Args::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!(unknown_command(&program, name)),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    output::print_whole(output::Content::Data, text)
}

/// How many examples the short help of a command has.
const EXAMPLES: usize = 3;

/// The template of the program's short help: the commands by their purpose.
const PROGRAM: &str = include_str!("../../assets/help/fairscope-short.txt");

/// Returns the program for these arguments, with a short help of one screen.
pub(super) fn program(args: &[OsString]) -> Command {
    let program = Args::command().mut_subcommands(with_short_help);
    if !args.iter().any(|arg| arg == "-h") {
        return program;
    }
    // A template is for both forms of the help.
    match args.get(1) {
        Some(first) if first == "-h" => program.help_template(PROGRAM),
        _ => program.mut_subcommands(shortened),
    }
}

/// Which options the short help of a command lists beside the usual ones, and which it leaves to the long one, so that it
/// has those that its examples and the manual use, and stays one screen.
struct ShortHelp {
    command: &'static str,
    listed: &'static [&'static str],
    left_out: &'static [&'static str],
}

impl ShortHelp {
    const fn of(
        command: &'static str,
        listed: &'static [&'static str],
        left_out: &'static [&'static str],
    ) -> Self {
        Self {
            command,
            listed,
            left_out,
        }
    }
}

const SHORT_HELP: &[ShortHelp] = &[
    ShortHelp::of("show", &["usage", "jobs", "at"], &["live"]),
    ShortHelp::of("rank", &["cluster"], &[]),
    ShortHelp::of("explain", &["jobs", "with"], &[]),
    ShortHelp::of(
        "whatif",
        &["add-below", "edits", "name"],
        &["policy", "set", "all"],
    ),
    ShortHelp::of("diff", &["cluster"], &[]),
    ShortHelp::of("timeline", &["jobs", "every"], &["live", "set"]),
    ShortHelp::of("advise", &["goals"], &["live"]),
    ShortHelp::of(
        "simulate",
        &["step", "compare"],
        &["live", "scenario", "desired", "set", "edit", "charge"],
    ),
    ShortHelp::of("check", &["config"], &[]),
    ShortHelp::of(
        "queue",
        &["behind", "config", "squeue"],
        &["scenario", "set", "desired"],
    ),
    ShortHelp::of("page", &["config"], &["live"]),
    ShortHelp::of(
        "convert",
        &["jobs", "every"],
        &["scenario", "desired", "set"],
    ),
];

/// Returns what is special in the short help of a command; `None` if nothing is.
fn short_help_of(command: &str) -> Option<&'static ShortHelp> {
    SHORT_HELP.iter().find(|short| short.command == command)
}

/// Returns a command whose short help leaves out what the long help lists: the values of options, which take a line or
/// two of each, and the arguments without a dash, which the line of its usage names.
fn shortened(command: Command) -> Command {
    let own = short_help_of(command.get_name());
    command.mut_args(|arg| {
        let has_value = arg.get_action().takes_values();
        let is_listed = match (arg.get_long(), own) {
            (None, _) => false,
            (Some(long), Some(short)) if short.listed.contains(&long) => true,
            (Some(long), Some(short)) if short.left_out.contains(&long) => false,
            (Some(_), _) => !arg.is_hide_short_help_set(),
        };
        arg.hide_possible_values(has_value)
            .hide_short_help(!is_listed)
    })
}

/// Returns a command whose short help has its first examples only.
fn with_short_help(command: Command) -> Command {
    let Some(long) = command.get_after_help().map(ToString::to_string) else {
        return command;
    };
    let mut examples = long.lines().skip_while(|line| *line != "Examples:");
    let mut shown = Vec::new();
    shown.extend(examples.next());
    shown.extend(examples.take(EXAMPLES));
    let short = format!(
        "{}\n\nAll options and examples: fairscope {} --help",
        shown.join("\n"),
        command.get_name()
    );
    command.after_help(short).after_long_help(long)
}
