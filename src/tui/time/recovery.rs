//! What the selected node can hope for: when it is back where it should be, or why it never is.

use super::axis::{date, moment};
use crate::clock::Progress;
use crate::model::{NodeId, duration_for_people};
use crate::number::fraction;
use crate::simulate::{Outcome, Recovery, RecoveryError, Simulation};
use crate::solve::{Goal, Standing};

/// The factor of a node that is on target.
const ON_TARGET: f64 = 0.5;

/// What a node can hope for.
#[derive(Clone, Debug)]
pub(super) enum Hope {
    /// Nothing better: it is first to run where the lines begin, in seconds since the snapshot.
    First { begin: u64 },
    /// A goal, reached or not.
    Goal {
        recovery: Box<Recovery>,
        /// When it was asked, in seconds since the snapshot.
        begin: u64,
        /// How far it was looked ahead, in seconds.
        horizon: u64,
    },
}

/// What a node can hope for from where the simulation stands: being on target, else the next rank. Nothing at all if it
/// was broken off, and no hope for who has no place among others.
#[expect(
    clippy::option_option,
    reason = "the outer one is the answer of every search that can be broken off"
)]
pub(super) fn hope(
    start: &Simulation,
    node: NodeId,
    horizon: u64,
    progress: Progress<'_>,
) -> Option<Option<Hope>> {
    // All are below the root, so it is always first.
    if node == NodeId::ROOT {
        return Some(None);
    }
    let mut simulation = start.clone();
    let policy = simulation.policy();
    let (tree, evaluation) = simulation.look();
    let now = Standing::of(policy, &tree, evaluation, node);
    let goal = match (now.factor, now.rank) {
        (Some(factor), _) if factor < ON_TARGET => Goal::Factor(ON_TARGET),
        (_, Some(1)) => {
            let begin = start.clock().passed();
            return Some(Some(Hope::First { begin }));
        }
        (_, Some(rank)) => Goal::Rank(rank - 1),
        _ => return Some(None),
    };
    match start.recovery(node, goal, horizon, progress) {
        Ok(recovery) => Some(Some(Hope::Goal {
            recovery: Box::new(recovery),
            begin: start.clock().passed(),
            horizon,
        })),
        Err(RecoveryError::Cancelled) => None,
        Err(_) => Some(None),
    }
}

impl Hope {
    /// Whether it is about a place among all users, which an account has only by its best one.
    pub(super) fn is_about_rank(&self) -> bool {
        match self {
            Self::First { .. } => true,
            Self::Goal { recovery, .. } => matches!(recovery.goal, Goal::Rank(_)),
        }
    }

    /// The hope in words, about a node of that name, where the clock stands at `now`; with dates where it is known when
    /// the snapshot was taken.
    pub(super) fn sentence(&self, name: &str, now: u64, taken: Option<i64>) -> String {
        let (recovery, begin, horizon) = match self {
            Self::First { begin } if *begin == now => return format!("{name} is first to run now"),
            Self::First { begin } => {
                return format!("{name} was first to run on {}", moment(*begin));
            }
            Self::Goal {
                recovery,
                begin,
                horizon,
            } => (recovery, *begin, *horizon),
        };
        let goal = goal(recovery.goal);
        let reason = if recovery.reason.is_empty() {
            String::new()
        } else {
            format!(": {}", recovery.reason)
        };
        match recovery.outcome {
            Outcome::Now if begin == now => format!("{name} has {goal} already"),
            Outcome::Now => format!("{name} had {goal} on {}", moment(begin)),
            Outcome::After(seconds) => {
                let reaches = if begin + seconds <= now && begin != now {
                    "reached"
                } else {
                    "reaches"
                };
                let when = when(begin, now, seconds, taken);
                format!("{name} {reaches} {goal} {when}")
            }
            Outcome::NotYet => {
                let within = within(begin, now, horizon);
                format!("{name} does not reach {goal} within {within}{reason}")
            }
            Outcome::Never => format!("{name} never reaches {goal} at this pace{reason}"),
        }
    }

    /// The same in as few words as say it: not whose hope it is, and not where the node stands instead.
    pub(super) fn in_short(&self, now: u64, taken: Option<i64>) -> String {
        let (recovery, begin, horizon) = match self {
            Self::First { begin } if *begin == now => return "first to run now".to_owned(),
            Self::First { begin } => return format!("first to run on {}", moment(*begin)),
            Self::Goal {
                recovery,
                begin,
                horizon,
            } => (recovery, *begin, *horizon),
        };
        let goal = goal(recovery.goal);
        let reason = recovery.reason.as_str();
        let reason = reason.rsplit_once("; it ").map_or(reason, |(why, _)| why);
        match recovery.outcome {
            Outcome::Now if begin == now => format!("{goal} already"),
            Outcome::Now => format!("{goal} on {}", moment(begin)),
            Outcome::After(seconds) => format!("{goal} {}", when(begin, now, seconds, taken)),
            Outcome::NotYet => {
                let within = within(begin, now, horizon);
                format!("no {goal} within {within}: {reason}")
            }
            Outcome::Never => format!("never {goal}: {reason}"),
        }
    }
}

/// A goal in words.
fn goal(goal: Goal) -> String {
    match goal {
        Goal::Factor(factor) => {
            let factor = fraction(factor);
            format!(
                "factor {}",
                factor.trim_end_matches('0').trim_end_matches('.')
            )
        }
        Goal::Rank(rank) => format!("rank {rank}"),
        Goal::Share(_) | Goal::AheadOf(_) => "its goal".to_owned(),
    }
}

/// So many seconds after a moment, seen from now.
fn when(begin: u64, now: u64, seconds: u64, taken: Option<i64>) -> String {
    let at = begin + seconds;
    let date = taken.and_then(|taken| date(taken, at, true));
    let date = date.map_or_else(String::new, |date| format!(" ({date} UTC)"));
    if begin == now {
        format!("in {}{date}", duration_for_people(seconds))
    } else {
        format!("on {}{date}", moment(at))
    }
}

/// A time from a moment on, seen from now.
fn within(begin: u64, now: u64, horizon: u64) -> String {
    let horizon = duration_for_people(horizon);
    if begin == now {
        horizon
    } else {
        format!("{horizon} from {}", moment(begin))
    }
}
