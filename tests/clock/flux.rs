//! Flux's bins against runs of the real `flux account-update-usage`.

use crate::support::flux::{load_with, made};
use crate::support::golden;
use fairscope::clock::Clock;
use fairscope::clock::flux::{Fresh, JobUsageFactor, Period, Release, Totals, usage_of};
use fairscope::model::{
    BinRow, Bins, FinishedJob, Flux, Held, Kind, NodeId, Pace, Scheduler, Settings, Tree, Usage,
};
use fairscope::policy::{ColumnId, Policy};
use fairscope::scenario::{Edit, Scenario};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const DAY: u64 = 86_400;
const WEEK: u64 = 7 * DAY;

fn number(value: &Value) -> f64 {
    // The reader of JSON may round the last bit away; its text does not.
    value.to_string().parse().expect("a number")
}

fn count(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect()
}

fn jobs(value: &Value) -> Vec<FinishedJob> {
    let job = |job: &Value| FinishedJob {
        nnodes: count(&job["nnodes"]),
        ncores: count(&job["ncores"]),
        ngpus: count(&job["ngpus"]),
        t_run: number(&job["t_run"]),
        t_inactive: number(&job["t_inactive"]),
    };
    value.as_array().expect("a list").iter().map(job).collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn golden_a_run_takes_the_branch_of_the_real_one_and_leaves_its_bins() {
    let Some(path) = golden("flux/usage").map(|folder| folder.join("steps.jsonl")) else {
        return;
    };
    let text = std::fs::read_to_string(path).expect("steps");
    let (mut branches, mut compared, mut different) = (BTreeMap::new(), 0, Vec::new());
    for line in text.lines() {
        let step: Value = serde_json::from_str(line).expect("JSON");
        let settings = Flux {
            node_weight: number(&step["weights"]["node"]),
            core_weight: number(&step["weights"]["core"]),
            gpu_weight: number(&step["weights"]["gpu"]),
            ..Flux::default()
        };
        let period = Period {
            half_life: number(&step["half_life"]),
            end: number(&step["end_half_life_period"]),
            decay_factor: number(&step["decay_factor"]),
            now: number(&step["now"]),
        };
        let fresh = Fresh::of(&jobs(&step["jobs"]), 0.0, &settings);
        let mut bins = numbers(&step["bins"]);
        let mut job_usage = number(&step["job_usage_before"]);
        let branch = period.branch(fresh).letter();
        *branches.entry(branch).or_insert(0) += 1;
        let returned = period.update(&mut bins, &mut job_usage, fresh);
        let last_end = fresh.map_or(0.0, |fresh| fresh.last_end);
        let mut ours = vec![returned, job_usage, last_end];
        ours.extend(&bins);
        let mut theirs = vec![
            number(&step["returned"]),
            number(&step["job_usage_after"]),
            number(&step["last_job_timestamp_after"]),
        ];
        theirs.extend(numbers(&step["bins_after"]));
        compared += ours.len() + 1;
        if step["branch"] != branch.to_string() || bits(&ours) != bits(&theirs) {
            different.push(format!("{}: {branch} {ours:?} {theirs:?}", step["case"]));
        }
    }
    println!(
        "{branches:?}, {compared} numbers compared, {} steps differ",
        different.len()
    );
    different.truncate(10);
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(branches.values().sum::<u32>(), 400);
}
