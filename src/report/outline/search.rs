//! Search: every node whose name contains the text, or else all its letters in this order; the best match first.

use crate::base::fuzzy::Fuzzy;
use crate::base::shown::shown;
use crate::model::{NodeId, Tree};

/// How well a name matches, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Whole,
    Beginning,
    Part,
    /// The name contains the letters of the text in this order, with others between them.
    Letters,
}

/// The text of a search. Lower-case letters match both cases; an upper-case letter matches only itself.
struct Query {
    text: Vec<u8>,
    minds_case: bool,
}

impl Query {
    fn new(text: &str) -> Self {
        Self {
            text: text.as_bytes().to_vec(),
            minds_case: text.chars().any(char::is_uppercase),
        }
    }

    /// Returns how well a name matches, raw or as shown.
    fn matches(&self, name: &[u8]) -> Option<Match> {
        let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) && *byte != b'\\';
        let is_plain = name.iter().all(is_plain);
        let written = || (!is_plain).then(|| self.place(shown(name).as_bytes()));
        self.place(name).or_else(|| written().flatten())
    }

    fn place(&self, name: &[u8]) -> Option<Match> {
        if self.text.is_empty() || name.len() < self.text.len() {
            return None;
        }
        let first = self.text[0];
        let found = name.windows(self.text.len()).position(|window| {
            if self.minds_case {
                window == self.text
            } else {
                window[0].eq_ignore_ascii_case(&first) && window.eq_ignore_ascii_case(&self.text)
            }
        });
        Some(match found? {
            0 if name.len() == self.text.len() => Match::Whole,
            0 => Match::Beginning,
            _ => Match::Part,
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) text: String,
    names: Vec<Option<Match>>,
    found: Vec<NodeId>,
    is_fuzzy: bool,
}

impl Search {
    /// Returns the names that contain the text, or if there are none, its letters in this order with others between.
    pub(crate) fn new(tree: &Tree, text: &str) -> Self {
        let query = Query::new(text);
        // Each name is compared once, even if many nodes share it.
        let names = |matches: &mut dyn FnMut(&[u8]) -> Option<Match>| -> Vec<Option<Match>> {
            let names = tree.names().iter();
            names.map(|(_, name)| matches(name)).collect()
        };
        let found = |names: &[Option<Match>]| -> Vec<NodeId> {
            let how = |node: &NodeId| names[tree.name_id(*node).index()];
            let nodes = tree.nodes().iter().copied();
            let mut found: Vec<NodeId> = nodes.filter(|node| how(node).is_some()).collect();
            found.sort_by_key(how);
            found
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
            search.names = names(&mut |name| fuzzy.score(&shown(name)).map(|_| Match::Letters));
            search.found = found(&search.names);
            search.is_fuzzy = !search.found.is_empty();
        }
        search
    }

    /// Returns whether no name contains the text, so that the matches have other letters between its letters.
    pub(crate) fn is_fuzzy(&self) -> bool {
        self.is_fuzzy
    }

    /// Returns the matches: names that are the text, that begin with it, that contain it; else in tree order.
    pub(crate) fn found(&self) -> &[NodeId] {
        &self.found
    }

    /// Whether the name of a node matches. A name that was given since does not.
    pub(crate) fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        let name = tree.name_id(node).index();
        self.names.get(name).is_some_and(Option::is_some)
    }

    /// Returns the position of a node among the matches, from 1; `None` if it does not match.
    pub(crate) fn place(&self, node: NodeId) -> Option<usize> {
        let place = self.found.iter().position(|&found| found == node);
        place.map(|place| place + 1)
    }

    /// Returns the match after this node, and after the last or for any other node the first.
    pub(crate) fn next(&self, node: NodeId) -> Option<NodeId> {
        let next = self.place(node).and_then(|place| self.found.get(place));
        next.or_else(|| self.found.first()).copied()
    }

    /// Returns the match before this node, and before the first or for any other node the last.
    pub(crate) fn previous(&self, node: NodeId) -> Option<NodeId> {
        let before = self.place(node).and_then(|place| place.checked_sub(2));
        let before = before.and_then(|place| self.found.get(place));
        before.or_else(|| self.found.last()).copied()
    }
}
