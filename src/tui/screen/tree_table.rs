//! The table of nodes: guide lines, names, and cells with numbers, bars or what is typed, of the visible rows alone.

use super::bars::{draw_balance, draw_buckets, draw_served};
use super::painter::{Painter, RowMarks, narrow, short_of, skip, split_top, width_of};
use crate::base::number::{self, Alignment, Value};
use crate::base::shown::{Shown, cells as cells_of, cut, cut_name, sentence, shown, shown_path};
use crate::model::{Kind, NodeId, path_of};
use crate::report::label;
use crate::report::outline::Listing;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::state::columns::{Table, shows_total};
use crate::tui::state::{Dialog, Prompt, Session, Ui};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The cells by which a level of the tree is indented.
const STEP: u16 = 2;

/// The deepest step that is drawn, so that even a chain of a million nodes fits the screen.
const DEEPEST_STEP: u16 = 12;

/// The fewest cells that indentation leaves to the name.
const ROOM_FOR_NAME: u16 = 12;

/// The cells before the text in the heading of bars whose axis is below the sign in the heading.
const INDENT_OF_BALANCE: u16 = 3;

/// Returns the deepest step drawn in a name column of this width. Deeper nodes show their depth as a number.
fn deepest_step(width: u16) -> u16 {
    (width.saturating_sub(ROOM_FOR_NAME) / STEP).clamp(1, DEEPEST_STEP)
}

/// Draws the headings and the rows on the screen, and notes where they are.
pub(crate) fn draw(p: &mut Painter, session: &Session, area: Rect) {
    let table = NodeTable {
        session,
        columns: Table::of(session, p.ui.layout(), area.width),
    };
    let mut shown = Vec::new();
    for sized in &table.columns.visible.columns {
        shown.push(sized.column);
    }
    session.scenario.compute_rules_of(shown);
    let heading = split_top(area, 1);
    table.draw_headings(p, heading.above);
    let list = heading.below;
    p.drawn.list = list;
    draw_rows(p, session, list, "node", |p, row, node| {
        table.draw_node(p, row, node);
    });
}

/// The nodes of the list on the screen, with their columns.
struct NodeTable<'a> {
    session: &'a Session,
    columns: Table,
}

impl NodeTable<'_> {
    /// Draws a row: the sign of a marked node, its name, and its cells.
    fn draw_node(&self, p: &mut Painter, row: Rect, node: NodeId) {
        let session = self.session;
        if session.marks.contains(node) {
            p.put(skip(row, 1), "●", p.theme.key);
        }
        let area = self.columns.visible.name(row);
        if session.pane().outline.shows_paths() {
            draw_path(p, session, area, node);
        } else {
            let name = NameCell {
                session,
                node,
                area,
            };
            name.draw(p);
        }
        for (column, area) in self.columns.visible.cells(row) {
            if column.column == ColumnId::PriorityFsRaw {
                draw_buckets(p, self.columns.buckets, &session.scenario, node, area);
                continue;
            }
            let cell = TableCell {
                session,
                theme: p.theme,
                column,
                node,
                area,
            };
            cell.draw(p);
        }
    }

    /// Draws the headings, with the signs of the order and of columns that are scrolled out, and notes where they are.
    fn draw_headings(&self, p: &mut Painter, area: Rect) {
        let visible = &self.columns.visible;
        self.draw_heading_of_names(p, area);
        for (column, place) in visible.cells(area) {
            let order = self.order_by(p.theme, Some(column));
            let text = format!("{}{}", column.heading(), order.sign);
            let fitting = cut(&text, place.width.into());
            let mut room = place;
            if column.column == ColumnId::Balance {
                room = skip(place, INDENT_OF_BALANCE);
            }
            put_aligned(p, column, &fitting, order.style, room);
            p.note_heading(Some(column), place);
        }
        if visible.more_right && area.width > 0 {
            let last = skip(area, area.width - 1);
            p.put(last, "»", p.theme.key);
        }
    }

    /// Draws the heading of the names, and notes where it is.
    fn draw_heading_of_names(&self, p: &mut Painter, area: Rect) {
        let session = self.session;
        let names = match session.listing() {
            Listing::Tree => session.settings().noun().with_users,
            Listing::Ranking | Listing::Users => "User",
        };
        let is_scrolled = self.columns.visible.more_left;
        let left = if is_scrolled { "«" } else { " " };
        let order = self.order_by(p.theme, None);
        let text = format!("{left}{names} {}", order.sign);
        let place = self.columns.visible.name(area);
        p.put(place, text, order.style);
        p.note_heading(None, place);
    }

    /// Returns how the heading of a column tells whether the rows are sorted by it; `None` is that of the names.
    fn order_by(&self, theme: &Theme, column: Option<RuleColumn>) -> OrderMark {
        match self.session.pane().outline.sort() {
            Some(sort) if sort.column == column => OrderMark {
                sign: if sort.is_falling { "▼" } else { "▲" },
                style: theme.sorted,
            },
            _ => OrderMark {
                sign: "",
                style: theme.heading,
            },
        }
    }
}

