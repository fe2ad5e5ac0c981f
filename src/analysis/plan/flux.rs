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

fn name_fault(name: &[u8]) -> Option<NameFault> {
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

/// Returns the command of a step. `None` for the kinds of steps that the rules exclude.
fn command_of(Step { at, change }: Step<'_>) -> Option<String> {
    let bank = text(at.account);
    let of_account = |words: &[&str]| {
        let flux = ["flux", "account"].iter().chain(words);
        Some(command(flux.copied()))
    };
    match (change, at.user.map(text)) {
        (Change::Add { shares, .. }, Some(user)) => of_account(&[
            "add-user",
            &format!("--username={user}"),
            &format!("--bank={bank}"),
            &format!("--shares={shares}"),
        ]),
        (Change::Add { parent, shares }, None) => of_account(&[
            "add-bank",
            &format!("--parent-bank={}", text(parent)),
            bank,
            &shares.to_string(),
        ]),
        (Change::Move { to, .. }, _) => {
            of_account(&["edit-bank", bank, &format!("--parent-bank={}", text(to))])
        }
        (Change::Shares { to, .. }, Some(user)) => {
            of_account(&["edit-user", user, "-B", bank, &format!("--shares={to}")])
        }
        (Change::Shares { to, .. }, None) => {
            of_account(&["edit-bank", bank, &format!("--shares={to}")])
        }
        (Change::Delete { .. }, Some(user)) => of_account(&["delete-user", user, bank]),
        (Change::Delete { .. }, None) => of_account(&["delete-bank", bank]),
        (Change::Reset | Change::Rename { .. } | Change::Default { .. }, _) => None,
    }
}

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
    let back = found.list.iter().rev().filter_map(Step::inverse);
    plan.rollback = back.filter_map(command_of).collect();
    if !found.list.is_empty() {
        for list in [&mut plan.commands, &mut plan.rollback] {
            list.extend(APPLY.map(str::to_owned));
        }
        plan.effective = vec![Effect::AsOwner, Effect::AtTheEnd];
        let bank = tree.name(NodeId::ROOT);
        let bank = name_fault(bank).map_or_else(|| text(bank), |_| "root");
        plan.check = vec![
            command(["flux", "account", "view-bank", bank, "-t"]),
            command(["flux", "account", "view-bank", bank, "-t", "-P"]),
        ];
    }
    plan.notes.extend(found.moved_users.list);
    let has = |is: fn(&Change<'_>) -> bool| found.list.iter().any(|step| is(&step.change));
    if has(|change| matches!(change, Change::Delete { .. })) {
        plan.note(Note::Deletes);
    }
    if has(|change| matches!(change, Change::Add { .. })) {
        plan.note(Note::Adds);
    }
    plan.notes.extend(found.one_way.list);
    let is_touched = !found.list.is_empty();
    plan.omit(found.omissions);
    if is_touched {
        plan.precondition = precondition(scenario, &plan);
    }
    plan
}

/// Returns what must hold before the commands run.
fn precondition(scenario: &Scenario, plan: &Plan) -> Precondition {
    let trees = [&scenario.base().tree, scenario.tree()];
    let has_banks = |tree: &Tree, bank: NodeId| {
        let is_bank = |node: NodeId| tree.kind(node) == Kind::Account;
        tree.contains(bank) && tree.children(bank).any(is_bank)
    };
    let line = |tree: &Tree, node: NodeId| {
        let parent = tree.parent(node)?;
        let is_user = tree.kind(node) == Kind::User;
        // The listing omits inactive rows, and users of banks that have banks.
        let is_omitted = is_user && trees.iter().any(|tree| has_banks(tree, parent));
        if is_omitted || tree.active(node) == Some(false) {
            return None;
        }
        let (bank, name, shares) = (
            text(tree.name(parent)),
            text(tree.name(node)),
            tree.shares(node),
        );
        Some(if is_user {
            Line {
                key: format!("{bank}|{name}|"),
                rest: format!("|{shares}"),
            }
        } else {
            Line {
                key: format!("{name}||"),
                rest: format!("{bank}|{shares}"),
            }
        })
    };
    let root = text(trees[0].name(NodeId::ROOT));
    Precondition {
        programs: vec!["flux"],
        listing: Some(Listing {
            columns: "Bank,Username,Parent,RawShares",
            command: command(["flux", "account", "view-bank", root, "-t", "-P"]),
            awk: Some(ROWS),
        }),
        rows: state_rows(scenario, &plan.omissions, &line),
    }
}
