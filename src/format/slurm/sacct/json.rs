//! `sacct --json`, as Slurm 22.05 and 24.11 write it.

use super::{AGAIN, JobRow, Reader};
use crate::format::input::Input;
use crate::format::{LoadResult, Refusal};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write as _;

#[derive(Deserialize)]
struct Jobs {
    jobs: Vec<Job>,
}

/// What is read of a job; `Null` where it is not there.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Job {
    #[serde(rename = "job_id")]
    id: Value,
    user: Value,
    account: Value,
    cluster: Value,
    partition: Value,
    qos: Value,
    association: Value,
    time: Value,
    tres: Value,
    state: Value,
    het: Value,
}

pub(super) fn read(input: &Input, reader: &mut Reader<'_>) -> LoadResult<()> {
    let jobs: Jobs = serde_json::from_slice(&input.bytes).map_err(|error| {
        let what = format!("is no JSON of sacct: {error}");
        Refusal::does(&input.name(), &what, AGAIN)
    })?;
    for (place, job) in (1..).zip(&jobs.jobs) {
        take(place, job, reader);
    }
    Ok(())
}

/// Returns a text or a number.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Returns what sacct calls a component of a heterogeneous job: `6+0`; empty for other jobs.
fn component(part: &Value) -> String {
    match part["job_id"].as_u64() {
        Some(job @ 1..) => format!(
            "{job}+{}",
            part["job_offset"]["number"].as_u64().unwrap_or(0)
        ),
        _ => String::new(),
    }
}

fn take(place: u64, job: &Job, reader: &mut Reader<'_>) {
    let mut allocated = String::new();
    for resource in job.tres["allocated"].as_array().into_iter().flatten() {
        // Resources that were not measured have a count below 0.
        let Some(count) = resource["count"].as_u64() else {
            continue;
        };
        let separator = if allocated.is_empty() { "" } else { "," };
        let [kind, name] = ["type", "name"].map(|key| text(&resource[key]));
        let slash = if name.is_empty() { "" } else { "/" };
        // Writing to a string cannot fail.
        let _ = write!(allocated, "{separator}{kind}{slash}{name}={count}");
    }
    // A state is one word, and a list of words since Slurm 23.11.
    let states = job.state.to_string();
    let has = |state: &str| states.contains(&format!("\"{state}\""));
    let state = if has("REQUEUED") {
        "REQUEUED"
    } else if has("RESIZING") {
        "RESIZING"
    } else {
        ""
    };
    let id = text(&job.id);
    let component = component(&job.het);
    let (user, account) = (text(&job.user), text(&job.account));
    let (cluster, partition, qos) = (text(&job.cluster), text(&job.partition), text(&job.qos));
    let (start, end) = (text(&job.time["start"]), text(&job.time["end"]));
    let submitted = text(&job.time["submission"]);
    let association = text(&job.association["id"]);
    let row = JobRow {
        number: id.as_bytes(),
        array_id: component.as_bytes(),
        user: user.as_bytes(),
        account: account.as_bytes(),
        cluster: cluster.as_bytes(),
        partition: partition.as_bytes(),
        qos: qos.as_bytes(),
        start: start.as_bytes(),
        end: end.as_bytes(),
        allocated: allocated.as_bytes(),
        association: association.as_bytes(),
        state: state.as_bytes(),
        restarts: b"",
        submitted: submitted.as_bytes(),
    };
    reader.take(place, row);
}
