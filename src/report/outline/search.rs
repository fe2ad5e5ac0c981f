//! Search: every node whose name contains the text, in tree order.

use crate::base::shown::shown;
use crate::model::{NodeId, Tree};

/// The text of a search. Lower-case letters match both cases; an upper-case letter matches only itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    text: Vec<u8>,
    minds_case: bool,
}

impl Query {
    /// Returns a query for a text in names.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.as_bytes().to_vec(),
            minds_case: text.chars().any(char::is_uppercase),
        }
    }

    /// Whether a name contains the text, raw or as shown.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        let is_plain = name
            .iter()
            .all(|byte| (b' '..=b'~').contains(byte) && *byte != b'\\');
        self.is_in(name) || (!is_plain && self.is_in(shown(name).as_bytes()))
    }

    fn is_in(&self, name: &[u8]) -> bool {
        if self.text.is_empty() || name.len() < self.text.len() {
            return false;
        }
        let first = self.text[0];
        name.windows(self.text.len()).any(|window| {
            if self.minds_case {
                window == self.text
            } else {
                window[0].eq_ignore_ascii_case(&first) && window.eq_ignore_ascii_case(&self.text)
            }
        })
    }
}

/// A search and its matches.
#[derive(Clone, Debug)]
pub struct Search {
    /// The text, as it was typed.
    pub text: String,
    query: Query,
    found: Vec<NodeId>,
}

impl Search {
    /// Returns the matches among all names.
    #[must_use]
    pub fn new(tree: &Tree, text: &str) -> Self {
        let query = Query::new(text);
        // Each name is compared once, even if many nodes share it.
        let names: Vec<bool> = tree
            .names()
            .iter()
            .map(|(_, name)| query.matches(name))
            .collect();
        let found = tree
            .nodes()
            .iter()
            .copied()
            .filter(|&node| names[tree.name_id(node).index()])
            .collect();
        Self {
            text: text.to_owned(),
            query,
            found,
        }
    }

    /// Returns the matches, in tree order.
    #[must_use]
    pub fn found(&self) -> &[NodeId] {
        &self.found
    }

    /// Whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        self.query.matches(name)
    }

    /// Returns the position of a node among the matches, from 1; `None` if it does not match.
    #[must_use]
    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.found
            .iter()
            .position(|&found| found == node)
            .map(|place| place + 1)
    }

    /// Returns the next match at or after a position in the tree, wrapping around the end.
    #[must_use]
    pub fn from(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        let here = tree.order().position(node);
        let after = self
            .found
            .iter()
            .find(|&&found| tree.order().position(found) >= here);
        after.or_else(|| self.found.first()).copied()
    }

    /// Returns the next match after this node, wrapping around the end.
    #[must_use]
    pub fn next(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        let here = tree.order().position(node);
        let after = self
            .found
            .iter()
            .find(|&&found| tree.order().position(found) > here);
        after.or_else(|| self.found.first()).copied()
    }

    /// Returns the last match before this node, wrapping around the start.
    #[must_use]
    pub fn previous(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        let here = tree.order().position(node);
        let before = self
            .found
            .iter()
            .rev()
            .find(|&&found| tree.order().position(found) < here);
        before.or_else(|| self.found.last()).copied()
    }
}
