//! Names, files, databases and commands made to harm a terminal: nothing that is printed for people can.

use crate::shown::HOSTILE;
use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use crate::support::flux::{ASSOCIATIONS, BANKS, made};
use crate::support::stand_in::StandIn;
use fairscope::base::shown::visible;
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Checks that a text can be printed as it is, and that no name in it begins a line.
#[track_caller]
fn assert_plain(what: &str, text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap_or_else(|_| panic!("{what} prints {text:?}"));
    for line in text.lines() {
        assert_eq!(line, &*visible(line), "{what}");
        assert!(!line.starts_with("forged"), "{what} prints {text}");
    }
}

#[track_caller]
fn assert_harmless(what: &str, ran: &Ran) {
    assert_plain(what, &ran.stdout);
    assert_plain(what, ran.stderr.as_bytes());
    assert!(!ran.stdout.is_empty() || !ran.stderr.is_empty(), "{what}");
}

/// Writes a tree in which a name occurs twice, once below an account of that name.
fn tree(folder: &Path, file: &str, name: &[u8]) -> PathBuf {
    let quoted: Vec<u8> = [b"\"", name, b"\""].concat();
    let mut text =
        b"parent,name,shares,usage,type\n,phys,10,,account\n,chem,20,,account\n".to_vec();
    for (parent, usage) in [("phys", "100"), ("chem", "50")] {
        text.extend_from_slice(parent.as_bytes());
        text.push(b',');
        text.extend_from_slice(&quoted);
        text.extend_from_slice(
            format!(",5,{usage},user\n{parent},bob{parent},4,7,user\n").as_bytes(),
        );
    }
    let path = folder.join(file);
    std::fs::write(&path, text).unwrap();
    path
}

/// Returns a name as it is written in a path.
fn escaped(name: &[u8]) -> Vec<u8> {
    let escape = |&byte: &u8| match byte {
        b'/' | b'\\' | b'@' | b'#' => vec![b'\\', byte],
        byte => vec![byte],
    };
    name.iter().flat_map(escape).collect()
}

/// Returns the commands about a node of a tree and of an older one.
fn commands(new: &Path, old: &Path, node: &[u8]) -> Vec<Vec<OsString>> {
    let text = |words: &str| -> Vec<OsString> {
        let file = |word: &str| match word {
            "NEW" => new.as_os_str().to_owned(),
            "OLD" => old.as_os_str().to_owned(),
            word => {
                let parts = word.split("NODE").map(str::as_bytes).collect::<Vec<_>>();
                OsString::from_vec(parts.join(node))
            }
        };
        words.split('|').map(file).collect()
    };
    [
        "show|NEW|--node|NODE",
        "rank|NEW|--node|NODE",
        "policies|NEW|--node|NODE",
        "explain|NEW|NODE",
        "explain|NEW|bobphys|NODE",
        "solve|NEW|--node|NODE|--goal|rank<=1",
        "solve|NEW|--node|bobphys|--goal|ahead-of NODE",
        "whatif|NEW|--edit|shares NODE=7",
        "whatif|NEW|--edit|rename bobphys to NODE",
        "plan|NEW|--for|slurm|--edit|shares NODE=7",
        "simulate|NEW|--until|2d|--charge|NODE=5",
        "diff|OLD|NEW|--node|NODE",
        "timeline|OLD|NEW|--node|NODE",
        "check|NEW",
        "show|NEW|--format-out|markdown",
        "show|NEW|--columns|NODE",
        "show|NEW|--set|NODE=1",
        "show|NEW|--policy|NODE",
        "show|NEW|--cluster|NODE",
        "NODE|NEW",
    ]
    .iter()
    .map(|words| text(words))
    .collect()
}

#[test]
fn no_name_reaches_the_terminal_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for &name in HOSTILE {
        let new = tree(folder.path(), "t-2025-04-22.csv", name);
        let old = tree(folder.path(), "t-2025-04-21.csv", name);
        let name = escaped(name);
        for node in [name.clone(), [b"phys/", &name[..]].concat()] {
            for args in commands(&new, &old, &node) {
                let what = format!("{args:?}");
                assert_harmless(&what, &Run::fairscope(args).run());
                count += 1;
            }
        }
    }
    assert_eq!(count, HOSTILE.len() * 2 * 20);
}

#[test]
fn an_ambiguous_name_is_written_out_in_the_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(folder.path(), "tree.csv", b"a\x1b]52;c;YQ==\x07\nforged");
    let name = OsStr::from_bytes(b"a\x1b]52;c;YQ==\x07\nforged");
    let both = Run::fairscope([OsStr::new("explain"), tree.as_os_str(), name]);
    assert_harmless("two users of one name", &both.run());
    let said = Run::fairscope([OsStr::new("solve"), tree.as_os_str()])
        .args([OsStr::new("--node"), name])
        .run()
        .failure(2);
    let last = said.lines().last();
    assert_eq!(
        last,
        Some(
            "fairscope: 2 nodes are called a\\e]52;c;YQ==\\x07\\nforged, such as phys/a\\e]52;c;YQ==\\x07\\nforged and \
         chem/a\\e]52;c;YQ==\\x07\\nforged; write the path of the one you mean"
        )
    );
}

