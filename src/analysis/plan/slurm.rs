//! Plans for Slurm: `sacctmgr` commands, one for all names that change in the same way.
//!
//! Every command names the account and the cluster. Without them `sacctmgr` changes all associations of a user in all
//! clusters.

mod associations;
mod batch;
mod defaults;
mod swaps;

use super::changes::{EditState, SettingChange};
use super::omission::Omissions;
use super::statement::{Statement, Statements};
use super::steps::{Address, DeletionScope, RenameSupport, SchedulerRules, Step, steps};
use super::{
    Effect, NameFault, NetChanges, Note, Omission, OmissionReason, Plan, PlanInputs, SettingFault,
    SharesFault,
};
use crate::base::shell::{command, is_visible, quoted};
use crate::model::{Kind, LINEAGE_SINCE, Scheduler, Shares, Snapshot, Tree};
use crate::scenario::Scenario;
use batch::{CommandBatch, batches};
use defaults::{arrange, deleted_address};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;
use swaps::with_detours;

/// The placeholder for an unknown cluster name. No cluster has this name, as cluster names are in lower case.
pub const NO_CLUSTER: &str = "CLUSTER";

/// The longest name that the accounting database stores, in bytes.
const LONGEST_NAME: usize = 255;

/// The settings that `slurm.conf` has under the same names.
const CONFIGURED: &[&str] = &[
    "PriorityLevels",
    "FairShareDampeningFactor",
    "PriorityDecayHalfLife",
    "PriorityCalcPeriod",
    "PriorityUsageResetPeriod",
    "PriorityWeightFairShare",
];

const RULES: SchedulerRules = SchedulerRules {
    name_fault,
    deletion_fault: |_| None,
    shares_fault,
    has_partitions: true,
    may_mix: true,
    can_reset_usage: true,
    renames: RenameSupport::Users,
};

/// Returns why `sacctmgr` would misread a name. `None` if it would not.
pub fn name_fault(name: &[u8]) -> Option<NameFault> {
    let Ok(text) = std::str::from_utf8(name) else {
        return Some(NameFault::NotText);
    };
    let holds = |set: &[u8]| name.iter().any(|byte| set.contains(byte));
    if name.is_empty() {
        Some(NameFault::Empty)
    } else if name.len() > LONGEST_NAME {
        Some(NameFault::TooLong)
    } else if !is_visible(text) {
        Some(NameFault::Invisible)
    } else if name.iter().any(u8::is_ascii_uppercase) {
        Some(NameFault::Capitals)
    } else if holds(b",[") {
        Some(NameFault::List)
    } else if holds(b"'\"") {
        Some(NameFault::Quotes)
    } else if name[0] == b'-' {
        Some(NameFault::Hyphen)
    } else if text.trim() != text {
        Some(NameFault::Blanks)
    } else {
        None
    }
}

/// Returns why Slurm does not delete a name since it has lineages. `None` if it does.
fn deletion_fault(name: &[u8]) -> Option<NameFault> {
    name.contains(&b'\\').then_some(NameFault::Backslash)
}

/// Returns why Slurm does not accept shares. `None` if it does.
fn shares_fault(_: Kind, shares: Shares) -> Option<SharesFault> {
    match shares.count() {
        Some(Shares::STORED_PARENT) => Some(SharesFault::ParentNumber),
        Some(count) if !(0..Shares::STORED_PARENT).contains(&count) => {
            Some(SharesFault::OutOfRange)
        }
        _ => None,
    }
}

/// Returns a name as text. Other names have been refused before.
fn text(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

/// Writes the commands of steps for one cluster.
struct CommandWriter<'a> {
    cluster: &'a str,
}

