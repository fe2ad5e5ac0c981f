//! What a page is about.

use crate::analysis::contention::Machine;
use crate::analysis::solve::Goal;
use crate::base::shown::Shown;
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::report::manual::Topic;
use crate::rules::policy::Policy;
use std::path::PathBuf;

/// The subject of a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// The edits with their winners and losers, and the scheduler's commands.
    Plan,
    /// The shares with which a node reaches a goal.
    Goal(NodeId, Goal),
    /// What the rank of a node depends on.
    Rank(NodeId),
    /// Two nodes side by side.
    Pair([NodeId; 2]),
    /// The comparison of another file with the open tree.
    Diff(PathBuf),
    /// A simulated busy cluster, optionally under a second policy too.
    Contention(Machine, Option<Policy>),
    /// The history of these nodes, by path, through the series.
    Timeline(Vec<String>),
    Manual(Topic),
}

/// Why a tree has no history.
pub(crate) const NO_SERIES: &str = "this tree is not part of a series; open a directory of dumps with dates in their \
                                    names, such as sshare-2025-04-22.txt";

impl Subject {
    /// Returns the title while the page is computed.
    pub(crate) const fn title(&self) -> &'static str {
        match self {
            Self::Plan => "the plan",
            Self::Goal(..) => "the goal",
            Self::Rank(_) => "what the rank depends on",
            Self::Pair(_) => "the comparison",
            Self::Diff(_) => "the differences",
            Self::Contention(..) => "the delivered shares",
            Self::Timeline(_) => "the history",
            Self::Manual(_) => "the manual",
        }
    }

    /// Returns the same subject in another state of the tree, or `None` if one of its nodes does not exist there.
    pub(crate) fn follow(&self, before: &Tree, after: &Tree) -> Option<Self> {
        let there = |node: NodeId| {
            let path = path_of(before, node)?;
            let found = resolve(after, path.as_bytes()).ok()?;
            // A bare name may match a node at another path.
            (path_of(after, found)? == path).then_some(found)
        };
        Some(match self {
            Self::Goal(node, Goal::AheadOf(other)) => {
                Self::Goal(there(*node)?, Goal::AheadOf(there(*other)?))
            }
            Self::Goal(node, goal) => Self::Goal(there(*node)?, *goal),
            Self::Rank(node) => Self::Rank(there(*node)?),
            Self::Pair([one, other]) => Self::Pair([there(*one)?, there(*other)?]),
            Self::Contention(machine, against) => {
                let mut machine = machine.clone();
                for (node, _) in &mut machine.demands {
                    *node = there(*node)?;
                }
                Self::Contention(machine, *against)
            }
            // A removed node still has a history.
            Self::Timeline(_) | Self::Plan | Self::Diff(_) | Self::Manual(_) => self.clone(),
        })
    }
}

/// Parses a goal from typed text; a bare number is a rank.
pub(crate) fn typed_goal(text: &str, tree: &Tree) -> Result<Goal, Shown> {
    let text = text.trim();
    let is_rank = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let start = if is_rank { "rank<=" } else { "" };
    let goal = Goal::parse(format!("{start}{text}").as_bytes(), tree);
    goal.map_err(|error| Shown::error(&error))
}
