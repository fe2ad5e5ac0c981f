//! What other programs read: formats that hold any name, and messages that can be copied.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use serde_json::Value;
use std::path::Path;
use tempfile::tempdir;

/// A name with every kind of character that a terminal must not get: a C1 control, delete, a change of direction and a
/// character without width.
const HOSTILE: &str = "a\u{9b}\u{7f}\u{202e}\u{200b}\u{e0041}z";

fn csv(name: &str) -> String {
    format!("parent,name,shares,usage,type\n,lab,1,10,account\nlab,\"{name}\",1,5,user\n")
}

/// Writes a file and returns its path.
fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("it can be written");
    path.into_os_string().into_string().expect("it is UTF-8")
}

fn is_safe(text: &str) -> bool {
    !text.chars().any(|char| {
        (char.is_control() && char != '\n')
            || matches!(char, '\u{200b}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
    })
}

#[test]
fn json_and_toml_escape_what_a_terminal_must_not_get() {
    for options in [
        &["convert", "-", "--to", "toml"][..],
        &["convert", "-", "--to", "flux-json"],
        &["show", "-", "--format-out", "json"],
        &["show", "-", "--format-out", "csv"],
    ] {
        let written = Run::fairscope(options).input(csv(HOSTILE)).run().text();
        assert!(is_safe(&written), "{options:?}: {written:?}");
        if options[0] == "convert" {
            let json = ["show", "-", "--format-out", "json", "--node", "lab"];
            let again = Run::fairscope(json).input(written).run().text();
            let again: Value = serde_json::from_str(&again).expect("JSON");
            assert_eq!(again["nodes"][1]["name"], HOSTILE, "{options:?}");
        }
    }
}

#[test]
fn a_formula_in_json_is_its_text() {
    for formula in ["00", "+1", "1e400", ".5", "true"] {
        let options = ["show", "-", "--format-out", "json", "--formula", formula];
        let ran = Run::fairscope(options).input(csv("ann")).run();
        if ran.code == Some(0) {
            let json: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
            assert_eq!(json["policy"]["settings"]["job_sort_formula"], formula);
        }
    }
}

#[test]
fn a_tar_archive_is_named_as_one() {
    let folder = tempdir().expect("a folder");
    file(folder.path(), "resource_group", "group1 10 root 40\n");
    for (name, options) in [
        ("plain.tar", &["--format=gnu"][..]),
        ("old.tar", &["--format=v7"]),
        ("packed.tar.gz", &["-z"]),
    ] {
        let made = std::process::Command::new("tar")
            .args(options)
            .args(["-cf", name, "resource_group"])
            .current_dir(&folder)
            .status()
            .expect("tar is installed");
        assert!(made.success());
        let ran = Run::fairscope([Path::new("show"), &folder.path().join(name)]).run();
        assert_eq!(ran.code, Some(2));
        ran.stderr
            .must_contain("is a tar archive; unpack it with tar -xf FILE");
    }
}

#[test]
fn a_suggested_command_names_a_file_as_one_word() {
    let folder = tempdir().expect("a folder");
    let mut database = b"SQLite format 3\0".to_vec();
    database.extend_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 1, 0]);
    database.resize(4096, 0);
    for (name, word) in [
        ("a; touch b", "a; touch b'"),
        ("$(id)", "$(id)'"),
        ("x\u{1b}]0;t", " FILE "),
    ] {
        let path = file(folder.path(), name, &database);
        let ran = Run::fairscope(["show", &path]).run();
        assert_eq!(ran.code, Some(2));
        let (_, command) = ran.stderr.split_once("with sqlite3").expect(&ran.stderr);
        assert!(command.contains(word), "{}", ran.stderr);
    }
}

#[test]
fn a_terminal_gets_no_raw_byte_of_a_format_and_a_pipe_every_one() {
    let folder = tempdir().expect("a folder");
    let name = "a\u{1b}]0;title\u{7}\u{9b}31m\u{202e}b";
    let tree = file(folder.path(), "tree.csv", csv(name));
    let options = ["convert", &tree, "--edit", "shares ann=2", "--to"];
    file(folder.path(), "two.csv", csv(name) + "lab,ann,1,5,user\n");
    let tree = folder
        .path()
        .join("two.csv")
        .into_os_string()
        .into_string()
        .expect("UTF-8");
    for format in ["csv", "sacctmgr-dump"] {
        let options = [
            options[0], &tree, options[2], options[3], options[4], format,
        ];
        let piped = Run::fairscope(options).run();
        let is_whole = |bytes: &[u8]| {
            bytes
                .windows(name.len())
                .any(|part| part == name.as_bytes())
        };
        assert!(is_whole(&piped.stdout), "{format}: {}", piped.stderr);
        let mut terminal = Terminal::fairscope(&options, &[]);
        terminal.wait_exit();
        let text = String::from_utf8_lossy(terminal.log()).replace("\r\n", "\n");
        assert!(
            text.contains(r"a\e]0;title\x07\u{9b}31m\u{202e}b"),
            "{format}: {text:?}"
        );
        assert!(is_safe(&text), "{format}: {text:?}");
    }
}

