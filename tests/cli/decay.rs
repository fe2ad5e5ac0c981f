//! Invalid decay settings, in every source that can hold them: each is reported, and time still passes.

use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;
use std::path::{Path, PathBuf};

/// Writes a tree in our own format with one setting.
fn tree(folder: &Path, scheduler: &str, policy: &str, setting: &str) -> PathBuf {
    let path = folder.join("tree.toml");
    let text = format!(
        "fairscope = 1\npolicy = \"{policy}\"\nscheduler = \"{scheduler}\"\ntaken = \"2026-11-21T00:00:00Z\"\n\
         [settings]\n{setting}\n[tree]\nrows = '''\nphysics 60\n  alice 1 900\n  bob 1 100\nchemistry 40\n  carol 1 \
         100\n'''\n"
    );
    std::fs::write(&path, text).expect("it can be written");
    path
}

/// Returns the output of `check` and the decay that `simulate` assumes. Both commands must end by themselves with
/// success.
fn problems_and_decay(source: &Path, node: &str) -> (String, String) {
    let source = source.to_str().expect("UTF-8");
    let checked = Run::fairscope(["check", source]).run();
    assert!(
        matches!(checked.code, Some(0 | 1)),
        "{source}: {}",
        checked.stderr
    );
    let checked = checked.text();
    let mut decay = String::new();
    for pace in ["idle", "steady"] {
        let ran = Run::fairscope(["simulate", source, "--until", "30d", "--pace", pace])
            .args(["--node", node, "--goal", "rank<=1", "--goal", "factor>=0.9"])
            .run();
        assert!(
            matches!(ran.code, Some(0 | 1)),
            "{source} {pace}: {}",
            ran.stderr
        );
        let text = ran.text();
        text.must_lack("NaN");
        text.must_lack("inf");
        let assumed = text.lines().skip(1).take_while(|line| !line.is_empty());
        assumed.last().unwrap_or_default().clone_into(&mut decay);
    }
    (checked, decay.trim().to_owned())
}

#[track_caller]
fn assert_said(source: &Path, node: &str, problem: &str, decay: &str) {
    let (checked, assumed) = problems_and_decay(source, node);
    assert!(checked.contains(problem), "{problem}: {checked}");
    assert!(assumed.contains(decay), "{decay}: {assumed}");
}

#[test]
fn decay_settings_are_found_in_a_native_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let assert = |scheduler: &str, policy: &str, setting: &str, problem: &str, decay: &str| {
        let path = tree(folder.path(), scheduler, policy, setting);
        assert_said(&path, "alice", problem, decay);
    };
    let slurm = |setting, problem, decay| assert("slurm", "fair-tree", setting, problem, decay);
    slurm(
        "PriorityDecayHalfLife = \"0\"",
        "usage never decays",
        "does not decay usage, because PriorityDecayHalfLife is 0",
    );
    slurm(
        "PriorityDecayHalfLife = \"-1\"",
        "PriorityDecayHalfLife cannot be -1",
        "Slurm halves usage in 7 d, applied every 5 min",
    );
    slurm(
        "PriorityCalcPeriod = \"0\"",
        "PriorityCalcPeriod cannot be 0",
        "applied every 5 min",
    );
    slurm(
        "PriorityUsageResetPeriod = \"HOURLY\"",
        "PriorityUsageResetPeriod cannot be HOURLY; expected NONE, NOW, DAILY",
        "applied every 5 min",
    );
    slurm(
        "PriorityUsageResetPeriod = \"WEEKLY\"",
        "nothing to report",
        "Slurm halves usage in 7 d, applied every 5 min, and sets it to 0 weekly",
    );
    let flux = |setting, problem, decay| assert("flux", "flux", setting, problem, decay);
    flux(
        "priority_decay_half_life = 0",
        "priority_decay_half_life cannot be 0; expected a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00 or HH:MM:SS, above 0",
        "the oldest of 4 bins every 7 d, next in 7 d",
    );
    flux(
        "priority_decay_half_life = 1",
        "nothing to report",
        "the oldest of 1,996 bins every 1 s",
    );
    flux(
        "priority_usage_reset_period = 0",
        "nothing to report",
        "the oldest of 4 bins every 7 d",
    );
    flux(
        "decay_factor = 0",
        "nothing to report",
        "Flux drops all usage (decay_factor is 0) every 7 d",
    );
    flux(
        "decay_factor = 1",
        "usage never decays",
        "Flux drops the oldest of 4 bins (decay_factor is 1) every 7 d",
    );
    flux(
        "decay_factor = nan",
        "decay_factor cannot be nan; expected a number from 0 to 1",
        "Flux multiplies usage by 0.5 and drops",
    );
    let pbs = |setting, problem, decay| assert("pbs", "pbs", setting, problem, decay);
    pbs(
        "fairshare_decay_time = 0",
        "fairshare_decay_time is not above 0; PBS never decays usage then",
        "PBS does not decay usage, because fairshare_decay_time is 0",
    );
    pbs(
        "fairshare_decay_factor = 0",
        "fairshare_decay_factor cannot be 0; expected a number above 0 and below 1",
        "PBS multiplies usage by 0.5 every 1 d",
    );
    pbs(
        "fairshare_decay_factor = 1",
        "fairshare_decay_factor cannot be 1; expected a number above 0 and below 1",
        "PBS multiplies usage by 0.5 every 1 d",
    );
    pbs(
        "fairshare_decay_factor = nan",
        "fairshare_decay_factor is not a number; every usage becomes 1 at the next decay",
        "PBS sets usage to 1 every 1 d, because fairshare_decay_factor is not a number",
    );
}

