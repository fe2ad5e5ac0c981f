//! A timeline as comma-separated values: a row for every node at every moment, and one without numbers where the node is
//! not there.

use crate::analysis::timeline::{Moment, Point, Timeline, Track};
use crate::base::number::{Exact, Value};
use crate::report::csv::{self, Column, put, put_text};
use crate::source::format::input;
use std::io::{self, Write};

/// A node at a moment.
struct Row<'a> {
    moment: &'a Moment,
    track: &'a Track,
    point: Option<&'a Point>,
}

impl Row<'_> {
    /// Adds a number; nothing where the node is not there.
    fn put(&self, text: &mut String, number: impl Fn(&Point) -> Value) {
        put(text, Exact(self.point.map_or(Value::Null, number)));
    }
}

fn double(number: Option<f64>) -> Value {
    number.map_or(Value::Null, Value::Double)
}

pub(super) fn write(out: &mut dyn Write, timeline: &Timeline, tracks: &[Track]) -> io::Result<()> {
    let columns: [Column<Row<'_>>; 9] = [
        ("when", |row, text| text.push_str(&row.moment.dump.when())),
        ("file", |row, text| {
            put_text(text, &input::name(&row.moment.dump.path));
        }),
        ("path", |row, text| put_text(text, &row.track.path)),
        ("is_there", |row, text| put(text, row.point.is_some())),
        ("shares", |row, text| {
            if let Some(point) = row.point {
                put(text, point.shares);
            }
        }),
        ("target", |row, text| {
            row.put(text, |point| double(point.target));
        }),
        ("usage", |row, text| {
            row.put(text, |point| double(point.usage));
        }),
        ("factor", |row, text| row.put(text, |point| point.factor)),
        ("rank", |row, text| {
            row.put(text, |point| {
                point
                    .rank
                    .map_or(Value::Null, |rank| Value::Count(rank.into()))
            });
        }),
    ];
    let rows = timeline.moments.len() * tracks.len();
    csv::emit(out, &columns, rows, |row| {
        let (place, track) = (row / tracks.len(), &tracks[row % tracks.len()]);
        Row {
            moment: &timeline.moments[place],
            track,
            point: track.points[place].as_ref(),
        }
    })
}