#[test]
fn what_sqlite_says_of_a_database_is_written_out() {
    let broken = "CREATE TABLE \"x\u{1b}]52;c;YQ==\u{7}\nforged\u{9b}31m\u{202e}\" (a);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE TABLE broken(' WHERE name LIKE 'x%';";
    let made = made(&[BANKS, ASSOCIATIONS, broken]);
    let ran = Run::fairscope([OsStr::new("show"), made.path.as_os_str()]).run();
    assert_harmless("a hostile table", &ran);
    assert_eq!(ran.code, Some(2));
    ran.stderr
        .must_contain("x\\e]52;c;YQ==\\x07\\nforged\\u{9b}31m\\u{202e}");
}

#[test]
fn names_of_files_are_written_out_in_every_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(folder.path(), "tree.csv", b"ada");
    for &name in HOSTILE {
        let file = folder.path().join(OsStr::from_bytes(name));
        let options = [
            "show|FILE",
            "show|TREE|--config|FILE",
            "show|TREE|--usage|FILE",
            "show|TREE|--jobs|FILE",
            "whatif|TREE|--edits|FILE",
            "whatif|TREE|--scenario|FILE",
            "simulate|TREE|--until|2d|--pace|FILE",
            "convert|TREE|--to|csv|--out|FILE/x",
            "snapshot|--live|slurm|--out|FILE",
            "timeline|TREE|FILE",
            "diff|FILE|TREE",
        ];
        for words in options {
            let args = words.split('|').map(|word| match word {
                "FILE" => file.as_os_str().to_owned(),
                "FILE/x" => file.join("x").into_os_string(),
                "TREE" => tree.as_os_str().to_owned(),
                word => word.into(),
            });
            let args: Vec<OsString> = args.collect();
            let what = format!("{args:?}");
            let ran = Run::fairscope(args).variable("PATH", folder.path()).run();
            assert_harmless(&what, &ran);
            assert_eq!(ran.code, Some(2), "{what}");
        }
    }
}

#[test]
fn what_a_scheduler_complains_of_is_written_out() {
    let complaint =
        "printf 'a\\033]52;c;YQ==\\007z\\n\\302\\23331m\\342\\200\\256\\r\\377\\n' >&2; exit 1";
    let slurm = StandIn::empty()
        .command("sshare", complaint)
        .command("scontrol", complaint);
    let ran = slurm.fairscope(["show", "--live", "slurm"]).run();
    assert_harmless("a complaint", &ran);
    assert_eq!(ran.code, Some(2));
    ran.stderr.must_contain("a\\e]52;c;YQ==\\x07z");
}

#[test]
fn what_cannot_be_seen_is_told_wherever_a_path_is() {
    let folder = tempfile::tempdir().unwrap();
    let name = "ad\u{200b}min".as_bytes();
    let new = tree(folder.path(), "t-2025-04-22.csv", name);
    let old = tree(folder.path(), "t-2025-04-21.csv", name);
    for node in [name.to_vec(), [b"phys/", name].concat()] {
        for args in commands(&new, &old, &node) {
            // Edits, goals and the like are repeated as they were written, so that they can be copied.
            let is_other = |arg: &OsString| {
                [
                    "--edit",
                    "--charge",
                    "--columns",
                    "--set",
                    "--policy",
                    "--cluster",
                ]
                .iter()
                .any(|option| arg == option)
                    || arg.as_bytes().starts_with(b"ahead-of")
            };
            if args.iter().any(is_other) || args[0].as_bytes() == node {
                continue;
            }
            let ran = Run::fairscope(&args).run();
            let printed = String::from_utf8(ran.stdout.clone()).unwrap();
            for text in [&printed, &ran.stderr] {
                assert!(!text.contains('\u{200b}'), "{args:?} prints {text}");
            }
        }
    }
}

#[test]
fn a_suggested_path_can_be_typed_as_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree.csv");
    let rows =
        "parent,name,shares,type\n,chem,1,account\n,phys/lab,1,account\nphys/lab,bob,1,user\n";
    std::fs::write(&tree, rows).unwrap();
    let explain = |node: &str| {
        Run::fairscope([OsStr::new("explain"), tree.as_os_str(), OsStr::new(node)]).run()
    };
    let said = explain("phys\\/lab/bop").failure(2);
    let suggested = "did you mean 'phys\\/lab/bob'?";
    said.must_contain(suggested);
    assert_eq!(explain("phys\\/lab/bob").code, Some(0));
}

