//! A lesson of one's own to begin with: steps of built-in lessons with the nodes of another tree, as a file to edit.

use super::staged::fits_tree;
use toml::Value;
use toml::de::DeTable;

/// The line with which a step begins.
const STEP: &str = "[[step]]";

/// The first lines of a file: how to go on with it.
const HEAD: &str = "\
# A lesson about your own tree. Change its words, add steps of yours, and play it: fairscope lesson FILE
# Numbers stand in braces and are computed when they are shown. fairscope help lessons explains every key.
";

/// What a made lesson says first.
const FIRST_TEXT: &str = "\
Here are {users} users under {policy}. Shares say how much of the cluster an account should get, and usage is what it got
lately. Fairshare ranks the users from both: rank one runs first.";

/// What a lesson is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeLesson<'a> {
    /// The path of the tree.
    pub source: &'a str,
    /// The name of the policy.
    pub policy: &'a str,
    /// The steps behind the first one, as text.
    pub steps: String,
}

impl MadeLesson<'_> {
    /// Returns the lesson as a file.
    pub fn write(&self) -> String {
        let source = Value::from(self.source);
        let policy = Value::from(self.policy);
        let steps = &self.steps;
        format!(
            "{HEAD}title = \"Fairshare on our cluster\"\nabout = \"Who runs first on our tree, and why.\"\nminutes = 10\n\
             source = {source}\n\n{STEP}\ntitle = \"Our tree\"\ntext = \"\"\"\n{FIRST_TEXT}\n\"\"\"\npolicy = {policy}\n\
             select = \"\"\nscreen = \"tree\"\nwhy = \"hidden\"\n\n{steps}"
        )
    }
}

/// Returns the steps of a lesson's file that are for another tree of a policy, as they are written there.
pub fn steps_for(text: &str, policy: &str) -> String {
    let mut steps = String::new();
    for step in written_steps(text) {
        let Ok(parsed) = DeTable::parse(&step) else {
            continue;
        };
        let mut trees = Vec::new();
        if let Some(entries) = parsed.get_ref().get("step")
            && let Some(entry) = entries.get_ref().get(0)
            && let Some(names) = entry.get_ref().get("trees")
        {
            for name in names.get_ref().as_array().into_iter().flatten() {
                trees.extend(name.get_ref().as_str());
            }
        }
        if fits_tree(&trees, true, policy) {
            steps.push_str(&without_trees(&step));
        }
    }
    steps
}

/// Returns the steps of a lesson's file, each as it is written there.
fn written_steps(text: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in text.lines() {
        if line == STEP {
            steps.push(String::new());
        }
        if let Some(step) = steps.last_mut() {
            step.push_str(line);
            step.push('\n');
        }
    }
    steps
}

/// Returns a step without the line that says for which trees it is.
fn without_trees(step: &str) -> String {
    let mut kept = String::new();
    for line in step.lines() {
        let is_of_trees = match line.split_once('=') {
            Some((key, _)) => key.trim_end() == "trees",
            None => false,
        };
        if !is_of_trees {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
