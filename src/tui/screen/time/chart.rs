//! The chart: lines over time, the current moment and the campaigns.

use crate::base::number;
use crate::base::shown::{Shown, cells, cut, sentence};
use crate::model::Campaign;
use crate::tui::state::ui::Ui;
use crate::tui::time::axis::{date, round_up, tick, ticks};
use crate::tui::time::quantity::Quantity;
use crate::tui::widget::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line as Stroke};

/// The smallest plot in which lines can be told apart.
const SMALLEST: (u16, u16) = (24, 3);

/// The height below which there is no room for dates.
const LOWEST_WITH_DATES: u16 = 7;

/// The cells left of the axis.
const SCALE: u16 = 8;

/// The cells between the letters on a line.
const BETWEEN_LETTERS: u16 = 18;

/// The narrowest plot with the names of the lines at their ends.
const NARROWEST_WITH_NAMES: u16 = 34;

/// The length of the pattern of a dashed line, in pieces.
const DASH: usize = 4;

/// The pieces of the pattern that are drawn.
const DRAWN: usize = 2;

/// A line of the chart.
pub(crate) struct Curve {
    /// The letter drawn on the line.
    pub(crate) letter: char,
    /// The name drawn at the end of the line; empty for a line that has its colour from another.
    pub(crate) name: Shown,
    /// The values by moment in seconds since the snapshot, `None` where there is no value.
    pub(crate) points: Vec<(u64, Option<f64>)>,
    /// Its colour.
    pub(crate) style: Style,
    /// Whether the line assumes the other half-life.
    pub(crate) is_dashed: bool,
}

/// The lines to draw and the period.
pub(crate) struct Chart<'a> {
    pub(crate) ui: &'a Ui,
    pub(crate) quantity: Quantity,
    pub(crate) curves: &'a [Curve],
    /// The first and the last moment, in seconds since the snapshot.
    pub(crate) from: u64,
    pub(crate) until: u64,
    /// The current moment of the clock, in seconds since the snapshot.
    pub(crate) now: u64,
    /// The time of the snapshot in Unix seconds, or `None` if it is unknown.
    pub(crate) taken: Option<i64>,
    pub(crate) campaigns: &'a [Campaign],
}

