//! Search: every node whose name contains the text, or else all its letters in this order; in tree order.

use crate::base::fuzzy::Fuzzy;
use crate::base::shown::shown;
use crate::model::{NodeId, Tree};

/// The text of a search. Lower-case letters match both cases; an upper-case letter matches only itself.
struct Query {
    text: Vec<u8>,
    minds_case: bool,
}

impl Query {
    /// Returns a query for a text in names.
    fn new(text: &str) -> Self {
        Self {
            text: text.as_bytes().to_vec(),
            minds_case: text.chars().any(char::is_uppercase),
        }
    }

    /// Whether a name contains the text, raw or as shown.
    fn matches(&self, name: &[u8]) -> bool {
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
    /// Whether each name matches, by its id.
    names: Vec<bool>,
    found: Vec<NodeId>,
    is_fuzzy: bool,
}

impl Search {
    /// Returns the matches among all names: those that contain the text, or if there are none, those that contain its
    /// letters in this order with others between them.
    #[must_use]
    pub fn new(tree: &Tree, text: &str) -> Self {
        let query = Query::new(text);
        // Each name is compared once, even if many nodes share it.
        let names = |matches: &mut dyn FnMut(&[u8]) -> bool| -> Vec<bool> {
            let names = tree.names().iter();
            names.map(|(_, name)| matches(name)).collect()
        };
        let found = |names: &[bool]| -> Vec<NodeId> {
            let nodes = tree.nodes().iter().copied();
            nodes
                .filter(|&node| names[tree.name_id(node).index()])
                .collect()
        };
        let mut search = Self {
            text: text.to_owned(),
            names: names(&mut |name| query.matches(name)),
            found: Vec::new(),
            is_fuzzy: false,
        };
        search.found = found(&search.names);
        if search.found.is_empty() && !text.is_empty() {
            let mut fuzzy = Fuzzy::new(text);
            search.names = names(&mut |name| fuzzy.score(&shown(name)).is_some());
            search.found = found(&search.names);
            search.is_fuzzy = !search.found.is_empty();
        }
        search
    }

    /// Returns whether no name contains the text, so that the matches have other letters between its letters.
    #[must_use]
    pub fn is_fuzzy(&self) -> bool {
        self.is_fuzzy
    }

    /// Returns the matches, in tree order.
    #[must_use]
    pub fn found(&self) -> &[NodeId] {
        &self.found
    }

    /// Whether the name of a node matches. A name that was given since does not.
    #[must_use]
    pub fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        let name = tree.name_id(node).index();
        self.names.get(name).copied().unwrap_or(false)
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
