//! The impact in one sentence, for the beginning of a ticket.

use super::another_number;
use super::changes::named;
use super::part;
use super::simulate::reset_left_out;
use crate::analysis::impact::{DilutedLevel, Effect, Impact, Move};
use crate::analysis::simulate::Decay;
use crate::base::number::{counted, grouped, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Scheduler};
use crate::report::impact::range;
use crate::report::path;
use crate::scenario::Scenario;

/// Returns the impact as one sentence, and what it leaves out as another.
pub fn summary(scenario: &Scenario, impact: &Impact) -> Shown {
    let mut clauses = Vec::new();
    if scenario.tree().part().is_some() {
        clauses.push(part::NO_RANK.into());
    } else if scenario.tree().lacks_column() {
        clauses.push("the source does not say what ranks are computed from".into());
    } else {
        clauses.push(moves(impact));
    }
    clauses.extend(extremes(scenario, impact));
    clauses.extend(unranked(impact));
    clauses.extend(new_and_gone(scenario, impact));
    clauses.extend(handed_down(scenario, impact));
    clauses.extend(diluted(scenario, impact));
    clauses.extend(settings(scenario, impact));
    clauses.extend(ties(impact));
    let changes = named(scenario, &impact.changes);
    let text = clauses.join("; ");
    let left_out = left_out(scenario).unwrap_or_default();
    let initial = match scenario.settings().scheduler {
        Some(Scheduler::Flux) if !impact.new_users.is_empty() => {
            " Flux gives a new association a fair-share of 0.5 until flux account-update-fshare runs."
        }
        _ => "",
    };
    sentence!("{changes}: {text}.{initial}{left_out}")
}

/// Returns what the clock leaves out, as a sentence; `None` if it leaves out nothing.
fn left_out(scenario: &Scenario) -> Option<Shown> {
    let settings = scenario.settings();
    let Decay::Slurm { reset, .. } = Decay::of(scenario.tree(), settings) else {
        return None;
    };
    if settings.time.passed == 0 {
        return None;
    }
    let clause = reset_left_out(reset?)?;
    Some(sentence!(" The {clause}."))
}

/// Returns how many users changed rank.
fn moves(impact: &Impact) -> Shown {
    if impact.moves.all.users == 0 {
        return "there are no users whose rank could change".into();
    }
    if impact.moves.all.moved() == 0 {
        return "no rank changes".into();
    }
    let count = impact.moves.all.moved();
    let moved = grouped(count);
    let users = counted(impact.moves.all.users, "user", "users");
    if impact.moves.all.later == 0 {
        let rise = word_for(count, "rises", "rise");
        return sentence!("{moved} of {users} {rise} in rank");
    }
    if impact.moves.all.earlier == 0 {
        let fall = word_for(count, "falls", "fall");
        return sentence!("{moved} of {users} {fall} in rank");
    }
    let rise = grouped(impact.moves.all.earlier);
    let fall = grouped(impact.moves.all.later);
    sentence!("{moved} of {users} change rank ({rise} rise, {fall} fall)")
}

/// Returns how one change moved the ranks: `35th to 26th; 9 others rise, 11 fall, 3 of them in untouched accounts`.
pub(crate) fn effect(effect: &Effect) -> Shown {
    let moved = moved_others(effect);
    let Some(ranks) = effect.edited else {
        return match moved {
            Some(moved) => moved,
            None if effect.is_of_part => part::NO_RANK.into(),
            None => "no rank changes".into(),
        };
    };
    let place = ordinal(ranks.after as usize);
    let own = if ranks.before == ranks.after {
        sentence!("stays {place}")
    } else {
        sentence!("{} to {place}", ordinal(ranks.before as usize))
    };
    match moved {
        Some(moved) => sentence!("{own}; {moved}"),
        None => sentence!("{own}; no other rank changes"),
    }
}

/// Returns how the users moved that were not edited; `None` if none did.
fn moved_others(effect: &Effect) -> Option<Shown> {
    let others = &effect.others;
    let first = if others.earlier > 0 {
        others.earlier
    } else {
        others.later
    };
    if first == 0 {
        return None;
    }
    let who = if effect.edited.is_some() {
        counted(first, "other", "others")
    } else {
        counted(first, "user", "users")
    };
    let rise = word_for(others.earlier, "rises", "rise");
    let fall = word_for(others.later, "falls", "fall");
    let moved = if others.later == 0 {
        sentence!("{who} {rise}")
    } else if others.earlier == 0 {
        sentence!("{who} {fall}")
    } else {
        sentence!("{who} {rise}, {} {fall}", grouped(others.later))
    };
    Some(match effect.untouched {
        0 => moved,
        count if count == others.moved() => sentence!("{moved}, in untouched accounts"),
        count => sentence!("{moved}, {} of them in untouched accounts", grouped(count)),
    })
}

/// Returns who gained and who lost most places; `None` if nobody moved.
fn extremes(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    let mut extremes = Vec::new();
    if let Some(gain) = impact.moves.all.best {
        extremes.push(sentence!("largest gain {}", step(scenario, gain)));
    }
    if let Some(drop) = impact.moves.all.worst {
        extremes.push(sentence!("largest drop {}", step(scenario, drop)));
    }
    if extremes.is_empty() {
        return None;
    }
    Some(Shown::joined(extremes, ", "))
}

/// Returns how a user moved: `group1/bob, 1 → 3`.
fn step(scenario: &Scenario, step: Move) -> Shown {
    let name = path(scenario.tree(), step.node);
    let before = grouped(step.before);
    sentence!("{name}, {before} → {}", grouped(step.after))
}

