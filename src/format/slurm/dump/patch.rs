//! Writes the dump from which a tree was read with the edits in it: every line that no edit concerns stays byte for
//! byte.

mod order;

use super::blocks::{Block, DumpPiece, blocks, lead, stored};
use super::line::{
    Attribute, Object, account_name, begin_line, count_name, is_writable, nearest, stored_name,
};
use crate::base::shown::{Shown, shown};
use crate::format::loss::{Fault, Losses};
use crate::model::{Format, Kind, NodeId, Snapshot, Tree};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The first release whose `sacctmgr load` fails at the WCKeys of a user.
const NO_WCKEYS_SINCE: (u32, u32) = (25, 11);

/// Writes the file again and counts what it cannot hold. Returns also the users that left their DefaultAccount.
pub(super) fn patched(
    file: &[u8],
    snapshot: &Snapshot,
    tree: &Tree,
    losses: &mut Losses,
) -> (Vec<u8>, BTreeSet<Shown>) {
    let (mark, blocks) = blocks(file, &snapshot.source.cluster, &snapshot.tree);
    let pieces = || blocks.iter().flat_map(|block| &block.pieces);
    let mut known = HashSet::from([NodeId::ROOT]);
    known.extend(pieces().filter_map(|piece| piece.node));
    known.extend(blocks.iter().filter_map(|block| block.account));
    let mut patch = Patch {
        base: &snapshot.tree,
        tree,
        blocks: &blocks,
        known,
        is_base: snapshot.source.format == Format::SacctmgrDump,
        renamed: HashMap::new(),
        end: end_of_line(file),
        losses,
        incoming: HashMap::new(),
        moved: HashSet::new(),
        left_out: HashSet::new(),
    };
    patch.find_renamed();
    patch.find_incoming();
    let written = patch.written();
    let release = snapshot.slurm_release();
    if release.is_none_or(|release| release >= NO_WCKEYS_SINCE) {
        patch.count_wckeys();
    }
    let mut out = mark.to_vec();
    for line in written.into_iter().flatten() {
        if out.len() > mark.len() && !out.ends_with(b"\n") {
            out.extend_from_slice(patch.end);
        }
        out.extend_from_slice(&line);
    }
    (out, patch.stranded())
}

fn end_of_line(file: &[u8]) -> &'static [u8] {
    let at = memchr::memchr(b'\n', file);
    match at.and_then(|at| at.checked_sub(1)).map(|at| file[at]) {
        Some(b'\r') => b"\r\n",
        _ => b"\n",
    }
}

/// The sort key of lines in a block: whether it is an account, its name, its partition.
type Key = (bool, Vec<u8>, Vec<u8>);

struct PlacedLine {
    /// `None` for lines about no association.
    key: Option<Key>,
    is_opening: bool,
    line: OutputLine,
}

/// A line that moves to an account from elsewhere.
struct IncomingLine {
    key: Key,
    node: NodeId,
    /// The line at its former place; `None` for a new node.
    line: Option<Vec<u8>>,
}

type OutputLine = Vec<u8>;

struct Patch<'a> {
    base: &'a Tree,
    tree: &'a Tree,
    blocks: &'a [Block<'a>],
    /// The nodes with a line, or with an account's block.
    known: HashSet<NodeId>,
    /// Whether the tree's shares are those of the file, so that only an edit makes them differ.
    is_base: bool,
    /// The new names of accounts by their old ones.
    renamed: HashMap<Vec<u8>, Vec<u8>>,
    end: &'static [u8],
    losses: &'a mut Losses,
    /// The lines that move to an account, including those of no block.
    incoming: HashMap<NodeId, Vec<IncomingLine>>,
    /// The accounts that were moved, or are below one that was.
    moved: HashSet<NodeId>,
    /// The new accounts that Slurm cannot hold.
    left_out: HashSet<NodeId>,
}

