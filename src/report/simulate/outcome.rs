//! When a goal is reached, as a sentence and as JSON.

use super::super::json::{List, object};
use super::super::{View, words};
use super::{Forecasts, Moments};
use crate::analysis::simulate::{Recovery, RecoveryOutcome};
use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::base::number::{fraction, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::duration_for_people;
use serde::Serialize;

/// The standing of a node: `rank 3, factor 0.500000`, or what it used against its target where that is the goal.
fn standing(view: &View<'_>, recovery: &Recovery, standing: Standing) -> Shown {
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, standing.target) {
        let target = TargetUse::of(view.policy, view.tree, recovery.node, target);
        return words::target::uses(view.tree, &target);
    }
    let rank = standing.rank.map(|rank| sentence!("rank {rank}"));
    let factor = standing
        .factor
        .map(|factor| sentence!("factor {}", fraction(factor)));
    let parts: Vec<Shown> = rank.into_iter().chain(factor).collect();
    if parts.is_empty() {
        return "no rank".into();
    }
    Shown::joined(&parts, ", ")
}

/// Returns when a goal is reached, or why not, for people; for a goal about targets also where the accounts above
/// stand. `horizon` is how many seconds ahead the goal was looked for.
pub fn sentence(view: &View<'_>, moments: &Moments, horizon: u64, recovery: &Recovery) -> Shown {
    let name = view.path(recovery.node);
    let goal = match recovery.goal {
        Goal::OnTarget => "on target".into(),
        Goal::Rank(1) => "at rank 1".into(),
        Goal::Rank(rank) => sentence!("at rank {rank} or better"),
        Goal::Factor(factor) => sentence!("at factor {factor} or more"),
        Goal::Share(share) => sentence!("at {} of the tree or more", percent(share)),
        Goal::AheadOf(other) => sentence!("ahead of {}", view.path(other)),
    };
    let begin = view.settings.time.passed;
    let standing = |at| standing(view, recovery, at);
    let sentence = match recovery.outcome {
        RecoveryOutcome::Now => sentence!("{name} is {goal} now: {}.", standing(recovery.now)),
        RecoveryOutcome::After(seconds) => {
            let almost =
                recovery
                    .almost
                    .map_or_else(Shown::default, |almost| match recovery.goal {
                        Goal::OnTarget => sentence!("; one step before, it {}", standing(almost)),
                        _ => sentence!("; one step before, it is {}", standing(almost)),
                    });
            sentence!(
                "{name} is {goal} in {} ({}): {}{almost}.",
                duration_for_people(seconds),
                moments.text(begin.saturating_add(seconds)),
                standing(recovery.then)
            )
        }
        RecoveryOutcome::NotYet => sentence!(
            "{name} is not {goal} within {}. {}.",
            duration_for_people(horizon),
            words::simulate::full(view.tree, recovery)
        ),
        RecoveryOutcome::Never => sentence!(
            "{name} is never {goal} at this pace. {}.",
            words::simulate::full(view.tree, recovery)
        ),
    };
    sentence + &accounts_above(view, recovery)
}

/// Where the accounts above a node stand against their own targets at the same moment: they are not part of the goal,
/// but may hold it back.
fn accounts_above(view: &View<'_>, recovery: &Recovery) -> Shown {
    let above = recovery
        .levels
        .iter()
        .filter(|(node, _)| *node != recovery.node);
    let standings = above.map(|&(node, target)| {
        let target = TargetUse::of(view.policy, view.tree, node, target);
        words::target::stands(view.tree, node, &target)
    });
    let standings: Vec<Shown> = standings.collect();
    if standings.is_empty() {
        return Shown::default();
    }
    let moment = if recovery.outcome == RecoveryOutcome::Now {
        "Above it"
    } else {
        "Above it then"
    };
    sentence!(" {moment}: {}.", standings.join("; "))
}

/// Returns when a goal is reached, and what is known of it.
pub(super) fn facts(simulated: &Forecasts<'_>, recovery: &Recovery) -> impl Serialize {
    let Forecasts { view, moments, .. } = simulated;
    let seconds = match recovery.outcome {
        RecoveryOutcome::Now => Some(0),
        RecoveryOutcome::After(seconds) => Some(seconds),
        RecoveryOutcome::NotYet | RecoveryOutcome::Never => None,
    };
    let passed = seconds.map(|seconds| view.settings.time.passed.saturating_add(seconds));
    let standing = |standing: Standing| {
        object! {
            rank: standing.rank,
            factor: standing.factor,
            used: standing.target.map(|target| target.used),
            target: standing.target.map(|target| target.share),
        }
    };
    let levels = recovery.levels.iter().map(|&(node, target)| {
        object! {
            path: simulated.path(node),
            used: target.used,
            target: target.share,
            on_target: target.is_met,
        }
    });
    object! {
        path: simulated.path(recovery.node),
        goal: recovery.goal.write(view.tree),
        reached: passed.map(|passed| moments.time(passed)),
        after_seconds: seconds,
        never: recovery.outcome == RecoveryOutcome::Never,
        now: standing(recovery.now),
        then: standing(recovery.then),
        levels: List(levels),
        reason: recovery.shortfall.map(|_| words::simulate::full(view.tree, recovery)),
        text: super::sentence(view, moments, simulated.horizon, recovery),
    }
}
