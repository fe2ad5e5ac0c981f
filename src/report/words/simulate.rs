//! The assumptions of a forecast in words, when a goal is reached, and why it is not.

use super::solve::{stands as stands_on, uses, whole};
use super::{capital, number_word};
use crate::analysis::simulate::{
    Decay, HorizonStanding, NextShift, PbsDecay, Preset, Recovery, RecoveryOutcome, Shortfall,
    ShortfallCause, UsageAssumption, UsageReset,
};
use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::base::number::{amount, counted, fraction, percent, short as rounded};
use crate::base::shown::{Shown, sentence};
use crate::model::{
    Campaign, Measured, NodeId, Premise, Tree, duration_for_people, path_for_people,
};
use crate::report::moments::Moments;
use crate::report::{View, label};

/// Returns what is assumed of future usage in two or three words, as the name of a line.
pub(crate) fn preset(tree: &Tree, preset: Preset<'_>) -> Shown {
    match preset {
        Preset::Idle => "all stop".into(),
        Preset::Steady => "all go on".into(),
        Preset::OnlyIdle(node) => sentence!("only {} stops", label(tree, node)),
        Preset::AsPlanned | Preset::Measured(_) => "as planned".into(),
    }
}

/// Returns who uses what while usage decays like this, as a clause.
pub fn usage(tree: &Tree, decay: &Decay, usage: &UsageAssumption) -> Shown {
    match usage {
        UsageAssumption::Premise(of) => premise(tree, decay, of),
        UsageAssumption::Nobody => "nobody uses anything".into(),
        UsageAssumption::Many { users, total, most } => {
            let count = counted(*users, "user", "users");
            let rate = rounded(*total);
            let name = path_for_people(tree, *most);
            sentence!("{count} use {rate} a second in total, {name} the most")
        }
        UsageAssumption::Rate { node, rate } => constant(tree, *node, *rate),
        UsageAssumption::Campaign(campaign) => planned(tree, campaign),
        UsageAssumption::NobodyElse => "nobody else uses anything".into(),
    }
}

/// Returns what everybody is assumed to use, or an exception from that.
fn premise(tree: &Tree, decay: &Decay, premise: &Premise) -> Shown {
    match premise {
        Premise::Steady if matches!(decay, Decay::Pbs(_) | Decay::Flux { .. }) => {
            "everybody uses as much on average as decays from their current usage, so usage rises between decays and \
             falls at each"
                .into()
        }
        Premise::Steady => STEADY.into(),
        Premise::SteadyAtRest => sentence!("{STEADY}: nothing, because no usage decays"),
        Premise::Measured(Measured {
            old,
            new,
            elapsed,
            total,
            users,
        }) => sentence!(
            "everybody continues as in the {} between {old} and {new}: {} of usage a second in total, by {}",
            duration_for_people(*elapsed),
            rounded(*total),
            counted(*users, "user", "users")
        ),
        Premise::Resting(node) => {
            let path = path_for_people(tree, *node);
            sentence!("but {path} uses nothing")
        }
        Premise::Rate { node, rate } => {
            let rate = constant(tree, *node, *rate);
            sentence!("but {rate}")
        }
        Premise::Campaign(campaign) => {
            let campaign = planned(tree, campaign);
            sentence!("but {campaign}")
        }
    }
}

/// What everybody uses by default.
const STEADY: &str = "everybody uses just enough to keep their usage constant";

/// Returns that a node uses as much all the time.
fn constant(tree: &Tree, node: NodeId, rate: f64) -> Shown {
    let name = path_for_people(tree, node);
    sentence!("{name} uses {} a second", amount(rate))
}

/// Returns that a node uses more for a time.
fn planned(tree: &Tree, campaign: &Campaign) -> Shown {
    let name = path_for_people(tree, campaign.node);
    let rate = amount(campaign.rate);
    let from = duration_for_people(campaign.from);
    let until = duration_for_people(campaign.until);
    sentence!(
        "{name} uses {rate} a second more from {from} to {until} after the time of the source"
    )
}

