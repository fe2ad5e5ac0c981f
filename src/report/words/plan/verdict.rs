//! The verification of a plan in words.

use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict, Finding};
use crate::base::shown::{Shown, sentence};
use crate::model::{Shares, Usage};

/// Returns the status of a change in the later dump, in a few words.
pub const fn standing(verdict: &ChangeVerdict) -> &'static str {
    match verdict.standing {
        _ if verdict.is_left_out => "left out of the plan",
        ChangeStatus::Applied => "applied",
        ChangeStatus::Before => "still as before",
        ChangeStatus::Other => "something else",
        ChangeStatus::Unknown => "this dump cannot tell",
    }
}

/// Returns what was to change and what there is now.
pub fn verdict(verdict: &ChangeVerdict) -> Shown {
    let standing = verdict.standing;
    match &verdict.finding {
        Finding::Added { name, wanted, now } => match (standing, *now) {
            (_, None) => sentence!("{name} was to be added and is not there"),
            (ChangeStatus::Applied, _) => sentence!("{name} is there, with {}", counted(*wanted)),
            (ChangeStatus::Before, Some(now)) => {
                sentence!("{name} still has {}, not {wanted}", counted(now))
            }
            (ChangeStatus::Other | ChangeStatus::Unknown, Some(now)) => {
                let (now, wanted) = (counted(now), counted(*wanted));
                sentence!("{name} is there, but with {now} instead of {wanted}")
            }
        },
        Finding::Removed { name } => match standing {
            ChangeStatus::Applied => sentence!("{name} is gone"),
            ChangeStatus::Before | ChangeStatus::Other | ChangeStatus::Unknown => {
                sentence!("{name} was to be removed and is still there")
            }
        },
        Finding::Placed {
            old,
            new,
            is_in_both,
        } => match standing {
            ChangeStatus::Applied => sentence!("{old} is now {new}"),
            ChangeStatus::Before => sentence!("{old} was to become {new} and is still there"),
            ChangeStatus::Other | ChangeStatus::Unknown => {
                let there = match is_in_both {
                    true => "both are there",
                    false => "neither is there",
                };
                sentence!("{old} was to become {new}, and {there}")
            }
        },
        Finding::Shares {
            name,
            before,
            after,
            now,
        } => match (standing, *now) {
            (_, None) => sentence!("{name} was to get {} and is not there", counted(*after)),
            (ChangeStatus::Applied, _) => sentence!("{name} has {}", counted(*after)),
            (ChangeStatus::Before, _) => {
                sentence!("{name} still has {}, not {after}", counted(*before))
            }
            (ChangeStatus::Other | ChangeStatus::Unknown, Some(now)) if before == after => {
                sentence!("{name} has {}, not {after}", counted(now))
            }
            (ChangeStatus::Other | ChangeStatus::Unknown, Some(now)) => {
                let now = counted(now);
                sentence!("{name} has {now}, neither {after} nor {before} as before")
            }
        },
        Finding::Usage {
            name,
            before,
            after,
            now,
        } => {
            let Some(now) = *now else {
                return sentence!("the usage of {name}: the dump has shares but no usage");
            };
            let [before, after, now] = [*before, *after, now].map(usage);
            match standing {
                ChangeStatus::Applied => sentence!("{name} has {after}"),
                ChangeStatus::Before => sentence!("{name} still has {before}"),
                ChangeStatus::Other | ChangeStatus::Unknown => sentence!(
                    "{name} has {now}, neither {after} nor {before}; jobs may have used more since"
                ),
            }
        }
        Finding::Setting { change, now } => {
            let (key, before, after) = (change.key, &change.before, &change.after);
            match (standing, now) {
                (_, None) => sentence!("{key}: the dump has no settings"),
                (ChangeStatus::Applied, _) => sentence!("{key} is {after}"),
                (ChangeStatus::Before, _) => sentence!("{key} is still {before}"),
                (ChangeStatus::Other | ChangeStatus::Unknown, Some(now)) => {
                    sentence!("{key} is {now}, neither {after} nor {before}")
                }
            }
        }
    }
}

fn counted(shares: Shares) -> Shown {
    match shares.count() {
        Some(1) => "1 share".into(),
        Some(count) => sentence!("{count} shares"),
        None => "parent shares".into(),
    }
}

fn usage(usage: Usage) -> Shown {
    match usage.amount() {
        None => "no usage".into(),
        Some(amount) => sentence!("usage of {amount}"),
    }
}
