//! Who stands above whom, told by the blanks in front of the accounts.

use crate::model::{NameId, NameInterner};

/// How many blanks in front of a name are thought possible.
const MOST_BLANKS: usize = 64;

/// The accounts above the line that is being read, the nearest last.
#[derive(Debug, Default)]
pub(super) struct AccountLine {
    accounts: Vec<IndentedAccount>,
}

/// An account and how far it is indented.
#[derive(Clone, Copy, Debug)]
struct IndentedAccount {
    indent: usize,
    name: NameId,
}

/// Where an account stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccountPlace {
    /// The account above.
    pub(super) parent: Option<NameId>,
    /// Its level: how far it is indented.
    pub(super) indent: usize,
    /// How many of its leading blanks belong to its name.
    pub(super) blanks: usize,
}

impl AccountLine {
    /// Forgets all accounts: another cluster begins.
    pub(super) fn clear(&mut self) {
        self.accounts.clear();
    }

    /// Where an account of an indentation stands. One level is one blank; more than that is part of the name.
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
            // Of an excerpt nobody knows where it was.
            None => AccountPlace {
                parent: None,
                indent,
                blanks: 0,
            },
        }
    }

    /// Puts an account at the end of the line.
    pub(super) fn push(&mut self, indent: usize, name: NameId) {
        self.accounts.push(IndentedAccount { indent, name });
    }

    /// The account that a user's row names, with what stands behind the name in the cell: it is the one above, one
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
        // Further up only where the name begins with blanks.
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

/// Returns how many blanks a cell begins with.
pub(super) fn indent(cell: &[u8]) -> usize {
    cell.iter().take_while(|&&byte| byte == b' ').count()
}
