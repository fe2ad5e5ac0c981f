//! Why a node has another rank than under the current policy, in words.
//!
//! The first level on which the two orders diverge decides: there each policy compares two siblings, or two users directly,
//! by a number of its own.

use super::{Deciding, behind_a_tie, classic, pbs};
use crate::base::number::{counted, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::rules::policy::{
    Decision, ExplanationCache, Level, OrderDifference, Policy, RankDifference,
};

/// Returns the level on which the orders of two policies diverge, and what each of them compares there.
///
/// `views` are those of the current policy and of another one, and `found` compares them in this order.
pub(crate) fn difference(view: &View<'_>, other_view: &View<'_>, found: &RankDifference) -> Shown {
    let current = view.policy.title();
    let elsewhere = other_view.policy.title();
    let (worse, better) = if found.worse == 0 {
        (current, elsewhere)
    } else {
        (elsewhere, current)
    };
    let mut sentences = Vec::new();
    if let Some(order) = &found.order {
        let level = view.label(order.level);
        let current = compared(view, order.decisions[0]);
        let other = compared(other_view, order.decisions[1]);
        sentences.push(sentence!("Differs at {level}: {other}; {current}."));
        sentences.extend(others_ahead(view, order, worse));
    }
    if found.unranked > 0 {
        let users = grouped(found.unranked);
        let of_them = word_for(found.unranked, "user ranks", "users rank");
        let have = word_for(found.unranked, "has", "have");
        sentences.push(sentence!(
            "{users} {of_them} before it under {worse} and {have} no rank under {better}."
        ));
    }
    if sentences.is_empty() {
        return sentence!("{better} and {worse} count users that tie in different ways.");
    }
    Shown::joined(sentences, " ")
}

/// Returns how many users come before the node only under one policy. Of a single user the comparison says it.
fn others_ahead(view: &View<'_>, order: &OrderDifference, worse: &str) -> Option<Shown> {
    if view.tree.kind(order.sibling) != Kind::Account {
        return None;
    }
    let sibling = view.label(order.sibling);
    let users = counted(order.user_count, "user", "users");
    let rank = word_for(order.user_count, "ranks", "rank");
    Some(sentence!(
        "{users} of {sibling} {rank} before it only under {worse}."
    ))
}

/// Returns what a policy compares to put two users in order.
fn compared(view: &View<'_>, decision: Decision) -> Shown {
    let policy = view.policy.title();
    let Deciding {
        own,
        other,
        own_number,
        other_number,
        word,
    } = Deciding::of(view, &decision);
    let Some(behind) = decision.behind() else {
        let behind = behind_a_tie(view, &decision);
        return sentence!("under {policy} {own} and {other} tie ({word} {own_number}){behind}");
    };
    if view.policy.orders_by_level() {
        let tree = view.tree;
        let are_users = tree.is_user(decision.own) && tree.is_user(decision.other);
        let before = if are_users { "" } else { " first" };
        return sentence!(
            "{policy} compares {own} with {other}{before} ({word} {own_number} against {other_number})"
        );
    }
    match inherited(view, behind) {
        Some(inherited) => {
            let name = view.label(behind);
            sentence!(
                "{policy} lets {name} inherit {inherited} ({word}: {own} {own_number}, {other} {other_number})"
            )
        }
        None => sentence!(
            "{policy} compares {own} with {other} directly ({word} {own_number} against {other_number})"
        ),
    }
}

/// Returns which portion of whose usage counts for a user, if most of its effective usage comes from its account.
fn inherited(view: &View<'_>, user: NodeId) -> Option<Shown> {
    let memory = &mut ExplanationCache::default();
    let policy = view.policy;
    let settings = view.settings;
    let explanation = policy.explain(view.tree, settings, view.evaluation, memory, user);
    let level = explanation.levels.last()?;
    if level.account == NodeId::ROOT {
        return None;
    }
    let portion = match &explanation.pbs {
        Some(detail) if policy == Policy::Pbs => {
            let level = detail.levels.last()?;
            pbs::inherited_portion(level)?
        }
        None if policy == Policy::Classic => classic::inherited_portion(view, level)?,
        _ => return None,
    };
    let part = percent(portion);
    let usage = whose_usage(view, level);
    Some(sentence!("{part} of {usage}"))
}

/// Returns the usage of which a member of an account inherits a portion.
fn whose_usage(view: &View<'_>, level: &Level) -> Shown {
    let account = view.label(level.account);
    if view.tree.depth(level.account) > 1 {
        // It contains what the account itself inherits.
        return sentence!("the rest of {account}'s effective usage");
    }
    match level.heaviest_sibling {
        Some(sibling) if level.sibling_count == 1 => {
            let name = view.label(sibling);
            sentence!("what {name} used")
        }
        _ => sentence!("what the others in {account} used"),
    }
}
