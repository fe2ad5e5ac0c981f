//! A new `resource_group` made from the present one. Everything that need not change stays, byte for byte.

mod fault;

use crate::analysis::plan::note::path;
use crate::analysis::plan::{Note, OmissionReason};
use crate::base::shown::shown;
use crate::format::pbs::{Entry, Line, lines};
use crate::model::{NodeId, Tree};
pub(super) use fault::NodeFault;
pub use fault::Refusal;
use hashbrown::{HashMap, HashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The names that PBS knows before it reads the file.
const ROOT: &[u8] = b"TREEROOT";
const UNKNOWN: &[u8] = b"unknown";
/// The name of the root in lines of the file.
const ROOT_WORD: &[u8] = b"root";

/// A rewritten file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenFile {
    pub bytes: Vec<u8>,
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
        accepted: first_names(),
        is_open: false,
        muted: Vec::new(),
        broken: false,
    };
    output.walk(&lines);
    let muted = |line: &&Line| Note::Muted {
        line: 1 + memchr::memchr_iter(b'\n', &file[..line.bytes.start]).count(),
        text: file[line.bytes.clone()].trim_ascii().to_vec(),
    };
    let notes = output.muted.iter().map(muted).collect();
    if output.broken || !is_as_wanted(&output.bytes, &rewriter, &order) {
        return Err(Refusal::Whole(OmissionReason::SplitLines));
    }
    Ok(RewrittenFile {
        bytes: output.bytes,
        notes,
    })
}

type KnownNames<'a> = HashSet<&'a [u8]>;

fn first_names<'a>() -> KnownNames<'a> {
    [ROOT, UNKNOWN].into_iter().collect()
}

fn knows_parent(known: &KnownNames<'_>, parent: &[u8]) -> bool {
    parent == ROOT_WORD || known.contains(parent)
}

/// Returns the names of a line's node and of its account.
fn names<'a>(bytes: &'a [u8], entry: &Entry) -> (&'a [u8], &'a [u8]) {
    (&bytes[entry.name.clone()], &bytes[entry.parent.clone()])
}

/// A line of which PBS loads a node.
struct LoadedLine<'a> {
    place: usize,
    name: &'a [u8],
    parent: &'a [u8],
    shares: i32,
}

fn loaded<'a>(bytes: &'a [u8], lines: &'a [Line]) -> impl Iterator<Item = LoadedLine<'a>> {
    let mut known = first_names();
    lines.iter().enumerate().filter_map(move |(place, line)| {
        let entry = line.entry.as_ref()?;
        let (name, parent) = names(bytes, entry);
        let is_loaded = knows_parent(&known, parent) && known.insert(name);
        is_loaded.then_some(LoadedLine {
            place,
            name,
            parent,
            shares: entry.held,
        })
    })
}

struct Rewriter<'a> {
    original: &'a [u8],
    lines: &'a [Line],
    before: &'a Tree,
    after: &'a Tree,
    /// The line of each node, by id.
    line_of: Vec<Option<usize>>,
    node_of: Vec<Option<NodeId>>,
    first_group: i32,
}

impl<'a> Rewriter<'a> {
    fn new(
        original: &'a [u8],
        lines: &'a [Line],
        before: &'a Tree,
        after: &'a Tree,
    ) -> Result<Self, Refusal> {
        let nodes = before.nodes()[1..].iter();
        let nodes = nodes.filter(|&&node| Some(node) != before.unknown());
        let by_name = nodes.map(|&node| (before.name(node), node));
        let mut by_name: HashMap<&[u8], NodeId> = by_name.collect();
        let mut line_of = vec![None; after.id_count()];
        let mut node_of = vec![None; lines.len()];
        for line in loaded(original, lines) {
            let node = by_name.remove(line.name).filter(|&node| {
                let above = before.parent(node).unwrap_or(NodeId::ROOT);
                before.shares(node).count() == Some(i64::from(line.shares))
                    && (before.name(above) == line.parent
                        || (above == NodeId::ROOT && line.parent == ROOT_WORD))
            });
            let Some(node) = node else {
                let reason = OmissionReason::OtherInFile(shown(line.name));
                return Err(Refusal::Whole(reason));
            };
            line_of[node.index()] = Some(line.place);
            node_of[line.place] = Some(node);
        }
        // Nodes that PBS makes from usage records have no line.
        let has_line = |node: &NodeId| before.parent(*node) != before.unknown();
        if let Some(node) = by_name.into_values().filter(has_line).min() {
            let reason = OmissionReason::MissingInFile(path(before, node));
            return Err(Refusal::Whole(reason));
        }
        let groups = after.nodes().iter().map(|&node| after.group(node));
        let first_group = groups.max().unwrap_or(0).max(1).saturating_add(1);
        Ok(Self {
            original,
            lines,
            before,
            after,
            line_of,
            node_of,
            first_group,
        })
    }

