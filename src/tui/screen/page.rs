//! A page on the screen.

use super::painter::{Painter, narrow, skip, split_top, width_of};
use crate::base::shown::{cells, cut, cut_name};
use crate::report::layout::{Frame, LaidLine, TablePlace, layout};
use crate::report::line::Line as ReportLine;
use crate::tui::input::action::Action;
use crate::tui::page::content::Page;
use crate::tui::state::open_page::{covering_headings, matches};
use crate::tui::state::{OpenPage, PageLine, Ui};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The width beyond which lines of the manual are hard to read.
const WIDEST_TEXT: usize = 100;

/// Draws a page with its title, or that it is being computed, and notes where it is.
pub(crate) fn draw(p: &mut Painter, open: &OpenPage, area: Rect) {
    let theme = p.theme;
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
    let offset = open.first_line_among(&lines, height);
    // The title and the scroll position stay on the first line, so that they do not cover lines that scroll.
    let place = place(open, offset, height, lines.len());
    draw_title(p, page, &place, title, width);
    let mut rows = body.rows();
    let headings = covering_headings(&lines, offset);
    for (number, line) in lines.iter().enumerate().skip(offset) {
        let Some(row) = rows.next() else { break };
        let mut line = line;
        if number == offset
            && let Some(headings) = headings
        {
            line = &lines[headings];
        }
        let shown = ShownLine {
            open,
            line,
            row,
            inside: skip(row, 1),
        };
        shown.draw(p);
        if open.matched == Some(number) {
            shown.draw_matches(p, theme.input);
        }
    }
    *kept = Some((width, lines));
}

/// Draws the title of a page, and at its right end which lines are in sight.
fn draw_title(p: &mut Painter, page: &Page, place: &str, area: Rect, width: usize) {
    let theme = p.theme;
    let fitting = cut(place, width);
    let room = width.saturating_sub(cells(&fitting));
    let spelled = p.ui.spelled(page.title.clone());
    let title = cut_name(&spelled, room.saturating_sub(2));
    p.put(area, title, theme.title);
    p.put(skip(area, narrow(room)), fitting, theme.dim);
}

/// A line of a page in its row of the screen.
struct ShownLine<'a> {
    open: &'a OpenPage,
    line: &'a PageLine,
    row: Rect,
    /// The row without the cell of the pointer.
    inside: Rect,
}

impl ShownLine<'_> {
    /// Draws the line. The choice under the cursor is set off, as a line or as a link, and what was searched for.
    fn draw(&self, p: &mut Painter) {
        let theme = p.theme;
        let layout = p.ui.layout();
        let inside = self.inside;
        p.put_line(inside, &self.line.line);
        let chosen = self.open.chosen();
        if chosen.is_some() && self.line.choice == chosen {
            p.buffer.set_style(self.row, theme.selected);
            p.put(self.row, layout.pointer(), theme.selected);
            layout.emphasise(self.row, theme, p.buffer);
        }
        if self.line.choice.is_some() && self.line.choice == self.open.marked {
            p.put(inside, "●", theme.key);
        }
        for (columns, choice) in &self.line.links {
            if Some(*choice) == chosen {
                let link = cells_of(columns, inside);
                p.buffer.set_style(link, theme.selected);
            }
        }
        self.draw_matches(p, theme.found);
    }

    /// Gives a style to what was searched for.
    fn draw_matches(&self, p: &mut Painter, style: Style) {
        let text = self.line.line.to_string();
        for found in matches(&text, &self.open.search) {
            let start = width_of(&text[..found.start]);
            let end = width_of(&text[..found.end]);
            let cells = cells_of(&(start..end), self.inside);
            p.buffer.set_style(cells, style);
        }
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

/// Returns a page as lines of so many cells. Those of the manual are no longer than can be read well.
fn lines(ui: &Ui, page: &Page, width: usize) -> Vec<PageLine> {
    let mut room = width;
    if page.topic.is_some() {
        room = width.min(WIDEST_TEXT);
    }
    let frame = Frame {
        width: Some(room),
        is_page: true,
        is_ascii: ui.options.is_ascii,
    };
    let document = page.document.document();
    let mut lines = Vec::new();
    let mut headings = None;
    for laid in layout(&document, frame) {
        match laid.place {
            TablePlace::Outside => headings = None,
            TablePlace::Headings => headings = Some(lines.len()),
            TablePlace::Row => {}
        }
        let mut line = page_line(&laid, &ui.theme);
        if laid.place == TablePlace::Row {
            line.headings = headings;
        }
        lines.push(line);
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
        headings: None,
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
