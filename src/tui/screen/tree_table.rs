//! The table of nodes: guide lines, names, and cells with numbers, bars or what is typed, of the visible rows alone.

use crate::base::number::{self, Alignment, Value};
use crate::base::shown::{Shown, cells as cells_of, cut, cut_name, sentence, shown, shown_path};
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::report::label;
use crate::report::outline::Listing;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::scenario::Scenario;
use crate::tui::input::action::Action;
use crate::tui::screen::bars;
use crate::tui::screen::columns::{self, VisibleColumns};
use crate::tui::screen::painter::{Painter, narrow, short_of, skip};
use crate::tui::state::{Dialog, OpenLesson, Prompt, Session, Ui};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;

const STEP: u16 = 2;

/// The deepest step that is drawn, so that even a chain of a million nodes fits the screen.
const DEEPEST_STEP: u16 = 12;

/// The fewest cells that indentation leaves to the name.
const ROOM_FOR_NAME: u16 = 12;

/// Returns the cells between the left edge and a node's triangle, in a name column of this width.
pub(crate) fn triangle_column(tree: &Tree, node: NodeId, width: u16) -> u16 {
    1 + steps(tree, node, width) * STEP
}

fn steps(tree: &Tree, node: NodeId, width: u16) -> u16 {
    narrow(tree.depth(node) as usize).min(deepest_step(width))
}

/// Returns the deepest step drawn in a name column of this width. Deeper nodes show their depth as a number.
fn deepest_step(width: u16) -> u16 {
    (width.saturating_sub(ROOM_FOR_NAME) / STEP).clamp(1, DEEPEST_STEP)
}

pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let (visible, buckets) = columns::visible(session, p.ui.layout(), area.width);
    let shown = visible.columns.iter().map(|&(column, _)| column);
    session.scenario.compute_rules_of(shown);
    let [heading, rows] = Layout::vertical([Length(1), Min(0)]).areas(area);
    draw_headings(p, session, &visible, heading);
    p.regions.rows = rows;
    draw_rows(p, session, rows, "node", |p, row, node| {
        if session.marks.contains(node) {
            p.put(skip(row, 1), "●", p.ui.theme.key);
        }
        match session.listing() {
            Listing::Tree => draw_name(p, session, visible.name(row), node),
            Listing::Ranking | Listing::Users => draw_path(p, session, visible.name(row), node),
        }
        for (column, cell) in visible.cells(row) {
            match column.column {
                ColumnId::PriorityFsRaw => buckets.draw(p, &session.scenario, node, cell),
                _ => draw_cell(p, session, column, node, cell),
            }
        }
    });
}

