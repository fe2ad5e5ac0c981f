//! The differences in sentences.

use super::on_its_own;
use crate::analysis::diff::{Cause, Diff, Pair, TargetShift};
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
        let [before, after] = [&setting.before, &setting.after].map(|text| value(text));
        lines.push(sentence!("{} was {before} and is {after}.", setting.key));
    }
    lines.extend(ranks(diff));
    lines.extend(diluted(diff));
    lines
}

fn value(text: &str) -> Shown {
    match text {
        "" => "not set".into(),
        text => shown(text.as_bytes()),
    }
}

/// Returns the order in which the changes were applied to attribute the moves.
pub fn order(causes: &[Cause]) -> Shown {
    let names = Shown::joined(causes.iter().map(|it| Shown::from(it.name())), ", ");
    sentence!("Places moved by each change, in the order applied: {names}.")
}

fn changed(diff: &Diff) -> Shown {
    let changes = &diff.changes;
    let (old, new) = (&diff.before.tree, &diff.after.tree);
    let noun = diff.after.settings.noun();
    let mut parts = Vec::new();
    for (tree, nodes, word) in [
        (new, &changes.added, "added"),
        (old, &changes.removed, "removed"),
    ] {
        if !nodes.is_empty() {
            parts.push(sentence!("{} {word}", kinds(noun, tree, nodes)));
        }
    }
    if !changes.moved.is_empty() {
        let moved: Vec<NodeId> = changes.moved.iter().map(|pair| pair.after).collect();
        let moved = kinds(noun, new, &moved);
        parts.push(sentence!("{moved} moved to another {}", noun.one));
    }
    let count = |differs: fn(&Tree, &Tree, Pair<NodeId>) -> bool| {
        let changed = changes.changed.iter();
        changed.filter(|&&pair| differs(old, new, pair)).count()
    };
    let renamed = count(|old, new, pair| old.name(pair.before) != new.name(pair.after));
    let shares = count(|old, new, pair| old.shares(pair.before) != new.shares(pair.after));
    let usage = count(|old, new, pair| old.usage(pair.before) != new.usage(pair.after));
    for (before, count, after) in [
        ("", renamed, " renamed"),
        ("shares of ", shares, " changed"),
        ("usage of ", usage, " changed"),
    ] {
        if count > 0 {
            let nodes = counted(count, "node", "nodes");
            parts.push(sentence!("{before}{nodes}{after}"));
        }
    }
    if parts.is_empty() {
        return "The same nodes, shares and usage.".into();
    }
    on_its_own(&parts.join("; "))
}

/// Returns the number of nodes by kind: `3 accounts and 41 users`.
fn kinds(noun: Noun, tree: &Tree, nodes: &[NodeId]) -> Shown {
    let is_account = |&&node: &&NodeId| tree.kind(node) == Kind::Account;
    let accounts = nodes.iter().filter(is_account).count();
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
    let earlier = moves.iter().filter(|user| user.places() > 0).count();
    let users = counted(users, "user", "users");
    let change = word_for(moves.len(), "changes", "change");
    let [moved, rise, fall] = [moves.len(), earlier, moves.len() - earlier].map(grouped);
    Some(sentence!(
        "{moved} of {users} {change} rank ({rise} rise, {fall} fall)."
    ))
}

/// Returns how the targets of unedited nodes changed; `None` if there are no such nodes.
pub(crate) fn diluted(diff: &Diff) -> Option<Shown> {
    let dilution = &diff.dilution();
    if dilution.untouched() == 0 {
        return None;
    }
    let noun = diff.after.settings.noun();
    let part = |word: &str, shift: &TargetShift, sign: &str| {
        let who = noun.and_users(shift.accounts, shift.users);
        let change = change(shift, sign);
        (shift.count() > 0).then(|| sentence!("{word}: {who} ({change})."))
    };
    let parts = [
        part("Diluted", &dilution.lost, "-"),
        part("Enriched", &dilution.gained, "+"),
    ];
    let shifts = match Shown::joined(parts.into_iter().flatten(), " ") {
        none if none.is_empty() => "None gained or lost more than 0.1% of its target.".into(),
        shifts => shifts,
    };
    let all = noun.and_users(dilution.accounts, dilution.users);
    Some(sentence!("Not edited: {all}. {shifts}"))
}

/// Returns the size of a shift: `-3.7%`, or the range from the smallest to the largest.
fn change(shift: &TargetShift, sign: &str) -> Shown {
    let [least, median, most] =
        [shift.least, shift.median, shift.most].map(|change| percent(change.abs()));
    if least == most {
        sentence!("{sign}{most}")
    } else {
        sentence!("{sign}{least} to {sign}{most}, median {sign}{median}")
    }
}
