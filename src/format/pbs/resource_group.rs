//! `resource_group`: one node a line, read as PBS reads it.
//!
//! Follows `parse_group`, `new_group_info` and `add_child` of OpenPBS 23.06 (`src/scheduler/fairshare.cpp`).

use super::line::{
    Field, Fields, LONGEST_PIECE, Piece, USUAL_LINE, fields, is_skipped, next_piece,
};
use super::number::{int, whole};
use crate::base::shown::{Shown, shown, shown_text};
use crate::format::input::{Input, Meter};
use crate::format::problem::{Place, Problems, problems};
use crate::format::{LoadResult, OnProgress};
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;

/// The largest number of nodes for which space is reserved at once, because a large file may be all comments.
pub(super) const ROOM: usize = 1 << 21;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

problems! {
    /// What is wrong or odd in a `resource_group`.
    enum GroupProblem {
        Nul, Warning "pbs-nul-byte",
            "the line holds a NUL; PBS does not see what follows it on the line", "delete the byte";
        LongLine, Warning "pbs-line-split",
            "the line is longer than 255 bytes; PBS reads each 255 bytes as a line of its own, and counts them in its messages",
            "shorten the line";
        TooFewFields { count: usize }, Error "pbs-too-few-fields",
            "the line has {count} of the four fields name, group number, parent, shares; PBS leaves it out",
            "write all four, separated by blanks or tabs";
        ReservedName { who: Shown }, Error "pbs-duplicate-name",
            "{who} is a name that PBS reserves; the line is left out",
            "choose another name; the shares of unknown are set by unknown_shares in sched_config";
        DuplicateName { who: Shown }, Error "pbs-duplicate-name",
            "{who} was defined on an earlier line; PBS keeps the first and leaves this line out",
            "delete one of the two lines, or rename one: PBS knows nodes by name alone";
        OwnParent { who: Shown }, Error "pbs-missing-parent",
            "{who} is its own parent; PBS leaves the line out", "write the group it belongs to, or root";
        MissingParent { who: Shown, parent: Shown }, Error "pbs-missing-parent",
            "the parent {parent} of {who} is not defined on an earlier line; PBS leaves the line out",
            "define the parent above this line, or write root";
        BadGroup { who: Shown, group: Shown }, Error "pbs-bad-cresgroup",
            "the group number {group} of {who} is not a whole number; PBS leaves the line out",
            "write any whole number; PBS only shows it";
        CarriageReturn { who: Shown, shares: Shown }, Error "pbs-crlf",
            "the line of {who} ends in a carriage return, which spoils the shares {shares}; PBS leaves it out",
            "give the file Unix line ends: sed -i 's/\\r$//' FILE";
        BadShares { who: Shown, shares: Shown }, Error "pbs-bad-shares",
            "the shares {shares} of {who} are not a whole number; PBS leaves the line out",
            "write digits only, and a blank before a comment";
        WrappedShares { who: Shown, held: i32 }, Warning "pbs-shares-wrap",
            "the shares of {who} do not fit 32 bits; PBS stores {held} instead",
            "divide the shares of all siblings by the same number";
        NegativeShares { who: Shown, held: i32 }, Warning "pbs-negative-shares",
            "{who} has {held} shares; PBS accepts them and computes percentages below 0 or above 100", "write 0 or more";
        NamedRoot, Warning "pbs-root-name",
            "a node is called root, but as a parent root always means the top of the tree",
            "choose another name if it should have members";
        ByteOrderMark { who: Shown }, Warning "pbs-byte-order-mark",
            "the file begins with a byte order mark, which PBS makes part of the name {who}; its usage is lost at the next read",
            "remove the mark: sed -i '1s/^\\xEF\\xBB\\xBF//' FILE";
        UnrecordableName { who: Shown }, Warning "pbs-unrecordable-name",
            "{who} cannot own usage: PBS reads back only names of at most 49 letters, digits, blanks and . - _ : so its usage is lost at the next read",
            "rename the entity";
    }
}

/// Returns the node of a name, or `None`. In a PBS tree names and nodes are numbered alike, as they appear.
pub(super) fn find(builder: &TreeBuilder, name: &[u8]) -> Option<NodeId> {
    Some(NodeId::from_index(builder.find_name(name)?.index()))
}

