//! Numbers over time as SVG.

use crate::base::shown::{Shown, sentence};
use crate::report::render::drawing::{Curve, Drawing, Figure, Scale};
use maud::{Markup, html};

/// The width of a drawing, in its own units.
const WIDTH: f64 = 400.0;

/// The height of a drawing.
const HEIGHT: f64 = 226.0;

/// The left edge of the plot.
const LEFT: f64 = 68.0;

/// The top edge of the plot.
const TOP: f64 = 12.0;

/// The right edge of the plot.
const RIGHT: f64 = 376.0;

/// The bottom edge of the plot.
const BOTTOM: f64 = 196.0;

/// The most points that are marked, each with its number.
const MOST_MARKS: usize = 400;

/// The distance between two numbers at the ends of lines.
const LINE: f64 = 12.0;

/// The number of colours of lines; beyond it they are dashed.
const COLOURS: usize = 6;

/// Returns the figures of a drawing, those that never change as sentences, and the legend.
pub(super) fn markup(drawing: &Drawing) -> Markup {
    let mut plots = Vec::new();
    let mut sentences = Vec::new();
    for figure in &drawing.figures {
        if let Some(sentence) = figure.throughout(drawing.names.len()) {
            sentences.push(sentence);
        } else if let Some(plot) = Plot::of(drawing, figure) {
            plots.push(plot);
        }
    }
    html! {
        @if !plots.is_empty() {
            div.figures {
                @for plot in &plots { (plot.markup()) }
            }
            "\n"
            @if drawing.names.len() > 1 { (legend(drawing)) }
            @if let Some(note) = &drawing.note { p.note { (note.as_str()) } "\n" }
        }
        @for sentence in &sentences { p { (sentence.as_str()) } "\n" }
    }
}

/// A figure with the places of its points.
struct Plot<'a> {
    /// The drawing, which has the moments and the names.
    drawing: &'a Drawing,
    /// The lines that are drawn over these moments.
    figure: &'a Figure,
    /// The numbers at the bottom and at the top.
    scale: Scale,
    /// The place of each moment from left to right.
    places: Vec<f64>,
}

/// The number of a node at the end of its line.
struct LineEnd {
    /// Its place from the top, in units of the picture.
    y: f64,
    /// Its place from the left, in units of the picture.
    x: f64,
    /// The node, by its place among the names.
    name: usize,
    /// The number of the node, or of all nodes whose line it is: `1, 2`.
    numbers: Shown,
}

impl<'a> Plot<'a> {
    /// Returns the plot of a figure; `None` without any number.
    fn of(drawing: &'a Drawing, figure: &'a Figure) -> Option<Self> {
        let scale = Scale::of(figure)?;
        let mut places = drawing.places();
        for place in &mut places {
            *place = LEFT + *place * (RIGHT - LEFT);
        }
        Some(Self {
            drawing,
            figure,
            scale,
            places,
        })
    }

    /// Returns the place of a number from top to bottom.
    fn y(&self, number: f64) -> f64 {
        BOTTOM - self.scale.height(number) * (BOTTOM - TOP)
    }

    /// Returns the figure: its caption, its axes and its lines.
    fn markup(&self) -> Markup {
        let view_box = sentence!("0 0 {WIDTH} {HEIGHT}");
        html! {
            figure {
                figcaption { (self.figure.title().as_str()) }
                "\n"
                svg viewBox=(view_box) role="img" aria-label=(self.in_words()) {
                    (self.scale_markup())
                    (self.moments_markup())
                    (self.curves_markup())
                    @if self.drawing.names.len() > 1 {
                        (self.numbers())
                    }
                }
            }
            "\n"
        }
    }

    /// Returns the line and the number of each tick of the scale.
    fn scale_markup(&self) -> Markup {
        let left = at(LEFT);
        let right = at(RIGHT);
        let text_right = at(LEFT - 8.0);
        html! {
            @for tick in self.scale.ticks() {
                @let y = self.y(tick);
                @let height = at(y);
                @let baseline = at(y + 4.0);
                path.grid d=(sentence!("M{left},{height}H{right}")) {}
                text.scale x=(text_right) y=(baseline) {
                    (self.figure.text(tick).as_str())
                }
            }
        }
    }

    /// Returns the first and the last moment, below the figure.
    fn moments_markup(&self) -> Markup {
        let first = self.drawing.first();
        let last = self.drawing.last();
        let baseline = at(BOTTOM + 20.0);
        html! {
            text.first x=(at(LEFT)) y=(baseline) { (first.as_str()) }
            text.last x=(at(RIGHT)) y=(baseline) { (last.as_str()) }
        }
    }

