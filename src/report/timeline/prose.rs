//! A timeline as text.
//!
//! Named nodes have a drawing and a table each. Without names there is the table of the moments, the newest changes of
//! shares, and the users that moved furthest, by rank or, where the dumps tell no ranks, by target.

use super::drawing::{Quantity, drawing, drawing_of, values};
use super::{LeadOfPair, TimelineReport, USUAL_LIMIT, path, title};
use crate::analysis::timeline::{
    Measure, Moment, Point, ShareChange, Timeline, Track, Transition, ValueRange,
};
use crate::base::number::{DAY, Unit, Value, counted, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::duration_for_people;
use crate::report::render::document::Document;
use crate::report::render::drawing::MOST_NAMES;
use crate::report::render::layout::sparkline;
use crate::report::render::line::{Emphasis, Line};
use crate::report::render::table::{Cell, Column, Heading, Table};
use crate::report::shares;

/// Returns a description of a timeline, as a sentence without a full stop.
pub(crate) fn headline(timeline: &Timeline) -> Shown {
    let moments = &timeline.moments;
    let dumps = match moments.first() {
        Some(first) if first.dump.computed.is_some() => {
            let moments = counted(moments.len(), "moment", "moments");
            sentence!("{moments}, computed from jobs,")
        }
        _ => counted(moments.len(), "dump", "dumps"),
    };
    let policy = timeline.policy();
    let mut text = sentence!("{dumps} under {}", policy.title());
    if let [first, .., last] = &moments[..] {
        let begin = first.dump.when();
        let end = last.dump.when();
        text += &sentence!(", {begin} to {end}");
    }
    if let Some(pace) = timeline.pace {
        let pace = every(pace);
        text += &sentence!(", {pace}");
        text += &missing_dumps(moments);
    }
    text
}

/// Returns how many dumps are missing between the moments, as a clause; empty if none is.
fn missing_dumps(moments: &[Moment]) -> Shown {
    let mut missing = 0;
    for moment in moments {
        missing += moment.missing;
    }
    if missing == 0 {
        return Shown::default();
    }
    let count = grouped(missing);
    let verb = word_for(missing, "is", "are");
    sentence!("; {count} {verb} missing")
}

/// Returns the pace of a series, which is in seconds from one dump to the next: `one a day`, `one every 7 d`.
fn every(seconds: i64) -> Shown {
    if seconds == i64::from(DAY) {
        return "one a day".into();
    }
    let pace = u64::try_from(seconds).unwrap_or(0);
    let time = duration_for_people(pace);
    sentence!("one every {time}")
}

/// A row of a table over time.
#[derive(Clone, Copy)]
enum TimelineRow {
    /// The moment at this place.
    Moment(usize),
    /// So many dumps are missing.
    Missing(usize),
}

/// Returns the moments, and where dumps are missing.
fn rows(timeline: &Timeline) -> std::vec::IntoIter<TimelineRow> {
    let mut rows = Vec::new();
    for (place, moment) in timeline.moments.iter().enumerate() {
        if moment.missing > 0 {
            rows.push(TimelineRow::Missing(moment.missing));
        }
        rows.push(TimelineRow::Moment(place));
    }
    rows.into_iter()
}

/// Returns the report for people.
pub(super) fn document<'a>(report: &TimelineReport<'a>) -> Document<'a> {
    let timeline = report.timeline;
    let mut document = Document::default();
    document.paragraph(sentence!("{}.", headline(timeline)));
    if report.are_named {
        add_tracks(&mut document, report);
    } else {
        add_overview(&mut document, report);
    }
    document
}

/// Adds the named nodes at all moments, and what changed between the dumps.
fn add_tracks<'a>(document: &mut Document<'a>, report: &TimelineReport<'a>) {
    let timeline = report.timeline;
    document.paragraphs(report.leads().iter().map(lead));
    for (place, track) in timeline.tracks.iter().enumerate() {
        let mut other = None;
        if let Some(compared) = report.other {
            other = compared.tracks.get(place);
        }
        document.gap();
        document.heading(summary(track));
        document.figures(drawing_of(timeline, track));
        document.table(track_table(timeline, track, other));
    }
    document.section("What changed between the dumps");
    document.table(moment_table(timeline));
    if report.lists_problems {
        add_problems(document, timeline);
    }
}

/// Adds the moments, the changes of shares, and the nodes that moved furthest.
fn add_overview<'a>(document: &mut Document<'a>, report: &TimelineReport<'a>) {
    let timeline = report.timeline;
    let limit = report.limit.unwrap_or(USUAL_LIMIT);
    document.gap();
    document.table(moment_table(timeline));
    add_shares(document, timeline, limit);
    add_movers(document, timeline, limit);
}

