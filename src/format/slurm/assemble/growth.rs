//! The tree under construction: every association becomes a node, and every node gets its parent.

use super::ROOT;
use super::part::{Key, OutputPart, by_age, label};
use crate::base::number::{counted, word_for};
use crate::base::shown::{Shown, sentence};
use crate::format::problem::{Place, Problems};
use crate::format::slurm::rows::some;
use crate::model::{Incomplete, Kind, NameId, NodeId, Recorded, Shares, Tree, TreeBuilder};
use hashbrown::HashMap;

pub(super) struct CombinedTree {
    pub(super) builder: TreeBuilder,
    /// Those of the base output and, with their own files, of the others.
    pub(super) problems: Problems,
    pub(super) recorded: Recorded,
    pub(super) has_root: bool,
}

impl CombinedTree {
    fn warn(&mut self, code: &'static str, message: impl Into<Shown>, advice: &'static str) {
        self.problems.warn(Place::WHOLE, code, message, advice);
    }

    /// Creates the nodes of the base output, with their shares, and finds them in the other outputs.
    pub(super) fn add_nodes(&mut self, parts: &mut [OutputPart], base: usize) {
        let above = self.accounts_above(parts, base);
        let part = &parts[base];
        let by_age = by_age(parts, base);
        self.builder.reserve_nodes(by_age.len());
        let mut nodes = vec![None; part.nodes.len()];
        let mut of_account: Vec<Option<NodeId>> = vec![None; self.builder.names().len()];
        let mut repeated = Vec::new();
        // Older associations get smaller ids.
        for place in by_age {
            let row = &part.rows.rows[place];
            let account = &mut of_account[row.account.index()];
            nodes[place] = match (row.user, *account) {
                (Some(user), _) => Some(self.builder.push_apart(user, Kind::User)),
                (None, Some(_)) => {
                    repeated.push(label(row, self.builder.names()));
                    None
                }
                (None, None) => {
                    let is_top = row.parent.is_none();
                    let is_root = is_top && self.builder.name_bytes(row.account) == ROOT;
                    self.has_root |= is_root;
                    *account = Some(if is_root {
                        NodeId::ROOT
                    } else {
                        self.builder.push_apart(row.account, Kind::Account)
                    });
                    *account
                }
            };
        }
        if !repeated.is_empty() {
            let message = sentence!("{} again; the first row counts", some_are_listed(&repeated));
            let advice = "check whether two outputs were written into one file";
            self.warn("slurm-duplicate-row", message, advice);
        }
        if !self.has_root {
            let incomplete = &mut self.recorded.incomplete;
            incomplete.get_or_insert(Incomplete::WithoutRoot);
            let message = "account root is missing: accounts were filtered, or your site shows you only some; portions \
                           count only the listed ones";
            let advice = "run sshare -a -m -l -P without -A and -u, as an operator";
            self.warn("slurm-no-root", message, advice);
        }
        parts[base].nodes = nodes;
        self.attach(&parts[base], &mut of_account, &above);
        for (node, row) in parts[base].known_rows() {
            if node != NodeId::ROOT {
                let shares = row.shares.unwrap_or(Shares::new(1));
                self.builder.set_shares(node, shares);
                if row.shares.is_none() {
                    self.recorded.without_shares.push(node);
                }
                if let Some(partition) = row.partition {
                    self.builder.set_partition_name(node, partition);
                }
            }
        }
        if parts.len() > 1 {
            self.find_again(parts, base);
        }
    }

    fn attach(&mut self, part: &OutputPart, at: &mut [Option<NodeId>], above: &[Option<NameId>]) {
        let (mut orphans, mut homeless) = (Vec::new(), Vec::new());
        for (node, row) in part.known_rows().filter(|(node, _)| *node != NodeId::ROOT) {
            let of_user = row.user.map(|_| row.account);
            let home = of_user.or_else(|| above[row.account.index()]);
            let known = home.and_then(|home| at[home.index()]);
            let parent = match (known, row.user) {
                (Some(parent), _) => parent,
                (None, Some(_)) => {
                    homeless.push(label(row, self.builder.names()));
                    let node = self.builder.push_apart(row.account, Kind::Account);
                    self.builder.attach(node, NodeId::ROOT);
                    self.builder.set_shares(node, Shares::new(1));
                    at[row.account.index()] = Some(node);
                    self.recorded.orphans.push(node);
                    self.recorded.without_shares.push(node);
                    node
                }
                (None, None) => {
                    orphans.push(label(row, self.builder.names()));
                    self.recorded.orphans.push(node);
                    NodeId::ROOT
                }
            };
            self.builder.attach(node, parent);
        }
        if !orphans.is_empty() && self.recorded.incomplete.is_none() {
            let names = some(&orphans);
            let they = word_for(orphans.len(), "it was", "they were");
            let message = sentence!("the account above {names} is missing; {they} put under root");
            let advice = "give the output of sacctmgr dump or sshare -a --json first, which name the account above";
            self.warn("slurm-orphan", message, advice);
        }
        if !homeless.is_empty() {
            let incomplete = &mut self.recorded.incomplete;
            incomplete.get_or_insert(Incomplete::WithoutAccounts);
            let message = sentence!(
                "the accounts of {} have no row of their own; they were made under root with 1 share",
                some(&homeless)
            );
            let advice = "run sshare -a -m -l -P without -A, -u and -U";
            self.warn("slurm-user-without-account", message, advice);
        }
    }

