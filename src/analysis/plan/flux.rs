//! Flux: `flux account` commands, and at the end the two that make them count.

use super::changes::{SettingChange, State};
use super::refusals::Refusals;
use super::shell::{command, is_visible};
use super::steps::{Address, Renames, Rules, Step, steps};
use super::{Changes, LeftOut, Plan};
use crate::model::{Kind, NodeId, Scheduler, Shares, Tree};
use crate::scenario::Scenario;

/// What computes fair-share anew and passes it on to the queue.
const APPLY: [&str; 2] = ["flux account-update-fshare", "flux account-priority-update"];

const RULES: Rules = Rules {
    scheduler: "Flux",
    account: "bank",
    name_fault,
    shares_fault,
    has_partitions: false,
    may_mix: false,
    usage_fault: "flux-accounting computes usage from its job records; it cannot be set (flux account clear-usage BANK forgets that of a whole bank)",
    can_reset_usage: false,
    renames: Renames::Nobody,
};

/// Why a name cannot be given to `flux account`; nothing if it can.
#[must_use]
pub fn name_fault(name: &[u8]) -> Option<&'static str> {
    match std::str::from_utf8(name) {
        Err(_) => Some("the name is not UTF-8, and a terminal cannot be trusted to pass it on"),
        Ok("") => Some("Flux has no empty names"),
        Ok(text) if !is_visible(text) => Some(
            "the name holds a character that cannot be seen, and nobody could check the command",
        ),
        Ok(text) if text.starts_with('-') => {
            Some("a name that begins with a hyphen is taken for an option")
        }
        Ok(_) => None,
    }
}

fn shares_fault(kind: Kind, shares: Shares) -> Option<&'static str> {
    match (kind, shares.count()) {
        (_, None) => Some("Flux has no shares called parent"),
        (Kind::Account, Some(count)) if count <= 0 => {
            Some("flux account edit-bank takes shares from 1 up")
        }
        (Kind::User, Some(count)) if count < 0 => {
            Some("Flux takes shares of -1 for 1, and other negative ones for very many")
        }
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
    let (before, after) = (State::before(scenario), State::after(scenario));
    let mut found = steps(before.tree, after.tree, &RULES);
    for change in &Changes::between(before, after).settings {
        setting(change, &mut found.cannot);
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
        plan.effective = vec![
            "run them as the user flux, who owns the service: sudo -u flux COMMAND".to_owned(),
            "nothing counts before the last two: account-update-fshare computes fair-share from the stored usage, account-priority-update passes it on to the waiting jobs"
                .to_owned(),
        ];
        plan.check = vec![
            command(["flux", "account", "view-bank", root(after.tree), "-t"]),
            command(["flux", "account", "view-bank", root(after.tree), "-t", "-P"]),
        ];
    }
    notes(&mut plan, &found.list, after.tree, &found.moved_users);
    plan.notes.append(&mut found.one_way.sentences());
    plan.refuse(found.cannot);
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
    let mut users = Refusals::default();
    for &node in moved {
        users.add(
            tree,
            node,
            "a user moves by a new association; usage, limits and queues of the old one do not go along",
        );
    }
    plan.notes.append(&mut users.sentences());
    if steps.iter().any(|step| matches!(step, Step::Delete { .. })) {
        plan.notes.push(
            "delete-user and delete-bank do not delete: they make the row inactive, and adding it again makes it active with what it had; a bank takes its sub-banks and their users along"
                .to_owned(),
        );
    }
    if steps.iter().any(|step| matches!(step, Step::Add { .. })) {
        plan.notes.push(
            "a user or bank that was deleted once comes back with the shares it had then, whatever add-user and add-bank say: so their shares are set behind; users of a bank that ever had sub-banks do not count, even if those are inactive"
                .to_owned(),
        );
    }
}

/// Settings of the database; changing them costs what was counted.
fn setting(change: &SettingChange, cannot: &mut Refusals) {
    let SettingChange { key, after, .. } = change;
    let sentence = match *key {
        "priority_decay_half_life" | "priority_usage_reset_period" | "decay_factor" => format!(
            "{key}={after}: flux account edit-config sets it, but throws away all usage counted so far; plan it by hand"
        ),
        "node_weight" | "core_weight" | "gpu_weight" => format!(
            "{key}={after}: flux account edit-config sets it, and only jobs that end later are counted by it; plan it by hand"
        ),
        "fairshare_weight" => format!(
            "{key}={after}: the weight of a factor of priority is set with flux account edit-factor; plan it by hand"
        ),
        _ => {
            cannot.left_out.insert(LeftOut::Setting(key));
            format!("{key}={after} is no setting of flux-accounting")
        }
    };
    cannot.say(sentence);
}
