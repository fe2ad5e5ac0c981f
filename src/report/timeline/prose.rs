//! A timeline as text.

use super::USUAL_LIMIT;
use super::chart::{Figure, line};
use crate::analysis::timeline::{Measure, Moment, Point, ShareChange, Step, Timeline, Track};
use crate::base::number::{DAY, Unit, Value, cell, change, counted, grouped, percent};
use crate::base::shown::visible;
use crate::model::duration_for_people;
use crate::report::table::Column;
use crate::report::{markdown, table};
use std::io::{self, Write};

/// What a timeline is, in a sentence without its full stop.
#[must_use]
pub fn headline(timeline: &Timeline) -> String {
    let moments = &timeline.moments;
    let mut text = format!(
        "{} under {}",
        counted(moments.len(), "dump", "dumps"),
        timeline.policy().title()
    );
    if let [first, .., last] = &moments[..] {
        text.push_str(", ");
        text.push_str(&first.dump.when());
        text.push_str(" to ");
        text.push_str(&last.dump.when());
    }
    if let Some(pace) = timeline.pace {
        let missing: usize = moments.iter().map(|moment| moment.missing).sum();
        text.push_str(", ");
        text.push_str(&every(pace));
        if missing > 0 {
            let verb = if missing == 1 { "is" } else { "are" };
            let missing = grouped(missing);
            text.extend(["; ", &missing, " ", verb, " missing"]);
        }
    }
    text
}

/// `one a day`, `one every 7 d`.
fn every(seconds: i64) -> String {
    if seconds == i64::from(DAY) {
        "one a day".to_owned()
    } else {
        let seconds = u64::try_from(seconds).unwrap_or(0);
        format!("one every {}", duration_for_people(seconds))
    }
}

/// A node, for people.
#[must_use]
pub fn title(track: &Track) -> String {
    path(&track.path)
}

fn path(path: &str) -> String {
    if path.is_empty() {
        "the root".to_owned()
    } else {
        visible(path)
    }
}

/// A row of a table over time.
#[derive(Clone, Copy)]
enum Row {
    Moment(usize),
    Missing(usize),
}

/// The moments, with a row for what is missing between two.
fn rows(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, moment) in timeline.moments.iter().enumerate() {
        if moment.missing > 0 {
            rows.push(Row::Missing(moment.missing));
        }
        rows.push(Row::Moment(place));
    }
    rows
}

fn missing(count: usize) -> String {
    format!("… {} missing", grouped(count))
}

/// Tables for people: text, or Markdown.
struct Tables<'a> {
    out: &'a mut dyn Write,
    is_markdown: bool,
}

impl Tables<'_> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        if self.is_markdown {
            writeln!(self.out, "{}\n", markdown::escape(text))
        } else {
            writeln!(self.out, "{text}")
        }
    }

    fn part(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    fn write(
        &mut self,
        columns: &[Column],
        rows: usize,
        cell: impl FnMut(usize, usize) -> String,
    ) -> io::Result<()> {
        if self.is_markdown {
            markdown::write(self.out, columns, rows, cell)
        } else {
            table::write(self.out, columns, rows, cell)
        }
    }
}

/// Writes a timeline for people.
pub(super) fn write(
    out: &mut dyn Write,
    timeline: &Timeline,
    are_named: bool,
    limit: Option<usize>,
    is_markdown: bool,
) -> io::Result<()> {
    let mut tables = Tables { out, is_markdown };
    tables.say(&format!("{}.", headline(timeline)))?;
    if are_named {
        for track in &timeline.tracks {
            tables.part()?;
            tables.say(&summary(timeline, track))?;
            put_track(&mut tables, timeline, track)?;
        }
        return Ok(());
    }
    let limit = limit.unwrap_or(USUAL_LIMIT);
    tables.part()?;
    put_moments(&mut tables, timeline)?;
    put_shares(&mut tables, timeline, limit)?;
    put_movers(&mut tables, timeline, limit)
}

/// A node and its way in one line.
fn summary(timeline: &Timeline, track: &Track) -> String {
    let target = timeline.policy().target_column().name();
    let drawn = [(Figure::Rank, "rank"), (Figure::Target, target)]
        .into_iter()
        .map(|(figure, name)| (line(timeline, track, figure), name))
        .find(|(line, _)| !line.is_empty());
    let absent = track.points.iter().filter(|point| point.is_none()).count();
    let mut parts = vec![title(track)];
    parts.extend(drawn.map(|(line, name)| format!("{name} {line}")));
    if absent > 0 {
        parts.push(format!("not in {}", counted(absent, "dump", "dumps")));
    }
    parts.join("  ")
}

