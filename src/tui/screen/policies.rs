//! The policies side by side: the rank each gives to every user, and as a triangle Kendall's tau-b of each pair.

use crate::base::number;
use crate::base::shown::Shown;
use crate::model::NodeId;
use crate::report::dump;
use crate::report::lesson::WhyView;
use crate::rules::policy::{Comparison, Policy};
use crate::tui::screen::columns::VisibleColumns;
use crate::tui::screen::painter::{Painter, below, narrow, short_of, skip};
use crate::tui::screen::tree_table::{draw_path, draw_rows, path_cells};
use crate::tui::state::{Session, Ui};
use crate::tui::widget::theme::Theme;
use crate::tui::widget::wrap;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;
use std::cmp::Ordering::{Equal, Greater, Less};

const SPREAD: u16 = 9;
const NARROWEST_NAME: u16 = 16;

/// The step in which the column of names widens, so that scrolling seldom moves the ranks.
const NAME_STEP: u16 = 8;

/// The most lines that explain the headings, and the fewest rows above them.
const EXPLAINED: u16 = 2;
const ROWS_ABOVE: u16 = 6;

/// The widest column of names. Numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 48;

/// The difference from which on two ranks are far apart, as a part of all places.
const FAR: f64 = 0.3;

/// The difference below which two ranks are close, as a part of all places.
const CLOSE: f64 = 0.1;

const TAU: u16 = 7;
const GAP: u16 = 3;

/// The fewest rows of a table above the triangle, headings included, without and with the why pane below both.
const FEWEST_ROWS: [u16; 2] = [6, 12];

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

fn heading_style(theme: &Theme, session: &Session, policy: Policy) -> Style {
    let is_now = policy == session.scenario.policy();
    if is_now { theme.sorted } else { theme.heading }
}

/// Returns the cells of a policy's column, for its heading or the last rank with its sign.
fn cells(session: &Session, policy: Policy) -> u16 {
    let last = number::grouped(session.scenario.tree().user_count()).len() + 1;
    narrow(last.max(heading(policy).len()))
}

/// Returns the lines below the ranks that explain their headings; none in a low area.
pub(crate) fn legend_height(area: Rect) -> u16 {
    EXPLAINED * u16::from(area.height >= ROWS_ABOVE + EXPLAINED)
}

/// Splits the area into ranks, agreement and why pane. The agreement may take the place of the enlarged why pane.
pub(crate) fn split(ui: &Ui, session: &Session, area: Rect, why_height: u16) -> [Rect; 3] {
    let none = Rect::default();
    let [above, why] = Layout::vertical([Min(0), Length(why_height)]).areas(area);
    let is_shown = session.why == WhyView::Shown;
    let (room, below) = if is_shown { (above, why) } else { (area, none) };
    match stack(ui, session, room, is_shown && why_height > 0) {
        // Beside the ranks, the triangle hides nothing.
        Some([table, agreement]) if session.why != WhyView::Hidden || agreement.y == table.y => {
            [table, agreement, below]
        }
        _ => [above, none, why],
    }
}

/// Splits an area into ranks and triangle, beside each other or else one above the other. `None` without room for both.
fn stack(ui: &Ui, session: &Session, area: Rect, is_above_why: bool) -> Option<[Rect; 2]> {
    let policies = session.offered_policies();
    let gap = ui.layout().gap(area.width);
    let ranks = policies.iter().map(|&policy| cells(session, policy) + gap);
    let table = WIDEST_NAME + ranks.sum::<u16>() + SPREAD + gap;
    let height = narrow(policies.len()) + 1;
    let width = height * (TAU + 1);
    if area.width >= table + GAP + width {
        let beside = Layout::horizontal([Length(table), Min(0)]).spacing(GAP);
        let [table, beside] = beside.areas(area);
        let height = height.min(area.height);
        return Some([table, Rect { height, ..beside }]);
    }
    let fewest = FEWEST_ROWS[usize::from(is_above_why)];
    let has_room = area.width >= width && area.height >= height + fewest;
    has_room.then(|| Layout::vertical([Min(0), Length(height)]).areas(area))
}

