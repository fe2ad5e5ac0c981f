//! `fairscope plan`.

use crate::support::command::Run;
use serde_json::Value;

const SEED: &str = "tests/data/seed";

#[test]
fn a_plan_for_pbs_holds_the_new_file_and_the_way_back() {
    let edit = "shares group2/suzy=80";
    let text = Run::fairscope(["plan", SEED, "--edit", edit, "--format-out", "json"])
        .run()
        .success();
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["schema"], "fairscope/1");
    assert_eq!(json["for"], "pbs");
    let file = json["files"]["resource_group"].as_str().expect("a file");
    let old = std::fs::read_to_string("tests/data/seed/resource_group").expect("a file");
    let new: Vec<&str> = file
        .lines()
        .zip(old.lines())
        .filter(|(new, old)| new != old)
        .map(|(new, _)| new)
        .collect();
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(
        new[0].starts_with("suzy") && new[0].ends_with("80"),
        "{new:?}"
    );
    for key in ["commands", "rollback", "effective", "check"] {
        assert!(!json[key].as_array().expect("a list").is_empty(), "{key}");
    }
    assert_eq!(json["cannot"], Value::Array(Vec::new()));
}

#[test]
fn a_tree_of_nobody_needs_to_be_told_whose_commands() {
    let csv = "parent,name,shares,usage,type\n,a,1,,account\n,b,1,,account\na,u,1,5,user\n";
    let ran = Run::fairscope(["plan", "-", "--edit", "shares a/u=2"])
        .input(csv)
        .run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--for slurm"), "{}", ran.stderr);
    let args = ["plan", "-", "--for", "slurm", "--edit", "shares a/u=2"];
    let ran = Run::fairscope(args).input(csv).run();
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("--cluster NAME"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_done_is_said_on_standard_error_too() {
    let ran = Run::fairscope([
        "plan",
        "tests/data/slurm/gold",
        "--edit",
        "rename science to arts",
    ])
    .run();
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr.contains("science: Slurm cannot rename"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_later_dump_shows_whether_the_plan_was_carried_out() {
    let folder = tempfile::tempdir().expect("a directory");
    let later = folder.path().join("later");
    std::fs::create_dir(&later).expect("a directory");
    for file in ["usage", "sched_config"] {
        std::fs::copy(format!("{SEED}/{file}"), later.join(file)).expect("a copy");
    }
    let edit = "shares group2/suzy=80";
    let verify =
        |dump: &str| Run::fairscope(["plan", SEED, "--edit", edit, "--verify", dump]).run();
    let ran = verify(SEED);
    assert_eq!(ran.code, Some(1));
    let new = later.to_str().expect("UTF-8");
    Run::fairscope(["plan", SEED, "--edit", edit, "--out", new])
        .run()
        .success();
    std::fs::rename(
        later.join("resource_group.new"),
        later.join("resource_group"),
    )
    .expect("a file");
    let ran = verify(new);
    assert_eq!(ran.code, Some(0));
    assert!(ran.text().contains("Applied: 1 of 1 change\n"));
}

#[test]
fn a_source_without_clusters_is_planned_for_the_one_that_is_named() {
    let edit = "shares group2/suzy=80";
    let ran = Run::fairscope([
        "plan",
        SEED,
        "--for",
        "slurm",
        "--cluster",
        "gold",
        "--edit",
        edit,
    ])
    .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let text = ran.text();
    assert!(text.contains("cluster=gold"), "{text}");
}

#[test]
fn a_later_dump_is_read_without_what_was_given_with_the_source() {
    let edit = "set unknown_shares=33";
    let folder = tempfile::tempdir().expect("a directory");
    for file in ["usage", "resource_group"] {
        std::fs::copy(format!("{SEED}/{file}"), folder.path().join(file)).expect("a copy");
    }
    let config = folder.path().join("sched_config");
    std::fs::write(&config, "unknown_shares: 33\n").expect("a file");
    let (group, config) = (
        format!("{SEED}/resource_group"),
        format!("{SEED}/sched_config"),
    );
    let dump = folder.path().to_str().expect("UTF-8");
    let ran = Run::fairscope([
        "plan",
        &group,
        "--sched-config",
        &config,
        "--edit",
        edit,
        "--verify",
        dump,
    ])
    .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}
