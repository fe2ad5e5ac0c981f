//! Plans for Flux: `flux account` commands, followed by the two that make them take effect.

use super::changes::{EditState, SettingChange};
use super::omission::Omissions;
use super::statement::Statements;
use super::steps::{Address, RenameSupport, SchedulerRules, Step, steps};
use super::{
    Effect, NameFault, NetChanges, Note, Omission, OmissionReason, Plan, SettingFault, SharesFault,
};
use crate::base::shell::{command, is_visible};
use crate::model::{Kind, NodeId, Scheduler, Shares, Tree};
use crate::scenario::Scenario;

/// The commands that compute fair-share again and pass it on to the queue.
const APPLY: [&str; 2] = ["flux account-update-fshare", "flux account-priority-update"];

const RULES: SchedulerRules = SchedulerRules {
    name_fault,
    deletion_fault: |_| None,
    shares_fault,
    has_partitions: false,
    may_mix: false,
    can_reset_usage: false,
    renames: RenameSupport::Nobody,
};

/// Returns why `flux account` would misread a name. `None` if it would not.
pub fn name_fault(name: &[u8]) -> Option<NameFault> {
    match std::str::from_utf8(name) {
        Err(_) => Some(NameFault::NotText),
        Ok("") => Some(NameFault::Empty),
        Ok(text) if !is_visible(text) => Some(NameFault::Invisible),
        Ok(text) if text.starts_with('-') => Some(NameFault::Hyphen),
        Ok(_) => None,
    }
}

/// Returns why Flux does not accept shares of a node of this kind. `None` if it does.
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

/// Returns the command of a step. `None` for the kinds of steps that the rules exclude.
fn command_of(step: Step<'_>) -> Option<String> {
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

/// Returns the step to take after one that adds: a node that was deleted before comes back with its old shares, so the
/// new ones must be set. `None` for other steps.
fn follow_up(step: Step<'_>) -> Option<Step<'_>> {
    match step {
        Step::Add { at, shares, .. } => Some(Step::Shares {
            at,
            from: None,
            to: shares,
        }),
        _ => None,
    }
}

/// Returns the plan for Flux.
pub fn plan(scenario: &Scenario) -> Plan {
    let mut plan = Plan::new(Scheduler::Flux);
    let (before, after) = (EditState::before(scenario), EditState::after(scenario));
    let mut found = steps(before.tree, after.tree, &RULES);
    for change in &NetChanges::between(before, after).settings {
        setting(change, &mut found.omissions);
    }
    for &step in &found.list {
        plan.commands.extend(command_of(step));
        plan.commands.extend(follow_up(step).and_then(command_of));
    }
    let back = found.list.iter().rev().filter_map(|step| step.inverse());
    plan.rollback = back.filter_map(command_of).collect();
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
    plan.omit(found.omissions);
    plan
}

/// Returns the name of the root bank, or `root` if the name cannot be written.
fn root(tree: &Tree) -> &str {
    let name = tree.name(NodeId::ROOT);
    if name_fault(name).is_none() {
        text(name)
    } else {
        "root"
    }
}

/// Adds the notes about these steps.
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

/// Omits a change of a setting: Flux can change none of them without losing usage.
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
    omissions.add_general(OmissionReason::Setting { key, value, fault });
}