/// Returns the style of a number, which is dimmed if it is older than the last edit.
fn style_of(theme: &Theme, session: &Session, style: Style) -> Style {
    let is_new = session.is_compared();
    if is_new { style } else { theme.dim }
}

/// The columns beside the names: policies, and last the spread.
type Columns = VisibleColumns<Option<Policy>>;

fn columns(ui: &Ui, session: &Session, area: Rect) -> Columns {
    let policies = session.offered_policies().into_iter();
    let all = policies.map(|policy| (Some(policy), cells(session, policy)));
    let all: Vec<_> = all.collect();
    let gap = ui.layout().gap(area.width);
    let pane = session.pane();
    let rows = pane.outline.rows();
    let on_screen = pane.viewport.get().rows(rows.len(), area);
    let widths = on_screen.map(|(row, _)| path_cells(ui, session, rows[row]));
    let names = narrow(widths.max().unwrap_or(0)).next_multiple_of(NAME_STEP);
    let names = names.min(area.width / 2).max(NARROWEST_NAME);
    let beside = names + SPREAD + gap;
    let room = area.width.saturating_sub(beside);
    let mut visible = Columns::fit(&all, all.len(), session.columns.offset, gap, room);
    visible.name_cells = (visible.name_cells + names.min(area.width)).min(WIDEST_NAME);
    if area.width >= beside {
        visible.columns.push((None, SPREAD));
    }
    visible
}

/// Draws the headings, the rows and what the headings stand for, and notes their regions.
pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let theme = &p.ui.theme;
    let columns = columns(p.ui, session, area);
    let legend = Length(legend_height(area));
    let [top, rows, explained] = Layout::vertical([Length(1), Min(0), legend]).areas(area);
    let name = columns.name(top);
    p.put(name, " User", theme.heading);
    p.regions.headings.push((None, name));
    let mut end = name.right();
    for (policy, place) in columns.cells(top) {
        if let Some(policy) = policy {
            let style = heading_style(theme, session, policy);
            p.put_right(place, heading(policy), style);
            p.regions.policies.push((policy, place));
            end = place.right();
        } else {
            p.put_right(place, "Apart", theme.heading);
        }
    }
    if columns.more_left {
        p.put(top, "«", theme.key);
    }
    if columns.more_right {
        // The gap is before the last column, which is always shown.
        let x = (end + 1).min(top.right() - 1);
        p.put(Rect { x, ..top }, "»", theme.key);
    }
    p.regions.rows = rows;
    let lines = legend_lines(session, &columns, explained).into_iter();
    p.put_lines(skip(explained, 1), lines.map(|line| (line, theme.dim)));
    draw_rows(p, session, rows, "user", |p, row, node| {
        draw_path(p, session, columns.name(row), node);
        draw_ranks(p, session, &columns, node, row);
    });
}

/// Returns the lines that say what the headings stand for, the spread first, as far as there is room.
fn legend_lines(session: &Session, columns: &Columns, area: Rect) -> Vec<String> {
    let mut shown: Vec<Option<Policy>> = columns.columns.iter().map(|&(it, _)| it).collect();
    shown.sort_by_key(Option::is_some);
    let texts = shown.into_iter().filter_map(|column| {
        let Some(policy) = column else {
            return Some("Apart: best to worst place".to_owned());
        };
        let title = dump::name(policy, session.scenario.settings());
        let says_more = !title.eq_ignore_ascii_case(heading(policy));
        says_more.then(|| format!("{}: {title}", heading(policy)))
    });
    let mut texts: Vec<String> = texts.collect();
    loop {
        let lines = wrap(&texts.join(" · "), usize::from(area.width) - 2);
        if lines.len() <= usize::from(area.height) || texts.pop().is_none() {
            return lines;
        }
    }
}

