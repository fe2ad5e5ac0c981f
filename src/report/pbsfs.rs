//! What PBS's own `pbsfs` prints, byte for byte, without root and without PBS.
//!
//! Follows `OpenPBS` 23.06, `src/scheduler/pbsfs.cpp` and `fairshare.cpp` (`print_fairshare`,
//! `print_fairshare_entity`, `compare_path`). The options that write are refused: they change live data.

mod arguments;

use crate::model::{NodeId, Tree};
use crate::policy::{ColumnId, Evaluation, Policy};
use arguments::{Action, Arguments, Refusal};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// What the release we follow calls itself.
const VERSION: &str = "pbs_version = 23.06.06\n";

/// What pbsfs leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub code: u8,
}

impl Output {
    fn failed(stderr: &str) -> Self {
        Self {
            stderr: stderr.as_bytes().to_vec(),
            code: 1,
            ..Self::default()
        }
    }
}

/// What pbsfs works on: the tree as PBS loads it, and what PBS says on standard error while loading.
#[derive(Debug)]
pub struct Loaded {
    /// The tree.
    pub tree: Tree,
    /// The text of `fairshare_usage_res`.
    pub usage_unit: String,
    /// Messages about bad lines and a missing usage file.
    pub stderr: Vec<u8>,
}

/// Runs pbsfs with its arguments, the `sched_priv` directory as the last operand. `load` reads the directory:
/// nothing means that there is no `resource_group` that could be read.
#[must_use]
pub fn run(
    args: &[OsString],
    stderr_is_terminal: bool,
    load: impl FnOnce(&Path) -> Option<Loaded>,
) -> Output {
    let arguments = match Arguments::parse(args) {
        Ok(arguments) => arguments,
        Err(Refusal::Version) => {
            return Output {
                stdout: VERSION.into(),
                ..Output::default()
            };
        }
        Err(Refusal::Usage(text)) => return Output::failed(&text),
        Err(Refusal::Ours(text)) => {
            return Output {
                stderr: text.into_bytes(),
                code: 2,
                ..Output::default()
            };
        }
    };
    if !arguments.directory.is_dir() {
        let mut output =
            Output::failed("Unable to access fairshare data: No such file or directory\n");
        output.stderr.splice(0..0, arguments.complaints);
        return output;
    }
    let Some(loaded) = load(&arguments.directory) else {
        let told = "pbsfs: No such file or directory (2) in parse_group, Error opening file resource_group\n";
        let mut output = Output::failed(if stderr_is_terminal { told } else { "" });
        output.stderr.splice(0..0, arguments.complaints);
        return output;
    };
    let evaluation = Policy::Pbs.evaluate(&loaded.tree, &crate::model::Settings::default());
    let fairshare = Fairshare {
        tree: &loaded.tree,
        evaluation: &evaluation,
        unit: &loaded.usage_unit,
    };
    let mut output = Output {
        stderr: arguments.complaints,
        ..Output::default()
    };
    output.stderr.extend(loaded.stderr);
    let done = match &arguments.action {
        Action::Print => fairshare.print(&mut output.stdout),
        Action::Tree => fairshare.print_tree(&mut output.stdout),
        Action::Entity(name) => fairshare.print_entity(name.as_bytes(), &mut output.stdout),
        Action::Compare(a, b) => fairshare.compare(a.as_bytes(), b.as_bytes(), &mut output.stdout),
    };
    if let Err(NoEntity(name)) = done {
        output.stderr.extend_from_slice(b"Fairshare Entity ");
        output.stderr.extend_from_slice(&name);
        output.stderr.extend_from_slice(b" does not exist.\n");
        output.code = 1;
    }
    output
}

/// An entity that is not in the tree.
struct NoEntity(Vec<u8>);

/// A loaded tree with its numbers.
struct Fairshare<'a> {
    tree: &'a Tree,
    evaluation: &'a Evaluation,
    unit: &'a str,
}

/// `%-10s` for a name of any bytes: C counts bytes, and a long name pushes the line out.
fn put_name(out: &mut Vec<u8>, name: &[u8]) {
    out.extend_from_slice(name);
    out.resize(out.len() + 10_usize.saturating_sub(name.len()), b' ');
}

/// A float as C's `%f` writes it: with the sign of a NaN, which on x86 is usually a minus.
fn float(number: f64, decimals: usize) -> String {
    if number.is_nan() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        format!("{sign}nan")
    } else {
        format!("{number:.decimals$}")
    }
}

