//! Plans for Slurm: `sacctmgr` commands, one for all names that change in the same way.
//!
//! Every command names the account and the cluster. Without them `sacctmgr` changes all associations of a user in all
//! clusters.

mod associations;
mod batch;
mod defaults;

use super::note::{Statement, Statements};
use super::omission::Omissions;
use super::precondition::{Line, Listing, Precondition, state_rows};
use super::steps::{Address, Change, DeletionScope, SchedulerRules, Step, steps, text};
use super::{
    Effect, NameFault, NetChanges, Note, Omission, OmissionReason, Plan, PlanInputs, SettingFault,
    SharesFault, Tested,
};
use crate::base::shell::{command, is_visible};
use crate::base::shown::{Shown, shown};
use crate::format::slurm::companion::{JobLabel, UsersByName};
use crate::model::{Kind, LINEAGE_SINCE, NodeId, Scheduler, Shares, Snapshot, Tree};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use batch::batches;
use defaults::{arrange, with_detours};
use hashbrown::{HashMap, HashSet};
use std::collections::{BTreeMap, BTreeSet};

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

pub(crate) fn name_fault(name: &[u8]) -> Option<NameFault> {
    let Ok(text) = std::str::from_utf8(name) else {
        return Some(NameFault::NotText);
    };
    let faults = [
        (name.is_empty(), NameFault::MeansAll),
        (name.len() > LONGEST_NAME, NameFault::TooLong),
        (!is_visible(text), NameFault::Invisible),
        (name.iter().any(u8::is_ascii_uppercase), NameFault::Capitals),
        (text.contains([',', '[']), NameFault::List),
        (text.contains(['\'', '"']), NameFault::Quotes),
        (text.starts_with('-'), NameFault::Hyphen),
        (text.trim() != text, NameFault::Blanks),
    ];
    let mut faults = faults.into_iter().filter(|(has_it, _)| *has_it);
    faults.next().map(|(_, fault)| fault)
}

/// The release in which the faults of lineages were seen.
const FAULTS_SEEN: (u32, u32) = (24, 11);

/// Returns whether the faults of lineages were seen in the release of a snapshot.
fn tested(base: &Snapshot) -> Tested {
    match base.slurm_release() {
        Some(FAULTS_SEEN) => Tested::Seen,
        Some(_) => Tested::Untried(shown(base.source.version.as_bytes())),
        None => Tested::Unstated,
    }
}

/// Returns why Slurm 24.11 does not delete a name. `None` if it does.
fn deletion_fault(name: &[u8]) -> Option<NameFault> {
    name.contains(&b'\\').then_some(NameFault::Backslash)
}

fn shares_fault(_: Kind, shares: Shares) -> Option<SharesFault> {
    match shares.count() {
        Some(Shares::STORED_PARENT) => Some(SharesFault::ParentNumber),
        Some(..0 | Shares::STORED_PARENT..) => Some(SharesFault::OutOfRange),
        _ => None,
    }
}

/// Returns the commands of steps. Steps that change several names in the same way are one command.
fn commands(cluster: &str, steps: &[Step<'_>]) -> Vec<String> {
    // Some steps have a command only in the other direction.
    let has_command = |step: &Step<'_>| match step.change {
        Change::Default { to, .. } => to.is_some(),
        Change::Delete { scope, .. } => scope != DeletionScope::Along,
        _ => true,
    };
    let batches = batches(steps.iter().copied().filter(has_command)).into_iter();
    let commands = batches.map(|batch| one_command(cluster, batch.step, &batch.names.join(",")));
    commands.collect()
}

