//! Builds the steps from one tree to another.

use super::{Address, Change, DeletionScope, SchedulerRules, Step, Steps, add_above};
use crate::analysis::plan::{Note, Omission, OmissionReason};
use crate::model::{Kind, NodeId, Tree};
use hashbrown::{HashMap, HashSet};

/// Returns the steps between trees: renames, additions downwards, moves, shares, usage, and last deletions upwards.
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

pub(super) struct StepBuilder<'a, 'r> {
    pub(super) before: &'a Tree,
    pub(super) after: &'a Tree,
    pub(super) rules: &'r SchedulerRules,
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
    /// Added nodes that take the address of a deleted one, with that node.
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

    fn find_leaving(&mut self) {
        for &node in self.before.nodes() {
            if !self.is_foreign(node) && !self.keeps_address(node) {
                self.leaving.insert(self.address(self.before, node), node);
            }
        }
    }

    fn omit_node(&mut self, node: NodeId, reason: OmissionReason) {
        self.done.omissions.reasons.add(self.after, node, reason);
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

    fn keep_accounts_above(&mut self, node: NodeId) {
        if self.before.contains(node) {
            add_above(&mut self.kept_accounts, self.before, node);
        }
    }

    /// Returns whether the account of a node cannot be made. The node is then omitted too, without a reason of its own.
    fn omit_below_omitted(&mut self, node: NodeId) -> bool {
        let is_out = |parent| self.omitted.contains(&parent) && !self.stays(parent);
        let is_below = self.after.parent(node).is_some_and(is_out);
        if is_below {
            self.omit_place(node);
        }
        is_below
    }

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
                self.omit_node(node, self.taken(at));
                continue;
            }
            if let Some(&old) = self.leaving.get(&at) {
                self.revived.insert(node, old);
                continue;
            }
            let change = Change::Add {
                parent: self.parent_name(self.after, node),
                shares: self.after.shares(node),
            };
            let step = Step { at, change };
            match at.kind() {
                Kind::Account => self.done.list.push(step),
                Kind::User | Kind::Others => users.push(step),
            }
            if self.before.contains(node) && self.after.kind(node) == Kind::User {
                let moved = &mut self.done.moved_users;
                moved.add(self.after, node, Note::UserMoves);
            }
        }
        self.done.list.append(&mut users);
    }

    fn fault_of_new(&mut self, node: NodeId, at: Address<'a>) -> Option<OmissionReason> {
        let shares = self.after.shares(node);
        let fault = self
            .address_fault(at)
            .or_else(|| (self.rules.shares_fault)(at.kind(), shares).map(OmissionReason::Shares));
        // A user that moves must be deleted at its old place.
        let is_old = self.before.contains(node);
        let fault = fault.or_else(|| is_old.then(|| self.deletion_fault(node))?);
        if fault.is_some() {
            return fault;
        }
        let is_taken = match at.kind() {
            Kind::Account => {
                self.accounts.contains_key(at.account) && !self.leaving.contains_key(&at)
            }
            Kind::User | Kind::Others => self.kept.contains(&at) || self.collides(node),
        };
        if is_taken {
            return Some(self.taken(at));
        }
        let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
        self.mixing_fault(parent, at.kind())
    }

    fn taken(&self, at: Address<'_>) -> OmissionReason {
        match at.kind() {
            Kind::Account => OmissionReason::AccountTaken(self.rules.scheduler),
            Kind::User | Kind::Others => OmissionReason::UserTaken(self.rules.scheduler),
        }
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

    /// Returns why a node of a kind cannot be put in an account: it contains nodes of the other kind, before or after.
    fn mixing_fault(&mut self, account: NodeId, kind: Kind) -> Option<OmissionReason> {
        if self.rules.may_mix {
            return None;
        }
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
        let would_mix = holds[usize::from(kind == Kind::Account)];
        would_mix.then_some(OmissionReason::Mixed(self.rules.scheduler))
    }

    /// Moves accounts from the top down, so that the accounts above are at their final places.
    fn move_accounts(&mut self) {
        for &node in self.after.nodes() {
            if self.is_foreign(node) || self.after.kind(node) != Kind::Account {
                continue;
            }
            let revived = self.revived.get(&node).copied();
            let Some(old) = revived.or_else(|| self.stays(node).then_some(node)) else {
                continue;
            };
            let from = self.parent_name(self.before, old);
            let to = self.parent_name(self.after, node);
            if from == to {
                continue;
            }
            let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
            let at = self.address(self.after, node);
            let is_omitted = self.omitted.contains(&parent);
            let fault = self
                .address_fault(at)
                .or_else(|| self.address_fault(self.address(self.after, parent)))
                .or_else(|| is_omitted.then_some(OmissionReason::StaysBehind))
                .or_else(|| self.mixing_fault(parent, Kind::Account));
            if let Some(fault) = fault {
                self.omit_node(node, fault);
            } else {
                let change = Change::Move { from, to };
                self.done.list.push(Step { at, change });
            }
        }
    }

    fn set_shares(&mut self) {
        for &node in self.after.nodes() {
            if self.is_foreign(node) {
                continue;
            }
            let revived = self.revived.get(&node).copied();
            let Some(old) = revived.or_else(|| self.keeps_address(node).then_some(node)) else {
                continue;
            };
            let (from, to) = (self.before.shares(old), self.after.shares(node));
            if from == to {
                continue;
            }
            let at = self.address(self.after, node);
            let shares_fault = |shares| (self.rules.shares_fault)(at.kind(), shares);
            let fault = self.namesake_fault(node).or_else(|| self.address_fault(at));
            let fault = fault.or_else(|| shares_fault(to).map(OmissionReason::Shares));
            if let Some(fault) = fault {
                let omissions = &mut self.done.omissions;
                omissions.leave_out(self.after, node, Omission::Shares, fault);
                continue;
            }
            let fault_of_old = shares_fault(from);
            if let Some(fault) = fault_of_old {
                let shares = from;
                let note = Note::SharesOneWay { shares, fault };
                self.done.one_way.add(self.after, node, note);
            }
            let from = fault_of_old.is_none().then_some(from);
            let change = Change::Shares { from, to };
            self.done.list.push(Step { at, change });
        }
    }

    /// Deletes from the bottom up, users first.
    fn delete(&mut self) {
        let revived: HashSet<NodeId> = self.revived.values().copied().collect();
        for kind in [Kind::User, Kind::Account] {
            for &node in self.before.nodes().iter().rev() {
                if self.before.kind(node) != kind
                    || self.is_foreign(node)
                    || self.keeps_address(node)
                    || revived.contains(&node)
                    || self.omitted.contains(&node)
                {
                    continue;
                }
                let fault = if self.kept_accounts.contains(&node) {
                    Some(OmissionReason::HoldsWhatStays)
                } else {
                    self.deletion_fault(node)
                };
                if let Some(fault) = fault {
                    let omissions = &mut self.done.omissions;
                    omissions.leave_out(self.before, node, Omission::Place, fault);
                    self.keep_accounts_above(node);
                    continue;
                }
                let change = Change::Delete {
                    parent: self.parent_name(self.before, node),
                    shares: self.before.shares(node),
                    scope: DeletionScope::Own,
                };
                let at = self.address(self.before, node);
                self.done.list.push(Step { at, change });
            }
        }
    }
}