    /// Returns the lines, and the marks of their numbers if there are few.
    fn curves_markup(&self) -> Markup {
        let curves = &self.figure.curves;
        let mut points = 0;
        for curve in curves {
            points += curve.values.len();
        }
        html! {
            @for curve in curves {
                @let colour = colour(curve.name, curve.is_other);
                path class={ "curve " (colour.as_str()) } d=(self.path(curve)) {}
            }
            @if points <= MOST_MARKS {
                @for curve in curves {
                    (self.marks(curve))
                }
            }
        }
    }

    /// Returns the line of a node, interrupted where there is no number.
    fn path(&self, curve: &Curve) -> Shown {
        let mut path = Shown::default();
        let mut sign = 'M';
        for (&x, value) in self.places.iter().zip(&curve.values) {
            let Some(value) = *value else {
                sign = 'M';
                continue;
            };
            path += &sentence!("{sign}{},{}", at(x), at(self.y(value)));
            sign = 'L';
        }
        path
    }

    /// Returns a mark for each number, which says it.
    fn marks(&self, curve: &Curve) -> Markup {
        let name = self.names(curve);
        let colour = colour(curve.name, curve.is_other);
        html! {
            @for (place, value) in curve.values.iter().enumerate() {
                @if let Some(value) = *value {
                    @let x = at(self.places[place]);
                    @let y = at(self.y(value));
                    @let moment = &self.drawing.moments[place];
                    circle class={ "mark " (colour.as_str()) } cx=(x) cy=(y) r="2.2" {
                        title {
                            (name.as_str())
                            ", "
                            (moment.text.as_str())
                            ": "
                            (self.figure.text(value).as_str())
                        }
                    }
                }
            }
        }
    }

    /// Returns the names of the nodes of a line, with commas between them.
    fn names(&self, curve: &Curve) -> Shown {
        let mut names = Vec::new();
        for node in curve.nodes() {
            names.push(self.drawing.names[node].clone());
        }
        Shown::joined(&names, ", ")
    }

    /// Returns the number of each node at the end of its line, none over another.
    fn numbers(&self) -> Markup {
        let mut ends = self.ends();
        let mut lowest = f64::MIN;
        for end in &mut ends {
            end.y = end.y.max(lowest + LINE);
            lowest = end.y;
        }
        // What was pushed out at the bottom is pushed back up.
        let mut highest = HEIGHT - LINE;
        for end in ends.iter_mut().rev() {
            end.y = end.y.min(highest);
            highest = end.y - LINE;
        }
        html! {
            @for end in ends {
                @let x = at(end.x + 7.0);
                @let y = at(end.y + 4.0);
                text.end x=(x) y=(y) { (end.numbers.as_str()) }
            }
        }
    }

    /// Returns the ends of the lines of the nodes, the highest first.
    fn ends(&self) -> Vec<LineEnd> {
        let mut ends = Vec::new();
        for curve in &self.figure.curves {
            let last = curve.values.iter().rposition(Option::is_some);
            if let Some(place) = last
                && let Some(value) = curve.values[place]
                && !curve.is_other
            {
                let mut numbers = Vec::new();
                for node in curve.nodes() {
                    numbers.push(sentence!("{}", node + 1));
                }
                ends.push(LineEnd {
                    y: self.y(value),
                    x: self.places[place],
                    name: curve.name,
                    numbers: Shown::joined(&numbers, ", "),
                });
            }
        }
        ends.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.name.cmp(&b.name)));
        ends
    }

    /// Returns what is drawn, for those who cannot see it: the first and the last number of each node.
    fn in_words(&self) -> Shown {
        let mut parts = Vec::new();
        for curve in &self.figure.curves {
            let mut values = curve.values.iter().flatten();
            if let Some(&first) = values.next()
                && !curve.is_other
            {
                let last = *values.next_back().unwrap_or(&first);
                let name = self.names(curve);
                let from = self.figure.text(first);
                let to = self.figure.text(last);
                parts.push(sentence!("{name} from {from} to {to}"));
            }
        }
        let title = self.figure.title();
        let all_parts = Shown::joined(parts, "; ");
        sentence!("{title}: {all_parts}")
    }
}

/// Returns a coordinate as it is written: one decimal for every browser.
fn at(number: f64) -> Shown {
    // -0.0 is written as 0.0.
    sentence!("{:.1}", number + 0.0)
}

/// Returns the classes of a line: its colour, and whether it is dashed or dotted.
fn colour(name: usize, is_other: bool) -> Shown {
    let style = match is_other {
        true => " other",
        false if name >= COLOURS => " dashed",
        false => "",
    };
    sentence!("s{}{style}", name % COLOURS)
}

/// Returns the names of the nodes, each with its line.
fn legend(drawing: &Drawing) -> Markup {
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
