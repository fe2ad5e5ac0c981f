//! Fair Tree's numbers in words.

use super::classic::no_level_shares;
use super::standing::{against, among, rank_in_words};
use super::steps::Steps;
use super::{Emphasis, Line, heading};
use crate::base::number::{amount, counted, fraction, grouped, ordinal, percent, ratio};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Noun, TieOrder};
use crate::report::View;
use crate::rules::policy::{ColumnId, Explanation, Level, Policy};

/// Returns the sentence, then shares, usage and Level FS level by level, the factor, and notes on unusual levels.
pub(super) fn lines(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Vec<Line> {
    let mut lines = vec![sentence(view, explanation, levels)];
    if levels.is_empty() {
        return lines;
    }
    let nodes = levels.iter().map(|level| level.node);
    let steps = Steps::new(view, nodes.collect());

    lines.push(Line::default());
    lines.push(heading("Shares", "S = shares / shares of the level"));
    steps.each(&mut lines, |index, label| {
        shares(view, &levels[index], label)
    });
    lines.push(heading(
        "Usage",
        &sentence!("U = usage / usage of the {}", view.settings.noun().one),
    ));
    steps.each(&mut lines, |index, label| {
        usage(view, &levels[index], label)
    });
    lines.push(heading(
        "LevelFS",
        "S / U; the higher LevelFS ranks first, together with its whole subtree",
    ));
    steps.each(&mut lines, |index, label| {
        level_fs(view, &levels[index], label)
    });
    if let Some(counter) = view
        .evaluation
        .number(ColumnId::SchedulerRank, explanation.node)
    {
        lines.push(heading(
            "Factor",
            "(users at this rank or below) / all users",
        ));
        let factor = view.evaluation.number(ColumnId::Factor, explanation.node);
        lines.push(
            Line::from(sentence!(
                "{}{} / {} = ",
                steps.label(explanation.node),
                amount(counter),
                amount(explanation.user_count as f64)
            ))
            .and(Emphasis::Strong, fraction(factor.unwrap_or(f64::NAN))),
        );
    }
    let notes = notes(view, levels).into_iter();
    lines.extend(notes.map(|note| Line::of(Emphasis::Dim, note)));
    lines
}

fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> Option<f64> {
    view.evaluation.number(column, node)
}

fn shares(view: &View<'_>, level: &Level, label: &str) -> Line {
    let Some(count) = level.shares.count() else {
        return Line::from(sentence!(
            "{label}`parent`: it has no shares of its own in {}",
            view.label(level.account)
        ));
    };
    let share = number(view, ColumnId::NormShares, level.node);
    if level.family_shares == 0 {
        return Line::from(sentence!("{label}{}: ", no_level_shares(level)))
            .and(Emphasis::Strong, fraction(share.unwrap_or(f64::NAN)));
    }
    Line::from(sentence!(
        "{label}{} / {} = ",
        grouped(count),
        amount(level.family_shares as f64)
    ))
    .and(Emphasis::Strong, fraction(share.unwrap_or(f64::NAN)))
}

fn usage(view: &View<'_>, level: &Level, label: &str) -> Line {
    let used = |node| number(view, ColumnId::Usage, node).unwrap_or(f64::NAN);
    let part = number(view, ColumnId::EffectvUsage, level.node).unwrap_or(f64::NAN);
    let whole = used(level.account);
    if whole == 0.0 {
        return Line::from(sentence!(
            "{label}nobody in {} has used anything: ",
            view.label(level.account)
        ))
        .and(Emphasis::Strong, fraction(part));
    }
    Line::from(sentence!(
        "{label}{} / {} = ",
        amount(used(level.node)),
        amount(whole)
    ))
    .and(Emphasis::Strong, fraction(part))
}

fn level_fs(view: &View<'_>, level: &Level, label: &str) -> Line {
    let share = number(view, ColumnId::NormShares, level.node).unwrap_or(f64::NAN);
    let used = number(view, ColumnId::EffectvUsage, level.node).unwrap_or(f64::NAN);
    let account = view.label(level.account);
    let Some(value) = number(view, ColumnId::LevelFs, level.node) else {
        return Line::from(sentence!(
            "{label}`parent`: its members compete directly in {account}"
        ));
    };
    let line = if level.shares.is_parent() {
        Line::from(sentence!("{label}a user with shares `parent` has ")).and(Emphasis::Under, "inf")
    } else if share == 0.0 {
        Line::from(sentence!("{label}no share gives ")).and(Emphasis::Over, "0")
    } else if used == 0.0 {
        Line::from(sentence!("{label}a share without usage gives ")).and(Emphasis::Under, "inf")
    } else {
        Line::from(sentence!(
            "{label}{} / {} = ",
            fraction(share),
            fraction(used)
        ))
        .and(against(used, share), ratio(value))
    };
    line.and(Emphasis::Dim, sentence!("; {}", standing(view, level)))
}

/// Returns the place of a node among its siblings and the one just ahead of it, in words.
fn standing(view: &View<'_>, level: &Level) -> Shown {
    let place = among(
        level.siblings_ahead,
        level.sibling_count,
        level.siblings_tied,
    );
    let neighbour = level.sibling_ahead.map_or_else(Shown::default, |ahead| {
        let value = number(view, ColumnId::LevelFs, ahead).unwrap_or(f64::NAN);
        let just = if level.sibling_count == 1 {
            ""
        } else {
            "just behind "
        };
        sentence!(", {just}{} ({})", view.label(ahead), ratio(value))
    });
    place + &neighbour
}

/// Returns the explanation as an admin would give it to a user.
fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let node = explanation.node;
    let name = view.label(node);
    let strong = Line::of(Emphasis::Strong, name.clone());
    let Some(own) = levels.last() else {
        let used = number(view, ColumnId::Usage, node).unwrap_or(f64::NAN);
        let users = counted(explanation.user_count, "user", "users");
        return strong.and(
            Emphasis::Plain,
            sentence!(
                " is the root: {users} below it, usage {} in all.",
                amount(used)
            ),
        );
    };
    let opening = sentence!("{}: ", rank_in_words(view, explanation));
    if number(view, ColumnId::LevelFs, node).is_none() {
        let account = view.label(own.account);
        let text = sentence!(
            "its shares are `parent`, so it does not compete itself. Its members compete directly in {account}."
        );
        return strong.and(Emphasis::Plain, opening + &text);
    }
    let text = match decisive(view, node, levels) {
        None => match levels.iter().find(|level| is_tied_account(view, level)) {
            Some(level) if explanation.rank.is_some_and(|rank| rank > 1) => sentence!(
                "no sibling ranks before it at any level, but {} ties with others",
                view.label(level.node)
            ),
            _ if levels.iter().any(|level| level.siblings_ahead > 0) => {
                sentence!(
                    "ranks first at every level, apart from {} without users",
                    view.settings.noun().many
                )
            }
            _ => "ranks first at every level".into(),
        },
        Some(level) if level.node == node => {
            sentence!(
                "inside {}; {}",
                place(view, own, "it is"),
                cause(view, own, "it")
            )
        }
        Some(level) => {
            let held_back = sentence!(
                "it is held back by {}, {}",
                view.label(level.node),
                cause(view, level, "which")
            );
            let is = sentence!("{name} is");
            match own.sibling_count {
                0 => held_back,
                _ => sentence!("{held_back}. Inside {}", place(view, own, &is)),
            }
        }
    };
    strong.and(Emphasis::Plain, sentence!("{opening}{text}."))
}

