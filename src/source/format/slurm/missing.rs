//! Detects whether the users of accounts are listed: without `-a`, or with `users=`, only some are.

use super::rows::{Row, Rows};
use crate::model::{Incomplete, NameId};
use crate::source::format::{Problem, Severity};

/// The relative precision of a large sum of doubles.
const GOOD: f64 = 1e-12;

/// The sums over the rows of an account.
#[derive(Clone, Copy, Default)]
struct AccountSums {
    /// The account's own row, counted from 1; 0 if it has none.
    row: usize,
    /// The usage of its listed users and accounts.
    listed: f64,
    /// The part of it that is usage of accounts.
    of_accounts: f64,
    children: u32,
    accounts: u32,
}

/// The reason why users are missing from an output.
pub(super) struct Filter {
    /// The command that leaves them out.
    pub(super) cause: Incomplete,
    /// How to create the output again, with the reason.
    pub(super) advice: &'static str,
}

/// Sets why levels cannot be summed, and reports it, if the users of most accounts are missing.
///
/// The usage of a removed user stays in the account, so one account with more usage than its users does not mean much.
/// If most accounts are such, users were not listed.
pub(super) fn tell(rows: &mut Rows, filter: &Filter) {
    let mut start = 0;
    while start < rows.rows.len() {
        let cluster = rows.rows[start].cluster;
        let block = rows.rows[start..]
            .iter()
            .take_while(|row| row.cluster == cluster);
        let end = start + block.count();
        if rows.incomplete.is_none()
            && lacks_users(&rows.rows[start..end], rows.names.names().len())
        {
            rows.incomplete = Some(filter.cause);
        }
        start = end;
    }
    if rows.incomplete.is_some() {
        let problem = Problem::about(
            Severity::Warning,
            "slurm-users-missing",
            &rows.file,
            "most accounts have more usage than their listed users, so users are missing; ranks count only the listed \
             users",
            filter.advice,
        );
        rows.problems.push(problem);
    }
}

fn lacks_users(block: &[Row], names: usize) -> bool {
    let mut accounts = vec![AccountSums::default(); names];
    let mut first_user: Option<NameId> = None;
    let mut has_several_users = false;
    for (place, row) in (1..).zip(block) {
        let usage = row.usage.amount().unwrap_or(0.0);
        let above = if let Some(user) = row.user {
            has_several_users |= first_user.is_some_and(|first| first != user);
            first_user = Some(user);
            Some(row.account)
        } else {
            accounts[row.account.index()].row = place;
            row.parent
        };
        let Some(above) = above else {
            continue;
        };
        let account = &mut accounts[above.index()];
        account.listed += usage;
        account.children += 1;
        if row.user.is_none() {
            account.of_accounts += usage;
            account.accounts += 1;
        }
    }
    let (mut with_users, mut short, mut bare) = (0, 0, 0);
    for account in accounts.iter().filter(|account| account.row > 0) {
        let usage = block[account.row - 1].usage.amount().unwrap_or(0.0);
        // Every number is truncated to a whole one.
        let exceeds = |sum: f64, count: u32| usage - sum > f64::from(count) + 1.0 + usage * GOOD;
        with_users += usize::from(exceeds(account.of_accounts, account.accounts));
        short += usize::from(exceeds(account.listed, account.children));
        bare += usize::from(account.children == 0);
    }
    // A tree of one account lacks nobody.
    block.len() > 1 && (short * 2 > with_users || (!has_several_users && bare > 0))
}
