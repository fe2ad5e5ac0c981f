//! `sprio`: the jobs that wait, their priorities, and the parts that these are made of.
//!
//! `sprio`, `sprio -l` and `sprio -o` with any fields are read. `multifactor` adds the parts in doubles and cuts the sum to a
//! whole number, while `sprio` rounds each part for itself, so the printed parts may miss the priority by a few points.
//! A job in two partitions has a line for each.

use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, without_mark};
use crate::format::problem::Problems;
use crate::format::{LoadResult, Refusal};

const AGAIN: &str = "run sprio -l, or sprio -o '%i|%u|%o|%r|%Y|%S|%A|%B|%F|%J|%P|%Q|%T|%N'";

/// The parts of a priority: the heading of each, and its name in JSON.
pub const PARTS: [(&str, &str); 9] = [
    ("SITE", "site"),
    ("AGE", "age"),
    ("ASSOC", "assoc"),
    ("FAIRSHARE", "fairshare"),
    ("JOBSIZE", "job_size"),
    ("PARTITION", "partition"),
    ("QOS", "qos"),
    ("TRES", "tres"),
    ("NICE", "nice"),
];

/// The place of `FAIRSHARE` among [`PARTS`].
pub(crate) const FAIR_SHARE: usize = 3;

/// The place of `PARTITION` among [`PARTS`].
const PARTITION: usize = 5;

/// The place of `TRES` among [`PARTS`]: points for each of several resources.
const TRES: usize = 7;

/// The place of `NICE` among [`PARTS`], which is subtracted.
const NICE: usize = 8;

/// The letters to which `sprio -l` cuts names.
const CUT: usize = 8;

/// A job that waits, in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingJob {
    /// The number of the job; for an array that of the array.
    pub id: Shown,
    /// The user; `None` where it is not printed.
    pub user: Option<Vec<u8>>,
    /// The account; `None` where it is not printed, as before Slurm 23.02.
    pub account: Option<Vec<u8>>,
    /// The partition; `None` where it is not printed.
    pub partition: Option<Vec<u8>>,
    /// The priority in points.
    pub priority: i64,
    /// The points of each of [`PARTS`], nice as it is subtracted; `None` for those that are not printed.
    pub parts: [Option<i64>; PARTS.len()],
    /// How many numbers were rounded to print the parts.
    pub rounded: u32,
}

/// The jobs of a file.
#[derive(Debug)]
pub struct WaitingJobs {
    /// The jobs in the order of the file.
    pub jobs: Vec<WaitingJob>,
    /// What is odd about the file.
    pub problems: Problems,
    /// Whether names may be cut to eight letters.
    pub cuts_names: bool,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SprioColumn {
    Id,
    User,
    Account,
    Partition,
    Priority,
    Points(usize),
    /// A factor without its weight, or a text that is not needed.
    Other,
}

/// Reads the jobs that a file lists. A line that cannot be read is a problem, and is left out.
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
    let rows: Vec<(u64, Vec<&[u8]>)> = lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(line, text)| (line, divided(text, has_bars)))
        .collect();
    if rows
        .iter()
        .any(|(_, cells)| cells.first() == Some(&&b"Weights"[..]))
    {
        let what = "the output of sprio -w, weights without jobs";
        return Err(Refusal::is(&file, what, AGAIN).into());
    }
    let columns = columns(&headings, &rows, has_bars);
    if !columns.contains(&SprioColumn::Priority) {
        let what = "has factors without points, as sprio -n prints them";
        return Err(Refusal::does(&file, what, AGAIN).into());
    }
    let mut problems = Problems::of(file);
    let mut jobs = Vec::new();
    // Only resources may be left out, and they stand last.
    let optional = headings.iter().rev().take_while(|it| **it == b"TRES");
    let least = headings.len() - optional.count();
    for (line, cells) in rows {
        let is_whole = (least..=headings.len()).contains(&cells.len());
        let job = is_whole.then(|| job(&columns, &cells)).flatten();
        if let Some(job) = job {
            jobs.push(job);
            continue;
        }
        let message =
            "the line does not have a whole number in each column of points; the job was left out";
        let advice = "write the file again with sprio -l";
        problems.refuse(line, "slurm-sprio-line", message, advice);
    }
    Ok(WaitingJobs {
        jobs,
        problems,
        cuts_names: !has_bars,
    })
}

