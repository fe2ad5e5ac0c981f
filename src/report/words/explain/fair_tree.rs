//! Fair Tree's numbers in words.
//!
//! Siblings are compared by `LevelFS`, shares over usage of their level, and the higher one takes its whole subtree with it:
//! nothing that happens on another level counts.

use super::why::{
    self, Derivation, PathLevel, Step, Why, against, level_place, no_level_shares, number,
    rank_in_words, root_usage,
};
use crate::base::number::{amount, counted, fraction, grouped, ordinal, percent, ratio};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, Listing, NodeId, Noun, TieOrder};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Explanation, Level, Policy, most_ahead};

/// Returns why a node has its rank.
pub(super) fn why(view: &View<'_>, explanation: &Explanation) -> Why {
    let levels = &explanation.levels;
    let sentence = sentence(view, explanation);
    if levels.is_empty() {
        return sentence.into();
    }
    let path = PathLevel::path(view, levels);
    let account = view.settings.noun().one;
    let of_level = "S = shares / shares of the level";
    let of_account = sentence!("U = usage / usage of the {account}");
    let visited = "S / U; the higher LevelFS ranks first, together with its whole subtree";
    let mut derivations = vec![
        Derivation::of("Shares", of_level).along(&path, shares),
        Derivation::of("Usage", of_account).along(&path, usage),
        Derivation::of("LevelFS", visited).along(&path, level_fs),
    ];
    derivations.extend(factor(view, explanation));
    if let Some(last) = derivations.last_mut() {
        last.notes = notes(view, levels);
    }
    Why {
        sentence,
        derivations,
    }
}

/// Returns how a user's factor follows from its rank; `None` without one.
fn factor(view: &View<'_>, explanation: &Explanation) -> Option<Derivation> {
    let node = explanation.node;
    let evaluation = view.evaluation;
    let counter = evaluation.number(ColumnId::SchedulerRank, node)?;
    let counter = amount(counter);
    let users = amount(explanation.user_count as f64);
    let factor = fraction(number(view, ColumnId::Factor, node));
    let name = view.label(node);
    let step = Step::of(name, sentence!("{counter} / {users} = "));
    let formula = "(users at this rank or below) / all users";
    let derivation = Derivation::of("Factor", formula);
    Some(derivation.with([step.gives(factor)]))
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, levels: &[Level]) -> Vec<Line> {
    let path = PathLevel::path(view, levels);
    vec![
        why::in_brief("Shares", &path, shares),
        why::in_brief("Usage", &path, usage),
        why::in_brief("LevelFS", &path, level_fs),
    ]
}

/// What is said of a level of which nothing tells the sum.
const NOT_LISTED: &str = "only a part of its level is listed";

/// Returns the portion of the shares of a level.
fn shares(level: &PathLevel<'_>) -> Step {
    let own = level.own;
    if own.listed.is_unknown() {
        return level.step(NOT_LISTED);
    }
    let Some(count) = own.shares.count() else {
        let account = level.account_name();
        return level.step(sentence!(
            "`parent`: it has no shares of its own in {account}"
        ));
    };
    let inputs = if own.family_shares == 0 {
        let reason = no_level_shares(own);
        sentence!("{reason}: ")
    } else {
        let shares = grouped(count);
        let all = amount(own.family_shares as f64);
        sentence!("{shares} / {all} = ")
    };
    let portion = level.fraction(ColumnId::NormShares);
    level.step(inputs).gives(portion)
}

/// Returns the portion of the usage of a level.
fn usage(level: &PathLevel<'_>) -> Step {
    if level.own.listed.is_unknown() {
        return level.step(NOT_LISTED);
    }
    let whole = level.account_usage();
    let inputs = if whole == 0.0 {
        let account = level.account_name();
        sentence!("nobody in {account} has used anything: ")
    } else {
        let used = amount(level.usage());
        let all = amount(whole);
        sentence!("{used} / {all} = ")
    };
    let portion = level.fraction(ColumnId::EffectvUsage);
    level.step(inputs).gives(portion)
}

