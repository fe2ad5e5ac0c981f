//! Rules that turn shares and usage into an order: one variant, one file each.
//!
//! A policy computes and never formats; it knows the model and nothing else of ours. Each file names
//! the program, version and functions it follows, because a reader will want to check. What the rest of the
//! program may ask about a policy stands in its `Rules`.

mod blank;
pub mod classic;
mod column;
mod comparison;
mod decision;
pub mod depth_oblivious;
mod evaluation;
mod explanation;
pub mod fair_tree;
pub mod flux;
pub mod formula;
pub mod level_based;
pub mod pbs;
mod room;
pub(crate) mod slurm;
mod sort;
pub mod tickets;

pub use column::{Alignment, ColumnId, Unit};
pub use comparison::Comparison;
pub use decision::Decision;
pub use evaluation::{Evaluation, Value};
pub use explanation::{Detail, Explanation, Level, Memory, Neighbour};
pub(crate) use sort::ordered;

use crate::model::{NodeId, Settings, Tree};

/// Makes the enum of policies and everything derived from their table.
macro_rules! policies {
    ($($variant:ident, $name:literal, $title:literal, $rules:path, $help:literal;)*) => {
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

            const fn rules(self) -> &'static Rules {
                match self { $(Self::$variant => &$rules,)* }
            }
        }
    };
}

policies! {
    Pbs, "pbs", "PBS fairshare", pbs::RULES, "PBS fairshare: effective usage against the target share, factor 2^-(usage/perc) (OpenPBS 23.06)";
    LevelBased, "level-based", "Slurm LEVEL_BASED", level_based::RULES, "One bucket of a 64-bit word per level of the tree (Slurm 14.11.0pre3)";
    FairTree, "fair-tree", "Slurm Fair Tree", fair_tree::RULES, "Fair Tree as it is implemented: siblings by LevelFS, depth first (Slurm 14.11 to 26.05)";
    FairTreeDocumented, "fair-tree-documented", "Fair Tree as documented", fair_tree::DOCUMENTED, "Fair Tree as its documentation has it: the children of accounts that tie are merged";
    Classic, "classic", "Slurm classic", classic::RULES, "Slurm's classic fair-share: factor 2^-(effective usage / shares / dampening) (Slurm 14.11)";
    DepthOblivious, "depth-oblivious", "Slurm DEPTH_OBLIVIOUS", depth_oblivious::RULES, "Classic with effective usage that does not depend on depth, settled (Slurm 14.11)";
    Tickets, "tickets", "Slurm TICKET_BASED", tickets::RULES, "Tickets handed down among active siblings by shares and usage (Slurm 14.11)";
    Flux, "flux", "Flux weighted walk", flux::RULES, "Siblings by weight, depth first, tied banks merged (flux-accounting 0.60)";
    Formula, "formula", "PBS formula", formula::RULES, "A job_sort_formula of PBS, given with --formula (OpenPBS 23.06)";
}

/// What a policy is, beside its name.
struct Rules {
    /// The columns it computes, in the order of JSON and CSV.
    columns: &'static [ColumnId],
    /// Further columns for the screen.
    extra: &'static [ColumnId],
    /// The columns a person sees first, left to right.
    usual: &'static [ColumnId],
    /// The keys of the settings it reads.
    settings: &'static [&'static str],
    /// The number that enters job priority.
    factor: ColumnId,
    /// What over- and under-served means.
    portions: Portions,
    /// How the users are put in order.
    precedence: Precedence,
    /// Computes every column; what an evaluation of the same tree before an edit has may be taken over.
    evaluate: fn(&Tree, &Settings, Option<&Evaluation>) -> Evaluation,
}

/// A node's target and what it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Portions {
    /// Both as portions of the whole tree: the target is this column, usage is held against the root's.
    OfTree(ColumnId),
    /// Both as portions of the level.
    OfLevel { share: ColumnId, usage: ColumnId },
}

