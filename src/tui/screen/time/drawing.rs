//! The layout of the Time screen: the tree on the left, the chart with its legend on the right, and the estimates and
//! assumptions below both.

use crate::analysis::simulate::NodeSeries;
use crate::base::shown::{Shown, cells, cut};
use crate::model::duration_for_people;
use crate::report::label;
use crate::tui::input::action::Action;
use crate::tui::screen::time::chart::{Chart, Curve};
use crate::tui::screen::time::legend;
use crate::tui::screen::time::legend::LegendEntry;
use crate::tui::screen::time::sentences::{TextLine, fit, rows_wanted, sentences};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::time::axis::{date, moment};
use crate::tui::time::forecast::{Assumption, Forecast, Lines};
use crate::tui::widget::viewport::Plot;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The narrowest screen that shows the tree beside the chart.
const NARROWEST_WITH_TREE: u16 = 72;

/// The largest width of the tree.
const WIDEST_TREE: u16 = 46;

/// The smallest height of the screen and, from that height on, the fewest rows of the chart with its axes.
const CHARTS: [(u16, u16); 3] = [(30, 15), (16, 10), (0, 5)];

/// The height from which on the legend is always a table.
const HIGH: u16 = 30;

/// The areas of the layout.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Areas {
    /// The tree, empty without room for it.
    pub(crate) tree: Rect,
    /// Heading, chart and legend.
    chart: Rect,
    /// The sentences.
    lines: Rect,
}

/// The contents of the Time screen beside the tree, with their areas.
pub(crate) struct TimeLayout {
    pub(crate) areas: Areas,
    curves: Vec<Curve>,
    legend: Vec<LegendEntry>,
    is_low: bool,
    lines: Vec<TextLine>,
}

/// Returns the layout of the area below the tabs.
pub(crate) fn arrange(ui: &Ui, session: &Session, area: Rect) -> TimeLayout {
    let has_tree = area.width >= NARROWEST_WITH_TREE;
    let tree_width = if has_tree {
        (area.width * 2 / 5).min(WIDEST_TREE)
    } else {
        0
    };
    let left = if has_tree { tree_width + 2 } else { 0 };
    let (curves, legend) = match session.time.forecast(session.scenario.tree()) {
        Some(forecast) => curves(ui, session, forecast),
        None => (Vec::new(), Vec::new()),
    };
    let chart_width = area.width - left;
    let above = |is_low| 1 + legend::height(&legend, chart_width, is_low);
    let mut charts = CHARTS.iter();
    let chart = charts.find(|&&(from, _)| area.height >= from);
    let chart = chart.map_or(0, |&(_, rows)| rows);
    let width = usize::from(area.width);
    let room = |is_low| usize::from(area.height.saturating_sub(above(is_low) + chart));
    // A low legend leaves more room for the sentences.
    let sentences = sentences(ui, session);
    let is_low = area.height < HIGH && room(false) < rows_wanted(&sentences, width);
    let lines = fit(sentences, width, room(is_low));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let body = area.height.saturating_sub(height);
    let areas = Areas {
        tree: Rect {
            width: tree_width,
            height: body,
            ..area
        },
        chart: Rect {
            x: area.x + left,
            width: chart_width,
            height: body,
            ..area
        },
        lines: Rect {
            y: area.y + body,
            height: area.height - body,
            ..area
        },
    };
    TimeLayout {
        areas,
        curves,
        legend,
        is_low,
        lines,
    }
}

/// Draws the chart, the legend and the sentences. Returns the plot of the chart, or `None` without one.
pub(crate) fn draw(
    ui: &Ui,
    session: &Session,
    layout: &TimeLayout,
    buffer: &mut Buffer,
) -> Option<Plot> {
    let theme = &ui.theme;
    let Areas { chart, lines, .. } = layout.areas;
    let put = |area: Rect, y: u16, text: &str, style: Style, buffer: &mut Buffer| {
        let width = usize::from(area.width);
        if y < area.bottom() {
            buffer.set_stringn(area.x, y, cut(text, width), width, style);
        }
    };
    for (line, y) in layout.lines.iter().zip(lines.y..) {
        let style = if line.is_dim { theme.dim } else { theme.text };
        let area = Rect {
            x: lines.x + 1,
            width: lines.width.saturating_sub(1),
            ..lines
        };
        put(area, y, &line.text, style, buffer);
    }
    let width = usize::from(chart.width);
    put(
        chart,
        chart.y,
        &heading(ui, session, width),
        theme.heading,
        buffer,
    );
    let Some(forecast) = session.time.forecast(session.scenario.tree()) else {
        let key = |action| ui.hint(action);
        let text = if session.time.abandoned.is_some() {
            format!("stopped; {} computes it again", key(Action::TimeScreen))
        } else {
            let stop = key(Action::Cancel);
            format!("computing… {stop} stops")
        };
        put(chart, chart.y + 2, &text, theme.warning, buffer);
        return None;
    };
    let height = chart.height.saturating_sub(1);
    let below = legend::height(&layout.legend, chart.width, layout.is_low).min(height);
    let plot = Rect {
        y: chart.y + 1,
        height: height - below,
        ..chart
    };
    let legend = Rect {
        y: plot.bottom(),
        height: below,
        ..chart
    };
    legend::draw(ui, &layout.legend, legend, layout.is_low, buffer);
    let first = forecast.branches.first().map(|branch| &branch.series.times);
    let times = first.map_or(&[][..], Vec::as_slice);
    let settings = session.scenario.settings();
    let from = times.first().copied().unwrap_or(0);
    let until = times.last().copied().unwrap_or(1);
    let area = Chart {
        ui,
        quantity: session.time.drawn(),
        curves: &layout.curves,
        from,
        until,
        now: settings.time.passed,
        taken: settings.time.taken,
        campaigns: settings.time.pace.campaigns(),
    }
    .draw(plot, buffer)?;
    Some(Plot { area, from, until })
}

