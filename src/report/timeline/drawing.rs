//! The numbers of nodes over time, to be drawn; missing values leave a gap.

use crate::analysis::timeline::{Measure, Point, Timeline, Track};
use crate::base::number::{Unit, Value};
use crate::base::shown::Shown;
use crate::report::render::drawing::{self, Curve, Drawing, Figure};
use crate::report::render::json::shares;
use crate::rules::policy::{ColumnId, Policy};

/// How many places a gap takes at most: what is missing for a century need not be drawn in full.
const WIDEST_GAP: usize = 40;

/// A number of a node at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The raw shares.
    Shares,
    /// What the node should get, by its shares.
    Target,
    /// The usage.
    Usage,
    /// The number by which the policy ranks it.
    Factor,
    /// The rank.
    Rank,
}

impl Quantity {
    /// All of them in the order of tables.
    pub(super) const ALL: [Self; 5] = [
        Self::Shares,
        Self::Target,
        Self::Usage,
        Self::Factor,
        Self::Rank,
    ];

    /// All of them in the order of drawings.
    const DRAWN: [Self; 5] = [
        Self::Rank,
        Self::Factor,
        Self::Usage,
        Self::Shares,
        Self::Target,
    ];

    /// Returns the quantity that tells how far nodes moved.
    pub(super) const fn of(measure: Measure) -> Self {
        match measure {
            Measure::Rank => Self::Rank,
            Measure::Target => Self::Target,
        }
    }

    /// Returns its name for machines.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shares => "shares",
            Self::Target => "target",
            Self::Usage => "usage",
            Self::Factor => "factor",
            Self::Rank => "rank",
        }
    }

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

    /// Returns the number of a node at a moment.
    pub(super) fn value(self, point: &Point) -> Value {
        match self {
            Self::Shares => shares(point.shares),
            Self::Target => point.target.into(),
            Self::Usage => point.usage.into(),
            Self::Factor => point.factor,
            Self::Rank => point.rank.into(),
        }
    }

    /// Returns the figure of the quantity without curves.
    pub(super) fn figure(self, policy: Policy) -> Figure {
        let column = self.column(policy);
        let unit = match self {
            Self::Shares => Unit::Count,
            Self::Rank => Unit::Rank,
            _ => column.unit(),
        };
        Figure {
            heading: column.heading().into(),
            unit,
            curves: Vec::new(),
        }
    }
}

/// Returns the numbers of a node in order of time; `None` where it does not exist or a dump is missing.
pub(super) fn values(timeline: &Timeline, track: &Track, quantity: Quantity) -> Vec<Option<f64>> {
    let mut values = Vec::new();
    for (moment, point) in timeline.moments.iter().zip(&track.points) {
        let gap = moment.missing.min(WIDEST_GAP);
        values.resize(values.len() + gap, None);
        let mut number = None;
        if let Some(point) = point {
            number = quantity.value(point).as_f64();
        }
        values.push(number.filter(|number| number.is_finite()));
    }
    values
}

/// Returns the drawing of every quantity of a node.
pub(crate) fn drawing_of(timeline: &Timeline, track: &Track) -> Drawing {
    drawing(timeline, &[track], &Quantity::DRAWN)
}

/// Returns the drawing of some nodes, with a figure for each quantity.
pub(super) fn drawing(timeline: &Timeline, tracks: &[&Track], quantities: &[Quantity]) -> Drawing {
    let policy = timeline.policy();
    let mut figures = Vec::new();
    for &quantity in quantities {
        let mut figure = quantity.figure(policy);
        for (name, track) in tracks.iter().enumerate() {
            let values = values(timeline, track, quantity);
            figure.curves.extend(Curve::new(name, false, values));
        }
        figures.push(figure);
    }
    Drawing {
        moments: moments(timeline),
        names: tracks.iter().map(|track| super::title(track)).collect(),
        figures,
        note: None,
    }
}

/// Returns the moments at equal intervals, the missing ones without a text.
fn moments(timeline: &Timeline) -> Vec<drawing::Moment> {
    let mut moments = Vec::new();
    for moment in &timeline.moments {
        for _ in 0..moment.missing.min(WIDEST_GAP) {
            push(&mut moments, Shown::default());
        }
        push(&mut moments, moment.dump.when());
    }
    moments
}

/// Adds a moment behind the others.
fn push(moments: &mut Vec<drawing::Moment>, text: Shown) {
    let at = moments.len() as f64;
    moments.push(drawing::Moment { at, text });
}
