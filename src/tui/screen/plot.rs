//! Plots: their axes, the lines in them, and the letters that tell lines apart without colour.

use crate::tui::screen::painter::{Painter, below, short_of, skip, whole, width_of};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget as _;
use ratatui::widgets::canvas::{Canvas, Line};

/// The cells left of the axis of a plot from 0 to 1: `1.00 `.
pub(crate) const SCALE: u16 = 5;

/// The smallest plot from 0 to 1 in which anything can be told apart.
const SMALLEST: (u16, u16) = (31, 6);

const BETWEEN_LETTERS: usize = 18;

/// Lines that are drawn with the same characters.
pub(crate) type Layer = (Marker, Vec<Line>);

/// Returns the place of a number from 0 to 1 on an axis with so many places. Numbers beyond the axis are at its end.
pub(crate) fn place(number: f64, places: u16) -> u16 {
    whole(number * f64::from(places - 1), places - 1)
}

/// Returns the place that a number stands at in a column of a plot, with the numbers at its bottom and top.
pub(crate) fn row_of(number: f64, (low, high): (f64, f64), height: u16) -> u16 {
    place((high - number) / (high - low), height)
}

pub(crate) fn draw_too_small(p: &mut Painter<'_>, what: &str, area: Rect) {
    let text = format!("too small for {what}: enlarge the window");
    p.put_lines(area, [(text, p.ui.theme.text)]);
}

/// Returns an area with one row in the middle, for 0.5. `None` without room for a plot from 0 to 1.
pub(crate) fn with_middle(area: Rect) -> Option<Rect> {
    let height = area.height.saturating_sub(1 - area.height % 2);
    let has_room = area.width >= SMALLEST.0 && height >= SMALLEST.1;
    has_room.then_some(Rect { height, ..area })
}

/// Returns the room for a plot in an area: without a scale of so many cells at its left, and lines below it.
pub(crate) fn room_of(area: Rect, scale: u16, lines_below: u16) -> Rect {
    let height = area.height.saturating_sub(lines_below);
    short_of(skip(Rect { height, ..area }, scale), 1)
}

pub(crate) fn draw_frame(p: &mut Painter<'_>, plot: Rect) {
    let left = Rect::new(plot.x - 1, plot.y, plot.width + 1, plot.height);
    p.upright(left, p.ui.theme.guide);
    let bottom = below(left, plot.height);
    p.rule(bottom);
    p.put(bottom, "└", p.ui.theme.guide);
}

/// Draws the axes of a plot from 0 to 1: usage from left to right, and the numbers of what is from bottom to top.
pub(crate) fn draw_axes(p: &mut Painter<'_>, plot: Rect) {
    let style = p.ui.theme.dim;
    draw_frame(p, plot);
    for (part, text) in [(0, "1.00"), (1, "0.50"), (2, "0.00")] {
        let y = plot.y + (plot.height - 1) * part / 2;
        p.buffer.set_string(plot.x - SCALE, y, text, style);
    }
    let y = plot.bottom() + 1;
    for (part, text) in [(0, "0"), (1, "0.25"), (2, "0.50"), (3, "0.75"), (4, "1 U")] {
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

pub(crate) fn draw_lines(p: &mut Painter<'_>, plot: Rect, [x, y]: [[f64; 2]; 2], layers: &[Layer]) {
    Canvas::default()
        .background_color(p.ui.theme.ground())
        .x_bounds(x)
        .y_bounds(y)
        .paint(|context| {
            for (marker, lines) in layers {
                context.marker(*marker);
                for line in lines {
                    context.draw(line);
                }
                context.layer();
            }
        })
        .render(plot, p.buffer);
}

/// Repeats the letter of a line along it, from a column on, at the rows that `row` gives for the columns.
pub(crate) fn draw_letters(
    p: &mut Painter<'_>,
    plot: Rect,
    (letter, style): (char, Style),
    first: u16,
    row: impl Fn(u16) -> Option<u16>,
) {
    let style = style.patch(p.ui.theme.strong);
    for x in (first..plot.width).step_by(BETWEEN_LETTERS) {
        if let Some(row) = row(x) {
            let (x, y) = (plot.x + x, plot.y + row);
            p.buffer.set_string(x, y, letter.to_string(), style);
        }
    }
}
