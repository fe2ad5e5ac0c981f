//! `fairscope help [WORD]`: a topic of the manual, or the help of a command.

use super::args::Args;
use super::{FINE, Outcome, output};
use crate::base::nearest::unknown_of;
use crate::report::manual::{TOPICS, Topic, plain_text};
use clap::{Command, CommandFactory};
use color_eyre::eyre::bail;
use std::ffi::OsString;

/// The width of a page where standard output is no terminal, as man has it.
const USUAL: usize = 80;

/// The width beyond which lines are hard to read.
const WIDEST: usize = 100;

/// Runs `fairscope help [WORD]`.
pub(super) fn run(word: Option<&str>) -> Outcome {
    let text = match word {
        None => list(),
        Some(word) => match (help_of_command(word), Topic::named(word)) {
            (Some(help), _) => help,
            (None, Some(topic)) => plain_text(topic, width()),
            (None, None) => bail!(unknown(word)),
        },
    };
    output::print(output::Content::Text, |out| out.write_all(text.as_bytes()))?;
    Ok(FINE)
}

/// Returns what `fairscope COMMAND --help` prints, or `None` if there is no such command.
fn help_of_command(command: &str) -> Option<String> {
    Args::command().find_subcommand(command)?;
    let words = ["fairscope", command, "--help"].map(OsString::from);
    let help = super::parse(&words).err()?;
    Some(help.render().to_string())
}

/// Returns the list of topics.
fn list() -> String {
    let names = TOPICS.iter().map(|topic| topic.name.len());
    let longest = names.max().unwrap_or(0);
    let topics = TOPICS
        .iter()
        .map(|topic| format!("  {:longest$}  {}\n", topic.name, topic.title()));
    format!(
        "Topics of the manual: fairscope help TOPIC\n\n{}\n\
         Commands and options: fairscope --help, or fairscope help COMMAND\n",
        topics.collect::<String>()
    )
}

/// Returns the width of a page.
fn width() -> usize {
    output::terminal_width().map_or(USUAL, |columns| columns.min(WIDEST))
}

/// Returns the sentence for a word that is neither a topic nor a command.
fn unknown(word: &str) -> String {
    let program = Args::command();
    let commands = program.get_subcommands().map(Command::get_name);
    let known: Vec<&str> = TOPICS
        .iter()
        .map(|topic| topic.name)
        .chain(commands)
        .collect();
    unknown_of("topic", word, &known, "fairscope help lists the topics").into()
}
