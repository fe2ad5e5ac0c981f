//! Fair Tree's numbers in words.

use super::why::{
    self, Derivation, Step, Why, against, level_place, no_level_shares, number, rank_in_words,
};
use crate::base::number::{amount, counted, fraction, grouped, ordinal, percent, ratio};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Noun, TieOrder};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Explanation, Level, Policy, most_ahead};

pub(super) fn why(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Why {
    let sentence = sentence(view, explanation, levels);
    if levels.is_empty() {
        return (sentence, Vec::new());
    }
    let account = view.settings.noun().one;
    let visited = "S / U; the higher LevelFS ranks first, together with its whole subtree";
    let mut derivations = vec![
        Derivation::of("Shares", "S = shares / shares of the level")
            .along(levels, |level| shares(view, level)),
        Derivation::of("Usage", sentence!("U = usage / usage of the {account}"))
            .along(levels, |level| usage(view, level)),
        Derivation::of("LevelFS", visited).along(levels, |level| level_fs(view, level)),
    ];
    let node = explanation.node;
    if let Some(counter) = view.evaluation.number(ColumnId::SchedulerRank, node) {
        let users = amount(explanation.user_count as f64);
        let inputs = sentence!("{} / {users} = ", amount(counter));
        let factor = fraction(number(view, ColumnId::Factor, node));
        let factor = Step::of(view.label(node), inputs).gives(factor);
        let formula = "(users at this rank or below) / all users";
        derivations.push(Derivation::of("Factor", formula).with([factor]));
    }
    if let Some(last) = derivations.last_mut() {
        last.notes = notes(view, levels);
    }
    (sentence, derivations)
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, levels: &[Level]) -> Vec<Line> {
    vec![
        why::in_brief("Shares", levels, |level| shares(view, level)),
        why::in_brief("Usage", levels, |level| usage(view, level)),
        why::in_brief("LevelFS", levels, |level| level_fs(view, level)),
    ]
}

/// What is said of a level of which nothing tells the sum.
const NOT_LISTED: &str = "only a part of its level is listed";

fn shares(view: &View<'_>, level: &Level) -> Step {
    let name = view.label(level.node);
    if level.listed.is_unknown() {
        return Step::of(name, NOT_LISTED);
    }
    let Some(count) = level.shares.count() else {
        let account = view.label(level.account);
        let inputs = sentence!("`parent`: it has no shares of its own in {account}");
        return Step::of(name, inputs);
    };
    let inputs = match level.family_shares {
        0 => sentence!("{}: ", no_level_shares(level)),
        all => sentence!("{} / {} = ", grouped(count), amount(all as f64)),
    };
    Step::of(name, inputs).gives(fraction(number(view, ColumnId::NormShares, level.node)))
}

fn usage(view: &View<'_>, level: &Level) -> Step {
    if level.listed.is_unknown() {
        return Step::of(view.label(level.node), NOT_LISTED);
    }
    let used = |node| number(view, ColumnId::Usage, node);
    let whole = used(level.account);
    let inputs = if whole == 0.0 {
        let account = view.label(level.account);
        sentence!("nobody in {account} has used anything: ")
    } else {
        sentence!("{} / {} = ", amount(used(level.node)), amount(whole))
    };
    let part = fraction(number(view, ColumnId::EffectvUsage, level.node));
    Step::of(view.label(level.node), inputs).gives(part)
}

fn level_fs(view: &View<'_>, level: &Level) -> Step {
    let node = level.node;
    let name = view.label(node);
    if level.listed.is_unknown() {
        return Step::of(name, NOT_LISTED);
    }
    let share = number(view, ColumnId::NormShares, node);
    let used = number(view, ColumnId::EffectvUsage, node);
    let Some(value) = view.evaluation.number(ColumnId::LevelFs, node) else {
        let account = view.label(level.account);
        let inputs = sentence!("`parent`: its members compete directly in {account}");
        return Step::of(name, inputs);
    };
    let step = if level.shares.is_parent() {
        Step::of(name, "a user with shares `parent` has ").gives_as(Emphasis::Under, "inf")
    } else if share == 0.0 {
        Step::of(name, "no share gives ").gives_as(Emphasis::Over, "0")
    } else if used == 0.0 {
        Step::of(name, "a share without usage gives ").gives_as(Emphasis::Under, "inf")
    } else {
        let inputs = sentence!("{} / {} = ", fraction(share), fraction(used));
        Step::of(name, inputs).gives_as(against(used, share), ratio(value))
    };
    let ahead = level.sibling_ahead.map_or_else(Shown::default, |ahead| {
        let value = ratio(number(view, ColumnId::LevelFs, ahead));
        let just = match level.sibling_count {
            1 => "",
            _ => "just behind ",
        };
        sentence!(", {just}{} ({value})", view.label(ahead))
    });
    step.noting(level_place(level) + &ahead)
}

fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let node = explanation.node;
    let name = view.label(node);
    let strong = Line::strong(name.clone());
    let Some(own) = levels.last() else {
        let used = amount(number(view, ColumnId::Usage, node));
        let users = counted(explanation.user_count, "user", "users");
        return strong.plain(sentence!(
            " is the root: {users} below it, usage {used} in all."
        ));
    };
    let text = if own.listed.is_unknown() {
        NOT_LISTED.into()
    } else if view.evaluation.number(ColumnId::LevelFs, node).is_none() {
        let account = view.label(own.account);
        sentence!(
            "its shares are `parent`, so it does not compete itself. Its members compete directly in {account}"
        )
    } else {
        match decisive(view, node, levels) {
            None => unhindered(view, explanation, levels),
            Some(level) if level.node == node => {
                let place = place(view, own, "it is");
                sentence!("inside {place}; {}", cause(view, own, "it"))
            }
            Some(level) => {
                let cause = cause(view, &level, "which");
                let held_back = sentence!("it is held back by {}, {cause}", view.label(level.node));
                if own.sibling_count == 0 {
                    held_back
                } else {
                    let place = place(view, own, &sentence!("{name} is"));
                    sentence!("{held_back}. Inside {place}")
                }
            }
        }
    };
    let rank = rank_in_words(view, explanation);
    strong.plain(sentence!("{rank}: {text}."))
}

