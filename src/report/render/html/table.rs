//! Tables, whose columns sort, and trees, whose nodes fold.

use super::PageWriter;
use crate::base::number::{Alignment, Exact};
use crate::base::shown::{Shown, cells, sentence};
use crate::report::outline::ROWS_AT_FIRST;
use crate::report::render::line::Emphasis;
use crate::report::render::table::{Cell, Heading, Row, Table};
use crate::report::render::tree::DRAWN;
use maud::{Markup, html};
use std::io;

/// The cells that a mark before a number takes.
const MARK: usize = 2;

/// The most cells of a column of a tree; a wider number gets less room for its name.
const WIDEST: usize = 28;

impl PageWriter<'_> {
    pub(super) fn write_table(&mut self, table: &Table<'_>) -> io::Result<()> {
        let heads = &table.heads;
        let is_name = |head: &Heading| head.alignment == Alignment::Left;
        let named = heads.iter().position(is_name).unwrap_or(0);
        let sides = heads.iter().map(|it| (!is_name(it)).then_some("n"));
        let sides: Vec<Option<&str>> = sides.collect();
        self.put_legend(heads)?;
        self.put_raw(
            "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead>",
        )?;
        self.put(&html! {
            tr {
                @for (head, side) in heads.iter().zip(&sides) {
                    th scope="col" class=[side] { (head.text.as_str()) }
                }
            }
        })?;
        self.put_raw("</thead>\n<tbody>\n")?;
        table.each(&mut |row| {
            self.put(&html! {
                tr {
                    @for (column, side) in sides.iter().enumerate() {
                        @let key = sort_key(row, column);
                        @if column == named {
                            th scope="row" class=[side] data-sort=[key] { (value(row, column)) }
                        } @else {
                            td class=[side] data-sort=[key] { (value(row, column)) }
                        }
                    }
                }
                "\n"
            })
        })?;
        self.put_raw("</tbody>\n</table></div>\n")
    }

    fn put_legend(&mut self, heads: &[Heading]) -> io::Result<()> {
        if !heads.iter().any(|head| head.has_emphasis) {
            return Ok(());
        }
        self.put(&html! {
            p.marks {
                span { span.over { "over-served" } ": used more than its target" }
                span { span.under { "under-served" } ": used less" }
            }
            "\n"
        })
    }

    /// Writes a tree whose rows are in order, every account before its members. The first column is the name.
    pub(super) fn write_tree(&mut self, table: &Table<'_>) -> io::Result<()> {
        let heads = &table.heads;
        let shape = RowShape::of(heads, table)?;
        self.put_legend(heads)?;
        self.put_raw("<div class=\"outline\">\n")?;
        self.put(&html! {
            div.row.head aria-hidden="true" {
                @for (head, class) in heads.iter().zip(&shape.classes) {
                    span class=(class.as_str()) {
                        span { (head.text.as_str()) }
                    }
                }
            }
            "\n"
        })?;
        self.put_raw("<ul class=\"tree\">\n")?;
        let mut open = 0;
        // Whether a node folds is known with the row after it.
        let mut last: Option<(usize, Markup)> = None;
        table.each(&mut |row| {
            let depth = row.depth.min(DRAWN + 1);
            let line = node(heads, &shape, row);
            match last.replace((depth, line)) {
                Some(last) => self.put_node(&shape, last, depth, &mut open),
                None => Ok(()),
            }
        })?;
        if let Some(last) = last {
            self.put_node(&shape, last, 0, &mut open)?;
        }
        for _ in 0..open {
            self.put_raw("</ul></details></li>\n")?;
        }
        self.put_raw("</ul></div>\n")
    }

    /// Writes a node of a tree; `next` is the depth of the one after it, and `open` the number of lists that are open.
    fn put_node(
        &mut self,
        shape: &RowShape,
        (depth, line): (usize, Markup),
        next: usize,
        open: &mut usize,
    ) -> io::Result<()> {
        for _ in depth..*open {
            self.put_raw("</ul></details></li>\n")?;
        }
        *open = depth;
        if next <= depth {
            return self.put(&html! { li { div.node.row { (line) } } "\n" });
        }
        *open += 1;
        self.put_raw(if depth <= shape.open_depth {
            "<li><details open>"
        } else {
            "<li><details>"
        })?;
        self.put(&html! { summary.node.row { (line) } })?;
        self.put_raw("<ul>\n")
    }
}

struct RowShape {
    classes: Vec<Shown>,
    /// The depth of the deepest nodes that are unfolded at first.
    open_depth: usize,
}

impl RowShape {
    fn of(heads: &[Heading], table: &Table<'_>) -> io::Result<Self> {
        let mut widths: Vec<usize> = heads.iter().map(|it| cells(&it.text)).collect();
        let mut by_depth: Vec<usize> = Vec::new();
        table.each(&mut |row| {
            let depth = row.depth;
            by_depth.resize(by_depth.len().max(depth + 1), 0);
            by_depth[depth] += 1;
            for (column, width) in widths.iter_mut().enumerate().skip(1) {
                let is_marked = row.emphasis(column) != Emphasis::Plain;
                let mark = if is_marked { MARK } else { 0 };
                *width = (*width).max(cells(&row.cell(column).shown()) + mark);
            }
            Ok(())
        })?;
        let mut rows = 0;
        let shown = by_depth.iter().take_while(|&&count| {
            rows += count;
            rows <= ROWS_AT_FIRST
        });
        let classes = heads.iter().zip(widths).enumerate();
        let classes = classes.map(|(column, (head, width))| {
            let width = width.min(WIDEST);
            match head.alignment {
                _ if column == 0 => "name".into(),
                Alignment::Left => sentence!("w{width}"),
                Alignment::Right => sentence!("n w{width}"),
            }
        });
        Ok(Self {
            classes: classes.collect(),
            // The members of the deepest level are shown, so the level above is unfolded; the root always is.
            open_depth: shown.count().saturating_sub(2),
        })
    }
}

/// Returns the cells of a node of a tree, each number with its heading for who sees no columns.
fn node(heads: &[Heading], shape: &RowShape, row: &Row<'_, '_>) -> Markup {
    html! {
        @for (column, (head, class)) in heads.iter().zip(&shape.classes).enumerate() {
            @let text = folded(row.cell(column)).shown();
            span class=(class.as_str()) data-sort=[sort_key(row, column)] {
                @if column == 0 {
                    (text.as_str())
                } @else if !text.is_empty() {
                    span.label { (head.text.as_str()) " " }
                    @let class = mark(row.emphasis(column)).unwrap_or("value");
                    span class=(class) { (text.as_str()) }
                }
            }
        }
    }
}

fn folded(cell: Cell<'_>) -> Cell<'_> {
    match cell {
        Cell::Label(guide, tree, node) => Cell::Label(guide.folded(), tree, node),
        cell => cell,
    }
}

fn value(row: &Row<'_, '_>, column: usize) -> Markup {
    let text = row.cell(column).shown();
    html! {
        @match mark(row.emphasis(column)) {
            None => (text.as_str()),
            Some(class) => span class=(class) { (text.as_str()) },
        }
    }
}

const fn mark(emphasis: Emphasis) -> Option<&'static str> {
    match emphasis {
        Emphasis::Over => Some("over"),
        Emphasis::Under => Some("under"),
        _ => None,
    }
}

/// Returns the number in full by which a cell is sorted; `None` if that is its text.
fn sort_key(row: &Row<'_, '_>, column: usize) -> Option<Shown> {
    let key = row.cell(column).key()?;
    Some(sentence!("{}", Exact(key)))
}
