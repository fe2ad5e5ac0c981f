//! `sreport cluster AccountUtilizationByUser` and `UserUtilizationByAccount`: the usage of a period. It does not decay
//! and is not RawUsage, and there are no shares, so it is combined with an output that has them.

use super::rows::{Row, Rows, stored_usage};
use super::table::{Command, LineForm, SlurmColumn, TableLayout};
use crate::base::shown::shown;
use crate::format::input::Input;
use crate::format::text::{parsed, split};
use crate::format::{Format, LoadResult, Refusal};
use crate::model::{Incomplete, UsagePrecision};

/// How the title of a report begins.
const TITLES: &[&str] = &[
    "Cluster/Account/User Utilization ",
    "Cluster/User/Account Utilization ",
];

/// How many lines are searched for the title.
const LINES: usize = 10;

/// What to do about a report that cannot be read.
const AGAIN: &str =
    "run sreport -P -t Seconds cluster AccountUtilizationByUser start=DATE end=DATE";

/// Returns whether the text looks like a report.
pub(crate) fn is(text: &[u8]) -> bool {
    for line in split(text, b'\n').take(LINES) {
        if period(line).is_some() {
            return true;
        }
    }
    false
}

/// Returns the period of a title: `2026-11-01T00:00:00 - 2026-11-21T23:59:59`. `None` if the line is no title.
fn period(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    for title in TITLES {
        if let Some(rest) = text.trim().strip_prefix(title) {
            let period = match rest.split_once(" (") {
                Some((period, _)) => period,
                None => rest,
            };
            let words = shown(period.trim().as_bytes());
            return Some(words.into());
        }
    }
    None
}

/// What stands above the rows of a report, and in which rows usage counts.
struct Report {
    /// The columns.
    layout: TableLayout,
    /// From when to when: `2026-11-01T00:00:00 - 2026-11-21T23:59:59`.
    period: String,
    /// What is counted and in which unit: `CPU Seconds`.
    unit: String,
    /// The seconds of the unit.
    seconds: u32,
    /// The resource whose rows count; `None` if no column names resources.
    resource: Option<&'static str>,
    /// The place of the first row among the lines.
    start: usize,
}

impl Report {
    /// Reads what stands above the rows, and which rows count. The error says what kind of report it is.
    fn find(lines: &[&[u8]]) -> Result<Self, String> {
        let mut dates = String::new();
        let mut unit = String::new();
        for (place, line) in lines.iter().enumerate() {
            let below = lines.get(place + 1).copied();
            if let Some(found) = period(line) {
                dates = found;
            } else if let Some(words) = line.trim_ascii().strip_prefix(b"Usage reported in ") {
                unit = String::from_utf8_lossy(words).into_owned();
            } else if let Some(layout) = TableLayout::of_header(Command::Sreport, line, below) {
                let mut start = place + 1;
                if matches!(layout.form, LineForm::Fixed(_)) {
                    // The ruler.
                    start += 1;
                }
                let mut report = Self {
                    layout,
                    period: dates,
                    seconds: seconds_of(&unit)?,
                    unit,
                    resource: None,
                    start,
                };
                report.check(lines)?;
                return Ok(report);
            }
        }
        Err("without its header".to_owned())
    }

    /// Checks that usage is printed, and of a resource that fairshare counts, if it is by resource.
    fn check(&mut self, lines: &[&[u8]]) -> Result<(), String> {
        if !self.layout.has(SlurmColumn::Used) {
            return Err("without the columns Account, Login and Used".to_owned());
        }
        if self.layout.has(SlurmColumn::TresName) {
            self.resource = self.counted_resource(lines);
            if self.resource.is_none() {
                let what = "without billing, which fairshare counts, and without CPUs";
                return Err(what.to_owned());
            }
        }
        Ok(())
    }

    /// Returns the resource that fairshare counts, of those that rows are of: billing where it is weighted, else CPUs.
    /// `sreport` prints a row for each resource. `None` if they are of others.
    fn counted_resource(&self, lines: &[&[u8]]) -> Option<&'static str> {
        let mut counted = None;
        let mut cells = Vec::new();
        for line in lines.get(self.start..).unwrap_or_default() {
            self.layout.divide(line, &mut cells);
            match self.cell(&cells, SlurmColumn::TresName) {
                b"billing" => return Some("billing"),
                b"cpu" => counted = Some("cpu"),
                _ => {}
            }
        }
        counted
    }

    /// Returns the cell of a column without the blanks around it; empty if it is missing.
    fn cell<'a>(&self, cells: &[&'a [u8]], column: SlurmColumn) -> &'a [u8] {
        let cell = self.layout.cell(cells, column);
        cell.trim_ascii()
    }

    /// Adds the usage of a line, if it has some that counts.
    fn read(&self, rows: &mut Rows, line: u32, cells: &[&[u8]]) {
        if let Some(resource) = self.resource {
            let own = self.cell(cells, SlurmColumn::TresName);
            if own != resource.as_bytes() {
                return;
            }
        }
        let account = self.cell(cells, SlurmColumn::Account);
        let user = self.cell(cells, SlurmColumn::Login);
        let used = self.cell(cells, SlurmColumn::Used);
        let Some(amount) = parsed::<f64>(used) else {
            return;
        };
        let Some(name) = rows.name(account) else {
            return;
        };
        let mut row = Row::new(name, rows.name(user));
        let seconds = f64::from(self.seconds);
        match stored_usage(amount * seconds) {
            Some(usage) => row.usage = usage,
            None if user.is_empty() => rows.refuse_usage(line, account, amount),
            None => rows.refuse_usage(line, user, amount),
        }
        let cluster = self.cell(cells, SlurmColumn::Cluster);
        row.cluster = rows.name(cluster);
        row.line = line;
        rows.rows.push(row);
    }
}

/// Returns the seconds of a unit of time. The error says that it is none.
fn seconds_of(unit: &str) -> Result<u32, String> {
    if unit.ends_with("Seconds") {
        return Ok(1);
    }
    if unit.ends_with("Minutes") {
        return Ok(60);
    }
    if unit.ends_with("Hours") {
        return Ok(3600);
    }
    let unit = shown(unit.as_bytes());
    Err(format!("in {unit}, which is not a time"))
}

/// Reads the usage of a report. Fails if it has no header, no usage, or usage of nothing that fairshare counts.
pub(super) fn read(input: &Input) -> LoadResult<Rows> {
    let lines: Vec<&[u8]> = split(&input.bytes, b'\n').collect();
    let mut rows = Rows::new(Format::Sreport, input);
    let report = match Report::find(&lines) {
        Ok(report) => report,
        Err(kind) => {
            let what = format!("a report of sreport {kind}");
            return Err(Refusal::is(&rows.file, &what, AGAIN).into());
        }
    };
    let mut cells = Vec::new();
    for (number, line) in (1..).zip(&lines).skip(report.start) {
        report.layout.divide(line, &mut cells);
        report.read(&mut rows, number, &cells);
    }
    let period = report.period.replace(" - ", " to ");
    if rows.rows.is_empty() {
        let what = format!("lists no usage from {period}");
        return Err(Refusal::does(&rows.file, &what, AGAIN).into());
    }
    rows.incomplete = Some(Incomplete::WithoutUsage);
    rows.usage_precision = UsagePrecision::Rounded(report.seconds);
    let mut words = report.unit.split(' ');
    let mut counted = words.next().unwrap_or_default();
    if let Some(resource) = report.resource {
        counted = resource;
    }
    rows.usage_unit = Some(format!("{counted} seconds used from {period}"));
    Ok(rows)
}
