//! Names, files, databases and commands made to harm a terminal: nothing that is printed for people can.

use crate::shown::HOSTILE;
use crate::support::command::{Ran, Run};
use crate::support::flux::{ASSOCIATIONS, BANKS, made};
use crate::support::stand_in::StandIn;
use fairscope::base::shown::visible;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
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
    let said = Run::fairscope([OsStr::new("explain"), tree.as_os_str()])
        .arg(OsStr::from_bytes(b"a\x1b]52;c;YQ==\x07\nforged"))
        .run()
        .failure(2);
    assert_eq!(
        said,
        "fairscope: 2 nodes are called a\\e]52;c;YQ==\\x07\\nforged, such as phys/a\\e]52;c;YQ==\\x07\\nforged and \
         chem/a\\e]52;c;YQ==\\x07\\nforged; write the path of the one you mean\n"
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
    assert!(
        ran.stderr
            .contains("x\\e]52;c;YQ==\\x07\\nforged\\u{9b}31m\\u{202e}"),
        "{}",
        ran.stderr
    );
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
    assert!(
        ran.stderr.contains("a\\e]52;c;YQ==\\x07z"),
        "{}",
        ran.stderr
    );
}

#[test]
fn letters_of_another_script_are_told_wherever_a_path_is() {
    let folder = tempfile::tempdir().unwrap();
    let name = "\u{430}dmin".as_bytes();
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
                assert!(!text.contains('\u{430}'), "{args:?} prints {text}");
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
    assert!(said.contains(suggested), "{said}");
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
    assert!(printed.contains(&suggested), "{printed}");
    let tree = slurm.folder().join("my tree.csv");
    std::fs::write(&tree, "parent,name,shares\n,ada,1\n,bob,none\n").unwrap();
    let ran = Run::fairscope([OsStr::new("show"), tree.as_os_str()]).run();
    let suggested = format!("see `fairscope check '{}'`", tree.display());
    assert!(ran.stderr.contains(&suggested), "{}", ran.stderr);
}