fn draw_ranks(p: &mut Painter<'_>, session: &Session, columns: &Columns, node: NodeId, row: Rect) {
    let theme = &p.ui.theme;
    let Some(comparison) = session.compared.comparison.as_deref() else {
        return;
    };
    let in_force = session.scenario.policy();
    let place = |policy| comparison.place(place_of(comparison, policy)?, node);
    for (policy, cell) in columns.cells(row) {
        let Some(policy) = policy else {
            let spread = comparison.spread(node);
            let text =
                spread.map_or_else(Shown::default, |spread| number::grouped(i64::from(spread)));
            p.put_right(cell, &text, style_of(theme, session, theme.text));
            continue;
        };
        let Some(rank) = rank(comparison, policy, node) else {
            continue;
        };
        // A rank is left of its sign.
        let (sign, style) = match [policy, in_force].map(place) {
            _ if policy == in_force => (" ", theme.strong),
            [Some(place), Some(now)] => against(theme, comparison.common, place, now),
            _ => (" ", theme.text),
        };
        let text = format!("{}{sign}", number::grouped(i64::from(rank)));
        p.put_right(cell, &text, style_of(theme, session, style));
    }
}

fn place_of(comparison: &Comparison, policy: Policy) -> Option<usize> {
    let mut policies = comparison.policies.iter();
    policies.position(|&compared| compared == policy)
}

fn rank(comparison: &Comparison, policy: Policy, node: NodeId) -> Option<u32> {
    comparison.rank(place_of(comparison, policy)?, node)
}

/// Returns a sign for the direction and a style for the distance of a place from that under the current policy, among
/// so many users.
fn against(theme: &Theme, users: usize, place: u32, in_force: u32) -> (&'static str, Style) {
    let places = users.max(2) - 1;
    let part = f64::from(place.abs_diff(in_force)) / places as f64;
    match (place.cmp(&in_force), part) {
        (Equal, _) => (" ", theme.dim),
        (Less, FAR..) => ("▲", theme.better),
        (Less, CLOSE..) => ("▲", theme.under),
        (Less, _) => ("▲", theme.text),
        (Greater, FAR..) => ("▼", theme.worse),
        (Greater, CLOSE..) => ("▼", theme.over),
        (Greater, _) => ("▼", theme.text),
    }
}

pub(crate) fn draw_agreement(p: &mut Painter<'_>, session: &Session, area: Rect) {
    if area.height == 0 {
        return;
    }
    let theme = &p.ui.theme;
    p.rule(area);
    let title = " agreement · Kendall's tau-b: 1 is the same order, -1 the reverse ";
    let room = skip(short_of(area, 2), 2);
    p.put_cut(room, title, theme.text.patch(theme.strong));
    let Some(comparison) = session.compared.comparison.as_deref() else {
        return;
    };
    let policies = &comparison.policies;
    let in_force = session.scenario.policy();
    let column = |row: Rect, place: usize| Rect {
        x: row.x + 1 + narrow(place) * (TAU + 1),
        width: TAU,
        ..row
    };
    for (place, row) in (1..policies.len()).zip(below(area, 1).rows()) {
        let policy = policies[place];
        let style = heading_style(theme, session, policy);
        p.put(column(row, 0), heading(policy), style);
        for (other, &with) in policies[..place].iter().enumerate() {
            let tau = comparison.tau(place, other);
            let concerns = policy == in_force || with == in_force;
            let style = match tau {
                None => theme.dim,
                Some(..0.5) if concerns => theme.worse,
                Some(..0.5) => theme.over,
                Some(_) if concerns => theme.strong,
                Some(_) => theme.text,
            };
            let text = tau.map_or_else(|| "–".to_owned(), |tau| format!("{tau:.3}"));
            let style = style_of(theme, session, style);
            p.put_right(column(row, 1 + other), &text, style);
        }
    }
    let above = policies.len().saturating_sub(1);
    if let Some(row) = below(area, narrow(policies.len())).rows().next() {
        for (place, &policy) in policies[..above].iter().enumerate() {
            let style = heading_style(theme, session, policy);
            p.put_right(column(row, 1 + place), heading(policy), style);
        }
    }
}
