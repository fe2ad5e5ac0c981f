//! The map of the fair-share factor: F over usage U and share S, as colours, or as characters where there are too few
//! colours.
//!
//! A narrow screen shows the map of the current policy, a wide one classic fair-share and `LEVEL_BASED` beside each
//! other. The selected node is marked with its own usage and share.

use crate::base::number;
use crate::base::shown::{Shown, cut, sentence};
use crate::model::NodeId;
use crate::report::label;
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::tui::screen::curves::{SCALE, SMALLEST, draw_axes, portions};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// The number of steps into which the factors from 0 to 1 are divided.
const STEPS: usize = 10;

/// The characters of the steps. The more ink, the larger the factor.
const INKS: [&str; STEPS] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"];

/// The width from which two maps are beside each other.
const WIDE: u16 = 112;

/// The cells between two maps.
const BETWEEN: u16 = 2;

/// The cells of a step in the legend.
const SWATCH: u16 = 3;

/// The mark of the selected node, with a blank on either side.
const MARK: &str = " X ";

/// The map of one policy's factor.
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

    /// Returns the current formula.
    fn heading(&self) -> String {
        let formula = match self.rule {
            FactorRule::Classic { dampening: 0 | 1 } => "2^-(U / S)".to_owned(),
            FactorRule::Classic { dampening } => format!("2^-(U / (S d)), d = {dampening}"),
            FactorRule::LevelBased => "2^-(U / (0.1 + 0.9 S))".to_owned(),
        };
        format!("{}: F = {formula}", self.name())
    }

    /// Returns the factor of a node with this share and usage: as the current policy computed it, or else by the
    /// formula.
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

/// Returns the maps on a screen of that width.
fn maps(session: &Session, width: u16) -> Vec<FactorMap> {
    let policy = session.scenario.policy();
    let of = |policy| FactorMap::of(policy, session);
    let classic = of(policy).filter(|map| map.rule != FactorRule::LevelBased);
    let classic = classic.or_else(|| of(Policy::Classic));
    let level_based = of(Policy::LevelBased);
    if width >= WIDE {
        classic.into_iter().chain(level_based).collect()
    } else if policy == Policy::LevelBased {
        level_based.into_iter().collect()
    } else {
        classic.into_iter().collect()
    }
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
        let of = if policy.counts_by_level() {
            "its level"
        } else {
            "the tree"
        };
        let line = sentence!(
            "X {} at U = {}, S = {} of {of}: {name}",
            factors.join(", "),
            number::fraction(used),
            number::fraction(share)
        );
        lines.push((ui.spelled(line), ui.theme.strong));
    } else {
        let line = sentence!("no mark: this policy has no share or usage for {name}");
        lines.push((ui.spelled(line), ui.theme.dim));
    }
    for map in maps {
        match map.rule {
            FactorRule::Classic { dampening: 2.. } => {
                let line = "d is Slurm's FairShareDampeningFactor";
                lines.push((line.into(), ui.theme.dim));
            }
            FactorRule::Classic { .. } => {}
            FactorRule::LevelBased => {
                let line = "LEVEL_BASED gives F = 1, a full bucket, at S = 0";
                lines.push((line.into(), ui.theme.dim));
            }
        }
    }
    if policy.factor_rule(session.scenario.settings()).is_none() {
        // Whoever opens the map under such a policy must know first that it does not show the policy.
        let line = "the current policy has no such map: it compares siblings";
        lines.insert(0, (line.into(), ui.theme.warning));
    }
    lines
}

