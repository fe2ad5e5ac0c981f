//! Trees of Slurm and Flux converted to other formats and back: kept numbers are compared, losses are reported.

use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::stand_in::StandIn;
use crate::support::{data, golden};
use std::path::Path;

fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().as_os_str().to_owned();
    path.into_string().expect("the path of the tests is UTF-8")
}

/// Returns the numbers that a policy computes for a tree, in the columns that all policies have in common.
fn numbers(args: &[&str]) -> String {
    let columns = "path,kind,shares,usage,rank,factor";
    let run = Run::fairscope(["show"]).args(args);
    run.args(["--format-out", "csv", "--columns", columns])
        .run()
        .text()
}

/// Converts a file to another format. Returns the new file and the reported losses.
fn converted(args: &[&str], to: &str, folder: &Path) -> (String, Vec<String>) {
    let ran = Run::fairscope(["convert"])
        .args(args)
        .args(["--to", to])
        .run();
    assert_eq!(ran.code, Some(0), "{args:?} to {to}: {}", ran.stderr);
    let said = ran.stderr.lines();
    // Problems of the source do not count as losses.
    let losses = said.filter(|line| !line.contains("fairscope check"));
    let losses = losses.map(str::to_owned).collect();
    let path = folder.join(format!("tree.{to}"));
    std::fs::write(&path, ran.stdout).expect("the folder is ours");
    (text(path), losses)
}

fn assert_reported(losses: &[String], words: &[&str]) {
    for word in words {
        let is_told = losses.iter().any(|loss| loss.contains(word));
        assert!(is_told, "nothing is said of {word}: {losses:#?}");
    }
    assert_eq!(losses.len(), words.len(), "{losses:#?}");
}

/// Compares a tree of Slurm in our own format with its source under every policy.
fn assert_kept_in_toml(source: &[&str], folder: &Path) {
    let (toml, _) = converted(source, "toml", folder);
    assert_eq!(numbers(&[&toml]), numbers(source), "{source:?}");
}

#[test]
fn our_own_format_keeps_a_tree_of_slurm() {
    let folder = tempfile::tempdir().unwrap();
    let gold = text(data("slurm/gold"));
    for further in [
        &[][..],
        &["--policy", "classic"],
        &[
            "--policy",
            "depth-oblivious",
            "--set",
            "FairShareDampeningFactor=5",
        ],
        &["--set", "TieOrder=name"],
        &["--policy", "level-based", "--set", "PriorityLevels=4"],
    ] {
        let source = [&[gold.as_str()][..], further].concat();
        assert_kept_in_toml(&source, folder.path());
    }
    let (toml, losses) = converted(&[&gold], "toml", folder.path());
    assert_reported(&losses, &["other printed columns are left out"]);
    let written = std::fs::read_to_string(toml).unwrap();
    written.must_contain("scheduler = \"slurm\"");
    assert!(
        !written.contains("policy = "),
        "Slurm's usual one: {written}"
    );
}

#[test]
fn our_own_format_keeps_captures_of_slurm() {
    let Some(golden) = golden("slurm") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for case in [
        "05-fairshare-parent/24.11",
        "07-ties/22.05",
        "08-classic/22.05",
        "09-classic-damp5/24.11",
        "10-classic-depth-oblivious/26.05",
        "12-odd-names/24.11",
        "14-partitions/24.11",
        "23-tie-below-parent-account/22.05",
    ] {
        let case = golden.join(case);
        let [tree, settings] = ["scontrol_show_assoc_mgr.txt", "scontrol_show_config.txt"]
            .map(|name| text(case.join(name)));
        assert_kept_in_toml(&[&tree, "--config", &settings], folder.path());
    }
    // The factors of this tree show a usage that is printed as 0.00.
    let extremes = text(golden.join("19-extremes/26.05/scontrol_show_assoc_mgr.txt"));
    let (_, losses) = converted(&[&extremes], "toml", folder.path());
    let is_told = losses
        .iter()
        .any(|loss| loss.contains("users that nearly tie may swap ranks"));
    assert!(is_told, "{losses:?}");
}

