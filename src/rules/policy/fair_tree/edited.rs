//! Fair Tree's numbers after an edit of shares, from those before it.
//!
//! Shares divide only their own level, and Level FS orders only siblings. So below an account that ties with no sibling,
//! nor do those above it, users keep the places that they have together, and all others keep theirs.

use super::level_fs::{NO_VALUE, Ratios};
use super::walk::{self, LevelFsOrder, Variant};
use crate::base::sort::rising;
use crate::model::Tree;
use crate::rules::policy::evaluation::Numbers;
use crate::rules::policy::series::Series;
use crate::rules::policy::slurm::Associations;
use crate::rules::policy::{ColumnId, Evaluation};
use std::ops::Range;

/// Returns the numbers of a tree of which a span below one account had other shares in `last`, or `None` if they are to
/// be computed anew, because accounts tie.
pub(super) fn evaluation(
    tree: &Tree,
    variant: Variant,
    associations: &Associations,
    last: &Evaluation,
    span: Range<usize>,
) -> Option<Evaluation> {
    let account = span.start - 1;
    let level_fs = last.doubles(ColumnId::LevelFs)?;
    let ratios = Ratios::of_span(associations, span.clone());
    let level_fs = level_fs.patched(span.start, ratios.level_fs);
    if !stands_alone(tree, &level_fs, account) {
        return None;
    }
    let counters = last.counts(ColumnId::SchedulerRank)?;
    let user_count = u32::try_from(tree.user_count()).ok()?;
    let first = first_counter(counters, &span)?;
    let walked = walk::walk_below(
        tree,
        variant,
        associations,
        LevelFsOrder::Rounded(&level_fs.in_one_piece()),
        (u32::try_from(account).ok()?, first),
        counters.in_one_piece().into_owned(),
    );
    let own = &walked[span.clone()];
    let mut both = counters.span(span.clone()).zip(own);
    if both.any(|(before, &now)| before > 0 && now == 0) {
        return None;
    }
    let mut ranks = last.ranks().to_vec();
    for (rank, &counter) in ranks[span.clone()].iter_mut().zip(own) {
        *rank = if counter > 0 {
            user_count + 1 - counter
        } else {
            0
        };
    }
    let count = f64::from(user_count);
    let factors = own.iter().map(|&counter| f64::from(counter) / count);
    let double = |id, numbers: Vec<f64>| {
        let numbers = last.doubles(id)?.patched(span.start, numbers);
        Some((id, Numbers::Double(numbers)))
    };
    let ranking = last.known_ranking();
    let ranking = ranking.map(|ranking| ranking.after(&ranks, span.clone()));
    let evaluation = last.with_numbers(vec![
        double(ColumnId::NormShares, ratios.norm_shares)?,
        double(ColumnId::Factor, factors.collect())?,
        (ColumnId::LevelFs, Numbers::Double(level_fs)),
        (
            ColumnId::SchedulerRank,
            Numbers::Count(counters.patched(span.start, own.to_vec())),
        ),
        (ColumnId::Rank, Numbers::Rank(ranks.into())),
    ]);
    Some(match ranking {
        Some(ranking) => evaluation.with_ranking(ranking),
        None => evaluation,
    })
}

/// Returns the counter of the first user in a span. `None` if the span has no users, or shares its first or its last
/// counter with users outside: a tie then goes on across accounts that have no users.
fn first_counter(counters: &Series<u32>, span: &Range<usize>) -> Option<u32> {
    let users = || counters.span(span.clone()).filter(|&counter| counter > 0);
    let (first, last) = (users().max()?, users().min()?);
    let is_shared =
        |(position, counter)| (counter == first || counter == last) && !span.contains(&position);
    let mut all = counters.iter().enumerate();
    (!all.any(is_shared)).then_some(first)
}

/// Returns whether neither the account nor those above tie with a sibling, and no node has the mark for "no value",
/// which ties with any rank before it.
fn stands_alone(tree: &Tree, level_fs: &Series<f64>, account: usize) -> bool {
    let order = tree.order();
    let key = |position: usize| rising(level_fs.at(position));
    let mut here = account;
    while here > 0 {
        let parent = order.above()[here];
        let ties = |sibling: u32| {
            let sibling = sibling as usize;
            sibling != here && key(sibling) == key(here)
        };
        if order.children(parent).any(ties) {
            return false;
        }
        here = parent as usize;
    }
    !level_fs
        .iter()
        .any(|number| number.to_bits() == NO_VALUE.to_bits())
}
