//! `sacct --json`, as Slurm 22.05 and 24.11 write it.

use super::{AGAIN, JobColumn, JobReader};
use crate::format::input::Input;
use crate::format::sheet::{Headings, SheetColumn as _};
use crate::format::{LoadResult, Refusal};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write as _;

/// The document.
#[derive(Deserialize)]
struct Jobs {
    /// The jobs in the order of the file.
    jobs: Vec<Job>,
}

/// What is read of a job; `Null` where it is not there.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Job {
    /// The number of the job.
    #[serde(rename = "job_id")]
    id: Value,
    user: Value,
    account: Value,
    cluster: Value,
    partition: Value,
    qos: Value,
    /// The association that is charged, by its id.
    association: Value,
    /// The start, the end and the submission, in Unix seconds.
    time: Value,
    /// The resources that were allocated.
    tres: Value,
    /// A word, or a list of words.
    state: Value,
    /// The heterogeneous job that it is a component of.
    het: Value,
}

/// Reads jobs as rows of the columns that are read of a table. Fails if it is no JSON of `sacct`.
pub(super) fn read(input: &Input, reader: &mut JobReader<'_>) -> LoadResult<()> {
    let jobs: Jobs = serde_json::from_slice(&input.bytes).map_err(|error| {
        let what = format!("is no JSON of sacct: {error}");
        Refusal::does(&input.name(), &what, AGAIN)
    })?;
    let headings = Headings::in_order(JobColumn::ALL);
    for (place, job) in (1..).zip(&jobs.jobs) {
        let mut cells = Vec::new();
        for &column in JobColumn::ALL {
            cells.push(job.cell(column));
        }
        let cells = cells.iter().map(String::as_bytes).collect();
        reader.take(place, &headings.row_of_cells(cells));
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
        Some(job @ 1..) => {
            let offset = part["job_offset"]["number"].as_u64().unwrap_or(0);
            format!("{job}+{offset}")
        }
        _ => String::new(),
    }
}

impl Job {
    /// Returns what a table has in a column.
    fn cell(&self, column: JobColumn) -> String {
        match column {
            JobColumn::Id => text(&self.id),
            JobColumn::ArrayId => component(&self.het),
            JobColumn::User => text(&self.user),
            JobColumn::Account => text(&self.account),
            JobColumn::Cluster => text(&self.cluster),
            JobColumn::Partition => text(&self.partition),
            JobColumn::Qos => text(&self.qos),
            JobColumn::Start => text(&self.time["start"]),
            JobColumn::End => text(&self.time["end"]),
            JobColumn::Submit => text(&self.time["submission"]),
            JobColumn::Allocated => self.allocated(),
            JobColumn::Association => text(&self.association["id"]),
            JobColumn::State => self.state().to_owned(),
            // Each run of a job is listed.
            JobColumn::Restarts => String::new(),
        }
    }

    /// Returns the resources as `AllocTRES` prints them.
    fn allocated(&self) -> String {
        let mut allocated = String::new();
        for resource in self.tres["allocated"].as_array().into_iter().flatten() {
            // Resources that were not measured have a count below 0.
            let Some(count) = resource["count"].as_u64() else {
                continue;
            };
            let separator = if allocated.is_empty() { "" } else { "," };
            let kind = text(&resource["type"]);
            let name = text(&resource["name"]);
            let slash = if name.is_empty() { "" } else { "/" };
            // Writing to a string cannot fail.
            let _ = write!(allocated, "{separator}{kind}{slash}{name}={count}");
        }
        allocated
    }

    /// Returns the state, as far as it is read. It is one word, and a list of words since Slurm 23.11.
    fn state(&self) -> &'static str {
        let states = self.state.to_string();
        if states.contains("\"REQUEUED\"") {
            "REQUEUED"
        } else if states.contains("\"RESIZING\"") {
            "RESIZING"
        } else {
            ""
        }
    }
}
