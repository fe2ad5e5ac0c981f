//! When a goal is reached, as a sentence and as JSON.

use super::super::View;
use super::super::json::{Json, Layout};
use super::{Course, Moments, Simulated};
use crate::analysis::simulate::{Outcome, Recovery};
use crate::analysis::solve::{Goal, Standing, against_target};
use crate::base::number::Value;
use crate::base::number::{fraction, percent};
use crate::model::duration_for_people;
use std::io;

/// Where a node stands: `rank 3, factor 0.500000`, or what it used against its target where that is the goal.
fn standing(view: &View<'_>, recovery: &Recovery, standing: Standing) -> String {
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, standing.target) {
        return against_target(view.policy, view.tree, recovery.node, target);
    }
    let rank = standing.rank.map(|rank| format!("rank {rank}"));
    let factor = standing
        .factor
        .map(|factor| format!("factor {}", fraction(factor)));
    let parts: Vec<String> = rank.into_iter().chain(factor).collect();
    if parts.is_empty() {
        return "no rank".to_owned();
    }
    parts.join(", ")
}

/// When a goal is reached, or why not, for people, and where the accounts above stand if that is about targets;
/// `horizon` is how many seconds ahead was looked.
#[must_use]
pub fn sentence(view: &View<'_>, moments: &Moments, horizon: u64, recovery: &Recovery) -> String {
    let name = view.path(recovery.node);
    let goal = match recovery.goal {
        Goal::OnTarget => "on target".to_owned(),
        Goal::Rank(1) => "at rank 1".to_owned(),
        Goal::Rank(rank) => format!("at rank {rank} or better"),
        Goal::Factor(factor) => format!("at factor {factor} or more"),
        Goal::Share(share) => format!("at {} of the tree or more", percent(share)),
        Goal::AheadOf(other) => format!("ahead of {}", view.path(other)),
    };
    let begin = view.settings.time.passed;
    let standing = |at| standing(view, recovery, at);
    let sentence = match recovery.outcome {
        Outcome::Now => format!("{name} is {goal} now: {}.", standing(recovery.now)),
        Outcome::After(seconds) => {
            let almost = recovery
                .almost
                .map_or_else(String::new, |almost| match recovery.goal {
                    Goal::OnTarget => format!("; one step before, it {}", standing(almost)),
                    _ => format!("; one step before, it is {}", standing(almost)),
                });
            format!(
                "{name} is {goal} in {} ({}): {}{almost}.",
                duration_for_people(seconds),
                moments.text(begin.saturating_add(seconds)),
                standing(recovery.then)
            )
        }
        Outcome::NotYet => format!(
            "{name} is not {goal} within {}: {}.",
            duration_for_people(horizon),
            recovery.reason
        ),
        Outcome::Never => format!("{name} is never {goal} at this pace: {}.", recovery.reason),
    };
    sentence + &accounts_above(view, recovery)
}

/// Where the accounts above a node stand against their own targets at the same moment: they are not part of the goal,
/// but may hold it back.
fn accounts_above(view: &View<'_>, recovery: &Recovery) -> String {
    let above = recovery
        .levels
        .iter()
        .filter(|(node, _)| *node != recovery.node);
    let told = above.map(|&(node, target)| {
        let verdict = if target.is_met {
            "on target"
        } else {
            "over its target"
        };
        let uses = against_target(view.policy, view.tree, node, target);
        format!("{} is {verdict} ({uses})", view.path(node))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return String::new();
    }
    let moment = if recovery.outcome == Outcome::Now {
        "Above it"
    } else {
        "Above it then"
    };
    format!(" {moment}: {}.", told.join("; "))
}

/// Writes when goals are reached.
pub(super) fn write_recoveries(
    json: &mut Json<'_>,
    simulated: &Simulated<'_>,
    course: &Course,
) -> io::Result<()> {
    let Simulated { view, moments, .. } = simulated;
    json.key("recovery")?;
    json.array(Layout::Lines)?;
    for recovery in &course.recoveries {
        let seconds = match recovery.outcome {
            Outcome::Now => Some(0),
            Outcome::After(seconds) => Some(seconds),
            Outcome::NotYet | Outcome::Never => None,
        };
        json.object(Layout::Inline)?;
        json.key("path")?;
        json.text(simulated.path(recovery.node).as_deref())?;
        json.key("goal")?;
        json.string(&recovery.goal.write(view.tree))?;
        json.key("reached")?;
        match seconds {
            Some(seconds) => {
                let passed = view.settings.time.passed.saturating_add(seconds);
                moments.write_json(json, passed)?;
            }
            None => json.raw("null")?,
        }
        json.key("after_seconds")?;
        json.count(seconds)?;
        json.key("never")?;
        json.raw(recovery.outcome == Outcome::Never)?;
        for (key, standing) in [("now", recovery.now), ("then", recovery.then)] {
            json.key(key)?;
            json.object(Layout::Inline)?;
            json.key("rank")?;
            json.count(standing.rank)?;
            json.key("factor")?;
            match standing.factor {
                Some(factor) => json.double(factor)?,
                None => json.raw("null")?,
            }
            for (key, portion) in [
                ("used", standing.target.map(|target| target.used)),
                ("target", standing.target.map(|target| target.share)),
            ] {
                json.key(key)?;
                json.value(portion.map_or(Value::Null, Value::Double))?;
            }
            json.close()?;
        }
        json.key("levels")?;
        json.array(Layout::Inline)?;
        for &(node, target) in &recovery.levels {
            json.object(Layout::Inline)?;
            json.key("path")?;
            json.text(simulated.path(node).as_deref())?;
            json.key("used")?;
            json.double(target.used)?;
            json.key("target")?;
            json.double(target.share)?;
            json.key("on_target")?;
            json.raw(target.is_met)?;
            json.close()?;
        }
        json.close()?;
        json.key("reason")?;
        json.text(Some(recovery.reason.as_str()).filter(|reason| !reason.is_empty()))?;
        json.key("text")?;
        json.string(&super::sentence(view, moments, simulated.horizon, recovery))?;
        json.close()?;
    }
    json.close()
}
