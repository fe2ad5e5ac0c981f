//! Findings: values of a tree that its admin probably did not intend. None of them is an error of a file.

mod settings;

pub(crate) use settings::formula_faults;

use super::{View, order, with_shares};
use crate::base::number::{amount, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence};
use crate::format::{Problem, Problems, Severity};
use crate::model::{FairShare, Kind, NodeId, Scheduler};
use crate::rules::policy::Policy;
use std::collections::HashMap;

const NAMED: usize = 5;

/// Returns the findings of the whole tree, in tree order.
pub fn findings(view: &View<'_>) -> Problems {
    let mut findings = Problems::default();
    for remark in order::remarks(view) {
        findings.push(Problem {
            severity: remark.severity,
            ..finding(view, remark.code, remark.message, remark.advice)
        });
    }
    for found in settings::findings(view) {
        findings.push(found);
    }
    let mut add = |found: Option<Problem>| {
        if let Some(finding) = found {
            findings.push(finding);
        }
    };
    add(outlier(view));
    let has_users = users_below(view);
    let used = usage_below(view);
    let mut empty = Vec::new();
    for (position, &node) in view.tree.nodes().iter().enumerate() {
        add(without_share(view, node, used[position]));
        add(sentinel(view, node));
        let is_known = Some(node) != view.tree.unknown();
        // An account with usage had users, which may be missing in the source.
        let used = view.tree.usage(node).amount();
        let has_used = used.is_some_and(|used| used > 0.0);
        // Without shares it takes nothing from anybody.
        let has_shares = view.tree.shares(node).count() != Some(0);
        let is_empty = position > 0 && !has_users[position] && is_known && !has_used && has_shares;
        if is_empty && !is_below_empty(view, node, &has_users) {
            empty.push(node);
        }
        if view.tree.has_children(node) {
            add(share_without_users(view, node));
            add(wrapped_shares(view, node));
        }
    }
    // In a tree without users, or with users missing, an account without users is no finding.
    if !empty.is_empty() && has_users[0] && view.recorded.incomplete.is_none() {
        findings.push(without_users(view, &empty));
    }
    findings
}

fn finding(
    view: &View<'_>,
    code: &'static str,
    message: impl Into<Shown>,
    advice: impl Into<Shown>,
) -> Problem {
    Problem::about(Severity::Warning, code, &view.source.path, message, advice)
}

fn shares(view: &View<'_>, node: NodeId) -> i64 {
    view.tree.shares(node).count().unwrap_or(0)
}

fn without_share(view: &View<'_>, node: NodeId, used: f64) -> Option<Problem> {
    let target = view.evaluation.number(view.policy.target_column(), node)?;
    // Where portions are of the level, an account without shares takes its users down with it unseen.
    let is_meant = view.tree.kind(node) == Kind::User || view.policy.counts_by_level();
    if target != 0.0 || !is_meant || node == NodeId::ROOT {
        return None;
    }
    // The shares of what is not listed are a guess, and a portion of 0 can be less than a digit.
    let is_rounded = view.recorded.shares_are_portions || view.tree.lacks_column();
    if used <= 0.0 || is_rounded || view.tree.is_others(node) {
        return None;
    }
    let path = view.path(node);
    let bars = match view.policy {
        Policy::Pbs | Policy::PbsWalk | Policy::Formula
            if view.settings.pbs.fairshare_enforce_no_shares =>
        {
            let bars = match view.settings.pbs.fair_share {
                FairShare::Never => "with fair_share: true PBS would never run its jobs",
                FairShare::Prime => "PBS runs none of its jobs in prime time",
                FairShare::NonPrime => "PBS runs none of its jobs in non-prime time",
                FairShare::Always | FairShare::Assumed => "PBS never runs its jobs",
            };
            sentence!("{bars}, because fairshare_enforce_no_shares is true")
        }
        Policy::LevelBased => {
            "LEVEL_BASED fills its bucket and ranks it ahead of its siblings".into()
        }
        Policy::PbsWalk | Policy::FairTree | Policy::FairTreeDocumented | Policy::Flux => {
            "it ranks last among its siblings".into()
        }
        _ => "its factor is 0 and its jobs run last".into(),
    };
    let used = amount(used);
    if view.tree.unknown().is_some() && view.tree.parent(node) == view.tree.unknown() {
        return Some(finding(
            view,
            "unknown-usage-no-shares",
            sentence!(
                "{path} used {used}, but it is not in resource_group and unknown_shares is 0: {bars}"
            ),
            "add it to resource_group, or set unknown_shares in sched_config",
        ));
    }
    Some(finding(
        view,
        "zero-shares-with-usage",
        sentence!("{path} used {used}, but its target is 0%: {bars}"),
        "give it and the nodes above it shares, or remove it if it is no longer used",
    ))
}

