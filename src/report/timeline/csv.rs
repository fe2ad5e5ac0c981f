//! A timeline as comma-separated values: a row for every node at every moment, and one without numbers where the node is
//! not there.

use crate::analysis::timeline::{Timeline, Track};
use crate::base::number::Exact;
use crate::base::number::Value;
use crate::report::csv::{self, put, put_text};
use std::io::{self, Write};

const HEADER: [&str; 9] = [
    "when", "file", "path", "is_there", "shares", "target", "usage", "factor", "rank",
];

pub(super) fn write(out: &mut dyn Write, timeline: &Timeline, tracks: &[Track]) -> io::Result<()> {
    let rows = timeline.moments.len() * tracks.len();
    csv::write(out, &HEADER, rows, |row, column, text| {
        let place = row / tracks.len();
        let (moment, track) = (&timeline.moments[place], &tracks[row % tracks.len()]);
        let point = track.points[place].as_ref();
        let number = |number: Option<f64>| Exact(number.map_or(Value::Null, Value::Double));
        match (column, point) {
            (0, _) => text.push_str(&moment.dump.when()),
            (1, _) => put_text(text, &crate::source::format::input::name(&moment.dump.path)),
            (2, _) => put_text(text, &track.path),
            (3, point) => put(text, point.is_some()),
            (_, None) => {}
            (4, Some(point)) => put(text, point.shares),
            (5, Some(point)) => put(text, number(point.target)),
            (6, Some(point)) => put(text, number(point.usage)),
            (7, Some(point)) => put(text, Exact(point.factor)),
            (_, Some(point)) => {
                if let Some(rank) = point.rank {
                    put(text, rank);
                }
            }
        }
    })
}
