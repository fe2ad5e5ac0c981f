//! The columns of the table: their choice, their widths, and which of them fit.

use crate::base::number::{self, Unit};
use crate::model::Fact;
use crate::report::View;
use crate::report::column_widths::{
    ASKED, COLUMN_WIDTHS, ColumnWidth, DECIDING, column_width, order,
};
use crate::report::outline::Listing;
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use crate::tui::screen::bars::{BucketLayout, served_cells};
use crate::tui::screen::painter::narrow;
use crate::tui::state::Session;
use crate::tui::state::pane::{available, place};
use crate::tui::widget::Layout;
use ratatui::layout::Rect;

const NARROWEST_NAME: u16 = 16;

/// The part of the width reserved for the name, in hundredths.
const NAME_HUNDREDTHS: u32 = 19;

/// The cells of the widest name column. Numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 64;

const RECORDED: u16 = 10;

/// From this place in the order on, columns get only the room that whole names leave.
const BEHIND_NAMES: u8 = 8;

/// The widest rank that is shown with the number of users.
const WIDEST_RANK: usize = 11;

/// Returns whether the ranks of a tree are shown as `7/1,204`. Either all are or none.
pub(crate) fn shows_total(users: usize) -> bool {
    2 * number::grouped(users).len() < WIDEST_RANK
}

/// Returns the cells of a column. Columns of ranks are as wide as the last rank, so that none is cut.
fn cells_of(session: &Session, buckets: BucketLayout, width: u16, column: RuleColumn) -> u16 {
    let users = session.scenario.tree().user_count();
    let rank = number::grouped(users).len();
    // A heading reserves a cell for the mark of the sort order.
    let heading = column.heading().chars().count() + 1;
    let cells = match column.column {
        ColumnId::Rank if shows_total(users) => 2 * rank + 1,
        ColumnId::Rank | ColumnId::Before | ColumnId::WalkRank => rank,
        // The rank follows a sign and a blank.
        ColumnId::Change => rank + 2,
        ColumnId::Served => return served_cells(width),
        ColumnId::PriorityFsRaw => return buckets.cells(),
        ColumnId::Recorded(fact) if column.column.unit() == Unit::Text => {
            // Longer texts are cut off.
            match fact {
                Fact::Active => 6,
                Fact::FairShareRaw => 16,
                Fact::DefaultBank => 12,
                _ => 30,
            }
        }
        asked => {
            let mut widths = COLUMN_WIDTHS.iter();
            let width = widths.find(|width| width.column == asked);
            let cells = width.map_or(RECORDED, |width| width.cells);
            // The heading of another rule's column may name the rule.
            return if column.rule.is_some() {
                cells.max(narrow(heading - 1))
            } else {
                cells
            };
        }
    };
    narrow(cells.max(heading))
}

/// The cells that default columns leave to the name: four levels of indentation and a short name, or the end of a path.
const NAME_UNASKED: u16 = NARROWEST_NAME + 6;

/// Returns the chosen columns, or those for a screen of this width: the rank, then what the policy ranks by.
pub(crate) fn chosen(session: &Session, layout: Layout, width: u16) -> Vec<RuleColumn> {
    choose(session, BucketLayout::of(session, width), layout, width)
}

fn choose(session: &Session, buckets: BucketLayout, layout: Layout, width: u16) -> Vec<RuleColumn> {
    if let Some(columns) = &session.columns.chosen {
        if session.columns.show_every_rule() {
            return every_rule(session, buckets, layout, width);
        }
        return columns.clone();
    }
    let available = available(&session.scenario);
    let policy = session.scenario.policy();
    let view = session.report();
    let better = view.better_recorded();
    let better = better.map(|fact| column_width(ColumnId::Recorded(fact), RECORDED, ASKED));
    // Without a change, earlier ranks say nothing, and numbers need the room.
    let compares = session.compares();
    let is_ranking = session.listing() == Listing::Ranking;
    let mut wanted: Vec<&ColumnWidth> = COLUMN_WIDTHS
        .iter()
        .filter(|asked| asked.order != ASKED && available.contains(&asked.column))
        .filter(|asked| match asked.column {
            // In a PBS walk, the rank is the place in the walk, so a second column is not needed.
            ColumnId::WalkRank => policy != Policy::PbsWalk,
            ColumnId::Before => compares && is_ranking,
            ColumnId::Change => compares,
            // Fair Tree computes this value but does not rank by it.
            ColumnId::NormUsage => policy.usual_columns().contains(&asked.column),
            _ => true,
        })
        .chain(&better)
        .collect();
    let order = |column| match layout {
        // Beside the ranks before an edit, the usage that made them says more than the factor.
        Layout::Usual if compares && column == ColumnId::Usage => DECIDING + 1,
        Layout::Usual => order(&view, column),
        Layout::Large => order_when_large(&view, column),
    };
    wanted.retain(|asked| order(asked.column) != ASKED);
    wanted.sort_by_key(|asked| order(asked.column));
    let share = u16::try_from(u32::from(width) * NAME_HUNDREDTHS / 100).unwrap_or(u16::MAX);
    let least = share.max(NAME_UNASKED);
    let mut left = width.saturating_sub(least);
    // Before the name are the pointer and the triangle, before a path the pointer.
    let whole = match session.listing() {
        Listing::Tree => session.columns.longest.0 + 3,
        Listing::Ranking | Listing::Users => session.columns.longest.1 + 1,
    };
    let whole = narrow(whole).min(WIDEST_NAME).saturating_sub(least);
    let mut columns = Vec::new();
    for asked in wanted {
        let cells = cells_of(session, buckets, width, asked.column.into()) + layout.gap(width);
        let is_behind = order(asked.column) >= BEHIND_NAMES;
        if cells + if is_behind { whole } else { 0 } <= left {
            left -= cells;
            columns.push(asked.column);
        }
    }
    columns.sort_by_key(|&column| match column {
        // The scheduler's own factor precedes the computed one. PBS never records it, so that place is free.
        ColumnId::Recorded(_) => place(ColumnId::FairshareFactor),
        column => place(column),
    });
    columns.into_iter().map(RuleColumn::current).collect()
}