/// Returns the `LevelFS` of a level, and the place that it gives.
fn level_fs(level: &PathLevel<'_>) -> Step {
    let own = level.own;
    if own.listed.is_unknown() {
        return level.step(NOT_LISTED);
    }
    let evaluation = level.view.evaluation;
    let Some(value) = evaluation.number(ColumnId::LevelFs, own.node) else {
        let account = level.account_name();
        return level.step(sentence!(
            "`parent`: its members compete directly in {account}"
        ));
    };
    let share = level.target();
    let used = level.effective_usage();
    let step = if own.shares.is_parent() {
        let step = level.step("a user with shares `parent` has ");
        step.gives_as(Emphasis::Under, "inf")
    } else if share == 0.0 {
        let step = level.step("no share gives ");
        step.gives_as(Emphasis::Over, "0")
    } else if used == 0.0 {
        let step = level.step("a share without usage gives ");
        step.gives_as(Emphasis::Under, "inf")
    } else {
        let portion = fraction(share);
        let used_portion = fraction(used);
        let inputs = sentence!("{portion} / {used_portion} = ");
        let step = level.step(inputs);
        step.gives_as(against(used, share), ratio(value))
    };
    step.noting(level_place(own) + &sibling_ahead(level))
}

/// Returns the sibling ahead with its `LevelFS`, to follow the place of a level; empty for the first.
fn sibling_ahead(level: &PathLevel<'_>) -> Shown {
    let Some(ahead) = level.own.sibling_ahead else {
        return Shown::default();
    };
    let name = level.view.label(ahead);
    let value = ratio(number(level.view, ColumnId::LevelFs, ahead));
    if level.own.sibling_count == 1 {
        return sentence!(", {name} ({value})");
    }
    sentence!(", just behind {name} ({value})")
}

/// Returns the sentence of a node: its rank, and the level that holds it back.
fn sentence(view: &View<'_>, explanation: &Explanation) -> Line {
    let levels = &explanation.levels;
    let node = explanation.node;
    let name = Line::strong(view.label(node));
    if levels.is_empty() {
        let usage = number(view, ColumnId::Usage, node);
        let used = amount(usage);
        let users = counted(explanation.user_count, "user", "users");
        return name.plain(sentence!(
            " is the root: {users} below it, usage {used} in all."
        ));
    }
    let rank = rank_in_words(view, explanation);
    let reason = reason(view, explanation);
    name.plain(sentence!("{rank}{reason}."))
}

/// Returns why a node has its rank, to follow the rank: behind a comma the account above that holds it back, behind a colon
/// any other reason. Empty for the root.
fn reason(view: &View<'_>, explanation: &Explanation) -> Shown {
    let levels = &explanation.levels;
    let node = explanation.node;
    let Some(own) = levels.last() else {
        return Shown::default();
    };
    if own.listed.is_unknown() {
        return sentence!(": {NOT_LISTED}");
    }
    let level_fs = view.evaluation.number(ColumnId::LevelFs, node);
    if level_fs.is_none() {
        let account = view.label(own.account);
        return sentence!(
            ": its shares are `parent`, so it does not compete itself. Its members compete directly in {account}"
        );
    }
    let Some(decisive) = decisive(view, node, levels) else {
        return sentence!(": {}", unhindered(view, explanation));
    };
    if decisive.node == node {
        let place = place(view, own, "it is");
        let cause = cause(view, own, "it");
        return sentence!(": inside {place}; {cause}");
    }
    let held_back = sentence!(
        ", held back by {}, {}",
        view.label(decisive.node),
        cause(view, &decisive, "which")
    );
    if own.sibling_count == 0 {
        return held_back;
    }
    let subject = sentence!("{} is", view.label(node));
    let place = place(view, own, &subject);
    sentence!("{held_back}. Inside {place}")
}

/// Returns that no level holds a node back.
fn unhindered(view: &View<'_>, explanation: &Explanation) -> Shown {
    let levels = &explanation.levels;
    if levels.iter().any(|level| level.listed.is_part()) {
        return "none of its listed siblings ranks before it at any level".into();
    }
    if let Some(level) = tied_account(view, levels)
        && let Some(2..) = explanation.rank
    {
        let name = view.label(level.node);
        return sentence!("no sibling ranks before it at any level, but {name} ties with others");
    }
    if levels.iter().any(|level| level.siblings_ahead > 0) {
        let many = view.settings.noun().many;
        return sentence!("ranks first at every level, apart from {many} without users");
    }
    "ranks first at every level".into()
}

/// Returns the level that holds a node back: the one where the siblings ahead hold the most users; the topmost of
/// equals. Siblings without users put no user ahead.
fn decisive(view: &View<'_>, node: NodeId, levels: &[Level]) -> Option<Level> {
    let evaluation = view.evaluation;
    if evaluation.is_of_part() {
        return view.policy.most_over(view.tree, evaluation, levels);
    }
    let has_users = has_ranked_users(view, node);
    let found = most_ahead(levels, |level| {
        let value = evaluation.number(ColumnId::LevelFs, level.node);
        let may_decide = level.users_ahead > 0 || !has_users;
        level.siblings_ahead > 0 && may_decide && value.is_some()
    });
    found.cloned()
}

