//! A walk through a tree that looks at the best children of each account only.
//!
//! Every account that is visited keeps a heap of its children. Charges alone make usage grow, so no key of a child
//! falls, and a key that was computed earlier is a lower bound of the present one. It is computed again when it comes to
//! the top of its heap, and not before.

use crate::model::{Order, Tree};
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

/// The least and the largest number that a key can be; they are equal if the key is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Bounds {
    /// The key of a child whose place is unknown.
    pub(super) const UNKNOWN: Self = Self::exactly(f64::INFINITY);

    /// Returns the bounds of a key that is known.
    pub(super) const fn exactly(key: f64) -> Self {
        Self {
            least: key,
            most: key,
        }
    }

    /// Returns whether the key is not known exactly.
    fn are_apart(self) -> bool {
        self.least < self.most
    }
}

/// The numbers by which the children of an account are put in order, the least first. No key is below 0.
pub(super) trait SiblingKeys {
    /// Whether accounts that tie are visited as one, after users that tie with them. Otherwise their order is unknown.
    const MERGES: bool;

    /// Returns the bounds of a child's key. From one call of [`SiblingQueue::clear`] to the next, no lower bound is ever
    /// above a later key.
    fn bounds(&self, position: usize) -> Bounds;

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

/// A child in the heap of its account. The first in the order of its fields is looked at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The last lower bound of its key, as the bits of the double.
    key: u64,
    /// Whether it follows others of the same key.
    is_after: bool,
    /// Its position in the tree's order.
    position: u32,
}

/// A child, and the account in whose heap it is or was.
#[derive(Clone, Copy, Debug)]
struct Head {
    account: u32,
    entry: Entry,
}

/// What is known of the accounts that tie with one.
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
    /// What was taken from the heaps since the walk began.
    taken: Vec<Head>,
    /// Users that tie with the one that was returned last, the next one at the end.
    tied: Vec<u32>,
    /// How many keys and heaps were looked at since the walk began.
    looks: usize,
}

