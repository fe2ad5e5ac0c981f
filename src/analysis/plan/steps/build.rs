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

/// What an account contains, before or after.
#[derive(Clone, Copy, Default)]
struct Contents {
    has_accounts: bool,
    has_users: bool,
}

/// The steps so far, and what the others depend on.
pub(super) struct StepBuilder<'a, 'r> {
    pub(super) before: &'a Tree,
    pub(super) after: &'a Tree,
    pub(super) rules: &'r SchedulerRules,
    pub(super) done: Steps<'a>,
    /// The names of the accounts of the tree before.
    accounts: HashSet<&'a [u8]>,
    /// The names of several accounts.
    pub(super) ambiguous: HashSet<&'a [u8]>,
    /// Users with associations for partitions, by the account and without the partition.
    pub(super) partitioned: HashSet<Address<'a>>,
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
    /// What the accounts contain that nodes are put in.
    contents: HashMap<NodeId, Contents>,
}

impl<'a, 'r> StepBuilder<'a, 'r> {
    /// Finds what the names and addresses of the tree before do not tell apart.
    fn new(before: &'a Tree, after: &'a Tree, rules: &'r SchedulerRules) -> Self {
        let mut builder = Self {
            before,
            after,
            rules,
            done: Steps::default(),
            accounts: HashSet::new(),
            ambiguous: HashSet::new(),
            partitioned: HashSet::new(),
            repeated: HashSet::new(),
            leaving: HashMap::new(),
            kept: HashSet::new(),
            revived: HashMap::new(),
            omitted: HashSet::new(),
            kept_accounts: HashSet::new(),
            contents: HashMap::new(),
        };
        for &node in before.nodes() {
            if before.kind(node) != Kind::Account {
                continue;
            }
            let name = before.name(node);
            if !builder.accounts.insert(name) {
                builder.ambiguous.insert(name);
            }
        }
        builder.find_repeated();
        builder
    }

