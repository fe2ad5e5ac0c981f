//! Statements about the nodes of a plan, grouped: a thousand nodes with one reason are one entry.

use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, Tree, escape_name, path_of};
use hashbrown::HashMap;
use std::hash::Hash;

/// The most nodes that an entry names.
const NAMED: usize = 3;

/// A statement and the nodes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<T> {
    /// The statement.
    pub what: T,
    /// The paths of the first nodes that it is about. Empty if it is about no node.
    pub named: Vec<Shown>,
    /// The number of nodes that it is about.
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

impl<T> Statement<T> {
    /// Returns a statement about accounts or users that their names identify.
    pub(super) fn about_names<'a>(what: T, names: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut statement = Self::from(what);
        for name in names {
            statement.count += 1;
            if statement.named.len() < NAMED {
                statement.named.push(shown(name));
            }
        }
        statement
    }
}

/// Statements in the order in which they were first made.
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
    /// Adds a statement about a node.
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

    /// Adds a statement that is about no node.
    pub(super) fn add_general(&mut self, what: T) {
        self.list.push(what.into());
    }

    /// Returns all statements.
    pub(super) fn list(self) -> Vec<Statement<T>> {
        self.list
    }
}

/// Returns the path of a node. The root is shown by its name.
pub(super) fn path(tree: &Tree, node: NodeId) -> Shown {
    match path_of(tree, node) {
        Some(path) if !path.is_empty() => shown(path.as_bytes()),
        _ => shown(escape_name(tree.name(node)).as_bytes()),
    }
}
