//! The edit history: the edits done and undone.

use crate::base::shown::{Shown, cells, cut, shown_text};
use crate::tui::state::scenarios::{edit_title, entry, last_row, rejected};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::first_shown;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the states, the snapshot on top.
pub(crate) fn draw(
    ui: &Ui,
    session: &Session,
    cursor: usize,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    let last = last_row(session);
    let foot = "j k move · enter go there · any other key closes";
    let width = area.width.min(100);
    let inner = Panel {
        theme: &ui.theme,
        title: "Edits",
        foot,
        lines: last + 1,
        width,
    }
    .draw(area, buffer, regions);
    regions.menu = inner;
    let now = session.scenario.history().done().len();
    let first = first_shown(cursor, inner.height);
    for (state, y) in (first..=last).zip(inner.y..inner.bottom()) {
        let row = Rect {
            y,
            height: 1,
            ..inner
        };
        if state == cursor {
            buffer.set_style(row, ui.theme.selected);
        }
        let room = |x: u16| usize::from(row.right().saturating_sub(x));
        let pointer = if state == cursor { "❯" } else { " " };
        let (x, _) = buffer.set_stringn(row.x, y, pointer, room(row.x), ui.theme.key);
        let mark = if state == now { "● " } else { "  " };
        let (x, _) = buffer.set_stringn(x, y, mark, room(x), ui.theme.key);
        let style = if state > now {
            ui.theme.dim
        } else {
            ui.theme.text
        };
        let rejected = rejected(session, state);
        let (text, reason) = match (entry(session, state), rejected) {
            (_, Some(rejected)) => (
                edit_title(&rejected.text),
                shown_text(rejected.reason.as_bytes()),
            ),
            (Some(entry), None) => (edit_title(&entry.text), shown_text(entry.reason.as_bytes())),
            (None, None) => ("the snapshot as it was read".into(), Shown::default()),
        };
        let text = ui.spelled(text);
        let (x, _) = buffer.set_stringn(x, y, cut(&text, room(x)), room(x), style);
        let state_words = match rejected {
            Some(_) => "  not applied",
            None if state > now => "  undone",
            None => "",
        };
        let reason = if reason.is_empty() {
            String::new()
        } else {
            format!("  {}", ui.spelled(reason))
        };
        let rest = format!("{state_words}{reason}");
        if cells(&rest) > 0 {
            buffer.set_stringn(x, y, cut(&rest, room(x)), room(x), ui.theme.dim);
        }
        if state == cursor {
            ui.layout().emphasise(row, &ui.theme, buffer);
        }
    }
}
