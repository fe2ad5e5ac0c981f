//! Verifies the 64-bit priorities of `LEVEL_BASED`, and the factors that follow from their order.

use super::Fact;
use super::given_tree::{GivenTree, Interval};
use super::tally::{Judgement, Tally};
use crate::base::number::Value;
use crate::model::{MOST_LEVELS, NodeId, Settings, UsagePrecision};
use crate::rules::policy::level_based::{BucketFunction, Buckets, factor, levels};
use crate::rules::policy::{ColumnId, Evaluation};

pub(super) fn check(
    given_tree: &GivenTree,
    tally: &mut Tally,
    evaluation: &Evaluation,
    settings: &Settings,
    effective: &[Interval],
) {
    let snapshot = given_tree.snapshot;
    let tree = &snapshot.tree;
    let computed = |node| evaluation.value(ColumnId::PriorityFsRaw, node);
    let recorded = words(given_tree);
    let buckets = Buckets::for_levels(levels(tree, settings));
    let function = BucketFunction::new(buckets);
    let places = given_tree.associations.levels();
    let is_cut = snapshot.recorded.usage_precision != UsagePrecision::Exact;
    // Whether another usage that is truncated to the same number fills the bucket in this way.
    let is_possible = |position: usize, found: u64| {
        let parent = given_tree.parent(position);
        let Some(shift) = buckets.shift(places[position]) else {
            return recorded[parent].is_none_or(|above| above == found);
        };
        let own = buckets.full() << shift;
        let fits_above = parent == 0 || recorded[parent].is_none_or(|above| above == found & !own);
        let share = given_tree.share(position).low;
        let value = |used: f64| function.filling(share, used).value;
        let filled = found >> shift & buckets.full();
        let used = effective[position];
        fits_above && (value(used.high)..=value(used.low)).contains(&filled)
    };
    let judge_word = |position: usize| {
        let found = recorded[position]?;
        let node = tree.nodes()[position];
        let is_computed = computed(node) == Value::Word(found);
        let judgement = if is_computed || is_within(evaluation, node, found) {
            Judgement::Equal
        } else if is_cut && !given_tree.is_parent(position) && is_possible(position, found) {
            Judgement::Undecided
        } else {
            Judgement::Differs
        };
        Some((judgement, Value::Word(found)))
    };
    tally.compare_texts(snapshot, Fact::FairShareRaw, judge_word, computed);
    let by_word = factors(given_tree, &recorded);
    let judge = |position: usize, figure| {
        let node = tree.nodes()[position];
        let computed = evaluation.number(ColumnId::Factor, node)?;
        let stored = Interval::of(figure);
        let is = |factor: f64| stored.meets(Interval::between(factor, factor));
        let is_equal = is(computed) || by_word[position].is_some_and(is);
        Some(match (is_equal, by_word[position]) {
            (true, _) => Judgement::Equal,
            // Without priorities the order depends on truncated usage.
            (false, None) if is_cut => Judgement::Undecided,
            (false, _) => Judgement::Differs,
        })
    };
    tally.compare(snapshot, evaluation, Fact::FairShare, judge);
}

/// Returns whether a priority is one of those between which the controller's processor decides.
fn is_within(evaluation: &Evaluation, node: NodeId, word: u64) -> bool {
    let columns = [ColumnId::PriorityFsRawLeast, ColumnId::PriorityFsRawMost];
    match columns.map(|column| evaluation.value(column, node)) {
        [Value::Word(least), Value::Word(most)] => (least..=most).contains(&word),
        _ => false,
    }
}

fn words(given_tree: &GivenTree) -> Vec<Option<u64>> {
    let snapshot = given_tree.snapshot;
    let word = |&node: &NodeId| {
        let text = snapshot.recorded.text(Fact::FairShareRaw, node)?;
        u64::from_str_radix(text, 16).ok()
    };
    snapshot.tree.nodes().iter().map(word).collect()
}

/// Returns the `PriorityLevels` under which the fewest recorded priorities are impossible, whatever the usage. A
/// possible priority has the buckets of its account above its own bucket, which is not empty, and nothing below it.
pub(super) fn possible_levels(given_tree: &GivenTree) -> Vec<u8> {
    let words = words(given_tree);
    let places = given_tree.associations.levels();
    let misfits = |levels: u8| {
        let buckets = Buckets::for_levels(levels);
        let is_possible = |position: usize, word: u64| {
            let above = words[given_tree.parent(position)].unwrap_or(word);
            let is_passed = given_tree.is_parent(position) && !given_tree.is_user(position);
            match buckets.shift(places[position]).filter(|_| !is_passed) {
                Some(shift) => {
                    let own = buckets.full() << shift;
                    word & !own == above & !own && word & own != 0
                }
                None => word == above,
            }
        };
        let found = (1..words.len()).filter_map(|position| Some((position, words[position]?)));
        let misfits = found.filter(|&(position, word)| !is_possible(position, word));
        misfits.count()
    };
    let counts: Vec<usize> = (1..=MOST_LEVELS).map(misfits).collect();
    let least = counts.iter().min();
    let counts = (1..).zip(&counts);
    let fewest = counts.filter(|&(_, count)| Some(count) == least);
    fewest.map(|(levels, _)| levels).collect()
}

/// Returns, by position, the factors of users by their recorded priorities; `None` for all if a user has none.
fn factors(given_tree: &GivenTree, words: &[Option<u64>]) -> Vec<Option<f64>> {
    let mut factors = vec![None; words.len()];
    let users = (0..words.len()).filter(|&at| given_tree.is_user(at));
    let users = users.map(|at| Some((words[at]?, at)));
    let Some(mut users) = users.collect::<Option<Vec<_>>>() else {
        return factors;
    };
    users.sort_unstable_by(|a, b| b.cmp(a));
    let count = u32::try_from(users.len()).unwrap_or(u32::MAX);
    let mut counter = count;
    for tied in users.chunk_by(|a, b| a.0 == b.0) {
        let best = factor(counter - 1, count);
        for &(_, position) in tied {
            factors[position] = Some(best);
            counter -= 1;
        }
    }
    factors
}
