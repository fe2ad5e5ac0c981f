//! A box in the middle of the screen.

use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use ratatui::widgets::{Block, BorderType, Clear, Widget};

/// Draws a centred box as high as its lines need, and returns the area inside.
pub(crate) fn frame(
    theme: &Theme,
    title: &str,
    foot: &str,
    area: Rect,
    lines: usize,
    width: u16,
    buffer: &mut Buffer,
) -> Rect {
    let height = u16::try_from(lines)
        .unwrap_or(u16::MAX)
        .saturating_add(2)
        .min(area.height);
    let width = width.min(area.width);
    let outer = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(outer, buffer);
    buffer.set_style(outer, theme.page());
    let block = Block::bordered()
        .border_type(BorderType::Plain)
        .border_style(theme.guide)
        .title(Span::styled(format!(" {title} "), theme.title))
        .title_bottom(Span::styled(format!(" {foot} "), theme.dim));
    let inner = block.inner(outer);
    block.render(outer, buffer);
    Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        ..inner
    }
}
