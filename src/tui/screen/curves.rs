//! The decrease of the fair-share factor with usage: F(U) under the policies that compute it from a node's own share.
//!
//! Classic fair-share is 2^-(U / S), with a dampening factor 2^-(U / S / d). `LEVEL_BASED` is 2^-(U / S') with
//! S' = 0.1 + 0.9 S, so no curve is steeper than that of S' = 0.1.

use crate::base::number;
use crate::model::NodeId;
use crate::report::label;
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::tui::screen::painter::{Painter, below, narrow, skip};
use crate::tui::screen::plot::{
    SCALE, draw_axes, draw_letters, draw_lines, draw_too_small, place, room_of, row_of, with_middle,
};
use crate::tui::state::{Session, Ui};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::Line;

/// The number of accounts with equal shares of an example in which classic fair-share gives every factor near 0.
const EQUAL_ACCOUNTS: f64 = 150.0;

const DAMPENING: f64 = 5.0;

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
}

/// Returns the share and the usage of a node that the policy compares, or `None` if it has no such pair.
pub(crate) fn portions(session: &Session, node: NodeId) -> Option<(f64, f64)> {
    let (policy, numbers) = (session.scenario.policy(), session.scenario.evaluation());
    let (share, used) = policy.portions(numbers, node)?;
    let effective = [ColumnId::EffectvUsage, ColumnId::FairshareTreeUsage];
    let columns = effective.into_iter();
    let mut columns = columns.filter(|column| policy.columns().contains(column));
    let effective = columns.find_map(|column| numbers.number(column, node));
    let used = effective.unwrap_or(used);
    (share.is_finite() && used.is_finite()).then_some((share, used))
}

/// Returns what a share is a part of.
pub(crate) fn whole_of(session: &Session) -> &'static str {
    let is_of_level = session.scenario.policy().counts_by_level();
    if is_of_level { "its level" } else { "the tree" }
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
    let text = format!("classic, S = {equal:.4}: one of {EQUAL_ACCOUNTS} equal accounts");
    add(equal, text);
    let text = format!("the same, with FairShareDampeningFactor = {DAMPENING}");
    add(equal * DAMPENING, text);
    let least = FactorRule::LevelBased.divisor(0.0);
    let text = format!("LEVEL_BASED at its steepest, S' = {least}: a share near 0");
    add(least, text);
    let Some((share, _)) = portions(session, session.selected()) else {
        return curves;
    };
    let of = whole_of(session);
    add(share, format!("classic, S = {share:.4}: its share of {of}"));
    let dampening = session.scenario.settings().slurm.dampening;
    if dampening > 1 {
        let text = format!("the same, with FairShareDampeningFactor = {dampening}");
        add(FactorRule::Classic { dampening }.divisor(share), text);
    }
    let softened = FactorRule::LevelBased.divisor(share);
    let text = format!("LEVEL_BASED, S' = 0.1 + 0.9 S = {softened:.4}");
    add(softened, text);
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

fn legend(ui: &Ui, session: &Session, curves: &[FactorCurve]) -> Vec<(String, Style)> {
    let node = session.selected();
    let letters = curves.iter();
    let letters = letters.map(|curve| (format!("{} {}", curve.letter, curve.text), curve.style));
    let name = ui.spelled(label(session.scenario.tree(), node));
    let own = if let Some((_, used)) = portions(session, node) {
        let used = number::fraction(used);
        (format!("│ usage of {name}: U = {used}"), ui.theme.strong)
    } else {
        let text = format!("no curves of {name}: this policy has no share or usage for it");
        (text, ui.theme.dim)
    };
    // Whoever opens the plot under such a policy must know first that it does not show the policy.
    let remark = remark(session.scenario.policy()).map(|text| (text, ui.theme.warning));
    remark.into_iter().chain(letters).chain([own]).collect()
}

pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let curves = curves(p.ui, session);
    let legend = legend(p.ui, session, &curves);
    // The axis, its numbers and the legend are below the plot.
    let room = room_of(area, SCALE, narrow(legend.len()) + 2);
    let Some(plot) = with_middle(room) else {
        return draw_too_small(p, "curves", area);
    };
    draw_axes(p, plot);
    p.put(skip(plot, 1), "F", p.ui.theme.heading);
    let used = portions(session, session.selected()).map(|(_, used)| used);
    draw_curves(p, &curves, used, plot);
    p.put_lines(below(area, plot.height + 2), legend);
}

/// Draws the curves above the line of a node's usage, and letters that tell them apart without colour: the first one
/// higher from curve to curve, so that those of steep curves do not overlap, and none on the axis.
fn draw_curves(p: &mut Painter<'_>, curves: &[FactorCurve], used: Option<f64>, plot: Rect) {
    let theme = &p.ui.theme;
    let steps = u32::from(plot.width) * 4;
    let usage = |step: u32| f64::from(step) / f64::from(steps);
    let own = used.map(|used| Line::new(used, 0.0, used, 1.0, theme.ink(theme.strong)));
    let lines = curves.iter().flat_map(|curve| {
        let color = theme.ink(curve.style);
        (0..steps).map(move |step| {
            let [from, to] = [usage(step), usage(step + 1)];
            Line::new(from, curve.at(from), to, curve.at(to), color)
        })
    });
    let is_ascii = p.ui.options.is_ascii;
    let ascii = is_ascii.then_some(Marker::Custom('.'));
    let marker = ascii.unwrap_or(Marker::Braille);
    let own = own.into_iter().collect();
    let layers = [(Marker::Custom('│'), own), (marker, lines.collect())];
    draw_lines(p, plot, [[0.0, 1.0]; 2], &layers);
    let last = f64::from(plot.width - 1);
    for (at, curve) in (0_u8..).zip(curves) {
        let factor = 0.3 + 0.1 * f64::from(at);
        let first = place(-curve.divisor.max(0.0) * factor.log2(), plot.width);
        draw_letters(p, plot, (curve.letter, curve.style), first, |x| {
            let row = row_of(curve.at(f64::from(x) / last), (0.0, 1.0), plot.height);
            (x == first || row + 1 < plot.height).then_some(row)
        });
    }
}
