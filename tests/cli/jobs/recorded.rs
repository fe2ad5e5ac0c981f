//! Usage from jobs, beside the captures of Slurm 24.11.5 and 26.05.5 that ran them in three time zones.

use super::Residual;
use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::tempdir;

/// A cluster on which jobs ran.
struct RecordedRun {
    folder: PathBuf,
    zone: &'static str,
}

fn recorded(name: &str, zone: &'static str) -> Option<RecordedRun> {
    let golden = std::env::var_os("FAIRSCOPE_GOLDEN");
    if golden.is_none() {
        println!("skipped: FAIRSCOPE_GOLDEN is not set");
    }
    let folder = Path::new(&golden?).join("slurm_jobs2").join(name);
    Some(RecordedRun { folder, zone })
}

impl RecordedRun {
    fn daily_reset() -> Option<Self> {
        recorded("jobs-24.11-daily-reset", "Asia/Kabul")
    }

    fn newest() -> Option<Self> {
        recorded("jobs-26.05", "Asia/Kolkata")
    }

    fn max_tres() -> Option<Self> {
        recorded("jobs-26.05-max-tres-restart", "America/Caracas")
    }

    fn config(&self) -> PathBuf {
        self.folder.join("snapshot/scontrol_config.txt")
    }

    /// Returns the second at which the controller was asked for a capture.
    fn taken(&self, capture: &str) -> String {
        let times = fs::read_to_string(self.folder.join(capture).join("time.txt"));
        let times = times.expect("times");
        let (seconds, _) = times.split_once('.').expect("a time");
        seconds.to_owned()
    }

    /// Asks about the tree of a capture with the usage of the jobs at its moment.
    fn ask(&self, command: &str, capture: &str, config: &Path, more: &[&str]) -> Ran {
        let snapshot = self.folder.join("snapshot");
        let run = Run::fairscope([command, "--timezone", self.zone, "--at"]);
        let run = run.arg(self.taken(capture)).arg("--config").arg(config);
        let run = run
            .arg("--with")
            .arg(snapshot.join("scontrol_partition.txt"));
        let run = run.arg("--with").arg(snapshot.join("sacctmgr_qos.txt"));
        run.args(more).run()
    }

    fn add(&self, residual: &mut Residual, capture: &str, config: &Path) {
        let [tree, jobs] = [capture, "."].map(|folder| self.folder.join(folder));
        let tree = tree.join("sshare.psv").display().to_string();
        let jobs = jobs.join("XDfull.psv").display().to_string();
        let more = ["--format-out", "json", "--jobs", &jobs, &tree];
        let ran = self.ask("show", capture, config, &more);
        let mut own = Residual::default();
        own.add(&self.folder.join(capture), &ran.nodes());
        println!("{capture}: {own:?}");
        residual.numbers += own.numbers;
        residual.worst = residual.worst.max(own.worst);
        residual.factors += own.factors;
        residual.equal += own.equal;
    }
}

#[test]
fn golden_resized_and_heterogeneous_jobs_are_charged_as_slurm_26_does() {
    let Some(run) = RecordedRun::newest() else {
        return;
    };
    let mut residual = Residual::default();
    for capture in ["cap01", "cap03", "cap09", "cap20", "cap35"] {
        run.add(&mut residual, capture, &run.config());
    }
    println!("{residual:?}");
    assert!(residual.worst < 0.0051, "{residual:?}");
    assert_eq!(residual.equal, residual.factors);
}

#[test]
fn golden_usage_is_reset_at_the_midnight_of_the_cluster() {
    let Some(run) = RecordedRun::daily_reset() else {
        return;
    };
    let mut residual = Residual::default();
    for capture in ["cap03", "cap20", "cap21", "cap31"] {
        run.add(&mut residual, capture, &run.config());
    }
    println!("{residual:?}");
    assert!(residual.worst < 0.0051, "{residual:?}");
}

#[test]
fn golden_the_greatest_resource_is_charged_with_max_tres() {
    let Some(run) = RecordedRun::max_tres() else {
        return;
    };
    let mut residual = Residual::default();
    let config = run.folder.join("config_before_restart.txt");
    for capture in ["cap01", "cap05", "cap08"] {
        run.add(&mut residual, capture, &config);
    }
    println!("{residual:?}");
    assert!(residual.worst < 0.0051, "{residual:?}");
}

#[test]
fn golden_calculations_before_the_start_of_the_controller_are_said_to_be_assumed() {
    let Some(run) = RecordedRun::max_tres() else {
        return;
    };
    let tree = run.folder.join("cap14/sshare.psv").display().to_string();
    let jobs = run.folder.join("XDfull.psv").display().to_string();
    let ran = run.ask("check", "cap14", &run.config(), &["--jobs", &jobs, &tree]);
    let text = String::from_utf8_lossy(&ran.stdout);
    text.must_contain("slurm-jobs-before-boot");
    text.must_contain("began before BOOT_TIME, 2026-11-28T15:48:24");

    // Usage that was saved since then is exact again.
    let folder = tempdir().expect("a temporary directory");
    let config = folder.path().join("config.txt");
    let text = fs::read_to_string(run.config()).expect("settings");
    let (_, settings) = text.split_once('\n').expect("lines");
    let dated = "Configuration data as of 2026-11-28T15:48:40\n";
    fs::write(&config, [dated, settings].concat()).expect("a file");
    let restarted = run.folder.join("cap10");
    let [tree, decimals] = ["sshare.psv", "assoc_mgr.txt"].map(|name| restarted.join(name));
    let [tree, decimals] = [tree, decimals].map(|path| path.display().to_string());
    let more = [
        "--format-out",
        "json",
        "--add-usage",
        "--jobs",
        &jobs,
        "--with",
        &decimals,
        &tree,
    ];
    let mut residual = Residual::default();
    for capture in ["cap14", "cap19"] {
        let ran = run.ask("show", capture, &config, &more);
        residual.add(&run.folder.join(capture), &ran.nodes());
    }
    println!("{residual:?}");
    // Two numbers of two decimals differ by a hundredth.
    assert!(residual.worst < 0.0101, "{residual:?}");
}

#[test]
fn golden_what_is_not_known_of_heterogeneous_jobs_is_said() {
    let Some(run) = RecordedRun::newest() else {
        return;
    };
    let tree = run.folder.join("cap35/sshare.psv").display().to_string();
    let jobs = run.folder.join("XD.psv").display().to_string();
    let ran = run.ask("check", "cap35", &run.config(), &["--jobs", &jobs, &tree]);
    let text = String::from_utf8_lossy(&ran.stdout);
    text.must_contain("no job is taken to be heterogeneous");
}
