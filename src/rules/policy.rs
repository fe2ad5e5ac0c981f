//! Rules that turn shares and usage into an order: one variant of [`Policy`], one file each.
//!
//! A policy computes and never formats. Each file names the program, version and functions that it follows, so that a
//! reader can check. Everything that the rest of the program may ask about a policy is in its `PolicyTraits`.

mod blank;
pub mod classic;
mod column;
mod comparison;
mod decision;
pub mod depth_oblivious;
mod evaluation;
mod explanation;
mod factor_rule;
pub mod fair_tree;
pub mod flux;
pub mod formula;
pub mod level_based;
mod levels;
mod partial;
pub mod pbs;
mod printed_numbers;
mod queue;
mod rank_difference;
mod ranking;
mod rule_column;
mod siblings;
pub(crate) mod slurm;
mod target;
pub mod tickets;

pub use column::ColumnId;
pub use comparison::{Comparison, tau_b};
pub use decision::{Decision, DecisionSide};
pub use evaluation::{ColumnView, Evaluation};
pub use explanation::{Explanation, ExplanationCache, Neighbour};
pub use factor_rule::FactorRule;
pub use levels::{Level, Listed};
pub(crate) use levels::{deciding, holding_back, most_ahead};
pub use printed_numbers::Basis;
pub(crate) use printed_numbers::counter;
pub use queue::UsageCount;
pub(crate) use queue::UserQueue;
pub use rank_difference::{OrderDifference, RankDifference, RankedTree};
pub use ranking::Ranking;
pub use rule_column::{EveryRule, RuleColumn};
pub use siblings::NextUser;
pub use target::Target;

use crate::base::cores;
use crate::base::nearest::unknown;
use crate::base::shown::Shown;
use crate::base::table::table;
use crate::model::{NodeId, Scheduler, Settings, Shares, Tree};
use std::ops::RangeInclusive;
use target::Portions;

/// Defines the enum of policies and everything derived from their table.
macro_rules! policies {
    ($($variant:ident, $name:literal, $title:literal, $traits:path, $help:literal;)*) => {
        table! {
            /// A rule that orders the users of a tree.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum Policy {
                $($variant, $name, $help;)*
            }
        }

        impl Policy {
    /// Returns the policy of that name, or a sentence with the names that are accepted.
    pub fn parse(name: &str) -> Result<Self, Shown> {
        let names = Self::ALL.iter().map(|policy| policy.name());
        Self::named(name).ok_or_else(|| unknown("policy", name, names))
    }

            /// Returns the name on the screen.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            const fn traits(self) -> &'static PolicyTraits {
                match self { $(Self::$variant => &$traits,)* }
            }
        }
    };
}

policies! {
    Pbs, "pbs", "PBS fairshare", pbs::TRAITS, "Effective usage against the target share: 2^-(usage/perc) (OpenPBS 23.06)";
    LevelBased, "level-based", "Slurm LEVEL_BASED", level_based::TRAITS, "A 64-bit priority, one bucket for each level (Slurm 14.11.0pre3)";
    FairTree, "fair-tree", "Slurm Fair Tree", fair_tree::TRAITS, "Siblings by LevelFS, depth first, as implemented (Slurm 14.11 to 26.05)";
    FairTreeDocumented, "fair-tree-documented", "Fair Tree as documented", fair_tree::DOCUMENTED, "Children of tied accounts merge; no Slurm does so";
    Classic, "classic", "Slurm classic", classic::TRAITS, "2^-(effective usage / shares / dampening) (Slurm 14.11)";
    DepthOblivious, "depth-oblivious", "Slurm DEPTH_OBLIVIOUS", depth_oblivious::TRAITS, "Classic usage counted alike at every depth, settled (Slurm 14.11)";
    Tickets, "tickets", "Slurm TICKET_BASED", tickets::TRAITS, "Tickets for active siblings, by shares and usage (Slurm 14.11)";
    Flux, "flux", "Flux weighted walk", flux::TRAITS, "Siblings by weight, depth first, tied banks merged (flux-accounting 0.60)";
    PbsWalk, "pbs-walk", "PBS tree walk", pbs::walk::TRAITS, "PBS without a formula: level by level, the least usage/perc first (OpenPBS 23.06)";
    Formula, "formula", "PBS formula", formula::TRAITS, "A job_sort_formula of PBS, given with --formula (OpenPBS 23.06)";
}

