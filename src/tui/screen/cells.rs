//! One cell of the table: a number, a change, or the line that is being typed.

use crate::base::number::{self, Alignment, Value};
use crate::base::shown::{Shown, cut, sentence, shown};
use crate::model::NodeId;
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use crate::tui::screen::painter::{Painter, short_of};
use crate::tui::screen::{bars, columns};
use crate::tui::state::{Dialog, Prompt, Session};
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Draws a node's value, or what is typed for it.
pub(crate) fn draw(
    p: &mut Painter<'_>,
    session: &Session,
    column: ColumnId,
    node: NodeId,
    cell: Rect,
) {
    let scenario = &session.scenario;
    match (&p.ui.dialog, column) {
        (Some(Dialog::Prompt(prompt)), _) if prompt.labels.cell == Some((node, column)) => {
            draw_input(p, scenario, prompt, (column, node), cell);
        }
        (_, ColumnId::Served) => bars::draw_served(p, cell, scenario.target(node)),
        (_, ColumnId::Balance) => {
            let largest = scenario.largest_of_level(node);
            bars::draw_balance(p, cell, scenario.balance(node), largest);
        }
        _ => draw_value(p, session, column, node, cell),
    }
}

fn draw_value(p: &mut Painter<'_>, session: &Session, column: ColumnId, node: NodeId, cell: Rect) {
    let theme = &p.ui.theme;
    let moved = session.places_moved(node);
    let (mut text, style) = match moved.filter(|_| column == ColumnId::Change) {
        Some(places) => change(places, theme),
        None => value(&session.scenario, column, node, theme),
    };
    if !text.is_empty() && session.veils(column) {
        text = "?".into();
    }
    if column == ColumnId::Shares && session.locks.contains(node) {
        // The sign marks a locked node on screens without colour.
        text = sentence!("={text}");
    }
    let text = cut(&text, cell.width.into());
    match column.alignment() {
        Alignment::Right => p.put_right(cell, &text, style),
        Alignment::Left => {
            p.put(cell, text, style);
        }
    }
}

fn change(places: i64, theme: &Theme) -> (Shown, Style) {
    let style = if places > 0 {
        theme.better
    } else {
        theme.worse
    };
    (number::change(places, false), style)
}

fn value(scenario: &Scenario, column: ColumnId, node: NodeId, theme: &Theme) -> (Shown, Style) {
    let nothing = (Shown::default(), theme.dim);
    match column {
        // Without a comparison there is no earlier value.
        ColumnId::Change | ColumnId::Before if !scenario.is_compared() => nothing,
        ColumnId::Change => change(scenario.best_rank_change(node).unwrap_or(0), theme),
        // The root has no siblings to share a level with.
        ColumnId::GroupPercentage if node == NodeId::ROOT => nothing,
        ColumnId::Rank => {
            let Some(rank) = scenario.evaluation().rank(node) else {
                return nothing;
            };
            let users = scenario.tree().user_count();
            let rank = number::grouped(i64::from(rank));
            let text = if columns::shows_total(users) {
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
        column => computed(scenario, column, node, theme),
    }
}

fn computed(scenario: &Scenario, column: ColumnId, node: NodeId, theme: &Theme) -> (Shown, Style) {
    let value = scenario.value(column, node);
    let mut text = number::cell(value, column.unit());
    if column == ColumnId::LevelFsWord && scenario.evaluation().is_open_word(node) {
        text += &number::OPEN_WORD.into();
    }
    let mut style = if value == Value::Null {
        theme.dim
    } else {
        theme.text
    };
    if scenario.evaluation().is_printed(column, node) {
        // The scheduler printed this value, but its own rule gives another one.
        text = sentence!("{}{text}", number::NOT_REPRODUCED);
        style = theme.warning;
    }
    let is_edited = match column {
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
fn draw_input(
    p: &mut Painter<'_>,
    scenario: &Scenario,
    prompt: &Prompt,
    (column, node): (ColumnId, NodeId),
    cell: Rect,
) {
    let theme = &p.ui.theme;
    let typed = prompt.input.value();
    let is_change = typed.trim().starts_with(['+', '-', '*']) || typed.trim().ends_with('%');
    let text = if is_change && prompt.error.is_none() {
        number::cell(scenario.value(column, node), column.unit())
    } else {
        Shown::again(typed.to_owned())
    };
    let style = if prompt.error.is_some() {
        theme.error
    } else {
        theme.input
    };
    p.buffer.set_style(cell, style);
    // The last cell is the cursor's.
    let room = short_of(cell, 1);
    let skipped = text.chars().count().saturating_sub(room.width.into());
    let tail: String = text.chars().skip(skipped).collect();
    p.put_right(room, &tail, style);
}
