//! The columns of the table at a width: their choice, their widths, and which of them fit.

use super::Session;
use super::buckets::BucketLayout;
use super::pane::{available, place};
use super::visible_columns::{SizedColumn, VisibleColumns};
use crate::base::number::{self, Unit};
use crate::model::Fact;
use crate::report::View;
use crate::report::column_widths::{ASKED, COLUMN_WIDTHS, DECIDING, order};
use crate::report::outline::Listing;
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use crate::tui::widget::{Layout, narrow};

/// The cells that every column leaves to a name in the tree.
const NARROWEST_NAME: u16 = 16;

/// The part of the width reserved for the name, in hundredths.
const NAME_HUNDREDTHS: u32 = 19;

/// The cells of the widest name column. Numbers far from their name are hard to follow.
const WIDEST_NAME: u16 = 64;

/// The cells that default columns leave to the name: four levels of indentation and a short name, or the end of a path.
const NAME_UNASKED: u16 = NARROWEST_NAME + 6;

/// The cells up to which whole names come before the shares and the usage where four rules are shown.
const NAME_OF_EVERY_RULE: u16 = 28;

/// The cells of a number that the scheduler recorded.
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

/// The widest rank that is shown with the number of users.
const WIDEST_RANK: usize = 11;

/// The cells of a multiple of the target: `13.9x`, `>999x`.
pub(crate) const TIMES: u16 = 5;

/// The cells of the bar of how much was served on each side of its axis. Each is a factor of 2.
pub(crate) const DOUBLINGS: u16 = 3;

/// The cells of that bar on each side on a wide screen.
const DOUBLINGS_WIDE: u16 = 5;

/// Returns the cells of the column of how much was served on a screen of this width. A narrow one has the multiple only
/// where the rows are sorted by it.
const fn served_cells(width: u16, is_sorted: bool) -> u16 {
    match width {
        0..100 if !is_sorted => 2 * DOUBLINGS + 1,
        0..140 => 2 * DOUBLINGS + 1 + 1 + TIMES,
        _ => 2 * DOUBLINGS_WIDE + 1 + 1 + TIMES,
    }
}

/// Returns whether the ranks of a tree are shown as `7/1,204`. Either all are or none.
pub(crate) fn shows_total(users: usize) -> bool {
    2 * number::grouped(users).len() < WIDEST_RANK
}

/// The columns of the tree on the screen, and how a word falls into buckets.
pub(crate) struct Table {
    /// The columns beside the names.
    pub(crate) visible: VisibleColumns<RuleColumn>,
    /// The layout of the 64-bit priorities.
    pub(crate) buckets: BucketLayout,
}

impl Table {
    /// Returns the chosen columns that fit beside the name in a table of this width.
    pub(crate) fn of(session: &Session, layout: Layout, width: u16) -> Self {
        let sizing = Sizing::new(session, layout, width);
        let choice = sizing.choose();
        let mut all = Vec::new();
        for column in choice.columns {
            let cells = sizing.cells_of(column);
            all.push(SizedColumn { column, cells });
        }
        let name = sizing.narrowest_name();
        let room = width.saturating_sub(name);
        let offset = session.columns.offset;
        let mut visible = VisibleColumns::fit(&all, choice.fitting, offset, sizing.gap, room);
        // The sign of more columns is at the right edge, behind the last heading.
        let sign = u16::from(visible.more_right);
        let cells = visible.name_cells + name.min(width);
        visible.name_cells = cells.saturating_sub(sign).min(WIDEST_NAME);
        Self {
            visible,
            buckets: sizing.buckets,
        }
    }
}

/// Returns the chosen columns, or those for a screen of this width: the rank, then what the policy ranks by.
pub(crate) fn chosen(session: &Session, layout: Layout, width: u16) -> Vec<RuleColumn> {
    let mut choice = Sizing::new(session, layout, width).choose();
    choice.columns.truncate(choice.fitting);
    choice.columns
}

/// Columns in their order on the screen. Those that a screen is too narrow for stand last, where scrolling shows them.
struct ColumnChoice {
    columns: Vec<RuleColumn>,
    /// How many of them fit.
    fitting: usize,
}

impl ColumnChoice {
    fn new(mut fitting: Vec<RuleColumn>, mut left_out: Vec<RuleColumn>) -> Self {
        let count = fitting.len();
        fitting.append(&mut left_out);
        Self {
            columns: fitting,
            fitting: count,
        }
    }
}

/// A column that wants room, and its place in the order in which columns get it.
struct Wanted {
    column: ColumnId,
    order: u8,
}

/// Wanted columns, those that fit and the others.
struct Divided {
    fitting: Vec<ColumnId>,
    left_out: Vec<ColumnId>,
}

/// What the widths of columns follow from: a tree, and the room for its table.
struct Sizing<'a> {
    session: &'a Session,
    layout: Layout,
    width: u16,
    /// The blanks before each column.
    gap: u16,
    buckets: BucketLayout,
}

impl<'a> Sizing<'a> {
    fn new(session: &'a Session, layout: Layout, width: u16) -> Self {
        Self {
            session,
            layout,
            width,
            gap: layout.gap(width),
            buckets: BucketLayout::of(session, width),
        }
    }