#[test]
fn a_conversion_that_loses_the_age_of_associations_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    let source = text(folder.path().join("sshare.txt"));
    let rows = |ids: [u32; 4]| {
        let [a, zed, b, ann] = ids;
        format!(
            "Account|User|Cluster|ID|RawShares|RawUsage\nroot||gold|1||4\n aaa||gold|{a}|1|2\n  aaa|zed|gold|{zed}|1|2\n \
             bbb||gold|{b}|1|2\n  bbb|ann|gold|{ann}|1|2\n"
        )
    };
    for (ids, is_lost) in [([9, 10, 3, 4], true), ([3, 4, 9, 10], false)] {
        std::fs::write(&source, rows(ids)).unwrap();
        for to in ["toml", "csv"] {
            let newest = ["--set", "TieOrder=newest"];
            let (_, losses) = converted(&[&source, newest[0], newest[1]], to, folder.path());
            let is_told = losses
                .iter()
                .any(|loss| loss.contains("the age of associations is left out"));
            assert_eq!(is_told, is_lost, "{ids:?} {to}: {losses:?}");
        }
    }
}

#[test]
fn csv_keeps_shares_and_usage_of_a_tree_of_slurm() {
    let folder = tempfile::tempdir().unwrap();
    let gold = text(data("slurm/gold"));
    let (csv, losses) = converted(&[&gold], "csv", folder.path());
    assert_reported(
        &losses,
        &[
            "the order in which usage was recorded is left out",
            "the name of the scheduler and its settings are left out",
            "other printed columns are left out",
        ],
    );
    let lineage = ["--set", "TieOrder=lineage"];
    assert_eq!(numbers(&[&csv, lineage[0], lineage[1]]), numbers(&[&gold]));
}

#[test]
fn the_sacctmgr_load_format_keeps_shares_of_a_tree_of_slurm() {
    let folder = tempfile::tempdir().unwrap();
    let gold = text(data("slurm/gold"));
    let (dump, losses) = converted(&[&gold], "sacctmgr-dump", folder.path());
    assert!(
        losses.iter().any(|loss| loss.contains("sets no usage")),
        "{losses:#?}"
    );
    let shares = |path: &str| {
        let shown = Run::fairscope(["show", path, "--format-out", "csv"])
            .args(["--columns", "path,kind,shares"])
            .run()
            .text();
        let mut lines: Vec<String> = shown.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(shares(&dump), shares(&gold));
    // With sshare's usage beside it, it gives the original tree.
    let usage = text(data("slurm/gold/sshare.txt"));
    let (again, _) = converted(&[&dump, &usage], "toml", folder.path());
    let ranks = |args: &[&str]| {
        let ranks = Run::fairscope(["rank"]).args(args);
        ranks
            .args(["--format-out", "csv", "--columns", "rank,path,factor"])
            .run()
            .text()
    };
    assert_eq!(ranks(&[&again]), ranks(&[&gold]));
}

#[test]
fn converting_slurm_to_flux_reports_what_flux_does_not_support() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text(folder.path().join("tree.csv"));
    std::fs::write(
        &csv,
        "parent,name,shares,usage,type,partition\n,idle,1,,account,\n,lab,10,,account,\nlab,ann,parent,5,user,\nlab,bob,2,5,user,gpu\n",
    )
    .unwrap();
    let (json, losses) = converted(&[&csv], "flux-json", folder.path());
    assert!(
        losses
            .iter()
            .any(|loss| loss.contains("shares called parent: those of ann")),
        "{losses:#?}"
    );
    assert!(
        losses
            .iter()
            .any(|loss| loss.contains("no partitions: those of bob")),
        "{losses:#?}"
    );
    let shown = numbers(&[&json]);
    shown.must_contain("lab/ann,user,1,5");
    shown.must_contain("lab/bob,user,2,5");
}

#[test]
fn every_format_that_can_hold_a_flux_database_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "21_inactive/input.db",
        "44_real_shares/input.db",
        "45_wal_after_update_fshare/input.db",
        "21_inactive/view_bank_tP.txt",
    ] {
        let source = text(data("flux").join(name));
        let expected = numbers(&[&source]);
        for to in ["toml", "csv", "flux-json"] {
            let (path, losses) = converted(&[&source], to, folder.path());
            assert_eq!(
                numbers(&[&path, "--policy", "flux"]),
                expected,
                "{name} {to}"
            );
            assert!(!losses.is_empty(), "{name} {to}: stored fair-share is lost");
        }
        let (toml, _) = converted(&[&source], "toml", folder.path());
        assert_eq!(numbers(&[&toml]), expected, "{name}: the rule is kept");
    }
}

