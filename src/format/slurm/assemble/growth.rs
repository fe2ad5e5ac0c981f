//! The tree under construction: every association becomes a node, and every node gets its parent.

use super::ROOT;
use super::part::{Key, OutputPart, by_age, label};
use super::problem::AssembleProblem;
use crate::base::number::{counted, word_for};
use crate::base::shown::{Shown, sentence};
use crate::format::problem::{Place, Problems};
use crate::format::slurm::rows::{Row, some};
use crate::model::{Incomplete, Kind, NameId, NodeId, Recorded, Shares, Tree, TreeBuilder};
use hashbrown::HashMap;

/// The tree of several outputs, as far as it is built.
pub(super) struct CombinedTree {
    /// The nodes.
    pub(super) builder: TreeBuilder,
    /// Those of the base output and, with their own files, of the others.
    pub(super) problems: Problems,
    /// What is known of the nodes beside their shares and usage.
    pub(super) recorded: Recorded,
    /// Whether the base output lists the account root.
    has_root: bool,
    /// By the name of an account: the name of its parent, if an output tells it.
    above: Vec<Option<NameId>>,
    /// By the name of an account: its node.
    accounts: Vec<Option<NodeId>>,
}

/// How an output differs from the one that the tree is made of.
struct Difference {
    /// What is said of the outputs.
    sentence: Shown,
    /// The files of the outputs that differ so.
    files: Vec<Shown>,
}

impl CombinedTree {
    /// Creates a tree without nodes, with problems found so far.
    pub(super) fn new(builder: TreeBuilder, problems: Problems, recorded: Recorded) -> Self {
        let names = builder.names().len();
        Self {
            builder,
            problems,
            recorded,
            has_root: false,
            above: vec![None; names],
            accounts: vec![None; names],
        }
    }

    /// Creates the nodes of the base output, with their shares, and finds them in the other outputs.
    pub(super) fn add_nodes(&mut self, parts: &mut [OutputPart], base: usize) {
        self.find_parents(parts, base);
        parts[base].nodes = self.create_nodes(parts, base);
        self.attach(&parts[base]);
        for (node, row) in parts[base].known_rows() {
            if node != NodeId::ROOT {
                self.set_shares(node, row);
            }
        }
        if parts.len() > 1 {
            self.find_again(parts, base);
        }
    }

    /// Reports a problem of the base output.
    fn report(&mut self, problem: AssembleProblem) {
        self.problems.report(Place::WHOLE, problem);
    }

    /// Returns the name of a row in messages.
    fn label(&self, row: &Row) -> String {
        label(row, self.builder.names())
    }

    /// Creates the nodes of an output, and returns them by row. Older associations get smaller ids.
    fn create_nodes(&mut self, parts: &[OutputPart], base: usize) -> Vec<Option<NodeId>> {
        let rows = &parts[base].rows.rows;
        let by_age = by_age(parts, base);
        self.builder.reserve_nodes(by_age.len());
        let mut nodes = vec![None; rows.len()];
        let mut repeated = Vec::new();
        for place in by_age {
            let row = &rows[place];
            let account = row.account.index();
            if let Some(user) = row.user {
                let node = self.builder.push_apart(user, Kind::User);
                nodes[place] = Some(node);
            } else if self.accounts[account].is_some() {
                repeated.push(self.label(row));
            } else {
                nodes[place] = Some(self.create_account(row));
                self.accounts[account] = nodes[place];
            }
        }
        if !repeated.is_empty() {
            let are_listed = are_listed(&repeated);
            self.report(AssembleProblem::DuplicateRows { are_listed });
        }
        if !self.has_root {
            let incomplete = &mut self.recorded.incomplete;
            incomplete.get_or_insert(Incomplete::WithoutRoot);
            self.report(AssembleProblem::NoRoot);
        }
        nodes
    }

    /// Returns the node of an account that has none yet.
    fn create_account(&mut self, row: &Row) -> NodeId {
        let name = row.account;
        if row.parent.is_none() && self.builder.name_bytes(name) == ROOT {
            self.has_root = true;
            return NodeId::ROOT;
        }
        self.builder.push_apart(name, Kind::Account)
    }