impl CommandWriter<'_> {
    /// Returns the commands of steps. Steps that change several names in the same way are one command.
    fn commands<'s>(&self, steps: impl Iterator<Item = Step<'s>>) -> Vec<String> {
        // Some steps have a command only in the other direction.
        let is_silent = |step: &Step<'_>| {
            matches!(
                step,
                Step::Default { to: None, .. }
                    | Step::Delete {
                        scope: DeletionScope::Along,
                        ..
                    }
            )
        };
        let batches = batches(steps.filter(|step| !is_silent(step)));
        let command = |batch: &CommandBatch<'_>| self.command(batch.step, &batch.names.join(","));
        batches.iter().map(command).collect()
    }

    /// Returns the commands of steps in order, with those for settings before the first harmful one.
    fn all_commands(&self, steps: &[Step<'_>], settings: Vec<String>) -> Vec<String> {
        let harm = steps.iter().position(|step| step.is_harmful());
        let (begin, end) = steps.split_at(harm.unwrap_or(steps.len()));
        let mut commands = self.commands(begin.iter().copied());
        commands.extend(settings);
        commands.extend(self.commands(end.iter().copied()));
        commands
    }

    /// Returns the words that identify names: `name=alice account=physics cluster=gold`, with the partition if it is
    /// needed to distinguish associations.
    fn address_words(&self, at: Address<'_>, names: &str, is_new: bool) -> Vec<String> {
        let cluster = format!("cluster={}", self.cluster);
        let mut words = vec![format!("name={names}")];
        if at.user.is_none() {
            words.push(cluster);
            return words;
        }
        words.push(format!("account={}", text(at.account)));
        words.push(cluster);
        match at.partition {
            Some(partition) => words.push(format!("partition={}", text(partition))),
            // An empty partition selects the association without one.
            None if at.needs_partition && !is_new => words.push("partition=".to_owned()),
            None => {}
        }
        words
    }

    /// Returns the words of the command of a step, after `sacctmgr -i`.
    fn words(&self, step: Step<'_>, names: &str) -> Vec<String> {
        let kind = |at: Address<'_>| match at.kind() {
            Kind::Account => "account".to_owned(),
            Kind::User => "user".to_owned(),
        };
        let verb = |verb: &str| verb.to_owned();
        match step {
            Step::Add { at, parent, shares } => {
                let mut words = vec![verb("add"), kind(at)];
                words.extend(self.address_words(at, names, true));
                if at.user.is_none() {
                    words.push(format!("parent={}", text(parent)));
                }
                words.push(format!("fairshare={shares}"));
                words
            }
            Step::Move { to, .. } => {
                let cluster = format!("cluster={}", self.cluster);
                let name = format!("name={names}");
                let parent = format!("parent={}", text(to));
                let [modify, account, place, set] = ["modify", "account", "where", "set"].map(verb);
                vec![modify, account, place, name, cluster, set, parent]
            }
            Step::Shares { at, to, .. } => self.modify(at, names, format!("fairshare={to}")),
            Step::Reset { at } => self.modify(at, names, "rawusage=0".to_owned()),
            Step::Rename { to, .. } => {
                // A user has one name in all accounts and clusters.
                let name = format!("name={names}");
                let new = format!("newname={}", text(to));
                let [modify, user, place, set] = ["modify", "user", "where", "set"].map(verb);
                vec![modify, user, place, name, set, new]
            }
            Step::Default { to, .. } => {
                let cluster = format!("cluster={}", self.cluster);
                let name = format!("name={names}");
                let account = format!("defaultaccount={}", text(to.unwrap_or_default()));
                let [modify, user, place, set] = ["modify", "user", "where", "set"].map(verb);
                vec![modify, user, place, name, cluster, set, account]
            }
            Step::Delete { at, scope, .. } => {
                let at = Address {
                    partition: at.partition.filter(|_| scope != DeletionScope::Whole),
                    needs_partition: at.needs_partition && scope != DeletionScope::Whole,
                    ..at
                };
                let mut words = vec![verb("delete"), kind(at), verb("where")];
                words.extend(self.address_words(at, names, false));
                words
            }
        }
    }

    /// Returns the words of a command that modifies associations.
    fn modify(&self, at: Address<'_>, names: &str, set: String) -> Vec<String> {
        let what = match at.kind() {
            Kind::Account => "account",
            Kind::User => "user",
        };
        let mut words = ["modify", what, "where"].map(str::to_owned).to_vec();
        words.extend(self.address_words(at, names, false));
        words.push("set".to_owned());
        words.push(set);
        words
    }

    /// Returns the command of a step for these names, separated by commas.
    fn command(&self, step: Step<'_>, names: &str) -> String {
        let words = self.words(step, names);
        let words = ["sacctmgr", "-i"]
            .into_iter()
            .chain(words.iter().map(String::as_str));
        command(words)
    }
}

