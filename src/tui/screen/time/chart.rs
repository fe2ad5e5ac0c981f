//! The chart: lines over time, the current moment and the campaigns.

use crate::base::number;
use crate::base::shown::{Shown, sentence};
use crate::model::Time;
use crate::tui::screen::painter::{Painter, below, narrow, skip, width_of};
use crate::tui::screen::plot::{
    AxisEnds, Layer, Letter, draw_frame, draw_letters, draw_lines, draw_too_small, place, room_of,
};
use crate::tui::time::axis::{Quantity, date, round_up, tick, ticks};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::Line;

/// The width of the smallest plot.
const NARROWEST: u16 = 24;

/// The height of the smallest plot.
const LOWEST: u16 = 3;

/// The height of the lowest chart with dates below its axis.
const LOWEST_WITH_DATES: u16 = 7;

/// The height of the lowest plot with five numbers on its axis; a lower one has three.
const LOWEST_WITH_QUARTERS: u16 = 9;

/// The cells left of the plot.
const SCALE: u16 = 8;

/// The cells in which the letters of all lines begin.
const FIRST_LETTERS: usize = 18;

/// The narrowest plot with the names of the lines at their ends.
const NARROWEST_WITH_NAMES: u16 = 34;

/// The rows at which the name of a line may be, from that of its end.
const NEAR: &[i16] = &[-1, 1, -2, 2];

/// The length of the pattern of a dashed line, in pieces.
const DASH: usize = 4;

/// The pieces of the pattern that are drawn.
const DRAWN: usize = 2;

/// The cells of a date.
const DATE: u16 = 16;

/// The cells of a day.
const DAY: u16 = 10;

/// A line of the chart.
pub(crate) struct Curve {
    /// The letter that tells it apart without colour.
    pub(crate) letter: char,
    /// The letters of the lines that coincide with it, which are not drawn themselves.
    pub(crate) coinciding: Vec<char>,
    /// The name drawn at the end of the line; empty for a line that has its colour from another.
    pub(crate) name: Shown,
    /// The values by moment in seconds since the snapshot, `None` where there is no value.
    pub(crate) points: Vec<(u64, Option<f64>)>,
    /// The style.
    pub(crate) style: Style,
    /// Whether it is dashed, and below the lines that are not.
    pub(crate) is_dashed: bool,
}

/// The portion of a number by which two lines may differ that are drawn as one.
const SAME: f64 = 1e-6;

impl Curve {
    /// Returns whether another line is the same but for rounding.
    pub(crate) fn coincides(&self, other: &Self) -> bool {
        if self.is_dashed != other.is_dashed || self.points.len() != other.points.len() {
            return false;
        }
        for place in 0..self.points.len() {
            let (_, own) = self.points[place];
            let (_, others) = other.points[place];
            let is_same = match (own, others) {
                (Some(one), Some(another)) => {
                    (one - another).abs() <= SAME * one.abs().max(another.abs())
                }
                (None, None) => true,
                _ => false,
            };
            if !is_same {
                return false;
            }
        }
        true
    }

    /// Returns the text at its end: its letter and its name, or the letters of all lines that it is: `a, b`.
    fn label(&self) -> Shown {
        let letter = self.letter;
        let name = &self.name;
        if self.coinciding.is_empty() {
            return sentence!("{letter} {name}");
        }
        let mut letters = sentence!("{letter}");
        for other in &self.coinciding {
            letters += &sentence!(", {other}");
        }
        letters
    }

    /// Returns the last value; `None` without any.
    fn end(&self) -> Option<f64> {
        let mut numbers = self.points.iter().rev();
        numbers.find_map(|&(_, number)| number)
    }
}

/// Lines of one quantity over time.
pub(crate) struct Chart<'a> {
    /// The quantity.
    pub(crate) quantity: Quantity,
    /// The lines.
    pub(crate) curves: &'a [Curve],
    /// The first moment, in seconds since the snapshot.
    pub(crate) from: u64,
    /// The last moment, in seconds since the snapshot.
    pub(crate) until: u64,
    /// The clock, and the campaigns.
    pub(crate) time: &'a Time,
}

