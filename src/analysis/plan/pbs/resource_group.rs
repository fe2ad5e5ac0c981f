//! A new `resource_group` made from the present one. Everything that need not change stays, byte for byte.

mod fault;
mod order;

use crate::analysis::plan::note::path;
use crate::analysis::plan::{Note, OmissionReason};
use crate::base::shown::shown;
use crate::format::pbs::{Entry, Line, lines};
use crate::model::{NodeId, Tree};
pub use fault::Refusal;
use hashbrown::{HashMap, HashSet};
use order::file_order;
use std::ops::Range;

/// The root, which PBS knows before it reads the file.
const ROOT: &[u8] = b"TREEROOT";
/// The group of everybody else, which PBS knows before it reads the file.
const UNKNOWN: &[u8] = b"unknown";
/// The name of the root in lines of the file.
const ROOT_WORD: &[u8] = b"root";

/// A rewritten file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenFile {
    /// The new content.
    pub bytes: Vec<u8>,
    /// The lines that became comments.
    pub notes: Vec<Note>,
}

/// Rewrites the `resource_group` of the tree before so that PBS loads the tree after, in its order.
///
/// Comments, order, spacing and line ends stay. Lines of removed nodes are deleted. A line moves only if PBS would
/// otherwise read it before its account or in another order among its siblings. A line that PBS ignored and would now
/// read becomes a comment.
pub fn resource_group(file: &[u8], before: &Tree, after: &Tree) -> Result<RewrittenFile, Refusal> {
    let lines = lines(file);
    let rewriter = Rewriter::new(file, &lines, before, after)?;
    let order = file_order(before, after, &rewriter.line_of);
    rewriter.check(&order)?;
    let mut output = NewFile {
        rewriter: &rewriter,
        bytes: Vec::with_capacity(file.len() + 64),
        order: &order,
        next: 0,
        is_passed: vec![false; after.id_count()],
        accepted: KnownNames::before_lines(),
        is_open: false,
        muted: Vec::new(),
        broken: false,
    };
    output.walk(&lines);
    if output.broken || !is_as_wanted(&output.bytes, &rewriter, &order) {
        return Err(Refusal::Whole(OmissionReason::SplitLines));
    }
    let mut notes = Vec::new();
    for line in output.muted {
        let above = &file[..line.bytes.start];
        notes.push(Note::Muted {
            line: 1 + memchr::memchr_iter(b'\n', above).count(),
            text: file[line.bytes.clone()].trim_ascii().to_vec(),
        });
    }
    Ok(RewrittenFile {
        bytes: output.bytes,
        notes,
    })
}

/// The names of the nodes that PBS knows at some line of a file.
struct KnownNames<'a>(HashSet<&'a [u8]>);

impl<'a> KnownNames<'a> {
    /// Returns the names that PBS knows above the first line.
    fn before_lines() -> Self {
        Self(HashSet::from([ROOT, UNKNOWN]))
    }

    /// Returns whether PBS loads a node from a line: it knows the group, and not yet the node.
    fn would_load(&self, names: LineNames<'_>) -> bool {
        let knows_parent = names.parent == ROOT_WORD || self.0.contains(names.parent);
        knows_parent && !self.0.contains(names.node)
    }

    /// Adds the name of a node.
    fn add(&mut self, name: &'a [u8]) {
        self.0.insert(name);
    }
}

/// The names in a line of a file.
#[derive(Clone, Copy)]
struct LineNames<'a> {
    node: &'a [u8],
    parent: &'a [u8],
}

impl<'a> LineNames<'a> {
    /// Returns those of an entry of a file.
    fn of(bytes: &'a [u8], entry: &Entry) -> Self {
        Self {
            node: &bytes[entry.name.clone()],
            parent: &bytes[entry.parent.clone()],
        }
    }
}

/// A line of which PBS loads a node.
struct LoadedLine<'a> {
    /// Its place among the lines.
    place: usize,
    names: LineNames<'a>,
    shares: i32,
}

impl LoadedLine<'_> {
    /// Returns whether a tree has the shares of the line for a node.
    fn has_shares_of(&self, tree: &Tree, node: NodeId) -> bool {
        tree.shares(node).count() == Some(i64::from(self.shares))
    }
}

/// Returns the lines of a file of which PBS loads nodes.
fn loaded_lines<'a>(bytes: &'a [u8], lines: &[Line]) -> Vec<LoadedLine<'a>> {
    let mut known = KnownNames::before_lines();
    let mut loaded = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some(entry) = &line.entry else {
            continue;
        };
        let names = LineNames::of(bytes, entry);
        if known.would_load(names) {
            known.add(names.node);
            loaded.push(LoadedLine {
                place,
                names,
                shares: entry.held,
            });
        }
    }
    loaded
}

