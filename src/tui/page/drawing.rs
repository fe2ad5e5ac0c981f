//! A page on the screen.

use super::{Open, Page, Role};
use crate::shown::cut;
use crate::tui::App;
use crate::tui::overlay::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the page on the screen, below the tabs.
pub(in crate::tui) fn draw(app: &App, open: &Open, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            buffer[(x, y)].reset();
        }
    }
    buffer.set_style(area, theme.text);
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let Some(page) = &open.page else {
        let text = format!(" working out {}… esc leaves", open.subject.title());
        buffer.set_stringn(area.x, area.y, text, width + 1, theme.warning);
        return;
    };
    let mut kept = open.lines.borrow_mut();
    if kept
        .as_ref()
        .is_none_or(|(broken_at, _)| *broken_at != width)
    {
        *kept = Some((width, lines(app, page, width)));
    }
    let lines = kept.as_ref().map_or(&[][..], |(_, lines)| lines);
    let height = usize::from(area.height);
    open.height.set((height, lines.len()));
    let offset = open.offset.min(lines.len().saturating_sub(height));
    for (line, y) in lines[offset..].iter().zip(area.y..area.bottom()) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
    let mut place = String::new();
    if open.is_outdated {
        place.push_str(" working it out again… ");
    }
    if lines.len() > height {
        let last = (offset + height).min(lines.len());
        place.push_str(&format!(" {}-{last} of {} ", offset + 1, lines.len()));
    }
    if !place.is_empty() {
        let text = place;
        let cells = u16::try_from(crate::shown::cells(&text))
            .unwrap_or(0)
            .min(area.width);
        buffer.set_stringn(
            area.right() - cells,
            area.y,
            text,
            usize::from(cells),
            theme.dim,
        );
    }
}

/// A page as lines of that width.
fn lines(app: &App, page: &Page, width: usize) -> Vec<Line<'static>> {
    let theme = &app.theme;
    let style = |role: Role| match role {
        Role::Text => theme.text,
        Role::Strong => theme.strong,
        Role::Dim => theme.dim,
        Role::Command => theme.key,
        Role::Better => theme.better,
        Role::Worse => theme.worse,
        Role::Warning => theme.warning,
    };
    let mut lines = vec![Line::styled(
        cut(&page.title, width).into_owned(),
        theme.title,
    )];
    for section in &page.sections {
        lines.push(Line::default());
        lines.push(Line::styled(
            cut(&section.heading, width).into_owned(),
            theme.strong,
        ));
        for row in &section.rows {
            let text = app.spelled(row.text.clone());
            let style = style(row.role);
            // A table is cut where a sentence is broken.
            if row.is_aligned {
                lines.push(Line::styled(cut(&text, width).into_owned(), style));
                continue;
            }
            let indent = if row.role == Role::Command { 4 } else { 0 };
            let own = text.len() - text.trim_start_matches(' ').len();
            let (text, indent) = (text.trim_start_matches(' '), indent + own);
            for (place, part) in wrap(text, width.saturating_sub(2 + indent))
                .into_iter()
                .enumerate()
            {
                let blanks = if place == 0 { 2 + own } else { 2 + indent };
                lines.push(Line::from(vec![
                    Span::raw(" ".repeat(blanks)),
                    Span::styled(part, style),
                ]));
            }
        }
    }
    lines
}
