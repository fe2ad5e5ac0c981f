//! What holds the user back, when that ends, and what would help, in sentences.

use super::{UserPage, served};
use crate::analysis::simulate::{Recovery, RecoveryOutcome, Shortfall, ShortfallCause};
use crate::analysis::user::{HORIZON, HoldingLevel};
use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people};
use crate::report::words::explain::level_place;
use crate::report::words::part;
use crate::report::words::simulate::short;
use crate::report::words::solve::uses;

/// What would help the best association, and what would not.
#[derive(Default)]
pub(super) struct Remedies {
    /// What would help.
    pub(super) helps: Vec<Shown>,
    /// What would not, although it may seem so.
    pub(super) helps_not: Vec<Shown>,
}

/// Returns when a target is reached.
pub(super) fn when(recovery: &Recovery) -> Shown {
    match recovery.outcome {
        RecoveryOutcome::Now => "now".into(),
        RecoveryOutcome::After(seconds) => duration_for_people(seconds),
        RecoveryOutcome::NotYet => {
            let horizon = duration_for_people(HORIZON);
            sentence!("more than {horizon}")
        }
        RecoveryOutcome::Never => "never".into(),
    }
}

/// Returns whether a level that holds the user back has used no more than its target.
fn is_on_target(held: &HoldingLevel) -> bool {
    match &held.target {
        Some(used) => used.target.is_met,
        None => false,
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
    /// Returns which level holds the best association back, and by whom. Empty if that is unknown.
    pub(super) fn held_back(&self) -> Shown {
        let view = &self.view;
        let best = self.best();
        let subject = self.subject();
        let Some(held) = &best.held_back else {
            if best.rank.is_none() {
                return Shown::default();
            }
            if view.policy.orders_by_level() {
                return sentence!("{subject} ranks first at every level.");
            }
            return sentence!("No level of {subject} is over its target.");
        };
        let why = self.why_held_back(held);
        if held.node == best.node {
            return sentence!("{subject} is held back on its own level: it {why}.");
        }
        let level = view.path(held.node);
        sentence!("{subject} is held back by {level}, which {why}.")
    }

    /// Returns what a level uses and who ranks before it, as a clause.
    fn why_held_back(&self, held: &HoldingLevel) -> Shown {
        let mut clauses = Vec::new();
        if let Some(target) = &held.target {
            clauses.push(uses(self.view.tree, target));
        }
        if let Some(ahead) = held.ahead {
            clauses.push(self.ahead(held, ahead));
        }
        match &clauses[..] {
            [uses, ahead] if is_on_target(held) => sentence!("is on target ({uses}), but {ahead}"),
            _ => Shown::joined(clauses, "; "),
        }
    }

    /// Returns who ranks just before a level and why, as a clause.
    fn ahead(&self, held: &HoldingLevel, ahead: NodeId) -> Shown {
        let name = if self.names(ahead) {
            self.view.path(ahead)
        } else {
            "another user".into()
        };
        let ranks = if held.is_tie {
            sentence!("{name} ties with it and comes first")
        } else if is_on_target(held) && self.is_served_less(ahead, held) {
            sentence!("{name} used less of its share, so it ranks before it")
        } else {
            sentence!("{name} ranks just before it")
        };
        match held.users_ahead {
            Some(count) => {
                let users = counted(count, "user", "users");
                sentence!("{ranks} ({users} ahead)")
            }
            None => ranks,
        }
    }

    /// Returns whether a node has used less of its share than a level.
    fn is_served_less(&self, node: NodeId, held: &HoldingLevel) -> bool {
        let view = &self.view;
        let other = view.policy.served(view.tree, view.evaluation, node);
        match (other, served(held.target.as_ref())) {
            (Some(other), Some(own)) => other < own,
            _ => false,
        }
    }

    /// Returns when the best association is on target: if the user stops, and if everybody does.
    pub(super) fn recovers(&self) -> Vec<Shown> {
        let Some([alone, all]) = &self.best().recovery else {
            return Vec::new();
        };
        let name = self.name();
        // Both searches begin at the same moment.
        if alone.outcome == RecoveryOutcome::Now {
            return vec![sentence!("{name} itself is on target now.")];
        }
        let alone = self.after(alone);
        vec![
            sentence!("On target if {name} stops and all others go on: {alone}"),
            sentence!("On target if all stop: {}", self.after(all)),
        ]
    }

    /// Returns after what time a target is reached, and why not earlier.
    fn after(&self, recovery: &Recovery) -> Shown {
        let time = when(recovery);
        let after = match recovery.outcome {
            RecoveryOutcome::Now | RecoveryOutcome::Never => time,
            RecoveryOutcome::After(_) | RecoveryOutcome::NotYet => sentence!("after {time}"),
        };
        let why = short(self.view.tree, recovery);
        if why.is_empty() {
            return sentence!("{after}.");
        }
        sentence!("{after}. {why}.")
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
        if let Some([_, all]) = &best.recovery
            && is_waiting_useless(all)
        {
            let waiting = "waiting while nobody uses anything";
            remedies.helps_not.push(waiting.into());
        }
        remedies
    }

    /// Returns the place of the best association and of each account above it among its listed siblings.
    pub(super) fn places(&self) -> Option<Shown> {
        let explanation = self.best().explanation.as_ref()?;
        let mut places = Vec::new();
        for level in explanation.levels.iter() {
            if !level.listed.is_unknown() && level.sibling_count > 0 {
                let path = self.view.path(level.node);
                let place = level_place(level);
                places.push(sentence!("{path} is {place}"));
            }
        }
        if places.is_empty() {
            return None;
        }
        let column = self.order_column();
        let all_places = places.join("; ");
        Some(sentence!("By {column}: {all_places}."))
    }

    /// Returns the name of the number by which siblings are ordered.
    fn order_column(&self) -> &'static str {
        if self.view.policy.orders_by_level() {
            "LevelFS"
        } else {
            "factor"
        }
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
                "Ranks, what holds {name} back, and recovery depend on all users, but {clause}."
            )];
        }
        let mut told = vec![sentence!("Ranks depend on all users, but {clause}.")];
        told.extend(part::assumed_of_path(tree, self.best().node));
        told
    }
}
