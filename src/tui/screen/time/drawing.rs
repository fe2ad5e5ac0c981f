//! The layout of the Time screen: the tree on the left, the chart with its legend on the right, and the estimates and
//! assumptions below both.

use crate::analysis::simulate::{NodeSeries, Preset};
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::model::duration_for_people;
use crate::report::label;
use crate::tui::input::action::Action;
use crate::tui::screen::painter::{Painter, below, narrow, skip, width_of};
use crate::tui::screen::time::chart::{Chart, Curve};
use crate::tui::screen::time::sentences::{Topic, fit, rows_wanted, sentences};
use crate::tui::state::{Session, Ui};
use crate::tui::time::axis::{date, moment};
use crate::tui::time::forecast::{Branch, Forecast, Lines};
use crate::tui::widget::{Plot, places};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;

const NARROWEST_WITH_TREE: u16 = 72;
const WIDEST_TREE: u16 = 46;

/// The height from which on the legend is always a table.
const HIGH: u16 = 30;

/// Draws the screen but the tree. Returns the area of the tree, empty without room for it, and the plot of the chart.
pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, area: Rect) -> (Rect, Option<Plot>) {
    let theme = &p.ui.theme;
    let tree = match area.width {
        NARROWEST_WITH_TREE.. => (area.width * 2 / 5).min(WIDEST_TREE),
        _ => 0,
    };
    let gap = if tree > 0 { 2 } else { 0 };
    let columns = Layout::horizontal([Length(tree), Min(0)]).spacing(gap);
    let forecast = session.time.forecast(session.scenario.tree());
    let curves = forecast.map(|forecast| curves(p.ui, session, forecast));
    let (curves, legend) = curves.unwrap_or_default();
    let [_, chart] = columns.areas(area);
    // The rows of the chart with its axes.
    let fewest = match area.height {
        HIGH.. => 15,
        16.. => 10,
        _ => 5,
    };
    let width = usize::from(area.width);
    let room = |is_low| {
        let above = 1 + legend_height(&legend, chart.width, is_low);
        usize::from(area.height.saturating_sub(above + fewest))
    };
    // A low legend leaves more room for the sentences.
    let sentences = sentences(p.ui, session);
    let is_low = area.height < HIGH && room(false) < rows_wanted(&sentences, width);
    let lines = fit(sentences, width, room(is_low));
    let [body, text] = Layout::vertical([Min(0), Length(narrow(lines.len()))]).areas(area);
    let [tree, chart] = columns.areas(body);
    let lines = lines.into_iter().map(|(topic, line)| match topic {
        Topic::Estimate => (line, theme.text),
        _ => (line, theme.dim),
    });
    p.put_lines(skip(text, 1), lines);
    let height = Length(legend_height(&legend, chart.width, is_low));
    let areas = Layout::vertical([Length(1), Min(0), height]);
    let [top, plot, below_plot] = areas.areas(chart);
    let heading = heading(p.ui, session, usize::from(top.width));
    p.put_lines(top, [(heading, theme.heading)]);
    let Some(forecast) = forecast else {
        let text = if session.time.abandoned.is_some() {
            let again = p.ui.hint(Action::TimeScreen);
            format!("stopped; {again} computes it again")
        } else {
            format!("computing… {} stops", p.ui.hint(Action::Cancel))
        };
        p.put_lines(below(plot, 1), [(text, theme.warning)]);
        return (tree, None);
    };
    draw_legend(p, &legend, below_plot, is_low);
    let first = forecast.branches.first();
    let times = first.map_or(&[][..], |branch| &branch.series.times);
    let from = times.first().copied().unwrap_or(0);
    let until = times.last().copied().unwrap_or(1);
    let chart = Chart {
        quantity: session.time.drawn(),
        curves: &curves,
        from,
        until,
        time: &session.scenario.settings().time,
    };
    let plot = chart.draw(p, plot);
    (tree, plot.map(|area| Plot { area, from, until }))
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
    let plays = if time.beat.is_some() { "▶" } else { "step" };
    let step = duration_for_people(time.step());
    let is_working = time.is_working() && time.forecast(session.scenario.tree()).is_some();
    let working = if is_working { "  working…" } else { "" };
    let join = |title: &str, now: &str| format!("{title}  {now}  {plays} {step}{working}");
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
                let points = moments.map(|(at, &moment)| (moment, quantity.of(line, at)));
                points.collect()
            };
            let other = branch.other.as_ref();
            let other = other.and_then(|other| other.lines.get(place));
            let curve = |first: u8, name, line, is_dashed| Curve {
                letter: char::from(first + number),
                name,
                points: points(line),
                style,
                is_dashed,
            };
            curves.extend(other.map(|other| curve(b'A', Shown::default(), other, true)));
            let names = names(ui, session, branch, line);
            let name = match branch.assumption {
                Preset::OnlyIdle(_) => "this one idle".into(),
                _ => names[1].clone(),
            };
            curves.push(curve(b'a', name, line, false));
            let letter = char::from(b'a' + number);
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