/// Returns the commands of steps in order, with those for settings before the first harmful one.
fn all_commands(cluster: &str, steps: &[Step<'_>], settings: &[String]) -> Vec<String> {
    let harm = steps.iter().position(Step::is_harmful);
    let (begin, end) = steps.split_at(harm.unwrap_or(steps.len()));
    let [begin, end] = [begin, end].map(|steps| commands(cluster, steps));
    [&begin[..], settings, &end[..]].concat()
}

/// Returns the command of a step for these names, separated by commas.
fn one_command(cluster: &str, Step { at, change }: Step<'_>, names: &str) -> String {
    let (verb, new) = match change {
        Change::Add { shares, .. } => ("add", format!("fairshare={shares}")),
        Change::Delete { .. } => ("delete", String::new()),
        Change::Move { to, .. } => ("modify", format!("parent={}", text(to))),
        Change::Shares { to, .. } => ("modify", format!("fairshare={to}")),
        Change::Reset => ("modify", "rawusage=0".to_owned()),
        Change::Rename { to } => ("modify", format!("newname={}", text(to))),
        Change::Default { to, .. } => {
            let account = text(to.unwrap_or_default());
            ("modify", format!("defaultaccount={account}"))
        }
    };
    let mut words = vec!["sacctmgr", "-i", verb, at.kind().name()];
    if verb != "add" {
        words.push("where");
    }
    let address = address_words(cluster, at, change, names);
    words.extend(address.iter().map(String::as_str));
    let parent = match change {
        Change::Add { parent, .. } if at.user.is_none() => format!("parent={}", text(parent)),
        _ => String::new(),
    };
    if verb == "modify" {
        words.push("set");
    }
    words.extend([&parent[..], &new].iter().filter(|word| !word.is_empty()));
    command(words)
}

/// Returns the words that identify names: `name=alice account=physics cluster=gold`, with the partition if needed.
fn address_words(cluster: &str, at: Address<'_>, change: Change<'_>, names: &str) -> Vec<String> {
    let mut words = vec![format!("name={names}")];
    if at.user.is_some() && !at.account.is_empty() {
        words.push(format!("account={}", text(at.account)));
    }
    // A user has one name in all accounts and clusters.
    if !matches!(change, Change::Rename { .. }) {
        words.push(format!("cluster={cluster}"));
    }
    let is_whole = |scope| scope == DeletionScope::Whole;
    match at.partition {
        _ if matches!(change, Change::Delete { scope, .. } if is_whole(scope)) => {}
        Some(partition) => words.push(format!("partition={}", text(partition))),
        // An empty partition selects the association without one.
        None if at.needs_partition && !matches!(change, Change::Add { .. }) => {
            words.push("partition=".to_owned());
        }
        None => {}
    }
    words
}

pub(super) fn plan(scenario: &Scenario, given: &PlanInputs) -> Plan {
    let mut plan = Plan::new(Scheduler::Slurm);
    let base = scenario.base();
    let has_lineages = base.slurm_release().map(|release| release >= LINEAGE_SINCE);
    let mut rules = RULES;
    if base.slurm_release() == Some(FAULTS_SEEN) {
        rules.deletion_fault = deletion_fault;
    }
    let mut found = steps(&base.tree, scenario.tree(), &rules);
    let reconfigure = settings(scenario, &mut plan, &mut found.omissions);
    let mut clusters = [&given.cluster, &base.source.cluster].into_iter();
    let cluster = clusters.find(|name| !name.is_empty());
    let fault = cluster.and_then(|name| Some((name, name_fault(name.as_bytes())?)));
    if let Some((name, fault)) = fault.filter(|_| !found.list.is_empty()) {
        found.list.clear();
        found.moved_users = Statements::default();
        found.one_way = Statements::default();
        let name = shown(name.as_bytes());
        let reasons = &mut found.omissions.reasons;
        reasons.add_general(OmissionReason::Cluster { name, fault });
    }
    let (list, notes_on_defaults) = arrange(found.list, base, &found.renamed);
    let back = rollback(&list, &found.renamed, base);
    if cluster.is_none() && !list.is_empty() {
        plan.notes.insert(0, Note::NoCluster.into());
        plan.lacks_cluster = true;
    }
    if base.tree.part().is_some() && !list.is_empty() {
        plan.note(Note::Part);
    }
    let cluster = cluster.map_or(NO_CLUSTER, String::as_str);
    plan.commands = all_commands(cluster, &list, &reconfigure);
    plan.rollback = all_commands(cluster, &back, &reconfigure);
    plan.notes.extend(found.moved_users.list);
    let has = |is: fn(&Change<'_>) -> bool| list.iter().any(|step| is(&step.change));
    if has(|change| matches!(change, Change::Rename { .. })) {
        plan.note(Note::RenamedEverywhere);
    }
    if has(|change| matches!(change, Change::Reset)) {
        plan.note(Note::UsageForgotten);
    }
    if has(|change| matches!(change, Change::Delete { .. })) {
        plan.note(Note::Deletes);
        note_jobs(&mut plan, &list, &base.tree, &given.jobs);
    }
    let adds = has(|change| matches!(change, Change::Add { .. }));
    if adds && scenario.policy() == Policy::DepthOblivious {
        plan.note(Note::SettlesLater);
    }
    if has_lineages != Some(false) {
        note_faults(&mut plan, &list, &back, base);
    }
    let notes_on_defaults = notes_on_defaults.into_iter();
    plan.notes.extend(notes_on_defaults.map(Into::into));
    plan.notes.extend(found.one_way.list);
    if !list.is_empty() {
        let period = scenario.settings().get("PriorityCalcPeriod");
        let later = Effect::AtCalculation {
            period: period.unwrap_or_default(),
            is_assumed: base.source.lacks_settings,
        };
        plan.effective = vec![Effect::Committed, later];
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
            command(["sshare", "-a", "-l", "-P", "-M", cluster]),
        ];
    }
    let is_touched = !list.is_empty();
    plan.omit(found.omissions);
    plan.precondition = precondition(scenario, &plan, cluster, is_touched);
    plan
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
    let has_partition = |&node: &NodeId| tree.partition(node).is_some();
    let has_partitions = tree.nodes().iter().any(has_partition);
    let columns = if has_partitions {
        "Account,User,Partition,ParentName,Share"
    } else {
        "Account,User,ParentName,Share"
    };
    let words = ["sacctmgr", "-n", "-P", "show", "assoc"];
    let [cluster, format] = [format!("cluster={cluster}"), format!("format={columns}")];
    must_hold.listing = Some(Listing {
        columns,
        command: command(words.into_iter().chain([&cluster[..], &format])),
        awk: None,
    });
    must_hold.rows = state_rows(scenario, &plan.omissions, &|tree, node| {
        let parent = text(tree.name(tree.parent(node)?));
        let (name, shares) = (text(tree.name(node)), tree.shares(node));
        let partition = match tree.partition(node) {
            Some(partition) => format!("{}|", text(partition)),
            None if has_partitions => "|".to_owned(),
            None => String::new(),
        };
        Some(match tree.kind(node) {
            Kind::Account => Line {
                key: format!("{name}||{partition}"),
                rest: format!("{parent}|{shares}"),
            },
            Kind::User | Kind::Others => Line {
                key: format!("{parent}|{name}|{partition}"),
                rest: format!("|{shares}"),
            },
        })
    });
    must_hold
}

/// Returns the steps that undo others, in order. The first ones give users their old names, so the others use those.
fn rollback<'a>(
    steps: &[Step<'a>],
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    snapshot: &'a Snapshot,
) -> Vec<Step<'a>> {
    let former: HashMap<&[u8], &'a [u8]> = renamed.iter().map(|(&old, &new)| (new, old)).collect();
    let detour = |step: &Step<'a>| match step.change {
        Change::Delete { scope, .. } => (scope == DeletionScope::Detour).then_some(step.at),
        _ => None,
    };
    let detours: HashSet<Address<'a>> = steps.iter().filter_map(detour).collect();
    let is_passing =
        |step: &&Step<'a>| matches!(step.change, Change::Add { .. }) && detours.contains(&step.at);
    let back = steps.iter().filter(|step| !is_passing(step)).rev();
    let renames = |step: &Step<'a>| matches!(step.change, Change::Rename { .. });
    let (mut steps, mut rest): (Vec<_>, Vec<_>) = back.filter_map(Step::inverse).partition(renames);
    for step in &mut rest {
        let user = step.at.user;
        step.at.user = user.map(|name| former.get(name).copied().unwrap_or(name));
    }
    steps.append(&mut rest);
    with_detours(steps, snapshot)
}

