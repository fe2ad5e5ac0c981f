//! `resource_group`: one node a line, read as PBS reads it.
//!
//! Follows `parse_group`, `new_group_info` and `add_child` of OpenPBS 23.06 (`src/scheduler/fairshare.cpp`).

use super::complaint::{Complaint, Fault, File};
use super::strtol::{is_space, whole};
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;
use crate::source::format::LoadError;
use crate::source::format::input::Meter;
use memchr::{memchr, memchr2};
use std::ops::Range;

/// How many bytes PBS reads as one line (`fgets` with a buffer of 256). A longer line becomes several.
const PIECE: usize = 255;

/// The bytes of a typical line, to estimate the number of nodes.
const USUAL_LINE: usize = 24;

/// The largest number of nodes for which space is reserved at once, because a large file may be all comments.
const ROOM: usize = 1 << 21;

/// A line as PBS sees it.
#[derive(Clone, Copy)]
struct RawLine<'a> {
    /// The part that PBS reads: up to the line end or the first NUL.
    text: &'a [u8],
    /// The number of bytes in the file.
    length: usize,
    /// Whether the line of the file continues in the next piece.
    goes_on: bool,
    /// Whether a NUL hides the rest of the line.
    is_cut_by_nul: bool,
}

/// Returns the next piece of the rest of the file.
fn next_piece(rest: &[u8]) -> RawLine<'_> {
    let window = &rest[..rest.len().min(PIECE)];
    let stop = memchr2(b'\n', 0, window);
    let end = match stop {
        Some(at) if window[at] == 0 => memchr(b'\n', &window[at..]).map(|behind| at + behind),
        other => other,
    };
    RawLine {
        text: &window[..stop.unwrap_or(window.len())],
        length: end.map_or(window.len(), |end| end + 1),
        goes_on: end.is_none() && rest.len() > PIECE,
        is_cut_by_nul: stop.is_some_and(|at| window[at] == 0),
    }
}

/// Returns the first four fields of a line and where each begins; fewer if there are fewer.
fn fields(text: &[u8]) -> ([(&[u8], usize); 4], usize) {
    let mut fields = [(&text[..0], 0); 4];
    let mut count = 0;
    let mut at = 0;
    let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
    while count < fields.len() {
        while at < text.len() && is_blank(text[at]) {
            at += 1;
        }
        let start = at;
        // A field is too short for a search by words to pay.
        while at < text.len() && !is_blank(text[at]) {
            at += 1;
        }
        if start == at {
            break;
        }
        fields[count] = (&text[start..at], start);
        count += 1;
    }
    (fields, count)
}

/// Returns whether PBS ignores the line silently.
fn is_skipped(text: &[u8]) -> bool {
    let first = text.iter().find(|&&byte| !is_space(byte));
    matches!(first, None | Some(b'#' | b'*'))
}

/// Returns whether a line has the form of a node: name, number, parent, shares.
pub(in crate::source::format) fn is_node(line: &[u8]) -> bool {
    let (fields, count) = fields(line.trim_ascii_end());
    count == fields.len() && whole(fields[1].0).is_some() && whole(fields[3].0).is_some()
}

/// A line of the file as PBS reads it, for rewriting the file and keeping what need not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its bytes in the file, including a line end.
    pub bytes: Range<usize>,
    /// Whether it is a line of the file, and not a piece of one that is too long for PBS or cut by a NUL.
    pub is_whole: bool,
    /// Its fields, if it has the form of a node. PBS may still leave it out.
    pub entry: Option<Entry>,
}

/// The positions of the fields of a line that has the form of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: Range<usize>,
    /// The name of the parent.
    pub parent: Range<usize>,
    /// The shares.
    pub shares: Range<usize>,
    /// The shares as PBS holds them.
    pub held: i32,
}

/// Returns the lines of a `resource_group`, with the fields of those that have the form of a node.
#[must_use]
pub fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = 0;
    let mut is_tail = false;
    while at < bytes.len() {
        let piece = next_piece(&bytes[at..]);
        let end = at + piece.length;
        lines.push(Line {
            bytes: at..end,
            is_whole: !is_tail && !piece.goes_on && !piece.is_cut_by_nul,
            entry: entry(piece.text, at),
        });
        is_tail = piece.goes_on;
        at = end;
    }
    lines
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS stores a long in an int without a look"
)]
fn entry(text: &[u8], at: usize) -> Option<Entry> {
    let (fields, count) = fields(text);
    if is_skipped(text) || count < fields.len() {
        return None;
    }
    let [name, (group, _), parent, shares] = fields;
    whole(group)?;
    let held = whole(shares.0)? as i32;
    let place = |(field, offset): (&[u8], usize)| at + offset..at + offset + field.len();
    Some(Entry {
        name: place(name),
        parent: place(parent),
        shares: place(shares),
        held,
    })
}

/// Returns the node of a name, or `None`. In a PBS tree every name belongs to one node, and both are numbered as they
/// appear.
pub(super) fn find(builder: &TreeBuilder, name: &[u8]) -> Option<NodeId> {
    builder
        .find_name(name)
        .map(|name| NodeId::from_index(name.index()))
}

/// The reader's position in the file.
#[derive(Clone, Copy)]
struct ReaderPosition {
    line: u64,
    piece: u64,
    /// The bytes of the line in earlier pieces.
    before: usize,
}