    fn choose(&self) -> ColumnChoice {
        let columns = &self.session.columns;
        if columns.show_every_rule() {
            if self.width >= NARROWEST_LIST {
                return self.every_rule();
            }
        } else if let Some(chosen) = &columns.chosen {
            return ColumnChoice::new(chosen.clone(), Vec::new());
        }
        self.columns_of_policy()
    }

    /// Returns the cells of a column. Columns of ranks are as wide as the last rank, so that none is cut.
    fn cells_of(&self, column: RuleColumn) -> u16 {
        let id = column.column;
        let users = self.session.tree().user_count();
        let rank = number::grouped(users).len();
        let cells = match id {
            ColumnId::Rank if shows_total(users) => 2 * rank + 1,
            ColumnId::Rank | ColumnId::Before | ColumnId::WalkRank => rank,
            // The rank follows a sign and a blank.
            ColumnId::Change => rank + 2,
            ColumnId::Served if column.rule.is_none() => {
                return served_cells(self.width, self.is_sorted_by(column));
            }
            ColumnId::Served => RECORDED.into(),
            ColumnId::PriorityFsRaw => return self.buckets.cells(),
            ColumnId::Recorded(fact) if id.unit() == Unit::Text => text_cells(fact),
            _ => return self.number_cells(column),
        };
        // A heading reserves a cell for the mark of the sort order.
        let heading = column.heading().chars().count() + 1;
        narrow(cells.max(heading))
    }

    /// Returns the cells of a column of numbers that leave no cell for a mark, so only the one that sorts is wider.
    fn number_cells(&self, column: RuleColumn) -> u16 {
        let mut cells = RECORDED;
        for known in COLUMN_WIDTHS {
            if known.column == column.column {
                cells = known.cells;
            }
        }
        let mut heading = column.heading().chars().count();
        if self.is_sorted_by(column) {
            heading += 1;
        }
        cells.max(narrow(heading))
    }

    /// Returns whether the rows are in the order of a column.
    fn is_sorted_by(&self, column: RuleColumn) -> bool {
        match self.session.pane().outline.sort() {
            Some(sort) => sort.column == Some(column),
            None => false,
        }
    }

    /// Returns the cells of the longest name in the tree, with what is before it, or in a list of the longest path.
    fn longest_name(&self) -> u16 {
        let longest = self.session.columns.longest;
        // Before the name are the pointer and the triangle, before a path the pointer.
        narrow(if self.session.pane().outline.shows_paths() {
            longest.path + 1
        } else {
            longest.indented + 3
        })
    }

    /// Returns the cells that every column leaves to the name. Rows without their account above them show paths.
    fn narrowest_name(&self) -> u16 {
        if self.session.pane().outline.shows_paths() {
            NAME_UNASKED
        } else {
            NARROWEST_NAME
        }
    }

    /// Returns the columns that the current policy is read by, those that fit first.
    fn columns_of_policy(&self) -> ColumnChoice {
        let wanted = self.wanted();
        let mut divided = self.divide(&wanted, 0);
        if !divided.left_out.is_empty() {
            // If not all fit, a sign behind the last heading says so.
            divided = self.divide(&wanted, 1);
        }
        ColumnChoice::new(
            left_to_right(divided.fitting),
            left_to_right(divided.left_out),
        )
    }

    /// Returns the columns that the current policy is read by, in the order in which they get room.
    fn wanted(&self) -> Vec<Wanted> {
        let available = available(&self.session.scenario);
        let view = self.session.report();
        let mut columns = Vec::new();
        for known in COLUMN_WIDTHS {
            let is_sorted = self.is_sorted_by(known.column.into());
            let is_usual = known.order != ASKED && self.says_something(known.column);
            if available.contains(&known.column) && (is_sorted || is_usual) {
                columns.push(known.column);
            }
        }
        if let Some(fact) = view.better_recorded() {
            columns.push(ColumnId::Recorded(fact));
        }
        let is_by_factor = columns
            .iter()
            .all(|&column| order(&view, column) != DECIDING);
        let mut wanted = Vec::new();
        for column in columns {
            let order = match column {
                // Who sorts by a column reads it.
                _ if self.is_sorted_by(column.into()) => 0,
                ColumnId::Factor | ColumnId::FairshareFactor if is_by_factor => DECIDING,
                _ if self.layout == Layout::Large => order_when_large(&view, column),
                // Beside the ranks before an edit, the usage that made them says more than the factor.
                ColumnId::Usage if self.session.compares() => BEFORE_NAMES + 1,
                _ => order(&view, column),
            };
            if order != ASKED {
                wanted.push(Wanted { column, order });
            }
        }
        wanted.sort_by_key(|wanted| wanted.order);
        wanted
    }

