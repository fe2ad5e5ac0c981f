//! Parents that the indentation alone does not give: those of accounts that Slurm prints out of their places.

use super::Oddity;
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
        let (deep, rows) = (&self.deep, &mut self.rows);
        let mut end = rows.rows.len();
        let mut parents = vec![None; deep.len()];
        for (account, parent) in deep.iter().zip(&mut parents).rev() {
            let name = rows.rows[account.row].account;
            let mut below = rows.rows[account.row + 1..end].iter();
            if !below.all(|row| row.user.is_some() && row.account == name) {
                break;
            }
            *parent = parent_by_shares(rows, &self.levels, account);
            end = account.row;
        }
        for (account, parent) in deep.iter().zip(parents) {
            let with_blanks = rows.rows[account.row].account;
            let text = rows.names.names().bytes(with_blanks).to_vec();
            let Some(parent) = parent else {
                let quoted = [b"\"", &text[..], b"\""].concat();
                let line = u64::from(rows.rows[account.row].line);
                self.odd.add(Oddity::Leading, line, &quoted);
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

    /// Moves accounts to their parents that are printed below a name with a slash, and notes those that may be wrong.
    ///
    /// Since 23.11 Slurm sorts the rows by lineage, `/slash/zebra/`, and so `slash/name` comes between the children of
    /// `slash`. Later children of `slash` look as if they were children of `slash/name`. Every level's `NormShares` are
    /// parts of one sum, so they show where the children of each end.
    pub(super) fn repair_slashes(&mut self) {
        let mut last_of: HashMap<NameId, usize> = HashMap::new();
        // By account: the rows of its users and accounts since its own row.
        let mut members: HashMap<NameId, Vec<usize>> = HashMap::new();
        let has_slash = |name: &[u8]| name.contains(&b'/');
        let names = self.rows.names.names();
        if !names.iter().any(|(_, name)| has_slash(name)) {
            return;
        }
        for place in 0..self.rows.rows.len() {
            let row = self.rows.rows[place];
            if let Some(account) = row.above() {
                members.entry(account).or_default().push(place);
            }
            if row.user.is_some() {
                continue;
            }
            last_of.insert(row.account, place);
            members.remove(&row.account);
            if has_slash(self.rows.names.names().bytes(row.account)) {
                self.settle_slash(place, &last_of, &members);
            }
        }
    }

    fn settle_slash(
        &mut self,
        place: usize,
        last_of: &HashMap<NameId, usize>,
        members_of: &HashMap<NameId, Vec<usize>>,
    ) {
        let (rows, levels) = (&mut self.rows, &self.levels);
        let row = rows.rows[place];
        let name = rows.names.names().bytes(row.account);
        let is_beside = |other: usize| {
            let other = &rows.rows[other];
            other.parent == row.parent && other.cluster == row.cluster
        };
        // The longest prefix that is an account beside this one.
        let other = name.iter().enumerate().rev().find_map(|(slash, &byte)| {
            let start = (byte == b'/').then(|| rows.names.find(&name[..slash]))??;
            let other = *last_of.get(&start)?;
            is_beside(other).then_some((other, slash + 1))
        });
        let Some((other, rest)) = other else {
            return;
        };
        let rest = &name[rest..];
        let is_inside = |&inside: &usize| {
            let inside = &rows.rows[inside];
            inside.user.is_some() || inside.cluster == row.cluster
        };
        let ends = |next: &usize| rows.rows[*next].user.is_none() && levels[*next] <= levels[place];
        let mut below = (place + 1..rows.rows.len()).take_while(is_inside);
        let end = below.find(ends).unwrap_or(rows.rows.len());
        let members = (place + 1..end).filter(|&kid| rows.rows[kid].above() == Some(row.account));
        let (users, children_here): (Vec<usize>, Vec<usize>) =
            members.partition(|&kid| rows.rows[kid].user.is_some());
        // A name that sorts before the rest of the name cannot have been printed after it.
        let is_sure = |&kid: &usize| rows.names.names().bytes(rows.rows[kid].account) < rest;
        let last = children_here.iter().rposition(is_sure);
        let sure = last.map_or(0, |last| last + 1);
        let doubtful = &children_here[sure..];
        if doubtful.is_empty() {
            return;
        }
        let own = [&users, &children_here[..sure]].concat();
        let account = rows.rows[other].account;
        let others = members_of.get(&account).map_or(&[][..], Vec::as_slice);
        let kept = boundary(rows, [place, other], &own, others, doubtful);
        let (oddity, of_other) = match kept {
            Some(kept) => (Oddity::Moved, &doubtful[kept..]),
            None => (Oddity::Unsettled, doubtful),
        };
        for &kid in of_other {
            let child = &mut rows.rows[kid];
            if kept.is_some() {
                child.parent = Some(account);
            }
            let name = rows.names.names().bytes(child.account);
            self.odd.add(oddity, u64::from(child.line), name);
        }
    }
}

/// Returns the only account one level up of which the account's shares are the printed part.
fn parent_by_shares(rows: &Rows, levels: &[u32], account: &DeepAccount) -> Option<NameId> {
    let norm = rows.figures(Fact::NormShares)?;
    let row = &rows.rows[account.row];
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
        if let Some(above) = other.above() {
            *sums.entry(above).or_default() += other.counted_shares();
        }
    }
    let printed = norm.at(account.row)?.value;
    let own = row.counted_shares();
    let is_parent = |&&(name, place): &&(NameId, usize)| {
        let part = own / (sums.get(&name).copied().unwrap_or(0.0) + own);
        let of_tree = norm.at(place).map_or(part, |above| part * above.value);
        let is_close = |part: &f64| (part - printed).abs() <= CLOSE;
        [part, of_tree].iter().any(is_close)
    };
    let mut possible = candidates.iter().filter(is_parent);
    let (first, second) = (possible.next(), possible.next());
    // The account before it fits only if the name begins with blanks.
    let is_apart = |&&(name, _): &&(NameId, usize)| second.is_none() && Some(name) != row.parent;
    first.filter(is_apart).map(|&(name, _)| name)
}

