//! The assumptions of a forecast in words, when a goal is reached, and why it is not.

use super::number_word;
use super::solve::{stands as stands_on, uses, whole};
use crate::analysis::simulate::{
    Decay, HorizonStanding, NextShift, PbsDecay, Recovery, RecoveryOutcome, Shortfall,
    ShortfallCause, UsageAssumption, UsageReset,
};
use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::base::number::{amount, counted, fraction, percent, short as rounded};
use crate::base::shown::{Shown, sentence};
use crate::model::{
    Campaign, Measured, NodeId, Premise, Tree, duration_for_people, path_for_people,
};
use crate::report::View;
use crate::report::moments::Moments;

/// Returns who uses what while usage decays like this, as a clause.
pub fn usage(tree: &Tree, decay: &Decay, usage: &UsageAssumption) -> Shown {
    match usage {
        UsageAssumption::Premise(of) => premise(tree, decay, of),
        UsageAssumption::Nobody => "nobody uses anything".into(),
        UsageAssumption::Many { users, total, most } => {
            let (users, total) = (counted(*users, "user", "users"), rounded(*total));
            let most = path_for_people(tree, *most);
            sentence!("{users} use {total} a second in total, {most} the most")
        }
        UsageAssumption::Rate { node, rate } => constant(tree, *node, *rate),
        UsageAssumption::Campaign(campaign) => planned(tree, campaign),
        UsageAssumption::NobodyElse => "nobody else uses anything".into(),
    }
}

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
        Premise::Resting(node) => sentence!("but {} uses nothing", path_for_people(tree, *node)),
        Premise::Rate { node, rate } => sentence!("but {}", constant(tree, *node, *rate)),
        Premise::Campaign(campaign) => sentence!("but {}", planned(tree, campaign)),
    }
}

const STEADY: &str = "everybody uses just enough to keep their usage constant";

fn constant(tree: &Tree, node: NodeId, rate: f64) -> Shown {
    let name = path_for_people(tree, node);
    sentence!("{name} uses {} a second", amount(rate))
}

fn planned(tree: &Tree, campaign: &Campaign) -> Shown {
    let name = path_for_people(tree, campaign.node);
    let rate = amount(campaign.rate);
    let [from, until] = [campaign.from, campaign.until].map(duration_for_people);
    sentence!("{name} uses {rate} a second more from {from} to {until} after the snapshot")
}

