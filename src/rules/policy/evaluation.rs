//! What a policy computed: one typed column of numbers per [`ColumnId`], by position in the tree.

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
    Count(Vec<u32>),
    Word(Vec<u64>),
}

impl Numbers {
    fn bits(&self) -> Vec<u64> {
        match self {
            Self::Double(numbers) => numbers.iter().map(|one| one.to_bits()).collect(),
            Self::Single(numbers) => numbers.iter().map(|one| one.to_bits().into()).collect(),
            Self::Rank(all) | Self::Count(all) => all.iter().copied().map(u64::from).collect(),
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
    pub(super) fn marked(marks: impl Iterator<Item = bool>) -> Self {
        Self::Marked(Arc::new(marks.collect()))
    }

    fn includes(&self, position: usize) -> bool {
        match self {
            Self::Everywhere => true,
            Self::BelowRoot => position > 0,
            Self::Marked(marked) => marked[position],
        }
    }
}

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

    pub(super) fn singles(id: ColumnId, numbers: Vec<f32>) -> Self {
        Self::new(id, Numbers::Single(numbers))
    }

    pub(super) fn doubles(id: ColumnId, numbers: Vec<f64>) -> Self {
        Self::new(id, Numbers::Double(numbers))
    }

    pub(super) fn ranks(id: ColumnId, ranks: Vec<u32>) -> Self {
        Self::new(id, Numbers::Rank(ranks))
    }

    pub(super) fn counts(id: ColumnId, counts: Vec<u32>) -> Self {
        Self::new(id, Numbers::Count(counts))
    }

    pub(super) fn words(id: ColumnId, words: Vec<u64>) -> Self {
        Self::new(id, Numbers::Word(words))
    }

    pub(super) fn at(self, presence: Presence) -> Self {
        Self { presence, ..self }
    }
}

/// A tree under a policy: typed columns, and which nodes have no numbers at all. Clones share the columns.
#[derive(Clone, Debug)]
pub struct Evaluation {
    order: Arc<Order>,
    columns: Vec<Arc<NumberColumn>>,
    blank: Option<Vec<bool>>,
    /// By column and position: whether the number is the printed one, which the rule does not reproduce.
    printed: Vec<(ColumnId, Vec<bool>)>,
    /// The best rank in each subtree, by position, once it was asked for.
    best_ranks: OnceLock<Vec<u32>>,
    /// The worst rank in each subtree, in the same way.
    worst_ranks: OnceLock<Vec<u32>>,
    /// The users by rank, once they were asked for.
    ranking: OnceLock<Ranking>,
    /// How many users of each subtree have a rank, by position, once that was asked for.
    user_counts: OnceLock<Vec<u32>>,
}

impl Evaluation {
    /// Collects the columns of one policy. `blank` marks nodes for which the policy has no numbers.
    pub(super) fn new(tree: &Tree, columns: Vec<NumberColumn>, blank: Option<Vec<bool>>) -> Self {
        Self {
            order: tree.shared_order(),
            columns: columns.into_iter().map(Arc::new).collect(),
            blank,
            printed: Vec::new(),
            best_ranks: OnceLock::new(),
            worst_ranks: OnceLock::new(),
            ranking: OnceLock::new(),
            user_counts: OnceLock::new(),
        }
    }

    /// Returns the evaluation with printed numbers marked by column and position.
    pub(super) fn with_printed(self, printed: Vec<(ColumnId, Vec<bool>)>) -> Self {
        Self { printed, ..self }
    }

    /// Returns whether a node's number is the one that the scheduler printed, where its rule gives another.
    pub fn is_printed(&self, column: ColumnId, node: NodeId) -> bool {
        let mut printed = self.printed.iter();
        let marked = printed.find(|(id, _)| *id == column);
        let found = marked.zip(self.order.position(node));
        found.is_some_and(|((_, marked), position)| marked[position])
    }

    /// Returns the evaluation with further columns, which replace those with the same id.
    pub(super) fn with(mut self, columns: Vec<NumberColumn>) -> Self {
        self.columns
            .retain(|column| columns.iter().all(|new| new.id != column.id));
        self.columns.extend(columns.into_iter().map(Arc::new));
        self.best_ranks.take();
        self.worst_ranks.take();
        self.ranking.take();
        self.user_counts.take();
        self
    }

