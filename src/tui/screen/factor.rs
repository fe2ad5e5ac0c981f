//! The plots of the fair-share factor F, whose policies compute it from a node's own share S and usage U.
//!
//! The curves show how it decreases with usage. Classic fair-share is 2^-(U / S), with a dampening factor 2^-(U / S / d).
//! `LEVEL_BASED` is 2^-(U / S') with S' = 0.1 + 0.9 S, so no curve is steeper than that of S' = 0.1.
//!
//! The map shows it over usage and share.

mod map;

pub(crate) use map::draw_maps;

use super::painter::{Painter, below, narrow, skip};
use super::plot::{
    AxisEnds, Layer, Letter, SCALE, draw_axes, draw_letters, draw_lines, draw_too_small, place,
    room_of, with_middle,
};
use crate::base::number;
use crate::model::NodeId;
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::tui::state::{Session, Ui};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::Line;

/// The number of accounts with equal shares of an example in which classic fair-share gives every factor near 0.
const EQUAL_ACCOUNTS: f64 = 150.0;

/// The dampening of that example.
const DAMPENING: f64 = 5.0;

/// The pieces of a curve in a cell.
const PIECES: u32 = 4;

/// A curve: F(U) = 2^-(U / divisor).
struct FactorCurve {
    letter: Letter,
    /// What usage is divided by; 0 without shares.
    divisor: f64,
    /// Whose curves it is.
    text: String,
}

impl FactorCurve {
    /// Returns the factor at a usage.
    fn at(&self, usage: f64) -> f64 {
        if self.divisor > 0.0 {
            2_f64.powf(-usage / self.divisor)
        } else {
            // Without shares the factor is 0.
            0.0
        }
    }
}

/// The share and the usage of a node that a policy compares.
#[derive(Clone, Copy)]
struct Portions {
    share: f64,
    used: f64,
}

/// Returns the share and the usage of a node that the policy compares, or `None` if it has no such pair.
fn portions(session: &Session, node: NodeId) -> Option<Portions> {
    let policy = session.policy();
    let numbers = session.scenario.evaluation();
    let (share, mut used) = policy.portions(numbers, node)?;
    for column in [ColumnId::EffectvUsage, ColumnId::FairshareTreeUsage] {
        if policy.columns().contains(&column)
            && let Some(effective) = numbers.number(column, node)
        {
            used = effective;
            break;
        }
    }
    if !share.is_finite() || !used.is_finite() {
        return None;
    }
    Some(Portions { share, used })
}

/// Returns what a share is a part of.
fn whole_of(session: &Session) -> &'static str {
    let is_of_level = session.policy().counts_by_level();
    if is_of_level { "its level" } else { "the tree" }
}

/// The curves of an example, and of the selected node.
struct FactorCurves<'a> {
    ui: &'a Ui,
    session: &'a Session,
    /// The share and the usage of the selected node; `None` if the policy has no such pair.
    selected: Option<Portions>,
    curves: Vec<FactorCurve>,
}

impl<'a> FactorCurves<'a> {
    /// Returns the curves of the example, then those of the node.
    fn of(ui: &'a Ui, session: &'a Session) -> Self {
        let mut curves = Self {
            ui,
            session,
            selected: portions(session, session.selected()),
            curves: Vec::new(),
        };
        let equal = 1.0 / EQUAL_ACCOUNTS;
        let text = format!("classic, S = {equal:.4}: one of {EQUAL_ACCOUNTS} equal accounts");
        curves.add(equal, text);
        let text = format!("the same, with FairShareDampeningFactor = {DAMPENING}");
        curves.add(equal * DAMPENING, text);
        let least = FactorRule::LevelBased.divisor(0.0);
        let text = format!("LEVEL_BASED at its steepest, S' = {least}: a share near 0");
        curves.add(least, text);
        if let Some(at) = curves.selected {
            curves.add_selected(at.share);
        }
        curves
    }

    /// Adds the curves of a node with this share.
    fn add_selected(&mut self, share: f64) {
        let whole = whole_of(self.session);
        let text = format!("classic, S = {share:.4}: its share of {whole}");
        self.add(share, text);
        let dampening = self.session.settings().slurm.dampening;
        if dampening > 1 {
            let dampened = FactorRule::Classic { dampening }.divisor(share);
            let text = format!("the same, with FairShareDampeningFactor = {dampening}");
            self.add(dampened, text);
        }
        let softened = FactorRule::LevelBased.divisor(share);
        let text = format!("LEVEL_BASED, S' = 0.1 + 0.9 S = {softened:.4}");
        self.add(softened, text);
    }

    /// Adds a curve. One that is there already gets the text, too.
    fn add(&mut self, divisor: f64, text: String) {
        for curve in &mut self.curves {
            if curve.divisor.to_bits() == divisor.to_bits() {
                curve.text.push_str(", and ");
                curve.text.push_str(&text);
                return;
            }
        }
        let place = self.curves.len();
        let mut letters = 'a'..='z';
        let letter = Letter {
            char: letters.nth(place).unwrap_or('z'),
            style: self.ui.theme.line(place),
        };
        self.curves.push(FactorCurve {
            letter,
            divisor,
            text,
        });
    }

    /// Returns the lines below the curves.
    fn legend(&self) -> Vec<(String, Style)> {
        let theme = &self.ui.theme;
        let policy = self.session.policy();
        let mut legend = Vec::new();
        let factor = policy.factor_rule(self.session.settings());
        if factor.is_none() && policy != Policy::Formula {
            // Whoever opens the plot under such a policy must know first that it does not show the policy.
            let title = policy.title();
            let text = format!(
                "{title} has no curve: it compares siblings. These are the curves of other policies."
            );
            legend.push((text, theme.warning));
        }
        for curve in &self.curves {
            let text = format!("{} {}", curve.letter.char, curve.text);
            legend.push((text, curve.letter.style));
        }
        let label = self.session.label(self.session.selected());
        let name = self.ui.spelled(label);
        if let Some(at) = self.selected {
            let used = number::fraction(at.used);
            let text = format!("│ usage of {name}: U = {used}");
            legend.push((text, theme.strong));
        } else {
            let text = format!("no curves of {name}: this policy has no share or usage for it");
            legend.push((text, theme.dim));
        }
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
    // The axis, its numbers and the legend are below the plot.
    let lines_below = narrow(legend.len()) + 2;
    let room = room_of(area, SCALE, lines_below);
    let Some(plot) = with_middle(room) else {
        return draw_too_small(p, "curves", area);
    };
    draw_axes(p, plot);
    p.put(skip(plot, 1), "F", p.theme.heading);
    drawn.draw(p, plot);
    p.put_lines(below(area, plot.height + 2), legend);
}

/// Returns a curve in so many pieces.
fn pieces(curve: &FactorCurve, count: u32, theme: &Theme) -> Vec<Line> {
    let color = theme.ink(curve.letter.style);
    let mut pieces = Vec::new();
    for piece in 0..count {
        let from = f64::from(piece) / f64::from(count);
        let to = f64::from(piece + 1) / f64::from(count);
        pieces.push(Line::new(from, curve.at(from), to, curve.at(to), color));
    }
    pieces
}

/// Draws the letters of a curve, by its place among the curves.
fn put_letters(p: &mut Painter, at: u8, curve: &FactorCurve, plot: Rect) {
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
    draw_letters(p, plot, curve.letter, first, &rows);
}

/// Returns the number at a place of an axis with so many places, from 0 to 1.
fn along(place: u16, places: u16) -> f64 {
    f64::from(place) / f64::from(places - 1)
}
