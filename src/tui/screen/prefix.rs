//! The list of what can follow a prefix key.

use crate::base::shown::cells;
use crate::tui::state::presenter::Prefix;
use crate::tui::state::ui::Ui;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::viewport::{Click, Regions};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The cells between two columns.
const GAP: usize = 3;

/// Draws the keys behind a prefix at the bottom of an area, in columns.
pub(crate) fn draw(
    ui: &Ui,
    prefix: &Prefix,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    let entries: Vec<_> = prefix
        .keys
        .iter()
        .map(|(key, action, help)| (key.to_string(), *help, *action))
        .collect();
    let keys = entries
        .iter()
        .map(|(key, ..)| cells(key))
        .max()
        .unwrap_or(0);
    let helps = entries
        .iter()
        .map(|(_, help, _)| cells(help))
        .max()
        .unwrap_or(0);
    let column = keys + 1 + helps;
    let room = usize::from(area.width.saturating_sub(4));
    let count = ((room + GAP) / (column + GAP)).clamp(1, entries.len().max(1));
    let rows = entries.len().div_ceil(count);
    let width = count * (column + GAP) - GAP + 4;
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(area.height);
    let low = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    let title = format!("{} …", prefix.key);
    let title = if ui.options.is_ascii {
        format!("{} ...", prefix.key)
    } else {
        title
    };
    let inner = Panel {
        theme: &ui.theme,
        title: &title,
        foot: "esc cancel",
        lines: rows,
        width,
    }
    .draw(low, buffer, regions);
    for (place, (key, help, action)) in entries.iter().enumerate() {
        let (at, line) = (place / rows, place % rows);
        let x = inner.x + u16::try_from(at * (column + GAP)).unwrap_or(u16::MAX);
        let y = inner.y + u16::try_from(line).unwrap_or(u16::MAX);
        if y >= inner.bottom() || x >= inner.right() {
            continue;
        }
        let room = usize::from(inner.right() - x);
        let (end, _) = buffer.set_stringn(x, y, format!("{key:>keys$} "), room, ui.theme.key);
        let room = usize::from(inner.right().saturating_sub(end));
        let (end, _) = buffer.set_stringn(end, y, help, room, ui.theme.text);
        let row = Rect {
            x,
            y,
            width: end - x,
            height: 1,
        };
        regions.targets.push((row, Click::Action(*action)));
    }
}