    /// Finds the users that have associations for partitions.
    fn find_partitioned(&mut self) {
        if !self.rules.has_partitions {
            return;
        }
        for tree in [self.before, self.after] {
            for &node in tree.nodes() {
                if tree.partition(node).is_some() {
                    let account = self.parent_name(tree, node);
                    let user = Address::of_user(self.name(node), account);
                    self.partitioned.insert(user);
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

    /// Finds the nodes whose address goes.
    fn find_leaving(&mut self) {
        for &node in self.before.nodes() {
            if !self.is_foreign(node) && !self.keeps_address(node) {
                self.leaving.insert(self.address(self.before, node), node);
            }
        }
    }

    /// Omits a node of the tree after.
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

    /// Keeps the accounts above a node that stays where it was.
    fn keep_accounts_above(&mut self, node: NodeId) {
        if self.before.contains(node) {
            add_above(&mut self.kept_accounts, self.before, node);
        }
    }

    /// Returns whether the account of a node cannot be made. The node is then omitted too, without a reason of its own.
    fn omit_below_omitted(&mut self, node: NodeId) -> bool {
        let Some(parent) = self.after.parent(node) else {
            return false;
        };
        if self.stays(parent) || !self.omitted.contains(&parent) {
            return false;
        }
        self.omit_place(node);
        true
    }

    /// Adds accounts from the top down, then users.
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

    /// Returns why a new node cannot be added at its address. `None` if it can.
    fn fault_of_new(&mut self, node: NodeId, at: Address<'a>) -> Option<OmissionReason> {
        if let Some(fault) = self.address_fault(at) {
            return Some(fault);
        }
        let shares = self.after.shares(node);
        if let Some(fault) = (self.rules.shares_fault)(at.kind(), shares) {
            return Some(fault.into());
        }
        // A user that moves must be deleted at its old place.
        if self.before.contains(node)
            && let Some(fault) = self.deletion_fault(node)
        {
            return Some(fault);
        }
        let is_taken = match at.kind() {
            Kind::Account => self.accounts.contains(at.account) && !self.leaving.contains_key(&at),
            Kind::User | Kind::Others => self.kept.contains(&at) || self.collides(node),
        };
        if is_taken {
            return Some(self.taken(at));
        }
        let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
        self.mixing_fault(parent, at.kind())
    }

    /// Returns the reason that another node has an address.
    fn taken(&self, at: Address<'_>) -> OmissionReason {
        match at.kind() {
            Kind::Account => OmissionReason::AccountTaken(self.rules.scheduler),
            Kind::User | Kind::Others => OmissionReason::UserTaken(self.rules.scheduler),
        }
    }

    /// Returns whether a user whose rename was omitted would collide with a user of the old name in the new account.
    fn collides(&self, node: NodeId) -> bool {
        let name = self.name(node);
        if name == self.after.name(node) {
            return false;
        }
        let Some(account) = self.after.parent(node) else {
            return false;
        };
        let partition = self.after.partition(node);
        for other in self.after.children(account) {
            let is_alike = self.name(other) == name && self.after.partition(other) == partition;
            if other != node && is_alike && self.keeps_address(other) {
                return true;
            }
        }
        false
    }

    /// Returns why a node of a kind cannot be put in an account: it contains nodes of the other kind, before or after.
    fn mixing_fault(&mut self, account: NodeId, kind: Kind) -> Option<OmissionReason> {
        if self.rules.may_mix {
            return None;
        }
        let contents = self.contents(account);
        let would_mix = match kind {
            Kind::Account => contents.has_users,
            Kind::User | Kind::Others => contents.has_accounts,
        };
        if would_mix {
            Some(OmissionReason::Mixed(self.rules.scheduler))
        } else {
            None
        }
    }

    /// Returns what an account contains.
    fn contents(&mut self, account: NodeId) -> Contents {
        if let Some(&contents) = self.contents.get(&account) {
            return contents;
        }
        let mut contents = Contents::default();
        for tree in [self.before, self.after] {
            if !tree.contains(account) {
                continue;
            }
            for child in tree.children(account) {
                if tree.kind(child) == Kind::User {
                    contents.has_users = true;
                } else {
                    contents.has_accounts = true;
                }
            }
        }
        self.contents.insert(account, contents);
        contents
    }

    /// Returns the node of the tree before whose address a node of the tree after has. `None` if the address is new.
    fn former(&self, node: NodeId) -> Option<NodeId> {
        if let Some(&old) = self.revived.get(&node) {
            Some(old)
        } else if self.keeps_address(node) {
            Some(node)
        } else {
            None
        }
    }

    /// Moves accounts from the top down, so that the accounts above are at their final places.
    fn move_accounts(&mut self) {
        for &node in self.after.nodes() {
            if self.is_foreign(node) || self.after.kind(node) != Kind::Account {
                continue;
            }
            let Some(old) = self.former(node) else {
                continue;
            };
            let from = self.parent_name(self.before, old);
            let to = self.parent_name(self.after, node);
            if from == to {
                continue;
            }
            if let Some(fault) = self.move_fault(node) {
                self.omit_node(node, fault);
                continue;
            }
            let at = self.address(self.after, node);
            let change = Change::Move { from, to };
            self.done.list.push(Step { at, change });
        }
    }

    /// Returns why an account cannot be moved to its new parent. `None` if it can.
    fn move_fault(&mut self, node: NodeId) -> Option<OmissionReason> {
        let parent = self.after.parent(node).unwrap_or(NodeId::ROOT);
        for account in [node, parent] {
            let at = self.address(self.after, account);
            if let Some(fault) = self.address_fault(at) {
                return Some(fault);
            }
        }
        if self.omitted.contains(&parent) {
            return Some(OmissionReason::StaysBehind);
        }
        self.mixing_fault(parent, Kind::Account)
    }

    /// Sets the shares of nodes whose address is not new.
    fn set_shares(&mut self) {
        for &node in self.after.nodes() {
            if self.is_foreign(node) {
                continue;
            }
            let Some(old) = self.former(node) else {
                continue;
            };
            let present = self.before.shares(old);
            let to = self.after.shares(node);
            if present == to {
                continue;
            }
            let at = self.address(self.after, node);
            if let Some(fault) = self.fault_of_shares(node, at) {
                let omissions = &mut self.done.omissions;
                omissions.leave_out(self.after, node, Omission::Shares, fault);
                continue;
            }
            let mut from = Some(present);
            if let Some(fault) = (self.rules.shares_fault)(at.kind(), present) {
                let note = Note::SharesOneWay {
                    shares: present,
                    fault,
                };
                self.done.one_way.add(self.after, node, note);
                from = None;
            }
            let change = Change::Shares { from, to };
            self.done.list.push(Step { at, change });
        }
    }

    /// Returns why the new shares of a node cannot be set at an address. `None` if they can.
    fn fault_of_shares(&self, node: NodeId, at: Address<'a>) -> Option<OmissionReason> {
        if let Some(fault) = self.reference_fault(node, at) {
            return Some(fault);
        }
        let shares = self.after.shares(node);
        let fault = (self.rules.shares_fault)(at.kind(), shares)?;
        Some(fault.into())
    }

    /// Deletes from the bottom up, users first.
    fn delete(&mut self) {
        let mut revived = HashSet::new();
        for &node in self.revived.values() {
            revived.insert(node);
        }
        for kind in [Kind::User, Kind::Account] {
            for &node in self.before.nodes().iter().rev() {
                let stays = self.is_foreign(node) || self.keeps_address(node);
                let is_placed = revived.contains(&node) || self.omitted.contains(&node);
                if self.before.kind(node) == kind && !stays && !is_placed {
                    self.delete_node(node);
                }
            }
        }
    }

    /// Deletes a node of the tree before, or omits its deletion.
    fn delete_node(&mut self, node: NodeId) {
        let fault = if self.kept_accounts.contains(&node) {
            Some(OmissionReason::HoldsWhatStays)
        } else {
            self.deletion_fault(node)
        };
        if let Some(fault) = fault {
            let omissions = &mut self.done.omissions;
            omissions.leave_out(self.before, node, Omission::Place, fault);
            self.keep_accounts_above(node);
            return;
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
