//! What there is to say about a plan, gathered by what it is: a thousand nodes with one reason are one entry.

use crate::base::shown::shown;
use crate::model::{NodeId, Tree, escape_name, path_of};
use std::collections::HashMap;
use std::hash::Hash;

/// How many nodes an entry names.
const NAMED: usize = 3;

/// One thing to say, and the nodes it is said of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<T> {
    /// What there is to say.
    pub what: T,
    /// The paths of the first nodes it is said of, as they may be shown; empty where it is said of no node.
    pub named: Vec<String>,
    /// Of how many nodes it is said.
    pub count: usize,
}

impl<T> From<T> for Statement<T> {
    fn from(what: T) -> Self {
        Self {
            what,
            named: Vec::new(),
            count: 0,
        }
    }
}

/// Things to say, in the order in which they came up.
#[derive(Debug)]
pub(super) struct Statements<T> {
    list: Vec<Statement<T>>,
    known: HashMap<T, usize>,
}

impl<T> Default for Statements<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            known: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Statements<T> {
    /// Takes down what is to be said about a node.
    pub(super) fn add(&mut self, tree: &Tree, node: NodeId, what: T) {
        let place = *self.known.entry(what.clone()).or_insert_with(|| {
            self.list.push(what.into());
            self.list.len() - 1
        });
        let about = &mut self.list[place];
        about.count += 1;
        if about.named.len() < NAMED {
            about.named.push(path(tree, node));
        }
    }

    /// Takes down what is not about a node.
    pub(super) fn say(&mut self, what: T) {
        self.list.push(what.into());
    }

    /// Everything that was taken down.
    pub(super) fn list(self) -> Vec<Statement<T>> {
        self.list
    }
}

/// The path of a node, for people; the root goes by its name.
pub(super) fn path(tree: &Tree, node: NodeId) -> String {
    match path_of(tree, node) {
        Some(path) if !path.is_empty() => shown(path.as_bytes()),
        _ => shown(escape_name(tree.name(node)).as_bytes()),
    }
}
