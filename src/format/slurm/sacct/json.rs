//! `sacct --json`, as Slurm 22.05 and 24.11 write it.

use super::{AGAIN, JobRow, Reader};
use crate::format::input::Input;
use crate::format::{LoadResult, Refusal};
use serde::Deserialize;
use std::fmt::Write as _;

#[derive(Deserialize)]
struct Jobs {
    jobs: Vec<Job>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Job {
    #[serde(rename = "job_id")]
    id: u64,
    user: Option<String>,
    account: Option<String>,
    cluster: Option<String>,
    partition: Option<String>,
    qos: Option<String>,
    association: Association,
    time: Times,
    tres: Resources,
    state: State,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Association {
    id: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Times {
    start: i64,
    end: i64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resources {
    allocated: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    r#type: String,
    #[serde(default)]
    name: Option<String>,
    count: i64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct State {
    current: Words,
}

/// A state is one word, and a list of words since Slurm 23.11.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Many(Vec<String>),
}

impl Default for Words {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
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

fn take(place: u64, job: &Job, reader: &mut Reader<'_>) {
    let mut allocated = String::new();
    // Resources that were not measured have a count below 0.
    for resource in job.tres.allocated.iter().filter(|it| it.count >= 0) {
        let separator = if allocated.is_empty() { "" } else { "," };
        let name = resource.name.as_deref().filter(|name| !name.is_empty());
        let (slash, name) = name.map_or(("", ""), |name| ("/", name));
        let (kind, count) = (&resource.r#type, resource.count);
        // Writing to a string cannot fail.
        let _ = write!(allocated, "{separator}{kind}{slash}{name}={count}");
    }
    let state = match &job.state.current {
        Words::One(word) => word.as_str(),
        Words::Many(words) if words.iter().any(|word| word == "REQUEUED") => "REQUEUED",
        Words::Many(_) => "",
    };
    let [id, start, end, association] = [
        job.id.to_string(),
        job.time.start.to_string(),
        job.time.end.to_string(),
        job.association.id.to_string(),
    ];
    let text = |one: &Option<String>| one.clone().unwrap_or_default();
    let [user, account] = [&job.user, &job.account].map(text);
    let [cluster, partition, qos] = [&job.cluster, &job.partition, &job.qos].map(text);
    let cells = [
        &id,
        "",
        &user,
        &account,
        &cluster,
        &partition,
        &qos,
        &start,
        &end,
        &allocated,
        &association,
        state,
        "",
    ];
    reader.take(place, JobRow(cells.map(str::as_bytes)));
}
