//! Slurm: `sacctmgr` commands, one for all names to which the same is done.
//!
//! Every command names account and cluster: without them `sacctmgr` changes all associations of a user everywhere.

mod batch;

use super::changes::{SettingChange, State};
use super::refusals::Refusals;
use super::shell::{command, is_visible, quoted};
use super::steps::{Address, Rules, Step, steps};
use super::{Changes, Given, LeftOut, Plan};
use crate::model::{Kind, Scheduler, Shares, Tree};
use crate::scenario::Scenario;
use batch::{Batch, batches};

/// What `sacctmgr` takes for the word `parent`.
const PARENT: i64 = 2_147_483_647;

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
        let batches = batches(steps);
        let command = |batch: &Batch<'_>| self.command(batch.step, &batch.names.join(","));
        batches.iter().map(command).collect()
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
            Step::Delete { at, .. } => {
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
    settings(&changes.settings, &mut plan, &mut found.cannot);
    let fault = match cluster.as_str() {
        "" => Some(
            "the source does not name its cluster, and without cluster= a command would change every cluster; give the name with --cluster NAME",
        ),
        cluster => name_fault(cluster.as_bytes()),
    };
    if let Some(fault) = fault.filter(|_| !found.list.is_empty()) {
        found.list.clear();
        found.moved_users.clear();
        found.one_way = Refusals::default();
        let subject = if cluster.is_empty() {
            String::new()
        } else {
            format!("the cluster {}: ", crate::shown::shown(cluster.as_bytes()))
        };
        found.cannot.say(format!("{subject}{fault}"));
    }
    let writer = Writer { cluster };
    let mut commands = writer.commands(found.list.iter().copied());
    let mut rollback = writer.commands(found.list.iter().rev().filter_map(|step| step.inverse()));
    commands.append(&mut plan.commands);
    rollback.append(&mut plan.rollback);
    (plan.commands, plan.rollback) = (commands, rollback);
    notes(&mut plan, &found.list, after.tree, &found.moved_users);
    plan.notes.append(&mut found.one_way.sentences());
    if !found.list.is_empty() {
        let period = after.settings.get("PriorityCalcPeriod").unwrap_or_default();
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

/// What to know before these steps are taken.
fn notes(plan: &mut Plan, steps: &[Step<'_>], tree: &Tree, moved: &[crate::model::NodeId]) {
    let mut users = Refusals::default();
    for &node in moved {
        users.add(
            tree,
            node,
            "a user moves by a new association; usage, limits and QOS of the old one do not go along, and it must not be the user's default account when it is deleted",
        );
    }
    plan.notes.append(&mut users.sentences());
    if steps.iter().any(|step| matches!(step, Step::Reset { .. })) {
        plan.notes.push(
            "rawusage=0 forgets usage for good, at once and only while slurmctld runs; the rollback cannot bring it back"
                .to_owned(),
        );
    }
    if steps.iter().any(|step| matches!(step, Step::Delete { .. })) {
        plan.notes.push(
            "sacctmgr refuses to delete an association that has running jobs or is a user's default; the rollback brings shares back, not limits, usage, and partitions that the source does not show"
                .to_owned(),
        );
    }
}

/// Settings stand in `slurm.conf`, which is written by hand.
fn settings(changes: &[SettingChange], plan: &mut Plan, cannot: &mut Refusals) {
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
            plan.notes.push(format!(
                "write {key}={after} in slurm.conf before the last command, and {key}={before} to go back"
            ));
        }
    }
    if is_configured {
        plan.commands.push("scontrol reconfigure".to_owned());
        plan.rollback.push("scontrol reconfigure".to_owned());
    }
}
