//! Recorded numbers in words: which rule made them, why they are older, and why ranks need not be the scheduler's.

use crate::base::number::{counted, grouped, word_for};
use crate::base::shown::{Shown, sentence};
use crate::rules::policy::Policy;
use crate::trust::verify::{Detected, Doubt, Evidence, Fit, KnownSetting, NextBest, Older, Stale};

/// Returns the name of a rule: those that Slurm prints numbers of, as they are told apart.
fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::FairTree => "Fair Tree",
        Policy::Classic => "classic fair-share",
        Policy::DepthOblivious => "DEPTH_OBLIVIOUS",
        Policy::LevelBased => "LEVEL_BASED",
        other => other.title(),
    }
}

/// Returns a setting with its value: `PriorityLevels=5`.
pub(crate) fn setting(known: KnownSetting) -> Shown {
    sentence!("{}={}", known.key(), known.value())
}

/// Returns a rule with the settings that the numbers ask for.
fn rule(policy: Policy, settings: &[KnownSetting]) -> Shown {
    let mut named = Vec::new();
    for known in settings {
        if !known.is_usual() {
            named.push(setting(*known));
        }
    }
    sentence!("{}{}", name(policy), with(&named))
}

/// Returns what follows the name of a rule that has settings; empty for none.
pub(super) fn with(settings: &[Shown]) -> Shown {
    if settings.is_empty() {
        return Shown::default();
    }
    sentence!(" with {}", settings.join(" and "))
}

/// Returns what shows which rule made recorded numbers.
pub(crate) fn evidence(detected: &Detected) -> Shown {
    let this = rule(detected.policy, &detected.settings);
    match &detected.evidence {
        Evidence::PbsFile { has_formula } => {
            let order = if *has_formula {
                "job_sort_formula decides its order"
            } else {
                "no job_sort_formula is set"
            };
            sentence!("resource_group is a file of PBS's, and {order}")
        }
        Evidence::FluxAlone(fit) => {
            let fits = grouped(fit.fits);
            let rows = grouped(fit.rows);
            sentence!("{fits} of {rows} stored fairshare values match")
        }
        Evidence::Alone(fit, other) => {
            let agreeing = agreeing(*fit);
            let next = next_best(*other);
            sentence!("the cluster ranks by {this}: {agreeing}{next}")
        }
        Evidence::SameAs {
            fit,
            policy,
            settings,
        } => {
            let agreeing = agreeing(*fit);
            let other = rule(*policy, settings);
            sentence!(
                "the cluster ranks by {this}: {agreeing}; {other} gives the same for this tree"
            )
        }
        Evidence::Unsettled => {
            sentence!("the cluster ranks by {this}, before its first settled period")
        }
        Evidence::BetweenCalculations => sentence!(
            "the cluster ranks by {this}, between two of its calculations: its columns agree with each other"
        ),
        Evidence::MostLikely(fit, other) => {
            let agreeing = agreeing(*fit);
            let next = next_best(*other);
            sentence!("the cluster most likely ranks by {this}: {agreeing}{next}")
        }
        Evidence::Words { fit, levels } => {
            let agreeing = agreeing(*fit);
            let text = sentence!(
                "the cluster ranks by {this}: {agreeing}; only LEVEL_BASED prints FairShare Raw"
            );
            let Some((first, last)) = levels else {
                return text;
            };
            sentence!("{text}; PriorityLevels from {first} to {last} give the same words")
        }
        Evidence::LevelFs(fit) => {
            let agreeing = agreeing(*fit);
            sentence!("the cluster ranks by {this}: {agreeing}; only Fair Tree prints LevelFS")
        }
        Evidence::HasLevelFs => {
            "the cluster ranks by Fair Tree: only Fair Tree prints LevelFS".into()
        }
        Evidence::HasWords => {
            sentence!("the cluster ranks by {this}: only LEVEL_BASED prints FairShare Raw")
        }
        Evidence::NormShares { differing, rows } => {
            let others = grouped(*differing);
            let rows = grouped(*rows);
            sentence!(
                "NormShares are those of classic fair-share; under Fair Tree {others} of {rows} would differ"
            )
        }
    }
}

