//! Whether an output lacks users, which its other columns were computed with.

use super::{Row, Rows, RowsProblem};
use crate::format::problem::Place;
use crate::model::{Fact, Figure, Incomplete, NameId, Shares};
use crate::rules::policy::Policy;
use std::ops::Range;

/// The relative precision of a large sum of doubles.
const GOOD: f64 = 1e-12;

/// What is known of the members of an account.
#[derive(Clone, Copy, Default)]
struct AccountSums {
    /// The place of the account's own row; `None` if it has none.
    row: Option<usize>,
    /// The usage of its members.
    listed: f64,
    /// The part of it that is usage of accounts.
    of_accounts: f64,
    /// How many members it has.
    children: u32,
    /// How many of them are accounts.
    accounts: u32,
    /// The sum of the members' shares.
    shares: f64,
    /// Whether shares `parent` of the account or of one below it make its level another than these.
    is_mixed: bool,
}

/// Sets why levels cannot be summed, and reports it, if users are missing: options of the command leave them out.
///
/// The usage of deleted users stays in the accounts above. So it means little that accounts used more than their listed
/// users: the other columns must have been computed with more users than are listed.
pub(crate) fn note_missing_users(rows: &mut Rows, cause: Incomplete, advice: &'static str) {
    // Sums tell nothing where the accounts may be below others than printed, or the shares are not known.
    if let Some(Incomplete::WithoutParents | Incomplete::WithoutShares) = rows.incomplete {
        return;
    }
    if rows.incomplete.is_none() && UserCheck::new(rows).lacks_users() {
        rows.incomplete = Some(cause);
    }
    if rows.incomplete.is_some() {
        let problem = RowsProblem::MissingUsers { advice };
        rows.problems.report(Place::WHOLE, problem);
    }
}

/// Looks for missing users, one cluster after the other.
struct UserCheck<'a> {
    /// The output.
    rows: &'a Rows,
    /// By name: of the accounts of the current cluster, what is known of their members.
    sums: Vec<AccountSums>,
}

impl<'a> UserCheck<'a> {
    /// Creates a check that has looked at no cluster yet.
    fn new(rows: &'a Rows) -> Self {
        Self {
            rows,
            sums: vec![AccountSums::default(); rows.names.names().len()],
        }
    }

    /// Returns whether users of a cluster are missing.
    fn lacks_users(&mut self) -> bool {
        for block in self.rows.blocks() {
            if self.block_lacks_users(block) {
                return true;
            }
        }
        false
    }

    /// Returns what is known of an account's members.
    fn sums_of(&self, account: NameId) -> &AccountSums {
        &self.sums[account.index()]
    }

    /// Returns whether the rows of a cluster lack users.
    fn block_lacks_users(&mut self, block: Range<usize>) -> bool {
        let rows = self.rows;
        self.sum(&block);
        let mut with_users = 0;
        let mut short = 0;
        let mut has_empty_account = false;
        for place in block.clone() {
            let row = &rows.rows[place];
            let account = self.sums_of(row.account);
            // Of an account that is listed twice the last row counts.
            if account.row != Some(place) {
                continue;
            }
            if exceeds(row, account.of_accounts, account.accounts) {
                with_users += 1;
            }
            if exceeds(row, account.listed, account.children) {
                short += 1;
            }
            has_empty_account |= account.children == 0;
        }
        // A tree of one account lacks nobody.
        if block.len() <= 1 {
            return false;
        }
        if (has_empty_account || short > 0) && !has_several_users(&rows.rows[block.clone()]) {
            return true;
        }
        short * 2 > with_users
            && (self.shares_lack_users(block.clone()) || ranks_lack_users(rows, block))
    }

    /// Sums the members of each account of a cluster.
    fn sum(&mut self, block: &Range<usize>) {
        let rows = &self.rows.rows[block.clone()];
        for row in rows {
            self.sums[row.account.index()] = AccountSums::default();
            if let Some(parent) = row.parent {
                self.sums[parent.index()] = AccountSums::default();
            }
        }
        for (place, row) in block.clone().zip(rows) {
            let is_account = row.user.is_none();
            let is_parent = row.shares.is_some_and(Shares::is_parent);
            if is_account {
                let own = &mut self.sums[row.account.index()];
                own.row = Some(place);
                own.is_mixed |= is_parent;
            }
            let Some(above) = row.above() else {
                continue;
            };
            let usage = row.usage.amount().unwrap_or(0.0);
            let account = &mut self.sums[above.index()];
            account.listed += usage;
            account.children += 1;
            account.shares += row.counted_shares();
            if is_account {
                account.of_accounts += usage;
                account.accounts += 1;
                account.is_mixed |= is_parent;
            }
        }
    }

    /// Returns whether most users have another `NormShares` than their part of the listed shares: on their own level, as
    /// in an output with the `LevelFS` of Fair Tree, or else in the whole tree.
    fn shares_lack_users(&self, block: Range<usize>) -> bool {
        let Some(norm) = self.rows.figures(Fact::NormShares) else {
            return false;
        };
        let is_fair_tree = is_fair_tree(self.rows);
        let mut checked = 0;
        let mut differing = 0;
        for place in block {
            let row = &self.rows.rows[place];
            let account = self.sums_of(row.account);
            if row.user.is_none() || account.is_mixed {
                continue;
            }
            let (Some(printed), Some(account_row)) = (norm.at(place), account.row) else {
                continue;
            };
            let part = row.counted_shares() / account.shares.max(1.0);
            let of_tree = match norm.at(account_row) {
                Some(above) => part * above.value,
                None => part,
            };
            checked += 1;
            if !is_printed(printed, part) && (is_fair_tree || !is_printed(printed, of_tree)) {
                differing += 1;
            }
        }
        differing * 2 > checked
    }
}

/// Returns whether a number was printed so.
fn is_printed(printed: Figure, number: f64) -> bool {
    (printed.value - number).abs() <= 2.0 * printed.half_unit()
}

/// Returns whether there are rows of two users of different names.
fn has_several_users(rows: &[Row]) -> bool {
    let mut users = rows.iter().filter_map(|row| row.user);
    let first = users.next();
    users.any(|user| Some(user) != first)
}

/// Returns whether an account used more than some of its members, of which every number is truncated to a whole one.
fn exceeds(account: &Row, sum: f64, count: u32) -> bool {
    let usage = account.usage.amount().unwrap_or(0.0);
    usage - sum > f64::from(count) + 1.0 + usage * GOOD
}

/// Returns whether an output is of Fair Tree, by its `LevelFS` or by what its other numbers reveal.
fn is_fair_tree(rows: &Rows) -> bool {
    rows.figures(Fact::LevelFs).is_some() || rows.policy == Some(Policy::FairTree)
}

/// Returns whether many factors are no ranks among the listed users, in an output of Fair Tree.
fn ranks_lack_users(rows: &Rows, block: Range<usize>) -> bool {
    let Some(printed) = rows.figures(Fact::FairShare) else {
        return false;
    };
    if !is_fair_tree(rows) {
        return false;
    }
    let mut factors = Vec::new();
    for place in block {
        if rows.rows[place].user.is_some() {
            factors.extend(printed.at(place));
        }
    }
    let count = factors.len() as f64;
    let mut ranks = 0;
    for factor in &factors {
        let rank = factor.value * count;
        if (rank - rank.round()).abs() <= 2.0 * factor.half_unit() * count {
            ranks += 1;
        }
    }
    ranks * 4 < factors.len() * 3
}