/// Returns the heading: the quantity, the moment of the clock and its step, in a form that fits the width.
fn heading(ui: &Ui, session: &Session, width: usize) -> String {
    let time = &session.time;
    let settings = session.scenario.settings();
    let passed = settings.time.passed;
    let title = time.drawn().title();
    let whose = match session.drawn_lines() {
        Lines::Assumptions => {
            let node = ui.spelled(label(session.scenario.tree(), session.selected()));
            format!("{title} of {node}")
        }
        Lines::Nodes => title.to_owned(),
    };
    let now = String::from(moment(passed));
    let date = |has_time| date(settings.time.taken?, passed, has_time);
    let full = |now: &str| date(true).map(|date| format!("{now} · {date} UTC"));
    let short = |now: &str| date(false).map(|date| format!("{now} · {date}"));
    let step = duration_for_people(time.step());
    let is_playing = time.beat.is_some();
    let step = if is_playing {
        format!("▶ {step}")
    } else {
        format!("step {step}")
    };
    let is_working = time.is_working() && time.forecast(session.scenario.tree()).is_some();
    let join = |title: &str, now: &str| {
        let mut text = format!("{title}  {now}  {step}");
        if is_working {
            text.push_str("  working…");
        }
        text
    };
    let plain = format!("now {now}");
    let dated = [full(&plain), short(&plain), short(&now)];
    let moments = dated.into_iter().flatten().chain([plain]);
    // The letters of the legend tell too whose lines they are.
    let mut headings = moments.map(|moment| join(&whose, &moment)).chain([
        join(&whose, &now),
        join(title, &now),
        title.to_owned(),
    ]);
    let fitting = headings.find(|heading| cells(heading) <= width);
    fitting.unwrap_or_else(|| title.to_owned())
}

fn curves(ui: &Ui, session: &Session, forecast: &Forecast) -> (Vec<Curve>, Vec<LegendEntry>) {
    let quantity = session.time.drawn();
    let now = session.scenario.settings().time.passed;
    let mut curves = Vec::new();
    let mut legend = Vec::new();
    for branch in &forecast.branches {
        let times = &branch.series.times;
        let at_now = times.partition_point(|&moment| moment <= now);
        let at_now = at_now.saturating_sub(1);
        let last = times.len().saturating_sub(1);
        let texts = |line: &NodeSeries, place| {
            let number = quantity.of(line, place);
            number.map_or_else(|| ["-".into(), "-".into()], |number| quantity.texts(number))
        };
        for (place, line) in branch.series.lines.iter().enumerate() {
            let number = u8::try_from(legend.len() % 26).unwrap_or(0);
            let style = ui.theme.line(legend.len());
            let points = |line: &NodeSeries| {
                let moments = times.iter().enumerate();
                moments
                    .map(|(at, &moment)| (moment, quantity.of(line, at)))
                    .collect()
            };
            let other = branch
                .other
                .as_ref()
                .and_then(|other| other.lines.get(place));
            if let Some(other) = other {
                curves.push(Curve {
                    letter: char::from(b'A' + number),
                    name: Shown::default(),
                    points: points(other),
                    style,
                    is_dashed: true,
                });
            }
            let names = legend::names(ui, session, branch, line);
            let name = match branch.assumption {
                Assumption::Without(_) => "this one idle".into(),
                _ => names[1].clone(),
            };
            let letter = char::from(b'a' + number);
            curves.push(Curve {
                letter,
                name,
                points: points(line),
                style,
                is_dashed: false,
            });
            let letters = match other {
                Some(_) => format!("{letter} {}", letter.to_ascii_uppercase()),
                None => letter.to_string(),
            };
            legend.push(LegendEntry {
                letters,
                names,
                now: texts(line, at_now),
                end: texts(line, last),
                other: other.map(|other| texts(other, last)),
                style,
            });
        }
    }
    (curves, legend)
}
