//! Numbers over time as SVG. A figure alone is drawn twice, for wide windows and for narrow ones, and the page shows the one
//! that fits: a drawing as wide as the page would have unreadable numbers on a phone.

use crate::base::shown::{Shown, cells, sentence};
use crate::report::render::drawing::{Curve, Drawing, Figure, Scale, letter};
use maud::{Markup, html};

/// The size of a drawing, in its own units.
#[derive(Clone, Copy)]
struct Size {
    /// The width.
    width: f64,
    /// The height.
    height: f64,
    /// The longest text of a moment for which there is one between the first and the last, in cells.
    longest: usize,
    /// When the page shows it; `None` for always.
    class: Option<&'static str>,
}

/// The size of a drawing beside others.
const USUAL: Size = Size {
    width: 400.0,
    height: 226.0,
    longest: 8,
    class: None,
};

/// The sizes of a drawing alone.
const ALONE: [Size; 2] = [
    Size {
        width: 760.0,
        height: 300.0,
        longest: 16,
        class: Some("wide"),
    },
    Size {
        class: Some("narrow"),
        ..USUAL
    },
];

/// The left edge of a plot at least.
const LEFT: f64 = 68.0;

/// The width of a digit.
const DIGIT: f64 = 6.4;

/// The distance of a number from the plot.
const BESIDE: f64 = 8.0;

/// The top edge of a plot.
const TOP: f64 = 12.0;

/// What is right of a plot at least.
const MARGIN: f64 = 24.0;

/// What is below a plot.
const BELOW: f64 = 30.0;

/// The parts of an axis at whose ends there are moments.
const PARTS: u8 = 4;

/// The most points that are marked, each with its number.
const MOST_MARKS: usize = 400;

/// The distance between two letters at the ends of lines.
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
    let mut sizes = &[USUAL][..];
    if plots.len() == 1 {
        sizes = &ALONE;
    }
    html! {
        @if !plots.is_empty() {
            div.figures {
                @for plot in &plots { (plot.markup(sizes)) }
            }
            "\n"
            @if drawing.names.len() > 1 { (legend(drawing)) }
            @if let Some(note) = &drawing.note { p.note { (note.as_str()) } "\n" }
        }
        @for sentence in &sentences { p { (sentence.as_str()) } "\n" }
    }
}

/// A figure with its scale.
struct Plot<'a> {
    /// The drawing, which has the moments and the names.
    drawing: &'a Drawing,
    /// The lines that are drawn over these moments.
    figure: &'a Figure,
    /// The numbers at the bottom and at the top.
    scale: Scale,
}

/// A figure with the places of its points.
struct PlacedPlot<'a> {
    /// The figure.
    plot: &'a Plot<'a>,
    /// The size of the drawing.
    size: Size,
    /// The numbers of the scale.
    ticks: Vec<f64>,
    /// The texts of these numbers.
    texts: Vec<Shown>,
    /// The left edge of the plot.
    left: f64,
    /// The right edge of the plot.
    right: f64,
    /// The bottom edge of the plot.
    bottom: f64,
    /// The place of each moment from left to right.
    places: Vec<f64>,
}

/// The letter of a node at the end of its line.
struct LineEnd {
    /// Its place from the top, in units of the picture.
    y: f64,
    /// Its place from the left, in units of the picture.
    x: f64,
    /// The node, by its place among the names.
    name: usize,
    /// The letter of the node, or of all nodes whose line it is: `a, b`.
    letters: Shown,
}

impl<'a> Plot<'a> {
    /// Returns the plot of a figure; `None` without any number.
    fn of(drawing: &'a Drawing, figure: &'a Figure) -> Option<Self> {
        let scale = Scale::of(figure)?;
        Some(Self {
            drawing,
            figure,
            scale,
        })
    }

