//! Reads the lines of `sprio`: what its columns hold is told by their headings and by their cells.

use super::{CUT_PARTITION, NICE, PARTITION, PARTS, SITE, TRES, WaitingJob, WaitingJobs, whole};
use crate::base::shown::shown;
use crate::format::input::{Input, without_mark};
use crate::format::problem::{Problems, problems};
use crate::format::sheet::{CellForm, Headings, SheetRow, sheet_columns};
use crate::format::slurm::companion::owned;
use crate::format::text::parsed;
use crate::format::{LoadResult, Refusal};
use crate::model::{Figure, PriorityWeights};
use std::collections::HashSet;

/// The commands that print the jobs again.
const AGAIN: &str = "run sprio -l, and for exact priorities also sprio -n -l";

/// The letters to which the resources of TRES are cut without bars.
const CUT_TRES: usize = 20;

sheet_columns! {
    /// The columns that are read. Two may have one heading: points and factors, or a partition and its points.
    pub(super) enum SprioColumn {
        Id, "JOBID";
        User, "USER";
        Account, "ACCOUNT";
        Priority, "PRIORITY";
        Site, "SITE";
        Age, "AGE";
        Assoc, "ASSOC";
        Fairshare, "FAIRSHARE";
        JobSize, "JOBSIZE";
        Partition, "PARTITION";
        Qos, "QOS";
        Tres, "TRES";
        Nice, "NICE";
    }
}

problems! {
    /// What is wrong with a line.
    enum SprioProblem {
        Twice, Error "slurm-sprio-twice",
            "the job is listed before, in the same partition; it was left out",
            "write the file again with sprio -l";
        BadLine, Error "slurm-sprio-line",
            "the line does not have a number in each column of numbers; it was left out",
            "write the file again with sprio -l";
    }
}

/// Reads the jobs that a file lists, or its weights. A line that cannot be read is a problem, and is left out.
pub fn read(input: &Input) -> LoadResult<WaitingJobs> {
    let file = input.name();
    let text = without_mark(&input.bytes);
    let mut lines = (1_u64..).zip(text.split(|&byte| byte == b'\n'));
    let Some(headings) = Headings::find(&mut lines, CellForm::Words, are_of_sprio) else {
        return Err(Refusal::does(&file, "has no header of sprio", AGAIN).into());
    };
    let mut waiting = WaitingJobs {
        problems: Problems::of(file),
        ..WaitingJobs::default()
    };
    let mut sheet = SprioSheet {
        headings: &headings,
        rows: Vec::new(),
    };
    for (line, text) in lines {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let row = headings.divide(text);
        let is_weights = row.cells().first() == Some(&&b"Weights"[..]);
        if is_weights && waiting.weights.is_none() {
            waiting.weights = Some(sheet.weights(&row));
        } else {
            sheet.rows.push((line, row));
        }
    }
    let jobs = sheet.jobs(&mut waiting);
    if waiting.weights.is_none() || !jobs.is_empty() {
        waiting.jobs = Some(jobs);
    }
    Ok(waiting)
}

/// Returns whether headings are those of `sprio`. `squeue` prints jobs and priorities, too, but no parts.
fn are_of_sprio(headings: &Headings<SprioColumn>) -> bool {
    let has_parts = headings.has(SprioColumn::Age)
        || headings.has(SprioColumn::Fairshare)
        || headings.has(SprioColumn::JobSize);
    has_parts && headings.has(SprioColumn::Id) && headings.has(SprioColumn::Priority)
}

/// What the cells of a column hold. Headings alone do not tell factors from points, nor a partition from its points.
#[derive(Clone, Copy, PartialEq)]
enum Cells {
    /// The number of the job.
    Id,
    /// The name of the user.
    User,
    /// The name of the account.
    Account,
    /// The name of the partition.
    PartitionName,
    /// The priority in points.
    Priority,
    /// The priority as a fraction.
    Fraction,
    /// The points of a part, by its place.
    Points(usize),
    /// The factor of a part, by its place.
    Factor(usize),
    /// A text that is not needed.
    Other,
}

/// Returns the place of the part that a column is about, if it is about one.
fn place_of_part(column: SprioColumn) -> Option<usize> {
    PARTS.iter().position(|part| part.column == column)
}

