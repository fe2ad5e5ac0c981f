//! `sacct`: the jobs that ran, each with its association and what it was charged a second.
//!
//! As `priority_multifactor.c` of Slurm 22.05 to 24.11 charges them: from the start to the end, the time that a job was
//! suspended included, whatever its state was. Each run of a job that was put back into the queue counts. Steps are part
//! of their job.

mod json;

use super::prices::{Prices, note_unknown};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::jobs::{RanJob, RanJobs};
use crate::format::problem::{Place, Problems};
use crate::format::text::parsed;
use crate::format::{LoadResult, OnProgress, Refusal, input};
use crate::model::{Fact, Kind, NodeId, Snapshot};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};
use std::path::Path;

const AGAIN: &str = "run sacct -a -D -X -P -S START -o \
                     JobIDRaw,User,Account,Cluster,Partition,QOS,Start,End,AllocTRES,State,AssocID,Restarts";

/// What is read of a job.
#[derive(Clone, Copy, Debug, Default)]
struct JobRow<'a> {
    id: &'a [u8],
    user: &'a [u8],
    account: &'a [u8],
    cluster: &'a [u8],
    partition: &'a [u8],
    qos: &'a [u8],
    start: &'a [u8],
    end: &'a [u8],
    allocated: &'a [u8],
    association: &'a [u8],
    state: &'a [u8],
    restarts: &'a [u8],
}

/// The columns that are read, and where they are put.
type Put = for<'a> fn(&mut JobRow<'a>, &'a [u8]);

const COLUMNS: &[(&str, Put)] = &[
    ("JobID", |row, cell| {
        if row.id.is_empty() {
            row.id = cell;
        }
    }),
    ("JobIDRaw", |row, cell| row.id = cell),
    ("User", |row, cell| row.user = cell),
    ("Account", |row, cell| row.account = cell),
    ("Cluster", |row, cell| row.cluster = cell),
    ("Partition", |row, cell| row.partition = cell),
    ("QOS", |row, cell| row.qos = cell),
    ("Start", |row, cell| row.start = cell),
    ("End", |row, cell| row.end = cell),
    ("AllocTRES", |row, cell| row.allocated = cell),
    ("AssocID", |row, cell| row.association = cell),
    ("State", |row, cell| row.state = cell),
    ("Restarts", |row, cell| row.restarts = cell),
];

/// The columns without which nothing can be charged.
const NEEDED: [&str; 3] = ["Start", "End", "AllocTRES"];

/// Jobs as they are read.
struct Reader<'a> {
    prices: &'a Prices,
    zone: &'a TimeZone,
    by_id: HashMap<u64, NodeId>,
    /// By user, account and partition; the last is empty for the association of all partitions.
    by_names: HashMap<[&'a [u8]; 3], NodeId>,
    cluster: Vec<u8>,
    /// The runs, by the number of the job and the start.
    seen: HashSet<(u64, i64)>,
    counts: Counts,
    ran: RanJobs,
}

/// How many rows are left out or doubtful.
#[derive(Default)]
struct Counts {
    rows: usize,
    steps: usize,
    others: usize,
    twice: usize,
    billed: usize,
    ambiguous: usize,
    is_requeued: bool,
    has_requeued: bool,
}

/// Reads the jobs of a file for the associations of a tree. A line that cannot be read is a problem, and is left out.
pub(crate) fn read(
    path: &Path,
    snapshot: &Snapshot,
    prices: &Prices,
    zone: &TimeZone,
    report: OnProgress<'_>,
) -> LoadResult<RanJobs> {
    let mut reader = Reader::of(path, snapshot, prices, zone);
    let mut columns: Option<Vec<Option<Put>>> = None;
    let mut is_json = false;
    input::lines(path, report, &mut |line, text| {
        let Some(columns) = &columns else {
            is_json = line == 1 && text.trim_ascii_start().starts_with(b"{");
            if is_json {
                return Ok(false);
            }
            columns = header(text, &input::name(path))?;
            return Ok(true);
        };
        let cells = text.split(|&byte| byte == b'|');
        let mut row = JobRow::default();
        let mut count = 0;
        for (cell, put) in cells.zip(columns.iter().chain(std::iter::repeat(&None))) {
            if let Some(put) = put {
                put(&mut row, cell.trim_ascii());
            }
            count += 1;
        }
        // With -p a bar ends each line.
        if count < columns.len() || count > columns.len() + 1 {
            let message = sentence!(
                "{count} cells in place of {}; the job was left out",
                columns.len()
            );
            let advice = "print it again with sacct -P, without fields that may hold a bar";
            reader
                .ran
                .problems
                .refuse(line, "slurm-jobs-line", message, advice);
        } else {
            reader.take(line, row);
        }
        Ok(true)
    })?;
    if is_json {
        let input = input::read(path, report)?;
        json::read(&input, &mut reader)?;
    } else if columns.is_none() {
        return Err(Refusal::does(&input::name(path), "has no header of sacct", AGAIN).into());
    }
    reader.finish(snapshot, &input::name(path))
}

