//! The selected node of a step as time passes, under each assumption about what everybody uses: the lines of the screen Time.

use crate::analysis::simulate::{Assumptions, NodeSeries, Preset, Series, Simulation};
use crate::base::number::{DAY, Unit};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people};
use crate::report::View;
use crate::report::moments::Moments;
use crate::report::render::document::Document;
use crate::report::render::drawing::{Curve, Drawing, Figure, Moment};
use crate::report::words::on_its_own;
use crate::report::words::simulate::{decay, preset};
use crate::rules::clock::usual_span;
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The steps of a line.
const STEPS: u64 = 60;

/// The length of the lines in seconds where usage does not halve.
const MONTH: u64 = 30 * DAY as u64;

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
    let until = usual_span(settings).unwrap_or(MONTH);
    let mut presets = vec![Preset::Idle, Preset::Steady, Preset::OnlyIdle(node)];
    if !settings.time.pace.is_idle() {
        presets.push(Preset::AsPlanned);
    }
    let mut lines = Vec::new();
    for assumed in presets {
        lines.extend(line(now, node, assumed, until));
    }
    let first = lines.first()?;
    let moments = Moments {
        taken: settings.time.taken,
    };
    let mut drawn_moments = Vec::new();
    for &passed in &first.series.times {
        drawn_moments.push(Moment {
            at: passed as f64,
            text: moments.text(passed),
        });
    }
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
            moments: drawn_moments,
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

/// Returns the numbers of a node at the moments.
type Numbers = fn(&NodeSeries) -> Vec<Option<f64>>;

/// The heading of a node's portion of the usage of its level.
const USAGE_SHARE: &str = "Share of its level's usage";

/// Returns the figures: rank, factor, usage and its portion of the level's, as far as the node has them.
fn figures(now: &Scenario, lines: &[OutlookLine]) -> Vec<Figure> {
    let factor = now.policy().factor_column();
    let quantities: [(&str, Unit, Numbers); 4] = [
        (ColumnId::Rank.heading(), Unit::Rank, ranks),
        (factor.heading(), factor.unit(), |line| line.factor.clone()),
        (ColumnId::Usage.heading(), Unit::Usage, |line| {
            line.usage.clone()
        }),
        (USAGE_SHARE, Unit::Portion, |line| line.usage_share.clone()),
    ];
    let mut figures = Vec::new();
    for (heading, unit, numbers) in quantities {
        let mut figure = Figure {
            heading: heading.into(),
            unit,
            curves: Vec::new(),
        };
        for (name, line) in lines.iter().enumerate() {
            for node in &line.series.lines {
                figure.curves.extend(Curve::new(name, false, numbers(node)));
            }
        }
        if !figure.curves.is_empty() {
            figures.push(figure);
        }
    }
    figures
}

/// Returns the ranks of a node at the moments.
fn ranks(line: &NodeSeries) -> Vec<Option<f64>> {
    let mut ranks = Vec::new();
    for rank in &line.rank {
        ranks.push(rank.map(f64::from));
    }
    ranks
}

impl Outlook {
    /// Adds it to a document.
    pub(super) fn add_to(&self, document: &mut Document<'_>) {
        document.subsection("Time");
        document.paragraph(self.about.clone());
        document.figures(self.drawing.clone());
    }
}
