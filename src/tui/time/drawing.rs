//! The screen: the tree on the left, and on the right the chart, its legend, and what is assumed.

use super::Lines;
use super::axis::{date, moment};
use super::chart::{Chart, Curve};
use super::following::{Assumption, Followed, Strand};
use crate::model::duration_for_people;
use crate::report::label;
use crate::shown::{cells, cut};
use crate::simulate::{Line, assumptions};
use crate::tui::overlay::wrap;
use crate::tui::{App, Session};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Below this width there is no room for the tree beside the chart.
const NARROWEST_WITH_TREE: u16 = 72;

/// The widest that the tree becomes.
const WIDEST_TREE: u16 = 46;

/// The cells of a number in the legend.
const NUMBER: usize = 10;

/// Parts an area into the tree and the chart.
pub(in crate::tui) fn split(area: Rect) -> (Rect, Rect) {
    if area.width < NARROWEST_WITH_TREE {
        return (Rect { width: 0, ..area }, area);
    }
    let width = (area.width * 2 / 5).min(WIDEST_TREE);
    let tree = Rect { width, ..area };
    let chart = Rect {
        x: tree.right() + 2,
        width: area.width - width - 2,
        ..area
    };
    (tree, chart)
}

/// A line of the legend: letter, name, and numbers now, at the end, and at the end under the other half-life.
struct Entry {
    letter: char,
    other_letter: char,
    name: String,
    now: String,
    end: String,
    other: Option<String>,
    style: Style,
}

/// Draws the chart with all that stands around it.
pub(in crate::tui) fn draw(app: &App, session: &Session, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    let width = usize::from(area.width);
    let mut put = |y: u16, text: &str, style: Style| {
        if y < area.bottom() {
            buffer.set_stringn(area.x, y, cut(text, width), width, style);
        }
    };
    put(area.y, &heading(app, session), theme.heading);
    let Some(followed) = &session.time.followed else {
        let text = if session.time.given_up.is_some() {
            "stopped; 4 works it out again"
        } else {
            "working out what becomes of it… esc stops"
        };
        put(area.y + 2, text, theme.warning);
        return;
    };
    let (curves, legend) = curves(app, session, followed);
    let sentences = sentences(app, session, followed, width);
    let has_other = followed.question.other_half_life.is_some();
    let legend_height = u16::try_from(legend.len() + 1).unwrap_or(u16::MAX);
    let below = legend_height + u16::try_from(sentences.len()).unwrap_or(u16::MAX);
    let height = area.height.saturating_sub(1);
    // The chart has half of the height in any case.
    let plot = Rect {
        y: area.y + 1,
        height: height.saturating_sub(below).max(height / 2).min(height),
        ..area
    };
    let mut y = plot.bottom();
    put(y, &legend_heading(width, has_other), theme.dim);
    for entry in &legend {
        y += 1;
        put(y, &legend_line(entry, width, has_other), entry.style);
    }
    for (text, is_dim) in &sentences {
        y += 1;
        put(y, text, if *is_dim { theme.dim } else { theme.text });
    }
    let first = followed.strands.first().map(|strand| &strand.series.times);
    let times = first.map_or(&[][..], Vec::as_slice);
    let settings = session.scenario.settings();
    Chart {
        app,
        quantity: session.time.quantity,
        curves: &curves,
        from: times.first().copied().unwrap_or(0),
        until: times.last().copied().unwrap_or(1),
        now: settings.time.passed,
        taken: settings.time.taken,
        campaigns: settings.time.pace.campaigns(),
    }
    .draw(plot, buffer);
}

/// What is drawn, where the clock stands, and how fast it runs.
fn heading(app: &App, session: &Session) -> String {
    let time = &session.time;
    let settings = session.scenario.settings();
    let passed = settings.time.passed;
    let title = time.quantity.title();
    let mut parts = vec![if time.lines == Lines::Assumptions {
        let node = label(session.scenario.tree(), session.selected());
        format!("{title} of {}", app.spelled(node))
    } else {
        title.to_owned()
    }];
    let taken = settings.time.taken;
    let now = moment(passed);
    parts.push(match taken.and_then(|taken| date(taken, passed, true)) {
        Some(date) => format!("now {now} · {date} UTC"),
        None => format!("now {now}"),
    });
    let step = duration_for_people(time.step());
    let sign = if time.beat.is_some() { "▶" } else { "step" };
    parts.push(format!("{sign} {step}"));
    if time.is_working() && time.followed.is_some() {
        parts.push("working…".to_owned());
    }
    parts.join("  ")
}

/// What a line is called.
fn name(app: &App, session: &Session, strand: &Strand, line: &Line) -> String {
    let tree = session.scenario.tree();
    let node = || app.spelled(label(tree, line.node));
    match strand.assumption {
        Assumption::AsPlanned if session.time.lines == Lines::Nodes => node(),
        Assumption::AsPlanned => "as planned".to_owned(),
        Assumption::Idle => "nobody uses anything".to_owned(),
        Assumption::Steady => "everybody goes on as now".to_owned(),
        Assumption::Without(_) => format!("only {} uses nothing", node()),
    }
}

