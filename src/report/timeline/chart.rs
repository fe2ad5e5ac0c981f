//! Charts of a node over time, in characters; missing values leave a gap.

use crate::analysis::timeline::{Point, Timeline, Track};
use crate::base::number::{Value, cell, grouped};
use crate::base::shown::{Shown, sentence};
use crate::report::render::document::{self as report, Curve, Document, Drawing, bounds, place_of};
use crate::report::render::json::shares;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Policy};

/// The marks of a line of one row, from the least to the most.
const MARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const GAP: char = '·';

/// The cells of a line of one row at most.
const LONGEST: usize = 60;

/// How many places a gap takes at most: what is missing for a century need not be drawn in full.
const WIDEST_GAP: usize = 40;

/// The cells of a moment in a chart at most.
const WIDEST_SLOT: usize = 6;

/// The cells left of a chart.
const SCALE: usize = 9;

/// A number of a node at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    Shares,
    Target,
    Usage,
    Factor,
    Rank,
}

impl Figure {
    /// All of them in the order of tables, by the names that they have for machines.
    pub(super) const NAMED: [(&'static str, Self); 5] = [
        ("shares", Self::Shares),
        ("target", Self::Target),
        ("usage", Self::Usage),
        ("factor", Self::Factor),
        ("rank", Self::Rank),
    ];

    /// All of them in the order of drawings.
    pub(super) const DRAWN: [Self; 5] = {
        let [shares, target, usage, factor, rank] = Self::NAMED;
        [rank.1, factor.1, usage.1, shares.1, target.1]
    };

    /// Returns the column that it is in the tables of a tree.
    pub(super) fn column(self, policy: Policy) -> ColumnId {
        match self {
            Self::Shares => ColumnId::Shares,
            Self::Target => policy.target_column(),
            Self::Usage => ColumnId::Usage,
            Self::Factor => policy.factor_column(),
            Self::Rank => ColumnId::Rank,
        }
    }

    pub(super) fn value(self, point: &Point) -> Value {
        match self {
            Self::Shares => shares(point.shares),
            Self::Target => point.target.into(),
            Self::Usage => point.usage.into(),
            Self::Factor => point.factor,
            Self::Rank => point.rank.into(),
        }
    }

    fn title(self, policy: Policy) -> Shown {
        match self {
            Self::Rank => "Rank, first at the top".into(),
            other => other.column(policy).heading().into(),
        }
    }

    fn of(self, point: &Point) -> Option<f64> {
        let number = self.value(point).as_f64();
        number.filter(|number| number.is_finite())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "ranks and shares are whole numbers far below 2^52"
    )]
    pub(super) fn text(self, number: f64, policy: Policy) -> Shown {
        match self {
            Self::Rank | Self::Shares => grouped(number as i64),
            other => cell(Value::Double(number), other.column(policy).unit()),
        }
    }
}

/// The numbers of a node in order of time; `None` where it does not exist or a dump is missing.
fn slots(timeline: &Timeline, track: &Track, figure: Figure) -> Vec<Option<f64>> {
    let mut slots = Vec::new();
    for (moment, point) in timeline.moments.iter().zip(&track.points) {
        slots.extend(std::iter::repeat_n(None, moment.missing.min(WIDEST_GAP)));
        slots.push(point.as_ref().and_then(|point| figure.of(point)));
    }
    slots
}

/// As many slots as there is room for: several moments become their mean.
fn fitted(slots: Vec<Option<f64>>, room: usize) -> Vec<Option<f64>> {
    let count = slots.len();
    if count <= room {
        return slots;
    }
    let mean = |place: usize| {
        let part = &slots[place * count / room..(place + 1) * count / room];
        let (mut sum, mut there) = (0.0, 0.0);
        for number in part.iter().flatten() {
            sum += number;
            there += 1.0;
        }
        (there > 0.0).then(|| sum / there)
    };
    (0..room).map(mean).collect()
}

/// The row of a number from the bottom, of so many rows; the middle where all are the same.
fn row(number: f64, (least, most): (f64, f64), rows: usize, figure: Figure) -> usize {
    if most <= least {
        return (rows - 1) / 2;
    }
    let part = ((number - least) / (most - least)).clamp(0.0, 1.0);
    let is_reversed = figure == Figure::Rank;
    place_of(if is_reversed { 1.0 - part } else { part }, rows)
}