/// Lists the problems of the dumps, if there are any.
fn add_problems(document: &mut Document<'_>, timeline: &Timeline) {
    let problems = timeline.problems.list();
    if problems.is_empty() {
        return;
    }
    document.section("Problems of the dumps");
    for problem in problems {
        let text = sentence!("{problem}");
        document.line(Line::of(Emphasis::Warning, text));
    }
}

/// Says how often a node is ahead of another one: `a is ahead of b at 211 of 327 moments, instead of 150`.
fn lead(pair: &LeadOfPair<'_>) -> Shown {
    let own = title(pair.own);
    let other = title(pair.other);
    let all = counted(pair.lead.of, "moment", "moments");
    let now = grouped(pair.lead.ahead);
    let Some(then) = pair.under_other_rules else {
        return sentence!("{own} is ahead of {other} at {now} of {all}.");
    };
    let then = grouped(then.ahead);
    sentence!("{own} would have been ahead of {other} at {then} of {all}; it was at {now}.")
}

/// Returns the path of a node, and in how many dumps it is not.
fn summary(track: &Track) -> Shown {
    let path = title(track);
    let mut absent = 0;
    for point in &track.points {
        if point.is_none() {
            absent += 1;
        }
    }
    if absent == 0 {
        return path;
    }
    let dumps = counted(absent, "dump", "dumps");
    sentence!("{path}  not in {dumps}")
}

/// A column of a table over time.
type TimelineColumn<'a> = Column<'a, TimelineRow>;

/// Returns a node at all moments, and its numbers under other rules beside them.
fn track_table<'a>(
    timeline: &'a Timeline,
    track: &'a Track,
    other: Option<&'a Track>,
) -> Table<'a> {
    let policy = timeline.policy();
    let mut columns = vec![when_column(timeline), shares_column(track)];
    for quantity in Quantity::ALL {
        if quantity != Quantity::Shares {
            let heading = quantity.column(policy).heading();
            columns.push(number_column(timeline, track, quantity, heading));
        }
    }
    if let Some(other) = other {
        let usage = number_column(timeline, other, Quantity::Usage, "Usage then");
        let rank = number_column(timeline, other, Quantity::Rank, "Rank then");
        columns.extend([usage, rank]);
    }
    Table::new(columns, rows(timeline))
}

/// Returns a node in a row. `None` where it does not exist or a dump is missing.
fn point_at(track: &Track, row: TimelineRow) -> Option<&Point> {
    match row {
        TimelineRow::Missing(_) => None,
        TimelineRow::Moment(place) => track.points[place].as_ref(),
    }
}

/// Returns the column of a node's shares, which says where the node is not there.
fn shares_column(track: &Track) -> TimelineColumn<'_> {
    Column::right("Shares", move |&row| match point_at(track, row) {
        Some(point) => {
            let text = shares(point.shares);
            let count = point.shares.count();
            Cell::Told(text, count.into())
        }
        None if matches!(row, TimelineRow::Missing(_)) => empty(""),
        None => empty("not there"),
    })
}

/// Returns the column of a number of a node; its cells are empty where the node is not there.
fn number_column<'a>(
    timeline: &Timeline,
    track: &'a Track,
    quantity: Quantity,
    heading: &'static str,
) -> TimelineColumn<'a> {
    let column = quantity.column(timeline.policy());
    let unit = column.unit();
    Column::right(heading, move |&row| match point_at(track, row) {
        Some(point) => Cell::Number(quantity.value(point), unit),
        None => empty(""),
    })
}

/// Returns a cell without a number.
fn empty(text: &'static str) -> Cell<'static> {
    Cell::Told(text.into(), Value::Null)
}

/// Returns the column of the moments.
fn when_column(timeline: &Timeline) -> TimelineColumn<'_> {
    Column::left("When", move |&row| match row {
        TimelineRow::Missing(count) => {
            let count = grouped(count);
            let text = sentence!("… {count} missing");
            Cell::Told(text, Value::Null)
        }
        TimelineRow::Moment(place) => {
            let dump = &timeline.moments[place].dump;
            Cell::Told(dump.when(), Value::Count(dump.at))
        }
    })
}