/// How a heading tells the order of the rows.
struct OrderMark {
    /// The direction of the order; empty if another column sorts.
    sign: &'static str,
    style: Style,
}

/// Draws the rows of the list on the screen, or that its filter leaves no node or user.
pub(crate) fn draw_rows(
    p: &mut Painter,
    session: &Session,
    area: Rect,
    noun: &str,
    draw: impl Fn(&mut Painter, Rect, NodeId),
) {
    let pane = session.pane();
    let list = pane.outline.rows();
    let marks = RowMarks {
        selected: p.ui.layout().pointer(),
        other: "",
    };
    let viewport = p.drawn.viewport.unwrap_or(pane.viewport);
    for on_screen in viewport.rows(list.len(), area) {
        p.drawn.rows.push(on_screen);
        let row = Rect::new(area.x, on_screen.y, area.width, 1);
        let is_selected = on_screen.place == pane.cursor;
        p.row(row, is_selected, marks, |p, _| {
            draw(p, row, list[on_screen.place]);
        });
    }
    if list.is_empty() {
        let filter = pane.outline.filter().name();
        let key = p.ui.hint(Action::Cancel);
        let text = format!("  no {noun} is {filter}; {key} shows everything");
        p.put_text(area, &[text], p.theme.dim);
    }
}

/// Draws a text at the side of a cell at which its column is aligned.
fn put_aligned(p: &mut Painter, column: RuleColumn, text: &str, style: Style, cell: Rect) {
    match column.column.alignment() {
        Alignment::Right => p.put_right(cell, text, style),
        Alignment::Left => {
            p.put(cell, text, style);
        }
    }
}

/// Returns the style of a name, by what the node is and whether it is searched for.
fn name_style(ui: &Ui, session: &Session, node: NodeId) -> Style {
    let tree = session.tree();
    let style = match tree.kind(node) {
        Kind::Account => ui.theme.account,
        Kind::User => ui.theme.user,
        Kind::Others => ui.theme.dim,
    };
    match &session.search {
        Some(search) if search.matches(tree, node) => style.patch(ui.theme.found),
        _ => style,
    }
}

/// The name of a node in its cell.
struct NameCell<'a> {
    session: &'a Session,
    node: NodeId,
    /// Where it is on the screen.
    area: Rect,
}

impl NameCell<'_> {
    /// Draws guide lines, the sign that folds the node, its name, and how many nodes it hides if it is folded.
    fn draw(&self, p: &mut Painter) {
        let room = self.draw_branch(p);
        let label = p.ui.spelled(self.session.label(self.node));
        let fitting = cut_name(&label, room.width.into());
        let style = name_style(p.ui, self.session, self.node);
        let rest = p.put(room, fitting, style);
        let below = self.session.tree().within(self.node).len() - 1;
        if below > 0 && !self.is_unfolded() {
            let count = format!(" ({})", number::grouped(below));
            if count.len() <= usize::from(rest.width) {
                p.put(rest, count, p.theme.dim);
            }
        }
    }

    /// Draws the guide lines, the sign that folds the node, and its depth if it is too deep to be indented. Returns the
    /// area behind them.
    fn draw_branch(&self, p: &mut Painter) -> Rect {
        let tree = self.session.tree();
        let depth = tree.depth(self.node);
        let deepest = deepest_step(self.area.width);
        let steps = narrow(depth as usize).min(deepest);
        for step in 1..steps {
            let guide = skip(self.area, 1 + step * STEP);
            p.put(guide, "│", p.theme.guide);
        }
        let triangle = skip(self.area, 1 + steps * STEP);
        if tree.has_children(self.node) {
            let sign = if self.is_unfolded() { "▾" } else { "▸" };
            p.put(triangle, sign, p.theme.dim);
            p.drawn.triangles.push(triangle.as_position());
        }
        let room = skip(triangle, 2);
        if u32::from(deepest) >= depth {
            return room;
        }
        let text = format!("{}: ", number::grouped(depth));
        p.put(room, text, p.theme.dim)
    }

    fn is_unfolded(&self) -> bool {
        self.session.pane().outline.is_unfolded(self.node)
    }
}

