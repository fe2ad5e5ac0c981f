//! Verifies the 64-bit priorities of `LEVEL_BASED`, and the factors that follow from their order.

use super::given_tree::GivenTree;
use super::interval::Interval;
use super::tally::{Judgement, Tally};
use super::{ColumnCheck, Difference, Fact};
use crate::base::number::Value;
use crate::model::{Figure, MOST_LEVELS, NodeId, Settings, UsagePrecision};
use crate::rules::policy::level_based::{BucketFunction, Buckets, factor, levels};
use crate::rules::policy::{ColumnId, Evaluation};

/// Compares priorities and factors with those of the evaluation.
pub(super) fn check(
    given_tree: &GivenTree,
    tally: &mut Tally,
    evaluation: &Evaluation,
    settings: &Settings,
    effective: &[Interval],
) {
    let snapshot = given_tree.snapshot;
    let buckets = Buckets::for_levels(levels(&snapshot.tree, settings));
    let words = words(given_tree);
    let check = WordCheck {
        given_tree,
        evaluation,
        effective,
        factors: factors(given_tree, &words),
        words,
        levels: given_tree.associations.levels(),
        buckets,
        function: BucketFunction::new(buckets),
        is_cut: snapshot.recorded.usage_precision != UsagePrecision::Exact,
    };
    let mut column = ColumnCheck::new(Fact::FairShareRaw);
    for (position, node) in snapshot.tree.positions() {
        let Some(word) = check.words[position] else {
            continue;
        };
        let judgement = check.judge_word(position, node, word);
        tally.add(&mut column, position, judgement, || Difference {
            node,
            recorded: Value::Word(word),
            computed: evaluation.value(ColumnId::PriorityFsRaw, node),
        });
    }
    tally.push(column);
    tally.compare(snapshot, evaluation, Fact::FairShare, |position, figure| {
        check.judge_factor(position, figure)
    });
}

/// Compares recorded priorities and factors with what usage gives.
struct WordCheck<'a> {
    given_tree: &'a GivenTree<'a>,
    /// The policy's own numbers.
    evaluation: &'a Evaluation,
    /// By position: what the effective usage can be.
    effective: &'a [Interval],
    /// By position: the recorded priority.
    words: Vec<Option<u64>>,
    /// By position: the factor that follows from recorded priorities.
    factors: Vec<Option<f64>>,
    /// By position: the level.
    levels: Vec<u32>,
    buckets: Buckets,
    function: BucketFunction,
    /// Whether usage is shown without its last digits.
    is_cut: bool,
}

impl WordCheck<'_> {
    /// Judges a recorded priority.
    fn judge_word(&self, position: usize, node: NodeId, word: u64) -> Judgement {
        if self.is_computed(node, word) {
            Judgement::Equal
        } else if self.is_cut && self.is_possible(position, word) {
            Judgement::Undecided
        } else {
            Judgement::Differs
        }
    }

    /// Returns whether a priority is the policy's, or one of those between which the controller's processor decides.
    fn is_computed(&self, node: NodeId, word: u64) -> bool {
        if self.evaluation.value(ColumnId::PriorityFsRaw, node) == Value::Word(word) {
            return true;
        }
        let least = self.evaluation.value(ColumnId::PriorityFsRawLeast, node);
        let most = self.evaluation.value(ColumnId::PriorityFsRawMost, node);
        match (least, most) {
            (Value::Word(least), Value::Word(most)) => (least..=most).contains(&word),
            _ => false,
        }
    }

    /// Returns whether another usage that is truncated to the same number fills the bucket in this way.
    fn is_possible(&self, position: usize, word: u64) -> bool {
        if self.given_tree.is_parent(position) {
            return false;
        }
        let parent = self.given_tree.parent(position);
        let above = self.words[parent];
        let Some(shift) = self.buckets.shift(self.levels[position]) else {
            return above.is_none_or(|above| above == word);
        };
        let own = self.buckets.full() << shift;
        if parent > 0 && above.is_some_and(|above| above != word & !own) {
            return false;
        }
        let share = self.given_tree.share(position).low;
        let used = self.effective[position];
        let least = self.function.filling(share, used.high).value;
        let most = self.function.filling(share, used.low).value;
        (least..=most).contains(&(word >> shift & self.buckets.full()))
    }

    /// Judges a recorded factor; `None` if the policy has none there.
    fn judge_factor(&self, position: usize, figure: Figure) -> Option<Judgement> {
        let node = self.given_tree.tree.nodes()[position];
        let computed = self.evaluation.number(ColumnId::Factor, node)?;
        let stored = Interval::of(figure);
        if stored.meets(Interval::between(computed, computed)) {
            return Some(Judgement::Equal);
        }
        Some(match self.factors[position] {
            Some(factor) => Judgement::equal_if(stored.meets(Interval::between(factor, factor))),
            // Without priorities the order depends on truncated usage.
            None if self.is_cut => Judgement::Undecided,
            None => Judgement::Differs,
        })
    }
}

/// Returns, by position, the recorded priorities.
fn words(given_tree: &GivenTree) -> Vec<Option<u64>> {
    let snapshot = given_tree.snapshot;
    let mut words = Vec::with_capacity(snapshot.tree.node_count());
    for &node in snapshot.tree.nodes() {
        words.push(match snapshot.recorded.text(Fact::FairShareRaw, node) {
            Some(text) => u64::from_str_radix(text, 16).ok(),
            None => None,
        });
    }
    words
}

/// Returns the `PriorityLevels` under which the fewest recorded priorities are impossible, whatever the usage.
pub(super) fn possible_levels(given_tree: &GivenTree) -> Vec<u8> {
    let words = words(given_tree);
    let places = given_tree.associations.levels();
    let mut fewest = usize::MAX;
    let mut possible = Vec::new();
    for levels in 1..=MOST_LEVELS {
        let buckets = Buckets::for_levels(levels);
        let mut misfits = 0;
        for position in 1..words.len() {
            let Some(word) = words[position] else {
                continue;
            };
            let above = words[given_tree.parent(position)].unwrap_or(word);
            let is_passed = given_tree.is_parent(position) && !given_tree.is_user(position);
            let is_possible = match buckets.shift(places[position]) {
                Some(shift) if !is_passed => fills_bucket(word, above, buckets.full() << shift),
                _ => word == above,
            };
            if !is_possible {
                misfits += 1;
            }
        }
        if misfits < fewest {
            fewest = misfits;
            possible.clear();
        }
        if misfits == fewest {
            possible.push(levels);
        }
    }
    possible
}

/// Returns whether a priority has the buckets of its account above its own bucket, which is not empty, and nothing below
/// it.
const fn fills_bucket(word: u64, above: u64, bucket: u64) -> bool {
    word & !bucket == above & !bucket && word & bucket != 0
}

/// Returns, by position, the factors of users by their recorded priorities; `None` for all if a user has none.
fn factors(given_tree: &GivenTree, words: &[Option<u64>]) -> Vec<Option<f64>> {
    let mut factors = vec![None; words.len()];
    let mut users = Vec::new();
    for (position, &word) in words.iter().enumerate() {
        if given_tree.is_user(position) {
            let Some(word) = word else {
                return factors;
            };
            users.push((word, position));
        }
    }
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
