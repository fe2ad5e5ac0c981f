//! The decrease of the fair-share factor with usage: F(U) under the policies that compute it from a node's own share.
//!
//! Classic fair-share is 2^-(U / S), with a dampening factor 2^-(U / S / d). `LEVEL_BASED` is 2^-(U / S') with
//! S' = 0.1 + 0.9 S, so no curve is steeper than that of S' = 0.1. The exact numbers of a node are in the table and
//! in the why pane.

use crate::base::number;
use crate::base::shown::cut;
use crate::report::label;
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line, Points};

/// The number of accounts with equal shares of an example in which classic fair-share gives every factor near 0.
const EQUAL_ACCOUNTS: f64 = 150.0;

/// The dampening factor of the second example.
const DAMPENING: f64 = 5.0;

/// The smallest plot in which curves can be told apart.
pub(crate) const SMALLEST: (u16, u16) = (36, 6);

/// The cells left of the axis: `1.00 `.
pub(crate) const SCALE: u16 = 5;

/// The cells between the letters on a curve.
const BETWEEN_LETTERS: u16 = 18;

/// A curve: F(U) = 2^-(U / divisor).
struct FactorCurve {
    letter: char,
    divisor: f64,
    text: String,
    style: Style,
}

impl FactorCurve {
    fn at(&self, usage: f64) -> f64 {
        if self.divisor > 0.0 {
            2_f64.powf(-usage / self.divisor)
        } else {
            // Without shares the factor is 0.
            0.0
        }
    }

    /// Returns the usage that gives this factor.
    fn usage_at(&self, factor: f64) -> f64 {
        -self.divisor.max(0.0) * factor.log2()
    }
}

/// Returns the share and the usage of a node that the policy compares, or `None` if it has no such pair.
pub(crate) fn portions(session: &Session, node: crate::model::NodeId) -> Option<(f64, f64)> {
    let (policy, numbers) = (session.scenario.policy(), session.scenario.evaluation());
    let (share, used) = policy.portions(numbers, node)?;
    let effective = [ColumnId::EffectvUsage, ColumnId::FairshareTreeUsage];
    let effective = effective
        .into_iter()
        .filter(|column| policy.columns().contains(column))
        .find_map(|column| numbers.number(column, node));
    let used = effective.unwrap_or(used);
    (share.is_finite() && used.is_finite()).then_some((share, used))
}

fn curves(ui: &Ui, session: &Session) -> Vec<FactorCurve> {
    let mut curves: Vec<FactorCurve> = Vec::new();
    let mut add = |divisor: f64, text: String| {
        let same = |curve: &&mut FactorCurve| curve.divisor.to_bits() == divisor.to_bits();
        if let Some(same) = curves.iter_mut().find(same) {
            same.text.push_str(", and ");
            same.text.push_str(&text);
            return;
        }
        let place = curves.len();
        curves.push(FactorCurve {
            letter: char::from(b'a' + u8::try_from(place).unwrap_or(0)),
            divisor,
            text,
            style: ui.theme.line(place),
        });
    };
    let equal = 1.0 / EQUAL_ACCOUNTS;
    add(
        equal,
        format!("classic, S = {equal:.4}: one of {EQUAL_ACCOUNTS} equal accounts"),
    );
    add(
        equal * DAMPENING,
        format!("the same, with FairShareDampeningFactor = {DAMPENING}"),
    );
    let least = FactorRule::LevelBased.divisor(0.0);
    add(
        least,
        format!("LEVEL_BASED at its steepest, S' = {least}: a share near 0"),
    );
    let Some((share, _)) = portions(session, session.selected()) else {
        return curves;
    };
    let of_level = if session.scenario.policy().counts_by_level() {
        " of its level"
    } else {
        " of the tree"
    };
    add(
        share,
        format!("classic, S = {share:.4}: its share{of_level}"),
    );
    let dampening = session.scenario.settings().slurm.dampening;
    if dampening > 1 {
        add(
            FactorRule::Classic { dampening }.divisor(share),
            format!("the same, with FairShareDampeningFactor = {dampening}"),
        );
    }
    let softened = FactorRule::LevelBased.divisor(share);
    add(
        softened,
        format!("LEVEL_BASED, S' = 0.1 + 0.9 S = {softened:.4}"),
    );
    curves
}

/// Returns a remark about the policy that the plot cannot show, or `None` if there is none.
fn remark(policy: Policy) -> Option<String> {
    match policy {
        Policy::PbsWalk
        | Policy::FairTree
        | Policy::FairTreeDocumented
        | Policy::Flux
        | Policy::Tickets => Some(format!(
            "{} has no curve: it compares siblings. These are the curves of other policies.",
            policy.title()
        )),
        _ => None,
    }
}

