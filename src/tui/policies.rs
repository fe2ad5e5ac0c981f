//! The policies side by side: the rank each gives to every user, and how far they agree.

use super::dialog::Dialog;
use super::session::{Session, Why};
use super::theme::Theme;
use super::tree_table::TreeTable;
use super::viewport::Regions;
use crate::model::NodeId;
use crate::number;
use crate::policy::{Comparison, Policy};
use crate::shown::cells as width_of;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The cells of the column that says how far the ranks of a user lie apart.
const SPREAD: u16 = 9;

/// The cells of one number of the triangle.
const TAU: u16 = 7;

/// The narrowest column of names beside the ranks.
const NARROWEST_NAME: u16 = 16;

/// The widest: numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 48;

/// The cells between the table and a triangle beside it.
const GAP: u16 = 3;

/// The rows that a triangle below the table must leave to it, headings included.
const FEWEST_ROWS: u16 = 6;

/// The same where the why pane stands below both.
const FEWEST_ROWS_WITH_WHY: u16 = 12;

/// From this part of all places on, ranks lie far apart.
const FAR: f64 = 0.3;

/// Up to this part of all places, ranks lie close together.
const CLOSE: f64 = 0.1;

/// The heading of a policy's column.
const fn heading(policy: Policy) -> &'static str {
    match policy {
        Policy::Pbs => "PBS",
        Policy::LevelBased => "Level",
        Policy::FairTree => "Fair",
        Policy::FairTreeDocumented => "FairDoc",
        Policy::Classic => "Classic",
        Policy::DepthOblivious => "Depth",
        Policy::Tickets => "Tickets",
        Policy::Flux => "Flux",
        Policy::Formula => "Formula",
    }
}

fn count(number: usize) -> String {
    number::grouped(i64::try_from(number).unwrap_or(i64::MAX))
}

fn narrow(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}

/// The cells of a policy's column: its heading, or the last rank with a sign behind it.
fn cells(session: &Session, policy: Policy) -> u16 {
    let last = count(session.scenario.tree().user_count()).len() + 1;
    narrow(last.max(heading(policy).len()))
}

/// Where the ranks stand and where the triangle of agreement, which is empty without room, above a why pane of this
/// height; nothing where they need the why pane's place as well.
fn stack(session: &Session, area: Rect, why_height: u16) -> Option<(Rect, Rect)> {
    let policies = session.offered_policies();
    let ranks: u16 = policies
        .iter()
        .map(|&policy| cells(session, policy) + 1)
        .sum();
    let table_width = WIDEST_NAME + ranks + SPREAD + 1;
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

/// Splits what lies below the tabs into ranks, agreement and why pane. Where not all have room, the agreement takes
/// the place of the why pane, which is a key away.
pub(super) fn split(session: &Session, area: Rect, why_height: u16) -> [Rect; 3] {
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
        Why::Zoomed => [above, nothing, why],
        Why::Hidden => match stack(session, area, 0) {
            // Beside the ranks it hides nothing.
            Some((table, beside)) if beside.y == table.y => [table, beside, nothing],
            _ => [area, nothing, nothing],
        },
        Why::Shown => {
            if let Some((table, agreement)) = stack(session, area, why_height) {
                [table, agreement, why]
            } else if let Some((table, agreement)) = stack(session, area, 0) {
                [table, agreement, nothing]
            } else {
                [above, nothing, why]
            }
        }
    }
}

/// The table of ranks. Borrows what it draws and lives for one frame.
pub(super) struct PoliciesTable<'a> {
    /// The tree and the list.
    pub(super) session: &'a Session,
    /// A cell being edited.
    pub(super) dialog: Option<&'a Dialog>,
    /// The styles.
    pub(super) theme: &'a Theme,
    /// Whether names keep to ASCII.
    pub(super) is_ascii: bool,
}

