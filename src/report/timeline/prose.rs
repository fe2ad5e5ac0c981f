//! A timeline as text.

use super::chart::{Figure, drawing, line};
use super::{Report, USUAL_LIMIT};
use crate::analysis::timeline::{
    Measure, Moment, Point, ShareChange, Timeline, Track, Transition, ValueRange,
};
use crate::base::number::{DAY, Unit, Value, cell, change, counted, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence, shown_path};
use crate::model::duration_for_people;
use crate::report::View;
use crate::report::figure::MOST_NAMES;
use crate::report::front::Front;
use crate::report::page::Page;
use crate::report::table::{self, Column};
use std::io;

/// Returns a description of a timeline, as a sentence without a full stop.
pub fn headline(timeline: &Timeline) -> Shown {
    let moments = &timeline.moments;
    let mut text = sentence!(
        "{} under {}",
        counted(moments.len(), "dump", "dumps"),
        timeline.policy().title()
    );
    if let [first, .., last] = &moments[..] {
        text += &sentence!(", {} to {}", first.dump.when(), last.dump.when());
    }
    if let Some(pace) = timeline.pace {
        let missing: usize = moments.iter().map(|moment| moment.missing).sum();
        text += &sentence!(", {}", every(pace));
        if missing > 0 {
            let verb = word_for(missing, "is", "are");
            text += &sentence!("; {} {verb} missing", grouped(missing));
        }
    }
    text
}

/// `one a day`, `one every 7 d`.
fn every(seconds: i64) -> Shown {
    if seconds == i64::from(DAY) {
        "one a day".into()
    } else {
        let seconds = u64::try_from(seconds).unwrap_or(0);
        sentence!("one every {}", duration_for_people(seconds))
    }
}

/// Returns a node, for people.
pub fn title(track: &Track) -> Shown {
    path(&track.path)
}

fn path(path: &str) -> Shown {
    if path.is_empty() {
        "the root".into()
    } else {
        shown_path(path)
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

fn missing(count: usize) -> Shown {
    sentence!("… {} missing", grouped(count))
}

/// Returns the top of the page of a timeline.
pub(super) fn front(timeline: &Timeline) -> Front {
    let view = View::of(&timeline.newest, &timeline.problems);
    Front::of("Timeline", &view).with_sources([("Newest dump", view.source)])
}

/// Writes a timeline for people.
pub(super) fn write(page: &mut Page<'_>, report: &Report<'_>) -> io::Result<()> {
    let timeline = report.timeline;
    page.paragraph(sentence!("{}.", headline(timeline)))?;
    if report.are_named {
        for track in &timeline.tracks {
            page.gap()?;
            if page.is_drawn() {
                page.heading(title(track))?;
            } else {
                page.paragraph(summary(timeline, track))?;
            }
            page.figures(|| drawing(timeline, &[(track, title(track))], &Figure::ALL))?;
            let columns = track_columns(timeline, track);
            page.table(&columns, rows(timeline).into_iter())?;
        }
        return Ok(());
    }
    let limit = report.limit.unwrap_or(USUAL_LIMIT);
    page.gap()?;
    page.table(&moment_columns(timeline), rows(timeline).into_iter())?;
    put_shares(page, timeline, limit)?;
    put_movers(page, timeline, limit)
}

/// Returns a node and its history in one line.
fn summary(timeline: &Timeline, track: &Track) -> Shown {
    let target = timeline.policy().target_column().name();
    let drawn = [(Figure::Rank, "rank"), (Figure::Target, target)]
        .into_iter()
        .map(|(figure, name)| (line(timeline, track, figure), name))
        .find(|(line, _)| !line.is_empty());
    let absent = track.points.iter().filter(|point| point.is_none()).count();
    let mut parts = vec![title(track)];
    parts.extend(drawn.map(|(line, name)| sentence!("{name} {line}")));
    if absent > 0 {
        parts.push(sentence!("not in {}", counted(absent, "dump", "dumps")));
    }
    Shown::joined(&parts, "  ")
}

/// What is drawn of a node in one line.
fn figure(timeline: &Timeline) -> Figure {
    match timeline.measure() {
        Measure::Rank => Figure::Rank,
        Measure::Target => Figure::Target,
    }
}

/// Returns the table of a node at every moment as lines, its headings first.
pub fn track_lines(timeline: &Timeline, track: &Track) -> Vec<Shown> {
    let columns = track_columns(timeline, track);
    table::lines(&columns, rows(timeline).into_iter()).collect()
}

/// The columns of a node at every moment.
fn track_columns<'a>(timeline: &'a Timeline, track: &'a Track) -> Vec<Column<'a, Row>> {
    let policy = timeline.policy();
    let (target, factor) = (policy.target_column(), policy.factor_column());
    // The cell where the node exists, and where it does not.
    let at = move |row: &Row, there: &dyn Fn(&Point) -> Shown, absent: &'static str| match *row {
        Row::Missing(_) => Shown::default(),
        Row::Moment(place) => track.points[place]
            .as_ref()
            .map_or_else(|| absent.into(), there),
    };
    let number = |number: Option<f64>, unit| cell(number.map_or(Value::Null, Value::Double), unit);
    let rank = |point: &Point| point.rank.map_or_else(Shown::default, grouped);
    let key = move |row: &Row, of: fn(&Point) -> Value| match *row {
        Row::Missing(_) => Value::Null,
        Row::Moment(place) => track.points[place].as_ref().map_or(Value::Null, of),
    };
    vec![
        when_column(timeline),
        Column::right("Shares", move |row| {
            at(row, &|point| shares(point.shares), "not there")
        })
        .keyed(move |row| key(row, |point| count(point.shares.count()))),
        Column::right(target.heading(), move |row| {
            at(row, &|point| number(point.target, target.unit()), "")
        })
        .keyed(move |row| key(row, |point| double(point.target))),
        Column::right("Usage", move |row| {
            at(row, &|point| number(point.usage, Unit::Usage), "")
        })
        .keyed(move |row| key(row, |point| double(point.usage))),
        Column::right(factor.heading(), move |row| {
            at(row, &|point| cell(point.factor, factor.unit()), "")
        })
        .keyed(move |row| key(row, |point| point.factor)),
        Column::right("Rank", move |row| at(row, &rank, ""))
            .keyed(move |row| key(row, |point| count(point.rank.map(i64::from)))),
    ]
}

fn double(number: Option<f64>) -> Value {
    number.map_or(Value::Null, Value::Double)
}

fn count(number: Option<i64>) -> Value {
    number.map_or(Value::Null, Value::Count)
}

/// The column of the moments, in order of time.
fn when_column(timeline: &Timeline) -> Column<'_, Row> {
    let at = |row: &Row| match *row {
        Row::Missing(_) => Value::Null,
        Row::Moment(place) => Value::Count(timeline.moments[place].dump.at),
    };
    Column::left("When", move |row| when(timeline, row)).keyed(at)
}

