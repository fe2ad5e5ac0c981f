//! Plots: their axes, the lines in them, and the letters that tell lines apart without colour.

use super::painter::{Painter, below, short_of, skip, whole, width_of};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget as _;
use ratatui::widgets::canvas::{Canvas, Line};

/// The cells left of the axis of a plot from 0 to 1: `1.00 `.
pub(crate) const SCALE: u16 = 5;

/// The width of the smallest plot from 0 to 1 in which anything can be told apart.
const NARROWEST: u16 = 31;

/// The height of the smallest plot from 0 to 1.
const LOWEST: u16 = 6;

/// The cells from one letter of a line to the next.
const BETWEEN_LETTERS: usize = 18;

/// The numbers on the axis at the left of a plot from 0 to 1, from top to bottom.
const UPRIGHT: &[&str] = &["1.00", "0.50", "0.00"];

/// The numbers on the axis below a plot from 0 to 1, and the name of usage.
const LEVEL: &[&str] = &["0", "0.25", "0.50", "0.75", "1 U"];

/// The numbers at the ends of an axis. That at the low end may be the larger one, as for ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisEnds {
    /// The number at the bottom or at the left.
    pub(crate) low: f64,
    /// The number at the top or at the right.
    pub(crate) high: f64,
}

impl AxisEnds {
    /// An axis from 0 to 1.
    pub(crate) const UNIT: Self = Self {
        low: 0.0,
        high: 1.0,
    };

    /// Returns the row of a number in a column of so many cells, from the top.
    pub(crate) fn row_of(self, number: f64, height: u16) -> u16 {
        let part = (self.high - number) / (self.high - self.low);
        place(part, height)
    }
}

/// Lines that are drawn with the same characters.
pub(crate) struct Layer {
    /// The characters.
    pub(crate) marker: Marker,
    /// The lines.
    pub(crate) lines: Vec<Line>,
}

/// The letter of a line.
#[derive(Clone, Copy)]
pub(crate) struct Letter {
    /// The letter.
    pub(crate) char: char,
    /// The style of the line.
    pub(crate) style: Style,
}

/// Returns the place of a number from 0 to 1 on an axis with so many places. Numbers beyond the axis are at its end.
pub(crate) fn place(number: f64, places: u16) -> u16 {
    let last = places - 1;
    whole(number * f64::from(last), last)
}

/// Says that an area is too small for something.
pub(crate) fn draw_too_small(p: &mut Painter, what: &str, area: Rect) {
    let text = format!("too small for {what}: enlarge the window");
    p.put_lines(area, [(text, p.theme.text)]);
}

/// Returns an area with one row in the middle, for 0.5. `None` without room for a plot from 0 to 1.
pub(crate) fn with_middle(area: Rect) -> Option<Rect> {
    let is_even = area.height.is_multiple_of(2);
    let height = area.height.saturating_sub(u16::from(is_even));
    let has_room = area.width >= NARROWEST && height >= LOWEST;
    has_room.then_some(Rect { height, ..area })
}

/// Returns the room for a plot in an area: without a scale of so many cells at its left, and lines below it.
pub(crate) fn room_of(area: Rect, scale: u16, lines_below: u16) -> Rect {
    let height = area.height.saturating_sub(lines_below);
    let above = Rect { height, ..area };
    short_of(skip(above, scale), 1)
}

/// Draws the axes at the left of a plot and below it.
pub(crate) fn draw_frame(p: &mut Painter, plot: Rect) {
    let left = Rect {
        x: plot.x - 1,
        width: plot.width + 1,
        ..plot
    };
    p.upright(left, p.theme.guide);
    let bottom = below(left, plot.height);
    p.rule(bottom);
    p.put(bottom, "└", p.theme.guide);
}

/// Draws the axes of a plot from 0 to 1: usage from left to right, and the numbers of what is from bottom to top.
pub(crate) fn draw_axes(p: &mut Painter, plot: Rect) {
    let style = p.theme.dim;
    draw_frame(p, plot);
    for (part, text) in (0..).zip(UPRIGHT) {
        let y = plot.y + (plot.height - 1) * part / 2;
        p.buffer.set_string(plot.x - SCALE, y, text, style);
    }
    let y = plot.bottom() + 1;
    for (part, text) in (0..).zip(LEVEL) {
        let x = plot.x + (plot.width - 1) * part / 4;
        // The last number ends where the axis does.
        let back = match part {
            0 => 0,
            4 => width_of(text) - 1,
            _ => width_of(text) / 2,
        };
        p.buffer.set_string(x - back, y, text, style);
    }
}

/// Draws lines between numbers of the axes, the first layer below the others.
pub(crate) fn draw_lines(p: &mut Painter, plot: Rect, x: AxisEnds, y: AxisEnds, layers: &[Layer]) {
    let canvas = Canvas::default()
        .background_color(p.theme.ground())
        .x_bounds([x.low, x.high])
        .y_bounds([y.low, y.high])
        .paint(|context| {
            for layer in layers {
                context.marker(layer.marker);
                for line in &layer.lines {
                    context.draw(line);
                }
                context.layer();
            }
        });
    canvas.render(plot, p.buffer);
}

/// Repeats the letter of a line along it, from a column on. `rows` are those of the line, by column.
pub(crate) fn draw_letters(
    p: &mut Painter,
    plot: Rect,
    letter: Letter,
    first: u16,
    rows: &[Option<u16>],
) {
    let style = letter.style.patch(p.theme.strong);
    for (x, row) in (plot.x..)
        .zip(rows)
        .skip(first.into())
        .step_by(BETWEEN_LETTERS)
    {
        if let Some(row) = row {
            let text = letter.char.to_string();
            p.buffer.set_string(x, plot.y + row, text, style);
        }
    }
}
