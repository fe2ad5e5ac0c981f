//! The README is compared with the program: its examples are run, its tables compared, its files opened.

use crate::support::command::{Run, commands};
use fairscope::model::Settings;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::source::format::{Example, Format};
use fairscope::tui::{Action, Keymap, Theme};
use std::collections::BTreeSet;
use std::path::Path;

const README: &str = include_str!("../README.md");

/// The sign in the README for output that differs from run to run.
const ANYTHING: char = '…';

/// Returns the texts of the fenced blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in README.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some((info == language, String::new())),
            (Some(_), Some(_)) => {
                if let Some((true, text)) = open.take() {
                    blocks.push(text);
                }
            }
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    blocks
}

/// Returns the commands of the console blocks, each with the output shown below it.
fn examples() -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    for block in blocks("console") {
        assert!(
            block.starts_with("$ "),
            "a console block begins with a command:\n{block}"
        );
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                examples.push((command.to_owned(), String::new()));
            } else if let Some((_, output)) = examples.last_mut() {
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    examples
}

/// Splits a command into words as a shell does: at blanks, except within single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for char in command.chars() {
        match char {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            char => words.last_mut().expect("there is a word").push(char),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether an output matches the one shown, where `…` matches anything.
fn is_as_shown(output: &str, shown: &str) -> bool {
    let mut pieces = shown.split(ANYTHING);
    let Some(mut rest) = pieces.next().and_then(|first| output.strip_prefix(first)) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// Returns the rows of the tables, with trimmed cells.
fn rows() -> Vec<Vec<String>> {
    let is_row = |line: &&str| line.starts_with("| ") && line.ends_with('|');
    let cells = |line: &str| {
        let inside = line.trim_start_matches('|').trim_end_matches('|');
        inside
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    README.lines().filter(is_row).map(cells).collect()
}

/// Asserts that every expected row is in some table.
#[track_caller]
fn assert_rows(expected: impl IntoIterator<Item = Vec<String>>) {
    let rows = rows();
    let missing: Vec<String> = expected
        .into_iter()
        .filter(|expected| !rows.iter().any(|row| row.starts_with(expected)))
        .map(|row| format!("| {} |", row.join(" | ")))
        .collect();
    assert!(
        missing.is_empty(),
        "the README lacks\n{}",
        missing.join("\n")
    );
}

fn code(text: impl std::fmt::Display) -> String {
    format!("`{text}`")
}

#[test]
fn every_example_prints_what_the_readme_shows() {
    let examples = examples();
    assert!(examples.len() >= 8, "only {} examples", examples.len());
    for (command, shown) in examples {
        let [program, args @ ..] = &words(&command)[..] else {
            panic!("an example without a command");
        };
        assert_eq!(program, "fairscope", "{command}");
        let ran = Run::fairscope(args).run();
        assert!(matches!(ran.code, Some(0 | 1)), "{command}\n{}", ran.stderr);
        let complaints = ran.stderr.clone();
        let output = ran.text() + &complaints;
        assert!(
            is_as_shown(&output, &shown),
            "$ {command}\nprints\n{output}\nand the README shows\n{shown}"
        );
    }
}

#[test]
fn every_file_shown_opens_without_problems() {
    let mut count = 0;
    for text in [blocks("toml"), blocks("csv")].concat() {
        let text = text.replace("\"sched_priv\"", "\"tests/data/seed\"");
        let said = Run::fairscope(["check", "-"]).input(text).run().success();
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("nothing to report"), "{said}");
        count += 1;
    }
    assert_eq!(count, 3, "a tree, a scenario and a CSV file");
}

#[test]
fn every_edit_shown_is_valid() {
    let verbs = [
        "shares", "usage", "charge", "scale", "split", "trade", "add", "remove", "move", "rename",
        "set",
    ];
    let mut seen = BTreeSet::new();
    for row in rows() {
        let edit = row[0].trim_matches('`');
        let Some(verb) = verbs.iter().find(|verb| {
            edit.strip_prefix(**verb)
                .is_some_and(|rest| rest.starts_with(' '))
        }) else {
            continue;
        };
        seen.insert(*verb);
        Run::fairscope(["whatif", "tests/data/seed", "--edit", edit])
            .run()
            .success();
    }
    assert_eq!(seen.len(), verbs.len(), "{seen:?}");
}

#[test]
fn the_readme_lists_the_keys_of_the_keymap() {
    let keymap = Keymap::shipped();
    assert_rows(Action::ALL.iter().map(|&action| {
        let keys: Vec<String> = keymap.keys(action).iter().map(code).collect();
        vec![keys.join(" "), action.help().to_owned()]
    }));
}

#[test]
fn the_tables_of_the_readme_match_the_program() {
    assert_rows(ColumnId::ALL.iter().map(|column| {
        vec![
            code(column.name()),
            column.heading().to_owned(),
            column.help().to_owned(),
        ]
    }));
    let named = |name: &str, help: &str| vec![code(name), help.to_owned()];
    assert_rows(
        Policy::ALL
            .iter()
            .map(|policy| named(policy.name(), policy.help())),
    );
    assert_rows(
        Format::ALL
            .iter()
            .map(|format| named(format.name(), format.help())),
    );
    let examples = Example::ALL.iter();
    assert_rows(examples.map(|example| named(&example.source(), example.help())));
    assert_rows(Theme::ALL.iter().map(|(name, help)| named(name, help)));
    assert_rows(
        Settings::keys().map(|key| named(key, Settings::expected(key).unwrap_or_default())),
    );
}

#[test]
fn the_readme_lists_the_commands_of_the_program() {
    let first_cells: Vec<String> = rows().into_iter().map(|row| row[0].clone()).collect();
    for command in commands() {
        let begin = format!("`fairscope {command}");
        let is_there = first_cells.iter().any(|cell| cell.starts_with(&begin));
        assert!(is_there, "{command} is not in the table of commands");
    }
}

/// Prefixes of the codes of problems. Codes of findings about a tree have no fixed prefix.
const KINDS: &[&str] = &[
    "csv-",
    "directory-",
    "flux-",
    "formula-",
    "live-",
    "pbs-",
    "recorded-",
    "scenario-",
    "slurm-",
    "timeline-",
    "toml-",
];

/// Returns every code of a problem or finding that the sources quote.
fn codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for path in crate::support::source_files() {
        let text = std::fs::read_to_string(&path).expect("the sources can be read");
        let is_of_tree = ["report/lint.rs", "report/check.rs"]
            .iter()
            .any(|file| path.ends_with(file))
            || path
                .parent()
                .is_some_and(|folder| folder.ends_with("report/lint"));
        let quoted = text.split('"').filter(|text| is_code(text));
        let codes_of_file = quoted
            .filter(|text| is_of_tree || KINDS.iter().any(|begin| text.starts_with(begin)))
            .filter(|text| Format::named(text).is_none());
        codes.extend(codes_of_file.map(str::to_owned));
    }
    codes
}

/// Whether a text consists of words of small letters and digits, joined by hyphens.
fn is_code(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.contains('-') && text.split('-').all(is_word)
}

#[test]
fn the_readme_lists_the_problem_codes_of_the_sources() {
    let severities = ["note", "warning", "error"];
    let listed: BTreeSet<String> = rows()
        .into_iter()
        .filter(|row| row.len() == 3)
        .filter(|row| row[1].split(", ").all(|word| severities.contains(&word)))
        .map(|row| row[0].trim_matches('`').to_owned())
        .collect();
    let mut codes = codes();
    for policy in Policy::ALL {
        codes.remove(policy.name());
    }
    assert!(codes.len() > 50, "{codes:?}");
    let missing: Vec<_> = codes.difference(&listed).collect();
    assert!(missing.is_empty(), "the README lacks {missing:?}");
    let surplus: Vec<_> = listed.difference(&codes).collect();
    assert!(surplus.is_empty(), "nothing says {surplus:?}");
}

#[test]
fn every_picture_and_file_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let targets: Vec<&str> = README
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect();
    let headings: Vec<String> = README
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            heading.replace([',', ':'], "").replace(' ', "-")
        })
        .collect();
    for target in &targets {
        if let Some(heading) = target.strip_prefix('#') {
            let is_there = headings.iter().any(|known| known == heading);
            assert!(is_there, "there is no heading {heading}");
        } else if !target.contains("://") {
            assert!(root.join(target).exists(), "there is no {target}");
        }
    }
    for picture in std::fs::read_dir(root.join("screenshots")).expect("there are pictures") {
        let name = picture.expect("there are pictures").file_name();
        let name = format!("screenshots/{}", name.to_string_lossy());
        assert!(targets.contains(&name.as_str()), "{name} is not shown");
    }
}