    /// Returns the room at the right, for the letters at the ends of lines.
    fn margin(&self) -> f64 {
        let mut longest = 0;
        for curve in &self.figure.curves {
            if !curve.is_other && self.drawing.names.len() > 1 {
                longest = longest.max(cells(&letters_of(curve)));
            }
        }
        MARGIN.max(longest as f64 * DIGIT + 2.0 * BESIDE)
    }

    /// Returns the figure: its caption, and its drawing in each size.
    fn markup(&self, sizes: &[Size]) -> Markup {
        html! {
            figure {
                figcaption { (self.figure.title().as_str()) }
                "\n"
                @for &size in sizes { (PlacedPlot::of(self, size).markup()) }
            }
            "\n"
        }
    }
}

impl<'a> PlacedPlot<'a> {
    /// Returns a plot in a size, with room for the numbers of its scale.
    fn of(plot: &'a Plot<'a>, size: Size) -> Self {
        let ticks = plot.scale.ticks();
        let texts = plot.figure.texts(&ticks);
        let mut longest = 0;
        for text in &texts {
            longest = longest.max(cells(text));
        }
        let left = LEFT.max(longest as f64 * DIGIT + 2.0 * BESIDE);
        let right = size.width - plot.margin();
        let mut places = plot.drawing.places();
        for place in &mut places {
            *place = left + *place * (right - left);
        }
        Self {
            plot,
            size,
            ticks,
            texts,
            left,
            right,
            bottom: size.height - BELOW,
            places,
        }
    }

    /// Returns the place of a number from top to bottom.
    fn y(&self, number: f64) -> f64 {
        self.bottom - self.plot.scale.height(number) * (self.bottom - TOP)
    }

    /// Returns the drawing: its axes and its lines.
    fn markup(&self) -> Markup {
        let Size {
            width,
            height,
            class,
            ..
        } = self.size;
        let view_box = sentence!("0 0 {width} {height}");
        html! {
            svg class=[class] viewBox=(view_box) role="img" aria-label=(self.in_words()) {
                title { (self.plot.figure.title().as_str()) }
                (self.scale_markup())
                (self.moments_markup())
                (self.curves_markup())
                @if self.plot.drawing.names.len() > 1 {
                    (self.letters())
                }
            }
            "\n"
        }
    }

    /// Returns the line and the number of each tick of the scale.
    fn scale_markup(&self) -> Markup {
        let left = at(self.left);
        let right = at(self.right);
        let text_right = at(self.left - BESIDE);
        html! {
            @for (&tick, text) in self.ticks.iter().zip(&self.texts) {
                @let y = self.y(tick);
                @let height = at(y);
                @let baseline = at(y + 4.0);
                path.grid d=(sentence!("M{left},{height}H{right}")) {}
                text.scale x=(text_right) y=(baseline) { (text.as_str()) }
            }
        }
    }

    /// Returns the first and the last moment, below the figure, and those between them for whose texts there is room.
    fn moments_markup(&self) -> Markup {
        let first = self.plot.drawing.first();
        let last = self.plot.drawing.last();
        let baseline = at(self.bottom + 20.0);
        html! {
            text.first x=(at(self.left)) y=(baseline) { (first.as_str()) }
            @for place in self.between() {
                @let moment = &self.plot.drawing.moments[place];
                text.between x=(at(self.places[place])) y=(baseline) { (moment.text.as_str()) }
            }
            text.last x=(at(self.right)) y=(baseline) { (last.as_str()) }
        }
    }

    /// Returns the moments nearest to the quarters of the axis, if the texts of all of them are short enough.
    fn between(&self) -> Vec<usize> {
        let mut between: Vec<usize> = Vec::new();
        let last = self.places.len().saturating_sub(1);
        for part in 1..PARTS {
            let wanted = self.left + (self.right - self.left) * f64::from(part) / f64::from(PARTS);
            let after = self.places.partition_point(|&place| place < wanted);
            let mut nearest = after.min(last);
            if nearest > 0 && wanted - self.places[nearest - 1] < self.places[nearest] - wanted {
                nearest -= 1;
            }
            let text = &self.plot.drawing.moments[nearest].text;
            let is_inside = 0 < nearest && nearest < last;
            if !is_inside || between.contains(&nearest) || cells(text) > self.size.longest {
                return Vec::new();
            }
            between.push(nearest);
        }
        between
    }

