//! Remarks on the order: when PBS's applies, what precedes it, where it overflows, and what is assumed of schedulers.

use super::View;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::format::Severity;
use crate::model::{Fact, FairShare, Format, Kind, NodeId, Scheduler};
use crate::rules::policy::{ColumnId, Policy};

/// The code of what is assumed of `fair_share` where no `sched_config` was read.
pub(super) const ASSUMED: &str = "pbs-fair-share-assumed";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) code: &'static str,
    /// How much it matters: a warning is about every rank.
    pub(crate) severity: Severity,
    /// A few words for the title.
    pub(crate) short: Shown,
    /// The sentence, without a full stop.
    pub(crate) message: Shown,
    pub(crate) advice: &'static str,
}

/// Returns the remarks about the order of a view; empty if the policy is not one of its scheduler's own.
pub(crate) fn remarks(view: &View<'_>) -> Vec<Remark> {
    let mut remarks = quick_remarks(view);
    remarks.extend(overflow(view));
    remarks
}

/// Returns the remarks that can be made for every frame: no node is looked at unless all usage is infinite.
pub(crate) fn quick(view: &View<'_>) -> Vec<Remark> {
    let total = view.evaluation.number(ColumnId::Usage, NodeId::ROOT);
    if total.is_some_and(f64::is_infinite) {
        return remarks(view);
    }
    quick_remarks(view)
}

fn quick_remarks(view: &View<'_>) -> Vec<Remark> {
    let remarks = if is_of_pbs(view) {
        [fair_share(view), formula(view)]
    } else {
        [dampening(view), None]
    };
    remarks.into_iter().flatten().collect()
}

fn is_of_pbs(view: &View<'_>) -> bool {
    view.policy.is_of_pbs() && view.settings.scheduler == Some(Scheduler::Pbs)
}

/// The dampening of classic factors, where neither settings nor printed factors tell it.
fn dampening(view: &View<'_>) -> Option<Remark> {
    let is_dampened = matches!(view.policy, Policy::Classic | Policy::DepthOblivious);
    let is_unknown = is_dampened
        && view.settings.scheduler == Some(Scheduler::Slurm)
        && view.source.lacks_settings
        && view.settings.slurm.dampening == 1
        && view.recorded.figures(Fact::FairShare).is_none();
    is_unknown.then(|| Remark {
        code: "slurm-dampening-assumed",
        severity: Severity::Note,
        short: "dampening unknown, 1 assumed".into(),
        message: "no settings were read, so FairShareDampeningFactor is unknown and 1 is assumed: factors depend on it, \
                  ranks do not"
            .into(),
        advice: "give the output of scontrol show config with --config, or set FairShareDampeningFactor",
    })
}

fn fair_share(view: &View<'_>) -> Option<Remark> {
    let formula = view.settings.formula.set.as_ref();
    let of_formula = formula.map(|_| Policy::usual(view.settings) != Policy::PbsWalk);
    let off = |message: &'static str| {
        Some(Remark {
            code: "pbs-fair-share-off",
            severity: Severity::Warning,
            short: "fair_share off".into(),
            message: message.into(),
            advice: "write fair_share: true in sched_config; to see what it would do, set fair_share=true",
        })
    };
    match (view.settings.pbs.fair_share, of_formula) {
        (FairShare::Always, _) => None,
        (FairShare::Never, None) => off(
            "fair_share is false and no job_sort_formula is set: PBS does not order jobs by this tree and neither \
             charges nor decays its usage; the ranks are those of fair_share: true",
        ),
        (FairShare::Never, Some(false)) => off(
            "fair_share is false and the job_sort_formula does not use fairshare: PBS does not order jobs by this tree \
             and charges no usage to it; the ranks are those of fair_share: true",
        ),
        (FairShare::Never, Some(true)) => off(
            "fair_share is false: PBS orders jobs by the job_sort_formula alone and does not break ties by this tree; \
             it decays usage, but charges none",
        ),
        (FairShare::Assumed, _) if view.source.format != Format::Pbs => None,
        (FairShare::Assumed, _) => Some(Remark {
            code: ASSUMED,
            severity: Severity::Note,
            short: "fair_share assumed".into(),
            message: "no sched_config was read: fair_share is assumed to be true, although PBS's own default is false".into(),
            advice: "name the file with --sched-config, or set fair_share=false",
        }),
        (on, _) => {
            let (period, other) = match on.period() {
                Some("prime") => ("prime", "non-prime"),
                _ => ("non-prime", "prime"),
            };
            Some(Remark {
                code: "pbs-fair-share-period",
                severity: Severity::Note,
                short: sentence!("fair_share in {period} time only"),
                message: sentence!(
                    "fair_share is on in {period} time only: in {other} time PBS charges no usage to this tree, and does \
                     not order jobs by it"
                ),
                advice: "write fair_share: true all in sched_config to turn it on at all times",
            })
        }
    }
}

