//! A timeline as comma-separated values: a row for every node at every moment, and one without numbers where the node is
//! not there.

use crate::analysis::timeline::{Moment, Point, Timeline, Track};
use crate::base::number::{Unit, Value};
use crate::report::csv;
use crate::report::json::shares;
use crate::report::table::Column;
use crate::source::format::input;
use std::io::{self, Write};

/// A node at a moment.
struct Row<'a> {
    moment: &'a Moment,
    track: &'a Track,
    point: Option<&'a Point>,
}

/// A column of text.
fn text<'a>(name: &'static str, text: impl Fn(&Row<'a>) -> String + 'a) -> Column<'a, Row<'a>> {
    Column::exact(name, move |row| text(row).into())
}

/// A column of a number; empty where the node does not exist.
fn number<'a>(name: &'static str, number: impl Fn(&Point) -> Value + 'a) -> Column<'a, Row<'a>> {
    Column::number(name, Unit::Usage, move |row: &Row<'a>| {
        row.point.map_or(Value::Null, &number)
    })
}

fn double(number: Option<f64>) -> Value {
    number.map_or(Value::Null, Value::Double)
}

fn count(rank: u32) -> Value {
    Value::Count(rank.into())
}

pub(super) fn write(out: &mut dyn Write, timeline: &Timeline, tracks: &[Track]) -> io::Result<()> {
    let columns = [
        text("when", |row| row.moment.dump.when().into()),
        text("file", |row| input::name(&row.moment.dump.path).into()),
        text("path", |row| row.track.path.clone()),
        text("is_there", |row| row.point.is_some().to_string()),
        number("shares", |point| shares(point.shares)),
        number("target", |point| double(point.target)),
        number("usage", |point| double(point.usage)),
        number("factor", |point| point.factor),
        number("rank", |point| point.rank.map_or(Value::Null, count)),
    ];
    let moments = timeline.moments.iter().enumerate();
    let rows = moments.flat_map(|(place, moment)| {
        tracks.iter().map(move |track| Row {
            moment,
            track,
            point: track.points[place].as_ref(),
        })
    });
    csv::write(out, &columns, rows)
}
