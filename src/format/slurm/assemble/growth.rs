//! The tree under construction: every association becomes a node, and every node gets its parent.

use super::ROOT;
use super::part::{self, Key, OutputPart};
use crate::base::number::{counted, word_for};
use crate::base::shown::{Shown, sentence};
use crate::format::{Problem, Problems, Severity};
use crate::model::{Incomplete, Kind, NameId, NodeId, Shares, Tree, TreeBuilder};
use hashbrown::HashMap;
use std::fmt::Write as _;

/// How many associations a message names.
const NAMED: usize = 3;

/// A tree that is built from several outputs.
pub(super) struct CombinedTree {
    pub(super) builder: TreeBuilder,
    pub(super) problems: Problems,
    pub(super) incomplete: Option<Incomplete>,
    /// Whether the output has the root.
    pub(super) has_root: bool,
}

impl CombinedTree {
    /// Creates the nodes of the base output, with their shares, and finds them in the other outputs.
    pub(super) fn add_nodes(&mut self, parts: &mut [OutputPart], base: usize) {
        let above = self.accounts_above(parts, base);
        // Older associations get smaller ids.
        let by_age = part::by_age(parts, base);
        let part = &parts[base];
        let count = part.chosen.len();
        self.builder.reserve_nodes(count);
        let mut nodes = vec![NodeId::ROOT; count];
        let mut of_account: Vec<Option<NodeId>> = vec![None; self.builder.names().len()];
        let mut repeated = Vec::new();
        let mut root = None;
        for place in by_age {
            let row = part.row(place);
            let account = part.name(row.account);
            if row.user.is_none() {
                if let Some(node) = of_account[account.index()] {
                    repeated.push(part.label(row, self.builder.names()));
                    nodes[place] = node;
                    continue;
                }
                let is_top = row.parent.is_none() && self.builder.name_bytes(account) == ROOT;
                let node = if is_top && root.is_none() {
                    root = Some(place);
                    NodeId::ROOT
                } else {
                    self.builder.push_apart(account, Kind::Account)
                };
                of_account[account.index()] = Some(node);
                nodes[place] = node;
            } else if let Some(user) = row.user {
                nodes[place] = self.builder.push_apart(part.name(user), Kind::User);
            }
        }
        self.note_repeated(&part.rows.file, &repeated);
        self.has_root = root.is_some();
        if root.is_none() {
            self.incomplete.get_or_insert(Incomplete::WithoutRoot);
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-no-root",
                &part.rows.file,
                "account root is missing: accounts were filtered, or your site shows you only some; portions count only \
                 the listed ones",
                "run sshare -a -m -l -P without -A and -u, as an operator",
            ));
        }
        self.attach(part, &nodes, &mut of_account, &above);
        for (place, &node) in nodes.iter().enumerate() {
            let row = part.row(place);
            if node != NodeId::ROOT {
                self.builder
                    .set_shares(node, row.shares.unwrap_or(Shares::new(1)));
                if let Some(partition) = row.partition {
                    self.builder.set_partition_name(node, part.name(partition));
                }
            }
        }
        parts[base].nodes = nodes.into_iter().map(Some).collect();
        if parts.len() > 1 {
            self.find_again(parts, base);
        }
    }

    /// Puts every node under its account.
    fn attach(
        &mut self,
        part: &OutputPart,
        nodes: &[NodeId],
        of_account: &mut [Option<NodeId>],
        above: &[Option<NameId>],
    ) {
        let mut is_attached = vec![false; self.builder.len()];
        is_attached[0] = true;
        let (mut orphans, mut homeless) = (Vec::new(), Vec::new());
        for (place, &node) in nodes.iter().enumerate() {
            if is_attached.get(node.index()) == Some(&true) {
                continue;
            }
            let row = part.row(place);
            let account = part.name(row.account);
            let home = if row.user.is_some() {
                Some(account)
            } else {
                above[account.index()]
            };
            let known = home.and_then(|home| of_account[home.index()]);
            let parent = match (known, row.user) {
                (Some(parent), _) => parent,
                (None, Some(_)) => {
                    homeless.push(part.label(row, self.builder.names()));
                    let node = self.builder.push_apart(account, Kind::Account);
                    self.builder.attach(node, NodeId::ROOT);
                    self.builder.set_shares(node, Shares::new(1));
                    of_account[account.index()] = Some(node);
                    node
                }
                (None, None) => {
                    orphans.push(part.label(row, self.builder.names()));
                    NodeId::ROOT
                }
            };
            self.builder.attach(node, parent);
            if let Some(attached) = is_attached.get_mut(node.index()) {
                *attached = true;
            }
        }
        let file = &part.rows.file;
        if !orphans.is_empty() && self.incomplete.is_none() {
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-orphan",
                file,
                sentence!(
                    "the account above {} is missing; {} put under root",
                    some(&orphans),
                    word_for(orphans.len(), "it was", "they were")
                ),
                "give the output of sacctmgr dump or sshare -a --json first, which name the account above",
            ));
        }
        if !homeless.is_empty() {
            self.incomplete.get_or_insert(Incomplete::WithoutAccounts);
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-user-without-account",
                file,
                sentence!(
                    "the accounts of {} have no row of their own; they were made under root with 1 share",
                    some(&homeless)
                ),
                "run sshare -a -m -l -P without -A, -u and -U",
            ));
        }
    }

    /// Returns, by the name of an account, its parent: from an output that names it, or else from the base output.
    /// Accounts that are above themselves are left out and so become orphans.
    fn accounts_above(&mut self, parts: &[OutputPart], base: usize) -> Vec<Option<NameId>> {
        let mut above = vec![None; self.builder.names().len()];
        let exact = parts.iter().filter(|part| part.names_parents());
        let rest = std::iter::once(&parts[base]);
        for part in exact.chain(rest) {
            for row in part.rows().filter(|row| row.user.is_none()) {
                if let Some(parent) = row.parent {
                    let account = part.name(row.account);
                    above[account.index()].get_or_insert_with(|| part.name(parent));
                }
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
            self.problems.push(Problem::about(
                Severity::Error,
                "slurm-account-loop",
                &parts[base].rows.file,
                "accounts are above one another in a circle, and one of each circle was put under root",
                "look at the accounts with sacctmgr show assoc tree",
            ));
        }
        above
    }

    /// Finds the base output's associations in the others.
    fn find_again(&mut self, parts: &mut [OutputPart], base: usize) {
        let keys = parts[base].keys();
        let known: HashMap<Key, NodeId> = keys
            .into_iter()
            .zip(parts[base].nodes.iter().flatten().copied())
            .collect();
        let base_file = parts[base].rows.file.clone();
        let has_partitions = parts[base].has_partitions();
        let is_other = |part: &OutputPart| part.has_partitions() != has_partitions;
        let base_rows = if parts.iter().any(is_other) {
            parts[base].associations()
        } else {
            HashMap::new()
        };
        let mut differing: Vec<(Shown, Vec<Shown>)> = Vec::new();
        for (index, part) in parts.iter_mut().enumerate() {
            if index == base {
                continue;
            }
            let mut unknown = Vec::new();
            let same = if is_other(part) {
                part.nodes_of_same_associations(&base_rows)
            } else {
                HashMap::new()
            };
            for (&place, &node) in &same {
                if let Some(partition) = part.row(place).partition {
                    self.builder.set_partition_name(node, part.name(partition));
                }
            }
            for (place, key) in part.keys().into_iter().enumerate() {
                let node = same.get(&place).or_else(|| known.get(&key)).copied();
                if node.is_none() {
                    unknown.push(part.label(part.row(place), self.builder.names()));
                }
                part.nodes[place] = node;
            }
            let found = part.nodes.iter().flatten().count();
            let missing = known.len().saturating_sub(found);
            if (!unknown.is_empty() || missing > 0) && part.rows.incomplete.is_none() {
                let left_out = (!unknown.is_empty()).then(|| {
                    sentence!(
                        "{} not in {base_file} and left out: {}",
                        counted(unknown.len(), "association is", "associations are"),
                        some(&unknown)
                    )
                });
                let lacking = (missing > 0).then(|| {
                    sentence!(
                        "{} of {base_file} {} missing from it",
                        counted(missing, "association", "associations"),
                        word_for(missing, "is", "are")
                    )
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
        for difference in differing {
            self.problems.push(note_difference(difference));
        }
    }

    /// Gives a root that is not in the output the sum of its children. Without that, no node would have a part of the
    /// usage.
    pub(super) fn sum_up(&mut self) {
        if self.has_root {
            return;
        }
        let nodes = (1..self.builder.len()).map(NodeId::from_index);
        let top = nodes.filter(|&node| self.builder.parent(node) == Some(NodeId::ROOT));
        let stated: Vec<f64> = top
            .filter_map(|node| self.builder.usage(node).amount())
            .collect();
        if !stated.is_empty() {
            let total = stated.iter().sum();
            self.builder.record(NodeId::ROOT, total, false);
        }
    }

    fn note_repeated(&mut self, file: &Shown, repeated: &[String]) {
        if !repeated.is_empty() {
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-duplicate-row",
                file,
                sentence!("{} again; the first row counts", some_are_listed(repeated)),
                "check whether two outputs were written into one file",
            ));
        }
    }

    /// Notes users with several rows in one account that cannot be distinguished, usually associations with partitions.
    pub(super) fn note_same_users(problems: &mut Problems, part: &OutputPart, tree: &Tree) {
        let again = part.nodes.iter().enumerate().filter(|(place, node)| {
            let is_again = node.and_then(|node| tree.ordinal(node)).is_some();
            is_again && part.row(*place).user.is_some()
        });
        let names: Vec<String> = again
            .map(|(place, _)| part.label(part.row(place), tree.names()))
            .collect();
        if !names.is_empty() {
            problems.push(Problem::about(
                Severity::Note,
                "slurm-same-user",
                &part.rows.file,
                sentence!(
                    "{} more than once; each row is an association of its own, probably of one partition",
                    some_are_listed(&names)
                ),
                "run sshare with -m to see the partitions",
            ));
        }
    }
}

fn some_are_listed(names: &[String]) -> String {
    let verb = word_for(names.len(), "is", "are");
    format!("{} {verb} listed", some(names))
}

/// Returns a few names of a list, and how many more there are.
pub(in crate::format::slurm) fn some(names: &[String]) -> String {
    let mut text = names[..names.len().min(NAMED)].join(", ");
    if names.len() > NAMED {
        let _ = write!(text, " and {} more", names.len() - NAMED);
    }
    text
}

/// Returns the problem that outputs differ from the one that the tree is made of: a sentence, and these outputs.
fn note_difference((message, files): (Shown, Vec<Shown>)) -> Problem {
    let message = match &files[1..] {
        [] => message,
        others => sentence!("{message}; the same holds for {}", others.join(", ")),
    };
    Problem::about(
        Severity::Warning,
        "slurm-outputs-differ",
        &files[0],
        message,
        "take both outputs at the same time, with -m where associations have partitions",
    )
}
