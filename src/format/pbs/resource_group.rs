//! `resource_group`: one node a line, read as PBS reads it.
//!
//! Follows `parse_group`, `new_group_info` and `add_child` of OpenPBS 23.06 (`src/scheduler/fairshare.cpp`).

use super::line::{LONGEST_PIECE, Piece, USUAL_LINE, fields, is_skipped, next_piece};
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

#[derive(Clone, Copy)]
struct ReaderPosition {
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

    fn pass(&mut self, piece: &Piece<'_>) {
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
    report: OnProgress<'_>,
) -> LoadResult<Problems> {
    let bytes = &input.bytes;
    builder.reserve((bytes.len() / USUAL_LINE).min(ROOM));
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let mut reader = ResourceGroupReader {
        builder,
        problems: Problems::of(input.name()),
        stderr,
        here: ReaderPosition {
            line: 1,
            piece: 1,
            before: 0,
        },
        last_parent: (Vec::new(), NodeId::ROOT),
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

struct ResourceGroupReader<'a> {
    builder: &'a mut TreeBuilder,
    problems: Problems,
    stderr: &'a mut Vec<u8>,
    here: ReaderPosition,
    /// The parent of the previous line, which most lines share.
    last_parent: (Vec<u8>, NodeId),
    /// Nodes whose usage PBS would lose, if they stay without children.
    unrecordable: Vec<(NodeId, ReaderPosition)>,
}

impl ResourceGroupReader<'_> {
    fn read(&mut self, piece: &Piece<'_>) {
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

    fn line(&mut self, text: &[u8], here: ReaderPosition) {
        let (fields, count) = fields(text);
        if count < fields.len() {
            let problem = GroupProblem::TooFewFields { count };
            return self.refuse(here, here.line.into(), problem);
        }
        let [(name, _), (group, _), (parent, _), (shares, shares_at)] = fields;
        let above = self.parent(parent);
        let (group, shares) = (whole(group), whole(shares));
        if let (Some(above), Some(group), Some(shares)) = (above, group, shares) {
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
        self.refuse_fields(fields, above.is_some(), shares.is_some(), here);
    }

    /// Says why PBS leaves out a line with all fields, in the order in which it checks them.
    fn refuse_fields(
        &mut self,
        fields: [(&[u8], usize); 4],
        has_parent: bool,
        has_shares: bool,
        here: ReaderPosition,
    ) {
        let [name, group, parent, shares] = fields.map(|(text, _)| text);
        let [name_at, group_at, parent_at, shares_at] = fields.map(|(_, at)| at);
        let who = shown(name);
        let is_known = self.builder.find_name(name).is_some();
        if is_known || !has_parent {
            let [before, after] = if is_known {
                [&b"entity "[..], b" is not unique\n"]
            } else {
                [&b"Parent ginfo of "[..], b" doesnt exist.\n"]
            };
            let said = [before, name, after].concat();
            self.stderr.extend_from_slice(&said);
        }
        let mut at = name_at;
        let problem = if is_known && matches!(name, b"TREEROOT" | b"unknown") {
            GroupProblem::ReservedName { who }
        } else if is_known {
            GroupProblem::DuplicateName { who }
        } else if !has_parent {
            at = parent_at;
            let parent_name = shown(parent);
            if name == parent {
                GroupProblem::OwnParent { who }
            } else {
                GroupProblem::MissingParent {
                    who,
                    parent: parent_name,
                }
            }
        } else if has_shares {
            at = group_at;
            let group = shown_text(group);
            GroupProblem::BadGroup { who, group }
        } else {
            at = shares_at;
            let has_return = shares.ends_with(b"\r");
            let shares = shown_text(shares);
            if has_return {
                GroupProblem::CarriageReturn { who, shares }
            } else {
                GroupProblem::BadShares { who, shares }
            }
        };
        self.refuse(here, here.at(at), problem);
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
    fn set(&mut self, node: NodeId, group: i64, shares: i64, here: ReaderPosition, at: usize) {
        let held = int(shares);
        self.builder.set_group(node, int(group));
        self.builder.set_shares(node, Shares::new(i64::from(held)));
        let name = self.builder.name(node);
        if i64::from(held) != shares {
            let who = shown(name);
            let problem = GroupProblem::WrappedShares { who, held };
            self.problems.report(here.at(at), problem);
        } else if held < 0 {
            let who = shown(name);
            let problem = GroupProblem::NegativeShares { who, held };
            self.problems.report(here.at(at), problem);
        }
        if name == b"root" {
            self.problems.report(here.line, GroupProblem::NamedRoot);
        }
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