/// Returns how usage decays, as a clause.
pub fn decay(decay: &Decay) -> Shown {
    match *decay {
        Decay::Smooth { half_life: 0 } => {
            "usage does not decay, because PriorityDecayHalfLife is 0".into()
        }
        Decay::Smooth { half_life } => {
            let time = period(half_life);
            sentence!("usage halves in {time}, smoothly")
        }
        Decay::Pbs(decay) => decay_of_pbs(decay),
        Decay::Slurm {
            half_life,
            period,
            reset,
        } => decay_of_slurm(half_life, period, reset),
        Decay::Flux {
            half_life,
            factor,
            bins,
            next,
        } => decay_of_flux(half_life, factor, bins, next),
    }
}

/// Returns seconds of 32 bits as a duration.
fn period(seconds: u32) -> Shown {
    duration_for_people(u64::from(seconds))
}

/// Returns how PBS's usage decays.
fn decay_of_pbs(decay: PbsDecay) -> Shown {
    let (factor, interval, overdue) = match decay {
        PbsDecay::Off => {
            return "PBS does not decay usage, because fair_share is false and no job_sort_formula is set".into();
        }
        PbsDecay::NoInterval => {
            return "PBS does not decay usage, because fairshare_decay_time is 0".into();
        }
        PbsDecay::NegativeInterval => {
            return "PBS does not decay usage, because fairshare_decay_time is below 0".into();
        }
        PbsDecay::Multiplied {
            factor,
            interval,
            overdue,
        } => (factor, duration_for_people(interval), overdue),
    };
    let decays = if factor.is_nan() {
        sentence!(
            "PBS sets usage to 1 every {interval}, because fairshare_decay_factor is not a number"
        )
    } else {
        sentence!("PBS multiplies usage by {factor} every {interval}, down to 1")
    };
    let Some(overdue) = overdue else {
        return decays;
    };
    let since = duration_for_people(overdue.since);
    let times = counted(overdue.times, "time", "times");
    sentence!("{decays}; the last decay was {since} ago, so the next cycle applies it {times}")
}

/// Returns how Slurm's usage decays. `looking` is how often, in seconds.
fn decay_of_slurm(half_life: u32, looking: u32, reset: Option<UsageReset>) -> Shown {
    let decays = if half_life == 0 {
        "Slurm does not decay usage, because PriorityDecayHalfLife is 0".into()
    } else {
        let every = period(looking);
        sentence!(
            "Slurm halves usage in {}, applied every {every}",
            period(half_life)
        )
    };
    let Some(reset) = reset else {
        return decays;
    };
    if let Some(left_out) = reset_left_out(reset) {
        return sentence!("{decays}; the {left_out}");
    }
    let when = reset.period.name().to_lowercase();
    if reset.has_zone {
        return sentence!("{decays}, and sets it to 0 {when}");
    }
    sentence!(
        "{decays}, and sets it to 0 {when}, at midnight in UTC unless --timezone names the cluster's zone"
    )
}

/// Returns that a reset is left out, as a clause after `the`. `None` if it is not.
pub(crate) fn reset_left_out(reset: UsageReset) -> Option<Shown> {
    if reset.has_date {
        return None;
    }
    let when = reset.period.name().to_lowercase();
    Some(sentence!(
        "{when} reset of usage to 0 is left out, because the source has no date"
    ))
}

/// Returns how Flux's usage decays, and when next.
fn decay_of_flux(half_life: u32, factor: f64, bins: usize, next: NextShift) -> Shown {
    let bins = counted(bins, "bin", "bins");
    let oldest = sentence!("drops the oldest of {bins}");
    let decays = match factor {
        0.0 => "drops all usage (decay_factor is 0)".into(),
        1.0 => sentence!("{oldest} (decay_factor is 1)"),
        _ => sentence!("multiplies usage by {factor} and {oldest}"),
    };
    let does = sentence!("Flux {decays} every {}", period(half_life));
    match next {
        NextShift::Overdue(1) => sentence!("{does}; this is overdue and happens at the next run"),
        NextShift::Overdue(times) => {
            sentence!("{does}; this is overdue {times} times, and each run does one of them")
        }
        NextShift::First(wait) => sentence!(
            "{does}, for the first time in {}: the first period of a database lasts two half-lives",
            duration_for_people(wait)
        ),
        NextShift::In(wait) => {
            let time = duration_for_people(wait);
            sentence!("{does}, next in {time}")
        }
        NextShift::Never => does,
    }
}