/// Draws the rows of the list on the screen, or that its filter leaves no node or user.
pub(crate) fn draw_rows(
    p: &mut Painter<'_>,
    session: &Session,
    area: Rect,
    noun: &str,
    draw: impl Fn(&mut Painter<'_>, Rect, NodeId),
) {
    let pane = session.pane();
    let list = pane.outline.rows();
    let marks = [p.ui.layout().pointer(), ""];
    for (place, y) in pane.viewport.get().rows(list.len(), area) {
        let row = Rect::new(area.x, y, area.width, 1);
        p.row(row, place == pane.cursor, marks, |p, _| {
            draw(p, row, list[place]);
        });
    }
    if list.is_empty() {
        let filter = pane.outline.filter().name();
        let key = p.ui.hint(Action::Cancel);
        let text = format!("  no {noun} is {filter}; {key} shows everything");
        p.put_lines(area, [(text, p.ui.theme.dim)]);
    }
}

type Columns = VisibleColumns<RuleColumn>;

fn draw_headings(p: &mut Painter<'_>, session: &Session, visible: &Columns, area: Rect) {
    let theme = &p.ui.theme;
    let sort = session.pane().outline.sort();
    let arrow_and_style = |column| match sort {
        Some(sort) if sort.column == column && sort.is_falling => ("▼", theme.sorted),
        Some(sort) if sort.column == column => ("▲", theme.sorted),
        _ => ("", theme.heading),
    };
    let name = match session.listing() {
        Listing::Tree => session.scenario.settings().noun().with_users,
        Listing::Ranking | Listing::Users => "User",
    };
    let left = if visible.more_left { "«" } else { " " };
    let (arrow, style) = arrow_and_style(None);
    let place = visible.name(area);
    p.put(place, format!("{left}{name} {arrow}"), style);
    p.regions.headings.clear();
    p.regions.headings.push((None, place));
    for (column, place) in visible.cells(area) {
        let (arrow, style) = arrow_and_style(Some(column));
        let text = format!("{}{arrow}", column.heading());
        let text = cut(&text, place.width.into());
        match column.column.alignment() {
            Alignment::Right => p.put_right(place, &text, style),
            Alignment::Left => {
                // The axis is below the sign in the heading.
                let indent = if column.column == ColumnId::Balance {
                    3
                } else {
                    0
                };
                p.put(skip(place, indent), text, style);
            }
        }
        p.regions.headings.push((Some(column), place));
    }
    if visible.more_right && area.width > 0 {
        p.put(skip(area, area.width - 1), "»", theme.key);
    }
}

fn name_style(ui: &Ui, session: &Session, node: NodeId) -> Style {
    let tree = session.scenario.tree();
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

fn draw_name(p: &mut Painter<'_>, session: &Session, area: Rect, node: NodeId) {
    let theme = &p.ui.theme;
    let tree = session.scenario.tree();
    for step in 1..steps(tree, node, area.width) {
        p.put(skip(area, 1 + step * STEP), "│", theme.guide);
    }
    let triangle = skip(area, triangle_column(tree, node, area.width));
    let is_unfolded = session.pane().outline.is_unfolded(node);
    if tree.has_children(node) {
        let sign = if is_unfolded { "▾" } else { "▸" };
        p.put(triangle, sign, theme.dim);
    }
    let mut room = skip(triangle, 2);
    if u32::from(deepest_step(area.width)) < tree.depth(node) {
        // A node that is too deep to be indented shows its depth.
        let depth = format!("{}: ", number::grouped(i64::from(tree.depth(node))));
        room = p.put(room, depth, theme.dim);
    }
    let label = p.ui.spelled(label(tree, node));
    let label = cut_name(&label, room.width.into());
    let rest = p.put(room, label, name_style(p.ui, session, node));
    let below = tree.within(node).len() - 1;
    if below > 0 && !is_unfolded {
        let count = format!(" ({})", number::grouped(below));
        if count.len() <= usize::from(rest.width) {
            p.put(rest, count, theme.dim);
        }
    }
}

/// Returns the account of a user as its path and a slash, and the user's name.
fn path(ui: &Ui, session: &Session, node: NodeId) -> (String, Shown) {
    let tree = session.scenario.tree();
    let parent = tree.parent(node).filter(|&parent| parent != NodeId::ROOT);
    let path = parent.and_then(|parent| path_of(tree, parent));
    let account = path.map(|path| format!("{}/", ui.spelled(shown_path(&path))));
    (account.unwrap_or_default(), ui.spelled(label(tree, node)))
}

/// Returns the cells that a whole path takes in a list, with the pointer before it.
pub(crate) fn path_cells(ui: &Ui, session: &Session, node: NodeId) -> usize {
    let (account, label) = path(ui, session, node);
    2 + cells_of(&account) + cells_of(&label)
}

pub(crate) fn draw_path(p: &mut Painter<'_>, session: &Session, area: Rect, node: NodeId) {
    let (account, label) = path(p.ui, session, node);
    let room = skip(area, 2);
    // The user's own name is the most important, so the account is cut first.
    let label = cut_name(&label, room.width.into());
    let left = room.width.saturating_sub(narrow(cells_of(&label)));
    let account = cut_name(&account, left.into());
    let rest = p.put(room, account, p.ui.theme.dim);
    p.put(rest, label, name_style(p.ui, session, node));
}

fn draw_cell(p: &mut Painter<'_>, session: &Session, column: RuleColumn, node: NodeId, cell: Rect) {
    let scenario = &session.scenario;
    let Some(column) = column.of_current() else {
        return draw_value(p, session, column, node, cell);
    };
    match (&p.ui.dialog, column) {
        (Some(Dialog::Prompt(prompt)), _) if prompt.labels.is_of_cell(node, column) => {
            let value = number::cell(scenario.value(column, node), column.unit());
            draw_input(p, prompt, value, cell);
        }
        (_, ColumnId::Served) => bars::draw_served(p, cell, scenario.target(node)),
        (_, ColumnId::Balance) => {
            if let Some(portions) = scenario.balance(node) {
                bars::draw_balance(p, cell, portions, scenario.largest_of_level(node));
            }
        }
        _ => draw_value(p, session, column.into(), node, cell),
    }
}

fn draw_value(
    p: &mut Painter<'_>,
    session: &Session,
    column: RuleColumn,
    node: NodeId,
    cell: Rect,
) {
    let theme = &p.ui.theme;
    let moved = session.places_moved(node);
    let (mut text, style) = match moved.filter(|_| column == ColumnId::Change.into()) {
        Some(places) => change_of(places, theme),
        None => value_of(&session.scenario, column, node, theme),
    };
    let current = session.scenario.policy();
    let policy = column.rule.unwrap_or(current);
    let hides = |it: &OpenLesson| {
        it.staged
            .hides(it.step, it.is_revealed, column.column, policy)
    };
    if !text.is_empty() && session.played_lesson().is_some_and(hides) {
        text = "?".into();
    }
    if column.column == ColumnId::Shares && session.locks.contains(node) {
        // The sign marks a locked node on screens without colour.
        text = sentence!("={text}");
    }
    let text = cut(&text, cell.width.into());
    match column.column.alignment() {
        Alignment::Right => p.put_right(cell, &text, style),
        Alignment::Left => {
            p.put(cell, text, style);
        }
    }
}

fn change_of(by: i64, theme: &Theme) -> (Shown, Style) {
    let style = if by > 0 { theme.better } else { theme.worse };
    (number::change(by), style)
}

fn value_of(
    scenario: &Scenario,
    column: RuleColumn,
    node: NodeId,
    theme: &Theme,
) -> (Shown, Style) {
    let nothing = (Shown::default(), theme.dim);
    match column.column {
        // Without a comparison there is no earlier value.
        ColumnId::Change | ColumnId::Before if !scenario.is_compared() => nothing,
        ColumnId::Change => change_of(scenario.best_rank_change(node).unwrap_or(0), theme),
        // The root has no siblings to share a level with.
        ColumnId::GroupPercentage if node == NodeId::ROOT => nothing,
        ColumnId::Rank => {
            let evaluation = scenario.evaluation_of(column);
            if let Some(least) = evaluation.least_rank(node) {
                return (number::at_best(least), theme.dim);
            }
            let Some(rank) = evaluation.rank(node) else {
                return nothing;
            };
            let users = evaluation.user_count();
            let rank = number::grouped(i64::from(rank));
            let text = if columns::shows_total(scenario.tree().user_count()) {
                sentence!("{rank}/{}", number::grouped(users))
            } else {
                rank
            };
            (text, theme.text)
        }
        ColumnId::Recorded(fact) if scenario.base().recorded.is_text(fact) => {
            let text = scenario.base().recorded.text(fact, node);
            (shown(text.unwrap_or_default().as_bytes()), theme.text)
        }
        _ => computed(scenario, column, node, theme),
    }
}

fn computed(
    scenario: &Scenario,
    column: RuleColumn,
    node: NodeId,
    theme: &Theme,
) -> (Shown, Style) {
    let value = scenario.column_value(column, node);
    let evaluation = scenario.evaluation_of(column);
    let mut text = number::cell(value, column.column.unit());
    if column.column == ColumnId::LevelFsWord && evaluation.is_open_word(node) {
        text += &number::OPEN_WORD.into();
    }
    let is_null = matches!(value, Value::Null);
    let mut style = if is_null { theme.dim } else { theme.text };
    if evaluation.is_printed(column.column, node) {
        // The scheduler printed this value, but its own rule gives another one.
        text = sentence!("{}{text}", number::NOT_REPRODUCED);
        style = theme.warning;
    }
    let is_edited = match column.column {
        ColumnId::Shares => scenario.has_new_shares(node),
        ColumnId::Usage => scenario.has_new_usage(node),
        _ => false,
    };
    if is_edited {
        // The sign marks the edit on screens without colour.
        text = sentence!("*{text}");
        style = theme.edited;
    }
    (text, style)
}

/// Draws what is typed for a cell: the text, or the resulting value of a change, because the other columns show its
/// effects. A long text shows its end, where the cursor usually is.
fn draw_input(p: &mut Painter<'_>, prompt: &Prompt, value: Shown, cell: Rect) {
    let theme = &p.ui.theme;
    let typed = prompt.input.value();
    let is_change = typed.trim().starts_with(['+', '-', '*']) || typed.trim().ends_with('%');
    let (text, style) = match prompt.error {
        Some(_) => (Shown::again(typed.to_owned()), theme.error),
        None if is_change => (value, theme.input),
        None => (Shown::again(typed.to_owned()), theme.input),
    };
    p.buffer.set_style(cell, style);
    // The last cell is the cursor's.
    let room = short_of(cell, 1);
    let skipped = text.chars().count().saturating_sub(room.width.into());
    let tail: String = text.chars().skip(skipped).collect();
    p.put_right(room, &tail, style);
}
