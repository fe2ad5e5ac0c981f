//! A column of the current rule or of another one, as in `flux:weight`, and the numbers of every rule side by side.

use super::{Basis, ColumnId, Evaluation, Policy};
use crate::base::cores;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

/// A column of the current rule, or of the rule that is named with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuleColumn {
    /// The rule whose number it is; `None` is the current one.
    pub rule: Option<Policy>,
    /// What the number means.
    pub column: ColumnId,
}

impl From<ColumnId> for RuleColumn {
    fn from(column: ColumnId) -> Self {
        Self::current(column)
    }
}

impl RuleColumn {
    /// The columns that show four rules beside each other: how much counts as used under PBS, its factor, the weight of Flux
    /// and the buckets of LEVEL_BASED, beside the shares, the usage and the rank under the current rule.
    pub const EVERY_RULE: [Self; 8] = [
        Self::current(ColumnId::Shares),
        Self::current(ColumnId::Usage),
        Self::current(ColumnId::Served),
        Self::under(Policy::Pbs, ColumnId::FairshareTreeUsage),
        Self::under(Policy::Pbs, ColumnId::Factor),
        Self::under(Policy::Flux, ColumnId::Weight),
        Self::under(Policy::LevelBased, ColumnId::PriorityFsRaw),
        Self::current(ColumnId::Rank),
    ];

    /// The word for the columns of every rule, where columns are named.
    pub const EVERY_RULE_WORD: &str = "every-rule";

    /// Returns a column of the current rule.
    pub const fn current(column: ColumnId) -> Self {
        Self { rule: None, column }
    }

    /// Returns the column if it is of the current rule.
    pub fn of_current(self) -> Option<ColumnId> {
        match self.rule {
            Some(_) => None,
            None => Some(self.column),
        }
    }

    /// Returns the rules that are named with columns, each once.
    pub(crate) fn rules(columns: impl IntoIterator<Item = Self>) -> Vec<Policy> {
        let mut rules = Vec::new();
        for column in columns {
            if let Some(rule) = column.rule
                && !rules.contains(&rule)
            {
                rules.push(rule);
            }
        }
        rules
    }

    /// Returns a column of a named rule.
    pub const fn under(rule: Policy, column: ColumnId) -> Self {
        Self {
            rule: Some(rule),
            column,
        }
    }

    /// Returns the columns of this name that rules compute, one for each rule that has a number of its own.
    pub fn elsewhere(name: &str) -> Vec<Self> {
        let mut columns = Vec::new();
        for &rule in Policy::ALL {
            for &column in rule.columns() {
                if column.name() == name && Policy::computing(column).contains(&rule) {
                    columns.push(Self::under(rule, column));
                }
            }
        }
        columns
    }

    /// Returns the name on the command line and in CSV: `factor`, `flux:weight`.
    pub fn name(self) -> Cow<'static, str> {
        let column = self.column.name();
        match self.rule {
            Some(rule) => format!("{}:{column}", rule.name()).into(),
            None => column.into(),
        }
    }

    /// Returns the heading on the screen. It names the rule where more than one computes such a number.
    pub fn heading(self) -> Cow<'static, str> {
        let Some(rule) = self.rule else {
            return self.column.heading().into();
        };
        let heading = match self.column {
            ColumnId::FairshareTreeUsage => "Effective",
            ColumnId::PriorityFsRaw => "Buckets",
            column => column.heading(),
        };
        if Policy::computing(self.column).len() == 1 {
            heading.into()
        } else {
            format!("{heading} {}", rule.name()).into()
        }
    }
}

impl Policy {
    /// Returns the rules that compute a column, each of which orders users in its own way.
    ///
    /// PBS's walk and its formula use the numbers of PBS, and Fair Tree as documented those of Fair Tree, so these three
    /// count only for what they alone compute.
    pub fn computing(column: ColumnId) -> Vec<Self> {
        let mut rules = Vec::new();
        let mut own = Vec::new();
        for &rule in Self::ALL {
            if !rule.columns().contains(&column) {
                continue;
            }
            rules.push(rule);
            let borrows_numbers = matches!(
                rule,
                Self::PbsWalk | Self::Formula | Self::FairTreeDocumented
            );
            if !borrows_numbers {
                own.push(rule);
            }
        }
        if own.is_empty() { rules } else { own }
    }
}

/// A tree under each of the rules. A rule is computed when one of its numbers is first asked for.
#[derive(Clone, Debug, Default)]
pub struct EveryRule {
    /// By the place of the rule in [`Policy::ALL`].
    evaluations: [OnceCell<Arc<Evaluation>>; Policy::ALL.len()],
}

impl EveryRule {
    /// Computes the tree under different rules, each on a core of its own, before their numbers are asked for one by one,
    /// beside those that are `known` under another rule. The basis must be the same each time.
    pub fn compute(&self, rules: &[Policy], known: (Policy, &Evaluation), basis: Basis<'_>) {
        let mut missing = rules.to_vec();
        missing.retain(|&rule| self.evaluations[rule as usize].get().is_none());
        let threads = cores::for_nodes(basis.tree.node_count());
        let computed = cores::each(&missing, threads, |rule| rule.evaluate_beside(known, basis));
        for (rule, evaluation) in missing.into_iter().zip(computed) {
            self.evaluations[rule as usize].get_or_init(|| Arc::new(evaluation));
        }
    }

    /// Returns the tree under a rule. The basis must be the same each time.
    pub fn under(&self, rule: Policy, basis: Basis<'_>) -> &Evaluation {
        let evaluation = &self.evaluations[rule as usize];
        evaluation.get_or_init(|| Arc::new(rule.evaluate_as_printed(basis)))
    }
}
