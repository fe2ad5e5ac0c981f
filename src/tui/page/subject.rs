//! What a page is about.

use crate::analysis::contention::Machine;
use crate::analysis::solve::Goal;
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::rules::policy::Policy;
use std::path::PathBuf;

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The edits, who wins and who loses by them, and the scheduler's commands.
    Plan,
    /// What it takes that a node reaches a goal.
    Goal(NodeId, Goal),
    /// What the rank of a node hangs on.
    Rank(NodeId),
    /// Two nodes side by side.
    Pair([NodeId; 2]),
    /// Another file against the open tree.
    Diff(PathBuf),
    /// A machine that hands out cores, perhaps under another policy too.
    Contention(Machine, Option<Policy>),
    /// What became of these nodes, by path, through the series.
    Timeline(Vec<String>),
}

/// Why a tree has no history.
pub(crate) const NO_SERIES: &str = "this tree is not one of a series; open a directory of dumps with dates in their \
                                    names, as sshare-2025-04-22.txt";

impl Subject {
    /// What stands on top while the page is worked out.
    pub(crate) const fn title(&self) -> &'static str {
        match self {
            Self::Plan => "the plan",
            Self::Goal(..) => "what it takes",
            Self::Rank(_) => "what the rank hangs on",
            Self::Pair(_) => "the comparison",
            Self::Diff(_) => "the differences",
            Self::Contention(..) => "what is delivered",
            Self::Timeline(_) => "the history",
        }
    }

    /// The same question about another state of the tree; nothing where a node it is about is not there.
    pub(crate) fn follow(&self, before: &Tree, after: &Tree) -> Option<Self> {
        let there = |node: NodeId| {
            let path = path_of(before, node)?;
            let found = resolve(after, path.as_bytes()).ok()?;
            // A bare name may mean a node elsewhere.
            (path_of(after, found)? == path).then_some(found)
        };
        Some(match self {
            Self::Plan => Self::Plan,
            Self::Goal(node, Goal::AheadOf(other)) => {
                Self::Goal(there(*node)?, Goal::AheadOf(there(*other)?))
            }
            Self::Goal(node, goal) => Self::Goal(there(*node)?, *goal),
            Self::Rank(node) => Self::Rank(there(*node)?),
            Self::Pair([one, other]) => Self::Pair([there(*one)?, there(*other)?]),
            Self::Diff(path) => Self::Diff(path.clone()),
            Self::Contention(machine, against) => {
                let mut machine = machine.clone();
                for (node, _) in &mut machine.demands {
                    *node = there(*node)?;
                }
                Self::Contention(machine, *against)
            }
            // A node that is not there now has a history all the same.
            Self::Timeline(paths) => Self::Timeline(paths.clone()),
        })
    }
}

/// The goal that was typed; a number alone is a rank.
pub(crate) fn typed_goal(text: &str, tree: &Tree) -> Result<Goal, String> {
    let text = text.trim();
    let is_rank = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let goal = if is_rank {
        Goal::parse(format!("rank<={text}").as_bytes(), tree)
    } else {
        Goal::parse(text.as_bytes(), tree)
    };
    goal.map_err(|error| error.to_string())
}
