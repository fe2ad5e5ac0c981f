//! The agreement of the policies: Kendall's tau-b of each pair as a triangle, and the layout of that triangle.

use crate::tui::screen::policies::{
    PoliciesTable, SPREAD, WIDEST_NAME, cells, draw_right, heading, narrow,
};
use crate::tui::state::pane::Why;
use crate::tui::state::session::Session;
use crate::tui::widget::layout::Layout;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The cells of one number of the triangle.
const TAU: u16 = 7;

/// The cells between the table and a triangle beside it.
const GAP: u16 = 3;

/// The fewest rows of a table above the triangle, headings included.
const FEWEST_ROWS: u16 = 6;

/// The fewest rows of that table if the why pane is below both.
const FEWEST_ROWS_WITH_WHY: u16 = 12;

/// Returns the areas of the ranks and of the triangle, which is empty without room, above a why pane of this height.
/// `None` if they need the area of the why pane as well.
fn stack(session: &Session, layout: Layout, area: Rect, why_height: u16) -> Option<(Rect, Rect)> {
    let policies = session.offered_policies();
    let gap = layout.gap(area.width);
    let ranks: u16 = policies
        .iter()
        .map(|&policy| cells(session, policy) + gap)
        .sum();
    let table_width = WIDEST_NAME + ranks + SPREAD + gap;
    let width = (narrow(policies.len()) + 1) * (TAU + 1);
    let height = narrow(policies.len()) + 1;
    let area = Rect {
        height: area.height - why_height,
        ..area
    };
    if area.width >= table_width + GAP + width {
        let table = Rect {
            width: table_width,
            ..area
        };
        let beside = Rect {
            x: area.x + table_width + GAP,
            width: area.width - table_width - GAP,
            height: height.min(area.height),
            ..area
        };
        return Some((table, beside));
    }
    let fewest = if why_height > 0 {
        FEWEST_ROWS_WITH_WHY
    } else {
        FEWEST_ROWS
    };
    if area.width < width || area.height < height + fewest {
        return None;
    }
    let table = Rect {
        height: area.height - height,
        ..area
    };
    let below = Rect {
        y: table.bottom(),
        height,
        ..area
    };
    Some((table, below))
}

/// Splits the area below the tabs into ranks, agreement and why pane. Without room for all, the agreement takes the place
/// of the enlarged why pane, which a key shows.
pub(crate) fn split(session: &Session, layout: Layout, area: Rect, why_height: u16) -> [Rect; 3] {
    let nothing = Rect::default();
    let above = Rect {
        height: area.height - why_height,
        ..area
    };
    let why = Rect {
        y: above.bottom(),
        height: why_height,
        ..area
    };
    match session.why {
        Why::Zoomed => match stack(session, layout, area, 0) {
            Some((table, agreement)) => [table, agreement, nothing],
            None => [above, nothing, why],
        },
        Why::Hidden => match stack(session, layout, area, 0) {
            // Beside the ranks, the triangle hides nothing.
            Some((table, beside)) if beside.y == table.y => [table, beside, nothing],
            _ => [area, nothing, nothing],
        },
        Why::Shown => {
            if let Some((table, agreement)) = stack(session, layout, area, why_height) {
                [table, agreement, why]
            } else {
                [above, nothing, why]
            }
        }
    }
}

impl PoliciesTable<'_> {
    /// Draws Kendall's tau-b of each pair of policies as a triangle.
    pub(crate) fn draw_agreement(&self, area: Rect, buffer: &mut Buffer) {
        if area.height == 0 {
            return;
        }
        let theme = self.names.theme;
        let width = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, "─".repeat(width), width, theme.guide);
        let title = " agreement · Kendall's tau-b: 1 is the same order, -1 the reverse ";
        let room = width.saturating_sub(4);
        let title = crate::base::shown::cut(title, room);
        let style = theme.text.patch(theme.strong);
        buffer.set_stringn(area.x + 2, area.y, title, room, style);
        let Some(comparison) = self.comparison() else {
            return;
        };
        let policies = comparison.policies();
        let in_force = self.names.session.scenario.policy();
        let name_style = |policy| {
            if policy == in_force {
                theme.sorted
            } else {
                theme.heading
            }
        };
        let column = |place: usize| area.x + 1 + TAU + 1 + narrow(place) * (TAU + 1);
        for (row, y) in (1..policies.len()).zip(area.y + 1..area.bottom()) {
            let policy = policies[row];
            let (x, style) = (area.x + 1, name_style(policy));
            buffer.set_stringn(x, y, heading(policy), usize::from(TAU), style);
            for (other, &with) in policies[..row].iter().enumerate() {
                let tau = comparison.tau(row, other);
                let concerns = policy == in_force || with == in_force;
                let style = match tau {
                    None => theme.dim,
                    Some(..0.5) if concerns => theme.worse,
                    Some(..0.5) => theme.over,
                    Some(_) if concerns => theme.strong,
                    Some(_) => theme.text,
                };
                let text = tau.map_or_else(|| "–".to_owned(), |tau| format!("{tau:.3}"));
                draw_right(buffer, column(other), y, TAU, &text, self.style(style));
            }
        }
        let bottom = area.y + narrow(policies.len());
        if bottom < area.bottom() {
            let above = policies.len().saturating_sub(1);
            for (place, &policy) in policies[..above].iter().enumerate() {
                let style = name_style(policy);
                draw_right(buffer, column(place), bottom, TAU, heading(policy), style);
            }
        }
    }
}
