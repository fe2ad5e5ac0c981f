//! Accounts with a slash in their names, which since 23.11 are printed among the children of another account.
//!
//! Slurm sorts the rows by lineage, `/slash/zebra/`, and so `slash/name` comes between the children of `slash`. Later
//! children of `slash` look as if they were children of `slash/name`. Every level's NormShares are parts of one sum, so
//! they show where the children of each end.

use super::oddities::Oddities;
use crate::model::{Fact, NameId};
use crate::source::format::slurm::rows::{Row, Rows};
use std::collections::HashMap;

/// The largest difference between a NormShares of six decimals and its quotient.
const CLOSE: f64 = 1e-6;

/// A child: its shares, and its printed part of the level.
#[derive(Clone, Copy)]
struct Child {
    shares: f64,
    norm: f64,
}

/// Moves accounts to their parents that are printed below a name with a slash, and notes those that may be wrong.
pub(super) fn repair_slashes(rows: &mut Rows, levels: &[u32], odd: &mut Oddities) {
    let mut last_of: HashMap<NameId, usize> = HashMap::new();
    // By account: the rows of its users and accounts since its own row.
    let mut members: HashMap<NameId, Vec<usize>> = HashMap::new();
    let has_slash = |name: &[u8]| name.contains(&b'/');
    if !rows.names.names().iter().any(|(_, name)| has_slash(name)) {
        return;
    }
    for place in 0..rows.rows.len() {
        let row = rows.rows[place];
        if let Some(account) = above(&row) {
            members.entry(account).or_default().push(place);
        }
        if row.user.is_some() {
            continue;
        }
        last_of.insert(row.account, place);
        members.remove(&row.account);
        if has_slash(rows.names.names().bytes(row.account)) {
            settle_one(rows, levels, (&last_of, &members), place, odd);
        }
    }
}

fn settle_one(
    rows: &mut Rows,
    levels: &[u32],
    (last_of, members): (&HashMap<NameId, usize>, &HashMap<NameId, Vec<usize>>),
    place: usize,
    odd: &mut Oddities,
) {
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
    let rest = name[rest..].to_vec();
    let is_inside = |&inside: &usize| {
        let inside = &rows.rows[inside];
        inside.user.is_some() || inside.cluster == row.cluster
    };
    let end = (place + 1..rows.rows.len())
        .take_while(is_inside)
        .find(|&next| rows.rows[next].user.is_none() && levels[next] <= levels[place])
        .unwrap_or(rows.rows.len());
    let inside = place + 1..end;
    let (users, children_here): (Vec<usize>, Vec<usize>) = inside
        .filter(|&kid| above(&rows.rows[kid]) == Some(row.account))
        .partition(|&kid| rows.rows[kid].user.is_some());
    // A name that sorts before the rest of the name cannot have been printed after it.
    let sure = children_here
        .iter()
        .rposition(|&kid| rows.names.names().bytes(rows.rows[kid].account) < &rest[..])
        .map_or(0, |last| last + 1);
    let doubtful = &children_here[sure..];
    if doubtful.is_empty() {
        return;
    }
    let own = [&users, &children_here[..sure]].concat();
    let account = rows.rows[other].account;
    let others = members.get(&account).map_or(&[][..], Vec::as_slice);
    match boundary(rows, [place, other], &own, others, doubtful) {
        Some(kept) => {
            for &kid in &doubtful[kept..] {
                rows.rows[kid].parent = Some(account);
                let child = &rows.rows[kid];
                let name = rows.names.names().bytes(child.account);
                odd.moved.add(u64::from(child.line), name);
            }
        }
        None => {
            for &kid in doubtful {
                let child = &rows.rows[kid];
                let name = rows.names.names().bytes(child.account);
                odd.unsettled.add(u64::from(child.line), name);
            }
        }
    }
}

/// Returns the account of a user, or the parent of an account.
fn above(row: &Row) -> Option<NameId> {
    row.user.map_or(row.parent, |_| Some(row.account))
}

/// Returns how many of the doubtful rows belong to the first account, or `None` if the numbers do not show that.
fn boundary(
    rows: &Rows,
    accounts: [usize; 2],
    own: &[usize],
    others: &[usize],
    doubtful: &[usize],
) -> Option<usize> {
    let norms = rows
        .figures
        .iter()
        .find(|(fact, _)| *fact == Fact::NormShares)
        .map(|(_, figures)| figures)?;
    let norm = |place: usize| norms.at(place).map(|figure| figure.value);
    let parts = |places: &[usize]| -> Option<Vec<Child>> {
        let parts = places.iter().map(|&place| {
            // The children of an account with `parent` shares belong to the level above.
            let shares = rows.rows[place].shares?.count()?;
            Some(Child {
                shares: shares as f64,
                norm: norm(place)?,
            })
        });
        parts.collect()
    };
    let (own, others, doubtful) = (parts(own)?, parts(others)?, parts(doubtful)?);
    let sum = |parts: &[Child]| parts.iter().map(|part| part.shares).sum::<f64>();
    let fits = |parts: [&[Child]; 2], total: f64, whole: f64| {
        let is_close = |part: &Child| {
            let share = if total == 0.0 {
                0.0
            } else {
                part.shares / total
            };
            (part.norm - whole * share).abs() <= CLOSE
        };
        parts.into_iter().flatten().all(is_close)
    };
    // Under Fair Tree a level's parts make 1, under classic rules the account's own part.
    let wholes = [
        [1.0, 1.0],
        [
            norm(accounts[0]).unwrap_or(1.0),
            norm(accounts[1]).unwrap_or(1.0),
        ],
    ];
    for whole in wholes {
        let mut totals = [sum(&own), sum(&others) + sum(&doubtful)];
        let mut fitting = (0..=doubtful.len()).filter(|&kept| {
            let (first, second) = doubtful.split_at(kept);
            if let Some(last) = first.last() {
                totals = [totals[0] + last.shares, totals[1] - last.shares];
            }
            fits([&own, first], totals[0], whole[0]) && fits([&others, second], totals[1], whole[1])
        });
        if let Some(kept) = fitting.next() {
            return fitting.next().is_none().then_some(kept);
        }
    }
    None
}
