//! What a page is about, and its content: the rows of a document on the screen, and what they offer.

use crate::analysis::contention::Machine;
use crate::base::shown::Shown;
use crate::model::Tree;
use crate::report::Report;
use crate::report::document::{Document, KeptDocument, Offer};
use crate::report::layout::{Frame, layout};
use crate::report::manual::Topic;
use crate::report::question::{Question, follow_node};
use crate::rules::policy::Policy;
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
    /// The edits that rows of the page offer.
    pub(crate) choices: Vec<Offer>,
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
    pub(crate) fn of(
        mut document: Document<'_>,
        title: Shown,
        what: &'static str,
        file: &str,
    ) -> Self {
        let mut page = Self::new(title, what, file);
        page.choices = std::mem::take(&mut document.offers);
        for (place, offer) in page.choices.iter().enumerate() {
            if offer.is_first {
                page.first_choice = place;
            }
        }
        page.document = document.kept();
        page
    }

    /// Returns the page of a report: what the command prints.
    pub(crate) fn of_report(report: &dyn Report, what: &'static str, file: &str) -> Self {
        Self::of(report.document(), report.front().title, what, file)
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

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// A question about the tree.
    Question(Question),
    /// The edits with their winners and losers, and the scheduler's commands.
    Plan,
    /// The fewest edits that keep the goals of a site, as they were typed.
    Advice(String),
    /// The differences from the tree in a file.
    Diff(PathBuf),
    /// A simulated busy cluster, optionally under a second policy too.
    Contention(Machine, Option<Policy>),
    /// The source: its problems, and what was verified.
    Source,
    /// The history of these nodes, by path, through the series.
    Timeline(Vec<String>),
    /// A topic of the manual.
    Manual(Topic),
}

pub(crate) const NO_SERIES: &str = "this tree is not part of a series; open a directory of dumps with dates in their \
                                    names, such as sshare-2025-04-22.txt";

impl Subject {
    /// Returns the words for the page, as in "copied the answer".
    pub(crate) const fn noun(&self) -> &'static str {
        match self {
            Self::Question(question) => question.noun(),
            Self::Plan => "the plan",
            Self::Advice(_) => "the advice",
            Self::Diff(_) => "the differences",
            Self::Contention(..) => "the delivered shares",
            Self::Source => "the check of the source",
            Self::Timeline(_) => "the history",
            Self::Manual(_) => "the manual",
        }
    }

    /// Returns the same subject in another state of the tree, or `None` if one of its nodes does not exist there.
    pub(crate) fn follow(&self, before: &Tree, after: &Tree) -> Option<Self> {
        match self {
            Self::Question(question) => question.follow(before, after).map(Self::Question),
            Self::Contention(machine, against) => {
                let mut machine = machine.clone();
                for (node, _) in &mut machine.demands {
                    *node = follow_node(before, after, *node)?;
                }
                Some(Self::Contention(machine, *against))
            }
            // A removed node still has a history.
            Self::Advice(_)
            | Self::Timeline(_)
            | Self::Source
            | Self::Plan
            | Self::Diff(_)
            | Self::Manual(_) => Some(self.clone()),
        }
    }
}
