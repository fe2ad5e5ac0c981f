//! What is asked of a tree, and the report that answers it: the same on the command line and in the explorer.
//!
//! A command reads its arguments into a [`Question`], a prompt its line. Whoever asks opens the files that an answer needs
//! beside the tree; the answer reads none.

use super::every_policy::EveryPolicyReport;
use super::explain::{Comparison, ExplanationReport, NamesakesReport, split};
use super::me::UserPage;
use super::queue::QueueReport;
use super::solve::{Answers, RankSensitivity, SolveReport};
use super::{Report, View};
use crate::analysis::queue::Queue;
use crate::analysis::simulate::RecoveryError;
use crate::analysis::solve::{Goal, ShareQuestion, SolveError, levels, sensitivity, solve};
use crate::analysis::user::{IdleRecoveries, UserStanding};
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::scenario::Scenario;
use std::ops::ControlFlow;

/// How many users of one name are explained.
const MOST_NAMESAKES: usize = 10;

/// A question about a tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Question {
    /// Why a node has its rank.
    Explain(NodeId),
    /// Why each user of a name has its rank, the best rank first.
    Namesakes(Namesakes),
    /// What every policy makes of a node, or of all users of a name.
    EveryPolicy(Vec<NodeId>),
    /// Which of two nodes is ahead, and why.
    Pair(NodePair),
    /// How many shares bring a node to a goal.
    Goal(GoalQuestion),
    /// What the rank of a node depends on.
    Rank(NodeId),
    /// What the tree tells one user.
    User(AskedUser),
    /// Which jobs wait, in which order. `None` lists as many of them as text usually does.
    Queue(Option<usize>),
}

/// The users of one name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Namesakes {
    /// The name, as the source has it.
    pub(crate) name: Vec<u8>,
    /// The best rank first.
    pub(crate) users: Vec<NodeId>,
}

/// Two nodes to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodePair {
    pub(crate) first: NodeId,
    pub(crate) second: NodeId,
}

/// A goal of a node, and whose shares may change for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GoalQuestion {
    pub(crate) node: NodeId,
    pub(crate) goal: Goal,
    pub(crate) change: ChangedShares,
}

/// Whose shares may change for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedShares {
    /// Those of one node.
    Of(NodeId),
    /// Those of the node or of one account above it, whichever takes least.
    OfAnyLevel,
}

/// The associations of a user.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskedUser {
    pub(crate) associations: Vec<NodeId>,
    /// Whether other users are named.
    pub(crate) shows_others: bool,
}

/// The tree that is asked about.
#[derive(Clone, Copy)]
pub(crate) struct AskedTree<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) view: &'a View<'a>,
    /// The jobs that wait, where they are known.
    pub(crate) queue: Option<&'a Queue>,
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    #[error(
        "no output of sprio was found beside the source, so no jobs are known; give one with --sprio"
    )]
    NoJobs,
}

impl Question {
    /// Returns the report that answers the question. `go_on` is asked now and then and may stop the search.
    pub(crate) fn answer<'a>(
        &self,
        asked: AskedTree<'a>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Box<dyn Report + 'a>, AnswerError> {
        let scenario = asked.scenario;
        let view = asked.view;
        Ok(match self {
            Self::Explain(node) => Box::new(ExplanationReport {
                view,
                explanation: scenario.explain(*node),
            }),
            Self::Namesakes(namesakes) => Box::new(namesakes.answer(asked)),
            Self::EveryPolicy(nodes) => {
                let explained = &nodes[..nodes.len().min(MOST_NAMESAKES)];
                let more = nodes.len() - explained.len();
                Box::new(EveryPolicyReport::of(view, explained, more))
            }
            Self::Pair(pair) => Box::new(pair.answer(asked, go_on)?),
            Self::Goal(question) => Box::new(question.answer(asked, go_on)?),
            Self::Rank(node) => Box::new(RankSensitivity {
                view,
                sensitivity: sensitivity(scenario, *node, &mut |_| go_on())?,
            }),
            Self::User(user) => Box::new(user.answer(asked, go_on)?),
            Self::Queue(limit) => Box::new(QueueReport {
                view: *view,
                base: &scenario.base().tree,
                queue: asked.queue.ok_or(AnswerError::NoJobs)?,
                limit: *limit,
            }),
        })
    }

