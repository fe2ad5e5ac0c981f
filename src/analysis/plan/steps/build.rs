//! Builds the steps from one tree to another.

use super::{Address, DeletionScope, SchedulerRules, Step, Steps};
use crate::analysis::plan::{Note, Omission, OmissionReason};
use crate::model::{Kind, NodeId, Shares, Tree};
use hashbrown::{HashMap, HashSet};

/// Returns the steps from one tree to the other: renames, additions from the top down, moves, shares, usage, and last
/// deletions from the bottom up.
pub(in crate::analysis::plan) fn steps<'a>(
    before: &'a Tree,
    after: &'a Tree,
    rules: &SchedulerRules,
) -> Steps<'a> {
    let mut builder = StepBuilder::new(before, after, rules);
    builder.rename_users();
    builder.find_partitioned();
    builder.find_leaving();
    builder.omit_renames();
    builder.add();
    builder.move_accounts();
    builder.set_shares();
    builder.reset_usage();
    builder.delete();
    builder.done
}

/// Builds steps, and keeps track of what cannot be applied.
pub(super) struct StepBuilder<'a, 'r> {
    pub(super) before: &'a Tree,
    pub(super) after: &'a Tree,
    pub(super) rules: &'r SchedulerRules,
    /// The steps so far.
    pub(super) done: Steps<'a>,
    /// The accounts of the tree before, by name.
    accounts: HashMap<&'a [u8], NodeId>,
    /// The names of several accounts.
    pub(super) ambiguous: HashSet<&'a [u8]>,
    /// The accounts and users with associations for partitions.
    pub(super) partitioned: HashSet<(&'a [u8], &'a [u8])>,
    /// Users that share their address with another one.
    pub(super) repeated: HashSet<NodeId>,
    /// Deleted nodes by address; an added node of the same address replaces one.
    leaving: HashMap<Address<'a>, NodeId>,
    /// Addresses of nodes whose rename was omitted.
    pub(super) kept: HashSet<Address<'a>>,
    /// Deleted nodes that are added again, with the added node.
    revived: HashMap<NodeId, NodeId>,
    /// Nodes of the tree after that will not be at their planned place.
    omitted: HashSet<NodeId>,
    /// Accounts of the tree before that must stay, because something below them does.
    kept_accounts: HashSet<NodeId>,
    /// Whether an account contains accounts, and whether it contains users.
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
            omitted: HashSet::new(),
            kept_accounts: HashSet::new(),
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

    /// Finds the users with associations for partitions.
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

    /// Returns whether a node is in both trees with the same kind.
    pub(super) fn stays(&self, node: NodeId) -> bool {
        self.before.contains(node)
            && self.after.contains(node)
            && self.before.kind(node) == self.after.kind(node)
    }

    /// Returns whether a node has the same address in both trees. The address of a user includes its account.
    pub(super) fn keeps_address(&self, node: NodeId) -> bool {
        self.stays(node)
            && (self.after.kind(node) == Kind::Account
                || self.parent_name(self.before, node) == self.parent_name(self.after, node))
    }

    /// Returns whether a node exists in no plan: the root, and PBS's group `unknown`.
    fn is_foreign(&self, node: NodeId) -> bool {
        node == NodeId::ROOT || self.before.unknown() == Some(node)
    }

    /// Finds the nodes whose address is deleted.
    fn find_leaving(&mut self) {
        for &node in self.before.nodes() {
            if !self.is_foreign(node) && !self.keeps_address(node) {
                self.leaving.insert(self.address(self.before, node), node);
            }
        }
    }

    /// Omits a node of the tree after, for a reason.
    fn omit_node(&mut self, node: NodeId, reason: OmissionReason) {
        self.done.omissions.add(self.after, node, reason);
        self.omit_place(node);
    }

    /// Omits a node of the tree after without a reason of its own.
    fn omit_place(&mut self, node: NodeId) {
        self.done.omissions.parts.insert(Omission::Place(node));
        if self.before.contains(node) && !self.keeps_address(node) {
            // The new shares and usage were meant for the association that is not made.
            let omissions = &mut self.done.omissions.parts;
            omissions.extend([Omission::Shares(node), Omission::Usage(node)]);
        }
        self.omitted.insert(node);
        self.keep_accounts_above(node);
    }

