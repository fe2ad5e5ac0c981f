//! `fairscope queue`.

use crate::support::command::{Ran, Run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::tempdir;

const FOLDER: &str = "tests/data/slurm_jobs";

fn queue(folder: &Path, sprio: &str, more: &[&str]) -> Ran {
    Run::fairscope(["queue", "--sprio"])
        .arg(folder.join(sprio))
        .arg(folder.join("sshare.psv"))
        .arg("--config")
        .arg(folder.join("config.txt"))
        .args(more)
        .run()
}

fn jobs(ran: &Ran) -> Vec<Value> {
    let json: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    json["jobs"].as_array().expect("a list of jobs").clone()
}

/// Returns the jobs of which a fact is true, and those of which it is told.
fn told(jobs: &[Value], fact: &str) -> (usize, usize) {
    let right = jobs.iter().filter(|job| job[fact] == true).count();
    let all = jobs.iter().filter(|job| !job[fact].is_null()).count();
    (right, all)
}

#[test]
fn the_report_begins_with_what_was_verified() {
    let text = queue(Path::new(FOLDER), "sprio_l.txt", &["--limit", "3"]).text();
    let beginning = "79 jobs wait. 78 of 78 priorities are the sum of their rounded parts.\n\
                     1 priority was set by hand, without parts.\n\
                     The fairshare of 78 of 78 jobs is the factor of the tree × 100,000.\n";
    assert!(text.starts_with(beginning), "{text}");
    assert!(text.contains("… and 76 more"), "{text}");
    assert!(text.contains("When a job starts is not told"), "{text}");
}

#[test]
fn a_contradiction_and_lines_that_cannot_be_read_are_told() {
    let folder = tempdir().expect("a temporary directory");
    for file in ["sshare.psv", "config.txt"] {
        fs::copy(Path::new(FOLDER).join(file), folder.path().join(file)).expect("a copy");
    }
    let text = fs::read_to_string(Path::new(FOLDER).join("sprio_l.txt")).expect("sprio");
    let wrong = text.replacen(" 5578 ", " 5600 ", 1);
    let wrong = wrong
        .replacen(" 2326 ", " 9999 ", 2)
        .replacen(" 343 ", " 3x3 ", 1);
    fs::write(folder.path().join("wrong.txt"), wrong + "  99 batch\n").expect("a file");
    let ran = queue(folder.path(), "wrong.txt", &["--format-out", "json"]);
    let jobs = jobs(&ran);
    assert_eq!(jobs.len(), 78);
    assert_eq!(told(&jobs, "is_sum"), (75, 77));
    assert_eq!(told(&jobs, "is_fairshare_of_tree"), (75, 77));
    for line in ["wrong.txt:4: ", "wrong.txt:81: "] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
}

#[test]
fn edits_move_the_jobs_of_those_whose_factor_they_change() {
    let edit = ["--edit", "shares physics=1", "--format-out", "json"];
    let jobs = jobs(&queue(Path::new(FOLDER), "sprio_l.txt", &edit));
    let mut moved = 0;
    for job in &jobs {
        let (place, next) = (&job["place"], &job["next_place"]);
        moved += usize::from(place != next);
        let of_physics = job["account"] == "physics" && job["priority"] != 4242;
        if of_physics {
            assert!(next.as_u64() > place.as_u64(), "{job}");
            assert!(
                job["next_priority"].as_i64() < job["priority"].as_i64(),
                "{job}"
            );
        }
    }
    assert!(moved > 10, "only {moved} jobs moved");
    let by_hand = jobs
        .iter()
        .find(|job| job["priority"] == 4242)
        .expect("one");
    assert!(by_hand["next_priority"].is_null() && by_hand["is_sum"].is_null());
}

#[test]
fn other_outputs_are_refused_with_what_to_run() {
    let folder = tempdir().expect("a temporary directory");
    let cases = [
        ("JOBID|USER|PRIORITY\n1|a|5\n", "has no header of sprio"),
        (
            "JOBID PARTITION PRIORITY AGE\nWeights  1000\n",
            "the output of sprio -w",
        ),
        (
            "JOBID PARTITION PRIORITY AGE\n1 batch 0.0000123 0.5000000\n",
            "factors without points",
        ),
    ];
    for (text, reason) in cases {
        let path = folder.path().join("sprio.txt");
        fs::write(&path, text).expect("a file");
        let error = Run::fairscope(["queue", FOLDER_TREE, "--sprio"]).arg(&path);
        let error = error.run().failure(2);
        assert!(
            error.contains(reason) && error.contains("run sprio -l"),
            "{error}"
        );
    }
}

const FOLDER_TREE: &str = "tests/data/slurm_jobs/sshare.psv";

#[test]
fn golden_priorities_and_fairshare_are_those_of_slurm() {
    let Some(golden) = std::env::var_os("FAIRSCOPE_GOLDEN") else {
        return println!("skipped: FAIRSCOPE_GOLDEN is not set");
    };
    let mut rows = 0;
    for capture in [
        "24.11/sprio/0-before",
        "24.11/sprio/1-just-after-change",
        "24.11/sprio/2-after-period",
        "24.11/sprio/3-after-second-change",
        "22.05/sprio/0-before",
    ] {
        let folder = Path::new(&golden).join("slurm_jobs").join(capture);
        for file in ["sprio_l.txt", "sprio_o_all.txt"] {
            let jobs = jobs(&queue(&folder, file, &["--format-out", "json"]));
            let (right, all) = told(&jobs, "is_sum");
            assert!(
                right == all && all + 1 == jobs.len(),
                "{capture}/{file}: {right} of {all}"
            );
            let (right, all) = told(&jobs, "is_fairshare_of_tree");
            // Before Slurm 23.02 the account is not printed, and two users have two.
            let least = if capture.starts_with("22.05") {
                71
            } else {
                jobs.len() - 1
            };
            assert!(
                right == all && all >= least,
                "{capture}/{file}: {right} of {all}"
            );
            rows += jobs.len();
        }
    }
    println!("{rows} rows of sprio");
}
