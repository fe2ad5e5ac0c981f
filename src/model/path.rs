//! Paths: `physics/lattice/alice`, from the root's child down. The root itself has the empty path.
//!
//! A `/`, `\`, `@` or `#` in a name is written with a `\` before it, and a byte that is not UTF-8 as `\xNN`. So every
//! node has exactly one path, and every path names at most one node. What is read is every escape of [`shown`] too, so
//! that a name can be written as it was printed.

mod near;

use super::{NodeId, Tree};
use crate::base::shown::{Shown, read_back, sentence, shown, shown_path, unescape};
use std::fmt::Write as _;

/// The depth below which nodes have no path. A chain of a million nodes would print a million long lines.
pub const DEEPEST_PATH: u32 = 512;

/// Why a path or a name does not identify a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// No node has this path and no node this name.
    #[error("unknown node '{name}'; {}", suggestion(near))]
    Unknown {
        /// The path or name as it was given.
        name: Shown,
        /// The paths of the nodes that were probably meant, the nearest first; none if they were not looked for.
        near: Vec<Shown>,
    },
    /// Several nodes have this name.
    #[error(
        "{count} nodes are called {name}, such as {first} and {second}; write the path of the one you mean"
    )]
    Ambiguous {
        /// The name as it was given.
        name: Shown,
        /// How many nodes have it.
        count: usize,
        /// The path of the first.
        first: Shown,
        /// The path of the second.
        second: Shown,
    },
}

impl PathError {
    /// Adds the paths of the nodes that were probably meant. The search goes through the whole tree.
    pub fn suggesting(self, tree: &Tree) -> Self {
        match self {
            Self::Unknown { name, .. } => {
                let near = near::near(tree, &read_back(name.as_bytes()));
                let near = near.iter().map(|path| shown_path(path)).collect();
                Self::Unknown { name, near }
            }
            ambiguous @ Self::Ambiguous { .. } => ambiguous,
        }
    }
}

/// Returns the suggestion for a path that matches no node.
fn suggestion(near: &[Shown]) -> Shown {
    match near {
        [] => "write the path from the root, as in group/user, or a name that occurs once".into(),
        [path] => sentence!("did you mean '{path}'?"),
        [paths @ .., last] => {
            let paths: Vec<Shown> = paths.iter().map(|path| sentence!("'{path}'")).collect();
            sentence!("did you mean {} or '{last}'?", paths.join(", "))
        }
    }
}

/// Returns a name as it is written in a path.
pub fn escape_name(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            if matches!(char, '/' | '\\' | '@' | '#') {
                text.push('\\');
            }
            text.push(char);
        }
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// Returns the last step of a node's path: name, partition, ordinal.
fn step(tree: &Tree, node: NodeId) -> String {
    let mut text = escape_name(tree.name(node));
    if let Some(partition) = tree.partition(node) {
        text.push('@');
        text.push_str(&escape_name(partition));
    }
    if let Some(ordinal) = tree.ordinal(node) {
        let _ = write!(text, "#{ordinal}");
    }
    text
}

/// Returns the path of a node, or `None` beyond [`DEEPEST_PATH`].
pub fn path_of(tree: &Tree, node: NodeId) -> Option<String> {
    if tree.depth(node) > DEEPEST_PATH {
        return None;
    }
    let steps: Vec<String> = tree
        .line(node)
        .into_iter()
        .map(|node| step(tree, node))
        .collect();
    Some(steps.join("/"))
}

/// Returns the path of a node for people: only its end beyond [`DEEPEST_PATH`], and nothing for the root.
pub fn path_for_people(tree: &Tree, node: NodeId) -> Shown {
    match path_of(tree, node) {
        Some(path) => shown_path(&path),
        None => sentence!("…/{}", shown(tree.name(node))),
    }
}

/// The paths of nodes visited in tree order, each built from its parent's.
#[derive(Debug)]
pub struct Paths<'a> {
    tree: &'a Tree,
    path: String,
    /// The length of `path` at each depth.
    lengths: Vec<usize>,
}

impl<'a> Paths<'a> {
    /// Starts before the root.
    pub fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            path: String::new(),
            lengths: Vec::new(),
        }
    }

    /// Returns the path of the next node of the walk, or `None` beyond [`DEEPEST_PATH`]. `node` must follow the
    /// previous one in pre-order.
    pub fn next(&mut self, node: NodeId) -> Option<&str> {
        let depth = self.tree.depth(node);
        if depth > DEEPEST_PATH {
            return None;
        }
        let depth = depth as usize;
        self.lengths.truncate(depth);
        self.path
            .truncate(self.lengths.last().copied().unwrap_or(0));
        if depth > 0 {
            if depth > 1 {
                self.path.push('/');
            }
            self.path.push_str(&step(self.tree, node));
        }
        self.lengths.push(self.path.len());
        Some(&self.path)
    }
}

