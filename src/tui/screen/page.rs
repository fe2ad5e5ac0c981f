//! A page on the screen.

use crate::base::shown::{cells, cut, cut_name};
use crate::report::line::Emphasis;
use crate::report::manual::{self, Topic};
use crate::tui::input::action::Action;
use crate::tui::page::content::{Page, PageRow, RowLayout};
use crate::tui::screen::painter::{Painter, narrow, skip, width_of};
use crate::tui::state::open_page::matches;
use crate::tui::state::{OpenPage, PageLine, Ui};
use crate::tui::widget::wrap;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The width beyond which lines of the manual are hard to read.
const WIDEST_TEXT: usize = 100;

/// The width from which a page has two columns, if its sections are of two kinds.
const WIDE: usize = 156;

const GAP: usize = 3;

pub(crate) fn draw(p: &mut Painter<'_>, open: &OpenPage, area: Rect) {
    let theme = &p.ui.theme;
    p.clear(area);
    let [heading, body] = Layout::vertical([Length(1), Min(0)]).areas(area);
    let inside = skip(heading, 1);
    let Some(page) = &open.page else {
        let key = p.ui.hint(Action::Cancel);
        let text = format!("computing {}… {key} cancel", open.subject.title());
        p.put(inside, text, theme.warning);
        return;
    };
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let mut kept = open.lines.borrow_mut();
    let broken_at = kept.as_ref().map(|&(broken_at, _)| broken_at);
    if broken_at != Some(width) {
        *kept = Some((width, lines(p.ui, page, width)));
    }
    let lines = kept.as_ref().map_or(&[][..], |(_, lines)| lines);
    // The title and the scroll position stay on the first line, so that they do not cover lines that scroll.
    let height = usize::from(body.height);
    open.height.set((height, lines.len()));
    open.area.set(body);
    let offset = open.offset.min(lines.len().saturating_sub(height));
    let place = place(open, offset, height, lines.len());
    let place = cut(&place, width);
    let room = width.saturating_sub(cells(&place));
    let title = p.ui.spelled(page.title.clone());
    p.put(
        inside,
        cut_name(&title, room.saturating_sub(2)),
        theme.title,
    );
    p.put(skip(inside, narrow(room)), place, theme.dim);
    let shown = lines.iter().enumerate().skip(offset);
    for ((place, line), row) in shown.zip(body.rows()) {
        let inside = skip(row, 1);
        p.buffer.set_line(inside.x, row.y, &line.line, inside.width);
        if line.choice.is_some() && line.choice == open.chosen() {
            p.buffer.set_style(row, theme.selected);
            p.put(row, p.ui.layout().pointer(), theme.selected);
            p.ui.layout().emphasise(row, theme, p.buffer);
        }
        for (columns, choice) in &line.links {
            if Some(*choice) == open.chosen() {
                p.buffer
                    .set_style(cells_of(columns, inside), theme.selected);
            }
        }
        let text = line.line.to_string();
        for found in matches(&text, &open.search) {
            let [start, end] = [found.start, found.end].map(|at| width_of(&text[..at]));
            let cells = cells_of(&(start..end), inside);
            p.buffer.set_style(cells, theme.found);
            if open.matched == Some(place) {
                p.buffer.set_style(cells, theme.input);
            }
        }
    }
}

fn cells_of(columns: &Range<u16>, line: Rect) -> Rect {
    let width = columns.end.min(line.width);
    skip(Rect { width, ..line }, columns.start)
}

fn manual_lines(ui: &Ui, topic: Topic, width: usize) -> Vec<PageLine> {
    let lines = manual::lines(topic, width.min(WIDEST_TEXT)).into_iter();
    lines
        .map(|line| {
            let mut end = 0;
            let mut links = Vec::new();
            let spans = line.pieces.into_iter().map(|piece| {
                let start = end;
                end += width_of(&piece.text);
                links.extend(piece.link.map(|link| (start..end, link)));
                Span::styled(piece.text, ui.theme.emphasized(piece.emphasis))
            });
            PageLine {
                line: spans.collect(),
                choice: None,
                links,
            }
        })
        .collect()
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

fn lines(ui: &Ui, page: &Page, width: usize) -> Vec<PageLine> {
    if let Some(topic) = page.topic {
        return manual_lines(ui, topic, width);
    }
    let (left, right) = page.rows.split_at(page.left_rows);
    if width < WIDE || left.is_empty() || right.is_empty() {
        return row_lines(ui, &page.rows, width);
    }
    let half = (width - GAP) / 2;
    let [left, right] = [left, right].map(|rows| row_lines(ui, rows, half));
    side_by_side(left, right, half)
}

/// Returns lines beside others. The left ones are so many cells wide, and choices are on neither side.
fn side_by_side(left: Vec<PageLine>, right: Vec<PageLine>, half: usize) -> Vec<PageLine> {
    let count = left.len().max(right.len());
    let [mut left, mut right] = [left, right].map(Vec::into_iter);
    let next = |lines: &mut std::vec::IntoIter<PageLine>| {
        lines.next().map_or_else(Line::default, |line| line.line)
    };
    let spans = |line: Line<'static>| {
        let style = line.style;
        let spans = line.spans.into_iter();
        spans.map(move |span| Span::styled(span.content, style.patch(span.style)))
    };
    let lines = (0..count).map(|_| {
        let (left, right) = (next(&mut left), next(&mut right));
        let blanks = (half + GAP).saturating_sub(left.width());
        let between = (right.width() > 0).then(|| Span::raw(" ".repeat(blanks)));
        PageLine {
            line: spans(left).chain(between).chain(spans(right)).collect(),
            ..PageLine::default()
        }
    });
    lines.collect()
}

fn row_lines(ui: &Ui, rows: &[PageRow], width: usize) -> Vec<PageLine> {
    let mut lines = Vec::new();
    for row in rows {
        let is_too_long = !row.narrow.is_empty() && row.widest > width;
        let text = if is_too_long { &row.narrow } else { &row.text };
        let text = ui.spelled(text.clone());
        let style = ui.theme.emphasized(row.emphasis);
        let mut push = |line: Line<'static>| {
            lines.push(PageLine {
                line,
                choice: row.choice,
                links: Vec::new(),
            });
        };
        match row.layout {
            RowLayout::Heading => {
                push(Line::default());
                push(Line::styled(cut(&text, width).into_owned(), style));
            }
            RowLayout::Aligned => push(Line::styled(cut(&text, width).into_owned(), style)),
            RowLayout::Wrapped => {
                let indent = 4 * usize::from(row.emphasis == Emphasis::Command);
                let own = text.len() - text.trim_start_matches(' ').len();
                let (text, indent) = (text.trim_start_matches(' '), indent + own);
                let parts = wrap(text, width.saturating_sub(2 + indent)).into_iter();
                for (place, part) in parts.enumerate() {
                    let blanks = if place == 0 { 2 + own } else { 2 + indent };
                    push(Line::from(vec![
                        Span::raw(" ".repeat(blanks)),
                        Span::styled(part, style),
                    ]));
                }
            }
        }
    }
    lines
}
