//! Findings: what a tree says that its admin probably did not mean. Nothing here is an error of a file.

use super::View;
use crate::format::{Problem, Problems, Severity};
use crate::model::{Kind, NodeId, Scheduler, UsageResetPeriod};
use crate::number::{amount, counted, grouped};
use crate::policy::Policy;

/// How many times the middle of its siblings' shares a node must have to stand out.
const OUTLIER: i64 = 5;

/// How many siblings it takes before one of them can stand out.
const FAMILY: usize = 4;

/// How many nodes of one family a finding names.
const NAMED: usize = 5;

/// Looks through the whole tree, in tree order.
#[must_use]
pub fn findings(view: &View<'_>) -> Problems {
    let mut findings = Problems::default();
    for finding in lint_settings(view) {
        findings.push(finding);
    }
    let mut family = Vec::new();
    let has_users = users_below(view);
    for (position, &node) in view.tree.nodes().iter().enumerate() {
        let of_node = [without_share(view, node), sentinel(view, node)];
        for finding in of_node.into_iter().flatten() {
            findings.push(finding);
        }
        let is_unknown = Some(node) == view.tree.unknown();
        if position > 0
            && !has_users[position]
            && !is_unknown
            && !is_below_empty(view, node, &has_users)
        {
            findings.push(without_users(view, node));
        }
        if view.tree.has_children(node) {
            let of_account = [share_without_users(view, node), wrapped_shares(view, node)];
            for finding in of_account.into_iter().flatten() {
                findings.push(finding);
            }
            outliers(view, node, &mut family, &mut findings);
        }
    }
    findings
}

fn finding(view: &View<'_>, code: &'static str, message: String, advice: String) -> Problem {
    Problem {
        severity: Severity::Warning,
        code,
        file: view.source.path.clone(),
        line: None,
        column: None,
        message,
        advice,
    }
}

fn shares(view: &View<'_>, node: NodeId) -> i64 {
    view.tree.shares(node).count().unwrap_or(0)
}

/// Usage where there is no share to hold it against.
fn without_share(view: &View<'_>, node: NodeId) -> Option<Problem> {
    let used = view.tree.usage(node).amount().filter(|&used| used > 0.0)?;
    let target = view.evaluation.number(view.policy.target_column(), node)?;
    // Where portions are of the level, an account without shares takes its users down with it unseen.
    let is_meant = view.tree.kind(node) == Kind::User || view.policy.counts_by_level();
    if target != 0.0 || !is_meant || node == NodeId::ROOT {
        return None;
    }
    let path = view.path(node);
    let bars = match view.policy {
        Policy::Pbs | Policy::Formula if view.settings.pbs.fairshare_enforce_no_shares => {
            "PBS never runs its jobs, for fairshare_enforce_no_shares is true"
        }
        Policy::LevelBased => "LEVEL_BASED fills its bucket and puts it before its siblings",
        Policy::FairTree | Policy::FairTreeDocumented | Policy::Flux => {
            "it comes last among its siblings"
        }
        _ => "its factor is 0 and its jobs come last",
    };
    let used = amount(used);
    if view.tree.unknown().is_some() && view.tree.parent(node) == view.tree.unknown() {
        return Some(finding(
            view,
            "unknown-usage-no-shares",
            format!(
                "{path} used {used}, but no resource_group names it and unknown_shares is 0: {bars}"
            ),
            "name it in resource_group, or set unknown_shares in sched_config".to_owned(),
        ));
    }
    Some(finding(
        view,
        "zero-shares-with-usage",
        format!("{path} used {used}, but its target is 0%: {bars}"),
        "give it and the accounts above it shares, or remove it if it is no longer used".to_owned(),
    ))
}

/// Shares of an account that none of its children can take, because all of theirs are 0.
fn share_without_users(view: &View<'_>, node: NodeId) -> Option<Problem> {
    if node == NodeId::ROOT || shares(view, node) <= 0 {
        return None;
    }
    let all_zero = view
        .tree
        .children(node)
        .all(|child| view.tree.shares(child).count() == Some(0));
    all_zero.then(|| {
        finding(
            view,
            "account-share-unused",
            format!(
                "{} has {}, but everything below it has 0: nobody gets them and the rest of the tree is no better off",
                view.path(node),
                counted(usize::try_from(shares(view, node)).unwrap_or(usize::MAX), "share", "shares"),
            ),
            "give the users below it shares, or the account 0".to_owned(),
        )
    })
}

/// Shares of a level whose sum does not fit the 32 bits in which PBS and Slurm hold it.
fn wrapped_shares(view: &View<'_>, account: NodeId) -> Option<Problem> {
    let (limit, what) = match view.policy {
        Policy::Flux => return None,
        Policy::Pbs | Policy::Formula => (i64::from(i32::MAX), "PBS"),
        _ => (i64::from(u32::MAX), "Slurm"),
    };
    let children = view.tree.children(account);
    let sum: i128 = children
        .filter_map(|child| view.tree.shares(child).count())
        .map(i128::from)
        .sum();
    (sum > i128::from(limit)).then(|| {
        finding(
            view,
            "level-shares-wrap",
            format!(
                "the shares below {} add up to {sum}, more than the {} that {what} can hold: its sum starts again from below, and the portions are wrong",
                view.path(account),
                grouped(limit),
            ),
            "divide all shares of the level by the same number".to_owned(),
        )
    })
}

