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

/// Up to this place in the order, columns get room before more than a short name does: the number that a policy decides
/// by, what counts as used, and what an edit changes.
const BEFORE_NAMES: u8 = DECIDING + 1;

/// From this place in the order on, columns get only the room that whole names leave.
const BEHIND_NAMES: u8 = 8;

/// The place in the order of what the large layout shows only after scrolling.
const SCROLLED_TO: u8 = ASKED - 1;

/// The cells of a list that has the narrowest screen for itself; one beside a chart has fewer. From this width on there is
/// room for a name, for one or two of the rules and for the rank.
pub(crate) const NARROWEST_LIST: u16 = 60;

/// The cells up to which whole names come before the shares and the usage where four rules are shown.
const NAME_OF_EVERY_RULE: u16 = 28;

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
    let text = column.heading().chars().count();
    // A heading reserves a cell for the mark of the sort order.
    let heading = text + 1;
    let cells = match column.column {
        ColumnId::Rank if shows_total(users) => 2 * rank + 1,
        ColumnId::Rank | ColumnId::Before | ColumnId::WalkRank => rank,
        // The rank follows a sign and a blank.
        ColumnId::Change => rank + 2,
        ColumnId::Served if column.rule.is_none() => return served_cells(width),
        ColumnId::Served => usize::from(RECORDED),
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
            let sort = session.pane().outline.sort();
            let is_sorted = sort.is_some_and(|sort| sort.column == Some(column));
            // The numbers leave no cell for a mark, so only the column that has one is wider.
            return cells.max(narrow(if is_sorted { heading } else { text }));
        }
    };
    narrow(cells.max(heading))
}

/// The cells that default columns leave to the name: four levels of indentation and a short name, or the end of a path.
const NAME_UNASKED: u16 = NARROWEST_NAME + 6;

/// Columns in their order on the screen. Those that a screen is too narrow for stand last, where scrolling shows them.
struct Choice {
    columns: Vec<RuleColumn>,
    fitting: usize,
}

impl Choice {
    fn new(mut fitting: Vec<RuleColumn>, mut left_out: Vec<RuleColumn>) -> Self {
        let count = fitting.len();
        fitting.append(&mut left_out);
        Self {
            columns: fitting,
            fitting: count,
        }
    }
}

/// Returns the chosen columns, or those for a screen of this width: the rank, then what the policy ranks by.
pub(crate) fn chosen(session: &Session, layout: Layout, width: u16) -> Vec<RuleColumn> {
    let mut choice = choose(session, BucketLayout::of(session, width), layout, width);
    choice.columns.truncate(choice.fitting);
    choice.columns
}

fn choose(session: &Session, buckets: BucketLayout, layout: Layout, width: u16) -> Choice {
    match &session.columns.chosen {
        Some(_) if session.columns.show_every_rule() && width >= NARROWEST_LIST => {
            every_rule(session, buckets, layout, width)
        }
        Some(columns) if !session.columns.show_every_rule() => {
            Choice::new(columns.clone(), Vec::new())
        }
        _ => columns_of_policy(session, buckets, layout, width),
    }
}

/// Returns the cells of the longest name in the tree, with what is before it, or in a list of the longest path.
fn longest_name(session: &Session) -> u16 {
    // Before the name are the pointer and the triangle, before a path the pointer.
    narrow(match session.listing() {
        Listing::Tree => session.columns.longest.0 + 3,
        Listing::Ranking | Listing::Users => session.columns.longest.1 + 1,
    })
}

/// Returns the cells that every column leaves to the name. Lists of users show full paths.
fn narrowest_name(session: &Session) -> u16 {
    match session.listing() {
        Listing::Tree => NARROWEST_NAME,
        Listing::Ranking | Listing::Users => NAME_UNASKED,
    }
}

/// Returns the columns that the current policy is read by, those that fit first.
fn columns_of_policy(
    session: &Session,
    buckets: BucketLayout,
    layout: Layout,
    width: u16,
) -> Choice {
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
    let decides = |asked: &&ColumnWidth| order(&view, asked.column) == DECIDING;
    let is_by_factor = !wanted.iter().any(decides);
    let order = |column| match column {
        ColumnId::Factor | ColumnId::FairshareFactor if is_by_factor => DECIDING,
        column if layout == Layout::Large => order_when_large(&view, column),
        // Beside the ranks before an edit, the usage that made them says more than the factor.
        ColumnId::Usage if compares => BEFORE_NAMES + 1,
        column => order(&view, column),
    };
    wanted.retain(|asked| order(asked.column) != ASKED);
    wanted.sort_by_key(|asked| order(asked.column));
    let share = u16::try_from(u32::from(width) * NAME_HUNDREDTHS / 100).unwrap_or(u16::MAX);
    let usual = share.max(NAME_UNASKED);
    let whole = longest_name(session).min(WIDEST_NAME).max(usual);
    let mut columns = Vec::new();
    let mut left_out = Vec::new();
    // If not all fit, a sign behind the last heading says so.
    for sign in [0, 1] {
        let mut taken = sign;
        columns.clear();
        left_out.clear();
        for asked in &wanted {
            let cells = cells_of(session, buckets, width, asked.column.into()) + layout.gap(width);
            let name = match order(asked.column) {
                SCROLLED_TO => width,
                ..=BEFORE_NAMES if width >= NARROWEST_LIST => narrowest_name(session),
                BEHIND_NAMES.. => whole,
                _ => usual,
            };
            if taken + cells + name <= width {
                taken += cells;
                columns.push(asked.column);
            } else {
                left_out.push(asked.column);
            }
        }
        if left_out.is_empty() {
            break;
        }
    }
    for some in [&mut columns, &mut left_out] {
        some.sort_by_key(|&column| match column {
            // The scheduler's own factor precedes the computed one. PBS never records it, so that place is free.
            ColumnId::Recorded(_) => place(ColumnId::FairshareFactor),
            column => place(column),
        });
    }
    let of_current = |columns: Vec<ColumnId>| columns.into_iter().map(RuleColumn::current);
    Choice::new(
        of_current(columns).collect(),
        of_current(left_out).collect(),
    )
}

