//! Slurm: `sacctmgr` commands, one for all names to which the same is done.
//!
//! Every command names account and cluster: without them `sacctmgr` changes all associations of a user everywhere.

mod batch;
mod defaults;
mod swaps;

use super::changes::{SettingChange, State};
use super::refusals::Refusals;
use super::shell::{command, is_visible, quoted};
use super::steps::{Address, Renames, Rules, Scope, Step, steps};
use super::{Changes, Given, LeftOut, Plan};
use crate::model::{Kind, Scheduler, Shares, Snapshot, Tree};
use crate::scenario::Scenario;
use batch::{Batch, batches};
use defaults::arranged;
use std::collections::HashMap;
use swaps::with_detours;

/// What `sacctmgr` takes for the word `parent`.
const PARENT: i64 = 2_147_483_647;

/// What stands for the cluster's name where nobody told it. No cluster has it: names of clusters are small letters.
pub const NO_CLUSTER: &str = "CLUSTER";

/// The longest name the accounting database keeps.
const LONGEST_NAME: usize = 255;

/// The settings that stand in `slurm.conf` under their own names.
const CONFIGURED: &[&str] = &[
    "PriorityLevels",
    "FairShareDampeningFactor",
    "PriorityDecayHalfLife",
    "PriorityCalcPeriod",
    "PriorityUsageResetPeriod",
    "PriorityWeightFairShare",
];

const RULES: Rules = Rules {
    scheduler: "Slurm",
    account: "account",
    name_fault,
    shares_fault,
    has_partitions: true,
    may_mix: true,
    usage_fault: "Slurm counts usage from its jobs; all that sacctmgr can set it to is 0",
    can_reset_usage: true,
    renames: Renames::Users,
};

/// Why `sacctmgr` would not take a name for what it is; nothing if it would.
#[must_use]
pub fn name_fault(name: &[u8]) -> Option<&'static str> {
    let Ok(text) = std::str::from_utf8(name) else {
        return Some("the name is not UTF-8, and a terminal cannot be trusted to pass it on");
    };
    let holds = |set: &[u8]| name.iter().any(|byte| set.contains(byte));
    if name.is_empty() {
        Some("an empty name means every name to sacctmgr")
    } else if name.len() > LONGEST_NAME {
        Some("the name has more than 255 bytes, and Slurm's database cuts it")
    } else if !is_visible(text) {
        Some("the name holds a character that cannot be seen, and nobody could check the command")
    } else if name.iter().any(u8::is_ascii_uppercase) {
        Some("sacctmgr turns capital letters into small ones and would mean another name")
    } else if holds(b",[") {
        Some("sacctmgr takes a comma or a bracket in a name for a list of names")
    } else if holds(b"'\"") {
        Some("sacctmgr replaces quotes in a name and would mean another one")
    } else if holds(b"=") {
        Some("sacctmgr takes what stands before a = for the name of an option")
    } else if name[0] == b'-' {
        Some("a name that begins with a hyphen is taken for an option")
    } else if text.trim() != text {
        Some("the name begins or ends with a blank, which newer versions of sacctmgr leave out")
    } else {
        None
    }
}

fn shares_fault(_: Kind, shares: Shares) -> Option<&'static str> {
    match shares.count() {
        Some(PARENT) => Some("sacctmgr takes 2147483647 shares for the word parent"),
        Some(count) if !(0..PARENT).contains(&count) => {
            Some("sacctmgr takes whole numbers of shares from 0 to 2147483646, or parent")
        }
        _ => None,
    }
}

/// A name as text; names that are none are refused before.
fn text(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

/// Writes steps for one cluster.
struct Writer<'a> {
    cluster: &'a str,
}