/// The place of a piece.
#[derive(Clone, Copy)]
struct ReaderPosition {
    /// The line of the file, from 1.
    line: u64,
    /// The line as PBS counts: higher than an editor's after a line longer than 255 bytes.
    piece: u64,
    /// The bytes of the line in earlier pieces.
    before: usize,
}

impl ReaderPosition {
    /// Returns the place of a byte of the piece.
    fn at(self, offset: usize) -> Place {
        (self.line, (self.before + offset + 1) as u64).into()
    }

    /// Moves to the next piece.
    fn pass(&mut self, piece: &Piece) {
        self.piece += 1;
        if piece.goes_on {
            self.before += piece.length;
        } else {
            self.line += 1;
            self.before = 0;
        }
    }
}

/// Reads the file into a tree that already has the root and `unknown`, and adds the lines that `pbsfs` writes about it
/// on standard error. Returns what is wrong or odd.
pub(super) fn parse(
    input: &Input,
    builder: &mut TreeBuilder,
    stderr: &mut Vec<u8>,
    report: OnProgress,
) -> LoadResult<Problems> {
    let bytes = &input.bytes;
    builder.reserve((bytes.len() / USUAL_LINE).min(ROOM));
    let mut meter = Meter::of_text(input.name(), bytes, report);
    let mut reader = ResourceGroupReader {
        builder,
        problems: Problems::of(input.name()),
        stderr,
        here: ReaderPosition {
            line: 1,
            piece: 1,
            before: 0,
        },
        parent_name: Vec::new(),
        parent: NodeId::ROOT,
        unrecordable: Vec::new(),
    };
    let mut at = 0;
    while at < bytes.len() {
        let piece = next_piece(&bytes[at..]);
        reader.read(&piece);
        at += piece.length;
        meter.at(at as u64, reader.builder.len())?;
    }
    Ok(reader.finish())
}

/// Reads the pieces of a file into a tree.
struct ResourceGroupReader<'a> {
    /// The tree so far.
    builder: &'a mut TreeBuilder,
    /// What is wrong or odd so far.
    problems: Problems,
    /// What `pbsfs` writes on standard error.
    stderr: &'a mut Vec<u8>,
    /// The place of the next piece.
    here: ReaderPosition,
    /// The name of the parent of the previous line, which most lines share; empty before the first one.
    parent_name: Vec<u8>,
    /// Its node.
    parent: NodeId,
    /// Nodes whose usage PBS would lose, if they stay without children.
    unrecordable: Vec<(NodeId, ReaderPosition)>,
}