/// The first cell of a row over time.
fn when(timeline: &Timeline, row: &Row) -> Shown {
    match *row {
        Row::Missing(count) => missing(count),
        Row::Moment(place) => timeline.moments[place].dump.when(),
    }
}

fn shares(shares: crate::model::Shares) -> Shown {
    shares
        .count()
        .map_or_else(|| sentence!("{shares}"), grouped)
}

/// Returns the table of what there is at every moment, and what changed since the one before, as lines, its headings
/// first.
pub fn moment_lines(timeline: &Timeline) -> Vec<Shown> {
    let columns = moment_columns(timeline);
    table::lines(&columns, rows(timeline).into_iter()).collect()
}

/// The columns of what there is at every moment; those in which something is said.
fn moment_columns(timeline: &Timeline) -> Vec<Column<'_, Row>> {
    let moment = move |row: &Row, cell: &dyn Fn(&Moment) -> Shown| match *row {
        Row::Missing(_) => Shown::default(),
        Row::Moment(place) => cell(&timeline.moments[place]),
    };
    let counted = |heading, count: fn(&Transition) -> usize| {
        Column::right(heading, move |row| {
            moment(row, &|moment| {
                step_cell(moment, count, |step| grouped(count(step)))
            })
        })
    };
    let usage = |moment: &Moment| moment.usage.map_or(Value::Null, Value::Double);
    let mut columns = vec![
        when_column(timeline),
        Column::right("Nodes", move |row| {
            moment(row, &|moment| grouped(moment.nodes))
        }),
        Column::right("Users", move |row| {
            moment(row, &|moment| grouped(moment.users))
        }),
        Column::right("Usage", move |row| {
            moment(row, &|moment| cell(usage(moment), Unit::Usage))
        })
        .keyed(move |row| match *row {
            Row::Missing(_) => Value::Null,
            Row::Moment(place) => usage(&timeline.moments[place]),
        }),
        counted("Added", |step| step.added),
        counted("Removed", |step| step.removed),
        counted("Moved", |step| step.moved),
        counted("New shares", |step| step.shares_count),
        Column::right("Diluted", move |row| moment(row, &diluted)),
        counted("New ranks", |step| step.ranks),
        Column::left("Largest move", move |row| moment(row, &furthest)),
    ];
    // Many columns may be empty throughout: a series of shares alone has no ranks, for example.
    let mut place = 0;
    columns.retain(|column| {
        let says_something =
            |moment| !matches!(&*column.cell(&Row::Moment(moment)).shown(), "" | "0");
        place += 1;
        place <= 2 || (0..timeline.moments.len()).any(says_something)
    });
    columns
}

