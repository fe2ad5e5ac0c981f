//! Trees and snapshots with pseudonyms: no name is left in any byte, and every number is.

use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::stand_in::StandIn;
use crate::support::{data, golden};
use fairscope::format::flux::database::anonymised;
use fairscope::model::Pseudonyms;
use fairscope::open::live::copy_database;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

/// Returns the nodes without their names and order, which is another one under pseudonyms.
fn unordered(tree: &Value) -> Vec<Value> {
    let mut nodes = numbers(tree);
    for node in &mut nodes {
        node["parent"] = Value::Null;
        if let Some(recorded) = node["recorded"].as_object_mut() {
            for texts in ["userid", "default_bank", "queues", "projects"] {
                recorded.remove(texts);
            }
        }
    }
    nodes.sort_by_key(Value::to_string);
    nodes
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
                unordered(&show(&out)),
                unordered(&show(&plain)),
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
    // Every user has another usage, which tells who it is.
    let ranks = |tree: &Value| -> BTreeMap<String, Value> {
        let nodes = tree["nodes"].as_array().expect("there are nodes");
        let users = nodes.iter().filter(|node| node["kind"] == "user");
        let users = users.map(|node| (node["usage"].to_string(), node["rank"].clone()));
        users.collect()
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
        assert_eq!(after.len(), 4);
        let moved = before.iter().filter(|(user, rank)| after[*user] != **rank);
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
    said.must_contain("has permissions 0640");
    said.must_contain("chmod 600");
    // The owner of a key can read and replace it, whoever else may not. Only root can give a file away.
    let foreign = if rustix::process::geteuid().is_root() {
        std::fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::chown(&key, Some(1), None).unwrap();
        key.clone()
    } else {
        PathBuf::from("/etc/passwd")
    };
    let said = run(&foreign).failure(2);
    said.must_contain("belongs to another user");
    std::fs::remove_file(&key).ok();
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
    said.must_contain("create the directory first");
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
        assert_eq!(unordered(&show(&other)), unordered(&named), "{tree}");
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
    // SQLite keeps a name as the bytes that it was given.
    hidden
        .execute_batch("UPDATE association_table SET username = CAST(username AS BLOB)")
        .unwrap();
    let made = folder.path().join("made.db");
    let to = Connection::open(&made).unwrap();
    anonymised(&hidden, &to, &Pseudonyms::new([7; 32])).unwrap();
    drop((hidden, to));
    assert_eq!(unordered(&show(&made)), unordered(&before));
    let mut told = names(&before);
    told.push("Smith".to_owned());
    assert_nameless(&std::fs::read(&made).unwrap(), &told, "the database");
    let after = names(&show(&made));
    assert_eq!(after.len(), names(&before).len());
}

/// The word that stands for everything that a site would not have known.
const SECRET: &str = "zqsecretword";

fn assert_secret_is_kept(folder: &Path, what: &str) {
    let made = files(folder);
    assert!(made.len() > 1, "{what}");
    for file in made {
        let bytes = std::fs::read(&file).unwrap().to_ascii_lowercase();
        let found = memchr::memmem::find(&bytes, SECRET.as_bytes());
        let around = found.map(|place| {
            let text = &bytes[place.saturating_sub(60)..bytes.len().min(place + 60)];
            String::from_utf8_lossy(text).into_owned()
        });
        assert_eq!(around, None, "{what}: {}", file.display());
    }
}

/// Returns JSON in which every text that is no number is the word; names go on with what they were, and so are still different.
fn secretive(value: &Value, key: &str) -> Value {
    match value {
        Value::String(name) if name.is_empty() || name == "root" || key == "type" => value.clone(),
        Value::String(name) if ["name", "parent", "partition"].contains(&key) => {
            format!("{SECRET}{name}").into()
        }
        // Some data parsers write `Infinity` and `NaN` as texts.
        Value::String(text) if text.parse::<f64>().is_ok() => value.clone(),
        Value::String(_) => SECRET.into(),
        Value::Array(list) => list.iter().map(|one| secretive(one, key)).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, one)| (key.clone(), secretive(one, key)));
            fields.collect::<serde_json::Map<_, _>>().into()
        }
        value => value.clone(),
    }
}

