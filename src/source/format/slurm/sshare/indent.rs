//! The parents of rows, derived from the blanks in front of the accounts.

use super::oddities::Oddities;
use crate::model::{Fact, NameId, NameInterner, Shares};
use crate::source::format::slurm::rows::Rows;
use std::collections::HashMap;

/// The largest number of blanks in front of a name that is considered possible.
const MOST_BLANKS: usize = 64;

/// The accounts above the current line, the nearest last.
#[derive(Debug, Default)]
pub(super) struct AccountLine {
    accounts: Vec<IndentedAccount>,
}

/// An account and its indentation.
#[derive(Clone, Copy, Debug)]
struct IndentedAccount {
    indent: usize,
    name: NameId,
}

/// The place of an account.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccountPlace {
    /// The parent.
    pub(super) parent: Option<NameId>,
    /// Its level: the depth of indentation.
    pub(super) indent: usize,
    /// How many of its leading blanks belong to its name.
    pub(super) blanks: usize,
}

/// An account with more blanks before it than levels: it follows no account that can be its parent, or its name begins
/// with blanks.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeepAccount {
    pub(super) row: usize,
    pub(super) line: u64,
    /// The blanks before it.
    pub(super) indent: usize,
}

/// The largest difference between a `NormShares` of six decimals and its quotient.
const CLOSE: f64 = 1e-6;

/// Finds the parents of accounts at the end of an output that are indented deeper than the line before allows: Slurm up
/// to 23.02 prints an account that was just added in the last line, wherever its parent is. The parent is the one account
/// of the level above whose shares give the printed `NormShares`. The names of all others begin with blanks.
pub(super) fn settle_deep(
    rows: &mut Rows,
    levels: &[u32],
    deep: &[DeepAccount],
    odd: &mut Oddities,
) {
    let mut end = rows.rows.len();
    let mut parents = vec![None; deep.len()];
    for (account, parent) in deep.iter().zip(&mut parents).rev() {
        let name = rows.rows[account.row].account;
        let mut below = rows.rows[account.row + 1..end].iter();
        if !below.all(|row| row.user.is_some() && row.account == name) {
            break;
        }
        *parent = parent_by_shares(rows, levels, account);
        end = account.row;
    }
    for (account, parent) in deep.iter().zip(parents) {
        let with_blanks = rows.rows[account.row].account;
        let text = rows.names.names().bytes(with_blanks).to_vec();
        let Some(parent) = parent else {
            odd.leading
                .add(account.line, &[b"\"", &text[..], b"\""].concat());
            continue;
        };
        rows.rows[account.row].parent = Some(parent);
        let name = rows.names.intern(text.trim_ascii_start());
        for row in &mut rows.rows[account.row..] {
            if row.account == with_blanks {
                row.account = name;
            }
        }
    }
}

/// Returns the only account one level up of which the account's shares are the printed part.
fn parent_by_shares(rows: &Rows, levels: &[u32], account: &DeepAccount) -> Option<NameId> {
    let norm = rows.figures(Fact::NormShares)?;
    let row = &rows.rows[account.row];
    let shares = |place: usize| {
        let shares = rows.rows[place].shares.and_then(Shares::count);
        shares.map_or(0.0, |shares| shares as f64)
    };
    let level = u32::try_from(account.indent).ok()?.checked_sub(1)?;
    let mut sums: HashMap<NameId, f64> = HashMap::new();
    let mut candidates = Vec::new();
    for (place, other) in rows.rows.iter().enumerate() {
        if other.cluster != row.cluster || place == account.row {
            continue;
        }
        if other.user.is_none() && (levels[place] == level || Some(other.account) == row.parent) {
            candidates.push((other.account, place));
        }
        let above = other.user.map(|_| other.account).or(other.parent);
        *above.map_or(&mut 0.0, |above| sums.entry(above).or_default()) += shares(place);
    }
    let printed = norm.at(account.row)?.value;
    let own = shares(account.row);
    let is_parent = |&&(name, place): &&(NameId, usize)| {
        let part = own / (sums.get(&name).copied().unwrap_or(0.0) + own);
        let of_tree = norm.at(place).map_or(part, |above| part * above.value);
        [part, of_tree]
            .iter()
            .any(|part| (part - printed).abs() <= CLOSE)
    };
    let mut possible = candidates.iter().filter(is_parent);
    let (first, second) = (possible.next(), possible.next());
    // The account before it fits only if the name begins with blanks.
    let is_apart = |&&(name, _): &&(NameId, usize)| second.is_none() && Some(name) != row.parent;
    first.filter(is_apart).map(|&(name, _)| name)
}

impl AccountLine {
    /// Drops all accounts, because another cluster begins.
    pub(super) fn clear(&mut self) {
        self.accounts.clear();
    }

    /// Returns the place of an account with some indentation. One level is one blank; more belong to the name.
    pub(super) fn place(&mut self, indent: usize) -> AccountPlace {
        while self
            .accounts
            .last()
            .is_some_and(|above| above.indent >= indent)
        {
            self.accounts.pop();
        }
        match self.accounts.last() {
            Some(above) => AccountPlace {
                parent: Some(above.name),
                indent: above.indent + 1,
                blanks: indent - above.indent - 1,
            },
            // The place of an excerpt is unknown.
            None => AccountPlace {
                parent: None,
                indent,
                blanks: 0,
            },
        }
    }

    /// Adds an account at the end of the line.
    pub(super) fn push(&mut self, indent: usize, name: NameId) {
        self.accounts.push(IndentedAccount { indent, name });
    }

    /// Returns the account that a user's row names, with the text after the name in the cell: it is the one above, one
    /// blank deeper than its own row. `is_cut` says whether the cell ends in a `+` where its column ends.
    pub(super) fn account_of<'a>(
        &mut self,
        cell: &'a [u8],
        is_cut: bool,
        names: &NameInterner,
    ) -> Option<(NameId, &'a [u8])> {
        let indent = indent(cell);
        while self
            .accounts
            .last()
            .is_some_and(|above| above.indent >= indent)
        {
            self.accounts.pop();
        }
        // An account further up only if the name begins with blanks.
        let candidates = self.accounts.iter().rev().take(MOST_BLANKS);
        for above in candidates {
            let text = &cell[above.indent + 1..];
            let name = names.names().bytes(above.name);
            if let Some(rest) = text.strip_prefix(name)
                && (rest.is_empty() || rest[0] == b'|')
            {
                return Some((above.name, rest));
            }
            let whole = name.strip_suffix(b"+").unwrap_or(name);
            if is_cut
                && let Some(start) = text.strip_suffix(b"+")
                && (whole.starts_with(start) || name.starts_with(start))
            {
                return Some((above.name, &[]));
            }
        }
        None
    }
}

/// Returns with how many blanks a cell begins.
pub(super) fn indent(cell: &[u8]) -> usize {
    cell.iter().take_while(|&&byte| byte == b' ').count()
}
