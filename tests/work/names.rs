//! Trees that are deep, wide or full of the same: chains, siblings, ties, equal and long names, columns.

use super::{Arguments, Case, arguments, assert_linear, lines, namesakes, rows, users, write};
use std::path::Path;

/// Writes accounts each of which is in the one before it, and returns the path.
fn chain(folder: &Path, name: &str, count: usize, shares: usize) -> String {
    let accounts = lines(count, |place| match place {
        0 => format!(",a0,{shares}\n"),
        place => format!("a{},a{place},{shares}\n", place - 1),
    });
    write(folder, name, &format!("parent,name,shares\n{accounts}"))
}

/// Writes users of the same shares and usage, and ranks them.
fn tied(folder: &Path, count: usize, policy: &str) -> Arguments {
    let users = lines(count, |place| format!("  u{place} 1 5\n"));
    let tree = rows(folder, &format!("lab 1\n{users}"));
    arguments(["rank", &tree, "--policy", policy, "--format-out", "csv"])
}

/// Repeats one column.
fn columns(folder: &Path, count: usize, form: &str) -> Arguments {
    let columns = vec!["usage"; count].join(",");
    arguments([
        "show",
        &users(folder, 5),
        "--columns",
        &columns,
        "--format-out",
        form,
    ])
}

const CASES: [Case; 22] = [
    ("depth", |folder, count| {
        arguments(["show", &chain(folder, "a.csv", count, 1)])
    }),
    ("depth, checked", |folder, count| {
        arguments(["check", &chain(folder, "a.csv", count, 1)])
    }),
    ("depth, explained", |folder, count| {
        let last = format!("a{}", count - 1);
        arguments(["explain", &chain(folder, "a.csv", count, 1), &last])
    }),
    ("depth, for a user", |folder, count| {
        let last = format!("a{}", count - 1);
        arguments(["me", &chain(folder, "a.csv", count, 1), &last])
    }),
    ("depth, edited", |folder, count| {
        let edit = format!("shares a{}=3", count / 2);
        arguments(["whatif", &chain(folder, "a.csv", count, 1), "--edit", &edit])
    }),
    ("depth, compared", |folder, count| {
        let [old, new] =
            [1, 2].map(|shares| chain(folder, &format!("{shares}.csv"), count, shares));
        arguments(["diff", &old, &new])
    }),
    ("depth, every policy", |folder, count| {
        arguments(["policies", &chain(folder, "a.csv", count, 1)])
    }),
    ("siblings", |folder, count| {
        arguments(["show", &users(folder, count)])
    }),
    ("siblings, explained", |folder, count| {
        arguments(["explain", &users(folder, count), "u5"])
    }),
    ("siblings, every policy", |folder, count| {
        arguments(["policies", &users(folder, count)])
    }),
    ("ties, Fair Tree", |folder, count| {
        tied(folder, count, "fair-tree")
    }),
    ("ties, PBS", |folder, count| tied(folder, count, "pbs")),
    ("ties, LEVEL_BASED", |folder, count| {
        tied(folder, count, "level-based")
    }),
    ("ties, classic", |folder, count| {
        tied(folder, count, "classic")
    }),
    ("ties, Flux", |folder, count| tied(folder, count, "flux")),
    ("ties, tickets", |folder, count| {
        tied(folder, count, "tickets")
    }),
    ("accounts that tie", |folder, count| {
        let accounts = lines(count, |place| format!("a{place} 1\n  u{place} 1 5\n"));
        arguments(["rank", &rows(folder, &accounts), "--format-out", "csv"])
    }),
    ("accounts of one user", |folder, count| {
        arguments(["check", &namesakes(folder, count)])
    }),
    ("siblings of one name", |folder, count| {
        let tree = rows(folder, &format!("lab 1\n{}", "  u 1 5\n".repeat(count)));
        arguments(["rank", &tree, "--format-out", "csv"])
    }),
    ("letters of a name", |folder, count| {
        let name = "x".repeat(count * 4);
        arguments([
            "show",
            &rows(folder, &format!("lab 1\n  {name} 1 3\n  y 1 4\n")),
        ])
    }),
    ("columns of a table", |folder, count| {
        columns(folder, count, "table")
    }),
    ("columns of a CSV", |folder, count| {
        columns(folder, count, "csv")
    }),
];

#[test]
fn trees_of_every_shape_take_work_by_their_nodes() {
    assert_linear(&CASES);
}