/// Returns with how many rows a policy agrees.
fn agreeing(fit: Fit) -> Shown {
    let fits = grouped(fit.fits);
    let rows = counted(fit.rows, "row", "rows");
    let agree = word_for(fit.rows, "agrees", "agree");
    sentence!("{fits} of {rows} {agree}")
}

/// Returns with how many rows the next best policy agrees, behind a semicolon; empty for none.
fn next_best(next: NextBest) -> Shown {
    if next.fits == 0 {
        return Shown::default();
    }
    let name = name(next.policy);
    let rows = grouped(next.fits);
    sentence!("; {name} agrees with {rows}")
}

/// Returns why recorded numbers are of another moment than the shares and usage beside them.
pub fn stale(stale: &Stale) -> Shown {
    match stale {
        Stale::Unsettled => "DEPTH_OBLIVIOUS is not settled yet: after a start Slurm computes the usage of siblings \
             one at a time, and until all are computed EffectvUsage is too small and FairShare near 1"
            .into(),
        Stale::Slurm(reasons) => {
            let reasons: Vec<Shown> = reasons.iter().map(older).collect();
            sentence!(
                "{}; Slurm computes NormUsage, EffectvUsage, LevelFS and FairShare once every PriorityCalcPeriod, and \
                 shows shares and RawUsage as they are",
                reasons.join(", and ")
            )
        }
        Stale::Flux { older, rows } => sentence!(
            "{} of {} stored fairshare are older than the stored shares and usage: Flux computes them only on request",
            grouped(*older),
            grouped(*rows)
        ),
    }
}

/// Returns which columns are older than which.
fn older(older: &Older) -> Shown {
    match older {
        Older::Usage => {
            "EffectvUsage is older than RawUsage: it matches NormUsage but not RawUsage".into()
        }
        Older::Shares => "LevelFS is older than NormShares: the shares were changed since".into(),
        Older::Users { then, now } => {
            sentence!(
                "FairShare is older than the list of users: it was computed for {then}, and now there are {now}"
            )
        }
        Older::NewUsers => "some users are newer than FairShare: they have no numbers yet".into(),
    }
}

/// Returns why ranks need not be the scheduler's, as a clause.
pub(crate) fn doubt(doubt: &Doubt) -> Shown {
    match doubt {
        Doubt::AsPrinted(reason) => sentence!(
            "numbers are shown as printed, blank where none was printed, and not computed after an edit: {}",
            reason.clause()
        ),
        Doubt::OfPart(reason) => {
            let reason = reason.clause();
            sentence!("ranks are not known, and FairShare only as printed: {reason}")
        }
        Doubt::UnrankedPart(reason) => {
            let reason = reason.clause();
            sentence!("ranks are not known: {reason}")
        }
        Doubt::AmongListed(reason) => {
            let reason = reason.clause();
            sentence!("computed numbers count only the listed users: {reason}")
        }
        Doubt::Unsettled => {
            "DEPTH_OBLIVIOUS is not settled yet; computed numbers are the settled ones".into()
        }
        Doubt::StoredOlder => {
            "the stored fairshare is older than the stored shares and usage".into()
        }
        Doubt::SeveralMoments => {
            "the recorded columns are from several moments; computed numbers use the listed shares and usage".into()
        }
        Doubt::HiddenDigits { ranks, is_whole } => {
            let ranks = counted(*ranks, "rank is", "ranks are");
            let usage = if *is_whole { "RawUsage" } else { "the source" };
            sentence!("{ranks} too close to call: {usage} is truncated")
        }
        Doubt::NotReproduced {
            column,
            count: left,
        } => {
            let of = match column {
                Some(column) => sentence!("{} ", column.name()),
                None => Shown::default(),
            };
            let numbers = counted(*left, "number", "numbers");
            let shown = word_for(*left, "it is", "they are");
            sentence!(
                "{of}{numbers} marked ≠ cannot be reproduced from shares and usage; {shown} shown as printed"
            )
        }
    }
}
