//! What a scheduler cannot be told, gathered by reason: a thousand nodes with one reason are one sentence.

use super::LeftOut;
use crate::base::shown::shown;
use crate::model::{NodeId, Tree, escape_name, path_of};
use std::collections::{BTreeSet, HashMap};

/// How many nodes a sentence names.
const NAMED: usize = 3;

/// Reasons, each with the nodes it is about.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    reasons: Vec<Reason>,
    known: HashMap<String, usize>,
    /// What is left out of the plan.
    pub(super) left_out: BTreeSet<LeftOut>,
}

#[derive(Debug)]
struct Reason {
    text: String,
    named: Vec<String>,
    count: usize,
}

impl Refusals {
    /// Takes down why a part of a node cannot be as it was to be.
    pub(super) fn leave_out(
        &mut self,
        tree: &Tree,
        node: NodeId,
        part: fn(NodeId) -> LeftOut,
        reason: impl Into<String>,
    ) {
        self.left_out.insert(part(node));
        self.add(tree, node, reason);
    }

    /// Takes down what is to be said about a node.
    pub(super) fn add(&mut self, tree: &Tree, node: NodeId, reason: impl Into<String>) {
        let text = reason.into();
        let place = *self.known.entry(text.clone()).or_insert_with(|| {
            self.reasons.push(Reason {
                text,
                named: Vec::new(),
                count: 0,
            });
            self.reasons.len() - 1
        });
        let reason = &mut self.reasons[place];
        reason.count += 1;
        if reason.named.len() < NAMED {
            reason.named.push(path(tree, node));
        }
    }

    /// Takes down what is not about a node.
    pub(super) fn say(&mut self, sentence: impl Into<String>) {
        self.reasons.push(Reason {
            text: sentence.into(),
            named: Vec::new(),
            count: 0,
        });
    }

    /// One sentence for each reason: `physics, chem and 3 more: why`.
    pub(super) fn sentences(self) -> Vec<String> {
        self.reasons.into_iter().map(Reason::sentence).collect()
    }
}

impl Reason {
    fn sentence(self) -> String {
        let more = self.count - self.named.len();
        let named = match &self.named[..] {
            [] => return self.text,
            named if more > 0 => format!("{} and {more} more", named.join(", ")),
            [only] => only.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        format!("{named}: {}", self.text)
    }
}

/// The path of a node, for people; the root goes by its name.
pub(super) fn path(tree: &Tree, node: NodeId) -> String {
    match path_of(tree, node) {
        Some(path) if !path.is_empty() => shown(path.as_bytes()),
        _ => shown(escape_name(tree.name(node)).as_bytes()),
    }
}
