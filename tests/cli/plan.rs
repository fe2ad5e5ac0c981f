//! `fairscope plan`.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use serde_json::Value;

const SEED: &str = "tests/data/seed";

/// A tree that names neither its scheduler nor its cluster.
const SMALL: &str = "parent,name,shares,usage,type\n,a,1,,account\n,b,1,,account\na,u,1,5,user\n";

/// Returns the plan for [`SMALL`] as a tree of the cluster gold.
fn on_gold(edit: &str) -> Run {
    let args = ["plan", "-", "--for", "slurm", "--cluster", "gold"];
    Run::fairscope(args).args(["--edit", edit]).input(SMALL)
}

#[test]
fn a_plan_for_pbs_has_the_new_file_and_the_rollback() {
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
    new[0].must_begin("suzy");
    new[0].must_end("80");
    for key in ["commands", "rollback", "effective", "check"] {
        assert!(!json[key].as_array().expect("a list").is_empty(), "{key}");
    }
    assert_eq!(json["cannot"], Value::Array(Vec::new()));
}

#[test]
fn a_tree_without_a_scheduler_needs_the_option_for() {
    let ran = Run::fairscope(["plan", "-", "--edit", "shares a/u=2"])
        .input(SMALL)
        .run();
    assert_eq!(ran.code, Some(2));
    ran.stderr.must_contain("--for slurm");
    let args = ["plan", "-", "--for", "slurm", "--edit", "shares a/u=2"];
    let ran = Run::fairscope(args).input(SMALL).run();
    assert_eq!(ran.code, Some(0));
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    let command =
        "  sacctmgr -i modify user where name=u account=a cluster=CLUSTER set fairshare=2\n";
    text.must_contain(command);
    ran.stderr.must_contain("--cluster NAME");
    let edit = "shares a/u=2";
    let text = on_gold(edit).run().success();
    text.must_contain("cluster=gold");
    let args = ["whatif", "-", "--cluster", "gold", "--edit", edit];
    let stderr = Run::fairscope(args).input(SMALL).run().failure(2);
    stderr.must_contain("has no clusters");
}

#[test]
fn changes_that_cannot_be_applied_are_also_reported_on_standard_error() {
    let ran = Run::fairscope([
        "plan",
        "tests/data/slurm/gold",
        "--edit",
        "rename science to arts",
    ])
    .run();
    assert_eq!(ran.code, Some(1));
    ran.stderr.must_contain("science: Slurm cannot rename");
}

#[test]
fn a_later_dump_shows_whether_the_plan_took_effect() {
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
    ran.text().must_contain("Applied: 1 of 1 change\n");
}

#[test]
fn a_source_without_clusters_is_planned_for_the_named_cluster() {
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
    text.must_contain("cluster=gold");
}

#[test]
fn a_later_dump_is_read_without_the_options_of_the_source() {
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

#[test]
fn a_long_file_is_printed_as_its_changes_only() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut lines = String::new();
    for place in 0..60 {
        let line = [
            "u",
            &place.to_string(),
            "\t",
            &(place + 2).to_string(),
            "\troot\t10\n",
        ];
        lines.push_str(&line.concat());
    }
    lines.push_str("last\t100\troot\t1\n");
    std::fs::write(folder.path().join("resource_group"), &lines).expect("a file");
    let tree = folder.path().to_str().expect("UTF-8");
    let args = [
        "plan",
        tree,
        "--edit",
        "shares u7=25",
        "--edit",
        "remove u9",
    ];
    let text = Run::fairscope(args).run().text();
    text.must_contain("resource_group, changes of its 60 lines");
    let changed: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(['-', '+']))
        .collect();
    assert_eq!(
        changed,
        [
            "-8: u7  9  root  10",
            "+8: u7  9  root  25",
            "-10: u9  11  root  10"
        ]
    );
    let out = folder.path().join("new");
    let out = out.to_str().expect("UTF-8");
    let args = ["plan", tree, "--edit", "shares u7=25", "--out", out];
    assert_eq!(Run::fairscope(args).run().code, Some(0));
    let ran = Run::fairscope(args).run();
    assert_eq!(ran.code, Some(2));
    let stderr = ran.stderr;
    stderr.must_end("already exists and is not replaced; name another directory with --out\n");
}

#[test]
fn a_later_dump_without_clusters_ignores_the_given_cluster() {
    let folder = tempfile::tempdir().expect("a directory");
    let later = folder.path().join("later.csv");
    std::fs::write(
        &later,
        "parent,name,shares,usage,type\n,a,1,,account\n,b,1,,account\na,u,2,5,user\n",
    )
    .expect("a file");
    let later = later.to_str().expect("UTF-8");
    let edit = "shares a/u=2";
    let text = on_gold(edit).args(["--verify", later]).run().success();
    text.must_contain("Applied: 1 of 1 change");
}

#[test]
fn changes_missing_in_a_later_dump_stay_undecided() {
    let folder = tempfile::tempdir().expect("a directory");
    let tree = |name: &str, usage: &str| {
        let path = folder.path().join(name);
        let text = format!(
            "parent,name,shares,usage,type\n,a,1,,account\n,b,1,,account\na,u,1,{usage},user\n"
        );
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (now, later) = (tree("now.csv", "5"), tree("later.csv", ""));
    let args = [
        "plan",
        &now,
        "--for",
        "slurm",
        "--cluster",
        "gold",
        "--edit",
        "usage a/u=0",
    ];
    let settings = [
        "--edit",
        "set FairShareDampeningFactor=5",
        "--verify",
        &later,
    ];
    let ran = Run::fairscope(args.into_iter().chain(settings)).run();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = ran.text();
    text.must_contain("this dump cannot tell: the usage of a/u");
    text.must_contain("this dump cannot tell: FairShareDampeningFactor");
}

/// Slurm 26.05.5 refused both deletions, and named jobs 199 and 165.
#[test]
fn golden_the_jobs_that_blocked_deletions_are_named_before() {
    let Some(golden) = std::env::var_os("FAIRSCOPE_GOLDEN") else {
        return println!("skipped: FAIRSCOPE_GOLDEN is not set");
    };
    let folder = std::path::Path::new(&golden).join("slurm_jobs2/plan-pending-jobs-26.05");
    let ran = std::fs::read_to_string(folder.join("run.log")).expect("what sacctmgr answered");
    let edits = [
        "move fusion/tokamak/quin@hi to teaching/ml202",
        "move climate/ocean/cai to genomics/plants",
    ];
    let run = Run::fairscope(["plan"]).arg(folder.join("s0"));
    let run = edits
        .iter()
        .fold(run, |run, edit| run.args(["--edit", edit]));
    let text = run.run().text();
    for (job, note) in [
        (
            "JobID = 199",
            "fusion/tokamak/quin@hi: its job runs or waits (199), so sacctmgr refuses",
        ),
        (
            "JobID = 165",
            "climate/ocean/cai: its jobs run or wait (165 and 169), so sacctmgr",
        ),
    ] {
        ran.must_contain(job);
        text.must_contain(note);
    }
}
