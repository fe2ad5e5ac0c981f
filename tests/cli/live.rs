//! `--live` and `snapshot` run the scheduler's own commands. Stand-ins for them are on the PATH.

use super::seed;
use crate::support::command::{Run, with_usual_signals};
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::held::HeldPipe;
use crate::support::stand_in::{StandIn, captured};
use std::path::PathBuf;

/// Runs fairscope with PBS_HOME set to a folder.
fn pbs(args: &[&str], home: &std::path::Path) -> Run {
    std::os::unix::fs::symlink(seed(), home.join("sched_priv")).unwrap();
    Run::fairscope(args).variable("PBS_HOME", home)
}

/// Takes a snapshot of a Slurm, and returns the folder it was saved in.
fn saved(slurm: &StandIn) -> PathBuf {
    let out = slurm.folder().join("saved");
    slurm
        .fairscope(["snapshot", "--live", "slurm", "--out"])
        .arg(&out)
        .run();
    out
}

#[test]
fn the_files_of_pbs_are_found_by_its_home() {
    let home = tempfile::tempdir().unwrap();
    let json = pbs(
        &["show", "--live", "pbs", "--format-out", "json"],
        home.path(),
    );
    let json = json.run().success();
    assert!(
        json.contains("\"path\":\"live:pbs\"") || json.contains("\"path\": \"live:pbs\""),
        "{json}"
    );
    json.must_contain("group2/suzy");
}

#[test]
fn a_missing_pbs_home_is_named_in_the_error() {
    let home = tempfile::tempdir().unwrap();
    let ran = Run::fairscope(["rank", "--live", "pbs"])
        .variable("PBS_HOME", home.path())
        .run();
    let said = ran.failure(2);
    said.must_contain("sched_priv does not exist");
    said.must_contain("PBS_HOME");
}

#[test]
fn a_live_node_is_explained_without_a_source() {
    let home = tempfile::tempdir().unwrap();
    let text = pbs(&["explain", "--live", "pbs", "suzy"], home.path())
        .run()
        .success();
    text.must_contain("suzy");
    let other = Run::fairscope(["explain", "--live", "pbs", "suzy", "bob"])
        .variable("PBS_HOME", home.path())
        .run()
        .success();
    other.must_contain("bob");
    let said = Run::fairscope(["explain", "--live", "pbs", "sched_priv", "suzy", "bob"])
        .variable("PBS_HOME", home.path())
        .run()
        .failure(2);
    said.must_contain("leave out the source");
}

#[test]
fn a_source_beside_a_scheduler_is_refused() {
    let said = Run::fairscope(["show", "--live", "slurm", &seed()])
        .run()
        .failure(2);
    said.must_contain("leave out one of the two");
}

#[test]
fn a_scheduler_that_is_not_installed_is_reported() {
    let nothing = StandIn::empty();
    for (scheduler, command) in [("slurm", "sshare"), ("flux", "flux")] {
        let said = nothing
            .fairscope(["show", "--live", scheduler])
            .run()
            .failure(2);
        said.must_contain(&format!("{command} is not on the PATH"));
    }
}

#[test]
fn a_daemon_that_does_not_answer_is_reported_and_not_polled_again() {
    let log = "echo \"$*\" >> \"${0%/bin/sshare}/asked\"";
    let slurm = StandIn::empty().command(
        "sshare",
        &format!(
            "{log}; echo 'sshare: error: slurm_persist_conn_open_without_init: failed to open persistent connection to host:db:6819: Connection refused' >&2; exit 1"
        ),
    );
    let said = slurm
        .fairscope(["show", "--live", "slurm"])
        .run()
        .failure(2);
    said.must_contain("exit code 1");
    said.must_contain("failed to open persistent connection");
    said.must_contain("sacctmgr ping");
    let asked = std::fs::read_to_string(slurm.folder().join("asked")).unwrap();
    assert_eq!(asked, "-a --json\n");
}

#[test]
fn a_hanging_command_is_stopped() {
    let slurm = StandIn::empty().command("sshare", "exec /bin/sleep 1000");
    let said = slurm
        .fairscope(["show", "--live", "slurm", "--timeout", "1s"])
        .run()
        .failure(2);
    said.must_contain("printed nothing for 1 s");
    said.must_contain("--timeout SECONDS");
}