    fn column(&self, id: ColumnId) -> Option<&NumberColumn> {
        let mut columns = self.columns.iter().map(|column| &**column);
        columns.find(|column| column.id == id)
    }

    pub(super) fn numbers(&self, id: ColumnId) -> Option<&Numbers> {
        self.column(id).map(|column| &column.numbers)
    }

    /// Returns whether the policy has no numbers for the node, or did not know it.
    pub fn is_blank(&self, node: NodeId) -> bool {
        match self.order.position(node) {
            Some(position) => self.blank.as_ref().is_some_and(|blank| blank[position]),
            None => true,
        }
    }

    /// Returns the number of a node in a column; [`Value::Null`] where there is none.
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        let position = self.order.position(node);
        position.map_or(Value::Null, |position| self.view(column).value(position))
    }

    /// Returns a column by position in the tree's order.
    pub fn view(&self, column: ColumnId) -> ColumnView<'_> {
        ColumnView {
            column: self.column(column),
            blank: self.blank.as_deref(),
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
        let key = |node| match self.value(column, node) {
            Value::Word(word) => Some((word, 0)),
            value => value.as_f64().map(|number| (0, rising(number))),
        };
        key(b).cmp(&key(a))
    }

    /// Returns, by position, the best rank in each subtree; 0 if no user in it has one. They are computed once.
    pub fn best_ranks(&self) -> &[u32] {
        self.best_ranks.get_or_init(|| {
            let mut best = self.ranks().to_vec();
            best.resize(self.order.nodes().len(), 0);
            // Without the ranks of nobody, which are 0, the least rank is the best.
            let better = |a: u32, b: u32| if a == 0 || b == 0 { a.max(b) } else { a.min(b) };
            self.order.sum_up(&mut best, better);
            best
        })
    }

    /// Returns the best rank in a node's subtree, or `None` if no user in it has one.
    pub fn best_rank(&self, node: NodeId) -> Option<u32> {
        let position = self.order.position(node)?;
        Some(self.best_ranks()[position]).filter(|&rank| rank > 0)
    }

    /// Returns the user with the best rank of a node and all nodes below it, the first in the tree of those that tie. `None`
    /// if none of them has a rank.
    pub fn best_user(&self, node: NodeId) -> Option<NodeId> {
        let best = self.best_rank(node)?;
        let mut span = self.order.span(node);
        let position = span.find(|&position| self.ranks()[position] == best)?;
        Some(self.order.nodes()[position])
    }

    /// Returns the worst rank in a node's subtree, or `None` if no user in it has one.
    pub(crate) fn worst_rank(&self, node: NodeId) -> Option<u32> {
        let position = self.order.position(node)?;
        let worst = self.worst_ranks.get_or_init(|| {
            let mut worst = self.ranks().to_vec();
            worst.resize(self.order.nodes().len(), 0);
            self.order.sum_up(&mut worst, u32::max);
            worst
        });
        Some(worst[position]).filter(|&rank| rank > 0)
    }

    /// Returns the evaluation with the users in the order of their ranks, which was computed with them.
    pub(super) fn with_ranking(mut self, ranking: Ranking) -> Self {
        self.ranking = OnceLock::from(ranking);
        self
    }

