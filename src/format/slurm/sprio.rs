//! `sprio`: the jobs that wait, their priorities, and the parts that these are made of.
//!
//! `sprio` with any fields is read: points (`sprio -l`), factors (`-n`), both (`-o`), and the weights (`-w`). `multifactor` adds
//! factor × weight in doubles and cuts the sum to a whole number, while `sprio` rounds the points of each part for itself.
//! Outputs of one time are joined by the job and its partition: a job in two partitions has a line for each.

use super::companion::{JobLabel, take_longer};
use super::squeue::ListedJobs;
use crate::base::number::counted;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, without_mark};
use crate::format::problem::{Problems, problems};
use crate::format::{LoadResult, Refusal};
use crate::model::{Figure, PriorityWeights};
use std::array;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

const AGAIN: &str = "run sprio -l, and for exact priorities also sprio -n -l";

/// The parts of a priority: the heading of each, its name in JSON, and that for people.
pub const PARTS: [(&str, &str, &str); 9] = [
    ("SITE", "site", "Site"),
    ("AGE", "age", "Age"),
    ("ASSOC", "assoc", "Assoc"),
    ("FAIRSHARE", "fairshare", "Fairshare"),
    ("JOBSIZE", "job_size", "Job size"),
    ("PARTITION", "partition", "Partition"),
    ("QOS", "qos", "QOS"),
    ("TRES", "tres", "TRES"),
    ("NICE", "nice", "Nice"),
];

/// The places of some of [`PARTS`]. Site and nice have no weight, TRES is a number for each of several resources, and nice is
/// subtracted.
pub(crate) const SITE: usize = 0;
pub(crate) const AGE: usize = 1;
pub(crate) const FAIR_SHARE: usize = 3;
const PARTITION: usize = 5;
pub(crate) const TRES: usize = 7;
pub(crate) const NICE: usize = 8;

/// The letters to which partitions are cut without bars.
const CUT_PARTITION: usize = 9;

/// The letters to which the resources of TRES are cut without bars.
const CUT_TRES: usize = 20;

/// What `sprio -n` divides a priority by.
pub(crate) const MOST: f64 = u32::MAX as f64;

/// The points of one unit in the eight decimals of `sprio -n`.
const COARSE: f64 = 43.0;

/// A job that waits, in one partition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitingJob {
    /// What it is called.
    pub label: JobLabel,
    /// The priority in points; `None` where only its fraction is printed.
    pub priority: Option<i64>,
    /// The priority before it was cut, as a fraction of 2^32 - 1; one that was set by hand is not divided. `None` where it
    /// is not printed.
    pub fraction: Option<Figure>,
    /// The points of each of [`PARTS`], nice as it is subtracted; `None` for those that are not printed.
    pub points: [Option<i64>; PARTS.len()],
    /// How many numbers were rounded to print the points of TRES.
    pub resources: u32,
    /// The factors of [`PARTS`], without TRES; `None` for those that are not printed.
    pub factors: [Option<Figure>; PARTS.len()],
    /// The factors of TRES, by resource; `None` where they are not printed.
    pub tres: Option<Vec<(String, Figure)>>,
    /// Whether TRES was cut where it was printed.
    pub cuts_tres: bool,
}