#[test]
fn unreadable_output_is_quoted_from_its_beginning() {
    let slurm = StandIn::empty().command(
        "sshare",
        "printf 'Welcome to \\033[1mgold\\033[0m\\nplease read the rules\\n'",
    );
    let said = slurm
        .fairscope(["show", "--live", "slurm"])
        .run()
        .failure(2);
    said.must_contain("Welcome to");
}

#[test]
fn an_old_slurm_is_queried_with_the_options_it_supports() {
    let slurm = StandIn::slurm().command(
        "sshare",
        "echo \"$*\" >> \"${0%/bin/sshare}/asked\"\n\
         case \"$*\" in\n\
         *--json*) echo \"sshare: unrecognized option '--json'\" >&2; exit 1;;\n\
         *-o*) echo 'sshare: error: Invalid field requested: \"GrpTRESMins\"' >&2; exit 1;;\n\
         esac\n\
         echo 'Account|User'",
    );
    let out = slurm.folder().join("saved");
    let ran = slurm
        .fairscope(["snapshot", "--live", "slurm", "--out"])
        .arg(&out)
        .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let asked = std::fs::read_to_string(slurm.folder().join("asked")).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert_eq!(asked[0], "-a --json");
    asked[1].must_begin("-a -P -m -l -o Account,User,");
    assert_eq!(asked[2], "-a -P -m -l");
    assert!(out.join("sshare.txt").is_file());
}

#[test]
fn a_snapshot_keeps_printed_output_byte_for_byte() {
    let slurm = StandIn::slurm();
    let out = slurm.folder().join("saved");
    let ran = slurm
        .fairscope(["snapshot", "--live", "slurm", "--cluster", "gold", "--out"])
        .arg(&out)
        .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("assoc_mgr"),
        "what was not saved is told: {}",
        ran.stderr
    );
    for name in ["sshare.json", "scontrol_config.txt"] {
        let saved = std::fs::read(out.join(name)).unwrap();
        assert_eq!(saved, std::fs::read(captured(name)).unwrap(), "{name}");
    }
    let about = std::fs::read_to_string(out.join("fairscope-snapshot.txt")).unwrap();
    about.must_contain("sshare.json: ran sshare -M gold -a --json");
    about.must_contain(env!("CARGO_PKG_VERSION"));
    ran.text().must_contain("sshare.json");
    let again = slurm
        .fairscope(["snapshot", "--live", "slurm", "--out"])
        .arg(&out)
        .run()
        .failure(2);
    again.must_contain("is not empty");
}

#[test]
fn a_snapshot_of_pbs_can_be_reopened() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("saved");
    let out = out.to_str().unwrap();
    pbs(&["snapshot", "--live", "pbs", "--out", out], home.path())
        .run()
        .success();
    let saved = Run::fairscope(["show", out]).run().success();
    assert_eq!(saved, Run::fairscope(["show", &seed()]).run().success());
}

#[test]
fn a_scenario_of_a_live_tree_queries_the_scheduler_again() {
    let home = tempfile::tempdir().unwrap();
    let scenario = home.path().join("plan.toml");
    std::fs::write(
        &scenario,
        "fairscope = 1\n[source]\nlive = \"pbs\"\n[[edit]]\ndo = \"shares group2/suzy=80\"\n",
    )
    .unwrap();
    let text = pbs(&["show", scenario.to_str().unwrap()], home.path())
        .run()
        .success();
    text.must_contain("80");
}

#[test]
fn a_mistyped_command_before_a_source_is_reported() {
    let said = Run::fairscope(["shwo", &seed()]).run().failure(2);
    said.must_contain("shwo");
    said.must_contain("show");
}

#[test]
fn watching_needs_a_terminal() {
    let said = Run::fairscope([&seed(), "--watch", "60"]).run().failure(2);
    said.must_contain("--watch needs the explorer");
}

