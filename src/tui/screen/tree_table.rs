//! The table of nodes: guide lines, names, numbers and bars. Only the visible rows are computed.

use crate::base::number;
use crate::base::number::Alignment;
use crate::base::shown::{Shown, cells as width_of, cut, cut_name, sentence, shown_path};
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::report::label;
use crate::report::outline::Listing;
use crate::rules::policy::ColumnId;
use crate::tui::screen::columns::VisibleColumns;
use crate::tui::screen::{bars, cells, columns};
use crate::tui::state::dialog::Dialog;
use crate::tui::state::prompt::Prompt;
use crate::tui::state::session::Session;
use crate::tui::state::ui::spelled;
use crate::tui::widget::layout::Layout;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::viewport::Regions;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The cells of one step of indentation.
const STEP: u16 = 2;

/// The deepest step that is drawn, so that even a chain of a million nodes fits the screen.
const DEEPEST_STEP: u16 = 12;

/// The fewest cells that indentation leaves to the name.
const ROOM_FOR_NAME: u16 = 12;

/// The table of one list. Borrows what it draws and lives for one frame.
pub(crate) struct TreeTable<'a> {
    /// The tree and the list.
    pub(crate) session: &'a Session,
    /// The open dialog, which may edit a cell.
    pub(crate) dialog: Option<&'a Dialog>,
    /// The styles.
    pub(crate) theme: &'a Theme,
    /// The layout of rows and columns.
    pub(crate) layout: Layout,
    /// Whether names are shown in ASCII.
    pub(crate) is_ascii: bool,
}

/// Returns the cells between the left edge and a node's triangle, in a name column of this width.
pub(crate) fn triangle_column(tree: &Tree, node: NodeId, width: u16) -> u16 {
    1 + steps(tree, node, width) * STEP
}

fn steps(tree: &Tree, node: NodeId, width: u16) -> u16 {
    u16::try_from(tree.depth(node))
        .unwrap_or(u16::MAX)
        .min(deepest_step(width))
}

/// Returns the deepest step drawn in a name column of this width. Deeper nodes show their depth as a number.
fn deepest_step(width: u16) -> u16 {
    (width.saturating_sub(ROOM_FOR_NAME) / STEP).clamp(1, DEEPEST_STEP)
}