/// Draws the maps with their axes, the mark of the selected node, and the legend.
pub(crate) fn draw(ui: &Ui, session: &Session, area: Rect, buffer: &mut Buffer) {
    let maps = maps(session, area.width);
    let legend = legend(ui, session, &maps);
    let lines = u16::try_from(legend.len()).unwrap_or(u16::MAX);
    let gaps = BETWEEN * (u16::try_from(maps.len()).unwrap_or(1) - 1);
    let width = area.width.saturating_sub(gaps) / u16::try_from(maps.len()).unwrap_or(1);
    // The heading is above the plot; the axis, its numbers, the scale and the legend are below.
    let height = area.height.saturating_sub(1 + 2 + 1 + lines);
    let plot = Rect {
        x: area.x + SCALE,
        y: area.y + 1,
        width: width.saturating_sub(SCALE + 1),
        // An odd number of rows has one in the middle, for 0.5.
        height: height.saturating_sub(1 - height % 2),
    };
    let room = usize::from(area.width);
    if plot.width < SMALLEST.0 || plot.height < SMALLEST.1 {
        let text = "too small for a map: enlarge the window";
        buffer.set_stringn(area.x, area.y, cut(text, room), room, ui.theme.text);
        return;
    }
    let at = portions(session, session.selected());
    let mut x = plot.x;
    for map in &maps {
        let plot = Rect { x, ..plot };
        buffer.set_string(x - SCALE, area.y, "S", ui.theme.heading);
        let heading = map.heading();
        let cells = usize::from(plot.width);
        buffer.set_stringn(x, area.y, cut(&heading, cells), cells, ui.theme.strong);
        draw_axes(ui, plot, buffer);
        draw_map(ui, map.rule, plot, buffer);
        if let Some(at) = at {
            draw_mark(&ui.theme, at, plot, buffer);
        }
        x += width + BETWEEN;
    }
    draw_scale(ui, area.x, plot.bottom() + 2, buffer);
    for ((text, style), y) in legend.iter().zip(plot.bottom() + 3..area.bottom()) {
        buffer.set_stringn(area.x, y, cut(text, room), room, *style);
    }
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

/// Returns the step of a factor, from 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a factor lies between 0 and 1"
)]
fn step(factor: f64) -> usize {
    ((factor * STEPS as f64) as usize).min(STEPS - 1)
}

/// Returns the number at a place of an axis with so many places, from 0 to 1.
fn along(place: u16, places: u16) -> f64 {
    f64::from(place) / f64::from(places - 1)
}

/// Returns the place of a number on an axis with so many places. Numbers beyond the axis are at its end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place on the axis, clamped"
)]
fn place(number: f64, places: u16) -> u16 {
    (number.clamp(0.0, 1.0) * f64::from(places - 1)).round() as u16
}

/// Draws the map. In colours, each cell holds two numbers, one above the other.
fn draw_map(ui: &Ui, rule: FactorRule, plot: Rect, buffer: &mut Buffer) {
    let colors = colors(ui);
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
                None => (INKS[step(share(y, plot.height))], ui.theme.text),
            };
            buffer.set_string(plot.x + x, plot.y + y, symbol, style);
        }
    }
}

/// Marks a share and a usage.
fn draw_mark(theme: &Theme, (share, used): (f64, f64), plot: Rect, buffer: &mut Buffer) {
    let y = plot.bottom() - 1 - place(share, plot.height);
    // The blanks on either side remain within the plot.
    let x = place(used, plot.width).clamp(1, plot.width - 2) - 1;
    let style = theme.page().patch(theme.strong);
    buffer.set_string(plot.x + x, y, MARK, style);
}

/// Draws the steps with the numbers at which they begin and end.
fn draw_scale(ui: &Ui, x: u16, y: u16, buffer: &mut Buffer) {
    let colors = colors(ui);
    buffer.set_string(x, y, "F", ui.theme.heading);
    let mut x = x + 2;
    for step in 0..STEPS {
        if step == 0 || step == STEPS / 2 {
            let number = if step == 0 { "0" } else { "0.5" };
            (x, _) = buffer.set_stringn(x, y, number, number.len(), ui.theme.dim);
            x += 1;
        }
        for _ in 0..SWATCH {
            match colors {
                Some(colors) => buffer.set_string(x, y, " ", Style::new().bg(colors[step])),
                None => buffer.set_string(x, y, INKS[step], ui.theme.text),
            }
            x += 1;
        }
        if step + 1 == STEPS / 2 || step + 1 == STEPS {
            x += 1;
        }
    }
    buffer.set_string(x, y, "1", ui.theme.dim);
}
