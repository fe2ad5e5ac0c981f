//! The golden cases of Flux's weighted walk: numbers that flux-accounting computed for some trees.

use super::loading::{go_on, load_quietly};
use super::{data, files, golden};
use fairscope::base::number::Value;
use fairscope::format::{LoadError, Loaded, Request, Severity, csv};
use fairscope::model::{NodeId, Tree};
use fairscope::rules::policy::{ColumnId, Policy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A tree with the numbers that Flux computed for it.
pub(crate) struct Case {
    /// The name of the case in messages.
    pub(crate) name: String,
    /// The tree, as our CSV reader gives it.
    pub(crate) tree: Tree,
    /// The numbers that Flux computed for each node.
    pub(crate) rows: Vec<Row>,
}

/// The numbers that Flux computed for one node.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) depth: u32,
    pub(crate) parent: String,
    pub(crate) name: String,
    pub(crate) weight: f64,
    /// Flux's counter, its fair-share, and the fair-share as Flux stores it. Users only.
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

    /// The key of a node. A name alone is not unique.
    pub(crate) fn key(&self) -> (u32, String, String) {
        (self.depth, self.parent.clone(), self.name.clone())
    }
}

/// Returns the names that Flux's rows give to a node.
pub(crate) fn key(tree: &Tree, node: NodeId) -> (u32, String, String) {
    let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
    let parent = tree.parent(node).map_or_else(String::new, name);
    (tree.depth(node), parent, name(node))
}

impl Case {
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("input.csv")).expect("a case has a tree");
        let request = Request::to_open(folder.join("input.csv"));
        let loaded = csv::parse(text.into_bytes(), &request, &mut go_on).expect("a header");
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

/// Returns the cases kept with the tests and, if the golden set is available, all others.
pub(crate) fn cases() -> Vec<Case> {
    let root = golden("flux").unwrap_or_else(|| data("flux"));
    let folders = files::folders_with(&root, &["input.csv", "expected.tsv"]);
    folders.iter().map(|folder| Case::read(folder)).collect()
}

/// Reads the numbers that Flux computed from one of its files.
pub(crate) fn rows(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).expect("numbers");
    text.lines().filter_map(Row::read).collect()
}

/// Returns the folders of cases that have this file: those kept with the tests and, if available, all others.
pub(crate) fn folders_with(file: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for root in [Some(data("flux")), golden("flux")].into_iter().flatten() {
        let entries = files::entries(&root).into_iter();
        folders.extend(entries.filter(|path| path.join(file).exists()));
    }
    folders.sort();
    assert!(!folders.is_empty(), "some cases are kept with the tests");
    folders
}

/// Opens a file with settings.
pub(crate) fn load_with(path: &Path, settings: &[(&str, &str)]) -> Result<Loaded, LoadError> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let request = Request {
        settings: settings.iter().map(owned).collect(),
        ..Request::to_open(path.to_owned())
    };
    load_quietly(&request)
}

/// The numbers of a tree by name: shares, the bits of usage, weight and fair-share, and the counter, each where there
/// is one. Two nodes may have the same name.
pub(crate) type Numbers = BTreeMap<(u32, String, String), Vec<[Option<u64>; 3]>>;

/// Computes weight, counter and fair-share of a tree.
pub(crate) fn computed(loaded: &Loaded) -> Numbers {
    let tree = &loaded.snapshot.tree;
    let evaluation = Policy::Flux.evaluate(tree, &loaded.snapshot.settings);
    let mut numbers = Numbers::new();
    for &node in tree.nodes() {
        let bits = |column| evaluation.number(column, node).map(f64::to_bits);
        let counter = match evaluation.value(ColumnId::SchedulerRank, node) {
            Value::Count(count) => u64::try_from(count).ok(),
            _ => None,
        };
        let row = [bits(ColumnId::Weight), counter, bits(ColumnId::Factor)];
        numbers.entry(key(tree, node)).or_default().push(row);
    }
    for rows in numbers.values_mut() {
        rows.sort_unstable();
    }
    numbers
}

/// Returns the numbers that Flux computed, in the same form.
pub(crate) fn expected(rows: &[Row]) -> Numbers {
    let mut numbers = Numbers::new();
    for row in rows {
        let (counter, share) = match &row.standing {
            Some((counter, share, _)) => (Some(u64::from(*counter)), Some(share.to_bits())),
            None => (None, None),
        };
        let weight = Some(row.weight.to_bits());
        numbers
            .entry(row.key())
            .or_default()
            .push([weight, counter, share]);
    }
    for rows in numbers.values_mut() {
        rows.sort_unstable();
    }
    numbers
}

/// A database that a test writes, in its own folder.
pub(crate) struct Made {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

/// The statement that creates the table of banks.
pub(crate) const BANKS: &str = "CREATE TABLE bank_table (bank_id integer PRIMARY KEY AUTOINCREMENT, bank text NOT NULL, active int DEFAULT 1, parent_bank text DEFAULT '', shares int NOT NULL, job_usage real DEFAULT 0.0);";
/// The statement that creates the table of associations.
pub(crate) const ASSOCIATIONS: &str = "CREATE TABLE association_table (active int DEFAULT 1, username tinytext NOT NULL, bank tinytext NOT NULL, shares int DEFAULT 1, job_usage real DEFAULT 0.0, fairshare real DEFAULT 0.5, PRIMARY KEY (username, bank));";
/// Two banks with three users.
pub(crate) const ROWS: &str = "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('root', '', 1), ('A', 'root', 2), ('B', 'root', 1); INSERT INTO association_table (username, bank, shares, job_usage) VALUES ('a1', 'A', 1, 10.0), ('a2', 'A', 3, 2.5), ('b1', 'B', 1, 7.0);";

/// Writes a database whose name must be escaped in a URI.
pub(crate) fn made(sql: &[&str]) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Flux Accounting 100%?#é.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    for sql in sql {
        connection.execute_batch(sql).unwrap();
    }
    Made { folder, path }
}