impl PoliciesTable<'_> {
    fn comparison(&self) -> Option<&Comparison> {
        self.session.compared.comparison.as_deref()
    }

    /// Numbers of the tree as it was before the last edit stand back.
    fn style(&self, style: Style) -> Style {
        if self.session.is_compared() {
            style
        } else {
            self.theme.dim
        }
    }

    /// Draws the headings and the rows; notes where they stand.
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
        let policies = self.session.offered_policies();
        let offset = self.session.column_offset.min(policies.len() - 1);
        let mut left = area.width.saturating_sub(NARROWEST_NAME + SPREAD + 1);
        let mut shown = Vec::new();
        for &policy in &policies[offset..] {
            let cells = cells(self.session, policy);
            if cells + 1 > left {
                break;
            }
            left -= cells + 1;
            shown.push((policy, cells));
        }
        let has_spread = area.width > NARROWEST_NAME + SPREAD;
        let name = Rect {
            width: (left + NARROWEST_NAME.min(area.width)).min(WIDEST_NAME),
            height: 1,
            ..area
        };
        self.draw_headings(name, &shown, has_spread, buffer, regions);
        if offset > 0 {
            buffer.set_string(area.x, area.y, "«", self.theme.key);
        }
        if offset + shown.len() < policies.len() {
            // Before the last column, which is always there.
            let ranks: u16 = shown.iter().map(|&(_, cells)| cells + 1).sum();
            let x = (name.right() + ranks + 1).min(area.right() - 1);
            buffer.set_string(x, area.y, "»", self.theme.key);
        }
        regions.headings.push((None, name));
        regions.rows = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        let pane = self.session.pane();
        let list = pane.outline.rows();
        let lines = regions.rows.y..regions.rows.bottom();
        for (row, y) in pane.viewport.range(list.len()).zip(lines) {
            let line = Rect { y, ..name };
            if row == pane.cursor {
                let whole = Rect {
                    width: area.width,
                    ..line
                };
                buffer.set_style(whole, self.theme.selected);
                buffer.set_string(area.x, y, "❯", self.theme.key);
            }
            self.draw_row(line, &shown, has_spread, list[row], buffer);
        }
        if list.is_empty() && area.height > 1 {
            let text = format!(
                "  no user is {}; esc shows everything",
                pane.outline.filter().name()
            );
            let room = usize::from(area.width);
            buffer.set_stringn(area.x, area.y + 1, text, room, self.theme.dim);
        }
    }

    fn draw_headings(
        &self,
        name: Rect,
        shown: &[(Policy, u16)],
        has_spread: bool,
        buffer: &mut Buffer,
        regions: &mut Regions,
    ) {
        let in_force = self.session.scenario.policy();
        let room = usize::from(name.width);
        buffer.set_stringn(name.x, name.y, " User", room, self.theme.heading);
        let mut x = name.right();
        for &(policy, cells) in shown {
            // A rank stands left of its sign.
            let style = if policy == in_force {
                self.theme.sorted
            } else {
                self.theme.heading
            };
            draw_right(buffer, x + 1, name.y, cells, heading(policy), style);
            let place = Rect {
                x: x + 1,
                width: cells,
                ..name
            };
            regions.policies.push((policy, place));
            x += cells + 1;
        }
        if has_spread {
            let style = self.theme.heading;
            draw_right(buffer, x + 1, name.y, SPREAD, "Apart", style);
        }
    }

    fn draw_row(
        &self,
        name: Rect,
        shown: &[(Policy, u16)],
        has_spread: bool,
        node: NodeId,
        buffer: &mut Buffer,
    ) {
        let names = TreeTable {
            session: self.session,
            dialog: self.dialog,
            theme: self.theme,
            is_ascii: self.is_ascii,
        };
        names.draw_path(name, buffer, node);
        let Some(comparison) = self.comparison() else {
            return;
        };
        let in_force = rank(comparison, self.session.scenario.policy(), node);
        let mut x = name.right();
        for &(policy, cells) in shown {
            let is_in_force = policy == self.session.scenario.policy();
            if let Some(rank) = rank(comparison, policy, node) {
                let (sign, style) = if is_in_force {
                    (" ", self.theme.strong)
                } else {
                    self.against(rank, in_force)
                };
                let text = format!("{}{sign}", number::grouped(i64::from(rank)));
                draw_right(buffer, x + 1, name.y, cells, &text, self.style(style));
            }
            x += cells + 1;
        }
        if has_spread {
            let spread = number::grouped(i64::from(comparison.spread(node)));
            let style = self.style(self.theme.text);
            draw_right(buffer, x + 1, name.y, SPREAD, &spread, style);
        }
    }

    /// How a rank lies to that of the policy in force: the sign says on which side, weight and colour how far.
    fn against(&self, rank: u32, in_force: Option<u32>) -> (&'static str, Style) {
        let Some(in_force) = in_force else {
            return (" ", self.theme.text);
        };
        let places = self.session.scenario.tree().user_count().max(2) - 1;
        let part = f64::from(rank.abs_diff(in_force)) / places as f64;
        let theme = self.theme;
        match (rank.cmp(&in_force), part) {
            (std::cmp::Ordering::Equal, _) => (" ", theme.dim),
            (std::cmp::Ordering::Less, FAR..) => ("▲", theme.better),
            (std::cmp::Ordering::Less, CLOSE..) => ("▲", theme.under),
            (std::cmp::Ordering::Less, _) => ("▲", theme.text),
            (std::cmp::Ordering::Greater, FAR..) => ("▼", theme.worse),
            (std::cmp::Ordering::Greater, CLOSE..) => ("▼", theme.over),
            (std::cmp::Ordering::Greater, _) => ("▼", theme.text),
        }
    }

    /// Draws Kendall's tau-b of each pair of policies as a triangle.
    pub(super) fn draw_agreement(&self, area: Rect, buffer: &mut Buffer) {
        if area.height == 0 {
            return;
        }
        let theme = self.theme;
        let width = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, "─".repeat(width), width, theme.guide);
        let title = " agreement · Kendall's tau-b: 1 is the same order, -1 the reverse ";
        let room = width.saturating_sub(4);
        let title = crate::shown::cut(title, room);
        let style = theme.text.patch(theme.strong);
        buffer.set_stringn(area.x + 2, area.y, title, room, style);
        let Some(comparison) = self.comparison() else {
            return;
        };
        let policies = comparison.policies();
        let in_force = self.session.scenario.policy();
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

/// Draws a short text at the right end of a cell.
fn draw_right(buffer: &mut Buffer, x: u16, y: u16, cells: u16, text: &str, style: Style) {
    let indent = cells.saturating_sub(narrow(width_of(text)));
    buffer.set_stringn(x + indent, y, text, usize::from(cells), style);
}

/// A user's rank under one of the policies compared.
fn rank(comparison: &Comparison, policy: Policy, node: NodeId) -> Option<u32> {
    let mut policies = comparison.policies().iter();
    let place = policies.position(|&compared| compared == policy)?;
    comparison.rank(place, node)
}
