//! Files of desired shares: each line names a node, one that is missing, or several.

use super::{Arguments, Case, arguments, assert_linear, lines, namesakes, rows, users, write};
use std::path::Path;

/// Compares a tree with a file of so many lines.
fn check(
    folder: &Path,
    tree: &str,
    count: usize,
    head: &str,
    line: impl Fn(usize) -> String,
) -> Arguments {
    let text = format!("{head}\n{}", lines(count, line));
    let file = write(folder, "desired.csv", &text);
    arguments(["check", tree, "--desired", &file])
}

/// Compares a tree of accounts with a JSON list of so many.
fn check_json(folder: &Path, count: usize, entry: impl Fn(usize) -> String) -> Arguments {
    let tree = rows(
        folder,
        &lines(count, |place| format!("a{place} 1\n  u{place} 1\n")),
    );
    let entries: Vec<String> = (0..count).map(entry).collect();
    let file = write(
        folder,
        "desired.json",
        &format!("[\n{}\n]\n", entries.join(",\n")),
    );
    arguments(["check", &tree, "--desired", &file])
}

const CASES: [Case; 16] = [
    ("lines of equal shares", |folder, count| {
        let line = |place: usize| format!("u{place},{}\n", 1 + place % 7);
        check(folder, &users(folder, count), count, "path,shares", line)
    }),
    ("lines of other shares", |folder, count| {
        let line = |place| format!("lab/u{place},20\n");
        check(folder, &users(folder, count), count, "path,shares", line)
    }),
    ("lines of one node", |folder, count| {
        let line = |_| "lab/u0,20\n".to_owned();
        check(folder, &users(folder, count), count, "path,shares", line)
    }),
    ("lines that are no shares", |folder, count| {
        let line = |place| format!("u{place},x\n");
        check(
            folder,
            &users(folder, count),
            count,
            "path,shares\nlab,2",
            line,
        )
    }),
    ("lines of missing names", |folder, count| {
        let line = |place| format!("z{place},3\n");
        check(folder, &users(folder, count), count, "path,shares", line)
    }),
    ("lines of one ambiguous name", |folder, count| {
        let line = |_| "kim,3\n".to_owned();
        check(
            folder,
            &namesakes(folder, count),
            count,
            "path,shares",
            line,
        )
    }),
    ("lines of an ambiguous account", |folder, count| {
        let tree = lines(count, |place| format!("a{place} 1\n  lab 1\n    kim 1 5\n"));
        let line = |place| format!("lab,k{place},3\n");
        check(
            folder,
            &rows(folder, &tree),
            count,
            "parent,name,shares",
            line,
        )
    }),
    ("lines of a name elsewhere", |folder, count| {
        let line = |place| format!("z{place},kim,3\n");
        check(
            folder,
            &namesakes(folder, count),
            count,
            "parent,name,shares",
            line,
        )
    }),
    ("lines of users by account", |folder, count| {
        let line = |place| format!("a{place},kim,3\n");
        check(
            folder,
            &namesakes(folder, count),
            count,
            "parent,name,shares",
            line,
        )
    }),
    ("lines of moved accounts", |folder, count| {
        let accounts = lines(count, |place| format!("  b{place} 1\n    u{place} 1 5\n"));
        let tree = rows(folder, &format!("x 1\n{accounts}y 1\n  q 1\n    z 1 1\n"));
        let line = |place| format!("b{place},y,2\n");
        check(folder, &tree, count, "name,parent,shares", line)
    }),
    ("lines of new users", |folder, count| {
        let line = |place| format!("lab,z{place},3\n");
        check(
            folder,
            &users(folder, count),
            count,
            "parent,name,shares",
            line,
        )
    }),
    ("lines of new users below one account", |folder, count| {
        let line = |place| format!("z{place},3\n");
        let mut args = check(folder, &users(folder, count), count, "name,shares", line);
        args.extend(arguments(["--add-below", "lab"]));
        args
    }),
    ("lines of new accounts and users", |folder, count| {
        let line = |place| format!("lab,z{place},3\nlab/z{place},y{place},4\n");
        check(
            folder,
            &users(folder, count),
            count / 2,
            "parent,name,shares",
            line,
        )
    }),
    ("JSON list", |folder, count| {
        check_json(folder, count, |place| {
            format!("{{\"name\": \"a{place}\", \"fairshare\": 2}}")
        })
    }),
    ("JSON list of missing accounts", |folder, count| {
        check_json(folder, count, |place| {
            format!("{{\"name\": \"z{place}\", \"parent\": \"y\", \"fairshare\": 2}}")
        })
    }),
    ("JSON list of one ambiguous name", |folder, count| {
        let tree = namesakes(folder, count);
        let entries = vec!["{\"name\": \"kim\", \"fairshare\": 2}"; count];
        let list = format!(
            "[{{\"name\": \"a1\", \"fairshare\": 7}},\n{}]",
            entries.join(",\n")
        );
        let file = write(folder, "desired.json", &list);
        arguments(["check", &tree, "--desired", &file])
    }),
];

#[test]
fn desired_shares_take_work_by_their_lines() {
    assert_linear(&CASES);
}
