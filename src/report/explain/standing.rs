//! The rank of a node, in the words that all policies share.

use super::Emphasis;
use crate::base::number::{amount, counted, ordinal, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::rules::policy::pbs::PbsLevel;
use crate::rules::policy::{Detail, Explanation, Level};

/// Returns the emphasis for usage above or below the share.
pub(super) fn against(used: f64, share: f64) -> Emphasis {
    if used > share {
        Emphasis::Over
    } else if used < share {
        Emphasis::Under
    } else {
        Emphasis::Plain
    }
}

/// Returns what follows the name: ` is 3rd of 4`, ` is 1st of 4, tied with 1 other`, or what it is: ` is a user`, ` is an account`.
pub(super) fn rank_in_words(view: &View<'_>, explanation: &Explanation) -> Shown {
    let Some(rank) = explanation.rank else {
        return if explanation.is_user(view.tree) {
            " is a user".into()
        } else {
            sentence!(" is {}", view.settings.noun().any)
        };
    };
    let tie = match explanation.tied {
        0 => Shown::default(),
        tied => sentence!(", tied with {}", counted(tied, "other", "others")),
    };
    sentence!(
        " is {} of {}{tie}",
        ordinal(rank as usize),
        amount(explanation.user_count as f64)
    )
}

/// From here on a multiple has no decimals.
const LARGE: f64 = 1000.0;

/// Returns the account that holds a node back: the level above its own that puts the most users ahead of it, the topmost
/// of equals. `None` if its own level puts as many ahead, and under a policy that does not rank level by level.
pub(super) fn holding_back(levels: &[Level]) -> Option<&Level> {
    let behind = levels
        .iter()
        .filter(|level| level.siblings_ahead > 0 && level.users_ahead > 0);
    let decisive = behind.reduce(|first, level| {
        if level.users_ahead > first.users_ahead {
            level
        } else {
            first
        }
    });
    decisive.filter(|level| levels.last().is_some_and(|own| own.node != level.node))
}

/// Returns how many times its target an effective usage is, in words.
pub(super) fn times(effective: f64, target: f64) -> Shown {
    let ratio = effective / target;
    if effective.to_bits() == target.to_bits() {
        "exactly".into()
    } else if ratio >= LARGE {
        sentence!("{} times", amount(ratio.round()))
    } else if ratio >= 1.0 {
        sentence!("{ratio:.2} times")
    } else {
        sentence!("{} of", percent(ratio))
    }
}

/// Returns the place of each node on the path to an explained one among its siblings, from the top.
pub(in crate::report) fn places(explanation: &Explanation) -> Vec<(NodeId, Shown)> {
    match &explanation.detail {
        Detail::Pbs(detail) => {
            let levels = detail.levels.iter();
            let place = |level: &PbsLevel| {
                let PbsLevel {
                    siblings_ahead,
                    sibling_count,
                    siblings_tied,
                    ..
                } = *level;
                (
                    level.node,
                    among(siblings_ahead, sibling_count, siblings_tied),
                )
            };
            levels.map(place).collect()
        }
        Detail::Levels(levels) => {
            let place = |level: &Level| {
                let Level {
                    siblings_ahead,
                    sibling_count,
                    siblings_tied,
                    ..
                } = *level;
                (
                    level.node,
                    among(siblings_ahead, sibling_count, siblings_tied),
                )
            };
            levels.iter().map(place).collect()
        }
    }
}

/// Returns the place of a node among its siblings: `first of 3 siblings`, `2nd of 5 siblings, tied with 1`, `ahead of
/// its only sibling`.
pub(super) fn among(ahead: usize, siblings: usize, tied: usize) -> Shown {
    let place = match (siblings, ahead, tied) {
        (0, ..) => return "alone on its level".into(),
        (1, _, 1..) => return "tied with its only sibling".into(),
        (1, 0, _) => return "ahead of its only sibling".into(),
        (1, ..) => return "behind its only sibling".into(),
        (_, 0, _) => "first".into(),
        _ if ahead == siblings => "last".into(),
        _ => ordinal(ahead + 1),
    };
    let tie = match tied {
        0 => Shown::default(),
        tied => sentence!(", tied with {}", amount(tied as f64)),
    };
    sentence!("{place} of {} siblings{tie}", amount((siblings + 1) as f64))
}
