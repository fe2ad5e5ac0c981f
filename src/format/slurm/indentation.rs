//! Accounts that are indented by one blank per level, as in the trees of `sshare` and `sacctmgr`.

use crate::model::{NameId, NameInterner};

/// The largest number of blanks in front of a name that is considered possible.
const MOST_BLANKS: usize = 64;

/// The accounts above the current line, the nearest last.
#[derive(Debug, Default)]
pub(super) struct AccountLine {
    accounts: Vec<IndentedAccount>,
}

#[derive(Clone, Copy, Debug)]
struct IndentedAccount {
    indent: usize,
    name: NameId,
}

/// The place of an account.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccountPlace {
    pub(super) parent: Option<NameId>,
    /// Its level: the depth of indentation.
    pub(super) indent: usize,
    /// How many of its leading blanks belong to its name.
    pub(super) blanks: usize,
}

impl AccountLine {
    /// Drops all accounts, because another cluster begins.
    pub(super) fn clear(&mut self) {
        self.accounts.clear();
    }

    /// Drops the accounts that are indented so far, or further.
    fn leave(&mut self, indent: usize) {
        let is_left = |above: &mut IndentedAccount| above.indent >= indent;
        while self.accounts.pop_if(is_left).is_some() {}
    }

    /// Returns the place of an account with some indentation. One level is one blank; more belong to the name.
    pub(super) fn place(&mut self, indent: usize) -> AccountPlace {
        self.leave(indent);
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
        self.leave(indent);
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
        self.leave(indent(cell));
        // An account further up only if the name begins with blanks.
        for above in self.accounts.iter().rev().take(MOST_BLANKS) {
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