/// Returns how many users lost their rank; `None` if none did.
fn unranked(impact: &Impact) -> Option<Shown> {
    if impact.unranked == 0 {
        return None;
    }
    let verb = word_for(impact.unranked, "loses its", "lose their");
    let them = word_for(impact.unranked, "it", "them");
    let users = counted(impact.unranked, "user", "users");
    Some(sentence!(
        "{users} {verb} rank, because the policy excludes {them}"
    ))
}

/// Returns which users came and went, by name where it is one.
fn new_and_gone(scenario: &Scenario, impact: &Impact) -> Vec<Shown> {
    let mut clauses = Vec::new();
    match impact.new_users[..] {
        [] => {}
        [user] => {
            let name = path(scenario.tree(), user);
            clauses.push(match scenario.evaluation().rank(user) {
                Some(rank) => sentence!("{name} is new, at rank {}", grouped(rank)),
                None => sentence!("{name} is new, without a rank"),
            });
        }
        ref users => clauses.push(sentence!("{} users are new", grouped(users.len()))),
    }
    match impact.gone_users[..] {
        [] => {}
        [user] => {
            let name = path(&scenario.base().tree, user);
            clauses.push(match scenario.baseline().rank(user) {
                Some(rank) => sentence!("{name} is gone (rank {} before)", grouped(rank)),
                None => sentence!("{name} is gone (no rank before)"),
            });
        }
        ref users => clauses.push(sentence!("{} users are gone", grouped(users.len()))),
    }
    clauses
}

/// `the 9 accounts nobody touched lose 10.2% of their share each`.
fn diluted(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    match &impact.dilution.levels[..] {
        [] if !impact.changes.can_dilute() => None,
        [] => Some("nobody else is diluted".into()),
        [level] => Some(on_one_level(scenario, level)),
        levels => Some(on_several_levels(scenario, levels)),
    }
}

/// Returns who lost on several levels, in sum.
fn on_several_levels(scenario: &Scenario, levels: &[DilutedLevel]) -> Shown {
    let mut accounts = 0;
    let mut users = 0;
    let mut least = 1.0_f64;
    let mut most = 0.0_f64;
    for level in levels {
        accounts += level.accounts;
        users += level.users;
        least = least.min(level.least);
        most = most.max(level.most);
    }
    let nodes = scenario.settings().noun().and_users(accounts, users);
    let count = grouped(levels.len());
    let loss = loss(accounts + users == 1, least, most);
    sentence!("{nodes} on {count} levels that were not edited{loss}")
}

/// Returns who lost on a level.
fn on_one_level(scenario: &Scenario, level: &DilutedLevel) -> Shown {
    let place = if level.level == NodeId::ROOT {
        Shown::default()
    } else {
        sentence!(" of {}", path(scenario.tree(), level.level))
    };
    let below = if level.users_below == 0 {
        Shown::default()
    } else if scenario.tree().part().is_some() {
        let users = counted(level.users_below, "listed user", "listed users");
        sentence!(" ({users} affected)")
    } else {
        let users = counted(level.users_below, "user", "users");
        sentence!(" ({users} affected)")
    };
    let noun = scenario.settings().noun();
    let others = noun.and_users(level.accounts, level.users);
    let who = if !level.has_unlisted {
        sentence!("the other {others}{place}")
    } else if level.untouched() == 0 {
        sentence!("the members{place} that are not listed")
    } else {
        sentence!("the other {others}{place}, and those not listed,")
    };
    let is_one = level.untouched() == 1 && !level.has_unlisted;
    let loss = loss(is_one, level.least, level.most);
    sentence!("{who}{loss}{below}")
}

/// Returns how much of a share is lost, to follow whose it is: ` each lose 10.2% of their share`.
fn loss(is_one: bool, least: f64, most: f64) -> Shown {
    let range = range(least, most);
    if is_one {
        sentence!(" loses {range} of its share")
    } else if percent(least) == percent(most) {
        sentence!(" each lose {range} of their share")
    } else {
        sentence!(" lose {range} of their share")
    }
}

/// Returns how many users lost with an account that was edited; `None` if none did.
fn handed_down(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    let count = impact.dilution.users_with_account;
    if count == 0 {
        return None;
    }
    let verb = word_for(count, "loses", "lose");
    let their = word_for(count, "its", "their");
    let users = counted(count, "user", "users");
    let account = scenario.settings().noun().one;
    Some(sentence!(
        "{users} {verb} share with {their} edited {account}"
    ))
}

/// Returns what changed settings do; `None` if none changed, or no user is there.
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
    if impact.moves.all.users == 0 {
        return None;
    }
    let users = counted(impact.moves.all.users, "user", "users");
    let have = word_for(impact.other_factor, "has", "have");
    let changed = grouped(impact.other_factor);
    let another = another_number(scenario);
    Some(sentence!("{changed} of {users} {have} {another}"))
}

/// Returns how many users tie that did not before, and the reverse; `None` for neither.
fn ties(impact: &Impact) -> Option<Shown> {
    let ties = &impact.ties;
    let made = counted(ties.made.users, "user", "users");
    let broken = counted(ties.broken.users, "user", "users");
    match (ties.made.users, ties.broken.users) {
        (0, 0) => None,
        (_, 0) => Some(sentence!("{made} newly tied")),
        (0, _) => Some(sentence!("{broken} no longer tied")),
        (_, count) => Some(sentence!("{made} newly tied, {} no longer", grouped(count))),
    }
}
