//! Plans for Flux: `flux account` commands, followed by the two that make them take effect.

use super::precondition::{Line, Listing, Precondition, state_rows};
use super::steps::{Change, SchedulerRules, Step, steps, text};
use super::{Effect, NameFault, NetChanges, Note, OmissionReason, Plan, SettingFault, SharesFault};
use crate::base::shell::{command, is_visible};
use crate::model::{Kind, NodeId, Scheduler, Shares, Tree};
use crate::scenario::Scenario;

/// The commands that compute fair-share again and pass it on to the queue.
const APPLY: [&str; 2] = ["flux account-update-fshare", "flux account-priority-update"];

/// Brings the lines of `view-bank -t -P`, which tell parents by their indentation, into a form with the parent's name.
/// Inactive rows, which versions up to 0.57 do not tell, are left out.
const ROWS: &str = "\
NR == 1 {
    for (place = 1; place <= NF; place++) column[$place] = place
    next
}
NF > 3 {
    match($0, /^ */)
    name = substr($1, RLENGTH + 1)
    depth = RLENGTH
    if ($2 == \"\") bank[depth] = name
    if (\"Active\" in column && $column[\"Active\"] != \"true\") next
    parent = ($2 == \"\" && depth > 0) ? bank[depth - 1] : \"\"
    print name \"|\" $2 \"|\" parent \"|\" $column[\"RawShares\"]
}";

/// What flux-accounting can do.
const RULES: SchedulerRules = SchedulerRules {
    scheduler: Scheduler::Flux,
    name_fault,
    deletion_fault: |_| None,
    shares_fault,
    has_partitions: false,
    may_mix: false,
    can_rename_users: false,
    can_reset_usage: false,
    usage_fault: OmissionReason::CountedByFlux,
};

/// Returns why a command cannot be about a name. `None` if it can.
fn name_fault(name: &[u8]) -> Option<NameFault> {
    match std::str::from_utf8(name) {
        Err(_) => Some(NameFault::NotText),
        Ok("") => Some(NameFault::Empty),
        Ok(text) if !is_visible(text) => Some(NameFault::Invisible),
        Ok(text) if text.starts_with('-') => Some(NameFault::Hyphen),
        Ok(_) => None,
    }
}

/// Returns why Flux cannot store a number of shares. `None` if it can.
fn shares_fault(kind: Kind, shares: Shares) -> Option<SharesFault> {
    match (kind, shares.count()) {
        (_, None) => Some(SharesFault::NoParent),
        (Kind::Account, Some(count)) if count <= 0 => Some(SharesFault::BankBelowOne),
        (Kind::User, Some(count)) if count < 0 => Some(SharesFault::Negative),
        _ => None,
    }
}

/// Returns the command of a step. `None` for the kinds of steps that the rules exclude.
fn command_of(step: Step<'_>) -> Option<String> {
    let bank = text(step.at.account);
    match step.at.user {
        Some(user) => user_command(text(user), bank, step.change),
        None => bank_command(bank, step.change),
    }
}

/// Returns the command that changes a user in a bank. `None` if there is none.
fn user_command(user: &str, bank: &str, change: Change<'_>) -> Option<String> {
    let command = match change {
        Change::Add { shares, .. } => command([
            "flux",
            "account",
            "add-user",
            &format!("--username={user}"),
            &format!("--bank={bank}"),
            &format!("--shares={shares}"),
        ]),
        Change::Shares { to, .. } => command([
            "flux",
            "account",
            "edit-user",
            user,
            "-B",
            bank,
            &format!("--shares={to}"),
        ]),
        Change::Delete { .. } => command(["flux", "account", "delete-user", user, bank]),
        _ => return None,
    };
    Some(command)
}

/// Returns the command that changes a bank. `None` if there is none.
fn bank_command(bank: &str, change: Change<'_>) -> Option<String> {
    let command = match change {
        Change::Add { parent, shares } => command([
            "flux",
            "account",
            "add-bank",
            &format!("--parent-bank={}", text(parent)),
            bank,
            &shares.to_string(),
        ]),
        Change::Move { to, .. } => command([
            "flux",
            "account",
            "edit-bank",
            bank,
            &format!("--parent-bank={}", text(to)),
        ]),
        Change::Shares { to, .. } => command([
            "flux",
            "account",
            "edit-bank",
            bank,
            &format!("--shares={to}"),
        ]),
        Change::Delete { .. } => command(["flux", "account", "delete-bank", bank]),
        _ => return None,
    };
    Some(command)
}

/// Returns the plan that applies a scenario with `flux account`.
pub(super) fn plan(scenario: &Scenario) -> Plan {
    let mut plan = Plan::new(Scheduler::Flux);
    let tree = scenario.tree();
    let mut found = steps(&scenario.base().tree, tree, &RULES);
    for change in &NetChanges::of(scenario).settings {
        let fault = match change.key {
            "priority_decay_half_life" | "priority_usage_reset_period" | "decay_factor" => {
                SettingFault::DropsUsage
            }
            "node_weight" | "core_weight" | "gpu_weight" => SettingFault::LaterJobs,
            "fairshare_weight" => SettingFault::OfPriority,
            _ => SettingFault::Unknown("flux-accounting"),
        };
        found.omissions.leave_out_setting(change, fault);
    }
    for &step in &found.list {
        plan.commands.extend(command_of(step));
        // A node deleted before comes back with its old shares, so they are set.
        if let Change::Add { shares: to, .. } = step.change {
            let change = Change::Shares { from: None, to };
            plan.commands.extend(command_of(Step { change, ..step }));
        }
    }
    for step in found.list.iter().rev() {
        if let Some(inverse) = step.inverse() {
            plan.rollback.extend(command_of(inverse));
        }
    }
    let is_touched = !found.list.is_empty();
    if is_touched {
        plan.commands.extend(APPLY.map(str::to_owned));
        plan.rollback.extend(APPLY.map(str::to_owned));
        plan.effective = vec![Effect::AsOwner, Effect::AtTheEnd];
        plan.check = checks(tree);
    }
    plan.notes.extend(found.moved_users.list);
    if found.list.iter().any(Step::is_deletion) {
        plan.note(Note::Deletes);
    }
    if found.list.iter().any(Step::is_addition) {
        plan.note(Note::Adds);
    }
    plan.notes.extend(found.one_way.list);
    plan.omit(found.omissions);
    if is_touched {
        plan.precondition = precondition(scenario, &plan);
    }
    plan
}

/// Returns the commands that show the result, from the root bank on.
fn checks(tree: &Tree) -> Vec<String> {
    let mut bank = "root";
    let root = tree.name(NodeId::ROOT);
    if name_fault(root).is_none() {
        bank = text(root);
    }
    let for_people = command(["flux", "account", "view-bank", bank, "-t"]);
    let with_shares = command(["flux", "account", "view-bank", bank, "-t", "-P"]);
    vec![for_people, with_shares]
}

/// Returns what must hold before the commands run.
fn precondition(scenario: &Scenario, plan: &Plan) -> Precondition {
    let root = text(scenario.base().tree.name(NodeId::ROOT));
    Precondition {
        programs: vec!["flux"],
        listing: Some(Listing {
            columns: "Bank,Username,Parent,RawShares",
            command: command(["flux", "account", "view-bank", root, "-t", "-P"]),
            awk: Some(ROWS),
        }),
        rows: state_rows(scenario, &plan.omissions, &|tree, node| {
            listed_line(scenario, tree, node)
        }),
    }
}

/// Returns whether a bank of a tree has banks below it.
fn has_banks(tree: &Tree, bank: NodeId) -> bool {
    if !tree.contains(bank) {
        return false;
    }
    let mut members = tree.children(bank);
    members.any(|node| tree.kind(node) == Kind::Account)
}

/// Returns the line of a node of one of the trees of a scenario. `None` for the root, inactive rows, and users of banks
/// that have banks, which the listing omits.
fn listed_line(scenario: &Scenario, tree: &Tree, node: NodeId) -> Option<Line> {
    let parent = tree.parent(node)?;
    if tree.active(node) == Some(false) {
        return None;
    }
    let bank = text(tree.name(parent));
    let name = text(tree.name(node));
    let shares = tree.shares(node);
    if tree.kind(node) != Kind::User {
        return Some(Line {
            key: format!("{name}||"),
            rest: format!("{bank}|{shares}"),
        });
    }
    if has_banks(&scenario.base().tree, parent) || has_banks(scenario.tree(), parent) {
        return None;
    }
    Some(Line {
        key: format!("{bank}|{name}|"),
        rest: format!("|{shares}"),
    })
}
