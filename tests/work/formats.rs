//! Rows of every format, and what is odd in them.

use super::{Arguments, Case, arguments, assert_linear, lines, pbs, rows, sshare, users, write};
use crate::support::flux::{ASSOCIATIONS as ASSOCIATION_TABLE, BANKS, ROWS};
use std::path::Path;

/// Checks a file of a line of titles and so many lines.
fn check(
    folder: &Path,
    name: &str,
    head: &str,
    count: usize,
    line: impl Fn(usize) -> String,
) -> Arguments {
    let text = format!("{head}{}", lines(count, line));
    arguments(["check", &write(folder, name, &text)])
}

fn tree_csv(folder: &Path, count: usize, line: impl Fn(usize) -> String) -> Arguments {
    check(
        folder,
        "tree.csv",
        "name,parent,shares\na,,1\n",
        count,
        line,
    )
}

const SSHARE: &str = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n\
                      root|||0.0|0||1.0||\n a||1|1.0|0|1.0|1.0||1.0\n";

fn check_sshare(folder: &Path, count: usize, line: impl Fn(usize) -> String) -> Arguments {
    check(folder, "sshare.txt", SSHARE, count, line)
}

const ASSOCIATIONS: &str =
    "Cluster|Account|User|Partition|Share|ParentName\nc|root|||1|\nc|a|||1|root\n";

fn associations(folder: &Path, count: usize, line: impl Fn(usize) -> String) -> Arguments {
    check(folder, "assoc.txt", ASSOCIATIONS, count, line)
}

fn dump(folder: &Path, count: usize, line: impl Fn(usize) -> String) -> Arguments {
    let head = "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a'\nParent - 'a'\n";
    check(folder, "dump.cfg", head, count, line)
}

fn resource_group(folder: &Path, count: usize, line: impl Fn(usize) -> String) -> Arguments {
    let mut args = check(folder, "resource_group", "", count, line);
    args.extend(arguments(["--format", "pbs"]));
    args
}

/// Writes a tree for every twentieth of so many days, and returns the path of their directory.
fn series(folder: &Path, count: usize) -> String {
    for place in 0..count / 20 {
        let day = format!("dumps/2{place:03}-01-01.toml");
        let text = format!("lab 1\n  a {} 3\n  b 2 {}\n", place % 7 + 1, place % 5);
        write(
            folder,
            &day,
            &format!("fairscope = 1\n[tree]\nrows = '''\n{text}'''\n"),
        );
    }
    let series = folder.join("dumps").into_os_string();
    series.into_string().unwrap()
}

