//! What `sshare` prints: every form of every version is the same tree, and what is odd is said.

use crate::support::golden;
use fairscope::format::input::Input;
use fairscope::format::{LoadError, Loaded, Report, Request, load, load_inputs};
use fairscope::model::{Fact, NodeId, Shares, Tree};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn go_on() -> impl FnMut(&fairscope::format::Progress) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}

fn try_read(text: &str) -> Result<Loaded, LoadError> {
    let input = Input {
        path: PathBuf::from("sshare.txt"),
        bytes: text.as_bytes().to_vec(),
        modified: Some(1_790_000_000),
    };
    let report: Report<'_> = &mut go_on();
    load_inputs(vec![input], &Request::default(), report)
}

fn read(text: &str) -> Loaded {
    try_read(text).expect("it is a tree")
}

/// Why a text is refused.
fn refusal(text: &str) -> String {
    try_read(text).expect_err("it is refused").to_string()
}

/// What is said about a text.
fn said(loaded: &Loaded) -> Vec<String> {
    let problems = loaded.problems.list().iter();
    problems.map(ToString::to_string).collect()
}

fn path(tree: &Tree, node: NodeId) -> String {
    let line = tree.line(node);
    let names = line
        .iter()
        .map(|&node| String::from_utf8_lossy(tree.name(node)));
    names.collect::<Vec<_>>().join(" > ")
}

/// The nodes below the root: path, shares, usage.
fn nodes(tree: &Tree) -> Vec<String> {
    tree.nodes()[1..]
        .iter()
        .map(|&node| {
            let usage = tree.usage(node).amount();
            let partition = tree.partition(node).map(String::from_utf8_lossy);
            format!(
                "{}{} {} {}",
                path(tree, node),
                partition.map_or(String::new(), |name| format!(" ({name})")),
                tree.shares(node),
                usage.map_or("-".to_owned(), |usage| usage.to_string())
            )
        })
        .collect()
}

fn load_file(path: &Path) -> Result<Loaded, LoadError> {
    let request = Request {
        path: path.to_owned(),
        ..Request::default()
    };
    let report: Report<'_> = &mut go_on();
    load(&request, report)
}

/// All files below a folder whose name begins with a word and ends in `.txt`.
fn files(folder: &Path, holds: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.contains(holds) && name.ends_with(".txt") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The kinds of files that are refused, and a word of the reason.
const REFUSED: &[(&str, &str)] = &[
    (
        "sshare_U_root.txt",
        "lists users and none of their accounts",
    ),
    (
        "sshare_U_u_cat_P.txt",
        "lists users and none of their accounts",
    ),
    (
        "root_sshare_U_P.txt",
        "lists users and none of their accounts",
    ),
    (
        "alice_sshare_P.txt",
        "lists users and none of their accounts",
    ),
    (
        "alice_sshare_U_P.txt",
        "lists users and none of their accounts",
    ),
    (
        "alice_sshare_a_P.txt",
        "lists users and none of their accounts",
    ),
    (
        "alice_sshare_a_l_P.txt",
        "lists users and none of their accounts",
    ),
    (
        "alice_sshare_al.txt",
        "lists users and none of their accounts",
    ),
    (
        "sshare_a_allfields_wide.txt",
        "at the right of their column",
    ),
];

/// The kinds that list only some users, and say so.
const INCOMPLETE: &[&str] = &[
    "sshare_plain.txt",
    "sshare_m.txt",
    "root_sshare_P.txt",
    "sshare_u_cat_P.txt",
    "sshare_A_busy_P.txt",
    "sshare_A_passthru_P.txt",
];

#[test]
fn every_output_is_read_or_refused_for_a_reason() {
    let Some(folder) = golden("slurm") else {
        return;
    };
    let mut table: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for file in files(&folder, "sshare") {
        let kind = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if kind.ends_with("version.txt") || kind.ends_with("json_list.txt") {
            continue;
        }
        let counts = table.entry(kind.clone()).or_default();
        counts[0] += 1;
        let refused = REFUSED.iter().find(|(name, _)| *name == kind);
        match (load_file(&file), refused) {
            (Ok(loaded), None) => {
                counts[1] += 1;
                let recorded = &loaded.snapshot.recorded;
                assert_eq!(
                    recorded.incomplete.is_some(),
                    INCOMPLETE.contains(&&*kind),
                    "{}: {:?}",
                    file.display(),
                    recorded.incomplete
                );
                let bad = loaded.problems.list().iter();
                let mut bad = bad.filter(|it| matches!(it.code, "slurm-row" | "slurm-number"));
                assert_eq!(bad.next(), None);
            }
            (Err(error), Some((_, reason))) => {
                counts[2] += 1;
                assert!(error.to_string().contains(reason), "{error}");
            }
            (Ok(_), Some(_)) => panic!("{} was read", file.display()),
            (Err(error), None) => panic!("{}: {error}", file.display()),
        }
    }
    println!("{:<32} files  read  refused", "kind");
    for (kind, [files, read, refused]) in table {
        println!("{kind:<32} {files:>5} {read:>5} {refused:>8}");
    }
}

/// The kinds that show everybody, and whether they show partitions.
const WHOLE: &[(&str, bool)] = &[
    ("sshare_a.txt", false),
    ("sshare_al.txt", false),
    ("sshare_a_P.txt", false),
    ("sshare_a_l_P.txt", false),
    ("sshare_a_l_p.txt", false),
    ("sshare_a_l_P_n.txt", false),
    ("sshare_a_m_P.txt", true),
    ("sshare_a_l_m_P.txt", true),
    ("sshare_a_allfields_wideleft.txt", true),
];

fn without_partitions(nodes: &[String]) -> Vec<String> {
    let strip = |node: &String| match (node.rfind(" ("), node.rfind(") ")) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}", &node[..start], &node[end + 1..])
        }
        _ => node.clone(),
    };
    nodes.iter().map(strip).collect()
}