/// What is drawn of a node in one line.
fn figure(timeline: &Timeline) -> Figure {
    match timeline.measure() {
        Measure::Rank => Figure::Rank,
        Measure::Target => Figure::Target,
    }
}

/// Writes a node at every moment.
///
/// # Errors
/// If writing fails.
pub fn write_track(out: &mut dyn Write, timeline: &Timeline, track: &Track) -> io::Result<()> {
    let is_markdown = false;
    put_track(&mut Tables { out, is_markdown }, timeline, track)
}

fn put_track(tables: &mut Tables<'_>, timeline: &Timeline, track: &Track) -> io::Result<()> {
    let policy = timeline.policy();
    let columns = [
        Column::left("When"),
        Column::right("Shares"),
        Column::right(policy.target_column().heading()),
        Column::right("Usage"),
        Column::right(policy.factor_column().heading()),
        Column::right("Rank"),
    ];
    let rows = rows(timeline);
    tables.write(&columns, rows.len(), |row, column| {
        let place = match (rows[row], column) {
            (Row::Missing(count), 0) => return missing(count),
            (Row::Missing(_), _) => return String::new(),
            (Row::Moment(place), 0) => return timeline.moments[place].dump.when(),
            (Row::Moment(place), _) => place,
        };
        match &track.points[place] {
            Some(point) => point_cell(timeline, point, column),
            None if column == 1 => "not there".to_owned(),
            None => String::new(),
        }
    })
}

fn point_cell(timeline: &Timeline, point: &Point, column: usize) -> String {
    let policy = timeline.policy();
    let number = |number: Option<f64>| number.map_or(Value::Null, Value::Double);
    match column {
        1 => shares(point.shares),
        2 => cell(number(point.target), policy.target_column().unit()),
        3 => cell(number(point.usage), Unit::Usage),
        4 => cell(point.factor, policy.factor_column().unit()),
        _ => point.rank.map_or_else(String::new, |rank| grouped(rank)),
    }
}

fn shares(shares: crate::model::Shares) -> String {
    shares.count().map_or_else(|| shares.to_string(), grouped)
}

/// Writes what there is at every moment, and what changed since the one before.
///
/// # Errors
/// If writing fails.
pub fn write_moments(out: &mut dyn Write, timeline: &Timeline) -> io::Result<()> {
    let is_markdown = false;
    put_moments(&mut Tables { out, is_markdown }, timeline)
}

fn put_moments(tables: &mut Tables<'_>, timeline: &Timeline) -> io::Result<()> {
    let columns = [
        Column::left("When"),
        Column::right("Nodes"),
        Column::right("Users"),
        Column::right("Usage"),
        Column::right("Came"),
        Column::right("Went"),
        Column::right("Moved"),
        Column::right("New shares"),
        Column::right("Diluted"),
        Column::right("New ranks"),
        Column::left("Furthest"),
    ];
    // Of columns in which nothing ever stands there are many: shares alone have no ranks, for one.
    let says_something = |column: &usize| {
        let mut cells = timeline.moments.iter();
        *column < 2 || cells.any(|moment| !matches!(&*moment_cell(moment, *column), "" | "0"))
    };
    let kept: Vec<usize> = (0..columns.len()).filter(says_something).collect();
    let columns: Vec<Column> = kept.iter().map(|&column| columns[column].clone()).collect();
    let rows = rows(timeline);
    tables.write(&columns, rows.len(), |row, column| {
        match (rows[row], kept[column]) {
            (Row::Missing(count), 0) => missing(count),
            (Row::Missing(_), _) => String::new(),
            (Row::Moment(place), column) => moment_cell(&timeline.moments[place], column),
        }
    })
}

fn moment_cell(moment: &Moment, column: usize) -> String {
    let step = moment.step.as_ref();
    match column {
        0 => moment.dump.when(),
        1 => grouped(moment.nodes),
        2 => grouped(moment.users),
        3 => cell(moment.usage.map_or(Value::Null, Value::Double), Unit::Usage),
        column => step.map_or_else(String::new, |step| step_cell(step, column)),
    }
}

