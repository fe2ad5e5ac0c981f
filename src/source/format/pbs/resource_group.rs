//! `resource_group`: one node a line, read as PBS reads it.
//!
//! Follows `parse_group`, `new_group_info` and `add_child` of OpenPBS 23.06 (`src/scheduler/fairshare.cpp`).

use super::complaint::{Complaint, Fault, File};
use super::line::{Fields, NodeLine, NodeLines, PIECE, USUAL_LINE};
use super::parts::Parts;
use crate::base::cores;
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;
use crate::source::format::LoadError;
use std::cell::Cell;

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

    fn pass(&mut self, line: &NodeLine) {
        self.piece += 1;
        if line.goes_on {
            self.before += line.length();
        } else {
            self.line += 1;
            self.before = 0;
        }
    }

    /// Passes lines that PBS ignores. None of them goes on.
    fn pass_ignored(&mut self, count: u32) {
        self.piece += u64::from(count);
        self.line += u64::from(count);
        if count > 0 {
            self.before = 0;
        }
    }
}

/// Reads the file into a tree that already has the root and `unknown`, on at most so many threads.
///
/// # Errors
/// If the file cannot be read further, or the user cancelled.
pub(super) fn parse(
    parts: &mut Parts<'_>,
    builder: &mut TreeBuilder,
    complaints: &mut Vec<Complaint>,
    threads: usize,
) -> Result<(), LoadError> {
    builder.reserve((parts.length() / USUAL_LINE).min(ROOM));
    let mut reader = ResourceGroupReader {
        builder,
        complaints,
        here: ReaderPosition::START,
        last_parent: (Vec::new(), NodeId::ROOT),
        unrecordable: Vec::new(),
    };
    let known = Cell::new(reader.builder.len());
    // What a line says by itself is found on another core, while the lines before it enter the tree.
    cores::ahead(
        threads,
        || parts.lines(known.get()),
        NodeLines::of,
        |lines| {
            reader.take(&lines);
            known.set(reader.builder.len());
            Ok(())
        },
    )?;
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
    /// Takes lines into the tree.
    fn take(&mut self, lines: &NodeLines<'_>) {
        for line in &lines.lines {
            self.here.pass_ignored(line.ignored);
            let here = self.here;
            let text = line.text(&lines.bytes);
            if let Some(fields) = &line.fields {
                self.line(text, fields, here);
            }
            if line.is_cut_by_nul {
                self.complain(here, Some(text.len()), Fault::NulByte);
            }
            if line.goes_on && here.before == 0 {
                self.complain(here, Some(PIECE), Fault::LineSplit);
            }
            self.here.pass(line);
        }
        self.here.pass_ignored(lines.ignored);
    }

    fn line(&mut self, text: &[u8], fields: &Fields, here: ReaderPosition) {
        let count = usize::from(fields.count);
        if count < fields.of_text(text).len() {
            let fault = Fault::TooFewFields {
                fields: count,
                line: here.piece,
            };
            return self.complain(here, None, fault);
        }
        let numbers = (fields.group, fields.shares);
        let fields = fields.of_text(text);
        let [
            (name, name_at),
            (_, group_at),
            (parent, parent_at),
            (_, shares_at),
        ] = fields;
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