/// The jobs of one output or of several.
#[derive(Debug, Default)]
pub struct WaitingJobs {
    /// The jobs in the order of the file; `None` if it holds only weights.
    pub jobs: Option<Vec<WaitingJob>>,
    /// The weights that `sprio -w` prints.
    pub weights: Option<PriorityWeights>,
    /// How many jobs are left out, because their lines cannot be read.
    pub left_out: usize,
    /// What is odd about the file.
    pub problems: Problems,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SprioColumn {
    Id,
    User,
    Account,
    Partition,
    Priority,
    Fraction,
    Points(usize),
    Factor(usize),
    /// A text that is not needed.
    Other,
}

problems! {
    enum PriorityProblem {
        Twice, Error "slurm-sprio-twice",
            "the job is listed before, in the same partition; it was left out",
            "write the file again with sprio -l";
        BadLine, Error "slurm-sprio-line",
            "the line does not have a number in each column of numbers; it was left out",
            "write the file again with sprio -l";
        Apart { jobs: Shown }, Warning "slurm-sprio-apart",
            "{jobs} another priority here than in the outputs read before, which count",
            "save the outputs of sprio at one time";
    }
}

/// Reads the jobs that a file lists, or its weights. A line that cannot be read is a problem, and is left out.
pub fn read(input: &Input) -> LoadResult<WaitingJobs> {
    let file = input.name();
    let text = without_mark(&input.bytes);
    let mut lines = (1_u64..).zip(text.split(|&byte| byte == b'\n'));
    // squeue prints jobs and priorities, too, but no parts.
    let is_header = |line: &[u8]| {
        let words = line.split(|&byte| byte == b'|' || byte.is_ascii_whitespace());
        let has = |name: &[u8]| words.clone().any(|word| word == name);
        has(b"JOBID") && has(b"PRIORITY") && (has(b"AGE") || has(b"FAIRSHARE") || has(b"JOBSIZE"))
    };
    let Some((_, header)) = lines.find(|(_, line)| is_header(line)) else {
        return Err(Refusal::does(&file, "has no header of sprio", AGAIN).into());
    };
    let has_bars = header.contains(&b'|');
    let headings = divided(header, has_bars);
    let mut rows: Vec<(u64, Vec<&[u8]>)> = lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(line, text)| (line, divided(text, has_bars)))
        .collect();
    let is_weights = |cells: &[&[u8]]| cells.first() == Some(&&b"Weights"[..]);
    let of_weights = rows.iter().position(|(_, cells)| is_weights(cells));
    let weights = of_weights.map(|row| weights(&headings, &rows.remove(row).1));
    let columns = columns(&headings, &rows, has_bars);
    let mut problems = Problems::of(file);
    let mut jobs: Vec<WaitingJob> = Vec::new();
    let mut seen = HashSet::new();
    let mut left_out = 0;
    // Only resources may be left out, and they stand last.
    let optional = headings.iter().rev().take_while(|it| **it == b"TRES");
    let least = headings.len() - optional.count();
    for (line, cells) in rows {
        let is_whole = (least..=headings.len()).contains(&cells.len());
        let job = is_whole.then(|| job(&columns, &cells, has_bars)).flatten();
        let mut is_first = |JobLabel { id, partition, .. }: &JobLabel| {
            let is_whole = |it: &&Vec<u8>| has_bars || it.len() != CUT_PARTITION;
            let partition = partition.as_ref().filter(is_whole);
            partition.is_none_or(|it| seen.insert((id.clone(), it.clone())))
        };
        match job {
            Some(job) if is_first(&job.label) => jobs.push(job),
            Some(_) => problems.report(line, PriorityProblem::Twice),
            None => {
                left_out += 1;
                problems.report(line, PriorityProblem::BadLine);
            }
        }
    }
    Ok(WaitingJobs {
        jobs: (weights.is_none() || !jobs.is_empty()).then_some(jobs),
        weights,
        left_out,
        problems,
    })
}

/// Returns the cells of a line between bars, or else its words.
fn divided(line: &[u8], has_bars: bool) -> Vec<&[u8]> {
    if has_bars {
        let cells = line.split(|&byte| byte == b'|');
        return cells.map(<[u8]>::trim_ascii).collect();
    }
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect()
}

fn part_of(heading: &[u8]) -> Option<usize> {
    let mut parts = PARTS.iter();
    parts.position(|part| part.0.as_bytes() == heading)
}

/// Returns the weights of the line of `sprio -w`, where only the columns of weights have a cell. Those without a column
/// are 0.
fn weights(headings: &[&[u8]], cells: &[&[u8]]) -> PriorityWeights {
    let parts = headings.iter().filter_map(|heading| part_of(heading));
    let mut parts: Vec<usize> = parts.filter(|&part| part != NICE).collect();
    // The name of the partition comes before its points.
    let mut of_partition = (0..parts.len()).filter(|&place| parts[place] == PARTITION);
    if let (Some(name), Some(_)) = (of_partition.next(), of_partition.next()) {
        parts.remove(name);
    }
    let mut weights = PriorityWeights {
        factors: [Some(0); 6],
        tres: String::new(),
    };
    let cells = cells.iter().skip(1).filter(|cell| !cell.is_empty());
    for (part, cell) in parts.into_iter().zip(cells) {
        let text = String::from_utf8_lossy(cell);
        match part {
            SITE => {}
            TRES => weights.tres = text.into_owned(),
            part => weights.factors[part - 1] = text.parse().ok(),
        }
    }
    weights
}

