//! Compares recorded numbers with ours, and counts the results by column and by row.

use super::{ColumnCheck, Difference, Fact};
use crate::base::number::Value;
use crate::model::{Figure, NodeId, Snapshot};
use crate::rules::policy::{ColumnId, Evaluation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It equals our number, within the printed precision.
    Equal,
    /// The missing digits decide.
    Undecided,
    /// It cannot have been computed from this.
    Differs,
}

impl Judgement {
    pub(super) const fn equal_if(is_equal: bool) -> Self {
        if is_equal { Self::Equal } else { Self::Differs }
    }
}

#[derive(Clone)]
pub(super) struct Tally {
    pub(super) columns: Vec<ColumnCheck>,
    /// By position: whether any recorded number was compared.
    is_row: Vec<bool>,
    /// By position: whether anything recorded differs.
    is_misfit: Vec<bool>,
    pub(super) differing: Vec<(Fact, NodeId)>,
    /// Whether the policy gives every recorded number digit by digit.
    pub(super) is_reproduced: bool,
}

impl Tally {
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
        let nodes = snapshot.tree.nodes();
        let judge = |position: usize| {
            let figure = figures.get(nodes[position])?;
            Some((judge(position, figure)?, Value::Double(figure.value)))
        };
        let computed = |node| {
            let number = ColumnId::computing(fact).and_then(|own| evaluation.number(own, node));
            number.map_or(Value::Null, Value::Double)
        };
        self.compare_texts(snapshot, fact, judge, computed);
    }

    /// Compares a column of texts as [`Tally::compare`] does. `judge` returns their meaning, too.
    pub(super) fn compare_texts(
        &mut self,
        snapshot: &Snapshot,
        fact: Fact,
        mut judge: impl FnMut(usize) -> Option<(Judgement, Value)>,
        computed: impl Fn(NodeId) -> Value,
    ) {
        let mut column = ColumnCheck {
            fact,
            rows: 0,
            equal: 0,
            undecided: 0,
            first_difference: None,
            largest_difference: None,
        };
        for (position, &node) in snapshot.tree.nodes().iter().enumerate() {
            let Some((judgement, recorded)) = judge(position) else {
                continue;
            };
            column.rows += 1;
            self.is_row[position] = true;
            match judgement {
                Judgement::Equal => column.equal += 1,
                Judgement::Undecided => column.undecided += 1,
                Judgement::Differs => {
                    self.is_misfit[position] = true;
                    self.differing.push((fact, node));
                    column.add(Difference {
                        node,
                        recorded,
                        computed: computed(node),
                    });
                }
            }
        }
        if column.rows > 0 {
            self.columns.push(column);
            self.columns.sort_by_key(|column| column.fact);
        }
    }

    pub(super) fn column(&self, fact: Fact) -> Option<&ColumnCheck> {
        self.columns.iter().find(|column| column.fact == fact)
    }

    /// Returns how many recorded numbers depend on what the source does not show.
    pub(super) fn undecided(&self) -> usize {
        self.columns.iter().map(|column| column.undecided).sum()
    }

    pub(super) fn rows(&self) -> usize {
        self.is_row.iter().filter(|&&is_row| is_row).count()
    }

    pub(super) fn misfits(&self) -> usize {
        self.is_misfit.iter().filter(|&&differs| differs).count()
    }
}
