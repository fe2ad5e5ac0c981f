//! PBS: a new `resource_group`, the lines of `sched_config` that change, and usage through `pbsfs -s`.

pub mod resource_group;
pub mod sched_config;

pub use resource_group::{Rewritten, resource_group};
pub use sched_config::sched_config;

use super::changes::{SettingChange, State};
use super::refusals::Refusals;
use super::shell::{command, is_visible, quoted};
use super::{Changes, File, Given, Plan};
use crate::format::pbs::write;
use crate::model::{Kind, NodeId, Scheduler, Tree, Usage};
use crate::policy::pbs::is_recordable;
use crate::scenario::Scenario;

/// Where the scheduler keeps its files.
const GO: &str = r#"cd "$(. /etc/pbs.conf && echo "$PBS_HOME")/sched_priv""#;

/// Makes the scheduler read its files again.
const RELOAD: &str = r#"kill -HUP "$(pgrep -o -x pbs_sched)""#;

/// Stops and starts scheduling, for `pbsfs` writes what a running cycle would write over.
const STOP: &str = "qmgr -c 'set server scheduling = False'";
const START: &str = "qmgr -c 'set server scheduling = True'";

/// What PBS counts for an entity without a record; `pbsfs` drops a record of just that.
const LEAST_USAGE: f64 = 1.0;