/// Draws the plot with its axes, the curves, the node's own usage, and what each letter means.
pub(crate) fn draw(ui: &Ui, session: &Session, area: Rect, buffer: &mut Buffer) {
    let node = session.selected();
    let curves = curves(ui, session);
    let used = portions(session, node).map(|(_, used)| used);
    let mut legend: Vec<(String, Style)> = curves
        .iter()
        .map(|curve| (format!("{} {}", curve.letter, curve.text), curve.style))
        .collect();
    let name = ui.spelled(label(session.scenario.tree(), node));
    legend.push(match used {
        Some(used) => (
            format!("│ usage of {name}: U = {}", number::fraction(used)),
            ui.theme.strong,
        ),
        None => (
            format!("no curves of {name}: this policy has no share or usage for it"),
            ui.theme.dim,
        ),
    });
    // Whoever opens the plot under such a policy must know first that it does not show the policy.
    if let Some(remark) = remark(session.scenario.policy()) {
        legend.insert(0, (remark, ui.theme.warning));
    }
    let height = u16::try_from(legend.len()).unwrap_or(u16::MAX);
    let plot = Rect {
        x: area.x + SCALE,
        y: area.y,
        width: area.width.saturating_sub(SCALE + 1),
        // The axis, its numbers and the legend are below the plot.
        height: area.height.saturating_sub(height + 2),
    };
    // An odd number of rows has one in the middle, for 0.5.
    let plot = Rect {
        height: plot.height.saturating_sub(1 - plot.height % 2),
        ..plot
    };
    if plot.width < SMALLEST.0 || plot.height < SMALLEST.1 {
        let text = "too small for curves: enlarge the window";
        let room = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, cut(text, room), room, ui.theme.text);
        return;
    }
    draw_axes(ui, plot, buffer);
    buffer.set_string(plot.x + 1, plot.y, "F", ui.theme.heading);
    draw_plot(ui, &curves, used, plot, buffer);
    for ((text, style), y) in legend.iter().zip(plot.bottom() + 2..area.bottom()) {
        let room = usize::from(area.width);
        buffer.set_stringn(area.x, y, cut(text, room), room, *style);
    }
}

/// Draws the axes of a plot from 0 to 1: usage from left to right, and the numbers of what is from bottom to top.
pub(crate) fn draw_axes(ui: &Ui, plot: Rect, buffer: &mut Buffer) {
    let theme = &ui.theme;
    let left = plot.x - 1;
    for (part, text) in [(0, "1.00"), (1, "0.50"), (2, "0.00")] {
        let y = plot.y + (plot.height - 1) * part / 2;
        buffer.set_string(plot.x - SCALE, y, text, theme.dim);
    }
    for y in plot.y..plot.bottom() {
        buffer.set_string(left, y, "│", theme.guide);
    }
    let width = usize::from(plot.width);
    buffer.set_string(left, plot.bottom(), "└", theme.guide);
    buffer.set_stringn(plot.x, plot.bottom(), "─".repeat(width), width, theme.guide);
    for (part, text) in [(0, "0"), (1, "0.25"), (2, "0.50"), (3, "0.75"), (4, "1 U")] {
        let x = plot.x + (plot.width - 1) * part / 4;
        let cells = u16::try_from(text.len()).unwrap_or(0);
        // The last number ends where the axis does.
        let back = match part {
            0 => 0,
            4 => cells - 1,
            _ => cells / 2,
        };
        buffer.set_string(x - back, plot.bottom() + 1, text, theme.dim);
    }
}

fn draw_plot(ui: &Ui, curves: &[FactorCurve], used: Option<f64>, plot: Rect, buffer: &mut Buffer) {
    let steps = u32::from(plot.width) * 4;
    let color = |style: Style| ui.theme.ink(style);
    let marker = if ui.options.is_ascii {
        Marker::Custom('.')
    } else {
        Marker::Braille
    };
    Canvas::default()
        .background_color(ui.theme.ground())
        .marker(marker)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .paint(|context| {
            if let Some(used) = used {
                context.marker(Marker::Custom('│'));
                context.draw(&Line {
                    x1: used,
                    y1: 0.0,
                    x2: used,
                    y2: 1.0,
                    color: color(ui.theme.strong),
                });
                context.layer();
                context.marker(marker);
            }
            for curve in curves {
                let points: Vec<(f64, f64)> = (0..=steps)
                    .map(|step| {
                        let usage = f64::from(step) / f64::from(steps);
                        (usage, curve.at(usage))
                    })
                    .collect();
                // Steep parts are lines: points would leave gaps.
                for pair in points.windows(2) {
                    context.draw(&Line {
                        x1: pair[0].0,
                        y1: pair[0].1,
                        x2: pair[1].0,
                        y2: pair[1].1,
                        color: color(curve.style),
                    });
                }
                context.draw(&Points {
                    coords: &points[..1],
                    color: color(curve.style),
                });
            }
        })
        .render(plot, buffer);
    draw_letters(ui, curves, plot, buffer);
}

/// Repeats the letter of each curve along it, so that the curves can be told apart without colour. The first letter is
/// higher from curve to curve, so that the letters of steep curves do not overlap. Parts of a curve on the axis have no
/// letters.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place within the plot, clamped"
)]
fn draw_letters(ui: &Ui, curves: &[FactorCurve], plot: Rect, buffer: &mut Buffer) {
    let last = f64::from(plot.width - 1);
    for (place, curve) in (0_u8..).zip(curves) {
        let first = curve.usage_at(0.3 + 0.1 * f64::from(place)) * last;
        let first = first.round().clamp(0.0, last) as u16;
        for x in (first..plot.width).step_by(usize::from(BETWEEN_LETTERS)) {
            let row = row(curve.at(f64::from(x) / last), plot.height);
            if x > first && row + 1 == plot.height {
                break;
            }
            let style = curve.style.patch(ui.theme.strong);
            let letter = curve.letter.to_string();
            buffer.set_string(plot.x + x, plot.y + row, letter, style);
        }
    }
}

/// Returns the row of a factor in a plot of this height.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a factor lies between 0 and 1, and so the row between 0 and the height"
)]
fn row(factor: f64, height: u16) -> u16 {
    let rows = f64::from(height - 1);
    (rows * (1.0 - factor.clamp(0.0, 1.0))).round() as u16
}
