//! Sources that tests write: directories of dated dumps, scenarios.

use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

/// Makes a directory with these files.
pub(crate) fn dumps(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Turns a tree into CSV. A line is `path shares usage`; accounts end with a `/`.
pub(crate) fn tree(lines: &[&str]) -> String {
    let mut text = "parent,name,shares,usage,type\n".to_owned();
    for line in lines {
        let [path, shares, usage] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line} is no line");
        };
        let kind = if path.ends_with('/') {
            "account"
        } else {
            "user"
        };
        let path = path.trim_end_matches('/');
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        writeln!(text, "{parent},{name},{shares},{usage},{kind}").unwrap();
    }
    text
}

/// Four days of a small cluster without the third. bob used much on the second day. On the fourth, suzy has more shares
/// and zoe is new.
pub(crate) fn four_days() -> TempDir {
    let first = tree(&[
        "a/ 1 ",
        "b/ 1 ",
        "a/bob 1 100",
        "a/ann 1 200",
        "b/suzy 1 500",
    ]);
    let second = tree(&[
        "a/ 1 ",
        "b/ 1 ",
        "a/bob 1 900",
        "a/ann 1 200",
        "b/suzy 1 500",
    ]);
    let fourth = tree(&[
        "a/ 1 ",
        "b/ 3 ",
        "a/bob 1 900",
        "a/ann 1 200",
        "b/suzy 1 500",
        "b/zoe 1 0",
    ]);
    let fifth = tree(&[
        "a/ 1 ",
        "b/ 3 ",
        "a/ann 1 200",
        "b/suzy 1 500",
        "b/zoe 1 50",
    ]);
    dumps(&[
        ("gold-2025-04-01.csv", &first),
        ("gold-2025-04-02.csv", &second),
        ("gold-2025-04-04.csv", &fourth),
        ("gold-2025-04-05.csv", &fifth),
        ("gold-2025-04-06.csv", &fifth),
        ("README", "not a dump\n"),
    ])
}

/// Writes a scenario whose source does not exist, and returns its path.
pub(crate) fn scenario_of_missing_source(folder: &Path) -> String {
    let path = folder.join("plan.toml");
    std::fs::write(&path, "fairscope = 1\n[source]\npath = \"gone.csv\"\n").unwrap();
    let path = path.to_str().expect("temporary folders have plain names");
    path.to_owned()
}
