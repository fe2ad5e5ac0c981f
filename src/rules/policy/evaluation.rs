//! What a policy computed: one typed column of numbers per [`ColumnId`], by position in the tree.

use super::blank::BlankNodes;
use super::{ColumnId, Ranking};
use crate::base::number::Value;
use crate::base::sort::rising;
use crate::model::{NodeId, Order, Tree};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The numbers of one column, by position in the tree's order.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    /// 64-bit floats.
    Double(Vec<f64>),
    /// 32-bit floats.
    Single(Vec<f32>),
    /// Ranks; 0 for nodes without one.
    Rank(Vec<u32>),
    /// Whole numbers.
    Count(Vec<u32>),
    /// Words of 64 bits.
    Word(Vec<u64>),
}

impl Numbers {
    /// Returns the bits of each number.
    fn bits(&self) -> Vec<u64> {
        match self {
            Self::Double(numbers) => numbers.iter().map(|number| number.to_bits()).collect(),
            Self::Single(numbers) => numbers
                .iter()
                .map(|number| number.to_bits().into())
                .collect(),
            Self::Rank(numbers) | Self::Count(numbers) => {
                numbers.iter().copied().map(u64::from).collect()
            }
            Self::Word(words) => words.clone(),
        }
    }
}

/// Which nodes have a number in a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Presence {
    /// All of them.
    Everywhere,
    /// All but the root.
    BelowRoot,
    /// The marked nodes, by position.
    Marked(Arc<Vec<bool>>),
}

impl Presence {
    /// Returns the presence of a number at each position for which the mark is true.
    pub(super) fn marked(marks: impl Iterator<Item = bool>) -> Self {
        Self::Marked(Arc::new(marks.collect()))
    }

    /// Returns whether the node at a position has a number.
    fn includes(&self, position: usize) -> bool {
        match self {
            Self::Everywhere => true,
            Self::BelowRoot => position > 0,
            Self::Marked(marked) => marked[position],
        }
    }
}

/// The numbers of a column, and where they are.
#[derive(Clone, Debug)]
pub(super) struct NumberColumn {
    id: ColumnId,
    numbers: Numbers,
    presence: Presence,
}

impl NumberColumn {
    pub(super) fn new(id: ColumnId, numbers: Numbers) -> Self {
        Self {
            id,
            numbers,
            presence: Presence::Everywhere,
        }
    }

    /// Returns the column with numbers at these nodes only.
    pub(super) fn at(self, presence: Presence) -> Self {
        Self { presence, ..self }
    }

    /// Returns the column without the numbers of the nodes that are marked, by position.
    fn without(&self, hidden: &[bool]) -> Self {
        let mut marks = Vec::with_capacity(hidden.len());
        for (position, &is_hidden) in hidden.iter().enumerate() {
            marks.push(!is_hidden && self.presence.includes(position));
        }
        Self {
            id: self.id,
            numbers: self.numbers.clone(),
            presence: Presence::Marked(Arc::new(marks)),
        }
    }
}

impl ColumnId {
    /// Returns this column with numbers at every node.
    pub(super) fn doubles(self, numbers: Vec<f64>) -> NumberColumn {
        NumberColumn::new(self, Numbers::Double(numbers))
    }

    /// Returns this column with single numbers at every node.
    pub(super) fn singles(self, numbers: Vec<f32>) -> NumberColumn {
        NumberColumn::new(self, Numbers::Single(numbers))
    }

    /// Returns this column of ranks; 0 for nodes without one.
    pub(super) fn ranks(self, ranks: Vec<u32>) -> NumberColumn {
        NumberColumn::new(self, Numbers::Rank(ranks))
    }

    /// Returns this column with whole numbers at every node.
    pub(super) fn counts(self, counts: Vec<u32>) -> NumberColumn {
        NumberColumn::new(self, Numbers::Count(counts))
    }

    /// Returns this column with words of 64 bits at every node.
    pub(super) fn words(self, words: Vec<u64>) -> NumberColumn {
        NumberColumn::new(self, Numbers::Word(words))
    }
}

/// A tree under a policy: typed columns, and which nodes have no numbers at all. Clones share the columns.
#[derive(Clone, Debug)]
pub struct Evaluation {
    order: Arc<Order>,
    /// Each with another id.
    columns: Vec<Arc<NumberColumn>>,
    /// The nodes for which the policy has no numbers at all.
    blank: BlankNodes,
    /// Whether there are users that are not listed, so that the ranks are among the listed users only.
    is_of_part: bool,
    /// By column and position: whether the number is the printed one, which the rule does not reproduce.
    printed: Vec<(ColumnId, Vec<bool>)>,
    by_rank: RankSummaries,
}