/// Returns how many of the doubtful rows belong to the first account, or `None` if the numbers do not show that.
fn boundary(
    rows: &Rows,
    accounts: [usize; 2],
    own: &[usize],
    others: &[usize],
    doubtful: &[usize],
) -> Option<usize> {
    let norms = rows.figures(Fact::NormShares)?;
    let norm = |place: usize| norms.at(place).map(|figure| figure.value);
    // Of each row its shares, and its printed part of the level.
    let parts = |places: &[usize]| -> Option<Vec<(f64, f64)>> {
        let parts = places.iter().map(|&place| {
            // The children of an account with `parent` shares belong to the level above.
            let shares = rows.rows[place].shares?.count()?;
            Some((shares as f64, norm(place)?))
        });
        parts.collect()
    };
    let (own, others, doubtful) = (parts(own)?, parts(others)?, parts(doubtful)?);
    let sum = |parts: &[(f64, f64)]| parts.iter().map(|(shares, _)| shares).sum::<f64>();
    let fits = |parts: [&[(f64, f64)]; 2], total: f64, whole: f64| {
        let is_close = |&(shares, norm): &(f64, f64)| {
            let share = if total == 0.0 { 0.0 } else { shares / total };
            (norm - whole * share).abs() <= CLOSE
        };
        parts.into_iter().flatten().all(is_close)
    };
    // Under Fair Tree a level's parts make 1, under classic rules the account's own part.
    let own_parts = accounts.map(|account| norm(account).unwrap_or(1.0));
    for whole in [[1.0, 1.0], own_parts] {
        let mut totals = [sum(&own), sum(&others) + sum(&doubtful)];
        let mut fitting = (0..=doubtful.len()).filter(|&kept| {
            let (first, second) = doubtful.split_at(kept);
            if let Some(last) = first.last() {
                totals = [totals[0] + last.0, totals[1] - last.0];
            }
            fits([&own, first], totals[0], whole[0]) && fits([&others, second], totals[1], whole[1])
        });
        if let Some(kept) = fitting.next() {
            return fitting.next().is_none().then_some(kept);
        }
    }
    None
}
