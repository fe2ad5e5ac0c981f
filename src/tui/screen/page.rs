//! A page on the screen.

use crate::base::shown::{cells, cut};
use crate::tui::page::content::{Page, Role};
use crate::tui::state::open_page::{OpenPage, PageLine};
use crate::tui::state::ui::Ui;
use crate::tui::widget::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the page on the screen, below the tabs.
pub(crate) fn draw(ui: &Ui, open: &OpenPage, area: Rect, buffer: &mut Buffer) {
    let theme = &ui.theme;
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            buffer[(x, y)].reset();
        }
    }
    buffer.set_style(area, theme.page());
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
        *kept = Some((width, lines(ui, page, width)));
    }
    let lines = kept.as_ref().map_or(&[][..], |(_, lines)| lines);
    // The title and the scroll position stay on the first line, so that they do not cover lines that scroll.
    let height = usize::from(area.height.saturating_sub(1));
    open.height.set((height, lines.len()));
    open.area.set(Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(1),
        ..area
    });
    let offset = open.offset.min(lines.len().saturating_sub(height));
    let place = place(open, offset, height, lines.len());
    let place = cut(&place, width);
    let room = width.saturating_sub(cells(&place));
    let title = ui.spelled(page.title.clone());
    let title = cut(&title, room.saturating_sub(2));
    buffer.set_stringn(area.x + 1, area.y, title, room, theme.title);
    let x = area.x + 1 + u16::try_from(room).unwrap_or(0);
    buffer.set_stringn(x, area.y, place, width - room, theme.dim);
    for (line, y) in lines[offset..].iter().zip(area.y + 1..area.bottom()) {
        buffer.set_line(area.x + 1, y, &line.line, area.width.saturating_sub(1));
        if line.choice.is_some() && line.choice == open.chosen() {
            let row = Rect {
                y,
                height: 1,
                ..area
            };
            buffer.set_style(row, theme.selected);
            buffer.set_string(area.x, y, "❯", theme.selected);
        }
    }
}

/// Returns the range of visible lines if not all are visible, and whether they are of an earlier state.
fn place(open: &OpenPage, offset: usize, height: usize, count: usize) -> String {
    let mut parts = Vec::new();
    if open.is_outdated {
        parts.push("working it out again…".to_owned());
    }
    if count > height && height > 0 {
        let last = (offset + height).min(count);
        parts.push(format!("{}-{last} of {count}", offset + 1));
    }
    parts.join("  ")
}

/// Returns the contents below the title, as lines of that width.
fn lines(ui: &Ui, page: &Page, width: usize) -> Vec<PageLine> {
    let theme = &ui.theme;
    let style = |role: Role| match role {
        Role::Text => theme.text,
        Role::Strong => theme.strong,
        Role::Dim => theme.dim,
        Role::Command => theme.key,
        Role::Better => theme.better,
        Role::Worse => theme.worse,
        Role::Warning => theme.warning,
    };
    let mut lines = Vec::new();
    for section in &page.sections {
        lines.push(Line::default().into());
        let heading = ui.spelled(section.heading.clone());
        let heading = cut(&heading, width).into_owned();
        lines.push(Line::styled(heading, theme.strong).into());
        for row in &section.rows {
            let text = ui.spelled(row.text.clone());
            let style = style(row.role);
            // Rows of a table are cut, and sentences are wrapped.
            if row.is_aligned {
                lines.push(PageLine {
                    line: Line::styled(cut(&text, width).into_owned(), style),
                    choice: row.choice,
                });
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
                lines.push(PageLine {
                    line: Line::from(vec![
                        Span::raw(" ".repeat(blanks)),
                        Span::styled(part, style),
                    ]),
                    choice: row.choice,
                });
            }
        }
    }
    lines
}