/// Returns what the columns hold. A heading may stand for a name, a factor and points: the cells tell.
fn columns(headings: &[&[u8]], rows: &[(u64, Vec<&[u8]>)], has_bars: bool) -> Vec<SprioColumn> {
    let cells = |column: usize| rows.iter().filter_map(move |(_, cells)| cells.get(column));
    // Factors have decimals.
    let is_factor = |column: usize| cells(column).any(|cell| cell.contains(&b'.'));
    let of_partition = (0..headings.len()).filter(|&column| headings[column] == b"PARTITION");
    let mut of_partition: Vec<usize> = of_partition.collect();
    let is_name = |column: &usize| cells(*column).any(|cell| numbers(cell).is_none());
    let name = of_partition.iter().position(is_name);
    // Without bars the name of the partition comes before its points.
    let first = (!has_bars && of_partition.len() > 1).then_some(0);
    let name = name.or(first).map(|place| of_partition.swap_remove(place));
    let mut columns: Vec<SprioColumn> = Vec::new();
    for (column, heading) in headings.iter().enumerate() {
        let found = match (*heading, part_of(heading)) {
            (b"JOBID", _) => SprioColumn::Id,
            (b"USER", _) => SprioColumn::User,
            (b"ACCOUNT", _) => SprioColumn::Account,
            (b"PRIORITY", _) if is_factor(column) => SprioColumn::Fraction,
            (b"PRIORITY", _) => SprioColumn::Priority,
            _ if Some(column) == name => SprioColumn::Partition,
            (_, Some(part)) if is_factor(column) => SprioColumn::Factor(part),
            (_, Some(part)) => SprioColumn::Points(part),
            _ => SprioColumn::Other,
        };
        let is_second = found != SprioColumn::Other && columns.contains(&found);
        columns.push(if is_second { SprioColumn::Other } else { found });
    }
    columns
}

/// Returns a number with its decimals.
fn figure(text: &str) -> Option<Figure> {
    let value: f64 = text.parse().ok().filter(|it: &f64| it.is_finite())?;
    let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
    let decimals = i8::try_from(decimals.len()).ok()?;
    Some(Figure { value, decimals })
}

/// Returns the numbers of a cell: one, several as in `cpu=25,mem=6`, or none.
fn numbers(cell: &[u8]) -> Option<Vec<(String, Figure)>> {
    let parts = std::str::from_utf8(cell).ok()?.split(',');
    let number = |part: &str| {
        let (name, number) = part.split_once('=').unwrap_or(("", part));
        Some((name.to_owned(), figure(number)?))
    };
    parts.filter(|part| !part.is_empty()).map(number).collect()
}

/// Returns a number without its decimals.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what does not fit is cut to the largest number"
)]
pub(crate) const fn whole(number: f64) -> i64 {
    number as i64
}

/// Returns the points of a cell, and of how many numbers they are the sum.
fn points(cell: &[u8]) -> Option<(i64, u32)> {
    let numbers = numbers(cell)?;
    let are_whole = numbers.iter().all(|(_, it)| it.decimals == 0);
    let sum: f64 = numbers.iter().map(|(_, it)| it.value).sum();
    are_whole.then_some((whole(sum), u32::try_from(numbers.len()).ok()?))
}

fn job(columns: &[SprioColumn], cells: &[&[u8]], has_bars: bool) -> Option<WaitingJob> {
    let mut job = WaitingJob::default();
    job.label.cuts_names = !has_bars;
    let end = cells.iter().copied().chain(std::iter::repeat(&b""[..]));
    for (column, cell) in columns.iter().zip(end) {
        let name = || (!cell.is_empty()).then(|| cell.to_vec());
        let text = std::str::from_utf8(cell);
        match *column {
            SprioColumn::Id => job.label.id = shown(cell),
            SprioColumn::User => job.label.user = name(),
            SprioColumn::Account => job.label.account = name(),
            SprioColumn::Partition => job.label.partition = name(),
            SprioColumn::Priority => {
                job.priority = Some(text.ok()?.parse().ok().filter(|&it| it >= 0)?);
            }
            SprioColumn::Fraction => job.fraction = Some(figure(text.ok()?)?),
            SprioColumn::Points(TRES) | SprioColumn::Factor(TRES)
                if !has_bars && cell.len() >= CUT_TRES =>
            {
                job.cuts_tres = true;
            }
            SprioColumn::Points(part) => {
                let (points, numbers) = points(cell)?;
                let sign = if part == NICE { -1 } else { 1 };
                job.points[part] = Some(points.checked_mul(sign)?);
                job.resources = if part == TRES { numbers } else { job.resources };
            }
            SprioColumn::Factor(TRES) => job.tres = Some(numbers(cell)?),
            SprioColumn::Factor(part) => job.factors[part] = Some(figure(text.ok()?)?),
            SprioColumn::Other => {}
        }
    }
    // A priority that was set by hand is not divided.
    let by_hand = job.fraction.filter(|it| it.value >= 1.0);
    let by_hand = by_hand.map(|it| whole(it.value));
    job.priority = job.priority.or(by_hand);
    (!job.label.id.is_empty()).then_some(job)
}

impl WaitingJob {
    /// Returns whether the priority was set by hand: it has no parts.
    pub fn is_by_hand(&self) -> bool {
        let are_points_0 = self.points.iter().flatten().all(|&points| points == 0);
        let are_factors_0 = self.factors.iter().flatten().all(|it| it.value == 0.0);
        let is_tres_0 = self.tres.iter().flatten().all(|(_, it)| it.value == 0.0);
        let has_none = are_points_0 && are_factors_0 && is_tres_0 && !self.is_tres_cut();
        has_none && self.priority.is_some_and(|it| it > 1)
    }