/// How a policy puts users in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precedence {
    /// By their own number, wherever they stand; siblings are compared by `siblings`.
    Factor { siblings: ColumnId },
    /// By a number of each level, from the root down: the larger is visited first, with all that lies below.
    /// Where accounts tie, what lies below them is merged, or visited one account after the other.
    Levels { column: ColumnId, merges: bool },
    /// By a word whose buckets belong to the levels.
    Buckets,
}

impl Policy {
    /// The points of job priority that a factor is worth, where the settings tell the weight of fair-share.
    ///
    /// Slurm cuts the product to a whole number, as `sprio -l` shows; Flux rounds it, with the factor as it is
    /// stored, in six decimals.
    #[must_use]
    pub fn priority_points(self, settings: &Settings, factor: f64) -> Option<i64> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a weight of 32 bits times a factor fits; what does not is cut to the largest number"
        )]
        let whole = |points: f64| points as i64;
        match self {
            Self::Pbs | Self::Formula => None,
            Self::Flux => {
                let weight = settings.flux.fairshare_weight?;
                let stored = (factor * 1e6).round() / 1e6;
                Some(whole((weight as f64 * stored).round()))
            }
            _ => {
                let weight = settings.slurm.weight_fair_share?;
                Some(whole(f64::from(weight) * factor))
            }
        }
    }

    /// Whether the settings tell the weight of fair-share in job priority under this policy.
    #[must_use]
    pub fn has_priority_points(self, settings: &Settings) -> bool {
        self.priority_points(settings, 0.0).is_some()
    }

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
        self.rules().columns
    }

    /// Further columns that can be asked for.
    #[must_use]
    pub const fn extra_columns(self) -> &'static [ColumnId] {
        self.rules().extra
    }

    /// The columns a person sees first, left to right.
    #[must_use]
    pub const fn usual_columns(self) -> &'static [ColumnId] {
        self.rules().usual
    }

    /// The keys of the settings this policy reads.
    #[must_use]
    pub const fn setting_keys(self) -> &'static [&'static str] {
        self.rules().settings
    }

    /// A setting as this policy takes it: where it is left to the tree, what the tree makes of it.
    #[must_use]
    pub fn setting(self, tree: &Tree, settings: &Settings, key: &str) -> String {
        if key == "PriorityLevels" {
            return level_based::levels(tree, settings).to_string();
        }
        settings.get(key).unwrap_or_default()
    }

    /// The column whose number enters job priority.
    #[must_use]
    pub const fn factor_column(self) -> ColumnId {
        self.rules().factor
    }

    /// The column of a node's target: its portion of the tree or of its level.
    #[must_use]
    pub const fn target_column(self) -> ColumnId {
        match self.rules().portions {
            Portions::OfTree(target) => target,
            Portions::OfLevel { share, .. } => share,
        }
    }

    /// Whether [`Policy::portions`] are of the level and not of the whole tree.
    #[must_use]
    pub const fn counts_by_level(self) -> bool {
        matches!(self.rules().portions, Portions::OfLevel { .. })
    }

    /// The node's target and what it used, as portions: more used than targeted is over-served. Nothing where
    /// the policy has no numbers for the node.
    #[must_use]
    pub fn portions(self, evaluation: &Evaluation, node: NodeId) -> Option<(f64, f64)> {
        match self.rules().portions {
            Portions::OfTree(target) => {
                let total = evaluation.number(ColumnId::Usage, NodeId::ROOT)?;
                let used = evaluation.number(ColumnId::Usage, node)?;
                let used = if total > 0.0 { used / total } else { 0.0 };
                Some((evaluation.number(target, node)?, used))
            }
            Portions::OfLevel { share, usage } => Some((
                evaluation.number(share, node)?,
                evaluation.number(usage, node)?,
            )),
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
        settings: &Settings,
        last: Option<&Evaluation>,
    ) -> Evaluation {
        (self.rules().evaluate)(tree, settings, last)
    }
}
