//! Trees and snapshots with pseudonyms: no name is left in any byte, and every number is.

use super::seed;
use crate::support::command::Run;
use crate::support::data;
use crate::support::stand_in::StandIn;
use fairscope::format::anonymise;
use fairscope::model::Pseudonyms;
use fairscope::open::live::copy_database;
use rusqlite::Connection;
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const KEPT: [&str; 4] = ["", "root", "TREEROOT", "unknown"];

/// Runs to the end. What a format cannot hold is told on standard error.
fn output(run: Run) -> Vec<u8> {
    let ran = run.run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
}

fn show(source: &Path) -> Value {
    let run = Run::fairscope(["show", "--format-out", "json"]).arg(source);
    serde_json::from_slice(&output(run)).expect("it is JSON")
}

/// Returns the names that a tree shows, those of its scheduler aside.
fn names(tree: &Value) -> Vec<String> {
    let nodes = tree["nodes"].as_array().expect("there are nodes");
    let names = nodes.iter().flat_map(|node| {
        [&node["name"], &node["partition"]].map(|name| name.as_str().unwrap_or_default().to_owned())
    });
    names
        .filter(|name| !KEPT.contains(&name.as_str()))
        .collect()
}

/// Returns the nodes without their names.
fn numbers(tree: &Value) -> Vec<Value> {
    let nodes = tree["nodes"].as_array().expect("there are nodes");
    let nodes = nodes.iter().cloned().map(|mut node| {
        let fields = node.as_object_mut().expect("a node is an object");
        fields.retain(|key, _| !["name", "path", "partition", "name_hex"].contains(&key.as_str()));
        node
    });
    nodes.collect()
}

/// Checks that no byte of a file tells a name: as a word, for a name of one letter is in every file.
fn assert_nameless(bytes: &[u8], names: &[String], what: &str) {
    let text = String::from_utf8_lossy(bytes);
    let is_of_name = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    let words: std::collections::HashSet<&str> = text.split(|char| !is_of_name(char)).collect();
    for name in names {
        let is_told =
            words.contains(name.as_str()) || name.len() > 5 && text.contains(name.as_str());
        assert!(!is_told, "{what} tells {name}");
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it was made");
    entries
        .map(|entry| entry.expect("it can be read").path())
        .collect()
}

#[test]
fn a_converted_tree_has_its_numbers_and_no_names() {
    let folder = tempfile::tempdir().unwrap();
    let key = key_of('1', folder.path());
    for (number, (source, forms)) in [
        (PathBuf::from(seed()), &["pbs", "csv", "toml"][..]),
        (data("slurm/gold"), &["toml", "sacctmgr-dump"]),
        (data("slurm/partitions"), &["toml"]),
        (
            data("flux/15_mixed_levels/input.csv"),
            &["csv", "toml", "flux-json"],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let named = show(&source);
        for form in forms {
            let out = folder.path().join(format!("{number}.{form}"));
            let run = Run::fairscope(["convert", "--to", form]).arg(&source);
            let run = run.arg("--anonymise").arg(&key).arg("--out").arg(&out);
            output(run);
            let made = if out.is_dir() {
                files(&out)
            } else {
                vec![out.clone()]
            };
            for file in made {
                let bytes = std::fs::read(&file).unwrap();
                assert_nameless(
                    &bytes,
                    &names(&named),
                    &format!("{} as {form}", source.display()),
                );
            }
            // What a format cannot hold is lost with or without names.
            let plain = folder.path().join(format!("{number}.plain.{form}"));
            let run = Run::fairscope(["convert", "--to", form]).arg(&source);
            output(run.arg("--out").arg(&plain));
            assert_eq!(
                numbers(&show(&out)),
                numbers(&show(&plain)),
                "{} as {form}",
                source.display()
            );
        }
    }
}

#[test]
fn pseudonyms_of_one_key_are_the_same_everywhere_and_those_of_another_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let converted = |key: &str| {
        let run = Run::fairscope(["convert", "--to", "csv", "--anonymise"]);
        output(run.arg(folder.path().join(key)).arg(seed()))
    };
    let first = converted("one");
    assert_eq!(first, converted("one"));
    assert_ne!(first, converted("other"));
    let mode = folder.path().join("one").metadata().unwrap().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else may read a new key");
}

/// Writes a key file of one digit.
fn key_of(digit: char, folder: &Path) -> PathBuf {
    let key = folder.join(format!("key{digit}"));
    std::fs::write(&key, String::from(digit).repeat(64)).unwrap();
    std::fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    key
}

#[test]
fn users_that_change_rank_because_ties_follow_names_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = |tree: &Value| -> Vec<Value> {
        let nodes = tree["nodes"].as_array().expect("there are nodes");
        nodes.iter().map(|node| node["rank"].clone()).collect()
    };
    let before = ranks(&show(Path::new("example:ties")));
    let mut counts = Vec::new();
    for digit in "0123456789".chars() {
        let out = folder.path().join(format!("{digit}.toml"));
        let run = Run::fairscope(["convert", "--to", "toml", "example:ties", "--anonymise"]);
        let ran = run
            .arg(key_of(digit, folder.path()))
            .arg("--out")
            .arg(&out)
            .run();
        let after = ranks(&show(&out));
        let moved = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after);
        let moved = moved.count();
        assert_eq!(
            ran.stderr.contains("ties are ordered by name"),
            moved > 0,
            "{digit}"
        );
        assert_eq!(
            ran.stderr
                .contains(&format!("{moved} users have another rank")),
            moved > 1
        );
        counts.push(moved);
    }
    assert!(
        counts.iter().any(|&moved| moved > 1) && counts.contains(&0),
        "{counts:?}"
    );
}

