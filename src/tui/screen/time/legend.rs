//! The legend: the letters of the lines, their names, and their values now and at the end.

use crate::analysis::simulate::NodeSeries;
use crate::base::shown::{Shown, cells, cut, cut_name, sentence};
use crate::report::label;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::time::forecast::{Assumption, Branch, Lines};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The cells of the numbers in the legend: now, at the end, and there under the other half-life.
const NUMBERS: [usize; 3] = [8, 10, 8];

/// A line of the legend: letters, name, and numbers now, at the end, and at the end under the other half-life.
pub(crate) struct LegendEntry {
    pub(crate) letters: String,
    /// The name of the line, in full and in short.
    pub(crate) names: [Shown; 2],
    /// The values, in full and in short.
    pub(crate) now: [Shown; 2],
    pub(crate) end: [Shown; 2],
    pub(crate) other: Option<[Shown; 2]>,
    pub(crate) style: Style,
}

/// Returns the name of a line, in full and in short.
pub(crate) fn names(ui: &Ui, session: &Session, branch: &Branch, line: &NodeSeries) -> [Shown; 2] {
    let node = || ui.spelled(label(session.scenario.tree(), line.node));
    let is_one_of_several = session.drawn_lines() == Lines::Assumptions;
    match branch.assumption {
        Assumption::AsPlanned if is_one_of_several => ["as planned".into(), "as planned".into()],
        Assumption::AsPlanned => [node(), node()],
        Assumption::Idle => ["nobody uses anything".into(), "all idle".into()],
        Assumption::Steady => [
            "everybody keeps the current usage".into(),
            "all steady".into(),
        ],
        Assumption::Without(_) => [
            sentence!("only {} uses nothing", node()),
            sentence!("only {} idle", node()),
        ],
    }
}

/// Returns the rows of the legend. A table has a heading and a row per entry, and a low legend has several entries per
/// row.
pub(crate) fn height(legend: &[LegendEntry], width: u16, is_low: bool) -> u16 {
    let rows = if is_low {
        let last = places(legend, width).last().map(|&(y, _, _)| y);
        last.map_or(0, |y| y + 1)
    } else {
        u16::try_from(legend.len() + 1).unwrap_or(u16::MAX)
    };
    if legend.is_empty() { 0 } else { rows }
}

/// Draws the legend as a table, or with several entries per row if it is low.
pub(crate) fn draw(ui: &Ui, legend: &[LegendEntry], area: Rect, is_low: bool, buffer: &mut Buffer) {
    if is_low {
        for (entry, (y, x, text)) in legend.iter().zip(places(legend, area.width)) {
            if y < area.height {
                let room = usize::from(area.width.saturating_sub(x));
                let text = cut(&text, room);
                buffer.set_stringn(area.x + x, area.y + y, text, room, entry.style);
            }
        }
        return;
    }
    let width = usize::from(area.width);
    let has_other = legend.iter().any(|entry| entry.other.is_some());
    let heading = columns("", ["now", "at the end", "dashed"], width, has_other);
    let lines = legend.iter().map(|entry| {
        let room = room_for_names(width, has_other).saturating_sub(cells(&entry.letters) + 1);
        let [long, short] = &entry.names;
        let name = if cells(long) > room { short } else { long };
        let name = sentence!("{} {name}", entry.letters);
        let other = entry.other.as_ref().map_or("", |[other, _]| other);
        let numbers = [&*entry.now[0], &*entry.end[0], other];
        let line = columns(&name, numbers, width, has_other);
        (line, entry.style)
    });
    let lines = std::iter::once((heading, ui.theme.dim)).chain(lines);
    for ((line, style), y) in lines.zip(area.y..area.bottom()) {
        buffer.set_stringn(area.x, y, line, width, style);
    }
}

/// Returns the position and the text of each entry of a low legend.
fn places(legend: &[LegendEntry], width: u16) -> Vec<(u16, u16, Shown)> {
    let (mut x, mut y) = (0, 0);
    let entries = legend.iter().map(|entry| {
        let LegendEntry {
            letters,
            names: [_, name],
            now: [_, now],
            end: [_, end],
            ..
        } = entry;
        let other = entry.other.as_ref();
        let other = other.map_or_else(Shown::default, |[_, other]| sentence!(", dashed {other}"));
        let text = sentence!("{letters} {name} {now} → {end}{other}");
        let long = u16::try_from(cells(&text)).unwrap_or(u16::MAX);
        if x > 0 && x + long > width {
            (x, y) = (0, y + 1);
        }
        let place = (y, x, text);
        x = x.saturating_add(long).saturating_add(2);
        place
    });
    entries.collect()
}

fn room_for_names(width: usize, has_other: bool) -> usize {
    let numbers: usize = NUMBERS[..count(has_other)]
        .iter()
        .map(|cells| cells + 1)
        .sum();
    width.saturating_sub(numbers)
}

const fn count(has_other: bool) -> usize {
    if has_other { 3 } else { 2 }
}

/// Returns a row with the name on the left and the values on the right.
fn columns(name: &str, numbers: [&str; 3], width: usize, has_other: bool) -> String {
    let room = room_for_names(width, has_other);
    let name = cut_name(name, room);
    let blanks = " ".repeat(room.saturating_sub(cells(&name)));
    let numbers = numbers.iter().zip(NUMBERS).take(count(has_other));
    let numbers = numbers.map(|(number, cells)| format!(" {number:>cells$}"));
    format!("{name}{blanks}{}", numbers.collect::<String>())
}