#[test]
fn a_live_tree_converts_like_a_saved_one() {
    let slurm = StandIn::slurm();
    let saved = text(data("slurm/live"));
    for to in ["toml", "csv", "flux-json"] {
        let live = slurm
            .fairscope(["convert", "--live", "slurm", "--to", to])
            .run();
        assert_eq!(live.code, Some(0), "{}", live.stderr);
        let file = Run::fairscope(["convert", &saved, "--to", to]).run();
        let without_time = |text: String| -> Vec<String> {
            let lines = text.lines().map(str::to_owned);
            lines.filter(|line| !line.starts_with("taken")).collect()
        };
        assert_eq!(without_time(live.text()), without_time(file.text()), "{to}");
    }
    let home = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(seed(), home.path().join("sched_priv")).unwrap();
    let live = Run::fairscope(["convert", "--live", "pbs", "--to", "csv"])
        .variable("PBS_HOME", home.path())
        .run();
    let file = Run::fairscope(["convert", &seed(), "--to", "csv"]).run();
    assert_eq!(live.text(), file.text());
}

#[test]
fn editing_usage_of_a_slurm_user_raises_the_usage_of_its_accounts() {
    let gold = text(data("slurm/gold"));
    let usage = |edits: &[&str]| -> Vec<(String, f64)> {
        let ran = Run::fairscope(["whatif", &gold]).args(edits);
        let csv = ran.args(["--format-out", "csv"]).run().success();
        let mut lines = csv.lines();
        let heads: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let place = |name: &str| heads.iter().position(|head| *head == name);
        let (path, usage) = (place("path"), place("usage_after"));
        let (path, usage) = (
            path.expect("a path"),
            usage.unwrap_or_else(|| panic!("{heads:?}")),
        );
        lines
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                let amount = cells[usage].parse().expect("usage is a number");
                (cells[path].to_owned(), amount)
            })
            .collect()
    };
    let after = usage(&["--edit", "usage science/physics/carol+=1000000"]);
    let of = |path: &str| {
        let found = after.iter().find(|(known, _)| known == path);
        found
            .unwrap_or_else(|| panic!("{path} is not in {after:?}"))
            .1
    };
    assert_eq!(
        of("science/physics/carol").to_bits(),
        1_033_333_f64.to_bits()
    );
    assert_eq!(of("science/physics").to_bits(), 12_109_876_f64.to_bits());
    assert_eq!(of("science").to_bits(), 19_694_470_f64.to_bits());
    assert_eq!(of("").to_bits(), 29_148_974_f64.to_bits());
}

#[test]
fn a_built_in_tree_is_written_in_its_own_format() {
    let text = Run::fairscope(["convert", "example:small", "--to", "toml"])
        .run()
        .success();
    text.must_contain("scheduler = \"pbs\"");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.toml");
    Run::fairscope(["convert", "example:small", "--to", "toml", "--out"])
        .arg(&path)
        .run()
        .success();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let show = |source: &str| {
        let columns = "path,shares,usage,rank,factor";
        let args = ["show", source, "--format-out", "csv", "--columns", columns];
        Run::fairscope(args).run().success()
    };
    assert_eq!(show(path.to_str().unwrap()), show("example:small"));
}

#[test]
fn a_healthy_random_tree_of_another_format_has_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    for (format, file) in [
        ("csv", "tree.csv"),
        ("flux-json", "tree.json"),
        ("sacctmgr-dump", "tree.cfg"),
    ] {
        let path = folder.path().join(file);
        let path = path.to_str().unwrap();
        let args = [
            "generate", "--users", "30", "--shape", "flat", "--seed", "3", "--to", format,
        ];
        let made = Run::fairscope(args.iter().chain(&["--out", path])).run();
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let text = std::fs::read_to_string(path).unwrap() + &made.stderr;
        text.must_lack("unknown");
        let check = Run::fairscope(["check", path]).run();
        let text = String::from_utf8_lossy(&check.stdout).into_owned();
        text.must_lack("account-without-users");
        assert_eq!(check.code, Some(0), "{text}");
    }
}