    /// Returns the users that have a rank, in this order. They are sorted once.
    pub fn ranking(&self) -> &Ranking {
        self.ranking.get_or_init(|| Ranking::of(self.ranks()))
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

    fn users_within(&self, position: usize) -> usize {
        let counts = self.user_counts.get_or_init(|| {
            let mut is_ranked: Vec<bool> = self.ranks().iter().map(|&rank| rank > 0).collect();
            is_ranked.resize(self.order.nodes().len(), false);
            self.order.count_within(&is_ranked)
        });
        counts[position] as usize
    }

    /// Returns the places in the ranking of the users in a node's subtree, if they follow each other. `None` if another user
    /// ranks among them or ties with one of them, and without ranked users.
    fn block(&self, node: NodeId) -> Option<Range<usize>> {
        let (best, worst) = (self.best_rank(node)?, self.worst_rank(node)?);
        let (ranks, ranking) = (self.ranks(), self.ranking());
        let start = ranking.places(ranks, best).start;
        let end = ranking.places(ranks, worst).end;
        let is_apart = end - start == self.users_within(self.order.position(node)?);
        is_apart.then_some(start..end)
    }

    /// Returns how many users in a node's subtree rank before a rank; `None` if others rank among them, so that each must be
    /// looked at.
    pub(super) fn users_before(&self, node: NodeId, rank: u32) -> Option<usize> {
        if self.best_rank(node).is_none_or(|best| rank <= best) {
            return Some(0);
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
        let (ranks, ranking) = (self.ranks(), self.ranking());
        let (outer, inner) = (self.order.span(account), self.order.span(left_out));
        let is_wanted = |&&at: &&u32| {
            let at = at as usize;
            outer.contains(&at) && !inner.contains(&at)
        };
        let mut end = ranking.places(ranks, rank).start;
        if let Some(block) = self.block(left_out) {
            end = end.min(block.start);
        }
        let last = *ranking.positions()[..end].iter().rfind(is_wanted)?;
        let tied = ranking.places(ranks, ranks[last as usize]);
        let first = ranking.positions()[tied].iter().find(is_wanted)?;
        Some(self.order.nodes()[*first as usize])
    }

    /// Returns the position of a node in the order that was evaluated.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.order.position(node)
    }

    /// Returns the rank of a user, where 1 runs first, or `None` if it has none.
    pub fn rank(&self, node: NodeId) -> Option<u32> {
        let rank = self.ranks().get(self.order.position(node)?).copied();
        rank.filter(|&rank| rank > 0)
    }
}

/// Returns the positions without numbers: the nodes below the root that are left out, and everything below them. `None`
/// if every node has numbers, as almost always.
pub(super) fn blank(tree: &Tree, is_left_out: impl Fn(NodeId) -> bool) -> Option<Vec<bool>> {
    let above = tree.order().above();
    let mut blank: Option<Vec<bool>> = None;
    for (position, &node) in tree.nodes().iter().enumerate().skip(1) {
        let known = blank.as_ref();
        let is_below = known.is_some_and(|blank| blank[above[position] as usize]);
        if is_below || is_left_out(node) {
            blank.get_or_insert_with(|| vec![false; tree.node_count()])[position] = true;
        }
    }
    blank
}

/// The numbers of one column by position in the tree's order.
#[derive(Clone, Copy, Debug)]
pub struct ColumnView<'a> {
    column: Option<&'a NumberColumn>,
    blank: Option<&'a [bool]>,
}

impl ColumnView<'_> {
    /// Returns the number at a position; [`Value::Null`] where there is none.
    pub fn value(&self, at: usize) -> Value {
        let is_blank = self.blank.is_some_and(|blank| blank[at]);
        let is_there = |column: &&NumberColumn| !is_blank && column.presence.includes(at);
        let column = self.column.filter(is_there);
        match column.map(|column| &column.numbers) {
            Some(Numbers::Double(numbers)) => Value::Double(numbers[at]),
            Some(Numbers::Single(numbers)) => Value::Single(numbers[at]),
            Some(Numbers::Rank(ranks)) if ranks[at] > 0 => Value::Count(i64::from(ranks[at])),
            Some(Numbers::Count(counts)) => Value::Count(i64::from(counts[at])),
            Some(Numbers::Word(words)) => Value::Word(words[at]),
            Some(Numbers::Rank(_)) | None => Value::Null,
        }
    }
}

impl PartialEq for Evaluation {
    /// Compares the numbers of the same nodes bit by bit, so that a NaN equals itself.
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<NumberColumn>, &Arc<NumberColumn>)| {
            (a.id, &a.presence) == (b.id, &b.presence) && a.numbers.bits() == b.numbers.bits()
        };
        self.order.nodes() == other.order.nodes()
            && self.blank == other.blank
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(same)
    }
}
