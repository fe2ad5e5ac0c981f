//! A timeline as text.

use super::chart::{Figure, drawing, line};
use super::{TimelineReport, USUAL_LIMIT};
use crate::analysis::timeline::{
    Lead, Measure, Moment, Point, ShareChange, Timeline, Track, Transition, ValueRange,
};
use crate::base::number::{DAY, Unit, Value, counted, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence, shown_path};
use crate::model::duration_for_people;
use crate::report::render::document::{Block, Document, MOST_NAMES, Medium};
use crate::report::render::table::{Cell, Column, Table};
use crate::report::shares;

/// Returns a description of a timeline, as a sentence without a full stop.
pub(crate) fn headline(timeline: &Timeline) -> Shown {
    let moments = &timeline.moments;
    let first = moments.first();
    let dumps = if first.is_some_and(|moment| moment.dump.computed.is_some()) {
        let moments = counted(moments.len(), "moment", "moments");
        sentence!("{moments}, computed from jobs,")
    } else {
        counted(moments.len(), "dump", "dumps")
    };
    let mut text = sentence!("{dumps} under {}", timeline.policy().title());
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
        return "one a day".into();
    }
    let seconds = u64::try_from(seconds).unwrap_or(0);
    sentence!("one every {}", duration_for_people(seconds))
}

pub(crate) fn title(track: &Track) -> Shown {
    path(&track.path)
}

fn path(path: &str) -> Shown {
    match path {
        "" => "the root".into(),
        path => shown_path(path),
    }
}

#[derive(Clone, Copy)]
enum TimelineRow {
    Moment(usize),
    Missing(usize),
}

fn rows(timeline: &Timeline) -> impl Iterator<Item = TimelineRow> + Clone {
    let moments = timeline.moments.iter().enumerate();
    moments.flat_map(|(place, moment)| {
        let missing = Some(moment.missing).filter(|&missing| missing > 0);
        let missing = missing.map(TimelineRow::Missing).into_iter();
        missing.chain([TimelineRow::Moment(place)])
    })
}

pub(super) fn document<'a>(report: &TimelineReport<'a>) -> Document<'a> {
    let timeline = report.timeline;
    let mut document = Document::default();
    document.paragraph(sentence!("{}.", headline(timeline)));
    if report.are_named {
        document.paragraphs(report.leads().into_iter().map(lead));
        for (place, track) in timeline.tracks.iter().enumerate() {
            let other = report.other.and_then(|other| other.tracks.get(place));
            document.gap();
            document.push_in(&[Medium::Html], Block::Heading(title(track)));
            let summary = Block::Paragraph(summary(timeline, track));
            document.push_in(&[Medium::Text, Medium::Markdown], summary);
            document.figures(move || drawing(timeline, &[(track, title(track))], &Figure::DRAWN));
            document.table(track_table(timeline, track, other));
        }
        return document;
    }
    let limit = report.limit.unwrap_or(USUAL_LIMIT);
    document.gap();
    document.table(moment_table(timeline));
    add_shares(&mut document, timeline, limit);
    add_movers(&mut document, timeline, limit);
    document
}

/// Says how often a node is ahead of another one: `a is ahead of b at 211 of 327 moments, in place of 150`.
fn lead((own, other, leads): (&Track, &Track, Vec<Lead>)) -> Shown {
    let (own, other) = (title(own), title(other));
    let all = counted(leads[0].of, "moment", "moments");
    match leads[..] {
        [now, then] => sentence!(
            "{own} would have been ahead of {other} at {} of {all}; it was at {}.",
            grouped(then.ahead),
            grouped(now.ahead)
        ),
        _ => sentence!(
            "{own} is ahead of {other} at {} of {all}.",
            grouped(leads[0].ahead)
        ),
    }
}

fn summary(timeline: &Timeline, track: &Track) -> Shown {
    let target = timeline.policy().target_column().name();
    let figures = [(Figure::Rank, "rank"), (Figure::Target, target)].into_iter();
    let mut lines = figures.map(|(figure, name)| (line(timeline, track, figure), name));
    let drawn = lines.find(|(line, _)| !line.is_empty());
    let absent = track.points.iter().filter(|point| point.is_none()).count();
    let mut parts = vec![title(track)];
    parts.extend(drawn.map(|(line, name)| sentence!("{name} {line}")));
    if absent > 0 {
        parts.push(sentence!("not in {}", counted(absent, "dump", "dumps")));
    }
    Shown::joined(&parts, "  ")
}

/// Returns a node at all moments, and its numbers under other rules beside them.
pub(crate) fn track_table<'a>(
    timeline: &'a Timeline,
    track: &'a Track,
    other: Option<&'a Track>,
) -> Table<'a> {
    let policy = timeline.policy();
    // The cell where the node exists, and its text where it does not.
    let at = move |track: &'a Track,
                   row: &TimelineRow,
                   there: &dyn Fn(&Point) -> Cell<'a>,
                   absent: &'static str| {
        let empty = |text: &'static str| Cell::Told(text.into(), Value::Null);
        match *row {
            TimelineRow::Missing(_) => empty(""),
            TimelineRow::Moment(place) => {
                let point = track.points[place].as_ref();
                point.map_or_else(|| empty(absent), there)
            }
        }
    };
    let number = move |track, heading: &'static str, figure: Figure| {
        let unit = figure.column(policy).unit();
        let cell = move |point: &Point| Cell::Number(figure.value(point), unit);
        Column::right(heading, move |row| at(track, row, &cell, ""))
    };
    let shares = |point: &Point| Cell::Told(shares(point.shares), point.shares.count().into());
    let mut columns = vec![
        when_column(timeline),
        Column::right("Shares", move |row| at(track, row, &shares, "not there")),
    ];
    let others = Figure::NAMED.into_iter().skip(1);
    columns.extend(others.map(|(_, it)| number(track, it.column(policy).heading(), it)));
    if let Some(other) = other {
        columns.extend([
            number(other, "Usage then", Figure::Usage),
            number(other, "Rank then", Figure::Rank),
        ]);
    }
    Table::new(columns, rows(timeline))
}

