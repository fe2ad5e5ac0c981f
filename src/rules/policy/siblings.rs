//! A walk through a tree that looks at the best children of each account only.
//!
//! Every account that is visited keeps a heap of its children. Charges alone make usage grow, so no key of a child
//! falls, and a key that was computed earlier is a lower bound of the present one. It is computed again when it comes to
//! the top of its heap, and not before.

use crate::model::{Kind, Order, Tree};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

/// The next user of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextUser {
    /// Its position in the tree's order.
    At(usize),
    /// There is no further user.
    None,
    /// The queue does not tell: ranks are to be computed for all users.
    Unknown,
}

/// The numbers by which the children of an account are put in order, the least first.
pub(super) trait SiblingKeys {
    /// Whether accounts that tie are visited as one, after users that tie with them. Otherwise their order is unknown.
    const MERGES: bool;

    /// Returns a lower and an upper bound of a child's key. From one call of [`SiblingQueue::clear`] to the next, no
    /// lower bound is ever above a later key. Infinity is a child whose place is unknown.
    fn bounds(&self, position: usize) -> (f64, f64);

    /// Computes the key of an account, so that its bounds are equal, or returns `false`.
    fn settle(&mut self, _position: usize) -> bool {
        false
    }

    /// Returns whether the keys of two users are surely the same.
    fn are_alike(&self, _one: usize, _other: usize) -> bool {
        false
    }

    /// Returns whether a child may tie with the user before, if it is the first of its account.
    fn may_continue(&self, _position: usize) -> bool {
        false
    }
}

/// A child in a heap: the last lower bound of its key, whether it follows others of the same key, and its position.
type Entry = (u64, bool, u32);

enum TiedAccounts {
    /// These, the one included.
    Are(Vec<u32>),
    /// The key of the one was not known well enough. It is now, and the account is to be put back.
    Again,
}

/// One part in so many of the tree may be looked at. Beyond that, computing all ranks is as fast.
const LOOKED_AT: usize = 4;

/// The least number of looks that are always allowed.
const FEW_LOOKS: usize = 1000;

/// The heaps of all accounts that were visited, and the walk through them. Accounts that tie are visited as one.
#[derive(Clone, Debug)]
pub(super) struct SiblingQueue {
    order: Arc<Order>,
    is_user: Vec<bool>,
    /// Whether the node is a user that is asked for, or above one.
    is_wanted: Vec<bool>,
    heaps: HashMap<u32, BinaryHeap<Reverse<Entry>>>,
    /// The accounts that are being visited, those of the lowest level last.
    visited: Vec<Vec<u32>>,
    /// What was taken from the heaps since the walk began, each with its account.
    taken: Vec<(u32, Entry)>,
    /// Users that tie with the one that was returned last, the next one at the end.
    tied: Vec<u32>,
    looks: usize,
}

impl SiblingQueue {
    /// Returns the queue of the users of a tree that are asked for, by position.
    pub(super) fn of(tree: &Tree, mut is_wanted: Vec<bool>) -> Self {
        let order = tree.shared_order();
        order.sum_up(&mut is_wanted, |above, below| above || below);
        let nodes = order.nodes().iter();
        Self {
            is_user: nodes.map(|&node| tree.kind(node) == Kind::User).collect(),
            order,
            is_wanted,
            heaps: HashMap::new(),
            visited: Vec::new(),
            taken: Vec::new(),
            tied: Vec::new(),
            looks: 0,
        }
    }

    /// Forgets all keys, because some have fallen.
    pub(super) fn clear(&mut self) {
        self.heaps.clear();
        self.taken.clear();
    }

    pub(super) fn begin(&mut self) {
        for (account, entry) in self.taken.drain(..) {
            if let Some(heap) = self.heaps.get_mut(&account) {
                heap.push(Reverse(entry));
            }
        }
        self.tied.clear();
        self.visited.clear();
        self.visited.push(vec![0]);
        self.looks = 0;
    }

    pub(super) fn next(&mut self, keys: &mut impl SiblingKeys) -> NextUser {
        if let Some(position) = self.tied.pop() {
            return NextUser::At(position as usize);
        }
        self.walk_on(keys).unwrap_or(NextUser::Unknown)
    }

