//! Writes the dump from which a tree was read with the edits in it: every line that no edit concerns stays byte for
//! byte.

mod line_nodes;
mod order;

use super::blocks::{About, Block, Piece, blocks};
use super::losses::Losses;
use super::place::{LineChanges, lead, rewritten, stored};
use super::spelling::{account_name, is_writable, quote, stored_name};
use crate::base::shown::shown;
use crate::format::Format;
use crate::format::loss::Fault;
use crate::format::slurm::assoc::MOST_SHARES;
use crate::model::{Kind, NodeId, Shares, Snapshot, Tree};
use line_nodes::{LineNodes, line_nodes};
use std::collections::{HashMap, HashSet};

/// The first release whose `sacctmgr load` fails at the WCKeys of a user.
const NO_WCKEYS_SINCE: (u32, u32) = (25, 11);

/// Writes the file again, and counts what it cannot hold.
pub(super) fn patched(
    file: &[u8],
    snapshot: &Snapshot,
    tree: &Tree,
    losses: &mut Losses,
) -> Vec<u8> {
    let (mark, blocks) = blocks(file, &snapshot.source.cluster);
    let nodes = line_nodes(&blocks, &snapshot.tree);
    let mut patch = Patch {
        base: &snapshot.tree,
        tree,
        blocks: &blocks,
        nodes: &nodes,
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
    patch.count_stranded();
    if snapshot
        .slurm_release()
        .is_none_or(|release| release >= NO_WCKEYS_SINCE)
    {
        patch.count_wckeys();
    }
    let mut out = mark.to_vec();
    for line in written.into_iter().flatten() {
        if !out.is_empty() && out.len() > mark.len() && !out.ends_with(b"\n") {
            out.extend_from_slice(patch.end);
        }
        out.extend_from_slice(&line);
    }
    out
}

/// Returns the line end of a file.
fn end_of_line(file: &[u8]) -> &'static [u8] {
    let at = memchr::memchr(b'\n', file);
    match at.and_then(|at| at.checked_sub(1)).map(|at| file[at]) {
        Some(b'\r') => b"\r\n",
        _ => b"\n",
    }
}

/// The sort key of lines in a block: whether it is an account, its name, its partition.
type Key = (bool, Vec<u8>, Vec<u8>);

/// A line in its block.
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

/// A line to be written.
type OutputLine = Vec<u8>;