/// Shares of an account that none of its children can take, because all of theirs are 0.
fn share_without_users(view: &View<'_>, node: NodeId) -> Option<Problem> {
    if node == NodeId::ROOT || shares(view, node) <= 0 {
        return None;
    }
    let mut members = view.tree.children(node);
    let all_zero = members
        .all(|member| view.tree.shares(member).count() == Some(0) && !view.tree.is_others(member));
    all_zero.then(|| {
        finding(
            view,
            "account-share-unused",
            sentence!(
                "{} has {}, but all of its members have 0: its share is lost, and nobody else gets it",
                view.path(node),
                with_shares(view.tree.shares(node)),
            ),
            "give its members shares, or give it 0",
        )
    })
}

pub(crate) fn overflowing<'a>(view: &'a View<'_>) -> impl Iterator<Item = Problem> + 'a {
    let nodes = view.tree.nodes().iter();
    nodes.filter_map(|&node| wrapped_shares(view, node))
}

/// Shares of a level whose sum does not fit the 32 bits in which PBS and Slurm hold it.
fn wrapped_shares(view: &View<'_>, account: NodeId) -> Option<Problem> {
    let (limit, what) = match view.policy {
        Policy::Flux => return None,
        Policy::Pbs | Policy::PbsWalk | Policy::Formula => (i64::from(i32::MAX), "PBS"),
        _ => (i64::from(u32::MAX), "Slurm"),
    };
    let children = view.tree.children(account);
    let counts = children.filter_map(|child| view.tree.shares(child).count());
    let sum: i128 = counts.map(i128::from).sum();
    (sum > i128::from(limit)).then(|| {
        finding(
            view,
            "level-shares-wrap",
            sentence!(
                "the shares below {} add up to {sum}, more than the {} that {what} can store: the sum overflows, and \
                 the portions are wrong",
                view.path(account),
                grouped(limit),
            ),
            "divide all shares of the level by the same number",
        )
    })
}

/// A count of shares that is no count: what Slurm stores for `parent`.
fn sentinel(view: &View<'_>, node: NodeId) -> Option<Problem> {
    let is_slurm = view.settings.scheduler != Some(Scheduler::Pbs);
    (is_slurm && view.tree.shares(node).count() == Some(i64::from(i32::MAX))).then(|| {
        finding(
            view,
            "parent-sentinel",
            sentence!(
                "{} has 2147483647 shares, the number that Slurm stores for parent: as a count it leaves its siblings \
                 nothing",
                view.path(node)
            ),
            "write parent instead, or the intended number",
        )
    })
}

/// By position: whether the node is a user or has users below.
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

/// By position: the usage that is recorded for a node, or else for those below it.
fn usage_below(view: &View<'_>) -> Vec<f64> {
    let recorded = |&node: &NodeId| view.tree.usage(node).amount();
    let above = view.tree.order().above();
    let nodes = view.tree.nodes();
    let mut used: Vec<f64> = nodes
        .iter()
        .map(|node| recorded(node).unwrap_or(0.0))
        .collect();
    for position in (1..nodes.len()).rev() {
        let account = above[position] as usize;
        if recorded(&nodes[account]).is_none() {
            used[account] += used[position];
        }
    }
    used
}

/// Whether the account above has no users either, and was found already.
fn is_below_empty(view: &View<'_>, node: NodeId, has_users: &[bool]) -> bool {
    let parent = view.tree.parent(node).filter(|&it| it != NodeId::ROOT);
    let position = parent.and_then(|parent| view.tree.order().position(parent));
    position.is_some_and(|position| !has_users[position])
}

