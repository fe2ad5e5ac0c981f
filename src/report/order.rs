//! Remarks on the order: when PBS's applies, what precedes it, where it overflows, and what is assumed of schedulers.

use super::View;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::format::Severity;
use crate::model::{Fact, FairShare, Format, Kind, NodeId, Scheduler};
use crate::rules::policy::{ColumnId, Policy};

/// The code of what is assumed of `fair_share` where no `sched_config` was read.
pub(super) const ASSUMED: &str = "pbs-fair-share-assumed";

/// What has to be known about an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// The code of the problem that it is in a report on a source.
    pub(crate) code: &'static str,
    /// How much it matters: a warning is about every rank.
    pub(crate) severity: Severity,
    /// A few words for the title.
    pub(crate) short: Shown,
    /// The sentence, without a full stop.
    pub(crate) message: Shown,
    /// What can be done.
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
    if let Some(total) = total
        && total.is_infinite()
    {
        return remarks(view);
    }
    quick_remarks(view)
}

/// Returns the remarks for which no node is looked at.
fn quick_remarks(view: &View<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if is_of_pbs(view) {
        remarks.extend(fair_share(view));
        remarks.extend(formula(view));
    } else {
        remarks.extend(dampening(view));
    }
    remarks
}

/// Returns whether a tree of PBS is under a policy of PBS.
fn is_of_pbs(view: &View<'_>) -> bool {
    view.policy.is_of_pbs() && view.settings.scheduler == Some(Scheduler::Pbs)
}

/// The dampening of classic factors, where neither settings nor printed factors tell it.
fn dampening(view: &View<'_>) -> Option<Remark> {
    let is_unknown = matches!(view.policy, Policy::Classic | Policy::DepthOblivious)
        && view.settings.scheduler == Some(Scheduler::Slurm)
        && view.source.lacks_settings
        && view.settings.slurm.dampening == 1
        && view.recorded.figures(Fact::FairShare).is_none();
    if !is_unknown {
        return None;
    }
    Some(Remark {
        code: "slurm-dampening-assumed",
        severity: Severity::Note,
        short: "dampening unknown, 1 assumed".into(),
        message: "no settings were read, so FairShareDampeningFactor is unknown and 1 is assumed: factors depend on it, \
                  ranks do not"
            .into(),
        advice: "give the output of scontrol show config with --config, or set FairShareDampeningFactor",
    })
}

/// Returns a remark on when PBS's order applies, and what it does to usage; `None` if that is always.
fn fair_share(view: &View<'_>) -> Option<Remark> {
    match view.settings.pbs.fair_share {
        FairShare::Always => None,
        FairShare::Never => Some(Remark {
            code: "pbs-fair-share-off",
            severity: Severity::Warning,
            short: "fair_share off".into(),
            message: without_fair_share(view).into(),
            advice: "write fair_share: true in sched_config; to see what it would do, set fair_share=true",
        }),
        FairShare::Assumed if view.source.format != Format::Pbs => None,
        FairShare::Assumed => Some(Remark {
            code: ASSUMED,
            severity: Severity::Note,
            short: "fair_share assumed".into(),
            message: "no sched_config was read: fair_share is assumed to be true, although PBS's own default is false".into(),
            advice: "name the file with --sched-config, or set fair_share=false",
        }),
        on if on.period() == Some("prime") => Some(of_period("prime", "non-prime")),
        _ => Some(of_period("non-prime", "prime")),
    }
}

