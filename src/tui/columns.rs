//! Which columns the table shows, how wide they are, and which of them fit.

use super::session::Session;
use crate::outline::View;
use crate::policy::ColumnId;

/// A column of the table: its cells, and from which width of the screen on it is shown unasked.
struct Shape {
    column: ColumnId,
    cells: u16,
    from_width: u16,
}

const fn shape(column: ColumnId, cells: u16, from_width: u16) -> Shape {
    Shape {
        column,
        cells,
        from_width,
    }
}

/// Never shown unasked.
const ASKED: u16 = u16::MAX;

/// The columns of the table, left to right.
const SHAPES: &[Shape] = &[
    shape(ColumnId::Shares, 8, 0),
    shape(ColumnId::NormShares, 10, 100),
    shape(ColumnId::WeightedShares, 12, 100),
    shape(ColumnId::GroupPercentage, 8, 100),
    shape(ColumnId::FairsharePerc, 8, 60),
    shape(ColumnId::Usage, 9, 50),
    shape(ColumnId::Balance, 19, 110),
    shape(ColumnId::NormUsage, 9, 150),
    shape(ColumnId::EffectvUsage, 12, 80),
    shape(ColumnId::WeightedUsage, 11, 120),
    shape(ColumnId::BucketFactor, 8, 130),
    shape(ColumnId::Level, 5, ASKED),
    shape(ColumnId::LevelFsWord, 16, ASKED),
    shape(ColumnId::PriorityFsRaw, 24, 60),
    shape(ColumnId::LevelFs, 9, 60),
    shape(ColumnId::Weight, 9, 60),
    shape(ColumnId::Tickets, 13, 60),
    shape(ColumnId::FairshareTreeUsage, 9, 140),
    shape(ColumnId::UsageOverPerc, 10, 150),
    shape(ColumnId::FormulaValue, 8, 45),
    shape(ColumnId::Factor, 8, 45),
    shape(ColumnId::SchedulerRank, 9, ASKED),
    shape(ColumnId::WalkRank, 7, 160),
    shape(ColumnId::Rank, 11, 40),
    shape(ColumnId::Before, 7, 90),
    shape(ColumnId::Change, 7, 70),
    shape(ColumnId::GroupId, 6, ASKED),
];

/// The cells of the narrowest name column.
pub(super) const NARROWEST_NAME: u16 = 16;

/// The cells of the widest: numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 64;

/// The columns that can be shown for this tree.
pub(super) fn available(session: &Session) -> Vec<ColumnId> {
    let policy = session.scenario.policy();
    let always = [
        ColumnId::Shares,
        ColumnId::Usage,
        ColumnId::Balance,
        ColumnId::Factor,
        ColumnId::Rank,
        ColumnId::Before,
        ColumnId::Change,
    ];
    let has_groups = session.scenario.tree().kinds_follow_shape();
    let fits = |column: &ColumnId| {
        if *column == ColumnId::GroupId && !has_groups {
            return false;
        }
        let own = [policy.columns(), policy.extra_columns()];
        own.iter().any(|own| own.contains(column)) || always.contains(column)
    };
    SHAPES
        .iter()
        .map(|shape| shape.column)
        .filter(fits)
        .collect()
}

/// The place of a column from the left.
pub(super) fn place(column: ColumnId) -> usize {
    SHAPES
        .iter()
        .position(|shape| shape.column == column)
        .unwrap_or(SHAPES.len())
}

/// How many cells a column covers, the blank before it not counted.
pub(super) fn cells(column: ColumnId) -> u16 {
    SHAPES
        .iter()
        .find(|shape| shape.column == column)
        .map_or(9, |shape| shape.cells)
}

/// The columns asked for, or those for a screen of this width.
pub(super) fn chosen(session: &Session, width: u16) -> Vec<ColumnId> {
    if let Some(columns) = &session.columns {
        return columns.clone();
    }
    let available = available(session);
    // Before and after stand side by side where ranks are what the screen is about.
    let compares = session.view == View::Ranking && !session.scenario.history().is_untouched();
    SHAPES
        .iter()
        .filter(|shape| width >= shape.from_width && shape.from_width != ASKED)
        .map(|shape| shape.column)
        .filter(|column| available.contains(column) && (*column != ColumnId::Before || compares))
        .collect()
}

/// What of the chosen columns is on the screen.
pub(super) struct Fitting {
    /// The columns, left to right.
    pub(super) columns: Vec<ColumnId>,
    /// Whether there are more on the left.
    pub(super) more_left: bool,
    /// Whether there are more on the right.
    pub(super) more_right: bool,
    /// The cells left for the name.
    pub(super) name_cells: u16,
}

/// Fits the chosen columns beside the name, from the one that is scrolled to.
pub(super) fn fitting(session: &Session, width: u16) -> Fitting {
    let all = chosen(session, width);
    let offset = session.column_offset.min(all.len().saturating_sub(1));
    // The ranking shows whole paths, so its names are wider.
    let name = if session.view == View::Ranking {
        NARROWEST_NAME + 6
    } else {
        NARROWEST_NAME
    };
    let mut left = width.saturating_sub(name);
    let mut columns = Vec::new();
    for &column in &all[offset..] {
        let cells = cells(column) + 1;
        if cells > left {
            break;
        }
        left -= cells;
        columns.push(column);
    }
    let more_right = offset + columns.len() < all.len();
    Fitting {
        more_left: offset > 0,
        more_right,
        name_cells: (left + name.min(width)).min(WIDEST_NAME),
        columns,
    }
}