/// Returns the level that holds a node back: the one where the siblings ahead hold the most users; the topmost of
/// equals. Siblings without users put no user ahead.
fn decisive<'a>(view: &View<'_>, node: NodeId, levels: &'a [Level]) -> Option<&'a Level> {
    let span = view.tree.order().span(node);
    let has_users = view.evaluation.ranks()[span].iter().any(|&rank| rank > 0);
    let has_number = |level: &&Level| number(view, ColumnId::LevelFs, level.node).is_some();
    let behind = levels
        .iter()
        .filter(|level| level.siblings_ahead > 0 && (level.users_ahead > 0 || !has_users))
        .filter(has_number);
    behind.reduce(|first, level| {
        if level.users_ahead > first.users_ahead {
            level
        } else {
            first
        }
    })
}

/// Returns a node's place inside its account, which comes first, in words.
fn place(view: &View<'_>, level: &Level, subject: &str) -> Shown {
    let account = view.label(level.account);
    let count = level.sibling_count + 1;
    let number = level.siblings_ahead + 1;
    let place = if number == count {
        "last".into()
    } else if number == 1 {
        "first".into()
    } else {
        ordinal(number)
    };
    let tie = if level.siblings_tied > 0 {
        ", tied with others"
    } else {
        ""
    };
    sentence!(
        "{account}, {subject} {place} of {}{tie}",
        amount(count as f64)
    )
}

/// Returns why a node is behind others: its usage compared with its share.
fn cause(view: &View<'_>, level: &Level, subject: &str) -> Shown {
    let share = number(view, ColumnId::NormShares, level.node).unwrap_or(f64::NAN);
    let used = number(view, ColumnId::EffectvUsage, level.node).unwrap_or(f64::NAN);
    let value = number(view, ColumnId::LevelFs, level.node).unwrap_or(f64::NAN);
    if share == 0.0 {
        return sentence!("{subject} has no shares (LevelFS 0)");
    }
    let times = used / share;
    let value = ratio(value);
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

/// Whether a level is a tied account with shares of its own.
fn is_tied_account(view: &View<'_>, level: &Level) -> bool {
    level.siblings_tied > 0
        && view.tree.kind(level.node) == Kind::Account
        && !level.shares.is_parent()
}

/// Returns notes on unusual levels of the path, in words.
fn notes(view: &View<'_>, levels: &[Level]) -> Vec<Shown> {
    let mut notes = Vec::new();
    for level in levels.iter().filter(|level| level.has_wrapped) {
        let account = view.label(level.account);
        notes.push(if level.family_shares == 0 {
            sentence!(
                "The shares of the members of {account} overflow 32 bits and add up to 0, so none of them has a share."
            )
        } else {
            sentence!(
                "The shares of the members of {account} overflow 32 bits; Slurm divides by the remainder, {}.",
                amount(level.family_shares as f64)
            )
        });
    }
    if let Some(level) = levels.iter().find(|level| is_tied_account(view, level)) {
        let name = view.label(level.node);
        let Noun { one, many, .. } = view.settings.noun();
        notes.push(match view.policy {
            Policy::FairTreeDocumented => sentence!(
                "All {many} that tie with {name} are merged with it: their children compete as if they were in one {one}."
            ),
            _ => sentence!(
                "Slurm does not merge {many} that tie with {name}: the one listed first ({}) ranks first, and the \
                 first user of the next one shares the rank of the user before it.",
                listed(view.settings.slurm.tie_order)
            ),
        });
    }
    if number(view, ColumnId::Usage, NodeId::ROOT) == Some(0.0) {
        notes.push(
            "Nobody has used anything yet, so everyone with shares ties at LevelFS inf.".into(),
        );
    }
    notes
}

/// Returns which account Slurm lists first, in words.
fn listed(order: TieOrder) -> &'static str {
    match order {
        TieOrder::Name => "by name",
        TieOrder::Lineage => "by lineage, as since 23.11",
        TieOrder::Newest => "the newest, as up to 23.02",
    }
}
