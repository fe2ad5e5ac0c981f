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
use resource_group::RewrittenFile;

/// Goes where the scheduler has its files.
pub(crate) const GO: &str = r#"cd "$(. /etc/pbs.conf && echo "$PBS_HOME")/sched_priv""#;

/// Makes the scheduler read its files again.
const RELOAD: &str = r#"kill -HUP "$(pgrep -o -x pbs_sched)""#;

/// Stops and starts scheduling, because a running cycle would overwrite what `pbsfs` writes.
const STOP: &str = "qmgr -c 'set server scheduling = False'";
/// Starts scheduling again.
pub(crate) const START: &str = "qmgr -c 'set server scheduling = True'";

/// The commands of one direction, in groups.
#[derive(Default)]
struct Script {
    /// Those that copy files.
    files: Vec<String>,
    /// The formula to set. `None` if it does not change.
    formula: Option<String>,
    /// Whether usage changes, so that scheduling has to stop.
    sets_usage: bool,
    /// Those that set usage.
    usage: Vec<String>,
}

impl Script {
    /// Returns the commands in order.
    fn commands(self) -> Vec<String> {
        let has_files = !self.files.is_empty();
        let mut commands = Vec::new();
        if has_files {
            commands.push(GO.to_owned());
        }
        if self.sets_usage {
            commands.push(STOP.to_owned());
        }
        commands.extend(self.files);
        if has_files {
            commands.push(RELOAD.to_owned());
        }
        if let Some(formula) = self.formula {
            commands.push(qmgr(&formula));
        }
        commands.extend(self.usage);
        if self.sets_usage {
            commands.push(START.to_owned());
        }
        commands
    }
}

/// Returns the plan that applies a scenario to PBS.
pub(super) fn plan(scenario: &Scenario, given: &PlanInputs) -> Plan {
    let mut plan = Plan::new(Scheduler::Pbs);
    let mut omissions = Omissions::default();
    let tree = tree_file(scenario, given, &mut plan, &mut omissions);
    let changes = NetChanges::up_to(scenario, &tree);
    let formula = settings_file(given, &changes.settings, &mut plan, &mut omissions);
    let before = &scenario.base().tree;
    let usage = new_usage(before, &tree, &changes, &mut plan, &mut omissions);
    let has_files = !plan.files.is_empty();
    let sets_formula = formula.is_some();
    let sets_usage = !usage.is_empty();
    let mut forth = Script {
        sets_usage,
        ..Script::default()
    };
    let mut back = Script {
        sets_usage,
        ..Script::default()
    };
    for PlanFile { name, .. } in &plan.files {
        // If the commands are run twice, the backup must not be the new file.
        let backup = format!("cmp -s {name}.new {name} || cp -p {name} {name}.before");
        forth.files.push(backup);
        forth.files.push(format!("cp {name}.new {name}"));
        back.files.push(format!("cp {name}.before {name}"));
    }
    if let Some(formula) = formula {
        forth.formula = Some(formula.new);
        back.formula = Some(formula.old);
        plan.note(Note::FormulaOfServer);
        plan.effective.push(Effect::FormulaAtNextCycle);
    }
    for command in usage {
        forth.usage.push(command.apply);
        back.usage.extend(command.restore);
    }
    plan.commands = forth.commands();
    plan.rollback = back.commands();
    notes(&mut plan, &changes, sets_usage);
    let programs = &mut plan.precondition.programs;
    if has_files {
        programs.push("pgrep");
    }
    if sets_formula || sets_usage {
        programs.push("qmgr");
    }
    if sets_usage {
        programs.push("pbsfs");
    }
    plan.omit(omissions);
    plan
}

