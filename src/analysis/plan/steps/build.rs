//! Finding the steps.

use super::{Address, DeletionScope, SchedulerRules, Step, Steps};
use crate::analysis::plan::{Note, Omission, OmissionReason};
use crate::model::{Kind, NodeId, Shares, Tree};
use std::collections::{HashMap, HashSet};

/// The steps from one tree to the other: new names, what is new from the top down, moves, shares, usage, and last what
/// goes, from the bottom up.
pub(in crate::analysis::plan) fn steps<'a>(
    before: &'a Tree,
    after: &'a Tree,
    rules: &SchedulerRules,
) -> Steps<'a> {
    let mut builder = StepBuilder::new(before, after, rules);
    builder.rename_users();
    builder.find_partitioned();
    builder.find_leaving();
    builder.refuse_renames();
    builder.add();
    builder.move_accounts();
    builder.set_shares();
    builder.reset_usage();
    builder.delete();
    builder.done
}

pub(super) struct StepBuilder<'a, 'r> {
    pub(super) before: &'a Tree,
    pub(super) after: &'a Tree,
    pub(super) rules: &'r SchedulerRules,
    pub(super) done: Steps<'a>,
    /// The accounts before, by name.
    accounts: HashMap<&'a [u8], NodeId>,
    /// Names that several accounts have.
    pub(super) ambiguous: HashSet<&'a [u8]>,
    /// Account and user of associations with partitions, and so of their namesakes without.
    pub(super) partitioned: HashSet<(&'a [u8], &'a [u8])>,
    /// Users that share their address with another one.
    pub(super) repeated: HashSet<NodeId>,
    /// What goes, by address: a new node of the same address takes its place.
    leaving: HashMap<Address<'a>, NodeId>,
    /// Addresses that keep their node although it was to have another name.
    pub(super) kept: HashSet<Address<'a>>,
    /// What goes and comes again, with the new node.
    revived: HashMap<NodeId, NodeId>,
    /// Nodes after that will not be where they should.
    blocked: HashSet<NodeId>,
    /// Accounts before that must stay, for something below them does.
    held: HashSet<NodeId>,
    /// Whether an account holds accounts, and users.
    holds: HashMap<NodeId, [bool; 2]>,
}

impl<'a, 'r> StepBuilder<'a, 'r> {
    fn new(before: &'a Tree, after: &'a Tree, rules: &'r SchedulerRules) -> Self {
        let mut builder = Self {
            before,
            after,
            rules,
            done: Steps::default(),
            accounts: HashMap::new(),
            ambiguous: HashSet::new(),
            partitioned: HashSet::new(),
            repeated: HashSet::new(),
            leaving: HashMap::new(),
            kept: HashSet::new(),
            revived: HashMap::new(),
            blocked: HashSet::new(),
            held: HashSet::new(),
            holds: HashMap::new(),
        };
        for &node in before.nodes() {
            if before.kind(node) == Kind::Account
                && builder.accounts.insert(before.name(node), node).is_some()
            {
                builder.ambiguous.insert(before.name(node));
            }
        }
        builder.find_repeated();
        builder
    }

    /// Finds the users of whom an account has associations for partitions.
    fn find_partitioned(&mut self) {
        if self.rules.has_partitions {
            for tree in [self.before, self.after] {
                for &node in tree.nodes() {
                    if tree.partition(node).is_some() {
                        let account = self.parent_name(tree, node);
                        self.partitioned.insert((account, self.name(node)));
                    }
                }
            }
        }
    }

    /// Whether the node is in both trees, and the same to the scheduler but for its place.
    pub(super) fn stays(&self, node: NodeId) -> bool {
        self.before.contains(node)
            && self.after.contains(node)
            && self.before.kind(node) == self.after.kind(node)
    }

    /// Whether the node is in both trees under the same address: users go with their account.
    pub(super) fn keeps_address(&self, node: NodeId) -> bool {
        self.stays(node)
            && (self.after.kind(node) == Kind::Account
                || self.parent_name(self.before, node) == self.parent_name(self.after, node))
    }

    /// PBS's group of the unknown is nothing another scheduler has.
    fn is_foreign(&self, node: NodeId) -> bool {
        node == NodeId::ROOT || self.before.unknown() == Some(node)
    }

    fn find_leaving(&mut self) {
        for &node in self.before.nodes() {
            if !self.is_foreign(node) && !self.keeps_address(node) {
                self.leaving.insert(self.address(self.before, node), node);
            }
        }
    }

