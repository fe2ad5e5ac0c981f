//! Verifies a dump's columns against the policy that made them.

use super::detect::{CheckedRule, detect};
use super::slurm::given_tree::GivenTree;
use super::tally::Tally;
use super::{Verification, columns};
use crate::rules::policy::Policy;

/// Verifies the columns of a dump of Slurm's against the policy that its numbers reveal, or else against `shown` if
/// that can have made them, or else against `usual`.
pub(super) fn verify(given_tree: &GivenTree, shown: Policy, usual: Policy) -> Verification {
    let settings = &given_tree.snapshot.settings;
    let usual = if is_printed(usual) {
        usual
    } else {
        Policy::FairTree
    };
    let tally = given_tree.check(usual, settings);
    let checked = CheckedRule {
        policy: usual,
        settings,
        tally: &tally,
    };
    let detected = detect(given_tree, settings, checked);
    let is_certain = detected.as_ref().is_some_and(|found| found.certain);
    if !is_certain && shown != usual && is_printed(shown) {
        let tally = given_tree.check(shown, settings);
        if explains(&tally) {
            return Verification {
                detected,
                policy: Some(shown),
                ..columns(given_tree, shown, settings, tally)
            };
        }
    }
    let Some(found) = detected else {
        return Verification {
            policy: Some(usual),
            ..columns(given_tree, usual, settings, tally)
        };
    };
    let mut of_dump = settings.clone();
    for known in &found.settings {
        known.put_in(&mut of_dump);
    }
    let tally = checked.tally(given_tree, found.policy, &of_dump);
    Verification {
        policy: Some(found.policy),
        settings: found.settings.clone(),
        detected: Some(found.clone()),
        ..columns(given_tree, found.policy, &of_dump, tally)
    }
}

/// Returns whether Slurm prints columns of the policy, so that they can be verified.
const fn is_printed(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::FairTree | Policy::Classic | Policy::DepthOblivious | Policy::LevelBased
    )
}

/// Returns whether the policy can have made every number, and some of its own are certain.
fn explains(tally: &Tally) -> bool {
    tally.misfits() == 0
        && tally.columns.iter().all(|column| column.equal > 0)
        && !tally.columns.is_empty()
}