/// What follows from the ranks. All of it is computed once, when it is first asked for.
#[derive(Clone, Debug, Default)]
struct RankSummaries {
    /// The best rank in each subtree, by position.
    best: OnceLock<Vec<u32>>,
    /// The worst rank in each subtree, in the same way.
    worst: OnceLock<Vec<u32>>,
    /// The users by rank.
    ranking: OnceLock<Ranking>,
    /// How many users of each subtree have a rank, by position.
    user_counts: OnceLock<Vec<u32>>,
}

impl Evaluation {
    /// Collects the columns of one policy. `blank` marks nodes for which the policy has no numbers.
    pub(super) fn new(tree: &Tree, columns: Vec<NumberColumn>, blank: BlankNodes) -> Self {
        Self {
            order: tree.shared_order(),
            columns: columns.into_iter().map(Arc::new).collect(),
            blank,
            is_of_part: tree.part().is_some(),
            printed: Vec::new(),
            by_rank: RankSummaries::default(),
        }
    }

    /// Drops columns.
    pub(super) fn drop_columns(&mut self, ids: &[ColumnId]) {
        self.columns.retain(|column| !ids.contains(&column.id));
    }

    /// Drops the numbers but usage of the nodes that are marked in `hidden`, and the ranks of those in `unordered`.
    pub(super) fn hide(&mut self, hidden: &[bool], unordered: &[bool]) {
        for column in &mut self.columns {
            match (column.id, &column.numbers) {
                (ColumnId::Usage, _) => {}
                (ColumnId::Rank, Numbers::Rank(ranks)) => {
                    let mut known = ranks.clone();
                    for (position, rank) in known.iter_mut().enumerate() {
                        if unordered[position] {
                            *rank = 0;
                        }
                    }
                    *column = Arc::new(ColumnId::Rank.ranks(known));
                }
                _ => *column = Arc::new(column.without(hidden)),
            }
        }
        self.by_rank = RankSummaries::default();
    }

    /// Drops the numbers of one column of the nodes that are marked.
    pub(super) fn hide_in(&mut self, id: ColumnId, hidden: &[bool]) {
        for column in &mut self.columns {
            if column.id == id {
                *column = Arc::new(column.without(hidden));
            }
        }
    }

    /// Returns the evaluation with printed numbers marked by column and position.
    pub(super) fn with_printed(self, printed: Vec<(ColumnId, Vec<bool>)>) -> Self {
        Self { printed, ..self }
    }

    /// Returns whether a node's number is the one that the scheduler printed, where its rule gives another.
    pub fn is_printed(&self, column: ColumnId, node: NodeId) -> bool {
        let Some(position) = self.order.position(node) else {
            return false;
        };
        for (id, marked) in &self.printed {
            if *id == column {
                return marked[position];
            }
        }
        false
    }

    /// Returns the evaluation with further columns, which replace those with the same id.
    pub(super) fn with(mut self, columns: Vec<NumberColumn>) -> Self {
        for new in columns {
            self.columns.retain(|column| column.id != new.id);
            self.columns.push(Arc::new(new));
        }
        self.by_rank = RankSummaries::default();
        self
    }

    /// Returns the column with an id, or `None` if the policy does not compute it.
    fn column(&self, id: ColumnId) -> Option<&NumberColumn> {
        let mut columns = self.columns.iter();
        let column = columns.find(|column| column.id == id)?;
        Some(column)
    }

    /// Returns the numbers of a column, or `None` if the policy does not compute it.
    pub(super) fn numbers(&self, id: ColumnId) -> Option<&Numbers> {
        Some(&self.column(id)?.numbers)
    }

    /// Returns whether the policy has no numbers for the node, or did not know it.
    pub fn is_blank(&self, node: NodeId) -> bool {
        match self.order.position(node) {
            Some(position) => self.blank.contains(position),
            None => true,
        }
    }