/// Returns the JSON of a data parser with every key that any release gives an association, filled with the word.
fn of_parser(parser: u32) -> Value {
    let number = |value: f64| match parser {
        40 | 41 => json!(value),
        _ => json!({"set": true, "infinite": false, "number": value}),
    };
    let resources = |value: Value| -> Value {
        let names = [
            "cpu",
            "license/x@server",
            "gres/x",
            "gres/gpu:x",
            "x/x",
            "x",
            "bb/x",
            "fs/x",
        ];
        let named = names.map(|name| {
            let name = name.replace('x', SECRET).replace("server", SECRET);
            json!({"name": name, "type": SECRET, "value": value, "id": 1, "count": value})
        });
        named.into_iter().collect()
    };
    let association = |id: u32, name: &str, parent: &str, kind: &str| {
        json!({
            "id": id, "cluster": SECRET, "name": name, "parent": parent, "partition": if kind == "USER" { SECRET } else { "" },
            "shares": {"set": true, "infinite": false, "number": 5}, "shares_normalized": number(0.5),
            "usage": 7, "usage_normalized": number(0.5), "effective_usage": number(0.5),
            "fairshare": {"factor": number(0.5), "level": number(1.0), SECRET: SECRET},
            "tres": {
                "usage": resources(json!(7.25)), "group_minutes": resources(number(60.0)),
                "run_seconds": resources(number(60.0)), SECRET: resources(json!(1)),
            },
            "type": [kind],
            "account": SECRET, "comment": SECRET, "lineage": SECRET, "default": {"qos": SECRET}, "is_default": true,
            "max": {"tres": {"total": resources(json!(1))}}, "min": {"priority_threshold": SECRET}, "qos": [SECRET],
            "user": SECRET, "description": SECRET, "organization": SECRET, "flags": [SECRET], "parent_account": SECRET,
            "accounting": [{"allocated": {"seconds": 1}, "TRES": resources(json!(1))}], SECRET: SECRET,
        })
    };
    let chem = format!("{SECRET}-chem");
    let ann = format!("{SECRET}-ann");
    json!({
        "shares": {
            "shares": [
                association(1, "root", "", "ASSOCIATION"),
                association(2, &chem, "root", "ASSOCIATION"),
                association(3, &ann, &chem, "USER"),
            ],
            "total_shares": 0, SECRET: SECRET,
        },
        "meta": {
            "plugin": {"type": SECRET, "name": SECRET, "data_parser": format!("data_parser/v0.0.{parser}{SECRET}")},
            "client": {"source": SECRET, "user": SECRET, "group": SECRET},
            "command": ["sshare", "-a", "--json", SECRET],
            "slurm": {"version": {"major": SECRET, "micro": SECRET}, "release": format!("24.11.5-{SECRET}"), "cluster": SECRET},
        },
        "errors": [], "warnings": [{"description": SECRET, "source": SECRET}], SECRET: SECRET,
    })
}

/// A stand-in of Slurm whose every text is the word, with its tree in this JSON or, if it has none, as a table.
fn secretive_slurm(tree: Option<&Value>) -> StandIn {
    let list = format!(
        "cpu=5,license/{SECRET}@{SECRET}=7,gres/{SECRET}=2,gres/gpu:{SECRET}=3,{SECRET}={SECRET}"
    );
    let table = format!(
        "Account|User|Cluster|Partition|ID|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins|{SECRET}\n\
         root||{SECRET}||1||0.000000|7||1.000000|||{list}|{list}|{SECRET}\n\
         {blank}{SECRET}-chem||{SECRET}||2|5|1.000000|7|1.000000|1.000000||1.000000|{list}|{list}|{SECRET}\n\
         {blank}{blank}{SECRET}-chem|{SECRET}-ann|{SECRET}|{SECRET}|3|5|1.000000|7|1.000000|1.000000|1.000000|1.000000|{list}|{list}|{SECRET}\n\
         {blank}Account||{SECRET}||4|5|{SECRET}|{SECRET}|{SECRET}|1.000000||1.000000|{list}|{list}|{SECRET}\n",
        blank = " ",
    );
    let block = |names: &str, parent: &str| {
        format!(
            "ClusterName={SECRET} {names} Priority={SECRET} ID=7\n    SharesRaw/Norm/Level/Factor=3/0.25/12/0.75\n    \
             UsageRaw/Norm/Efctv=7.25/0.38/1.00\n    ParentAccount={parent} Lineage=/{SECRET}/ DefAssoc={SECRET}\n    \
             GrpJobs=N(0) Comment={SECRET}\n    GrpTRESMins={list}\n    GrpTRESRunMins={list} QOS={SECRET}\n"
        )
    };
    let associations = [
        format!("Current Association Manager state\n{SECRET}\nAssociation Records\n\n"),
        block("Account=root UserName= Partition=", ""),
        block(
            &format!("Account={SECRET}-chem UserName= Partition="),
            "root(1)",
        ),
        block(
            &format!("Account={SECRET}-chem UserName={SECRET}-ann(1002) Partition={SECRET}"),
            "",
        ),
        format!("\nQOS Records\n\nQOS={SECRET}(1)\n"),
    ];
    let config = format!(
        "{SECRET}\nConfiguration data as of 2026-11-21T02:01:38 {SECRET}\nConfiguration data as of 2026-11-21T02:01:38\n\
         ClusterName = {SECRET}\nSLURM_VERSION = 24.11.5-{SECRET}\nPriorityFlags = {SECRET},MAX_TRES\nPriorityType = \
         priority/{SECRET}\nPriorityDecayHalfLife = 7-00:00:00 # {SECRET}\nPriorityWeightTRES = {list}\n\
         AccountingStorageEnforce = {SECRET},limits\nPriorityWeightQOS = {SECRET}\nBOOT_TIME = {SECRET}\n{SECRET} = \
         {SECRET}\nLicenses = {SECRET}:5\n"
    );
    let slurm = StandIn::empty();
    let folder = slurm.folder().to_owned();
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        format!("exec /bin/cat '{}'", path.display())
    };
    let (config, associations) = (
        put("config", &config),
        put("associations", &associations.concat()),
    );
    let table = put("table", &table);
    let json = match tree {
        Some(tree) => put("json", &tree.to_string()),
        None => "echo 'sshare: unrecognized option --json' >&2; exit 1".to_owned(),
    };
    slurm
        .command(
            "sshare",
            &format!("case \"$*\" in *--json) {json};; *) {table};; esac"),
        )
        .command(
            "scontrol",
            &format!("case \"$*\" in *config) {config};; *) {associations};; esac"),
        )
}