#[test]
fn a_key_that_others_may_read_or_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let run = |key: &Path| {
        let run = Run::fairscope(["convert", "--to", "csv", "--anonymise"]);
        run.arg(key).arg(seed()).run()
    };
    assert_eq!(run(&key).code, Some(0));
    std::fs::set_permissions(&key, Permissions::from_mode(0o640)).unwrap();
    let said = run(&key).failure(2);
    assert!(
        said.contains("has permissions 0640") && said.contains("chmod 600"),
        "{said}"
    );
    for text in [
        "",
        "no key\n",
        &"f".repeat(63),
        &"f".repeat(65),
        "\u{e9}\u{e9}",
    ] {
        std::fs::write(&key, text).unwrap();
        std::fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
        let said = run(&key).failure(2);
        assert!(said.contains("is no key file"), "{text}: {said}");
    }
    let said = run(&folder.path().join("none/key")).failure(2);
    assert!(said.contains("create the directory first"), "{said}");
}

/// A stand-in of Slurm that prints its tree in one form, and its associations.
fn slurm(tree: &str) -> StandIn {
    let cat = |name: &str| {
        format!(
            "exec /bin/cat '{}'",
            data("slurm/live").join(name).display()
        )
    };
    let (config, associations) = (cat("scontrol_config.txt"), cat("assoc_mgr.txt"));
    let json = if tree == "sshare.json" {
        cat(tree)
    } else {
        "echo 'sshare: unrecognized option --json' >&2; exit 1".to_owned()
    };
    StandIn::empty()
        .command(
            "sshare",
            &format!("case \"$*\" in *--json) {json};; *) {};; esac", cat(tree)),
        )
        .command(
            "scontrol",
            &format!("case \"$*\" in *config) {config};; *) {associations};; esac"),
        )
}

#[test]
fn a_snapshot_of_slurm_has_its_numbers_and_no_names_in_any_output() {
    for tree in ["sshare.json", "sshare.txt"] {
        let slurm = slurm(tree);
        let folder = slurm.folder();
        let take = |out: &str, args: &[&str]| {
            let run = slurm.fairscope(["snapshot", "--live", "slurm", "--cluster", "gold"]);
            output(run.args(args).arg("--out").arg(folder.join(out)));
            folder.join(out)
        };
        let key = folder.join("key");
        let plain = take("plain", &[]);
        let other = take("other", &["--anonymise", key.to_str().unwrap()]);
        let named = show(&plain);
        assert_eq!(numbers(&show(&other)), numbers(&named), "{tree}");
        let mut told = names(&named);
        told.push("gold".to_owned());
        for file in files(&other) {
            let bytes = std::fs::read(&file).unwrap();
            assert_nameless(&bytes, &told, &file.display().to_string());
        }
        // Each output alone has the same pseudonyms.
        let known = names(&show(&other));
        let associations = names(&show(&other.join("assoc_mgr.txt")));
        assert!(
            associations.iter().all(|name| known.contains(name)),
            "{tree}"
        );
        let check = |folder: &Path| Run::fairscope(["check"]).arg(folder).run().text();
        let verified = |text: String| {
            text.lines()
                .find(|line| line.starts_with("verified"))
                .map(str::to_owned)
        };
        assert_eq!(verified(check(&other)), verified(check(&plain)), "{tree}");
    }
}

#[test]
fn a_snapshot_of_pbs_has_its_numbers_and_no_names() {
    let home = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(seed(), home.path().join("sched_priv")).unwrap();
    let out = home.path().join("out");
    let run = Run::fairscope(["snapshot", "--live", "pbs"]).variable("PBS_HOME", home.path());
    let run = run.arg("--anonymise").arg(home.path().join("key"));
    output(run.arg("--out").arg(&out));
    let named = show(Path::new(&seed()));
    assert_eq!(numbers(&show(&out)), numbers(&named));
    for file in files(&out) {
        let bytes = std::fs::read(&file).unwrap();
        assert_nameless(&bytes, &names(&named), &file.display().to_string());
    }
}

#[test]
fn a_database_of_flux_has_its_numbers_and_no_names() {
    let folder = tempfile::tempdir().unwrap();
    // SQLite leaves a file beside a database with a log.
    let source = folder.path().join("input.db");
    for end in ["", "-wal"] {
        let name = format!("input.db{end}");
        let file = data("flux/45_wal_after_update_fshare").join(&name);
        std::fs::copy(file, folder.path().join(&name)).unwrap();
    }
    let copy = folder.path().join("FluxAccounting.db");
    copy_database(&source, &copy).unwrap();
    let before = show(&copy);
    let hidden = Connection::open(&copy).unwrap();
    hidden
        .execute_batch(
            "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('Professor Smith');",
        )
        .unwrap();
    anonymise::database(&hidden, &Pseudonyms::new([7; 32])).unwrap();
    drop(hidden);
    let after = show(&copy);
    // Flux visits users by name, so they come in another order.
    let without_ids = |tree: &Value| {
        let mut nodes = numbers(tree);
        for node in &mut nodes {
            node["parent"] = Value::Null;
            if let Some(recorded) = node["recorded"].as_object_mut() {
                recorded.remove("userid");
                recorded.remove("default_bank");
            }
        }
        nodes.sort_by_key(Value::to_string);
        nodes
    };
    assert_eq!(without_ids(&after), without_ids(&before));
    let mut told = names(&before);
    told.push("Smith".to_owned());
    assert_nameless(&std::fs::read(&copy).unwrap(), &told, "the database");
}