    /// Returns the number of a node in a column; [`Value::Null`] where there is none.
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        match self.order.position(node) {
            Some(position) => self.view(column).value(position),
            None => Value::Null,
        }
    }

    /// Returns a column by position in the tree's order.
    pub fn view(&self, column: ColumnId) -> ColumnView<'_> {
        let is_unknown = self.is_of_part && column == ColumnId::Rank;
        ColumnView {
            column: self.column(column).filter(|_| !is_unknown),
            blank: &self.blank,
        }
    }

    /// Returns whether the last unit of the node's 64-bit priority, if it has one, depends on the processor.
    pub fn is_open_word(&self, node: NodeId) -> bool {
        self.value(ColumnId::PriorityFsRawLeast, node) != Value::Null
    }

    /// Returns the number of a node in a column as a double, or `None` if it has none.
    pub fn number(&self, column: ColumnId, node: NodeId) -> Option<f64> {
        self.value(column, node).as_f64()
    }

    /// Compares the numbers of two nodes in one column, the larger first; a node without one comes last.
    pub(super) fn compare(&self, column: ColumnId, a: NodeId, b: NodeId) -> Ordering {
        self.key(column, b).cmp(&self.key(column, a))
    }

    /// Returns the number of a node as an integer of the same order; `None`, which is below all, if it has none.
    fn key(&self, column: ColumnId, node: NodeId) -> Option<u64> {
        match self.value(column, node) {
            Value::Word(word) => Some(word),
            value => value.as_f64().map(rising),
        }
    }

    /// Returns, by position, the best rank in each subtree; 0 if no user in it has one. They are computed once.
    pub fn best_ranks(&self) -> &[u32] {
        let best = &self.by_rank.best;
        best.get_or_init(|| self.gathered_ranks(better_rank))
    }

    /// Returns, by position, the worst rank in each subtree; 0 if no user in it has one. They are computed once.
    fn worst_ranks(&self) -> &[u32] {
        let worst = &self.by_rank.worst;
        worst.get_or_init(|| self.gathered_ranks(u32::max))
    }

    /// Returns, by position, what a choice between two ranks gives of all ranks in each subtree.
    fn gathered_ranks(&self, choice: impl Fn(u32, u32) -> u32) -> Vec<u32> {
        let mut ranks = self.ranks().to_vec();
        ranks.resize(self.order.nodes().len(), 0);
        self.order.sum_up(&mut ranks, choice);
        ranks
    }

    /// Returns the best rank in a node's subtree. `None` if no user in it has one, or if there are users that are not listed.
    pub fn best_rank(&self, node: NodeId) -> Option<u32> {
        if self.is_of_part {
            return None;
        }
        self.best_listed_rank(node)
    }

    /// Returns the best rank among the listed users of a node's subtree, or `None` if no user in it has one.
    fn best_listed_rank(&self, node: NodeId) -> Option<u32> {
        let position = self.order.position(node)?;
        some_rank(self.best_ranks()[position])
    }

    /// Returns the user with the best rank of a node and all nodes below it, the first in the tree of those that tie. `None`
    /// if none of them has a rank.
    pub fn best_user(&self, node: NodeId) -> Option<NodeId> {
        let best = self.best_listed_rank(node)?;
        let ranks = self.ranks();
        for position in self.order.span(node) {
            if ranks[position] == best {
                return Some(self.order.nodes()[position]);
            }
        }
        None
    }

    /// Returns the worst rank in a node's subtree, or `None` if no user in it has one.
    pub(crate) fn worst_rank(&self, node: NodeId) -> Option<u32> {
        let position = self.order.position(node)?;
        some_rank(self.worst_ranks()[position])
    }

    /// Returns the evaluation with the users in the order of their ranks, which was computed with them.
    pub(super) fn with_ranking(mut self, ranking: Ranking) -> Self {
        self.by_rank.ranking = OnceLock::from(ranking);
        self
    }

    /// Returns the users that have a rank, in this order. They are sorted once.
    pub fn ranking(&self) -> &Ranking {
        let ranking = &self.by_rank.ranking;
        ranking.get_or_init(|| Ranking::from_ranks(self.ranks()))
    }

    /// Returns, by position in the tree's order, the rank of each user; 0 for accounts and users without numbers.
    pub fn ranks(&self) -> &[u32] {
        self.ranks_of(ColumnId::Rank)
    }

    /// Returns a column of ranks, by position; empty if the policy does not compute it.
    pub(super) fn ranks_of(&self, column: ColumnId) -> &[u32] {
        match self.numbers(column) {
            Some(Numbers::Rank(ranks)) => ranks,
            _ => &[],
        }
    }

    /// Returns how many users have a rank. They are counted once.
    pub fn user_count(&self) -> usize {
        self.users_within(0)
    }

    /// Returns how many users have a rank in the subtree at a position.
    pub(super) fn users_within(&self, position: usize) -> usize {
        let counts = self.by_rank.user_counts.get_or_init(|| {
            let mut is_ranked = vec![false; self.order.nodes().len()];
            for (position, &rank) in self.ranks().iter().enumerate() {
                is_ranked[position] = rank > 0;
            }
            self.order.count_within(&is_ranked)
        });
        counts[position] as usize
    }

    /// Returns the places in the ranking of the users in a node's subtree, if they follow each other. `None` if another user
    /// ranks among them or ties with one of them, and without ranked users.
    fn block(&self, node: NodeId) -> Option<Range<usize>> {
        let best = self.best_listed_rank(node)?;
        let worst = self.worst_rank(node)?;
        let ranking = self.ranking();
        let start = ranking.places(self.ranks(), best).start;
        let end = ranking.places(self.ranks(), worst).end;
        let user_count = self.users_within(self.order.position(node)?);
        if end - start != user_count {
            return None;
        }
        Some(start..end)
    }

    /// Returns how many users in a node's subtree rank before a rank; `None` if others rank among them, so that each must be
    /// looked at.
    pub(super) fn users_before(&self, node: NodeId, rank: u32) -> Option<usize> {
        match self.best_listed_rank(node) {
            Some(best) if best < rank => {}
            _ => return Some(0),
        }
        let block = self.block(node)?;
        let end = self.ranking().places(self.ranks(), rank).start;
        Some(end.min(block.end) - block.start)
    }

    /// Returns the last user in an account's subtree, and not in that of one node in it, that ranks before a rank: of those
    /// that tie, the first in the tree.
    pub(super) fn last_before(
        &self,
        rank: u32,
        account: NodeId,
        left_out: NodeId,
    ) -> Option<NodeId> {
        let ranks = self.ranks();
        let ranking = self.ranking();
        let outer = self.order.span(account);
        let inner = self.order.span(left_out);
        let mut end = ranking.places(ranks, rank).start;
        if let Some(block) = self.block(left_out) {
            end = end.min(block.start);
        }
        let mut found = None;
        let mut found_rank = 0;
        for &position in ranking.positions()[..end].iter().rev() {
            let position = position as usize;
            let rank = ranks[position];
            if found.is_some() && rank != found_rank {
                break;
            }
            // Those that tie are in the order of the tree, so the first of them is met last.
            if outer.contains(&position) && !inner.contains(&position) {
                found = Some(self.order.nodes()[position]);
                found_rank = rank;
            }
        }
        found
    }

    /// Returns the position of a node in the order that was evaluated.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.order.position(node)
    }

    /// Returns the rank of a user, where 1 runs first. `None` if it has none, or if there are users that are not listed.
    pub fn rank(&self, node: NodeId) -> Option<u32> {
        if self.is_of_part {
            return None;
        }
        self.listed_rank(node)
    }

    /// Returns the best rank that a user can have, if there are users that are not listed: as many as are listed before it
    /// run before it, whoever else does. `None` if its rank is known, or if nothing tells.
    pub fn least_rank(&self, node: NodeId) -> Option<u32> {
        if self.is_of_part {
            self.listed_rank(node)
        } else {
            None
        }
    }

    /// Returns whether there are users that are not listed, so that no rank is known.
    pub fn is_of_part(&self) -> bool {
        self.is_of_part
    }

    /// Returns the rank of a user among the listed ones, or `None` if it has none.
    pub(crate) fn listed_rank(&self, node: NodeId) -> Option<u32> {
        let position = self.order.position(node)?;
        some_rank(*self.ranks().get(position)?)
    }
}

