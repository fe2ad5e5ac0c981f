//! The map of the fair-share factor F over usage U and share S, as colours, or as characters where there are too few. A
//! narrow screen shows that of the current policy, a wide one classic fair-share and `LEVEL_BASED` beside each other.

use crate::base::number;
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::label;
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::tui::screen::curves::{portions, whole_of};
use crate::tui::screen::painter::{Painter, below, narrow, skip, whole};
use crate::tui::screen::plot::{
    SCALE, draw_axes, draw_too_small, place as place_of, room_of, with_middle,
};
use crate::tui::state::{Session, Ui};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// The number of steps into which the factors from 0 to 1 are divided.
const STEPS: usize = 10;

/// The characters of the steps. The more ink, the larger the factor.
const INKS: [&str; STEPS] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"];

const WIDE: u16 = 112;

const BETWEEN: u16 = 2;
const SWATCH: usize = 3;

const MARK: &str = " X ";

struct FactorMap {
    policy: Policy,
    rule: FactorRule,
}

impl FactorMap {
    /// Returns the map of a policy, or `None` if its factor does not follow from a share and a usage.
    fn of(policy: Policy, session: &Session) -> Option<Self> {
        let rule = policy.factor_rule(session.scenario.settings())?;
        Some(Self { policy, rule })
    }

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
    let of = |policy| FactorMap::of(policy, session);
    let classic = of(policy).filter(|map| map.rule != FactorRule::LevelBased);
    let classic = classic.or_else(|| of(Policy::Classic));
    let level_based = of(Policy::LevelBased);
    let (is_wide, is_level_based) = (width >= WIDE, policy == Policy::LevelBased);
    let classic = classic.filter(|_| is_wide || !is_level_based);
    let level_based = level_based.filter(|_| is_wide || is_level_based);
    classic.into_iter().chain(level_based).collect()
}

/// Returns the lines below the scale: the selected node, and what the maps cannot show.
fn legend(ui: &Ui, session: &Session, maps: &[FactorMap]) -> Vec<(Shown, Style)> {
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

pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let theme = &p.ui.theme;
    let maps = maps(session, area.width);
    let legend = legend(p.ui, session, &maps);
    let count = narrow(maps.len());
    let width = area.width.saturating_sub(BETWEEN * (count - 1)) / count;
    // The heading is above the plot; the axis, its numbers, the scale and the legend are below.
    let one = below(Rect { width, ..area }, 1);
    let room = room_of(one, SCALE, 2 + 1 + narrow(legend.len()));
    let Some(first) = with_middle(room) else {
        return draw_too_small(p, "a map", area);
    };
    let at = portions(session, session.selected());
    for (place, map) in (0..).zip(&maps) {
        let x = first.x + place * (width + BETWEEN);
        let plot = Rect { x, ..first };
        let heading = Rect { y: area.y, ..plot };
        p.buffer
            .set_string(plot.x - SCALE, area.y, "S", theme.heading);
        p.put_cut(heading, &map.heading(), theme.strong);
        draw_axes(p, plot);
        draw_map(p, map.rule, plot);
        if let Some((share, used)) = at {
            let y = plot.bottom() - 1 - place_of(share, plot.height);
            // The blanks on either side remain within the plot.
            let x = place_of(used, plot.width).clamp(1, plot.width - 2) - 1;
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
