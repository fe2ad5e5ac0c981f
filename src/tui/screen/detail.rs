//! The why pane: the derivation of the selected node's value. `report` writes the lines, and this module draws them.

use crate::base::shown::{cells, cut_name, sentence};
use crate::report::explain::{Line as Explained, lines};
use crate::tui::screen::painter::{Painter, below, narrow, short_of, skip, width_of};
use crate::tui::state::{Session, Ui};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar;

/// Draws the rule with the node's path and what bars in the table mean, then the lines from the one scrolled to.
pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, has_bars: bool, area: Rect) {
    let explanation = session.scenario.explain(session.selected());
    let width = usize::from(area.width.saturating_sub(4));
    let lines = lines(&session.report(), &explanation);
    let lines = lines.iter().flat_map(|line| wrap(line, width, p.ui));
    let lines: Vec<Line<'_>> = lines.collect();
    let text = below(skip(area, 2), 1);
    let room = usize::from(text.height);
    let offset = session.why_offset.min(lines.len().saturating_sub(room));
    let more = lines.len().saturating_sub(offset + room);
    let rule = draw_rule(p, session, area, more);
    if has_bars {
        draw_legend(p, rule);
    }
    for (line, row) in lines[offset..].iter().zip(text.rows()) {
        p.buffer.set_line(row.x, row.y, line, row.width);
    }
}

/// Draws the rule. Returns the part of it that is left.
fn draw_rule(p: &mut Painter<'_>, session: &Session, area: Rect, more: usize) -> Rect {
    let theme = &p.ui.theme;
    let path = session.report().path(session.selected());
    p.rule(area);
    let title = skip(short_of(area, 20), 2);
    let text = p.ui.spelled(sentence!(" why {path} "));
    let text = cut_name(&text, title.width.into());
    let rest = p.put(title, text, theme.text.patch(theme.strong));
    let mut end = area.right().saturating_sub(2);
    if more > 0 {
        let text = format!(" {more} more below ");
        end = end.saturating_sub(width_of(&text));
        p.buffer.set_string(end, area.y, text, theme.dim);
    }
    let width = end.saturating_sub(1).saturating_sub(rest.x);
    skip(Rect { width, ..rest }, 1)
}

/// Draws the meaning of the bars at the right end of an area: in full, without their scale, or not at all.
fn draw_legend(p: &mut Painter<'_>, area: Rect) {
    let theme = &p.ui.theme;
    for scale in [", ×2 a cell ", " "] {
        let line = Line::from(vec![
            Span::styled(" under-served ▐█", theme.under),
            Span::styled("│", theme.guide),
            Span::styled("█▌ over-served", theme.over),
            Span::styled(scale, theme.dim),
        ]);
        if let Some(blanks) = usize::from(area.width).checked_sub(line.width()) {
            let place = skip(area, narrow(blanks));
            p.buffer.set_line(place.x, place.y, &line, place.width);
            return;
        }
    }
}

fn wrap(line: &Explained, width: usize, ui: &Ui) -> Vec<Line<'static>> {
    let text = line.text();
    let indent = text.len() - text.trim_start().len();
    let mut rows = vec![Line::default()];
    let mut used = 0;
    for span in &line.spans {
        let style = ui.theme.emphasized(span.emphasis);
        let text = ui.spelled(span.text.clone());
        for word in text.split_inclusive(' ') {
            if used + cells(word.trim_end()) > width && used > indent {
                used = (indent + 4).min(width / 2);
                rows.push(Line::from(" ".repeat(used)));
            }
            if let Some(row) = rows.last_mut() {
                row.push_span(Span::styled(word.to_owned(), style));
            }
            let widths = word.chars().map(|char| char.width().unwrap_or(0));
            used += widths.sum::<usize>();
        }
    }
    rows
}
