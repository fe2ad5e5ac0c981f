//! LEVEL_BASED's numbers after an edit of shares, from those before it: the buckets of a family and those below it.

use super::{Priority, PriorityWords, WordRule, factor};
use crate::model::Tree;
use crate::rules::policy::changed::ranks_after;
use crate::rules::policy::evaluation::{Numbers, Presence};
use crate::rules::policy::{ColumnId, Evaluation};
use std::ops::Range;
use std::sync::Arc;

/// Returns the numbers of a tree of which a span below one account had other shares in `last`. `None` if that has not
/// the columns of this policy.
pub(super) fn evaluation(
    tree: &Tree,
    rule: &WordRule<'_>,
    last: &Evaluation,
    span: Range<usize>,
) -> Option<Evaluation> {
    let start = span.start;
    let (words, doubles) = (|id| last.words(id), |id| last.doubles(id));
    let (own, raw) = (
        words(ColumnId::LevelFsWord)?,
        words(ColumnId::PriorityFsRaw)?,
    );
    let (least, most) = (
        words(ColumnId::PriorityFsRawLeast)?,
        words(ColumnId::PriorityFsRawMost)?,
    );
    let (level, usage) = (
        last.counts(ColumnId::Level)?,
        doubles(ColumnId::EffectvUsage)?,
    );
    let mut now = PriorityWords::with_room(span.len());
    let mut norm_shares = Vec::with_capacity(span.len());
    for position in span.clone() {
        let share = rule.associations.portion(position);
        let account = tree.order().above()[position] as usize;
        let above = match account.checked_sub(start) {
            Some(place) => now.at(place),
            None => Priority {
                raw: raw.at(account),
                least: least.at(account),
                most: most.at(account),
            },
        };
        let parts = (share, usage.at(position));
        now.push(&rule.at(position, level.at(position), parts, above));
        norm_shares.push(share);
    }
    let raw_now = raw.patched(start, now.raw);
    let (ranks, ranking) = ranks_after(
        (last.ranks(), last.ranking()),
        span.clone(),
        |user| !raw.at(user as usize),
        |user| !raw_now.at(user as usize),
    );
    let count = u32::try_from(ranking.positions().len()).ok()?;
    let mut counters = last
        .counts(ColumnId::SchedulerRank)?
        .in_one_piece()
        .into_owned();
    let mut factors = doubles(ColumnId::Factor)?.in_one_piece().into_owned();
    let both = ranks.iter().zip(last.ranks()).enumerate();
    for (position, (&rank, _)) in both.filter(|(_, (now, before))| now != before) {
        counters[position] = count - rank;
        factors[position] = factor(count - rank, count);
    }
    let word = |id, patch| Some((id, Numbers::Word(words(id)?.patched(start, patch))));
    let double = |id, patch| Some((id, Numbers::Double(doubles(id)?.patched(start, patch))));
    let evaluation = last.with_numbers(vec![
        double(ColumnId::NormShares, norm_shares)?,
        (
            ColumnId::LevelFsWord,
            Numbers::Word(own.patched(start, now.own)),
        ),
        (ColumnId::PriorityFsRaw, Numbers::Word(raw_now)),
        word(ColumnId::PriorityFsRawLeast, now.least)?,
        word(ColumnId::PriorityFsRawMost, now.most)?,
        (ColumnId::SchedulerRank, Numbers::Count(counters.into())),
        double(ColumnId::BucketFactor, now.factors)?,
        (ColumnId::Factor, Numbers::Double(factors.into())),
        (ColumnId::Rank, Numbers::Rank(ranks.into())),
    ]);
    let evaluation = evaluation.with_ranking(ranking);
    let Some(Presence::Marked(is_open)) = last.presence(ColumnId::PriorityFsRawLeast) else {
        return None;
    };
    if is_open[span.clone()] == now.is_open[..] {
        return Some(evaluation);
    }
    let mut marked = is_open.to_vec();
    marked[span].copy_from_slice(&now.is_open);
    let presence = Presence::Marked(Arc::new(marked));
    let ids = [ColumnId::PriorityFsRawLeast, ColumnId::PriorityFsRawMost];
    Some(evaluation.with_presence(&ids, &presence))
}
