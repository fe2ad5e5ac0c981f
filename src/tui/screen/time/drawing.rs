//! The layout of the Time screen: the tree on the left, the chart with its legend on the right, and the estimates and
//! assumptions below both.

use super::chart::{Chart, Curve};
use super::legend::{Legend, LegendEntry};
use super::sentences::{SentenceLine, Topic, fit, rows_wanted, sentences};
use crate::analysis::simulate::{NodeSeries, Preset};
use crate::base::shown::{Shown, cells};
use crate::model::duration_for_people;
use crate::report::drawing::letter;
use crate::report::label;
use crate::tui::input::action::Action;
use crate::tui::screen::painter::{Painter, below, narrow, skip, split_bottom};
use crate::tui::state::drawn::Plot;
use crate::tui::state::{Session, Ui};
use crate::tui::time::axis::{Quantity, date, moment};
use crate::tui::time::forecast::{Branch, Forecast, Lines};
use crate::tui::time::wording::Wording;
use crate::tui::widget::theme::Theme;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;

/// The width from which on the tree is beside the chart.
const NARROWEST_WITH_TREE: u16 = 72;

/// The cells of the widest tree.
const WIDEST_TREE: u16 = 46;

/// The cells between the tree and the chart.
const GAP: u16 = 2;

/// The height from which on the legend is always a table.
const HIGH: u16 = 30;

/// What the layout leaves to others, and what it drew.
pub(crate) struct TimeAreas {
    /// The area of the tree; empty without room for it.
    pub(crate) tree: Rect,
    /// The plot of the chart; `None` if there is nothing to draw yet, or no room.
    pub(crate) plot: Option<Plot>,
}

/// Returns the cells of the tree beside the chart, with the gap behind it; 0 without room for it.
fn cells_before_chart(area: Rect) -> u16 {
    if area.width < NARROWEST_WITH_TREE {
        return 0;
    }
    (area.width * 2 / 5).min(WIDEST_TREE) + GAP
}

/// Returns the rows of the chart with its axes that the legend and the sentences leave it. A lesson says what is to be seen
/// in the chart, so there the others give way.
fn fewest_rows(session: &Session, height: u16) -> u16 {
    let is_lesson = session.played_lesson().is_some();
    match height {
        HIGH.. => 15,
        16.. => 10,
        12.. if is_lesson => 10,
        _ => 5,
    }
}

/// Draws the screen but the tree.
pub(crate) fn draw(p: &mut Painter, session: &Session, area: Rect) -> TimeAreas {
    let forecast = session.time.forecast(session.tree());
    let mut drawn = ForecastLines::new(p.ui, session);
    if let Some(forecast) = forecast {
        drawn.add_branches(forecast);
    }
    let before_chart = cells_before_chart(area);
    let chart_width = area.width - before_chart;
    let mut legend = Legend {
        entries: drawn.legend,
        is_low: false,
    };
    let sentences = sentences(p.ui, session);
    let width = usize::from(area.width);
    // A low legend leaves more room for the sentences.
    let fewest_rows = fewest_rows(session, area.height);
    let least_room = room_for_sentences(&legend, area, chart_width, fewest_rows);
    let wanted = rows_wanted(&sentences, width);
    legend.is_low = area.height < HIGH && least_room < wanted;
    let room = room_for_sentences(&legend, area, chart_width, fewest_rows);
    let lines = styled_lines(p.theme, fit(sentences, width, room));
    let text = split_bottom(area, narrow(lines.len()));
    p.put_lines(skip(text.below, 1), lines);
    let tree = Rect {
        width: before_chart.saturating_sub(GAP),
        ..text.above
    };
    let chart = skip(text.above, before_chart);
    let mut legend_height = legend.height(chart.width);
    if legend.is_low && session.played_lesson().is_some() {
        // Lines are named at their ends too.
        let room = chart.height.saturating_sub(1 + fewest_rows);
        legend_height = legend_height.min(room);
    }
    let rows = Layout::vertical([Length(1), Min(0), Length(legend_height)]);
    let [top, middle, below_plot] = rows.areas(chart);
    let heading = heading(p.ui, session, top.width.into());
    p.put_text(top, &[heading], p.theme.heading);
    let mut plot = None;
    if let Some(forecast) = forecast {
        legend.draw(p, below_plot);
        plot = draw_chart(p, session, forecast, &drawn.curves, middle);
    } else {
        draw_waiting(p, session, below(middle, 1));
    }
    TimeAreas { tree, plot }
}