/// Reads the file into a tree that already has the root and `unknown`.
///
/// # Errors
/// If the user cancelled.
pub(super) fn parse(
    bytes: &[u8],
    builder: &mut TreeBuilder,
    complaints: &mut Vec<Complaint>,
    meter: &mut Meter<'_>,
) -> Result<(), LoadError> {
    builder.reserve((bytes.len() / USUAL_LINE).min(ROOM));
    let mut reader = ResourceGroupReader {
        builder,
        complaints,
        last_parent: (Vec::new(), NodeId::ROOT),
        unrecordable: Vec::new(),
    };
    let mut here = ReaderPosition {
        line: 1,
        piece: 1,
        before: 0,
    };
    let mut at = 0;
    while at < bytes.len() {
        let piece = next_piece(&bytes[at..]);
        if !is_skipped(piece.text) {
            reader.line(piece.text, here);
        }
        if piece.is_cut_by_nul {
            reader.complain(here, Some(piece.text.len()), Fault::NulByte);
        }
        if piece.goes_on && here.before == 0 {
            reader.complain(here, Some(PIECE), Fault::LineSplit);
        }
        at += piece.length;
        here.piece += 1;
        if piece.goes_on {
            here.before += piece.length;
        } else {
            here.line += 1;
            here.before = 0;
        }
        meter.at(at as u64, reader.builder.len())?;
    }
    reader.finish();
    Ok(())
}

struct ResourceGroupReader<'a> {
    builder: &'a mut TreeBuilder,
    complaints: &'a mut Vec<Complaint>,
    /// The parent of the previous line, which most lines share.
    last_parent: (Vec<u8>, NodeId),
    /// Nodes whose usage PBS would lose, if they stay without children.
    unrecordable: Vec<(NodeId, ReaderPosition)>,
}

impl ResourceGroupReader<'_> {
    fn line(&mut self, text: &[u8], here: ReaderPosition) {
        let (fields, count) = fields(text);
        if count < fields.len() {
            let fault = Fault::TooFewFields {
                fields: count,
                line: here.piece,
            };
            return self.complain(here, None, fault);
        }
        let [
            (name, name_at),
            (group, group_at),
            (parent, parent_at),
            (shares, shares_at),
        ] = fields;
        let numbers = (whole(group), whole(shares));
        let above = self.parent(parent);
        if let (Some(above), (Some(group), Some(shares))) = (above, numbers) {
            let known = self.builder.len();
            let id = self.builder.intern(name);
            if id.index() == known {
                let node = self.builder.push(above, id, Kind::User, Position::First);
                self.set(node, group, shares, here, shares_at);
                if !is_recordable(name) {
                    self.unrecordable.push((node, here));
                }
                return;
            }
        }
        let (column, fault) = self.fault(fields.map(|(field, _)| field), above, numbers, here);
        let columns = [name_at, group_at, parent_at, shares_at];
        self.complain(here, Some(columns[column]), fault);
    }

    /// Returns PBS's message about a line that it leaves out, in the order in which it checks, and the invalid field.
    fn fault(
        &self,
        [name, group, parent, shares]: [&[u8]; 4],
        above: Option<NodeId>,
        (_, shares_read): (Option<i64>, Option<i64>),
        here: ReaderPosition,
    ) -> (usize, Fault) {
        let line = here.piece;
        let name_owned = name.to_vec();
        if self.builder.find_name(name).is_some() {
            let name = name_owned;
            (0, Fault::DuplicateName { name, line })
        } else if above.is_none() {
            let fault = Fault::MissingParent {
                name: name_owned,
                parent: parent.to_vec(),
                line,
            };
            (2, fault)
        } else if shares_read.is_none() {
            let fault = Fault::BadShares {
                name: name_owned,
                text: shares.to_vec(),
                line,
            };
            (3, fault)
        } else {
            let fault = Fault::BadGroup {
                name: name_owned,
                text: group.to_vec(),
                line,
            };
            (1, fault)
        }
    }

    /// Returns the node that a parent field names. `root` is the root, even if another node has that name.
    fn parent(&mut self, name: &[u8]) -> Option<NodeId> {
        if name == b"root" {
            return Some(NodeId::ROOT);
        }
        if self.last_parent.0 != name {
            let node = find(self.builder, name)?;
            self.last_parent.0.clear();
            self.last_parent.0.extend_from_slice(name);
            self.last_parent.1 = node;
        }
        Some(self.last_parent.1)
    }

    /// Sets the numbers of a new node as PBS holds them: in 32 bits.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "PBS stores a long in an int without a look"
    )]
    fn set(
        &mut self,
        node: NodeId,
        group: i64,
        shares: i64,
        here: ReaderPosition,
        shares_at: usize,
    ) {
        let held = shares as i32;
        self.builder.set_group(node, group as i32);
        self.builder.set_shares(node, Shares::new(i64::from(held)));
        let name = || self.builder.name(node).to_vec();
        if i64::from(held) != shares {
            let fault = Fault::SharesWrap { name: name(), held };
            self.complain(here, Some(shares_at), fault);
        } else if held < 0 {
            let fault = Fault::NegativeShares { name: name(), held };
            self.complain(here, Some(shares_at), fault);
        }
        if self.builder.name(node) == b"root" {
            self.complain(here, None, Fault::RootName);
        }
    }

    fn complain(&mut self, here: ReaderPosition, offset: Option<usize>, fault: Fault) {
        self.complaints.push(Complaint {
            file: File::ResourceGroup,
            line: Some(here.line),
            column: offset.map(|offset| (here.before + offset + 1) as u64),
            fault,
        });
    }

    /// Reports the entities that lose their usage. Groups have no records.
    fn finish(&mut self) {
        for (node, here) in std::mem::take(&mut self.unrecordable) {
            if !self.builder.has_children(node) {
                let name = self.builder.name(node).to_vec();
                self.complain(here, None, Fault::UnrecordableName { name });
            }
        }
    }
}