/// The properties of a policy beside its name.
struct PolicyTraits {
    /// The columns it computes, in the order of JSON and CSV.
    columns: &'static [ColumnId],
    /// Further columns that the screen can show.
    extra: &'static [ColumnId],
    /// The columns a person sees first, left to right.
    usual: &'static [ColumnId],
    /// The keys of the settings it reads.
    settings: &'static [&'static str],
    /// The number that enters job priority.
    factor: ColumnId,
    /// What that number means, and what a value of 0.5 means.
    factor_help: &'static str,
    /// The two sides that define over- and under-served.
    portions: Portions,
    /// How users are put in order.
    precedence: Precedence,
    /// Computes every column. Columns of an evaluation of the same tree before an edit may be reused.
    evaluate: fn(&Tree, &Settings) -> Evaluation,
}

/// How a policy puts users in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precedence {
    /// By a number of their own, wherever they are in the tree; siblings are compared by this column.
    Factor(ColumnId),
    /// By a number at each level, from the root down, such as a bucket of a 64-bit priority: the higher one ranks first,
    /// in PBS the lower one, together with its whole subtree. Below accounts that tie, the members are merged.
    Levels(ColumnId),
    /// As by levels, but accounts that tie are visited one after the other.
    Visits(ColumnId),
}

/// The most shares that both PBS and Slurm can hold. The next number is how Slurm stores the word `parent`.
const MOST_SHARES: i64 = 2_147_483_646;