/// The most bytes of a formula in a short remark.
const LONGEST_FORMULA: usize = 16;

/// Returns a remark on a formula that takes precedence over the walk.
fn formula(view: &View<'_>) -> Option<Remark> {
    let formula = view.settings.formula.set.as_ref()?;
    let is_walk = view.policy == Policy::PbsWalk;
    let is_before =
        Policy::usual(view.settings) == Policy::PbsWalk && view.settings.pbs.fair_share.is_on();
    let text = shown_text(formula.as_bytes());
    let short = match formula.len() {
        ..=LONGEST_FORMULA => sentence!("job_sort_formula {text} decides first"),
        _ => "job_sort_formula decides first".into(),
    };
    (is_walk && is_before).then(|| Remark {
        code: "pbs-formula-first",
        severity: Severity::Note,
        short,
        message: sentence!(
            "job_sort_formula = {text} decides first and does not use fairshare: these ranks order only jobs with equal \
             values"
        ),
        advice: "unset the formula, or use fairshare_factor in it, if fairshare should decide",
    })
}

/// Returns the first of the nodes for which a condition holds, and how many more there are; `None` if it holds for none.
fn first_and_more(view: &View<'_>, is_meant: impl Fn(&NodeId) -> bool) -> Option<Shown> {
    let mut meant = view.tree.nodes().iter().filter(|node| is_meant(node));
    let first = view.path(*meant.next()?);
    Some(match meant.count() {
        0 => first,
        more => sentence!("{first} and {}", counted(more, "more node", "more nodes")),
    })
}

/// Sums and quotients of finite usage that are more than doubles hold.
fn overflow(view: &View<'_>) -> Option<Remark> {
    let is_infinite = |column, node| {
        let number = view.evaluation.number(column, node);
        number.is_some_and(|number| !number.is_finite())
    };
    // An infinite record has a finding of its own, and sums with it are infinite too.
    let is_recorded = |node: &NodeId| {
        let amount = view.tree.usage(*node).amount();
        view.tree.kind(*node) == Kind::User && amount.is_some_and(f64::is_infinite)
    };
    let is_over = |node: &NodeId| {
        is_infinite(ColumnId::Usage, *node) || is_infinite(ColumnId::UsageOverPerc, *node)
    };
    let over = first_and_more(view, is_over)?;
    if view.tree.nodes().iter().any(is_recorded) {
        return None;
    }
    let (code, message, advice) = if is_of_pbs(view) {
        let message = sentence!(
            "PBS's numbers overflow: the usage or usage/perc of {over} is infinite (inf), and the order among such nodes \
             is meaningless"
        );
        (
            "pbs-usage-overflow",
            message,
            "correct the usage with pbsfs -s, or let it decay",
        )
    } else {
        let is_sum = |node: &NodeId| is_infinite(ColumnId::Usage, *node);
        let is_quotient = |node: &NodeId| !is_sum(node) && is_over(node);
        let mut parts = Vec::new();
        if let Some(over) = first_and_more(view, is_sum) {
            parts.push(sentence!(
                "the usage of {over} adds up to more than the largest number of 64 bits"
            ));
        }
        if let Some(over) = first_and_more(view, is_quotient) {
            parts.push(sentence!(
                "usage/perc of {over} is more than the largest number of 64 bits"
            ));
        }
        let message = sentence!("{}, and is shown as inf", parts.join("; "));
        (
            "usage-overflow",
            message,
            "check the unit of the usage in the source",
        )
    };
    Some(Remark {
        code,
        severity: Severity::Warning,
        short: "usage overflow".into(),
        message,
        advice,
    })
}