/// Returns lines with their styles: what is estimated is what the screen is for.
fn styled_lines(theme: &Theme, lines: Vec<SentenceLine>) -> Vec<(String, Style)> {
    let mut styled = Vec::new();
    for line in lines {
        let style = match line.topic {
            Topic::Estimate => theme.text,
            Topic::Assumption | Topic::Unknown => theme.dim,
        };
        styled.push((line.text, style));
    }
    styled
}

/// Returns the rows for the sentences below the chart, its legend being so wide.
fn room_for_sentences(legend: &Legend, area: Rect, width: u16, fewest_rows: u16) -> usize {
    let needed = 1 + legend.height(width) + fewest_rows;
    usize::from(area.height.saturating_sub(needed))
}

/// Draws why there are no lines, and the key that does something about it.
fn draw_waiting(p: &mut Painter, session: &Session, area: Rect) {
    let text = if session.time.abandoned.is_some() {
        let again = p.ui.hint(Action::TimeScreen);
        format!("stopped; {again} computes it again")
    } else {
        format!("computing… {} stops", p.ui.hint(Action::Cancel))
    };
    p.put_text(area, &[text], p.theme.warning);
}

/// Draws the chart. Returns its plot, or `None` without room for one.
fn draw_chart(
    p: &mut Painter,
    session: &Session,
    forecast: &Forecast,
    curves: &[Curve],
    area: Rect,
) -> Option<Plot> {
    let times = match forecast.branches.first() {
        Some(first) => &first.series.times[..],
        None => &[],
    };
    let from = times.first().copied().unwrap_or(0);
    let until = times.last().copied().unwrap_or(1);
    let chart = Chart {
        quantity: session.time.drawn(),
        curves,
        from,
        until,
        time: &session.settings().time,
    };
    let area = chart.draw(p, area)?;
    Some(Plot { area, from, until })
}

/// Returns the heading: the quantity, the moment of the clock and its step, in a form that fits the width.
fn heading(ui: &Ui, session: &Session, width: usize) -> String {
    let time = &session.time;
    let tree = session.tree();
    let clock = &session.settings().time;
    let title = time.drawn().title();
    let whose = match session.drawn_lines() {
        Lines::Assumptions => {
            let node = ui.spelled(label(tree, session.selected()));
            format!("{title} of {node}")
        }
        Lines::Nodes => title.to_owned(),
    };
    let is_working = time.is_working() && time.forecast(tree).is_some();
    let plays = if time.beat.is_some() { "▶" } else { "step" };
    let working = if is_working { "  working…" } else { "" };
    let pace = format!("{plays} {}{working}", duration_for_people(time.step()));
    let now = moment(clock.passed);
    let mut headings = Vec::new();
    if let Some(taken) = clock.taken
        && let Some(to_the_minute) = date(taken, clock.passed, true)
        && let Some(date) = date(taken, clock.passed, false)
    {
        headings.push(format!("{whose}  now {now} · {to_the_minute} UTC  {pace}"));
        headings.push(format!("{whose}  now {now} · {date}  {pace}"));
        headings.push(format!("{whose}  {now} · {date}  {pace}"));
    }
    headings.push(format!("{whose}  now {now}  {pace}"));
    headings.push(format!("{whose}  {now}  {pace}"));
    // The letters of the legend tell too whose lines they are.
    headings.push(format!("{title}  {now}  {pace}"));
    for heading in headings {
        if cells(&heading) <= width {
            return heading;
        }
    }
    title.to_owned()
}

