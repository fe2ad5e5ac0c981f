//! The policies side by side: the rank each gives to every user, and as a triangle Kendall's tau-b of each pair.

use super::painter::{Painter, below, narrow, short_of, skip, split_bottom, split_top};
use super::tree_table::{draw_path, draw_rows, path_cells};
use crate::base::number;
use crate::model::NodeId;
use crate::report::dump;
use crate::report::lesson::WhyView;
use crate::rules::policy::{Comparison, Policy};
use crate::tui::state::visible_columns::{SizedColumn, VisibleColumns};
use crate::tui::state::{Placed, Session, Ui};
use crate::tui::widget::theme::Theme;
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::cmp::Ordering::{Equal, Greater, Less};

/// The cells of the column of spreads.
const SPREAD: u16 = 9;

/// The fewest cells of the column of names.
const NARROWEST_NAME: u16 = 16;

/// The step in which the column of names widens, so that scrolling seldom moves the ranks.
const NAME_STEP: u16 = 8;

/// The most lines that explain the headings.
const EXPLAINED: u16 = 2;

/// The fewest rows above the lines that explain the headings.
const ROWS_ABOVE: u16 = 6;

/// The widest column of names. Numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 48;

/// The difference from which on two ranks are far apart, as a part of all places.
const FAR: f64 = 0.3;

/// The difference below which two ranks are close, as a part of all places.
const CLOSE: f64 = 0.1;

/// The cells of a column of the triangle.
const TAU: u16 = 7;

/// The cells between the ranks and the triangle beside them.
const GAP: u16 = 3;

/// The fewest rows of a table above the triangle, headings included.
const FEWEST_ROWS: u16 = 6;

/// The fewest rows of a table above the triangle and the why pane below both.
const FEWEST_ROWS_ABOVE_WHY: u16 = 12;

/// Returns the heading of a policy's column.
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
        Policy::PbsWalk => "Walk",
        Policy::Formula => "Formula",
    }
}

/// Returns the style of that heading, which sets off the current policy.
fn heading_style(theme: &Theme, session: &Session, policy: Policy) -> Style {
    let is_now = policy == session.policy();
    if is_now { theme.sorted } else { theme.heading }
}

/// Returns the cells of a policy's column, for its heading or the last rank with its sign.
fn cells(session: &Session, policy: Policy) -> u16 {
    let last = number::grouped(session.tree().user_count());
    let needed = heading(policy).len().max(last.len() + 1);
    narrow(needed)
}

/// Returns the lines below the ranks that explain their headings; none in a low area.
fn legend_height(area: Rect) -> u16 {
    if area.height >= ROWS_ABOVE + EXPLAINED {
        EXPLAINED
    } else {
        0
    }
}

/// Where the parts of the screen are. What is not shown has an empty area.
#[derive(Clone, Copy)]
pub(crate) struct PoliciesAreas {
    /// The ranks with their headings, and what explains them.
    pub(crate) table: Rect,
    /// The triangle.
    pub(crate) agreement: Rect,
    /// The why pane.
    pub(crate) why: Rect,
}

impl PoliciesAreas {
    /// Splits an area with a why pane of so many lines. The agreement may take the place of the enlarged why pane.
    pub(crate) fn of(ui: &Ui, session: &Session, area: Rect, why_height: u16) -> Self {
        let why = split_bottom(area, why_height);
        let is_shown = session.why == WhyView::Shown;
        let room = if is_shown { why.above } else { area };
        let stack = Self::stack(ui, session, room, is_shown && why_height > 0);
        if let Some(stack) = stack {
            // Beside the ranks, the triangle hides nothing.
            let is_beside = stack.agreement.y == stack.table.y;
            if is_shown {
                return Self {
                    why: why.below,
                    ..stack
                };
            } else if session.why != WhyView::Hidden || is_beside {
                return stack;
            }
        }
        Self {
            table: why.above,
            agreement: Rect::default(),
            why: why.below,
        }
    }