/// Returns the drawing of some nodes, one figure for each quantity; a quantity that never changes is left out.
pub(super) fn drawing<'a>(
    timeline: &'a Timeline,
    tracks: &[(&Track, Shown)],
    figures: &[Figure],
) -> Drawing<'a> {
    let policy = timeline.policy();
    let curves = |figure: Figure| {
        let curve = |(name, (track, _)): (usize, &(&Track, Shown))| {
            Curve::new(name, false, slots(timeline, track, figure))
        };
        tracks.iter().enumerate().filter_map(curve).collect()
    };
    let drawn = figures.iter().map(|&figure| report::Figure {
        heading: figure.title(policy),
        is_reversed: figure == Figure::Rank,
        is_whole: matches!(figure, Figure::Rank | Figure::Shares),
        text: Box::new(move |number| figure.text(number, policy)),
        curves: curves(figure),
    });
    let changes = |figure: &report::Figure<'_>| {
        let bounds = bounds(figure.curves.iter().flat_map(|curve| &curve.values));
        bounds.is_some_and(|(least, most)| least < most)
    };
    Drawing {
        moments: moments(timeline),
        names: tracks.iter().map(|(_, title)| title.clone()).collect(),
        figures: drawn.filter(changes).collect(),
        note: None,
    }
}

fn moments(timeline: &Timeline) -> Vec<report::Moment> {
    let texts = timeline.moments.iter().flat_map(|moment| {
        let gap = std::iter::repeat_n(Shown::default(), moment.missing.min(WIDEST_GAP));
        gap.chain([moment.dump.when()])
    });
    let moments = (0_u32..).zip(texts);
    let moments = moments.map(|(at, text)| report::Moment {
        at: at.into(),
        text,
    });
    moments.collect()
}

/// Returns a line of one row: high is good for a rank, much for anything else.
pub(super) fn line(timeline: &Timeline, track: &Track, figure: Figure) -> Shown {
    let slots = fitted(slots(timeline, track, figure), LONGEST);
    let Some(bounds) = bounds(&slots) else {
        return Shown::default();
    };
    let mark = |slot: &Option<f64>| match slot {
        Some(number) => MARKS[row(*number, bounds, MARKS.len(), figure)],
        None => GAP,
    };
    Shown::again(slots.iter().map(mark).collect())
}

/// Adds drawings of every quantity of a node, each of so many rows and columns; one that never changed has no drawing.
pub(crate) fn add_charts(
    document: &mut Document<'_>,
    timeline: &Timeline,
    track: &Track,
    (rows, columns): (usize, usize),
) {
    let policy = timeline.policy();
    let mut add = |emphasis, line: &Shown| {
        document.line(Line::of(emphasis, sentence!("  {line}")).drawn());
    };
    for figure in Figure::DRAWN {
        let all = slots(timeline, track, figure);
        let Some((least, most)) = bounds(&all) else {
            continue;
        };
        if least >= most {
            let heading = figure.column(policy).heading();
            let number = figure.text(least, policy);
            let throughout = sentence!("{heading}: {number} throughout");
            add(Emphasis::Strong, &throughout);
            continue;
        }
        add(Emphasis::Strong, &figure.title(policy));
        let slots = fitted(all, columns.saturating_sub(SCALE + 1).max(1));
        for line in draw(timeline, &slots, (least, most), figure, rows, columns) {
            add(Emphasis::Plain, &line);
        }
    }
}

fn draw(
    timeline: &Timeline,
    slots: &[Option<f64>],
    bounds: (f64, f64),
    figure: Figure,
    rows: usize,
    columns: usize,
) -> Vec<Shown> {
    let policy = timeline.policy();
    let width = (columns.saturating_sub(SCALE + 1) / slots.len().max(1)).clamp(1, WIDEST_SLOT);
    let row_of = |number| row(number, bounds, rows, figure);
    let placed: Vec<Option<usize>> = slots.iter().map(|slot| slot.map(row_of)).collect();
    let (bottom, top) = match figure {
        Figure::Rank => (bounds.1, bounds.0),
        _ => bounds,
    };
    let mut lines = Vec::with_capacity(rows + 2);
    for row in (0..rows).rev() {
        let label = match row {
            _ if row + 1 == rows => figure.text(top, policy),
            0 => figure.text(bottom, policy),
            _ => Shown::default(),
        };
        let mut line = format!("{label:>SCALE$}│");
        for place in &placed {
            let is_here = *place == Some(row);
            line.push(if is_here { '●' } else { ' ' });
            let rest = if is_here { '─' } else { ' ' };
            line.extend(std::iter::repeat_n(rest, width - 1));
        }
        lines.push(Shown::again(line).trimmed());
    }
    let drawn = slots.len() * width;
    lines.push(sentence!("{:SCALE$}└{}", "", "─".repeat(drawn)));
    let ends = [timeline.moments.first(), timeline.moments.last()];
    let [first, last] = ends.map(|moment| moment.map_or_else(Shown::default, |m| m.dump.when()));
    let room = drawn.saturating_sub(first.len() + last.len());
    lines.push(if timeline.moments.len() < 2 || room < 2 {
        sentence!("{:SCALE$} {first} to {last}", "")
    } else {
        sentence!("{:SCALE$} {first}{:room$}{last}", "", "")
    });
    lines
}