/// Returns the columns of every rule, those that fit first. Some give way to names that can be told apart; the others only
/// where there is no room for a short name. The rank always stays.
fn every_rule(session: &Session, buckets: BucketLayout, layout: Layout, width: u16) -> Choice {
    let (to_names, to_width): (&[ColumnId], &[ColumnId]) = match layout {
        // The four rules show what comes of the shares and the usage.
        Layout::Usual => (
            &[ColumnId::Served, ColumnId::Usage, ColumnId::Shares],
            &[
                ColumnId::Weight,
                ColumnId::FairshareTreeUsage,
                ColumnId::Factor,
            ],
        ),
        // An audience follows the shares, one factor and the buckets.
        Layout::Large => (
            &[
                ColumnId::Served,
                ColumnId::Usage,
                ColumnId::Weight,
                ColumnId::FairshareTreeUsage,
            ],
            &[ColumnId::Shares, ColumnId::Factor],
        ),
    };
    let narrowest = narrowest_name(session);
    let most = match layout {
        Layout::Usual => NAME_OF_EVERY_RULE,
        Layout::Large => WIDEST_NAME,
    };
    let whole = longest_name(session).clamp(narrowest, most);
    let mut columns = RuleColumn::EVERY_RULE.to_vec();
    for (give_way, name) in [(to_names, whole), (to_width, narrowest - 1)] {
        for &next in give_way {
            // If not all fit, a sign behind the last heading says so.
            let sign = u16::from(columns.len() < RuleColumn::EVERY_RULE.len());
            let mut taken = name + sign;
            for &column in &columns {
                taken += cells_of(session, buckets, width, column) + layout.gap(width);
            }
            if taken > width {
                columns.retain(|shown| shown.column != next);
            }
        }
    }
    let mut left_out = RuleColumn::EVERY_RULE.to_vec();
    left_out.retain(|column| !columns.contains(column));
    Choice::new(columns, left_out)
}

/// Returns the place in which a column gets room in the large layout: an audience follows who runs next and why.
fn order_when_large(view: &View<'_>, column: ColumnId) -> u8 {
    let policy = view.policy;
    match column {
        ColumnId::Rank => 0,
        ColumnId::Shares => 1,
        // The buckets among them.
        column if order(view, column) <= DECIDING => 2,
        ColumnId::Factor | ColumnId::FairshareFactor => 3,
        ColumnId::Change => 4,
        ColumnId::Served => 5,
        ColumnId::Usage => 6,
        column if column == policy.target_column() => 7,
        column if order(view, column) == ASKED => ASKED,
        _ => SCROLLED_TO,
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
    /// Returns the columns that fit into so many cells, from the first one after scrolling. Without scrolling only the first
    /// `most` are shown.
    pub(crate) fn fit(all: &[(C, u16)], most: usize, offset: usize, gap: u16, cells: u16) -> Self {
        let offset = offset.min(all.len().saturating_sub(1));
        let end = if offset == 0 { most } else { all.len() };
        let mut left = cells;
        let fitting = all[offset..end].iter().map_while(|&(column, cells)| {
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
    let choice = choose(session, buckets, layout, width);
    let mut all = Vec::new();
    for column in choice.columns {
        all.push((column, cells_of(session, buckets, width, column)));
    }
    let name = narrowest_name(session);
    let room = width.saturating_sub(name);
    let (offset, gap) = (session.columns.offset, layout.gap(width));
    let mut visible = VisibleColumns::fit(&all, choice.fitting, offset, gap, room);
    // The sign of more columns is at the right edge, behind the last heading.
    let sign = u16::from(visible.more_right);
    let cells = (visible.name_cells + name.min(width)).saturating_sub(sign);
    visible.name_cells = cells.min(WIDEST_NAME);
    (visible, buckets)
}