/// The present file, and the trees before and after.
struct Rewriter<'a> {
    original: &'a [u8],
    lines: &'a [Line],
    before: &'a Tree,
    after: &'a Tree,
    /// The line of each node, by id.
    line_of: Vec<Option<usize>>,
    /// The node of each line.
    node_of: Vec<Option<NodeId>>,
    /// The group number of the first new line.
    first_group: i32,
}

impl<'a> Rewriter<'a> {
    /// Finds the lines of the nodes. Refuses a file that is not that of the tree before.
    fn new(
        original: &'a [u8],
        lines: &'a [Line],
        before: &'a Tree,
        after: &'a Tree,
    ) -> Result<Self, Refusal> {
        let mut by_name: HashMap<&[u8], NodeId> = HashMap::new();
        for &node in &before.nodes()[1..] {
            if Some(node) != before.unknown() {
                by_name.insert(before.name(node), node);
            }
        }
        let mut line_of = vec![None; after.id_count()];
        let mut node_of = vec![None; lines.len()];
        for line in loaded_lines(original, lines) {
            let name = line.names.node;
            match by_name.remove(name) {
                Some(node) if is_of_node(&line, before, node) => {
                    line_of[node.index()] = Some(line.place);
                    node_of[line.place] = Some(node);
                }
                _ => {
                    let reason = OmissionReason::OtherInFile(shown(name));
                    return Err(Refusal::Whole(reason));
                }
            }
        }
        let mut missing = Vec::new();
        for node in by_name.into_values() {
            // Nodes that PBS makes from usage records have no line.
            if before.parent(node) != before.unknown() {
                missing.push(node);
            }
        }
        if let Some(&node) = missing.iter().min() {
            let reason = OmissionReason::MissingInFile(path(before, node));
            return Err(Refusal::Whole(reason));
        }
        let mut last_group = 1;
        for &node in after.nodes() {
            last_group = last_group.max(after.group(node));
        }
        Ok(Self {
            original,
            lines,
            before,
            after,
            line_of,
            node_of,
            first_group: last_group.saturating_add(1),
        })
    }

    /// Returns whether the line of a node is new, or other than before.
    fn is_changed(&self, node: NodeId) -> bool {
        self.line_of[node.index()].is_none()
            || self.has_new_name(node)
            || self.has_new_shares(node)
            || self.has_new_parent(node)
    }

    /// Returns whether a node is new, or has another name than before.
    fn has_new_name(&self, node: NodeId) -> bool {
        !self.before.contains(node) || self.before.name(node) != self.after.name(node)
    }

    /// Returns whether a node has other shares than before.
    fn has_new_shares(&self, node: NodeId) -> bool {
        self.before.shares(node) != self.after.shares(node)
    }

    /// Returns whether a node is in another group than before, or the group has another name.
    fn has_new_parent(&self, node: NodeId) -> bool {
        let old = self.before.parent(node).unwrap_or(NodeId::ROOT);
        let new = self.after.parent(node).unwrap_or(NodeId::ROOT);
        old != new || (new != NodeId::ROOT && self.before.name(old) != self.after.name(new))
    }

    /// Returns the name of the group of a node in its line.
    fn parent_word(&self, node: NodeId) -> &'a [u8] {
        match self.after.parent(node) {
            None | Some(NodeId::ROOT) => ROOT_WORD,
            Some(parent) => self.after.name(parent),
        }
    }

    /// Returns whether a loaded line of the new file is as the tree after has the node.
    fn is_wanted(&self, line: &LoadedLine<'_>, node: NodeId) -> bool {
        let parent = self.parent_word(node);
        let is_root = parent == ROOT_WORD && line.names.parent == ROOT;
        let is_in_place = line.names.parent == parent || is_root;
        let is_named_so = line.names.node == self.after.name(node);
        is_in_place && is_named_so && line.has_shares_of(self.after, node)
    }

    /// Writes the line of a node with its changed fields replaced.
    fn rewrite(&self, place: usize, node: NodeId, out: &mut Vec<u8>) {
        let line = &self.lines[place];
        let Some(entry) = &line.entry else {
            return;
        };
        let mut copy = LineCopy {
            original: self.original,
            next: line.bytes.start,
            out,
        };
        if self.has_new_name(node) {
            copy.replace(&entry.name, self.after.name(node));
        }
        if self.has_new_parent(node) {
            copy.replace(&entry.parent, self.parent_word(node));
        }
        if self.has_new_shares(node) {
            let shares = self.after.shares(node).to_string();
            copy.replace(&entry.shares, shares.as_bytes());
        }
        copy.keep_up_to(line.bytes.end);
    }

    /// Writes a new line of a node.
    fn write(&self, node: NodeId, group: i32, out: &mut Vec<u8>) {
        let shares = self.after.shares(node);
        out.extend_from_slice(self.after.name(node));
        out.extend_from_slice(format!("\t{group}\t").as_bytes());
        out.extend_from_slice(self.parent_word(node));
        out.extend_from_slice(format!("\t{shares}\n").as_bytes());
    }
}

