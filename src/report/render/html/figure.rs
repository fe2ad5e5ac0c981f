//! Numbers over time as drawings.

use crate::base::shown::{Shown, sentence};
use crate::report::render::document::{Curve, Drawing, Figure, bounds};
use maud::{Markup, html};

/// The size of a drawing, in its own units.
const SIZE: (f64, f64) = (400.0, 226.0);

/// The edges of the plot: left, top, right, bottom.
const PLOT: [f64; 4] = [68.0, 12.0, 376.0, 196.0];

/// The most points that are marked, each with its number.
const MOST_MARKS: usize = 400;

/// The distance between two numbers at the ends of lines.
const LINE: f64 = 12.0;

/// The number of colours of lines; beyond it they are dashed.
const COLOURS: usize = 6;

/// The distances between two numbers of the scale, times a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// The parts of the scale at most.
const PARTS: f64 = 4.0;

pub(super) fn markup(drawing: &Drawing<'_>) -> Markup {
    let figures = drawing.figures.iter();
    let figures = figures.filter_map(|it| Some((it, Scale::of(it)?)));
    html! {
        div.figures {
            @for (figure, scale) in figures { (draw(drawing, figure, &scale)) }
        }
        "\n"
        @if drawing.names.len() > 1 { (legend(drawing)) }
        @if let Some(note) = &drawing.note { p.note { (note.as_str()) } "\n" }
    }
}

struct Scale {
    least: f64,
    most: f64,
    step: f64,
    is_reversed: bool,
}

impl Scale {
    /// Returns round numbers around those of a figure; `None` if it has none.
    fn of(figure: &Figure<'_>) -> Option<Self> {
        let (least, most) = bounds(figure.curves.iter().flat_map(|curve| &curve.values))?;
        // Amounts are compared by their heights above zero, ranks are not.
        let (least, most) = match figure.is_reversed {
            true if most > least => (least, most),
            true => (least - 1.0, most + 1.0),
            false => (least.min(0.0), most.max(0.0)),
        };
        let span = if most > least { most - least } else { 1.0 };
        let power = 10_f64.powf((span / PARTS).log10().floor());
        let steps = STEPS.map(|step| step * power).into_iter();
        let step = steps.filter(|step| span / step <= PARTS);
        let step = step.fold(f64::MAX, f64::min);
        let step = if figure.is_whole { step.max(1.0) } else { step };
        let (least, most) = ((least / step).floor() * step, (most / step).ceil() * step);
        // No rank is better than the first.
        let lowest = if figure.is_reversed { 1.0 } else { f64::MIN };
        let least = least.max(lowest);
        let most = if most > least { most } else { least + step };
        Some(Self {
            least,
            most,
            step,
            is_reversed: figure.is_reversed,
        })
    }

    fn y(&self, number: f64) -> f64 {
        let [_, top, _, bottom] = PLOT;
        let part = (number - self.least) / (self.most - self.least);
        let part = if self.is_reversed { 1.0 - part } else { part };
        bottom - part * (bottom - top)
    }

    fn ticks(&self) -> Vec<f64> {
        let mut ticks = vec![self.least];
        let first = (self.least / self.step).floor() * self.step;
        let further = (1..=8).map(|place| first + f64::from(place) * self.step);
        let half = self.step * 0.5;
        ticks.extend(further.filter(|&it| it > self.least + half && it < self.most + half * 0.1));
        ticks
    }
}

fn x(drawing: &Drawing<'_>, place: usize) -> f64 {
    let at = |place: usize| drawing.moments[place].at;
    let span = at(drawing.moments.len() - 1) - at(0);
    let passed = at(place) - at(0);
    let part = if span > 0.0 { passed / span } else { 0.5 };
    PLOT[0] + part * (PLOT[2] - PLOT[0])
}

/// Returns a coordinate as it is written: one decimal for every browser.
fn at(number: f64) -> Shown {
    sentence!("{:.1}", number + 0.0)
}

