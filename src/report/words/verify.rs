//! Recorded numbers in words: which rule made them, why they are older, and why ranks need not be the scheduler's.

use crate::base::number::{counted, grouped, word_for};
use crate::base::shown::{Shown, sentence};
use crate::rules::policy::Policy;
use crate::trust::verify::{Detected, Doubt, Evidence, Fit, KnownSetting, NextBest, Older, Stale};

/// The rules that Slurm prints numbers of, as they are told apart.
fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::FairTree => "Fair Tree as implemented",
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

/// A rule with the settings that the numbers ask for.
fn rule(policy: Policy, settings: &[KnownSetting]) -> Shown {
    let named = settings.iter().filter(|known| !known.is_usual());
    let named = with(named.map(|known| setting(*known)));
    sentence!("{}{named}", name(policy))
}

/// Returns what follows the name of a rule that has settings; empty for none.
pub(super) fn with(settings: impl Iterator<Item = Shown>) -> Shown {
    match Shown::joined(settings, " and ") {
        none if none.is_empty() => none,
        settings => sentence!(" with {settings}"),
    }
}

/// Returns what shows which rule made recorded numbers.
pub(crate) fn evidence(detected: &Detected) -> Shown {
    let this = rule(detected.policy, &detected.settings);
    let matched = |fit: Fit| sentence!("{} of {} rows", grouped(fit.fits), grouped(fit.rows));
    let next = |it: NextBest| sentence!("{} would match {}", name(it.policy), grouped(it.fits));
    match &detected.evidence {
        Evidence::PbsFile { has_formula } => {
            let order = match has_formula {
                true => "job_sort_formula decides its order",
                false => "no job_sort_formula is set",
            };
            sentence!("resource_group is a file of PBS's, and {order}")
        }
        Evidence::FluxAlone(fit) => {
            let [fits, rows] = [fit.fits, fit.rows].map(grouped);
            sentence!("{fits} of {rows} stored fairshare values match")
        }
        Evidence::Alone(fit, other) => {
            sentence!("this is {this}: {}; {}", matched(*fit), next(*other))
        }
        Evidence::SameAs {
            fit,
            policy,
            settings,
        } => sentence!(
            "this is {this}: {}; {} would give the same for this tree",
            matched(*fit),
            rule(*policy, settings)
        ),
        Evidence::Unsettled => sentence!("this is {this} before its first settled period"),
        Evidence::BetweenCalculations => sentence!(
            "this is {this} between two of its calculations: its columns agree with each other"
        ),
        Evidence::MostLikely(fit, other) => {
            let (matched, next) = (matched(*fit), next(*other));
            sentence!("this is most likely {this}: {matched}; {next}")
        }
        Evidence::Words { fit, levels } => {
            let levels = levels.map(|(first, last)| {
                sentence!("; PriorityLevels from {first} to {last} give the same words")
            });
            sentence!(
                "this is {this}: {}; only LEVEL_BASED prints FairShare Raw{}",
                matched(*fit),
                levels.unwrap_or_default()
            )
        }
        Evidence::LevelFs(fit) => {
            let matched = matched(*fit);
            sentence!("this is {this}: {matched}; only Fair Tree prints LevelFS")
        }
        Evidence::HasLevelFs => "this is Fair Tree: only Fair Tree prints LevelFS".into(),
        Evidence::HasWords => sentence!("this is {this}: only LEVEL_BASED prints FairShare Raw"),
        Evidence::NormShares { differing, rows } => {
            let [differing, rows] = [*differing, *rows].map(grouped);
            sentence!(
                "NormShares are those of classic fair-share; under Fair Tree {differing} of {rows} would differ"
            )
        }
    }
}

/// Returns why recorded numbers are of another moment than the shares and usage beside them.
pub fn stale(stale: &Stale) -> Shown {
    match stale {
        Stale::Unsettled => "DEPTH_OBLIVIOUS is not settled yet: after a start Slurm computes the usage of siblings \
             one at a time, and until all are computed EffectvUsage is too small and FairShare near 1"
            .into(),
        Stale::Slurm(reasons) => {
            let reasons: Vec<Shown> = reasons.iter().map(|older| self::older(*older)).collect();
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

fn older(older: Older) -> Shown {
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
            let of = column.map_or_else(Shown::default, |column| sentence!("{} ", column.name()));
            let numbers = counted(*left, "number", "numbers");
            let shown = word_for(*left, "it is", "they are");
            sentence!(
                "{of}{numbers} marked ≠ cannot be reproduced from shares and usage; {shown} shown as printed"
            )
        }
    }
}
