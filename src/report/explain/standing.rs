//! The rank of a node, in the words that all policies share.

use super::Emphasis;
use crate::base::number::{amount, counted, ordinal, percent};
use crate::base::shown::{Shown, sentence};
use crate::report::View;
use crate::rules::policy::Explanation;

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

/// Returns what follows the name: ` is 3rd of 4`, ` is 1st of 4, tied with 1 other`, ` is an account`.
pub(super) fn rank_in_words(view: &View<'_>, explanation: &Explanation) -> Shown {
    let Some(rank) = explanation.rank else {
        let is_user = explanation.is_user(view.tree);
        let kind = if is_user {
            " is a user"
        } else {
            " is an account"
        };
        return kind.into();
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

/// Returns how many times its target an effective usage is, in words.
pub(super) fn times(effective: f64, target: f64) -> Shown {
    let ratio = effective / target;
    if effective.to_bits() == target.to_bits() {
        "exactly".into()
    } else if ratio >= 1.0 {
        sentence!("{ratio:.2} times")
    } else {
        sentence!("{} of", percent(ratio))
    }
}
