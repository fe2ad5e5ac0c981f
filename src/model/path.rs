//! Paths: `physics/lattice/alice`, from the root's child down. The root itself has the empty path.
//!
//! A `/`, `\`, `@` or `#` in a name is written with a `\` before it, and a byte that is not UTF-8 as `\xNN`, so that a
//! path names at most one node. Every escape of [`shown`] is read too, so that a name can be written as it was printed.

use super::{NodeId, Tree};
use crate::base::nearest::changes as letters_changed;
use crate::base::shown::{Shown, read_back, sentence, shown, shown_path, unescape};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The depth below which nodes have no path. A chain of a million nodes would print a million long lines.
pub const DEEPEST_PATH: u32 = 512;

/// Why a path or a name does not identify a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is no such node.
    #[error("unknown node '{name}'; {}", suggestion(near))]
    Unknown {
        /// The path or name.
        name: Shown,
        /// The paths of the nodes that were probably meant; empty if none is near, or if nobody looked.
        near: Vec<Shown>,
    },
    /// Several nodes have this name.
    #[error(
        "{count} nodes are called {name}, such as {first} and {second}; write the path of the one you mean"
    )]
    Ambiguous {
        /// The name.
        name: Shown,
        /// How many nodes have it.
        count: usize,
        /// The path of the first of them.
        first: Shown,
        /// The path of the second.
        second: Shown,
    },
}

impl PathError {
    /// Adds the paths of the nodes that were probably meant. The search goes through the whole tree.
    pub(crate) fn suggesting(self, tree: &Tree) -> Self {
        match self {
            Self::Unknown { name, .. } => {
                let near = near(tree, &read_back(name.as_bytes()));
                let near = near.iter().map(|path| shown_path(path)).collect();
                Self::Unknown { name, near }
            }
            ambiguous @ Self::Ambiguous { .. } => ambiguous,
        }
    }
}

/// Returns what to write instead of an unknown path.
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
    let mut steps = Vec::new();
    for node in tree.line(node) {
        steps.push(step(tree, node));
    }
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
    /// The path of the last node.
    path: String,
    /// The length of `path` at each depth.
    lengths: Vec<usize>,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            path: String::new(),
            lengths: Vec::new(),
        }
    }

    /// Returns the path of the next node in pre-order, or `None` beyond [`DEEPEST_PATH`].
    pub(crate) fn next(&mut self, node: NodeId) -> Option<&str> {
        let depth = self.tree.depth(node);
        if depth > DEEPEST_PATH {
            return None;
        }
        let depth = depth as usize;
        self.lengths.truncate(depth);
        let above = self.lengths.last().copied();
        self.path.truncate(above.unwrap_or(0));
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
pub fn resolve(tree: &Tree, text: &[u8]) -> Result<NodeId, PathError> {
    resolve_briefly(tree, text).map_err(|error| error.suggesting(tree))
}

/// Finds a node as [`resolve`] does, but an error suggests nothing: for many paths of which many may be unknown.
pub fn resolve_briefly(tree: &Tree, text: &[u8]) -> Result<NodeId, PathError> {
    only(tree, text, &nodes_meant(tree, text))
}

/// Returns the only one of the nodes that a text means.
pub(crate) fn only(tree: &Tree, text: &[u8], nodes: &[NodeId]) -> Result<NodeId, PathError> {
    match *nodes {
        [] => Err(PathError::Unknown {
            name: shown(text),
            near: Vec::new(),
        }),
        [node] => Ok(node),
        [first, second, ..] => Err(PathError::Ambiguous {
            name: shown(text),
            count: nodes.len(),
            first: path_in_error(tree, first),
            second: path_in_error(tree, second),
        }),
    }
}

/// Returns the path of a node, or that it has none.
fn path_in_error(tree: &Tree, node: NodeId) -> Shown {
    match path_of(tree, node) {
        Some(path) => shown_path(&path),
        None => "(too deep for a path)".into(),
    }
}

/// Returns the node of a path, or else all nodes that have it as their bare name, in tree order.
pub(crate) fn nodes_meant<'a>(tree: &'a Tree, text: &[u8]) -> Cow<'a, [NodeId]> {
    if text.is_empty() {
        return Cow::Owned(vec![NodeId::ROOT]);
    }
    if let Some(node) = resolve_path(tree, text) {
        return Cow::Owned(vec![node]);
    }
    let wanted = match Segment::parse(text) {
        Some(step) if step.rest.is_none() => step,
        _ => return Cow::default(),
    };
    let mut named = tree.nodes_named(&wanted.name);
    if wanted.partition.is_some() || wanted.ordinal.is_some() {
        named.to_mut().retain(|&node| wanted.fits(tree, node));
    }
    named
}

/// Returns the node of a path; `None` if a step of it is not there.
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
    /// What is behind `@`.
    partition: Option<Vec<u8>>,
    /// The number behind `#`.
    ordinal: Option<u32>,
    /// The path behind the `/`; `None` for the last step.
    rest: Option<&'a [u8]>,
}

