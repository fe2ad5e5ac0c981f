//! Search: every node whose name contains the text, or else those whose path does, step by step, or else those whose
//! name has all its letters in this order; the best match first.

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

/// Returns how well a name has the text of a search in it.
fn place(text: &[u8], minds_case: bool, name: &[u8]) -> Option<Match> {
    let first = text.first()?;
    let found = name.windows(text.len()).position(|window| {
        if minds_case {
            window == text
        } else {
            window[0].eq_ignore_ascii_case(first) && window.eq_ignore_ascii_case(text)
        }
    });
    Some(match found? {
        0 if name.len() == text.len() => Match::Whole,
        0 => Match::Beginning,
        _ => Match::Part,
    })
}

/// Returns how well a name matches, raw or as shown.
fn matched(text: &[u8], minds_case: bool, name: &[u8]) -> Option<Match> {
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) && *byte != b'\\';
    let is_plain = name.iter().all(is_plain);
    let written = || (!is_plain).then(|| place(text, minds_case, shown(name).as_bytes()));
    place(text, minds_case, name).or_else(|| written().flatten())
}

/// How the names of a tree match a text, by their ids.
type NameMatches = Vec<Option<Match>>;

#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) text: String,
    /// How names match the text, or the last step of a path.
    names: NameMatches,
    /// How names match the steps before, from the last one up; empty if the text is no path.
    above: Vec<NameMatches>,
    /// The matches: names that are the text, that begin with it, that contain it; else in tree order.
    pub(crate) found: Vec<NodeId>,
    /// Whether no name contains the text, so that the matches have other letters between its letters.
    pub(crate) is_fuzzy: bool,
}

impl Search {
    /// Returns the names that contain the text. If there are none, those whose path does: in `phys/al` the name contains
    /// the last step, and accounts above it contain those before, in their order. Or else names with the letters of
    /// the text in this order, with others between.
    pub(crate) fn new(tree: &Tree, text: &str) -> Self {
        // Lower-case letters match both cases; an upper-case letter matches only itself.
        let minds_case = text.chars().any(char::is_uppercase);
        // Each name is compared once, even if many nodes share it.
        let names = |matches: &mut dyn FnMut(&[u8]) -> Option<Match>| -> NameMatches {
            let names = tree.names().iter();
            names.map(|(_, name)| matches(name)).collect()
        };
        let with = |text: &str| names(&mut |name| matched(text.as_bytes(), minds_case, name));
        let mut search = Self {
            text: text.to_owned(),
            names: with(text),
            above: Vec::new(),
            found: Vec::new(),
            is_fuzzy: false,
        };
        search.find(tree);
        let mut steps = text.split('/').rev().filter(|step| !step.is_empty());
        if search.found.is_empty()
            && text.contains('/')
            && let Some(last) = steps.next()
        {
            search.names = with(last);
            search.above = steps.map(with).collect();
            search.find(tree);
        }
        if search.found.is_empty() && !text.is_empty() {
            let mut fuzzy = Fuzzy::new(text);
            search.names = names(&mut |name| fuzzy.score(&shown(name)).map(|_| Match::Letters));
            search.above.clear();
            search.find(tree);
            search.is_fuzzy = !search.found.is_empty();
        }
        search
    }

    fn find(&mut self, tree: &Tree) {
        let nodes = tree.nodes().iter().copied();
        let mut found: Vec<NodeId> = nodes.filter(|&node| self.matches(tree, node)).collect();
        found.sort_by_key(|&node| self.names[tree.name_id(node).index()]);
        self.found = found;
    }

    /// Whether a node matches. A name that was given since does not.
    pub(crate) fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        let is_in = |names: &NameMatches, node| {
            let name = tree.name_id(node).index();
            names.get(name).is_some_and(Option::is_some)
        };
        if !is_in(&self.names, node) {
            return false;
        }
        let mut above = tree.upwards(node).skip(1);
        let mut steps = self.above.iter();
        steps.all(|names| above.any(|account| is_in(names, account)))
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
