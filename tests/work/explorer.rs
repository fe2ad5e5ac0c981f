//! The explorer: keys, marks, the history, lessons.

use super::{Arguments, Case, arguments, assert_linear, lines, namesakes, users, write};
use std::path::Path;

/// Presses keys in a tree and takes a picture.
fn keys(tree: &str, keys: &str) -> Arguments {
    arguments(["screenshot", tree, "--keys", keys, "--format-out", "text"])
}

/// Prints a lesson of so many steps.
fn lesson(folder: &Path, count: usize, form: &str, step: &str) -> Arguments {
    let head = "title = \"t\"\nabout = \"a\"\nsource = \"example:small\"\n";
    let steps = format!("[[step]]\ntext = \"{{users}}\"\n{step}");
    let file = write(
        folder,
        "lesson.toml",
        &format!("{head}{}", steps.repeat(count)),
    );
    arguments(["lesson", &file, "--format-out", form])
}

const QUESTION: &str =
    "ask = { text = \"who?\", nodes = [\"group1/bob\", \"group1/cathy\"], smallest = \"rank\" }\n";

const CASES: [Case; 9] = [
    ("users in the explorer", |folder, count| {
        keys(&users(folder, count), "G j k")
    }),
    ("marks", |folder, count| {
        keys(&users(folder, count), "M enter e \"9\" enter u")
    }),
    ("nudges of a key", |folder, count| {
        keys(
            &users(folder, 20),
            &format!("j j {}", "+ ".repeat(count / 10)),
        )
    }),
    ("edits that are undone", |folder, count| {
        users(folder, 20);
        let edits = lines(count / 10, |place| {
            format!(
                "[[edit]]\ndo = \"shares lab/u{}={}\"\n",
                place % 20,
                50 + place
            )
        });
        let text = format!("fairscope = 1\n[source]\npath = \"tree.toml\"\n{edits}");
        let file = write(folder, "scenario.toml", &text);
        keys(&file, &"u ".repeat(count / 10))
    }),
    ("matches of a search", |folder, count| {
        keys(&namesakes(folder, count), "/ \"kim\" enter n n n")
    }),
    ("steps of a lesson", |folder, count| {
        lesson(folder, count, "text", "")
    }),
    ("steps of a lesson, JSON", |folder, count| {
        lesson(folder, count, "json", "")
    }),
    ("steps that select a node", |folder, count| {
        lesson(folder, count, "markdown", "select = \"group1/bob\"\n")
    }),
    ("steps that ask", |folder, count| {
        // A lesson of 40,000 questions would be larger than the largest.
        lesson(folder, count / 2, "text", QUESTION)
    }),
];

#[test]
fn the_explorer_takes_work_by_what_it_shows() {
    assert_linear(&CASES);
}
