//! Which columns the table shows, how wide they are, and which of them fit.

use crate::base::number;
use crate::base::number::Unit;
use crate::model::Fact;
use crate::report::outline::Listing;
use crate::rules::policy::{ColumnId, Policy};
use crate::tui::screen::buckets::BucketLayout;
use crate::tui::state::columns::{ASKED, DECIDING, SHAPES, Shape, available, place, shape};
use crate::tui::state::session::Session;

/// The cells of the narrowest name column.
pub(crate) const NARROWEST_NAME: u16 = 16;

/// How many hundredths of the screen belong to the name before any further column.
const NAME_HUNDREDTHS: u32 = 23;

/// The cells of the widest: numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 64;

/// How many cells a column covers that is in no table: what a scheduler recorded.
const RECORDED: u16 = 10;

/// How many cells a recorded text has; the rest of it is cut off.
const fn recorded_text(fact: Fact) -> u16 {
    match fact {
        Fact::Active => 6,
        Fact::FairShareRaw => 16,
        Fact::DefaultBank => 12,
        _ => 30,
    }
}

/// The widest rank beside which the number of users stands.
const WIDEST_RANK: usize = 11;

/// Whether ranks are shown as `7/1,204`: every rank of a tree is, or none.
pub(crate) fn shows_total(users: usize) -> bool {
    2 * counted(users) < WIDEST_RANK
}

/// The cells of the largest rank.
fn counted(users: usize) -> usize {
    number::grouped(users).len()
}

/// How many cells each column covers for one tree on one screen, the blank before it not counted.
#[derive(Clone, Copy)]
pub(crate) struct Widths {
    users: usize,
    /// How a word falls into buckets.
    pub(crate) buckets: BucketLayout,
}

impl Widths {
    /// Found once a frame: the depth of the tree may decide.
    pub(crate) fn of(session: &Session, width: u16) -> Self {
        Self {
            users: session.scenario.tree().user_count(),
            buckets: BucketLayout::of(session, width),
        }
    }

    /// The cells of a column. Ranks are as wide as the last one, so that none is cut and the name has the rest.
    pub(crate) fn cells(self, column: ColumnId) -> u16 {
        let rank = counted(self.users);
        // A heading keeps a cell for the mark of a sort.
        let heading = column.heading().chars().count() + 1;
        let cells = match column {
            ColumnId::Rank if shows_total(self.users) => 2 * rank + 1,
            ColumnId::Rank | ColumnId::Before | ColumnId::WalkRank => rank,
            // A sign and a blank stand before it.
            ColumnId::Change => rank + 2,
            ColumnId::PriorityFsRaw => return self.buckets.cells(),
            ColumnId::Recorded(fact) if column.unit() == Unit::Text => {
                usize::from(recorded_text(fact))
            }
            column => {
                let mut shapes = SHAPES.iter();
                let shape = shapes.find(|shape| shape.column == column);
                return shape.map_or(RECORDED, |shape| shape.cells);
            }
        };
        u16::try_from(cells.max(heading)).unwrap_or(u16::MAX)
    }
}

/// The cells that columns nobody asked for leave to the name: four levels of indentation and a short name, or the end
/// of a path.
const NAME_UNASKED: u16 = NARROWEST_NAME + 6;

/// The columns asked for, or those for a screen of this width: the first to have room is the rank, then what the
/// policy decides by.
pub(crate) fn chosen(session: &Session, width: u16) -> Vec<ColumnId> {
    if let Some(columns) = &session.columns {
        return columns.clone();
    }
    let available = available(&session.scenario);
    let is_walk = session.scenario.policy() == Policy::PbsWalk;
    let better = session.report().better_recorded();
    let better = better.map(|fact| shape(ColumnId::Recorded(fact), RECORDED, 1));
    // Before and after stand side by side where ranks are what the screen is about, from the start: a column that comes
    // with the first edit would push the others aside under the eyes of who made it.
    let compares = session.listing() == Listing::Ranking;
    let mut wanted: Vec<&Shape> = SHAPES
        .iter()
        .filter(|shape| shape.order != ASKED && available.contains(&shape.column))
        // The rank is the place in the walk there.
        .filter(|shape| !is_walk || shape.column != ColumnId::WalkRank)
        .filter(|shape| match shape.column {
            ColumnId::Before => compares,
            // Nobody moved yet, and the scheduler's own factor needs the room.
            ColumnId::Change => better.is_none() || session.moves.is_some(),
            // Fair Tree computes it and never looks at it.
            ColumnId::NormUsage => {
                let policy = session.scenario.policy();
                policy.usual_columns().contains(&shape.column)
            }
            _ => true,
        })
        .chain(&better)
        .collect();
    wanted.sort_by_key(|shape| match shape.column {
        // What the walk decides by.
        ColumnId::UsageOverPerc if is_walk => DECIDING,
        _ => shape.order,
    });
    let share = u16::try_from(u32::from(width) * NAME_HUNDREDTHS / 100).unwrap_or(u16::MAX);
    let mut left = width.saturating_sub(share.max(NAME_UNASKED));
    let widths = Widths::of(session, width);
    let mut columns = Vec::new();
    for shape in wanted {
        let cells = widths.cells(shape.column) + 1;
        if cells <= left {
            left -= cells;
            columns.push(shape.column);
        }
    }
    columns.sort_by_key(|&column| place_shown(column));
    columns
}

/// The place from the left where nothing was asked for: the scheduler's own factor stands before ours.
fn place_shown(column: ColumnId) -> usize {
    match column {
        // Where PBS's factor stands, which PBS never records.
        ColumnId::Recorded(_) => place(ColumnId::FairshareFactor),
        column => place(column),
    }
}

/// What of the chosen columns is on the screen.
pub(crate) struct VisibleColumns {
    /// The columns, left to right, with their cells.
    pub(crate) columns: Vec<(ColumnId, u16)>,
    /// Whether there are more on the left.
    pub(crate) more_left: bool,
    /// Whether there are more on the right.
    pub(crate) more_right: bool,
    /// The cells left for the name.
    pub(crate) name_cells: u16,
    /// How a word falls into buckets.
    pub(crate) buckets: BucketLayout,
}

/// Fits the chosen columns beside the name, from the one that is scrolled to.
pub(crate) fn visible(session: &Session, width: u16) -> VisibleColumns {
    let all = chosen(session, width);
    let widths = Widths::of(session, width);
    let offset = session.column_offset.min(all.len().saturating_sub(1));
    // Lists of users show whole paths.
    let name = match session.listing() {
        Listing::Tree => NARROWEST_NAME,
        Listing::Ranking | Listing::Users => NAME_UNASKED,
    };
    let mut left = width.saturating_sub(name);
    let mut columns = Vec::new();
    for &column in &all[offset..] {
        let cells = widths.cells(column);
        if cells + 1 > left {
            break;
        }
        left -= cells + 1;
        columns.push((column, cells));
    }
    let more_right = offset + columns.len() < all.len();
    VisibleColumns {
        more_left: offset > 0,
        more_right,
        name_cells: (left + name.min(width)).min(WIDEST_NAME),
        columns,
        buckets: widths.buckets,
    }
}
