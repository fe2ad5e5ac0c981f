//! The README and the manual are compared with the program: their examples are run, their tables compared, their files
//! opened. `UPDATE=1` writes what the examples print now.

mod layout;
mod search;

use crate::support::command::{Run, commands};
use crate::support::expected::Expected as _;
use crate::support::pages::{Page, pages};
use fairscope::format::{Example, Format};
use fairscope::model::Settings;
use fairscope::report::manual::{TOPICS, Topic};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::tui::{Action, Keymap, Theme};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

/// The sign in an example for output that differs from run to run.
const ANYTHING: char = '…';

/// Returns the texts of the fenced blocks of a language on all pages.
fn blocks(language: &str) -> Vec<String> {
    let pages = pages();
    let blocks = pages.iter().flat_map(|page| page.blocks(language));
    blocks.collect()
}

/// Returns the commands of the console blocks of a page, each with the output shown below it.
fn examples(page: &Page) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    for block in page.blocks("console") {
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

/// Returns the rows of the tables of all pages, with trimmed cells.
fn rows() -> Vec<Vec<String>> {
    pages().iter().flat_map(Page::rows).collect()
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
        "the manual lacks\n{}",
        missing.join("\n")
    );
}

fn code(text: impl std::fmt::Display) -> String {
    format!("`{text}`")
}

#[test]
fn every_example_prints_what_is_shown() {
    let mut count = 0;
    for page in pages() {
        let mut text = page.text.clone();
        for (command, shown) in examples(&page) {
            let [program, args @ ..] = &words(&command)[..] else {
                panic!("an example without a command");
            };
            assert_eq!(program, "fairscope", "{command}");
            let ran = Run::fairscope(args).run();
            assert!(matches!(ran.code, Some(0 | 1)), "{command}\n{}", ran.stderr);
            let complaints = ran.stderr.clone();
            let output = ran.text() + &complaints;
            count += 1;
            if std::env::var_os("UPDATE").is_some() && !shown.contains(ANYTHING) {
                let [before, after] = [&shown, &output].map(|text| format!("$ {command}\n{text}"));
                text = text.replace(&before, &after);
                continue;
            }
            assert!(
                is_as_shown(&output, &shown),
                "$ {command}\nprints\n{output}\nand {} shows\n{shown}",
                page.path
            );
        }
        if text != page.text {
            std::fs::write(root().join(&page.path), text).expect("the page can be written");
        }
    }
    assert!(count >= 8, "only {count} examples");
}

