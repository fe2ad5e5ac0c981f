//! What a page is about, and its content: the rows of a document on the screen, and what they offer.

use crate::base::shown::Shown;
use crate::model::Tree;
use crate::report::Report;
use crate::report::document::{Document, KeptDocument, Offer};
use crate::report::layout::{Frame, layout};
use crate::report::manual::Topic;
use crate::report::question::{AnswerLabels, Question};
use std::path::PathBuf;

/// An answer in a form that can be drawn, copied and saved.
#[derive(Debug, Default)]
pub struct Page {
    pub title: Shown,
    /// What is on the page.
    pub(crate) document: KeptDocument,
    /// The text to copy, if it is not the page itself.
    pub copied: Option<String>,
    /// Further files to save with the page, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The edits that rows of the page offer.
    pub(crate) choices: Vec<Offer>,
    /// The jobs that rows of the page are about, by the names by which they are asked for.
    pub(crate) jobs: Vec<Shown>,
    /// The topic of the manual that is on the page instead of rows.
    pub topic: Option<Topic>,
    /// The topics that the links of that topic lead to, in the order of the text.
    pub links: Vec<Topic>,
    /// The choice that is selected at first.
    pub first_choice: usize,
    /// Whether the commands need the name of the cluster, which the user is asked for.
    pub lacks_cluster: bool,
}

impl Page {
    /// Returns a page that shows a document.
    pub(crate) fn of(mut document: Document<'_>, title: Shown) -> Self {
        let choices = std::mem::take(&mut document.offers);
        let jobs = std::mem::take(&mut document.jobs);
        let proposed = choices.iter().rposition(|offer| offer.is_first);
        Self {
            title,
            document: document.kept(),
            first_choice: proposed.unwrap_or_default(),
            choices,
            jobs,
            ..Self::default()
        }
    }

    /// Returns the page of a report: what the command prints.
    pub(crate) fn of_report(report: &dyn Report) -> Self {
        Self::of(report.document(), report.front().title)
    }

    /// Returns the page as it is copied and saved.
    pub(crate) fn text(&self) -> String {
        self.copied.clone().unwrap_or_else(|| self.prose())
    }

    /// Counts links and jobs too.
    pub(crate) fn choice_count(&self) -> usize {
        self.choices.len() + self.links.len() + self.jobs.len()
    }

    /// Returns the page as text, the title first.
    fn prose(&self) -> String {
        let mut text = format!("{}\n", self.title);
        let frame = Frame {
            is_page: true,
            ..Frame::default()
        };
        for laid in layout(&self.document.document(), frame) {
            text += &laid.line.text().trimmed();
            text.push('\n');
        }
        text
    }
}

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// A question about the tree.
    Question(Question),
    /// The edits with their winners and losers, and the scheduler's commands.
    Plan,
    /// The differences from the tree in a file.
    Diff(PathBuf),
    /// The source: its problems, and what was verified.
    Source,
    /// The history of these nodes, by path, through the series.
    Timeline(Vec<String>),
    /// A topic of the manual.
    Manual(Topic),
}

/// Why there is no history.
pub(crate) const NO_SERIES: &str = "this tree is not part of a series; open a directory of dumps with dates in their \
                                    names, such as sshare-2025-04-22.txt";

impl Subject {
    /// Returns how the page is called.
    pub(crate) const fn labels(&self) -> AnswerLabels {
        match self {
            Self::Question(question) => question.labels(),
            Self::Plan => AnswerLabels::of("the plan", "plan", "changes"),
            Self::Diff(_) => AnswerLabels::of("the differences", "diff", "changes"),
            Self::Source => AnswerLabels::of("the check of the source", "check", "verify"),
            Self::Timeline(_) => AnswerLabels::of("the history", "history", "dumps"),
            Self::Manual(topic) => AnswerLabels::of("the topic", topic.name, topic.name),
        }
    }

    /// Returns the same subject in another state of the tree, or `None` if one of its nodes does not exist there.
    pub(crate) fn follow(&self, before: &Tree, after: &Tree) -> Option<Self> {
        match self {
            Self::Question(question) => question.follow(before, after).map(Self::Question),
            // A removed node still has a history.
            Self::Timeline(_) | Self::Source | Self::Plan | Self::Diff(_) | Self::Manual(_) => {
                Some(self.clone())
            }
        }
    }
}
