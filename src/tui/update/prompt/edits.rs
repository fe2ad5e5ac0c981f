//! Prompts for edits, which are previewed while they are typed and applied with enter.

use super::row::PromptRow;
use super::words;
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Scheduler, Settings, resolve};
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::{Edit, EditError, Scenario, is_worked_out, parse};
use crate::tui::state::pending::Scope;
use crate::tui::state::prompt::{FamilyEdit, PromptLabels};
use crate::tui::state::session::Session;
use crate::tui::update::settings::announce;
use crate::tui::update::structure::{completed, show_added};
use crate::tui::update::typed::{
    account_path, addition, amount, charge, charge_or_amount, renaming, setting, shares, usage,
};

/// Returns the prompt for the shares of a node.
pub(super) fn shares_of(session: Option<&Session>, node: NodeId) -> PromptRow {
    let labels = PromptLabels {
        before: words::before(session, node, ColumnId::Shares),
        cell: Some((node, ColumnId::Shares)),
        ..PromptLabels::new(
            sentence!("shares of {}", words::name(session, node)),
            "apply",
            if session.is_some_and(accepts_parent) {
                "20 +10 *2 50% parent"
            } else {
                "20 +10 *2 50%"
            },
        )
    };
    PromptRow::edit(labels, move |session, text| {
        shares(session.scenario.tree(), &[node], amount(text)?)
    })
}

/// Returns whether the scheduler knows shares that are `parent`.
fn accepts_parent(session: &Session) -> bool {
    let scheduler = session.scenario.settings().scheduler;
    !matches!(scheduler, Some(Scheduler::Pbs | Scheduler::Flux))
}

/// Returns the prompt for the usage of a node.
pub(super) fn usage_of(session: Option<&Session>, node: NodeId) -> PromptRow {
    let labels = PromptLabels {
        before: words::before(session, node, ColumnId::Usage),
        cell: Some((node, ColumnId::Usage)),
        ..PromptLabels::new(
            sentence!("usage of {}", words::name(session, node)),
            "apply",
            "3600 +3600 *0.5 nodes=4 time=2h",
        )
    };
    PromptRow {
        reason: Box::new(|_, text| charge(text)),
        ..PromptRow::edit(labels, move |session, text| {
            let amount = charge_or_amount(&session.scenario, text)?;
            usage(session.scenario.tree(), &[node], amount)
        })
    }
}

/// Returns the prompt for the shares of all marked nodes.
pub(super) fn marked_shares(session: Option<&Session>) -> PromptRow {
    let labels = PromptLabels::new(
        sentence!("shares of {}", words::marked(session)),
        "apply",
        "20 sets all; +10 *2 change each; 10% of each level",
    );
    PromptRow::edit(labels, |session, text| {
        shares(session.scenario.tree(), &session.targets(), amount(text)?)
    })
}

/// Returns the prompt for the usage of all marked nodes.
pub(super) fn marked_usage(session: Option<&Session>) -> PromptRow {
    let labels = PromptLabels::new(
        sentence!("usage of {}", words::marked(session)),
        "apply",
        "3600 sets all; +3600 *0.5 nodes=4 time=2h change each",
    );
    PromptRow {
        reason: Box::new(|_, text| charge(text)),
        ..PromptRow::edit(labels, |session, text| {
            let amount = charge_or_amount(&session.scenario, text)?;
            usage(session.scenario.tree(), &session.targets(), amount)
        })
    }
}

/// Returns the prompt for a node to add to an account.
pub(super) fn added(session: Option<&Session>, account: NodeId) -> PromptRow {
    let labels = PromptLabels::new(
        sentence!("add below {}", words::name(session, account)),
        "add",
        "NAME shares=5 kind=account",
    );
    PromptRow {
        applied: Box::new(|session, ui| show_added(session, ui)),
        ..PromptRow::edit(labels, move |session, text| {
            addition(&session.scenario, account, text).map(Some)
        })
    }
}

/// Returns the prompt for a new name of a node.
pub(super) fn name_of(session: Option<&Session>, node: NodeId) -> PromptRow {
    let labels = PromptLabels::new(
        sentence!("rename {} to", words::name(session, node)),
        "apply",
        "another name",
    );
    PromptRow {
        ..PromptRow::edit(labels, move |session, text| {
            Ok(renaming(session.scenario.tree(), node, text))
        })
    }
}

/// Returns the prompt for the account that a node moves to.
pub(super) fn place_of(session: Option<&Session>, node: NodeId) -> PromptRow {
    let labels = PromptLabels::new(
        sentence!("move {} to", words::name(session, node)),
        "move",
        "a path or name, tab completes, / is the root",
    );
    PromptRow {
        complete: |session, text| completed(session.scenario.tree(), text.trim()),
        ..PromptRow::edit(labels, move |session, text| {
            let tree = session.scenario.tree();
            let to = resolve(tree, account_path(text).as_bytes());
            let to = to.map_err(|error| Shown::error(&error))?;
            Ok((tree.parent(node) != Some(to)).then_some(Edit::Move { node, to }))
        })
    }
}

/// Returns the prompt for the amount of an edit of a level.
pub(super) fn family(session: Option<&Session>, edit: FamilyEdit) -> PromptRow {
    let label = move |session: &Session| edit.label(session.scenario.tree());
    let labels = PromptLabels::new(
        session.map_or_else(Shown::default, label),
        "apply",
        "100 +10 *2",
    );
    PromptRow {
        reason: Box::new(move |session, text| format!("{} {text}", label(session))),
        ..PromptRow::edit(labels, move |session, text| {
            edit.typed(session, amount(text)?)
        })
    }
}

/// Returns the prompt for an edit in the edit language.
pub(super) fn line() -> PromptRow {
    let labels = PromptLabels::new(
        "edit",
        "apply",
        "shares usage add remove move rename set charge scale split trade wait rate campaign pace",
    );
    PromptRow {
        // A number, a sign and `parent` complete `shares PATH=`. Any other character starts another edit.
        goes_on: |char| char.is_ascii_digit() || "+-*.p".contains(char),
        reason: Box::new(|_, text| {
            if is_worked_out(text.as_bytes()) {
                text.to_owned()
            } else {
                String::new()
            }
        }),
        ..PromptRow::edit(labels, |session, text| {
            let (tree, settings) = (session.scenario.tree(), session.scenario.settings());
            let edit = parse(text.as_bytes(), tree, settings);
            edit.map(Some).map_err(|error| Shown::error(&error))
        })
    }
}

/// Returns the prompt for the value of a setting. `before` is the policy to restore if the prompt is cancelled, or
/// `None` if the prompt did not change the policy.
pub(super) fn setting_of(
    session: Option<&Session>,
    key: &'static str,
    before: Option<Policy>,
) -> PromptRow {
    let hint = session.map_or_else(Shown::default, |session| {
        let value = words::value_before(session, key);
        let expected = Settings::expected(key).unwrap_or_default();
        sentence!("was {value} · {expected}")
    });
    let labels = PromptLabels::new(key, "apply", hint);
    PromptRow {
        // The label names the setting, so the error need not.
        refusal: EditError::reason,
        leave: Box::new(move |session| {
            if before.is_some_and(|before| before != session.latest().policy()) {
                session.change(Scope::Policy, Scenario::undo_policy);
            }
        }),
        applied: Box::new(move |session, ui| announce(session, ui, key, before.is_some())),
        unchanged: Box::new(move |session, ui| {
            if before.is_some() {
                announce(session, ui, key, true);
            }
        }),
        ..PromptRow::edit(labels, move |session, text| {
            setting(&session.scenario, key, text)
        })
    }
}