/// Returns the standing of a node: `rank 3, factor 0.500000`, or what it used against its target where that is the goal.
fn standing(view: &View<'_>, recovery: &Recovery, standing: Standing) -> Shown {
    if recovery.goal == Goal::OnTarget
        && let Some(target) = standing.target
    {
        let target_use = TargetUse::of(view.policy, view.tree, recovery.node, target);
        return uses(view.tree, &target_use);
    }
    let of = number_word(view.policy.factor_column());
    let factor = standing.factor.map(fraction);
    match (standing.rank, factor) {
        (Some(rank), Some(factor)) => sentence!("rank {rank}, {of} {factor}"),
        (Some(rank), None) => sentence!("rank {rank}"),
        (None, Some(factor)) => sentence!("{of} {factor}"),
        (None, None) => "no rank".into(),
    }
}

/// Returns a goal, to follow the name of the node and a verb.
fn goal_text(view: &View<'_>, goal: Goal) -> Shown {
    match goal {
        Goal::OnTarget => "on target".into(),
        Goal::Rank(1) => "at rank 1".into(),
        Goal::Rank(rank) => sentence!("at rank {rank} or better"),
        Goal::Factor(number) => {
            let of = number_word(view.policy.factor_column());
            sentence!("at {of} {number} or more")
        }
        Goal::Share(share) => {
            let part = percent(share);
            sentence!("at {part} of the tree or more")
        }
        Goal::AheadOf(other) => {
            let path = view.path(other);
            sentence!("ahead of {path}")
        }
    }
}

/// Returns when a goal is reached, or why not, for people; for a goal about targets also where the accounts above
/// stand. `horizon` is how many seconds ahead the goal was looked for.
pub fn recovery(view: &View<'_>, moments: &Moments, horizon: u64, recovery: &Recovery) -> Shown {
    let name = view.path(recovery.node);
    let goal = goal_text(view, recovery.goal);
    let sentence = match recovery.outcome {
        RecoveryOutcome::Now => {
            let now = standing(view, recovery, recovery.now);
            let over = over_above(view, recovery);
            if !over.is_empty() {
                // What holds it back comes first.
                return sentence!("Above {name}, {over}. {name} itself is {goal} now: {now}.");
            }
            sentence!("{name} is {goal} now: {now}.")
        }
        RecoveryOutcome::After(seconds) => {
            let begin = view.settings.time.passed;
            let time = duration_for_people(seconds);
            let moment = moments.text(begin.saturating_add(seconds));
            let then = standing(view, recovery, recovery.then);
            let almost = step_before(view, recovery);
            sentence!("{name} is {goal} in {time} ({moment}): {then}{almost}.")
        }
        RecoveryOutcome::NotYet => {
            let time = duration_for_people(horizon);
            let why = full(view.tree, recovery);
            sentence!("{name} is not {goal} within {time}. {why}.")
        }
        RecoveryOutcome::Never => {
            let why = full(view.tree, recovery);
            sentence!("{name} is never {goal} at this pace. {why}.")
        }
    };
    sentence + &accounts_above(view, recovery)
}

/// Returns where the node stands one step before the goal is reached; empty if that is not known.
fn step_before(view: &View<'_>, recovery: &Recovery) -> Shown {
    let Some(almost) = recovery.almost else {
        return Shown::default();
    };
    let stands = standing(view, recovery, almost);
    if recovery.goal == Goal::OnTarget {
        return sentence!("; one step before, it {stands}");
    }
    sentence!("; one step before, it is {stands}")
}

/// Returns the accounts above that are over their own targets, as a clause; empty if none is.
fn over_above(view: &View<'_>, recovery: &Recovery) -> Shown {
    standings_above(view, recovery, true)
}

/// Returns where the accounts above stand against their own targets, or only those that are over it; empty if there are
/// none.
fn standings_above(view: &View<'_>, recovery: &Recovery, only_over: bool) -> Shown {
    let mut standings = Vec::new();
    for &(node, target) in &recovery.levels {
        if node == recovery.node || (only_over && target.is_met) {
            continue;
        }
        let target_use = TargetUse::of(view.policy, view.tree, node, target);
        standings.push(stands_on(view.tree, node, &target_use));
    }
    Shown::joined(standings, "; ")
}

/// Returns where the accounts above stand against their own targets then: they are no part of the goal, but may hold it
/// back.
fn accounts_above(view: &View<'_>, recovery: &Recovery) -> Shown {
    let standings = standings_above(view, recovery, false);
    if standings.is_empty() {
        return standings;
    }
    if recovery.outcome == RecoveryOutcome::Now {
        return sentence!(" Above it: {standings}.");
    }
    sentence!(" Above it then: {standings}.")
}