fn curves(app: &App, session: &Session, followed: &Followed) -> (Vec<Curve>, Vec<Entry>) {
    let quantity = session.time.quantity;
    let now = session.scenario.settings().time.passed;
    let mut curves = Vec::new();
    let mut legend = Vec::new();
    for strand in &followed.strands {
        let times = &strand.series.times;
        let at_now = times.partition_point(|&moment| moment <= now);
        let at_now = at_now.saturating_sub(1);
        let last = times.len().saturating_sub(1);
        let text = |line: &Line, place| {
            let number = quantity.of(line, place);
            number.map_or_else(|| "-".to_owned(), |number| quantity.text(number))
        };
        for (place, line) in strand.series.lines.iter().enumerate() {
            let number = u8::try_from(legend.len() % 26).unwrap_or(0);
            let style = app.theme.buckets[legend.len() % app.theme.buckets.len()];
            let points = |line: &Line| {
                let moments = times.iter().enumerate();
                moments
                    .map(|(at, &moment)| (moment, quantity.of(line, at)))
                    .collect()
            };
            let other = strand
                .other
                .as_ref()
                .and_then(|other| other.lines.get(place));
            if let Some(other) = other {
                curves.push(Curve {
                    letter: char::from(b'A' + number),
                    points: points(other),
                    style,
                    is_dashed: true,
                });
            }
            curves.push(Curve {
                letter: char::from(b'a' + number),
                points: points(line),
                style,
                is_dashed: false,
            });
            legend.push(Entry {
                letter: char::from(b'a' + number),
                other_letter: char::from(b'A' + number),
                name: name(app, session, strand, line),
                now: text(line, at_now),
                end: text(line, last),
                other: other.map(|other| text(other, last)),
                style,
            });
        }
    }
    (curves, legend)
}

fn legend_heading(width: usize, has_other: bool) -> String {
    let other = if has_other { "dashed" } else { "" };
    columns("", &["now", "at the end", other], width, has_other)
}

fn legend_line(entry: &Entry, width: usize, has_other: bool) -> String {
    let letters = if has_other {
        format!("{} {}", entry.letter, entry.other_letter)
    } else {
        entry.letter.to_string()
    };
    let name = format!("{letters} {}", entry.name);
    let other = entry.other.as_deref().unwrap_or("");
    columns(&name, &[&entry.now, &entry.end, other], width, has_other)
}

/// A name, and numbers at the right end.
fn columns(name: &str, numbers: &[&str; 3], width: usize, has_other: bool) -> String {
    let count = if has_other { 3 } else { 2 };
    let room = width.saturating_sub(count * (NUMBER + 1) + 1);
    let name = cut(name, room);
    let blanks = " ".repeat(room.saturating_sub(cells(&name)));
    let numbers = numbers[..count].iter();
    let numbers: Vec<_> = numbers.map(|number| format!("{number:>NUMBER$}")).collect();
    format!("{name}{blanks} {}", numbers.join(" "))
}

/// What stands below the legend, and whether it stands back: what the node can hope for, what is assumed, what is not
/// known.
fn sentences(
    app: &App,
    session: &Session,
    followed: &Followed,
    width: usize,
) -> Vec<(String, bool)> {
    let settings = session.scenario.settings();
    let mut texts = Vec::new();
    let is_one = session.time.lines == Lines::Nodes;
    let name = label(session.scenario.tree(), followed.question.selected);
    for (strand, letter) in followed.strands.iter().zip('a'..='z') {
        let Some(hope) = &strand.hope else { continue };
        let sentence = hope.sentence(&name, settings.time.taken);
        texts.push((
            if is_one {
                format!("{sentence}.")
            } else {
                format!("{letter}: {sentence}.")
            },
            false,
        ));
    }
    texts.push((format!("Assumed: {}.", assumed(session)), true));
    match (followed.question.other_half_life, &followed.refused) {
        (Some(_), Some(refused)) => texts.push((refused.clone(), true)),
        (Some(seconds), None) => {
            let other = duration_for_people(seconds);
            let text = format!("Dashed: the same usage charged, but a half-life of {other}.");
            texts.push((text, true));
        }
        (None, _) => {}
    }
    if settings.time.taken.is_none() {
        let text = "No dates: the source does not tell when it was taken.";
        texts.push((text.to_owned(), true));
    }
    let lines = texts.into_iter().flat_map(|(text, is_dim)| {
        let lines = wrap(&app.spelled(text), width.saturating_sub(1).max(1));
        lines.into_iter().map(move |line| (line, is_dim))
    });
    lines.collect()
}

/// What the scenario assumes of the time to come, and how usage decays.
fn assumed(session: &Session) -> String {
    let (tree, settings) = (session.scenario.tree(), session.scenario.settings());
    let mut sentences = assumptions(tree, settings, &settings.time.pace);
    if session.time.lines == Lines::Assumptions {
        // Each line says itself who uses what; what is left is the decay.
        sentences.drain(..sentences.len().saturating_sub(1));
    }
    sentences.join("; ")
}
