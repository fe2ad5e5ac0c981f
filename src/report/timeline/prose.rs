//! A timeline as text.

use super::USUAL_LIMIT;
use super::chart::{Figure, line};
use crate::analysis::timeline::{
    Measure, Moment, Point, ShareChange, Timeline, Track, Transition, ValueRange,
};
use crate::base::number::{DAY, Unit, Value, cell, change, counted, grouped, percent};
use crate::base::shown::visible;
use crate::model::duration_for_people;
use crate::report::table::Filled;
use crate::report::{Form, markdown, table};
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

    fn write<R>(&mut self, columns: &[Filled<'_, R>], rows: &[R]) -> io::Result<()> {
        let form = if self.is_markdown {
            Form::Markdown
        } else {
            Form::Table
        };
        table::emit(self.out, form, columns, rows)
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
            tables.write(&track_columns(timeline, track), &rows(timeline))?;
        }
        return Ok(());
    }
    let limit = limit.unwrap_or(USUAL_LIMIT);
    tables.part()?;
    tables.write(&moment_columns(timeline), &rows(timeline))?;
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

/// Returns the table of a node at every moment as lines, its headings first.
#[must_use]
pub fn track_lines(timeline: &Timeline, track: &Track) -> Vec<String> {
    table::lines(&track_columns(timeline, track), &rows(timeline))
}

/// The columns of a node at every moment.
fn track_columns<'a>(timeline: &'a Timeline, track: &'a Track) -> Vec<Filled<'a, Row>> {
    let policy = timeline.policy();
    let (target, factor) = (policy.target_column(), policy.factor_column());
    // What stands where the node is, and where it is not.
    let at = move |row: &Row, there: &dyn Fn(&Point) -> String, absent: &str| match *row {
        Row::Missing(_) => String::new(),
        Row::Moment(place) => track.points[place]
            .as_ref()
            .map_or_else(|| absent.to_owned(), there),
    };
    let number = |number: Option<f64>, unit| cell(number.map_or(Value::Null, Value::Double), unit);
    let rank = |point: &Point| point.rank.map_or_else(String::new, grouped);
    vec![
        Filled::left("When", move |row| when(timeline, row)),
        Filled::right("Shares", move |row| {
            at(row, &|point| shares(point.shares), "not there")
        }),
        Filled::right(target.heading(), move |row| {
            at(row, &|point| number(point.target, target.unit()), "")
        }),
        Filled::right("Usage", move |row| {
            at(row, &|point| number(point.usage, Unit::Usage), "")
        }),
        Filled::right(factor.heading(), move |row| {
            at(row, &|point| cell(point.factor, factor.unit()), "")
        }),
        Filled::right("Rank", move |row| at(row, &rank, "")),
    ]
}

/// The first cell of a row over time.
fn when(timeline: &Timeline, row: &Row) -> String {
    match *row {
        Row::Missing(count) => missing(count),
        Row::Moment(place) => timeline.moments[place].dump.when(),
    }
}

fn shares(shares: crate::model::Shares) -> String {
    shares.count().map_or_else(|| shares.to_string(), grouped)
}

/// Returns the table of what there is at every moment, and what changed since the one before, as lines, its headings
/// first.
#[must_use]
pub fn moment_lines(timeline: &Timeline) -> Vec<String> {
    table::lines(&moment_columns(timeline), &rows(timeline))
}