impl TreeTable<'_> {
    /// Draws the headings and the rows, and notes their regions.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
        let visible = columns::visible(self.session, self.layout, area.width);
        let [heading, rows] = [
            Rect { height: 1, ..area },
            Rect {
                y: area.y + 1,
                height: area.height - 1,
                ..area
            },
        ];
        self.draw_headings(heading, buffer, &visible, regions);
        regions.rows = rows;
        let pane = self.session.pane();
        let list = pane.outline.rows();
        for (row, y) in pane.viewport.get().rows(list.len(), rows) {
            self.draw_row(
                Rect {
                    y,
                    height: 1,
                    ..rows
                },
                buffer,
                &visible,
                list[row],
                row == pane.cursor,
            );
        }
        if list.is_empty() {
            let text = format!(
                "  no node is {}; esc shows everything",
                pane.outline.filter().name()
            );
            buffer.set_stringn(
                rows.x,
                rows.y,
                text,
                usize::from(rows.width),
                self.theme.dim,
            );
        }
    }

    fn draw_headings(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        visible: &VisibleColumns,
        regions: &mut Regions,
    ) {
        let sort = self.session.pane().outline.sort();
        let style = |column| match sort {
            Some(sort) if sort.column == column => self.theme.sorted,
            _ => self.theme.heading,
        };
        let arrow = |column| match sort {
            Some(sort) if sort.column == column => {
                if sort.is_falling {
                    "▼"
                } else {
                    "▲"
                }
            }
            _ => "",
        };
        regions.headings.clear();
        let name = if self.session.listing() == Listing::Tree {
            self.session.scenario.settings().noun().with_users
        } else {
            "User"
        };
        let name_area = Rect {
            width: visible.name_cells,
            ..area
        };
        let left = if visible.more_left { "«" } else { " " };
        let text = format!("{left}{name} {}", arrow(None));
        buffer.set_stringn(
            area.x,
            area.y,
            text,
            usize::from(visible.name_cells),
            style(None),
        );
        regions.headings.push((None, name_area));
        let mut x = area.x + visible.name_cells;
        for &(column, width) in &visible.columns {
            let text = format!("{}{}", column.heading(), arrow(Some(column)));
            let text = cut(&text, usize::from(width)).into_owned();
            let indent = match column.alignment() {
                Alignment::Right => usize::from(width).saturating_sub(width_of(&text)),
                // The axis is below the sign in the heading.
                Alignment::Left if column == ColumnId::Balance => 3,
                Alignment::Left => 0,
            };
            let indent = u16::try_from(indent).unwrap_or(0);
            buffer.set_string(x + visible.gap + indent, area.y, text, style(Some(column)));
            regions.headings.push((
                Some(column),
                Rect {
                    x: x + visible.gap,
                    width,
                    ..area
                },
            ));
            x += width + visible.gap;
        }
        if visible.more_right && area.width > 0 {
            buffer.set_string(area.right() - 1, area.y, "»", self.theme.key);
        }
    }

    fn draw_row(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        visible: &VisibleColumns,
        node: NodeId,
        is_selected: bool,
    ) {
        let scenario = &self.session.scenario;
        if is_selected {
            buffer.set_style(area, self.theme.selected);
            let pointer = self.layout.pointer();
            buffer.set_string(area.x, area.y, pointer, self.theme.key);
        }
        if self.session.marks.contains(node) && area.width > 1 {
            buffer.set_string(area.x + 1, area.y, "●", self.theme.key);
        }
        let name_area = Rect {
            width: visible.name_cells,
            ..area
        };
        match self.session.listing() {
            Listing::Tree => self.draw_name(name_area, buffer, node),
            Listing::Ranking | Listing::Users => self.draw_path(name_area, buffer, node),
        }
        let mut x = area.x + visible.name_cells + visible.gap;
        for &(column, width) in &visible.columns {
            let cell = Rect { x, width, ..area };
            x += width + visible.gap;
            if let Some(prompt) = self.prompt_in(column, node) {
                let typed = prompt.input.value().trim();
                let is_change = typed.starts_with(['+', '-', '*']) || typed.ends_with('%');
                let text = if is_change && prompt.error.is_none() {
                    // The other columns show the effects of the change, so this one shows the resulting value.
                    number::cell(scenario.value(column, node), column.unit())
                } else {
                    Shown::again(prompt.input.value().to_owned())
                };
                draw_input(cell, buffer, prompt, &text, self.theme);
            } else if column == ColumnId::Served {
                if let Some(target) = scenario.target(node) {
                    bars::draw_served(buffer, cell, target, self.is_ascii, self.theme);
                }
            } else if column == ColumnId::Balance {
                if let Some(portions) = scenario.balance(node) {
                    let largest = scenario.largest_of_level(node);
                    bars::draw_balance(buffer, cell, portions, largest, self.theme);
                }
            } else if column == ColumnId::PriorityFsRaw {
                visible
                    .buckets
                    .draw(scenario, node, cell, buffer, self.theme);
            } else {
                let moved = self.session.places_moved(node);
                let moved = moved.filter(|_| column == ColumnId::Change);
                let (text, style) = match moved {
                    Some(places) => cells::change(places, self.theme),
                    None => cells::text(scenario, column, node, self.theme),
                };
                let text = if !text.is_empty() && self.session.veils(column) {
                    "?".into()
                } else {
                    text
                };
                let is_locked = column == ColumnId::Shares && self.session.locks.contains(node);
                // The sign marks a locked node on screens without colour.
                let text = if is_locked {
                    sentence!("={text}")
                } else {
                    text
                };
                let text = cut(&text, usize::from(width));
                let indent = match column.alignment() {
                    Alignment::Right => usize::from(width).saturating_sub(width_of(&text)),
                    Alignment::Left => 0,
                };
                buffer.set_string(
                    cell.x + u16::try_from(indent).unwrap_or(0),
                    cell.y,
                    text,
                    style,
                );
            }
        }
        if is_selected {
            self.layout.emphasise(area, self.theme, buffer);
        }
    }

    /// Returns the prompt that edits this cell, or `None` if there is none.
    fn prompt_in(&self, column: ColumnId, node: NodeId) -> Option<&Prompt> {
        let Some(Dialog::Prompt(prompt)) = self.dialog else {
            return None;
        };
        (prompt.labels.cell == Some((node, column))).then_some(prompt)
    }

    fn name_style(&self, node: NodeId) -> ratatui::style::Style {
        let tree = self.session.scenario.tree();
        let style = if tree.kind(node) == Kind::Account {
            self.theme.account
        } else {
            self.theme.user
        };
        let is_found = self
            .session
            .search
            .as_ref()
            .is_some_and(|search| search.matches(tree, node));
        if is_found {
            style.patch(self.theme.found)
        } else {
            style
        }
    }

    fn draw_name(&self, area: Rect, buffer: &mut Buffer, node: NodeId) {
        let tree = self.session.scenario.tree();
        for step in 1..steps(tree, node, area.width) {
            let x = area.x + 1 + step * STEP;
            if x < area.right() {
                buffer.set_string(x, area.y, "│", self.theme.guide);
            }
        }
        let triangle = area.x + triangle_column(tree, node, area.width);
        let is_unfolded = self.session.pane().outline.is_unfolded(node);
        if tree.has_children(node) && triangle < area.right() {
            buffer.set_string(
                triangle,
                area.y,
                if is_unfolded { "▾" } else { "▸" },
                self.theme.dim,
            );
        }
        let mut x = triangle + 2;
        if u32::from(deepest_step(area.width)) < tree.depth(node) {
            // A node that is too deep to be indented shows its depth.
            let depth = format!("{}: ", number::grouped(i64::from(tree.depth(node))));
            let room = usize::from(area.right().saturating_sub(x));
            (x, _) = buffer.set_stringn(x, area.y, &depth, room, self.theme.dim);
        }
        let room = usize::from(area.right().saturating_sub(x));
        let label = spelled(label(tree, node), self.is_ascii);
        let label = cut_name(&label, room);
        let end = x + u16::try_from(width_of(&label)).unwrap_or(0);
        buffer.set_stringn(x, area.y, &label, room, self.name_style(node));
        let below = tree.order().span(node).len().saturating_sub(1);
        if below > 0 && !is_unfolded {
            let count = format!(" ({})", number::grouped(below));
            let room = usize::from(area.right().saturating_sub(end));
            if count.len() <= room {
                buffer.set_string(end, area.y, count, self.theme.dim);
            }
        }
    }

    /// Returns the account of a user as its path and a slash, and the user's name.
    fn path(&self, node: NodeId) -> (String, Shown) {
        let tree = self.session.scenario.tree();
        let label = spelled(label(tree, node), self.is_ascii);
        let path = tree
            .parent(node)
            .filter(|&parent| parent != NodeId::ROOT)
            .and_then(|parent| path_of(tree, parent));
        let account = path
            .map(|path| format!("{}/", spelled(shown_path(&path), self.is_ascii)))
            .unwrap_or_default();
        (account, label)
    }

    /// Returns the cells that a whole path takes in a list, with the pointer before it.
    pub(crate) fn path_cells(&self, node: NodeId) -> usize {
        let (account, label) = self.path(node);
        2 + width_of(&account) + width_of(&label)
    }

    pub(crate) fn draw_path(&self, area: Rect, buffer: &mut Buffer, node: NodeId) {
        let (account, label) = self.path(node);
        let room = usize::from(area.width.saturating_sub(2));
        // The user's own name is the most important, so the account is cut first.
        let label = cut_name(&label, room);
        let account = cut(&account, room.saturating_sub(width_of(&label)));
        let (x, y) = buffer.set_stringn(area.x + 2, area.y, &account, room, self.theme.dim);
        buffer.set_stringn(
            x,
            y,
            &label,
            usize::from(area.right().saturating_sub(x)),
            self.name_style(node),
        );
    }
}

/// Draws the typed text, or the resulting value, in its cell. A long text shows its end, where the cursor usually is.
fn draw_input(area: Rect, buffer: &mut Buffer, prompt: &Prompt, text: &str, theme: &Theme) {
    let style = if prompt.error.is_some() {
        theme.error
    } else {
        theme.input
    };
    buffer.set_style(area, style);
    let room = usize::from(area.width.saturating_sub(1));
    let value: Vec<char> = text.chars().collect();
    let tail: String = value[value.len().saturating_sub(room)..].iter().collect();
    let indent = room.saturating_sub(width_of(&tail));
    let x = area.x + u16::try_from(indent).unwrap_or(0);
    buffer.set_stringn(x, area.y, &tail, room, style);
}