    /// Refuses a node of the tree after, with what is to stand below it.
    fn block(&mut self, node: NodeId, reason: OmissionReason) {
        self.done.omissions.add(self.after, node, reason);
        self.strand(node);
    }

    /// Leaves out a node of the tree after that will not be where it should.
    fn strand(&mut self, node: NodeId) {
        self.done.omissions.parts.insert(Omission::Place(node));
        if self.before.contains(node) && !self.keeps_address(node) {
            // A user's new association is what the new shares were for.
            let omissions = &mut self.done.omissions.parts;
            omissions.extend([Omission::Shares(node), Omission::Usage(node)]);
        }
        self.blocked.insert(node);
        self.hold(node);
    }

    /// Keeps the accounts above a node that stays where it was.
    fn hold(&mut self, node: NodeId) {
        if !self.before.contains(node) {
            return;
        }
        let mut above = self.before.parent(node);
        while let Some(account) = above
            && self.held.insert(account)
        {
            above = self.before.parent(account);
        }
    }

    /// Whether the account above cannot be made; what stands below shares its fate without a word of its own.
    fn is_below_blocked(&mut self, node: NodeId) -> bool {
        let is_below = self
            .after
            .parent(node)
            .is_some_and(|parent| self.blocked.contains(&parent) && !self.stays(parent));
        if is_below {
            self.strand(node);
        }
        is_below
    }

    fn add(&mut self) {
        let mut made: HashSet<Address<'_>> = HashSet::new();
        let mut users = Vec::new();
        for &node in self.after.nodes() {
            if self.is_foreign(node) || self.keeps_address(node) || self.is_below_blocked(node) {
                continue;
            }
            let at = self.address(self.after, node);
            if let Some(fault) = self.fault_of_new(node, at) {
                self.block(node, fault);
                continue;
            }
            // What keeps its old name may come to where another one has it.
            if !made.insert(at) {
                self.block(node, taken(at.kind()));
                continue;
            }
            if let Some(&old) = self.leaving.get(&at) {
                self.revived.insert(old, node);
                continue;
            }
            let step = Step::Add {
                at,
                parent: self.parent_name(self.after, node),
                shares: self.after.shares(node),
            };
            match at.kind() {
                Kind::Account => self.done.list.push(step),
                Kind::User => users.push(step),
            }
            if self.before.contains(node) && self.after.kind(node) == Kind::User {
                self.done.moved_users.push(node);
            }
        }
        self.done.list.append(&mut users);
    }

    /// Why a node cannot be made.
    fn fault_of_new(&mut self, node: NodeId, at: Address<'a>) -> Option<OmissionReason> {
        // A user that moves is to be deleted where it was.
        let old = self.before.contains(node).then_some(node);
        let fault = self
            .address_fault(at)
            .or_else(|| {
                let shares = self.after.shares(node);
                (self.rules.shares_fault)(at.kind(), shares).map(OmissionReason::Shares)
            })
            .or_else(|| self.namesake_fault(old?))
            .or_else(|| self.address_fault(self.address(self.before, old?)));
        if fault.is_some() {
            return fault;
        }
        let is_taken = match at.kind() {
            Kind::Account => {
                self.accounts.contains_key(at.account) && !self.leaving.contains_key(&at)
            }
            Kind::User => self.kept.contains(&at) || self.is_in_the_way(node),
        };
        if is_taken {
            return Some(taken(at.kind()));
        }
        let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
        (!self.rules.may_mix && self.would_mix(parent, at.kind())).then_some(OmissionReason::Mixed)
    }

    /// Whether a user who was to come under a new name, and keeps the old one, meets somebody who has it there.
    fn is_in_the_way(&self, node: NodeId) -> bool {
        let name = self.name(node);
        let (Some(account), true) = (self.after.parent(node), name != self.after.name(node)) else {
            return false;
        };
        let partition = self.after.partition(node);
        let mut others = self.after.children(account).filter(|&other| other != node);
        others.any(|other| {
            self.name(other) == name
                && self.after.partition(other) == partition
                && self.keeps_address(other)
        })
    }