impl Chart<'_> {
    /// Returns the largest number; `None` without any.
    fn highest(&self) -> Option<f64> {
        let mut highest = None;
        for curve in self.curves {
            for &(_, number) in &curve.points {
                if let Some(number) = number {
                    highest = Some(number.max(highest.unwrap_or(0.0)));
                }
            }
        }
        highest
    }

    /// Returns the numbers at the bottom and at the top.
    fn ends(&self) -> AxisEnds {
        let highest = self.highest().unwrap_or(0.0);
        match self.quantity {
            // The best rank is at the top, and no rank is better than 1.
            Quantity::Rank => AxisEnds {
                low: highest.max(2.0) + 0.5,
                high: 0.5,
            },
            Quantity::Factor if highest > 0.5 && highest <= 1.0 => AxisEnds::UNIT,
            _ => AxisEnds {
                low: 0.0,
                high: round_up(highest),
            },
        }
    }

    /// Returns the column of a moment.
    fn column(&self, moment: u64, width: u16) -> u16 {
        let span = self.until.saturating_sub(self.from).max(1);
        let passed = moment.saturating_sub(self.from);
        place(passed as f64 / span as f64, width)
    }

    /// Draws the chart, or a notice if there is no room. Returns the area of the plot, or `None` without one.
    pub(crate) fn draw(&self, p: &mut Painter, area: Rect) -> Option<Rect> {
        let theme = p.theme;
        let mut taken = None;
        if area.height >= LOWEST_WITH_DATES {
            taken = self.time.taken;
        }
        let axis = if taken.is_some() { 3 } else { 2 };
        let plot = room_of(area, SCALE, axis);
        if plot.width < NARROWEST || plot.height < LOWEST {
            draw_too_small(p, "a chart", area);
            return None;
        }
        let ends = self.ends();
        self.shade_campaigns(p, plot);
        draw_frame(p, plot);
        self.draw_scale(p, plot, ends);
        self.draw_moments(p, plot, taken);
        let column = self.column(self.time.passed, plot.width);
        let now = Rect {
            width: 1,
            ..skip(plot, column)
        };
        p.upright(now, theme.strong);
        if self.highest().is_none() {
            say_no_numbers(p, plot);
        }
        self.draw_lines(p, plot, ends);
        self.draw_letters(p, plot, ends);
        self.draw_names(p, plot, ends);
        p.buffer.set_string(now.x, plot.bottom(), "▲", theme.key);
        Some(plot)
    }

    /// Shades the times of the campaigns.
    fn shade_campaigns(&self, p: &mut Painter, plot: Rect) {
        for campaign in self.time.pace.campaigns() {
            if campaign.until <= self.from || campaign.from >= self.until {
                continue;
            }
            let left = self.column(campaign.from, plot.width);
            let right = self.column(campaign.until, plot.width);
            let columns = usize::from(right - left) + 1;
            for row in plot.rows() {
                p.put(skip(row, left), "░".repeat(columns), p.theme.guide);
            }
        }
    }

    /// Draws the numbers of the axis at the left.
    fn draw_scale(&self, p: &mut Painter, plot: Rect, ends: AxisEnds) {
        let has_quarters = plot.height >= LOWEST_WITH_QUARTERS;
        let parts: u16 = if has_quarters { 4 } else { 2 };
        let mut before = String::new();
        for part in 0..=parts {
            let portion = f64::from(part) / f64::from(parts);
            let number = ends.high + (ends.low - ends.high) * portion;
            let text = self.text(number, ends);
            // With few ranks, two labels can be the same.
            if text != before {
                let y = plot.y + (plot.height - 1) * part / parts;
                let label = Rect::new(plot.x - SCALE, y, SCALE - 2, 1);
                let cells = usize::from(label.width);
                p.put(label, format!("{text:>cells$}"), p.theme.dim);
            }
            before = text;
        }
    }

    /// Returns a number of the axis as text.
    fn text(&self, number: f64, ends: AxisEnds) -> String {
        match self.quantity {
            Quantity::Rank => format!("{:.0}", number.round().max(1.0)),
            Quantity::Factor if ends.high >= 0.1 => format!("{number:.2}"),
            Quantity::Factor => format!("{number:.0e}"),
            Quantity::UsageShare => number::percent(number).replace(".0%", "%"),
            Quantity::Usage => number::short(number).into(),
        }
    }

    /// Draws round days below the axis, and their dates if the source tells when it was taken.
    fn draw_moments(&self, p: &mut Painter, plot: Rect, taken: Option<i64>) {
        // A centred date must fit beside the first one, which starts at the axis.
        let widest = if taken.is_some() { DATE } else { DAY };
        let y = plot.bottom() + 1;
        for moment in ticks(self.from, self.until, widest, plot.width) {
            let x = plot.x + self.column(moment, plot.width);
            let day = tick(moment, self.until);
            put_centred(p, plot, x, y, &day);
            if let Some(taken) = taken
                && let Some(date) = date(taken, moment, false)
            {
                put_centred(p, plot, x, y + 1, &date);
            }
        }
    }

    /// Draws the lines, the dashed ones below the others.
    fn draw_lines(&self, p: &mut Painter, plot: Rect, ends: AxisEnds) {
        let x = AxisEnds {
            low: self.from as f64,
            high: self.until as f64,
        };
        let sign = self.sign();
        let y = AxisEnds {
            low: ends.low * sign,
            high: ends.high * sign,
        };
        let dashed = self.layer(p, true);
        let others = self.layer(p, false);
        draw_lines(p, plot, x, y, &[dashed, others]);
    }

    /// Returns what numbers are multiplied by: the best ranks are at the top, and the canvas has no falling axis.
    fn sign(&self) -> f64 {
        if self.quantity == Quantity::Rank {
            return -1.0;
        }
        1.0
    }

    /// Returns the lines that are dashed, or those that are not.
    fn layer(&self, p: &Painter, is_dashed: bool) -> Layer {
        let sign = self.sign();
        let mut lines = Vec::new();
        for curve in self.curves {
            if curve.is_dashed != is_dashed {
                continue;
            }
            let color = p.theme.ink(curve.style);
            for (place, pair) in curve.points.windows(2).enumerate() {
                let is_drawn = !is_dashed || place % DASH < DRAWN;
                if let [(from, Some(start)), (until, Some(end))] = *pair
                    && is_drawn
                {
                    lines.push(Line {
                        x1: from as f64,
                        y1: start * sign,
                        x2: until as f64,
                        y2: end * sign,
                        color,
                    });
                }
            }
        }
        let marker = match (p.ui.options.is_ascii, is_dashed) {
            (false, _) => Marker::Braille,
            (true, false) => Marker::Custom('.'),
            (true, true) => Marker::Custom('-'),
        };
        Layer { marker, lines }
    }

    /// Writes the name of each line at its end, above or below the line, if the plot has room.
    fn draw_names(&self, p: &mut Painter, plot: Rect, ends: AxisEnds) {
        if plot.width < NARROWEST_WITH_NAMES {
            return;
        }
        let mut named = Vec::new();
        let mut taken = Vec::new();
        for curve in self.curves {
            if let Some(end) = curve.end()
                && !curve.name.is_empty()
            {
                let y = plot.y + ends.row_of(end, plot.height);
                named.push((curve, y));
                taken.push(y);
            }
        }
        for (curve, end) in named {
            let Some(y) = free_row(plot, end, &taken) else {
                continue;
            };
            taken.push(y);
            // The letter tells which line it is where another is as near.
            let label = curve.label();
            let text = label.cut(usize::from(plot.width / 2));
            let style = curve.style.patch(p.theme.strong);
            p.put_right(Rect { y, ..plot }, &text, style);
        }
    }

    /// Draws the letters of the lines, each from another cell on, so that they do not cover each other.
    fn draw_letters(&self, p: &mut Painter, plot: Rect, ends: AxisEnds) {
        let mut count = 0;
        for curve in self.curves {
            count += 1 + curve.coinciding.len();
        }
        let mut at = 0;
        for curve in self.curves {
            let rows = rows_of(curve, plot, ends);
            let mut letters = vec![curve.letter];
            letters.extend(&curve.coinciding);
            for char in letters {
                let letter = Letter {
                    char,
                    style: curve.style,
                };
                let first = narrow(2 + FIRST_LETTERS * at / count);
                draw_letters(p, plot, letter, first, &rows);
                at += 1;
            }
        }
    }
}