/// Returns whether a line of the present file is as a tree has the node.
fn is_of_node(line: &LoadedLine<'_>, tree: &Tree, node: NodeId) -> bool {
    let group = tree.parent(node).unwrap_or(NodeId::ROOT);
    let is_root = group == NodeId::ROOT && line.names.parent == ROOT_WORD;
    let is_in_place = line.names.parent == tree.name(group) || is_root;
    is_in_place && line.has_shares_of(tree, node)
}

/// The copy of a line in which fields are replaced, from left to right.
struct LineCopy<'a> {
    original: &'a [u8],
    /// The first byte that is not copied yet.
    next: usize,
    out: &'a mut Vec<u8>,
}

impl LineCopy<'_> {
    /// Copies what is before a field, and writes another text for it.
    fn replace(&mut self, field: &Range<usize>, text: &[u8]) {
        self.keep_up_to(field.start);
        self.out.extend_from_slice(text);
        self.next = field.end;
    }

    /// Copies the bytes up to a place in the file.
    fn keep_up_to(&mut self, end: usize) {
        let kept = &self.original[self.next..end];
        self.out.extend_from_slice(kept);
    }
}

/// The new file while it is written.
struct NewFile<'a> {
    rewriter: &'a Rewriter<'a>,
    bytes: Vec<u8>,
    /// The nodes that need lines, in the order in which PBS must read them.
    order: &'a [NodeId],
    /// The number of nodes of the order whose lines are written.
    next: usize,
    /// Whether the place of each node's line has been passed, by id.
    is_passed: Vec<bool>,
    /// The nodes that PBS loads from what is written.
    accepted: KnownNames<'a>,
    /// Whether the last piece does not end its line.
    is_open: bool,
    /// The lines that became comments.
    muted: Vec<&'a Line>,
    /// Whether a piece of a long line would have to move.
    broken: bool,
}

impl<'a> NewFile<'a> {
    /// Writes all lines: the kept ones at their places, the others as soon as their turn comes.
    fn walk(&mut self, lines: &'a [Line]) {
        let rewriter = self.rewriter;
        for (place, line) in lines.iter().enumerate() {
            let Some(node) = rewriter.node_of[place] else {
                self.keep(line);
                continue;
            };
            self.drain();
            if !rewriter.after.contains(node) {
                self.broken |= !line.is_whole;
                continue;
            }
            self.is_passed[node.index()] = true;
            if self.order.get(self.next) == Some(&node) {
                self.next += 1;
                self.put(node);
                self.is_open = !line.is_whole && !self.is_at_line_start();
                self.drain();
            } else {
                self.broken |= !line.is_whole;
            }
        }
        self.is_open = false;
        self.drain();
    }

    /// Keeps a line without a node, as a comment if PBS would read it now.
    fn keep(&mut self, line: &'a Line) {
        let original = self.rewriter.original;
        if let Some(entry) = &line.entry {
            let names = LineNames::of(original, entry);
            if self.accepted.would_load(names) {
                self.bytes.push(b'#');
                self.muted.push(line);
            }
        }
        self.bytes.extend_from_slice(&original[line.bytes.clone()]);
        self.is_open = !line.is_whole && !self.is_at_line_start();
    }

    /// Writes the next nodes as long as they have no place of their own ahead.
    fn drain(&mut self) {
        while !self.is_open
            && let Some(&node) = self.order.get(self.next)
        {
            let has_line = self.rewriter.line_of[node.index()].is_some();
            if has_line && !self.is_passed[node.index()] {
                break;
            }
            self.next += 1;
            self.put(node);
        }
    }

    /// Returns whether what is written ends with a line end.
    fn is_at_line_start(&self) -> bool {
        self.bytes.last() == Some(&b'\n')
    }

    /// Writes the line of a node.
    fn put(&mut self, node: NodeId) {
        let rewriter = self.rewriter;
        if !self.is_open && !self.bytes.is_empty() && !self.is_at_line_start() {
            self.bytes.push(b'\n');
        }
        if let Some(place) = rewriter.line_of[node.index()] {
            rewriter.rewrite(place, node, &mut self.bytes);
        } else {
            let added = node.index().saturating_sub(rewriter.before.id_count());
            let added = i32::try_from(added).unwrap_or(i32::MAX);
            let group = rewriter.first_group.saturating_add(added);
            rewriter.write(node, group, &mut self.bytes);
        }
        self.accepted.add(rewriter.after.name(node));
    }
}

/// Returns whether PBS loads the wanted nodes in the wanted order from the file.
fn is_as_wanted(bytes: &[u8], rewriter: &Rewriter<'_>, order: &[NodeId]) -> bool {
    let loaded = loaded_lines(bytes, &lines(bytes));
    if loaded.len() != order.len() {
        return false;
    }
    for (place, line) in loaded.iter().enumerate() {
        if !rewriter.is_wanted(line, order[place]) {
            return false;
        }
    }
    true
}
