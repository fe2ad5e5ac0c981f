//! Drawings in characters: the line of one node, or the letters of several.

mod sampled;

pub(crate) use sampled::sparkline;

use super::{Frame, wrapped};
use crate::base::shown::{Shown, cells, sentence};
use crate::report::render::drawing::{Curve, Drawing, Figure, Scale, letter};
use crate::report::render::line::{Emphasis, Line};
use sampled::{place_of, sampled, whole};
use std::cmp::Ordering;

/// The cells of a drawing where a line may be of any length.
const USUAL_WIDTH: usize = 80;

/// The columns of a plot at least.
const NARROWEST: usize = 8;

/// The columns of a plot at most.
const WIDEST: usize = 100;

/// The columns from one moment to the next at most.
const WIDEST_STEP: usize = 6;

/// The columns from one moment to the next at least, if the moments of a line are marked.
const MARKED_STEP: usize = 3;

/// The rows of the plot of one node at least, without the last.
const ROWS: usize = 8;

/// The rows of the plot of several nodes at least, without the last.
const ROWS_OF_SEVERAL: usize = 10;

/// The most whole numbers that have a row each.
const MOST_WHOLE: usize = 12;

/// The cells between the numbers of the scale and the plot: a blank and the axis.
const AXIS: usize = 2;

/// The blanks between the first and the last moment at least.
const GAP: usize = 2;

/// The mark of a moment of a line.
const MOMENT: char = '●';

/// The mark of another setting.
const OTHER: char = '·';

/// The mark of a place where several lines are.
const SEVERAL: char = '+';

/// Returns a drawing as lines that fit into a frame, and a blank one behind them. There is none where the frame is too narrow
/// for a plot, and none of a single moment.
pub fn drawn(drawing: &Drawing, frame: Frame) -> Vec<Line> {
    let paper = Paper {
        frame,
        width: frame.room().unwrap_or(USUAL_WIDTH),
    };
    let mut figures = Vec::new();
    let mut has_plots = false;
    let mut has_several = false;
    for figure in &drawing.figures {
        if let Some(sentence) = figure.throughout(drawing.names.len()) {
            figures.extend(paper.lines(Emphasis::Strong, &sentence));
        } else if let Some(plot) = Plot::of(drawing, figure, paper) {
            has_plots = true;
            has_several |= plot.has_several();
            figures.extend(plot.lines(paper));
        }
    }
    let mut lines = Vec::new();
    if has_plots && drawing.names.len() > 1 {
        lines = legend(drawing, has_several, paper);
    }
    lines.append(&mut figures);
    if has_plots && let Some(note) = &drawing.note {
        lines.extend(paper.lines(Emphasis::Dim, note));
    }
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines
}

/// What a drawing is put on.
#[derive(Clone, Copy)]
struct Paper {
    /// The terminal or the page.
    frame: Frame,
    /// The cells of a line.
    width: usize,
}

impl Paper {
    /// Returns a text as lines that fit.
    fn lines(self, emphasis: Emphasis, text: &Shown) -> Vec<Line> {
        let line = Line::of(emphasis, self.frame.spelled(text));
        wrapped(&line, Some(self.width), 0)
    }
}

/// Returns the letter of each node with its name, as many on a line as fit.
fn legend(drawing: &Drawing, has_several: bool, paper: Paper) -> Vec<Line> {
    let mut items = Vec::new();
    for (place, name) in drawing.names.iter().enumerate() {
        let letter = letter(place);
        items.push(sentence!("{letter} {name}"));
    }
    if has_several {
        items.push(sentence!("{SEVERAL} several lines"));
    }
    let mut lines = Vec::new();
    let mut text = Shown::default();
    for item in items {
        let item = paper.frame.spelled(&item).cut(paper.width);
        let needed = cells(&text) + GAP + cells(&item);
        if text.is_empty() {
            text = item;
        } else if needed <= paper.width {
            text = sentence!("{text}{:GAP$}{item}", "");
        } else {
            lines.push(Line::from(text));
            text = item;
        }
    }
    lines.push(Line::from(text));
    lines
}

