//! Rules that turn shares and usage into an order: one variant, one file each.
//!
//! A policy computes and never formats; it knows the model and nothing else of ours. Each file names
//! the program, version and functions it follows, because a reader will want to check.

mod column;
mod evaluation;
pub mod pbs;

pub use column::{Alignment, ColumnId, Unit};
pub use evaluation::{Evaluation, Value};

use crate::model::{NodeId, Settings, Tree};

/// Makes the enum of policies and everything derived from their table.
macro_rules! policies {
    ($($variant:ident, $name:literal, $title:literal, $help:literal;)*) => {
        /// A rule that orders the users of a tree.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Policy {
            $(#[doc = $help] $variant,)*
        }

        impl Policy {
            /// All policies, in the order in which they are offered.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the command line, in files and in JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The name on the screen.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// What it follows, in one line.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }
        }
    };
}

policies! {
    Pbs, "pbs", "PBS fairshare", "PBS fairshare: effective usage against the target share, factor 2^-(usage/perc) (OpenPBS 23.06)";
}

/// Why a node stands where it stands, as data; `report` makes prose of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Explanation {
    /// Under PBS's rule.
    Pbs(pbs::Explanation),
}

impl Policy {
    /// The policy of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|policy| policy.name() == name)
    }

    /// The columns this policy computes, in the order of JSON and CSV.
    #[must_use]
    pub const fn columns(self) -> &'static [ColumnId] {
        match self {
            Self::Pbs => pbs::COLUMNS,
        }
    }

    /// The keys of the settings this policy reads.
    #[must_use]
    pub const fn setting_keys(self) -> &'static [&'static str] {
        match self {
            Self::Pbs => pbs::SETTINGS,
        }
    }

    /// The column whose number enters job priority.
    #[must_use]
    pub const fn factor_column(self) -> ColumnId {
        match self {
            Self::Pbs => ColumnId::FairshareFactor,
        }
    }

    /// The node's target and what it used, both as portions of the whole tree: more used than targeted is
    /// over-served. Nothing where the policy has no numbers for the node.
    #[must_use]
    pub fn portions(self, evaluation: &Evaluation, node: NodeId) -> Option<(f64, f64)> {
        match self {
            Self::Pbs => {
                let total = evaluation.number(ColumnId::Usage, NodeId::ROOT)?;
                let used = evaluation.number(ColumnId::Usage, node)?;
                Some((
                    evaluation.number(ColumnId::FairsharePerc, node)?,
                    used / total,
                ))
            }
        }
    }

    /// Computes every column for every node.
    #[must_use]
    pub fn evaluate(self, tree: &Tree, settings: &Settings) -> Evaluation {
        self.evaluate_after(tree, settings, None)
    }

    /// As [`Policy::evaluate`], to the bit, but numbers that `last` computed from the same inputs are kept:
    /// an edit of one node leaves most of them as they were.
    #[must_use]
    pub fn evaluate_after(
        self,
        tree: &Tree,
        _settings: &Settings,
        last: Option<&Evaluation>,
    ) -> Evaluation {
        match self {
            Self::Pbs => pbs::evaluate(tree, last),
        }
    }

    /// Shows how a node's number came about; `families` remembers what it looked at under this evaluation.
    #[must_use]
    pub fn explain(
        self,
        tree: &Tree,
        settings: &Settings,
        evaluation: &Evaluation,
        families: &mut pbs::Families,
        node: NodeId,
    ) -> Explanation {
        match self {
            Self::Pbs => Explanation::Pbs(pbs::explain(tree, settings, evaluation, families, node)),
        }
    }
}