/// A user with the account it is in.
struct UserPath {
    /// The path of the account and a slash; empty below the root.
    account: String,
    /// The user's name.
    label: Shown,
}

impl UserPath {
    /// Returns the path of a user as this screen may show it.
    fn of(ui: &Ui, session: &Session, node: NodeId) -> Self {
        let tree = session.tree();
        let mut account = String::new();
        if let Some(parent) = tree.parent(node)
            && parent != NodeId::ROOT
            && let Some(path) = path_of(tree, parent)
        {
            account = format!("{}/", ui.spelled(shown_path(&path)));
        }
        let label = ui.spelled(label(tree, node));
        Self { account, label }
    }
}

/// Returns the cells that a whole path takes in a list, with the pointer before it.
pub(crate) fn path_cells(ui: &Ui, session: &Session, node: NodeId) -> usize {
    let path = UserPath::of(ui, session, node);
    2 + cells_of(&path.account) + cells_of(&path.label)
}

/// Draws the path of a user, the account cut at its beginning where there is no room for both.
pub(crate) fn draw_path(p: &mut Painter, session: &Session, area: Rect, node: NodeId) {
    let path = UserPath::of(p.ui, session, node);
    let style = name_style(p.ui, session, node);
    let room = skip(area, 2);
    // The user's own name is the most important, so the account is cut first.
    let label = cut_name(&path.label, room.width.into());
    let taken = width_of(&label);
    let left = room.width.saturating_sub(taken);
    let account = cut_name(&path.account, left.into());
    let rest = p.put(room, account, p.theme.dim);
    p.put(rest, label, style);
}

/// A cell of the table beside the names.
struct TableCell<'a> {
    session: &'a Session,
    theme: &'a Theme,
    column: RuleColumn,
    node: NodeId,
    /// Where it is on the screen.
    area: Rect,
}

