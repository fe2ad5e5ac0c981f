//! What holds the user back, when that ends, and what would help, in sentences.

use super::UserPage;
use crate::analysis::simulate::{Recovery, RecoveryOutcome, Shortfall, ShortfallCause};
use crate::analysis::solve::Goal;
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people};
use crate::report::words::outlook::{Outlook, Subject};
use crate::report::words::part;

/// What would help the best association, and what would not.
#[derive(Default)]
pub(super) struct Remedies {
    /// What would help.
    pub(super) helps: Vec<Shown>,
    /// What would not, although it may seem so.
    pub(super) helps_not: Vec<Shown>,
}

/// Returns when a target is reached. `horizon` is how far it was looked for, in seconds.
pub(super) fn when(recovery: &Recovery, horizon: u64) -> Shown {
    match recovery.outcome {
        RecoveryOutcome::Now => "now".into(),
        RecoveryOutcome::After(seconds) => duration_for_people(seconds),
        RecoveryOutcome::NotYet => {
            let longest = duration_for_people(horizon);
            sentence!("more than {longest}")
        }
        RecoveryOutcome::Never => "never".into(),
    }
}

/// Returns whether waiting while nobody uses anything changes nothing.
fn is_waiting_useless(all: &Recovery) -> bool {
    match all.shortfall {
        Some(Shortfall::Obstructed { cause, .. }) => matches!(
            cause,
            Some(ShortfallCause::SameFactor { forgets: false, .. } | ShortfallCause::NoDecay)
        ),
        _ => false,
    }
}

impl UserPage<'_> {
    /// Returns what waiting changes for the best association: if the reader stops, and if everybody does. Empty if that is
    /// not known, and if there is nothing to wait for.
    pub(super) fn waiting(&self) -> Vec<Shown> {
        let best = self.best();
        if let Some(rises) = &best.rises {
            if rises.alone.outcome == RecoveryOutcome::Now {
                // A printed rank is worse than the one that follows from the printed usage.
                return Vec::new();
            }
            let alone = self.outlook(&rises.alone);
            if alone.is_settled() && self.outlook(&rises.all).is_settled() {
                let why = alone.whole();
                return vec![sentence!("Waiting changes nothing: {why}.")];
            }
            return vec![self.if_you_stop(&rises.alone), self.if_all_stop(&rises.all)];
        }
        match &best.recovery {
            // Both searches begin at the same moment.
            Some([alone, all]) if alone.outcome != RecoveryOutcome::Now => {
                vec![self.if_you_stop(alone), self.if_all_stop(all)]
            }
            _ => Vec::new(),
        }
    }

    /// Returns what becomes of the reader who stops while all others go on.
    fn if_you_stop(&self, recovery: &Recovery) -> Shown {
        let then = self.becomes(recovery);
        sentence!("If you stop and all others go on: {then}.")
    }

    /// Returns what becomes of the reader if everybody stops.
    fn if_all_stop(&self, recovery: &Recovery) -> Shown {
        let then = self.becomes(recovery);
        sentence!("If all stop: {then}.")
    }

    /// Returns the outlook of the best association.
    fn outlook<'r>(&'r self, recovery: &'r Recovery) -> Outlook<'r> {
        Outlook {
            tree: self.view.tree,
            recovery,
            subject: Subject::Reader,
        }
    }

    /// Returns when a goal is reached and which rank that is, or what becomes of the rank instead.
    fn becomes(&self, recovery: &Recovery) -> Shown {
        let outlook = self.outlook(recovery);
        let reached = outlook.reached(&"on target".into());
        match recovery.outcome {
            RecoveryOutcome::Now => sentence!("{reached} now"),
            RecoveryOutcome::After(seconds) => {
                let time = duration_for_people(seconds);
                sentence!("{reached} after {time}")
            }
            RecoveryOutcome::NotYet => {
                let time = duration_for_people(self.user.horizon);
                let then = outlook.whole();
                if recovery.goal == Goal::OnTarget {
                    return sentence!("not on target within {time}; {then}");
                }
                sentence!("within {time} {then}")
            }
            RecoveryOutcome::Never if recovery.goal == Goal::OnTarget => {
                let then = outlook.whole();
                sentence!("never on target; {then}")
            }
            RecoveryOutcome::Never => outlook.whole(),
        }
    }

    /// Returns what would lift a level that holds the best association back. `None` where nothing can: with `parent` in
    /// place of shares, and without usage, which is the best that there is under all policies but PBS's.
    fn remedy(&self, node: NodeId) -> Option<Shown> {
        let view = &self.view;
        let level = view.path(node);
        let shares = view.tree.shares(node);
        if view.policy.has_used(view.tree, view.evaluation, node) {
            if shares.is_parent() {
                return None;
            }
            let is_own = node == self.best().node;
            let whole = if is_own { "" } else { " as a whole" };
            return Some(sentence!(
                "less usage of {level}{whole}, or more shares for it"
            ));
        }
        if view.policy.is_of_pbs() || shares.count() == Some(0) {
            return Some(sentence!("more shares for {level}"));
        }
        None
    }

    /// Returns what would help the best association, and what would not.
    pub(super) fn remedies(&self) -> Remedies {
        let view = &self.view;
        let best = self.best();
        let mut remedies = Remedies::default();
        if let Some(worst) = self.user.associations.last()
            && (worst.rank > best.rank || worst.percentile < best.percentile)
        {
            let better = view.path(best.node);
            let worse = view.path(worst.node);
            let rather = sentence!("jobs under {better} rather than {worse}");
            remedies.helps.push(rather);
        }
        if let Some(held) = &best.held_back {
            remedies.helps.extend(self.remedy(held.node));
        }
        if best.is_block
            && best.rank > Some(1)
            && let Some([least, _]) = best.segment
            && let Some(account) = view.tree.parent(best.node)
            && account != NodeId::ROOT
        {
            let account = view.path(account);
            remedies.helps_not.push(sentence!(
                "other shares inside {account}, which lift nobody above rank {}",
                grouped(least)
            ));
        }
        if best.rises.is_none()
            && let Some([_, all]) = &best.recovery
            && is_waiting_useless(all)
        {
            let waiting = "waiting while nobody uses anything";
            remedies.helps_not.push(waiting.into());
        }
        remedies
    }

    /// Returns what a source does not tell that is only a part of the tree, and what is assumed of the rest.
    pub(super) fn not_told(&self) -> Vec<Shown> {
        let Some(incomplete) = self.view.recorded.incomplete else {
            return Vec::new();
        };
        let clause = incomplete.clause();
        let name = self.name();
        let tree = self.view.tree;
        if tree.part().is_none() {
            return vec![sentence!(
                "The rank of {name}, what holds it back and recovery depend on all users, but {clause}."
            )];
        }
        let mut told = vec![sentence!("Ranks depend on all users, but {clause}.")];
        told.extend(part::assumed_of_path(tree, self.best().node));
        told
    }
}