/// Children whose shares stand far out of their siblings'.
fn outliers(view: &View<'_>, parent: NodeId, family: &mut Vec<i64>, findings: &mut Problems) {
    family.clear();
    let children = view.tree.children(parent);
    let counts = children
        .filter(|&child| Some(child) != view.tree.unknown())
        .filter_map(|child| view.tree.shares(child).count())
        .filter(|&count| count > 0);
    family.extend(counts);
    if family.len() < FAMILY {
        return;
    }
    let half = family.len() / 2;
    let middle = *family.select_nth_unstable(half).1;
    let stands_out = |&child: &NodeId| {
        let count = shares(view, child);
        count > 0 && count / OUTLIER >= middle && Some(child) != view.tree.unknown()
    };
    let outliers: Vec<NodeId> = view.tree.children(parent).filter(stands_out).collect();
    let advice =
        "if this is not meant, look for a digit too many or shares counted in another unit";
    let message = match outliers[..] {
        [] => return,
        [child] => format!(
            "{} has {} shares, {} times the {} in the middle of its siblings: each of them gets little beside it",
            view.path(child),
            grouped(shares(view, child)),
            grouped(shares(view, child) / middle),
            grouped(middle),
        ),
        _ => {
            let named = outliers.iter().take(NAMED);
            let mut named: Vec<String> = named
                .map(|&child| format!("{} ({})", view.name(child), grouped(shares(view, child))))
                .collect();
            if outliers.len() > NAMED {
                named.push(format!("{} more", outliers.len() - NAMED));
            }
            format!(
                "{} nodes below {} have {OUTLIER} times the {} shares in the middle of their siblings, or more: {}; each \
                 of the others gets little beside them",
                outliers.len(),
                view.path(parent),
                grouped(middle),
                named.join(", "),
            )
        }
    };
    findings.push(finding(view, "share-outlier", message, advice.to_owned()));
}

/// What the settings alone give away.
fn lint_settings(view: &View<'_>) -> Vec<Problem> {
    let mut findings = Vec::new();
    let slurm = &view.settings.slurm;
    let is_slurm = view.settings.scheduler == Some(Scheduler::Slurm);
    if is_slurm && slurm.decay_half_life == 0 && slurm.usage_reset_period == UsageResetPeriod::None
    {
        findings.push(finding(
            view,
            "half-life-zero",
            "PriorityDecayHalfLife is 0 and PriorityUsageResetPeriod is NONE: usage is never forgotten, and who used much \
             once comes last for ever"
                .to_owned(),
            "set PriorityDecayHalfLife, such as to 7-0, or PriorityUsageResetPeriod".to_owned(),
        ));
    }
    let (key, weight) = match view.settings.scheduler {
        Some(Scheduler::Slurm) => (
            "PriorityWeightFairShare",
            slurm.weight_fair_share.map(i64::from),
        ),
        Some(Scheduler::Flux) => (
            "the weight of fairshare",
            view.settings.flux.fairshare_weight,
        ),
        Some(Scheduler::Pbs) | None => ("", None),
    };
    let gives_ranks = matches!(
        view.policy,
        Policy::FairTree | Policy::FairTreeDocumented | Policy::LevelBased | Policy::Flux
    );
    let users = i64::try_from(view.evaluation.user_count()).unwrap_or(i64::MAX);
    let message = match weight {
        Some(weight) if weight <= 0 => {
            format!("{key} is {weight}: fair-share counts for nothing in the priority of jobs")
        }
        Some(weight) if gives_ranks && weight < users => format!(
            "{key} is {}, and there are {} users: one rank is worth less than one point of priority, so that neighbours \
             get the same",
            grouped(weight),
            grouped(users)
        ),
        _ => return findings,
    };
    let advice = format!(
        "set it to {} or more, twice the number of users",
        grouped(users.saturating_mul(2))
    );
    findings.push(finding(view, "weight-too-small", message, advice));
    findings
}

/// A count of shares that is no count: what Slurm stores for `parent`.
fn sentinel(view: &View<'_>, node: NodeId) -> Option<Problem> {
    let is_slurm = view.settings.scheduler != Some(Scheduler::Pbs);
    (is_slurm && view.tree.shares(node).count() == Some(i64::from(i32::MAX))).then(|| {
        finding(
            view,
            "parent-sentinel",
            format!(
                "{} has 2147483647 shares, the number by which Slurm stores the word parent: taken for a count it \
                 leaves its siblings nothing",
                view.path(node)
            ),
            "write parent in its place, or the count that is meant".to_owned(),
        )
    })
}

/// By position: whether a user stands at the node or below.
fn users_below(view: &View<'_>) -> Vec<bool> {
    let nodes = view.tree.nodes();
    let above = view.tree.order().above();
    let mut has_users = vec![false; nodes.len()];
    for (position, &node) in nodes.iter().enumerate().rev() {
        has_users[position] |= view.tree.kind(node) == Kind::User;
        if has_users[position] {
            has_users[above[position] as usize] = true;
        }
    }
    has_users
}

/// Whether the account above has no users either, and was found already.
fn is_below_empty(view: &View<'_>, node: NodeId, has_users: &[bool]) -> bool {
    let parent = view
        .tree
        .parent(node)
        .filter(|&parent| parent != NodeId::ROOT);
    let position = parent.and_then(|parent| view.tree.order().position(parent));
    position.is_some_and(|position| !has_users[position])
}

/// An account with nobody in it.
fn without_users(view: &View<'_>, account: NodeId) -> Problem {
    let why = match view.policy {
        Policy::FairTree if shares(view, account) > 0 => {
            "; its shares count in its level all the same, and where it ties with the account before it Fair Tree lets \
             the next one inherit a rank through it"
        }
        _ if shares(view, account) > 0 => "; its shares count in its level all the same",
        _ => "",
    };
    Problem {
        severity: Severity::Note,
        ..finding(
            view,
            "account-without-users",
            format!("nobody is in {}{why}", view.path(account)),
            "remove it, or set its shares to 0, if it is no longer used".to_owned(),
        )
    }
}
