//! The golden cases of Slurm's policies: numbers that the plugins of Slurm 14.11 computed for some trees.

use super::files::folders_with;
use super::{data, golden};
use fairscope::model::{Kind, NodeId, Position, Shares, Tree, TreeBuilder};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A tree with the numbers that Slurm computed for it.
pub(crate) struct Case {
    /// The name of the case in messages.
    pub(crate) name: String,
    /// The tree as built from the case.
    pub(crate) tree: Tree,
    /// The same tree as CSV.
    pub(crate) csv: String,
    folder: PathBuf,
    /// The nodes by their number in the case.
    nodes: HashMap<String, NodeId>,
}

/// The numbers that Slurm computed for one node, by the name of the column.
pub(crate) struct Row {
    pub(crate) node: NodeId,
    cells: HashMap<String, String>,
}

impl Row {
    /// Returns the text of a cell. `None` if the column does not apply.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        let cell = self
            .cells
            .get(column)
            .unwrap_or_else(|| panic!("there is no column {column}"));
        Some(cell.as_str()).filter(|cell| *cell != "-")
    }

    /// Returns a float that the file gives exactly, rounded to a double.
    pub(crate) fn number(&self, column: &str) -> Option<f64> {
        self.text(&format!("{column}_x")).map(hexadecimal)
    }

    /// Returns a whole number.
    pub(crate) fn count(&self, column: &str) -> Option<u64> {
        self.text(column)
            .map(|text| text.parse().expect("a whole number"))
    }

    /// Returns a 64-bit word.
    pub(crate) fn word(&self, column: &str) -> Option<u64> {
        self.text(column)
            .map(|text| u64::from_str_radix(text, 16).expect("a hexadecimal word"))
    }
}

/// Reads a hexadecimal float of up to 64 bits of mantissa, rounded to the nearest double, ties to even.
pub(crate) fn hexadecimal(text: &str) -> f64 {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1.0, text),
        None => (1.0, text),
    };
    match text {
        "inf" => return sign * f64::INFINITY,
        "nan" => return f64::NAN,
        _ => {}
    }
    let digits = text.strip_prefix("0x").expect("a hexadecimal float");
    let (digits, exponent) = digits.split_once('p').expect("an exponent");
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u128::from_str_radix(&format!("{whole}{fraction}"), 16).expect("digits");
    let exponent: i32 = exponent.parse().expect("an exponent");
    let exponent = exponent - 4 * i32::try_from(fraction.len()).expect("a few digits");
    // A conversion from u128 rounds to nearest, ties to even, and a power of two is exact. Two steps are needed because
    // the power alone may be too small for a double.
    let half = exponent / 2;
    sign * (mantissa as f64) * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half)
}

impl Case {
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("input.txt")).expect("a case has an input");
        let mut builder = TreeBuilder::new(b"root");
        let mut nodes: HashMap<String, NodeId> = HashMap::new();
        let mut names: HashMap<String, String> = HashMap::new();
        let mut csv = "parent,name,shares,usage,type,active\n".to_owned();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [id, parent, name, kind, shares, usage, rest @ ..] = &fields[..] else {
                panic!("{}: {line}", folder.display());
            };
            let kind = match *kind {
                "user" => Kind::User,
                _ => Kind::Account,
            };
            let active = rest.first().copied();
            let node = match nodes.get(*parent) {
                None => NodeId::ROOT,
                Some(&parent) => {
                    let name = builder.intern(name.as_bytes());
                    builder.push(parent, name, kind, Position::Last)
                }
            };
            builder.set_shares(
                node,
                match shares.parse() {
                    Ok(count) => Shares::new(count),
                    Err(_) => Shares::PARENT,
                },
            );
            if let Ok(amount) = usage.parse() {
                builder.record(node, amount, kind == Kind::User);
            }
            if let Some(active) = active {
                builder.set_active(node, active == "1");
            }
            let above = names.get(*parent).map_or("", String::as_str);
            let usage = if *usage == "-" { "" } else { usage };
            let kind = kind.name();
            let active = active.unwrap_or("");
            writeln!(csv, "{above},{name},{shares},{usage},{kind},{active}").expect("room");
            names.insert((*id).to_owned(), (*name).to_owned());
            nodes.insert((*id).to_owned(), node);
        }
        let name = folder.file_name().expect("a case has a name");
        Self {
            name: name.to_string_lossy().into_owned(),
            tree: builder.build(),
            csv,
            folder: folder.to_owned(),
            nodes,
        }
    }

    /// Returns the names of the tables of an algorithm, such as `level-4.tsv`.
    pub(crate) fn tables(&self, algorithm: &str) -> Vec<String> {
        let mut tables: Vec<String> = std::fs::read_dir(&self.folder)
            .expect("a case is a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name.starts_with(algorithm))
            .collect();
        tables.sort();
        tables
    }

    /// Returns a file of the case as text. `None` if the case does not have it.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(file)).ok()
    }

    /// Returns the numbers that Slurm computed, a row per node. Empty if Slurm crashed.
    pub(crate) fn table(&self, file: &str) -> Vec<Row> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(path).expect("a table is text");
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let Some(header) = lines.next() else {
            return Vec::new();
        };
        let header: Vec<&str> = header.split('\t').collect();
        lines
            .map(|line| {
                let cells: HashMap<String, String> = header
                    .iter()
                    .zip(line.split('\t'))
                    .map(|(column, cell)| ((*column).to_owned(), cell.to_owned()))
                    .collect();
                Row {
                    node: self.nodes[&cells["id"]],
                    cells,
                }
            })
            .collect()
    }
}

/// Returns the cases kept with the tests and, if available, all others.
pub(crate) fn cases() -> Vec<Case> {
    let root = golden("slurm_policies").unwrap_or_else(|| data("slurm_policies"));
    let folders = folders_with(&root, &["input.txt"]);
    folders.iter().map(|folder| Case::read(folder)).collect()
}
