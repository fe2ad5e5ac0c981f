//! Flux: `flux account` commands, and at the end the two that make them count.

use super::changes::{EditState, SettingChange};
use super::omission::Omissions;
use super::shell::{command, is_visible};
use super::statement::Statements;
use super::steps::{Address, RenameSupport, SchedulerRules, Step, steps};
use super::{
    Effect, NameFault, NetChanges, Note, Omission, OmissionReason, Plan, SettingFault, SharesFault,
};
use crate::model::{Kind, NodeId, Scheduler, Shares, Tree};
use crate::scenario::Scenario;

/// What computes fair-share anew and passes it on to the queue.
const APPLY: [&str; 2] = ["flux account-update-fshare", "flux account-priority-update"];

const RULES: SchedulerRules = SchedulerRules {
    name_fault,
    shares_fault,
    has_partitions: false,
    may_mix: false,
    can_reset_usage: false,
    renames: RenameSupport::Nobody,
};

/// Why a name cannot be given to `flux account`; nothing if it can.
#[must_use]
pub fn name_fault(name: &[u8]) -> Option<NameFault> {
    match std::str::from_utf8(name) {
        Err(_) => Some(NameFault::NotText),
        Ok("") => Some(NameFault::Empty),
        Ok(text) if !is_visible(text) => Some(NameFault::Invisible),
        Ok(text) if text.starts_with('-') => Some(NameFault::Hyphen),
        Ok(_) => None,
    }
}

fn shares_fault(kind: Kind, shares: Shares) -> Option<SharesFault> {
    match (kind, shares.count()) {
        (_, None) => Some(SharesFault::NoParent),
        (Kind::Account, Some(count)) if count <= 0 => Some(SharesFault::BankBelowOne),
        (Kind::User, Some(count)) if count < 0 => Some(SharesFault::Negative),
        _ => None,
    }
}

fn text(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

/// The command of a step; `None` for what the rules let not through.
fn write(step: Step<'_>) -> Option<String> {
    let bank = |at: Address<'_>| text(at.account).to_owned();
    let words: Vec<String> = match step {
        Step::Add { at, parent, shares } => match at.user {
            Some(user) => vec![
                "add-user".to_owned(),
                format!("--username={}", text(user)),
                format!("--bank={}", bank(at)),
                format!("--shares={shares}"),
            ],
            None => vec![
                "add-bank".to_owned(),
                format!("--parent-bank={}", text(parent)),
                bank(at),
                shares.to_string(),
            ],
        },
        Step::Move { account, to, .. } => vec![
            "edit-bank".to_owned(),
            text(account).to_owned(),
            format!("--parent-bank={}", text(to)),
        ],
        Step::Shares { at, to, .. } => {
            let shares = format!("--shares={to}");
            match at.user {
                Some(user) => vec![
                    "edit-user".to_owned(),
                    text(user).to_owned(),
                    "-B".to_owned(),
                    bank(at),
                    shares,
                ],
                None => vec!["edit-bank".to_owned(), bank(at), shares],
            }
        }
        Step::Delete { at, .. } => match at.user {
            Some(user) => vec!["delete-user".to_owned(), text(user).to_owned(), bank(at)],
            None => vec!["delete-bank".to_owned(), bank(at)],
        },
        Step::Reset { .. } | Step::Rename { .. } | Step::Default { .. } => return None,
    };
    let words = words.iter().map(String::as_str);
    Some(command(["flux", "account"].into_iter().chain(words)))
}

/// The step behind one that adds: what was deleted once comes back with the shares it had, and they must be set.
fn settle(step: Step<'_>) -> Option<Step<'_>> {
    match step {
        Step::Add { at, shares, .. } => Some(Step::Shares {
            at,
            from: None,
            to: shares,
        }),
        _ => None,
    }
}

/// The plan for Flux.
#[must_use]
pub fn plan(scenario: &Scenario) -> Plan {
    let mut plan = Plan::new(Scheduler::Flux);
    let (before, after) = (EditState::before(scenario), EditState::after(scenario));
    let mut found = steps(before.tree, after.tree, &RULES);
    for change in &NetChanges::between(before, after).settings {
        setting(change, &mut found.omissions);
    }
    for &step in &found.list {
        plan.commands.extend(write(step));
        plan.commands.extend(settle(step).and_then(write));
    }
    let back = found.list.iter().rev().filter_map(|step| step.inverse());
    plan.rollback = back.filter_map(write).collect();
    if !found.list.is_empty() {
        for list in [&mut plan.commands, &mut plan.rollback] {
            list.extend(APPLY.map(str::to_owned));
        }
        plan.effective = vec![Effect::AsOwner, Effect::AtTheEnd];
        plan.check = vec![
            command(["flux", "account", "view-bank", root(after.tree), "-t"]),
            command(["flux", "account", "view-bank", root(after.tree), "-t", "-P"]),
        ];
    }
    notes(&mut plan, &found.list, after.tree, &found.moved_users);
    plan.notes.extend(found.one_way.list());
    plan.refuse(found.omissions);
    plan
}

/// The name of the root bank, where it can be written.
fn root(tree: &Tree) -> &str {
    let name = tree.name(NodeId::ROOT);
    if name_fault(name).is_none() {
        text(name)
    } else {
        "root"
    }
}

fn notes(plan: &mut Plan, steps: &[Step<'_>], tree: &Tree, moved: &[NodeId]) {
    let mut users = Statements::default();
    for &node in moved {
        users.add(tree, node, Note::UserMoves);
    }
    plan.notes.extend(users.list());
    if steps.iter().any(|step| matches!(step, Step::Delete { .. })) {
        plan.note(Note::Deletes);
    }
    if steps.iter().any(|step| matches!(step, Step::Add { .. })) {
        plan.note(Note::Adds);
    }
}

/// Settings of the database; changing them costs what was counted.
fn setting(change: &SettingChange, omissions: &mut Omissions) {
    let SettingChange { key, after, .. } = change;
    let fault = match *key {
        "priority_decay_half_life" | "priority_usage_reset_period" | "decay_factor" => {
            SettingFault::DropsUsage
        }
        "node_weight" | "core_weight" | "gpu_weight" => SettingFault::LaterJobs,
        "fairshare_weight" => SettingFault::OfPriority,
        _ => {
            omissions.parts.insert(Omission::Setting(key));
            SettingFault::Unknown
        }
    };
    let value = after.clone();
    omissions.say(OmissionReason::Setting { key, value, fault });
}