/// Returns the title of a figure, with the letters of the lines that coincide: `Rank, first at the top (a, b are one line)`.
fn titled(figure: &Figure) -> Shown {
    let mut groups = Vec::new();
    for curve in &figure.curves {
        if curve.coinciding.is_empty() || curve.is_other {
            continue;
        }
        let mut letters = Vec::new();
        for node in curve.nodes() {
            let letter = letter(node);
            letters.push(sentence!("{letter}"));
        }
        let joined = Shown::joined(&letters, ", ");
        groups.push(sentence!("{joined} are one line"));
    }
    let title = figure.title();
    if groups.is_empty() {
        return title;
    }
    let coinciding = Shown::joined(&groups, "; ");
    sentence!("{title} ({coinciding})")
}

/// A number of an axis.
struct Label {
    /// Its row from the top.
    row: usize,
    /// The number, as its unit is written.
    text: Shown,
}

/// A figure in cells.
struct Plot<'a> {
    /// What is drawn.
    figure: &'a Figure,
    /// The numbers at the bottom and at the top.
    scale: Scale,
    /// The numbers on the axis.
    labels: Vec<Label>,
    /// The cells of the widest label.
    label_width: usize,
    /// The place of each moment from left to right, from 0 to 1.
    places: Vec<f64>,
    /// The text of the first moment.
    first: Shown,
    /// The text of the last moment.
    last: Shown,
    /// The columns.
    width: usize,
    /// The rows, the one at the top first.
    rows: Vec<Vec<char>>,
}

impl<'a> Plot<'a> {
    /// Returns the plot of a figure. `None` without numbers at two moments, and without room.
    fn of(drawing: &'a Drawing, figure: &'a Figure, paper: Paper) -> Option<Self> {
        let scale = Scale::of(figure)?;
        let places = drawing.places();
        if places.len() < 2 {
            return None;
        }
        let has_letters = drawing.names.len() > 1;
        let height = height(figure, &scale, has_letters);
        let labels = labels(figure, &scale, height);
        let mut label_width = 0;
        for label in &labels {
            label_width = label_width.max(cells(&label.text));
        }
        let first = paper.frame.spelled(&drawing.first());
        let last = paper.frame.spelled(&drawing.last());
        let steps = (places.len() - 1) * WIDEST_STEP + 1;
        let dates = cells(&first) + GAP + cells(&last);
        let room = paper.width.saturating_sub(label_width + AXIS);
        let width = steps.max(dates).min(WIDEST).min(room);
        if width < NARROWEST {
            return None;
        }
        let mut plot = Self {
            figure,
            scale,
            labels,
            label_width,
            places,
            first,
            last,
            width,
            rows: vec![vec![' '; width]; height],
        };
        plot.draw(has_letters);
        Some(plot)
    }

    /// Draws the curves, those of another setting below the others.
    fn draw(&mut self, has_letters: bool) {
        for curve in &self.figure.curves {
            if curve.is_other {
                let rows = self.rows_of(curve);
                self.put_marks(&rows, OTHER);
            }
        }
        for curve in &self.figure.curves {
            if curve.is_other {
                continue;
            }
            let rows = self.rows_of(curve);
            if has_letters {
                self.put_marks(&rows, letter(curve.name));
            } else {
                self.put_line(&rows);
                self.put_moments(&rows, curve);
            }
        }
    }

    /// Returns the row of a curve in each column; `None` where it has no number.
    fn rows_of(&self, curve: &Curve) -> Vec<Option<usize>> {
        let height = self.rows.len();
        let mut rows = Vec::with_capacity(self.width);
        for number in sampled(&self.places, &curve.values, self.width) {
            let row = number.map(|number| row_of(&self.scale, number, height));
            rows.push(row);
        }
        rows
    }

    /// Puts a mark into each column. Where a letter is already, the mark is that of several lines.
    fn put_marks(&mut self, rows: &[Option<usize>], mark: char) {
        for (column, row) in rows.iter().enumerate() {
            let Some(row) = *row else {
                continue;
            };
            let cell = &mut self.rows[row][column];
            *cell = match *cell {
                ' ' | OTHER => mark,
                _ => SEVERAL,
            };
        }
    }

