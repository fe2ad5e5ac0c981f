//! The plots of the fair-share factor F, whose policies compute it from a node's own share S and usage U.
//!
//! The curves show how it falls with usage, and the map shows it over usage and share: `report::factor_curves` has the numbers.

mod map;

pub(crate) use map::draw_maps;

use super::low_legend::LowLegend;
use super::painter::{Painter, below, narrow, skip};
use super::plot::{
    AxisEnds, Layer, Letter, SCALE, draw_axes, draw_letters, draw_lines, draw_too_small, place,
    room_of, with_middle,
};
use crate::base::number;
use crate::base::shown::{Shown, sentence};
use crate::report::drawing::letter;
use crate::report::factor_curves::{FactorCurve, Portions, curves, without_curve};
use crate::tui::state::{Session, Ui};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::Line;

/// The pieces of a curve in a cell.
const PIECES: u32 = 4;

/// The rows below which the legend gives way to the plot.
pub(super) const FEWEST_ROWS: u16 = 9;

/// A curve with the letter that tells it apart without colour.
struct LetteredCurve {
    letter: Letter,
    curve: FactorCurve,
}

/// The curves of an example, and of the selected node.
struct FactorCurves<'a> {
    ui: &'a Ui,
    session: &'a Session,
    /// The share and the usage of the selected node; `None` if the policy has no such pair.
    selected: Option<Portions>,
    curves: Vec<LetteredCurve>,
}

impl<'a> FactorCurves<'a> {
    /// Returns the curves of the example, then those of the node.
    fn of(ui: &'a Ui, session: &'a Session) -> Self {
        let scenario = &session.scenario;
        let selected = session.selected();
        let mut lettered = Vec::new();
        for (place, curve) in curves(scenario, selected).into_iter().enumerate() {
            let letter = Letter {
                char: letter(place),
                style: ui.theme.line(place),
            };
            lettered.push(LetteredCurve { letter, curve });
        }
        Self {
            ui,
            session,
            selected: Portions::of(scenario, selected),
            curves: lettered,
        }
    }

    /// Returns the legend in as few rows of so many cells as it fits into.
    fn low_legend(&self, width: u16) -> LowLegend {
        let mut texts = Vec::new();
        for LetteredCurve { letter, curve } in &self.curves {
            let text = sentence!("{} {}", letter.char, curve.short);
            texts.push((text, letter.style));
        }
        texts.push(self.line_of_selected());
        LowLegend::of(texts, width)
    }

    /// Returns the line about the usage of the selected node.
    fn line_of_selected(&self) -> (Shown, Style) {
        let theme = &self.ui.theme;
        let label = self.session.label(self.session.selected());
        let name = self.ui.spelled(label);
        let Some(at) = self.selected else {
            let text = sentence!("no curves of {name}: this policy has no share or usage for it");
            return (text, theme.dim);
        };
        let used = number::fraction(at.used);
        (sentence!("│ usage of {name}: U = {used}"), theme.strong)
    }

    /// Returns the lines below the curves.
    fn legend(&self) -> Vec<(Shown, Style)> {
        let theme = &self.ui.theme;
        let mut legend = Vec::new();
        if let Some(warning) = without_curve(&self.session.scenario) {
            legend.push((warning, theme.warning));
        }
        for LetteredCurve { letter, curve } in &self.curves {
            let text = sentence!("{} {}", letter.char, curve.text);
            legend.push((text, letter.style));
        }
        legend.push(self.line_of_selected());
        legend
    }

    /// Draws the curves above the line of the node's usage, and letters that tell them apart without colour: the first one
    /// higher from curve to curve, so that those of steep curves do not overlap, and none on the axis.
    fn draw(&self, p: &mut Painter, plot: Rect) {
        let theme = p.theme;
        let mut own = Vec::new();
        if let Some(Portions { used, .. }) = self.selected {
            let color = theme.ink(theme.strong);
            own.push(Line::new(used, 0.0, used, 1.0, color));
        }
        let mut lines = Vec::new();
        let steps = u32::from(plot.width) * PIECES;
        for curve in &self.curves {
            lines.extend(pieces(curve, steps, theme));
        }
        let mut marker = Marker::Braille;
        if p.ui.options.is_ascii {
            marker = Marker::Custom('.');
        }
        let own_layer = Layer {
            marker: Marker::Custom('│'),
            lines: own,
        };
        let layers = [own_layer, Layer { marker, lines }];
        draw_lines(p, plot, AxisEnds::UNIT, AxisEnds::UNIT, &layers);
        for (place, curve) in (0_u8..).zip(&self.curves) {
            put_letters(p, place, curve, plot);
        }
    }
}

/// Draws the curves with their axes and their legend.
pub(crate) fn draw_curves(p: &mut Painter, session: &Session, area: Rect) {
    let drawn = FactorCurves::of(p.ui, session);
    let legend = drawn.legend();
    let low_legend = drawn.low_legend(area.width);
    let mut found = plot_above(area, narrow(legend.len()));
    let is_low = match found {
        Some(plot) => plot.height < FEWEST_ROWS && without_curve(&session.scenario).is_none(),
        None => true,
    };
    if is_low {
        found = plot_above(area, low_legend.height());
    }
    let Some(plot) = found else {
        return draw_too_small(p, "curves", area);
    };
    draw_axes(p, plot);
    p.put(skip(plot, 1), "F", p.theme.heading);
    drawn.draw(p, plot);
    let lowest = below(area, plot.height + 2);
    if is_low {
        low_legend.draw(p, lowest);
    } else {
        p.put_lines(lowest, legend);
    }
}

/// Returns the plot above its axis, the numbers of the axis and so many rows of legend; `None` without room for it.
fn plot_above(area: Rect, rows: u16) -> Option<Rect> {
    let room = room_of(area, SCALE, rows + 2);
    with_middle(room)
}

/// Returns a curve in so many pieces.
fn pieces(lettered: &LetteredCurve, count: u32, theme: &Theme) -> Vec<Line> {
    let LetteredCurve { letter, curve } = lettered;
    let color = theme.ink(letter.style);
    let mut pieces = Vec::new();
    for piece in 0..count {
        let from = f64::from(piece) / f64::from(count);
        let to = f64::from(piece + 1) / f64::from(count);
        pieces.push(Line::new(from, curve.at(from), to, curve.at(to), color));
    }
    pieces
}

/// Draws the letters of a curve, by its place among the curves.
fn put_letters(p: &mut Painter, at: u8, lettered: &LetteredCurve, plot: Rect) {
    let LetteredCurve { letter, curve } = lettered;
    let factor = 0.3 + 0.1 * f64::from(at);
    let usage = -curve.divisor.max(0.0) * factor.log2();
    let first = place(usage, plot.width);
    let mut rows = Vec::with_capacity(plot.width.into());
    for x in 0..plot.width {
        let factor = curve.at(along(x, plot.width));
        let row = AxisEnds::UNIT.row_of(factor, plot.height);
        let is_above_axis = x == first || row + 1 < plot.height;
        rows.push(is_above_axis.then_some(row));
    }
    draw_letters(p, plot, *letter, first, &rows);
}

/// Returns the number at a place of an axis with so many places, from 0 to 1.
fn along(place: u16, places: u16) -> f64 {
    f64::from(place) / f64::from(places - 1)
}
