//! What the questions of the built-in lessons ask about, and whether a table tells it.

use fairscope::report::lesson::{Staged, fill};
use fairscope::scenario::Scenario;
use std::path::Path;

/// The names of the nodes that a question is about, and the headings of the columns that tell its answer.
pub(crate) type Asked = (Vec<String>, Vec<String>);

/// Returns the steps of a lesson in its file that are played on its own tree.
pub(crate) fn steps_in_file(name: &str, staged: &Staged) -> Vec<toml::Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
    let text = std::fs::read_to_string(file.join(name).with_extension("toml"));
    let text = fill(&text.expect("a lesson"), &[]);
    let lesson: toml::Table = text.parse().expect("a lesson in TOML");
    let steps = lesson["step"].as_array().expect("steps").iter();
    let steps = steps.filter(|step| {
        let trees = step.get("trees").and_then(toml::Value::as_array);
        trees.is_none_or(|trees| trees.iter().any(|tree| tree.as_str() == Some("example")))
    });
    let steps: Vec<toml::Value> = steps.cloned().collect();
    assert_eq!(steps.len(), staged.lesson.steps.len(), "{name}");
    steps
}

/// The questions of a lesson in its file, by step.
pub(crate) fn asked(name: &str, staged: &Staged) -> Vec<Option<Asked>> {
    let steps = steps_in_file(name, staged);
    let question = |(number, step): (usize, &toml::Value)| {
        let ask = step.get("ask")?;
        let text = |key: &str| ask.get(key).and_then(toml::Value::as_str);
        let nodes = ask.get("nodes").and_then(toml::Value::as_array);
        let nodes = nodes.map(|nodes| nodes.iter().filter_map(toml::Value::as_str).collect());
        let nodes: Vec<&str> = nodes.unwrap_or_else(|| text("node").into_iter().collect());
        let nodes = nodes.iter().map(|path| path.rsplit('/').next().unwrap());
        let column = ["smallest", "largest", "change"].into_iter().find_map(text);
        let policy = staged.stage(number).now.policy();
        let heading = |name: &str| {
            let mut columns = policy.columns().iter();
            let column = columns.find(|column| column.name() == name);
            column.map(|column| column.heading().to_owned())
        };
        let of_ranks = ["Rank", "Factor", "FsFactor"].map(str::to_owned);
        let headings = match column {
            None | Some("rank" | "factor") => of_ranks.to_vec(),
            Some("bucket_factor") => vec!["F".to_owned()],
            Some(name) => heading(name).into_iter().collect(),
        };
        Some((nodes.map(str::to_owned).collect(), headings))
    };
    steps.iter().enumerate().map(question).collect()
}

/// Returns the questions that a tree would answer before they are asked, from this step on.
pub(crate) fn told_by<'a>(
    staged: &Staged,
    asked: &'a [Option<Asked>],
    tree: &Scenario,
    from: usize,
) -> Vec<&'a Asked> {
    let later = asked.iter().enumerate().skip(from);
    let later = later.filter(|&(step, _)| std::ptr::eq(staged.stage(step).now, tree));
    later.filter_map(|(_, asked)| asked.as_ref()).collect()
}

/// Holds that the tables of a text have no number for a question. Returns how many `?` they have.
pub(crate) fn holds_hidden(text: &str, (nodes, headings): &Asked, what: &str) -> usize {
    let mut hidden = 0;
    let is_heading = |line: &str| {
        let nouns = ["Account / user", "Group / user", "Bank / user"];
        nouns.iter().any(|noun| line.contains(noun))
    };
    let mut lines = text.lines().skip_while(|line| !is_heading(line)).peekable();
    while let Some(first) = lines.next() {
        // The last letter of a number is below that of its heading.
        let end = |heading: &String| {
            let at = format!("{first} ").find(&format!(" {heading} "))? + 1;
            Some(first[..at].chars().count() + heading.chars().count())
        };
        let ends: Vec<usize> = headings.iter().filter_map(end).collect();
        while let Some(row) = lines.next_if(|row| !row.trim().is_empty() && !is_heading(row)) {
            let words = |char: char| !char.is_alphanumeric() && !"-_.".contains(char);
            let is_asked = row
                .split(words)
                .any(|word| nodes.iter().any(|node| node == word));
            if row.contains('─') && !row.contains('├') && !row.contains('└') {
                break;
            }
            for &end in ends.iter().filter(|_| is_asked) {
                let cell: String = row.chars().take(end).collect();
                let cell = cell.split_whitespace().last().unwrap_or_default();
                let has_digit = cell.contains(|char: char| char.is_ascii_digit());
                assert!(!has_digit, "{what}: {cell} in {row:?}\n{text}");
                hidden += usize::from(cell == "?");
            }
        }
        while lines.next_if(|line| !is_heading(line)).is_some() {}
    }
    hidden
}
