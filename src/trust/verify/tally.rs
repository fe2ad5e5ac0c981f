//! Compares recorded numbers with ours, and counts the results by column and by row.

use super::{ColumnCheck, Difference, Fact};
use crate::base::cores;
use crate::base::number::Value;
use crate::model::{Figure, NodeId, Snapshot};
use crate::rules::policy::{ColumnId, Evaluation};

/// What a comparison of a recorded number with ours tells.
#[derive(Clone, Copy)]
pub(super) enum Judgement {
    /// It equals our number, within the printed precision.
    Equal,
    /// The missing digits decide.
    Undecided,
    /// It cannot have been computed from this.
    Differs,
}

impl Judgement {
    /// Judges a number whose missing digits decide nothing.
    pub(super) const fn equal_if(is_equal: bool) -> Self {
        if is_equal { Self::Equal } else { Self::Differs }
    }
}

/// The comparison of recorded columns with a policy's.
#[derive(Clone)]
pub(super) struct Tally {
    /// The columns that were compared, in the order of the table of facts.
    pub(super) columns: Vec<ColumnCheck>,
    /// By position: whether any recorded number was compared.
    is_row: Vec<bool>,
    /// By position: whether anything recorded differs.
    is_misfit: Vec<bool>,
    /// The numbers that differ, column by column.
    pub(super) differing: Vec<(Fact, NodeId)>,
    /// Whether the policy gives every recorded number digit by digit.
    pub(super) is_reproduced: bool,
}

impl Tally {
    /// Returns a comparison of nothing yet, for a tree of so many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            columns: Vec::new(),
            is_row: vec![false; nodes],
            is_misfit: vec![false; nodes],
            differing: Vec::new(),
            is_reproduced: false,
        }
    }

    /// Compares every number of a recorded column with ours. `judge` is given the position and the recorded figure, and
    /// returns `None` if there is nothing to compare.
    pub(super) fn compare(
        &mut self,
        snapshot: &Snapshot,
        evaluation: &Evaluation,
        fact: Fact,
        mut judge: impl FnMut(usize, Figure) -> Option<Judgement>,
    ) {
        let Some(figures) = snapshot.recorded.figures(fact) else {
            return;
        };
        let mut column = ColumnCheck::new(fact);
        for (position, node) in cores::in_turn(snapshot.tree.positions()) {
            let Some(figure) = figures.get(node) else {
                continue;
            };
            let Some(judgement) = judge(position, figure) else {
                continue;
            };
            self.add(&mut column, position, judgement, || Difference {
                node,
                recorded: Value::Double(figure.value),
                computed: our_number(evaluation, fact, node),
            });
        }
        self.push(column);
    }

    /// Counts a recorded number in its column and its row. The difference is asked for only if there is one.
    pub(super) fn add(
        &mut self,
        column: &mut ColumnCheck,
        position: usize,
        judgement: Judgement,
        difference: impl FnOnce() -> Difference,
    ) {
        column.rows += 1;
        self.is_row[position] = true;
        match judgement {
            Judgement::Equal => column.equal += 1,
            Judgement::Undecided => column.undecided += 1,
            Judgement::Differs => {
                let difference = difference();
                self.is_misfit[position] = true;
                self.differing.push((column.fact, difference.node));
                column.add(difference);
            }
        }
    }

    /// Adds a column that was compared, unless it has no rows.
    pub(super) fn push(&mut self, column: ColumnCheck) {
        if column.rows > 0 {
            self.columns.push(column);
            self.columns.sort_by_key(|column| column.fact);
        }
    }

    /// Returns a column, or `None` if it was not compared.
    pub(super) fn column(&self, fact: Fact) -> Option<&ColumnCheck> {
        self.columns.iter().find(|column| column.fact == fact)
    }

    /// Returns how many numbers of a column differ; 0 if it was not compared.
    pub(super) fn differing_in(&self, fact: Fact) -> usize {
        match self.column(fact) {
            Some(column) => column.differing(),
            None => 0,
        }
    }

    /// Returns how many recorded numbers depend on what the source does not show.
    pub(super) fn undecided(&self) -> usize {
        self.columns.iter().map(|column| column.undecided).sum()
    }

    /// Returns how many rows were compared.
    pub(super) fn rows(&self) -> usize {
        count_true(&self.is_row)
    }

    /// Returns how many rows have a number that differs.
    pub(super) fn misfits(&self) -> usize {
        count_true(&self.is_misfit)
    }
}

/// Returns our number of a recorded column; `Null` if the policy has none there.
fn our_number(evaluation: &Evaluation, fact: Fact, node: NodeId) -> Value {
    if let Some(column) = ColumnId::computing(fact)
        && let Some(number) = evaluation.number(column, node)
    {
        return Value::Double(number);
    }
    Value::Null
}

/// Returns how many marks are set.
fn count_true(marks: &[bool]) -> usize {
    marks.iter().filter(|&&mark| mark).count()
}