    /// Splits an area into ranks and triangle, beside each other or else one above the other. `None` without room for
    /// both.
    fn stack(ui: &Ui, session: &Session, area: Rect, is_above_why: bool) -> Option<Self> {
        let policies = session.offered_policies();
        let gap = ui.layout().gap(area.width);
        let mut table = WIDEST_NAME + SPREAD + gap;
        for &policy in &policies {
            table += cells(session, policy) + gap;
        }
        let height = narrow(policies.len()) + 1;
        let width = height * (TAU + 1);
        let why = Rect::default();
        if area.width >= table + GAP + width {
            let beside = skip(area, table + GAP);
            return Some(Self {
                table: Rect {
                    width: table,
                    ..area
                },
                agreement: split_top(beside, height).above,
                why,
            });
        }
        let fewest = if is_above_why {
            FEWEST_ROWS_ABOVE_WHY
        } else {
            FEWEST_ROWS
        };
        if area.width < width || area.height < height + fewest {
            return None;
        }
        let triangle = split_bottom(area, height);
        Some(Self {
            table: triangle.above,
            agreement: triangle.below,
            why,
        })
    }

    /// Returns the area of the ranks and their headings alone.
    pub(crate) fn ranks(self) -> Rect {
        let height = self.table.height - legend_height(self.table);
        Rect {
            height,
            ..self.table
        }
    }
}

/// Returns the style of a number, which is dimmed if it is older than the last edit.
fn style_of(theme: &Theme, session: &Session, style: Style) -> Style {
    let is_new = session.is_compared();
    if is_new { style } else { theme.dim }
}

/// The columns beside the names: policies, and last the spread.
type Columns = VisibleColumns<Option<Policy>>;

/// Returns the columns that fit beside the names on the screen.
fn columns(p: &Painter, session: &Session, area: Rect) -> Columns {
    let mut all = Vec::new();
    for policy in session.offered_policies() {
        all.push(SizedColumn {
            column: Some(policy),
            cells: cells(session, policy),
        });
    }
    let pane = session.pane();
    let rows = pane.outline.rows();
    let viewport = p.drawn.viewport.unwrap_or(pane.viewport);
    let mut longest = 0;
    for row in viewport.rows(rows.len(), area) {
        longest = longest.max(path_cells(p.ui, session, rows[row.place]));
    }
    let gap = p.ui.layout().gap(area.width);
    let widest = narrow(longest).next_multiple_of(NAME_STEP);
    let names = widest.min(area.width / 2).max(NARROWEST_NAME);
    let beside = names + SPREAD + gap;
    let room = area.width.saturating_sub(beside);
    let mut visible = Columns::fit(&all, all.len(), session.columns.offset, gap, room);
    visible.name_cells = (visible.name_cells + names.min(area.width)).min(WIDEST_NAME);
    if area.width >= beside {
        visible.columns.push(SizedColumn {
            column: None,
            cells: SPREAD,
        });
    }
    visible
}

/// Draws the headings, the rows and what the headings stand for, and notes where they are.
pub(crate) fn draw(p: &mut Painter, session: &Session, area: Rect) {
    let columns = columns(p, session, area);
    let table = RanksTable { session, columns };
    let legend = split_bottom(area, legend_height(area));
    let heading = split_top(legend.above, 1);
    let list = heading.below;
    table.draw_headings(p, heading.above);
    p.drawn.list = list;
    let lines = table.legend_lines(legend.below);
    let inside = skip(legend.below, 1);
    p.put_text(inside, &lines, p.theme.dim);
    draw_rows(p, session, list, "user", |p, row, node| {
        let name = table.columns.name(row);
        draw_path(p, session, name, node);
        table.draw_ranks(p, node, row);
    });
}

/// The ranks of all users, with a column for each policy.
struct RanksTable<'a> {
    session: &'a Session,
    columns: Columns,
}

