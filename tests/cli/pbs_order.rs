//! The order of PBS under its settings: `fair_share`, `job_sort_formula`, and usage beyond the range of PBS.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::pbs::usage_file;
use std::path::Path;
use tempfile::TempDir;

const GROUPS: &str = "a 10 root 50\nb 11 root 50\na1 12 a 90\na2 13 a 10\nb1 14 b 100\n";

/// Makes a `sched_priv` directory in which the tree walk and the factor order a2 and b1 differently.
fn sched_priv(config: Option<&str>, formula: Option<&str>) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("it can be written");
    };
    write("resource_group", GROUPS.as_bytes());
    write(
        "usage",
        &usage_file(&[("a1", 10.0), ("a2", 400.0), ("b1", 700.0)]),
    );
    if let Some(config) = config {
        write("sched_config", config.as_bytes());
    }
    if let Some(formula) = formula {
        write("sched_formula", formula.as_bytes());
    }
    folder
}

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("UTF-8")
}

/// Returns the name of the policy and the users of `rank`, the highest rank first.
fn ranked(folder: &TempDir, more: &[&str]) -> (String, Vec<String>) {
    let args = [&["rank", path(folder), "--format-out", "json"][..], more].concat();
    let ran = Run::fairscope(args).run();
    let json: serde_json::Value = serde_json::from_str(&ran.text()).expect("JSON");
    let users = json["ranking"].as_array().expect("users").iter();
    let users = users.map(|user| user["name"].as_str().expect("a name").to_owned());
    let policy = json["policy"]["name"].as_str().expect("a policy");
    (policy.to_owned(), users.collect())
}

/// Returns the output of `check`.
fn checked(folder: &TempDir) -> String {
    Run::fairscope(["check", path(folder)]).run().text()
}

const ON: Option<&str> = Some("fair_share: true\tALL\n");
const WALK: [&str; 3] = ["a1", "a2", "b1"];
const FACTOR: [&str; 3] = ["a1", "b1", "a2"];

#[test]
fn without_a_formula_the_tree_walk_makes_the_order() {
    let folder = sched_priv(ON, None);
    let (policy, users) = ranked(&folder, &[]);
    assert_eq!(
        (&policy[..], &users[..]),
        ("pbs-walk", &WALK.map(str::to_owned)[..])
    );
    let (policy, users) = ranked(&folder, &["--policy", "pbs"]);
    assert_eq!(
        (&policy[..], &users[..]),
        ("pbs", &FACTOR.map(str::to_owned)[..])
    );
}

#[test]
fn a_formula_with_fairshare_makes_the_order() {
    let comment = "### PBS INTERNAL FILE DO NOT MODIFY ###\n";
    let factor = format!("{comment}fairshare_factor\n");
    let folder = sched_priv(ON, Some(&factor));
    let (policy, users) = ranked(&folder, &[]);
    assert_eq!(
        (&policy[..], &users[..]),
        ("pbs", &FACTOR.map(str::to_owned)[..])
    );
    let other = format!("{comment}10*fairshare_factor+ncpus\n");
    let (policy, users) = ranked(&sched_priv(ON, Some(&other)), &[]);
    assert_eq!(
        (&policy[..], &users[..]),
        ("formula", &FACTOR.map(str::to_owned)[..])
    );
    let without = format!("{comment}ncpus\n");
    let folder = sched_priv(ON, Some(&without));
    let (policy, users) = ranked(&folder, &[]);
    assert_eq!(
        (&policy[..], &users[..]),
        ("pbs-walk", &WALK.map(str::to_owned)[..])
    );
    checked(&folder).must_contain("[pbs-formula-first]");
    // A given setting takes precedence over the formula.
    let (policy, _) = ranked(&folder, &["--set", "job_sort_formula=fairshare_factor"]);
    assert_eq!(policy, "pbs");
    let (policy, _) = ranked(
        &sched_priv(ON, Some(&factor)),
        &["--set", "job_sort_formula="],
    );
    assert_eq!(policy, "pbs-walk");
}

#[test]
fn an_edit_of_the_formula_changes_ranks_and_the_impact() {
    let folder = sched_priv(ON, None);
    let edit = "set job_sort_formula=fairshare_factor";
    let args = ["whatif", path(&folder), "--edit", edit];
    let text = Run::fairscope(args).run().success();
    text.must_contain("2 of 3 users change rank");
    let json = Run::fairscope([&args[..], &["--format-out", "json"]].concat()).run();
    let json: serde_json::Value = serde_json::from_str(&json.success()).expect("JSON");
    assert_eq!(json["impact"]["moved"], 2);
    // A chosen policy is kept.
    let text = Run::fairscope([&args[..], &["--policy", "pbs-walk"]].concat()).run();
    text.success().must_lack("2 of 3 users change rank");
}