/// The cells of the numbers in the legend: now, at the end, and there under the other half-life.
const NUMBERS: [usize; 3] = [8, 10, 8];

/// A line of the legend: letters, name, and numbers now, at the end, and at the end under the other half-life.
struct LegendEntry {
    letters: String,
    /// The name of the line, in full and in short.
    names: [Shown; 2],
    now: [Shown; 2],
    end: [Shown; 2],
    other: Option<[Shown; 2]>,
    style: Style,
}

fn names(ui: &Ui, session: &Session, branch: &Branch, line: &NodeSeries) -> [Shown; 2] {
    let node = || ui.spelled(label(session.scenario.tree(), line.node));
    let is_one_of_several = session.drawn_lines() == Lines::Assumptions;
    match branch.assumption {
        Preset::Idle => ["nobody uses anything".into(), "all idle".into()],
        Preset::Steady => [
            "everybody keeps the current usage".into(),
            "all steady".into(),
        ],
        Preset::OnlyIdle(_) => [
            sentence!("only {} uses nothing", node()),
            sentence!("only {} idle", node()),
        ],
        _ if is_one_of_several => ["as planned".into(), "as planned".into()],
        _ => [node(), node()],
    }
}

/// Returns the rows of the legend: a heading and one per entry, or several entries per row in a low one.
fn legend_height(legend: &[LegendEntry], width: u16, is_low: bool) -> u16 {
    if is_low {
        let entries = low_entries(legend, width);
        entries.last().map_or(0, |((_, y), _)| y + 1)
    } else {
        narrow(legend.len()) + u16::from(!legend.is_empty())
    }
}

fn draw_legend(p: &mut Painter<'_>, legend: &[LegendEntry], area: Rect, is_low: bool) {
    if is_low {
        for (entry, ((x, y), text)) in legend.iter().zip(low_entries(legend, area.width)) {
            let place = below(skip(area, x), y);
            p.put_lines(place, [(text, entry.style)]);
        }
        return;
    }
    let has_other = legend.iter().any(|entry| entry.other.is_some());
    let numbers = &NUMBERS[..2 + usize::from(has_other)];
    let taken = numbers.iter().map(|cells| cells + 1).sum();
    let room = usize::from(area.width).saturating_sub(taken);
    // The name is on the left, and the values are on the right.
    let columns = |name: &str, values: [&str; 3]| {
        let name = cut_name(name, room);
        let blanks = " ".repeat(room.saturating_sub(cells(&name)));
        let values = values.iter().zip(numbers);
        let values = values.map(|(value, &cells)| format!(" {value:>cells$}"));
        format!("{name}{blanks}{}", values.collect::<String>())
    };
    let heading = columns("", ["now", "at the end", "dashed"]);
    let lines = legend.iter().map(|entry| {
        let room = room.saturating_sub(cells(&entry.letters) + 1);
        let [long, short] = &entry.names;
        let name = if cells(long) > room { short } else { long };
        let name = sentence!("{} {name}", entry.letters);
        let other = entry.other.as_ref().map_or("", |[other, _]| other);
        let line = columns(&name, [&entry.now[0], &entry.end[0], other]);
        (line, entry.style)
    });
    let heading = std::iter::once((heading, p.ui.theme.dim));
    for ((line, style), row) in heading.chain(lines).zip(area.rows()) {
        p.put(row, line, style);
    }
}

/// Returns the position and the text of each entry of a low legend.
fn low_entries(legend: &[LegendEntry], width: u16) -> Vec<((u16, u16), Shown)> {
    let texts = legend.iter().map(|entry| {
        let [name, now, end] = [&entry.names, &entry.now, &entry.end].map(|[_, short]| short);
        let other = entry.other.as_ref();
        let other = other.map(|[_, other]| sentence!(", dashed {other}"));
        let other = other.unwrap_or_default();
        sentence!("{} {name} {now} → {end}{other}", entry.letters)
    });
    let texts: Vec<Shown> = texts.collect();
    let places = places(texts.iter().map(|text| width_of(text)), width);
    places.into_iter().zip(texts).collect()
}