impl SiblingQueue {
    /// Returns the queue of the users of a tree that are asked for, by position.
    pub(super) fn new(tree: &Tree, mut is_wanted: Vec<bool>) -> Self {
        let order = tree.shared_order();
        order.sum_up(&mut is_wanted, |above, below| above || below);
        let mut is_user = Vec::with_capacity(tree.node_count());
        for &node in order.nodes() {
            is_user.push(tree.is_user(node));
        }
        Self {
            order,
            is_user,
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

    /// Begins again with the first user.
    pub(super) fn begin(&mut self) {
        for taken in self.taken.drain(..) {
            if let Some(heap) = self.heaps.get_mut(&taken.account) {
                heap.push(Reverse(taken.entry));
            }
        }
        self.tied.clear();
        self.visited.clear();
        self.visited.push(vec![0]);
        self.looks = 0;
    }

    /// Returns the next user by the keys as they are now.
    pub(super) fn next(&mut self, keys: &mut impl SiblingKeys) -> NextUser {
        if let Some(position) = self.tied.pop() {
            return NextUser::At(position as usize);
        }
        self.walk_on(keys).unwrap_or(NextUser::Unknown)
    }

    /// Returns the next user after those that tie. `None` if it is unknown.
    fn walk_on<K: SiblingKeys>(&mut self, keys: &mut K) -> Option<NextUser> {
        let most_looks = self.is_user.len() / LOOKED_AT + FEW_LOOKS;
        while !self.visited.is_empty() {
            let Some(head) = self.head(keys) else {
                self.visited.pop();
                continue;
            };
            if self.looks > most_looks || head.entry.key >= f64::INFINITY.to_bits() {
                return None;
            }
            self.take(head.account);
            let position = head.entry.position;
            if self.is_user[position as usize] {
                return self.tied_users(keys, position);
            }
            match self.tied_accounts(keys, position)? {
                TiedAccounts::Are(accounts) => {
                    self.visited.push(accounts);
                    if let Some(first) = self.head(keys)
                        && keys.may_continue(first.entry.position as usize)
                    {
                        return None;
                    }
                }
                TiedAccounts::Again => {
                    let taken = self.taken.pop()?;
                    let heap = self.heaps.get_mut(&taken.account)?;
                    heap.push(Reverse(taken.entry));
                }
            }
        }
        Some(NextUser::None)
    }

    /// Returns the first of the users that tie with one that was taken, and keeps the others. `None` if unknown.
    fn tied_users(&mut self, keys: &impl SiblingKeys, position: u32) -> Option<NextUser> {
        let bounds = keys.bounds(position as usize);
        // Of exact keys the heap has those at the lower positions first.
        if !bounds.are_apart() {
            return Some(NextUser::At(position as usize));
        }
        self.tied.push(position);
        while let Some(other) = self.head_up_to(keys, bounds.most) {
            let tied = other.entry.position;
            let is_user = self.is_user[tied as usize];
            if !is_user || !keys.are_alike(position as usize, tied as usize) {
                return None;
            }
            self.take(other.account);
            self.tied.push(tied);
        }
        self.tied.sort_unstable_by_key(|&tied| Reverse(tied));
        let first = self.tied.pop()?;
        Some(NextUser::At(first as usize))
    }

    /// Returns the accounts that tie with one that was taken, itself included. `None` if that is unknown.
    fn tied_accounts<K: SiblingKeys>(&mut self, keys: &mut K, one: u32) -> Option<TiedAccounts> {
        let mut tied = vec![one];
        let bounds = keys.bounds(one as usize);
        while let Some(head) = self.head_up_to(keys, bounds.most) {
            if bounds.are_apart() {
                let is_settled = keys.settle(one as usize);
                return is_settled.then_some(TiedAccounts::Again);
            }
            let other = head.entry.position;
            if !K::MERGES || self.is_user[other as usize] {
                return None;
            }
            if !keys.bounds(other as usize).are_apart() {
                self.take(head.account);
                tied.push(other);
            } else if !keys.settle(other as usize) {
                return None;
            }
        }
        Some(TiedAccounts::Are(tied))
    }

    /// Takes the first child from the heap of an account.
    fn take(&mut self, account: u32) {
        if let Some(heap) = self.heaps.get_mut(&account)
            && let Some(Reverse(entry)) = heap.pop()
        {
            self.taken.push(Head { account, entry });
        }
    }

    /// Returns the [head](Self::head), or `None` if its key is above a number.
    fn head_up_to<K: SiblingKeys>(&mut self, keys: &K, most: f64) -> Option<Head> {
        let head = self.head(keys)?;
        (head.entry.key <= most.to_bits()).then_some(head)
    }

    /// Returns the child with the least key in the accounts visited last. `None` if none is left.
    fn head<K: SiblingKeys>(&mut self, keys: &K) -> Option<Head> {
        let accounts = self.visited.last()?;
        let mut least: Option<Head> = None;
        for &account in accounts {
            let heap = self.heaps.entry(account).or_insert_with(|| {
                let mut heap = Vec::new();
                for child in self.order.children(account) {
                    let at = child as usize;
                    if self.is_wanted[at] {
                        heap.push(Reverse(Entry {
                            key: keys.bounds(at).least.to_bits(),
                            is_after: self.is_user[at] != K::MERGES,
                            position: child,
                        }));
                    }
                }
                BinaryHeap::from(heap)
            });
            self.looks += 1;
            while let Some(mut top) = heap.peek_mut() {
                let Reverse(entry) = *top;
                let key = keys.bounds(entry.position as usize).least.to_bits();
                if entry.key >= key {
                    if least.is_none_or(|least| entry < least.entry) {
                        least = Some(Head { account, entry });
                    }
                    break;
                }
                top.0.key = key;
                self.looks += 1;
            }
        }
        least
    }
}