    /// Returns whether TRES is known only as what the other parts leave of the priority.
    pub(crate) fn is_tres_cut(&self) -> bool {
        self.cuts_tres && self.points[TRES].is_none() && self.tres.is_none()
    }

    /// Returns whether both may be printed of one priority.
    fn agrees(&self, other: &Self) -> bool {
        if let (Some(one), Some(two)) = (self.priority, other.priority) {
            return one == two;
        }
        let points = |it: &Self| {
            let points = it.priority.map(|points| points as f64);
            points.or_else(|| Some(it.fraction?.value * MOST))
        };
        let both = points(self).zip(points(other));
        both.is_none_or(|(one, two)| (one - two).abs() <= COARSE + 1.0)
    }

    fn is_same(&self, other: &Self) -> bool {
        let [one, two] = [self, other].map(|it| it.label.partition.as_ref());
        let is_cut = |cut: &[u8], it: &[u8]| cut.len() == CUT_PARTITION && it.starts_with(cut);
        let both = one.zip(two);
        both.is_none_or(|(one, two)| one == two || is_cut(one, two) || is_cut(two, one))
    }

    /// Takes over what another output says of the same job.
    fn fill(&mut self, other: Self) {
        self.label.fill(&other.label);
        take_longer(&mut self.label.partition, other.label.partition.as_ref());
        if self.points[TRES].is_none() {
            self.resources = other.resources;
        }
        self.priority = self.priority.or(other.priority);
        let known = self.fraction.map(|it| it.decimals);
        let finer = other.fraction.filter(|it| known < Some(it.decimals));
        self.fraction = finer.or(self.fraction);
        self.points = array::from_fn(|part| self.points[part].or(other.points[part]));
        self.factors = array::from_fn(|part| self.factors[part].or(other.factors[part]));
        self.tres = self.tres.take().or(other.tres);
        self.cuts_tres |= other.cuts_tres;
    }
}

impl WaitingJobs {
    /// Replaces factors of TRES, of which Slurm prints two decimals, by what jobs request of the totals of their
    /// partitions, where these agree.
    pub(crate) fn refine(&mut self, listed: &ListedJobs, totals: &HashMap<Vec<u8>, [f64; 2]>) {
        let requested = listed.jobs.iter();
        let requested = requested.map(|it| (it.label.number(), it.requested));
        let requested: HashMap<Cow<'_, str>, [f64; 3]> = requested.collect();
        for job in self.jobs.iter_mut().flatten() {
            let total = totals.get(job.label.partition.as_deref().unwrap_or_default());
            let asked = requested.get(&job.label.number()).zip(total);
            for (name, factor) in job.tres.iter_mut().flatten() {
                let exact = asked.and_then(|([cpus, memory, nodes], total)| match name.as_str() {
                    "cpu" => Some(cpus / total[0]),
                    "mem" => Some(memory * nodes / total[1]),
                    _ => None,
                });
                let agrees = |it: &f64| (it - factor.value).abs() <= factor.half_unit();
                if let Some(exact) = exact.filter(agrees) {
                    *factor = Figure::exact(exact);
                }
            }
        }
    }

    /// Adds what another output says of the same jobs, and the jobs that only it lists. Jobs that have another priority there
    /// stay as they are, which is a problem.
    pub(crate) fn join(&mut self, other: Self) {
        let file = other.problems.file.clone();
        self.problems.append(other.problems);
        self.weights = self.weights.take().or(other.weights);
        self.left_out = self.left_out.max(other.left_out);
        let Some(jobs) = &mut self.jobs else {
            self.jobs = other.jobs;
            return;
        };
        let mut places: HashMap<Shown, Vec<usize>> = HashMap::new();
        for (place, job) in jobs.iter().enumerate() {
            places.entry(job.label.id.clone()).or_default().push(place);
        }
        let mut apart = 0;
        for job in other.jobs.into_iter().flatten() {
            let same = places.get(&job.label.id).into_iter().flatten();
            let mut same = same.filter(|&&place| jobs[place].is_same(&job)).peekable();
            if same.peek().is_none() {
                jobs.push(job);
                continue;
            }
            // Without partitions two lines of a job differ only by their priorities.
            match same.find(|&&place| jobs[place].agrees(&job)) {
                Some(&place) => jobs[place].fill(job),
                None => apart += 1,
            }
        }
        if apart > 0 {
            let jobs = counted(apart, "job has", "jobs have");
            self.problems.report(file, PriorityProblem::Apart { jobs });
        }
    }
}
