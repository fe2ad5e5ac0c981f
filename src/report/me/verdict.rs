//! The first sentences: which rank the reader has, and why.

use super::{UserPage, served};
use crate::analysis::solve::TargetUse;
use crate::analysis::user::HoldingLevel;
use crate::base::number::{counted, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::words::explain::{rank_of_all, without_numbers};
use crate::rules::policy::Policy;

/// From this multiple of a share on, usage is `12 times` it and no percentage.
const MANY: f64 = 10.0;

/// From this portion of a share on, a percentage has no decimals.
const WHOLE: f64 = 0.1;

/// Returns how much of a share was used: `96%`, `12 times`. `None` if that is no finite number.
fn used_portion(served: Option<f64>) -> Option<Shown> {
    let portion = served?;
    if !portion.is_finite() {
        return None;
    }
    if portion >= MANY {
        return Some(sentence!("{portion:.0} times"));
    }
    if portion >= WHOLE {
        return Some(sentence!("{:.0}%", portion * 100.0));
    }
    Some(percent(portion))
}

/// Returns how much less of a share was used than of another: `only 58%`, `nothing`. `None` if that is no finite number.
fn lesser_portion(served: f64) -> Option<Shown> {
    if served == 0.0 {
        return Some("nothing".into());
    }
    let portion = used_portion(Some(served))?;
    Some(sentence!("only {portion}"))
}

/// Returns how much of a share was used, to precede whose it is: `96% of`, `12 times`.
fn portion_of_share(served: Option<f64>) -> Option<Shown> {
    let portion = used_portion(served)?;
    if served >= Some(MANY) {
        return Some(portion);
    }
    Some(sentence!("{portion} of"))
}

impl UserPage<'_> {
    /// Returns the rank of the best association and what decides it, in the reader's words.
    pub(super) fn verdict(&self) -> Shown {
        let mut sentences = vec![self.rank_sentence()];
        if self.is_alone() {
            return sentences.remove(0);
        }
        let is_known = self.user.users.is_some() || self.is_of_part();
        if is_known {
            sentences.extend(self.why());
        }
        Shown::joined(&sentences, " ")
    }

    /// Returns whether the source has no other user, so that there is no order.
    fn is_alone(&self) -> bool {
        self.user.users == Some(1)
    }

    /// Returns the rank, or why it is not known.
    fn rank_sentence(&self) -> Shown {
        let best = self.best();
        let subject = self.subject();
        let part = best.percentile.map(percent);
        if let Some(explanation) = &best.explanation {
            if self.is_of_part() {
                return match part {
                    Some(part) => self.printed_place(&part),
                    None => "Your rank is not known, because not all users are listed.".into(),
                };
            }
            if self.is_alone() && explanation.rank.is_some() {
                return "You are the only user, so you run first.".into();
            }
            return match rank_of_all(explanation) {
                Some(rank) if self.user.associations.len() == 1 => {
                    sentence!("You rank {rank}.")
                }
                Some(rank) => sentence!("You rank best as {subject}: {rank}."),
                None => subject + &without_numbers(&self.view),
            };
        }
        match part {
            Some(part) => self.printed_place(&part),
            None => "Your rank does not follow from this source.".into(),
        }
    }

    /// Returns the place that Fair Tree's printed factor tells.
    fn printed_place(&self, part: &Shown) -> Shown {
        let who = match self.user.associations[..] {
            [_] => "you".into(),
            _ => self.subject(),
        };
        sentence!("{part} of all users rank like {who} or below: Fair Tree's factor is this part.")
    }

    /// Returns what decides the rank: the reader's own usage, and the account that holds it back.
    fn why(&self) -> Vec<Shown> {
        let best = self.best();
        let Some(held) = &best.held_back else {
            if best.rank.is_none() {
                return Vec::new();
            }
            if self.view.policy.orders_by_level() {
                return vec!["Nobody is ahead of you at any level.".into()];
            }
            let mut sentences = Vec::new();
            sentences.extend(self.own_usage());
            sentences.push("No account above you is over its target.".into());
            return sentences;
        };
        if held.node == best.node {
            return self.held_itself(held);
        }
        let mut sentences = Vec::new();
        sentences.extend(self.own_usage());
        sentences.push(self.held_by_account(held));
        sentences
    }

    /// Returns what the reader has used of the own share; `None` where that is no number.
    fn own_usage(&self) -> Option<Shown> {
        let view = &self.view;
        let best = self.best();
        let shares = view.tree.shares(best.node);
        if shares.count() == Some(0) {
            return Some("You have no shares.".into());
        }
        if shares.is_parent() {
            let noun = view.settings.noun().one;
            return Some(sentence!("Your shares are those of your {noun}."));
        }
        if !view.policy.has_used(view.tree, view.evaluation, best.node) {
            return Some("You have used nothing.".into());
        }
        let used = portion_of_share(served(best.target.as_ref()))?;
        Some(sentence!("You have used {used} your share."))
    }

    /// Returns why the reader's own level decides.
    fn held_itself(&self, held: &HoldingLevel) -> Vec<Shown> {
        let mut sentences = Vec::new();
        let own = self.own_usage();
        let is_told = own.is_some();
        sentences.extend(own);
        let Some(ahead) = held.ahead else {
            if is_told {
                sentences.push("No account above you is further over its share.".into());
            }
            return sentences;
        };
        let mut name = Shown::from("Another user");
        if self.names(ahead) {
            name = self.view.path(ahead);
        }
        let count = users_ahead(held);
        let less = self.used_less(ahead, held);
        sentences.push(match less {
            _ if held.is_tie => sentence!("{name} ties with you and comes first{count}."),
            Some(less) => {
                sentence!("{name} has used {less} and runs first{count}.")
            }
            None => sentence!("{name} runs before you{count}."),
        });
        sentences
    }

    /// Returns which account holds the reader back, and why.
    fn held_by_account(&self, held: &HoldingLevel) -> Shown {
        let view = &self.view;
        let noun = view.settings.noun().one;
        let account = view.label(held.node);
        let used = self.used_by_account(held);
        let Some(ahead) = held.ahead else {
            let counts = self.counts_for_members();
            return match used {
                Some(used) => sentence!("Your {noun} {account} {used}{counts}."),
                None => sentence!("Your {noun} {account} holds you back."),
            };
        };
        let count = users_ahead(held);
        let first = self.who_runs_first(ahead);
        let other = self.name_ahead(ahead, held);
        match (used, self.used_less(ahead, held)) {
            _ if held.is_tie => {
                sentence!("Your {noun} {account} ties with {other}, which comes first{count}.")
            }
            (Some(used), Some(less)) => {
                sentence!("Your {noun} {account} {used}, {other} {less}, so {first}{count}.")
            }
            (Some(used), None) => {
                sentence!(
                    "Your {noun} {account} {used}; {other} ranks before it, so {first}{count}."
                )
            }
            (None, _) => {
                sentence!("{other} ranks before your {noun} {account}, so {first}{count}.")
            }
        }
    }

    /// Returns what an account used of its share, to follow its name; `None` without a target.
    fn used_by_account(&self, held: &HoldingLevel) -> Option<Shown> {
        let shares = self.view.tree.shares(held.node);
        if shares.count() == Some(0) {
            return Some("has no shares".into());
        }
        let used = portion_of_share(served(held.target.as_ref()))?;
        Some(sentence!("has used {used} its share"))
    }

    /// Returns what the node ahead used of its share, if that is less than a level used of its own.
    fn used_less(&self, ahead: NodeId, held: &HoldingLevel) -> Option<Shown> {
        let view = &self.view;
        let own = served(held.target.as_ref())?;
        let other = view.policy.target(view.tree, view.evaluation, ahead)?;
        let other_use = TargetUse::of(view.policy, view.tree, ahead, other);
        let less = served(Some(&other_use))?;
        if less >= own || used_portion(Some(less)) == used_portion(Some(own)) {
            return None;
        }
        lesser_portion(less)
    }

    /// Returns the name of what ranks just before an account; other users have none by default.
    fn name_ahead(&self, ahead: NodeId, held: &HoldingLevel) -> Shown {
        if !self.names(ahead) {
            return "another user".into();
        }
        if held.is_tie {
            return self.view.path(ahead);
        }
        self.view.label(ahead)
    }

    /// Returns who runs first because of what ranks before an account.
    fn who_runs_first(&self, ahead: NodeId) -> Shown {
        match self.view.tree.kind(ahead) {
            Kind::User | Kind::Others => "that user runs first".into(),
            Kind::Account => {
                let name = self.view.label(ahead);
                sentence!("the users of {name} run first")
            }
        }
    }

    /// Returns that the usage of an account counts for its members, under a policy whose factor has it.
    const fn counts_for_members(&self) -> &'static str {
        match self.view.policy {
            Policy::Pbs | Policy::Classic | Policy::DepthOblivious => {
                ", and that counts against each of its members"
            }
            Policy::FairTree
            | Policy::FairTreeDocumented
            | Policy::LevelBased
            | Policy::Tickets
            | Policy::Flux
            | Policy::PbsWalk
            | Policy::Formula => "",
        }
    }
}

/// Returns how many users a level puts ahead, in parentheses; empty if that is not known.
fn users_ahead(held: &HoldingLevel) -> Shown {
    match held.users_ahead {
        Some(users) => {
            let count = counted(users, "user", "users");
            sentence!(" ({count} ahead)")
        }
        None => Shown::default(),
    }
}
