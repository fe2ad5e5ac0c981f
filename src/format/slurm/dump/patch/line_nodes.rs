//! The nodes of the lines of a dump, in the tree that was read from it.

use crate::format::slurm::dump::blocks::{About, Block};
use crate::format::slurm::dump::spelling::account_name;
use crate::model::{Kind, NodeId, Tree};
use std::collections::{HashMap, HashSet};

/// The nodes of a file's lines, block by block.
pub(super) struct LineNodes {
    /// The node of every line; `None` for lines about no node of the tree.
    pub(super) of_pieces: Vec<Vec<Option<NodeId>>>,
    /// The account of every block.
    pub(super) of_blocks: Vec<Option<NodeId>>,
    /// The nodes with a line, or with an account's block.
    pub(super) known: HashSet<NodeId>,
}

/// Finds the nodes of a tree in the lines from which it was read.
pub(super) fn line_nodes(blocks: &[Block<'_>], base: &Tree) -> LineNodes {
    type Same<'a> = (NodeId, &'a [u8], Option<&'a [u8]>);
    let mut ids = base.nodes().to_vec();
    ids.sort_unstable();
    let mut accounts: HashMap<&[u8], NodeId> = HashMap::new();
    let mut users: HashMap<Same<'_>, Vec<NodeId>> = HashMap::new();
    for &node in &ids {
        match base.parent(node).filter(|_| base.kind(node) == Kind::User) {
            Some(parent) => {
                let key = (parent, base.name(node), base.partition(node));
                users.entry(key).or_default().push(node);
            }
            None => {
                accounts.entry(account_name(base, node)).or_insert(node);
            }
        }
    }
    for same in users.values_mut() {
        same.reverse();
    }
    let mut line_nodes = LineNodes {
        of_pieces: Vec::with_capacity(blocks.len()),
        of_blocks: Vec::with_capacity(blocks.len()),
        known: HashSet::from([NodeId::ROOT]),
    };
    for block in blocks {
        let account = accounts.get(&block.account[..]).copied();
        let account = account.filter(|_| block.is_ours);
        let mut of_pieces = Vec::with_capacity(block.pieces.len());
        for piece in &block.pieces {
            of_pieces.push(match &piece.about {
                _ if !block.is_ours => None,
                About::Account => accounts.get(&piece.name[..]).copied(),
                About::User(partition) => account.and_then(|account| {
                    let key = (account, &piece.name[..], partition.as_deref());
                    users.get_mut(&key).and_then(Vec::pop)
                }),
                About::Opening | About::Other => None,
            });
        }
        line_nodes.known.extend(of_pieces.iter().flatten());
        line_nodes.known.extend(account);
        line_nodes.of_pieces.push(of_pieces);
        line_nodes.of_blocks.push(account);
    }
    line_nodes
}