impl Writer<'_> {
    /// The commands of steps: those that do the same to several names are one.
    fn commands<'s>(&self, steps: impl Iterator<Item = Step<'s>>) -> Vec<String> {
        // Some steps have a command only in the other direction.
        let is_silent = |step: &Step<'_>| {
            matches!(
                step,
                Step::Default { to: None, .. }
                    | Step::Delete {
                        scope: Scope::Along,
                        ..
                    }
            )
        };
        let batches = batches(steps.filter(|step| !is_silent(step)));
        let command = |batch: &Batch<'_>| self.command(batch.step, &batch.names.join(","));
        batches.iter().map(command).collect()
    }

    /// The commands of steps in their order, with others before the first one that does harm.
    fn all(&self, steps: &[Step<'_>], settings: Vec<String>) -> Vec<String> {
        let harm = steps.iter().position(|step| step.is_harmful());
        let (begin, end) = steps.split_at(harm.unwrap_or(steps.len()));
        let mut commands = self.commands(begin.iter().copied());
        commands.extend(settings);
        commands.extend(self.commands(end.iter().copied()));
        commands
    }

    /// `name=alice account=physics cluster=gold`, with the partition where it is needed to tell associations apart.
    fn place(&self, at: Address<'_>, names: &str, is_new: bool) -> Vec<String> {
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
            // An empty partition is the association that has none.
            None if at.needs_partition && !is_new => words.push("partition=".to_owned()),
            None => {}
        }
        words
    }

    fn words(&self, step: Step<'_>, names: &str) -> Vec<String> {
        let kind = |at: Address<'_>| match at.kind() {
            Kind::Account => "account".to_owned(),
            Kind::User => "user".to_owned(),
        };
        let verb = |verb: &str| verb.to_owned();
        match step {
            Step::Add { at, parent, shares } => {
                let mut words = vec![verb("add"), kind(at)];
                words.extend(self.place(at, names, true));
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
                // A name is the user's everywhere, so it is of no account and of no cluster.
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
                    partition: at.partition.filter(|_| scope != Scope::Whole),
                    needs_partition: at.needs_partition && scope != Scope::Whole,
                    ..at
                };
                let mut words = vec![verb("delete"), kind(at), verb("where")];
                words.extend(self.place(at, names, false));
                words
            }
        }
    }

    fn modify(&self, at: Address<'_>, names: &str, set: String) -> Vec<String> {
        let what = match at.kind() {
            Kind::Account => "account",
            Kind::User => "user",
        };
        let mut words = ["modify", what, "where"].map(str::to_owned).to_vec();
        words.extend(self.place(at, names, false));
        words.push("set".to_owned());
        words.push(set);
        words
    }

    fn command(&self, step: Step<'_>, names: &str) -> String {
        let words = self.words(step, names);
        let words = ["sacctmgr", "-i"]
            .into_iter()
            .chain(words.iter().map(String::as_str));
        command(words)
    }
}

/// The plan for Slurm.
#[must_use]
pub fn plan(scenario: &Scenario, given: &Given) -> Plan {
    let mut plan = Plan::new(Scheduler::Slurm);
    let (before, after) = (State::before(scenario), State::after(scenario));
    let of_source = &scenario.base().source.cluster;
    let cluster = if given.cluster.is_empty() {
        of_source
    } else {
        &given.cluster
    };
    let changes = Changes::between(before, after);
    let mut found = steps(before.tree, after.tree, &RULES);
    settings(
        &changes.settings,
        scenario.base().source.lacks_settings,
        &mut plan,
        &mut found.cannot,
    );
    let is_unnamed = cluster.is_empty();
    let cluster = if is_unnamed { NO_CLUSTER } else { cluster };
    let fault = (!is_unnamed)
        .then(|| name_fault(cluster.as_bytes()))
        .flatten();
    if let Some(fault) = fault.filter(|_| !found.list.is_empty()) {
        found.list.clear();
        found.moved_users.clear();
        found.one_way = Refusals::default();
        let cluster = crate::base::shown::shown(cluster.as_bytes());
        found.cannot.say(format!("the cluster {cluster}: {fault}"));
    }
    let writer = Writer { cluster };
    let list = std::mem::take(&mut found.list);
    let (list, sentences) = arranged(list, scenario.base(), &found.renamed);
    let back = rolled_back(&list, &found.renamed, scenario.base());
    plan.commands = writer.all(&list, std::mem::take(&mut plan.commands));
    plan.rollback = writer.all(&back, std::mem::take(&mut plan.rollback));
    if is_unnamed && !list.is_empty() {
        plan.notes.insert(0, format!(
            "the source does not name its cluster: write its name in place of {NO_CLUSTER}, or give it with --cluster NAME; without cluster= a command would change every cluster"
        ));
        plan.lacks_cluster = true;
    }
    notes(&mut plan, &list, after.tree, &found.moved_users);
    plan.notes.extend(sentences);
    plan.notes.append(&mut found.one_way.sentences());
    if !list.is_empty() {
        let period = after.settings.get("PriorityCalcPeriod").unwrap_or_default();
        let period = if scenario.base().source.lacks_settings {
            format!("{period} unless slurm.conf says otherwise")
        } else {
            period
        };
        plan.effective = vec![
            "sacctmgr -i commits each command at once, without asking; slurmdbd passes it on to slurmctld".to_owned(),
            format!(
                "FairShare and LevelFS follow at the next calculation, every PriorityCalcPeriod ({period})"
            ),
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
    plan.refuse(found.cannot);
    plan
}

/// The steps that take others back, in their order. Users have their old names from the first one on.
fn rolled_back<'a>(
    steps: &[Step<'a>],
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    snapshot: &'a Snapshot,
) -> Vec<Step<'a>> {
    let old_names: HashMap<&[u8], &'a [u8]> =
        renamed.iter().map(|(&old, &new)| (new, old)).collect();
    let old_name = |name: &'a [u8]| old_names.get(name).copied().unwrap_or(name);
    let is_detour = |at: Address<'a>| {
        steps.iter().any(|step| {
            matches!(step, Step::Delete { at: other, scope: Scope::Detour, .. } if *other == at)
        })
    };
    let lasting = steps
        .iter()
        .filter(|step| !matches!(step, Step::Add { at, .. } if is_detour(*at)));
    let back = lasting.rev().filter_map(|step| step.inverse());
    let (mut renames, others): (Vec<_>, Vec<_>) =
        back.partition(|step| matches!(step, Step::Rename { .. }));
    renames.extend(others.into_iter().map(|step| step.for_user(old_name)));
    with_detours(renames, snapshot)
}