/// The columns of what there is at every moment; those in which something is said.
fn moment_columns(timeline: &Timeline) -> Vec<Filled<'_, Row>> {
    let moment = move |row: &Row, cell: &dyn Fn(&Moment) -> String| match *row {
        Row::Missing(_) => String::new(),
        Row::Moment(place) => cell(&timeline.moments[place]),
    };
    let counted = |heading, count: fn(&Transition) -> usize| {
        Filled::right(heading, move |row| {
            moment(row, &|moment| {
                step_cell(moment, count, |step| grouped(count(step)))
            })
        })
    };
    let usage = |moment: &Moment| moment.usage.map_or(Value::Null, Value::Double);
    let mut columns = vec![
        Filled::left("When", move |row| when(timeline, row)),
        Filled::right("Nodes", move |row| {
            moment(row, &|moment| grouped(moment.nodes))
        }),
        Filled::right("Users", move |row| {
            moment(row, &|moment| grouped(moment.users))
        }),
        Filled::right("Usage", move |row| {
            moment(row, &|moment| cell(usage(moment), Unit::Usage))
        }),
        counted("Came", |step| step.added),
        counted("Went", |step| step.removed),
        counted("Moved", |step| step.moved),
        counted("New shares", |step| step.shares_count),
        Filled::right("Diluted", move |row| moment(row, &diluted)),
        counted("New ranks", |step| step.ranks),
        Filled::left("Furthest", move |row| moment(row, &furthest)),
    ];
    // Of columns in which nothing ever stands there are many: shares alone have no ranks, for one.
    let mut place = 0;
    columns.retain(|column| {
        let says_something = |moment| !matches!(&*column.cell(&Row::Moment(moment)), "" | "0");
        place += 1;
        place <= 2 || (0..timeline.moments.len()).any(says_something)
    });
    columns
}

/// What a moment changed; nothing where there is none of it.
fn step_cell(
    moment: &Moment,
    count: impl Fn(&Transition) -> usize,
    text: impl Fn(&Transition) -> String,
) -> String {
    let step = moment.step.as_ref().filter(|step| count(step) > 0);
    step.map_or_else(String::new, text)
}

fn diluted(moment: &Moment) -> String {
    step_cell(
        moment,
        |step| step.diluted,
        |step| format!("{} {}", grouped(step.diluted), percent(step.dilution)),
    )
}

fn furthest(moment: &Moment) -> String {
    let step = moment.step.as_ref();
    let furthest = step.and_then(|step| step.furthest.as_ref());
    furthest.map_or_else(String::new, |(user, ranks)| {
        format!("{} {} → {}", path(user), ranks.before, ranks.after)
    })
}

/// Shares that changed at a moment.
type Changed<'a> = (&'a Moment, &'a ShareChange);

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
    let newest: Vec<_> = changes.into_iter().rev().take(limit).collect();
    let columns = [
        Filled::left("When", |(moment, _): &Changed<'_>| moment.dump.when()),
        Filled::left("Node", |(_, change): &Changed<'_>| {
            change.path.as_deref().map_or_else(String::new, path)
        }),
        Filled::right("Shares", |(_, change): &Changed<'_>| {
            let [before, after] = [change.shares.before, change.shares.after].map(shares);
            format!("{before} → {after}")
        }),
    ];
    tables.write(&columns, &newest)?;
    left_off(tables, count - newest.len())
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
    let unit = timeline.policy().target_column().unit();
    let number = |number: f64| match measure {
        Measure::Rank => grouped(whole(number)),
        Measure::Target => cell(Value::Double(number), unit),
    };
    let columns = [
        Filled::left("Node", |(track, _): &(&Track, ValueRange)| title(track)),
        Filled::right("First", |(_, span): &(&Track, ValueRange)| {
            number(span.first)
        }),
        Filled::right("Last", |(_, span): &(&Track, ValueRange)| number(span.last)),
        Filled::right("Change", |(_, span): &(&Track, ValueRange)| match measure {
            Measure::Rank => change(whole(span.first) - whole(span.last), false),
            Measure::Target if span.first > 0.0 => signed(percent(span.last / span.first - 1.0)),
            Measure::Target => String::new(),
        }),
        Filled::right(best, |(_, span): &(&Track, ValueRange)| number(span.least)),
        Filled::right(worst, |(_, span): &(&Track, ValueRange)| number(span.most)),
        Filled::left("Way", |(track, _): &(&Track, ValueRange)| {
            line(timeline, track, figure(timeline))
        }),
    ];
    tables.write(&columns, &tracks)
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