/// Shares and usage alone, where names are cut.
fn numbers(nodes: &[String]) -> Vec<String> {
    nodes
        .iter()
        .map(|node| node.rsplitn(3, ' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn every_kind_of_one_capture_is_the_same_tree() {
    let Some(folder) = golden("slurm") else {
        return;
    };
    let (mut compared, mut cut) = (0, 0);
    for reference in files(&folder, "sshare_a_P_allfields") {
        let whole = load_file(&reference).expect("it is a tree");
        for &(kind, has_partitions) in WHOLE {
            let file = reference.with_file_name(kind);
            if !file.exists() {
                continue;
            }
            let other = load_file(&file).expect("it is a tree");
            let mut expected = nodes(&whole.snapshot.tree);
            let mut found = nodes(&other.snapshot.tree);
            if !has_partitions {
                expected = without_partitions(&expected);
            }
            let is_cut = other
                .problems
                .list()
                .iter()
                .any(|it| it.code == "slurm-cut-name");
            if is_cut {
                expected = numbers(&expected);
                found = numbers(&found);
                cut += 1;
            }
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{}", file.display());
            compared += 1;
        }
    }
    println!("{compared} outputs are the tree of -o with all fields, {cut} of them with cut names");
}

#[test]
fn the_parents_are_those_that_sacctmgr_names() {
    let Some(folder) = golden("slurm") else {
        return;
    };
    let mut compared = 0;
    for table in files(&folder, "sacctmgr_assoc_tree_P.txt") {
        let text = String::from_utf8_lossy(&std::fs::read(&table).expect("a file")).into_owned();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().expect("a header").split('|').collect();
        let place = |name: &str| header.iter().position(|column| *column == name);
        let (Some(account), Some(user), Some(id), Some(parent)) = (
            place("Account"),
            place("User"),
            place("ID"),
            place("ParentName"),
        ) else {
            continue;
        };
        let reference = table.with_file_name("sshare_a_P_allfields.txt");
        let Ok(loaded) = load_file(&reference) else {
            continue;
        };
        let tree = &loaded.snapshot.tree;
        let mut above: BTreeMap<String, String> = BTreeMap::new();
        for &node in &tree.nodes()[1..] {
            if tree.kind(node) == fairscope::model::Kind::Account {
                let parent = tree.parent(node).expect("it is not the root");
                let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
                above.insert(name(node), name(parent));
            }
        }
        for line in lines {
            let cells: Vec<&str> = line.split('|').collect();
            if cells.len() != header.len() || !cells[user].is_empty() || cells[parent].is_empty() {
                continue;
            }
            let name = cells[account].trim_start();
            let known = above.get(name).or_else(|| above.get(&format!(" {name}")));
            assert_eq!(
                known.map(String::as_str),
                Some(cells[parent]),
                "{}: {name}, {}",
                reference.display(),
                cells[id]
            );
            compared += 1;
        }
    }
    println!("{compared} accounts have the parent that sacctmgr names");
}

#[test]
fn published_excerpts_open() {
    let Some(folder) = golden("public/sshare_excerpts") else {
        return;
    };
    let open = |name: &str| load_file(&folder.join(name)).expect("it is a tree");
    assert_eq!(
        open("aalborg_biocloud_sshare.txt")
            .snapshot
            .tree
            .node_count(),
        24
    );
    assert_eq!(
        open("nersc_pdsf_sshare_A.txt").snapshot.tree.node_count(),
        10
    );
    let epfl = open("epfl_scitas_account.txt");
    assert_eq!(
        nodes(&epfl.snapshot.tree)[..2],
        ["scitas-ge 1 1376", "scitas-ge > eroche 1 344"]
    );
    let slurmmon = open("slurmmon_classic_like_parsable.txt");
    assert_eq!(slurmmon.snapshot.tree.node_count(), 6);
}