/// Says that there is nothing to draw under this policy.
fn say_no_numbers(p: &mut Painter, plot: Rect) {
    let text = "there are no numbers of these nodes under this policy; choose other nodes";
    let middle = below(plot, plot.height / 2);
    let room = skip(middle, 3);
    let lines = wrap(text, room.width.into());
    p.put_text(room, &lines, p.theme.text);
}

/// Returns the rows of a line, by column; `None` where it has no number.
fn rows_of(curve: &Curve, plot: Rect, ends: AxisEnds) -> Vec<Option<u16>> {
    let count = narrow(curve.points.len().max(1));
    let last = f64::from(plot.width - 1);
    let mut rows = Vec::with_capacity(plot.width.into());
    for x in 0..plot.width {
        let part = f64::from(x) / last;
        let at = usize::from(place(part, count));
        let mut row = None;
        if let Some(&(_, Some(number))) = curve.points.get(at) {
            row = Some(ends.row_of(number, plot.height));
        }
        rows.push(row);
    }
    rows
}

/// Draws a label below a column. The first one starts at the axis, and the last one ends with it.
fn put_centred(p: &mut Painter, plot: Rect, column: u16, y: u16, text: &str) {
    let width = width_of(text);
    let end = plot.right() + 1;
    let first = plot.x - 1;
    let last = end.saturating_sub(width);
    let centred = column.saturating_sub(width / 2);
    let x = centred.clamp(first, last);
    p.buffer.set_string(x, y, text, p.theme.dim);
}

/// Returns the nearest row of a plot that is not taken, above or below another one; `None` if none is near.
fn free_row(plot: Rect, row: u16, taken: &[u16]) -> Option<u16> {
    for &rows in NEAR {
        if let Some(near) = row.checked_add_signed(rows)
            && (plot.y..plot.bottom()).contains(&near)
            && !taken.contains(&near)
        {
            return Some(near);
        }
    }
    None
}
