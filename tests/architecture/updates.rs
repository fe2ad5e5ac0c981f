//! The state of the explorer changes in one place: in `tui::update`, by the methods of `tui::state`. Everything else
//! reads it.

use super::{code, module};
use crate::support::source_files;
use std::path::{Path, PathBuf};

/// The types of the state that only `tui::update` and `tui::state` may change.
const STATE: &[&str] = &["App", "Session", "Ui", "Pane", "Time", "Open", "Dialog"];

/// Methods of the explorer that the event loop calls, with a terminal or without.
const LOOP: &[&str] = &[
    "update",
    "passes_over",
    "draw",
    "draw_into",
    "changes",
    "drafts",
    "session",
    "notice",
    "theme",
];

/// The state that drawing may change: where things were drawn, and one number that is computed on demand.
const CELLS: &[&str] = &["drawn", "height", "lines", "tree_state"];

/// Returns the folder of the explorer that a file is in. `None` for files outside the explorer.
fn folder(file: &Path) -> Option<String> {
    let module = module(file);
    (module[0] == "tui").then(|| module.get(1).cloned().unwrap_or_default())
}

/// Returns the files of the explorer that may not change its state.
fn readers() -> Vec<PathBuf> {
    let is_reader = |file: &PathBuf| {
        folder(file).is_some_and(|folder| !matches!(folder.as_str(), "state" | "update"))
    };
    source_files().into_iter().filter(is_reader).collect()
}

/// Returns the words of a file and the signs between them, one by one.
fn words(file: &Path) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_word = false;
    for char in code(file).join("\n").chars() {
        let belongs = char.is_alphanumeric() || char == '_';
        match words.last_mut() {
            Some(word) if is_word && belongs => word.push(char),
            _ if !char.is_whitespace() => words.push(char.to_string()),
            _ => {}
        }
        is_word = belongs;
    }
    words
}

/// Returns the places in a file that would change the state of the explorer.
fn changes(file: &Path) -> Vec<String> {
    let words = words(file);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_owner = words.windows(3).any(|words| words == ["app", ":", "App"]);
    let mut found = Vec::new();
    let mut impl_of_state = false;
    for at in 0..words.len() {
        let next = word(at + 1);
        match word(at) {
            "impl" => impl_of_state = STATE.contains(&next),
            "mut" if STATE.contains(&next) => found.push(format!("mut {next}")),
            "mut" if next == "self" && impl_of_state => found.push("mut self".to_owned()),
            "open_tree" | "in_tree" | "pane_mut" => found.push(word(at).to_owned()),
            "app" if is_owner && next == "." && !LOOP.contains(&word(at + 2)) => {
                found.push(format!("app.{}", word(at + 2)));
            }
            "app" | "session" | "ui" | "pane" if next == "." => {
                // The path of fields ends here.
                let mut end = at + 1;
                while word(end) == "." {
                    end += 2;
                }
                let is_assigned = word(end) == "=" && !matches!(word(end + 1), "=" | ">");
                let is_changed = matches!(word(end), "+" | "-" | "*" | "/" | "|" | "&" | "%")
                    && word(end + 1) == "=";
                if is_assigned || is_changed {
                    found.push(format!("{} =", words[at..end].concat()));
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn only_update_changes_the_state_of_the_explorer() {
    let files = readers();
    assert!(files.len() > 30, "only {} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let name = module(&file).join("/");
        found.extend(changes(&file).iter().map(|what| format!("{name}: {what}")));
    }
    assert!(found.is_empty(), "changes of state:\n{}", found.join("\n"));
}

#[test]
fn drawing_records_only_where_things_were_drawn() {
    let mut cells = Vec::new();
    for file in source_files() {
        if folder(&file).is_none_or(|folder| folder != "state") {
            continue;
        }
        let words = words(&file);
        for at in 0..words.len() {
            let is_cell = matches!(
                words[at].as_str(),
                "Cell" | "RefCell" | "OnceCell" | "OnceLock" | "Mutex" | "RwLock"
            );
            let has_type = words.get(at + 1).is_some_and(|next| next == "<");
            // A cell may be shared: `field: Arc<OnceLock<`.
            let start = if at >= 2 && words[at - 1] == "<" && words[at - 2] == "Arc" {
                at - 2
            } else {
                at
            };
            if is_cell && has_type && start >= 2 && words[start - 1] == ":" {
                cells.push(words[start - 2].clone());
            }
        }
    }
    cells.sort();
    cells.dedup();
    assert_eq!(cells, CELLS);
}

#[test]
fn what_keys_do_does_not_depend_on_how_it_is_drawn() {
    for file in source_files() {
        let folder = folder(&file);
        if !matches!(folder.as_deref(), Some("state" | "update")) {
            continue;
        }
        let name = module(&file).join("/");
        let words = words(&file);
        let uses_screen = words
            .windows(4)
            .any(|words| words == ["tui", ":", ":", "screen"]);
        assert!(!uses_screen, "{name} needs the screen");
    }
}

#[test]
fn the_state_of_the_explorer_does_not_depend_on_the_code_that_changes_it() {
    for file in source_files() {
        if folder(&file).is_none_or(|folder| folder != "state") {
            continue;
        }
        let name = module(&file).join("/");
        let code = code(&file).join("\n");
        assert!(!code.contains("tui::update"), "{name} needs update");
        assert!(!code.contains("state::app"), "{name} needs the explorer");
    }
}
