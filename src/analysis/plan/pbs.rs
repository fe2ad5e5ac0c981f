//! Plans for PBS: a new `resource_group`, changed lines of `sched_config`, and usage set with `pbsfs -s`.

mod resource_group;
mod sched_config;

pub use resource_group::{Refusal, resource_group};
pub use sched_config::sched_config;

use super::note::Statements;
use super::omission::Omissions;
use super::{
    Effect, NetChanges, Note, Omission, OmissionReason, Plan, PlanFile, PlanInputs, SettingFault,
    planned_tree,
};
use crate::analysis::diff::SettingChange;
use crate::base::shell::{command, is_visible};
use crate::base::shown::Shown;
use crate::format::pbs::write;
use crate::model::{Kind, NodeId, Scheduler, Settings, Tree};
use crate::rules::policy::pbs::{INITIAL_USAGE, is_recordable};
use crate::scenario::Scenario;
use hashbrown::HashMap;
use resource_group::{NodeFault, RewrittenFile};

/// Goes where the scheduler has its files.
pub(crate) const GO: &str = r#"cd "$(. /etc/pbs.conf && echo "$PBS_HOME")/sched_priv""#;

const RELOAD: &str = r#"kill -HUP "$(pgrep -o -x pbs_sched)""#;

/// Stops and starts scheduling, because a running cycle would overwrite what `pbsfs` writes.
const STOP: &str = "qmgr -c 'set server scheduling = False'";
pub(crate) const START: &str = "qmgr -c 'set server scheduling = True'";

pub(super) fn plan(scenario: &Scenario, given: &PlanInputs) -> Plan {
    let mut plan = Plan::new(Scheduler::Pbs);
    let mut omissions = Omissions::default();
    let tree = tree_file(scenario, given, &mut plan, &mut omissions);
    let changes = NetChanges::up_to(scenario, &tree);
    let formula = settings_file(given, &changes.settings, &mut plan, &mut omissions);
    let before = &scenario.base().tree;
    let usage = new_usage(before, &tree, &changes, &mut plan, &mut omissions);
    for (list, is_back) in [(&mut plan.commands, false), (&mut plan.rollback, true)] {
        if !plan.files.is_empty() {
            list.push(GO.to_owned());
        }
        if !usage.is_empty() {
            list.push(STOP.to_owned());
        }
        for PlanFile { name, .. } in &plan.files {
            if is_back {
                list.push(format!("cp {name}.before {name}"));
            } else {
                // If the commands are run twice, the backup must not be the new file.
                list.push(format!(
                    "cmp -s {name}.new {name} || cp -p {name} {name}.before"
                ));
                list.push(format!("cp {name}.new {name}"));
            }
        }
        if !plan.files.is_empty() {
            list.push(RELOAD.to_owned());
        }
        if let Some(texts) = &formula {
            list.push(qmgr(&texts[usize::from(is_back)]));
        }
        let commands = usage.iter().map(|it| &it[usize::from(is_back)]);
        list.extend(commands.flatten().cloned());
        if !usage.is_empty() {
            list.push(START.to_owned());
        }
    }
    if formula.is_some() {
        plan.note(Note::FormulaOfServer);
        plan.effective.push(Effect::FormulaAtNextCycle);
    }
    notes(&mut plan, &changes, !usage.is_empty());
    let calls = [
        ("pgrep", !plan.files.is_empty()),
        ("qmgr", formula.is_some() || !usage.is_empty()),
        ("pbsfs", !usage.is_empty()),
    ];
    let called = calls.into_iter().filter(|(_, is_called)| *is_called);
    plan.precondition.programs = called.map(|(program, _)| program).collect();
    plan.omit(omissions);
    plan
}

fn qmgr(formula: &str) -> String {
    let directive = if formula.is_empty() {
        "unset sched default job_sort_formula".to_owned()
    } else {
        format!("set sched default job_sort_formula = \"{formula}\"")
    };
    command(["qmgr", "-c", &directive])
}