impl ResourceGroupReader<'_> {
    /// Reads a piece.
    fn read(&mut self, piece: &Piece) {
        let here = self.here;
        self.here.pass(piece);
        if !is_skipped(piece.text) {
            self.line(piece.text, here);
        }
        if piece.is_cut_by_nul {
            let place = here.at(piece.text.len());
            self.problems.report(place, GroupProblem::Nul);
        }
        if piece.goes_on && here.before == 0 {
            let place = here.at(LONGEST_PIECE);
            self.problems.report(place, GroupProblem::LongLine);
        }
    }

    /// Adds the node of a line, or reports why PBS leaves the line out.
    fn line(&mut self, text: &[u8], here: ReaderPosition) {
        let fields = match fields(text) {
            Ok(fields) => fields,
            Err(count) => {
                let problem = GroupProblem::TooFewFields { count };
                return self.refuse(here, here.line.into(), problem);
            }
        };
        let name = fields.name.text;
        let parent = self.parent(fields.parent.text);
        let group = whole(fields.group.text);
        let shares = whole(fields.shares.text);
        if let (Some(parent), Some(group), Some(shares)) = (parent, group, shares) {
            let known = self.builder.len();
            let id = self.builder.intern(name);
            if id.index() == known {
                let node = self.builder.push(parent, id, Kind::User, Position::First);
                self.builder.set_group(node, int(group));
                self.set_shares(node, shares, here.at(fields.shares.at));
                if name == b"root" {
                    self.problems.report(here.line, GroupProblem::NamedRoot);
                }
                if !is_recordable(name) {
                    self.unrecordable.push((node, here));
                }
                return;
            }
        }
        let who = shown(name);
        if self.builder.find_name(name).is_some() {
            self.refuse_name(&fields, who, here);
        } else if parent.is_none() {
            self.refuse_parent(&fields, who, here);
        } else if shares.is_none() {
            self.refuse_shares(fields.shares, who, here);
        } else {
            let group = shown_text(fields.group.text);
            let problem = GroupProblem::BadGroup { who, group };
            self.refuse(here, here.at(fields.group.at), problem);
        }
    }

    /// Reports a line whose name is taken.
    fn refuse_name(&mut self, fields: &Fields, who: Shown, here: ReaderPosition) {
        let name = fields.name;
        self.stderr.extend_from_slice(b"entity ");
        self.stderr.extend_from_slice(name.text);
        self.stderr.extend_from_slice(b" is not unique\n");
        let problem = if matches!(name.text, b"TREEROOT" | b"unknown") {
            GroupProblem::ReservedName { who }
        } else {
            GroupProblem::DuplicateName { who }
        };
        self.refuse(here, here.at(name.at), problem);
    }

    /// Reports a line whose parent is not known.
    fn refuse_parent(&mut self, fields: &Fields, who: Shown, here: ReaderPosition) {
        let parent = fields.parent;
        self.stderr.extend_from_slice(b"Parent ginfo of ");
        self.stderr.extend_from_slice(fields.name.text);
        self.stderr.extend_from_slice(b" doesnt exist.\n");
        let problem = if fields.name.text == parent.text {
            GroupProblem::OwnParent { who }
        } else {
            let parent = shown(parent.text);
            GroupProblem::MissingParent { who, parent }
        };
        self.refuse(here, here.at(parent.at), problem);
    }

    /// Reports a line whose shares are no number.
    fn refuse_shares(&mut self, field: Field, who: Shown, here: ReaderPosition) {
        let shares = shown_text(field.text);
        let problem = if field.text.ends_with(b"\r") {
            GroupProblem::CarriageReturn { who, shares }
        } else {
            GroupProblem::BadShares { who, shares }
        };
        self.refuse(here, here.at(field.at), problem);
    }

    /// Returns the node that a parent field names. `root` is the root, even if another node has that name.
    fn parent(&mut self, name: &[u8]) -> Option<NodeId> {
        if name == b"root" {
            return Some(NodeId::ROOT);
        }
        if self.parent_name != name {
            self.parent = find(self.builder, name)?;
            name.clone_into(&mut self.parent_name);
        }
        Some(self.parent)
    }

    /// Sets the shares of a new node as PBS holds them: in 32 bits.
    fn set_shares(&mut self, node: NodeId, shares: i64, place: Place) {
        let held = int(shares);
        self.builder.set_shares(node, Shares::new(i64::from(held)));
        if held >= 0 && i64::from(held) == shares {
            return;
        }
        let who = shown(self.builder.name(node));
        let problem = if i64::from(held) == shares {
            GroupProblem::NegativeShares { who, held }
        } else {
            GroupProblem::WrappedShares { who, held }
        };
        self.problems.report(place, problem);
    }

    /// Reports a line that PBS leaves out, which `pbsfs` tells too.
    fn refuse(&mut self, here: ReaderPosition, place: Place, problem: GroupProblem) {
        let said = format!("resgroup: error on line {}.\n", here.piece);
        self.stderr.extend_from_slice(said.as_bytes());
        self.problems.report(place, problem);
    }

    /// Reports the entities that lose their usage. Groups have no records.
    fn finish(mut self) -> Problems {
        for (node, here) in self.unrecordable {
            if self.builder.has_children(node) {
                continue;
            }
            let name = self.builder.name(node);
            let who = shown(name);
            let problem = if name.starts_with(BYTE_ORDER_MARK) {
                GroupProblem::ByteOrderMark { who }
            } else {
                GroupProblem::UnrecordableName { who }
            };
            self.problems.report(here.line, problem);
        }
        self.problems
    }
}