fn without_users(view: &View<'_>, accounts: &[NodeId]) -> Problem {
    let noun = view.settings.noun();
    let named = accounts.iter().take(NAMED).map(|&node| view.path(node));
    let mut names = Shown::joined(named, ", ");
    if accounts.len() > NAMED {
        names += &sentence!(" and {} more", accounts.len() - NAMED);
    }
    let why = match view.policy {
        Policy::FairTree => {
            "Their shares still count. Where such an account ties with the previous one, Fair Tree repeats a rank"
        }
        _ => "Their shares still count",
    };
    Problem::about(
        Severity::Note,
        "account-without-users",
        &view.source.path,
        sentence!(
            "{} {} no users: {names}. {why}",
            counted(accounts.len(), noun.one, noun.many),
            word_for(accounts.len(), "has", "have")
        ),
        "remove them, or set their shares to 0, if they are no longer used",
    )
}

/// The factor by which an outlier exceeds the next of its siblings.
///
/// Shares of real sites are spread wide, but without such gaps: of 93 versions of the shares of 250 to 300 labs (from 1 to
/// 387,000, in the middle 220 to 720) 18 have one, always of one lab, and of 67 of those of 35 to 53 projects none. A gap
/// of four is in 49 versions, and five times the middle is what up to 65 labs had.
const GAP: i64 = 5;

const FAMILY: usize = 4;

struct Outlier {
    node: NodeId,
    shares: i64,
    next: i64,
}

/// Returns one finding for the whole tree, or `None` without outliers.
///
/// A node stands out if it and all above it in a family of at least [`FAMILY`] siblings with shares have [`GAP`] times
/// the next of them, which stands in the upper half, and if no other node of the tree of its kind has as many: what
/// several have is a class, not a slip.
fn outlier(view: &View<'_>) -> Option<Problem> {
    let tree = view.tree;
    let mut common: HashMap<(Kind, i64), usize> = HashMap::new();
    for &node in tree.nodes() {
        let class = (tree.kind(node), shares(view, node));
        *common.entry(class).or_insert(0) += 1;
    }
    let nodes = tree.nodes().iter();
    let mut found: Vec<Outlier> = nodes.flat_map(|&parent| outliers(view, parent)).collect();
    found.retain(|it| common[&(tree.kind(it.node), it.shares)] == 1);
    let advice = "if this is not intended, look for an extra digit or for shares in another unit";
    let message = match &found[..] {
        [] => return None,
        [one] => {
            let path = view.path(one.node);
            let [shares, times, next] = [one.shares, one.shares / one.next, one.next].map(grouped);
            sentence!(
                "{path} has {shares} shares, {times} times the {next} of its next sibling: each of its siblings gets \
                 little"
            )
        }
        _ => {
            // The farthest out first.
            found.sort_by_key(|it| std::cmp::Reverse(it.shares / it.next));
            let named = found.iter().take(NAMED).map(|it| {
                let (shares, next) = (grouped(it.shares), grouped(it.next));
                sentence!("{} ({shares}, next {next})", view.path(it.node))
            });
            let mut named: Vec<Shown> = named.collect();
            if found.len() > NAMED {
                named.push(sentence!("{} more", found.len() - NAMED));
            }
            sentence!(
                "{} have at least {GAP} times the shares of their next sibling: {}; each of the others gets little",
                counted(found.len(), "node", "nodes"),
                named.join(", "),
            )
        }
    };
    // A digit too many makes ten times as much, and no version of those shares has such a gap.
    let is_wide = found.iter().any(|it| it.shares / it.next >= 2 * GAP);
    let mut finding = finding(view, "share-outlier", message, advice);
    if !is_wide {
        finding.severity = Severity::Note;
    }
    Some(finding)
}

fn outliers(view: &View<'_>, parent: NodeId) -> Vec<Outlier> {
    let children = view.tree.children(parent);
    let known = children.filter(|&child| Some(child) != view.tree.unknown());
    let family = known.map(|child| (shares(view, child), child));
    let mut family: Vec<(i64, NodeId)> = family.filter(|&(count, _)| count > 0).collect();
    if family.len() < FAMILY {
        return Vec::new();
    }
    family.sort_unstable();
    let upper = family.len() / 2;
    let is_gap = |place: &usize| family[*place].0 / GAP >= family[*place - 1].0;
    let Some(first) = (upper + 1..family.len()).find(is_gap) else {
        return Vec::new();
    };
    let next = family[first - 1].0;
    let outlier = |&(shares, node): &(i64, NodeId)| Outlier { node, shares, next };
    family[first..].iter().map(outlier).collect()
}
