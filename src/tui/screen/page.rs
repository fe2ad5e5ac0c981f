//! A page on the screen.

use crate::base::shown::{cells, cut, cut_name};
use crate::report::document::KeptDocument;
use crate::report::layout::{Frame, LaidLine, layout};
use crate::report::line::Line as ReportLine;
use crate::tui::input::action::Action;
use crate::tui::page::content::Page;
use crate::tui::screen::painter::{Painter, narrow, skip, split_top, width_of};
use crate::tui::state::open_page::matches;
use crate::tui::state::{OpenPage, PageLine, Ui};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The width beyond which lines of the manual are hard to read.
const WIDEST_TEXT: usize = 100;

/// Draws a page with its title, or that it is being computed, and notes where it is.
pub(crate) fn draw(p: &mut Painter<'_>, open: &OpenPage, area: Rect) {
    let theme = &p.ui.theme;
    p.clear(area);
    let heading = split_top(area, 1);
    let title = skip(heading.above, 1);
    let Some(page) = &open.page else {
        let key = p.ui.hint(Action::Cancel);
        let text = format!("computing {}… {key} cancel", open.subject.labels().noun);
        p.put(title, text, theme.warning);
        return;
    };
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let mut kept = open.lines.borrow_mut();
    let (_, lines) = match kept.take() {
        Some(kept) if kept.0 == width => kept,
        _ => (width, lines(p.ui, page, width)),
    };
    let body = heading.below;
    let height = usize::from(body.height);
    open.height.set((height, lines.len()));
    p.drawn.page = body;
    let offset = open.offset.min(lines.len().saturating_sub(height));
    // The title and the scroll position stay on the first line, so that they do not cover lines that scroll.
    let place = place(open, offset, height, lines.len());
    draw_title(p, page, &place, title, width);
    let mut rows = body.rows();
    for (number, line) in lines.iter().enumerate().skip(offset) {
        let Some(row) = rows.next() else { break };
        draw_line(p, open, line, row);
        if open.matched == Some(number) {
            draw_matches(p, open, line, row, theme.input);
        }
    }
    *kept = Some((width, lines));
}

/// Draws the title of a page, and at its right end which lines are in sight.
fn draw_title(p: &mut Painter<'_>, page: &Page, place: &str, area: Rect, width: usize) {
    let theme = &p.ui.theme;
    let fitting = cut(place, width);
    let room = width.saturating_sub(cells(&fitting));
    let spelled = p.ui.spelled(page.title.clone());
    let title = cut_name(&spelled, room.saturating_sub(2));
    p.put(area, title, theme.title);
    p.put(skip(area, narrow(room)), fitting, theme.dim);
}

/// Draws a line of a page. The choice under the cursor is set off, as a line or as a link, and what was searched for.
fn draw_line(p: &mut Painter<'_>, open: &OpenPage, line: &PageLine, row: Rect) {
    let theme = &p.ui.theme;
    let layout = p.ui.layout();
    let inside = skip(row, 1);
    p.buffer.set_line(inside.x, row.y, &line.line, inside.width);
    let chosen = open.chosen();
    if line.choice.is_some() && line.choice == chosen {
        p.buffer.set_style(row, theme.selected);
        p.put(row, layout.pointer(), theme.selected);
        layout.emphasise(row, theme, p.buffer);
    }
    for (columns, choice) in &line.links {
        if Some(*choice) == chosen {
            let link = cells_of(columns, inside);
            p.buffer.set_style(link, theme.selected);
        }
    }
    draw_matches(p, open, line, row, theme.found);
}

/// Gives a style to what was searched for.
fn draw_matches(p: &mut Painter<'_>, open: &OpenPage, line: &PageLine, row: Rect, style: Style) {
    let inside = skip(row, 1);
    let text = line.line.to_string();
    for found in matches(&text, &open.search) {
        let start = width_of(&text[..found.start]);
        let end = width_of(&text[..found.end]);
        let cells = cells_of(&(start..end), inside);
        p.buffer.set_style(cells, style);
    }
}

/// Returns the cells of columns of a line.
fn cells_of(columns: &Range<u16>, line: Rect) -> Rect {
    let width = columns.end.min(line.width);
    skip(Rect { width, ..line }, columns.start)
}

/// Returns the range of visible lines if not all are visible, and whether they are of an earlier state.
fn place(open: &OpenPage, offset: usize, height: usize, count: usize) -> String {
    let mut parts = Vec::new();
    if open.is_outdated {
        parts.push("computing again…".to_owned());
    }
    if count > height && height > 0 {
        let last = (offset + height).min(count);
        parts.push(format!("{}-{last} of {count}", offset + 1));
    }
    parts.join("  ")
}

/// Returns a page as lines of so many cells.
fn lines(ui: &Ui, page: &Page, width: usize) -> Vec<PageLine> {
    if page.topic.is_some() {
        let readable = width.min(WIDEST_TEXT);
        return document_lines(ui, &page.document, readable);
    }
    document_lines(ui, &page.document, width)
}

/// Returns a document as lines of so many cells.
fn document_lines(ui: &Ui, document: &KeptDocument, width: usize) -> Vec<PageLine> {
    let frame = Frame {
        width: Some(width),
        is_page: true,
        is_ascii: ui.options.is_ascii,
    };
    let mut lines = Vec::new();
    for laid in layout(&document.document(), frame) {
        lines.push(page_line(&laid, &ui.theme));
    }
    lines
}

/// Returns a line of a page: in the styles of a theme, with its choice and its links.
fn page_line(laid: &LaidLine, theme: &Theme) -> PageLine {
    let mut links = Vec::new();
    let mut end = 0;
    for span in &laid.line.spans {
        let start = end;
        end += width_of(&span.text);
        if let Some(link) = span.link {
            links.push((start..end, link));
        }
    }
    PageLine {
        line: styled(&laid.line, theme),
        choice: laid.choice,
        links,
    }
}

/// Returns a line in the styles of a theme.
pub(super) fn styled(line: &ReportLine, theme: &Theme) -> Line<'static> {
    let mut styled = Line::default();
    for span in &line.spans {
        let style = theme.emphasized(span.emphasis);
        styled.push_span(Span::styled(span.text.to_string(), style));
    }
    styled
}