fn unhindered(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Shown {
    if levels.iter().any(|level| level.listed.is_part()) {
        return "none of its listed siblings ranks before it at any level".into();
    }
    match levels.iter().find(|level| is_tied_account(view, level)) {
        Some(level) if explanation.rank.is_some_and(|rank| rank > 1) => sentence!(
            "no sibling ranks before it at any level, but {} ties with others",
            view.label(level.node)
        ),
        _ if levels.iter().any(|level| level.siblings_ahead > 0) => sentence!(
            "ranks first at every level, apart from {} without users",
            view.settings.noun().many
        ),
        _ => "ranks first at every level".into(),
    }
}

/// Returns the level that holds a node back: the one where the siblings ahead hold the most users; the topmost of
/// equals. Siblings without users put no user ahead.
fn decisive(view: &View<'_>, node: NodeId, levels: &[Level]) -> Option<Level> {
    if view.evaluation.is_of_part() {
        return view.policy.most_over(view.tree, view.evaluation, levels);
    }
    let span = view.tree.order().span(node);
    let has_users = view.evaluation.ranks()[span].iter().any(|&rank| rank > 0);
    let found = most_ahead(levels, |level| {
        let value = view.evaluation.number(ColumnId::LevelFs, level.node);
        let is_behind = level.siblings_ahead > 0 && (level.users_ahead > 0 || !has_users);
        is_behind && value.is_some()
    });
    found.cloned()
}

/// Returns a node's place inside its account, which comes first, in words.
fn place(view: &View<'_>, level: &Level, subject: &str) -> Shown {
    let account = view.label(level.account);
    if level.listed.is_part() {
        return sentence!("{account}, {subject} {}", level_place(level));
    }
    let count = level.sibling_count + 1;
    let place = match level.siblings_ahead + 1 {
        last if last == count => "last".into(),
        1 => "first".into(),
        number => ordinal(number),
    };
    let tie = match level.siblings_tied {
        0 => "",
        _ => ", tied with others",
    };
    let count = amount(count as f64);
    sentence!("{account}, {subject} {place} of {count}{tie}")
}

/// Returns why a node is behind others: its usage compared with its share.
fn cause(view: &View<'_>, level: &Level, subject: &str) -> Shown {
    let of = |column| number(view, column, level.node);
    let share = of(ColumnId::NormShares);
    if share == 0.0 {
        return sentence!("{subject} has no shares (LevelFS 0)");
    }
    let times = of(ColumnId::EffectvUsage) / share;
    let value = ratio(of(ColumnId::LevelFs));
    if times >= 1.0 {
        return sentence!("{subject} has used {times:.2} times its share (LevelFS {value})");
    }
    let is_parent = |node: NodeId| view.tree.shares(node).is_parent();
    let others = if level.sibling_ahead.is_some_and(is_parent) {
        "users with shares `parent` rank first"
    } else {
        "others used less of theirs"
    };
    let times = percent(times);
    sentence!("{subject} has used {times} of its share (LevelFS {value}), but {others}")
}

fn is_tied_account(view: &View<'_>, level: &Level) -> bool {
    level.siblings_tied > 0
        && view.tree.kind(level.node) == Kind::Account
        && !level.shares.is_parent()
}

fn notes(view: &View<'_>, levels: &[Level]) -> Vec<Shown> {
    let mut notes = Vec::new();
    for level in levels.iter().filter(|level| level.has_wrapped) {
        let account = view.label(level.account);
        notes.push(match level.family_shares {
            0 => sentence!(
                "The shares of the members of {account} overflow 32 bits and add up to 0, so none of them has a share."
            ),
            all => sentence!(
                "The shares of the members of {account} overflow 32 bits; Slurm divides by the remainder, {}.",
                amount(all as f64)
            ),
        });
    }
    if let Some(level) = levels.iter().find(|level| is_tied_account(view, level)) {
        let name = view.label(level.node);
        let Noun { one, many, .. } = view.settings.noun();
        let listed = match view.settings.slurm.tie_order {
            TieOrder::Name => "by name",
            TieOrder::Lineage => "by lineage, as since 23.11",
            TieOrder::Newest => "the newest, as up to 23.02",
        };
        notes.push(match view.policy {
            Policy::FairTreeDocumented => sentence!(
                "All {many} that tie with {name} are merged with it: their children compete as if they were in one {one}."
            ),
            _ => sentence!(
                "Slurm does not merge {many} that tie with {name}: the one listed first ({listed}) ranks first, and the \
                 first user of the next one shares the rank of the user before it."
            ),
        });
    }
    if number(view, ColumnId::Usage, NodeId::ROOT) == 0.0 {
        let note = "Nobody has used anything yet, so everyone with shares ties at LevelFS inf.";
        notes.push(note.into());
    }
    notes
}