impl Policy {
    /// Returns the points of job priority that a factor is worth, or `None` if the weight of fair-share is unknown.
    ///
    /// Slurm cuts the product to a whole number, as `sprio -l` shows. Flux rounds it, from a factor of six decimals.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a weight of 32 bits times a factor fits; what does not is cut to the largest number"
    )]
    pub fn priority_points(self, settings: &Settings, factor: f64) -> Option<i64> {
        if self.is_of_pbs() {
            return None;
        }
        if self == Self::Flux {
            let weight = settings.flux.fairshare_weight?;
            let stored = (factor * 1e6).round() / 1e6;
            return Some((weight as f64 * stored).round() as i64);
        }
        let weight = settings.slurm.weights.fair_share()?;
        Some((f64::from(weight) * factor) as i64)
    }

    /// Returns the policy of a tree under its own settings; Fair Tree if no scheduler is known.
    ///
    /// PBS walks the tree unless its `job_sort_formula` names a fairshare number. A formula that fairscope cannot parse
    /// counts as such if it contains one of these names.
    pub fn usual(settings: &Settings) -> Self {
        match settings.scheduler {
            Some(Scheduler::Pbs) => formula::order(settings),
            Some(Scheduler::Flux) => Self::Flux,
            Some(Scheduler::Slurm) | None => Self::FairTree,
        }
    }

    /// Returns whether it is one of PBS's rules.
    pub(crate) const fn is_of_pbs(self) -> bool {
        matches!(self, Self::Pbs | Self::PbsWalk | Self::Formula)
    }

    /// Returns whether the settings give the weight of fair-share in job priority under this policy.
    pub fn has_priority_points(self, settings: &Settings) -> bool {
        self.priority_points(settings, 0.0).is_some()
    }

    /// Returns how many significant digits of its numbers can be compared with a bound: PBS computes with 32 bits.
    pub const fn digits(self) -> usize {
        if self.is_of_pbs() { 6 } else { 9 }
    }

    /// Returns the columns this policy computes, in the order of JSON and CSV.
    pub const fn columns(self) -> &'static [ColumnId] {
        self.traits().columns
    }

    /// Returns further columns that can be requested.
    pub const fn extra_columns(self) -> &'static [ColumnId] {
        self.traits().extra
    }

    /// Returns the columns a person sees first, left to right.
    pub const fn usual_columns(self) -> &'static [ColumnId] {
        self.traits().usual
    }

    /// Returns the keys of the settings this policy reads.
    pub const fn setting_keys(self) -> &'static [&'static str] {
        self.traits().settings
    }

    /// Returns the value of a setting under this policy: the derived value, if it is derived from the tree.
    pub fn setting(self, tree: &Tree, settings: &Settings, key: &str) -> String {
        if key == "PriorityLevels" {
            return level_based::levels(tree, settings).to_string();
        }
        if key == formula::FORMULA && self == Self::Formula {
            return settings.formula.text().to_owned();
        }
        settings.get(key).unwrap_or_default()
    }

    /// Returns the column whose number enters job priority.
    pub const fn factor_column(self) -> ColumnId {
        self.traits().factor
    }

    /// Returns what a column means under this policy, in one line.
    pub fn column_help(self, column: ColumnId) -> &'static str {
        match column {
            ColumnId::Factor => self.traits().factor_help,
            ColumnId::Balance if self.counts_by_level() => column::LEVEL_BALANCE_HELP,
            column => column.help(),
        }
    }

    /// Computes every column for every node.
    pub fn evaluate(self, tree: &Tree, settings: &Settings) -> Evaluation {
        cores::rest();
        let evaluation = (self.traits().evaluate)(tree, settings);
        self.known_of(evaluation, tree)
    }

    /// Evaluates a tree as [`Policy::evaluate_as_printed`] does if its numbers under another rule are known. The three orders
    /// of PBS have the same numbers, so only the order is computed again.
    pub(crate) fn evaluate_beside(
        self,
        known: (Self, &Evaluation),
        basis: Basis<'_>,
    ) -> Evaluation {
        let (other, evaluation) = known;
        match self {
            Self::Pbs if other.is_of_pbs() => pbs::by_factor(evaluation.clone()),
            Self::PbsWalk if other.is_of_pbs() => pbs::walk::by_place(evaluation.clone()),
            Self::Formula if other.is_of_pbs() => {
                formula::by_value(evaluation.clone(), basis.tree, basis.settings)
            }
            _ => self.evaluate_as_printed(basis),
        }
    }

    /// Returns whether the order is decided level by level, from the root down, and not by a number of each user.
    pub const fn orders_by_level(self) -> bool {
        !matches!(self.traits().precedence, Precedence::Factor(_))
    }

    /// Returns whether an account may have the word `parent` instead of shares, as in Slurm. Its members then compete on
    /// the level above.
    const fn inherits_shares(self) -> bool {
        !self.is_of_pbs() && !matches!(self, Self::Flux)
    }

    /// Returns the account whose level a node is on: the one above it, or under Slurm's policies the nearest one above that
    /// has no `parent` instead of shares.
    pub(crate) fn account_of(self, tree: &Tree, node: NodeId) -> NodeId {
        let above = if self.inherits_shares() {
            slurm::fair_share_parent(tree, node)
        } else {
            tree.parent(node)
        };
        above.unwrap_or(NodeId::ROOT)
    }

    /// Returns the nodes on an account's level, with those that have no shares of their own.
    fn members(self, tree: &Tree, account: NodeId) -> Vec<NodeId> {
        if self.inherits_shares() {
            slurm::fair_share_children(tree, account)
        } else {
            tree.children(account).collect()
        }
    }

    /// Returns the nodes on an account's level that have shares of their own; they divide its portion.
    pub(crate) fn level(self, tree: &Tree, account: NodeId) -> Vec<NodeId> {
        let mut level = self.members(tree, account);
        level.retain(|&node| tree.shares(node).count().is_some());
        level
    }

    /// Returns the shares that a node can be given without overflow of its level's sum: a sum of 32 bits, in PBS with a
    /// sign. If its siblings' shares overflow already, any number that the scheduler holds is allowed. The same applies
    /// to Flux, which holds 64 bits with a sign and refuses banks without shares.
    pub fn possible_shares(
        self,
        tree: &Tree,
        settings: &Settings,
        node: NodeId,
    ) -> RangeInclusive<i64> {
        if self == Self::Flux {
            let least = i64::from(tree.is_account(node));
            // Its sum of 64 bits wraps. That changes all nodes of a level in the same way, and so no order in it.
            let is_of_flux = settings.scheduler == Some(Scheduler::Flux);
            return least..=if is_of_flux { i64::MAX } else { MOST_SHARES };
        }
        let siblings = if self.is_of_pbs() {
            let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
            self.members(tree, parent)
        } else {
            // With shares of its own, a node with `parent` competes on its own.
            let mut given = tree.clone();
            given.set_shares(node, Shares::new(0));
            self.members(&given, self.account_of(&given, node))
        };
        let limit = if self.is_of_pbs() {
            i64::from(i32::MAX)
        } else {
            i64::from(u32::MAX)
        };
        let mut room = i128::from(limit);
        for sibling in siblings {
            if sibling != node {
                room -= i128::from(tree.shares(sibling).count().unwrap_or(0));
            }
        }
        match i64::try_from(room) {
            Ok(room) if room >= 0 => 0..=room.min(MOST_SHARES),
            _ => 0..=MOST_SHARES,
        }
    }
}
