//! The differences in sentences.

use super::on_its_own;
use crate::analysis::diff::{Cause, Diff, TargetShift};
use crate::base::number::{counted, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, Noun, Tree};

/// Returns the differences of two trees, one sentence each: the changes, the moves, and the targets of unedited nodes.
pub fn lines(diff: &Diff) -> Vec<Shown> {
    if diff.is_empty() {
        return vec!["Nothing differs.".into()];
    }
    let mut lines = vec![changed(diff)];
    for setting in &diff.changes.settings {
        let before = value(&setting.before);
        let after = value(&setting.after);
        lines.push(sentence!("{} was {before} and is {after}.", setting.key));
    }
    lines.extend(ranks(diff));
    lines.extend(diluted(diff));
    lines
}

/// Returns the value of a setting.
fn value(text: &str) -> Shown {
    match text {
        "" => "not set".into(),
        text => shown(text.as_bytes()),
    }
}

/// Returns the order in which the changes were applied to attribute the moves.
pub fn order(causes: &[Cause]) -> Shown {
    let mut names = Vec::new();
    for cause in causes {
        names.push(cause.name());
    }
    let listed = names.join(", ");
    sentence!("Places by each change, in the order applied: {listed}.")
}

/// Returns what was added, removed, moved and changed.
fn changed(diff: &Diff) -> Shown {
    let changes = &diff.changes;
    let old = &diff.before.tree;
    let new = &diff.after.tree;
    let noun = diff.after.settings.noun();
    let mut parts = Vec::new();
    if !changes.added.is_empty() {
        let added = kinds(noun, new, &changes.added);
        parts.push(sentence!("{added} added"));
    }
    if !changes.removed.is_empty() {
        let removed = kinds(noun, old, &changes.removed);
        parts.push(sentence!("{removed} removed"));
    }
    if !changes.moved.is_empty() {
        let mut nodes = Vec::new();
        for pair in &changes.moved {
            nodes.push(pair.after);
        }
        let moved = kinds(noun, new, &nodes);
        let account = noun.one;
        parts.push(sentence!("{moved} moved to another {account}"));
    }
    parts.extend(same_nodes(diff));
    if parts.is_empty() {
        return "The same nodes, shares and usage.".into();
    }
    on_its_own(&parts.join("; "))
}

/// Returns what changed about nodes of both trees.
fn same_nodes(diff: &Diff) -> Vec<Shown> {
    let old = &diff.before.tree;
    let new = &diff.after.tree;
    let mut renamed = 0;
    let mut other_shares = 0;
    let mut other_usage = 0;
    for pair in &diff.changes.changed {
        let before = pair.before;
        let after = pair.after;
        renamed += usize::from(old.name(before) != new.name(after));
        other_shares += usize::from(old.shares(before) != new.shares(after));
        other_usage += usize::from(old.usage(before) != new.usage(after));
    }
    let mut parts = Vec::new();
    if renamed > 0 {
        let nodes = counted(renamed, "node", "nodes");
        parts.push(sentence!("{nodes} renamed"));
    }
    if other_shares > 0 {
        let nodes = counted(other_shares, "node", "nodes");
        parts.push(sentence!("shares of {nodes} changed"));
    }
    if other_usage > 0 {
        let nodes = counted(other_usage, "node", "nodes");
        parts.push(sentence!("usage of {nodes} changed"));
    }
    parts
}

/// Returns the number of nodes by kind: `3 accounts and 41 users`.
fn kinds(noun: Noun, tree: &Tree, nodes: &[NodeId]) -> Shown {
    let mut accounts = 0;
    for &node in nodes {
        accounts += usize::from(tree.kind(node) == Kind::Account);
    }
    noun.and_users(accounts, nodes.len() - accounts)
}

/// Returns how many users changed rank; `None` if no user has a rank on both sides.
fn ranks(diff: &Diff) -> Option<Shown> {
    let users = diff.ranked_user_count();
    if users == 0 {
        return None;
    }
    let moves = diff.moves();
    if moves.is_empty() {
        return Some("No rank changes.".into());
    }
    let mut rising = 0;
    for user in moves {
        rising += usize::from(user.places() > 0);
    }
    let moved = grouped(moves.len());
    let all = counted(users, "user", "users");
    let change = word_for(moves.len(), "changes", "change");
    let rise = grouped(rising);
    let fall = grouped(moves.len() - rising);
    Some(sentence!(
        "{moved} of {all} {change} rank ({rise} rise, {fall} fall)."
    ))
}

/// Returns how the targets of unedited nodes changed; `None` if there are no such nodes.
pub(crate) fn diluted(diff: &Diff) -> Option<Shown> {
    let targets = diff.target_shifts();
    if targets.untouched() == 0 {
        return None;
    }
    let noun = diff.after.settings.noun();
    let mut shifts = Vec::new();
    if targets.lost.count() > 0 {
        let lost = shift(noun, &targets.lost, "-");
        shifts.push(sentence!("Diluted: {lost}."));
    }
    if targets.gained.count() > 0 {
        let gained = shift(noun, &targets.gained, "+");
        shifts.push(sentence!("Enriched: {gained}."));
    }
    if shifts.is_empty() {
        shifts.push("None gained or lost more than 0.1% of its target.".into());
    }
    let all = noun.and_users(targets.accounts, targets.users);
    let all_shifts = Shown::joined(shifts, " ");
    Some(sentence!("Not edited: {all}. {all_shifts}"))
}

/// Returns whose targets changed, and by how much: `3 users (-3.7%)`, or the range from the smallest to the largest.
fn shift(noun: Noun, shift: &TargetShift, sign: &str) -> Shown {
    let who = noun.and_users(shift.accounts, shift.users);
    let least = percent(shift.least.abs());
    let median = percent(shift.median.abs());
    let most = percent(shift.most.abs());
    if least == most {
        return sentence!("{who} ({sign}{most})");
    }
    sentence!("{who} ({sign}{least} to {sign}{most}, median {sign}{median})")
}