/// The lines of the chart, and those of its legend.
struct ForecastLines<'a> {
    ui: &'a Ui,
    session: &'a Session,
    /// What is drawn of the nodes.
    quantity: Quantity,
    curves: Vec<Curve>,
    legend: Vec<LegendEntry>,
}

impl<'a> ForecastLines<'a> {
    /// Returns a chart and a legend without lines.
    fn new(ui: &'a Ui, session: &'a Session) -> Self {
        Self {
            ui,
            session,
            quantity: session.time.drawn(),
            curves: Vec::new(),
            legend: Vec::new(),
        }
    }

    /// Adds the lines of all branches, with their letters.
    fn add_branches(&mut self, forecast: &Forecast) {
        for branch in &forecast.branches {
            for (place, line) in branch.series.lines.iter().enumerate() {
                let other = match &branch.other {
                    Some(other) => other.lines.get(place),
                    None => None,
                };
                self.add(branch, line, other);
            }
        }
    }

    /// Adds a line, and below it the one under the other half-life, if there is one.
    fn add(&mut self, branch: &Branch, line: &NodeSeries, other: Option<&NodeSeries>) {
        let times = &branch.series.times;
        let last = times.len().saturating_sub(1);
        let style = self.ui.theme.line(self.legend.len());
        let letter = letter(self.legend.len());
        let letter_of_other = letter.to_ascii_uppercase();
        let mut letters = letter.to_string();
        let mut end_of_other = None;
        if let Some(other) = other {
            letters = format!("{letter} {letter_of_other}");
            end_of_other = Some(number_at(self.quantity, other, last));
            self.put(Curve {
                letter: letter_of_other,
                coinciding: Vec::new(),
                name: Shown::default(),
                points: points(self.quantity, times, other),
                style,
                is_dashed: true,
            });
        }
        let name = self.name(branch, line);
        self.put(Curve {
            letter,
            coinciding: Vec::new(),
            name: match branch.assumption {
                Preset::OnlyIdle(_) => "this one stops".into(),
                _ => name.short.clone(),
            },
            points: points(self.quantity, times, line),
            style,
            is_dashed: false,
        });
        let now = self.session.settings().time.passed;
        let begun = times.partition_point(|&moment| moment <= now);
        self.legend.push(LegendEntry {
            letters,
            name,
            now: number_at(self.quantity, line, begun.saturating_sub(1)),
            end: number_at(self.quantity, line, last),
            other: end_of_other,
            style,
        });
    }

    /// Adds a line to the chart. One that coincides with another is drawn once, with the letters of both.
    fn put(&mut self, curve: Curve) {
        for drawn in &mut self.curves {
            if drawn.coincides(&curve) {
                drawn.coinciding.push(curve.letter);
                return;
            }
        }
        self.curves.push(curve);
    }

    /// Returns the name of a line: what is assumed, or whose it is.
    fn name(&self, branch: &Branch, line: &NodeSeries) -> Wording {
        let tree = self.session.scenario.tree();
        let name = match self.session.drawn_lines() {
            Lines::Assumptions => branch.name(tree),
            Lines::Nodes => label(tree, line.node),
        };
        Wording::same(self.ui.spelled(name))
    }
}

/// Returns the numbers of a line with their moments, in seconds since the snapshot.
fn points(quantity: Quantity, times: &[u64], line: &NodeSeries) -> Vec<(u64, Option<f64>)> {
    let mut points = Vec::new();
    for (place, &moment) in times.iter().enumerate() {
        points.push((moment, quantity.of(line, place)));
    }
    points
}

/// Returns the number of a line at a place of its moments; a dash if it has none.
fn number_at(quantity: Quantity, line: &NodeSeries, place: usize) -> Wording {
    match quantity.of(line, place) {
        Some(number) => quantity.texts(number),
        None => Wording::same("-"),
    }
}