/// Returns what the columns of a header hold; `None` of a line before the header.
fn header(text: &[u8], file: &Shown) -> LoadResult<Option<Vec<Option<Put>>>> {
    let has = |separator: fn(&u8) -> bool, name: &str| {
        let mut headings = text.split(separator);
        headings.any(|heading| heading.trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
    };
    if !text.contains(&b'|') {
        if has(u8::is_ascii_whitespace, "JobID") {
            let what =
                "the output of sacct in columns, which cut names and leave out what is charged";
            return Err(Refusal::is(file, what, AGAIN).into());
        }
        return Ok(None);
    }
    let missing = NEEDED.iter().find(|name| !has(|&byte| byte == b'|', name));
    if let Some(missing) = missing {
        return Err(Refusal::does(file, &format!("has no column {missing}"), AGAIN).into());
    }
    let columns = text.split(|&byte| byte == b'|').map(|heading| {
        let heading = heading.trim_ascii();
        let mut columns = COLUMNS.iter();
        let known = columns.find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(heading));
        known.map(|(_, put)| *put)
    });
    let mut columns: Vec<Option<Put>> = columns.collect();
    if text.ends_with(b"|") {
        columns.pop();
    }
    Ok(Some(columns))
}

/// A time as `sacct` prints it.
enum Moment {
    /// `None` or `Unknown`, or 0 seconds.
    Never,
    /// In Unix seconds, and the later one of a time that the clock showed twice.
    At(i64, i64),
    Bad,
}

fn moment(text: &[u8], zone: &TimeZone) -> Moment {
    if matches!(text, b"" | b"None" | b"Unknown" | b"0") {
        return Moment::Never;
    }
    if let Some(seconds) = parsed::<i64>(text) {
        return if seconds > 0 {
            Moment::At(seconds, seconds)
        } else {
            Moment::Bad
        };
    }
    let Some(time) = parsed::<DateTime>(text) else {
        return Moment::Bad;
    };
    let ambiguous = zone.to_ambiguous_timestamp(time);
    match (ambiguous.clone().earlier(), ambiguous.later()) {
        (Ok(earlier), Ok(later)) => {
            let [one, other] = [earlier.as_second(), later.as_second()];
            Moment::At(one.min(other), one.max(other))
        }
        _ => Moment::Bad,
    }
}

/// Returns the number of a job, with the place in its array: `12_3`. `None` for other texts.
fn number(id: &[u8]) -> Option<u64> {
    let mut parts = id.split(|byte| matches!(byte, b'_' | b'+'));
    let job: u32 = parsed(parts.next()?)?;
    let task = parts
        .next()
        .map_or(Some(0), |task| parsed::<u32>(task)?.checked_add(1))?;
    Some(u64::from(job) << 32 | u64::from(task))
}