    /// Whether an account holds, before or after, what is not of this kind.
    fn would_mix(&mut self, account: NodeId, kind: Kind) -> bool {
        let (before, after) = (self.before, self.after);
        let holds = self.holds.entry(account).or_insert_with(|| {
            let mut holds = [false; 2];
            for tree in [before, after] {
                if tree.contains(account) {
                    for child in tree.children(account) {
                        holds[usize::from(tree.kind(child) == Kind::User)] = true;
                    }
                }
            }
            holds
        });
        holds[usize::from(kind == Kind::Account)]
    }

    /// Moves accounts from the top down: whatever stands above has its final place by then.
    fn move_accounts(&mut self) {
        let new_of: HashMap<NodeId, NodeId> =
            self.revived.iter().map(|(&old, &new)| (new, old)).collect();
        for &node in self.after.nodes() {
            if self.is_foreign(node) || self.after.kind(node) != Kind::Account {
                continue;
            }
            let old = match new_of.get(&node) {
                Some(&old) => old,
                None if self.stays(node) => node,
                None => continue,
            };
            let (from, to) = (
                self.parent_name(self.before, old),
                self.parent_name(self.after, node),
            );
            if from == to {
                continue;
            }
            let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
            let at = self.address(self.after, node);
            let fault = self.address_fault(at).or_else(|| {
                let above = self.address(self.after, parent);
                self.address_fault(above)
            });
            if let Some(fault) = fault {
                self.block(node, fault);
            } else if self.blocked.contains(&parent) {
                self.block(node, OmissionReason::StaysBehind);
            } else if !self.rules.may_mix && self.would_mix(parent, Kind::Account) {
                self.block(node, OmissionReason::Mixed);
            } else {
                self.done.list.push(Step::Move {
                    account: at.account,
                    from,
                    to,
                });
            }
        }
    }

    fn set_shares(&mut self) {
        let new_of: HashMap<NodeId, NodeId> =
            self.revived.iter().map(|(&old, &new)| (new, old)).collect();
        for &node in self.after.nodes() {
            if self.is_foreign(node) {
                continue;
            }
            let old = match new_of.get(&node) {
                Some(&old) => old,
                None if self.keeps_address(node) => node,
                None => continue,
            };
            let (from, to) = (self.before.shares(old), self.after.shares(node));
            if from != to {
                self.set(node, from, to);
            }
        }
    }

    fn set(&mut self, node: NodeId, from: Shares, to: Shares) {
        let at = self.address(self.after, node);
        let shares_fault = |shares| (self.rules.shares_fault)(at.kind(), shares);
        let fault = self
            .namesake_fault(node)
            .or_else(|| self.address_fault(at))
            .or_else(|| shares_fault(to).map(OmissionReason::Shares));
        if let Some(fault) = fault {
            self.done
                .omissions
                .leave_out(self.after, node, Omission::Shares, fault);
            return;
        }
        let fault_of_old = shares_fault(from);
        if let Some(fault) = fault_of_old {
            let shares = from;
            let note = Note::SharesOneWay { shares, fault };
            self.done.one_way.add(self.after, node, note);
        }
        self.done.list.push(Step::Shares {
            at,
            from: fault_of_old.is_none().then_some(from),
            to,
        });
    }

    /// Deletes from the bottom up, users first.
    fn delete(&mut self) {
        for kind in [Kind::User, Kind::Account] {
            for &node in self.before.nodes().iter().rev() {
                if self.before.kind(node) != kind
                    || self.is_foreign(node)
                    || self.keeps_address(node)
                    || self.revived.contains_key(&node)
                {
                    continue;
                }
                let at = self.address(self.before, node);
                if self.blocked.contains(&node) {
                    continue;
                }
                if self.held.contains(&node) {
                    let reason = OmissionReason::HoldsWhatStays;
                    self.done
                        .omissions
                        .leave_out(self.before, node, Omission::Place, reason);
                    continue;
                }
                let fault = self.namesake_fault(node).or_else(|| self.address_fault(at));
                if let Some(fault) = fault {
                    self.done
                        .omissions
                        .leave_out(self.before, node, Omission::Place, fault);
                    self.hold(node);
                    continue;
                }
                self.done.list.push(Step::Delete {
                    at,
                    parent: self.parent_name(self.before, node),
                    shares: self.before.shares(node),
                    scope: DeletionScope::Own,
                });
            }
        }
    }
}

/// Why a new node cannot have its name.
const fn taken(kind: Kind) -> OmissionReason {
    match kind {
        Kind::Account => OmissionReason::AccountTaken,
        Kind::User => OmissionReason::UserTaken,
    }
}
