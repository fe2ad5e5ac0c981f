//! Tables, whose columns sort, and trees, whose nodes fold.

use super::PageWriter;
use crate::base::number::{Alignment, Exact, Value};
use crate::base::shown::{Shown, cells, sentence};
use crate::report::outline::ROWS_AT_FIRST;
use crate::report::render::line::Emphasis;
use crate::report::render::table::{Cell, Heading, Row, Table};
use crate::report::render::tree::DRAWN;
use crate::rules::policy::ColumnId;
use maud::{Markup, PreEscaped, html};
use std::io;

/// The cells that a mark before a number takes.
const MARK: usize = 2;

/// The cells of a column of a tree for which it needs no class.
const USUAL: usize = 8;

/// The most cells of a column of a tree; a wider number gets less room for its name.
const WIDEST: usize = 28;

impl PageWriter<'_> {
    /// Writes a table.
    pub(super) fn write_table(&mut self, table: &Table<'_>) -> io::Result<()> {
        let mut sides = Vec::new();
        for head in &table.heads {
            sides.push(match head.alignment {
                Alignment::Left => None,
                Alignment::Right => Some("n"),
            });
        }
        let named = sides.iter().position(Option::is_none).unwrap_or(0);
        self.put_legend(&table.heads)?;
        self.put_raw(
            "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead>",
        )?;
        self.put(&html! {
            tr {
                @for (head, side) in table.heads.iter().zip(&sides) {
                    th scope="col" class=[side] { (head.text.as_str()) }
                }
            }
        })?;
        self.put_raw("</thead>\n<tbody>\n")?;
        let mut blanks = Blanks::default();
        table.each(&mut |row| {
            self.put(&html! {
                tr {
                    @for (column, side) in sides.iter().enumerate() {
                        @let cell = PageCell::of(row.cell(column));
                        @let value = marked(&cell.text, row.emphasis(column));
                        @let is_blank = blanks.note(&cell, &table.heads[column]);
                        @if column == named {
                            th scope="row" class=[side] data-v=[cell.key] { (value) }
                        } @else {
                            td class=[side] data-v=[cell.key] data-none[is_blank] { (value) }
                        }
                    }
                }
                "\n"
            })
        })?;
        self.put_raw("</tbody>\n</table></div>\n")?;
        self.put(&blanks.note_below("note"))
    }

    /// Writes what the emphasis of cells means, if some may be emphasized.
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
        let mut blanks = Blanks::default();
        // Whether a node folds is known with the row after it.
        let mut last: Option<NodeLine> = None;
        table.each(&mut |row| {
            let depth = row.depth.min(DRAWN + 1);
            if let Some(last) = &last {
                self.put_node(&shape, last, depth, &mut open)?;
            }
            last = Some(NodeLine {
                depth,
                line: node(heads, &shape, row, &mut blanks),
            });
            Ok(())
        })?;
        if let Some(last) = last {
            self.put_node(&shape, &last, 0, &mut open)?;
        }
        for _ in 0..open {
            self.put_raw("</ul></details>\n")?;
        }
        self.put_raw("</ul></div>\n")?;
        // A narrow window leaves the cells of a tree out that have no number.
        self.put(&blanks.note_below("note wide"))
    }

    /// Writes a node of a tree; `next` is the depth of the one after it, and `open` the number of lists that are open.
    fn put_node(
        &mut self,
        shape: &RowShape,
        node: &NodeLine,
        next: usize,
        open: &mut usize,
    ) -> io::Result<()> {
        for _ in node.depth..*open {
            self.put_raw("</ul></details>\n")?;
        }
        *open = node.depth;
        let line = &node.line;
        if next <= node.depth {
            self.put_raw("<li><p>")?;
            return self.put(&html! { (line) "\n" });
        }
        *open += 1;
        if node.depth <= shape.open_depth {
            self.put_raw("<li><details open>")?;
        } else {
            self.put_raw("<li><details>")?;
        }
        self.put(&html! { summary { (line) } })?;
        self.put_raw("<ul>\n")
    }
}

/// The cells of a table that have no number where others of their column have one.
#[derive(Clone, Copy, Default)]
struct Blanks {
    /// Whether there is one.
    is_any: bool,
    /// Whether there is one among ranks.
    is_of_rank: bool,
}

impl Blanks {
    /// Returns whether a cell lacks its number, and notes it.
    fn note(&mut self, cell: &PageCell, head: &Heading) -> bool {
        if !cell.lacks_number {
            return false;
        }
        self.is_any = true;
        self.is_of_rank |= *head.text == *ColumnId::Rank.heading();
        true
    }

    /// Returns what the sign of such a cell means; nothing without any.
    fn note_below(self, class: &str) -> Markup {
        if !self.is_any {
            return Markup::default();
        }
        let mut reason = "no such number";
        if self.is_of_rank {
            reason = "no such number; only users have a rank";
        }
        html! { p class=(class) { "–: " (reason) } "\n" }
    }
}

