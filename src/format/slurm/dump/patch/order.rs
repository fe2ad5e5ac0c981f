//! The order of the blocks: an account is listed in a block before its own begins.

use super::{IncomingLine, OutputLine, Patch};
use crate::format::slurm::dump::line::{account_name, quote};
use crate::model::{Kind, NodeId};
use std::collections::HashMap;

impl Patch<'_> {
    /// Sorts the blocks. Only those of moved and new accounts move: they follow the account before them in the tree.
    pub(super) fn ordered(&mut self, written: Vec<Vec<OutputLine>>) -> Vec<Vec<OutputLine>> {
        if self.moved.is_empty() && self.incoming.is_empty() {
            return written;
        }
        let mut written: Vec<Option<Vec<OutputLine>>> = written.into_iter().map(Some).collect();
        let mut of_account: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (place, block) in self.blocks.iter().enumerate() {
            if let Some(account) = block.account {
                of_account.entry(account).or_default().push(place);
            }
        }
        let mut followers: HashMap<usize, Vec<Vec<OutputLine>>> = HashMap::new();
        let mut last = 0;
        let mut pending = vec![NodeId::ROOT];
        while let Some(account) = pending.pop() {
            let own = of_account.get(&account).map_or(&[][..], Vec::as_slice);
            if self.moved.contains(&account) || own.is_empty() {
                let lines = own.iter().filter_map(|&place| written[place].take());
                let mut lines: Vec<OutputLine> = lines.flatten().collect();
                if let Some(incoming) = self.incoming.remove(&account) {
                    lines.extend(self.new_block(account, incoming));
                }
                if !lines.is_empty() {
                    followers.entry(last).or_default().push(lines);
                }
            } else if let Some(&place) = own.last() {
                last = place;
            }
            pending.extend(self.accounts_below(account));
        }
        let mut ordered = Vec::with_capacity(written.len());
        for (place, lines) in written.into_iter().enumerate() {
            // An account that was moved below one that is left out is left out with it.
            let account = self.blocks[place].account;
            let is_lost = account.is_some_and(|account| self.moved.contains(&account));
            ordered.extend(lines.filter(|_| !is_lost));
            ordered.extend(followers.remove(&place).into_iter().flatten());
        }
        ordered
    }

    /// Returns the accounts below one by name, the last first.
    fn accounts_below(&self, account: NodeId) -> Vec<NodeId> {
        let tree = self.tree;
        let is_account =
            |node: &NodeId| tree.kind(*node) == Kind::Account && !self.left_out.contains(node);
        let mut accounts: Vec<NodeId> = tree.children(account).filter(is_account).collect();
        if accounts.iter().any(|node| self.moved.contains(node)) {
            accounts.sort_by(|&one, &other| tree.name(other).cmp(tree.name(one)));
        } else {
            accounts.reverse();
        }
        accounts
    }

    fn new_block(&self, account: NodeId, mut incoming: Vec<IncomingLine>) -> Vec<OutputLine> {
        incoming.sort_by(|one, other| one.key.cmp(&other.key));
        let name = quote(account_name(self.tree, account));
        let opening = [b"Parent - ", &name[..], self.end].concat();
        let new = |node| self.new_line(node, b"");
        let lines = (incoming.into_iter()).map(|it| it.line.unwrap_or_else(|| new(it.node)));
        std::iter::once(opening).chain(lines).collect()
    }
}