impl Fairshare<'_> {
    fn double(&self, column: ColumnId, node: NodeId) -> f64 {
        self.evaluation.number(column, node).unwrap_or(f64::NAN)
    }

    /// The percentage PBS prints: multiplied in 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "PBS holds it in 32 bits")]
    fn percent(&self, node: NodeId) -> f64 {
        f64::from(self.double(ColumnId::FairsharePerc, node) as f32 * 100.0)
    }

    /// The group a node is in: its parent's number.
    fn resgroup(&self, node: NodeId) -> i32 {
        self.tree
            .parent(node)
            .map_or(-1, |parent| self.tree.group(parent))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "PBS wraps shares to 32 bits"
    )]
    fn shares(&self, node: NodeId) -> i32 {
        self.tree.shares(node).count().unwrap_or(0) as i32
    }

    fn find(&self, name: &[u8]) -> Result<NodeId, NoEntity> {
        let found = self
            .tree
            .nodes()
            .iter()
            .copied()
            .find(|&node| self.tree.name(node) == name);
        found.ok_or_else(|| NoEntity(name.to_vec()))
    }

    /// `pbsfs`, `pbsfs -p`
    fn print(&self, out: &mut Vec<u8>) -> Result<(), NoEntity> {
        out.extend_from_slice(format!("Fairshare usage units are in: {}\n", self.unit).as_bytes());
        for &node in self.tree.nodes() {
            put_name(out, self.tree.name(node));
            let line = format!(
                ": Grp: {:<5}  cgrp: {:<5}Shares: {:<6} Usage: {:<6} Perc: {:>6}%\n",
                self.resgroup(node),
                self.tree.group(node),
                self.shares(node),
                float(self.double(ColumnId::Usage, node), 0),
                float(self.percent(node), 3),
            );
            out.extend_from_slice(line.as_bytes());
        }
        Ok(())
    }

    /// `pbsfs -t`
    fn print_tree(&self, out: &mut Vec<u8>) -> Result<(), NoEntity> {
        for &node in self.tree.nodes() {
            let depth = usize::try_from(self.tree.depth(node)).unwrap_or(usize::MAX);
            out.resize(out.len() + depth.saturating_mul(5).max(1), b' ');
            out.extend_from_slice(self.tree.name(node));
            out.extend_from_slice(format!("({})\n", self.tree.group(node)).as_bytes());
        }
        Ok(())
    }

    /// `pbsfs -g ENTITY`
    fn print_entity(&self, name: &[u8], out: &mut Vec<u8>) -> Result<(), NoEntity> {
        let node = self.find(name)?;
        out.extend_from_slice(b"fairshare entity: ");
        out.extend_from_slice(name);
        let block = format!(
            "\nResgroup\t\t: {}\ncresgroup\t\t: {}\nShares\t\t\t: {}\nPercentage\t\t: {}%\n\
             fairshare_tree_usage\t: {}\nusage\t\t\t: {} ({})\nusage/perc\t\t: {}\nPath from root: \n",
            self.resgroup(node),
            self.tree.group(node),
            self.shares(node),
            float(self.percent(node), 6),
            float(self.double(ColumnId::FairshareTreeUsage, node), 6),
            float(self.double(ColumnId::Usage, node), 0),
            self.unit,
            float(self.double(ColumnId::UsageOverPerc, node), 0),
        );
        out.extend_from_slice(block.as_bytes());
        for node in self.path(node) {
            put_name(out, self.tree.name(node));
            let line = format!(
                ": {:>5} {:>10} / {:>5} = {}\n",
                self.tree.group(node),
                float(self.double(ColumnId::Usage, node), 0),
                float(self.double(ColumnId::FairsharePerc, node), 3),
                float(self.double(ColumnId::UsageOverPerc, node), 0),
            );
            out.extend_from_slice(line.as_bytes());
        }
        Ok(())
    }

    /// The path PBS keeps for a node: from the root down to it. The root itself has none.
    fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = self.tree.line(node);
        if !path.is_empty() {
            path.insert(0, NodeId::ROOT);
        }
        path
    }

    /// `pbsfs -c A B`
    fn compare(&self, a: &[u8], b: &[u8], out: &mut Vec<u8>) -> Result<(), NoEntity> {
        let (first, second) = (self.find(a)?, self.find(b)?);
        match self.compare_path(first, second) {
            std::cmp::Ordering::Less => out.extend_from_slice(a),
            std::cmp::Ordering::Greater => out.extend_from_slice(b),
            std::cmp::Ordering::Equal => {
                out.extend_from_slice(a);
                out.extend_from_slice(b" == ");
                out.extend_from_slice(b);
            }
        }
        out.push(b'\n');
        Ok(())
    }

    /// `compare_path`: less is more deserving. Not a total order: see `policy::pbs` for the one jobs are sorted by.
    fn compare_path(&self, a: NodeId, b: NodeId) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        for (x, y) in self.path(a).into_iter().zip(self.path(b)) {
            if x == y {
                continue;
            }
            let perc = |node| self.double(ColumnId::FairsharePerc, node);
            match (perc(x) <= 0.0, perc(y) <= 0.0) {
                (true, true) => return Ordering::Equal,
                (true, false) => return Ordering::Greater,
                (false, true) => return Ordering::Less,
                (false, false) => {}
            }
            let ratio = |node| self.double(ColumnId::Usage, node) / perc(node);
            match ratio(x).partial_cmp(&ratio(y)) {
                Some(Ordering::Equal) | None => {}
                Some(decided) => return decided,
            }
        }
        Ordering::Equal
    }
}
