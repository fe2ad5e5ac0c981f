//! Malformed and unusual inputs, with the exact messages about each.

use crate::support::files::make_pipe;
use crate::support::loading::load_quietly;
use crate::support::malformed::{Case, cases};
use fairscope::format::{Example, Format, Request};
use fairscope::open::example;
use fairscope::open::opened::{Opened, apply_text};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The request for a case: its first file, or its directory if the options say so.
fn request(case: &Case, folder: &Path) -> Request {
    let mut request = Request::to_open(folder.join(&case.files[0].0));
    for option in &case.options {
        match option.split_once('=') {
            Some(("format", name)) => request.format = Format::named(name),
            Some(("usage", name)) => request.beside.usage = Some(folder.join(name)),
            Some(("config", name)) => {
                request.beside.sched_config = Some(folder.join(name));
            }
            Some((key, value)) => request.settings.push((key.to_owned(), value.to_owned())),
            None => request.source = Request::to_open(folder).source,
        }
    }
    request
}

/// All messages about a source: the error, or each problem with its code.
fn said(request: &Request, folder: &Path) -> String {
    let mut said = String::new();
    match load_quietly(request) {
        Err(refusal) => writeln!(said, "refused: {refusal}").unwrap(),
        Ok(loaded) => {
            let opened = Opened::new(loaded, None);
            for problem in opened.source.problems.list() {
                writeln!(said, "{problem} [{}]", problem.code).unwrap();
            }
        }
    }
    said.replace(&format!("{}/", folder.display()), "")
        .replace(&folder.display().to_string(), "DIR")
}