/// The lines of jobs below their headings.
struct SprioSheet<'a> {
    /// The headings of the output.
    headings: &'a Headings<SprioColumn>,
    /// Each with its line, from 1.
    rows: Vec<(u64, SheetRow<'a, SprioColumn>)>,
}

impl SprioSheet<'_> {
    /// Returns whether cells are between bars, so that nothing is cut.
    fn has_bars(&self) -> bool {
        self.headings.form() == CellForm::Bars
    }

    /// Returns the weights of the line of `sprio -w`, where only the columns of weights have a cell. Those without a column
    /// are 0.
    fn weights(&self, row: &SheetRow<'_, SprioColumn>) -> PriorityWeights {
        let mut parts = Vec::new();
        for column in self.headings.columns().flatten() {
            parts.extend(place_of_part(column));
        }
        parts.retain(|&part| part != NICE);
        // The name of the partition comes before its points.
        if let Some(name) = parts.iter().position(|&part| part == PARTITION)
            && parts[name + 1..].contains(&PARTITION)
        {
            parts.remove(name);
        }
        let mut weights = PriorityWeights {
            factors: [Some(0); 6],
            tres: String::new(),
        };
        let mut cells = row.cells().iter().skip(1).filter(|cell| !cell.is_empty());
        for part in parts {
            let Some(cell) = cells.next() else {
                break;
            };
            match part {
                SITE => {}
                TRES => weights.tres = String::from_utf8_lossy(cell).into_owned(),
                _ => weights.factors[part - 1] = parsed(cell),
            }
        }
        weights
    }

    /// Returns the cells of a column, from the top.
    fn column(&self, place: usize) -> impl Iterator<Item = &[u8]> {
        let rows = self.rows.iter();
        rows.filter_map(move |(_, row)| row.cells().get(place).copied())
    }

    /// Returns which column has the name of the partition, for its points may have the same heading.
    fn partition_name(&self) -> Option<usize> {
        let mut first = None;
        let mut count = 0;
        for (place, column) in self.headings.columns().enumerate() {
            if column != Some(SprioColumn::Partition) {
                continue;
            }
            if self.column(place).any(|cell| numbers(cell).is_none()) {
                return Some(place);
            }
            count += 1;
            first = first.or(Some(place));
        }
        // Without bars the name comes before the points.
        if count > 1 && !self.has_bars() {
            first
        } else {
            None
        }
    }

    /// Returns what the columns hold. Of two columns of one kind the second is not read.
    fn kinds(&self) -> Vec<Cells> {
        let partition_name = self.partition_name();
        let mut kinds: Vec<Cells> = Vec::new();
        for (place, column) in self.headings.columns().enumerate() {
            let is_factor = self.column(place).any(|cell| cell.contains(&b'.'));
            let kind = match column {
                Some(SprioColumn::Id) => Cells::Id,
                Some(SprioColumn::User) => Cells::User,
                Some(SprioColumn::Account) => Cells::Account,
                Some(SprioColumn::Priority) if is_factor => Cells::Fraction,
                Some(SprioColumn::Priority) => Cells::Priority,
                Some(SprioColumn::Partition) if partition_name == Some(place) => {
                    Cells::PartitionName
                }
                Some(column) => match place_of_part(column) {
                    Some(part) if is_factor => Cells::Factor(part),
                    Some(part) => Cells::Points(part),
                    None => Cells::Other,
                },
                None => Cells::Other,
            };
            let is_second = kinds.contains(&kind);
            kinds.push(if is_second { Cells::Other } else { kind });
        }
        kinds
    }

    /// Returns the fewest cells of a line. Only resources may be left out, and they stand last.
    fn least_cells(&self) -> usize {
        let mut least = self.headings.len();
        for column in self.headings.columns().rev() {
            if column != Some(SprioColumn::Tres) {
                break;
            }
            least -= 1;
        }
        least
    }

    /// Reads the jobs, each once in a partition.
    fn jobs(&self, waiting: &mut WaitingJobs) -> Vec<WaitingJob> {
        let kinds = self.kinds();
        let least = self.least_cells();
        let mut jobs = Vec::new();
        let mut seen = HashSet::new();
        for (line, row) in &self.rows {
            let is_complete = row.is_whole() || (least..=kinds.len()).contains(&row.len());
            let job = if is_complete {
                WaitingJob::of_row(&kinds, row.cells(), !self.has_bars())
            } else {
                None
            };
            let Some(job) = job else {
                waiting.left_out += 1;
                waiting.problems.report(*line, SprioProblem::BadLine);
                continue;
            };
            if job.has_exact_partition() {
                let key = (job.label.id.clone(), job.label.partition.clone());
                if !seen.insert(key) {
                    waiting.problems.report(*line, SprioProblem::Twice);
                    continue;
                }
            }
            jobs.push(job);
        }
        jobs
    }
}

