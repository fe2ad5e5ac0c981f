//! Plans for Slurm: `sacctmgr` commands, one for all names that change in the same way.
//!
//! Every command names the account and the cluster. Without them `sacctmgr` changes all associations of a user in all
//! clusters.

mod associations;
mod batch;
mod defaults;
mod fault;

use super::note::{Statement, Statements};
use super::omission::Omissions;
use super::precondition::{Line, Listing, Precondition, state_rows};
use super::steps::{
    Address, Change, DeletionScope, SchedulerRules, Step, Steps, first_harmful, steps, text,
};
use super::{
    Effect, NameFault, NetChanges, Note, Omission, OmissionReason, Plan, PlanInputs, SettingFault,
    SharesFault,
};
use crate::base::shell::{command, is_visible};
use crate::base::shown::{Shown, shown};
use crate::format::slurm::companion::{JobLabel, UsersByName};
use crate::model::{Kind, NodeId, Scheduler, Shares, Snapshot, Tree};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use batch::batches;
use defaults::{arrange, with_detours};
use fault::{deletion_fault, has_seen_faults, may_have_lineages, note_faults};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// The placeholder for an unknown cluster name. No cluster has this name, as cluster names are in lower case.
pub const NO_CLUSTER: &str = "CLUSTER";

/// The command that makes the controller read `slurm.conf` again.
const RECONFIGURE: &str = "scontrol reconfigure";

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

/// What `sacctmgr` can do.
const RULES: SchedulerRules = SchedulerRules {
    scheduler: Scheduler::Slurm,
    name_fault,
    deletion_fault: |_| None,
    shares_fault,
    has_partitions: true,
    may_mix: true,
    can_rename_users: true,
    can_reset_usage: true,
    usage_fault: OmissionReason::CountedBySlurm,
};

/// Returns why `sacctmgr` refuses a name, or reads another one. `None` if it takes the name as it is.
pub(crate) fn name_fault(name: &[u8]) -> Option<NameFault> {
    let Ok(text) = std::str::from_utf8(name) else {
        return Some(NameFault::NotText);
    };
    let fault = if text.is_empty() {
        NameFault::MeansAll
    } else if text.len() > LONGEST_NAME {
        NameFault::TooLong
    } else if !is_visible(text) {
        NameFault::Invisible
    } else if name.iter().any(u8::is_ascii_uppercase) {
        NameFault::Capitals
    } else if text.contains([',', '[']) {
        NameFault::List
    } else if text.contains(['\'', '"']) {
        NameFault::Quotes
    } else if text.starts_with('-') {
        NameFault::Hyphen
    } else if text.trim() != text {
        NameFault::Blanks
    } else {
        return None;
    };
    Some(fault)
}

/// Returns why `sacctmgr` cannot set a number of shares. `None` if it can.
fn shares_fault(_: Kind, shares: Shares) -> Option<SharesFault> {
    match shares.count() {
        Some(Shares::STORED_PARENT) => Some(SharesFault::ParentNumber),
        Some(..0 | Shares::STORED_PARENT..) => Some(SharesFault::OutOfRange),
        _ => None,
    }
}

