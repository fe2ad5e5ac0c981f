//! The chart: lines over time, the current moment and the campaigns.

use crate::base::number;
use crate::base::shown::{Shown, sentence};
use crate::model::Time;
use crate::tui::screen::painter::{Painter, below, narrow, skip, width_of};
use crate::tui::screen::plot::{
    draw_frame, draw_letters, draw_lines, draw_too_small, place, room_of, row_of,
};
use crate::tui::time::axis::{Quantity, date, round_up, tick, ticks};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::Line;

const SMALLEST: (u16, u16) = (24, 3);
const LOWEST_WITH_DATES: u16 = 7;
const SCALE: u16 = 8;

/// The cells in which the letters of all lines begin.
const FIRST_LETTERS: usize = 18;

/// The narrowest plot with the names of the lines at their ends.
const NARROWEST_WITH_NAMES: u16 = 34;

/// The length of the pattern of a dashed line, in pieces.
const DASH: usize = 4;

/// The pieces of the pattern that are drawn.
const DRAWN: usize = 2;

pub(crate) struct Curve {
    pub(crate) letter: char,
    /// The name drawn at the end of the line; empty for a line that has its colour from another.
    pub(crate) name: Shown,
    /// The values by moment in seconds since the snapshot, `None` where there is no value.
    pub(crate) points: Vec<(u64, Option<f64>)>,
    pub(crate) style: Style,
    pub(crate) is_dashed: bool,
}

pub(crate) struct Chart<'a> {
    pub(crate) quantity: Quantity,
    pub(crate) curves: &'a [Curve],
    /// The first and the last moment, in seconds since the snapshot.
    pub(crate) from: u64,
    pub(crate) until: u64,
    pub(crate) time: &'a Time,
}