    fn is_changed(&self, node: NodeId) -> bool {
        self.line_of[node.index()].is_none()
            || self.before.name(node) != self.after.name(node)
            || self.before.shares(node) != self.after.shares(node)
            || self.has_new_parent(node)
    }

    fn has_new_parent(&self, node: NodeId) -> bool {
        let above = |tree: &Tree| tree.parent(node).unwrap_or(NodeId::ROOT);
        let (old, new) = (above(self.before), above(self.after));
        old != new || (new != NodeId::ROOT && self.before.name(old) != self.after.name(new))
    }

    fn parent_word(&self, node: NodeId) -> &'a [u8] {
        match self.after.parent(node) {
            None | Some(NodeId::ROOT) => ROOT_WORD,
            Some(parent) => self.after.name(parent),
        }
    }

    /// Writes the line of a node with its changed fields replaced.
    fn rewrite(&self, place: usize, node: NodeId, out: &mut Vec<u8>) {
        let line = &self.lines[place];
        let Some(entry) = &line.entry else { return };
        let shares = self.after.shares(node).to_string();
        let is_new = [
            self.before.name(node) != self.after.name(node),
            self.has_new_parent(node),
            self.before.shares(node) != self.after.shares(node),
        ];
        let fields = [
            (&entry.name, self.after.name(node)),
            (&entry.parent, self.parent_word(node)),
            (&entry.shares, shares.as_bytes()),
        ];
        let mut at = line.bytes.start;
        for ((range, text), is_new) in fields.into_iter().zip(is_new) {
            if is_new {
                out.extend_from_slice(&self.original[at..range.start]);
                out.extend_from_slice(text);
                at = range.end;
            }
        }
        out.extend_from_slice(&self.original[at..line.bytes.end]);
    }

    fn write(&self, node: NodeId, group: i32, out: &mut Vec<u8>) {
        out.extend_from_slice(self.after.name(node));
        out.extend_from_slice(format!("\t{group}\t").as_bytes());
        out.extend_from_slice(self.parent_word(node));
        out.extend_from_slice(format!("\t{}\n", self.after.shares(node)).as_bytes());
    }
}

struct NewFile<'a> {
    rewriter: &'a Rewriter<'a>,
    bytes: Vec<u8>,
    order: &'a [NodeId],
    /// The number of nodes of the order whose lines are written.
    next: usize,
    /// Whether the place of each node's line has been passed, by id.
    is_passed: Vec<bool>,
    accepted: KnownNames<'a>,
    /// Whether the last piece does not end its line.
    is_open: bool,
    muted: Vec<&'a Line>,
    /// Whether a piece of a long line would have to move.
    broken: bool,
}

impl<'a> NewFile<'a> {
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
                self.is_open = !line.is_whole && self.bytes.last() != Some(&b'\n');
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
            let (name, parent) = names(original, entry);
            if knows_parent(&self.accepted, parent) && !self.accepted.contains(name) {
                self.bytes.push(b'#');
                self.muted.push(line);
            }
        }
        self.bytes.extend_from_slice(&original[line.bytes.clone()]);
        self.is_open = !line.is_whole && self.bytes.last() != Some(&b'\n');
    }

    /// Writes the next nodes as long as they have no place of their own ahead.
    fn drain(&mut self) {
        while !self.is_open
            && let Some(&node) = self.order.get(self.next)
            && (self.rewriter.line_of[node.index()].is_none() || self.is_passed[node.index()])
        {
            self.next += 1;
            self.put(node);
        }
    }

    fn put(&mut self, node: NodeId) {
        let rewriter = self.rewriter;
        if !self.is_open && self.bytes.last().is_some_and(|&byte| byte != b'\n') {
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
        self.accepted.insert(rewriter.after.name(node));
    }
}