/// Adds the commands of steps to a list. Steps that change several names in the same way are one command.
fn add_commands(list: &mut Vec<String>, cluster: &str, steps: &[Step<'_>]) {
    for batch in batches(steps) {
        let names = batch.names.join(",");
        list.push(one_command(cluster, batch.step, &names));
    }
}

/// Returns the commands of steps in order, with those for settings before the first harmful one.
fn all_commands(cluster: &str, steps: &[Step<'_>], settings: &[String]) -> Vec<String> {
    let harm = first_harmful(steps);
    let mut commands = Vec::new();
    add_commands(&mut commands, cluster, &steps[..harm]);
    commands.extend_from_slice(settings);
    add_commands(&mut commands, cluster, &steps[harm..]);
    commands
}

/// Returns the command of a step for these names, separated by commas.
fn one_command(cluster: &str, step: Step<'_>, names: &str) -> String {
    let verb = match step.change {
        Change::Add { .. } => "add",
        Change::Delete { .. } => "delete",
        _ => "modify",
    };
    let address = address_words(cluster, step, names);
    let values = value_words(step);
    let mut words = vec!["sacctmgr", "-i", verb, step.at.kind().name()];
    if verb != "add" {
        words.push("where");
    }
    for word in &address {
        words.push(word);
    }
    if verb == "modify" {
        words.push("set");
    }
    for word in &values {
        words.push(word);
    }
    command(words)
}

/// Returns the words that identify names: `name=alice account=physics cluster=gold`, with the partition if needed.
fn address_words(cluster: &str, step: Step<'_>, names: &str) -> Vec<String> {
    let at = step.at;
    let mut words = vec![format!("name={names}")];
    if at.user.is_some() && !at.account.is_empty() {
        words.push(format!("account={}", text(at.account)));
    }
    // A user has one name in all accounts and clusters.
    if !step.is_rename() {
        words.push(format!("cluster={cluster}"));
    }
    if step.deletes(DeletionScope::Whole) {
        return words;
    }
    if let Some(partition) = at.partition {
        words.push(format!("partition={}", text(partition)));
    } else if at.needs_partition && !step.is_addition() {
        // An empty partition selects the association without one.
        words.push("partition=".to_owned());
    }
    words
}

/// Returns the words that state what is new: `parent=physics fairshare=20`. Empty for a deletion.
fn value_words(step: Step<'_>) -> Vec<String> {
    let word = match step.change {
        Change::Add { parent, shares } => {
            let mut words = Vec::new();
            if step.at.user.is_none() {
                words.push(format!("parent={}", text(parent)));
            }
            words.push(format!("fairshare={shares}"));
            return words;
        }
        Change::Delete { .. } => return Vec::new(),
        Change::Move { to, .. } => format!("parent={}", text(to)),
        Change::Shares { to, .. } => format!("fairshare={to}"),
        Change::Reset => "rawusage=0".to_owned(),
        Change::Rename { to } => format!("newname={}", text(to)),
        Change::Default { to, .. } => {
            let account = text(to.unwrap_or_default());
            format!("defaultaccount={account}")
        }
    };
    vec![word]
}

/// Returns the name of the cluster: the given one, otherwise that of the source. `None` if neither is known.
fn cluster_name<'a>(given: &'a PlanInputs, base: &'a Snapshot) -> Option<&'a str> {
    if !given.cluster.is_empty() {
        Some(&given.cluster)
    } else if !base.source.cluster.is_empty() {
        Some(&base.source.cluster)
    } else {
        None
    }
}

/// Drops all steps if the name of the cluster cannot be written, and says so.
fn refuse_cluster(cluster: &str, found: &mut Steps<'_>) {
    let Some(fault) = name_fault(cluster.as_bytes()) else {
        return;
    };
    if found.list.is_empty() {
        return;
    }
    found.list.clear();
    found.moved_users = Statements::default();
    found.one_way = Statements::default();
    let name = shown(cluster.as_bytes());
    let reason = OmissionReason::Cluster { name, fault };
    found.omissions.reasons.add_general(reason);
}

/// Returns the plan that applies a scenario with `sacctmgr`.
pub(super) fn plan(scenario: &Scenario, given: &PlanInputs) -> Plan {
    let mut plan = Plan::new(Scheduler::Slurm);
    let base = scenario.base();
    let mut rules = RULES;
    if has_seen_faults(base) {
        rules.deletion_fault = deletion_fault;
    }
    let mut found = steps(&base.tree, scenario.tree(), &rules);
    let reconfigure = settings(scenario, &mut plan, &mut found.omissions);
    let known_cluster = cluster_name(given, base);
    if let Some(cluster) = known_cluster {
        refuse_cluster(cluster, &mut found);
    }
    let arranged = arrange(found.list, base, &found.renamed);
    let list = arranged.steps;
    let back = rollback(&list, &found.renamed, base);
    let is_touched = !list.is_empty();
    if known_cluster.is_none() && is_touched {
        plan.notes.insert(0, Note::NoCluster.into());
        plan.lacks_cluster = true;
    }
    if base.tree.part().is_some() && is_touched {
        plan.note(Note::Part);
    }
    let cluster = known_cluster.unwrap_or(NO_CLUSTER);
    plan.commands = all_commands(cluster, &list, &reconfigure);
    plan.rollback = all_commands(cluster, &back, &reconfigure);
    plan.notes.extend(found.moved_users.list);
    note_steps(&mut plan, &list, scenario, given);
    if may_have_lineages(base) {
        note_faults(&mut plan, &list, &back, base);
    }
    for note in arranged.notes {
        plan.note(note);
    }
    plan.notes.extend(found.one_way.list);
    if is_touched {
        plan.effective = effects(scenario);
        plan.check = checks(cluster);
    }
    plan.omit(found.omissions);
    plan.precondition = precondition(scenario, &plan, cluster, is_touched);
    plan
}

/// Adds notes on the kinds of steps.
fn note_steps(plan: &mut Plan, steps: &[Step<'_>], scenario: &Scenario, given: &PlanInputs) {
    if steps.iter().any(Step::is_rename) {
        plan.note(Note::RenamedEverywhere);
    }
    if steps.iter().any(Step::is_reset) {
        plan.note(Note::UsageForgotten);
    }
    if steps.iter().any(Step::is_deletion) {
        plan.note(Note::Deletes);
        note_jobs(plan, steps, &scenario.base().tree, &given.jobs);
    }
    let is_depth_oblivious = scenario.policy() == Policy::DepthOblivious;
    if is_depth_oblivious && steps.iter().any(Step::is_addition) {
        plan.note(Note::SettlesLater);
    }
}

/// Returns when the commands take effect: at once, and the numbers at the next calculation.
fn effects(scenario: &Scenario) -> Vec<Effect> {
    let period = scenario.settings().get("PriorityCalcPeriod");
    let later = Effect::AtCalculation {
        period: period.unwrap_or_default(),
        is_assumed: scenario.base().source.lacks_settings,
    };
    vec![Effect::Committed, later]
}

/// Returns the commands that show the result.
fn checks(cluster: &str) -> Vec<String> {
    let associations = command([
        "sacctmgr",
        "-P",
        "show",
        "assoc",
        "tree",
        &format!("cluster={cluster}"),
        "format=Account,User,Partition,Share,ID,ParentName",
    ]);
    let numbers = command(["sshare", "-a", "-l", "-P", "-M", cluster]);
    vec![associations, numbers]
}

/// Returns what must hold before the commands run. A source without partitions does not tell those of its associations.
fn precondition(scenario: &Scenario, plan: &Plan, cluster: &str, is_touched: bool) -> Precondition {
    let mut must_hold = Precondition::default();
    if plan.commands.iter().any(|command| command == RECONFIGURE) {
        must_hold.programs.push("scontrol");
    }
    if !is_touched {
        return must_hold;
    }
    must_hold.programs.push("sacctmgr");
    let tree = &scenario.base().tree;
    let mut nodes = tree.nodes().iter();
    let has_partitions = nodes.any(|&node| tree.partition(node).is_some());
    let columns = if has_partitions {
        "Account,User,Partition,ParentName,Share"
    } else {
        "Account,User,ParentName,Share"
    };
    must_hold.listing = Some(Listing {
        columns,
        command: command([
            "sacctmgr",
            "-n",
            "-P",
            "show",
            "assoc",
            &format!("cluster={cluster}"),
            &format!("format={columns}"),
        ]),
        awk: None,
    });
    must_hold.rows = state_rows(scenario, &plan.omissions, &|tree, node| {
        listed_line(tree, node, has_partitions)
    });
    must_hold
}

/// Returns the line that `sacctmgr` prints of a node. `None` for the root.
fn listed_line(tree: &Tree, node: NodeId, has_partitions: bool) -> Option<Line> {
    let parent = text(tree.name(tree.parent(node)?));
    let name = text(tree.name(node));
    let shares = tree.shares(node);
    let partition = match tree.partition(node) {
        Some(partition) => format!("{}|", text(partition)),
        None if has_partitions => "|".to_owned(),
        None => String::new(),
    };
    let line = match tree.kind(node) {
        Kind::Account => Line {
            key: format!("{name}||{partition}"),
            rest: format!("{parent}|{shares}"),
        },
        Kind::User | Kind::Others => Line {
            key: format!("{parent}|{name}|{partition}"),
            rest: format!("|{shares}"),
        },
    };
    Some(line)
}

/// Returns the steps that undo others, in order. The first ones give users their old names, so the others use those.
fn rollback<'a>(
    steps: &[Step<'a>],
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    snapshot: &'a Snapshot,
) -> Vec<Step<'a>> {
    let mut old_names: HashMap<&[u8], &'a [u8]> = HashMap::new();
    for (&old, &new) in renamed {
        old_names.insert(new, old);
    }
    let mut detours: HashSet<Address<'a>> = HashSet::new();
    for step in steps {
        if step.deletes(DeletionScope::Detour) {
            detours.insert(step.at);
        }
    }
    let mut back = Vec::new();
    let mut others = Vec::new();
    for step in steps.iter().rev() {
        if step.is_addition() && detours.contains(&step.at) {
            continue;
        }
        let Some(mut inverse) = step.inverse() else {
            continue;
        };
        if inverse.is_rename() {
            back.push(inverse);
            continue;
        }
        if let Some(name) = inverse.at.user
            && let Some(&old) = old_names.get(name)
        {
            inverse.at.user = Some(old);
        }
        others.push(inverse);
    }
    back.append(&mut others);
    with_detours(back, snapshot)
}

/// The most jobs that a note names.
const NAMED_JOBS: usize = 5;

/// Adds a note for each association that is deleted and has jobs.
fn note_jobs(plan: &mut Plan, steps: &[Step<'_>], tree: &Tree, jobs: &[JobLabel]) {
    let users = UsersByName::of(tree);
    let mut jobs_of: BTreeMap<NodeId, Vec<Shown>> = BTreeMap::new();
    for job in jobs {
        if let Some(node) = users.association(job) {
            jobs_of.entry(node).or_default().push(job.id.clone());
        }
    }
    let mut deleted: HashSet<Address<'_>> = HashSet::new();
    for step in steps {
        if step.is_deletion() {
            deleted.insert(Address {
                needs_partition: false,
                ..step.at
            });
        }
    }
    for (node, mut jobs) in jobs_of {
        let account = tree.parent(node).unwrap_or(NodeId::ROOT);
        let own = Address {
            partition: tree.partition(node),
            ..Address::of_user(tree.name(node), tree.name(account))
        };
        if deleted.contains(&own) {
            let more = jobs.len().saturating_sub(NAMED_JOBS);
            jobs.truncate(NAMED_JOBS);
            let note = Note::HasJobs { jobs, more };
            plan.notes.push(Statement::about_node(note, tree, node));
        }
    }
}

/// Returns whether the value of a setting is one that Slurm chooses by itself.
fn is_automatic(value: &str) -> bool {
    matches!(value, "auto" | "unknown")
}

/// Adds notes for settings, which an admin changes by hand. Returns the command that applies them, if there are any.
fn settings(scenario: &Scenario, plan: &mut Plan, omissions: &mut Omissions) -> Vec<String> {
    let mut commands = Vec::new();
    for change in NetChanges::of(scenario).settings {
        let key = change.key;
        if key == "TieOrder" {
            omissions.parts.insert(Omission::Setting(key));
            omissions.reasons.add_general(OmissionReason::TieOrder);
            continue;
        }
        if !CONFIGURED.contains(&key) || is_automatic(&change.after) {
            let fault = SettingFault::Unknown("slurm.conf");
            omissions.leave_out_setting(&change, fault);
            continue;
        }
        let is_unset = scenario.base().source.lacks_settings || is_automatic(&change.before);
        let before = if is_unset { None } else { Some(change.before) };
        plan.note(Note::WriteSetting {
            key,
            value: change.after,
            before,
        });
        commands = vec![RECONFIGURE.to_owned()];
    }
    commands
}
