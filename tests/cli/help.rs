//! Help, completions and the manual.

use crate::support::command::{Run, commands};

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
    assert!(help.contains("Examples:\n  fairscope"), "{help}");
    for command in COMMANDS {
        assert!(
            help.contains(command),
            "{command} is not in the list of commands"
        );
        let help = Run::fairscope([command, "--help"]).run().success();
        let example = format!("Examples:\n  fairscope {command}");
        assert!(help.contains(&example), "{help}");
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
        assert!(help.contains("Examples:\n  fairscope"), "{help}");
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
    assert!(page.contains("fairscope\\-show"), "{page}");
    let page = Run::fairscope(["man", "show"]).run().success();
    assert!(page.contains("format\\-out"), "{page}");
    let error = Run::fairscope(["man", "shwo"]).run().failure(2);
    assert!(error.contains("did you mean 'show'?"), "{error}");
}