    /// Returns the next user after those that tie. `None` if it is unknown.
    fn walk_on<K: SiblingKeys>(&mut self, keys: &mut K) -> Option<NextUser> {
        while !self.visited.is_empty() {
            let Some((account, entry)) = self.head(keys) else {
                self.visited.pop();
                continue;
            };
            let (key, _, position) = entry;
            let is_too_long = self.looks > self.is_user.len() / LOOKED_AT + FEW_LOOKS;
            if is_too_long || key >= f64::INFINITY.to_bits() {
                return None;
            }
            self.take(account);
            if self.is_user[position as usize] {
                return self.tied_users(keys, position);
            }
            match self.tied_accounts(keys, position)? {
                TiedAccounts::Are(accounts) => {
                    self.visited.push(accounts);
                    let head = self.head(keys);
                    if head.is_some_and(|(_, (.., first))| keys.may_continue(first as usize)) {
                        return None;
                    }
                }
                TiedAccounts::Again => {
                    let (account, entry) = self.taken.pop()?;
                    self.heaps.get_mut(&account)?.push(Reverse(entry));
                }
            }
        }
        Some(NextUser::None)
    }

    /// Returns the first of the users that tie with one that was taken, and keeps the others. `None` if unknown.
    fn tied_users(&mut self, keys: &impl SiblingKeys, position: u32) -> Option<NextUser> {
        let (least, most) = keys.bounds(position as usize);
        // Of exact keys the heap has those at the lower positions first.
        if least < most {
            self.tied.push(position);
            while let Some((account, (key, _, other))) = self.head(keys) {
                if key > most.to_bits() {
                    break;
                }
                let is_user = self.is_user[other as usize];
                if !is_user || !keys.are_alike(position as usize, other as usize) {
                    return None;
                }
                self.take(account);
                self.tied.push(other);
            }
            self.tied.sort_unstable_by_key(|&tied| Reverse(tied));
        }
        let first = self.tied.pop().unwrap_or(position);
        Some(NextUser::At(first as usize))
    }

    /// Returns the accounts that tie with one that was taken, itself included. `None` if that is unknown.
    fn tied_accounts<K: SiblingKeys>(&mut self, keys: &mut K, one: u32) -> Option<TiedAccounts> {
        let mut tied = vec![one];
        let (least, most) = keys.bounds(one as usize);
        while let Some((account, (key, _, other))) = self.head(keys) {
            if key > most.to_bits() {
                break;
            }
            if least < most {
                let is_settled = keys.settle(one as usize);
                return is_settled.then_some(TiedAccounts::Again);
            }
            if !K::MERGES || self.is_user[other as usize] {
                return None;
            }
            let (least, most) = keys.bounds(other as usize);
            if least < most {
                if !keys.settle(other as usize) {
                    return None;
                }
                continue;
            }
            self.take(account);
            tied.push(other);
        }
        Some(TiedAccounts::Are(tied))
    }

    fn take(&mut self, account: u32) {
        let head = self.heaps.get_mut(&account).and_then(BinaryHeap::pop);
        self.taken
            .extend(head.map(|Reverse(entry)| (account, entry)));
    }

    /// Returns the child with the least key in the accounts visited last, and its account. `None` if none is left.
    fn head<K: SiblingKeys>(&mut self, keys: &K) -> Option<(u32, Entry)> {
        let accounts = self.visited.last()?;
        let mut least: Option<(u32, Entry)> = None;
        for &account in accounts {
            let (order, is_wanted, is_user) = (&self.order, &self.is_wanted, &self.is_user);
            let heap = self.heaps.entry(account).or_insert_with(|| {
                let children = order.children(account);
                let wanted = children.filter(|&child| is_wanted[child as usize]);
                let entry = |child: u32| {
                    let at = child as usize;
                    Reverse((keys.bounds(at).0.to_bits(), is_user[at] != K::MERGES, child))
                };
                wanted.map(entry).collect()
            });
            self.looks += 1;
            while let Some(mut top) = heap.peek_mut() {
                let key = keys.bounds(top.0.2 as usize).0.to_bits();
                if top.0.0 >= key {
                    let entry = top.0;
                    if least.is_none_or(|(_, other)| entry < other) {
                        least = Some((account, entry));
                    }
                    break;
                }
                top.0.0 = key;
                self.looks += 1;
            }
        }
        least
    }
}
