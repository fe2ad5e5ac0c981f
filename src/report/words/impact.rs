//! The impact in one sentence, for the beginning of a ticket.

use super::another_number;
use super::part;
use super::simulate::reset_left_out;
use crate::analysis::simulate::Decay;
use crate::base::number::{counted, grouped, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Scheduler, Tree};
use crate::report::impact::{DilutedLevel, Effect, Impact, Move, range};
use crate::report::path;
use crate::scenario::Scenario;

/// Returns the impact as one sentence, and what it leaves out as another.
pub fn summary(scenario: &Scenario, impact: &Impact) -> Shown {
    let mut clauses = vec![if scenario.tree().part().is_some() {
        part::NO_RANK.into()
    } else if scenario.tree().lacks_column() {
        "the source does not say what ranks are computed from".into()
    } else {
        moves(impact)
    }];
    clauses.extend(extremes(scenario, impact));
    clauses.extend(unranked(impact));
    clauses.extend(new_and_gone(scenario, impact));
    clauses.extend(handed_down(scenario, impact));
    clauses.extend(diluted(scenario, impact));
    clauses.extend(settings(scenario, impact));
    clauses.extend(ties(impact));
    let (changes, clauses) = (impact.changes.named(scenario), clauses.join("; "));
    let left_out = left_out(scenario).unwrap_or_default();
    let initial = match scenario.settings().scheduler {
        Some(Scheduler::Flux) if !impact.new_users.is_empty() => {
            " Flux gives a new association a fair-share of 0.5 until flux account-update-fshare runs."
        }
        _ => "",
    };
    sentence!("{changes}: {clauses}.{initial}{left_out}")
}

fn left_out(scenario: &Scenario) -> Option<Shown> {
    let settings = scenario.settings();
    let Decay::Slurm { reset, .. } = Decay::of(scenario.tree(), settings) else {
        return None;
    };
    let clause = reset_left_out(reset.filter(|_| settings.time.passed > 0)?)?;
    Some(sentence!(" The {clause}."))
}

fn moves(impact: &Impact) -> Shown {
    if impact.all.users == 0 {
        return "there are no users whose rank could change".into();
    }
    if impact.all.moved() == 0 {
        return "no rank changes".into();
    }
    let moved = grouped(impact.all.moved());
    let users = counted(impact.all.users, "user", "users");
    let one = |verb, verbs| {
        let verb = word_for(impact.all.moved(), verb, verbs);
        sentence!("{moved} of {users} {verb} in rank")
    };
    match (impact.all.earlier, impact.all.later) {
        (_, 0) => one("rises", "rise"),
        (0, _) => one("falls", "fall"),
        (winners, losers) => {
            let [rise, fall] = [winners, losers].map(grouped);
            sentence!("{moved} of {users} change rank ({rise} rise, {fall} fall)")
        }
    }
}

/// Returns how one change moved the ranks: `35th to 26th; 9 others rise, 11 fall, 3 of them in untouched accounts`.
pub(crate) fn effect(effect: &Effect) -> Shown {
    let others = &effect.others;
    let who = |count| match effect.edited {
        Some(_) => counted(count, "other", "others"),
        None => counted(count, "user", "users"),
    };
    let rise = word_for(others.earlier, "rises", "rise");
    let fall = word_for(others.later, "falls", "fall");
    let moved = match (others.earlier, others.later) {
        (0, 0) => None,
        (earlier, 0) => Some(sentence!("{} {rise}", who(earlier))),
        (0, later) => Some(sentence!("{} {fall}", who(later))),
        (earlier, later) => Some(sentence!(
            "{} {rise}, {} {fall}",
            who(earlier),
            grouped(later)
        )),
    };
    let untouched = match effect.untouched {
        0 => Shown::default(),
        count if count == others.moved() => ", in untouched accounts".into(),
        count => sentence!(", {} of them in untouched accounts", grouped(count)),
    };
    let own = effect.edited.map(|ranks| {
        let [before, after] = ranks.map(|rank| ordinal(rank as usize));
        if before == after {
            sentence!("stays {before}")
        } else {
            sentence!("{before} to {after}")
        }
    });
    match (own, moved) {
        (None, None) if effect.is_of_part => part::NO_RANK.into(),
        (None, None) => "no rank changes".into(),
        (Some(own), None) => sentence!("{own}; no other rank changes"),
        (None, Some(moved)) => sentence!("{moved}{untouched}"),
        (Some(own), Some(moved)) => sentence!("{own}; {moved}{untouched}"),
    }
}

fn extremes(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    let extreme = |what: &str, step: Option<Move>| {
        let step = step?;
        let name = path(scenario.tree(), step.node);
        let [before, after] = [step.before, step.after].map(grouped);
        Some(sentence!("largest {what} {name}, {before} → {after}"))
    };
    let both = [
        extreme("gain", impact.all.best),
        extreme("drop", impact.all.worst),
    ];
    let both = Shown::joined(both.into_iter().flatten(), ", ");
    (!both.is_empty()).then_some(both)
}

fn unranked(impact: &Impact) -> Option<Shown> {
    let (verb, them) = match impact.unranked {
        0 => return None,
        1 => ("loses its", "it"),
        _ => ("lose their", "them"),
    };
    let users = counted(impact.unranked, "user", "users");
    Some(sentence!(
        "{users} {verb} rank, because the policy excludes {them}"
    ))
}