/// Returns how usage decays, as a clause.
pub fn decay(decay: &Decay) -> Shown {
    match *decay {
        Decay::Smooth { half_life: 0 } => {
            "usage does not decay, because PriorityDecayHalfLife is 0".into()
        }
        Decay::Smooth { half_life } => sentence!("usage halves in {}, smoothly", period(half_life)),
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

fn period(seconds: u32) -> Shown {
    duration_for_people(u64::from(seconds))
}

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

fn decay_of_slurm(half_life: u32, looking: u32, reset: Option<UsageReset>) -> Shown {
    let decays = match half_life {
        0 => "Slurm does not decay usage, because PriorityDecayHalfLife is 0".into(),
        seconds => {
            let [half_life, every] = [seconds, looking].map(period);
            sentence!("Slurm halves usage in {half_life}, applied every {every}")
        }
    };
    let Some(reset) = reset else {
        return decays;
    };
    let period = reset.period.name().to_lowercase();
    match reset_left_out(reset) {
        None if reset.has_zone => sentence!("{decays}, and sets it to 0 {period}"),
        None => sentence!(
            "{decays}, and sets it to 0 {period}, at midnight in UTC unless --timezone names the cluster's zone"
        ),
        Some(left_out) => sentence!("{decays}; the {left_out}"),
    }
}

/// Returns that a reset is left out, as a clause after `the`. `None` if it is not.
pub(crate) fn reset_left_out(reset: UsageReset) -> Option<Shown> {
    let period = reset.period.name().to_lowercase();
    let left_out =
        sentence!("{period} reset of usage to 0 is left out, because the source has no date");
    (!reset.has_date).then_some(left_out)
}

fn decay_of_flux(half_life: u32, factor: f64, bins: usize, next: NextShift) -> Shown {
    let oldest = sentence!("drops the oldest of {}", counted(bins, "bin", "bins"));
    let does = match factor {
        0.0 => "drops all usage (decay_factor is 0)".into(),
        1.0 => sentence!("{oldest} (decay_factor is 1)"),
        factor => sentence!("multiplies usage by {factor} and {oldest}"),
    };
    let does = sentence!("Flux {does} every {}", period(half_life));
    match next {
        NextShift::Overdue(1) => sentence!("{does}; this is overdue and happens at the next run"),
        NextShift::Overdue(times) => {
            sentence!("{does}; this is overdue {times} times, and each run does one of them")
        }
        NextShift::First(wait) => sentence!(
            "{does}, for the first time in {}: the first period of a database lasts two half-lives",
            duration_for_people(wait)
        ),
        NextShift::In(wait) => sentence!("{does}, next in {}", duration_for_people(wait)),
        NextShift::Never => does,
    }
}

/// The standing of a node: `rank 3, factor 0.500000`, or what it used against its target where that is the goal.
fn standing(view: &View<'_>, recovery: &Recovery, standing: Standing) -> Shown {
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, standing.target) {
        let target = TargetUse::of(view.policy, view.tree, recovery.node, target);
        return uses(view.tree, &target);
    }
    let of = number_word(view.policy.factor_column());
    match (standing.rank, standing.factor) {
        (Some(rank), Some(factor)) => sentence!("rank {rank}, {of} {}", fraction(factor)),
        (Some(rank), None) => sentence!("rank {rank}"),
        (None, Some(factor)) => sentence!("{of} {}", fraction(factor)),
        (None, None) => "no rank".into(),
    }
}

/// Returns when a goal is reached, or why not, for people; for a goal about targets also where the accounts above
/// stand. `horizon` is how many seconds ahead the goal was looked for.
pub fn recovery(view: &View<'_>, moments: &Moments, horizon: u64, recovery: &Recovery) -> Shown {
    let name = view.path(recovery.node);
    let goal = match recovery.goal {
        Goal::OnTarget => "on target".into(),
        Goal::Rank(1) => "at rank 1".into(),
        Goal::Rank(rank) => sentence!("at rank {rank} or better"),
        Goal::Factor(number) => {
            let of = number_word(view.policy.factor_column());
            sentence!("at {of} {number} or more")
        }
        Goal::Share(share) => sentence!("at {} of the tree or more", percent(share)),
        Goal::AheadOf(other) => sentence!("ahead of {}", view.path(other)),
    };
    let begin = view.settings.time.passed;
    let standing = |at| standing(view, recovery, at);
    let over = over_above(view, recovery);
    let sentence = match recovery.outcome {
        // What holds it back comes first.
        RecoveryOutcome::Now if !over.is_empty() => {
            let now = standing(recovery.now);
            return sentence!("Above {name}, {over}. {name} itself is {goal} now: {now}.");
        }
        RecoveryOutcome::Now => sentence!("{name} is {goal} now: {}.", standing(recovery.now)),
        RecoveryOutcome::After(seconds) => {
            let almost = match (recovery.almost.map(standing), recovery.goal) {
                (None, _) => Shown::default(),
                (Some(almost), Goal::OnTarget) => sentence!("; one step before, it {almost}"),
                (Some(almost), _) => sentence!("; one step before, it is {almost}"),
            };
            let time = duration_for_people(seconds);
            let moment = moments.text(begin.saturating_add(seconds));
            let then = standing(recovery.then);
            sentence!("{name} is {goal} in {time} ({moment}): {then}{almost}.")
        }
        RecoveryOutcome::NotYet => {
            let (time, why) = (duration_for_people(horizon), full(view.tree, recovery));
            sentence!("{name} is not {goal} within {time}. {why}.")
        }
        RecoveryOutcome::Never => {
            let why = full(view.tree, recovery);
            sentence!("{name} is never {goal} at this pace. {why}.")
        }
    };
    sentence + &accounts_above(view, recovery)
}

/// Returns the accounts above that are over their own targets, as a clause; empty if none is.
fn over_above(view: &View<'_>, recovery: &Recovery) -> Shown {
    let levels = recovery.levels.iter();
    let over = levels.filter(|(node, target)| *node != recovery.node && !target.is_met);
    let over = over.map(|&(node, target)| {
        let target = TargetUse::of(view.policy, view.tree, node, target);
        stands_on(view.tree, node, &target)
    });
    Shown::joined(over, "; ")
}

/// Where the accounts above stand against their own targets then: they are no part of the goal, but may hold it back.
fn accounts_above(view: &View<'_>, recovery: &Recovery) -> Shown {
    let levels = recovery.levels.iter();
    let above = levels.filter(|(node, _)| *node != recovery.node);
    let standings = above.map(|&(node, target)| {
        let target = TargetUse::of(view.policy, view.tree, node, target);
        stands_on(view.tree, node, &target)
    });
    let moment = match recovery.outcome {
        RecoveryOutcome::Now => "Above it",
        _ => "Above it then",
    };
    match Shown::joined(standings, "; ") {
        none if none.is_empty() => none,
        standings => sentence!(" {moment}: {standings}."),
    }
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
    let reason = recovery.shortfall.as_ref();
    reason.map_or_else(Shown::default, |reason| brief(tree, reason))
}

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

fn cause(tree: &Tree, cause: &ShortfallCause) -> Shown {
    match cause {
        ShortfallCause::NothingUsed => "There is no usage, so only shares count".into(),
        ShortfallCause::LittleLeft => {
            "Nobody uses anything, and by then so little usage is left that shares decide".into()
        }
        ShortfallCause::LeastOfPbs => {
            "Nobody uses anything, and usage decays to PBS's minimum of 1 for every node".into()
        }
        ShortfallCause::NobodyUses => "Nobody uses anything".into(),
        ShortfallCause::NoDecay => "Nobody uses anything, and usage does not decay by then".into(),
        ShortfallCause::SameFactor {
            forgets,
            had_campaigns,
        } => {
            let until = match forgets {
                true => " until the oldest bins are dropped",
                false => "",
            };
            let over = match had_campaigns {
                true => "The campaigns are over then. ",
                false => "",
            };
            sentence!("{over}All usage decays by the same factor, so no rank changes{until}")
        }
        ShortfallCause::TooMuchUse {
            node,
            among,
            part,
            target,
        } => {
            let (name, whole) = (path_for_people(tree, *node), whole(tree, *among));
            let [part, target] = [*part, *target].map(percent);
            sentence!("{name} keeps using {part} of {whole}; the target is {target}")
        }
    }
}

fn stands(tree: &Tree, stands: &HorizonStanding) -> Shown {
    let (rank, factor, column, other) = match stands {
        HorizonStanding::Target(target) => return sentence!("It then {}", uses(tree, target)),
        HorizonStanding::Order {
            rank,
            factor,
            column,
            other,
        } => (rank, factor, column, other),
    };
    let own = match (rank, factor) {
        (None, _) => "It then has no rank".into(),
        (Some(rank), Some(factor)) => {
            let of = number_word(*column);
            sentence!("It then has rank {rank} and {of} {}", fraction(*factor))
        }
        (Some(rank), None) => sentence!("It then has rank {rank}"),
    };
    match other {
        Some((other, rank)) => sentence!("{own}, {} at rank {rank}", path_for_people(tree, *other)),
        None => own,
    }
}
