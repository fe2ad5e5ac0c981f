//! Help, completions and the manual.

use crate::support::command::{Run, commands};
use crate::support::expected::Expected as _;
use std::fs;

const COMMANDS: [&str; 25] = [
    "show",
    "rank",
    "explain",
    "me",
    "policies",
    "whatif",
    "diff",
    "timeline",
    "solve",
    "advise",
    "simulate",
    "plan",
    "check",
    "metrics",
    "queue",
    "convert",
    "snapshot",
    "page",
    "screenshot",
    "generate",
    "pbsfs",
    "lesson",
    "help",
    "completions",
    "man",
];

#[test]
fn every_help_shows_examples() {
    let help = Run::fairscope(["--help"]).run().success();
    help.must_contain("Examples:\n  fairscope");
    for command in COMMANDS {
        assert!(
            help.contains(command),
            "{command} is not in the list of commands"
        );
        let help = Run::fairscope([command, "--help"]).run().success();
        let example = format!("Examples:\n  fairscope {command}");
        help.must_contain(&example);
    }
}

/// The lines of a screen.
const SCREEN: usize = 24;

#[test]
fn the_short_help_is_one_screen() {
    let help = Run::fairscope(["-h"]).run().success();
    assert!(help.lines().count() <= SCREEN, "{help}");
    for command in COMMANDS {
        assert!(help.contains(&format!("  {command}")), "{command}: {help}");
    }
    for command in COMMANDS {
        if command == "pbsfs" {
            continue;
        }
        let help = Run::fairscope([command, "-h"]).run().success();
        assert!(
            help.lines().count() <= SCREEN,
            "{} lines: {help}",
            help.lines().count()
        );
        help.must_contain("Examples:\n  fairscope");
    }
}

/// Returns the options of a command in a text with examples of it.
fn options_in(command: &str, text: &str) -> Vec<String> {
    let mut options = Vec::new();
    for line in text.lines() {
        let Some((_, behind)) = line.split_once(&format!("fairscope {command} ")) else {
            continue;
        };
        let own = behind.split(['|', '`', '>']).next().unwrap_or_default();
        for word in own.split_whitespace() {
            if word.len() > 2 && word.starts_with("--") {
                options.push(word.to_owned());
            }
        }
    }
    options
}

#[test]
fn the_short_help_has_the_options_of_the_examples_and_the_manual() {
    let mut manual = String::new();
    for topic in fs::read_dir("assets/manual").expect("the manual is there") {
        let path = topic.expect("it can be read").path();
        manual += &fs::read_to_string(path).expect("it is text");
    }
    for command in COMMANDS {
        if command == "pbsfs" {
            continue;
        }
        let short = Run::fairscope([command, "-h"]).run().success();
        let long = Run::fairscope([command, "--help"]).run().success();
        let mut options = options_in(command, &long);
        options.extend(options_in(command, &manual));
        for option in options {
            assert!(
                option == "--help" || short.contains(&option),
                "{command} {option}: {short}"
            );
        }
    }
}

#[test]
fn no_example_is_wider_than_eighty_columns() {
    for command in COMMANDS {
        let help = Run::fairscope([command, "--help"]).run().success();
        let examples = help.lines().skip_while(|line| *line != "Examples:");
        for line in examples {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let help = Run::fairscope(["--help"]).run().success();
    let examples = help.lines().skip_while(|line| *line != "Examples:");
    for line in examples {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn every_command_is_tested_here() {
    assert_eq!(commands(), COMMANDS);
}

#[test]
fn completions_and_manual_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Run::fairscope(["completions", shell]).run().success();
        assert!(script.contains("whatif"), "{shell}");
    }
    let page = Run::fairscope(["man"]).run().success();
    page.must_contain("fairscope\\-show");
    let page = Run::fairscope(["man", "show"]).run().success();
    page.must_contain("format\\-out");
    let error = Run::fairscope(["man", "shwo"]).run().failure(2);
    error.must_contain("did you mean 'show'?");
}