    /// Returns, by the name of an account, its parent: from an output that names it, or else from the base output.
    /// Accounts that are above themselves are left out and so become orphans.
    fn accounts_above(&mut self, parts: &[OutputPart], base: usize) -> Vec<Option<NameId>> {
        let mut above = vec![None; self.builder.names().len()];
        let exact = parts.iter().filter(|part| part.names_parents());
        for part in exact.chain([&parts[base]]) {
            for (_, row) in part.rows().filter(|(_, row)| row.user.is_none()) {
                let above = &mut above[row.account.index()];
                *above = above.or(row.parent);
            }
        }
        let mut looped = Vec::new();
        let mut is_visited = vec![false; above.len()];
        for &account in &above {
            let mut line: Vec<NameId> = Vec::new();
            let mut here = account;
            while let Some(next) = here.filter(|next| !is_visited[next.index()]) {
                is_visited[next.index()] = true;
                line.push(next);
                here = above[next.index()];
            }
            // The walk has returned to an account on its own line: a loop.
            if here.is_some_and(|next| line.contains(&next)) {
                looped.extend(here);
            }
        }
        for account in &looped {
            above[account.index()] = None;
        }
        if !looped.is_empty() {
            let message = "accounts are above one another in a circle, and one of each circle was put under root";
            let advice = "look at the accounts with sacctmgr show assoc tree";
            let problems = &mut self.problems;
            problems.refuse(Place::WHOLE, "slurm-account-loop", message, advice);
        }
        above
    }

    /// Finds the base output's associations in the others.
    fn find_again(&mut self, parts: &mut [OutputPart], base: usize) {
        let (before, rest) = parts.split_at_mut(base);
        let Some((base, behind)) = rest.split_first_mut() else {
            return;
        };
        let known = base.keys();
        let known = known.filter_map(|(place, key)| Some((key, base.nodes[place]?)));
        let known: HashMap<Key, NodeId> = known.collect();
        let base_file = &base.rows.file;
        let has_partitions = base.has_partitions();
        // What differs from the output that the tree is made of, and in which outputs.
        let mut differing: Vec<(Shown, Vec<Shown>)> = Vec::new();
        for part in before.iter_mut().chain(behind) {
            let same = if part.has_partitions() == has_partitions {
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
            let mut nodes = vec![None; part.nodes.len()];
            for (place, key) in part.keys() {
                nodes[place] = same.get(&place).or_else(|| known.get(&key)).copied();
                if nodes[place].is_none() {
                    unknown.push(label(&part.rows.rows[place], self.builder.names()));
                }
            }
            let found = nodes.iter().flatten().count();
            part.nodes = nodes;
            let missing = known.len().saturating_sub(found);
            if (!unknown.is_empty() || missing > 0) && part.rows.incomplete.is_none() {
                let left_out = (!unknown.is_empty()).then(|| {
                    let are = counted(unknown.len(), "association is", "associations are");
                    let names = some(&unknown);
                    sentence!("{are} not in {base_file} and left out: {names}")
                });
                let lacking = (missing > 0).then(|| {
                    let count = counted(missing, "association", "associations");
                    let are = word_for(missing, "is", "are");
                    sentence!("{count} of {base_file} {are} missing from it")
                });
                let said: Vec<Shown> = [left_out, lacking].into_iter().flatten().collect();
                let message = sentence!("{}", said.join("; "));
                let file = part.rows.file.clone();
                match differing.iter_mut().find(|(other, _)| *other == message) {
                    Some((_, files)) => files.push(file),
                    None => differing.push((message, vec![file])),
                }
            }
        }
        for (message, mut files) in differing {
            let first = files.remove(0);
            let message = match &files[..] {
                [] => message,
                others => sentence!("{message}; the same holds for {}", others.join(", ")),
            };
            let advice =
                "take both outputs at the same time, with -m where associations have partitions";
            let problems = &mut self.problems;
            problems.warn(first, "slurm-outputs-differ", message, advice);
        }
    }

    /// Gives a root that is not in the output the sum of its children, or no node would have a part of the usage.
    pub(super) fn sum_up(&mut self) {
        if self.has_root {
            return;
        }
        let nodes = (1..self.builder.len()).map(NodeId::from_index);
        let top = nodes.filter(|&node| self.builder.parent(node) == Some(NodeId::ROOT));
        let stated = top.filter_map(|node| self.builder.usage(node).amount());
        let stated: Vec<f64> = stated.collect();
        if !stated.is_empty() {
            let total = stated.iter().sum();
            self.builder.record(NodeId::ROOT, total, false);
        }
    }

    /// Notes users with several rows in one account that cannot be distinguished, usually associations with partitions.
    pub(super) fn note_same_users(problems: &mut Problems, part: &OutputPart, tree: &Tree) {
        let again = part.known_rows();
        let again = again.filter(|(node, row)| row.user.is_some() && tree.ordinal(*node).is_some());
        let names: Vec<String> = again.map(|(_, row)| label(row, tree.names())).collect();
        if !names.is_empty() {
            let message = sentence!(
                "{} more than once; each row is an association of its own, probably of one partition",
                some_are_listed(&names)
            );
            let advice = "run sshare with -m to see the partitions";
            problems.note(Place::WHOLE, "slurm-same-user", message, advice);
        }
    }
}

fn some_are_listed(names: &[String]) -> String {
    let verb = word_for(names.len(), "is", "are");
    format!("{} {verb} listed", some(names))
}