/// What to know before these steps are taken.
fn notes(plan: &mut Plan, steps: &[Step<'_>], tree: &Tree, moved: &[crate::model::NodeId]) {
    let mut users = Refusals::default();
    for &node in moved {
        users.add(
            tree,
            node,
            "a user moves by a new association, which has used nothing; the old account keeps the usage, and limits and QOS of the old association do not go along",
        );
    }
    plan.notes.append(&mut users.sentences());
    if steps.iter().any(|step| matches!(step, Step::Rename { .. })) {
        plan.notes.push(
            "newname gives a user another name in every cluster of the accounting database; the system must know the new name too"
                .to_owned(),
        );
    }
    if steps.iter().any(|step| matches!(step, Step::Reset { .. })) {
        plan.notes.push(
            "rawusage=0 forgets usage for good, at once and only while slurmctld runs; the rollback cannot bring it back"
                .to_owned(),
        );
    }
    if steps.iter().any(|step| matches!(step, Step::Delete { .. })) {
        plan.notes.push(
            "stop at the first command that fails: what deletes comes last, and sacctmgr refuses to delete an association that has running jobs; the rollback brings shares back, not limits, usage, and partitions that the source does not show"
                .to_owned(),
        );
    }
}

/// Settings stand in `slurm.conf`, which is written by hand. What they were is a guess where the source does not tell.
fn settings(changes: &[SettingChange], is_guessed: bool, plan: &mut Plan, cannot: &mut Refusals) {
    let mut is_configured = false;
    for SettingChange { key, before, after } in changes {
        if *key == "TieOrder" {
            cannot.left_out.insert(LeftOut::Setting(key));
            cannot.say("TieOrder is given by the version of Slurm; no setting changes it");
        } else if !CONFIGURED.contains(key) || after == "auto" || after == "unknown" {
            cannot.left_out.insert(LeftOut::Setting(key));
            cannot.say(format!("{key}={after} is nothing that slurm.conf can say"));
        } else {
            is_configured = true;
            let is_unset = is_guessed || before == "auto" || before == "unknown";
            let back = if is_unset {
                format!(
                    "what slurm.conf says now to go back: the source does not tell {key}, so note it down first"
                )
            } else {
                format!("{key}={before} to go back")
            };
            plan.notes.push(format!(
                "write {key}={after} in slurm.conf before scontrol reconfigure, and {back}"
            ));
        }
    }
    if is_configured {
        plan.commands.push("scontrol reconfigure".to_owned());
        plan.rollback.push("scontrol reconfigure".to_owned());
    }
}
