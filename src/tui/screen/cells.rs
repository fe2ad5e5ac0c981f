//! One cell of the table: numbers, bars, changes.

use crate::base::number;
use crate::base::number::Value;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::NodeId;
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use crate::tui::screen::columns;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The cells on each side of a bar's axis.
const HALF: u16 = 8;

/// Returns the half cells that a portion fills on one side of the axis. A portion that does not fit gets one more than
/// the side has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the portion is clamped first"
)]
fn halves(portion: f64) -> u16 {
    let full = f64::from(HALF) * 2.0;
    let halves = (portion * full).round().clamp(0.0, full + 1.0) as u16;
    // A small portion must differ from none.
    if halves == 0 && portion > 0.0 {
        1
    } else {
        halves
    }
}

/// Returns the target and the usage of a node, both relative to the target of its account. The two are equal if the
/// node is on target.
pub(crate) fn balance(scenario: &Scenario, node: NodeId) -> Option<(f64, f64)> {
    let portions = |node| scenario.policy().portions(scenario.evaluation(), node);
    let (target, used) = portions(node)?;
    if node == NodeId::ROOT {
        // The root has no siblings to share with.
        return Some((1.0, 1.0));
    }
    if scenario.policy().counts_by_level() {
        return Some((target, used));
    }
    let (above, _) = portions(scenario.tree().parent(node)?)?;
    if above > 0.0 && target.is_finite() && used.is_finite() {
        Some((target / above, used / above))
    } else {
        // With a target of 0 % or less, any usage exceeds it.
        Some((0.0, if used > 0.0 { f64::INFINITY } else { 0.0 }))
    }
}

/// Draws `share│usage`, with a sign for the longer side on screens without colour.
pub(crate) fn draw_balance(
    buffer: &mut Buffer,
    area: Rect,
    portions: Option<(f64, f64)>,
    theme: &Theme,
) {
    let Some((share, used)) = portions else {
        return;
    };
    let (left, right) = (halves(share), halves(used));
    let is_over = used > share;
    let used_style = if is_over { theme.over } else { theme.under };
    let axis = area.x + HALF;
    let whole = (left.min(HALF * 2)) / 2;
    for cell in 1..=whole {
        buffer.set_string(axis - cell, area.y, "█", theme.share);
    }
    if left % 2 == 1 && whole < HALF {
        buffer.set_string(axis - whole - 1, area.y, "▐", theme.share);
    }
    buffer.set_string(axis, area.y, "│", theme.guide);
    let whole = (right.min(HALF * 2)) / 2;
    for cell in 1..=whole {
        buffer.set_string(axis + cell, area.y, "█", used_style);
    }
    if right > HALF * 2 {
        buffer.set_string(axis + HALF, area.y, "»", used_style);
    } else if right % 2 == 1 && whole < HALF {
        buffer.set_string(axis + whole + 1, area.y, "▌", used_style);
    }
    let sign = if is_over {
        ">"
    } else if used < share {
        "<"
    } else {
        "="
    };
    buffer.set_string(axis + HALF + 1, area.y, sign, used_style);
}

/// Returns the text and the style for places gained or lost.
pub(crate) fn change(places: i64, theme: &Theme) -> (Shown, Style) {
    let style = if places > 0 {
        theme.better
    } else {
        theme.worse
    };
    (number::change(places, false), style)
}

/// Returns the text and the style of a node's value.
pub(crate) fn text(
    scenario: &Scenario,
    column: ColumnId,
    node: NodeId,
    theme: &Theme,
) -> (Shown, Style) {
    match column {
        ColumnId::Change => {
            if !scenario.is_compared() {
                return (Shown::default(), theme.dim);
            }
            change(scenario.best_rank_change(node).unwrap_or(0), theme)
        }
        // Without a comparison there is no earlier value.
        ColumnId::Before if !scenario.is_compared() => (Shown::default(), theme.dim),
        // The root has no siblings to share a level with.
        ColumnId::GroupPercentage if node == NodeId::ROOT => (Shown::default(), theme.dim),
        ColumnId::Rank => match scenario.evaluation().rank(node) {
            Some(rank) => {
                let users = scenario.tree().user_count();
                let rank = number::grouped(i64::from(rank));
                let text = if columns::shows_total(users) {
                    sentence!("{rank}/{}", number::grouped(users))
                } else {
                    rank
                };
                (text, theme.text)
            }
            None => (Shown::default(), theme.dim),
        },
        ColumnId::Recorded(fact) if scenario.base().recorded.is_text(fact) => {
            let text = scenario.base().recorded.text(fact, node);
            (shown(text.unwrap_or_default().as_bytes()), theme.text)
        }
        column => {
            let value = scenario.value(column, node);
            let is_edited = match column {
                ColumnId::Shares => scenario.has_new_shares(node),
                ColumnId::Usage => scenario.has_new_usage(node),
                _ => false,
            };
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
            if is_edited {
                // The sign marks the edit on screens without colour.
                text = sentence!("*{text}");
                style = theme.edited;
            }
            (text, style)
        }
    }
}