/// Returns why a goal is not reached: the obstacle, and the numbers at the horizon. Empty if it is reached.
pub fn full(tree: &Tree, recovery: &Recovery) -> Shown {
    match &recovery.shortfall {
        None => Shown::default(),
        Some(Shortfall::Obstructed {
            cause: Some(why),
            standing: at,
        }) => sentence!("{}. {}", cause(tree, why), stands(tree, at)),
        Some(reason) => brief(tree, reason),
    }
}

/// Returns why a goal is not reached, without the numbers unless nothing else is to be said. Empty if it is reached.
pub(crate) fn short(tree: &Tree, recovery: &Recovery) -> Shown {
    match &recovery.shortfall {
        Some(reason) => brief(tree, reason),
        None => Shown::default(),
    }
}

/// Returns the obstacle, or the numbers at the horizon where there is none to be told.
fn brief(tree: &Tree, reason: &Shortfall) -> Shown {
    match reason {
        Shortfall::NoUsers => "Only users have a rank, and it has no users".into(),
        Shortfall::NoRank => "It then has no rank".into(),
        Shortfall::UnknownRank => "Its rank is not known, because not all users are listed".into(),
        Shortfall::NoShares => "Its target is 0%: it, or a node above it, has no shares".into(),
        Shortfall::Obstructed {
            cause: Some(why), ..
        } => cause(tree, why),
        Shortfall::Obstructed {
            cause: None,
            standing: at,
        } => stands(tree, at),
    }
}

/// Returns what keeps a goal from being reached, as a sentence without its full stop.
fn cause(tree: &Tree, cause: &ShortfallCause) -> Shown {
    let clause = cause_clause(tree, cause);
    if matches!(cause, ShortfallCause::TooMuchUse { .. }) {
        // It begins with a name.
        return clause;
    }
    capital(&clause)
}

/// Returns what keeps a goal from being reached, as a clause.
pub(super) fn cause_clause(tree: &Tree, cause: &ShortfallCause) -> Shown {
    match cause {
        ShortfallCause::NothingUsed => "there is no usage, so only shares count".into(),
        ShortfallCause::LittleLeft => {
            "nobody uses anything, and by then so little usage is left that shares decide".into()
        }
        ShortfallCause::LeastOfPbs => {
            "nobody uses anything, and usage decays to PBS's minimum of 1 for every node".into()
        }
        ShortfallCause::NobodyUses => "nobody uses anything".into(),
        ShortfallCause::NoDecay => "nobody uses anything, and usage does not decay by then".into(),
        ShortfallCause::SameFactor {
            forgets,
            had_campaigns,
        } => {
            let until = if *forgets {
                " until the oldest bins are dropped"
            } else {
                ""
            };
            let over = if *had_campaigns {
                "the campaigns are over then, and "
            } else {
                ""
            };
            sentence!("{over}all usage shrinks alike, so nobody moves{until}")
        }
        ShortfallCause::TooMuchUse {
            node,
            among,
            part,
            target,
        } => {
            let name = path_for_people(tree, *node);
            let whole = whole(tree, *among);
            let used = percent(*part);
            sentence!(
                "{name} keeps using {used} of {whole}; its target is {}",
                percent(*target)
            )
        }
    }
}

/// Returns the numbers of a node at the horizon, as a sentence without its full stop.
fn stands(tree: &Tree, stands: &HorizonStanding) -> Shown {
    let clause = standing_then(tree, stands);
    capital(&clause)
}

/// Returns the numbers of a node at the horizon, as a clause.
pub(super) fn standing_then(tree: &Tree, stands: &HorizonStanding) -> Shown {
    match stands {
        HorizonStanding::Target(target) => {
            let standing = uses(tree, target);
            sentence!("it then {standing}")
        }
        HorizonStanding::Order {
            rank,
            factor,
            column,
            other,
        } => {
            let mut own = Shown::from("it then has no rank");
            if let Some(rank) = rank {
                own = sentence!("it then has rank {rank}");
                if let Some(factor) = factor {
                    let of = number_word(*column);
                    own += &sentence!(" and {of} {}", fraction(*factor));
                }
            }
            if let Some((other, rank)) = other {
                let name = path_for_people(tree, *other);
                own += &sentence!(", {name} at rank {rank}");
            }
            own
        }
    }
}
