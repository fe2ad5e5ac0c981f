//! Findings: what a tree says that its admin probably did not mean. Nothing here is an error of a file.

use super::View;
use crate::format::{Problem, Problems, Severity};
use crate::model::{Kind, NodeId};
use crate::number::{amount, counted, grouped};
use crate::policy::Policy;

/// How many times the middle of its siblings' shares a node must have to stand out.
const OUTLIER: i64 = 5;

/// How many siblings it takes before one of them can stand out.
const FAMILY: usize = 4;

/// Looks through the whole tree, in tree order.
#[must_use]
pub fn findings(view: &View<'_>) -> Problems {
    let mut findings = Problems::default();
    let mut family = Vec::new();
    for &node in view.tree.nodes() {
        if let Some(finding) = without_share(view, node) {
            findings.push(finding);
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
    if target != 0.0 || view.tree.kind(node) != Kind::User {
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
    for child in view.tree.children(parent) {
        let count = shares(view, child);
        if count / OUTLIER < middle || count == 0 || Some(child) == view.tree.unknown() {
            continue;
        }
        findings.push(finding(
            view,
            "share-outlier",
            format!(
                "{} has {} shares, {} times the {} in the middle of its siblings: each of them gets little beside it",
                view.path(child),
                grouped(count),
                grouped(count / middle),
                grouped(middle),
            ),
            "if this is not meant, look for a digit too many or shares counted in another unit".to_owned(),
        ));
    }
}