/// Compares the messages of a table with the current ones; returns the number of cases.
fn check(table: &str, said: impl Fn(&Case) -> String) -> usize {
    let cases = cases(table);
    let mut wrong = String::new();
    for case in &cases {
        let now = said(case);
        if now != case.said {
            writeln!(wrong, "=== {}", case.title).unwrap();
            for line in now.lines() {
                writeln!(wrong, "> {line}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{table} should say:\n{wrong}");
    cases.len()
}

fn check_files(table: &str) -> usize {
    check(table, |case| {
        let folder = tempfile::tempdir().unwrap();
        case.write(folder.path());
        said(&request(case, folder.path()), folder.path())
    })
}

#[test]
fn malformed_resource_groups_are_reported() {
    assert!(check_files("resource_group.txt") >= 30);
}

#[test]
fn malformed_usage_files_are_reported() {
    assert!(check_files("usage.txt") >= 20);
}

#[test]
fn malformed_pbs_settings_are_reported() {
    assert!(check_files("sched_config.txt") >= 20);
}

#[test]
fn malformed_csv_is_reported() {
    assert!(check_files("csv.txt") >= 30);
}

#[test]
fn malformed_trees_are_reported() {
    assert!(check_files("toml.txt") >= 30);
}

#[test]
fn malformed_scenarios_are_reported() {
    assert!(check_files("scenario.txt") >= 20);
}

#[test]
fn files_of_other_kinds_are_refused_with_a_remedy() {
    assert!(check_files("foreign.txt") >= 25);
}

#[test]
fn malformed_edits_are_reported() {
    let count = check("edits.txt", |case| {
        let mut scenario = Scenario::new(Arc::new(example(Example::Small).snapshot), Policy::Pbs);
        let (_, bytes) = &case.files[0];
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let before = fairscope::format::csv::write(scenario.tree());
        match apply_text(&mut scenario, line) {
            Ok(()) => "accepted\n".to_owned(),
            Err(error) => {
                assert_eq!(fairscope::format::csv::write(scenario.tree()), before);
                format!("{error}\n")
            }
        }
    });
    assert!(count >= 40);
}

#[test]
fn paths_that_are_not_regular_files_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    make_pipe(&at("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
    std::os::unix::fs::symlink("circle", at("circle")).unwrap();
    std::fs::write(at("file"), "x").unwrap();
    std::fs::create_dir(at("empty")).unwrap();
    // A sparse file of three gibibytes.
    let huge = std::fs::File::create(at("huge")).unwrap();
    huge.set_len(3 << 30).unwrap();
    let never = "which is not opened because reading it may never end";
    let cases = [
        (at("missing"), "missing: no such file or directory".to_owned()),
        (at("dangling"), "dangling: no such file or directory".to_owned()),
        (at("file/below"), "file/below: no such file or directory".to_owned()),
        (at("pipe"), format!("pipe is a named pipe, {never}; give its content on standard input: fairscope - < PIPE")),
        (at("socket"), format!("socket is a socket, {never}; open a file or a sched_priv directory")),
        (PathBuf::from("/dev/zero"), format!("/dev/zero is a device, {never}; open a file or a sched_priv directory")),
        (PathBuf::from("/dev/null"), format!("/dev/null is a device, {never}; open a file or a sched_priv directory")),
        (at("huge"), "huge is larger than 2 GiB, too large for a fairshare tree; open the scheduler's own file".to_owned()),
        (at("empty"), "empty is empty; save sshare -a -l -P > empty/sshare.txt (Slurm), or open sched_priv, usually /var/spool/pbs/sched_priv (PBS)".to_owned()),
        (at("circle"), "circle: Too many levels of symbolic links (os error 40)".to_owned()),
        (PathBuf::from("nul\0byte"), "nul\\x00byte: file name contained an unexpected NUL byte".to_owned()),
    ];
    for (path, message) in cases {
        let request = Request::to_open(path);
        assert_eq!(
            said(&request, folder.path()),
            format!("refused: {message}\n")
        );
    }
}

#[test]
fn unreadable_files_are_refused_with_a_remedy() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("resource_group");
    std::fs::write(&path, "a 1 root 5\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o0)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        println!("skipped: this user reads every file");
        return;
    }
    let request = Request::to_open(path);
    assert_eq!(
        said(&request, folder.path()),
        "refused: resource_group cannot be read: permission denied; only root can read PBS's sched_priv: use sudo, or \
         open a copy\n"
    );
}

/// Number of nodes of a chain.
const DEPTH: usize = 200_000;

/// Loads, evaluates and drops a chain; explains and shows its last node.
fn go_to_the_end(name: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let request = Request::to_open(path);
    let opened = Opened::new(load_quietly(&request).unwrap(), None);
    let tree = opened.scenario.tree();
    assert_eq!(
        opened
            .source
            .problems
            .list()
            .iter()
            .filter(|problem| problem.severity == fairscope::format::Severity::Error)
            .count(),
        0
    );
    let end = *tree
        .nodes()
        .iter()
        .find(|&&node| tree.depth(node) as usize >= DEPTH)
        .expect("the chain is whole");
    let view = fairscope::report::View::of(&opened.scenario, &opened.source.problems);
    let explanation = opened.scenario.explain(end);
    assert!(!fairscope::report::explain::lines(&view, &explanation).is_empty());
}

#[test]
fn a_chain_of_200000_nodes_loads_and_is_explained_as_csv() {
    let mut text = "parent,name,shares,usage,type\n,n0,1,0,account\n".to_owned();
    for level in 1..=DEPTH {
        writeln!(text, "n{},n{level},1,0,", level - 1).unwrap();
    }
    go_to_the_end("chain.csv", &text);
}

#[test]
fn a_chain_of_200000_nodes_loads_and_is_explained_as_toml() {
    let mut text = "fairscope = 1\n[tree]\nrows = '''\n".to_owned();
    for level in 1..=DEPTH {
        writeln!(text, "@{level} n{level} 1").unwrap();
    }
    text.push_str("'''\n");
    go_to_the_end("chain.toml", &text);
}

#[test]
fn a_chain_of_200000_nodes_loads_and_is_explained_as_pbs() {
    let mut text = "n1 1 root 1\n".to_owned();
    for level in 2..=DEPTH {
        writeln!(text, "n{level} {level} n{} 1", level - 1).unwrap();
    }
    go_to_the_end("resource_group", &text);
}