/// Adds the new `resource_group` to the plan, if the tree needs one. Returns the tree that PBS will have.
fn tree_file(
    scenario: &Scenario,
    given: &PlanInputs,
    plan: &mut Plan,
    omissions: &mut Omissions,
) -> Tree {
    let (before, after) = (&scenario.base().tree, scenario.tree());
    let name = "resource_group";
    let is_own = before.unknown().is_some();
    if is_own && !changes_tree(scenario) {
        return after.clone();
    }
    if let Some(original) = given.resource_group.as_ref().filter(|_| is_own) {
        let (tree, rewritten) = rewritten(scenario, original, omissions);
        if let Some(RewrittenFile { bytes, notes }) = rewritten
            && bytes != *original
        {
            plan.notes.extend(notes.into_iter().map(Into::into));
            let before = Some(original.clone());
            plan.files.push(PlanFile {
                name,
                bytes,
                before,
            });
        }
        return tree;
    }
    let (bytes, losses) = write::resource_group(after);
    for loss in losses {
        let reason = OmissionReason::Lost(loss.clause());
        omissions.reasons.add_general(reason);
    }
    plan.note(Note::WrittenAnew);
    plan.files.push(PlanFile {
        name,
        bytes,
        before: None,
    });
    after.clone()
}

fn changes_tree(scenario: &Scenario) -> bool {
    let changes = NetChanges::of(scenario);
    let unknown = scenario.base().tree.unknown();
    let places = changes.added.iter().chain(&changes.removed);
    let mut others = places.chain(&changes.moved).chain(&changes.renamed);
    // The shares of `unknown` are set in sched_config.
    changes.shares.iter().any(|&node| Some(node) != unknown) || others.next().is_some()
}

/// Returns the tree of a scenario that PBS can store, and its file, if there is one. What PBS cannot store stays as it
/// was, which may conflict with another change, so this is repeated until no more parts are omitted.
fn rewritten(
    scenario: &Scenario,
    original: &[u8],
    omissions: &mut Omissions,
) -> (Tree, Option<RewrittenFile>) {
    let before = &scenario.base().tree;
    let mut tree = scenario.tree().clone();
    loop {
        let faults = match resource_group(original, before, &tree) {
            Ok(rewritten) => return (tree, Some(rewritten)),
            Err(Refusal::Whole(reason)) => {
                omissions.reasons.add_general(reason);
                return (tree, None);
            }
            Err(Refusal::Parts(faults)) => faults,
        };
        let known = omissions.parts.len();
        for NodeFault { node, part, reason } in faults {
            if omissions.parts.insert(part) {
                omissions.reasons.add(scenario.tree(), node, reason);
            }
        }
        if omissions.parts.len() == known {
            omissions.reasons.add_general(OmissionReason::InTheWay);
            return (tree, None);
        }
        tree = planned_tree(scenario, &omissions.parts);
    }
}

/// Adds the new `sched_config`, if a setting needs one. Returns the formula to set and the one to restore, if any.
fn settings_file(
    given: &PlanInputs,
    changes: &[SettingChange],
    plan: &mut Plan,
    omissions: &mut Omissions,
) -> Option<[String; 2]> {
    let mut lines = Vec::new();
    let mut formula = None;
    for change in changes {
        let SettingChange { key, before, after } = change;
        if *key == "job_sort_formula" {
            let is_plain = |text: &&String| is_visible(text) && !text.contains('"');
            if [before, after].iter().all(is_plain) {
                formula = Some([after.clone(), before.clone()]);
                if before.is_empty() && given.sched_config.is_none() {
                    plan.note(Note::FormulaUntold);
                }
            } else {
                omissions.reasons.add_general(OmissionReason::FormulaQuotes);
            }
        } else if Settings::keys_of(Scheduler::Pbs).any(|known| known == *key) {
            lines.push(change.clone());
        } else {
            omissions.leave_out_setting(change, SettingFault::Unknown("PBS"));
        }
    }
    match &given.sched_config {
        _ if lines.is_empty() => {}
        Some(original) => plan.files.push(PlanFile {
            name: "sched_config",
            bytes: sched_config(original, &lines),
            before: Some(original.clone()),
        }),
        None => {
            for SettingChange { key, after, .. } in &lines {
                let line = Shown::again(sched_config::line(key, after));
                let reason = OmissionReason::ConfigUnread(line);
                omissions.reasons.add_general(reason);
            }
        }
    }
    formula
}

