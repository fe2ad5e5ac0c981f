//! `resource_group`: one node a line, read as PBS reads it.
//!
//! Follows `parse_group`, `new_group_info` and `add_child` of OpenPBS 23.06 (`src/scheduler/fairshare.cpp`).

use super::complaint::{Complaint, Fault, File};
use super::line::{LONGEST_PIECE, Piece, USUAL_LINE, fields, is_skipped, next_piece};
use super::strtol::whole;
use crate::format::input::{Input, Meter};
use crate::format::{LoadError, OnProgress};
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;

/// The largest number of nodes for which space is reserved at once, because a large file may be all comments.
pub(super) const ROOM: usize = 1 << 21;

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

impl ReaderPosition {
    const START: Self = Self {
        line: 1,
        piece: 1,
        before: 0,
    };

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

/// Reads the file into a tree that already has the root and `unknown`.
///
/// # Errors
/// If the user cancelled.
pub(super) fn parse(
    input: &Input,
    builder: &mut TreeBuilder,
    complaints: &mut Vec<Complaint>,
    report: OnProgress<'_>,
) -> Result<(), LoadError> {
    let bytes = &input.bytes;
    builder.reserve((bytes.len() / USUAL_LINE).min(ROOM));
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let mut reader = ResourceGroupReader {
        builder,
        complaints,
        here: ReaderPosition::START,
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
    reader.finish();
    Ok(())
}

struct ResourceGroupReader<'a> {
    builder: &'a mut TreeBuilder,
    complaints: &'a mut Vec<Complaint>,
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
            self.complain(here, Some(piece.text.len()), Fault::NulByte);
        }
        if piece.goes_on && here.before == 0 {
            self.complain(here, Some(LONGEST_PIECE), Fault::LineSplit);
        }
    }

    fn line(&mut self, text: &[u8], here: ReaderPosition) {
        let (fields, count) = fields(text);
        if count < fields.len() {
            let fault = Fault::TooFewFields {
                fields: count,
                line: here.piece,
            };
            return self.complain(here, None, fault);
        }
        let [name, group, parent, shares] = fields.map(|(field, _)| field);
        let [name_at, group_at, parent_at, shares_at] = fields.map(|(_, at)| at);
        let above = self.parent(parent);
        let (group_read, shares_read) = (whole(group), whole(shares));
        if let (Some(above), Some(group), Some(shares)) = (above, group_read, shares_read) {
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
        let (column, fault) = self.fault([name, group, parent, shares], above, shares_read, here);
        let columns = [name_at, group_at, parent_at, shares_at];
        self.complain(here, Some(columns[column]), fault);
    }

    /// Returns PBS's message about a line that it leaves out, in the order in which it checks, and the invalid field.
    fn fault(
        &self,
        [name, group, parent, shares]: [&[u8]; 4],
        above: Option<NodeId>,
        shares_read: Option<i64>,
        here: ReaderPosition,
    ) -> (usize, Fault) {
        let line = here.piece;
        let is_taken = self.builder.find_name(name).is_some();
        let (name, parent) = (name.to_vec(), parent.to_vec());
        if is_taken {
            (0, Fault::DuplicateName { name, line })
        } else if above.is_none() {
            (2, Fault::MissingParent { name, parent, line })
        } else if shares_read.is_none() {
            let text = shares.to_vec();
            (3, Fault::BadShares { name, text, line })
        } else {
            let text = group.to_vec();
            (1, Fault::BadGroup { name, text, line })
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
