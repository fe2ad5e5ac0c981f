//! Parents that the indentation alone does not give: those of accounts that Slurm prints out of their places.

use super::oddity::Oddity;
use super::rows::{DeepAccount, RowReader};
use crate::format::slurm::rows::Rows;
use crate::model::{Fact, NameId};
use std::collections::HashMap;

/// The largest difference between a `NormShares` of six decimals and its quotient.
const CLOSE: f64 = 1e-6;

impl RowReader {
    /// Finds the parents of accounts at the end of an output that are indented deeper than the line before allows:
    /// Slurm up to 23.02 prints an account that was just added in the last line, wherever its parent is. The parent is
    /// the one account of the level above whose shares give the printed `NormShares`. The names of all others begin
    /// with blanks.
    pub(super) fn settle_deep(&mut self) {
        let first_at_end = self.first_deep_at_end();
        for (index, account) in self.deep.iter().enumerate() {
            let mut parent = None;
            if index >= first_at_end {
                parent = parent_by_shares(&self.rows, &self.levels, account);
            }
            let names = &mut self.rows.names;
            let rows = &mut self.rows.rows[account.row..];
            let with_blanks = rows[0].account;
            let text = names.names().bytes(with_blanks).to_vec();
            if parent.is_none() {
                let quoted = [b"\"", &text[..], b"\""].concat();
                let line = u64::from(rows[0].line);
                self.odd.add(Oddity::Leading, line, &quoted);
                continue;
            }
            rows[0].parent = parent;
            let name = names.intern(text.trim_ascii_start());
            for row in rows {
                if row.account == with_blanks {
                    row.account = name;
                }
            }
        }
    }

    /// Returns the index of the first deep account below which there are only such accounts and their users.
    fn first_deep_at_end(&self) -> usize {
        let rows = &self.rows.rows;
        let mut end = rows.len();
        for (index, account) in self.deep.iter().enumerate().rev() {
            let name = rows[account.row].account;
            for row in &rows[account.row + 1..end] {
                if row.user.is_none() || row.account != name {
                    return index + 1;
                }
            }
            end = account.row;
        }
        0
    }

    /// Moves accounts to their parents that are printed below a name with a slash, and notes those that may be wrong.
    ///
    /// Since 23.11 Slurm sorts the rows by lineage, `/slash/zebra/`, and so `slash/name` comes between the children of
    /// `slash`. Later children of `slash` look as if they were children of `slash/name`. The `NormShares` of a level are
    /// as its shares, so that a child is below the account whose other members have the same quotient.
    pub(super) fn repair_slashes(&mut self) {
        if !self.has_slash() {
            return;
        }
        let mut last_of = HashMap::new();
        // By account: the member with the most shares since the account's own row.
        let mut largest: HashMap<NameId, usize> = HashMap::new();
        for place in 0..self.rows.rows.len() {
            let row = self.rows.rows[place];
            if let Some(account) = row.above() {
                let known = largest.entry(account).or_insert(place);
                *known = self.larger(*known, place);
            }
            if row.user.is_some() {
                continue;
            }
            last_of.insert(row.account, place);
            largest.remove(&row.account);
            if let Some(other) = self.account_before_slash(place, &last_of) {
                let sibling = largest.get(&other).copied();
                self.settle_slash(place, other, sibling);
            }
        }
    }

    /// Returns whether a name has a slash.
    fn has_slash(&self) -> bool {
        let names = self.rows.names.names();
        for (_, name) in names.iter() {
            if name.contains(&b'/') {
                return true;
            }
        }
        false
    }

    /// Returns which of two rows has more shares, the first if both have the same.
    fn larger(&self, one: usize, other: usize) -> usize {
        let rows = &self.rows.rows;
        if rows[other].counted_shares() > rows[one].counted_shares() {
            other
        } else {
            one
        }
    }

    /// Returns the account beside this one whose name is the longest beginning of its name before a slash.
    fn account_before_slash(
        &self,
        place: usize,
        last_of: &HashMap<NameId, usize>,
    ) -> Option<NameId> {
        let rows = &self.rows.rows;
        let row = &rows[place];
        let name = self.rows.names.names().bytes(row.account);
        for slash in memchr::memrchr_iter(b'/', name) {
            if let Some(other) = self.rows.names.find(&name[..slash])
                && let Some(&place) = last_of.get(&other)
                && rows[place].parent == row.parent
                && rows[place].cluster == row.cluster
            {
                return Some(other);
            }
        }
        None
    }

