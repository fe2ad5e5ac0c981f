//! What Slurm cannot hold, or a dump has no place for.

use super::spelling::is_quote;
use crate::model::{Fact, NodeId, Recorded, Tree};
use crate::source::format::text::FirstAndCount;
use std::collections::BTreeSet;

/// What Slurm cannot hold.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) broken_names: FirstAndCount,
    pub(super) taken_accounts: FirstAndCount,
    pub(super) taken_users: FirstAndCount,
    pub(super) quotes: FirstAndCount,
    pub(super) upper_case: FirstAndCount,
    pub(super) blanks: FirstAndCount,
    pub(super) wide_shares: FirstAndCount,
    pub(super) crowded_users: FirstAndCount,
    pub(super) partitions: FirstAndCount,
    pub(super) unknown: FirstAndCount,
    pub(super) usage: FirstAndCount,
    pub(super) limits: FirstAndCount,
    pub(super) groups: FirstAndCount,
    pub(super) active: FirstAndCount,
    pub(super) kept_names: FirstAndCount,
    pub(super) open_quotes: FirstAndCount,
    /// Users whose DefaultAccount is one that they are no longer in, as safe text.
    pub(super) stranded: BTreeSet<String>,
}

impl Losses {
    /// Counts a written name that Slurm will change.
    pub(super) fn count_name(&mut self, tree: &Tree, node: NodeId) {
        let name = tree.name(node);
        if name.iter().copied().any(is_quote) {
            self.quotes.add(node);
        }
        if name.iter().any(u8::is_ascii_uppercase) {
            self.upper_case.add(node);
        }
        if name.trim_ascii().len() < name.len() {
            self.blanks.add(node);
        }
    }

    /// Counts nodes with usage.
    pub(super) fn count_usage(&mut self, tree: &Tree) {
        let has_used = |node: NodeId| tree.usage(node).amount().is_some_and(|used| used != 0.0);
        for &node in tree.nodes().iter().filter(|&&node| has_used(node)) {
            self.usage.add(node);
        }
    }

    /// Counts what a dump has no place for.
    pub(super) fn count_facts(&mut self, tree: &Tree, recorded: &Recorded) {
        self.count_usage(tree);
        for &node in tree.nodes() {
            if recorded.text(Fact::GrpTresMins, node).is_some() {
                self.limits.add(node);
            }
            if tree.active(node).is_some() {
                self.active.add(node);
            }
            if tree.group(node) != 0 && node != NodeId::ROOT && Some(node) != tree.unknown() {
                self.groups.add(node);
            }
        }
        if let Some(unknown) = tree.unknown() {
            self.unknown.add(unknown);
        }
    }

    pub(super) fn sentences(&self, tree: &Tree) -> Vec<String> {
        let mut sentences = Vec::new();
        let rows: [(&FirstAndCount, &str); 16] = [
            (
                &self.broken_names,
                "sacctmgr load takes no names that are empty, longer than 255 bytes, or hold = or a line end: {} is left out with all below",
            ),
            (
                &self.taken_accounts,
                "Slurm knows accounts by name alone, without upper case, and the name is taken: {} is left out with all below",
            ),
            (
                &self.taken_users,
                "Slurm has one association of a user, an account and a partition: {} stands twice and is written once",
            ),
            (
                &self.quotes,
                "Slurm keeps no quotes in names and puts ` in their place: {} is written so",
            ),
            (
                &self.upper_case,
                "Slurm makes names lower case when it loads them: that of {} will change",
            ),
            (
                &self.blanks,
                "Slurm drops blanks around names since 26.05: that of {} will change there",
            ),
            (
                &self.wide_shares,
                "Slurm holds shares from 0 to 2147483646: those of {} are written as the nearest it holds",
            ),
            (
                &self.crowded_users,
                "nobody stands below a user of Slurm: {} is written as an account",
            ),
            (
                &self.partitions,
                "accounts of Slurm have no partition: that of {} is left out",
            ),
            (
                &self.unknown,
                "Slurm has no group for users that nobody named: PBS's {} is written as an account like any other",
            ),
            (
                &self.usage,
                "sacctmgr load takes no usage: that of {} is left out",
            ),
            (
                &self.limits,
                "limits are left out, and loading without clean keeps them: GrpTRESMins of {}",
            ),
            (
                &self.groups,
                "PBS's group numbers are left out: those of {}",
            ),
            (
                &self.active,
                "Slurm has no inactive users: whether {} is active is left out",
            ),
            (
                &self.kept_names,
                "sacctmgr load does not take {} for a name: the old one stays",
            ),
            (
                &self.open_quotes,
                "the line of {} opens a quote and does not close it: its edits are left out",
            ),
        ];
        for (tally, sentence) in rows {
            tally.tell(tree, &mut sentences, sentence);
        }
        if !self.stranded.is_empty() {
            let users: Vec<&str> = self.stranded.iter().map(String::as_str).collect();
            sentences.push(format!(
                "the edits take users out of their DefaultAccount, which stays as it is: write another one before the \
                 file is loaded, for {}",
                users.join(", ")
            ));
        }
        sentences
    }
}