#[test]
fn disabled_fair_share_is_reported_and_neither_charges_nor_decays() {
    let folder = sched_priv(Some("fair_share: false\tALL\n"), None);
    checked(&folder).must_contain("[pbs-fair-share-off]");
    let ran = Run::fairscope(["explain", path(&folder), "a2"]).run();
    ran.success().must_contain("fair_share is false");
    let ran = Run::fairscope(["show", path(&folder)]).run();
    ran.stderr.must_contain("fair_share is false");
    let simulate = |more: &[&str]| {
        let args = ["simulate", path(&folder), "--until", "30d", "--node", "b1"];
        let charge = ["--charge", "b1=1"];
        let args = [&args[..], &charge, &["--format-out", "json"], more].concat();
        let ran = Run::fairscope(args).run();
        let json: serde_json::Value = serde_json::from_str(&ran.text()).expect("JSON");
        let usage = json["series"][0]["usage"]
            .as_array()
            .expect("usage")
            .clone();
        let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_f64);
        (number(usage.first()), number(usage.last()))
    };
    assert_eq!(simulate(&[]), (Some(700.0), Some(700.0)));
    let (_, last) = simulate(&["--set", "fair_share=true"]);
    assert!(last.is_some_and(|last| last > 1000.0), "{last:?}");
    // With a formula PBS decays usage but does not charge it.
    let (_, last) = simulate(&["--set", "job_sort_formula=fairshare_factor"]);
    assert_eq!(last, Some(1.0));
}

#[test]
fn users_without_shares_may_run_while_fair_share_is_off() {
    let folder = sched_priv(Some("fair_share: false\n"), None);
    let explain = |config: &str| {
        let groups = GROUPS.replace("b1 14 b 100", "b1 14 b 0\nb2 15 b 10");
        std::fs::write(folder.path().join("resource_group"), groups).expect("a file");
        std::fs::write(folder.path().join("sched_config"), config).expect("a file");
        Run::fairscope(["explain", path(&folder), "b1"])
            .run()
            .success()
    };
    explain("fair_share: false\n").must_lack("never runs");
    explain("fair_share: true\n").must_contain("PBS never runs its jobs");
    let prime = "fair_share: true prime\nfair_share: false non_prime\n";
    explain(prime).must_contain("runs none of its jobs in prime time");
    checked(&folder).must_contain("[pbs-fair-share-period]");
}

#[test]
fn without_a_sched_config_fair_share_is_assumed_and_reported() {
    let folder = sched_priv(None, None);
    checked(&folder).must_contain("[pbs-fair-share-assumed]");
    let ran = Run::fairscope(["show", path(&folder), "--format-out", "json"]).run();
    let json: serde_json::Value = serde_json::from_str(&ran.success()).expect("JSON");
    assert_eq!(json["policy"]["settings"]["fair_share"], "true (assumed)");
}

#[test]
fn every_conversion_keeps_fair_share() {
    for (config, kept) in [
        (Some("fair_share: false\n"), serde_json::json!(false)),
        (ON, serde_json::json!(true)),
        (
            Some("fair_share: true prime\n"),
            serde_json::json!("true prime"),
        ),
        (
            Some("fair_share: true non_prime\n"),
            serde_json::json!("true non_prime"),
        ),
        (None, serde_json::json!("true (assumed)")),
    ] {
        let folder = sched_priv(config, Some("#\n2*fairshare_factor\n"));
        let toml = Run::fairscope(["convert", path(&folder), "--to", "toml"])
            .run()
            .success();
        let json = Run::fairscope(["show", "-", "--format-out", "json"])
            .input(toml)
            .run()
            .text();
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["policy"]["name"], "formula");
        assert_eq!(json["policy"]["settings"]["fair_share"], kept);
        assert_eq!(
            json["policy"]["settings"]["job_sort_formula"],
            "2*fairshare_factor"
        );
    }
}

#[test]
fn a_plan_writes_fair_share_into_sched_config() {
    let folder = sched_priv(
        Some("fair_share: false\tALL\nround_robin: False\tall\n"),
        None,
    );
    let planned = |edit: &str| {
        let args = [
            "plan",
            path(&folder),
            "--edit",
            edit,
            "--format-out",
            "json",
        ];
        let json = Run::fairscope(args).run().success();
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        json["files"]["sched_config"].as_str().map(str::to_owned)
    };
    assert_eq!(
        planned("set fair_share=true").as_deref(),
        Some("fair_share: true\tALL\nround_robin: False\tall\n")
    );
    assert_eq!(
        planned("set fair_share=true prime").as_deref(),
        Some(
            "fair_share: false\tALL\nround_robin: False\tall\nfair_share: true\tprime\nfair_share: false\tnon_prime\n"
        )
    );
}

#[test]
fn usage_too_large_for_pbs_is_reported() {
    let folder = sched_priv(ON, None);
    let usage = usage_file(&[("a1", 1e308), ("a2", 1e308), ("b1", 1.0)]);
    std::fs::write(Path::new(path(&folder)).join("usage"), usage).expect("a file");
    checked(&folder).must_contain("[pbs-usage-overflow]");
    let ran = Run::fairscope(["show", path(&folder)]).run();
    ran.stderr.must_contain("overflow");
}