    /// Settles which children printed below the account at `place` belong to the other one, of which a member is known.
    fn settle_slash(&mut self, place: usize, other: NameId, sibling: Option<usize>) {
        let row = self.rows.rows[place];
        let names = self.rows.names.names();
        let name = names.bytes(row.account);
        let rest = &name[names.bytes(other).len() + 1..];
        let mut own: Option<usize> = None;
        let mut doubtful = Vec::new();
        for kid in place + 1..self.rows.rows.len() {
            let below = &self.rows.rows[kid];
            let is_account = below.user.is_none();
            let is_deeper = self.levels[kid] > self.levels[place];
            if is_account && (!is_deeper || below.cluster != row.cluster) {
                break;
            }
            if below.above() != Some(row.account) {
                continue;
            }
            // A name that sorts before the rest of the name cannot have been printed after it.
            let is_sure = is_account && names.bytes(below.account) < rest;
            if is_account && !is_sure {
                doubtful.push(kid);
                continue;
            }
            if is_sure {
                for earlier in doubtful.drain(..) {
                    own = Some(self.larger(own.unwrap_or(earlier), earlier));
                }
            }
            own = Some(self.larger(own.unwrap_or(kid), kid));
        }
        for kid in doubtful {
            let is_own = fits_level(&self.rows, kid, own);
            let is_of_other = fits_level(&self.rows, kid, sibling);
            let child = &mut self.rows.rows[kid];
            let oddity = match (is_own, is_of_other) {
                (true, false) if sibling.is_some() => continue,
                (false, true) => {
                    child.parent = Some(other);
                    Oddity::Moved
                }
                _ => Oddity::Unsettled,
            };
            let line = u64::from(child.line);
            let name = self.rows.names.names().bytes(child.account);
            self.odd.add(oddity, line, name);
        }
    }
}

/// Returns the only account one level up of which the account's shares are the printed part; `None` if none or several are.
fn parent_by_shares(rows: &Rows, levels: &[u32], account: &DeepAccount) -> Option<NameId> {
    let norm = rows.figures(Fact::NormShares)?;
    let printed = norm.at(account.row)?.value;
    let row = &rows.rows[account.row];
    let own = row.counted_shares();
    let indent = u32::try_from(account.indent).ok()?;
    let level = indent.checked_sub(1)?;
    let mut parent = None;
    let sums = sums_beside(rows, account.row);
    for (place, other) in rows.rows.iter().enumerate() {
        let is_parent = Some(other.account) == row.parent;
        let is_above = is_parent || levels[place] == level;
        let is_account = other.user.is_none() && other.cluster == row.cluster;
        if !is_above || !is_account || place == account.row {
            continue;
        }
        let others = match sums.get(&other.account) {
            Some(&sum) => sum,
            None => 0.0,
        };
        let part = own / (others + own);
        // Under classic rules it is a part of the whole tree.
        let mut of_tree = part;
        if let Some(above) = norm.at(place) {
            of_tree *= above.value;
        }
        if is_close(part, printed) || is_close(of_tree, printed) {
            if parent.is_some() {
                return None;
            }
            parent = Some(other.account);
        }
    }
    // The account before it fits only if the name begins with blanks.
    if parent == row.parent {
        return None;
    }
    parent
}

/// Returns the sum of shares below each account of the cluster of a row, without those of the row.
fn sums_beside(rows: &Rows, place: usize) -> HashMap<NameId, f64> {
    let cluster = rows.rows[place].cluster;
    let mut sums: HashMap<NameId, f64> = HashMap::new();
    for (other, row) in rows.rows.iter().enumerate() {
        if let Some(above) = row.above()
            && row.cluster == cluster
            && other != place
        {
            let sum = sums.entry(above).or_default();
            *sum += row.counted_shares();
        }
    }
    sums
}

/// Returns whether a part is the printed one but for rounding.
fn is_close(part: f64, printed: f64) -> bool {
    let error = part - printed;
    error.abs() <= CLOSE
}

/// The shares of a row, and the part that they were printed as.
struct PrintedPart {
    /// The raw shares.
    shares: f64,
    /// `NormShares`.
    norm: f64,
}

impl PrintedPart {
    /// Reads those of a row; `None` if one of them is missing.
    fn of_row(rows: &Rows, place: usize) -> Option<Self> {
        let figures = rows.figures(Fact::NormShares)?;
        let norm = figures.at(place)?;
        let shares = rows.rows[place].shares?;
        Some(Self {
            norm: norm.value,
            shares: shares.count()? as f64,
        })
    }
}

/// Returns whether the printed part of a row is as that of a member of a level, by their shares.
fn fits_level(rows: &Rows, kid: usize, member: Option<usize>) -> bool {
    let Some(own) = PrintedPart::of_row(rows, kid) else {
        return false;
    };
    let Some(member) = member else {
        return false;
    };
    let Some(known) = PrintedPart::of_row(rows, member) else {
        return false;
    };
    let quotient = own.shares / known.shares;
    (own.norm - known.norm * quotient).abs() <= CLOSE * (1.0 + quotient)
}