#[test]
fn decay_settings_are_found_in_a_sched_config() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(
        path.join("resource_group"),
        "g1 10 root 40\nalice 11 g1 10\nbob 12 g1 30\n",
    )
    .expect("it can be written");
    let usual = "PBS multiplies usage by 0.5 every 1 d";
    let cases = [
        (
            "fairshare_decay_time: 0",
            "fairshare_decay_time",
            "PBS does not decay usage, because fairshare_decay_time is 0",
        ),
        (
            "fairshare_decay_time: -5",
            "fairshare_decay_time",
            "PBS does not decay usage, because fairshare_decay_time is below 0",
        ),
        (
            "fairshare_decay_factor: 0",
            "fairshare_decay_factor 0 is not between 0 and 1",
            usual,
        ),
        (
            "fairshare_decay_factor: 1",
            "fairshare_decay_factor 1 is not between 0 and 1",
            usual,
        ),
        (
            "fairshare_decay_factor: nan",
            "fairshare_decay_factor is nan",
            "because fairshare_decay_factor is not a number",
        ),
    ];
    for (line, problem, decay) in cases {
        let config = format!("fair_share: true\n{line}\n");
        std::fs::write(path.join("sched_config"), config).expect("it can be written");
        assert_said(path, "alice", problem, decay);
    }
}

#[test]
fn decay_settings_are_found_in_scontrol_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let gold = data("slurm/gold");
    let copy = |name: &str| std::fs::read_to_string(gold.join(name)).expect("it is there");
    let path = folder.path();
    std::fs::write(path.join("sshare.txt"), copy("sshare.txt")).expect("it can be written");
    let config = copy("scontrol_config.txt");
    let cases = [
        (
            "PriorityCalcPeriod",
            "00:00:00",
            "PriorityCalcPeriod is 00:00:00, which is not a valid value; 00:05:00 is assumed",
            "applied every 5 min",
        ),
        (
            "PriorityUsageResetPeriod",
            "HOURLY",
            "PriorityUsageResetPeriod is HOURLY, which is not a valid value; NONE is assumed",
            "applied every 5 min",
        ),
        (
            "PriorityDecayHalfLife",
            "00:00:00",
            "usage never decays",
            "Slurm does not decay usage, because PriorityDecayHalfLife is 0",
        ),
    ];
    for (key, value, problem, decay) in cases {
        let lines = config.lines().map(|line| {
            if line.starts_with(key) {
                format!("{key} = {value}")
            } else {
                line.to_owned()
            }
        });
        let changed: Vec<String> = lines.collect();
        assert!(changed.iter().any(|line| line.ends_with(value)), "{key}");
        std::fs::write(path.join("scontrol_config.txt"), changed.join("\n"))
            .expect("it can be written");
        assert_said(path, "leo", problem, decay);
    }
}

#[test]
fn decay_settings_are_found_in_a_flux_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("accounting.db");
    for name in ["input.db", "input.db-wal"] {
        let copy = path.with_file_name(name.replace("input", "accounting"));
        let from = data("flux/45_wal_after_update_fshare").join(name);
        std::fs::copy(from, copy).expect("it is there");
    }
    let cases = [
        (
            "priority_decay_half_life",
            "0",
            "priority_decay_half_life cannot be 0; expected a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00 or HH:MM:SS, above 0; it is taken as 604800",
            "every 7 d",
        ),
        (
            "priority_usage_reset_period",
            "never",
            "priority_usage_reset_period cannot be never",
            "every 7 d",
        ),
        (
            "decay_factor",
            "1.5",
            "decay_factor cannot be 1.5; expected a number from 0 to 1; it is taken as 0.5",
            "Flux multiplies usage by 0.5",
        ),
        ("decay_factor", "0", "", "Flux drops all usage"),
    ];
    for (key, value, problem, decay) in cases {
        let database = rusqlite::Connection::open(&path).expect("it is a database");
        database
            .execute_batch(
                "create table if not exists config_table (key text primary key, value text);
                 delete from config_table;",
            )
            .expect("a table can be made");
        database
            .execute(
                "insert into config_table (key, value) values (?1, ?2)",
                [key, value],
            )
            .expect("a row can be written");
        database.close().expect("it can be closed");
        assert_said(&path, "leaf.1.1", problem, decay);
    }
}
