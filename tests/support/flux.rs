//! The golden cases of Flux's weighted walk: what the real flux-accounting computed for some trees.

use super::{data, golden};
use fairscope::format::{Request, Severity, csv};
use fairscope::model::{NodeId, Tree};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// One tree, with what Flux made of it.
pub(crate) struct Case {
    /// What messages call it.
    pub(crate) name: String,
    /// The tree, as our reader of CSV gives it.
    pub(crate) tree: Tree,
    /// What Flux computed for each node.
    pub(crate) rows: Vec<Row>,
}

/// What Flux computed for one node.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) depth: u32,
    pub(crate) parent: String,
    pub(crate) name: String,
    pub(crate) weight: f64,
    /// Flux's counter and fair-share, and the latter as Flux stores it; users only.
    pub(crate) standing: Option<(u32, f64, String)>,
}

impl Row {
    fn read(line: &str) -> Option<Self> {
        let ["N", depth, _, parent, name, _, _, weight, rank, share, text] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let standing = rank
            .parse()
            .ok()
            .map(|rank| (rank, number(share), text.to_owned()));
        Some(Self {
            depth: depth.parse().expect("a depth"),
            parent: parent.to_owned(),
            name: name.to_owned(),
            weight: number(weight),
            standing,
        })
    }

    /// What tells nodes apart: two may have one name.
    pub(crate) fn key(&self) -> (u32, String, String) {
        (self.depth, self.parent.clone(), self.name.clone())
    }
}

/// The names by which Flux's rows know a node.
pub(crate) fn key(tree: &Tree, node: NodeId) -> (u32, String, String) {
    let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
    let parent = tree.parent(node).map_or_else(String::new, name);
    (tree.depth(node), parent, name(node))
}

impl Case {
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("input.csv")).expect("a case has a tree");
        let request = Request {
            path: folder.join("input.csv"),
            ..Request::default()
        };
        let report = &mut |_: &_| ControlFlow::Continue(());
        let loaded = csv::parse(text.into_bytes(), &request, report).expect("a header");
        let is_refused =
            |problem: &&fairscope::format::Problem| problem.severity == Severity::Error;
        let refused = loaded.problems.list().iter().find(is_refused);
        assert_eq!(refused, None, "{}", folder.display());
        let expected = std::fs::read_to_string(folder.join("expected.tsv")).expect("numbers");
        let name = folder.file_name().expect("a case has a name");
        Self {
            name: name.to_string_lossy().into_owned(),
            tree: loaded.snapshot.tree,
            rows: expected.lines().filter_map(Row::read).collect(),
        }
    }
}

/// The cases kept with the tests and, where they are, all others.
pub(crate) fn cases() -> Vec<Case> {
    let root = golden("flux").unwrap_or_else(|| data("flux"));
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("a folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("input.csv").exists() && path.join("expected.tsv").exists())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "some cases are kept with the tests");
    folders.iter().map(|folder| Case::read(folder)).collect()
}
