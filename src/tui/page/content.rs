//! What a page is about, and its content: the rows of a document on the screen, and what they offer.

use crate::analysis::contention::Machine;
use crate::analysis::solve::Goal;
use crate::base::shown::Shown;
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::report::document::{Document, KeptDocument};
use crate::report::layout::{Frame, layout};
use crate::report::manual::Topic;
use crate::rules::policy::Policy;
use crate::scenario::Edit;
use std::path::PathBuf;

/// An answer in a form that can be drawn, copied and saved.
#[derive(Debug, Default)]
pub struct Page {
    pub title: Shown,
    /// What is on the page.
    pub(crate) document: KeptDocument,
    /// What follows it; on the right of it where the screen is wide.
    pub(crate) aside: KeptDocument,
    /// The text to copy, if it is not the page itself.
    pub copied: Option<String>,
    /// What was copied, for the message afterwards.
    pub what: Shown,
    /// The file name suggested for saving.
    pub file: String,
    /// Further files to save with the page, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The edits that rows of the page offer, each with the node it changes.
    pub choices: Vec<(Edit, NodeId)>,
    /// The topic of the manual that is on the page in place of rows.
    pub topic: Option<Topic>,
    /// The topics that the links of that topic lead to, in the order of the text.
    pub links: Vec<Topic>,
    /// The choice that is selected at first.
    pub first_choice: usize,
    /// Whether the commands need the name of the cluster, which the user is asked for.
    pub lacks_cluster: bool,
}

impl Page {
    /// Returns an empty page: its title, what is copied, and the file that is suggested for it.
    pub(crate) fn new(title: impl Into<Shown>, what: &'static str, file: &str) -> Self {
        Self {
            title: title.into(),
            what: what.into(),
            file: file.to_owned(),
            ..Self::default()
        }
    }

    /// Returns a page that shows a document.
    pub(crate) fn of(document: Document<'_>, title: Shown, what: &'static str, file: &str) -> Self {
        let mut page = Self::new(title, what, file);
        page.document = document.kept();
        page
    }

    pub(crate) fn text(&self) -> String {
        self.copied.clone().unwrap_or_else(|| self.prose())
    }

    /// Counts links too.
    pub(crate) fn choice_count(&self) -> usize {
        self.choices.len() + self.links.len()
    }

    /// Returns the page as text, the title first.
    fn prose(&self) -> String {
        let mut text = format!("{}\n", self.title);
        let frame = Frame {
            is_page: true,
            ..Frame::default()
        };
        for document in [&self.document, &self.aside] {
            for laid in layout(&document.document(), frame) {
                text += &laid.line.text().trimmed();
                text.push('\n');
            }
        }
        text
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// The edits with their winners and losers, and the scheduler's commands.
    Plan,
    Goal(NodeId, Goal),
    /// The fewest edits that keep the goals of a site, as they were typed.
    Advice(String),
    Rank(NodeId),
    /// The node under every policy.
    EveryPolicy(NodeId),
    /// The user whose association this is.
    User(NodeId),
    Pair([NodeId; 2]),
    Diff(PathBuf),
    /// A simulated busy cluster, optionally under a second policy too.
    Contention(Machine, Option<Policy>),
    /// The jobs that wait.
    Queue,
    /// The source: its problems, and what was verified.
    Source,
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
            Self::Advice(_) => "the advice",
            Self::Rank(_) => "what the rank depends on",
            Self::EveryPolicy(_) => "every policy",
            Self::User(_) => "the page",
            Self::Pair(_) => "the comparison",
            Self::Diff(_) => "the differences",
            Self::Contention(..) => "the delivered shares",
            Self::Queue => "the queue",
            Self::Source => "the check of the source",
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
            Self::EveryPolicy(node) => Self::EveryPolicy(there(*node)?),
            Self::User(node) => Self::User(there(*node)?),
            Self::Pair([one, other]) => Self::Pair([there(*one)?, there(*other)?]),
            Self::Contention(machine, against) => {
                let mut machine = machine.clone();
                for (node, _) in &mut machine.demands {
                    *node = there(*node)?;
                }
                Self::Contention(machine, *against)
            }
            // A removed node still has a history.
            Self::Advice(_)
            | Self::Timeline(_)
            | Self::Queue
            | Self::Source
            | Self::Plan
            | Self::Diff(_)
            | Self::Manual(_) => self.clone(),
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
