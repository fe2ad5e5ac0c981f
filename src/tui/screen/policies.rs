//! The policies side by side: the rank each gives to every user.

use crate::base::number;
use crate::base::shown::cells as width_of;
use crate::model::NodeId;
use crate::report::dump;
use crate::rules::policy::{Comparison, Policy};
use crate::tui::screen::tree_table::TreeTable;
use crate::tui::state::session::Session;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The cells of the column with the spread of a user's ranks.
pub(crate) const SPREAD: u16 = 9;

/// The narrowest column of names beside the ranks.
const NARROWEST_NAME: u16 = 16;

/// The step in which the column of names widens, so that scrolling seldom moves the ranks.
const NAME_STEP: u16 = 8;

/// The most lines that explain the headings, and the fewest rows above them.
const EXPLAINED: u16 = 2;
const ROWS_ABOVE: u16 = 6;

/// The widest column of names. Numbers far from their name are hard to follow.
pub(crate) const WIDEST_NAME: u16 = 48;

/// The difference from which on two ranks are far apart, as a part of all places.
const FAR: f64 = 0.3;

/// The difference below which two ranks are close, as a part of all places.
const CLOSE: f64 = 0.1;

/// Returns the heading of a policy's column.
pub(crate) const fn heading(policy: Policy) -> &'static str {
    match policy {
        Policy::Pbs => "PBS",
        Policy::LevelBased => "Level",
        Policy::FairTree => "Fair",
        Policy::FairTreeDocumented => "FairDoc",
        Policy::Classic => "Classic",
        Policy::DepthOblivious => "Depth",
        Policy::Tickets => "Tickets",
        Policy::Flux => "Flux",
        Policy::PbsWalk => "Walk",
        Policy::Formula => "Formula",
    }
}

pub(crate) fn narrow(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}

/// Returns the cells of a policy's column, for its heading or the last rank with its sign.
pub(crate) fn cells(session: &Session, policy: Policy) -> u16 {
    let last = number::grouped(session.scenario.tree().user_count()).len() + 1;
    narrow(last.max(heading(policy).len()))
}

/// Returns the lines below the ranks that explain their headings; none in a low area.
pub(crate) const fn legend_height(area: Rect) -> u16 {
    if area.height < ROWS_ABOVE + EXPLAINED {
        0
    } else {
        EXPLAINED
    }
}

/// The columns of ranks on the screen.
struct Ranks<'a> {
    /// The policies from left to right, each with the cells of its column.
    shown: &'a [(Policy, u16)],
    /// The blanks before each column.
    gap: u16,
    /// Whether there is room for the spread.
    has_spread: bool,
}

/// The table of ranks. Borrows what it draws and lives for one frame.
pub(crate) struct PoliciesTable<'a> {
    /// The table of names, with the tree and the theme.
    pub(crate) names: TreeTable<'a>,
}

