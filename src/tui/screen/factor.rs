//! The plots of the fair-share factor F, whose policies compute it from a node's own share S and usage U.
//!
//! The curves show how it decreases with usage. Classic fair-share is 2^-(U / S), with a dampening factor 2^-(U / S / d).
//! `LEVEL_BASED` is 2^-(U / S') with S' = 0.1 + 0.9 S, so no curve is steeper than that of S' = 0.1.
//!
//! The map shows it over usage and share, as colours, or as characters where there are too few. A narrow screen shows that
//! of the current policy, a wide one classic fair-share and `LEVEL_BASED` beside each other.

use crate::base::number;
use crate::base::shown::{Shown, cells, sentence};
use crate::model::NodeId;
use crate::report::label;
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::tui::screen::painter::{Painter, below, narrow, skip, whole};
use crate::tui::screen::plot::{
    SCALE, draw_axes, draw_letters, draw_lines, draw_too_small, place, room_of, row_of, with_middle,
};
use crate::tui::state::{Session, Ui};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
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
fn portions(session: &Session, node: NodeId) -> Option<(f64, f64)> {
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
fn whole_of(session: &Session) -> &'static str {
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

fn curve_legend(ui: &Ui, session: &Session, curves: &[FactorCurve]) -> Vec<(String, Style)> {
    let (node, policy) = (session.selected(), session.scenario.policy());
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
    let factor = policy.factor_rule(session.scenario.settings());
    let compares_siblings = factor.is_none() && policy != Policy::Formula;
    // Whoever opens the plot under such a policy must know first that it does not show the policy.
    let remark = compares_siblings.then(|| {
        let title = policy.title();
        let text = format!(
            "{title} has no curve: it compares siblings. These are the curves of other policies."
        );
        (text, ui.theme.warning)
    });
    remark.into_iter().chain(letters).chain([own]).collect()
}

pub(crate) fn draw_curves(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let curves = curves(p.ui, session);
    let legend = curve_legend(p.ui, session, &curves);
    // The axis, its numbers and the legend are below the plot.
    let room = room_of(area, SCALE, narrow(legend.len()) + 2);
    let Some(plot) = with_middle(room) else {
        return draw_too_small(p, "curves", area);
    };
    draw_axes(p, plot);
    p.put(skip(plot, 1), "F", p.ui.theme.heading);
    let used = portions(session, session.selected()).map(|(_, used)| used);
    put_curves(p, &curves, used, plot);
    p.put_lines(below(area, plot.height + 2), legend);
}

/// Draws the curves above the line of a node's usage, and letters that tell them apart without colour: the first one
/// higher from curve to curve, so that those of steep curves do not overlap, and none on the axis.
fn put_curves(p: &mut Painter<'_>, curves: &[FactorCurve], used: Option<f64>, plot: Rect) {
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

/// The number of steps into which the factors from 0 to 1 are divided.
const STEPS: usize = 10;

/// The characters of the steps. The more ink, the larger the factor.
const INKS: [&str; STEPS] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"];

const WIDE: u16 = 76;

const BETWEEN: u16 = 2;
const SWATCH: usize = 3;

const MARK: &str = " X ";

struct FactorMap {
    policy: Policy,
    rule: FactorRule,
}

impl FactorMap {
    fn name(&self) -> &'static str {
        match self.policy {
            Policy::Classic => "classic",
            Policy::LevelBased => "LEVEL_BASED",
            Policy::DepthOblivious => "DEPTH_OBLIVIOUS",
            policy => policy.title(),
        }
    }

    fn heading(&self) -> String {
        let formula = match self.rule {
            FactorRule::Classic { dampening: 0 | 1 } => "2^-(U / S)".to_owned(),
            FactorRule::Classic { dampening } => format!("2^-(U / (S d)), d = {dampening}"),
            FactorRule::LevelBased => "2^-(U / (0.1 + 0.9 S))".to_owned(),
        };
        format!("{}: F = {formula}", self.name())
    }

    /// Returns the factor of a node as the current policy computed it, or else by the formula.
    fn factor(&self, session: &Session, node: NodeId, (share, used): (f64, f64)) -> f64 {
        let column = match self.rule {
            FactorRule::LevelBased => ColumnId::BucketFactor,
            FactorRule::Classic { .. } => self.policy.factor_column(),
        };
        let is_in_force = self.policy == session.scenario.policy();
        let numbers = session.scenario.evaluation();
        let computed = is_in_force.then(|| numbers.number(column, node)).flatten();
        computed.unwrap_or_else(|| self.rule.factor(share, used))
    }
}

fn maps(session: &Session, width: u16) -> Vec<FactorMap> {
    let policy = session.scenario.policy();
    let of = |policy: Policy| {
        let rule = policy.factor_rule(session.scenario.settings())?;
        Some(FactorMap { policy, rule })
    };
    let classic = of(policy).filter(|map| map.rule != FactorRule::LevelBased);
    let classic = classic.or_else(|| of(Policy::Classic));
    let level_based = of(Policy::LevelBased);
    let (is_wide, is_level_based) = (width >= WIDE, policy == Policy::LevelBased);
    let classic = classic.filter(|_| is_wide || !is_level_based);
    let level_based = level_based.filter(|_| is_wide || is_level_based);
    classic.into_iter().chain(level_based).collect()
}

/// Returns the lines below the scale: the selected node, and what the maps cannot show.
fn map_legend(ui: &Ui, session: &Session, maps: &[FactorMap]) -> Vec<(Shown, Style)> {
    let (node, policy) = (session.selected(), session.scenario.policy());
    let name = label(session.scenario.tree(), node);
    let mut lines = Vec::new();
    if let Some((share, used)) = portions(session, node) {
        let factors = maps.iter().map(|map| {
            let factor = number::fraction(map.factor(session, node, (share, used)));
            match maps {
                [_] => sentence!("F = {factor}"),
                _ => sentence!("{} F = {factor}", map.name()),
            }
        });
        let factors: Vec<Shown> = factors.collect();
        let [used, share] = [used, share].map(number::fraction);
        let (factors, whole) = (factors.join(", "), whole_of(session));
        let line = sentence!("X {factors} at U = {used}, S = {share} of {whole}: {name}");
        lines.push((ui.spelled(line), ui.theme.strong));
    } else {
        let line = sentence!("no mark: this policy has no share or usage for {name}");
        lines.push((ui.spelled(line), ui.theme.dim));
    }
    for map in maps {
        let line = match map.rule {
            FactorRule::Classic { dampening: 2.. } => "d is Slurm's FairShareDampeningFactor",
            FactorRule::Classic { .. } => continue,
            FactorRule::LevelBased => "LEVEL_BASED gives F = 1, a full bucket, at S = 0",
        };
        lines.push((line.into(), ui.theme.dim));
    }
    if policy.factor_rule(session.scenario.settings()).is_none() {
        // Whoever opens the map under such a policy must know first that it does not show the policy.
        let line = "the current policy has no such map: it compares siblings";
        lines.insert(0, (line.into(), ui.theme.warning));
    }
    lines
}

pub(crate) fn draw_maps(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let theme = &p.ui.theme;
    let maps = maps(session, area.width);
    let legend = map_legend(p.ui, session, &maps).into_iter();
    let legend = legend.flat_map(|(line, style)| {
        let lines = wrap(&line, area.width.into()).into_iter();
        lines.map(move |line| (line, style))
    });
    let legend: Vec<_> = legend.collect();
    let count = narrow(maps.len());
    let width = area.width.saturating_sub(BETWEEN * (count - 1)) / count;
    // The heading is above the plot; the axis, its numbers, the scale and the legend are below.
    let one = below(Rect { width, ..area }, 1);
    let room = room_of(one, SCALE, 2 + 1 + narrow(legend.len()));
    let Some(first) = with_middle(room) else {
        return draw_too_small(p, "a map", area);
    };
    let at = portions(session, session.selected());
    for (number, map) in (0..).zip(&maps) {
        let x = first.x + number * (width + BETWEEN);
        let plot = Rect { x, ..first };
        let heading = Rect { y: area.y, ..plot };
        p.buffer
            .set_string(plot.x - SCALE, area.y, "S", theme.heading);
        let mut text = map.heading();
        if cells(&text) > plot.width.into() {
            text.retain(|char| char != ' ');
        }
        p.put_cut(heading, &text, theme.strong);
        draw_axes(p, plot);
        draw_map(p, map.rule, plot);
        if let Some((share, used)) = at {
            let y = plot.bottom() - 1 - place(share, plot.height);
            // The blanks on either side remain within the plot.
            let x = place(used, plot.width).clamp(1, plot.width - 2) - 1;
            let style = theme.page().patch(theme.strong);
            p.buffer.set_string(plot.x + x, y, MARK, style);
        }
    }
    let scale = below(area, 1 + first.height + 2);
    draw_scale(p, scale);
    p.put_lines(below(scale, 1), legend);
}

/// Returns the backgrounds of the steps, or `None` where characters stand for them.
fn colors(ui: &Ui) -> Option<[Color; STEPS]> {
    if ui.options.is_ascii {
        return None;
    }
    let mut colors = [Color::Reset; STEPS];
    for (color, style) in colors.iter_mut().zip(&ui.theme.ramp) {
        *color = style.bg?;
    }
    Some(colors)
}

fn step(factor: f64) -> usize {
    let step = (factor * STEPS as f64).floor();
    usize::from(whole(step, narrow(STEPS - 1)))
}

/// Returns the number at a place of an axis with so many places, from 0 to 1.
fn along(place: u16, places: u16) -> f64 {
    f64::from(place) / f64::from(places - 1)
}

/// Draws the map. In colours, each cell holds two numbers, one above the other.
fn draw_map(p: &mut Painter<'_>, rule: FactorRule, plot: Rect) {
    let colors = colors(p.ui);
    for y in 0..plot.height {
        for x in 0..plot.width {
            let used = along(x, plot.width);
            let share = |place, places| 1.0 - along(place, places);
            let step = |share| step(rule.factor(share, used));
            let (symbol, style) = match colors {
                Some(colors) => {
                    let shares = [2 * y, 2 * y + 1].map(|line| share(line, 2 * plot.height));
                    let [upper, lower] = shares.map(|share| colors[step(share)]);
                    ("▀", Style::new().fg(upper).bg(lower))
                }
                None => (INKS[step(share(y, plot.height))], p.ui.theme.text),
            };
            p.buffer.set_string(plot.x + x, plot.y + y, symbol, style);
        }
    }
}

fn draw_scale(p: &mut Painter<'_>, area: Rect) {
    let theme = &p.ui.theme;
    let colors = colors(p.ui);
    let mut rest = skip(p.put(area, "F", theme.heading), 1);
    for half in [0..STEPS / 2, STEPS / 2..STEPS] {
        let number = if half.start == 0 { "0" } else { "0.5" };
        rest = skip(p.put(rest, number, theme.dim), 1);
        for step in half {
            let (symbol, style) = match colors {
                Some(colors) => (" ", Style::new().bg(colors[step])),
                None => (INKS[step], theme.text),
            };
            rest = p.put(rest, symbol.repeat(SWATCH), style);
        }
        rest = skip(rest, 1);
    }
    p.put(rest, "1", theme.dim);
}