/// Returns what there is at every moment, and what changed since the one before, in columns that say something.
fn moment_table(timeline: &Timeline) -> Table<'_> {
    let usage = TimelineColumn::number("Usage", Unit::Usage, move |&row| {
        match moment_at(timeline, row) {
            Some(moment) => moment.usage.into(),
            None => Value::Null,
        }
    });
    // The number of a column is its place in the order in which they get room.
    let mut columns = vec![
        when_column(timeline),
        moment_column(timeline, "Nodes", |moment| grouped(moment.nodes)),
        moment_column(timeline, "Users", |moment| grouped(moment.users)).giving_way(8),
        usage.giving_way(3),
        count_column(timeline, "Added", |step| step.added).giving_way(5),
        count_column(timeline, "Removed", |step| step.removed).giving_way(6),
        count_column(timeline, "Moved", |step| step.moved).giving_way(7),
        count_column(timeline, "New shares", |step| step.shares_count).giving_way(2),
        step_column(timeline, Heading::right("Diluted"), diluted).giving_way(4),
        count_column(timeline, "New ranks", |step| step.ranks).giving_way(1),
        step_column(timeline, Heading::left("Largest move"), furthest).giving_way(0),
    ];
    // Many columns may be empty throughout: a series of shares alone has no ranks, for example.
    let mut place = 0;
    columns.retain(|column| {
        place += 1;
        place <= 2 || says_something(column, timeline)
    });
    Table::new(columns, rows(timeline))
}

/// Returns whether a column has anything but zeros.
fn says_something(column: &TimelineColumn<'_>, timeline: &Timeline) -> bool {
    for moment in 0..timeline.moments.len() {
        let row = TimelineRow::Moment(moment);
        let text = column.cell(&row).shown();
        if !text.is_empty() && text != "0" {
            return true;
        }
    }
    false
}

/// Returns the moment of a row; `None` where dumps are missing.
fn moment_at(timeline: &Timeline, row: TimelineRow) -> Option<&Moment> {
    match row {
        TimelineRow::Missing(_) => None,
        TimelineRow::Moment(place) => Some(&timeline.moments[place]),
    }
}

/// Returns a column of what there is at every moment.
fn moment_column<'a>(
    timeline: &'a Timeline,
    heading: &'static str,
    text: fn(&Moment) -> Shown,
) -> TimelineColumn<'a> {
    Column::right(heading, move |&row| match moment_at(timeline, row) {
        Some(moment) => text(moment),
        None => Shown::default(),
    })
}

/// Returns a column of what changed since the moment before.
fn step_column<'a>(
    timeline: &'a Timeline,
    heading: Heading,
    text: impl Fn(&Transition) -> Shown + 'a,
) -> TimelineColumn<'a> {
    Column::new(heading, move |&row| {
        if let Some(moment) = moment_at(timeline, row)
            && let Some(step) = &moment.step
        {
            return text(step);
        }
        Shown::default()
    })
}

/// Returns a column of how much changed of a kind; empty where nothing did.
fn count_column<'a>(
    timeline: &'a Timeline,
    heading: &'static str,
    count: fn(&Transition) -> usize,
) -> TimelineColumn<'a> {
    let heading = Heading::right(heading);
    step_column(timeline, heading, move |step| match count(step) {
        0 => Shown::default(),
        count => grouped(count),
    })
}

/// Returns how many nodes lost a part of their targets, and the part; empty if none did.
fn diluted(step: &Transition) -> Shown {
    if step.diluted == 0 {
        return Shown::default();
    }
    let nodes = grouped(step.diluted);
    let part = percent(step.dilution);
    sentence!("{nodes} {part}")
}

/// Returns the user that moved furthest, with its ranks; empty if none moved.
fn furthest(step: &Transition) -> Shown {
    match &step.furthest {
        Some((user, ranks)) => {
            let user = path(user);
            sentence!("{user} {} → {}", ranks.before, ranks.after)
        }
        None => Shown::default(),
    }
}

/// A change of shares with its moment.
#[derive(Clone, Copy)]
struct ChangeRow<'a> {
    /// When it was first seen.
    moment: &'a Moment,
    /// The node, and its shares before and after.
    change: &'a ShareChange,
}

/// A column of changed shares.
type ChangeColumn<'a> = Column<'a, ChangeRow<'a>>;

