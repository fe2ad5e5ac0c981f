//! Tables, whose columns sort, and trees, whose nodes fold.

use super::{Raw, Writer};
use crate::base::number::{Alignment, Exact};
use crate::base::shown::{Shown, cells, sentence};
use crate::report::line::Emphasis;
use crate::report::outline::ROWS_AT_FIRST;
use crate::report::table::Column;
use crate::report::tree::DRAWN;
use maud::{Markup, html};
use std::io;

/// The cells that a mark before a number takes.
const MARK: usize = 2;

/// The most cells of a column of a tree; a wider number gets less room for its name.
const WIDEST: usize = 28;

impl Writer<'_> {
    /// Writes a table with all of its columns.
    pub(in crate::report) fn table<R>(
        &mut self,
        columns: &[Column<'_, R>],
        rows: impl Iterator<Item = R>,
    ) -> io::Result<()> {
        self.begin(None)?;
        let first = |column: &Column<'_, R>| column.heading().alignment == Alignment::Left;
        let named = columns.iter().position(first).unwrap_or(0);
        self.put_legend(columns)?;
        self.put_raw(Raw(
            "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead>",
        ))?;
        self.put(&html! {
            tr {
                @for column in columns {
                    th scope="col" class=[side(column)] { (column.heading().text.as_str()) }
                }
            }
        })?;
        self.put_raw(Raw("</thead>\n<tbody>\n"))?;
        for row in rows {
            self.put(&html! {
                tr {
                    @for (place, column) in columns.iter().enumerate() {
                        @let text = column.cell(&row).shown();
                        @let key = sort_key(column, &row);
                        @if place == named {
                            th scope="row" class=[side(column)] data-sort=[key] { (value(column, &row, &text)) }
                        } @else {
                            td class=[side(column)] data-sort=[key] { (value(column, &row, &text)) }
                        }
                    }
                }
                "\n"
            })?;
        }
        self.put_raw(Raw("</tbody>\n</table></div>\n"))
    }

    /// Writes what the marks of numbers mean, if some may be marked.
    fn put_legend<R>(&mut self, columns: &[Column<'_, R>]) -> io::Result<()> {
        if !columns.iter().any(Column::has_emphasis) {
            return Ok(());
        }
        self.put(&legend())
    }

    /// Writes a tree whose rows are in order, every account before its members. The first column is the name.
    pub(in crate::report) fn tree<R>(
        &mut self,
        columns: &[Column<'_, R>],
        rows: impl Iterator<Item = R> + Clone,
        depth: impl Fn(&R) -> usize,
    ) -> io::Result<()> {
        self.begin(None)?;
        let shape = Shape::of(columns, rows.clone(), &depth);
        self.put_legend(columns)?;
        self.put_raw(Raw("<div class=\"outline\">\n"))?;
        self.put(&html! {
            div.row.head aria-hidden="true" {
                @for (place, column) in columns.iter().enumerate() {
                    span class=(shape.class(columns, place).as_str()) {
                        span { (column.heading().text.as_str()) }
                    }
                }
            }
            "\n"
        })?;
        self.put_raw(Raw("<ul class=\"tree\">\n"))?;
        let mut rows = rows.peekable();
        let mut open = 0;
        while let Some(row) = rows.next() {
            let own = depth(&row).min(DRAWN + 1);
            for _ in own..open {
                self.put_raw(Raw("</ul></details></li>\n"))?;
            }
            open = own;
            let next = rows.peek().map_or(0, |next| depth(next).min(DRAWN + 1));
            let line = node(columns, &shape, &row);
            if next <= own {
                self.put(&html! { li { div.node.row { (line) } } "\n" })?;
                continue;
            }
            let is_open = own <= shape.open_depth;
            self.put_raw(Raw(if is_open {
                "<li><details open>"
            } else {
                "<li><details>"
            }))?;
            self.put(&html! { summary.node.row { (line) } })?;
            self.put_raw(Raw("<ul>\n"))?;
            open += 1;
        }
        for _ in 0..open {
            self.put_raw(Raw("</ul></details></li>\n"))?;
        }
        self.put_raw(Raw("</ul></div>\n"))
    }
}

/// What is known of a tree before its first row is written.
struct Shape {
    /// The cells of each column.
    widths: Vec<usize>,
    /// The depth of the deepest nodes that are unfolded at first.
    open_depth: usize,
}

impl Shape {
    fn of<R>(
        columns: &[Column<'_, R>],
        rows: impl Iterator<Item = R>,
        depth: impl Fn(&R) -> usize,
    ) -> Self {
        let mut widths: Vec<usize> = columns.iter().map(|it| cells(&it.heading().text)).collect();
        let mut by_depth: Vec<usize> = Vec::new();
        for row in rows {
            let depth = depth(&row);
            by_depth.resize(by_depth.len().max(depth + 1), 0);
            by_depth[depth] += 1;
            for (column, width) in columns.iter().zip(&mut widths) {
                let is_marked = column.emphasis(&row) != Emphasis::Plain;
                let mark = if is_marked { MARK } else { 0 };
                *width = (*width).max(cells(&column.cell(&row).shown()) + mark);
            }
        }
        let mut rows = 0;
        let shown = by_depth.iter().take_while(|&&count| {
            rows += count;
            rows <= ROWS_AT_FIRST
        });
        // The members of the deepest level are shown, so the level above is unfolded; the root always is.
        let open_depth = shown.count().saturating_sub(2);
        Self { widths, open_depth }
    }

    /// Returns the classes of the cells of a column.
    fn class<R>(&self, columns: &[Column<'_, R>], place: usize) -> Shown {
        if place == 0 {
            return "name".into();
        }
        let width = self.widths[place].min(WIDEST);
        match columns[place].heading().alignment {
            Alignment::Left => sentence!("w{width}"),
            Alignment::Right => sentence!("n w{width}"),
        }
    }
}

/// Returns what the marks of numbers mean.
fn legend() -> Markup {
    html! {
        p.marks {
            span { span.over { "over-served" } ": used more than its target" }
            span { span.under { "under-served" } ": used less" }
        }
        "\n"
    }
}

/// Returns the cells of a node of a tree, each number with its heading for who sees no columns.
fn node<R>(columns: &[Column<'_, R>], shape: &Shape, row: &R) -> Markup {
    html! {
        @for (place, column) in columns.iter().enumerate() {
            @let text = column.cell(row).shown();
            span class=(shape.class(columns, place).as_str()) data-sort=[sort_key(column, row)] {
                @if place == 0 {
                    (text.as_str())
                } @else if !text.is_empty() {
                    span.label { (column.heading().text.as_str()) " " }
                    @let class = mark(column.emphasis(row)).unwrap_or("value");
                    span class=(class) { (text.as_str()) }
                }
            }
        }
    }
}

/// Returns the class of a column's side.
fn side<R>(column: &Column<'_, R>) -> Option<&'static str> {
    (column.heading().alignment == Alignment::Right).then_some("n")
}

/// Returns the text of a cell, with its mark if it has one.
fn value<R>(column: &Column<'_, R>, row: &R, text: &Shown) -> Markup {
    html! {
        @match mark(column.emphasis(row)) {
            None => (text.as_str()),
            Some(class) => span class=(class) { (text.as_str()) },
        }
    }
}

/// Returns the class of a marked number.
const fn mark(emphasis: Emphasis) -> Option<&'static str> {
    match emphasis {
        Emphasis::Over => Some("over"),
        Emphasis::Under => Some("under"),
        _ => None,
    }
}

/// Returns the number in full by which a cell is sorted; `None` if that is its text.
fn sort_key<R>(column: &Column<'_, R>, row: &R) -> Option<Shown> {
    let key = column.key(row)?;
    Some(sentence!("{}", Exact(key)))
}
