//! What is asked of a tree, and the report that answers it: the same on the command line and in the explorer.
//!
//! A command reads its arguments into a [`Question`], a prompt its line. Whoever asks opens the files that an answer needs
//! beside the tree; the answer reads none.

use super::Report;
use super::advise::{AdviceError, AdviceReport};
pub(crate) use super::asked::{
    AdviceQuestion, AskedTree, JobQuestion, MachineQuestion, MetricsQuestion,
};
use super::contention::Runs;
use super::every_policy::EveryPolicyReport;
use super::explain::{Comparison, ExplanationReport, NamesakesReport, split};
use super::me::UserPage;
use super::metrics::MetricsReport;
use super::queue::{JobReport, QueueReport};
use super::solve::{Answers, RankSensitivity, SolveReport};
use crate::analysis::advise::Contributions;
use crate::analysis::contention::MachineError;
use crate::analysis::queue::QueueError;
use crate::analysis::simulate::RecoveryError;
use crate::analysis::solve::{Goal, ShareQuestion, SolveError, levels, sensitivity, solve};
use crate::analysis::user::{IdleRecoveries, MedianUser, UserStanding};
use crate::model::{NodeId, Tree, path_of, resolve};
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
    /// Which edits keep the goals of a site.
    Advice(AdviceQuestion),
    /// What a busy machine delivers to whom.
    Machine(MachineQuestion),
    /// How evenly the tree was served.
    Metrics(MetricsQuestion),
    /// Which jobs wait, in which order. `None` lists as many of them as text usually does.
    Queue(Option<usize>),
    /// Why a job is behind another one.
    Job(JobQuestion),
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

/// How the page of an answer is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnswerLabels {
    /// What it is, as in "copied the comparison".
    pub(crate) noun: &'static str,
    /// The name that is suggested for its file, without its ending.
    pub(crate) file: &'static str,
    /// The topic of the manual about it.
    pub(crate) topic: &'static str,
}

impl AnswerLabels {
    /// Returns the labels of a page.
    pub(crate) const fn of(noun: &'static str, file: &'static str, topic: &'static str) -> Self {
        Self { noun, file, topic }
    }
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error(transparent)]
    Advice(#[from] AdviceError),
    #[error(transparent)]
    Queue(#[from] QueueError),
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
            Self::Advice(question) => Box::new(AdviceReport::of(asked, question, go_on)?),
            Self::Machine(question) => Box::new(Runs::of(scenario, view, question, go_on)?),
            Self::Metrics(question) => Box::new(MetricsReport::of(*view, *question)),
            Self::Queue(limit) => Box::new(QueueReport {
                view: *view,
                base: &scenario.base().tree,
                queue: asked.queue.ok_or(AnswerError::NoJobs)?,
                limit: *limit,
            }),
            Self::Job(question) => Box::new(question.answer(asked)?),
        })
    }

    /// Returns how the page of the answer is called.
    pub(crate) const fn labels(&self) -> AnswerLabels {
        match self {
            Self::Explain(_) | Self::Namesakes(_) => {
                AnswerLabels::of("the explanation", "why", "explorer")
            }
            Self::EveryPolicy(_) => AnswerLabels::of("the policies", "policies", "formulas"),
            Self::Pair(_) => AnswerLabels::of("the comparison", "comparison", "changes"),
            Self::Goal(_) => AnswerLabels::of("the answer", "answer", "changes"),
            Self::Rank(_) => AnswerLabels::of("what it depends on", "rank", "changes"),
            Self::User(_) => AnswerLabels::of("the page", "me", "user"),
            Self::Advice(_) => AnswerLabels::of("the advice", "advice", "goals"),
            Self::Machine(_) => AnswerLabels::of("the delivered shares", "cores", "contention"),
            Self::Metrics(_) => AnswerLabels::of("the metrics", "metrics", "fairness"),
            Self::Queue(_) => AnswerLabels::of("the queue", "queue", "waiting"),
            Self::Job(_) => AnswerLabels::of("the report on the job", "job", "waiting"),
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
                goal: question.goal.moved(moved)?,
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
            Self::Advice(question) => {
                let mut question = question.clone();
                for goal in &mut question.goals {
                    *goal = goal.moved(moved)?;
                }
                question.contributions =
                    follow_contributions(before, after, &question.contributions)?;
                Self::Advice(question)
            }
            Self::Machine(question) => {
                let mut question = question.clone();
                for (node, _) in &mut question.machine.demands {
                    *node = moved(*node)?;
                }
                Self::Machine(question)
            }
            Self::Metrics(question) => Self::Metrics(*question),
            Self::Queue(limit) => Self::Queue(*limit),
            Self::Job(question) => Self::Job(question.clone()),
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

fn follow_contributions(
    before: &Tree,
    after: &Tree,
    contributions: &Contributions,
) -> Option<Contributions> {
    let mut followed = Contributions::new();
    for (&node, &amount) in contributions {
        followed.insert(follow_node(before, after, node)?, amount);
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

impl JobQuestion {
    /// Finds the job in the queue, and what is before it.
    fn answer<'a>(&self, asked: AskedTree<'a>) -> Result<JobReport<'a>, AnswerError> {
        let queue = asked.queue.ok_or(AnswerError::NoJobs)?;
        Ok(JobReport {
            view: *asked.view,
            answer: queue.job_answer(&self.job, self.other.as_ref())?,
            limit: self.limit,
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
            median: MedianUser::of(scenario),
            queue: asked.queue,
            shows_others: self.shows_others,
        })
    }
}