    /// Puts a line that goes up and down where its row changes.
    fn put_line(&mut self, rows: &[Option<usize>]) {
        let mut before = None;
        for (column, row) in rows.iter().enumerate() {
            if let Some(row) = *row {
                self.put_step(column, before.unwrap_or(row), row);
            }
            before = *row;
        }
    }

    /// Puts what leads from a row to another one, in a column.
    fn put_step(&mut self, column: usize, from: usize, to: usize) {
        for between in from.min(to)..from.max(to) {
            self.rows[between][column] = '│';
        }
        match from.cmp(&to) {
            Ordering::Less => {
                self.rows[from][column] = '╮';
                self.rows[to][column] = '╰';
            }
            Ordering::Greater => {
                self.rows[from][column] = '╯';
                self.rows[to][column] = '╭';
            }
            Ordering::Equal => self.rows[to][column] = '─',
        }
    }

    /// Marks the moments of a line, if they are not too near to each other.
    fn put_moments(&mut self, rows: &[Option<usize>], curve: &Curve) {
        if self.places.len() * MARKED_STEP > self.width {
            return;
        }
        for (&place, value) in self.places.iter().zip(&curve.values) {
            let column = place_of(place, self.width);
            if value.is_some()
                && let Some(row) = rows[column]
            {
                self.rows[row][column] = MOMENT;
            }
        }
    }

    /// Returns whether lines coincide somewhere.
    fn has_several(&self) -> bool {
        self.rows.iter().any(|row| row.contains(&SEVERAL))
    }

    /// Returns the plot with its title and its axes.
    fn lines(&self, paper: Paper) -> Vec<Line> {
        let title = titled(self.figure);
        let mut lines = paper.lines(Emphasis::Strong, &title);
        let width = self.label_width;
        for (row, cells) in self.rows.iter().enumerate() {
            let label = self.label_of(row);
            let line = Line::of(Emphasis::Dim, sentence!("{label:>width$} │"));
            let text = Shown::again(cells.iter().collect());
            lines.push(line.plain(text.trimmed()));
        }
        let axis = "─".repeat(self.width);
        let bottom = sentence!("{:width$} └{axis}", "");
        lines.push(Line::of(Emphasis::Dim, bottom));
        lines.extend(self.dates(paper));
        lines
    }

    /// Returns the number of the scale at a row; empty for most rows.
    fn label_of(&self, row: usize) -> Shown {
        let mut text = Shown::default();
        for label in &self.labels {
            if label.row == row {
                text = label.text.clone();
            }
        }
        text
    }

    /// Returns the first and the last moment below the ends of the axis, or in a sentence where they do not fit there.
    fn dates(&self, paper: Paper) -> Vec<Line> {
        let Self { first, last, .. } = self;
        let used = cells(first) + cells(last);
        if used + GAP > self.width {
            return paper.lines(Emphasis::Dim, &sentence!("{first} to {last}"));
        }
        let margin = self.label_width + AXIS;
        let gap = self.width - used;
        let text = sentence!("{:margin$}{first}{:gap$}{last}", "", "");
        vec![Line::of(Emphasis::Dim, text)]
    }
}

/// Returns how many rows a figure has: one for each of few whole numbers, or as many for each part of its scale.
fn height(figure: &Figure, scale: &Scale, has_letters: bool) -> usize {
    let span = scale.most - scale.least;
    if figure.is_whole() && whole(span) <= MOST_WHOLE {
        return whole(span) + 1;
    }
    let least = if has_letters { ROWS_OF_SEVERAL } else { ROWS };
    let parts = whole(span / scale.step).max(1);
    parts * least.div_ceil(parts) + 1
}

/// Returns the numbers on the axis. One that reads like the one before it is left out.
fn labels(figure: &Figure, scale: &Scale, height: usize) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for tick in scale.ticks() {
        let text = figure.text(tick);
        if let Some(before) = labels.last()
            && before.text == text
        {
            continue;
        }
        let row = row_of(scale, tick, height);
        labels.push(Label { row, text });
    }
    labels
}

/// Returns the row of a number from the top, of so many rows.
fn row_of(scale: &Scale, number: f64, height: usize) -> usize {
    let from_bottom = place_of(scale.height(number), height);
    height - 1 - from_bottom
}