/// Returns what PBS does where fair_share is off.
fn without_fair_share(view: &View<'_>) -> &'static str {
    if view.settings.formula.set.is_none() {
        "fair_share is false and no job_sort_formula is set: PBS does not order jobs by this tree and neither \
         charges nor decays its usage; the ranks are those of fair_share: true"
    } else if Policy::usual(view.settings) == Policy::PbsWalk {
        "fair_share is false and the job_sort_formula does not use fairshare: PBS does not order jobs by this tree \
         and charges no usage to it; the ranks are those of fair_share: true"
    } else {
        "fair_share is false: PBS orders jobs by the job_sort_formula alone and does not break ties by this tree; \
         it decays usage, but charges none"
    }
}

/// Returns the remark on an order that applies only a part of the time.
fn of_period(period: &str, other: &str) -> Remark {
    Remark {
        code: "pbs-fair-share-period",
        severity: Severity::Note,
        short: sentence!("fair_share in {period} time only"),
        message: sentence!(
            "fair_share is on in {period} time only: in {other} time PBS charges no usage to this tree, and does \
             not order jobs by it"
        ),
        advice: "write fair_share: true all in sched_config to turn it on at all times",
    }
}

/// The most bytes of a formula in a short remark.
const LONGEST_FORMULA: usize = 16;

/// Returns a remark on a formula that takes precedence over the walk.
fn formula(view: &View<'_>) -> Option<Remark> {
    let formula = view.settings.formula.set.as_ref()?;
    if view.policy != Policy::PbsWalk
        || Policy::usual(view.settings) != Policy::PbsWalk
        || !view.settings.pbs.fair_share.is_on()
    {
        return None;
    }
    let text = shown_text(formula.as_bytes());
    let mut short = Shown::from("job_sort_formula decides first");
    if formula.len() <= LONGEST_FORMULA {
        short = sentence!("job_sort_formula {text} decides first");
    }
    Some(Remark {
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

/// Returns the first of some nodes, and how many more there are; `None` if there are none.
fn first_and_more(view: &View<'_>, nodes: &[NodeId]) -> Option<Shown> {
    let (&first, more) = nodes.split_first()?;
    let path = view.path(first);
    if more.is_empty() {
        return Some(path);
    }
    let more = counted(more.len(), "more node", "more nodes");
    Some(sentence!("{path} and {more}"))
}

/// Nodes whose numbers are more than doubles hold.
#[derive(Default)]
struct Overflow {
    /// All of them.
    nodes: Vec<NodeId>,
    /// Those whose usage adds up to more.
    sums: Vec<NodeId>,
    /// The others, whose usage/perc is more.
    quotients: Vec<NodeId>,
}

impl Overflow {
    /// Returns the nodes of a tree whose numbers overflow. None if a recorded usage is infinite, which has a finding of
    /// its own: sums with it are infinite too.
    fn of(view: &View<'_>) -> Self {
        let mut found = Self::default();
        for &node in view.tree.nodes() {
            if view.tree.kind(node) == Kind::User
                && let Some(amount) = view.tree.usage(node).amount()
                && amount.is_infinite()
            {
                return Self::default();
            }
            if is_not_finite(view, ColumnId::Usage, node) {
                found.nodes.push(node);
                found.sums.push(node);
            } else if is_not_finite(view, ColumnId::UsageOverPerc, node) {
                found.nodes.push(node);
                found.quotients.push(node);
            }
        }
        found
    }
}

/// Returns whether a number of a node is infinite or none.
fn is_not_finite(view: &View<'_>, column: ColumnId, node: NodeId) -> bool {
    match view.evaluation.number(column, node) {
        Some(number) => !number.is_finite(),
        None => false,
    }
}

/// Sums and quotients of finite usage that are more than doubles hold.
fn overflow(view: &View<'_>) -> Option<Remark> {
    let found = Overflow::of(view);
    let over = first_and_more(view, &found.nodes)?;
    let short = Shown::from("usage overflow");
    if is_of_pbs(view) {
        return Some(Remark {
            code: "pbs-usage-overflow",
            severity: Severity::Warning,
            short,
            message: sentence!(
                "PBS's numbers overflow: the usage or usage/perc of {over} is infinite (inf), and the order among such nodes \
                 is meaningless"
            ),
            advice: "correct the usage with pbsfs -s, or let it decay",
        });
    }
    let mut parts = Vec::new();
    if let Some(over) = first_and_more(view, &found.sums) {
        parts.push(sentence!(
            "the usage of {over} adds up to more than the largest number of 64 bits"
        ));
    }
    if let Some(over) = first_and_more(view, &found.quotients) {
        parts.push(sentence!(
            "usage/perc of {over} is more than the largest number of 64 bits"
        ));
    }
    let causes = parts.join("; ");
    Some(Remark {
        code: "usage-overflow",
        severity: Severity::Warning,
        short,
        message: sentence!("{causes}, and is shown as inf"),
        advice: "check the unit of the usage in the source",
    })
}
