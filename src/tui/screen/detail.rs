//! The why pane: the derivation of the selected node's value. `report` writes the lines, and this module draws them.

use super::page::styled;
use super::painter::{Painter, below, narrow, short_of, skip, width_of};
use crate::base::shown::{cut_name, sentence};
use crate::report::document::Document;
use crate::report::explain::lines;
use crate::report::layout::{Frame, LaidLine, layout};
use crate::tui::state::Session;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The cells that the path leaves to the number of lines below those in sight.
const LONGEST_MORE: u16 = 20;

/// Draws the rule with the node's path and what bars in the table mean, then the lines from the one scrolled to.
pub(crate) fn draw(p: &mut Painter, session: &Session, has_bars: bool, area: Rect) {
    let lines = explained(p, session, area.width.saturating_sub(4));
    let text = below(skip(area, 2), 1);
    let room = usize::from(text.height);
    let last = lines.len().saturating_sub(room);
    let offset = session.why_offset.min(last);
    let more = lines.len().saturating_sub(offset + room);
    let rule = draw_rule(p, session, area, more);
    if has_bars {
        draw_legend(p, rule);
    }
    for (row, line) in text.rows().zip(&lines[offset..]) {
        let styled = styled(&line.line, p.theme);
        p.put_line(row, &styled);
    }
}

/// Returns how the selected node's number came about, in lines of so many cells.
fn explained(p: &Painter, session: &Session, width: u16) -> Vec<LaidLine> {
    let explanation = session.scenario.explain(session.selected());
    let mut document = Document::default();
    document.lines(lines(&session.report(), &explanation));
    let frame = Frame {
        width: Some(width.into()),
        is_page: false,
        is_ascii: p.ui.options.is_ascii,
    };
    layout(&document, frame)
}

/// Draws the rule, and how many lines are below those in sight. Returns the part of it that is left.
fn draw_rule(p: &mut Painter, session: &Session, area: Rect, more: usize) -> Rect {
    let theme = p.theme;
    let path = session.report().path(session.selected());
    p.rule(area);
    let room = skip(short_of(area, LONGEST_MORE), 2);
    let title = p.ui.spelled(sentence!(" why {path} "));
    let fitting = cut_name(&title, room.width.into());
    let style = theme.text.patch(theme.strong);
    let rest = p.put(room, fitting, style);
    let mut end = area.right().saturating_sub(2);
    if more > 0 {
        let text = format!(" {more} more below ");
        end = end.saturating_sub(width_of(&text));
        p.buffer.set_string(end, area.y, text, theme.dim);
    }
    let last = end.saturating_sub(1);
    let left = Rect {
        width: last.saturating_sub(rest.x),
        ..rest
    };
    skip(left, 1)
}

/// Draws the meaning of the bars at the right end of an area: in full, without their scale, or not at all.
fn draw_legend(p: &mut Painter, area: Rect) {
    let theme = p.theme;
    for scale in [", each cell doubles ", " "] {
        let line = Line::from(vec![
            Span::styled(" under-served ▐█", theme.under),
            Span::styled("│", theme.guide),
            Span::styled("█▌ over-served", theme.over),
            Span::styled(scale, theme.dim),
        ]);
        let width = narrow(line.width());
        if width <= area.width {
            let place = skip(area, area.width - width);
            return p.put_line(place, &line);
        }
    }
}
