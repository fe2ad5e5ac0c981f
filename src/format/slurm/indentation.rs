//! Accounts that are indented by one blank per level, as in the trees of `sshare` and `sacctmgr`.

use crate::model::{NameId, NameInterner};

/// The largest number of blanks in front of a name that is considered possible.
const MOST_BLANKS: usize = 64;

/// The accounts above the current line, each with its indentation, the nearest last.
#[derive(Debug, Default)]
pub(super) struct AccountLine {
    accounts: Vec<(usize, NameId)>,
    /// Whether rows were left out behind the last account, so that some above the next one may be missing.
    has_gap: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccountPlace {
    pub(super) parent: Option<NameId>,
    /// Its level: the depth of indentation.
    pub(super) indent: usize,
    pub(super) blanks: usize,
}

impl AccountLine {
    pub(super) fn clear(&mut self) {
        self.accounts.clear();
    }

    /// Notes that rows were left out here.
    pub(super) fn skip(&mut self) {
        self.has_gap = true;
    }

    fn leave(&mut self, indent: usize) {
        let above = |(above, _): &(usize, NameId)| *above < indent;
        let kept = self.accounts.iter().rposition(above);
        self.accounts.truncate(kept.map_or(0, |last| last + 1));
    }

    /// Returns the place of an account with some indentation. One level is one blank; more belong to the name.
    pub(super) fn place(&mut self, indent: usize) -> AccountPlace {
        self.leave(indent);
        let has_gap = std::mem::take(&mut self.has_gap);
        match self.accounts.last() {
            Some(&(_, name)) if has_gap => AccountPlace {
                parent: Some(name),
                indent,
                blanks: 0,
            },
            Some(&(above, name)) => AccountPlace {
                parent: Some(name),
                indent: above + 1,
                blanks: indent - above - 1,
            },
            // The place of an excerpt is unknown.
            None => AccountPlace {
                indent,
                ..AccountPlace::default()
            },
        }
    }

    pub(super) fn push(&mut self, indent: usize, name: NameId) {
        self.leave(indent);
        self.accounts.push((indent, name));
    }

    pub(super) fn holds(&self, name: &[u8], names: &NameInterner) -> bool {
        let mut accounts = self.accounts.iter();
        accounts.any(|(_, above)| names.names().bytes(*above) == name)
    }

    /// Returns the account that a user's row names: it is the one above, one blank deeper than its own row. `is_cut` says
    /// whether the cell ends in a `+` where its column ends.
    pub(super) fn account_of(
        &mut self,
        cell: &[u8],
        is_cut: bool,
        names: &NameInterner,
    ) -> Option<NameId> {
        self.leave(indent(cell));
        // An account further up only if the name begins with blanks.
        let mut above = self.accounts.iter().rev().take(MOST_BLANKS);
        let found = above.find(|(above, name)| {
            let text = &cell[above + 1..];
            let name = names.names().bytes(*name);
            let whole = name.strip_suffix(b"+").unwrap_or(name);
            let start = text.strip_suffix(b"+").filter(|_| is_cut);
            let begins = |start| whole.starts_with(start) || name.starts_with(start);
            text == name || start.is_some_and(begins)
        });
        found.map(|&(_, name)| name)
    }
}

pub(super) fn indent(cell: &[u8]) -> usize {
    cell.iter().take_while(|&&byte| byte == b' ').count()
}
