//! Accounts that are indented by one blank per level, as in the trees of `sshare` and `sacctmgr`.

use crate::model::{NameId, NameInterner};

/// The largest number of blanks in front of a name that is considered possible.
const MOST_BLANKS: usize = 64;

/// An account above a row.
#[derive(Clone, Copy, Debug)]
struct AccountAbove {
    /// Its indentation.
    indent: usize,
    /// Its name.
    name: NameId,
}

/// The accounts above the current line.
#[derive(Debug, Default)]
pub(super) struct AccountLine {
    /// The accounts, the nearest last.
    accounts: Vec<AccountAbove>,
    /// Whether rows were left out behind the last account, so that some above the next one may be missing.
    has_gap: bool,
}

/// Where an account is in the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccountPlace {
    /// The account above; `None` if no row shows it.
    pub(super) parent: Option<NameId>,
    /// Its level: the depth of indentation.
    pub(super) indent: usize,
    /// How many more blanks are before its name, which begins with them.
    pub(super) blanks: usize,
}

impl AccountLine {
    /// Forgets all accounts, as where another tree begins.
    pub(super) fn clear(&mut self) {
        self.accounts.clear();
    }

    /// Notes that rows were left out here.
    pub(super) fn skip(&mut self) {
        self.has_gap = true;
    }

    /// Leaves the accounts that are not above a row with some indentation.
    fn leave(&mut self, indent: usize) {
        while let Some(last) = self.accounts.last()
            && last.indent >= indent
        {
            self.accounts.pop();
        }
    }

    /// Returns the place of an account with some indentation. One level is one blank; more belong to the name.
    pub(super) fn place(&mut self, indent: usize) -> AccountPlace {
        self.leave(indent);
        let has_gap = std::mem::take(&mut self.has_gap);
        let Some(above) = self.accounts.last() else {
            // The place of an excerpt is unknown.
            return AccountPlace {
                indent,
                ..AccountPlace::default()
            };
        };
        let level = if has_gap { indent } else { above.indent + 1 };
        AccountPlace {
            parent: Some(above.name),
            indent: level,
            blanks: indent - level,
        }
    }

    /// Adds the account of a row with some indentation.
    pub(super) fn push(&mut self, indent: usize, name: NameId) {
        self.leave(indent);
        self.accounts.push(AccountAbove { indent, name });
    }

    /// Returns whether an account above the row has a name.
    pub(super) fn holds(&self, name: &[u8], names: &NameInterner) -> bool {
        let mut accounts = self.accounts.iter();
        accounts.any(|account| names.names().bytes(account.name) == name)
    }

    /// Returns the account that a user's row names: it is the one above, one blank deeper than its own row. `is_cut` says
    /// whether the cell ends in a `+` where its column ends. Returns `None` if it names no account above.
    pub(super) fn account_of(
        &mut self,
        cell: &[u8],
        is_cut: bool,
        names: &NameInterner,
    ) -> Option<NameId> {
        self.leave(indent(cell));
        // An account further up only if the name begins with blanks.
        for account in self.accounts.iter().rev().take(MOST_BLANKS) {
            let text = &cell[account.indent + 1..];
            let name = names.names().bytes(account.name);
            if text == name {
                return Some(account.name);
            }
            if let Some(start) = text.strip_suffix(b"+")
                && is_cut
                && name.starts_with(start)
            {
                return Some(account.name);
            }
        }
        None
    }
}

/// Returns how many blanks are before the text of a cell.
pub(super) fn indent(cell: &[u8]) -> usize {
    let text = cell.iter().position(|&byte| byte != b' ');
    text.unwrap_or(cell.len())
}
