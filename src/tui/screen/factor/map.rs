//! The map of the factor over usage and share, as colours, or as characters where there are too few. A narrow screen shows
//! that of the current policy, a wide one classic fair-share and `LEVEL_BASED` beside each other.

use super::{FEWEST_ROWS, along, plot_above};
use crate::base::number;
use crate::base::shown::{Shown, cells, sentence};
use crate::report::factor_curves::{FactorMap, Portions, WITHOUT_MAP, whole_of};
use crate::rules::policy::FactorRule;
use crate::tui::screen::painter::{Painter, below, narrow, skip, whole};
use crate::tui::screen::plot::{SCALE, draw_axes, draw_too_small, place};
use crate::tui::state::{Session, Ui};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// The number of steps into which the factors from 0 to 1 are divided.
const STEPS: usize = 10;

/// The characters of the steps. The more ink, the larger the factor.
const INKS: [&str; STEPS] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"];

/// The width of the screen from which on there are two maps.
const WIDE: u16 = 76;

/// The cells between two maps.
const BETWEEN: u16 = 2;

/// The cells of a step in the scale.
const SWATCH: usize = 3;

/// The mark of the selected node.
const MARK: &str = " X ";

/// The maps beside each other, and the node that is marked on them.
struct FactorMaps<'a> {
    ui: &'a Ui,
    session: &'a Session,
    maps: Vec<FactorMap>,
    /// The share and the usage of the selected node; `None` if the policy has no such pair.
    selected: Option<Portions>,
}

impl<'a> FactorMaps<'a> {
    /// Returns that of the current policy, and on a wide screen those of classic fair-share and of `LEVEL_BASED`.
    fn of(ui: &'a Ui, session: &'a Session, width: u16) -> Self {
        let is_wide = width >= WIDE;
        let scenario = &session.scenario;
        Self {
            ui,
            session,
            maps: FactorMap::all_of(scenario, is_wide),
            selected: Portions::of(scenario, session.selected()),
        }
    }

    /// Returns the lines below the scale: the selected node, and what the maps cannot show.
    fn legend(&self) -> Vec<(Shown, Style)> {
        let theme = &self.ui.theme;
        let policy = self.session.policy();
        let mut lines = Vec::new();
        if policy.factor_rule(self.session.settings()).is_none() {
            // Whoever opens the map under such a policy must know first that it does not show the policy.
            lines.push((WITHOUT_MAP.into(), theme.warning));
        }
        lines.push(self.line_of_selected(false));
        for map in &self.maps {
            if let Some(remark) = map.remark() {
                lines.push((remark.into(), theme.dim));
            }
        }
        lines
    }

    /// Returns the line about the selected node: its factors and what they follow from, or why it has no mark.
    fn line_of_selected(&self, is_short: bool) -> (Shown, Style) {
        let ui = self.ui;
        let name = self.session.label(self.session.selected());
        let Some(at) = self.selected else {
            let line = sentence!("no mark: this policy has no share or usage for {name}");
            return (ui.spelled(line), ui.theme.dim);
        };
        let factors = self.factors(at);
        let used = number::fraction(at.used);
        let share = number::fraction(at.share);
        if is_short {
            let line = sentence!("X {name} (U {used}, S {share}): {factors}");
            return (ui.spelled(line), ui.theme.strong);
        }
        let whole = whole_of(self.session.policy());
        let line = sentence!("X {factors} at U = {used}, S = {share} of {whole}: {name}");
        (ui.spelled(line), ui.theme.strong)
    }

    /// Returns the factor of the selected node by each map.
    fn factors(&self, at: Portions) -> Shown {
        let is_single = self.maps.len() == 1;
        let mut factors = Vec::new();
        for map in &self.maps {
            let factor = map.factor(&self.session.scenario, self.session.selected(), at);
            let text = number::fraction(factor);
            factors.push(if is_single {
                sentence!("F = {text}")
            } else {
                sentence!("{} F = {text}", map.name())
            });
        }
        Shown::joined(factors, ", ")
    }
}

/// Draws the maps beside each other, and the scale and the legend below them.
pub(crate) fn draw_maps(p: &mut Painter, session: &Session, area: Rect) {
    let drawn = FactorMaps::of(p.ui, session, area.width);
    let mut legend = Vec::new();
    for (line, style) in drawn.legend() {
        for part in wrap(&line, area.width.into()) {
            legend.push((part, style));
        }
    }
    let count = narrow(drawn.maps.len());
    let between = BETWEEN * (count - 1);
    let width = area.width.saturating_sub(between) / count;
    // The heading is above the plot; the axis, its numbers, the scale and the legend are below.
    let one = below(Rect { width, ..area }, 1);
    let mut found = plot_above(one, 1 + narrow(legend.len()));
    let is_low = match found {
        Some(plot) => plot.height < FEWEST_ROWS,
        None => true,
    };
    if is_low && drawn.selected.is_some() {
        let (line, style) = drawn.line_of_selected(true);
        legend = vec![(line.to_string(), style)];
        found = plot_above(one, 1 + narrow(legend.len()));
    }
    let Some(first) = found else {
        return draw_too_small(p, "a map", area);
    };
    let mut plot = first;
    for map in &drawn.maps {
        let heading = Rect { y: area.y, ..plot };
        put_heading(p, map, heading);
        draw_axes(p, plot);
        let plotted = PlottedMap {
            rule: map.rule,
            plot,
        };
        plotted.draw(p);
        if let Some(at) = drawn.selected {
            plotted.put_mark(p, at);
        }
        plot.x += width + BETWEEN;
    }
    let scale = below(area, 1 + first.height + 2);
    draw_scale(p, scale);
    p.put_lines(below(scale, 1), legend);
}