    /// Puts every node under its parent.
    fn attach(&mut self, part: &OutputPart) {
        let mut orphans = Vec::new();
        let mut homeless = Vec::new();
        for (node, row) in part.known_rows() {
            if node == NodeId::ROOT {
                continue;
            }
            let parent = if let Some(parent) = self.known_parent(row) {
                parent
            } else if row.user.is_some() {
                homeless.push(self.label(row));
                self.create_missing_account(row.account)
            } else {
                orphans.push(self.label(row));
                self.recorded.orphans.push(node);
                NodeId::ROOT
            };
            self.builder.attach(node, parent);
        }
        if !orphans.is_empty() && self.recorded.incomplete.is_none() {
            let they_were = word_for(orphans.len(), "it was", "they were");
            let names = some(&orphans);
            self.report(AssembleProblem::Orphans { names, they_were });
        }
        if !homeless.is_empty() {
            let incomplete = &mut self.recorded.incomplete;
            incomplete.get_or_insert(Incomplete::WithoutAccounts);
            let names = some(&homeless);
            self.report(AssembleProblem::UsersWithoutAccount { names });
        }
    }

    /// Returns the node of the account above a row; `None` if it has none yet.
    fn known_parent(&self, row: &Row) -> Option<NodeId> {
        let mut above = Some(row.account);
        if row.user.is_none() {
            above = self.above[row.account.index()];
        }
        let account = above?;
        self.accounts[account.index()]
    }

    /// Creates an account that has users but no row, under the root.
    fn create_missing_account(&mut self, account: NameId) -> NodeId {
        let builder = &mut self.builder;
        let node = builder.push_apart(account, Kind::Account);
        builder.attach(node, NodeId::ROOT);
        builder.set_shares(node, Shares::new(1));
        self.accounts[account.index()] = Some(node);
        self.recorded.orphans.push(node);
        self.recorded.without_shares.push(node);
        node
    }

    /// Sets the shares and the partition of a node.
    fn set_shares(&mut self, node: NodeId, row: &Row) {
        let shares = row.shares.unwrap_or(Shares::new(1));
        self.builder.set_shares(node, shares);
        if row.shares.is_none() {
            self.recorded.without_shares.push(node);
        }
        if let Some(partition) = row.partition {
            self.builder.set_partition_name(node, partition);
        }
    }

    /// Finds the parent of each account: from an output that names it, or else from the base output. Accounts that are
    /// above themselves get none and so become orphans.
    fn find_parents(&mut self, parts: &[OutputPart], base: usize) {
        let exact = parts.iter().filter(|part| part.names_parents());
        for part in exact.chain([&parts[base]]) {
            for (_, row) in part.rows() {
                let above = &mut self.above[row.account.index()];
                if row.user.is_none() && above.is_none() {
                    *above = row.parent;
                }
            }
        }
        let looped = self.accounts_in_loops();
        for account in &looped {
            self.above[account.index()] = None;
        }
        if !looped.is_empty() {
            self.report(AssembleProblem::AccountLoop);
        }
    }

    /// Returns one account of each loop of accounts that are above one another.
    fn accounts_in_loops(&self) -> Vec<NameId> {
        let mut looped = Vec::new();
        let mut is_visited = vec![false; self.above.len()];
        for &account in &self.above {
            let mut line: Vec<NameId> = Vec::new();
            let mut here = account;
            while let Some(next) = here {
                if is_visited[next.index()] {
                    // An account on the own line: the walk has returned to it.
                    if line.contains(&next) {
                        looped.push(next);
                    }
                    break;
                }
                is_visited[next.index()] = true;
                line.push(next);
                here = self.above[next.index()];
            }
        }
        looped
    }