impl RanksTable<'_> {
    /// Draws the headings, with the signs of columns that are scrolled out, and notes where they are.
    fn draw_headings(&self, p: &mut Painter, top: Rect) {
        let theme = p.theme;
        let name = self.columns.name(top);
        p.put(name, " User", theme.heading);
        p.note_heading(None, name);
        let mut end = name.right();
        for (policy, area) in self.columns.cells(top) {
            let Some(policy) = policy else {
                p.put_right(area, "Apart", theme.heading);
                continue;
            };
            let style = heading_style(theme, self.session, policy);
            p.put_right(area, heading(policy), style);
            p.drawn.policies.push(Placed { what: policy, area });
            end = area.right();
        }
        if self.columns.more_left {
            p.put(top, "«", theme.key);
        }
        if self.columns.more_right {
            // The gap is before the last column, which is always shown.
            let x = (end + 1).min(top.right() - 1);
            p.put(Rect { x, ..top }, "»", theme.key);
        }
    }

    /// Returns the lines that say what the headings stand for, the spread first, as far as there is room.
    fn legend_lines(&self, area: Rect) -> Vec<String> {
        let mut texts = Vec::new();
        for sized in &self.columns.columns {
            let Some(policy) = sized.column else {
                texts.insert(0, "Apart: best to worst place".to_owned());
                continue;
            };
            let heading = heading(policy);
            let title = dump::name(policy, self.session.settings());
            if !title.eq_ignore_ascii_case(heading) {
                texts.push(format!("{heading}: {title}"));
            }
        }
        let width = usize::from(area.width) - 2;
        let height = usize::from(area.height);
        loop {
            let lines = wrap(&texts.join(" · "), width);
            if lines.len() <= height || texts.pop().is_none() {
                return lines;
            }
        }
    }

    /// Draws the ranks of a user under all policies, each against its place under the current one.
    fn draw_ranks(&self, p: &mut Painter, node: NodeId, row: Rect) {
        let Some(comparison) = self.session.compared.comparison.as_deref() else {
            return;
        };
        let ranks = RanksOfUser {
            session: self.session,
            comparison,
            node,
        };
        for (policy, cell) in self.columns.cells(row) {
            match policy {
                Some(policy) => ranks.draw_rank(p, policy, cell),
                None => ranks.draw_spread(p, cell),
            }
        }
    }
}

/// The ranks of a user under all policies.
struct RanksOfUser<'a> {
    session: &'a Session,
    comparison: &'a Comparison,
    node: NodeId,
}

impl RanksOfUser<'_> {
    /// Draws how far apart the policies place the user.
    fn draw_spread(&self, p: &mut Painter, cell: Rect) {
        if let Some(spread) = self.comparison.spread(self.node) {
            let text = number::grouped(spread);
            let style = style_of(p.theme, self.session, p.theme.text);
            p.put_right(cell, &text, style);
        }
    }

    /// Draws the rank under a policy, with a sign and a style for its distance from that under the current one.
    fn draw_rank(&self, p: &mut Painter, policy: Policy, cell: Rect) {
        let Some(at) = index_of(self.comparison, policy) else {
            return;
        };
        let Some(rank) = self.comparison.rank(at, self.node) else {
            return;
        };
        let in_force = self.session.policy();
        let mut sign = " ";
        let mut style = p.theme.text;
        if policy == in_force {
            style = p.theme.strong;
        } else if let Some(place) = self.comparison.place(at, self.node)
            && let Some(now) = self.place(in_force)
        {
            sign = sign_of(place, now);
            style = style_of_distance(p.theme, self.comparison.common, place, now);
        }
        // A rank is left of its sign.
        let text = format!("{}{sign}", number::grouped(rank));
        let fresh = style_of(p.theme, self.session, style);
        p.put_right(cell, &text, fresh);
    }

    /// Returns the place under a policy; `None` if it has none.
    fn place(&self, policy: Policy) -> Option<u32> {
        let at = index_of(self.comparison, policy)?;
        self.comparison.place(at, self.node)
    }
}