    /// Returns whether a column tells what no other one does. Without a change, earlier ranks say nothing.
    fn says_something(&self, column: ColumnId) -> bool {
        let session = self.session;
        let policy = session.policy();
        match column {
            // In a PBS walk, the rank is the place in the walk, so a second column is not needed.
            ColumnId::WalkRank => policy != Policy::PbsWalk,
            ColumnId::Before => session.compares() && session.listing() == Listing::Ranking,
            ColumnId::Change => session.compares(),
            // Fair Tree computes this value but does not rank by it.
            ColumnId::NormUsage => policy.usual_columns().contains(&column),
            _ => true,
        }
    }

    /// Divides columns into those that fit beside the names and so many cells more, and the others.
    fn divide(&self, wanted: &[Wanted], taken: u16) -> Divided {
        let mut divided = Divided {
            fitting: Vec::new(),
            left_out: Vec::new(),
        };
        let reserved = u32::from(self.width) * NAME_HUNDREDTHS / 100;
        let usual = narrow(reserved as usize).max(NAME_UNASKED);
        let whole = self.longest_name().min(WIDEST_NAME).max(usual);
        let mut taken = taken;
        for asked in wanted {
            let name = match asked.order {
                SCROLLED_TO => self.width,
                ..=BEFORE_NAMES if self.width >= NARROWEST_LIST => self.narrowest_name(),
                BEHIND_NAMES.. => whole,
                _ => usual,
            };
            let cells = self.cells_of(asked.column.into()) + self.gap;
            if taken + cells + name <= self.width {
                taken += cells;
                divided.fitting.push(asked.column);
            } else {
                divided.left_out.push(asked.column);
            }
        }
        divided
    }

    /// Returns the columns of every rule, those that fit first. Some give way to names that can be told apart; the others only
    /// where there is no room for a short name. The rank always stays.
    fn every_rule(&self) -> ColumnChoice {
        let mut columns = RuleColumn::EVERY_RULE.to_vec();
        let narrowest = self.narrowest_name();
        match self.layout {
            // The four rules show what comes of the shares and the usage.
            Layout::Usual => {
                let whole = self.longest_name().clamp(narrowest, NAME_OF_EVERY_RULE);
                let to_names = [ColumnId::Served, ColumnId::Usage, ColumnId::Shares];
                self.make_room(&mut columns, &to_names, whole);
                let to_width = [
                    ColumnId::Weight,
                    ColumnId::FairshareTreeUsage,
                    ColumnId::Factor,
                ];
                self.make_room(&mut columns, &to_width, narrowest - 1);
            }
            // An audience follows the shares, one factor and the buckets.
            Layout::Large => {
                let whole = self.longest_name().clamp(narrowest, WIDEST_NAME);
                let to_names = [
                    ColumnId::Served,
                    ColumnId::Usage,
                    ColumnId::Weight,
                    ColumnId::FairshareTreeUsage,
                ];
                self.make_room(&mut columns, &to_names, whole);
                let to_width = [ColumnId::Shares, ColumnId::Factor];
                self.make_room(&mut columns, &to_width, narrowest - 1);
            }
        }
        let mut left_out = RuleColumn::EVERY_RULE.to_vec();
        left_out.retain(|column| !columns.contains(column));
        ColumnChoice::new(columns, left_out)
    }

    /// Takes columns out, one by one, until the others fit beside a name of so many cells.
    fn make_room(&self, columns: &mut Vec<RuleColumn>, give_way: &[ColumnId], name: u16) {
        for &next in give_way {
            // If not all fit, a sign behind the last heading says so.
            let sign = u16::from(columns.len() < RuleColumn::EVERY_RULE.len());
            let mut taken = name + sign;
            for &column in columns.iter() {
                taken += self.cells_of(column) + self.gap;
            }
            if taken > self.width && !self.is_sorted_by(RuleColumn::current(next)) {
                columns.retain(|shown| shown.column != next);
            }
        }
    }
}

/// Returns the cells of a text that the scheduler recorded. Longer ones are cut off.
const fn text_cells(fact: Fact) -> usize {
    match fact {
        Fact::Active => 6,
        Fact::FairShareRaw => 16,
        Fact::DefaultBank => 12,
        _ => 30,
    }
}

/// Returns columns of the current rule in the order in which they stand on the screen.
fn left_to_right(mut columns: Vec<ColumnId>) -> Vec<RuleColumn> {
    columns.sort_by_key(|&column| match column {
        // The scheduler's own factor precedes the computed one. PBS never records it, so that place is free.
        ColumnId::Recorded(_) => place(ColumnId::FairshareFactor),
        column => place(column),
    });
    columns.into_iter().map(RuleColumn::current).collect()
}

/// Returns the place in which a column gets room in the large layout: an audience follows who runs next and why.
fn order_when_large(view: &View<'_>, column: ColumnId) -> u8 {
    match column {
        ColumnId::Rank => 0,
        ColumnId::Shares => 1,
        // The buckets among them.
        column if order(view, column) <= DECIDING => 2,
        ColumnId::Factor | ColumnId::FairshareFactor => 3,
        ColumnId::Change => 4,
        ColumnId::Served => 5,
        ColumnId::Usage => 6,
        column if column == view.policy.target_column() => 7,
        column if order(view, column) == ASKED => ASKED,
        _ => SCROLLED_TO,
    }
}