/// Draws the heading of a map, without blanks where there is little room.
fn put_heading(p: &mut Painter, map: &FactorMap, area: Rect) {
    let theme = p.theme;
    p.buffer
        .set_string(area.x - SCALE, area.y, "S", theme.heading);
    let mut text = map.heading().to_string();
    if cells(&text) > area.width.into() {
        text.retain(|char| char != ' ');
    }
    p.put_cut(area, &text, theme.strong);
}

/// The backgrounds of the steps, from the smallest factor to the largest.
type StepColors = [Color; STEPS];

/// Returns the backgrounds of the steps, or `None` where characters stand for them.
fn colors(ui: &Ui) -> Option<StepColors> {
    if ui.options.is_ascii {
        return None;
    }
    let mut colors = [Color::Reset; STEPS];
    for (color, style) in colors.iter_mut().zip(&ui.theme.ramp) {
        *color = style.bg?;
    }
    Some(colors)
}

/// A map in its area of the screen.
struct PlottedMap {
    rule: FactorRule,
    /// The cells between its axes.
    plot: Rect,
}

impl PlottedMap {
    /// Draws the map. In colours, each cell holds two numbers, one above the other.
    fn draw(&self, p: &mut Painter) {
        match colors(p.ui) {
            Some(colors) => self.draw_in_colors(p, &colors),
            None => self.draw_in_characters(p),
        }
    }

    /// Draws two numbers in each cell, the background of each being its step.
    fn draw_in_colors(&self, p: &mut Painter, colors: &StepColors) {
        let plot = self.plot;
        let halves = 2 * plot.height;
        for y in 0..plot.height {
            let row = plot.y + y;
            let upper = 1.0 - along(2 * y, halves);
            let lower = 1.0 - along(2 * y + 1, halves);
            for x in 0..plot.width {
                let used = along(x, plot.width);
                let above = self.step(upper, used);
                let below = self.step(lower, used);
                let style = Style::new().fg(colors[above]).bg(colors[below]);
                p.buffer.set_string(plot.x + x, row, "▀", style);
            }
        }
    }

    /// Draws the character of a step in each cell.
    fn draw_in_characters(&self, p: &mut Painter) {
        let plot = self.plot;
        let style = p.theme.text;
        for y in 0..plot.height {
            let row = plot.y + y;
            let share = 1.0 - along(y, plot.height);
            for x in 0..plot.width {
                let used = along(x, plot.width);
                let ink = INKS[self.step(share, used)];
                p.buffer.set_string(plot.x + x, row, ink, style);
            }
        }
    }

    /// Returns the step of the factor at a share and a usage.
    fn step(&self, share: f64, used: f64) -> usize {
        let factor = self.rule.factor(share, used);
        let step = (factor * STEPS as f64).floor();
        usize::from(whole(step, narrow(STEPS - 1)))
    }

    /// Marks a node. The blanks on either side remain within the map.
    fn put_mark(&self, p: &mut Painter, at: Portions) {
        let plot = self.plot;
        let last_row = plot.height - 1;
        let last_column = plot.width - 2;
        let row = last_row - place(at.share, plot.height);
        let column = place(at.used, plot.width).clamp(1, last_column);
        let style = p.theme.page().patch(p.theme.strong);
        let x = plot.x + column - 1;
        p.buffer.set_string(x, plot.y + row, MARK, style);
    }
}

/// Draws what the steps look like, from 0 to 1.
fn draw_scale(p: &mut Painter, area: Rect) {
    let theme = p.theme;
    let colors = colors(p.ui);
    let mut rest = p.put(area, "F", theme.heading);
    for step in 0..STEPS {
        if step == 0 {
            rest = put_apart(p, rest, "0");
        }
        if step == STEPS / 2 {
            rest = put_apart(p, rest, "0.5");
        }
        let mut symbol = INKS[step];
        let mut style = theme.text;
        if let Some(colors) = colors {
            symbol = " ";
            style = Style::new().bg(colors[step]);
        }
        rest = p.put(rest, symbol.repeat(SWATCH), style);
    }
    put_apart(p, rest, "1");
}

/// Draws a number of the scale between two blanks. Returns the area behind them.
fn put_apart(p: &mut Painter, area: Rect, number: &str) -> Rect {
    let behind = p.put(skip(area, 1), number, p.theme.dim);
    skip(behind, 1)
}
