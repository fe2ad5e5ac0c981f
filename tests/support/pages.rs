//! The README and the pages of the manual as text.

use std::path::Path;

/// A page: the README or a topic of the manual.
pub(crate) struct Page {
    /// The path in the project.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
}

/// Returns the README and the topics of the manual.
pub(crate) fn pages() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manual = std::fs::read_dir(root.join("assets/manual")).expect("there is a manual");
    let mut paths: Vec<String> = manual
        .map(|file| file.expect("it can be read").file_name())
        .map(|name| format!("assets/manual/{}", name.to_string_lossy()))
        .collect();
    paths.sort();
    paths.insert(0, "README.md".to_owned());
    let page = |path: String| {
        let text = std::fs::read_to_string(root.join(&path)).expect("the page can be read");
        Page { path, text }
    };
    paths.into_iter().map(page).collect()
}

impl Page {
    /// Returns the texts of the fenced blocks of a language.
    pub(crate) fn blocks(&self, language: &str) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut open: Option<(bool, String)> = None;
        for line in self.text.lines() {
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
        assert!(open.is_none(), "{}: a fence is not closed", self.path);
        blocks
    }

    /// Returns the rows of the tables, with trimmed cells.
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let is_row = |line: &&str| line.starts_with("| ") && line.ends_with('|');
        let cells = |line: &str| {
            let inside = line.trim_start_matches('|').trim_end_matches('|');
            inside
                .split(" | ")
                .map(|cell| cell.trim().replace("\\|", "|"))
                .collect()
        };
        self.text.lines().filter(is_row).map(cells).collect()
    }

    /// Returns the addresses of links and pictures.
    pub(crate) fn targets(&self) -> Vec<&str> {
        let links = self.text.split("](").skip(1);
        let targets = links.filter_map(|rest| rest.split_once(')'));
        targets.map(|(target, _)| target).collect()
    }

    /// Returns the headings as addresses name them.
    pub(crate) fn headings(&self) -> Vec<String> {
        let lines = self.text.lines();
        let headings = lines.filter_map(|line| line.strip_prefix('#'));
        headings
            .map(|line| {
                let heading = line.trim_start_matches('#').trim().to_lowercase();
                let heading = heading.replace([',', ':', '.', '?', '`', '\''], "");
                heading.replace(' ', "-")
            })
            .collect()
    }
}
