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

pub(crate) fn seconds(seconds: f64) -> Shown {
    duration_for_people(whole(seconds.round()))
}

/// Returns what a goal comes to.
pub(crate) fn value(goal: &SiteGoal, value: GoalValue) -> Shown {
    let rank = |rank: Option<u32>| match rank {
        Some(rank) => ordinal(rank as usize),
        None => "none".into(),
    };
    match value {
        GoalValue::Share(Some(share)) => match goal.aim {
            Aim::Share {
                whole: Some(of), ..
            } => sentence!("{} of {}", short(share * of), short(of)),
            _ => percent(share),
        },
        GoalValue::Target { used, target } => {
            sentence!("{} of {}", percent(used), percent(target))
        }
        GoalValue::Rank(place) => rank(place),
        GoalValue::Ranks(one, other) => sentence!("{}, {}", rank(one), rank(other)),
        GoalValue::Time(Some(time)) => seconds(time),
        GoalValue::Loss(loss) => sentence!("{:.1}%", 0.0 - loss * 100.0),
        GoalValue::Lines(lines) => counted(lines, "line", "lines"),
        GoalValue::Sum(sum) => grouped(sum),
        GoalValue::Share(None) | GoalValue::Time(None) => "none".into(),
    }
}

/// Returns whether there is a proposal, and how good it is.
pub(crate) fn verdict(advice: &Advice) -> Shown {
    let goals = advice.goals.len();
    let hold = word_for(goals, "the goal holds", "all goals hold");
    match (advice.contradiction.len(), advice.edits.len()) {
        (1, _) if advice.is_proven => "No shares reach this goal.".into(),
        (1, _) => sentence!("No shares were found that reach this goal{NO_PROOF}."),
        (set @ 2.., _) if advice.is_proven => {
            sentence!("No shares keep all goals: these {set} contradict each other.")
        }
        (set @ 2.., _) => {
            sentence!("No shares were found that keep these {set} goals together{NO_PROOF}.")
        }
        (0, 0) => sentence!("Nothing needs to change: {hold} already."),
        (0, edits) => {
            let lines = counted(edits, "line changes", "lines change");
            let none = given_none(advice);
            let get = word_for(advice.given_none.len(), "gets", "get");
            match goals {
                _ if advice.needs_none => {
                    let some = word_for(advice.given_none.len(), "one", "some");
                    sentence!("Only if {some} {get} nothing, here {none}: {lines}, and {hold}.")
                }
                1.. if !advice.given_none.is_empty() => {
                    sentence!("{lines}, and {hold}, but {none} {get} nothing.")
                }
                0 => sentence!("{lines}."),
                _ if advice.is_proven => sentence!("{lines}, and {hold}; no fewer would do."),
                _ => sentence!("{lines}, and {hold}."),
            }
        }
    }
}

/// What a search that found nothing leaves open.
const NO_PROOF: &str = "; a longer search may find some";

/// Returns the names of those that get nothing.
fn given_none(advice: &Advice) -> Shown {
    /// The most that are named.
    const MOST: usize = 6;
    let tree = advice.after.tree();
    let all = advice.given_none.len();
    let names = advice.given_none.iter().take(MOST);
    let names: Vec<Shown> = names.map(|&node| path(tree, node)).collect();
    match all {
        0..=MOST => listed(&names),
        _ => and_more(&names, all),
    }
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
pub(crate) const SATURATED: &str =
    "Shares are portions of the machine while everybody wants more than there is.";

/// Returns that the policy does not deliver shares, and why; `None` if it does.
pub(crate) fn undelivered(scenario: &Scenario) -> Option<Shown> {
    let policy = scenario.policy();
    let of_trees = match promise(policy) {
        Promise::FlatTrees => " in a tree with accounts",
        Promise::Shares | Promise::Nothing => "",
    };
    let (title, why) = (policy.title(), super::contention::promise(policy));
    let sentence = sentence!("{title} does not deliver shares{of_trees}: {why}.");
    (!is_promised(policy, scenario.tree())).then_some(sentence)
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
    match time.measured {
        Some(measured) => {
            let measured = duration_for_people(measured);
            sentence!(
                "{node} {what}: {formula} by the formula, {measured} on a simulated machine (in steps of {window})."
            )
        }
        None => sentence!(
            "{node} {what}: {formula} by the formula. On a simulated machine it does not in twice that time, so this policy breaks the promise."
        ),
    }
}

/// Returns what a half-life does, as a sentence to paste.
pub(crate) fn half_life(tree: &Tree, all: &HalfLives, row: &HalfLife) -> Shown {
    let (owner, share) = all.owner;
    let (owner, share) = (path(tree, owner), percent(share));
    let fallen = match all.first.zip(row.fallen) {
        Some((first, rank)) => {
            let (first, rank) = (path(tree, first), ordinal(rank as usize));
            sentence!(" A day with the whole machine takes {first} from 1st to {rank}.")
        }
        None => Shown::default(),
    };
    sentence!(
        "With a half-life of {}, somebody served {} their share is back at it after {}. {owner} ({share}) may hold the \
         whole machine for {} after it used nothing.{fallen}",
        duration_for_people(row.seconds),
        times(BURST),
        seconds(row.burst),
        seconds(row.monopoly),
    )
}
