//! The why pane: the derivation of the selected node's value. `report` writes the lines, and this module draws them.

use crate::base::shown::{cells, cut, sentence};
use crate::report::explain::{Line, lines};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// Draws the rule with the node's path, then the lines from the one scrolled to.
///
/// The rule explains the bars of the table, if it has any.
pub(crate) fn draw(ui: &Ui, session: &Session, has_bars: bool, area: Rect, buffer: &mut Buffer) {
    let node = session.selected();
    let explanation = session.scenario.explain(node);
    let width = usize::from(area.width.saturating_sub(4));
    let lines: Vec<Pieces> = lines(&session.report(), &explanation)
        .iter()
        .flat_map(|line| wrap(line, width, ui))
        .collect();
    let room = usize::from(area.height.saturating_sub(1));
    let offset = session.why_offset.min(lines.len().saturating_sub(room));
    let below = lines.len().saturating_sub(offset + room);
    let rule = draw_rule(ui, session, area, below, buffer);
    if has_bars {
        draw_legend(&ui.theme, area.y, rule, buffer);
    }
    for (pieces, y) in lines[offset..].iter().zip(area.y + 1..area.bottom()) {
        let mut x = area.x + 2;
        for (text, style) in pieces {
            (x, _) = buffer.set_stringn(
                x,
                y,
                text,
                usize::from(area.right().saturating_sub(x)),
                *style,
            );
        }
    }
}

/// Draws the rule. Returns the cells that are left of it.
fn draw_rule(
    ui: &Ui,
    session: &Session,
    area: Rect,
    below: usize,
    buffer: &mut Buffer,
) -> Range<u16> {
    let theme = &ui.theme;
    let path = session.report().path(session.selected());
    let width = usize::from(area.width);
    buffer.set_stringn(area.x, area.y, "─".repeat(width), width, theme.guide);
    let room = width.saturating_sub(22);
    let text = ui.spelled(sentence!(" why {path} "));
    buffer.set_stringn(
        area.x + 2,
        area.y,
        cut(&text, room),
        room,
        theme.text.patch(theme.strong),
    );
    let mut right = area.right().saturating_sub(2);
    if below > 0 {
        let text = format!(" {below} more below ");
        right = right.saturating_sub(u16::try_from(cells(&text)).unwrap_or(0));
        buffer.set_string(right, area.y, text, theme.dim);
    }
    let left = area.x + 2 + u16::try_from(cells(&text).min(room)).unwrap_or(0);
    left + 1..right.saturating_sub(1)
}

/// Draws the meaning of the bars at the right end of these cells: in full, without their scale, or not at all.
fn draw_legend(theme: &Theme, y: u16, room: Range<u16>, buffer: &mut Buffer) {
    let sides = [
        (" under-served ▐█", theme.under),
        ("│", theme.guide),
        ("█▌ over-served", theme.over),
    ];
    let scales = [(", ×2 a cell ", theme.dim), (" ", theme.dim)];
    for scale in scales {
        let pieces = sides.into_iter().chain([scale]);
        let cells: usize = pieces.clone().map(|(text, _)| cells(text)).sum();
        let cells = u16::try_from(cells).unwrap_or(u16::MAX);
        if room.start.saturating_add(cells) <= room.end {
            let mut x = room.end - cells;
            for (text, style) in pieces {
                (x, _) = buffer.set_stringn(x, y, text, text.len(), style);
            }
            return;
        }
    }
}

/// A line on the screen: texts with their styles.
type Pieces = Vec<(String, Style)>;

/// Breaks a line at blanks. Continuation lines are indented.
fn wrap(line: &Line, width: usize, ui: &Ui) -> Vec<Pieces> {
    let theme = &ui.theme;
    let text = line.text();
    let indent = text.len() - text.trim_start().len();
    let mut rows: Vec<Pieces> = vec![Vec::new()];
    let mut used = 0;
    for span in &line.spans {
        let style = theme.emphasized(span.emphasis);
        let text = ui.spelled(span.text.clone());
        for word in text.split_inclusive(' ') {
            let cells = cells(word.trim_end());
            if used + cells > width && used > indent {
                let indent = (indent + 4).min(width / 2);
                rows.push(vec![(" ".repeat(indent), theme.text)]);
                used = indent;
            }
            let row = rows.last_mut().expect("there is always a last row");
            row.push((word.to_owned(), style));
            used += word
                .chars()
                .map(|char| char.width().unwrap_or(0))
                .sum::<usize>();
        }
    }
    rows
}