impl PoliciesTable<'_> {
    pub(crate) fn comparison(&self) -> Option<&Comparison> {
        self.names.session.compared.comparison.as_deref()
    }

    /// Returns the style of a number, which is dimmed if it is older than the last edit.
    pub(crate) fn style(&self, style: Style) -> Style {
        if self.names.session.is_compared() {
            style
        } else {
            self.names.theme.dim
        }
    }

    /// Draws the headings and the rows, and notes their regions.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
        let policies = self.names.session.offered_policies();
        let offset = self.names.session.columns.offset.min(policies.len() - 1);
        let gap = self.names.layout.gap(area.width);
        let names = self.names_width(area).min(area.width / 2);
        let names = names.max(NARROWEST_NAME);
        let mut left = area.width.saturating_sub(names + SPREAD + gap);
        let mut shown = Vec::new();
        for &policy in &policies[offset..] {
            let cells = cells(self.names.session, policy);
            if cells + gap > left {
                break;
            }
            left -= cells + gap;
            shown.push((policy, cells));
        }
        let has_spread = area.width >= names + SPREAD + gap;
        let name = Rect {
            width: (left + names.min(area.width)).min(WIDEST_NAME),
            height: 1,
            ..area
        };
        let ranks = Ranks {
            shown: &shown,
            gap,
            has_spread,
        };
        self.draw_headings(name, &ranks, buffer, regions);
        if offset > 0 {
            buffer.set_string(area.x, area.y, "«", self.names.theme.key);
        }
        if offset + shown.len() < policies.len() {
            // The gap is before the last column, which is always shown.
            let ranks: u16 = shown.iter().map(|&(_, cells)| cells + gap).sum();
            let x = (name.right() + ranks + 1).min(area.right() - 1);
            buffer.set_string(x, area.y, "»", self.names.theme.key);
        }
        regions.headings.push((None, name));
        let legend = self.legend(&ranks, area);
        let lines = legend_height(area);
        regions.rows = Rect {
            y: area.y + 1,
            height: area.height - 1 - lines,
            ..area
        };
        for (line, y) in legend.iter().zip(area.bottom() - lines..) {
            let room = usize::from(area.width - 1);
            buffer.set_stringn(area.x + 1, y, line, room, self.names.theme.dim);
        }
        let pane = self.names.session.pane();
        let list = pane.outline.rows();
        for (row, y) in pane.viewport.get().rows(list.len(), regions.rows) {
            let line = Rect { y, ..name };
            let whole = Rect {
                width: area.width,
                ..line
            };
            let is_selected = row == pane.cursor;
            if is_selected {
                let pointer = self.names.layout.pointer();
                buffer.set_style(whole, self.names.theme.selected);
                buffer.set_string(area.x, y, pointer, self.names.theme.key);
            }
            self.draw_row(line, &ranks, list[row], buffer);
            if is_selected {
                let layout = self.names.layout;
                layout.emphasise(whole, self.names.theme, buffer);
            }
        }
        if list.is_empty() && area.height > 1 {
            let text = format!(
                "  no user is {}; esc shows everything",
                pane.outline.filter().name()
            );
            let room = usize::from(area.width);
            buffer.set_stringn(area.x, area.y + 1, text, room, self.names.theme.dim);
        }
    }

    /// Returns the cells that hold the longest path on the screen, in steps.
    fn names_width(&self, area: Rect) -> u16 {
        let pane = self.names.session.pane();
        let rows = pane.outline.rows();
        let visible = pane.viewport.get().rows(rows.len(), area);
        let widths = visible.map(|(row, _)| self.names.path_cells(rows[row]));
        narrow(widths.max().unwrap_or(0)).next_multiple_of(NAME_STEP)
    }

    /// Returns the lines that say which policies the headings stand for, as far as there is room.
    fn legend(&self, ranks: &Ranks<'_>, area: Rect) -> Vec<String> {
        let height = usize::from(legend_height(area));
        let of_policy = |&(policy, _): &(Policy, u16)| {
            let settings = self.names.session.scenario.settings();
            let title = dump::name(policy, settings);
            let says_more = !title.eq_ignore_ascii_case(heading(policy));
            says_more.then(|| format!("{}: {title}", heading(policy)))
        };
        let apart = ranks
            .has_spread
            .then(|| "Apart: best to worst rank".to_owned());
        let of_policies = ranks.shown.iter().filter_map(of_policy);
        let mut texts: Vec<String> = apart.into_iter().chain(of_policies).collect();
        loop {
            let lines = wrap(&texts.join(" · "), usize::from(area.width) - 2);
            if lines.len() <= height || texts.pop().is_none() {
                return lines;
            }
        }
    }

    fn draw_headings(
        &self,
        name: Rect,
        ranks: &Ranks<'_>,
        buffer: &mut Buffer,
        regions: &mut Regions,
    ) {
        let in_force = self.names.session.scenario.policy();
        let room = usize::from(name.width);
        buffer.set_stringn(name.x, name.y, " User", room, self.names.theme.heading);
        let mut x = name.right();
        for &(policy, cells) in ranks.shown {
            // A rank is left of its sign.
            let style = if policy == in_force {
                self.names.theme.sorted
            } else {
                self.names.theme.heading
            };
            draw_right(buffer, x + ranks.gap, name.y, cells, heading(policy), style);
            let place = Rect {
                x: x + ranks.gap,
                width: cells,
                ..name
            };
            regions.policies.push((policy, place));
            x += cells + ranks.gap;
        }
        if ranks.has_spread {
            let style = self.names.theme.heading;
            draw_right(buffer, x + ranks.gap, name.y, SPREAD, "Apart", style);
        }
    }

    fn draw_row(&self, name: Rect, ranks: &Ranks<'_>, node: NodeId, buffer: &mut Buffer) {
        self.names.draw_path(name, buffer, node);
        let Some(comparison) = self.comparison() else {
            return;
        };
        let in_force = rank(comparison, self.names.session.scenario.policy(), node);
        let mut x = name.right();
        for &(policy, cells) in ranks.shown {
            let is_in_force = policy == self.names.session.scenario.policy();
            if let Some(rank) = rank(comparison, policy, node) {
                let (sign, style) = if is_in_force {
                    (" ", self.names.theme.strong)
                } else {
                    self.against(rank, in_force)
                };
                let text = format!("{}{sign}", number::grouped(i64::from(rank)));
                draw_right(
                    buffer,
                    x + ranks.gap,
                    name.y,
                    cells,
                    &text,
                    self.style(style),
                );
            }
            x += cells + ranks.gap;
        }
        if ranks.has_spread {
            let spread = number::grouped(i64::from(comparison.spread(node)));
            let style = self.style(self.names.theme.text);
            draw_right(buffer, x + ranks.gap, name.y, SPREAD, &spread, style);
        }
    }

    /// Returns the sign and the style of a rank compared with that of the current policy. The sign gives the direction,
    /// and the style the distance.
    fn against(&self, rank: u32, in_force: Option<u32>) -> (&'static str, Style) {
        let Some(in_force) = in_force else {
            return (" ", self.names.theme.text);
        };
        let places = self.names.session.scenario.tree().user_count().max(2) - 1;
        let part = f64::from(rank.abs_diff(in_force)) / places as f64;
        let theme = self.names.theme;
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
}

/// Draws a short text at the right end of a cell.
pub(crate) fn draw_right(
    buffer: &mut Buffer,
    x: u16,
    y: u16,
    cells: u16,
    text: &str,
    style: Style,
) {
    let indent = cells.saturating_sub(narrow(width_of(text)));
    buffer.set_stringn(x + indent, y, text, usize::from(cells), style);
}

/// Returns a user's rank under one of the compared policies.
fn rank(comparison: &Comparison, policy: Policy, node: NodeId) -> Option<u32> {
    let mut policies = comparison.policies().iter();
    let place = policies.position(|&compared| compared == policy)?;
    comparison.rank(place, node)
}