/// Finds the node that a path names, or the only node that has it as its bare name.
///
/// # Errors
/// If there is no such node, or if several have the bare name.
pub fn resolve(tree: &Tree, text: &[u8]) -> Result<NodeId, PathError> {
    resolve_briefly(tree, text).map_err(|error| error.suggesting(tree))
}

/// Finds a node as [`resolve`] does, but an error suggests nothing: for many paths of which many may be unknown.
///
/// # Errors
/// As those of [`resolve`].
pub fn resolve_briefly(tree: &Tree, text: &[u8]) -> Result<NodeId, PathError> {
    let named = nodes_meant(tree, text);
    match named[..] {
        [] => Err(PathError::Unknown {
            name: shown(text),
            near: Vec::new(),
        }),
        [node] => Ok(node),
        [first, second, ..] => {
            let path = |node| {
                path_of(tree, node)
                    .map_or_else(|| "(too deep for a path)".into(), |path| shown_path(&path))
            };
            Err(PathError::Ambiguous {
                name: shown(text),
                count: named.len(),
                first: path(first),
                second: path(second),
            })
        }
    }
}

/// Returns the node of a path, or else all nodes that have it as their bare name, in tree order.
fn nodes_meant(tree: &Tree, text: &[u8]) -> Vec<NodeId> {
    if text.is_empty() {
        return vec![NodeId::ROOT];
    }
    if let Some(node) = resolve_path(tree, text) {
        return vec![node];
    }
    let Some(wanted) = Segment::parse(text).filter(|step| step.rest.is_none()) else {
        return Vec::new();
    };
    let mut named = tree.nodes_named(&wanted.name);
    named.retain(|&node| wanted.fits(tree, node));
    named
}

fn resolve_path(tree: &Tree, text: &[u8]) -> Option<NodeId> {
    let mut node = NodeId::ROOT;
    let mut rest = Some(text);
    while let Some(text) = rest {
        let step = Segment::parse(text)?;
        node = step.child(tree, node)?;
        rest = step.rest;
    }
    Some(node)
}

/// One step of a path, unescaped.
struct Segment<'a> {
    name: Vec<u8>,
    partition: Option<Vec<u8>>,
    ordinal: Option<u32>,
    rest: Option<&'a [u8]>,
}

impl<'a> Segment<'a> {
    /// Reads up to the next unescaped `/`. Returns `None` if an escape is invalid.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let mut parts = vec![Vec::new()];
        let mut marks = Vec::new();
        let mut index = 0;
        let mut rest = None;
        while index < text.len() {
            let byte = text[index];
            index += 1;
            match byte {
                b'/' => {
                    rest = Some(&text[index..]);
                    break;
                }
                b'@' | b'#' => {
                    marks.push(byte);
                    parts.push(Vec::new());
                }
                b'\\' => index += unescape(&text[index..], parts.last_mut()?)?,
                byte => parts.last_mut()?.push(byte),
            }
        }
        let mut parts = parts.into_iter();
        let mut step = Self {
            name: parts.next()?,
            partition: None,
            ordinal: None,
            rest,
        };
        for (mark, part) in marks.into_iter().zip(parts) {
            match mark {
                b'@' if step.partition.is_none() && step.ordinal.is_none() => {
                    step.partition = Some(part);
                }
                b'#' if step.ordinal.is_none() => {
                    step.ordinal = Some(std::str::from_utf8(&part).ok()?.parse().ok()?);
                }
                _ => return None,
            }
        }
        Some(step)
    }

    /// Returns whether a node of this name has this partition and ordinal if they are given.
    fn fits(&self, tree: &Tree, node: NodeId) -> bool {
        (self.partition.is_none() || tree.partition(node) == self.partition.as_deref())
            && (self.ordinal.is_none() || tree.ordinal(node) == self.ordinal)
    }

    /// Returns the child of exactly this step, or `None` if there is none.
    fn child(&self, tree: &Tree, parent: NodeId) -> Option<NodeId> {
        let named = tree.children_named(parent, &self.name, self.partition.as_deref());
        let mut named = named.into_iter();
        named.find(|&node| tree.ordinal(node) == self.ordinal)
    }
}