/// Returns whether PBS loads the wanted nodes in the wanted order from the file.
fn is_as_wanted(bytes: &[u8], rewriter: &Rewriter<'_>, order: &[NodeId]) -> bool {
    let lines = lines(bytes);
    let mut wanted = order.iter();
    let is_wanted = |line: LoadedLine<'_>| {
        wanted.next().is_some_and(|&node| {
            let above = rewriter.parent_word(node);
            rewriter.after.name(node) == line.name
                && (line.parent == above || (above == ROOT_WORD && line.parent == ROOT))
                && rewriter.after.shares(node).count() == Some(i64::from(line.shares))
        })
    };
    loaded(bytes, &lines).all(is_wanted) && wanted.next().is_none()
}

/// The preferred place of a line: its old line, or for a new node the line to follow; then new lines in their order.
type LinePriority = (usize, u8, usize);

/// Returns the nodes that need lines, in the order in which PBS must read them: each after its account and after the
/// siblings that follow it in the tree, because PBS puts the newest child first. Otherwise lines keep their places.
fn file_order(before: &Tree, after: &Tree, line_of: &[Option<usize>]) -> Vec<NodeId> {
    // Each node waits for one other: the sibling before it in the file, or its account.
    let mut waiting: Vec<[Option<NodeId>; 2]> = vec![[None; 2]; after.id_count()];
    let mut sibling_before: HashMap<NodeId, NodeId> = HashMap::new();
    let mut ready = BinaryHeap::new();
    let mut members = Vec::new();
    let needs_line =
        |node: NodeId| line_of[node.index()].is_some() || !is_made_by_record(before, after, node);
    let has_own_line = |node: NodeId| node != NodeId::ROOT && Some(node) != after.unknown();
    for &parent in after.nodes() {
        members.clear();
        let children = after.children(parent);
        members.extend(children.filter(|&child| has_own_line(child) && needs_line(child)));
        members.reverse();
        if let Some(&first) = members.first() {
            if has_own_line(parent) {
                waiting[parent.index()][0] = Some(first);
            } else {
                let place = line_of[first.index()].map_or((usize::MAX, 1, 0), |line| (line, 0, 0));
                ready.push(Reverse((place, first)));
            }
        }
        for pair in members.windows(2) {
            waiting[pair[0].index()][1] = Some(pair[1]);
            if line_of[pair[1].index()].is_none() {
                sibling_before.insert(pair[1], pair[0]);
            }
        }
    }
    let mut order = Vec::new();
    while let Some(Reverse((priority, node))) = ready.pop() {
        order.push(node);
        for next in waiting[node.index()].into_iter().flatten() {
            let next_priority: LinePriority = if let Some(line) = line_of[next.index()] {
                (line, 0, 0)
            } else {
                // After all nodes below the sibling before it.
                let sibling = sibling_before.get(&next);
                let family = sibling.map_or(&[][..], |&sibling| after.within(sibling));
                let lines = family.iter().filter_map(|&node| line_of[node.index()]);
                let behind = lines.max().unwrap_or(0).max(priority.0);
                (behind, 1, order.len())
            };
            ready.push(Reverse((next_priority, next)));
        }
    }
    order
}

/// Returns whether PBS makes the node from its usage record, unchanged.
fn is_made_by_record(before: &Tree, after: &Tree, node: NodeId) -> bool {
    before.contains(node)
        && after.parent(node) == after.unknown()
        && after.shares(node) == before.shares(node)
        && after.name(node) == before.name(node)
        && !after.has_children(node)
}
