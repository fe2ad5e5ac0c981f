//! Queues of a real Slurm 26.05.5: with GPUs, whose resources `sprio -l` cuts, and with priorities that never fall.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

fn recorded(name: &str) -> Option<PathBuf> {
    let golden = std::env::var_os("FAIRSCOPE_GOLDEN");
    if golden.is_none() {
        println!("skipped: FAIRSCOPE_GOLDEN is not set");
    }
    Some(Path::new(&golden?).join("slurm_jobs2").join(name))
}

fn queue(run: Run) -> Value {
    let ran = run.args(["--format-out", "json"]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

fn jobs(queue: &Value) -> HashMap<String, Value> {
    let jobs = queue["jobs"].as_array().expect("a list of jobs");
    let jobs = jobs.iter().map(|job| {
        let [id, partition] = ["id", "partition"].map(|key| job[key].as_str().unwrap_or_default());
        (format!("{id}/{partition}"), job.clone())
    });
    jobs.collect()
}

/// Returns the jobs of `squeue` with the priority of each and what it waits for.
fn listed(folder: &Path) -> Vec<[String; 3]> {
    let text = fs::read_to_string(folder.join("squeue.txt")).expect("squeue");
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('|').collect();
        [cells[0], cells[5], cells[6]].map(str::to_owned)
    });
    rows.collect()
}

#[test]
fn golden_jobs_with_gpus_have_their_places_although_tres_is_cut() {
    let (Some(cut), Some(whole)) = (
        recorded("sprio-gres-cut-26.05"),
        recorded("sprio-o-uncut-26.05"),
    ) else {
        return;
    };
    let cut = queue(Run::fairscope(["queue"]).arg(&cut));
    let whole = whole.join("q0_sprio_o.txt");
    let whole = Run::fairscope(["queue", "--sprio"])
        .arg(&whole)
        .arg(whole.with_file_name("snapshot"));
    let whole = queue(whole);
    assert_eq!([&cut["left_out"], &whole["left_out"]], [0, 0]);
    let (cut, whole) = (jobs(&cut), jobs(&whole));
    assert_eq!(cut.len(), whole.len());
    let mut rests = 0;
    for (name, job) in &whole {
        let other = &cut[name];
        for key in ["place", "priority"] {
            assert_eq!(other[key], job[key], "{name}: {key}");
        }
        let [rest, tres] = [other, job].map(|job| job["parts"]["tres"].as_f64().expect("points"));
        // TRES has two decimals, so its points are whole ones within a point or two.
        assert!((rest - tres).abs() <= 4.0, "{name}: {rest} for {tres}");
        rests += usize::from((rest - tres).abs() > 0.0);
    }
    println!("{} jobs, {rests} with TRES as the rest", whole.len());
    assert!(whole.len() > 60 && rests > 0);
}

#[test]
fn golden_the_difference_of_two_priorities_is_that_of_the_printed_ones() {
    let Some(folder) = recorded("sprio-o-uncut-26.05") else {
        return;
    };
    let run = Run::fairscope(["queue", "--why", "173", "--behind", "163", "--sprio"]);
    let run = run
        .arg(folder.join("q0_sprio_o.txt"))
        .arg(folder.join("snapshot"));
    let text = run.run().text();
    text.must_contain("86,579");
    text.must_contain("94,627");
    text.must_contain("8,048 more");
}

#[test]
fn golden_jobs_are_named_as_squeue_prints_them() {
    let Some(folder) = recorded("sprio-gres-cut-26.05") else {
        return;
    };
    for (name, number) in [
        ("190_3", "190"),
        ("192+1", "193"),
        ("192+0", "192"),
        ("191_5", "191"),
    ] {
        let run = Run::fairscope(["queue", "--why", name]).arg(&folder);
        let text = run.run().text();
        assert!(
            text.contains(&format!("Job {number} of ")),
            "{name}: {text}"
        );
    }
    for name in ["190_21", "191_2", "192+7"] {
        let run = Run::fairscope(["queue", "--why", name]).arg(&folder);
        let error = run.run().failure(2);
        assert!(error.contains("unknown job"), "{name}: {error}");
    }
}

#[test]
fn golden_priorities_that_never_fall_are_those_of_squeue() {
    let Some(folder) = recorded("queue-incr-only") else {
        return;
    };
    let folder = folder.join("snapshot");
    let text = Run::fairscope(["queue"]).arg(&folder).run().text();
    text.must_contain("PriorityFlags has INCR_ONLY");
    let queue = queue(Run::fairscope(["queue"]).arg(&folder));
    let jobs = jobs(&queue);
    let mut compared = 0;
    for [id, priority, state] in listed(&folder) {
        let job = jobs.values().find(|job| job["id"].as_str() == Some(&*id));
        let Some(job) = job.filter(|_| state == "PD") else {
            continue;
        };
        assert_eq!(job["priority"].to_string(), priority, "{id}");
        compared += 1;
    }
    println!("{compared} priorities");
    assert!(compared > 50);
}
