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
    let all = &impact.moves.all;
    if all.users == 0 {
        return "there are no users whose rank could change".into();
    }
    let count = all.moved();
    if count == 0 {
        return "no rank changes".into();
    }
    let moved = grouped(count);
    let users = counted(all.users, "user", "users");
    if all.later == 0 {
        let rise = word_for(count, "rises", "rise");
        return sentence!("{moved} of {users} {rise} in rank");
    }
    if all.earlier == 0 {
        let fall = word_for(count, "falls", "fall");
        return sentence!("{moved} of {users} {fall} in rank");
    }
    let rise = grouped(all.earlier);
    let fall = grouped(all.later);
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
        let before = ordinal(ranks.before as usize);
        sentence!("{before} to {place}")
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
        let later = grouped(others.later);
        sentence!("{who} {rise}, {later} {fall}")
    };
    let untouched = effect.untouched;
    if untouched == 0 {
        return Some(moved);
    }
    if untouched == others.moved() {
        return Some(sentence!("{moved}, in untouched accounts"));
    }
    let count = grouped(untouched);
    Some(sentence!("{moved}, {count} of them in untouched accounts"))
}

/// Returns who gained and who lost most places; `None` if nobody moved.
fn extremes(scenario: &Scenario, impact: &Impact) -> Option<Shown> {
    let mut extremes = Vec::new();
    if let Some(gain) = impact.moves.all.best {
        let gain = step(scenario, gain);
        extremes.push(sentence!("largest gain {gain}"));
    }
    if let Some(drop) = impact.moves.all.worst {
        let drop = step(scenario, drop);
        extremes.push(sentence!("largest drop {drop}"));
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
    let after = grouped(step.after);
    sentence!("{name}, {before} → {after}")
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
    clauses.extend(new_users(scenario, &impact.new_users));
    clauses.extend(gone_users(scenario, &impact.gone_users));
    clauses
}

/// Returns which users came; `None` if none did.
fn new_users(scenario: &Scenario, users: &[NodeId]) -> Option<Shown> {
    let &[user] = users else {
        return some_users(users, "new");
    };
    let name = path(scenario.tree(), user);
    let Some(rank) = scenario.evaluation().rank(user) else {
        return Some(sentence!("{name} is new, without a rank"));
    };
    let rank = grouped(rank);
    Some(sentence!("{name} is new, at rank {rank}"))
}

/// Returns which users went; `None` if none did.
fn gone_users(scenario: &Scenario, users: &[NodeId]) -> Option<Shown> {
    let &[user] = users else {
        return some_users(users, "gone");
    };
    let name = path(&scenario.base().tree, user);
    let Some(rank) = scenario.baseline().rank(user) else {
        return Some(sentence!("{name} is gone (no rank before)"));
    };
    let rank = grouped(rank);
    Some(sentence!("{name} is gone (rank {rank} before)"))
}

/// Returns how many users are new or gone; `None` if none are.
fn some_users(users: &[NodeId], what: &'static str) -> Option<Shown> {
    if users.is_empty() {
        return None;
    }
    let count = grouped(users.len());
    Some(sentence!("{count} users are {what}"))
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
    let tree = scenario.tree();
    let mut place = Shown::default();
    if level.level != NodeId::ROOT {
        let account = path(tree, level.level);
        place = sentence!(" of {account}");
    }
    let below = below_level(scenario, level);
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

/// Returns how many users below a level lost with its members; empty for none.
fn below_level(scenario: &Scenario, level: &DilutedLevel) -> Shown {
    let count = level.users_below;
    if count == 0 {
        return Shown::default();
    }
    let users = if scenario.tree().part().is_some() {
        counted(count, "listed user", "listed users")
    } else {
        counted(count, "user", "users")
    };
    sentence!(" ({users} affected)")
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
    let moved = impact.other_factor;
    let appeared = impact.appeared;
    if moved == 0 && appeared > 0 {
        let nodes = counted(appeared, "node", "nodes");
        let appear = word_for(appeared, "appears", "appear");
        return Some(sentence!(
            "{nodes} {appear} that the policy excluded before"
        ));
    }
    let all = impact.moves.all.users;
    if all == 0 {
        return None;
    }
    let users = counted(all, "user", "users");
    let have = word_for(moved, "has", "have");
    let changed = grouped(moved);
    let another = another_number(scenario);
    Some(sentence!("{changed} of {users} {have} {another}"))
}

/// Returns how many users tie that did not before, and the reverse; `None` for neither.
fn ties(impact: &Impact) -> Option<Shown> {
    let made = impact.ties.made.users;
    let broken = impact.ties.broken.users;
    if made == 0 && broken == 0 {
        return None;
    }
    let newly_tied = counted(made, "user", "users");
    if broken == 0 {
        return Some(sentence!("{newly_tied} newly tied"));
    }
    if made == 0 {
        let users = counted(broken, "user", "users");
        return Some(sentence!("{users} no longer tied"));
    }
    let untied = grouped(broken);
    Some(sentence!("{newly_tied} newly tied, {untied} no longer"))
}