impl TableCell<'_> {
    /// Draws what is typed for the cell, a bar, or its value.
    fn draw(&self, p: &mut Painter) {
        let Some(current) = self.column.of_current() else {
            return self.draw_value(p);
        };
        let node = self.node;
        let scenario = &self.session.scenario;
        if let Some(Dialog::Prompt(prompt)) = &p.ui.dialog
            && prompt.labels.is_of_cell(node, current)
        {
            let value = scenario.value(current, node);
            let text = number::cell(value, current.unit());
            return draw_input(p, prompt, text, self.area);
        }
        match current {
            ColumnId::Served => draw_served(p, self.area, scenario.target(node)),
            ColumnId::Balance => {
                if let Some(portions) = scenario.balance(node) {
                    let largest = scenario.largest_of_level(node);
                    draw_balance(p, self.area, portions, largest);
                }
            }
            _ => self.draw_value(p),
        }
    }

    /// Draws the value as text. One that would tell an answer of a lesson is hidden.
    fn draw_value(&self, p: &mut Painter) {
        let mut value = self.value();
        if !value.text.is_empty() && self.is_hidden() {
            value.text = "?".into();
        }
        let is_locked = self.session.locks.contains(self.node);
        if is_locked && self.column.column == ColumnId::Shares {
            // The sign marks a locked node on screens without colour.
            value.text = sentence!("={}", value.text);
        }
        let fitting = cut(&value.text, self.area.width.into());
        put_aligned(p, self.column, &fitting, value.style, self.area);
    }

    /// Returns whether the value would tell the answer to a question of the lesson.
    fn is_hidden(&self) -> bool {
        let Some(lesson) = self.session.played_lesson() else {
            return false;
        };
        let policy = match self.column.rule {
            Some(rule) => rule,
            None => self.session.policy(),
        };
        let column = self.column.column;
        let staged = &lesson.staged;
        staged.hides(lesson.step, lesson.is_revealed, column, policy)
    }

    /// Returns the value. In a source that was read again, a change is that since the reading before.
    fn value(&self) -> CellValue {
        if self.column == ColumnId::Change.into()
            && let Some(places) = self.session.places_moved(self.node)
        {
            return self.change(places);
        }
        self.value_in_scenario()
    }

    /// Returns the value in the scenario, which may be a number, a rank or a text.
    fn value_in_scenario(&self) -> CellValue {
        let scenario = &self.session.scenario;
        match self.column.column {
            // Without a comparison there is no earlier value.
            ColumnId::Change | ColumnId::Before if !scenario.is_compared() => self.nothing(),
            ColumnId::Change => {
                let change = scenario.best_rank_change(self.node);
                self.change(change.unwrap_or(0))
            }
            // The root has no siblings to share a level with.
            ColumnId::GroupPercentage if self.node == NodeId::ROOT => self.nothing(),
            ColumnId::Rank => self.rank(),
            ColumnId::Recorded(fact) if scenario.base().recorded.is_text(fact) => {
                let text = scenario.base().recorded.text(fact, self.node);
                CellValue {
                    text: shown(text.unwrap_or_default().as_bytes()),
                    style: self.theme.text,
                }
            }
            _ => self.number(),
        }
    }

    /// Returns what is drawn where there is no value.
    fn nothing(&self) -> CellValue {
        CellValue {
            text: Shown::default(),
            style: self.theme.dim,
        }
    }

    /// Returns places gained, positive, or lost.
    fn change(&self, by: i64) -> CellValue {
        let is_better = by > 0;
        let theme = self.theme;
        CellValue {
            text: number::change(by),
            style: if is_better { theme.better } else { theme.worse },
        }
    }

    /// Returns a rank, with the number of users if there is room for it; of a part of a tree, the best it can be.
    fn rank(&self) -> CellValue {
        let scenario = &self.session.scenario;
        let evaluation = scenario.evaluation_of(self.column);
        if let Some(least) = evaluation.least_rank(self.node) {
            return CellValue {
                text: number::at_best(least),
                style: self.theme.dim,
            };
        }
        let Some(rank) = evaluation.rank(self.node) else {
            return self.nothing();
        };
        let mut text = number::grouped(rank);
        if shows_total(scenario.tree().user_count()) {
            let users = number::grouped(evaluation.user_count());
            text = sentence!("{text}/{users}");
        }
        let style = self.theme.text;
        CellValue { text, style }
    }

    /// Returns a number, with signs for one that was edited and for one that its own rule does not give.
    fn number(&self) -> CellValue {
        let node = self.node;
        let column = self.column.column;
        let scenario = &self.session.scenario;
        let value = scenario.column_value(self.column, node);
        let evaluation = scenario.evaluation_of(self.column);
        let mut text = number::cell(value, column.unit());
        if column == ColumnId::LevelFsWord && evaluation.is_open_word(node) {
            text += &number::OPEN_WORD.into();
        }
        let mut style = match value {
            Value::Null => self.theme.dim,
            _ => self.theme.text,
        };
        if evaluation.is_printed(column, node) {
            // The scheduler printed this value, but its own rule gives another one.
            text = sentence!("{}{text}", number::NOT_REPRODUCED);
            style = self.theme.warning;
        }
        let is_edited = match column {
            ColumnId::Shares => scenario.has_new_shares(node),
            ColumnId::Usage => scenario.has_new_usage(node),
            _ => false,
        };
        if is_edited {
            // The sign marks the edit on screens without colour.
            text = sentence!("*{text}");
            style = self.theme.edited;
        }
        CellValue { text, style }
    }
}

/// What is drawn for a value.
struct CellValue {
    text: Shown,
    style: Style,
}

/// Draws what is typed for a cell: the text, or the resulting value of a change, because the other columns show its
/// effects. A long text shows its end, where the cursor usually is.
fn draw_input(p: &mut Painter, prompt: &Prompt, value: Shown, cell: Rect) {
    let theme = p.theme;
    let typed = prompt.input.value();
    let is_wrong = prompt.error.is_some();
    let style = if is_wrong { theme.error } else { theme.input };
    let mut text = Shown::again(typed.to_owned());
    if !is_wrong && is_change(typed.trim()) {
        text = value;
    }
    p.buffer.set_style(cell, style);
    // The last cell is the cursor's.
    let room = short_of(cell, 1);
    let letters = text.chars().count();
    let skipped = letters.saturating_sub(room.width.into());
    let tail: String = text.chars().skip(skipped).collect();
    p.put_right(room, &tail, style);
}

/// Returns whether a typed amount changes the value that was there.
fn is_change(typed: &str) -> bool {
    typed.starts_with(['+', '-', '*']) || typed.ends_with('%')
}