/// Returns whether any user in the subtree of a node has a rank.
fn has_ranked_users(view: &View<'_>, node: NodeId) -> bool {
    let span = view.tree.order().span(node);
    let ranks = &view.evaluation.ranks()[span];
    ranks.iter().any(|&rank| rank > 0)
}

/// Returns a node's place inside its account, which comes first, in words.
fn place(view: &View<'_>, level: &Level, subject: &str) -> Shown {
    let account = view.label(level.account);
    if level.listed.is_part() {
        let place = level_place(level);
        return sentence!("{account}, {subject} {place}");
    }
    let place = if level.siblings_ahead == level.sibling_count {
        "last".into()
    } else if level.siblings_ahead == 0 {
        "first".into()
    } else {
        ordinal(level.siblings_ahead + 1)
    };
    let tie = if level.siblings_tied == 0 {
        ""
    } else {
        ", tied with others"
    };
    let count = amount((level.sibling_count + 1) as f64);
    sentence!("{account}, {subject} {place} of {count}{tie}")
}

/// Returns why a node is behind others: its usage compared with its share.
fn cause(view: &View<'_>, level: &Level, subject: &str) -> Shown {
    let own = PathLevel { view, own: level };
    let share = own.target();
    if share == 0.0 {
        return sentence!("{subject} has no shares (LevelFS 0)");
    }
    let times = own.effective_usage() / share;
    let value = ratio(own.number(ColumnId::LevelFs));
    if times >= 1.0 {
        return sentence!("{subject} has used {times:.2} times its share (LevelFS {value})");
    }
    let part = percent(times);
    let used = sentence!("{subject} has used {part} of its share (LevelFS {value})");
    if let Some(ahead) = level.sibling_ahead
        && view.tree.shares(ahead).is_parent()
    {
        return sentence!("{used}, but users with shares `parent` rank first");
    }
    sentence!("{used}, but others used less of theirs")
}

/// Returns the topmost account of a path that ties with siblings.
fn tied_account<'l>(view: &View<'_>, levels: &'l [Level]) -> Option<&'l Level> {
    levels.iter().find(|level| {
        level.siblings_tied > 0
            && view.tree.kind(level.node) == Kind::Account
            && !level.shares.is_parent()
    })
}

/// Returns what is odd about the numbers of a path.
fn notes(view: &View<'_>, levels: &[Level]) -> Vec<Shown> {
    let mut notes = Vec::new();
    for level in levels {
        if level.has_wrapped {
            notes.push(wrapped_shares(view, level));
        }
    }
    if let Some(level) = tied_account(view, levels) {
        notes.push(tie_note(view, level));
    }
    if root_usage(view) == 0.0 {
        let note = "Nobody has used anything yet, so everyone with shares ties at LevelFS inf.";
        notes.push(note.into());
    }
    notes
}

/// Returns what Slurm makes of a sum of shares beyond 32 bits.
fn wrapped_shares(view: &View<'_>, level: &Level) -> Shown {
    let account = view.label(level.account);
    if level.family_shares == 0 {
        return sentence!(
            "The shares of the members of {account} overflow 32 bits and add up to 0, so none of them has a share."
        );
    }
    let remainder = amount(level.family_shares as f64);
    sentence!(
        "The shares of the members of {account} overflow 32 bits; Slurm divides by the remainder, {remainder}."
    )
}

/// Names the order in which Slurm lists an account among those that tie with it.
fn order_of_accounts(view: &View<'_>, account: NodeId) -> &'static str {
    let tie_order = view.settings.slurm.tie_order;
    match view.tree.listing() {
        Some(Listing::Updated) => "by name, as up to 23.02 once an association is updated",
        Some(listing) if listing.has(tie_order, account) => "as the printed ranks show",
        _ => match tie_order {
            TieOrder::Name => "by name",
            TieOrder::Lineage => "by lineage, as since 23.11",
            TieOrder::Newest => "the newest, as up to 23.02",
        },
    }
}

/// Returns what becomes of accounts that tie.
fn tie_note(view: &View<'_>, level: &Level) -> Shown {
    let name = view.label(level.node);
    let Noun { one, many, .. } = view.settings.noun();
    if view.policy == Policy::FairTreeDocumented {
        return sentence!(
            "All {many} that tie with {name} are merged with it: their children compete as if they were in one {one}."
        );
    }
    let listed = order_of_accounts(view, level.node);
    sentence!(
        "Slurm does not merge {many} that tie with {name}: the one listed first ({listed}) ranks first, and the \
         first user of the next one shares the rank of the user before it."
    )
}
