//! Search: every node whose name contains the text, or else those whose path does, step by step, or else those whose
//! name has all its letters in this order; the best match first.

use crate::base::fuzzy::Fuzzy;
use crate::base::shown::shown;
use crate::model::{NodeId, Tree};

/// How well a name matches, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// The name is the text.
    Whole,
    /// The name begins with the text.
    Beginning,
    /// The name contains the text further behind.
    Part,
    /// The name contains the letters of the text in this order, with others between them.
    Letters,
}

/// A text that is looked for in names.
#[derive(Clone, Copy)]
struct Pattern<'a> {
    /// The text.
    text: &'a [u8],
    /// Whether an upper-case letter matches only itself. Lower-case letters alone match both cases.
    minds_case: bool,
}

impl Pattern<'_> {
    /// Returns how well a name has the text in it; `None` if it has not, or if the text is empty.
    fn place(self, name: &[u8]) -> Option<Match> {
        let text = self.text;
        let first = text.first()?;
        let found = name.windows(text.len()).position(|window| {
            if self.minds_case {
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
    fn matched(self, name: &[u8]) -> Option<Match> {
        let found = self.place(name);
        if found.is_some() || name.iter().copied().all(is_shown_as_itself) {
            return found;
        }
        self.place(shown(name).as_bytes())
    }

    /// Returns how the names of a tree match. Each name is compared once, even if many nodes share it.
    fn names(self, tree: &Tree) -> NameMatches {
        let mut matches = NameMatches::new();
        for (_, name) in tree.names().iter() {
            matches.push(self.matched(name));
        }
        matches
    }
}

/// Returns whether a byte of a name is shown as the character that it is.
fn is_shown_as_itself(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte) && byte != b'\\'
}

/// How the names of a tree match a text, by their ids.
type NameMatches = Vec<Option<Match>>;

/// A search, and what it found in a tree.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// The text that is looked for.
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
    /// the last step, and accounts above it contain those before, in their order. Or else names that contain it in other
    /// cases and without the blanks around it. Or else names with the letters of the text in this order, with others
    /// between.
    pub(crate) fn new(tree: &Tree, text: &str) -> Self {
        let mut pattern = Pattern {
            text: text.as_bytes(),
            minds_case: text.chars().any(char::is_uppercase),
        };
        let mut search = Self {
            text: text.to_owned(),
            names: pattern.names(tree),
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
            pattern.text = last.as_bytes();
            search.names = pattern.names(tree);
            for step in steps {
                pattern.text = step.as_bytes();
                search.above.push(pattern.names(tree));
            }
            search.find(tree);
        }
        let plain = text.trim().to_lowercase();
        if search.found.is_empty() && !plain.is_empty() && plain != text {
            // Capitals and blanks around it are no reason to find nothing.
            let lenient = Pattern {
                text: plain.as_bytes(),
                minds_case: false,
            };
            search.names = lenient.names(tree);
            search.above.clear();
            search.find(tree);
        }
        if search.found.is_empty() && !text.is_empty() {
            search.names = fuzzy_names(tree, text);
            search.above.clear();
            search.find(tree);
            search.is_fuzzy = !search.found.is_empty();
        }
        search
    }

    /// Looks for the nodes that match, the best first.
    fn find(&mut self, tree: &Tree) {
        let mut found = Vec::new();
        for &node in tree.nodes() {
            if self.matches(tree, node) {
                found.push(node);
            }
        }
        found.sort_by_key(|&node| {
            let name = tree.name_id(node);
            self.names[name.index()]
        });
        self.found = found;
    }

    /// Returns whether a node matches. A name that was given since does not.
    pub(crate) fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        if !is_match(&self.names, tree, node) {
            return false;
        }
        let mut above = tree.upwards(node).skip(1);
        let mut steps = self.above.iter();
        steps.all(|names| above.any(|account| is_match(names, tree, account)))
    }

    /// Returns the position of a node among the matches, from 1; `None` if it does not match.
    pub(crate) fn place(&self, node: NodeId) -> Option<usize> {
        let mut found = self.found.iter();
        let before = found.position(|&found| found == node)?;
        Some(before + 1)
    }

    /// Returns the match after this node, and after the last or for any other node the first.
    pub(crate) fn next(&self, node: NodeId) -> Option<NodeId> {
        // Places are counted from 1.
        let next = self.place(node).unwrap_or(0);
        match self.found.get(next) {
            Some(&node) => Some(node),
            None => self.found.first().copied(),
        }
    }

    /// Returns the match before this node, and before the first or for any other node the last.
    pub(crate) fn previous(&self, node: NodeId) -> Option<NodeId> {
        match self.place(node) {
            Some(place) if place > 1 => Some(self.found[place - 2]),
            _ => self.found.last().copied(),
        }
    }
}

/// Returns whether the name of a node is one of those that match.
fn is_match(names: &NameMatches, tree: &Tree, node: NodeId) -> bool {
    let name = tree.name_id(node);
    matches!(names.get(name.index()), Some(Some(_)))
}

/// Returns the names that have the letters of a text in this order, with others between.
fn fuzzy_names(tree: &Tree, text: &str) -> NameMatches {
    let mut fuzzy = Fuzzy::new(text);
    let mut names = NameMatches::new();
    for (_, name) in tree.names().iter() {
        let score = fuzzy.score(&shown(name));
        names.push(score.map(|_| Match::Letters));
    }
    names
}
