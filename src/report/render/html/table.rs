//! Tables, whose columns sort, and trees, whose nodes fold.

use super::PageWriter;
use crate::base::number::{Alignment, Exact};
use crate::base::shown::{Shown, cells, sentence};
use crate::report::outline::ROWS_AT_FIRST;
use crate::report::render::line::Emphasis;
use crate::report::render::table::{Cell, Heading, Row, Table};
use crate::report::render::tree::DRAWN;
use maud::{Markup, PreEscaped, html};
use std::io;

/// The cells that a mark before a number takes.
const MARK: usize = 2;

/// The cells of a column of a tree for which it needs no class.
const USUAL: usize = 8;

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
                        @let (text, key) = told(row.cell(column));
                        @let value = marked(&text, row.emphasis(column));
                        @if column == named {
                            th scope="row" class=[side] data-v=[key] { (value) }
                        } @else {
                            td class=[side] data-v=[key] { (value) }
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
            div.head aria-hidden="true" {
                p {
                    @for (head, class) in heads.iter().zip(&shape.classes) {
                        i class=[class] { span { (head.text) } }
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
            self.put_raw("</ul></details>\n")?;
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
            self.put_raw("</ul></details>\n")?;
        }
        *open = depth;
        if next <= depth {
            self.put_raw("<li><p>")?;
            return self.put(&html! { (line) "\n" });
        }
        *open += 1;
        self.put_raw(if depth <= shape.open_depth {
            "<li><details open>"
        } else {
            "<li><details>"
        })?;
        self.put(&html! { summary { (line) } })?;
        self.put_raw("<ul>\n")
    }
}

struct RowShape {
    /// The class of each column that has one.
    classes: Vec<Option<Shown>>,
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
            let width = width.clamp(USUAL, WIDEST);
            match head.alignment {
                Alignment::Left if column > 0 => Some(sentence!("t{width}")),
                Alignment::Right if width > USUAL => Some(sentence!("w{width}")),
                _ => None,
            }
        });
        Ok(Self {
            classes: classes.collect(),
            // The members of the deepest level are shown, so the level above is unfolded; the root always is.
            open_depth: shown.count().saturating_sub(2),
        })
    }
}

/// Returns the cells of a node of a tree, each number with its heading for who sees no columns. Most of a page are rows, so
/// they go without what HTML lets go: end tags, and the quotes of values without blanks.
fn node(heads: &[Heading], shape: &RowShape, row: &Row<'_, '_>) -> Markup {
    let cells = html! {
        @for (column, (head, class)) in heads.iter().zip(&shape.classes).enumerate() {
            @let (text, key) = told(folded(row.cell(column)));
            i class=[class] data-v=[key] {
                @if !text.is_empty() {
                    @if column > 0 { u { (head.text) " " } }
                    (marked(&text, row.emphasis(column)))
                }
            }
        }
    };
    // A quote of a text is escaped, so each quote here is that of a value: a class or a number.
    PreEscaped(cells.0.replace("=\"\"", "").replace('"', ""))
}

fn folded(cell: Cell<'_>) -> Cell<'_> {
    match cell {
        Cell::Label(guide, tree, node) => Cell::Label(guide.folded(), tree, node),
        cell => cell,
    }
}

fn marked(text: &Shown, emphasis: Emphasis) -> Markup {
    let class = match emphasis {
        Emphasis::Over => "over",
        Emphasis::Under => "under",
        _ => return html! { (text) },
    };
    html! { b class=(class) { (text) } }
}

/// Returns the text of a cell, and the number in full that it tells; `None` if that can be read in the text.
fn told(cell: Cell<'_>) -> (Shown, Option<Shown>) {
    let key = cell.key().map(|key| sentence!("{}", Exact(key)));
    let text = cell.shown();
    let plain = text.replace(',', "");
    let number: Option<f64> = plain.parse().ok();
    let is_read = |key: &str| plain == key || (number.is_some() && number == key.parse().ok());
    (text, key.filter(|key| !is_read(key)))
}