/// Takes an anonymised snapshot of Slurm, and checks that it is a tree without the word.
fn check_slurm(slurm: &StandIn, what: &str) {
    let out = slurm.folder().join("out");
    let run = slurm.fairscope(["snapshot", "--live", "slurm", "--anonymise"]);
    let ran = run
        .arg(slurm.folder().join("key"))
        .arg("--out")
        .arg(&out)
        .run();
    assert_eq!(ran.code, Some(0), "{what}: {}", ran.stderr);
    assert_secret_is_kept(&out, what);
    let tree = show(&out);
    assert!(names(&tree).len() >= 2, "{what}: {tree}");
    for form in ["toml", "csv", "sacctmgr-dump", "flux-json"] {
        let converted = slurm.folder().join(format!("converted.{form}"));
        std::fs::create_dir(&converted).unwrap();
        let run = slurm.fairscope(["convert", "--live", "slurm", "--to", form, "--anonymise"]);
        let run = run.arg(slurm.folder().join("key")).arg("--out");
        let ran = run.arg(converted.join("tree")).run();
        assert_eq!(ran.code, Some(0), "{what} as {form}: {}", ran.stderr);
        std::fs::write(converted.join("told"), "").unwrap();
        assert_secret_is_kept(&converted, &format!("{what} as {form}"));
    }
}

#[test]
fn no_text_of_any_data_parser_leaves_in_an_anonymised_snapshot() {
    for parser in 40..=46 {
        let slurm = secretive_slurm(Some(&of_parser(parser)));
        check_slurm(&slurm, &format!("data_parser 0.0.{parser}"));
    }
    check_slurm(&secretive_slurm(None), "the table of sshare");
}