fn draw(drawing: &Drawing<'_>, figure: &Figure<'_>, scale: &Scale) -> Markup {
    let [left, _, right, bottom] = PLOT;
    let ends = [drawing.moments.first(), drawing.moments.last()];
    let [first, last] = ends.map(|it| it.map_or_else(Shown::default, |it| it.text.clone()));
    let points: usize = figure.curves.iter().map(|curve| curve.values.len()).sum();
    html! {
        figure {
            figcaption { (figure.heading.as_str()) }
            "\n"
            svg viewBox=(sentence!("0 0 {} {}", SIZE.0, SIZE.1)) role="img" aria-label=(in_words(drawing, figure)) {
                @for tick in scale.ticks() {
                    @let y = scale.y(tick);
                    path.grid d=(sentence!("M{},{}H{}", at(left), at(y), at(right))) {}
                    text.scale x=(at(left - 8.0)) y=(at(y + 4.0)) { ((figure.text)(tick).as_str()) }
                }
                text.first x=(at(left)) y=(at(bottom + 20.0)) { (first.as_str()) }
                text.last x=(at(right)) y=(at(bottom + 20.0)) { (last.as_str()) }
                @for curve in &figure.curves {
                    path class={ "curve " (colour(curve.name, curve.is_other).as_str()) } d=(path(drawing, scale, curve)) {}
                }
                @if points <= MOST_MARKS {
                    @for curve in &figure.curves { (marks(drawing, figure, scale, curve)) }
                }
                @if drawing.names.len() > 1 { (numbers(drawing, figure, scale)) }
            }
        }
        "\n"
    }
}

fn colour(name: usize, is_other: bool) -> Shown {
    let style = match is_other {
        true => " other",
        false if name >= COLOURS => " dashed",
        false => "",
    };
    sentence!("s{}{style}", name % COLOURS)
}

/// Returns the line of a node, interrupted where there is no number.
fn path(drawing: &Drawing<'_>, scale: &Scale, curve: &Curve) -> Shown {
    let mut is_drawn = false;
    let points = curve.values.iter().enumerate();
    let points = points.filter_map(|(place, value)| {
        let sign = if is_drawn { 'L' } else { 'M' };
        is_drawn = value.is_some();
        let (x, y) = (at(x(drawing, place)), at(scale.y((*value)?)));
        Some(sentence!("{sign}{x},{y}"))
    });
    points.collect()
}

fn marks(drawing: &Drawing<'_>, figure: &Figure<'_>, scale: &Scale, curve: &Curve) -> Markup {
    let name = &drawing.names[curve.name];
    let colour = colour(curve.name, curve.is_other);
    html! {
        @for (place, value) in curve.values.iter().enumerate() {
            @if let Some(value) = *value {
                circle class={ "mark " (colour.as_str()) } cx=(at(x(drawing, place))) cy=(at(scale.y(value))) r="2.2" {
                    title {
                        (name.as_str()) ", " (drawing.moments[place].text.as_str()) ": " ((figure.text)(value).as_str())
                    }
                }
            }
        }
    }
}

/// Returns the number of each node at the end of its line, none over another.
fn numbers(drawing: &Drawing<'_>, figure: &Figure<'_>, scale: &Scale) -> Markup {
    let curves = figure.curves.iter().filter(|curve| !curve.is_other);
    let ends = curves.filter_map(|curve| {
        let place = curve.values.iter().rposition(Option::is_some)?;
        let value = curve.values[place]?;
        Some((scale.y(value), x(drawing, place), curve.name))
    });
    let mut ends: Vec<(f64, f64, usize)> = ends.collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
    let mut lowest = f64::MIN;
    for (y, ..) in &mut ends {
        *y = y.max(lowest + LINE);
        lowest = *y;
    }
    // What was pushed out at the bottom is pushed back up.
    let mut highest = SIZE.1 - LINE;
    for (y, ..) in ends.iter_mut().rev() {
        *y = y.min(highest);
        highest = *y - LINE;
    }
    html! {
        @for (y, x, name) in ends {
            text.end x=(at(x + 7.0)) y=(at(y + 4.0)) { (name + 1) }
        }
    }
}

fn legend(drawing: &Drawing<'_>) -> Markup {
    html! {
        ol.legend {
            @for (place, name) in drawing.names.iter().enumerate() {
                li {
                    svg viewBox="0 0 28 10" aria-hidden="true" {
                        path class={ "curve " (colour(place, false).as_str()) } d="M0,5H28" {}
                    }
                    " " (name.as_str())
                }
            }
        }
        "\n"
    }
}

fn in_words(drawing: &Drawing<'_>, figure: &Figure<'_>) -> Shown {
    let curves = figure.curves.iter().filter(|curve| !curve.is_other);
    let curves = curves.filter_map(|curve| {
        let (first, last) = curve.ends()?;
        let [first, last] = [first, last].map(&figure.text);
        let name = &drawing.names[curve.name];
        Some(sentence!("{name} from {first} to {last}"))
    });
    sentence!("{}: {}", figure.heading, Shown::joined(curves, "; "))
}
