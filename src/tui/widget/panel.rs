//! A box in the middle of the screen.

use crate::base::shown::cells;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::viewport::Regions;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use ratatui::widgets::{Block, BorderType, Clear, Widget};

/// What separates the keys in the foot of a box.
const BETWEEN: &str = " · ";

/// A box with a title and a foot of keys.
pub(crate) struct Panel<'a> {
    pub(crate) theme: &'a Theme,
    pub(crate) title: &'a str,
    /// The keys that work in it, the most important last.
    pub(crate) foot: &'a str,
    /// The lines that it holds.
    pub(crate) lines: usize,
    pub(crate) width: u16,
}

impl Panel<'_> {
    /// Draws the box in the middle of an area, as high as its lines need, and notes where it is. Returns the area
    /// inside.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer, regions: &mut Regions) -> Rect {
        let height = u16::try_from(self.lines)
            .unwrap_or(u16::MAX)
            .saturating_add(2)
            .min(area.height);
        let width = self.width.min(area.width);
        let outer = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        regions.dialog = outer;
        Clear.render(outer, buffer);
        buffer.set_style(outer, self.theme.page());
        let foot = fitting(self.foot, usize::from(width.saturating_sub(4)));
        let block = Block::bordered()
            .border_type(BorderType::Plain)
            .border_style(self.theme.guide)
            .title(Span::styled(format!(" {} ", self.title), self.theme.title))
            .title_bottom(Span::styled(format!(" {foot} "), self.theme.dim));
        let inner = block.inner(outer);
        block.render(outer, buffer);
        Rect {
            x: inner.x + 1,
            width: inner.width.saturating_sub(2),
            ..inner
        }
    }
}

/// Returns the last keys of a foot that fit into a width.
fn fitting(foot: &str, width: usize) -> &str {
    let mut foot = foot;
    while cells(foot) > width {
        match foot.split_once(BETWEEN) {
            Some((_, rest)) => foot = rest,
            None => return "",
        }
    }
    foot
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn keys_that_do_not_fit_are_left_out_from_the_left() {
        let foot = "type to search · enter choose · esc cancel";
        assert_eq!(fitting(foot, 80), foot);
        assert_eq!(fitting(foot, 27), "enter choose · esc cancel");
        assert_eq!(fitting(foot, 24), "esc cancel");
        assert_eq!(fitting(foot, 9), "");
    }
}
