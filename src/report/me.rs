//! `me`: what a tree tells one user, on one page.
//!
//! By default no other user is named: the page is for that user, and the tree may be of the whole site.

mod associations;
mod jobs;
mod place;
mod prose;
mod verdict;

use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, name_text, object};
use super::render::table::Table;
use super::words::verify::doubt;
use super::{Report, View, dump, words};
use crate::analysis::queue::Queue;
use crate::analysis::solve::TargetUse;
use crate::analysis::user::{AssociationStanding, MedianUser, UserStanding};
use crate::base::nearest::unknown_of;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Settings, Tree};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The page of a user.
pub(crate) struct UserPage<'a> {
    /// The tree.
    pub(crate) view: View<'a>,
    /// What it tells about the user, who has at least one association.
    pub(crate) user: UserStanding,
    /// The median of all users; `None` where it would mislead.
    pub(crate) median: Option<MedianUser>,
    /// The jobs that wait, if they are known.
    pub(crate) queue: Option<&'a Queue>,
    /// Whether other users are named.
    pub(crate) shows_others: bool,
}

/// Returns the associations of a user, in tree order.
///
/// Under `fairshare_entity: egroup:euser` PBS calls an entity `GROUP:USER`, so a user may have one in each group.
pub(crate) fn users_called(tree: &Tree, settings: &Settings, user: &[u8]) -> Vec<NodeId> {
    let mut nodes = tree.nodes_named(user).into_owned();
    nodes.retain(|&node| tree.kind(node) == Kind::User);
    if nodes.is_empty() && settings.pbs.fairshare_entity == "egroup:euser" {
        for node in tree.users() {
            if let Some(group) = tree.name(node).strip_suffix(user)
                && group.ends_with(b":")
            {
                nodes.push(node);
            }
        }
    }
    nodes
}

/// Returns the associations of a user; the error is a sentence.
pub(crate) fn associations_of(
    tree: &Tree,
    settings: &Settings,
    user: &[u8],
) -> Result<Vec<NodeId>, Shown> {
    let nodes = users_called(tree, settings, user);
    if !nodes.is_empty() {
        return Ok(nodes);
    }
    let mut texts = BTreeSet::new();
    for node in tree.users() {
        texts.insert(String::from_utf8_lossy(tree.name(node)));
    }
    let names: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let count = counted(names.len(), "user", "users");
    let accepted = sentence!("one of the {count} in this source; fairscope rank lists them");
    Err(unknown_of("user", user, &names, &accepted))
}

/// What else decides when a job starts.
const UNKNOWN: &str = "Fairshare does not know a job's age, size, queue or QOS, nor limits.";

/// Returns how many times its share somebody used.
fn served(target: Option<&TargetUse>) -> Option<f64> {
    target?.target.served()
}

impl UserPage<'_> {
    /// Returns the association that runs first.
    fn best(&self) -> &AssociationStanding {
        &self.user.associations[0]
    }

    /// Returns the user's name as the source has it.
    fn raw_name(&self) -> &[u8] {
        self.view.tree.name(self.best().node)
    }

    /// Returns the user's name, for people.
    fn name(&self) -> Shown {
        self.view.name(self.best().node)
    }

    /// Returns the title of the page.
    pub(crate) fn title(&self) -> Shown {
        let name = self.name();
        sentence!("Fairshare of {name}")
    }

    /// Returns the best association in a sentence: the user itself if it has no other.
    fn subject(&self) -> Shown {
        match self.user.associations[..] {
            [_] => self.name(),
            _ => self.view.path(self.best().node),
        }
    }

    /// Returns whether a node is one of the user's associations.
    fn is_association(&self, node: NodeId) -> bool {
        let mut associations = self.user.associations.iter();
        associations.any(|own| own.node == node)
    }

    /// Returns whether a sibling may be named: another user is not by default.
    fn names(&self, node: NodeId) -> bool {
        let tree = self.view.tree;
        if self.shows_others || tree.kind(node) == Kind::Account {
            return true;
        }
        tree.name(node) == self.raw_name()
    }

    /// Returns whether there are users that are not listed, while each level is completed by what it lacks.
    fn is_of_part(&self) -> bool {
        self.view.tree.part().is_some()
    }

    /// Returns what follows the tables: what waiting changes, what would help, and what is not known.
    fn sentences(&self) -> Vec<Shown> {
        let mut sentences = Vec::new();
        let is_ranked = self.user.users.is_some();
        if is_ranked || self.is_of_part() {
            sentences.extend(self.waiting());
        }
        if is_ranked && let Some(caveat) = self.view.caveat {
            sentences.push(words::on_its_own(&doubt(&caveat.reason)));
        }
        let remedies = self.remedies();
        if !remedies.helps.is_empty() {
            let helps = remedies.helps.join("; ");
            sentences.push(sentence!("What would help: {helps}."));
        }
        if !remedies.helps_not.is_empty() {
            let helps_not = remedies.helps_not.join("; ");
            sentences.push(sentence!("What would not: {helps_not}."));
        }
        sentences.extend(self.not_told());
        sentences.push(UNKNOWN.into());
        sentences
    }
}

impl Report for UserPage<'_> {
    fn front(&self) -> Front {
        let mut view = self.view;
        if !self.shows_others {
            // Edits name other users.
            view.edits = &[];
        }
        Front::of(self.title(), &view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(&self.view));
        document.paragraph(self.verdict());
        document.gap_in_text();
        let rows = self.user.associations.iter();
        document.table(Table::new(self.columns(), rows));
        for line in self.legend() {
            document.note(Some(line));
        }
        self.add_path(&mut document);
        self.add_jobs(&mut document);
        document.gap();
        document.paragraphs(self.sentences());
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = &self.view;
        let mut associations = Vec::new();
        for own in &self.user.associations {
            associations.push(self.json(own));
        }
        let mut waiting = None;
        if let Some(jobs) = self.jobs_json() {
            waiting = Some(("waiting", Lines(jobs)));
        }
        let body = object! {
            user: name_text(self.raw_name()),
            users: self.user.users,
            median: Lines(self.median_json()),
            associations: Lines(associations),
            problem_count: view.problems.count(),
            #[serde(flatten)]
            waiting: Entries(waiting),
        };
        if self.shows_others {
            json::write(out, view, body)
        } else {
            json::write_bare(out, view, body)
        }
    }
}