#[test]
fn an_interval_is_a_duration_of_at_most_a_day() {
    for interval in ["0", "2d", "25h", "99999999999w"] {
        let said = Run::fairscope([&seed(), "--watch", interval])
            .run()
            .failure(2);
        said.must_contain("expected a time from 1s to 1d");
    }
    let said = Run::fairscope([&seed(), "--watch", "1:30"])
        .run()
        .failure(2);
    said.must_contain("1:30 has two meanings; write 1h30m or 1m30s");
    let said = Run::fairscope([&seed(), "--watch", "1.5h"])
        .run()
        .failure(2);
    said.must_contain("--watch needs the explorer");
}

#[test]
fn slurm_is_queried_for_its_tree_and_its_settings() {
    let slurm = StandIn::slurm();
    let json = slurm
        .fairscope(["show", "--live", "slurm", "--format-out", "json"])
        .run()
        .success();
    json.must_contain(r#""path": "live:slurm""#);
    let shown = slurm.fairscope(["rank", "--live", "slurm"]).run().success();
    let saved = Run::fairscope(["rank", &captured("sshare.json")])
        .arg("--config")
        .arg(captured("scontrol_config.txt"))
        .run()
        .success();
    assert_eq!(shown, saved);
    let why = slurm
        .fairscope(["explain", "--live", "slurm", "anna", "ben"])
        .run()
        .success();
    why.must_contain("anna");
}

#[test]
fn unreadable_json_is_requested_again_as_text() {
    let text = captured("sshare.txt");
    let script = format!(
        "case \"$*\" in *--json*) echo '{{ \"shares\": '; exit 0;; esac; exec /bin/cat '{text}'"
    );
    let slurm = StandIn::slurm().command("sshare", &script);
    let shown = slurm.fairscope(["rank", "--live", "slurm"]).run();
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    shown.text().must_contain("anna");
}

#[test]
fn a_slurm_without_json_is_queried_for_the_decimals_of_usage() {
    let folder = crate::support::data("slurm/live");
    let [text, config] = ["sshare.txt", "scontrol_config.txt"].map(captured);
    let sshare = format!(
        "case \"$*\" in *--json*) echo \"sshare: unrecognized option '--json'\" >&2; exit 1;; esac\n\
         exec /bin/cat '{text}'"
    );
    let scontrol = |associations: &str| {
        format!(
            "case \"$*\" in *config) exec /bin/cat '{config}';; *flags=assoc) {associations};; esac\n\
             echo no >&2; exit 1"
        )
    };
    let associations = folder.join("assoc_mgr.txt");
    let slurm = StandIn::empty().command("sshare", &sshare).command(
        "scontrol",
        &scontrol(&format!("exec /bin/cat '{}'", associations.display())),
    );
    let check = slurm.fairscope(["check", "--live", "slurm"]).run();
    let text = check.text();
    text.must_contain("usage is from assoc_mgr.txt (assoc-mgr), with 2 decimals");
    text.must_contain("recorded factors are from sshare.txt (sshare)");
    slurm.replace("scontrol", &scontrol("echo Access denied; exit 0"));
    let check = slurm.fairscope(["check", "--live", "slurm"]).run();
    let text = check.text();
    text.must_contain(
        "scontrol show assoc_mgr flags=assoc printed: Access denied; usage has no decimals",
    );
}

#[test]
fn missing_slurm_settings_are_a_problem_but_not_an_error() {
    let slurm = StandIn::slurm().command(
        "scontrol",
        "echo 'Unable to contact slurm controller' >&2; exit 1",
    );
    let ran = slurm.fairscope(["check", "--live", "slurm"]).run();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = ran.text();
    text.must_contain("scontrol show config ended with exit code 1");
    text.must_contain("[live-no-answer]");
}

#[test]
fn a_snapshot_of_slurm_can_be_reopened() {
    let slurm = StandIn::slurm();
    let out = saved(&slurm);
    let saved = Run::fairscope(["rank"]).arg(&out).run().success();
    let live = slurm.fairscope(["rank", "--live", "slurm"]).run().success();
    assert_eq!(saved, live);
}

#[test]
fn several_outputs_of_slurm_combine_into_one_tree() {
    let (tree, config) = (captured("sshare.json"), captured("scontrol_config.txt"));
    let together = Run::fairscope(["rank", &tree, &config]).run().success();
    let with = Run::fairscope(["rank", &tree, "--config", &config])
        .run()
        .success();
    assert_eq!(together, with);
}

#[test]
fn flux_banks_are_printed_if_the_database_is_not_readable() {
    if std::fs::File::open("/var/lib/flux/FluxAccounting.db").is_ok() {
        println!("skipped: the database of a real Flux lies here");
        return;
    }
    let banks = "Bank|Username|Active|RawShares|RawUsage|Fairshare\nroot||true|1|30.0\n root|ann|true|1|10.0|1.0\n\n";
    let flux = StandIn::empty();
    let printed = flux.folder().join("printed");
    std::fs::write(&printed, banks).unwrap();
    flux.replace(
        "flux",
        &format!(
            "[ \"$*\" = 'account view-bank root -t -P' ] && exec /bin/cat '{}'",
            printed.display()
        ),
    );
    let out = flux.folder().join("saved");
    let ran = flux
        .fairscope(["snapshot", "--live", "flux", "--out"])
        .arg(&out)
        .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let saved = std::fs::read_to_string(out.join("view_bank.txt")).unwrap();
    assert_eq!(saved, banks);
}

#[test]
fn a_signal_stops_the_scheduler_command_and_then_fairscope() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::process::ExitStatusExt as _;
    for (signal, args) in [
        (Signal::INT, &["show", "--live", "slurm"][..]),
        (Signal::TERM, &["explain", "--live", "slurm", "anna"]),
        (Signal::HUP, &["convert", "--live", "slurm", "--to", "csv"]),
        (Signal::TERM, &["snapshot", "--live", "slurm", "--out"]),
    ] {
        let slurm = StandIn::empty();
        let mut pipe = HeldPipe::new(slurm.folder());
        // The processes that the command starts hold the pipe too.
        slurm.replace(
            "sshare",
            &format!(
                "exec 3>'{}'; echo asked >&3; /bin/sleep 1000; echo never >&3",
                pipe.path()
            ),
        );
        let out = slurm.folder().join("saved");
        let mut command = with_usual_signals();
        command.args(args).env("PATH", slurm.bin());
        if args[0] == "snapshot" {
            command.arg(&out);
        }
        let mut fairscope = command
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the program was built with the tests");
        assert_eq!(pipe.wait_held(), "asked\n");
        let process = i32::try_from(fairscope.id()).ok().and_then(Pid::from_raw);
        kill_process(process.expect("a process has a number"), signal).expect("it is ours");
        assert_eq!(pipe.wait_released(), "", "{args:?}");
        let status = fairscope.wait().expect("it ends");
        assert_eq!(status.signal(), Some(signal.as_raw()), "{args:?}: {status}");
        assert!(!out.exists(), "a snapshot is whole or not there");
    }
}