/// Returns a number with its decimals.
fn figure(text: &str) -> Option<Figure> {
    let value: f64 = text.parse().ok()?;
    if !value.is_finite() {
        return None;
    }
    let decimals = match text.split_once('.') {
        Some((_, decimals)) => decimals.len(),
        None => 0,
    };
    Some(Figure {
        value,
        decimals: i8::try_from(decimals).ok()?,
    })
}

/// Returns the numbers of a cell: one, several as in `cpu=25,mem=6`, or none.
fn numbers(cell: &[u8]) -> Option<Vec<(String, Figure)>> {
    let mut numbers = Vec::new();
    for part in std::str::from_utf8(cell).ok()?.split(',') {
        if !part.is_empty() {
            let (name, number) = part.split_once('=').unwrap_or(("", part));
            numbers.push((name.to_owned(), figure(number)?));
        }
    }
    Some(numbers)
}

/// Whole numbers of a cell.
struct Points {
    /// Their sum.
    sum: i64,
    /// Of how many numbers it is the sum.
    count: u32,
}

impl Points {
    /// Reads a cell; `None` if one of its numbers has decimals, or is none.
    fn of_cell(cell: &[u8]) -> Option<Self> {
        let mut sum = 0.0;
        let mut count = 0;
        for (_, number) in numbers(cell)? {
            if number.decimals > 0 {
                return None;
            }
            sum += number.value;
            count += 1;
        }
        Some(Self {
            sum: whole(sum),
            count,
        })
    }
}

impl WaitingJob {
    /// Reads a row with columns of these kinds; `None` if a number is none, or if the job has no id.
    fn of_row(kinds: &[Cells], cells: &[&[u8]], is_cut: bool) -> Option<Self> {
        let mut job = Self::default();
        job.label.cuts_names = is_cut;
        for (place, kind) in kinds.iter().enumerate() {
            job.take(*kind, cells.get(place).copied().unwrap_or_default())?;
        }
        // A priority that was set by hand is not divided.
        if let (None, Some(fraction)) = (job.priority, job.fraction)
            && fraction.value >= 1.0
        {
            job.priority = Some(whole(fraction.value));
        }
        if job.label.id.is_empty() {
            return None;
        }
        Some(job)
    }

    /// Takes over a cell; `None` if it is not of its kind.
    fn take(&mut self, kind: Cells, cell: &[u8]) -> Option<()> {
        let is_tres = matches!(kind, Cells::Points(TRES) | Cells::Factor(TRES));
        if is_tres && self.label.cuts_names && cell.len() >= CUT_TRES {
            self.cuts_tres = true;
            return Some(());
        }
        match kind {
            Cells::Id => self.label.id = shown(cell),
            Cells::User => self.label.user = owned(cell),
            Cells::Account => self.label.account = owned(cell),
            Cells::PartitionName => self.label.partition = owned(cell),
            Cells::Priority => {
                let priority: i64 = parsed(cell)?;
                if priority < 0 {
                    return None;
                }
                self.priority = Some(priority);
            }
            Cells::Fraction => self.fraction = Some(figure(std::str::from_utf8(cell).ok()?)?),
            Cells::Points(NICE) => {
                self.points[NICE] = Some(Points::of_cell(cell)?.sum.checked_neg()?);
            }
            Cells::Points(part) => {
                let points = Points::of_cell(cell)?;
                self.points[part] = Some(points.sum);
                if part == TRES {
                    self.resources = points.count;
                }
            }
            Cells::Factor(TRES) => self.tres = Some(numbers(cell)?),
            Cells::Factor(part) => {
                self.factors[part] = Some(figure(std::str::from_utf8(cell).ok()?)?);
            }
            Cells::Other => {}
        }
        Some(())
    }

    /// Returns whether its partition is printed, and not cut.
    fn has_exact_partition(&self) -> bool {
        match &self.label.partition {
            Some(partition) => !self.label.cuts_names || partition.len() != CUT_PARTITION,
            None => false,
        }
    }
}