/// A node of a tree before it is written.
struct NodeLine {
    /// Its steps below the first one.
    depth: usize,
    /// Its cells.
    line: Markup,
}

/// What all rows of a tree have in common.
struct RowShape {
    /// The class of each column that has one.
    classes: Vec<Option<Shown>>,
    /// The depth of the deepest nodes that are unfolded at first.
    open_depth: usize,
}

impl RowShape {
    /// Returns the shape of a tree, by all its rows.
    fn of(heads: &[Heading], table: &Table<'_>) -> io::Result<Self> {
        let mut widths = Vec::new();
        for head in heads {
            widths.push(cells(&head.text));
        }
        let mut by_depth = Vec::new();
        table.each(&mut |row| {
            if by_depth.len() <= row.depth {
                by_depth.resize(row.depth + 1, 0);
            }
            by_depth[row.depth] += 1;
            for (column, width) in widths.iter_mut().enumerate().skip(1) {
                let mut needed = cells(&row.cell(column).shown());
                if row.emphasis(column) != Emphasis::Plain {
                    needed += MARK;
                }
                *width = needed.max(*width);
            }
            Ok(())
        })?;
        let mut classes = Vec::new();
        for (column, head) in heads.iter().enumerate() {
            let width = widths[column].clamp(USUAL, WIDEST);
            classes.push(match head.alignment {
                Alignment::Left if column > 0 => Some(sentence!("t{width}")),
                Alignment::Right if width > USUAL => Some(sentence!("w{width}")),
                _ => None,
            });
        }
        Ok(Self {
            classes,
            open_depth: open_depth(&by_depth),
        })
    }
}

/// Returns the depth of the deepest nodes that are unfolded at first, by how many nodes there are of each depth.
fn open_depth(by_depth: &[usize]) -> usize {
    let mut levels = 0_usize;
    let mut rows = 0;
    for count in by_depth {
        rows += count;
        if rows > ROWS_AT_FIRST {
            break;
        }
        levels += 1;
    }
    // The members of the deepest level are shown, so the level above is unfolded; the root always is.
    levels.saturating_sub(2)
}

/// Returns the cells of a node of a tree, each number with its heading for who sees no columns. Most of a page are rows, so
/// they go without what HTML lets go: end tags, and the quotes of values without blanks.
fn node(heads: &[Heading], shape: &RowShape, row: &Row<'_, '_>, blanks: &mut Blanks) -> Markup {
    let cells = html! {
        @for (column, head) in heads.iter().enumerate() {
            @let cell = PageCell::of(folded(row.cell(column)));
            @let is_blank = blanks.note(&cell, head);
            i class=[&shape.classes[column]] data-v=[cell.key] data-none[is_blank] {
                @if !cell.text.is_empty() {
                    @if column > 0 {
                        u {
                            (head.text)
                            " "
                        }
                    }
                    (marked(&cell.text, row.emphasis(column)))
                }
            }
        }
    };
    // A quote of a text is escaped, so each quote here is that of a value: a class or a number.
    let unquoted = cells.0.replace("=\"\"", "").replace('"', "");
    PreEscaped(unquoted)
}

/// Returns a cell without guide lines, where rows fold.
fn folded(cell: Cell<'_>) -> Cell<'_> {
    match cell {
        Cell::Label(guide, tree, node) => Cell::Label(guide.folded(), tree, node),
        cell => cell,
    }
}

/// Returns a text with its mark, if its emphasis has one.
fn marked(text: &Shown, emphasis: Emphasis) -> Markup {
    let class = match emphasis {
        Emphasis::Over => "over",
        Emphasis::Under => "under",
        _ => return html! { (text) },
    };
    html! { b class=(class) { (text) } }
}

/// A cell of a page.
struct PageCell {
    /// Its text for people.
    text: Shown,
    /// The number in full that it tells; `None` if that can be read in the text.
    key: Option<Shown>,
    /// Whether it is of a number that is not there.
    lacks_number: bool,
}

impl PageCell {
    /// Returns a cell as a page has it.
    fn of(cell: Cell<'_>) -> Self {
        let mut key = None;
        let mut lacks_number = false;
        if let Some(value) = cell.key() {
            key = Some(sentence!("{}", Exact(value)));
            lacks_number = matches!(value, Value::Null);
        }
        let text = cell.shown();
        lacks_number &= text.is_empty();
        if let Some(number) = &key
            && tells(&text, number)
        {
            key = None;
        }
        Self {
            text,
            key,
            lacks_number,
        }
    }
}

/// Returns whether a text tells a number in full.
fn tells(text: &str, number: &str) -> bool {
    let plain = text.replace(',', "");
    if plain == number {
        return true;
    }
    let read: Option<f64> = plain.parse().ok();
    read.is_some() && read == number.parse().ok()
}