/// The file under construction.
struct Patch<'a> {
    base: &'a Tree,
    tree: &'a Tree,
    blocks: &'a [Block<'a>],
    nodes: &'a LineNodes,
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
        for &node in &self.nodes.known {
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

    /// Collects the lines that move from one account to another, and those of new nodes.
    fn find_incoming(&mut self) {
        let (blocks, nodes) = (self.blocks, self.nodes);
        for (block, of_pieces) in blocks.iter().zip(&nodes.of_pieces) {
            for (piece, node) in block.pieces.iter().zip(of_pieces) {
                if let Some(node) = node.filter(|&node| self.is_moved(node)) {
                    let line = self.line(piece, node);
                    self.add_incoming(node, Some(line));
                }
            }
        }
        let tree = self.tree;
        let mut accounts: Option<HashSet<Vec<u8>>> = None;
        for &node in tree.nodes() {
            let above = tree.parent(node);
            let is_below = above.is_some_and(|above| self.moved.contains(&above));
            if is_below || (tree.kind(node) == Kind::Account && self.is_new_or_moved(node)) {
                self.moved.insert(node);
            }
            if nodes.known.contains(&node) {
                continue;
            }
            let accounts = accounts.get_or_insert_with(|| {
                let known = nodes
                    .known
                    .iter()
                    .filter(|&&node| tree.contains(node) && tree.kind(node) == Kind::Account);
                let names = known.map(|&node| stored_name(account_name(tree, node)).into_owned());
                names.collect()
            });
            if !is_writable(tree.name(node)) {
                self.losses.add(Fault::SlurmName, node);
                self.left_out.insert(node);
                continue;
            }
            let name = stored_name(tree.name(node)).into_owned();
            if tree.kind(node) == Kind::Account && !accounts.insert(name) {
                self.losses.add(Fault::SlurmAccountTaken, node);
                self.left_out.insert(node);
                continue;
            }
            self.losses.count_name(tree, node);
            self.count_shares(node);
            self.add_incoming(node, None);
        }
    }

    fn is_new_or_moved(&self, node: NodeId) -> bool {
        !self.nodes.known.contains(&node) || self.is_moved(node)
    }

    fn add_incoming(&mut self, node: NodeId, line: Option<OutputLine>) {
        let Some(parent) = self.tree.parent(node) else {
            return;
        };
        let key = self.key(node);
        let incoming = self.incoming.entry(parent).or_default();
        incoming.push(IncomingLine { key, node, line });
    }

    /// Returns the nearest shares that Slurm can hold.
    fn nearest(&self, node: NodeId) -> Shares {
        let shares = self.tree.shares(node);
        let count = shares.count();
        count.map_or(shares, |count| Shares::new(count.clamp(0, MOST_SHARES)))
    }

    fn count_shares(&mut self, node: NodeId) {
        if self.nearest(node) != self.tree.shares(node) {
            self.losses.add(Fault::SlurmShares, node);
        }
    }

    /// Returns the line of a node that stays in the file, with its edits.
    fn line(&mut self, piece: &Piece<'_>, node: NodeId) -> OutputLine {
        let (base, tree) = (self.base, self.tree);
        let name = tree.name(node);
        let is_renamed = base.name(node) != name;
        if is_renamed && is_writable(name) {
            self.losses.count_name(tree, node);
        } else if is_renamed {
            self.losses.add(Fault::SlurmNewName, node);
        }
        let shares = self.nearest(node);
        let is_asked = !self.is_base || tree.shares(node) != base.shares(node);
        let is_edited = is_asked && piece.shares != shares && node != NodeId::ROOT;
        let is_default_renamed = !self.renamed.is_empty();
        if !is_renamed && !is_edited && !is_default_renamed {
            return piece.raw.to_vec();
        }
        let wanted = LineChanges {
            name: (is_renamed && is_writable(name)).then_some(name),
            shares: is_edited.then_some(shares),
            accounts: is_default_renamed.then_some(&self.renamed),
        };
        let line = rewritten(piece.raw, &wanted);
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
        let (blocks, nodes) = (self.blocks, self.nodes);
        let mut written = Vec::with_capacity(blocks.len());
        // Lines that move to an account are put into its first block with members.
        let mut hosts: HashMap<NodeId, (usize, (bool, bool, bool))> = HashMap::new();
        for (place, (block, account)) in blocks.iter().zip(&nodes.of_blocks).enumerate() {
            let Some(account) = *account else { continue };
            let is_host =
                |piece: &Piece<'_>| matches!(piece.about, About::Account | About::User(_));
            let has_opening =
                block.pieces.first().map(|piece| &piece.about) == Some(&About::Opening);
            let worth = (
                block.pieces.iter().any(is_host),
                block.is_named,
                has_opening,
            );
            let host = hosts.entry(account).or_insert((place, worth));
            if worth > host.1 {
                *host = (place, worth);
            }
        }
        for (place, block) in blocks.iter().enumerate() {
            let account = nodes.of_blocks[place];
            let is_host = account.is_some_and(|account| hosts[&account].0 == place);
            let incoming = account.filter(|_| is_host);
            let incoming = incoming.and_then(|account| self.incoming.remove(&account));
            written.push(self.block(block, place, incoming.unwrap_or_default()));
        }
        self.ordered(written)
    }

    /// Returns the lines of a block: those that stay, and the incoming ones.
    fn block(
        &mut self,
        block: &Block<'_>,
        place: usize,
        incoming: Vec<IncomingLine>,
    ) -> Vec<OutputLine> {
        let nodes = self.nodes;
        let account = nodes.of_blocks[place];
        let is_gone = account.is_some_and(|account| !self.tree.contains(account));
        let mut lines = Vec::with_capacity(block.pieces.len());
        for (piece, node) in block.pieces.iter().zip(&nodes.of_pieces[place]) {
            let line = match (&piece.about, *node) {
                (About::Opening, _) if is_gone && block.is_named => continue,
                (About::Opening, _) => self.opening(piece, account.filter(|_| block.is_named)),
                (About::Account | About::User(_), None) if is_gone => continue,
                (_, Some(node)) if !self.tree.contains(node) || self.is_moved(node) => continue,
                (_, Some(node)) => self.line(piece, node),
                (_, None) => piece.raw.to_vec(),
            };
            lines.push(PlacedLine {
                key: node.map(|node| self.key(node)),
                is_opening: piece.about == About::Opening,
                line,
            });
        }
        self.insert_incoming(&mut lines, incoming);
        lines
            .into_iter()
            .map(|insert_incoming| insert_incoming.line)
            .collect()
    }

    fn key(&self, node: NodeId) -> Key {
        let tree = self.tree;
        (
            tree.kind(node) == Kind::Account,
            tree.name(node).to_vec(),
            tree.partition(node).unwrap_or_default().to_vec(),
        )
    }

    fn opening(&self, piece: &Piece<'_>, account: Option<NodeId>) -> OutputLine {
        let account = account.filter(|&account| account != NodeId::ROOT);
        let name = account.and_then(|_| self.renamed.get(&piece.name));
        let wanted = LineChanges {
            name: name.map(Vec::as_slice),
            ..LineChanges::default()
        };
        name.and_then(|_| rewritten(piece.raw, &wanted))
            .unwrap_or_else(|| piece.raw.to_vec())
    }

    /// Inserts incoming lines after the lines of the same kind that come before them by name: users before accounts, as
    /// sacctmgr writes them.
    fn insert_incoming(&self, lines: &mut Vec<PlacedLine>, mut incoming: Vec<IncomingLine>) {
        incoming.sort_by(|one, other| one.key.cmp(&other.key));
        for IncomingLine { key, node, line } in incoming {
            let is_account = key.0;
            let is_same = |insert_incoming: &PlacedLine| {
                insert_incoming
                    .key
                    .as_ref()
                    .is_some_and(|key| key.0 == is_account)
            };
            let is_before = |insert_incoming: &PlacedLine| {
                is_same(insert_incoming) && insert_incoming.key.as_ref() < Some(&key)
            };
            let behind =
                |is: &dyn Fn(&PlacedLine) -> bool| lines.iter().rposition(is).map(|at| at + 1);
            let at = behind(&is_before)
                .or_else(|| lines.iter().position(is_same))
                .or_else(|| behind(&|insert_incoming| is_account && insert_incoming.key.is_some()))
                .or_else(|| behind(&|insert_incoming| insert_incoming.is_opening))
                .unwrap_or(lines.len());
            let model = at.checked_sub(1).map(|at| lead(&lines[at].line));
            let line = line.unwrap_or_else(|| self.new_line(node, model.unwrap_or_default()));
            lines.insert(
                at,
                PlacedLine {
                    key: Some(key),
                    is_opening: false,
                    line,
                },
            );
        }
    }

    /// Returns the line of a new node. Unknown attributes are left to Slurm.
    fn new_line(&self, node: NodeId, lead: &[u8]) -> OutputLine {
        let tree = self.tree;
        let mut line = lead.to_vec();
        line.extend_from_slice(match tree.kind(node) {
            Kind::Account => b"Account - ",
            Kind::User => b"User - ",
        });
        quote(tree.name(node), &mut line);
        if let Some(partition) = tree.partition(node) {
            line.extend_from_slice(b":Partition=");
            quote(partition, &mut line);
        }
        let shares = stored(self.nearest(node));
        line.extend_from_slice(format!(":Fairshare={shares}").as_bytes());
        line.extend_from_slice(self.end);
        line
    }

    /// Counts the users whose lines have WCKeys.
    fn count_wckeys(&mut self) {
        let pieces = self.blocks.iter().flat_map(|block| &block.pieces);
        let with_wckeys = pieces.zip(self.nodes.of_pieces.iter().flatten());
        for (piece, node) in with_wckeys.filter(|(piece, _)| piece.has_wckeys) {
            if let (About::User(_), Some(node)) = (&piece.about, *node)
                && self.tree.contains(node)
            {
                self.losses.add(Fault::SlurmWcKeys, node);
            }
        }
    }

    /// Counts the users that an edit removed from their DefaultAccount.
    fn count_stranded(&mut self) {
        let (base, tree, nodes) = (self.base, self.tree, self.nodes);
        let mut left: HashSet<(&[u8], &[u8])> = HashSet::new();
        for &node in &nodes.known {
            let is_user = base.kind(node) == Kind::User;
            if let Some(parent) = base.parent(node).filter(|_| is_user)
                && (!tree.contains(node) || self.is_moved(node))
            {
                left.insert((base.name(node), account_name(base, parent)));
            }
        }
        if left.is_empty() {
            return;
        }
        for &node in tree.nodes() {
            if let Some(parent) = tree.parent(node) {
                left.remove(&(tree.name(node), account_name(tree, parent)));
            }
        }
        let blocks = self.blocks.iter().zip(&nodes.of_pieces);
        for (block, of_pieces) in blocks {
            for (piece, node) in block.pieces.iter().zip(of_pieces) {
                if node.is_none_or(|node| !tree.contains(node)) {
                    continue;
                }
                let account = piece.default_account.as_deref();
                if account.is_some_and(|account| left.contains(&(&piece.name[..], account))) {
                    self.losses.stranded.insert(shown(&piece.name));
                }
            }
        }
    }
}