/// Returns where a policy is among the compared ones; `None` if it is not.
fn index_of(comparison: &Comparison, policy: Policy) -> Option<usize> {
    let mut policies = comparison.policies.iter();
    policies.position(|&compared| compared == policy)
}

/// Returns the sign of a place against that under the current policy.
fn sign_of(place: u32, in_force: u32) -> &'static str {
    match place.cmp(&in_force) {
        Equal => " ",
        Less => "▲",
        Greater => "▼",
    }
}

/// Returns the style for the distance of a place from that under the current policy, among so many users.
fn style_of_distance(theme: &Theme, users: usize, place: u32, in_force: u32) -> Style {
    let places = users.max(2) - 1;
    let part = f64::from(place.abs_diff(in_force)) / places as f64;
    match (place.cmp(&in_force), part) {
        (Equal, _) => theme.dim,
        (Less, FAR..) => theme.better,
        (Less, CLOSE..) => theme.under,
        (Greater, FAR..) => theme.worse,
        (Greater, CLOSE..) => theme.over,
        (Less | Greater, _) => theme.text,
    }
}

/// Returns the cells of a column of the triangle: 0 is that of the headings.
fn column_of_triangle(row: Rect, column: usize) -> Rect {
    Rect {
        x: row.x + 1 + narrow(column) * (TAU + 1),
        width: TAU,
        ..row
    }
}

/// Draws the triangle: how alike each pair of policies ranks the users.
pub(crate) fn draw_agreement(p: &mut Painter, session: &Session, area: Rect) {
    if area.height == 0 {
        return;
    }
    let theme = p.theme;
    p.rule(area);
    let title = " agreement · Kendall's tau-b: 1 is the same order, -1 the reverse ";
    let room = skip(short_of(area, 2), 2);
    let strong = theme.text.patch(theme.strong);
    p.put_cut(room, title, strong);
    let Some(comparison) = session.compared.comparison.as_deref() else {
        return;
    };
    let triangle = Triangle {
        session,
        comparison,
    };
    triangle.draw(p, below(area, 1));
}

/// How alike each pair of policies ranks the users.
struct Triangle<'a> {
    session: &'a Session,
    comparison: &'a Comparison,
}

impl Triangle<'_> {
    /// Draws the rows with their headings, and the headings of the columns below them.
    fn draw(&self, p: &mut Painter, area: Rect) {
        let policies = &self.comparison.policies;
        let mut rows = area.rows();
        for (place, &policy) in policies.iter().enumerate().skip(1) {
            let Some(row) = rows.next() else { return };
            let style = heading_style(p.theme, self.session, policy);
            let first = column_of_triangle(row, 0);
            p.put(first, heading(policy), style);
            for other in 0..place {
                let cell = column_of_triangle(row, 1 + other);
                self.draw_tau(p, place, other, cell);
            }
        }
        let Some(row) = rows.next() else { return };
        for (place, &policy) in policies.iter().enumerate() {
            // The last policy has no column, as the first one has no row.
            if place + 1 < policies.len() {
                let style = heading_style(p.theme, self.session, policy);
                let cell = column_of_triangle(row, 1 + place);
                p.put_right(cell, heading(policy), style);
            }
        }
    }

    /// Draws how alike two policies rank the users, each by its place among the compared ones.
    fn draw_tau(&self, p: &mut Painter, one: usize, other: usize, cell: Rect) {
        let theme = p.theme;
        let concerns = [one, other].map(|place| self.comparison.policies[place]);
        let is_strong = concerns.contains(&self.session.policy());
        let tau = self.comparison.tau(one, other);
        let style = match tau {
            None => theme.dim,
            Some(..0.5) if is_strong => theme.worse,
            Some(..0.5) => theme.over,
            Some(_) if is_strong => theme.strong,
            Some(_) => theme.text,
        };
        let text = match tau {
            Some(tau) => format!("{tau:.3}"),
            None => "–".to_owned(),
        };
        let fresh = style_of(theme, self.session, style);
        p.put_right(cell, &text, fresh);
    }
}
