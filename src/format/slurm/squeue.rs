//! `squeue`: why each job waits, and the jobs that `sprio` does not list.
//!
//! The default columns, those of `-l`, and any fields behind bars are read by their headings.

use super::companion::{JobLabel, owned};
use super::prices::amount;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, without_mark};
use crate::format::problem::{Problems, problems};
use crate::format::sheet::{CellForm, Headings, SheetRow, sheet_columns};
use crate::format::text::parsed;
use crate::format::{LoadResult, Refusal};
use std::collections::HashMap;

/// The commands that print the jobs again.
const AGAIN: &str = "run squeue, or squeue -o '%i|%u|%a|%P|%t|%r'";

/// A job that waits, as `squeue` lists it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListedJob {
    /// What it is called.
    pub label: JobLabel,
    /// Slurm's reason why it waits; `None` where it is not printed.
    pub reason: Option<Vec<u8>>,
    /// The priority in points, by which Slurm schedules it (`%Q`); `None` where it is not printed.
    pub priority: Option<i64>,
    /// The resources that it requests.
    pub requested: RequestedResources,
}

/// What a job requests; NaN where it is not printed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RequestedResources {
    /// The CPUs of the job.
    pub cpus: f64,
    /// The memory of a node, in MiB.
    pub memory: f64,
    /// The nodes of the job.
    pub nodes: f64,
}

/// The jobs of `squeue` that wait.
#[derive(Debug, Default)]
pub struct ListedJobs {
    /// The jobs in the order of the file.
    pub jobs: Vec<ListedJob>,
    /// What the jobs are called that do not wait, most of which run.
    pub others: Vec<JobLabel>,
    /// How many jobs are left out, because their lines cannot be read.
    pub left_out: usize,
    /// What is odd about the file.
    pub problems: Problems,
}

impl ListedJobs {
    /// Adds what another output says of the same jobs, and the jobs that only it lists.
    pub(crate) fn join(&mut self, other: Self) {
        self.problems.append(other.problems);
        self.left_out = self.left_out.max(other.left_out);
        self.others.extend(other.others);
        let mut places: HashMap<Shown, usize> = HashMap::new();
        for (place, job) in self.jobs.iter().enumerate() {
            places.insert(job.label.id.clone(), place);
        }
        for job in other.jobs {
            match places.get(&job.label.id) {
                Some(&place) => {
                    let known = &mut self.jobs[place];
                    known.label.fill(&job.label);
                    known.reason = known.reason.take().or(job.reason);
                    known.priority = known.priority.or(job.priority);
                    if known.requested.cpus.is_nan() {
                        known.requested = job.requested;
                    }
                }
                None => self.jobs.push(job),
            }
        }
    }
}

sheet_columns! {
    /// The columns that are read.
    enum QueueColumn {
        Id, "JOBID";
        User, "USER";
        Account, "ACCOUNT";
        Partition, "PARTITION";
        State, "ST" "STATE";
        Reason, "REASON";
        Priority, "PRIORITY";
        Cpus, "CPUS";
        Memory, "MIN_MEMORY";
        Nodes, "NODES";
        NodesOrReason, "NODELIST(REASON)";
    }
}

problems! {
    /// What is wrong with a line.
    enum QueueProblem {
        BadLine, Error "slurm-squeue-line",
            "the line does not have a cell below each heading; the job was left out",
            "write the file again with squeue";
    }
}

/// Reads the jobs that a file lists and that wait. A line that cannot be read is a problem, and is left out.
pub fn read(input: &Input) -> LoadResult<ListedJobs> {
    let file = input.name();
    let text = without_mark(&input.bytes);
    let mut lines = (1_u64..).zip(text.split(|&byte| byte == b'\n'));
    let Some(headings) = Headings::find(&mut lines, CellForm::Aligned, are_of_squeue) else {
        let what = "has no header of squeue with states and reasons";
        return Err(Refusal::does(&file, what, AGAIN).into());
    };
    let mut listed = ListedJobs {
        problems: Problems::of(file),
        ..ListedJobs::default()
    };
    for (number, line) in lines {
        if !line.trim_ascii().is_empty() {
            listed.take(number, line, &headings);
        }
    }
    Ok(listed)
}

/// Returns whether headings are those of `squeue` with states and reasons.
fn are_of_squeue(headings: &Headings<QueueColumn>) -> bool {
    let has_reasons = headings.has(QueueColumn::Reason) || headings.has(QueueColumn::NodesOrReason);
    has_reasons && headings.has(QueueColumn::Id) && headings.has(QueueColumn::State)
}

/// A job between its columns.
type QueueRow<'a> = SheetRow<'a, QueueColumn>;

impl ListedJobs {
    /// Reads a line: a job that waits, or the label of another one.
    fn take(&mut self, number: u64, line: &[u8], headings: &Headings<QueueColumn>) {
        let row = headings.divide(line);
        let id = row.text(QueueColumn::Id);
        let state = row.text(QueueColumn::State);
        if id.is_empty() || state.is_empty() || !row.is_whole() {
            self.left_out += 1;
            return self.problems.report(number, QueueProblem::BadLine);
        }
        let label = JobLabel {
            id: shown(id),
            user: owned(row.text(QueueColumn::User)),
            account: owned(row.text(QueueColumn::Account)),
            partition: owned(row.text(QueueColumn::Partition)),
            cuts_names: headings.form() == CellForm::Aligned,
        };
        if state != b"PD" && state != b"PENDING" {
            return self.others.push(label);
        }
        self.jobs.push(ListedJob {
            label,
            reason: reason(&row),
            // A fraction (%p) is no number of points.
            priority: row.all(QueueColumn::Priority).find_map(parsed),
            requested: RequestedResources {
                cpus: requested(&row, QueueColumn::Cpus),
                memory: requested(&row, QueueColumn::Memory),
                nodes: requested(&row, QueueColumn::Nodes),
            },
        });
    }
}

/// Returns why a job waits. In the column of nodes the reason is in brackets.
fn reason(row: &QueueRow<'_>) -> Option<Vec<u8>> {
    if let Some(reason) = row.get(QueueColumn::Reason) {
        return Some(reason.to_vec());
    }
    let opened = row.get(QueueColumn::NodesOrReason)?.strip_prefix(b"(")?;
    Some(opened.strip_suffix(b")")?.to_vec())
}

/// Returns an amount that a job requests; NaN where it is not printed.
fn requested(row: &QueueRow<'_>, column: QueueColumn) -> f64 {
    amount(row.text(column)).unwrap_or(f64::NAN)
}