impl Chart<'_> {
    /// Returns the values at the bottom and at the top of the left axis.
    fn bounds(&self) -> (f64, f64) {
        let numbers = self.curves.iter().flat_map(|curve| &curve.points);
        let numbers = numbers.filter_map(|&(_, number)| number);
        let highest = numbers.fold(0.0, f64::max);
        match self.quantity {
            // The best rank is at the top, and no rank is better than 1.
            Quantity::Rank => (highest.max(2.0) + 0.5, 0.5),
            Quantity::Factor if highest > 0.5 && highest <= 1.0 => (0.0, 1.0),
            _ => (0.0, round_up(highest)),
        }
    }

    /// Returns the cell of a moment, counted from the axis.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place within the plot, clamped"
    )]
    fn column(&self, moment: u64, width: u16) -> u16 {
        let part = moment.saturating_sub(self.from) as f64 / self.span();
        (part.clamp(0.0, 1.0) * f64::from(width - 1)).round() as u16
    }

    fn span(&self) -> f64 {
        (self.until.saturating_sub(self.from)).max(1) as f64
    }

    /// Draws the chart, or a notice if there is no room. Returns the area of the plot, or `None` without one.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) -> Option<Rect> {
        let taken = self.taken.filter(|_| area.height >= LOWEST_WITH_DATES);
        let below = if taken.is_some() { 3 } else { 2 };
        let plot = Rect {
            x: area.x + SCALE.min(area.width),
            width: area.width.saturating_sub(SCALE + 1),
            height: area.height.saturating_sub(below),
            ..area
        };
        if plot.width < SMALLEST.0 || plot.height < SMALLEST.1 {
            let text = "too small for a chart: enlarge the window";
            let room = usize::from(area.width);
            let text = cut(text, room);
            if area.height > 0 {
                buffer.set_stringn(area.x, area.y, text, room, self.ui.theme.text);
            }
            return None;
        }
        let (low, high) = self.bounds();
        self.shade_campaigns(plot, buffer);
        self.draw_scale(plot, low, high, buffer);
        self.draw_moments(plot, taken, buffer);
        let now = plot.x + self.column(self.now, plot.width);
        for y in plot.y..plot.bottom() {
            buffer.set_string(now, y, "│", self.ui.theme.strong);
        }
        let numbers = self.curves.iter().flat_map(|curve| &curve.points);
        if numbers.clone().all(|(_, number)| number.is_none()) {
            self.draw_nothing(plot, buffer);
        }
        self.draw_lines(plot, low, high, buffer);
        self.draw_letters(plot, low, high, buffer);
        self.draw_names(plot, low, high, buffer);
        buffer.set_string(now, plot.bottom(), "▲", self.ui.theme.key);
        Some(plot)
    }

    /// Draws the reason why there are no lines.
    fn draw_nothing(&self, plot: Rect, buffer: &mut Buffer) {
        let text = "there are no numbers of these nodes under this policy; choose other nodes";
        let room = usize::from(plot.width.saturating_sub(3));
        let lines = wrap(text, room.max(1));
        for (line, y) in lines.iter().zip(plot.y + plot.height / 2..plot.bottom()) {
            buffer.set_stringn(plot.x + 3, y, line, room, self.ui.theme.text);
        }
    }

    fn shade_campaigns(&self, plot: Rect, buffer: &mut Buffer) {
        for campaign in self.campaigns {
            if campaign.until <= self.from || campaign.from >= self.until {
                continue;
            }
            let left = self.column(campaign.from, plot.width);
            let right = self.column(campaign.until, plot.width);
            for x in left..=right {
                for y in plot.y..plot.bottom() {
                    buffer.set_string(plot.x + x, y, "░", self.ui.theme.guide);
                }
            }
        }
    }

    /// Draws the axis at the left.
    fn draw_scale(&self, plot: Rect, low: f64, high: f64, buffer: &mut Buffer) {
        let theme = &self.ui.theme;
        let left = plot.x - 1;
        for y in plot.y..plot.bottom() {
            buffer.set_string(left, y, "│", theme.guide);
        }
        let parts: u16 = if plot.height >= 9 { 4 } else { 2 };
        let mut before = String::new();
        for part in 0..=parts {
            let y = plot.y + (plot.height - 1) * part / parts;
            let portion = f64::from(part) / f64::from(parts);
            let at = high + (low - high) * portion;
            let text = match self.quantity {
                Quantity::Rank => format!("{:.0}", at.round().max(1.0)),
                Quantity::Factor if high >= 0.1 => format!("{at:.2}"),
                Quantity::Factor => format!("{at:.0e}"),
                Quantity::UsageShare => number::percent(at).replace(".0%", "%"),
                Quantity::Usage => number::short(at).into(),
            };
            // With few ranks, two labels can be the same.
            if text == before {
                continue;
            }
            let cells = usize::from(SCALE - 2);
            buffer.set_stringn(
                plot.x - SCALE,
                y,
                format!("{text:>cells$}"),
                cells,
                theme.dim,
            );
            before = text;
        }
    }

    /// Draws the axis below the plot, with dates if the time of the snapshot is known.
    fn draw_moments(&self, plot: Rect, taken: Option<i64>, buffer: &mut Buffer) {
        let theme = &self.ui.theme;
        let width = usize::from(plot.width);
        buffer.set_string(plot.x - 1, plot.bottom(), "└", theme.guide);
        buffer.set_stringn(plot.x, plot.bottom(), "─".repeat(width), width, theme.guide);
        // A centred date must fit beside the first one, which starts at the axis.
        let widest = if taken.is_some() { 16 } else { 10 };
        for moment in ticks(self.from, self.until, widest, plot.width) {
            let texts = [
                Some(tick(moment, self.until)),
                taken.and_then(|taken| date(taken, moment, false)),
            ];
            for (text, y) in texts.into_iter().flatten().zip(plot.bottom() + 1..) {
                let width = u16::try_from(text.len()).unwrap_or(0);
                let at = plot.x + self.column(moment, plot.width);
                // The first label starts at the axis, and the last one ends with it.
                let x = at
                    .saturating_sub(width / 2)
                    .clamp(plot.x - 1, (plot.right() + 1).saturating_sub(width));
                buffer.set_string(x, y, text, theme.dim);
            }
        }
    }

    fn draw_lines(&self, plot: Rect, low: f64, high: f64, buffer: &mut Buffer) {
        let color = |style: Style| self.ui.theme.ink(style);
        let is_ascii = self.ui.options.is_ascii;
        let marker = |is_dashed| match (is_ascii, is_dashed) {
            (false, _) => Marker::Braille,
            (true, false) => Marker::Custom('.'),
            (true, true) => Marker::Custom('-'),
        };
        // Better values are at the top, and the canvas has no falling axis, so ranks are negated.
        let sign = if self.quantity.is_upside_down() {
            -1.0
        } else {
            1.0
        };
        let bounds = [(low * sign).min(high * sign), (low * sign).max(high * sign)];
        Canvas::default()
            .background_color(self.ui.theme.ground())
            .x_bounds([self.from as f64, self.until as f64])
            .y_bounds(bounds)
            .paint(|context| {
                // Dashed lines are drawn first, below the others.
                for is_dashed in [true, false] {
                    context.marker(marker(is_dashed));
                    for curve in self.curves.iter().filter(|it| it.is_dashed == is_dashed) {
                        for (place, pair) in curve.points.windows(2).enumerate() {
                            if is_dashed && place % DASH >= DRAWN {
                                continue;
                            }
                            let ((from, Some(start)), (until, Some(end))) = (pair[0], pair[1])
                            else {
                                continue;
                            };
                            context.draw(&Stroke {
                                x1: from as f64,
                                y1: start * sign,
                                x2: until as f64,
                                y2: end * sign,
                                color: color(curve.style),
                            });
                        }
                    }
                    context.layer();
                }
            })
            .render(plot, buffer);
    }

    /// Writes the name of each line at its end, above or below the line, if the plot has room.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place within the plot, clamped"
    )]
    fn draw_names(&self, plot: Rect, low: f64, high: f64, buffer: &mut Buffer) {
        if plot.width < NARROWEST_WITH_NAMES {
            return;
        }
        let rows = f64::from(plot.height - 1);
        let ends: Vec<(u16, &Curve)> = self
            .curves
            .iter()
            .filter(|curve| !curve.name.is_empty())
            .filter_map(|curve| {
                let numbers = curve.points.iter().rev();
                let end = numbers.clone().find_map(|&(_, number)| number)?;
                let portion = ((high - end) / (high - low)).clamp(0.0, 1.0);
                Some((plot.y + (portion * rows).round() as u16, curve))
            })
            .collect();
        let mut taken: Vec<u16> = ends.iter().map(|&(y, _)| y).collect();
        for (end, curve) in &ends {
            let near = [end.checked_sub(1), end.checked_add(1)]
                .into_iter()
                .flatten();
            let further = [end.checked_sub(2), end.checked_add(2)]
                .into_iter()
                .flatten();
            let mut free = near
                .chain(further)
                .filter(|y| (plot.y..plot.bottom()).contains(y) && !taken.contains(y));
            let Some(y) = free.next() else { continue };
            taken.push(y);
            // The letter tells which line it is where another is as near.
            let text = sentence!("{} {}", curve.letter, curve.name);
            let text = cut(&text, usize::from(plot.width / 2));
            let width = u16::try_from(cells(&text)).unwrap_or(0);
            let style = curve.style.patch(self.ui.theme.strong);
            buffer.set_string(plot.right() - width, y, text, style);
        }
    }

    /// Repeats the letter of each line along it, so that the lines can be told apart without colour.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place within the plot, clamped"
    )]
    fn draw_letters(&self, plot: Rect, low: f64, high: f64, buffer: &mut Buffer) {
        let rows = f64::from(plot.height - 1);
        let count = self.curves.len().max(1);
        for (place, curve) in self.curves.iter().enumerate() {
            // Each line starts its letters at another cell, so that the letters of overlapping lines do not cover each
            // other.
            let first = 2 + usize::from(BETWEEN_LETTERS) * place / count;
            let first = u16::try_from(first).unwrap_or(0);
            for x in (first..plot.width).step_by(usize::from(BETWEEN_LETTERS)) {
                let part = f64::from(x) / f64::from(plot.width - 1);
                let at = part * (curve.points.len().max(1) - 1) as f64;
                let Some(&(_, Some(number))) = curve.points.get(at.round() as usize) else {
                    continue;
                };
                let portion = ((high - number) / (high - low)).clamp(0.0, 1.0);
                let y = plot.y + (portion * rows).round() as u16;
                let style = curve.style.patch(self.ui.theme.strong);
                buffer.set_string(plot.x + x, y, curve.letter.to_string(), style);
            }
        }
    }
}
