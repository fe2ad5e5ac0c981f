//! Paths: `physics/lattice/alice`, from the root's child down. The root itself has the empty path.
//!
//! A `/`, `\`, `@` or `#` in a name is written with a `\` before it, and a byte that is not UTF-8 as `\xNN`, so that a
//! path names at most one node. Every escape of [`shown`] is read too, so that a name can be written as it was printed.

use super::{NodeId, Tree};
use crate::base::nearest::changes;
use crate::base::shown::{Shown, read_back, sentence, shown, shown_path, unescape};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The depth below which nodes have no path. A chain of a million nodes would print a million long lines.
pub const DEEPEST_PATH: u32 = 512;

/// Why a path or a name does not identify a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum PathError {
    #[error("unknown node '{name}'; {}", suggestion(near))]
    Unknown { name: Shown, near: Vec<Shown> },
    #[error(
        "{count} nodes are called {name}, such as {first} and {second}; write the path of the one you mean"
    )]
    Ambiguous {
        name: Shown,
        count: usize,
        first: Shown,
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
    let line = tree.line(node).into_iter();
    let steps: Vec<String> = line.map(|node| step(tree, node)).collect();
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
        [first, second, ..] => {
            let path = |node| match path_of(tree, node) {
                Some(path) => shown_path(&path),
                None => "(too deep for a path)".into(),
            };
            Err(PathError::Ambiguous {
                name: shown(text),
                count: nodes.len(),
                first: path(first),
                second: path(second),
            })
        }
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
    let Some(wanted) = Segment::parse(text).filter(|step| step.rest.is_none()) else {
        return Cow::default();
    };
    let mut named = tree.nodes_named(&wanted.name);
    if wanted.partition.is_some() || wanted.ordinal.is_some() {
        named.to_mut().retain(|&node| wanted.fits(tree, node));
    }
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

const OFFERED: usize = 3;

/// The longest text for which suggestions are made. Longer ones are no typing errors.
const LONGEST: usize = 64;

/// How many nodes with a similar name are compared by their whole path.
const COMPARED: usize = 1000;

/// Returns the paths of the nodes whose names differ in the fewest letters, the nearest first; empty if none is near.
fn near(tree: &Tree, text: &[u8]) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let unescaped = unescaped(tree, text);
    if !unescaped.is_empty() {
        return unescaped;
    }
    let text = text.to_ascii_lowercase();
    let text = text.trim_ascii();
    let last = text.rsplit(|&byte| byte == b'/').next().unwrap_or(text);
    let end = last.iter().position(|byte| matches!(byte, b'@' | b'#'));
    let wanted = &last[..end.unwrap_or(last.len())];
    if wanted.is_empty() {
        return Vec::new();
    }
    let changed = |node: &NodeId| {
        let name = tree.name(*node).to_ascii_lowercase();
        let allowed = 1 + name.len().min(wanted.len()) / 4;
        if name.len().abs_diff(wanted.len()) > allowed {
            return None;
        }
        let changes = changes(wanted, &name);
        (changes <= allowed).then_some((changes, *node))
    };
    let similar = tree.nodes().iter().skip(1).filter_map(changed);
    let mut similar: Vec<(usize, NodeId)> = similar.take(COMPARED).collect();
    let least = similar.iter().map(|&(changes, _)| changes).min();
    similar.retain(|&(changes, _)| Some(changes) == least);
    let is_path = text.contains(&b'/');
    let mut paths: Vec<(usize, String)> = similar
        .into_iter()
        .filter_map(|(changed, node)| {
            let path = path_of(tree, node)?;
            let distance = if is_path && path.len() <= LONGEST {
                changes(text, path.to_ascii_lowercase().as_bytes())
            } else {
                changed
            };
            Some((distance, path))
        })
        .collect();
    paths.sort_by_key(|&(distance, _)| distance);
    paths.truncate(OFFERED);
    paths.into_iter().map(|(_, path)| path).collect()
}

/// Returns the paths of the nodes with this name or path without the `\` before special characters.
fn unescaped(tree: &Tree, text: &[u8]) -> Vec<String> {
    let is_special = |byte: &u8| b"/\\@#".contains(byte);
    if !text.iter().any(is_special) {
        return Vec::new();
    }
    let ending = tree.nodes().iter().skip(1);
    let ending = ending.filter(|&&node| text.ends_with(tree.name(node)));
    let written = ending.filter_map(|&node| {
        let path = path_of(tree, node)?;
        let is_meant = tree.name(node) == text || path.replace('\\', "").as_bytes() == text;
        is_meant.then_some(path)
    });
    written.take(OFFERED).collect()
}