fn divided(line: &[u8], has_bars: bool) -> Vec<&[u8]> {
    if has_bars {
        let cells = line.split(|&byte| byte == b'|');
        return cells.map(<[u8]>::trim_ascii).collect();
    }
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns what the columns hold. A heading may stand for a name, a factor and points: the cells tell.
fn columns(headings: &[&[u8]], rows: &[(u64, Vec<&[u8]>)], has_bars: bool) -> Vec<SprioColumn> {
    let cells = |column: usize| rows.iter().filter_map(move |(_, cells)| cells.get(column));
    // Factors without their weights have decimals.
    let is_factor = |column: usize| cells(column).any(|cell| cell.contains(&b'.'));
    // Without bars the name of the partition comes before its points.
    let of_partition = headings.iter().filter(|it| **it == b"PARTITION").count();
    let is_first = |columns: &[SprioColumn]| !columns.contains(&SprioColumn::Partition);
    let mut columns: Vec<SprioColumn> = Vec::new();
    for (column, heading) in headings.iter().enumerate() {
        let part = PARTS
            .iter()
            .position(|(name, _)| name.as_bytes() == *heading);
        let found = match (*heading, part) {
            (b"JOBID", _) => SprioColumn::Id,
            (b"USER", _) => SprioColumn::User,
            (b"ACCOUNT", _) => SprioColumn::Account,
            (b"PRIORITY", _) if !is_factor(column) => SprioColumn::Priority,
            (_, Some(PARTITION))
                if !cells(column).all(|cell| is_number(cell))
                    || (!has_bars && of_partition > 1 && is_first(&columns)) =>
            {
                SprioColumn::Partition
            }
            (_, Some(part)) if !is_factor(column) => SprioColumn::Points(part),
            _ => SprioColumn::Other,
        };
        let is_second = found != SprioColumn::Other && columns.contains(&found);
        columns.push(if is_second { SprioColumn::Other } else { found });
    }
    columns
}

fn is_number(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|text| text.parse::<f64>().is_ok())
}

/// Returns the points of a cell: a whole number, or the sum of several as in `cpu=25,mem=6`; nothing is 0.
fn points(cell: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(cell).ok()?;
    let mut sum = 0_i64;
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let number = part.split_once('=').map_or(part, |(_, number)| number);
        sum = sum.checked_add(number.parse().ok()?)?;
    }
    Some(sum)
}

fn job(columns: &[SprioColumn], cells: &[&[u8]]) -> Option<WaitingJob> {
    let cell = |wanted| {
        let column = columns.iter().position(|&column| column == wanted)?;
        Some(cells.get(column).copied().unwrap_or_default())
    };
    let text = |wanted| {
        cell(wanted)
            .filter(|text| !text.is_empty())
            .map(<[u8]>::to_vec)
    };
    let mut parts = [None; PARTS.len()];
    let mut rounded = 0;
    for (part, sum) in parts.iter_mut().enumerate() {
        let Some(cell) = cell(SprioColumn::Points(part)) else {
            continue;
        };
        let found = points(cell)?;
        *sum = Some(if part == NICE {
            found.checked_neg()?
        } else {
            found
        });
        rounded += match part {
            TRES => cell.split(|&byte| byte == b'=').count() - 1,
            _ => usize::from(found != 0),
        };
    }
    Some(WaitingJob {
        id: shown(cell(SprioColumn::Id).filter(|id| !id.is_empty())?),
        user: text(SprioColumn::User),
        account: text(SprioColumn::Account),
        partition: text(SprioColumn::Partition),
        priority: points(cell(SprioColumn::Priority)?).filter(|&priority| priority >= 0)?,
        parts,
        rounded: u32::try_from(rounded).unwrap_or(u32::MAX),
    })
}

impl WaitingJob {
    /// Returns the sum of the parts that are printed, or `None` for a priority set by hand, which has no parts.
    pub fn sum(&self) -> Option<i64> {
        let parts = self.parts.iter().flatten();
        let is_by_hand = self.priority > 0 && parts.clone().all(|&part| part == 0);
        let sum = parts.fold(0_i64, |sum, &part| sum.saturating_add(part));
        (!is_by_hand).then_some(sum)
    }
}

/// Returns what `sprio -l` prints of a name if it cuts names.
pub(crate) fn printed(name: &[u8], cuts_names: bool) -> &[u8] {
    if cuts_names {
        &name[..name.len().min(CUT)]
    } else {
        name
    }
}