#[test]
fn every_file_shown_opens_without_problems() {
    let mut count = 0;
    let is_lesson = |text: &String| text.contains("[[step]]");
    let (lessons, trees): (Vec<_>, Vec<_>) = blocks("toml").into_iter().partition(is_lesson);
    for text in &lessons {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lesson.toml");
        let seed = format!("{}/tests/data/seed", env!("CARGO_MANIFEST_DIR"));
        let text = text.replace("\"sched_priv\"", &format!("{seed:?}"));
        std::fs::write(&file, text).expect("a file");
        let printed = Run::fairscope([OsStr::new("lesson"), file.as_os_str()]);
        let printed = printed.run().success();
        printed.must_contain("Answer: it becomes smaller: ");
    }
    assert_eq!(lessons.len(), 1, "a lesson");
    for text in [trees, blocks("csv")].concat() {
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
fn the_manual_lists_the_keys_of_the_keymap() {
    let keymap = Keymap::default();
    assert_rows(Action::ALL.iter().map(|&action| {
        let keys: Vec<String> = keymap.keys(action).iter().map(code).collect();
        let name = code(action.name());
        vec![keys.join(" "), action.help().to_owned(), name]
    }));
}

#[test]
fn the_tables_of_the_manual_match_the_program() {
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
    let rows = rows();
    for key in Settings::keys() {
        let expected = Settings::expected(key).unwrap_or_default();
        let is_row = |row: &&Vec<String>| row.starts_with(&named(key, expected));
        let row = rows.iter().find(is_row).expect(key);
        assert_eq!(row[3], Settings::help(key), "{key}");
    }
}

/// A row that stands in two tables was written over one of them.
#[test]
fn every_table_of_the_manual_has_rows_of_its_own() {
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    for page in pages() {
        let mut heading = String::new();
        let mut above = "";
        for line in page.text.lines() {
            if line.starts_with('|') && !above.starts_with('|') {
                heading = format!("{}: {line}", page.path);
            } else if line.starts_with("| ") {
                let other = tables.insert(line.to_owned(), heading.clone());
                let other = other.unwrap_or_else(|| heading.clone());
                assert_eq!(other, heading, "{line} stands in both tables");
            }
            above = line;
        }
    }
    assert!(tables.len() > 300, "{}", tables.len());
}

#[test]
fn the_manual_shows_the_documented_settings() {
    let shown = blocks("text");
    let settings = include_str!("../assets/config.toml");
    assert!(shown.iter().any(|text| text == settings), "{settings}");
}

#[test]
fn the_manual_lists_the_commands_of_the_program() {
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
    "desired-",
    "directory-",
    "flux-",
    "formula-",
    "jobs-",
    "live-",
    "pbs-",
    "recorded-",
    "scenario-",
    "slurm-",
    "timeline-",
    "toml-",
    "usage-",
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
            // Formats and the program of Flux are called alike.
            .filter(|text| Format::named(text).is_none() && *text != "flux-accounting");
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

/// The severities in tables of problems, and their names in the manual.
const SEVERITIES: &[(&str, &str)] = &[("Note", "note"), ("Warning", "warning"), ("Error", "error")];

/// Returns the codes in the tables of problems, each with its severities: from `NoRows, Warning "csv-no-rows",`.
fn codes_of_tables() -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut codes: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for path in crate::support::source_files() {
        let text = std::fs::read_to_string(&path).expect("the sources can be read");
        for table in text.split("\nproblems! {\n").skip(1) {
            let table = table.split("\n}\n").next().unwrap_or_default();
            for (word, name) in SEVERITIES {
                for row in table.split(&format!("{word} \"")).skip(1) {
                    let code = row.split('"').next().unwrap_or_default();
                    codes.entry(code.to_owned()).or_default().insert(name);
                }
            }
        }
    }
    codes
}

/// Returns the codes that the manual lists, each with its severities.
fn listed_codes() -> BTreeMap<String, Vec<String>> {
    let mut listed = BTreeMap::new();
    for row in rows() {
        if row.len() != 3 {
            continue;
        }
        let severities: Vec<String> = row[1].split(", ").map(str::to_owned).collect();
        let is_known = |word: &String| SEVERITIES.iter().any(|(_, name)| name == word);
        if severities.iter().all(is_known) {
            listed.insert(row[0].trim_matches('`').to_owned(), severities);
        }
    }
    listed
}

#[test]
fn the_manual_tells_the_severities_of_the_tables_of_problems() {
    let listed = listed_codes();
    let codes = codes_of_tables();
    assert!(codes.len() > 40, "{codes:?}");
    let mut missing = Vec::new();
    for (code, severities) in codes {
        let told = listed.get(&code).map(Vec::as_slice).unwrap_or_default();
        for severity in severities {
            if !told.iter().any(|told| told == severity) {
                missing.push(format!("{code} is a {severity}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "the manual does not tell: {}",
        missing.join("; ")
    );
}

#[test]
fn the_manual_lists_the_problem_codes_of_the_sources() {
    let listed: BTreeSet<String> = listed_codes().into_keys().collect();
    let mut codes = codes();
    codes.extend(codes_of_tables().into_keys());
    for policy in Policy::ALL {
        codes.remove(policy.name());
    }
    assert!(codes.len() > 50, "{codes:?}");
    let missing: Vec<_> = codes.difference(&listed).collect();
    assert!(missing.is_empty(), "the manual lacks {missing:?}");
    let surplus: Vec<_> = listed.difference(&codes).collect();
    assert!(surplus.is_empty(), "nothing says {surplus:?}");
}

#[test]
fn every_picture_file_and_heading_linked_to_exists() {
    let root = root();
    let pages = pages();
    let mut shown = BTreeSet::new();
    for page in &pages {
        let folder = root.join(&page.path);
        let folder = folder.parent().expect("a page is in a folder");
        for target in page.targets() {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                root.join(&page.path)
            } else {
                folder.join(file)
            };
            let path = path.canonicalize();
            let path = path.unwrap_or_else(|_| panic!("{}: there is no {target}", page.path));
            if !heading.is_empty() {
                let other = pages.iter().find(|page| root.join(&page.path) == path);
                let headings = other.expect("a heading is on a page").headings();
                let is_there = headings.iter().any(|known| known == heading);
                assert!(is_there, "{}: there is no heading {target}", page.path);
            }
            shown.insert(path);
        }
    }
    for picture in std::fs::read_dir(root.join("screenshots")).expect("there are pictures") {
        let path = picture.expect("there are pictures").path();
        // A gallery is a folder with a page of its own.
        let path = if path.is_dir() {
            path.join("README.md")
        } else {
            path
        };
        assert!(shown.contains(&path), "{} is not shown", path.display());
    }
}

#[test]
fn every_file_of_the_manual_is_a_topic_with_a_title() {
    let folder = std::fs::read_dir(root().join("assets/manual")).expect("there is a manual");
    let files: BTreeSet<String> = folder
        .map(|file| file.expect("it can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let named = TOPICS.iter().map(|topic| format!("{}.md", topic.name));
    assert_eq!(files, named.collect());
    for topic in TOPICS {
        assert!(topic.text.starts_with("# "), "{}", topic.name);
        assert!(topic.title().len() > topic.name.len(), "{}", topic.name);
        let begin = topic.title().split(": ").next().unwrap_or_default();
        assert_eq!(begin.to_lowercase(), topic.name);
        assert!(!topic.title().contains('`'), "{}", topic.name);
        let is_command = commands().iter().any(|command| command == topic.name);
        assert!(!is_command, "help {} prints the command", topic.name);
        assert_eq!(Topic::named(topic.name), Some(*topic));
    }
}

#[test]
fn the_quick_starts_have_no_names_of_our_examples() {
    let readme = &pages()[0];
    let (_, starts) = readme
        .text
        .split_once("## Quick starts")
        .expect("a heading");
    let (starts, _) = starts.split_once("\n## ").expect("a further heading");
    starts.must_contain("your own names here");
    for name in ["suzy", "bob", "scott", "cathy", "alice", "carol", "physics"] {
        assert!(!starts.contains(name), "{name}");
    }
}

#[test]
fn the_usage_of_pbs_is_told_apart_for_entities_and_groups() {
    let page = pages()
        .into_iter()
        .find(|page| page.path.ends_with("formulas.md"));
    let row = "| usage | of an entity: what is recorded of it, or 1 if nothing is; of a group: 1 plus what is recorded";
    assert!(page.is_some_and(|page| page.text.contains(row)));
    let columns = ["--columns", "name,usage", "--format-out", "csv"];
    let printed = Run::fairscope(["show", "tests/data/seed"])
        .args(columns)
        .run()
        .success();
    for row in ["scott,1000.0", "suzy,1.0", "group2,1001.0"] {
        assert!(printed.lines().any(|line| line == row), "{printed}");
    }
}

#[test]
fn the_readme_is_read_in_five_minutes() {
    let page = pages().remove(0);
    assert_eq!(page.path, "README.md");
    let lines = page.text.lines().count();
    assert!(lines <= 200, "{lines} lines");
    let starts = page.blocks("sh");
    let quick = starts.iter().filter(|block| block.contains("fairscope "));
    for block in quick {
        assert_eq!(block.lines().count(), 5, "{block}");
    }
    for command in ["cargo run --release", "cargo test"] {
        assert!(starts[0].contains(command), "{command}");
    }
    let targets = page.targets();
    for topic in TOPICS {
        let file = format!("assets/manual/{}.md", topic.name);
        assert!(targets.contains(&&file[..]), "{file} is not linked");
    }
}

#[test]
fn no_long_sentence_is_on_two_pages() {
    let mut seen = std::collections::BTreeMap::new();
    for page in pages() {
        let paragraphs = page.text.replace("```", "\n\n");
        for paragraph in paragraphs.split("\n\n") {
            if paragraph.starts_with(['|', '#', '!', '`']) || paragraph.starts_with("console") {
                continue;
            }
            let text = paragraph.replace('\n', " ");
            for sentence in text.split(". ").filter(|sentence| sentence.len() > 60) {
                if let Some(other) = seen.insert(sentence.to_owned(), page.path.clone()) {
                    panic!("{other} and {} both say: {sentence}", page.path);
                }
            }
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
