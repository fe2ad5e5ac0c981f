//! `squeue`: why each job waits, and the jobs that `sprio` does not list.
//!
//! The default columns, those of `-l`, and any fields behind bars are read by their headings.

use super::companion::{JobLabel, divided};
use super::prices::amount;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, without_mark};
use crate::format::problem::Problems;
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

/// Reads the jobs that a file lists and that wait. A line that cannot be read is a problem, and is left out.
pub fn read(input: &Input) -> LoadResult<ListedJobs> {
    let file = input.name();
    let text = without_mark(&input.bytes);
    let mut lines = (1_u64..).zip(text.split(|&byte| byte == b'\n'));
    let is_header = |line: &[u8]| {
        let names = headings(line);
        let has = |name: &str| names.iter().any(|it| it.0 == name.as_bytes());
        has("JOBID") && (has("ST") || has("STATE")) && (has("REASON") || has("NODELIST(REASON)"))
    };
    let Some((_, header)) = lines.find(|(_, line)| is_header(line)) else {
        let what = "has no header of squeue with states and reasons";
        return Err(Refusal::does(&file, what, AGAIN).into());
    };
    let has_bars = header.contains(&b'|');
    let headings = headings(header);
    let mut listed = ListedJobs {
        jobs: Vec::new(),
        others: Vec::new(),
        left_out: 0,
        problems: Problems::of(file),
    };
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let cells = if has_bars {
            divided(line, true)
        } else {
            columns(line, &headings)
        };
        let mut job = ListedJob::default();
        job.label.cuts_names = !has_bars;
        job.requested = [f64::NAN; 3];
        let mut is_waiting = None;
        for ((heading, _), &cell) in headings.iter().zip(&cells) {
            let text = || (!cell.is_empty()).then(|| cell.to_vec());
            let label = &mut job.label;
            match *heading {
                b"JOBID" if label.id.is_empty() => label.id = shown(cell),
                b"USER" => label.user = text(),
                b"ACCOUNT" => label.account = text(),
                b"PARTITION" => label.partition = text(),
                b"ST" | b"STATE" => is_waiting = Some(cell == b"PD" || cell == b"PENDING"),
                b"REASON" => job.reason = text(),
                // A fraction (%p) is no number of points.
                b"PRIORITY" => job.priority = job.priority.or_else(|| parsed(cell)),
                b"CPUS" => job.requested[0] = amount(cell).unwrap_or(f64::NAN),
                b"MIN_MEMORY" => job.requested[1] = amount(cell).unwrap_or(f64::NAN),
                b"NODES" => job.requested[2] = amount(cell).unwrap_or(f64::NAN),
                // A job that runs has its nodes there.
                b"NODELIST(REASON)" => {
                    let reason = cell.strip_prefix(b"(").and_then(|it| it.strip_suffix(b")"));
                    job.reason = job.reason.or_else(|| reason.map(<[u8]>::to_vec));
                }
                _ => {}
            }
        }
        match is_waiting.filter(|_| cells.len() == headings.len() && !job.label.id.is_empty()) {
            Some(true) => listed.jobs.push(job),
            Some(false) => listed.others.push(job.label),
            None => {
                let message =
                    "the line does not have a cell below each heading; the job was left out";
                let advice = "write the file again with squeue";
                listed.left_out += 1;
                let problems = &mut listed.problems;
                problems.refuse(number, "slurm-squeue-line", message, advice);
            }
        }
    }
    Ok(listed)
}

/// Returns the headings, each with the place behind it.
fn headings(line: &[u8]) -> Vec<(&[u8], usize)> {
    let mut start = 0;
    let words = line
        .split(|&byte| byte == b'|' || byte.is_ascii_whitespace())
        .map(|word| {
            let end = start + word.len();
            start = end + 1;
            (word, end)
        });
    words.filter(|(word, _)| !word.is_empty()).collect()
}

/// Returns the cells of columns of a fixed width, which end where their headings end: names may have blanks. The last has
/// the rest of the line. None at all if a column is wider.
fn columns<'a>(line: &'a [u8], headings: &[(&[u8], usize)]) -> Vec<&'a [u8]> {
    let mut cells = Vec::new();
    let mut start = 0;
    for (nth, &(_, end)) in headings.iter().enumerate() {
        let is_last = nth + 1 == headings.len();
        let end = if is_last { line.len() } else { end };
        if !is_last && line.get(end) != Some(&b' ') {
            return Vec::new();
        }
        cells.push(line[start..end].trim_ascii());
        start = end;
    }
    cells
}