    /// Returns the lines, and the marks of their numbers if there are few.
    fn curves_markup(&self) -> Markup {
        let curves = &self.plot.figure.curves;
        let mut points = 0;
        for curve in curves {
            points += points_of(curve);
        }
        html! {
            @for curve in curves {
                @let colour = colour(curve.name, curve.is_other);
                path class={ "curve " (colour.as_str()) } d=(self.path(curve)) {}
            }
            @for curve in curves {
                // A line of one point cannot be seen otherwise.
                @if points <= MOST_MARKS || points_of(curve) == 1 {
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
                    @let moment = &self.plot.drawing.moments[place];
                    circle class={ "mark " (colour.as_str()) } cx=(x) cy=(y) r="2.2" {
                        title {
                            (name.as_str())
                            ", "
                            (moment.text.as_str())
                            ": "
                            (self.plot.figure.text(value).as_str())
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
            names.push(self.plot.drawing.names[node].clone());
        }
        Shown::joined(&names, ", ")
    }

    /// Returns the letter of each node at the end of its line, none over another.
    fn letters(&self) -> Markup {
        let mut ends = self.ends();
        let mut lowest = f64::MIN;
        for end in &mut ends {
            end.y = end.y.max(lowest + LINE);
            lowest = end.y;
        }
        // What was pushed out at the bottom is pushed back up.
        let mut highest = self.size.height - LINE;
        for end in ends.iter_mut().rev() {
            end.y = end.y.min(highest);
            highest = end.y - LINE;
        }
        html! {
            @for end in ends {
                @let x = at(end.x + 7.0);
                @let y = at(end.y + 4.0);
                text.end x=(x) y=(y) { (end.letters.as_str()) }
            }
        }
    }

    /// Returns the ends of the lines of the nodes, the highest first.
    fn ends(&self) -> Vec<LineEnd> {
        let mut ends = Vec::new();
        for curve in &self.plot.figure.curves {
            let last = curve.values.iter().rposition(Option::is_some);
            if let Some(place) = last
                && let Some(value) = curve.values[place]
                && !curve.is_other
            {
                ends.push(LineEnd {
                    y: self.y(value),
                    x: self.places[place],
                    name: curve.name,
                    letters: letters_of(curve),
                });
            }
        }
        ends.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.name.cmp(&b.name)));
        ends
    }

    /// Returns what is drawn, for those who cannot see it: the first and the last number of each node.
    fn in_words(&self) -> Shown {
        let mut parts = Vec::new();
        for curve in &self.plot.figure.curves {
            let mut values = curve.values.iter().flatten();
            if let Some(&first) = values.next()
                && !curve.is_other
            {
                let last = *values.next_back().unwrap_or(&first);
                let name = self.names(curve);
                let from = self.plot.figure.text(first);
                let to = self.plot.figure.text(last);
                parts.push(sentence!("{name} from {from} to {to}"));
            }
        }
        let title = self.plot.figure.title();
        let all_parts = Shown::joined(parts, "; ");
        sentence!("{title}: {all_parts}")
    }
}

/// Returns the letters of the nodes whose line it is, as text has them: `a, b`.
fn letters_of(curve: &Curve) -> Shown {
    let mut letters = Vec::new();
    for node in curve.nodes() {
        let letter = letter(node);
        letters.push(sentence!("{letter}"));
    }
    Shown::joined(&letters, ", ")
}

/// Returns how many numbers a line has.
fn points_of(curve: &Curve) -> usize {
    curve.values.iter().flatten().count()
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