impl Patch<'_> {
    fn find_renamed(&mut self) {
        for &node in &self.known {
            let is_account = self.base.kind(node) == Kind::Account;
            if is_account && self.tree.contains(node) {
                let (before, after) = (self.base.name(node), self.tree.name(node));
                if before != after && is_writable(after) {
                    self.renamed.insert(before.to_vec(), after.to_vec());
                }
            }
        }
    }

    fn is_moved(&self, node: NodeId) -> bool {
        self.tree.contains(node) && self.base.parent(node) != self.tree.parent(node)
    }

    fn find_incoming(&mut self) {
        let (blocks, tree) = (self.blocks, self.tree);
        for piece in blocks.iter().flat_map(|block| &block.pieces) {
            if let Some(node) = piece.node.filter(|&node| self.is_moved(node)) {
                let line = self.line(piece, node);
                self.add_incoming(node, Some(line));
            }
        }
        let mut accounts: Option<HashSet<Vec<u8>>> = None;
        for &node in tree.nodes() {
            let above = tree.parent(node);
            let is_below = above.is_some_and(|above| self.moved.contains(&above));
            let is_new = !self.known.contains(&node);
            let is_account = tree.kind(node) == Kind::Account;
            if is_below || (is_account && (is_new || self.is_moved(node))) {
                self.moved.insert(node);
            }
            if !is_new {
                continue;
            }
            let accounts = accounts.get_or_insert_with(|| {
                let known = self.known.iter().filter(|node| tree.contains(**node));
                let known = known.filter(|node| tree.kind(**node) == Kind::Account);
                let names = known.map(|&node| stored_name(account_name(tree, node)));
                names.map(Cow::into_owned).collect()
            });
            let name = tree.name(node);
            let fault = if !is_writable(name) {
                Fault::SlurmName
            } else if is_account && !accounts.insert(stored_name(name).into_owned()) {
                Fault::SlurmAccountTaken
            } else {
                count_name(self.losses, tree, node);
                self.count_shares(node);
                self.add_incoming(node, None);
                continue;
            };
            self.losses.add(fault, node);
            self.left_out.insert(node);
        }
    }

    fn add_incoming(&mut self, node: NodeId, line: Option<OutputLine>) {
        if let Some(parent) = self.tree.parent(node) {
            let key = self.key(node);
            let incoming = self.incoming.entry(parent).or_default();
            incoming.push(IncomingLine { key, node, line });
        }
    }

    fn count_shares(&mut self, node: NodeId) {
        let shares = self.tree.shares(node);
        self.losses
            .add_if(nearest(shares) != shares, Fault::SlurmShares, node);
    }

    /// Returns the line of a node that stays in the file, with its edits.
    fn line(&mut self, piece: &DumpPiece<'_>, node: NodeId) -> OutputLine {
        let (base, tree) = (self.base, self.tree);
        let name = Some(tree.name(node)).filter(|&name| name != base.name(node));
        let new_name = name.filter(|name| is_writable(name));
        if new_name.is_some() {
            count_name(self.losses, tree, node);
        } else if name.is_some() {
            self.losses.add(Fault::SlurmNewName, node);
        }
        let shares = nearest(tree.shares(node));
        let is_asked = !self.is_base || tree.shares(node) != base.shares(node);
        let is_edited = is_asked && node != NodeId::ROOT && piece.shares() != shares;
        if name.is_none() && !is_edited && self.renamed.is_empty() {
            return piece.raw.to_vec();
        }
        let new_shares = is_edited.then_some(shares);
        let line = piece.rewritten(new_name, new_shares, &self.renamed);
        if is_edited {
            self.count_shares(node);
        }
        line.unwrap_or_else(|| {
            self.losses.add(Fault::SlurmOpenQuote, node);
            piece.raw.to_vec()
        })
    }

    /// Returns the lines of the file, block by block in their new order.
    fn written(&mut self) -> Vec<Vec<OutputLine>> {
        let blocks = self.blocks;
        // Lines that move to an account are put into its first block with members.
        let mut hosts: HashMap<NodeId, (usize, (bool, bool, bool))> = HashMap::new();
        for (place, block) in blocks.iter().enumerate() {
            let has_members = block.pieces.iter().any(DumpPiece::is_member);
            let is_opened = block.pieces.first().is_some_and(DumpPiece::is_opening);
            let worth = (has_members, block.is_named, is_opened);
            if let Some(account) = block.account {
                let host = hosts.entry(account).or_insert((place, worth));
                if worth > host.1 {
                    *host = (place, worth);
                }
            }
        }
        let mut written = Vec::with_capacity(blocks.len());
        for (place, block) in blocks.iter().enumerate() {
            let host = block.account.filter(|account| hosts[account].0 == place);
            let incoming = host.and_then(|account| self.incoming.remove(&account));
            written.push(self.block(block, incoming.unwrap_or_default()));
        }
        self.ordered(written)
    }

    /// Returns the lines of a block: those that stay, and the incoming ones.
    fn block(&mut self, block: &Block<'_>, incoming: Vec<IncomingLine>) -> Vec<OutputLine> {
        let tree = self.tree;
        let is_gone = block.account.is_some_and(|account| !tree.contains(account));
        let mut lines = Vec::with_capacity(block.pieces.len());
        for piece in &block.pieces {
            let line = match piece.node {
                _ if piece.is_opening() && is_gone && block.is_named => continue,
                _ if piece.is_opening() => self.opening(piece, block),
                None if is_gone && piece.is_member() => continue,
                None => piece.raw.to_vec(),
                Some(node) if !tree.contains(node) || self.is_moved(node) => continue,
                Some(node) => self.line(piece, node),
            };
            lines.push(PlacedLine {
                key: piece.node.map(|node| self.key(node)),
                is_opening: piece.is_opening(),
                line,
            });
        }
        self.insert_incoming(&mut lines, incoming);
        lines.into_iter().map(|placed| placed.line).collect()
    }

    fn key(&self, node: NodeId) -> Key {
        let is_account = self.tree.kind(node) == Kind::Account;
        let partition = self.tree.partition(node).unwrap_or_default();
        (
            is_account,
            self.tree.name(node).to_vec(),
            partition.to_vec(),
        )
    }

    /// Returns the line that begins a block, under the account's new name if it has one.
    fn opening(&self, piece: &DumpPiece<'_>, block: &Block<'_>) -> OutputLine {
        let is_below_root = block.is_named && block.account.is_some_and(|own| own != NodeId::ROOT);
        let name = self.renamed.get(&*piece.name()).filter(|_| is_below_root);
        let line = name.and_then(|name| piece.rewritten(Some(name), None, &self.renamed));
        line.unwrap_or_else(|| piece.raw.to_vec())
    }

    /// Inserts incoming lines by name after lines of the same kind: users before accounts, as sacctmgr writes them.
    fn insert_incoming(&self, lines: &mut Vec<PlacedLine>, mut incoming: Vec<IncomingLine>) {
        incoming.sort_by(|one, other| one.key.cmp(&other.key));
        for IncomingLine { key, node, line } in incoming {
            let is_account = key.0;
            let is_same = |placed: &PlacedLine| {
                let key = placed.key.as_ref();
                key.is_some_and(|key| key.0 == is_account)
            };
            let before = |placed: &PlacedLine| is_same(placed) && placed.key.as_ref() < Some(&key);
            let behind =
                |is: &dyn Fn(&PlacedLine) -> bool| lines.iter().rposition(is).map(|at| at + 1);
            let at = behind(&before)
                .or_else(|| lines.iter().position(is_same))
                .or_else(|| behind(&|placed| is_account && placed.key.is_some()))
                .or_else(|| behind(&|placed| placed.is_opening))
                .unwrap_or(lines.len());
            let model = at.checked_sub(1).map(|at| lead(&lines[at].line));
            let line = line.unwrap_or_else(|| self.new_line(node, model.unwrap_or_default()));
            let placed = PlacedLine {
                key: Some(key),
                is_opening: false,
                line,
            };
            lines.insert(at, placed);
        }
    }

    /// Returns the line of a new node. Unknown attributes are left to Slurm.
    fn new_line(&self, node: NodeId, lead: &[u8]) -> OutputLine {
        let tree = self.tree;
        let mut line = lead.to_vec();
        let object = match tree.kind(node) {
            Kind::Account => "Account",
            Kind::User => "User",
        };
        begin_line(object, tree.name(node), tree.partition(node), &mut line);
        let shares = stored(nearest(tree.shares(node)));
        line.extend_from_slice(format!(":Fairshare={shares}").as_bytes());
        line.extend_from_slice(self.end);
        line
    }

    fn kept(&self) -> impl Iterator<Item = (&DumpPiece<'_>, NodeId)> {
        let pieces = self.blocks.iter().flat_map(|block| &block.pieces);
        let kept = pieces.filter_map(|piece| Some((piece, piece.node?)));
        kept.filter(|&(_, node)| self.tree.contains(node))
    }

    fn count_wckeys(&mut self) {
        let has_wckeys = |piece: &DumpPiece<'_>| {
            piece.object() == Some(Object::User) && piece.value(Attribute::WcKeys).is_some()
        };
        let users = self.kept().filter(|(piece, _)| has_wckeys(piece));
        let users: Vec<NodeId> = users.map(|(_, node)| node).collect();
        for node in users {
            self.losses.add(Fault::SlurmWcKeys, node);
        }
    }

    /// Returns the users that an edit removed from their DefaultAccount.
    fn stranded(&self) -> BTreeSet<Shown> {
        let (base, tree) = (self.base, self.tree);
        let mut left: HashSet<(&[u8], &[u8])> = HashSet::new();
        for &node in &self.known {
            let is_user = base.kind(node) == Kind::User;
            if let Some(parent) = base.parent(node).filter(|_| is_user)
                && (!tree.contains(node) || self.is_moved(node))
            {
                left.insert((base.name(node), account_name(base, parent)));
            }
        }
        for &node in tree.nodes() {
            if let Some(parent) = tree.parent(node) {
                left.remove(&(tree.name(node), account_name(tree, parent)));
            }
        }
        let is_stranded = |piece: &DumpPiece<'_>| {
            let account = piece.value(Attribute::DefaultAccount);
            account.is_some_and(|account| left.contains(&(&*piece.name(), &*account)))
        };
        let stranded = self.kept().filter(|&(piece, _)| is_stranded(piece));
        stranded.map(|(piece, _)| shown(&piece.name())).collect()
    }
}
