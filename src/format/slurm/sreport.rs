//! `sreport cluster AccountUtilizationByUser` and `UserUtilizationByAccount`: the usage of a period. It does not decay
//! and is not RawUsage, and there are no shares, so it is combined with an output that has them.

use super::rows::{Row, Rows, stored_usage};
use super::table::{Command, LineForm, SlurmColumn, TableLayout};
use crate::base::shown::shown;
use crate::format::input::Input;
use crate::format::text::parsed;
use crate::format::{Format, LoadResult, Refusal};
use crate::model::{Incomplete, Usage, UsagePrecision};

const TITLES: [&str; 2] = [
    "Cluster/Account/User Utilization ",
    "Cluster/User/Account Utilization ",
];

const LINES: usize = 10;

const AGAIN: &str =
    "run sreport -P -t Seconds cluster AccountUtilizationByUser start=DATE end=DATE";

/// The units in which it is printed, and their seconds.
const UNITS: [(&str, u32); 3] = [("Seconds", 1), ("Minutes", 60), ("Hours", 3600)];

pub(crate) fn is(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').take(LINES);
    lines.any(|line| title(line).is_some())
}

/// Returns the period of a title: `2026-11-01T00:00:00 - 2026-11-21T23:59:59`. `None` if the line is no title.
fn title(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let mut titles = TITLES.iter();
    let rest = titles.find_map(|title| line.trim().strip_prefix(title))?;
    let period = rest.split_once(" (").map_or(rest, |(period, _)| period);
    Some(shown(period.trim().as_bytes()).into())
}

/// The resources that fairshare may count: billing where it is weighted, else CPUs.
const COUNTED: [&str; 2] = ["billing", "cpu"];

/// Returns the resource that fairshare counts, of those that rows are of: sreport prints a row for each. `None` if they are of
/// others, or name none.
fn counted_resource<'a>(
    layout: &TableLayout,
    rows: impl Iterator<Item = &'a [u8]>,
) -> Option<&'static str> {
    let mut is_there = [false; COUNTED.len()];
    let mut cells = Vec::new();
    for row in rows {
        layout.divide(row, &mut cells);
        let name = layout.cell(&cells, SlurmColumn::TresName).trim_ascii();
        for (counted, is_there) in COUNTED.iter().zip(&mut is_there) {
            *is_there |= name == counted.as_bytes();
        }
    }
    let mut found = COUNTED.into_iter().zip(is_there);
    found.find_map(|(counted, is_there)| is_there.then_some(counted))
}

pub(super) fn read(input: &Input) -> LoadResult<Rows> {
    let file = input.name();
    let is = |what: &str| Refusal::is(&file, what, AGAIN);
    let mut rows = Rows::new(Format::Sreport, input);
    let lines = input.bytes.split(|&byte| byte == b'\n');
    let mut lines = (1..).zip(lines).peekable();
    let (mut period, mut unit, mut header) = (String::new(), String::new(), None);
    while header.is_none()
        && let Some((_, line)) = lines.next()
    {
        let below = lines.peek().map(|(_, line)| *line);
        let text = line.trim_ascii();
        if let Some(found) = title(line) {
            period = found;
        } else if let Some(words) = text.strip_prefix(b"Usage reported in ") {
            unit = String::from_utf8_lossy(words).into_owned();
        } else {
            header = TableLayout::of_header(Command::Sreport, line, below);
        }
    }
    let layout = header.ok_or_else(|| is("a report of sreport without its header"))?;
    let seconds = UNITS.iter().find(|(name, _)| unit.ends_with(name));
    let Some(&(_, seconds)) = seconds else {
        let unit = shown(unit.as_bytes());
        let what = format!("a report of sreport in {unit}, which is not a time");
        return Err(is(&what).into());
    };
    if layout.place(SlurmColumn::Used).is_none() {
        let what = "a report of sreport without the columns Account, Login and Used";
        return Err(is(what).into());
    }
    if matches!(layout.form, LineForm::Fixed(_)) {
        lines.next();
    }
    let names_resources = layout.place(SlurmColumn::TresName).is_some();
    let resource = counted_resource(&layout, lines.clone().map(|(_, text)| text));
    if names_resources && resource.is_none() {
        let what = "a report of sreport without billing, which fairshare counts, and without CPUs";
        return Err(is(what).into());
    }
    let mut cells = Vec::new();
    for (line, text) in lines {
        layout.divide(text, &mut cells);
        let cell = |column| layout.cell(&cells, column).trim_ascii();
        let name = resource.map(str::as_bytes);
        let is_other = names_resources && Some(cell(SlurmColumn::TresName)) != name;
        let amount: Option<f64> = parsed(cell(SlurmColumn::Used));
        let Some(amount) = amount.filter(|_| !is_other) else {
            continue;
        };
        let Some(account) = rows.name(cell(SlurmColumn::Account)) else {
            continue;
        };
        let user = rows.name(cell(SlurmColumn::Login));
        let usage = stored_usage(amount * f64::from(seconds));
        if usage.is_none() {
            let whose = rows.names.names().bytes(user.unwrap_or(account)).to_vec();
            rows.refuse_usage(line, &whose, amount);
        }
        let row = Row {
            cluster: rows.name(cell(SlurmColumn::Cluster)),
            usage: usage.unwrap_or(Usage::NONE),
            line,
            ..Row::new(account, user)
        };
        rows.rows.push(row);
    }
    let period = period.replace(" - ", " to ");
    if rows.rows.is_empty() {
        let what = format!("lists no usage from {period}");
        return Err(Refusal::does(&file, &what, AGAIN).into());
    }
    rows.incomplete = Some(Incomplete::WithoutUsage);
    rows.usage_precision = UsagePrecision::Rounded(seconds);
    let unit = match resource {
        Some(resource) => resource,
        None => unit.split(' ').next().unwrap_or_default(),
    };
    rows.usage_unit = Some(format!("{unit} seconds used from {period}"));
    Ok(rows)
}