/// The plan for PBS.
#[must_use]
pub fn plan(scenario: &Scenario, given: &Given) -> Plan {
    let mut plan = Plan::new(Scheduler::Pbs);
    let (before, after) = (State::before(scenario), State::after(scenario));
    let changes = Changes::between(before, after);
    let mut cannot = Refusals::default();
    tree_file(scenario, given, &changes, &mut plan, &mut cannot);
    let formula = settings_file(given, &changes.settings, &mut plan, &mut cannot);
    let usage = usage(before.tree, after.tree, &changes, &mut cannot);
    for (list, is_back) in [(&mut plan.commands, false), (&mut plan.rollback, true)] {
        if !plan.files.is_empty() {
            list.push(GO.to_owned());
        }
        if !usage.is_empty() {
            list.push(STOP.to_owned());
        }
        for File { name, .. } in &plan.files {
            if is_back {
                list.push(format!("cp {name}.before {name}"));
            } else {
                list.push(format!("cp -p {name} {name}.before"));
                list.push(format!("cp {name}.new {name}"));
            }
        }
        if !plan.files.is_empty() {
            list.push(RELOAD.to_owned());
        }
        list.extend(
            formula
                .iter()
                .map(|texts| qmgr(&texts[usize::from(is_back)])),
        );
        for [name, forth, back] in &usage {
            let amount = if is_back { back } else { forth };
            if !amount.is_empty() {
                list.push(set_usage(name, amount));
            }
        }
        if !usage.is_empty() {
            list.push(START.to_owned());
        }
    }
    notes(
        &mut plan,
        before.tree,
        after.tree,
        &changes,
        !usage.is_empty(),
    );
    plan.cannot.append(&mut cannot.sentences());
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

fn set_usage(name: &str, amount: &str) -> String {
    // What begins with a hyphen would be an option.
    let end = if name.starts_with('-') { "-- " } else { "" };
    format!("pbsfs -s {end}{} {amount}", quoted(name))
}

/// Makes the new `resource_group`, if the tree needs one.
fn tree_file(
    scenario: &Scenario,
    given: &Given,
    changes: &Changes,
    plan: &mut Plan,
    cannot: &mut Refusals,
) {
    let (before, after) = (&scenario.base().tree, scenario.tree());
    let is_own = before.unknown().is_some();
    let has_new_shares = changes
        .shares
        .iter()
        // The shares of `unknown` stand in sched_config.
        .any(|&node| Some(node) != before.unknown());
    let is_changed = has_new_shares
        || !changes.added.is_empty()
        || !changes.removed.is_empty()
        || !changes.moved.is_empty()
        || !changes.renamed.is_empty();
    if !is_changed && is_own {
        return;
    }
    let bytes = match &given.resource_group {
        Some(original) if is_own => match resource_group(original, before, after) {
            Ok(Rewritten { bytes, mut notes }) => {
                plan.notes.append(&mut notes);
                bytes
            }
            Err(reasons) => {
                for reason in reasons {
                    cannot.say(reason);
                }
                return;
            }
        },
        _ => {
            let (bytes, losses) = write::resource_group(after);
            for loss in losses {
                cannot.say(loss);
            }
            plan.notes.push(
                "resource_group is written anew, without the comments of the one there is"
                    .to_owned(),
            );
            bytes
        }
    };
    plan.files.push(File {
        name: "resource_group",
        bytes,
    });
}

/// Makes the new `sched_config`, if a setting needs one. Gives the formula to set and the one to go back to.
fn settings_file(
    given: &Given,
    changes: &[SettingChange],
    plan: &mut Plan,
    cannot: &mut Refusals,
) -> Option<[String; 2]> {
    let mut lines = Vec::new();
    let mut formula = None;
    for change in changes {
        let SettingChange { key, before, after } = change;
        if sched_config::KEYS.contains(key) {
            lines.push(change.clone());
        } else if *key == "job_sort_formula" {
            if [before, after]
                .iter()
                .all(|text| is_visible(text) && !text.contains('"'))
            {
                formula = Some([after.clone(), before.clone()]);
            } else {
                cannot.say("job_sort_formula holds quotes or what cannot be seen; set it with qmgr by hand");
            }
        } else {
            cannot.say(format!("{key}={after} is no setting of PBS"));
        }
    }
    match &given.sched_config {
        _ if lines.is_empty() => {}
        Some(original) => plan.files.push(File {
            name: "sched_config",
            bytes: sched_config(original, &lines),
        }),
        None => {
            for SettingChange { key, after, .. } in &lines {
                cannot.say(format!(
                    "sched_config was not read, so it cannot be changed here: write {} in it and send the scheduler a HUP",
                    sched_config::line(key, after)
                ));
            }
        }
    }
    formula
}

/// The usage to set: name, amount, and the amount to go back to, empty where there is no way back.
fn usage(
    before: &Tree,
    after: &Tree,
    changes: &Changes,
    cannot: &mut Refusals,
) -> Vec<[String; 3]> {
    let amount = |usage: Usage| usage.amount().unwrap_or(LEAST_USAGE).to_string();
    let is_recorded = |tree: &Tree, node: NodeId| {
        let amount = tree.usage(node).amount();
        amount.is_some_and(|amount| amount.to_bits() != LEAST_USAGE.to_bits())
    };
    let renamed = changes
        .renamed
        .iter()
        .filter(|&&node| is_recorded(after, node));
    let added = changes
        .added
        .iter()
        .filter(|&&node| is_recorded(after, node));
    let kept = changes
        .usage
        .iter()
        .filter(|&&node| before.name(node) == after.name(node));
    let mut commands = Vec::new();
    for &node in kept.chain(renamed).chain(added) {
        if after.kind(node) == Kind::Account {
            if !after.kinds_follow_shape() {
                continue;
            }
            cannot.add(
                after,
                node,
                "the usage of a group is the sum of its entities'; set theirs",
            );
            continue;
        }
        let name = after.name(node);
        let Some(text) = std::str::from_utf8(name)
            .ok()
            .filter(|_| is_recordable(name))
        else {
            cannot.add(
                after,
                node,
                "PBS keeps usage only of names of up to 49 letters, digits and . - _ :",
            );
            continue;
        };
        let is_same = before.contains(node) && before.name(node) == name;
        let back = if is_same {
            amount(before.usage(node))
        } else {
            String::new()
        };
        commands.push([text.to_owned(), amount(after.usage(node)), back]);
    }
    commands
}

fn notes(plan: &mut Plan, before: &Tree, after: &Tree, changes: &Changes, sets_usage: bool) {
    if let Some(File { name, .. }) = plan.files.first() {
        let names: Vec<&str> = plan.files.iter().map(|file| file.name).collect();
        plan.notes.insert(
            0,
            format!(
                "first save {} in sched_priv under the same name with .new behind it, as in {name}.new; run the commands as root on the scheduler's host",
                names.join(" and ")
            ),
        );
        plan.effective.push(
            "the scheduler reads its files at the start and when it gets a HUP; ranks follow in its next cycle"
                .to_owned(),
        );
    }
    if sets_usage {
        plan.notes.push(
            "pbsfs -s writes the live usage: it must not run while the scheduler schedules, so scheduling is off meanwhile; usage charged since the snapshot is overwritten"
                .to_owned(),
        );
        plan.effective
            .push("the scheduler reads the usage again at the start of its next cycle".to_owned());
    }
    let mut orphans = Refusals::default();
    let gone = before.nodes().iter().filter(|&&node| {
        let is_gone = !after.contains(node) || after.name(node) != before.name(node);
        is_gone && before.kind(node) == Kind::User && before.usage(node).amount().is_some()
    });
    for &node in gone {
        orphans.add(
            before,
            node,
            "its usage stays on record, and PBS counts it under unknown from now on; pbsfs -e drops such records",
        );
    }
    if changes.removed.is_empty() && changes.renamed.is_empty() {
        orphans = Refusals::default();
    }
    plan.notes.append(&mut orphans.sentences());
    if !plan.is_empty() {
        plan.check = ["pbsfs -t", "pbsfs -p"].map(str::to_owned).to_vec();
    }
}