    /// Keeps the accounts above a node that stays where it was.
    fn keep_accounts_above(&mut self, node: NodeId) {
        if !self.before.contains(node) {
            return;
        }
        let mut above = self.before.parent(node);
        while let Some(account) = above
            && self.kept_accounts.insert(account)
        {
            above = self.before.parent(account);
        }
    }

    /// Returns whether the account of a node cannot be made. The node is then omitted too, without a reason of its own.
    fn omit_below_omitted(&mut self, node: NodeId) -> bool {
        let is_below = self
            .after
            .parent(node)
            .is_some_and(|parent| self.omitted.contains(&parent) && !self.stays(parent));
        if is_below {
            self.omit_place(node);
        }
        is_below
    }

    /// Adds the new accounts, then the new users.
    fn add(&mut self) {
        let mut made: HashSet<Address<'_>> = HashSet::new();
        let mut users = Vec::new();
        for &node in self.after.nodes() {
            if self.is_foreign(node) || self.keeps_address(node) || self.omit_below_omitted(node) {
                continue;
            }
            let at = self.address(self.after, node);
            if let Some(fault) = self.fault_of_new(node, at) {
                self.omit_node(node, fault);
                continue;
            }
            // A node whose rename was omitted may collide with another one.
            if !made.insert(at) {
                self.omit_node(node, taken(at.kind()));
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

    /// Returns why a node cannot be added. `None` if it can.
    fn fault_of_new(&mut self, node: NodeId, at: Address<'a>) -> Option<OmissionReason> {
        // A user that moves must be deleted at its old place.
        let old = self.before.contains(node).then_some(node);
        let fault = self
            .address_fault(at)
            .or_else(|| {
                let shares = self.after.shares(node);
                (self.rules.shares_fault)(at.kind(), shares).map(OmissionReason::Shares)
            })
            .or_else(|| self.namesake_fault(old?))
            .or_else(|| self.address_fault(self.address(self.before, old?)))
            .or_else(|| self.deletion_fault(self.address(self.before, old?)));
        if fault.is_some() {
            return fault;
        }
        let is_taken = match at.kind() {
            Kind::Account => {
                self.accounts.contains_key(at.account) && !self.leaving.contains_key(&at)
            }
            Kind::User => self.kept.contains(&at) || self.collides(node),
        };
        if is_taken {
            return Some(taken(at.kind()));
        }
        let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
        (!self.rules.may_mix && self.would_mix(parent, at.kind())).then_some(OmissionReason::Mixed)
    }

    /// Returns whether a user whose rename was omitted would collide with a user of the old name in the new account.
    fn collides(&self, node: NodeId) -> bool {
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

    /// Returns whether an account contains nodes of the other kind, before or after.
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

    /// Moves accounts from the top down, so that the accounts above are at their final places.
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
                self.omit_node(node, fault);
            } else if self.omitted.contains(&parent) {
                self.omit_node(node, OmissionReason::StaysBehind);
            } else if !self.rules.may_mix && self.would_mix(parent, Kind::Account) {
                self.omit_node(node, OmissionReason::Mixed);
            } else {
                self.done.list.push(Step::Move {
                    account: at.account,
                    from,
                    to,
                });
            }
        }
    }

    /// Sets the shares that changed.
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

    /// Sets the shares of a node.
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
                if self.omitted.contains(&node) {
                    continue;
                }
                if self.kept_accounts.contains(&node) {
                    let reason = OmissionReason::HoldsWhatStays;
                    self.done
                        .omissions
                        .leave_out(self.before, node, Omission::Place, reason);
                    continue;
                }
                let fault = self.namesake_fault(node).or_else(|| self.address_fault(at));
                let fault = fault.or_else(|| self.deletion_fault(at));
                if let Some(fault) = fault {
                    self.done
                        .omissions
                        .leave_out(self.before, node, Omission::Place, fault);
                    self.keep_accounts_above(node);
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

/// Returns why an added node cannot have its name.
const fn taken(kind: Kind) -> OmissionReason {
    match kind {
        Kind::Account => OmissionReason::AccountTaken,
        Kind::User => OmissionReason::UserTaken,
    }
}
