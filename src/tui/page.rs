//! Pages: long answers that may take time to compute, such as the plan, a solution or a comparison of two nodes. A
//! thread computes each page from a copy of the scenario. This module holds their content; keys are handled in `update`
//! and drawing is done in `screen`.

mod compare;
pub(super) mod content;
pub(super) mod contention;
mod plan;
mod solve;

use crate::analysis::contention::Machine;
use crate::analysis::solve::Goal;
use crate::base::shown::Shown;
use crate::format::Series;
use crate::format::native::Reference;
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::report::manual::{Topic, links, plain_text};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use content::{Page, Progress};
use std::path::PathBuf;

/// The width at which a topic of the manual is copied and saved.
const WIDTH: usize = 80;

/// A page to compute. Clones are cheap because they share every column.
#[derive(Clone, Debug)]
pub struct PageTask {
    pub(crate) subject: Subject,
    pub(crate) scenario: Box<Scenario>,
    pub(crate) reference: Reference,
    pub(crate) series: Option<Series>,
}

impl PageTask {
    /// Computes the page until the job is cancelled. The error is a sentence that explains why there is none.
    pub(crate) fn answer(self, ticket: &Ticket) -> Result<Page, Shown> {
        let scenario = &self.scenario;
        let progress: Progress<'_> = &mut |_| ticket.go_on();
        match &self.subject {
            Subject::Plan => Ok(plan::page(scenario, &self.reference)),
            Subject::Goal(node, goal) => {
                solve::goal(scenario, *node, *goal, progress).map_err(told)
            }
            Subject::Rank(node) => solve::hangs_on(scenario, *node, progress).map_err(told),
            Subject::Pair(pair) => compare::pair(scenario, *pair, progress).map_err(told),
            Subject::Diff(path) => {
                compare::with_file(scenario, path, ticket).map_err(|error| error.line())
            }
            Subject::Contention(machine, against) => {
                contention::page(scenario, machine, *against, ticket).map_err(told)
            }
            Subject::Manual(topic) => Ok(topic_page(*topic)),
            Subject::Timeline(paths) => {
                let series = self.series.ok_or(NO_SERIES)?;
                let request = &self.reference.request;
                compare::history(scenario, request, series, paths, ticket)
                    .map_err(|error| error.line())
            }
        }
    }
}

fn told(error: impl std::error::Error) -> Shown {
    Shown::error(&error)
}

pub(crate) fn topic_page(topic: Topic) -> Page {
    Page {
        title: topic.title().into(),
        copied: Some(plain_text(topic, WIDTH)),
        what: "the topic".into(),
        file: format!("{}.txt", topic.name),
        topic: Some(topic),
        links: links(topic),
        ..Page::default()
    }
}

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
