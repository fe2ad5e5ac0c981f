//! `squeue`: why each job waits, and the jobs that `sprio` does not list.
//!
//! The default columns, those of `-l`, and any fields behind bars are read by their headings.

use super::companion::JobLabel;
use super::prices::amount;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, without_mark};
use crate::format::problem::{Problems, problems};
use crate::format::sheet::{CellForm, Headings, sheet_columns};
use crate::format::text::parsed;
use crate::format::{LoadResult, Refusal};
use std::collections::HashMap;

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
    /// The CPUs, the memory of a node in MiB, and the nodes that it requests; NaN where they are not printed.
    pub requested: [f64; 3],
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
        let jobs = self.jobs.iter().enumerate();
        let places: HashMap<Shown, usize> = jobs
            .map(|(place, it)| (it.label.id.clone(), place))
            .collect();
        for job in other.jobs {
            match places.get(&job.label.id) {
                Some(&place) => {
                    let known = &mut self.jobs[place];
                    known.label.fill(&job.label);
                    known.reason = known.reason.take().or(job.reason);
                    known.priority = known.priority.or(job.priority);
                    if known.requested[0].is_nan() {
                        known.requested = job.requested;
                    }
                }
                None => self.jobs.push(job),
            }
        }
    }
}

sheet_columns! {
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
    let mut found = None;
    for (_, line) in &mut lines {
        let headings = Headings::of_line(line);
        let has_reasons =
            headings.has(QueueColumn::Reason) || headings.has(QueueColumn::NodesOrReason);
        if headings.has(QueueColumn::Id) && headings.has(QueueColumn::State) && has_reasons {
            found = Some(headings);
            break;
        }
    }
    let Some(headings) = found else {
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

impl ListedJobs {
    fn take(&mut self, number: u64, line: &[u8], headings: &Headings<QueueColumn>) {
        let row = headings.divide(line);
        let (Some(id), Some(state), true) = (
            row.get(QueueColumn::Id),
            row.get(QueueColumn::State),
            row.is_whole(),
        ) else {
            self.left_out += 1;
            return self.problems.report(number, QueueProblem::BadLine);
        };
        let name = |column| row.get(column).map(<[u8]>::to_vec);
        let label = JobLabel {
            id: shown(id),
            user: name(QueueColumn::User),
            account: name(QueueColumn::Account),
            partition: name(QueueColumn::Partition),
            cuts_names: headings.form() == CellForm::Aligned,
        };
        if state != b"PD" && state != b"PENDING" {
            return self.others.push(label);
        }
        let number = |column| row.get(column).and_then(amount).unwrap_or(f64::NAN);
        self.jobs.push(ListedJob {
            label,
            reason: name(QueueColumn::Reason).or_else(|| {
                let cell = row.get(QueueColumn::NodesOrReason)?.strip_prefix(b"(")?;
                Some(cell.strip_suffix(b")")?.to_vec())
            }),
            // A fraction (%p) is no number of points.
            priority: row.all(QueueColumn::Priority).find_map(parsed),
            requested: [QueueColumn::Cpus, QueueColumn::Memory, QueueColumn::Nodes].map(number),
        });
    }
}