#[test]
fn golden_no_text_of_real_json_leaves_in_an_anonymised_snapshot() {
    let Some(folder) = golden("slurm/25-json-variants") else {
        return;
    };
    let mut count = 0;
    for release in files(&folder) {
        let Ok(entries) = release.read_dir() else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_json = path.extension().is_some_and(|ending| ending == "json");
            if !name.starts_with("sshare_a_json") || !is_json {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let Ok(tree) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            let slurm = secretive_slurm(Some(&secretive(&tree, "")));
            check_slurm(&slurm, &path.display().to_string());
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn no_text_of_pbs_leaves_in_an_anonymised_snapshot() {
    let home = tempfile::tempdir().unwrap();
    let place = home.path().join("sched_priv");
    std::fs::create_dir(&place).unwrap();
    let put = |name: &str, text: &str| std::fs::write(place.join(name), text).unwrap();
    put(
        "resource_group",
        &format!(
            "# {SECRET}\n{SECRET}a 10 root 40 {SECRET}\n{SECRET}b 11 {SECRET}a 5\n{SECRET}c 12 {SECRET}a 5 # {SECRET}\n"
        ),
    );
    put(
        "sched_config",
        &format!(
            "# {SECRET}\nfair_share: true all # {SECRET}\nfairshare_entity: {SECRET}\nfairshare_usage_res: \
             \"ncpus*{SECRET}\"\nfairshare_decay_time: 24:00:00\n{SECRET}: {SECRET}\njob_sort_key: \"{SECRET} HIGH\" all\n"
        ),
    );
    put(
        "sched_formula",
        &format!(
            "### PBS INTERNAL FILE DO NOT MODIFY ###\npow(2, fairshare_perc) + 3*{SECRET} + ncpus\n"
        ),
    );
    let out = home.path().join("out");
    let run = Run::fairscope(["snapshot", "--live", "pbs"]).variable("PBS_HOME", home.path());
    let run = run.arg("--anonymise").arg(home.path().join("key"));
    let ran = run.arg("--out").arg(&out).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stderr.must_contain("keep the order of resource_group");
    assert_secret_is_kept(&out, "sched_priv");
    let formula = std::fs::read_to_string(out.join("sched_formula")).unwrap();
    formula.must_contain("pow(2, fairshare_perc) + 3*r");
    formula.must_contain("+ ncpus");
}

#[test]
fn no_text_of_view_bank_leaves_in_an_anonymised_snapshot() {
    let table = format!(
        "Bank|Username|Active|RawShares|RawUsage|Fairshare\nroot||true|1|7.0\n {SECRET}b||true|1|7.0\n  {SECRET}b|{SECRET}u|true|1|7.0|0.5\n \
         Bank||false|1|{SECRET}\n  Bank|{SECRET}v|true|1|1.5|0.25\n"
    );
    let flux = StandIn::empty();
    let path = flux.folder().join("table");
    std::fs::write(&path, table).unwrap();
    let flux = flux.command("flux", &format!("exec /bin/cat '{}'", path.display()));
    let out = flux.folder().join("out");
    let run = flux.fairscope(["snapshot", "--live", "flux", "--anonymise"]);
    let ran = run
        .arg(flux.folder().join("key"))
        .arg("--out")
        .arg(&out)
        .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_secret_is_kept(&out, "view-bank");
    // An inactive bank is hidden with its users.
    assert_eq!(names(&show(&out)).len(), 2);
    let made = std::fs::read_to_string(out.join("view_bank.txt")).unwrap();
    assert_eq!(made.lines().count(), 6, "{made}");
}

#[test]
fn names_that_are_titles_get_pseudonyms_too() {
    const TITLES: [&str; 4] = ["Account", "User", "Bank", "Cluster"];
    let table = "Account|User|RawShares|RawUsage\nroot|||9\n Account||3|4\n  Account|User|1|4\n Bank||2|3\n  \
                 Bank|Cluster|1|3\n Cluster||2|2\n  Cluster|Account|1|2\n";
    let slurm = StandIn::empty();
    let folder = slurm.folder().to_owned();
    let path = folder.join("table");
    std::fs::write(&path, table).unwrap();
    let config = data("slurm/live/scontrol_config.txt");
    let no_json = "echo 'sshare: unrecognized option --json' >&2; exit 1";
    let cat = |path: &Path| format!("exec /bin/cat '{}'", path.display());
    let slurm = slurm
        .command(
            "sshare",
            &format!(
                "case \"$*\" in *--json) {no_json};; *) {};; esac",
                cat(&path)
            ),
        )
        .command(
            "scontrol",
            &format!(
                "case \"$*\" in *config) {};; *) exit 1;; esac",
                cat(&config)
            ),
        );
    let out = folder.join("out");
    let run = slurm.fairscope(["snapshot", "--live", "slurm", "--cluster", "gold"]);
    let run = run.arg("--anonymise").arg(folder.join("key"));
    let ran = run.arg("--out").arg(&out).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let names = names(&show(&out));
    assert_eq!(names.len(), 6, "{names:?}");
    let told = names.iter().find(|name| TITLES.contains(&&***name));
    assert_eq!(told, None);
    let text = std::fs::read_to_string(out.join("sshare.txt")).unwrap();
    let rows = text.lines().skip(1).flat_map(|row| row.trim().split('|'));
    let told: Vec<&str> = rows.filter(|cell| TITLES.contains(cell)).collect();
    assert!(told.is_empty(), "{text}");
}

#[test]
fn families_are_in_the_order_of_their_pseudonyms() {
    let folder = tempfile::tempdir().unwrap();
    let tree = "parent,name,shares\n,a,1\n,b,1\n,c,1\n,d,1\n,e,1\n,f,1\n,g,1\n,h,1\n";
    let run = Run::fairscope(["convert", "-", "--to", "csv", "--anonymise"]);
    let run = run.arg(folder.path().join("key")).input(tree);
    let made = String::from_utf8(output(run)).unwrap();
    let rows: Vec<&str> = made
        .lines()
        .skip(1)
        .filter(|row| !row.starts_with(",root"))
        .collect();
    assert!(rows.len() >= 8 && rows.is_sorted(), "{made}");
}
