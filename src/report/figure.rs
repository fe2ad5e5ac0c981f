//! Numbers over time as data, for a form that can draw.

use crate::base::shown::Shown;

/// The most nodes that are drawn, because more lines cannot be told apart.
pub(super) const MOST_NAMES: usize = 12;

/// Drawings of the same nodes over the same moments.
pub(super) struct Drawing<'a> {
    /// The moments, in order.
    pub(super) moments: Vec<Moment>,
    /// The nodes; each has one line in each figure at most, and one more under another setting.
    pub(super) names: Vec<Shown>,
    /// The figures.
    pub(super) figures: Vec<Figure<'a>>,
    /// What is to be said of all of them.
    pub(super) note: Option<Shown>,
}

/// A moment of a drawing.
pub(super) struct Moment {
    /// Its place on the axis.
    pub(super) at: f64,
    /// The text for people.
    pub(super) text: Shown,
}

/// One quantity of some nodes.
pub(super) struct Figure<'a> {
    /// What is drawn.
    pub(super) heading: Shown,
    /// Whether smaller numbers are drawn higher, as for ranks.
    pub(super) is_reversed: bool,
    /// Whether only whole numbers have a meaning.
    pub(super) is_whole: bool,
    /// Returns a number as text.
    pub(super) text: Box<dyn Fn(f64) -> Shown + 'a>,
    /// The lines.
    pub(super) curves: Vec<Curve>,
}

/// One quantity of one node.
pub(super) struct Curve {
    /// The place of the node among the names.
    pub(super) name: usize,
    /// Whether the line is that of another setting.
    pub(super) is_other: bool,
    /// The values by moment; `None` where there is none.
    pub(super) values: Vec<Option<f64>>,
}

impl Curve {
    /// Returns the first and the last value; `None` without any.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        let mut values = self.values.iter().flatten();
        let first = *values.next()?;
        Some((first, *values.next_back().unwrap_or(&first)))
    }
}

impl Figure<'_> {
    /// Returns the smallest and the largest number; `None` without any.
    pub(super) fn bounds(&self) -> Option<(f64, f64)> {
        let values = self.curves.iter().flat_map(|curve| &curve.values);
        values.flatten().fold(None, |bounds, &value| {
            let (least, most) = bounds.unwrap_or((value, value));
            Some((value.min(least), value.max(most)))
        })
    }
}
