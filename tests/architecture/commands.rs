//! Whatever a sentence gives as a command can be copied into a shell: names and paths in it are quoted by one function.

use super::prose::breaking;
use crate::support::source_files;

/// The programs that sentences tell people to run.
const PROGRAMS: &[&str] = &[
    "fairscope",
    "chmod",
    "chown",
    "sqlite3",
    "flux",
    "sacctmgr",
    "scontrol",
    "sshare",
    "sprio",
    "squeue",
    "sacct",
    "sreport",
    "pbsfs",
    "qmgr",
    "zcat",
    "zstdcat",
    "cat",
    "cp",
    "mv",
    "rm",
    "kill",
    "ulimit",
];

/// What a command may hold: text that was quoted, a word of ours, a constant.
const HELD: &[&str] = &[
    "word",
    "words",
    "tool",
    "key",
    "kind",
    "scheduler",
    "end",
    "amount",
];

/// Sentences about a program, in which no command is given.
const ABOUT: &[&str] = &[
    "sacctmgr load refuses",
    "sacctmgr load sets",
    "sacctmgr load does not accept",
    "aborts sacctmgr load",
    "written by fairscope from",
    "a report of sreport in",
    "as sreport counts it",
    "not an output of sacctmgr",
    "taken by fairscope",
    "a snapshot of",
    "sprio is a command of Slurm",
    "fairscope lesson NAME",
    "fairscope help TOPIC",
    "All options and examples",
    "scontrol reconfigure, and",
    "this fairscope reads",
    // Its names are those of PBS's own files.
    "cmp -s {name}.new",
    "cmp -s \\\"$here/{name}.new\\\"",
    "cp {name}",
];

/// Returns the placeholders in the commands of a text: from a program to the end of the clause.
fn placeholders(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| *word != "\\");
    let text = words.collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for clause in text.split([';', '`']) {
        let mut words = clause.split(' ');
        let is_program = |word: &str| PROGRAMS.contains(&word);
        if words.by_ref().any(is_program) {
            let rest = words.collect::<Vec<_>>().join(" ");
            let held = rest
                .split('{')
                .skip(1)
                .filter_map(|part| part.split('}').next());
            found.extend(held.map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_name_in_a_printed_command_is_quoted() {
    let is_open = |text: &str| {
        let is_held = |name: &String| {
            let is_constant =
                !name.is_empty() && name.chars().all(|char| char.is_ascii_uppercase());
            is_constant || HELD.contains(&name.as_str())
        };
        let is_about = ABOUT.iter().any(|about| text.contains(about));
        !is_about && !placeholders(text).iter().all(is_held)
    };
    let files = source_files().into_iter();
    let broken: Vec<String> = files
        .flat_map(|file| breaking(&file, |_, literal| is_open(&literal.text)))
        .collect();
    assert!(
        broken.is_empty(),
        "name it {{word}} and quote it with shell::word:\n{}",
        broken.join("\n")
    );
}

#[test]
fn what_is_called_a_word_of_a_command_was_quoted() {
    for file in source_files() {
        let words = breaking(&file, |_, literal| {
            let holds = placeholders(&literal.text);
            holds.iter().any(|name| name == "word" || name == "words")
        });
        let text = std::fs::read_to_string(&file).expect("the sources can be read");
        let is_quoted = ["shell::word(", "word(", "argument("]
            .iter()
            .any(|made| text.contains(&format!(" {made}")));
        assert!(words.is_empty() || is_quoted, "{}", words.join("\n"));
    }
}
