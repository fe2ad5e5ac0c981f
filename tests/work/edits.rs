//! Edits of a scenario, of the command line and of files of shares, and the plans that they make.

use super::{Arguments, Case, arguments, assert_linear, lines, pbs, sshare, users, write};
use std::path::Path;

/// Writes a scenario with so many edits of a source, and returns its path.
fn scenario(folder: &Path, source: &str, count: usize, edit: impl Fn(usize) -> String) -> String {
    let edits = lines(count, |place| {
        format!("[[edit]]\ndo = \"{}\"\n", edit(place))
    });
    let text = format!("fairscope = 1\n[source]\npath = \"{source}\"\n{edits}");
    write(folder, "scenario.toml", &text)
}

/// Loads so many edits of a tree of as many users, and compares both trees.
fn whatif(folder: &Path, count: usize, edit: impl Fn(usize) -> String) -> Arguments {
    users(folder, count);
    arguments(["whatif", &scenario(folder, "tree.toml", count, edit)])
}

fn plan(folder: &Path, source: &str, count: usize, edit: impl Fn(usize) -> String) -> Arguments {
    let name = source.rsplit('/').next().unwrap_or(source);
    arguments(["plan", &scenario(folder, name, count, edit)])
}

/// A run with an option so many times. The words of a command line have a limit.
fn repeated(command: [&str; 2], option: &str, values: impl Iterator<Item = String>) -> Arguments {
    let mut args = arguments(command);
    for value in values {
        args.extend([option.to_owned(), value]);
    }
    args
}

const CASES: [Case; 25] = [
    ("edits of shares", |folder, count| {
        whatif(folder, count, |place| format!("shares lab/u{place}=50"))
    }),
    ("edits of one node", |folder, count| {
        whatif(folder, count, |place| {
            format!("shares lab/u1={}", place + 2)
        })
    }),
    ("edits of usage", |folder, count| {
        whatif(folder, count, |place| format!("usage lab/u{place}=7"))
    }),
    ("edits that add users", |folder, count| {
        whatif(folder, count, |place| format!("add lab/n{place} shares=3"))
    }),
    ("edits that add accounts", |folder, count| {
        whatif(folder, count, |place| {
            format!("add n{place} shares=3 kind=account")
        })
    }),
    ("edits that remove", |folder, count| {
        whatif(folder, count, |place| match place {
            0 => "shares lab=2".to_owned(),
            place => format!("remove lab/u{place}"),
        })
    }),
    ("edits that rename", |folder, count| {
        whatif(folder, count, |place| {
            format!("rename lab/u{place} to x{place}")
        })
    }),
    ("edits that move", |folder, count| {
        whatif(folder, count, |place| format!("move lab/u{place} to /"))
    }),
    ("edits of settings", |folder, count| {
        whatif(folder, count, |place| {
            format!("set PriorityDecayHalfLife={}", place + 1)
        })
    }),
    ("edits of rates", |folder, count| {
        whatif(folder, count, |place| format!("rate lab/u{place}=2"))
    }),
    ("edits that plan campaigns", |folder, count| {
        whatif(folder, count, |place| {
            format!("campaign lab/u{place}=2 from 1h until 2h")
        })
    }),
    ("edits that are refused", |folder, count| {
        users(folder, count);
        let file = scenario(folder, "tree.toml", count, |place| {
            format!("shares z{place}=2")
        });
        arguments(["check", &file])
    }),
    ("edits of one ambiguous name", |folder, count| {
        super::namesakes(folder, count);
        let file = scenario(folder, "tree.toml", count, |_| "shares kim=4".to_owned());
        arguments(["check", &file])
    }),
    ("edits of a user of many accounts", |folder, count| {
        super::namesakes(folder, count);
        let edit = |place| format!("shares a{place}/kim=4");
        arguments(["whatif", &scenario(folder, "tree.toml", count, edit)])
    }),
    ("edits saved again", |folder, count| {
        users(folder, count);
        let file = scenario(folder, "tree.toml", count, |place| {
            format!("shares lab/u{place}=50")
        });
        let out = folder.join("saved");
        let out = out.to_str().unwrap();
        arguments(["convert", &file, "--to", "csv", "--out", out])
    }),
    ("scenarios", |folder, count| {
        users(folder, 3);
        let text = lines(count, |place| {
            format!("[[scenario]]\nname = \"s{place}\"\n[[scenario.edit]]\ndo = \"shares u1=4\"\n")
        });
        let head = "fairscope = 1\n[source]\npath = \"tree.toml\"\n";
        let file = write(folder, "scenario.toml", &format!("{head}{text}"));
        arguments(["check", &file])
    }),
    ("lines of --edits", |folder, count| {
        let tree = users(folder, count);
        let text = lines(count, |place| format!("lab/u{place},20\n"));
        let file = write(folder, "edits.csv", &format!("path,shares\n{text}"));
        arguments(["whatif", &tree, "--edits", &file])
    }),
    ("--edit", |folder, count| {
        let tree = users(folder, count);
        let edits = (0..count).map(|place| format!("shares u{place}=30"));
        repeated(["whatif", &tree], "--edit", edits)
    }),
    ("--edit of one node", |folder, count| {
        let tree = users(folder, count);
        let edits = (0..count).map(|place| format!("shares u1={}", 2 + place % 9));
        repeated(["whatif", &tree], "--edit", edits)
    }),
    ("--fail-if of nodes", |folder, count| {
        let tree = users(folder, count);
        let gates = (0..count).map(|place| format!("rank(u{place}) > 0"));
        repeated(["metrics", &tree], "--fail-if", gates)
    }),
    ("--fail-if of the tree", |folder, count| {
        let tree = users(folder, count);
        let gates = (0..count).map(|_| "gini > 0.9".to_owned());
        repeated(["metrics", &tree], "--fail-if", gates)
    }),
    ("plan of shares, Slurm", |folder, count| {
        let source = sshare(folder, count);
        plan(folder, &source, count, |place| {
            format!("shares a/u{place}=40")
        })
    }),
    ("plan of new users, Slurm", |folder, count| {
        let source = sshare(folder, count);
        plan(folder, &source, count, |place| {
            format!("add a/n{place} shares=4")
        })
    }),
    ("plan of shares, PBS", |folder, count| {
        let source = pbs(folder, count);
        plan(folder, &source, count, |place| {
            format!("shares u{place}=40")
        })
    }),
    ("plan of new entities, PBS", |folder, count| {
        let source = pbs(folder, count);
        plan(folder, &source, count, |place| {
            format!("add n{place} shares=4")
        })
    }),
];

#[test]
fn edits_take_work_by_their_number() {
    assert_linear(&CASES);
}
