//! What differs between the program and a page stands at the edges: everywhere else the sources are the same.

use super::{code, module};
use crate::support::source_files;

/// The files that ask for a feature, and how many times each does.
const EDGES: &[(&str, usize)] = &[
    // What files are read from, and what saves them.
    ("base", 2),
    // What happens between two steps of work where there is one thread.
    ("base/cores", 1),
    // The database of flux-accounting.
    ("format/flux", 1),
    // The command line and what only it uses, and the explorer of a page.
    ("lib", 3),
    // The commands of schedulers.
    ("open", 1),
    // The terminal, and what the library gives of it.
    ("tui", 3),
];

#[test]
fn features_are_asked_for_at_the_edges_only() {
    let mut found = Vec::new();
    for file in source_files() {
        let mut asked = 0;
        for line in code(&file) {
            asked += line.matches("feature = \"").count();
        }
        if asked > 0 {
            found.push((module(&file).join("/"), asked));
        }
    }
    found.sort_unstable();
    let found: Vec<(&str, usize)> = found
        .iter()
        .map(|(file, asked)| (file.as_str(), *asked))
        .collect();
    assert_eq!(found, EDGES);
}