/// Returns the plan for Slurm.
pub fn plan(scenario: &Scenario, given: &PlanInputs) -> Plan {
    let mut plan = Plan::new(Scheduler::Slurm);
    let (before, after) = (EditState::before(scenario), EditState::after(scenario));
    let of_source = &scenario.base().source.cluster;
    let cluster = if given.cluster.is_empty() {
        of_source
    } else {
        &given.cluster
    };
    let changes = NetChanges::between(before, after);
    let release = scenario.base().slurm_release();
    let mut rules = RULES;
    if release.is_some_and(|release| release >= LINEAGE_SINCE) {
        rules.deletion_fault = deletion_fault;
    }
    let mut found = steps(before.tree, after.tree, &rules);
    note_settings(
        &changes.settings,
        scenario.base().source.lacks_settings,
        &mut plan,
        &mut found.omissions,
    );
    let is_unnamed = cluster.is_empty();
    let cluster = if is_unnamed { NO_CLUSTER } else { cluster };
    let fault = (!is_unnamed)
        .then(|| name_fault(cluster.as_bytes()))
        .flatten();
    if let Some(fault) = fault.filter(|_| !found.list.is_empty()) {
        found.list.clear();
        found.moved_users.clear();
        found.one_way = Statements::default();
        let name = cluster.to_owned();
        found
            .omissions
            .add_general(OmissionReason::Cluster { name, fault });
    }
    let writer = CommandWriter { cluster };
    let list = std::mem::take(&mut found.list);
    let (list, notes_on_defaults) = arrange(list, scenario.base(), &found.renamed);
    let back = rollback(&list, &found.renamed, scenario.base());
    plan.commands = writer.all_commands(&list, std::mem::take(&mut plan.commands));
    plan.rollback = writer.all_commands(&back, std::mem::take(&mut plan.rollback));
    if is_unnamed && !list.is_empty() {
        plan.notes.insert(0, Note::NoCluster.into());
        plan.lacks_cluster = true;
    }
    notes(&mut plan, &list, after.tree, &found.moved_users);
    if release.is_none_or(|release| release >= LINEAGE_SINCE) {
        note_faults(&mut plan, &list, &back, before.tree);
    }
    let notes_on_defaults = notes_on_defaults.into_iter();
    plan.notes.extend(notes_on_defaults.map(Into::into));
    plan.notes.extend(found.one_way.list());
    if !list.is_empty() {
        plan.effective = vec![
            Effect::Committed,
            Effect::AtCalculation {
                period: after.settings.get("PriorityCalcPeriod").unwrap_or_default(),
                is_assumed: scenario.base().source.lacks_settings,
            },
        ];
        plan.check = vec![
            command([
                "sacctmgr",
                "-P",
                "show",
                "assoc",
                "tree",
                &format!("cluster={cluster}"),
                "format=Account,User,Partition,Share,ID,ParentName",
            ]),
            format!("sshare -a -l -P -M {}", quoted(cluster)),
        ];
    }
    plan.omit(found.omissions);
    plan
}

/// Returns the steps that undo others, in order. The first ones give users their old names, so the others use those.
fn rollback<'a>(
    steps: &[Step<'a>],
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    snapshot: &'a Snapshot,
) -> Vec<Step<'a>> {
    let old_names: HashMap<&[u8], &'a [u8]> =
        renamed.iter().map(|(&old, &new)| (new, old)).collect();
    let old_name = |name: &'a [u8]| old_names.get(name).copied().unwrap_or(name);
    let detour = |step: &Step<'a>| match step {
        Step::Delete { at, scope, .. } => (*scope == DeletionScope::Detour).then_some(*at),
        _ => None,
    };
    let detours: HashSet<Address<'a>> = steps.iter().filter_map(detour).collect();
    let lasting = steps
        .iter()
        .filter(|step| !matches!(step, Step::Add { at, .. } if detours.contains(at)));
    let back = lasting.rev().filter_map(|step| step.inverse());
    let (mut renames, others): (Vec<_>, Vec<_>) =
        back.partition(|step| matches!(step, Step::Rename { .. }));
    renames.extend(others.into_iter().map(|step| step.for_user(old_name)));
    with_detours(renames, snapshot)
}

