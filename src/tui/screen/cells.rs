//! One cell of the table: numbers and changes.

use crate::base::number;
use crate::base::number::Value;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::NodeId;
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use crate::tui::screen::columns;
use crate::tui::widget::theme::Theme;
use ratatui::style::Style;

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