#[test]
fn suggested_commands_name_files_as_a_shell_takes_them() {
    let slurm = StandIn::slurm();
    let out = slurm.folder().join("a snapshot");
    let ran = slurm
        .fairscope(["snapshot", "--live", "slurm", "--out"])
        .arg(&out)
        .run();
    let suggested = format!("fairscope '{}' opens it", out.display());
    let printed = ran.text();
    printed.must_contain(&suggested);
    let tree = slurm.folder().join("my tree.csv");
    std::fs::write(&tree, "parent,name,shares\n,ada,1\n,bob,none\n").unwrap();
    let ran = Run::fairscope([OsStr::new("show"), tree.as_os_str()]).run();
    let suggested = format!("see `fairscope check '{}'`", tree.display());
    ran.stderr.must_contain(&suggested);
}

#[test]
fn no_printed_command_runs_what_is_in_the_name_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("dd");
    let file = |name: &str| place.join(format!("$(touch PWN) `touch PWN` '; {name}"));
    std::fs::create_dir_all(&place).unwrap();
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let written = |name: &str, text: &str| {
        std::fs::write(file(name), text).unwrap();
        file(name)
    };
    let odd = "parent,name,shares\n,ada,1\n,bob,none\n";
    let dumps = file("dumps");
    std::fs::create_dir(&dumps).unwrap();
    for day in ["2026-11-01", "2026-11-02"] {
        std::fs::write(dumps.join(format!("{day}.csv")), odd).unwrap();
    }
    let ran = Run::fairscope(["timeline"]).arg(&dumps).run();
    let first = quoted(&dumps.join("2026-11-01.csv"));
    ran.stderr
        .must_contain(&format!("`fairscope check {first}`"));
    let key = written("key", "no key");
    std::fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    let tree = written("tree.csv", "parent,name,shares\n,ada,1\n");
    let run = Run::fairscope(["convert", "--to", "csv", "--anonymise"]);
    let told = run.arg(&key).arg(&tree).run().failure(2);
    told.must_contain(&format!("run chmod 600 {}, or", quoted(&key)));
    let report = "Cluster/User/Account Utilization 2026-11-01T00:00:00 - 2026-11-21T23:59:59 (1814400 secs)\nUsage \
                  reported in CPU Minutes\nCluster|Account|Login|Proper Name|Used|Energy\ngold|root|||9|0\ngold|chem|ann||5|0\n";
    let report = written("sreport.txt", report);
    let told = Run::fairscope(["show"]).arg(&report).run().failure(2);
    told.must_contain(&format!("fairscope assoc.txt {}", quoted(&report)));
    let several = file("several");
    std::fs::create_dir(&several).unwrap();
    std::fs::write(several.join("a.csv"), "parent,name,shares\n,ada,1\n").unwrap();
    std::fs::write(several.join("b.csv"), "parent,name,shares\n,bob,1\n").unwrap();
    let told = Run::fairscope(["show"]).arg(&several).run().failure(2);
    told.must_contain(&format!("fairscope timeline {} if", quoted(&several)));
}

#[test]
fn nobody_is_called_by_a_name_in_markdown() {
    let tree = "parent,name,shares,usage,type\n,root,1,9,account\nroot,@org/team,1,5,account\n@org/team,@ann,1,5,user\n\
                root,b,3,4,account\nb,@eve,1,4,user\n";
    for words in [
        &["show", "-"][..],
        &["rank", "-"],
        &["policies", "-"],
        &["metrics", "-", "--users"],
        &["me", "-", "@ann"],
        &["whatif", "-", "--edit", r"shares \@ann=20"],
        &["plan", "-", "--for", "slurm", "--edit", r"shares \@ann=20"],
        &["simulate", "-", "--until", "1d"],
        &["diff", "-", "example:small"],
    ] {
        let ran = Run::fairscope(words)
            .args(["--format-out", "markdown"])
            .input(tree)
            .run();
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.stderr);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        // Nobody is called in a block of code.
        let outside: Vec<&str> = text.split("```").step_by(2).collect();
        for name in ["@org", "@ann", "@eve"] {
            assert!(
                !outside.concat().contains(name),
                "{words:?} calls {name}: {text}"
            );
        }
    }
}

#[test]
fn no_form_of_a_report_prints_a_tab_of_pbs() {
    for words in [
        &["plan", "example:small", "--edit", "shares suzy=20"][..],
        &["whatif", "example:small", "--edit", "shares suzy=20"],
    ] {
        for form in ["text", "markdown", "html"] {
            let form = match (words[0], form) {
                ("whatif", "text") => "table",
                (_, form) => form,
            };
            let ran = Run::fairscope(words).args(["--format-out", form]).run();
            assert_eq!(ran.code, Some(0), "{words:?} as {form}: {}", ran.stderr);
            assert!(!ran.stdout.contains(&b'\t'), "{words:?} as {form}");
        }
    }
}