    /// Finds the base output's associations in the others.
    fn find_again(&mut self, parts: &mut [OutputPart], base: usize) {
        let (before, rest) = parts.split_at_mut(base);
        let Some((base, behind)) = rest.split_first_mut() else {
            return;
        };
        let mut known = HashMap::new();
        for (place, key) in base.keys() {
            if let Some(node) = base.nodes[place] {
                known.insert(key, node);
            }
        }
        let mut differences: Vec<Difference> = Vec::new();
        for part in before.iter_mut().chain(behind) {
            let unknown = self.find_nodes(part, base, &known);
            let found = part.nodes.iter().flatten().count();
            let missing = known.len().saturating_sub(found);
            let is_same = unknown.is_empty() && missing == 0;
            if is_same || part.rows.incomplete.is_some() {
                continue;
            }
            let sentence = difference(&unknown, missing, &base.rows.file);
            let file = part.rows.file.clone();
            let mut alike = differences.iter_mut();
            match alike.find(|other| other.sentence == sentence) {
                Some(other) => other.files.push(file),
                None => differences.push(Difference {
                    sentence,
                    files: vec![file],
                }),
            }
        }
        for difference in differences {
            self.report_difference(difference);
        }
    }

    /// Reports how outputs differ from the base output, at the first of them.
    fn report_difference(&mut self, difference: Difference) {
        let others = difference.files[1..].join(", ");
        let file = difference.files[0].clone();
        let difference = difference.sentence;
        let problem = if others.is_empty() {
            AssembleProblem::OutputDiffers { difference }
        } else {
            AssembleProblem::OutputsDifferAlike { difference, others }
        };
        self.problems.report(file, problem);
    }

    /// Finds the nodes of an output's rows. Returns the labels of rows that have none in the tree.
    fn find_nodes(
        &mut self,
        part: &mut OutputPart,
        base: &OutputPart,
        known: &HashMap<Key, NodeId>,
    ) -> Vec<String> {
        let same = if part.has_partitions() == base.has_partitions() {
            HashMap::new()
        } else {
            part.nodes_of_same_associations(base)
        };
        for (&place, &node) in &same {
            if let Some(partition) = part.rows.rows[place].partition {
                self.builder.set_partition_name(node, partition);
            }
        }
        let mut unknown = Vec::new();
        for (place, key) in part.keys() {
            let node = same.get(&place).or_else(|| known.get(&key));
            part.nodes[place] = node.copied();
            if node.is_none() {
                unknown.push(self.label(&part.rows.rows[place]));
            }
        }
        unknown
    }

    /// Gives a root that is not in the output the sum of its children, or no node would have a part of the usage.
    pub(super) fn sum_up(&mut self) {
        if self.has_root {
            return;
        }
        let mut stated: Vec<f64> = Vec::new();
        for index in 1..self.builder.len() {
            let node = NodeId::from_index(index);
            if self.builder.parent(node) == Some(NodeId::ROOT) {
                stated.extend(self.builder.usage(node).amount());
            }
        }
        if !stated.is_empty() {
            let total = stated.iter().sum();
            self.builder.record(NodeId::ROOT, total, false);
        }
    }
}

/// Notes users with several rows in one account that cannot be distinguished, usually associations with partitions.
pub(super) fn note_same_users(problems: &mut Problems, part: &OutputPart, tree: &Tree) {
    let mut names = Vec::new();
    for (node, row) in part.known_rows() {
        if row.user.is_some() && tree.ordinal(node).is_some() {
            let name = label(row, tree.names());
            names.push(name);
        }
    }
    if !names.is_empty() {
        let are_listed = are_listed(&names);
        let problem = AssembleProblem::SameUsers { are_listed };
        problems.report(Place::WHOLE, problem);
    }
}

/// Says which associations an output has that the tree lacks, and how many of the tree's, read from `base`, it lacks.
fn difference(unknown: &[String], missing: usize, base: &Shown) -> Shown {
    let mut differences = Vec::new();
    if !unknown.is_empty() {
        let are = counted(unknown.len(), "association is", "associations are");
        let names = some(unknown);
        differences.push(sentence!("{are} not in {base} and left out: {names}"));
    }
    if missing > 0 {
        let count = counted(missing, "association", "associations");
        let are = word_for(missing, "is", "are");
        differences.push(sentence!("{count} of {base} {are} missing from it"));
    }
    Shown::joined(differences, "; ")
}

/// Says that names are listed, where more is said of them.
fn are_listed(names: &[String]) -> String {
    let are = word_for(names.len(), "is", "are");
    format!("{} {are} listed", some(names))
}
