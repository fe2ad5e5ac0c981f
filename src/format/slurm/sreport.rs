//! `sreport cluster AccountUtilizationByUser` and `UserUtilizationByAccount`: the usage of a period. It does not decay
//! and is not RawUsage, and there are no shares, so it is combined with an output that has them.

use super::rows::{Row, Rows};
use super::table::{Column, Command, Layout, LineForm, widths};
use crate::base::shown::shown;
use crate::format::input::Input;
use crate::format::{Format, LoadError, Refusal};
use crate::model::{Incomplete, Usage, UsagePrecision};

/// The beginnings of the titles of the two reports.
const TITLES: [&str; 2] = [
    "Cluster/Account/User Utilization ",
    "Cluster/User/Account Utilization ",
];

/// How many lines are searched for the title.
const LINES: usize = 10;

/// How to create the file again.
const AGAIN: &str =
    "run sreport -P -t Seconds cluster AccountUtilizationByUser start=DATE end=DATE";

/// The units in which it is printed, and their seconds.
const UNITS: [(&str, u32); 3] = [("Seconds", 1), ("Minutes", 60), ("Hours", 3600)];

/// Returns whether the text looks like one of the reports.
pub fn is(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').take(LINES);
    lines.any(|line| title(line).is_some())
}

/// Returns the period of a title: `2026-11-01T00:00:00 - 2026-11-21T23:59:59`. `None` if the line is no title.
fn title(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let rest = TITLES
        .iter()
        .find_map(|title| line.trim().strip_prefix(title))?;
    let period = rest.split_once(" (").map_or(rest, |(period, _)| period);
    Some(shown(period.trim().as_bytes()).into())
}

/// Reads a report.
///
/// # Errors
/// If its unit is no time, or it lists no usage.
pub fn read(input: &Input) -> Result<Rows, LoadError> {
    let file = input.name();
    let is = |what: &str| Refusal::is(&file, what, AGAIN);
    let mut rows = Rows::new(Format::Sreport, file.clone());
    rows.taken = input.modified;
    let mut lines = (1..).zip(input.bytes.split(|&byte| byte == b'\n'));
    let mut period = String::new();
    let mut unit = None;
    let mut header = None;
    for (_, line) in lines.by_ref() {
        let line = String::from_utf8_lossy(line).into_owned();
        if let Some(found) = title(line.as_bytes()) {
            period = found;
        } else if let Some(words) = line.trim().strip_prefix("Usage reported in ") {
            unit = Some(words.to_owned());
        } else if line.contains("Account") && line.contains("Login") {
            header = Some(line);
            break;
        }
    }
    let header = header.ok_or_else(|| is("a report of sreport without its header"))?;
    let unit = unit.unwrap_or_default();
    let seconds = UNITS.iter().find(|(name, _)| unit.ends_with(name));
    let Some(&(_, seconds)) = seconds else {
        let unit = shown(unit.as_bytes());
        return Err(is(&format!(
            "a report of sreport in {unit}, which is not a time"
        ))
        .into());
    };
    let widths = if header.contains('|') {
        None
    } else {
        let ruler = lines.next().map(|(_, line)| line);
        Some(widths(ruler.unwrap_or_default()))
    };
    let columns = vec![Column::Unknown; widths.as_ref().map_or(0, Vec::len)];
    let form = widths.map_or(LineForm::Bars { ends_in_bar: false }, LineForm::Fixed);
    let layout = Layout::new(Command::Sacctmgr, columns, form);
    let names = cells(header.as_bytes(), &layout);
    let place = |wanted: &str| {
        names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(wanted))
    };
    let (account, login) = (place("Account"), place("Login"));
    let (cluster, tres) = (place("Cluster"), place("TRES Name"));
    let (Some(account), Some(login), Some(used)) = (account, login, place("Used")) else {
        let what = "a report of sreport without the columns Account, Login and Used";
        return Err(is(what).into());
    };
    for (number, line) in lines {
        let row = cells(line, &layout);
        let cell = |place: usize| row.get(place).map_or("", String::as_str);
        let is_other = tres.is_some_and(|tres| !matches!(cell(tres), "cpu" | "billing"));
        let amount: Option<f64> = cell(used).parse().ok();
        if let (false, false, Some(amount)) = (is_other, cell(account).is_empty(), amount) {
            let mut intern =
                |name: &str| (!name.is_empty()).then(|| rows.names.intern(name.as_bytes()));
            let Some(name) = intern(cell(account)) else {
                continue;
            };
            let user = intern(cell(login));
            let cluster = cluster.and_then(|cluster| intern(cell(cluster)));
            rows.rows.push(Row {
                cluster,
                usage: Usage::new(amount * f64::from(seconds)),
                line: number,
                ..Row::new(name, user)
            });
        }
    }
    if rows.rows.is_empty() {
        let what = format!("lists no usage from {}", period.replace(" - ", " to "));
        return Err(Refusal::does(&file, &what, AGAIN).into());
    }
    rows.incomplete = Some(Incomplete::WithoutUsage);
    rows.usage_precision = UsagePrecision::Rounded(seconds);
    rows.usage_unit = Some(format!(
        "{} seconds used from {}",
        unit.split(' ').next().unwrap_or_default(),
        period.replace(" - ", " to ")
    ));
    Ok(rows)
}

/// Returns the cells of a line, without surrounding blanks.
fn cells(line: &[u8], layout: &Layout) -> Vec<String> {
    let mut cells = Vec::new();
    layout.divide(line, &mut cells);
    let text = |cell: &&[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
    cells.iter().map(text).collect()
}