impl Chart<'_> {
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

    fn column(&self, moment: u64, width: u16) -> u16 {
        let span = self.until.saturating_sub(self.from).max(1);
        place(moment.saturating_sub(self.from) as f64 / span as f64, width)
    }

    /// Draws the chart, or a notice if there is no room. Returns the area of the plot, or `None` without one.
    pub(crate) fn draw(&self, p: &mut Painter<'_>, area: Rect) -> Option<Rect> {
        let theme = &p.ui.theme;
        let taken = self.time.taken.filter(|_| area.height >= LOWEST_WITH_DATES);
        let axis = if taken.is_some() { 3 } else { 2 };
        let plot = room_of(area, SCALE, axis);
        if plot.width < SMALLEST.0 || plot.height < SMALLEST.1 {
            draw_too_small(p, "a chart", area);
            return None;
        }
        let bounds = self.bounds();
        self.shade_campaigns(p, plot);
        draw_frame(p, plot);
        self.draw_scale(p, plot, bounds);
        self.draw_moments(p, plot, taken);
        let now = skip(plot, self.column(self.time.passed, plot.width));
        p.upright(Rect { width: 1, ..now }, theme.strong);
        let mut numbers = self.curves.iter().flat_map(|curve| &curve.points);
        if numbers.all(|(_, number)| number.is_none()) {
            let text = "there are no numbers of these nodes under this policy; choose other nodes";
            let room = skip(below(plot, plot.height / 2), 3);
            let lines = wrap(text, room.width.into()).into_iter();
            p.put_lines(room, lines.map(|line| (line, theme.text)));
        }
        self.draw_lines(p, plot, bounds);
        self.draw_letters(p, plot, bounds);
        self.draw_names(p, plot, bounds);
        p.buffer.set_string(now.x, plot.bottom(), "▲", theme.key);
        Some(plot)
    }

    fn shade_campaigns(&self, p: &mut Painter<'_>, plot: Rect) {
        let campaigns = self.time.pace.campaigns().iter();
        let on_screen = campaigns.filter(|it| it.until > self.from && it.from < self.until);
        for campaign in on_screen {
            let [left, right] = [campaign.from, campaign.until];
            let [left, right] = [left, right].map(|moment| self.column(moment, plot.width));
            let shade = "░".repeat(usize::from(right - left + 1));
            for row in plot.rows() {
                p.put(skip(row, left), &shade, p.ui.theme.guide);
            }
        }
    }

    fn draw_scale(&self, p: &mut Painter<'_>, plot: Rect, (low, high): (f64, f64)) {
        let parts: u16 = if plot.height >= 9 { 4 } else { 2 };
        let mut before = String::new();
        for part in 0..=parts {
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
            if text != before {
                let y = plot.y + (plot.height - 1) * part / parts;
                let label = Rect::new(plot.x - SCALE, y, SCALE - 2, 1);
                let cells = usize::from(label.width);
                p.put(label, format!("{text:>cells$}"), p.ui.theme.dim);
            }
            before = text;
        }
    }

    fn draw_moments(&self, p: &mut Painter<'_>, plot: Rect, taken: Option<i64>) {
        // A centred date must fit beside the first one, which starts at the axis.
        let widest = if taken.is_some() { 16 } else { 10 };
        for moment in ticks(self.from, self.until, widest, plot.width) {
            let texts = [
                Some(tick(moment, self.until)),
                taken.and_then(|taken| date(taken, moment, false)),
            ];
            for (text, y) in texts.into_iter().flatten().zip(plot.bottom() + 1..) {
                let width = width_of(&text);
                let at = plot.x + self.column(moment, plot.width);
                // The first label starts at the axis, and the last one ends with it.
                let x = at
                    .saturating_sub(width / 2)
                    .clamp(plot.x - 1, (plot.right() + 1).saturating_sub(width));
                p.buffer.set_string(x, y, text, p.ui.theme.dim);
            }
        }
    }

    fn draw_lines(&self, p: &mut Painter<'_>, plot: Rect, (low, high): (f64, f64)) {
        // Better values are at the top, and the canvas has no falling axis, so ranks are negated.
        let is_rank = self.quantity == Quantity::Rank;
        let sign = if is_rank { -1.0 } else { 1.0 };
        let bounds = [
            [self.from as f64, self.until as f64],
            [low * sign, high * sign],
        ];
        let lines_of = |curve: &Curve| {
            let color = p.ui.theme.ink(curve.style);
            let pairs = curve.points.windows(2).enumerate();
            let pairs = pairs.filter(|(place, _)| !curve.is_dashed || place % DASH < DRAWN);
            let lines = pairs.filter_map(|(_, pair)| {
                let ((from, Some(start)), (until, Some(end))) = (pair[0], pair[1]) else {
                    return None;
                };
                let (start, end) = (start * sign, end * sign);
                Some(Line::new(from as f64, start, until as f64, end, color))
            });
            lines.collect::<Vec<_>>()
        };
        // Dashed lines are drawn first, below the others.
        let layers = [true, false].map(|is_dashed| {
            let marker = match (p.ui.options.is_ascii, is_dashed) {
                (false, _) => Marker::Braille,
                (true, false) => Marker::Custom('.'),
                (true, true) => Marker::Custom('-'),
            };
            let curves = self.curves.iter();
            let curves = curves.filter(|curve| curve.is_dashed == is_dashed);
            (marker, curves.flat_map(lines_of).collect())
        });
        draw_lines(p, plot, bounds, &layers);
    }

    /// Writes the name of each line at its end, above or below the line, if the plot has room.
    fn draw_names(&self, p: &mut Painter<'_>, plot: Rect, bounds: (f64, f64)) {
        if plot.width < NARROWEST_WITH_NAMES {
            return;
        }
        let named = self.curves.iter().filter(|curve| !curve.name.is_empty());
        let ends = named.filter_map(|curve| {
            let mut numbers = curve.points.iter().rev();
            let end = numbers.find_map(|&(_, number)| number)?;
            Some((plot.y + row_of(end, bounds, plot.height), curve))
        });
        let ends: Vec<(u16, &Curve)> = ends.collect();
        let mut taken: Vec<u16> = ends.iter().map(|&(y, _)| y).collect();
        for (end, curve) in &ends {
            let mut near = [-1, 1, -2, 2]
                .into_iter()
                .filter_map(|lines| end.checked_add_signed(lines))
                .filter(|y| (plot.y..plot.bottom()).contains(y) && !taken.contains(y));
            let Some(y) = near.next() else { continue };
            taken.push(y);
            // The letter tells which line it is where another is as near.
            let text = sentence!("{} {}", curve.letter, curve.name);
            let text = text.cut(usize::from(plot.width / 2));
            let style = curve.style.patch(p.ui.theme.strong);
            p.put_right(Rect { y, ..plot }, &text, style);
        }
    }

    /// Draws the letters of the lines, each line's from another cell on, so that they do not cover each other.
    fn draw_letters(&self, p: &mut Painter<'_>, plot: Rect, bounds: (f64, f64)) {
        let count = self.curves.len().max(1);
        for (at, curve) in self.curves.iter().enumerate() {
            let first = narrow(2 + FIRST_LETTERS * at / count);
            draw_letters(p, plot, (curve.letter, curve.style), first, |x| {
                let part = f64::from(x) / f64::from(plot.width - 1);
                let at = place(part, narrow(curve.points.len().max(1)));
                let (_, number) = curve.points.get(usize::from(at))?;
                Some(row_of((*number)?, bounds, plot.height))
            });
        }
    }
}
