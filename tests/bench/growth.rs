//! How the time to read a file grows with its length: every kind of list that a file can hold, at two lengths.

use super::open;
use fairscope::report::lesson::Staged;
use fairscope::tui::{Config, Keymap, parse_lesson};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// How many entries the shorter file has.
const SHORT: usize = 20_000;

/// Writes a file with a list of so many entries into a folder, and returns its path.
type Write = fn(&Path, usize) -> PathBuf;

/// Reads a text of so many entries, and returns the time in milliseconds.
type Read = fn(usize) -> f64;

const LISTS: [(&str, Write); 16] = [
    ("unknown keys", |folder, count| {
        toml(folder, "", count, |place| format!("key{place} = 1\n"))
    }),
    ("settings", |folder, count| {
        toml(folder, "[settings]\n", count, |place| {
            format!("key{place} = 1\n")
        })
    }),
    ("scenarios", |folder, count| {
        scenario(folder, 2, count, |place| {
            format!("[[scenario]]\nname = \"s{place}\"\n")
        })
    }),
    ("edits: shares", |folder, count| {
        edits(folder, count, |place| format!("shares lab/u{place}=7"))
    }),
    ("edits: names", |folder, count| {
        edits(folder, count, |place| format!("shares u{place}=7"))
    }),
    ("edits: usage", |folder, count| {
        edits(folder, count, |place| format!("usage lab/u{place}=7"))
    }),
    ("edits: add", |folder, count| {
        edits(folder, count, |place| {
            format!("add lab/new{place} shares=3")
        })
    }),
    ("edits: remove", |folder, count| {
        edits(folder, count, |place| format!("remove lab/u{place}"))
    }),
    ("edits: rename", |folder, count| {
        edits(folder, count, |place| {
            format!("rename lab/u{place} to x{place}")
        })
    }),
    ("edits: move", |folder, count| {
        edits(folder, count, |place| format!("move lab/u{place} to lab"))
    }),
    ("CSV columns", |folder, count| {
        let names = list(count, |place| format!(",c{place}"));
        let cells = ",1".repeat(count);
        write(
            folder,
            "tree.csv",
            &format!("name,parent,shares{names}\na,,1{cells}\n"),
        )
    }),
    ("sshare", |folder, count| {
        let rows = list(count, |place| format!("  a|u{place}|1|0.0|1|0.0|0.5\n"));
        let head = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n\
                    root|||0.0|100|1.0|\n a||1|1.0|100|1.0|\n";
        write(folder, "sshare.txt", &format!("{head}{rows}"))
    }),
    ("sshare: ties", |folder, count| {
        // Every user has the same rank and another Level FS.
        let rows = list(count, |place| {
            format!(
                "  a|u{place}|{}|0.5|0|0.0|0.0|1.0|{}.0\n",
                place % 9 + 1,
                place % 13 + 1
            )
        });
        let head = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n\
                    root|||0.0|0||1.0||\n a||1|1.0|0|1.0|1.0||1.0\n";
        write(folder, "sshare.txt", &format!("{head}{rows}"))
    }),
    ("sshare: slashes", |folder, count| {
        let rows = list(count / 2, |place| {
            format!(" a/{place:07}||1|0.1|5|1.0|\n  b{place}||1|0.1|5|1.0|\n")
        });
        let head = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n\
                    root|||0.0|100|1.0|\n a||1|1.0|100|1.0|\n";
        write(folder, "sshare.txt", &format!("{head}{rows}"))
    }),
    ("sacctmgr show", |folder, count| {
        let rows = list(count, |place| format!("c|a|u{place}||1|\n"));
        let head = "Cluster|Account|User|Partition|Share|ParentName\nc|root|||1|\nc|a|||1|root\n";
        write(folder, "assoc.txt", &format!("{head}{rows}"))
    }),
    ("sacctmgr dump", |folder, count| {
        let rows = list(count, |place| format!("User - 'u{place}'\n"));
        let head = "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a'\nParent - 'a'\n";
        write(folder, "dump.cfg", &format!("{head}{rows}"))
    }),
];

fn list(count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).map(entry).collect()
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("there is room");
    path
}

fn toml(folder: &Path, table: &str, count: usize, entry: impl Fn(usize) -> String) -> PathBuf {
    let text = format!(
        "fairscope = 1\n{table}{}[tree]\nrows = '''\na 1\n'''\n",
        list(count, entry)
    );
    write(folder, "tree.toml", &text)
}

fn scenario(folder: &Path, users: usize, count: usize, entry: impl Fn(usize) -> String) -> PathBuf {
    let users = list(users, |place| format!("  u{place} 1 5\n"));
    let tree = format!("fairscope = 1\n[tree]\nrows = '''\nlab 1\n{users}'''\n");
    write(folder, "tree.toml", &tree);
    let source = "fairscope = 1\n[source]\npath = \"tree.toml\"\n";
    let text = format!("{source}{}", list(count, entry));
    write(folder, "scenario.toml", &text)
}

/// Writes a scenario that edits every member of one account.
fn edits(folder: &Path, count: usize, edit: impl Fn(usize) -> String) -> PathBuf {
    scenario(folder, count, count, |place| {
        format!("[[edit]]\ndo = \"{}\"\n", edit(place))
    })
}

/// Returns the least time of a few runs, in milliseconds.
fn least(run: impl Fn()) -> f64 {
    let times = (0..3).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::INFINITY, f64::min)
}

/// Prints the times to read lists of one length and of twice that length, and their ratio.
pub(super) fn print() {
    println!(
        "\nlists in files: {SHORT} entries, twice as many, the ratio, which is 2 if time grows linearly"
    );
    let row = |name: &str, [short, long]: [f64; 2]| {
        println!(
            "{name:14} {short:7.1} ms  {long:7.1} ms  {:5.1}",
            long / short
        );
    };
    for (name, file) in LISTS {
        let times = [SHORT, 2 * SHORT].map(|count| {
            let folder = tempfile::tempdir().expect("a temporary directory can be made");
            let path = file(folder.path(), count);
            least(|| drop(open(&path)))
        });
        row(name, times);
    }
    let texts: [(&str, Read); 3] = [
        ("keymap", |count| {
            let text = list(count, |place| format!("action{place} = [\"a\"]\n"));
            least(|| drop(Keymap::parse(&text)))
        }),
        ("own settings", |count| {
            let text = list(count, |place| format!("key{place} = 1\n"));
            least(|| drop(Config::parse(&"config.toml".into(), text.as_bytes())))
        }),
        ("lesson", |count| {
            let head = "title = \"t\"\nabout = \"a\"\nsource = \"example:small\"\n";
            let text = head.to_owned() + &"[[step]]\ntext = \"{users}\"\n".repeat(count);
            let tree = open(Path::new("example:small")).scenario;
            least(|| {
                let lesson = parse_lesson(&"lesson.toml".into(), &text, Path::new(""));
                let lesson = Arc::new(lesson.expect("it is a lesson"));
                drop(Staged::new(lesson, &tree));
            })
        }),
    ];
    for (name, read) in texts {
        row(name, [SHORT, 2 * SHORT].map(read));
    }
}