fn notes(plan: &mut Plan, changes: &NetChanges, sets_usage: bool) {
    if !plan.files.is_empty() {
        let names = plan.files.iter().map(|file| file.name).collect();
        plan.notes.insert(0, Note::SaveFiles(names).into());
        plan.effective.push(Effect::AtReload);
    }
    if sets_usage {
        plan.note(Note::SetsUsage);
        if !changes.removed.is_empty() || !changes.renamed.is_empty() {
            plan.note(Note::DropsRecords);
        }
        plan.effective.push(Effect::AtNextCycle);
    }
    if !plan.is_empty() {
        plan.check = ["pbsfs -t", "pbsfs -p"].map(str::to_owned).to_vec();
    }
}

/// Returns the command that sets the usage of a name.
fn usage_command(name: &str, amount: f64) -> String {
    let amount = amount.to_string();
    let mut words = vec!["pbsfs", "-s"];
    if name.starts_with('-') {
        words.push("--");
    }
    words.extend([name, &amount]);
    command(words)
}

/// The usage of a name before and after, and the node that has the name.
struct UsageRecord {
    amounts: [f64; 2],
    node: NodeId,
    /// Whether no node has the name any more.
    is_lost: bool,
}

/// Returns the usage that PBS counts for a node. It drops a record of its initial usage.
fn amount(tree: &Tree, node: NodeId) -> f64 {
    tree.usage(node).amount().unwrap_or(INITIAL_USAGE)
}

/// Returns the commands that set usage, each with the one that restores it, if one can. A name without a node has its record dropped, or PBS counts it under `unknown`.
fn new_usage(
    before: &Tree,
    after: &Tree,
    changes: &NetChanges,
    plan: &mut Plan,
    omissions: &mut Omissions,
) -> Vec<[Option<String>; 2]> {
    let is_group =
        |node: &&NodeId| after.kind(**node) == Kind::Account && after.kinds_follow_shape();
    for &node in changes.usage.iter().filter(is_group) {
        omissions.leave_out(after, node, Omission::Usage, OmissionReason::GroupUsage);
    }
    let mut one_way = Statements::default();
    let mut new = Vec::new();
    for (name, record) in records(before, after, changes) {
        let UsageRecord { node, is_lost, .. } = record;
        let [old_amount, new_amount] = record.amounts;
        if old_amount.to_bits() == new_amount.to_bits() {
            continue;
        }
        let text = std::str::from_utf8(name).ok();
        let Some(text) = text.filter(|_| is_recordable(name)) else {
            let tree = if is_lost { before } else { after };
            omissions.leave_out(tree, node, Omission::Usage, OmissionReason::NotRecordable);
            continue;
        };
        let is_made_by_record =
            is_lost && before.parent(node) == before.unknown() && before.group(node) == -1;
        if is_made_by_record {
            one_way.add(before, node, Note::RecordDropped);
        }
        let back = (!is_made_by_record).then(|| usage_command(text, old_amount));
        new.push([Some(usage_command(text, new_amount)), back]);
    }
    plan.notes.extend(one_way.list);
    new
}

/// Returns the names whose usage may have changed, in the order of the trees.
fn records<'a>(old: &'a Tree, new: &'a Tree, changes: &NetChanges) -> Vec<(&'a [u8], UsageRecord)> {
    let mut records: Vec<(&[u8], UsageRecord)> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    if !changes.removed.is_empty() || !changes.renamed.is_empty() {
        let is_lost = |node: NodeId| !new.contains(node) || old.name(node) != new.name(node);
        for node in old.users().filter(|&node| is_lost(node)) {
            places.insert(old.name(node), records.len());
            let record = UsageRecord {
                amounts: [amount(old, node), INITIAL_USAGE],
                node,
                is_lost: true,
            };
            records.push((old.name(node), record));
        }
    }
    let changed = [&changes.usage, &changes.renamed, &changes.added];
    for &node in changed.into_iter().flatten() {
        if new.kind(node) == Kind::Account {
            continue;
        }
        let name = new.name(node);
        let place = *places.entry(name).or_insert(records.len());
        if place == records.len() {
            let is_same = old.contains(node) && old.name(node) == name;
            let old_amount = is_same.then(|| amount(old, node));
            let record = UsageRecord {
                amounts: [old_amount.unwrap_or(INITIAL_USAGE), INITIAL_USAGE],
                node,
                is_lost: false,
            };
            records.push((name, record));
        }
        records[place].1.amounts[1] = amount(new, node);
    }
    records
}