/// Adds the changes of shares, the newest first.
fn add_shares<'a>(document: &mut Document<'a>, timeline: &'a Timeline, limit: usize) {
    let mut count = 0;
    let mut changes = Vec::new();
    for moment in &timeline.moments {
        if let Some(step) = &moment.step {
            count += step.shares_count;
            for change in &step.shares {
                changes.push(ChangeRow { moment, change });
            }
        }
    }
    if changes.is_empty() {
        return;
    }
    document.gap();
    document.paragraph("Changed shares, newest first:");
    changes.reverse();
    changes.truncate(limit);
    let columns = vec![
        ChangeColumn::left("When", |row| row.moment.dump.when()),
        ChangeColumn::left("Node", |row| match &row.change.path {
            Some(changed) => path(changed),
            None => Shown::default(),
        }),
        ChangeColumn::right("Shares", |row| {
            let changed = &row.change.shares;
            let before = shares(changed.before);
            let after = shares(changed.after);
            sentence!("{before} → {after}")
        }),
    ];
    let left = count - changes.len();
    let rows = changes.into_iter();
    document.table(Table::new(columns, rows));
    document.left_off(left);
}

/// A node that moved, with the range of what moved.
#[derive(Clone, Copy)]
struct Mover<'a> {
    /// The node.
    track: &'a Track,
    /// From where to where it moved, and its extremes on the way.
    range: ValueRange,
}

/// Adds the nodes that moved furthest, drawn and in a table.
fn add_movers<'a>(document: &mut Document<'a>, timeline: &'a Timeline, limit: usize) {
    let measure = timeline.measure();
    let mut movers = Vec::new();
    for track in timeline.tracks.iter().take(limit) {
        if let Some(range) = track.span(measure) {
            movers.push(Mover { track, range });
        }
    }
    if movers.is_empty() {
        return;
    }
    document.gap();
    document.paragraph(match measure {
        Measure::Rank => {
            "Largest changes of rank; higher is better, a dot is a missing dump:".into()
        }
        Measure::Target => {
            let target = timeline.policy().target_column().name();
            sentence!("Largest changes of {target}; a dot is a missing dump:")
        }
    });
    let quantity = Quantity::of(measure);
    let mut drawn = Vec::new();
    for mover in movers.iter().take(MOST_NAMES) {
        drawn.push(mover.track);
    }
    document.figures(drawing(timeline, &drawn, &[quantity]));
    let columns = mover_columns(timeline);
    document.table(Table::new(columns, movers.into_iter()));
}

/// A column of the nodes that moved.
type MoverColumn<'a> = Column<'a, Mover<'a>>;

/// Returns the columns of the nodes that moved.
fn mover_columns(timeline: &Timeline) -> Vec<MoverColumn<'_>> {
    let measure = timeline.measure();
    let are_ranks = measure == Measure::Rank;
    let quantity = Quantity::of(measure);
    let least = if are_ranks { "Best" } else { "Least" };
    let most = if are_ranks { "Worst" } else { "Most" };
    vec![
        MoverColumn::left("Node", |mover| title(mover.track)),
        range_column(timeline, "First", |range| range.first),
        range_column(timeline, "Last", |range| range.last),
        MoverColumn::right("Change", move |mover| change(measure, mover.range)),
        range_column(timeline, least, |range| range.least),
        range_column(timeline, most, |range| range.most),
        MoverColumn::left("Trend", move |mover| {
            let numbers = values(timeline, mover.track, quantity);
            sparkline(&numbers, are_ranks)
        }),
    ]
}

/// Returns a column of a number of the range in which a node moved.
fn range_column<'a>(
    timeline: &'a Timeline,
    heading: &'static str,
    number: fn(ValueRange) -> f64,
) -> MoverColumn<'a> {
    let quantity = Quantity::of(timeline.measure());
    let figure = quantity.figure(timeline.policy());
    MoverColumn::right(heading, move |mover| {
        let number = number(mover.range);
        figure.text(number)
    })
}

/// Returns how far a node moved: ranks by places, targets by a part of what they were, which says nothing after 0.
fn change(measure: Measure, range: ValueRange) -> Cell<'static> {
    match measure {
        Measure::Rank => {
            let places = whole(range.first) - whole(range.last);
            let change = Value::Count(places);
            Cell::Number(change, Unit::Change)
        }
        Measure::Target => {
            if range.first > 0.0 {
                let change = range.last / range.first - 1.0;
                let text = signed(percent(change));
                return Cell::Told(text, Value::Double(change));
            }
            empty("")
        }
    }
}

/// Returns a number with a plus if it grew.
fn signed(text: Shown) -> Shown {
    if text.starts_with(['-', '>', '0']) {
        return text;
    }
    sentence!("+{text}")
}

/// Returns a rank as a whole number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a rank is a whole number of 32 bits"
)]
fn whole(rank: f64) -> i64 {
    rank as i64
}