fn step_cell(step: &Step, column: usize) -> String {
    let count = match column {
        4 => step.added,
        5 => step.removed,
        6 => step.moved,
        7 => step.shares_count,
        8 => step.diluted,
        9 => step.ranks,
        _ => usize::from(step.furthest.is_some()),
    };
    match (column, &step.furthest) {
        _ if count == 0 => String::new(),
        (8, _) => format!("{} {}", grouped(count), percent(step.dilution)),
        (10, Some((user, ranks))) => {
            format!("{} {} → {}", path(user), ranks.before, ranks.after)
        }
        _ => grouped(count),
    }
}

/// Which shares changed when, the newest changes last.
fn put_shares(tables: &mut Tables<'_>, timeline: &Timeline, limit: usize) -> io::Result<()> {
    let steps = timeline.moments.iter();
    let steps = steps.filter_map(|moment| Some((moment, moment.step.as_ref()?)));
    let changes: Vec<(&Moment, &ShareChange)> = steps
        .clone()
        .flat_map(|(moment, step)| step.shares.iter().map(move |change| (moment, change)))
        .collect();
    let count: usize = steps.map(|(_, step)| step.shares_count).sum();
    if changes.is_empty() {
        return Ok(());
    }
    tables.part()?;
    tables.say("Shares that changed, the newest on top:")?;
    let shown_count = limit.min(changes.len());
    let newest = changes.len() - 1;
    let columns = [
        Column::left("When"),
        Column::left("Node"),
        Column::right("Shares"),
    ];
    tables.write(&columns, shown_count, |row, column| {
        let (moment, change) = changes[newest - row];
        match column {
            0 => moment.dump.when(),
            1 => change.path.as_deref().map_or_else(String::new, path),
            _ => format!(
                "{} → {}",
                shares(change.shares.before),
                shares(change.shares.after)
            ),
        }
    })?;
    left_off(tables, count - shown_count)
}

/// Who moved furthest.
fn put_movers(tables: &mut Tables<'_>, timeline: &Timeline, limit: usize) -> io::Result<()> {
    let measure = timeline.measure();
    let tracks = timeline.tracks.iter().take(limit);
    let tracks: Vec<_> = tracks
        .filter_map(|track| Some((track, track.span(measure)?)))
        .collect();
    if tracks.is_empty() {
        return Ok(());
    }
    tables.part()?;
    let (heading, best, worst) = match measure {
        Measure::Rank => (
            "Moved furthest in rank; high is early, a dot is a gap:".to_owned(),
            "Best",
            "Worst",
        ),
        Measure::Target => (
            format!(
                "Moved furthest in {}; a dot is a gap:",
                timeline.policy().target_column().name()
            ),
            "Least",
            "Most",
        ),
    };
    tables.say(&heading)?;
    let columns = [
        Column::left("Node"),
        Column::right("First"),
        Column::right("Last"),
        Column::right("Change"),
        Column::right(best),
        Column::right(worst),
        Column::left("Way"),
    ];
    let unit = timeline.policy().target_column().unit();
    tables.write(&columns, tracks.len(), |row, column| {
        let (track, span) = tracks[row];
        let number = |number: f64| match measure {
            Measure::Rank => grouped(whole(number)),
            Measure::Target => cell(Value::Double(number), unit),
        };
        match column {
            0 => title(track),
            1 => number(span.first),
            2 => number(span.last),
            3 => match measure {
                Measure::Rank => change(whole(span.first) - whole(span.last), false),
                Measure::Target if span.first > 0.0 => {
                    signed(percent(span.last / span.first - 1.0))
                }
                Measure::Target => String::new(),
            },
            4 => number(span.least),
            5 => number(span.most),
            _ => line(timeline, track, figure(timeline)),
        }
    })
}

/// With a plus where it grew.
fn signed(text: String) -> String {
    if text.starts_with(['-', '>', '0']) {
        text
    } else {
        format!("+{text}")
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a rank is a whole number of 32 bits"
)]
fn whole(rank: f64) -> i64 {
    rank as i64
}

/// Says below a table how many rows it lacks.
fn left_off(tables: &mut Tables<'_>, rows: usize) -> io::Result<()> {
    if rows == 0 {
        return Ok(());
    }
    let count = grouped(rows);
    writeln!(
        tables.out,
        "… and {count} more; --limit shows more or fewer"
    )
}
