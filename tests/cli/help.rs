//! Help, completions and the manual.

use crate::support::command::{Run, commands};

const COMMANDS: [&str; 18] = [
    "show",
    "rank",
    "explain",
    "policies",
    "whatif",
    "diff",
    "timeline",
    "solve",
    "simulate",
    "plan",
    "check",
    "convert",
    "snapshot",
    "generate",
    "pbsfs",
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
    assert!(error.contains("did you mean show?"), "{error}");
}
