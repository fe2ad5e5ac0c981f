//! Advice in words: what goals come to, the verdict, and the time goals.

use super::contention::whole;
use crate::analysis::advise::{
    Advice, Aim, BURST, BackTime, GoalValue, HalfLife, HalfLives, Rounding, SiteGoal,
};
use crate::analysis::contention::{Promise, is_promised, promise};
use crate::base::number::{counted, grouped, ordinal, percent, short, times, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Tree, duration_for_people};
use crate::report::path;
use crate::report::words::{and_more, listed};
use crate::scenario::Scenario;

/// Returns seconds as a duration.
pub(crate) fn seconds(seconds: f64) -> Shown {
    duration_for_people(whole(seconds.round()))
}

/// Returns what a goal comes to.
pub(crate) fn value(goal: &SiteGoal, value: GoalValue) -> Shown {
    match value {
        GoalValue::Share(Some(share)) => share_in_words(goal, share),
        GoalValue::Target { used, target } => {
            let used = percent(used);
            let target = percent(target);
            sentence!("{used} of {target}")
        }
        GoalValue::Rank(place) => rank(place),
        GoalValue::Ranks(one, other) => {
            let one = rank(one);
            let other = rank(other);
            sentence!("{one}, {other}")
        }
        GoalValue::Time(Some(time)) => seconds(time),
        GoalValue::Loss(loss) => {
            // A negation would write no loss as -0.0.
            let gained = 0.0 - loss * 100.0;
            sentence!("{gained:.1}%")
        }
        GoalValue::Lines(lines) => counted(lines, "line", "lines"),
        GoalValue::Sum(sum) => grouped(sum),
        GoalValue::Share(None) | GoalValue::Time(None) => "none".into(),
    }
}

/// Returns a share as a portion, or in the unit of the goal if that has one.
fn share_in_words(goal: &SiteGoal, share: f64) -> Shown {
    let Aim::Share {
        whole: Some(whole), ..
    } = goal.aim
    else {
        return percent(share);
    };
    let part = short(share * whole);
    let all = short(whole);
    sentence!("{part} of {all}")
}

/// Returns a rank in words.
fn rank(rank: Option<u32>) -> Shown {
    match rank {
        Some(rank) => ordinal(rank as usize),
        None => "none".into(),
    }
}

/// Returns whether there is a proposal, and how good it is.
pub(crate) fn verdict(advice: &Advice) -> Shown {
    match advice.contradiction.len() {
        0 => proposal(advice),
        1 if advice.is_proven => "No shares reach this goal.".into(),
        1 => sentence!("No shares were found that reach this goal{NO_PROOF}."),
        set if advice.is_proven => {
            sentence!("No shares keep all goals: these {set} contradict each other.")
        }
        set => sentence!("No shares were found that keep these {set} goals together{NO_PROOF}."),
    }
}

/// Returns how good a proposal is.
fn proposal(advice: &Advice) -> Shown {
    let goals = advice.goals.len();
    let hold = word_for(goals, "the goal holds", "all goals hold");
    if advice.edits.is_empty() {
        return sentence!("Nothing needs to change: {hold} already.");
    }
    let lines = counted(advice.edits.len(), "line changes", "lines change");
    let without = advice.given_none.len();
    if advice.needs_none || (goals > 0 && without > 0) {
        let none = given_none(advice);
        let get = word_for(without, "gets", "get");
        if advice.needs_none {
            let some = word_for(without, "one", "some");
            return sentence!("Only if {some} {get} nothing, here {none}: {lines}, and {hold}.");
        }
        return sentence!("{lines}, and {hold}, but {none} {get} nothing.");
    }
    if goals == 0 {
        return sentence!("{lines}.");
    }
    if advice.is_proven {
        return sentence!("{lines}, and {hold}; no fewer would do.");
    }
    sentence!("{lines}, and {hold}.")
}

/// What a search that found nothing leaves open.
const NO_PROOF: &str = "; a longer search may find some";

/// Returns the names of those that get nothing.
fn given_none(advice: &Advice) -> Shown {
    /// The most that are named.
    const MOST: usize = 6;
    let tree = advice.after.tree();
    let all = advice.given_none.len();
    let mut names = Vec::new();
    for &node in advice.given_none.iter().take(MOST) {
        names.push(path(tree, node));
    }
    if all > MOST {
        return and_more(&names, all);
    }
    listed(&names)
}

/// Returns how far whole shares are from the contributions at most.
pub(crate) fn rounding(tree: &Tree, rounding: &Rounding) -> Shown {
    sentence!(
        "Largest rounding error: {} gets {} for {:.2} ({}).",
        path(tree, rounding.node),
        grouped(rounding.given),
        rounding.exact,
        percent(rounding.error())
    )
}

/// What every answer assumes.
pub(crate) const SATURATED: &str = "Shares matter only while the machine is full.";

/// Returns that the policy does not deliver shares, and why; `None` if it does.
pub(crate) fn undelivered(scenario: &Scenario) -> Option<Shown> {
    let policy = scenario.policy();
    if is_promised(policy, scenario.tree()) {
        return None;
    }
    let of_trees = match promise(policy) {
        Promise::FlatTrees => " in a tree with accounts",
        Promise::Shares | Promise::Nothing => "",
    };
    let title = policy.title();
    let why = super::contention::promise(policy);
    Some(sentence!(
        "{title} does not deliver shares{of_trees}: {why}."
    ))
}

/// Returns when a node is back at its share, by formula and on the machine.
pub(crate) fn back(tree: &Tree, time: &BackTime) -> Shown {
    let node = path(tree, time.node);
    let what = if time.is_monopoly {
        "holds the whole machine until its usage is its share"
    } else {
        "waits until its usage is down to its share"
    };
    let formula = seconds(time.formula);
    let window = duration_for_people(time.window);
    let Some(measured) = time.measured else {
        return sentence!(
            "{node} {what}: {formula} by the formula. On a simulated machine it does not in twice that time, so this policy breaks the promise."
        );
    };
    let simulated = duration_for_people(measured);
    sentence!(
        "{node} {what}: {formula} by the formula, {simulated} on a simulated machine (in steps of {window})."
    )
}

/// Returns what a half-life does, as a sentence to paste.
pub(crate) fn half_life(tree: &Tree, all: &HalfLives, row: &HalfLife) -> Shown {
    let (owner, share) = all.owner;
    let owner_name = path(tree, owner);
    let owner_share = percent(share);
    let half_life = duration_for_people(row.seconds);
    let served = times(BURST);
    let burst = seconds(row.burst);
    let monopoly = seconds(row.monopoly);
    let text = sentence!(
        "With a half-life of {half_life}, somebody served {served} their share is back at it after {burst}. \
         {owner_name} ({owner_share}) may hold the whole machine for {monopoly} after it used nothing."
    );
    if let Some(first) = all.first
        && let Some(rank) = row.fallen
    {
        let name = path(tree, first);
        let place = ordinal(rank as usize);
        return sentence!("{text} A day with the whole machine takes {name} from 1st to {place}.");
    }
    text
}