fn when_column(timeline: &Timeline) -> Column<'_, TimelineRow> {
    Column::left("When", move |row| match *row {
        TimelineRow::Missing(count) => {
            Cell::Told(sentence!("… {} missing", grouped(count)), Value::Null)
        }
        TimelineRow::Moment(place) => {
            let dump = &timeline.moments[place].dump;
            Cell::Told(dump.when(), Value::Count(dump.at))
        }
    })
}

/// Returns what there is at every moment, and what changed since the one before, in columns that say something.
pub(crate) fn moment_table(timeline: &Timeline) -> Table<'_> {
    let moment = move |row: &TimelineRow, cell: &dyn Fn(&Moment) -> Shown| match *row {
        TimelineRow::Missing(_) => Shown::default(),
        TimelineRow::Moment(place) => cell(&timeline.moments[place]),
    };
    let counted = |heading, count: fn(&Transition) -> usize| {
        let cell = move |moment: &Moment| step_cell(moment, count, |step| grouped(count(step)));
        Column::right(heading, move |row| moment(row, &cell))
    };
    let mut columns = vec![
        when_column(timeline),
        Column::right("Nodes", move |row| {
            moment(row, &|moment| grouped(moment.nodes))
        }),
        Column::right("Users", move |row| {
            moment(row, &|moment| grouped(moment.users))
        }),
        Column::number("Usage", Unit::Usage, move |row| match *row {
            TimelineRow::Missing(_) => Value::Null,
            TimelineRow::Moment(place) => timeline.moments[place].usage.into(),
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
        let says_something = |moment| {
            let text = column.cell(&TimelineRow::Moment(moment)).shown();
            !matches!(text.as_str(), "" | "0")
        };
        place += 1;
        place <= 2 || (0..timeline.moments.len()).any(says_something)
    });
    Table::new(columns, rows(timeline))
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

type ChangeColumn<'a> = Column<'a, (&'a Moment, &'a ShareChange)>;

fn add_shares<'a>(document: &mut Document<'a>, timeline: &'a Timeline, limit: usize) {
    let steps = timeline.moments.iter();
    let steps = steps.filter_map(|moment| Some((moment, moment.step.as_ref()?)));
    let count: usize = steps.clone().map(|(_, step)| step.shares_count).sum();
    let changes = steps.flat_map(|(at, step)| step.shares.iter().map(move |change| (at, change)));
    let changes: Vec<(&Moment, &ShareChange)> = changes.collect();
    if changes.is_empty() {
        return;
    }
    document.gap();
    document.paragraph("Changed shares, newest first:");
    let newest: Vec<_> = changes.into_iter().rev().take(limit).collect();
    let columns = vec![
        ChangeColumn::left("When", |(moment, _)| moment.dump.when()),
        ChangeColumn::left("Node", |(_, change)| {
            change.path.as_deref().map_or_else(Shown::default, path)
        }),
        ChangeColumn::right("Shares", |(_, change)| {
            let [before, after] = [change.shares.before, change.shares.after].map(shares);
            sentence!("{before} → {after}")
        }),
    ];
    let left = count - newest.len();
    document.table(Table::new(columns, newest.into_iter()));
    document.left_off(left);
}

type MoverColumn<'a> = Column<'a, (&'a Track, ValueRange)>;

fn add_movers<'a>(document: &mut Document<'a>, timeline: &'a Timeline, limit: usize) {
    let measure = timeline.measure();
    let tracks = timeline.tracks.iter().take(limit);
    let tracks = tracks.filter_map(|track| Some((track, track.span(measure)?)));
    let tracks: Vec<(&Track, ValueRange)> = tracks.collect();
    if tracks.is_empty() {
        return;
    }
    document.gap();
    let policy = timeline.policy();
    let (figure, heading, best, worst) = match measure {
        Measure::Rank => (
            Figure::Rank,
            "Largest changes of rank; higher is better, a dot is a missing dump:".into(),
            "Best",
            "Worst",
        ),
        Measure::Target => {
            let target = policy.target_column().name();
            let heading = sentence!("Largest changes of {target}; a dot is a missing dump:");
            (Figure::Target, heading, "Least", "Most")
        }
    };
    document.paragraph(heading);
    let number = move |number: f64| figure.text(number, policy);
    let columns = vec![
        MoverColumn::left("Node", |(track, _)| title(track)),
        MoverColumn::right("First", move |(_, span)| number(span.first)),
        MoverColumn::right("Last", move |(_, span)| number(span.last)),
        MoverColumn::right("Change", move |(_, span)| match measure {
            Measure::Rank => {
                let places = whole(span.first) - whole(span.last);
                Cell::Number(Value::Count(places), Unit::Change)
            }
            Measure::Target => {
                let is_there = span.first > 0.0;
                let change = is_there.then(|| span.last / span.first - 1.0);
                Cell::told(change, |change| signed(percent(change)))
            }
        }),
        MoverColumn::right(best, move |(_, span)| number(span.least)),
        MoverColumn::right(worst, move |(_, span)| number(span.most)),
        MoverColumn::left("Trend", move |(track, _)| line(timeline, track, figure)),
    ];
    let drawn = tracks.iter().take(MOST_NAMES);
    let drawn: Vec<_> = drawn.map(|&(track, _)| (track, title(track))).collect();
    document.figures(move || drawing(timeline, &drawn, &[figure]));
    document.table(Table::new(columns, tracks.into_iter()));
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
