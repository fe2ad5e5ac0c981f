//! Text printed by `sshare` at the same moment as other captures, to compare them with it.

use crate::support::captures::Label;
use crate::support::files::files_below;
use crate::support::loading::go_on;
use fairscope::format::input::Input;
use fairscope::format::{Format, LoadError, Loaded, Request};
use fairscope::model::{Fact, Kind, NodeId, Snapshot};
use fairscope::open::load_inputs;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Opens bytes as a file with this name.
pub(super) fn load_bytes(bytes: &[u8], name: &str) -> Result<Loaded, LoadError> {
    load_as(bytes, name, None)
}

/// Opens bytes as a file with this name and format.
pub(super) fn load_as(
    bytes: &[u8],
    name: &str,
    format: Option<Format>,
) -> Result<Loaded, LoadError> {
    let input = Input {
        path: PathBuf::from(name),
        bytes: bytes.to_vec(),
        modified: None,
    };
    let request = Request {
        format,
        ..Request::default()
    };
    load_inputs(vec![input], &request, &mut go_on)
}

/// The error message for bytes.
pub(super) fn refusal(bytes: &[u8], name: &str) -> String {
    match load_bytes(bytes, name) {
        Ok(loaded) => panic!("loaded {:?}", loaded.snapshot.source),
        Err(error) => error.to_string(),
    }
}

/// The files of all captures with one of these endings, each with the name of its case, in order.
pub(super) fn captures(endings: &[&str]) -> Vec<(String, PathBuf)> {
    let Some(root) = crate::support::golden("slurm") else {
        return Vec::new();
    };
    let has_ending = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default();
        endings.iter().any(|wanted| ending == *wanted)
    };
    let files = files_below(&root).into_iter().filter(has_ending);
    let with_case = files.map(|path| (Label::of(&root, &path).case, path));
    let mut found: Vec<_> = with_case.collect();
    found.sort();
    found
}

/// `sshare -a -P` with all fields.
pub(super) struct Printed {
    pub(super) rows: Vec<PrintedRow>,
    /// Whether indentation is reliable; names with slashes or leading blanks break it.
    indents: bool,
}

/// An association as it was printed.
pub(super) struct PrintedRow {
    /// `account|user` as printed; both names may contain bars.
    names: String,
    depth: usize,
    /// The columns from `Cluster` to the last.
    cells: Vec<String>,
}

const COLUMNS: [&str; 13] = [
    "Cluster",
    "Partition",
    "ID",
    "RawShares",
    "NormShares",
    "RawUsage",
    "NormUsage",
    "EffectvUsage",
    "FairShare",
    "LevelFS",
    "GrpTRESMins",
    "GrpTRESRaw",
    "TRESRunMins",
];

impl PrintedRow {
    fn cell(&self, column: &str) -> &str {
        let place = COLUMNS.iter().position(|known| *known == column);
        &self.cells[place.expect("a known column")]
    }
}

impl Printed {
    /// The text beside another capture.
    pub(super) fn beside(path: &Path) -> Self {
        let folder = path.parent().expect("a folder");
        let text = ["sshare_a_P_allfields.txt"]
            .iter()
            .find_map(|name| std::fs::read_to_string(folder.join(name)).ok());
        let text = text.unwrap_or_default();
        let rows = text.lines().skip(1).map(|line| {
            let mut cells: Vec<String> = line
                .rsplitn(COLUMNS.len() + 1, '|')
                .map(str::to_owned)
                .collect();
            let names = cells.pop().expect("names");
            cells.reverse();
            PrintedRow {
                depth: names.len() - names.trim_start_matches(' ').len(),
                names: names.trim_start_matches(' ').to_owned(),
                cells,
            }
        });
        Self {
            rows: rows.collect(),
            indents: !folder.to_string_lossy().contains("12-odd-names"),
        }
    }

    /// The node of each row; asserts that every node has a row.
    fn nodes(&self, snapshot: &Snapshot, name: &str) -> Vec<NodeId> {
        let tree = &snapshot.tree;
        let text = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
        let mut known: HashMap<(String, String), NodeId> = HashMap::new();
        for &node in tree.nodes() {
            let names = match (tree.kind(node), tree.parent(node)) {
                (Kind::User, Some(account)) => format!("{}|{}", text(account), text(node)),
                _ => format!("{}|", text(node)),
            };
            let partition = tree.partition(node).unwrap_or_default();
            let partition = String::from_utf8_lossy(partition).into_owned();
            let names = names.trim_start_matches(' ').to_owned();
            assert_eq!(known.insert((names, partition), node), None, "{name}");
        }
        assert_eq!(known.len(), self.rows.len(), "{name}");
        let node = |row: &PrintedRow| {
            let key = (row.names.clone(), row.cell("Partition").to_owned());
            *known
                .get(&key)
                .unwrap_or_else(|| panic!("{name}: {key:?} is not in the tree"))
        };
        self.rows.iter().map(node).collect()
    }

    /// Compares accounts, users, partitions, shares and usage.
    pub(super) fn compare(&self, snapshot: &Snapshot, name: &str) {
        if self.rows.is_empty() {
            println!("{name}: no text beside it");
            return;
        }
        let tree = &snapshot.tree;
        for (node, row) in self.nodes(snapshot, name).into_iter().zip(&self.rows) {
            let place = format!("{name}: {}", row.names);
            assert_eq!(snapshot.source.cluster, row.cell("Cluster"), "{place}");
            if self.indents {
                let depth = tree.depth(node) as usize;
                assert_eq!(depth, row.depth, "{place}");
            }
            if node != NodeId::ROOT {
                assert_eq!(
                    tree.shares(node).to_string(),
                    row.cell("RawShares"),
                    "{place}"
                );
            }
            let whole: f64 = row.cell("RawUsage").parse().expect("usage");
            let (least, most) = snapshot
                .recorded
                .usage_bounds(tree.usage(node))
                .expect("usage of every association");
            assert!(
                least < whole + 1.0 && whole <= most,
                "{place}: {least} {whole} {most}"
            );
        }
    }

    /// Compares the numbers that Slurm computed; numbers in both sources must be equal.
    pub(super) fn compare_figures(&self, snapshot: &Snapshot, name: &str) {
        const HALF: f64 = 0.5e-6;
        let facts = [
            (Fact::NormShares, "NormShares"),
            (Fact::NormUsage, "NormUsage"),
            (Fact::EffectvUsage, "EffectvUsage"),
            (Fact::FairShare, "FairShare"),
            (Fact::LevelFs, "LevelFS"),
        ];
        if self.rows.is_empty() {
            return;
        }
        for (node, row) in self.nodes(snapshot, name).into_iter().zip(&self.rows) {
            for (fact, column) in facts {
                let cell = row.cell(column);
                let place = format!("{name}: {} {column} {cell}", row.names);
                let figure = snapshot.recorded.figure(fact, node);
                let (Some(figure), false) = (figure, cell.is_empty()) else {
                    // The text omits levels of `parent` shares, and the JSON omits factors of classic policies.
                    continue;
                };
                let printed: f64 = cell.parse().expect("a number");
                let is_same = figure.value.to_bits() == printed.to_bits()
                    || (figure.value - printed).abs()
                        <= (HALF + figure.half_unit()) * 1.000_001 + printed.abs() * 1e-15;
                assert!(is_same, "{place}: {figure:?}");
            }
        }
    }

    /// Number of non-empty cells of a column, out of this number of associations.
    pub(super) fn count(&self, column: &str) -> usize {
        self.rows
            .iter()
            .filter(|row| !row.cell(column).is_empty())
            .count()
    }
}