const CASES: [Case; 41] = [
    ("rows of TOML", |folder, count| {
        arguments(["check", &users(folder, count)])
    }),
    ("rows of TOML, bad", |folder, count| {
        let bad = lines(count, |place| format!("  b{place} x\n"));
        arguments(["check", &rows(folder, &format!("a 1\n{bad}"))])
    }),
    ("keys of TOML, unknown", |folder, count| {
        let keys = lines(count, |place| format!("key{place} = 1\n"));
        let text = format!("fairscope = 1\n{keys}[tree]\nrows = '''\na 1\n'''\n");
        arguments(["check", &write(folder, "tree.toml", &text)])
    }),
    ("settings of TOML, unknown", |folder, count| {
        let keys = lines(count, |place| format!("key{place} = 1\n"));
        let text = format!("fairscope = 1\n[settings]\n{keys}[tree]\nrows = '''\na 1\n'''\n");
        arguments(["check", &write(folder, "tree.toml", &text)])
    }),
    ("rows of CSV", |folder, count| {
        tree_csv(folder, count, |place| format!("b{place},a,1\n"))
    }),
    ("rows of CSV, bad", |folder, count| {
        tree_csv(folder, count, |place| format!("b{place},a,x\n"))
    }),
    ("rows of CSV without parents", |folder, count| {
        tree_csv(folder, count, |place| format!("b{place},z{place},1\n"))
    }),
    ("rows of CSV in a circle", |folder, count| {
        tree_csv(folder, count, |place| {
            format!("b{place},b{},1\n", place ^ 1)
        })
    }),
    ("rows of CSV of one name", |folder, count| {
        tree_csv(folder, count, |_| "b,a,1\n".to_owned())
    }),
    ("rows of CSV, ambiguous parents", |folder, count| {
        tree_csv(folder, count, |place| {
            format!("x{place},,1\nlab,x{place},1\nu{place},lab,1\n")
        })
    }),
    ("columns of CSV, unknown", |folder, count| {
        let names = lines(count, |place| format!(",c{place}"));
        let text = format!("name,parent,shares{names}\na,,1{}\n", ",1".repeat(count));
        arguments(["check", &write(folder, "tree.csv", &text)])
    }),
    ("rows of sshare", |folder, count| {
        arguments(["check", &sshare(folder, count)])
    }),
    ("rows of sshare, bad", |folder, count| {
        check_sshare(folder, count, |place| {
            format!("  a|u{place}|x|y|z|0.0|0.0|1.0|1.0\n")
        })
    }),
    ("rows of sshare, short", |folder, count| {
        check_sshare(folder, count, |place| format!("  a|u{place}|1|1\n"))
    }),
    ("rows of sshare, one user", |folder, count| {
        check_sshare(folder, count, |_| {
            "  a|u|1|0.5|0|0.0|0.0|1.0|1.0\n".to_owned()
        })
    }),
    ("rows of sshare, one account", |folder, count| {
        check_sshare(folder, count, |place| {
            format!(" a||1|0.1|5|0.1|0.1||1.0\n  a|u{place}|1|1.0|5|0.0|0.0|1.0|1.0\n")
        })
    }),
    ("rows of sshare, indented deeper", |folder, count| {
        check_sshare(folder, count, |place| {
            format!(
                "{}b{place}||1|0.1|5|0.1|0.1||1.0\n",
                " ".repeat(place.min(200) + 2)
            )
        })
    }),
    ("clusters of sshare", |folder, count| {
        let head = "Account|User|Cluster|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n";
        let mut args = check(folder, "sshare.txt", head, count, |place| {
            format!("root||c{place}||0.0|100|1.0|\n a||c{place}|1|1.0|100|1.0|\n")
        });
        args.extend(arguments(["--cluster", "c0"]));
        args
    }),
    ("TRES of sshare", |folder, count| {
        let limits = lines(count, |place| format!("gres/g{place}=5,"));
        let head =
            "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare|GrpTRESMins\n";
        let text = format!(
            "{head}root|||0.0|100|1.0||\n a||1|1.0|100|1.0||{limits}\n  a|u|1|1.0|1|1.0|1.0|\n"
        );
        arguments(["check", &write(folder, "sshare.txt", &text)])
    }),
    ("rows of sshare --json", |folder, count| {
        let association = |place: usize, name: &str, parent: &str, is_user: bool| {
            let kind = if is_user {
                "\"USER\""
            } else {
                "\"ASSOCIATION\""
            };
            format!(
                "{{\"id\": {place}, \"cluster\": \"c\", \"name\": \"{name}\", \"parent\": \"{parent}\", \"shares_normalized\": 0.5, \"shares\": \
                 {{\"set\": true, \"infinite\": false, \"number\": 3}}, \"usage\": {place}, \"type\": [{kind}]}}"
            )
        };
        let mut rows = vec![
            association(1, "root", "", false),
            association(2, "a", "root", false),
        ];
        rows.extend(
            (0..count).map(|place| association(place + 3, &format!("u{place}"), "a", true)),
        );
        let text = format!("{{\"shares\": {{\"shares\": [{}]}}}}", rows.join(",\n"));
        arguments(["check", &write(folder, "sshare.json", &text)])
    }),
    ("rows of sreport", |folder, count| {
        let users = lines(count, |place| format!("c|a|u{place}||1|\n"));
        let tree = write(folder, "assoc.txt", &format!("{ASSOCIATIONS}{users}"));
        let used = lines(count, |place| format!("c|a|u{place}|U {place}|{place}|0\n"));
        let report = format!(
            "Cluster/Account/User Utilization 2026-11-01T00:00:00 - 2026-11-21T23:59:59 (1814400 secs)\n\
             Usage reported in CPU Seconds\nCluster|Account|Login|Proper Name|Used|Energy\nc|root|||9|0\n{used}"
        );
        arguments(["check", &tree, &write(folder, "sreport.txt", &report)])
    }),
    ("associations of a Flux database", |folder, count| {
        let path = folder.join("flux.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let users = lines(count, |place| {
            format!("INSERT INTO association_table (username, bank) VALUES ('u{place}', 'A');\n")
        });
        let rows = format!("{BANKS}\n{ASSOCIATION_TABLE}\n{ROWS}\nBEGIN;\n{users}COMMIT;");
        connection.execute_batch(&rows).unwrap();
        let path = path.into_os_string().into_string().unwrap();
        arguments(["show", &path, "--format-out", "csv"])
    }),
    ("dumps of a series, one node", |folder, count| {
        let series = series(folder, count);
        arguments([
            "timeline",
            &series,
            "--node",
            "lab/b",
            "--format-out",
            "csv",
        ])
    }),
    ("rows of sacctmgr", |folder, count| {
        associations(folder, count, |place| format!("c|a|u{place}||1|\n"))
    }),
    ("rows of sacctmgr without parents", |folder, count| {
        associations(folder, count, |place| format!("c|b{place}|||1|z{place}\n"))
    }),
    ("rows of sacctmgr in a chain", |folder, count| {
        associations(folder, count, |place| match place {
            0 => "c|b0|||1|a\n".to_owned(),
            place => format!("c|b{place}|||1|b{}\n", place - 1),
        })
    }),
    ("partitions of sacctmgr", |folder, count| {
        associations(folder, count, |place| format!("c|a|kim|p{place}|1|\n"))
    }),
    ("users of a dump", |folder, count| {
        dump(folder, count, |place| {
            format!("User - 'u{place}':Fairshare=3\n")
        })
    }),
    ("accounts of a dump", |folder, count| {
        let accounts = lines(count, |place| format!("Account - 'b{place}':Fairshare=3\n"));
        dump(folder, count, |place| match place {
            0 => format!("{accounts}Parent - 'b0'\nUser - 'u'\n"),
            place => format!("Parent - 'b{place}'\nUser - 'u'\n"),
        })
    }),
    ("parents of a dump, unknown", |folder, count| {
        dump(folder, count, |place| {
            format!("Parent - 'z{place}'\nUser - 'u'\n")
        })
    }),
    ("records of assoc_mgr", |folder, count| {
        let record = |id: usize, account: &str, user: &str, parent: &str| {
            format!(
                "ClusterName=c Account={account} UserName={user} Partition= Priority=0 ID={id}\n    \
                 SharesRaw/Norm/Level/Factor=1/0.10/10/0.50\n    UsageRaw/Norm/Efctv=5.00/0.10/0.10\n    \
                 ParentAccount={parent} Lft=1 DefAssoc=No\n"
            )
        };
        let head = "Current Association Manager state\n\nAssociation Records\n\n";
        let accounts = record(1, "root", "", "") + &record(2, "a", "", "root(1)");
        let head = format!("{head}{accounts}");
        check(folder, "assoc_mgr.txt", &head, count, |place| {
            record(3 + place, "a", &format!("u{place}({})", 1000 + place), "")
        })
    }),
    ("rows of view-bank", |folder, count| {
        let head = "Account|Username|RawShares|RawUsage|Fairshare\nroot||1|0|\n a||1|0|\n";
        check(folder, "banks.txt", head, count, |place| {
            format!("  a|u{place}|1|{place}|0.5\n")
        })
    }),
    ("entities of PBS", |folder, count| {
        arguments(["check", &pbs(folder, count)])
    }),
    ("entities of PBS, one name", |folder, count| {
        resource_group(folder, count, |place| format!("u {} root 1\n", place + 10))
    }),
    ("entities of PBS, one number", |folder, count| {
        resource_group(folder, count, |place| format!("u{place} 10 root 1\n"))
    }),
    ("entities of PBS without parents", |folder, count| {
        resource_group(folder, count, |place| {
            format!("u{place} {} z{place} 1\n", place + 10)
        })
    }),
    ("groups of PBS in a chain", |folder, count| {
        resource_group(folder, count, |place| match place {
            0 => "u0 10 root 1\n".to_owned(),
            place => format!("u{place} {} u{} 1\n", place + 10, place - 1),
        })
    }),
    ("lines of sched_config, unknown", |folder, count| {
        let source = pbs(folder, 3);
        let text = lines(count, |place| format!("foo{place}: true ALL\n"));
        write(folder, "sched_priv/sched_config", &text);
        arguments(["check", &source])
    }),
    ("rows of a conversion to a dump", |folder, count| {
        arguments(["convert", &sshare(folder, count), "--to", "sacctmgr-dump"])
    }),
    ("rows of a conversion to CSV", |folder, count| {
        arguments(["convert", &users(folder, count), "--to", "csv"])
    }),
    ("dumps of a series", |folder, count| {
        arguments(["timeline", &series(folder, count), "--format-out", "csv"])
    }),
];

#[test]
fn every_format_takes_work_by_its_rows() {
    assert_linear(&CASES);
}