fn new_and_gone(scenario: &Scenario, impact: &Impact) -> Vec<Shown> {
    let told = |word: &str, users: &[NodeId], tree: &Tree, rank: &dyn Fn(NodeId) -> Shown| {
        Some(match *users {
            [] => return None,
            [user] => sentence!("{} is {word}{}", path(tree, user), rank(user)),
            _ => sentence!("{} users are {word}", grouped(users.len())),
        })
    };
    let rank = |user| match scenario.evaluation().rank(user) {
        Some(rank) => sentence!(", at rank {}", grouped(rank)),
        None => ", without a rank".into(),
    };
    let rank_before = |user| match scenario.baseline().rank(user) {
        Some(rank) => sentence!(" (rank {} before)", grouped(rank)),
        None => " (no rank before)".into(),
    };
    let base = &scenario.base().tree;
    let new = told("new", &impact.new_users, scenario.tree(), &rank);
    let gone = told("gone", &impact.gone_users, base, &rank_before);
    new.into_iter().chain(gone).collect()
}

/// `the 9 accounts nobody touched lose 10.2% of their share each`.
fn diluted(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    Some(match &impact.dilution.levels[..] {
        [] if !impact.changes.can_dilute() => return None,
        [] => "nobody else is diluted".into(),
        [level] => on_one_level(scenario, level),
        levels => {
            let accounts = levels.iter().map(|level| level.accounts).sum();
            let users = levels.iter().map(|level| level.users).sum();
            let least = levels.iter().map(|level| level.least).fold(1.0, f64::min);
            let most = levels.iter().map(|level| level.most).fold(0.0, f64::max);
            let is_one = accounts + users == 1;
            let (each, loses, its) = forms(is_one, least, most);
            let nodes = scenario.settings().noun().and_users(accounts, users);
            let (levels, range) = (grouped(levels.len()), range(least, most));
            sentence!(
                "{nodes} on {levels} levels that were not edited{each} {loses} {range} of {its} share"
            )
        }
    })
}

fn on_one_level(scenario: &Scenario, level: &DilutedLevel) -> Shown {
    let is_one = level.untouched() == 1 && !level.has_unlisted;
    let place = if level.level == NodeId::ROOT {
        Shown::default()
    } else {
        sentence!(" of {}", path(scenario.tree(), level.level))
    };
    let below = match level.users_below {
        0 => Shown::default(),
        users if scenario.tree().part().is_some() => {
            sentence!(
                " ({} affected)",
                counted(users, "listed user", "listed users")
            )
        }
        users => sentence!(" ({} affected)", counted(users, "user", "users")),
    };
    let noun = scenario.settings().noun();
    let others = noun.and_users(level.accounts, level.users);
    let who = match (level.untouched(), level.has_unlisted) {
        (0, true) => sentence!("the members{place} that are not listed"),
        (_, true) => sentence!("the other {others}{place}, and those not listed,"),
        (_, false) => sentence!("the other {others}{place}"),
    };
    let (each, loses, its) = forms(is_one, level.least, level.most);
    let range = range(level.least, level.most);
    sentence!("{who}{each} {loses} {range} of {its} share{below}")
}

/// Returns ` each` where all lose the same, the verb, and the pronoun.
fn forms(is_one: bool, least: f64, most: f64) -> (&'static str, &'static str, &'static str) {
    match percent(least) == percent(most) {
        _ if is_one => ("", "loses", "its"),
        true => (" each", "lose", "their"),
        false => ("", "lose", "their"),
    }
}

fn handed_down(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    let users = impact.dilution.users_with_account;
    let (verb, their) = match users {
        0 => return None,
        1 => ("loses", "its"),
        _ => ("lose", "their"),
    };
    let users = counted(users, "user", "users");
    let account = scenario.settings().noun().one;
    Some(sentence!(
        "{users} {verb} share with {their} edited {account}"
    ))
}

fn settings(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    if !impact.changes.has_settings() {
        return None;
    }
    if impact.other_factor == 0 && impact.appeared > 0 {
        let nodes = counted(impact.appeared, "node", "nodes");
        let appear = word_for(impact.appeared, "appears", "appear");
        return Some(sentence!(
            "{nodes} {appear} that the policy excluded before"
        ));
    }
    let users = counted(impact.all.users, "user", "users");
    let have = word_for(impact.other_factor, "has", "have");
    let changed = grouped(impact.other_factor);
    let another = another_number(scenario);
    (impact.all.users > 0).then(|| sentence!("{changed} of {users} {have} {another}"))
}

fn ties(impact: &Impact) -> Option<Shown> {
    let users = |count: usize| counted(count, "user", "users");
    match (impact.made.users, impact.broken.users) {
        (0, 0) => None,
        (made, 0) => Some(sentence!("{} newly tied", users(made))),
        (0, broken) => Some(sentence!("{} no longer tied", users(broken))),
        (made, broken) => {
            let (made, broken) = (users(made), grouped(broken));
            Some(sentence!("{made} newly tied, {broken} no longer"))
        }
    }
}