/// Adds notes about the faults that Slurm 24.11 has, where the steps or their rollback meet them: later versions and those
/// before it that have lineages may have them too.
fn note_faults<'s>(plan: &mut Plan, steps: &[Step<'s>], back: &[Step<'s>], base: &'s Snapshot) {
    let before = &base.tree;
    let mut note = |what, names: &BTreeSet<&[u8]>| {
        if !names.is_empty() {
            plan.notes.push(Statement::about_names(what, names));
        }
    };
    let deletions = steps.iter().chain(back).filter_map(Step::deleted);
    let deleted = deletions.map(|at| at.name());
    let ignored = deleted.filter(|name| deletion_fault(name).is_some());
    note(Note::IgnoredDeletion(tested(base)), &ignored.collect());
    let [moved_later, moved] = moved_with_accounts(steps, before);
    note(Note::LostAtRestart(tested(base)), &moved_later);
    note(Note::OmittedInDump(tested(base)), &moved);
    let deletions = back.iter().filter_map(Step::deleted);
    let mut added: HashSet<_> = deletions.map(|at| (at.kind(), at.name())).collect();
    for &node in before.nodes() {
        added.remove(&(before.kind(node), before.name(node)));
    }
    let accounts = added.iter().filter(|(kind, _)| *kind == Kind::Account);
    note(
        Note::RecordStays,
        &accounts.map(|&(_, name)| name).collect(),
    );
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
    let deleted: HashSet<_> = steps
        .iter()
        .filter_map(Step::deleted)
        .map(|at| (at.account, at.user, at.partition))
        .collect();
    for (node, jobs) in jobs_of {
        let account = tree.parent(node).map(|account| tree.name(account));
        let own = (
            account.unwrap_or_default(),
            Some(tree.name(node)),
            tree.partition(node),
        );
        if deleted.contains(&own) {
            let more = jobs.len().saturating_sub(NAMED_JOBS);
            let jobs = jobs.into_iter().take(NAMED_JOBS).collect();
            let note = Note::HasJobs { jobs, more };
            plan.notes.push(Statement::about_node(note, tree, node));
        }
    }
}