/// Returns the columns of every rule that fit. What the shares and the usage are gives way first: the four rules show what
/// comes of it.
fn every_rule(
    session: &Session,
    buckets: BucketLayout,
    layout: Layout,
    width: u16,
) -> Vec<RuleColumn> {
    let mut columns = RuleColumn::EVERY_RULE.to_vec();
    for gives_way in [ColumnId::Served, ColumnId::Usage, ColumnId::Shares] {
        let cells =
            |&column: &RuleColumn| cells_of(session, buckets, width, column) + layout.gap(width);
        let taken: u16 = columns.iter().map(cells).sum();
        if taken + NARROWEST_NAME <= width {
            break;
        }
        columns.retain(|column| column.column != gives_way);
    }
    columns
}

/// Returns the place in which a column gets room in the large layout: an audience follows who runs next and why.
fn order_when_large(view: &View<'_>, column: ColumnId) -> u8 {
    let policy = view.policy;
    match column {
        ColumnId::Rank => 0,
        ColumnId::Served => 1,
        ColumnId::Recorded(fact) if view.better_recorded() == Some(fact) => 2,
        ColumnId::Factor | ColumnId::FairshareFactor | ColumnId::FormulaValue => 2,
        // The walk does not rank by the factor.
        ColumnId::UsageOverPerc if policy == Policy::PbsWalk => 2,
        ColumnId::Usage => 3,
        column if column == policy.target_column() => 4,
        ColumnId::Change => 5,
        column if order(view, column) == DECIDING => 6,
        ColumnId::Shares => 7,
        _ => ASKED,
    }
}

pub(crate) struct VisibleColumns<C> {
    pub(crate) columns: Vec<(C, u16)>,
    pub(crate) more_left: bool,
    pub(crate) more_right: bool,
    gap: u16,
    pub(crate) name_cells: u16,
}

impl<C: Copy> VisibleColumns<C> {
    /// Returns the columns that fit into so many cells, from the first one after scrolling.
    pub(crate) fn fit(all: &[(C, u16)], offset: usize, gap: u16, cells: u16) -> Self {
        let offset = offset.min(all.len().saturating_sub(1));
        let mut left = cells;
        let fitting = all[offset..].iter().map_while(|&(column, cells)| {
            left = left.checked_sub(cells + gap)?;
            Some((column, cells))
        });
        let columns: Vec<(C, u16)> = fitting.collect();
        Self {
            more_left: offset > 0,
            more_right: offset + columns.len() < all.len(),
            gap,
            name_cells: left,
            columns,
        }
    }

    pub(crate) fn name(&self, row: Rect) -> Rect {
        let width = self.name_cells;
        Rect { width, ..row }
    }

    pub(crate) fn cells(&self, row: Rect) -> impl Iterator<Item = (C, Rect)> {
        let mut end = row.x + self.name_cells;
        self.columns.iter().map(move |&(column, width)| {
            let x = end + self.gap;
            end = x + width;
            (column, Rect { x, width, ..row })
        })
    }
}

/// Returns the chosen columns that fit beside the name, and how a word falls into buckets.
pub(crate) fn visible(
    session: &Session,
    layout: Layout,
    width: u16,
) -> (VisibleColumns<RuleColumn>, BucketLayout) {
    let buckets = BucketLayout::of(session, width);
    let chosen = choose(session, buckets, layout, width).into_iter();
    let all = chosen.map(|it| (it, cells_of(session, buckets, width, it)));
    let all: Vec<_> = all.collect();
    // Lists of users show full paths.
    let name = match session.listing() {
        Listing::Tree => NARROWEST_NAME,
        Listing::Ranking | Listing::Users => NAME_UNASKED,
    };
    let room = width.saturating_sub(name);
    let mut visible = VisibleColumns::fit(&all, session.columns.offset, layout.gap(width), room);
    // The sign of more columns is at the right edge, behind the last heading.
    let sign = u16::from(visible.more_right);
    let cells = (visible.name_cells + name.min(width)).saturating_sub(sign);
    visible.name_cells = cells.min(WIDEST_NAME);
    (visible, buckets)
}