#[test]
fn names_that_a_spreadsheet_would_run_are_quoted_if_asked() {
    let tree =
        "parent,name,shares,usage,type\n,lab,1,10,account\nlab,=1+1,1,5,user\nlab,-5,1,5,user\n";
    for options in [
        &[
            "show",
            "-",
            "--columns",
            "name,usage",
            "--format-out",
            "csv",
        ][..],
        &["convert", "-", "--edit", "shares -5=2", "--to", "csv"],
        &["metrics", "-", "--users", "--format-out", "csv"],
    ] {
        let plain = Run::fairscope(options).input(tree).run().text();
        plain.must_contain("=1+1,");
        plain.must_lack("'");
        let safe = Run::fairscope(options)
            .arg("--for-spreadsheets")
            .input(tree)
            .run()
            .text();
        safe.must_contain("'=1+1,");
        safe.must_lack("'-5");
        assert_eq!(safe.replace('\'', ""), plain);
    }
    // Names that a spreadsheet would run are marked, in quotes too. Numbers with a sign are none.
    let odd = "parent,name,shares,type\n,lab,1,account\nlab,\"=HYPERLINK(\"\"x\"\",1)\",1,user\nlab,+1e3,1,user\n\
               lab,@a,1,user\nlab,-inf,1,user\nlab,c-d,1,user\nlab,-a,1,user\n";
    let run = Run::fairscope(["show", "-", "--columns", "name", "--format-out", "csv"]);
    let safe = run.arg("--for-spreadsheets").input(odd).run().text();
    for cell in [
        "\"'=HYPERLINK(\"\"x\"\",1)\"",
        "+1e3",
        "'@a",
        "-inf",
        "c-d",
        "'-a",
    ] {
        assert!(safe.lines().any(|line| line.contains(cell)), "{safe}");
        let marked = format!("'{cell}");
        safe.must_lack(&marked);
    }
    let folder = tempdir().unwrap();
    let out = folder.path().join("fairness.csv");
    let run = Run::fairscope([
        "metrics",
        "-",
        "--users",
        "--format-out",
        "csv",
        "--for-spreadsheets",
    ]);
    run.arg("--out").arg(&out).input(tree).run().success();
    let saved = std::fs::read_to_string(&out).unwrap();
    saved.must_contain("'=1+1,");
    let ran = Run::fairscope(["show", "-", "--for-spreadsheets"])
        .input(tree)
        .run();
    assert_eq!(
        ran.failure(2),
        "fairscope: --for-spreadsheets needs CSV; add --format-out csv, or leave it out\n"
    );
}

/// Runs a line of shell in which `$0` is fairscope, and returns its standard error, on which it writes the exit code.
fn shell(line: &str) -> String {
    let ran = std::process::Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_fairscope")])
        .output()
        .expect("a shell");
    String::from_utf8(ran.stderr).expect("it is UTF-8")
}

#[test]
fn a_closed_or_full_standard_output_is_an_error() {
    for (line, sentence) in [
        (
            "$0 generate --users 3 --to csv >&-; echo $? >&2",
            "standard output is closed",
        ),
        ("$0 man >&-; echo $? >&2", "standard output is closed"),
        ("$0 --help >&-; echo $? >&2", "standard output is closed"),
        (
            "exec >&-; $0 --help; echo $? >&2",
            "standard output is closed",
        ),
        (
            "$0 --help >/dev/full; echo $? >&2",
            "standard output could not be written",
        ),
        (
            "$0 man >/dev/full; echo $? >&2",
            "standard output could not be written",
        ),
        (
            "$0 --version >/dev/full; echo $? >&2",
            "standard output could not be written",
        ),
    ] {
        let complaint = shell(line);
        assert!(
            complaint.starts_with(&format!("fairscope: {sentence}")),
            "{line}: {complaint}"
        );
        assert!(complaint.ends_with("\n2\n"), "{line}: {complaint}");
    }
}

#[test]
fn output_that_is_discarded_is_no_error() {
    for line in [
        "$0 --help >/dev/null; echo $? >&2",
        "exec 1<>/dev/null; $0 --help; echo $? >&2",
    ] {
        assert_eq!(shell(line), "0\n", "{line}");
    }
    // Other programs open it to read and write, and expect no error.
    let null = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null");
    let ran = Run::fairscope(["--help"])
        .stdout(null.expect("/dev/null"))
        .run();
    assert_eq!((ran.code, &ran.stderr[..]), (Some(0), ""));
}

#[test]
fn guides_join_siblings_and_end_at_the_last() {
    let tree = "parent,name,shares,usage,type\n,x,1,,account\nx,x1,1,1,user\nx,x2,1,1,user\n\
                ,y,1,,account\ny,y1,1,1,user\n";
    let text = Run::fairscope(["show", "-", "--columns", "shares"])
        .input(tree)
        .run()
        .text();
    let lines: Vec<&str> = text.lines().skip(2).collect();
    let starts = ["├─ x ", "│  ├─ x1 ", "│  └─ x2 ", "└─ y ", "   └─ y1 "];
    assert_eq!(lines.len(), starts.len(), "{text}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{text}");
        // What stands behind the guides is aligned.
        assert_eq!(line.chars().count(), lines[0].chars().count(), "{text}");
    }
}