/// What a moment changed; empty if it changed nothing of the kind.
fn step_cell(
    moment: &Moment,
    count: impl Fn(&Transition) -> usize,
    text: impl Fn(&Transition) -> Shown,
) -> Shown {
    let step = moment.step.as_ref().filter(|step| count(step) > 0);
    step.map_or_else(Shown::default, text)
}

fn diluted(moment: &Moment) -> Shown {
    step_cell(
        moment,
        |step| step.diluted,
        |step| sentence!("{} {}", grouped(step.diluted), percent(step.dilution)),
    )
}

fn furthest(moment: &Moment) -> Shown {
    let step = moment.step.as_ref();
    let furthest = step.and_then(|step| step.furthest.as_ref());
    furthest.map_or_else(Shown::default, |(user, ranks)| {
        sentence!("{} {} → {}", path(user), ranks.before, ranks.after)
    })
}

/// Shares that changed at a moment.
type DatedChange<'a> = (&'a Moment, &'a ShareChange);

/// Which shares changed when, the newest changes last.
fn put_shares(page: &mut Page<'_>, timeline: &Timeline, limit: usize) -> io::Result<()> {
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
    page.gap()?;
    page.paragraph("Changed shares, newest first:")?;
    let newest: Vec<_> = changes.into_iter().rev().take(limit).collect();
    let columns = [
        Column::left("When", |(moment, _): &DatedChange<'_>| moment.dump.when()),
        Column::left("Node", |(_, change): &DatedChange<'_>| {
            change.path.as_deref().map_or_else(Shown::default, path)
        }),
        Column::right("Shares", |(_, change): &DatedChange<'_>| {
            let [before, after] = [change.shares.before, change.shares.after].map(shares);
            sentence!("{before} → {after}")
        }),
    ];
    page.table(&columns, newest.iter().copied())?;
    left_off(page, count - newest.len())
}

/// Writes the users that moved furthest.
fn put_movers(page: &mut Page<'_>, timeline: &Timeline, limit: usize) -> io::Result<()> {
    let measure = timeline.measure();
    let tracks = timeline.tracks.iter().take(limit);
    let tracks: Vec<_> = tracks
        .filter_map(|track| Some((track, track.span(measure)?)))
        .collect();
    if tracks.is_empty() {
        return Ok(());
    }
    page.gap()?;
    let (heading, best, worst) = match measure {
        Measure::Rank => (
            "Largest changes of rank; higher is better, a dot is a missing dump:".into(),
            "Best",
            "Worst",
        ),
        Measure::Target => (
            sentence!(
                "Largest changes of {}; a dot is a missing dump:",
                timeline.policy().target_column().name()
            ),
            "Least",
            "Most",
        ),
    };
    page.paragraph(heading)?;
    let unit = timeline.policy().target_column().unit();
    let number = |number: f64| match measure {
        Measure::Rank => grouped(whole(number)),
        Measure::Target => cell(Value::Double(number), unit),
    };
    let columns = [
        Column::left("Node", |(track, _): &(&Track, ValueRange)| title(track)),
        Column::right("First", |(_, span): &(&Track, ValueRange)| {
            number(span.first)
        }),
        Column::right("Last", |(_, span): &(&Track, ValueRange)| number(span.last)),
        Column::right("Change", |(_, span): &(&Track, ValueRange)| match measure {
            Measure::Rank => change(whole(span.first) - whole(span.last), false),
            Measure::Target if span.first > 0.0 => signed(percent(span.last / span.first - 1.0)),
            Measure::Target => Shown::default(),
        })
        .keyed(|(_, span)| match measure {
            Measure::Rank => Value::Count(whole(span.first) - whole(span.last)),
            Measure::Target if span.first > 0.0 => Value::Double(span.last / span.first - 1.0),
            Measure::Target => Value::Null,
        }),
        Column::right(best, |(_, span): &(&Track, ValueRange)| number(span.least)),
        Column::right(worst, |(_, span): &(&Track, ValueRange)| number(span.most)),
        Column::left("Trend", |(track, _): &(&Track, ValueRange)| {
            line(timeline, track, figure(timeline))
        }),
    ];
    page.figures(|| {
        let drawn = tracks.iter().take(MOST_NAMES);
        let drawn: Vec<_> = drawn.map(|&(track, _)| (track, title(track))).collect();
        drawing(timeline, &drawn, &[figure(timeline)])
    })?;
    page.table(&columns, tracks.iter().copied())
}

/// Returns a number with a plus if it grew.
fn signed(text: Shown) -> Shown {
    if text.starts_with(['-', '>', '0']) {
        text
    } else {
        sentence!("+{text}")
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a rank is a whole number of 32 bits"
)]
fn whole(rank: f64) -> i64 {
    rank as i64
}

/// Writes below a table how many rows were left out.
fn left_off(page: &mut Page<'_>, rows: usize) -> io::Result<()> {
    if rows == 0 {
        return Ok(());
    }
    let count = grouped(rows);
    page.line(sentence!("… and {count} more; --limit shows more or fewer"))
}
