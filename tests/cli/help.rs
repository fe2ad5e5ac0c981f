//! Help, completions and the manual.

use crate::support::command::{Run, commands};
use crate::support::expected::Expected as _;

const COMMANDS: [&str; 24] = [
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