impl<'a> Reader<'a> {
    fn of(path: &Path, snapshot: &'a Snapshot, prices: &'a Prices, zone: &'a TimeZone) -> Self {
        let (tree, recorded) = (&snapshot.tree, &snapshot.recorded);
        let users = tree
            .nodes()
            .iter()
            .filter(|&&node| tree.kind(node) == Kind::User);
        let (mut by_id, mut by_names) = (HashMap::new(), HashMap::new());
        for &node in users {
            if let Some(id) = recorded.figure(Fact::Id, node) {
                // Ids are whole numbers of 32 bits.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "see above"
                )]
                by_id.insert(id.value as u64, node);
            }
            let account = tree
                .parent(node)
                .map_or(&b""[..], |account| tree.name(account));
            let partition = tree.partition(node).unwrap_or_default();
            by_names
                .entry([tree.name(node), account, partition])
                .or_insert(node);
        }
        Self {
            prices,
            zone,
            by_id,
            by_names,
            cluster: snapshot.source.cluster.clone().into_bytes(),
            seen: HashSet::new(),
            counts: Counts::default(),
            ran: RanJobs {
                problems: Problems::of(input::name(path)),
                ..RanJobs::default()
            },
        }
    }

    fn take(&mut self, line: u64, row: JobRow<'_>) {
        let counts = &mut self.counts;
        counts.rows += 1;
        if row.id.contains(&b'.') {
            counts.steps += 1;
            return;
        }
        counts.has_requeued |= row.state.starts_with(b"REQUEUED");
        counts.is_requeued |= parsed(row.restarts).is_some_and(|restarts: u64| restarts > 0);
        if self.cluster.is_empty() {
            self.cluster = row.cluster.to_vec();
        } else if !row.cluster.is_empty() && row.cluster != self.cluster {
            counts.others += 1;
            return;
        }
        let (from, until) = (moment(row.start, self.zone), moment(row.end, self.zone));
        let (from, until) = match (from, until) {
            (Moment::Never, Moment::Never | Moment::At(..)) => return,
            (Moment::At(from, later), Moment::Never) => {
                counts.ambiguous += usize::from(from != later);
                (from, i64::MAX)
            }
            (Moment::At(from, last), Moment::At(first, until)) => {
                counts.ambiguous += usize::from(from != last || first != until);
                (from, if first < from { until } else { first })
            }
            (Moment::Bad, _) | (_, Moment::Bad) => {
                let message = sentence!(
                    "Start is {} and End is {}, which are not both times; the job was left out",
                    shown(row.start),
                    shown(row.end)
                );
                let advice = "expected times such as 2026-11-23T20:48:02, or seconds since 1970";
                return self
                    .ran
                    .problems
                    .refuse(line, "slurm-jobs-time", message, advice);
            }
        };
        if until < from {
            let message = "the job ends before it starts, and was left out";
            let advice = "check the clocks of the nodes, and sacctmgr show runawayjobs";
            return self
                .ran
                .problems
                .refuse(line, "slurm-jobs-time", message, advice);
        }
        // Nothing was allocated to a job that never started.
        if row.allocated.is_empty() {
            return;
        }
        let Some((rate, is_printed)) = self.prices.rate(row.partition, row.qos, row.allocated)
        else {
            let message = sentence!(
                "AllocTRES is {}, which is not NAME=COUNT behind commas; the job was left out",
                shown(row.allocated)
            );
            let advice = "print it again with sacct -P";
            return self
                .ran
                .problems
                .refuse(line, "slurm-jobs-tres", message, advice);
        };
        let Some(node) = self.association(row) else {
            let (user, account) = (shown(row.user), shown(row.account));
            let message = sentence!(
                "the tree has no user '{user}\' in the account {account}; the job was left out"
            );
            let advice = "give the tree of that time, or add the association";
            return self
                .ran
                .problems
                .warn(line, "slurm-jobs-unknown", message, advice);
        };
        if number(row.id).is_some_and(|id| !self.seen.insert((id, from))) {
            self.counts.twice += 1;
            return;
        }
        self.counts.billed += usize::from(!is_printed);
        self.ran.push(RanJob {
            node,
            from,
            until,
            rate,
        });
    }

    /// Returns the association of a job: by its id, else by its names, with its partition if there is one for that.
    fn association(&self, row: JobRow<'_>) -> Option<NodeId> {
        let by_id = parsed(row.association).and_then(|id| self.by_id.get(&id));
        let by_names = |partition| self.by_names.get(&[row.user, row.account, partition]);
        let found = by_id
            .or_else(|| by_names(row.partition))
            .or_else(|| by_names(b""));
        found.copied()
    }

    /// Says what was left out or assumed.
    fn finish(self, snapshot: &Snapshot, file: &Shown) -> LoadResult<RanJobs> {
        let Self {
            counts, mut ran, ..
        } = self;
        if counts.rows > 0 && counts.steps == counts.rows {
            return Err(Refusal::does(
                file,
                "has only steps of jobs, which are not charged",
                AGAIN,
            )
            .into());
        }
        let problems = &mut ran.problems;
        note_unknown(self.prices, &snapshot.settings, problems);
        let mut told = |count: usize, what: &str, code, advice: &'static str| {
            if count > 0 {
                let message = sentence!("{} {what}", counted(count, "job", "jobs"));
                problems.warn(Place::WHOLE, code, message, advice);
            }
        };
        told(
            counts.others,
            "of other clusters left out",
            "slurm-jobs-cluster",
            "name the cluster with sacct -M",
        );
        told(
            counts.twice,
            "printed twice, and charged once",
            "slurm-jobs-twice",
            "nothing needs to be done",
        );
        told(
            counts.billed,
            "charged by billing= of AllocTRES, a whole number, because the weights of the partition give another one",
            "slurm-jobs-billing",
            "save scontrol show partition of that time; with MAX_TRES among PriorityFlags nothing needs to be done",
        );
        told(
            counts.ambiguous,
            "with a time in the hour that the clock showed twice, taken to be the first one",
            "slurm-jobs-clock",
            "print times with SLURM_TIME_FORMAT=%s",
        );
        told(
            usize::from(counts.is_requeued && !counts.has_requeued),
            "or more put back into the queue, of which only the last run is in the file",
            "slurm-jobs-requeued",
            "run sacct with -D",
        );
        Ok(ran)
    }
}