impl<'a> Segment<'a> {
    /// Reads up to the next unescaped `/`. Returns `None` if an escape is invalid.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let mut step = Self {
            name: Vec::new(),
            partition: None,
            ordinal: None,
            rest: None,
        };
        let mut number = None;
        let mut index = 0;
        while index < text.len() {
            let byte = text[index];
            index += 1;
            match byte {
                b'/' => {
                    step.rest = Some(&text[index..]);
                    break;
                }
                b'@' if step.partition.is_none() && number.is_none() => {
                    step.partition = Some(Vec::new());
                }
                b'#' if number.is_none() => number = Some(Vec::new()),
                b'@' | b'#' => return None,
                byte => {
                    let part = match (&mut number, &mut step.partition) {
                        (Some(number), _) => number,
                        (None, Some(partition)) => partition,
                        (None, None) => &mut step.name,
                    };
                    if byte == b'\\' {
                        index += unescape(&text[index..], part)?;
                    } else {
                        part.push(byte);
                    }
                }
            }
        }
        if let Some(number) = number {
            step.ordinal = Some(std::str::from_utf8(&number).ok()?.parse().ok()?);
        }
        Some(step)
    }

    /// Returns whether a node of this name has the partition and the ordinal that are written.
    fn fits(&self, tree: &Tree, node: NodeId) -> bool {
        let is_of_partition =
            self.partition.is_none() || tree.partition(node) == self.partition.as_deref();
        is_of_partition && (self.ordinal.is_none() || tree.ordinal(node) == self.ordinal)
    }

    /// Returns the child of exactly this step, or `None` if there is none.
    fn child(&self, tree: &Tree, parent: NodeId) -> Option<NodeId> {
        let named = tree.children_named(parent, &self.name, self.partition.as_deref());
        let mut nodes = named.into_iter();
        nodes.find(|&node| tree.ordinal(node) == self.ordinal)
    }
}

/// How many suggestions are made.
const OFFERED: usize = 3;

/// The longest text for which suggestions are made. Longer ones are no typing errors.
const LONGEST: usize = 64;

/// How many nodes with a similar name are compared by their whole path.
const COMPARED: usize = 1000;

/// A node with a name similar to the wanted one.
struct SimilarNode {
    node: NodeId,
    /// How many letters its name has to change.
    changes: usize,
}

/// Returns the paths of the nodes whose names differ in the fewest letters, the nearest first; empty if none is near.
fn near(tree: &Tree, text: &[u8]) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let unescaped = unescaped(tree, text);
    if !unescaped.is_empty() {
        return unescaped;
    }
    let lower_case = text.to_ascii_lowercase();
    let wanted = lower_case.trim_ascii();
    let mut similar = similar_nodes(tree, last_name(wanted));
    let least = similar.iter().map(|found| found.changes).min();
    similar.retain(|found| Some(found.changes) == least);
    let is_path = wanted.contains(&b'/');
    let mut paths = Vec::new();
    for SimilarNode { node, changes } in similar {
        let Some(path) = path_of(tree, node) else {
            continue;
        };
        let mut distance = changes;
        if is_path && path.len() <= LONGEST {
            distance = letters_changed(wanted, path.to_ascii_lowercase().as_bytes());
        }
        paths.push((distance, path));
    }
    paths.sort_by_key(|&(distance, _)| distance);
    paths.truncate(OFFERED);
    paths.into_iter().map(|(_, path)| path).collect()
}

/// Returns the name in the last step of a path, without a partition or an ordinal.
fn last_name(path: &[u8]) -> &[u8] {
    let start = match memchr::memrchr(b'/', path) {
        Some(slash) => slash + 1,
        None => 0,
    };
    let step = &path[start..];
    match memchr::memchr2(b'@', b'#', step) {
        Some(end) => &step[..end],
        None => step,
    }
}

/// Returns the first nodes whose names, in any case, differ from one in at most a quarter of its letters and one more.
fn similar_nodes(tree: &Tree, wanted: &[u8]) -> Vec<SimilarNode> {
    let mut similar = Vec::new();
    if wanted.is_empty() {
        return similar;
    }
    for &node in tree.nodes().iter().skip(1) {
        let name = tree.name(node).to_ascii_lowercase();
        let allowed = 1 + name.len().min(wanted.len()) / 4;
        if name.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let changes = letters_changed(wanted, &name);
        if changes <= allowed {
            similar.push(SimilarNode { node, changes });
        }
        if similar.len() == COMPARED {
            break;
        }
    }
    similar
}

/// Returns the paths of the nodes with this name or path without the `\` before special characters.
fn unescaped(tree: &Tree, text: &[u8]) -> Vec<String> {
    let mut paths = Vec::new();
    if !text.iter().any(|byte| b"/\\@#".contains(byte)) {
        return paths;
    }
    for &node in tree.nodes().iter().skip(1) {
        if !text.ends_with(tree.name(node)) {
            continue;
        }
        let Some(path) = path_of(tree, node) else {
            continue;
        };
        if tree.name(node) == text || path.replace('\\', "").as_bytes() == text {
            paths.push(path);
        }
        if paths.len() == OFFERED {
            break;
        }
    }
    paths
}