/// Makes a stand-in of Flux that prints banks like the real one for a user who may not read its database. `None` if a
/// real Flux is installed.
fn flux_printing(banks: &str) -> Option<StandIn> {
    if std::fs::File::open("/var/lib/flux/FluxAccounting.db").is_ok() {
        println!("skipped: the database of a real Flux lies here");
        return None;
    }
    let command =
        format!("[ \"$*\" = 'account view-bank root -t -P' ] && exec /bin/cat '{banks}'; exit 1");
    Some(StandIn::empty().command("flux", &command))
}

#[test]
fn banks_printed_by_flux_are_read_as_a_tree() {
    let folder = crate::support::data("flux/21_inactive");
    let [banks, database] = ["view_bank_tP.txt", "input.db"].map(|name| {
        let path = folder.join(name).into_os_string();
        path.into_string().expect("the path of the tests is UTF-8")
    });
    let Some(flux) = flux_printing(&banks) else {
        return;
    };
    let live = flux.fairscope(["rank", "--live", "flux"]).run().text();
    assert_eq!(live, Run::fairscope(["rank", &banks]).run().text());
    // The database is older than Flux's own calculation, so only the numbers that we compute are the same.
    let columns = ["--columns", "rank,path,usage,weight,factor"];
    let ranks = flux
        .fairscope(["rank", "--live", "flux"])
        .args(columns)
        .run();
    assert_eq!(
        ranks.text(),
        Run::fairscope(["rank", &database])
            .args(columns)
            .run()
            .text(),
        "a database at any other path is opened by that path"
    );
    let json = flux
        .fairscope(["show", "--live", "flux", "--format-out", "json"])
        .run()
        .text();
    json.must_contain(r#""path": "live:flux""#);
    let why = flux.fairscope(["explain", "--live", "flux", "a3"]).run();
    why.text().must_contain("a3 is 2nd of 3");
    let out = flux.folder().join("saved");
    flux.fairscope(["snapshot", "--live", "flux", "--out"])
        .arg(&out)
        .run()
        .success();
    let (saved, file) = (
        Run::fairscope(["check"]).arg(&out).run().text(),
        Run::fairscope(["check", &banks]).run().text(),
    );
    assert_eq!(saved.lines().count(), file.lines().count(), "{saved}");
    assert_eq!(
        Run::fairscope(["rank"]).arg(&out).run().text(),
        live,
        "the directory is opened by its path"
    );
}

#[test]
fn a_snapshot_is_checked_like_its_original() {
    let slurm = StandIn::slurm();
    let out = saved(&slurm);
    let ran = Run::fairscope(["check"]).arg(&out).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let said = ran.text();
    said.must_contain("10/10 FairShare");
    said.must_contain("the cluster ranks by Fair Tree");
}

#[test]
fn a_failure_of_flux_is_reported_with_its_own_message() {
    let Some(flux) = flux_printing("/nowhere/banks") else {
        return;
    };
    flux.replace(
        "flux",
        "echo 'flux-account: ERROR: view-bank: OperationalError: no such column: job_usage' >&2; exit 1",
    );
    let said = flux.fairscope(["rank", "--live", "flux"]).run().failure(2);
    said.must_contain("no such column: job_usage");
    said.must_contain("flux-accounting service");
}

#[test]
fn a_plan_is_verified_against_the_live_scheduler() {
    let slurm = StandIn::slurm();
    let (before, config) = (captured("sshare.json"), captured("scontrol_config.txt"));
    let verify = |args: &[&str]| {
        let edit = ["--edit", "shares lab=61", "--verify", "--live", "slurm"];
        slurm
            .fairscope(["plan"].iter().chain(args).chain(&edit))
            .run()
    };
    let ran = verify(&[&before, "--config", &config]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    text.must_contain("Applied: 0 of 1 change");
    text.must_contain("lab still has 100 shares");
    let said = verify(&[]).failure(2);
    said.must_contain("give the source of the edits as well");
    let said = Run::fairscope(["plan", &before, "--edit", "shares lab=61", "--verify"]);
    let said = said.run().failure(2);
    said.must_contain("or --live SCHEDULER");
}

#[test]
fn a_snapshot_has_the_jobs_that_wait() {
    let cat = |name: &str| format!("/bin/cat '{}'", data("slurm_jobs").join(name).display());
    let slurm = StandIn::slurm()
        .command("sprio", &cat("sprio_l.txt"))
        .command("squeue", &cat("squeue.txt"))
        .command(
            "sacctmgr",
            "echo 'sacctmgr: error: no database' >&2; exit 1",
        );
    let folder = saved(&slurm);
    let text = Run::fairscope(["queue", "--limit", "1"])
        .arg(&folder)
        .run()
        .text();
    text.must_contain("79 jobs wait.");
    assert!(
        text.contains("231         o12   ops      batch  waits for another job")
            || text.contains("226"),
        "{text}"
    );
    let about = std::fs::read_to_string(folder.join("fairscope-snapshot.txt")).unwrap();
    for told in ["sprio.txt: ran sprio -o %i|%u|%Y|%y|", "no database"] {
        about.must_contain(told);
    }
    assert!(!folder.join("sacctmgr_qos.txt").exists());
}

#[test]
fn the_queue_of_a_live_slurm_is_asked_for() {
    let cat = |name: &str| format!("/bin/cat '{}'", data("slurm_jobs").join(name).display());
    let slurm = StandIn::slurm()
        .command("sprio", &cat("sprio_l.txt"))
        .command("squeue", &cat("squeue.txt"));
    let run = slurm.fairscope(["queue", "--live", "slurm", "--limit", "1"]);
    let text = run.run().text();
    text.must_contain("79 jobs wait.");
    let run = slurm.fairscope(["queue", "--live", "slurm", "--why", "41", "--behind", "66"]);
    run.run().text().must_contain("Job 41 of zoe");

    let picture = slurm.folder().join("queue.txt");
    let words = [
        "screenshot",
        "--live",
        "slurm",
        "--size",
        "120x40",
        "--keys",
        "2 Q",
        "--out",
    ];
    let drawn = slurm.fairscope(words).arg(&picture).run();
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    let page = std::fs::read_to_string(&picture).unwrap();
    page.must_contain("79 jobs wait.");

    slurm.replace("sprio", "echo 'sprio: error: no plugin' >&2; exit 1");
    let error = slurm
        .fairscope(["queue", "--live", "slurm"])
        .run()
        .failure(2);
    error.must_contain("no plugin");
}

#[test]
fn a_live_slurm_with_weighted_billing_is_asked_for_the_decimals_of_usage() {
    let Some(golden) = std::env::var_os("FAIRSCOPE_GOLDEN") else {
        return println!("skipped: FAIRSCOPE_GOLDEN is not set");
    };
    let folder = PathBuf::from(golden).join("slurm_jobs2/plan-pending-jobs-26.05/s0");
    let cat = |name: &str| format!("exec /bin/cat '{}'", folder.join(name).display());
    let scontrol = format!(
        "case \"$*\" in *config) {};; *flags=assoc) {};; esac; echo no >&2; exit 1",
        cat("scontrol_config.txt"),
        cat("assoc_mgr.txt")
    );
    let slurm = StandIn::empty()
        .command("sshare", &cat("sshare.json"))
        .command("scontrol", &scontrol);
    let check = slurm.fairscope(["check", "--live", "slurm"]).run();
    let text = check.text();
    text.must_contain("usage is from assoc_mgr.txt");
    text.must_lack("slurm-billing-differs");
}

#[test]
fn the_page_of_a_user_is_found_without_the_name_in_the_environment() {
    let slurm = StandIn::slurm().command("id", "echo anna");
    let run = slurm.fairscope(["me", "--live", "slurm"]);
    let run = run.variable("USER", "").variable("LOGNAME", "");
    let text = run.run().text();
    text.must_contain("anna");
    let slurm = StandIn::slurm();
    let run = slurm.fairscope(["me", "--live", "slurm"]);
    let run = run.variable("USER", "").variable("LOGNAME", "");
    let error = run.run().failure(2);
    error.must_contain("name a user after the source");
}

#[test]
fn numbers_of_two_moments_are_a_note_on_a_busy_cluster() {
    let Some(golden) = std::env::var_os("FAIRSCOPE_GOLDEN") else {
        return println!("skipped: FAIRSCOPE_GOLDEN is not set");
    };
    let root = PathBuf::from(golden).join("slurm_jobs2");
    for folder in [
        "jobs-26.05/snapshot",
        "jobs-24.11-daily-reset/snapshot",
        "advise-parent-level",
    ] {
        let run = Run::fairscope(["check", "--format-out", "json"]).arg(root.join(folder));
        let ran = run.run();
        let json: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        let findings = json["findings"].as_array().expect("findings");
        let stale = findings
            .iter()
            .find(|it| it["code"] == "slurm-stale-columns");
        let stale = stale.expect("it is of two moments");
        assert_eq!(stale["severity"], "note", "{folder}");
        let advice = stale["advice"].as_str().expect("a text");
        advice.must_contain("changes with every job that ends");
        advice.must_lack("print again");
        let others = findings.len() - 1;
        assert_eq!(ran.code, Some(i32::from(others > 0)), "{folder}");
        assert_eq!(json["problems"], serde_json::json!([]), "{folder}");
    }
}