/// Returns the accounts that move with accounts below them: those whose lineage then sorts later, and all of them.
/// Slurm keeps the lineages of what is two levels below.
fn moved_with_accounts<'s>(steps: &[Step<'s>], before: &'s Tree) -> [BTreeSet<&'s [u8]>; 2] {
    let [mut later, mut all] = [BTreeSet::new(), BTreeSet::new()];
    let is_move = |step: &Step<'_>| matches!(step.change, Change::Move { .. });
    if !steps.iter().any(is_move) {
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
        let account = step.at.account;
        let to = match step.change {
            Change::Add { parent, .. } if step.at.user.is_none() => parent,
            Change::Move { to, .. } => to,
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
    let accounts = std::iter::successors(above.get(account).copied(), parent);
    let mut path: Vec<&[u8]> = accounts.take(above.len()).collect();
    path.reverse();
    path.push(account);
    path.join(&b'/').to_ascii_uppercase()
}

/// Adds notes for settings, which an admin changes by hand. Returns the command that applies them, if there are any.
fn settings(scenario: &Scenario, plan: &mut Plan, omissions: &mut Omissions) -> Vec<String> {
    let mut commands = Vec::new();
    let is_automatic = |value: &str| matches!(value, "auto" | "unknown");
    for change in NetChanges::of(scenario).settings {
        let key = change.key;
        if key == "TieOrder" {
            omissions.parts.insert(Omission::Setting(key));
            omissions.reasons.add_general(OmissionReason::TieOrder);
        } else if !CONFIGURED.contains(&key) || is_automatic(&change.after) {
            omissions.leave_out_setting(&change, SettingFault::Unknown("slurm.conf"));
        } else {
            let is_unset = scenario.base().source.lacks_settings || is_automatic(&change.before);
            plan.note(Note::WriteSetting {
                key,
                value: change.after,
                before: (!is_unset).then_some(change.before),
            });
            commands = vec![RECONFIGURE.to_owned()];
        }
    }
    commands
}