/// Returns the command that sets `job_sort_formula`, or unsets it if there is no formula.
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
    let after = scenario.tree();
    let name = "resource_group";
    let is_own = scenario.base().tree.unknown().is_some();
    if is_own && !changes_tree(scenario) {
        return after.clone();
    }
    if is_own && let Some(original) = &given.resource_group {
        let stored = stored_tree(scenario, original, omissions);
        if let Some(file) = stored.file
            && file.bytes != *original
        {
            for note in file.notes {
                plan.note(note);
            }
            plan.files.push(PlanFile {
                name,
                bytes: file.bytes,
                before: Some(original.clone()),
            });
        }
        return stored.tree;
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

/// Returns whether the file needs a change: nodes come, go, move or get another name or other shares.
fn changes_tree(scenario: &Scenario) -> bool {
    let changes = NetChanges::of(scenario);
    let unknown = scenario.base().tree.unknown();
    // The shares of `unknown` are set in sched_config.
    let mut shares = changes.shares.iter();
    shares.any(|&node| Some(node) != unknown)
        || !changes.added.is_empty()
        || !changes.removed.is_empty()
        || !changes.moved.is_empty()
        || !changes.renamed.is_empty()
}

/// The tree of a scenario without what PBS cannot store.
struct StoredTree {
    tree: Tree,
    /// The file of the tree. `None` if there can be none.
    file: Option<RewrittenFile>,
}

/// Returns the tree of a scenario that PBS can store, and its file, if there is one. What PBS cannot store stays as it
/// was, which may conflict with another change, so this is repeated until no more parts are omitted.
fn stored_tree(scenario: &Scenario, original: &[u8], omissions: &mut Omissions) -> StoredTree {
    let before = &scenario.base().tree;
    let mut tree = scenario.tree().clone();
    loop {
        let faults = match resource_group(original, before, &tree) {
            Ok(file) => {
                let file = Some(file);
                return StoredTree { tree, file };
            }
            Err(Refusal::Whole(reason)) => {
                omissions.reasons.add_general(reason);
                return StoredTree { tree, file: None };
            }
            Err(Refusal::Parts(faults)) => faults,
        };
        let known = omissions.parts.len();
        for fault in faults {
            if omissions.parts.insert(fault.part) {
                let reasons = &mut omissions.reasons;
                reasons.add(scenario.tree(), fault.node, fault.reason);
            }
        }
        if omissions.parts.len() == known {
            omissions.reasons.add_general(OmissionReason::InTheWay);
            return StoredTree { tree, file: None };
        }
        tree = planned_tree(scenario, &omissions.parts);
    }
}

/// A new `job_sort_formula`, and the one to restore. Empty for none.
struct FormulaChange {
    new: String,
    old: String,
}

/// Returns whether a formula can be written in quotes.
fn is_quotable(formula: &str) -> bool {
    is_visible(formula) && !formula.contains('"')
}

/// Adds the new `sched_config`, if a setting needs one. Returns the change of the formula. `None` if it does not change.
fn settings_file(
    given: &PlanInputs,
    changes: &[SettingChange],
    plan: &mut Plan,
    omissions: &mut Omissions,
) -> Option<FormulaChange> {
    let mut lines = Vec::new();
    let mut formula = None;
    for change in changes {
        let mut known = Settings::keys_of(Scheduler::Pbs);
        if change.key != "job_sort_formula" {
            if known.any(|key| key == change.key) {
                lines.push(change.clone());
            } else {
                omissions.leave_out_setting(change, SettingFault::Unknown("PBS"));
            }
            continue;
        }
        if !is_quotable(&change.before) || !is_quotable(&change.after) {
            let reason = OmissionReason::FormulaQuotes;
            omissions.reasons.add_general(reason);
            continue;
        }
        if change.before.is_empty() && given.sched_config.is_none() {
            plan.note(Note::FormulaUntold);
        }
        formula = Some(FormulaChange {
            new: change.after.clone(),
            old: change.before.clone(),
        });
    }
    if lines.is_empty() {
        return formula;
    }
    if let Some(original) = &given.sched_config {
        plan.files.push(PlanFile {
            name: "sched_config",
            bytes: sched_config(original, &lines),
            before: Some(original.clone()),
        });
        return formula;
    }
    for change in lines {
        let line = sched_config::line(change.key, &change.after);
        let reason = OmissionReason::ConfigUnread(Shown::again(line));
        omissions.reasons.add_general(reason);
    }
    formula
}

/// Adds the other notes, when the plan takes effect, and the commands that show the result.
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
    let number = amount.to_string();
    let mut words = vec!["pbsfs", "-s"];
    if name.starts_with('-') {
        words.push("--");
    }
    words.push(name);
    words.push(&number);
    command(words)
}

/// A command that sets usage.
struct UsageCommand {
    apply: String,
    /// The command that restores the usage before. `None` if none can.
    restore: Option<String>,
}

/// The usage of a name before and after.
struct UsageRecord<'a> {
    name: &'a [u8],
    /// The node that has the name, or had it.
    node: NodeId,
    /// Whether no node has the name any more.
    is_lost: bool,
    before: f64,
    after: f64,
}

/// Returns the usage that PBS counts for a node. It drops a record of its initial usage.
fn amount(tree: &Tree, node: NodeId) -> f64 {
    tree.usage(node).amount().unwrap_or(INITIAL_USAGE)
}

/// Returns the commands that set usage. A name without a node has its record dropped, or PBS counts it under `unknown`.
fn new_usage(
    before: &Tree,
    after: &Tree,
    changes: &NetChanges,
    plan: &mut Plan,
    omissions: &mut Omissions,
) -> Vec<UsageCommand> {
    for &node in &changes.usage {
        if after.kind(node) == Kind::Account && after.kinds_follow_shape() {
            let reason = OmissionReason::GroupUsage;
            omissions.leave_out(after, node, Omission::Usage, reason);
        }
    }
    let mut one_way = Statements::default();
    let mut commands = Vec::new();
    for record in records(before, after, changes) {
        if record.before.to_bits() == record.after.to_bits() {
            continue;
        }
        let node = record.node;
        let name = match std::str::from_utf8(record.name) {
            Ok(name) if is_recordable(record.name) => name,
            _ => {
                let tree = if record.is_lost { before } else { after };
                let reason = OmissionReason::NotRecordable;
                omissions.leave_out(tree, node, Omission::Usage, reason);
                continue;
            }
        };
        let mut restore = Some(usage_command(name, record.before));
        let is_made_by_record =
            record.is_lost && before.parent(node) == before.unknown() && before.group(node) == -1;
        if is_made_by_record {
            one_way.add(before, node, Note::RecordDropped);
            restore = None;
        }
        commands.push(UsageCommand {
            apply: usage_command(name, record.after),
            restore,
        });
    }
    plan.notes.extend(one_way.list);
    commands
}

/// Returns the names whose usage may have changed, in the order of the trees.
fn records<'a>(old: &'a Tree, new: &'a Tree, changes: &NetChanges) -> Vec<UsageRecord<'a>> {
    let mut records: Vec<UsageRecord<'_>> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    if !changes.removed.is_empty() || !changes.renamed.is_empty() {
        for node in old.users() {
            let name = old.name(node);
            if new.contains(node) && new.name(node) == name {
                continue;
            }
            places.insert(name, records.len());
            records.push(UsageRecord {
                name,
                node,
                is_lost: true,
                before: amount(old, node),
                after: INITIAL_USAGE,
            });
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
            records.push(UsageRecord {
                name,
                node,
                is_lost: false,
                before: if is_same {
                    amount(old, node)
                } else {
                    INITIAL_USAGE
                },
                after: INITIAL_USAGE,
            });
        }
        records[place].after = amount(new, node);
    }
    records
}