    /// Returns the words for the answer, as in "copied the comparison".
    pub(crate) const fn noun(&self) -> &'static str {
        match self {
            Self::Explain(_) | Self::Namesakes(_) => "the explanation",
            Self::EveryPolicy(_) => "the policies",
            Self::Pair(_) => "the comparison",
            Self::Goal(_) => "the answer",
            Self::Rank(_) => "what it depends on",
            Self::User(_) => "the page",
            Self::Queue(_) => "the queue",
        }
    }

    /// Returns the name that is suggested for a file of the answer.
    pub(crate) const fn file(&self) -> &'static str {
        match self {
            Self::Explain(_) | Self::Namesakes(_) => "why.txt",
            Self::EveryPolicy(_) => "policies.txt",
            Self::Pair(_) => "comparison.txt",
            Self::Goal(_) => "answer.txt",
            Self::Rank(_) => "rank.txt",
            Self::User(_) => "me.txt",
            Self::Queue(_) => "queue.txt",
        }
    }

    /// Returns the same question in another state of the tree; `None` if one of its nodes does not exist there.
    pub(crate) fn follow(&self, before: &Tree, after: &Tree) -> Option<Self> {
        let moved = |node: NodeId| follow_node(before, after, node);
        Some(match self {
            Self::Explain(node) => Self::Explain(moved(*node)?),
            Self::Namesakes(namesakes) => Self::Namesakes(Namesakes {
                name: namesakes.name.clone(),
                users: follow_nodes(before, after, &namesakes.users)?,
            }),
            Self::EveryPolicy(nodes) => Self::EveryPolicy(follow_nodes(before, after, nodes)?),
            Self::Pair(pair) => Self::Pair(NodePair {
                first: moved(pair.first)?,
                second: moved(pair.second)?,
            }),
            Self::Goal(question) => Self::Goal(GoalQuestion {
                node: moved(question.node)?,
                goal: match question.goal {
                    Goal::AheadOf(other) => Goal::AheadOf(moved(other)?),
                    goal => goal,
                },
                change: match question.change {
                    ChangedShares::Of(node) => ChangedShares::Of(moved(node)?),
                    any @ ChangedShares::OfAnyLevel => any,
                },
            }),
            Self::Rank(node) => Self::Rank(moved(*node)?),
            Self::User(user) => Self::User(AskedUser {
                associations: follow_nodes(before, after, &user.associations)?,
                shows_others: user.shows_others,
            }),
            Self::Queue(limit) => Self::Queue(*limit),
        })
    }
}

/// Returns the node of the same path in another state of the tree.
pub(crate) fn follow_node(before: &Tree, after: &Tree, node: NodeId) -> Option<NodeId> {
    let path = path_of(before, node)?;
    let found = resolve(after, path.as_bytes()).ok()?;
    // A bare name may match a node at another path.
    if path_of(after, found)? == path {
        Some(found)
    } else {
        None
    }
}

fn follow_nodes(before: &Tree, after: &Tree, nodes: &[NodeId]) -> Option<Vec<NodeId>> {
    let mut followed = Vec::with_capacity(nodes.len());
    for &node in nodes {
        followed.push(follow_node(before, after, node)?);
    }
    Some(followed)
}

impl Namesakes {
    fn answer<'a>(&self, asked: AskedTree<'a>) -> NamesakesReport<'a> {
        let mut explanations = Vec::new();
        for &user in self.users.iter().take(MOST_NAMESAKES) {
            explanations.push(asked.scenario.explain(user));
        }
        NamesakesReport {
            view: asked.view,
            name: self.name.clone(),
            more: self.users.len() - explanations.len(),
            explanations,
        }
    }
}

impl NodePair {
    /// Compares two nodes, and finds what would bring the one that is behind ahead.
    fn answer<'a>(
        self,
        asked: AskedTree<'a>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Comparison<'a>, SolveError> {
        let scenario = asked.scenario;
        let split = split(scenario.tree(), self.first, self.second);
        let mut way_ahead = None;
        if split.containment().is_none()
            && let Some(first) = scenario.evaluation().best_rank(self.first)
            && let Some(second) = scenario.evaluation().best_rank(self.second)
            && self.first != self.second
        {
            let (behind, ahead) = if first <= second {
                (self.second, self.first)
            } else {
                (self.first, self.second)
            };
            let goal = Goal::AheadOf(ahead);
            let solutions = levels(scenario, behind, goal, &mut |_| go_on())?;
            way_ahead = Some(Answers::of_levels(solutions));
        }
        Ok(Comparison {
            view: asked.view,
            split,
            way_ahead,
        })
    }
}

impl GoalQuestion {
    fn answer<'a>(
        self,
        asked: AskedTree<'a>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<SolveReport<'a>, SolveError> {
        let Self { node, goal, change } = self;
        if node == NodeId::ROOT {
            return Err(SolveError::Root);
        }
        let scenario = asked.scenario;
        let progress = &mut |_| go_on();
        let mut elsewhere = Vec::new();
        let answers = match change {
            ChangedShares::OfAnyLevel => {
                Answers::of_levels(levels(scenario, node, goal, progress)?)
            }
            ChangedShares::Of(change) => {
                let question = ShareQuestion { node, goal, change };
                let solution = solve(scenario, question, progress)?;
                if solution.shares.is_none() {
                    // More shares of an account above may reach a goal that these do not.
                    elsewhere = levels(scenario, node, goal, progress)?;
                }
                Answers::of_one(solution)
            }
        };
        Ok(SolveReport {
            scenario,
            view: asked.view,
            answers,
            elsewhere,
        })
    }
}

impl AskedUser {
    fn answer<'a>(
        &self,
        asked: AskedTree<'a>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<UserPage<'a>, RecoveryError> {
        let scenario = asked.scenario;
        let mut user = UserStanding::of(scenario, &self.associations);
        let idle = IdleRecoveries::of(scenario, &self.associations, &mut |_| go_on())?;
        user.add_recovery(scenario, &idle, &mut |_| go_on())?;
        Ok(UserPage {
            view: *asked.view,
            user,
            queue: asked.queue,
            shows_others: self.shows_others,
        })
    }
}
