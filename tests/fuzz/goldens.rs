//! The files that mutations start from: those of the tests, those we write ourselves, and the larger golden set.

use super::names::NAMES;
use crate::support::files::files_below;
use crate::support::loading::load_path;
use crate::support::random::Random;
use fairscope::format::convert::convert;
use fairscope::model::{Format, Kind, path_of};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The largest file that is mutated.
const LARGEST: u64 = 48 << 10;

/// How many files of the larger golden set are taken, spread over all of it.
const SAMPLE: usize = 150;

/// How many nodes of each file are asked about.
const NODES: usize = 40;

/// Files of the tests that are no sources.
const OTHERS: [&str; 7] = [
    "unchanged/",
    "malformed/",
    ".tsv",
    "nodes.jsonl",
    "case.json",
    "README.md",
    "db-wal",
];

/// Files that are also read as part of their folder.
const PARTS: [&str; 8] = [
    "resource_group",
    "usage",
    "sched_config",
    "sched_formula",
    "scontrol_config.txt",
    "sshare.txt",
    "sshare.json",
    "assoc_mgr.txt",
];

/// A file to mutate.
pub(crate) struct Golden {
    pub(crate) path: PathBuf,
    /// Paths of nodes of its tree; a few common names if it is none alone.
    pub(crate) nodes: Vec<String>,
    /// Whether its folder is a source that it is a part of.
    pub(crate) is_part: bool,
}

/// The files.
pub(crate) struct Goldens {
    pub(crate) files: Vec<Golden>,
    /// Those written by us.
    _written: TempDir,
}

impl Goldens {
    /// Finds the files and reads the nodes of each.
    pub(crate) fn new() -> Self {
        let tests = crate::support::data("");
        let mut paths = files_below(&tests);
        paths.retain(|path| {
            let name = path.strip_prefix(&tests).expect("below the tests' data");
            let name = name.to_string_lossy();
            !OTHERS.iter().any(|other| name.contains(other))
        });
        if let Some(root) = std::env::var_os("FAIRSCOPE_GOLDEN") {
            let all = files_below(Path::new(&root));
            let step = all.len().div_ceil(SAMPLE).max(1);
            paths.extend(all.into_iter().step_by(step));
        }
        let written = tempfile::tempdir().expect("a temporary folder can be made");
        paths.extend(write_own(written.path()));
        paths.retain(|path| fs::metadata(path).is_ok_and(|found| found.len() <= LARGEST));
        let files = paths.into_iter().map(golden).collect();
        Self {
            files,
            _written: written,
        }
    }

    /// Returns one of the files.
    pub(crate) fn any(&self, random: &mut Random) -> &Golden {
        &self.files[random.below(self.files.len())]
    }
}

fn golden(path: PathBuf) -> Golden {
    let is_part = PARTS.iter().any(|part| path.ends_with(part));
    let source = if is_part {
        path.parent().expect("a file is in a folder")
    } else {
        &path
    };
    let mut nodes = Vec::new();
    if let Ok(loaded) = load_path(source) {
        let tree = &loaded.snapshot.tree;
        let users = tree
            .nodes()
            .iter()
            .filter(|&&node| tree.kind(node) == Kind::User);
        let few = tree.nodes().iter().take(NODES / 4);
        nodes.extend(
            users
                .take(NODES)
                .chain(few)
                .filter_map(|&node| path_of(tree, node)),
        );
    }
    nodes.retain(|node| !node.is_empty());
    nodes.extend(["bob", "root", "no/such"].map(str::to_owned));
    Golden {
        path,
        nodes,
        is_part,
    }
}

/// Writes a tree in every format that we write, and one whose names are hostile.
fn write_own(folder: &Path) -> Vec<PathBuf> {
    let seed = load_path(crate::support::data("seed")).expect("it can be loaded");
    let mut hostile = String::from("parent,name,shares,usage,type\n");
    for (place, name) in NAMES.iter().enumerate() {
        let name = name.replace('"', "\"\"");
        let _ = writeln!(hostile, ",\"{name}{place}\",{place},3,user");
    }
    let hostile_path = folder.join("hostile.csv");
    fs::write(&hostile_path, hostile).expect("the folder is ours");
    let jobs = folder.join("jobs.csv");
    fs::write(&jobs, "user,bank,nnodes,t_run,t_inactive\nbob,a,2,10,20\n").expect("it is ours");
    let mut paths = vec![hostile_path, jobs];
    for &to in Format::WRITABLE {
        let snapshot = &seed.snapshot;
        let made = convert(snapshot, &snapshot.tree, &snapshot.settings, to);
        let made = made.expect("there are no edits");
        let folder = folder.join(to.name());
        fs::create_dir(&folder).expect("the folder is ours");
        for (name, bytes) in made.files {
            fs::write(folder.join(&name), bytes).expect("the folder is ours");
            paths.push(folder.join(name));
        }
    }
    paths
}
