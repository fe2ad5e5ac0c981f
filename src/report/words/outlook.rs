//! What becomes of a node's rank as time passes, in a few words, and why it stays: the same on every screen and page.

use super::simulate::{cause_clause, standing_then};
use crate::analysis::simulate::{
    HorizonStanding, Recovery, RecoveryOutcome, Shortfall, ShortfallCause,
};
use crate::analysis::solve::Goal;
use crate::base::number::ordinal;
use crate::base::shown::{Shown, sentence};
use crate::model::{Tree, path_for_people};

/// Of whom a clause speaks, which decides its verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A node that is named before the clause: `stays 33rd`.
    Node,
    /// The best user of an account that is named before the clause: `its best user stays 33rd`.
    BestUser,
    /// The reader of the page: `you stay 33rd`.
    Reader,
}

/// How a rank changes from the beginning of a search to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RankChange {
    Stays,
    Falls,
    Rises,
}

impl Subject {
    /// Returns the subject and the verb of a change, with a blank behind them.
    const fn verb(self, change: RankChange) -> &'static str {
        match (self, change) {
            (Self::Node, RankChange::Stays) => "stays ",
            (Self::Node, RankChange::Falls) => "falls to ",
            (Self::Node, RankChange::Rises) => "rises to ",
            (Self::BestUser, RankChange::Stays) => "its best user stays ",
            (Self::BestUser, RankChange::Falls) => "its best user falls to ",
            (Self::BestUser, RankChange::Rises) => "its best user rises to ",
            (Self::Reader, RankChange::Stays) => "you stay ",
            (Self::Reader, RankChange::Falls) => "you fall to ",
            (Self::Reader, RankChange::Rises) => "you rise to ",
        }
    }
}

/// What becomes of a node until it reaches a goal, or while it does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook<'a> {
    /// The tree, which has the names.
    pub(crate) tree: &'a Tree,
    /// When the goal is reached, or why not.
    pub(crate) recovery: &'a Recovery,
    /// Of whom it speaks.
    pub(crate) subject: Subject,
}

impl Outlook<'_> {
    /// Returns what the node is when it reaches its goal, to precede a time: `32nd`, `4th and on target`. `goal` is the goal
    /// in words, for goals that are no ranks, and where no rank is known.
    pub(crate) fn reached(&self, goal: &Shown) -> Shown {
        let Some(rank) = self.recovery.then.rank else {
            return goal.clone();
        };
        let place = ordinal(rank as usize);
        let is_of_best_user = self.subject == Subject::BestUser;
        match self.recovery.goal {
            Goal::Rank(_) if is_of_best_user => sentence!("its best user {place}"),
            Goal::Rank(_) => place,
            Goal::OnTarget if is_of_best_user => {
                sentence!("{goal}, its best user {place}")
            }
            Goal::OnTarget if self.is_kept() => sentence!("still {place}, and {goal}"),
            Goal::OnTarget => sentence!("{place} and {goal}"),
            Goal::Factor(_) | Goal::Share(_) | Goal::AheadOf(_) => goal.clone(),
        }
    }

    /// Returns how the rank changes until the end of the search; `None` if it is not known at both ends.
    fn change(&self) -> Option<RankChange> {
        let before = self.recovery.now.rank?;
        let after = self.recovery.then.rank?;
        if after == before {
            return Some(RankChange::Stays);
        }
        if after > before {
            return Some(RankChange::Falls);
        }
        Some(RankChange::Rises)
    }

    /// Returns whether all usage shrinks alike and the rank stays, which says everything.
    fn is_nobody_moved(&self) -> bool {
        let Some(Shortfall::Obstructed { cause, .. }) = &self.recovery.shortfall else {
            return false;
        };
        let is_alike = matches!(
            cause,
            Some(ShortfallCause::SameFactor {
                had_campaigns: false,
                ..
            })
        );
        is_alike && self.change() == Some(RankChange::Stays)
    }

    /// Returns whether the rank is the same at the end of the search.
    pub(crate) fn is_kept(&self) -> bool {
        self.change() == Some(RankChange::Stays)
    }

    /// Returns whether the goal is never reached and the rank stays.
    pub(crate) fn is_settled(&self) -> bool {
        self.recovery.outcome == RecoveryOutcome::Never && self.is_kept()
    }

    /// Returns what becomes of the rank while the goal is not reached, and why.
    pub(crate) fn whole(&self) -> Shown {
        self.movement() + &self.why()
    }

    /// Returns what becomes of the rank while the goal is not reached: `stays 33rd`, `falls to 35th`. Empty where
    /// [`Outlook::why`] says it all, and without a rank.
    pub(crate) fn movement(&self) -> Shown {
        let Some(change) = self.change() else {
            return Shown::default();
        };
        let Some(rank) = self.recovery.then.rank else {
            return Shown::default();
        };
        if self.is_nobody_moved() {
            return Shown::default();
        }
        let verb = self.subject.verb(change);
        let place = ordinal(rank as usize);
        sentence!("{verb}{place}")
    }

    /// Returns why the goal is not reached, to follow [`Outlook::movement`]: `, because ops keeps using 27.0% of all usage;
    /// its target is 4.1%`. It stands alone where there is no movement. Empty if there is nothing to say.
    pub(crate) fn why(&self) -> Shown {
        let is_alone = self.movement().is_empty();
        let Some(shortfall) = &self.recovery.shortfall else {
            return Shown::default();
        };
        let why = match shortfall {
            Shortfall::NoUsers => "it has no users, so it has no rank".into(),
            Shortfall::NoRank => "it then has no rank".into(),
            Shortfall::UnknownRank => {
                "the rank is not known, because not all users are listed".into()
            }
            Shortfall::NoShares => {
                let clause = "the target is 0%: no shares, or none above";
                return beside(is_alone, "; ", &clause.into());
            }
            Shortfall::Obstructed {
                cause: Some(cause), ..
            } => {
                let clause = cause_clause(self.tree, cause);
                return beside(is_alone, ", because ", &clause);
            }
            Shortfall::Obstructed {
                cause: None,
                standing,
            } => return self.at_the_end(is_alone, standing),
        };
        beside(is_alone, "; ", &why)
    }

    /// Returns the numbers at the end of a search that found no cause.
    fn at_the_end(&self, is_alone: bool, standing: &HorizonStanding) -> Shown {
        match standing {
            HorizonStanding::Target(_) => {
                let clause = standing_then(self.tree, standing);
                beside(is_alone, "; ", &clause)
            }
            // A page names no other user.
            HorizonStanding::Order { .. } if self.subject == Subject::Reader => Shown::default(),
            HorizonStanding::Order {
                other: Some((ahead, rank)),
                ..
            } => {
                let name = path_for_people(self.tree, *ahead);
                let place = ordinal(*rank as usize);
                let clause = sentence!("{name} is then {place}");
                beside(is_alone, "; ", &clause)
            }
            HorizonStanding::Order { other: None, .. } => Shown::default(),
        }
    }
}

/// Returns a clause, behind another one unless it is alone.
fn beside(is_alone: bool, join: &'static str, clause: &Shown) -> Shown {
    if is_alone {
        return clause.clone();
    }
    sentence!("{join}{clause}")
}