/// Returns a rank, or `None` for 0, which stands for none.
pub(super) fn some_rank(rank: u32) -> Option<u32> {
    match rank {
        0 => None,
        rank => Some(rank),
    }
}

/// Returns the better of two ranks, of which 0 is none.
fn better_rank(a: u32, b: u32) -> u32 {
    if a == 0 || b == 0 { a.max(b) } else { a.min(b) }
}

/// The numbers of one column by position in the tree's order.
#[derive(Clone, Copy, Debug)]
pub struct ColumnView<'a> {
    column: Option<&'a NumberColumn>,
    blank: &'a BlankNodes,
}

impl ColumnView<'_> {
    /// Returns the number at a position; [`Value::Null`] where there is none.
    pub fn value(&self, position: usize) -> Value {
        let Some(column) = self.column else {
            return Value::Null;
        };
        if self.blank.contains(position) || !column.presence.includes(position) {
            return Value::Null;
        }
        match &column.numbers {
            Numbers::Double(numbers) => Value::Double(numbers[position]),
            Numbers::Single(numbers) => Value::Single(numbers[position]),
            Numbers::Rank(ranks) => match ranks[position] {
                0 => Value::Null,
                rank => Value::Count(rank.into()),
            },
            Numbers::Count(counts) => Value::Count(counts[position].into()),
            Numbers::Word(words) => Value::Word(words[position]),
        }
    }
}

impl PartialEq for Evaluation {
    /// Compares the numbers of the same nodes bit by bit, so that a NaN equals itself.
    fn eq(&self, other: &Self) -> bool {
        self.order.nodes() == other.order.nodes()
            && self.blank == other.blank
            && self.columns == other.columns
    }
}

impl PartialEq for NumberColumn {
    /// Compares the numbers bit by bit.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.presence == other.presence
            && self.numbers.bits() == other.numbers.bits()
    }
}