/// Adds the notes about these steps.
fn notes(plan: &mut Plan, steps: &[Step<'_>], tree: &Tree, moved: &[crate::model::NodeId]) {
    let mut users = Statements::default();
    for &node in moved {
        users.add(tree, node, Note::UserMoves);
    }
    plan.notes.extend(users.list());
    if steps.iter().any(|step| matches!(step, Step::Rename { .. })) {
        plan.note(Note::RenamedEverywhere);
    }
    if steps.iter().any(|step| matches!(step, Step::Reset { .. })) {
        plan.note(Note::UsageForgotten);
    }
    if steps.iter().any(|step| matches!(step, Step::Delete { .. })) {
        plan.note(Note::Deletes);
    }
}

/// Adds notes about the faults that Slurm has since it has lineages, where the steps or their rollback meet them.
fn note_faults<'s>(plan: &mut Plan, steps: &[Step<'s>], back: &[Step<'s>], before: &'s Tree) {
    let mut note = |what, names: BTreeSet<&[u8]>| {
        if !names.is_empty() {
            plan.notes.push(Statement::about_names(what, names));
        }
    };
    let deletions = steps.iter().chain(back).filter_map(deleted_address);
    let deleted = deletions.map(|at| at.name());
    let ignored = deleted.filter(|name| deletion_fault(name).is_some());
    note(Note::IgnoredDeletion, ignored.collect());
    let [moved_later, moved] = moved_with_accounts(steps, before);
    note(Note::LostAtRestart, moved_later);
    note(Note::OmittedInDump, moved);
    let deletions = back.iter().filter_map(deleted_address);
    let mut added: HashSet<_> = deletions.map(|at| (at.kind(), at.name())).collect();
    for &node in before.nodes() {
        added.remove(&(before.kind(node), before.name(node)));
    }
    for kind in [Kind::Account, Kind::User] {
        let added = added.iter().filter(|(other, _)| *other == kind);
        note(
            Note::RecordStays(kind),
            added.map(|&(_, name)| name).collect(),
        );
    }
}

/// Returns the accounts that move with accounts below them: those whose lineage then sorts later, and all of them.
/// Slurm keeps the lineages of what is two levels below.
fn moved_with_accounts<'s>(steps: &[Step<'s>], before: &'s Tree) -> [BTreeSet<&'s [u8]>; 2] {
    let [mut later, mut all] = [BTreeSet::new(), BTreeSet::new()];
    if !steps.iter().any(|step| matches!(step, Step::Move { .. })) {
        return [later, all];
    }
    let mut above: HashMap<&[u8], &[u8]> = HashMap::new();
    let mut below: HashMap<&[u8], usize> = HashMap::new();
    for &node in before.nodes() {
        if let (Kind::Account, Some(parent)) = (before.kind(node), before.parent(node)) {
            above.insert(before.name(node), before.name(parent));
            *below.entry(before.name(parent)).or_default() += 1;
        }
    }
    for step in steps {
        let (account, to) = match *step {
            Step::Add { at, parent, .. } if at.user.is_none() => (at.account, parent),
            Step::Move { account, to, .. } => (account, to),
            _ => continue,
        };
        let old = lineage(&above, account);
        *below.entry(to).or_default() += 1;
        if let Some(from) = above.insert(account, to) {
            *below.entry(from).or_default() -= 1;
            if below.get(account).is_some_and(|&count| count > 0) {
                all.insert(account);
                if lineage(&above, account) > old {
                    later.insert(account);
                }
            }
        }
    }
    [later, all]
}

/// Returns the lineage of an account, `/physics/astro`, as Slurm's database sorts it: regardless of case.
fn lineage(above: &HashMap<&[u8], &[u8]>, account: &[u8]) -> Vec<u8> {
    let parent = |name: &&[u8]| above.get(*name).copied();
    let mut path: Vec<&[u8]> = std::iter::successors(above.get(account).copied(), parent)
        .take(above.len())
        .collect();
    path.reverse();
    path.push(account);
    path.join(&b'/').to_ascii_uppercase()
}

/// Adds notes for settings, which an admin changes in `slurm.conf` by hand. With `is_guessed` the source does not tell
/// the present values.
fn note_settings(
    changes: &[SettingChange],
    is_guessed: bool,
    plan: &mut Plan,
    omissions: &mut Omissions,
) {
    let mut is_configured = false;
    for SettingChange { key, before, after } in changes {
        if *key == "TieOrder" {
            omissions.parts.insert(Omission::Setting(key));
            omissions.add_general(OmissionReason::TieOrder);
        } else if !CONFIGURED.contains(key) || after == "auto" || after == "unknown" {
            omissions.parts.insert(Omission::Setting(key));
            let value = after.clone();
            let fault = SettingFault::Unknown;
            omissions.add_general(OmissionReason::Setting { key, value, fault });
        } else {
            is_configured = true;
            let is_unset = is_guessed || before == "auto" || before == "unknown";
            plan.note(Note::WriteSetting {
                key,
                value: after.clone(),
                before: (!is_unset).then(|| before.clone()),
            });
        }
    }
    if is_configured {
        plan.commands.push("scontrol reconfigure".to_owned());
        plan.rollback.push("scontrol reconfigure".to_owned());
    }
}
