//! Reports of many nodes, pages of many users, goals, contributions.

use super::{
    Arguments, Case, arguments, assert_linear, lines, namesakes, rows, sshare, users, write,
};
use std::path::Path;

/// Writes so many accounts without users.
fn accounts(folder: &Path, count: usize) -> String {
    rows(
        folder,
        &lines(count, |place| format!("a{place} {}\n", 1 + place % 9)),
    )
}

fn form(command: &str, tree: &str, form: &str) -> Arguments {
    arguments([command, tree, "--format-out", form])
}

/// Compares a tree of so many users with another one.
fn diff(folder: &Path, count: usize, user: impl Fn(usize) -> String) -> Arguments {
    let old = users(&folder.join("old"), count);
    let new = rows(
        &folder.join("new"),
        &format!("lab 1\n{}", lines(count, user)),
    );
    arguments(["diff", &old, &new])
}

fn advise(tree: &str, goals: &[&str]) -> Arguments {
    let mut args = arguments(["advise", tree]);
    for goal in goals {
        args.extend(arguments(["--goal", goal]));
    }
    args
}

const CASES: [Case; 22] = [
    ("rows of show", |folder, count| {
        form("show", &users(folder, count), "table")
    }),
    ("rows of show, CSV", |folder, count| {
        form("show", &users(folder, count), "csv")
    }),
    ("rows of show, JSON", |folder, count| {
        form("show", &users(folder, count), "json")
    }),
    ("rows of show, HTML", |folder, count| {
        form("show", &users(folder, count), "html")
    }),
    ("rows of show, Markdown", |folder, count| {
        form("show", &users(folder, count), "markdown")
    }),
    ("rows of rank", |folder, count| {
        form("rank", &sshare(folder, count), "table")
    }),
    ("rows of metrics", |folder, count| {
        form("metrics", &users(folder, count), "openmetrics")
    }),
    ("changes of diff", |folder, count| {
        diff(folder, count, |place| {
            format!("  u{place} {} {}\n", 2 + place % 3, place % 77)
        })
    }),
    ("new names of diff", |folder, count| {
        diff(folder, count, |place| {
            format!("  v{place} 2 {}\n", place % 77)
        })
    }),
    ("changes of whatif", |folder, count| {
        let tree = users(folder, count);
        arguments(["whatif", &tree, "--edit", "scale lab to 1000000", "--all"])
    }),
    ("changes of whatif, Markdown", |folder, count| {
        let mut args = form("whatif", &users(folder, count), "markdown");
        args.extend(arguments(["--edit", "scale lab to 1000000"]));
        args
    }),
    ("users of a sensitivity", |folder, count| {
        arguments(["solve", &users(folder, count), "--node", "lab"])
    }),
    ("nodes of a simulation", |folder, count| {
        let mut args = arguments(["simulate", &users(folder, 400), "--until", "2d"]);
        for place in 0..count / 10 {
            args.extend(["--node".to_owned(), format!("u{}", place % 400)]);
        }
        args
    }),
    ("accounts of a user", |folder, count| {
        arguments(["me", &namesakes(folder, count), "kim"])
    }),
    ("pages without recovery", |folder, count| {
        // From 2,048 users on the pages have none.
        let pages = folder.join("pages").into_os_string().into_string().unwrap();
        let tree = users(folder, 2 * count + 2048);
        arguments(["me", &tree, "--all", "--out", &pages])
    }),
    ("siblings that pay", |folder, count| {
        // Among fewer of them fewer ways to pay are tried.
        advise(
            &accounts(folder, 2 * count),
            &["share(a3) >= 5%", "keep(others)"],
        )
    }),
    ("siblings of a user's goal", |folder, count| {
        advise(&users(folder, count), &["share(u3) >= 1%", "keep(others)"])
    }),
    ("siblings of a total", |folder, count| {
        let total = format!("total = {}", 6 * count);
        advise(&accounts(folder, count), &[&total])
    }),
    ("goals", |folder, count| {
        let tree = accounts(folder, count);
        // A file of 40,000 goals would be larger than the largest.
        let goals = lines(count / 2, |place| {
            format!("\"share(a{place}) >= 0.0001%\",\n")
        });
        let file = write(folder, "goals.toml", &format!("goals = [\n{goals}]\n"));
        arguments(["advise", &tree, "--goals", &file])
    }),
    ("contributions", |folder, count| {
        let tree = accounts(folder, count);
        let lines = lines(count, |place| format!("a{place},{}\n", 1 + place % 100));
        let file = write(folder, "bought.csv", &format!("account,amount\n{lines}"));
        arguments(["advise", &tree, "--contributions", &file])
    }),
    ("contributions above all others", |folder, count| {
        let tree = rows(folder, &lines(count, |place| format!("a{place} 1\n")));
        let lines = lines(count, |place| match place {
            0..3 => format!("a{place},1000000\n"),
            place => format!("a{place},1\n"),
        });
        let file = write(folder, "bought.csv", &format!("account,amount\n{lines}"));
        arguments(["advise", &tree, "--contributions", &file])
    }),
    ("contributions of unknown accounts", |folder, count| {
        let tree = accounts(folder, count);
        let lines = lines(count, |place| match place {
            0 => "a0,5\n".to_owned(),
            place => format!("a{place},{place}\na{place},1\n"),
        });
        let file = write(folder, "bought.csv", &format!("account,amount\n{lines}"));
        arguments(["advise", &tree, "--contributions", &file])
    }),
];

#[test]
fn reports_take_work_by_what_they_list() {
    assert_linear(&CASES);
}
