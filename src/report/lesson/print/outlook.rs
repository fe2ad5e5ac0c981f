//! The selected node of a step as time passes, under each assumption about what everybody uses: the lines of the screen Time.

use crate::analysis::simulate::{Assumptions, Preset, Series, Simulation};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people};
use crate::report::View;
use crate::report::moments::Moments;
use crate::report::render::document::Document;
use crate::report::render::drawing::{Drawing, Figure};
use crate::report::simulate::{ForecastQuantity, moments_of};
use crate::report::words::on_its_own;
use crate::report::words::simulate::{decay, preset};
use crate::rules::clock::span_ahead;
use crate::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The steps of a line.
const STEPS: u64 = 60;

/// A node as time passes.
pub(super) struct Outlook {
    /// What is drawn.
    about: Shown,
    /// The lines, one for each assumption.
    drawing: Drawing,
}

/// A line of the drawing.
struct OutlookLine {
    /// What is assumed.
    name: Shown,
    /// The node at the moments.
    series: Series,
}

/// Returns a node under each assumption; `None` if nothing can be simulated.
pub(super) fn outlook(view: &View<'_>, now: &Scenario, node: NodeId) -> Option<Outlook> {
    let settings = now.settings();
    let until = span_ahead(settings);
    let mut lines = Vec::new();
    for assumed in Preset::around(node, now) {
        lines.extend(line(now, node, assumed, until));
    }
    let first = lines.first()?;
    let moments = Moments {
        taken: settings.time.taken,
    };
    let mut names = Vec::new();
    for line in &lines {
        names.push(line.name.clone());
    }
    let decays = decay(&Assumptions::of(now.tree(), settings, &settings.time.pace).decay);
    let path = view.path(node);
    let time = duration_for_people(until);
    Some(Outlook {
        about: sentence!("{path} in the next {time}, under each assumption:"),
        drawing: Drawing {
            moments: moments_of(&first.series, moments),
            names,
            figures: figures(now, &lines),
            note: Some(on_its_own(&decays)),
        },
    })
}

/// Returns the line of a node under an assumption; `None` if that cannot be simulated.
fn line(now: &Scenario, node: NodeId, assumed: Preset<'static>, until: u64) -> Option<OutlookLine> {
    let pace = assumed.pace(now).ok()?;
    let mut simulation = Simulation::of(now).at_pace(Arc::new(pace));
    let step = until.div_ceil(STEPS);
    let series = simulation.series(&[node], until, step, &mut |_| ControlFlow::Continue(()))?;
    Some(OutlookLine {
        name: preset(now.tree(), assumed),
        series,
    })
}

/// The quantities that are drawn, in their order.
const DRAWN: &[ForecastQuantity] = &[
    ForecastQuantity::Rank,
    ForecastQuantity::Factor,
    ForecastQuantity::Usage,
    ForecastQuantity::UsageShare,
];

/// The heading of a node's portion of the usage of its level.
const USAGE_SHARE: &str = "Share of its level's usage";

/// Returns the figures: rank, factor, usage and its portion of the level's, as far as the node has them.
fn figures(now: &Scenario, lines: &[OutlookLine]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for &quantity in DRAWN {
        let heading = match quantity {
            ForecastQuantity::UsageShare => USAGE_SHARE,
            _ => quantity.heading(now.policy()),
        };
        let mut figure = Figure {
            heading: heading.into(),
            unit: quantity.unit(),
            curves: Vec::new(),
        };
        for (name, line) in lines.iter().enumerate() {
            for node in &line.series.lines {
                figure.curves.extend(quantity.curve(name, false, node));
            }
        }
        if !figure.curves.is_empty() {
            figures.push(figure);
        }
    }
    figures
}

impl Outlook {
    /// Adds it to a document.
    pub(super) fn add_to(&self, document: &mut Document<'_>) {
        document.subsection("Time");
        document.paragraph(self.about.clone());
        document.figures(self.drawing.clone());
    }
}
