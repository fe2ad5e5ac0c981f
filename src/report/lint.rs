//! Findings: values of a tree that its admin probably did not intend. None of them is an error of a file.

mod settings;

pub(crate) use settings::formula_faults;

use super::{View, order, with_shares};
use crate::base::number::{amount, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence};
use crate::format::{Problem, Problems, Severity};
use crate::model::{FairShare, Kind, NodeId, Scheduler};
use crate::rules::policy::Policy;
use std::cmp::Reverse;
use std::collections::HashMap;

/// How many nodes a finding names.
const NAMED: usize = 5;

/// Returns the findings of the whole tree, in tree order.
pub fn findings(view: &View<'_>) -> Problems {
    let tree = view.tree;
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
    add(&mut findings, outlier(view));
    let has_users = users_below(view);
    let used = usage_below(view);
    let mut empty = Vec::new();
    for (position, &node) in tree.nodes().iter().enumerate() {
        let without_share = without_share(view, node, used[position]);
        add(&mut findings, without_share);
        add(&mut findings, sentinel(view, node));
        let is_empty = node != NodeId::ROOT && !has_users[position];
        if is_empty && may_be_unused(view, node) && !is_below_empty(view, node, &has_users) {
            empty.push(node);
        }
        if tree.has_children(node) {
            add(&mut findings, share_without_users(view, node));
            add(&mut findings, wrapped_shares(view, node));
        }
    }
    // In a tree without users, or with users missing, an account without users is no finding.
    let has_any_users = has_users[0];
    if has_any_users && !empty.is_empty() && view.recorded.incomplete.is_none() {
        let finding = without_users(view, &empty);
        findings.push(finding);
    }
    findings
}

/// Adds a finding, if there is one.
fn add(findings: &mut Problems, found: Option<Problem>) {
    if let Some(finding) = found {
        findings.push(finding);
    }
}

/// Returns whether an account without users may be one that is no longer used.
fn may_be_unused(view: &View<'_>, account: NodeId) -> bool {
    if Some(account) == view.tree.unknown() {
        return false;
    }
    // An account with usage had users, which may be missing in the source.
    if let Some(used) = view.tree.usage(account).amount()
        && used > 0.0
    {
        return false;
    }
    // Without shares it takes nothing from anybody.
    view.tree.shares(account).count() != Some(0)
}

/// Returns a warning about the tree.
fn finding(
    view: &View<'_>,
    code: &'static str,
    message: impl Into<Shown>,
    advice: impl Into<Shown>,
) -> Problem {
    Problem::about(Severity::Warning, code, &view.source.path, message, advice)
}

/// Returns the shares of a node; 0 for `parent`.
fn shares(view: &View<'_>, node: NodeId) -> i64 {
    view.tree.shares(node).count().unwrap_or(0)
}

/// Returns the finding for a node that has usage and no target.
fn without_share(view: &View<'_>, node: NodeId, used: f64) -> Option<Problem> {
    let tree = view.tree;
    let column = view.policy.target_column();
    let target = view.evaluation.number(column, node)?;
    // Where portions are of the level, an account without shares takes its users down with it unseen.
    let is_meant = tree.kind(node) == Kind::User || view.policy.counts_by_level();
    if target != 0.0 || !is_meant || node == NodeId::ROOT {
        return None;
    }
    // The shares of what is not listed are a guess, and a portion of 0 can be less than a digit.
    let is_rounded = view.recorded.shares_are_portions || tree.lacks_column();
    if used <= 0.0 || is_rounded || tree.is_others(node) {
        return None;
    }
    let path = view.path(node);
    let bars = without_target(view);
    let amount = amount(used);
    if tree.unknown().is_some() && tree.parent(node) == tree.unknown() {
        return Some(finding(
            view,
            "unknown-usage-no-shares",
            sentence!(
                "{path} used {amount}, but it is not in resource_group and unknown_shares is 0: {bars}"
            ),
            "add it to resource_group, or set unknown_shares in sched_config",
        ));
    }
    Some(finding(
        view,
        "zero-shares-with-usage",
        sentence!("{path} used {amount}, but its target is 0%: {bars}"),
        "give it and the nodes above it shares, or remove it if it is no longer used",
    ))
}

/// Returns what becomes of a node without a target.
fn without_target(view: &View<'_>) -> Shown {
    let enforces = view.settings.pbs.fairshare_enforce_no_shares;
    match view.policy {
        Policy::Pbs | Policy::PbsWalk | Policy::Formula if enforces => {
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
    }
}

/// Returns the finding for shares of an account that none of its children can take, because all of theirs are 0.
fn share_without_users(view: &View<'_>, node: NodeId) -> Option<Problem> {
    if node == NodeId::ROOT || shares(view, node) <= 0 {
        return None;
    }
    for member in view.tree.children(node) {
        if view.tree.shares(member).count() != Some(0) || view.tree.is_others(member) {
            return None;
        }
    }
    let path = view.path(node);
    let lost = with_shares(view.tree.shares(node));
    Some(finding(
        view,
        "account-share-unused",
        sentence!(
            "{path} has {lost}, but all of its members have 0: its share is lost, and nobody else gets it"
        ),
        "give its members shares, or give it 0",
    ))
}

/// Returns the findings for levels whose sum of shares overflows.
pub(crate) fn overflowing<'a>(view: &'a View<'_>) -> impl Iterator<Item = Problem> + 'a {
    let nodes = view.tree.nodes().iter();
    nodes.filter_map(|&node| wrapped_shares(view, node))
}

/// Returns the finding for shares of a level whose sum does not fit the 32 bits in which PBS and Slurm hold it.
fn wrapped_shares(view: &View<'_>, account: NodeId) -> Option<Problem> {
    let what = match view.policy {
        Policy::Flux => return None,
        Policy::Pbs | Policy::PbsWalk | Policy::Formula => "PBS",
        _ => "Slurm",
    };
    let mut limit = i64::from(u32::MAX);
    if what == "PBS" {
        limit = i64::from(i32::MAX);
    }
    let mut sum: i128 = 0;
    for child in view.tree.children(account) {
        sum += i128::from(shares(view, child));
    }
    if sum <= i128::from(limit) {
        return None;
    }
    let path = view.path(account);
    let most = grouped(limit);
    Some(finding(
        view,
        "level-shares-wrap",
        sentence!(
            "the shares below {path} add up to {sum}, more than the {most} that {what} can store: the sum overflows, and \
             the portions are wrong"
        ),
        "divide all shares of the level by the same number",
    ))
}

/// Returns the finding for a count of shares that is no count: what Slurm stores for `parent`.
fn sentinel(view: &View<'_>, node: NodeId) -> Option<Problem> {
    let is_pbs = view.settings.scheduler == Some(Scheduler::Pbs);
    if is_pbs || shares(view, node) != i64::from(i32::MAX) {
        return None;
    }
    let path = view.path(node);
    Some(finding(
        view,
        "parent-sentinel",
        sentence!(
            "{path} has 2147483647 shares, the number that Slurm stores for parent: as a count it leaves its siblings \
             nothing"
        ),
        "write parent instead, or the intended number",
    ))
}

/// Returns, by position, whether the node is a user or has users below.
fn users_below(view: &View<'_>) -> Vec<bool> {
    let tree = view.tree;
    let nodes = tree.nodes();
    let above = tree.order().above();
    let mut has_users = vec![false; nodes.len()];
    for (position, &node) in nodes.iter().enumerate().rev() {
        if tree.kind(node) == Kind::User {
            has_users[position] = true;
        }
        if has_users[position] {
            let account = above[position] as usize;
            has_users[account] = true;
        }
    }
    has_users
}

/// Returns, by position, the usage that is recorded for a node, or else for those below it.
fn usage_below(view: &View<'_>) -> Vec<f64> {
    let tree = view.tree;
    let above = tree.order().above();
    let nodes = tree.nodes();
    let mut used = Vec::with_capacity(nodes.len());
    for &node in nodes {
        used.push(tree.usage(node).amount().unwrap_or(0.0));
    }
    for position in (1..nodes.len()).rev() {
        let account = above[position] as usize;
        if tree.usage(nodes[account]).amount().is_none() {
            used[account] += used[position];
        }
    }
    used
}

/// Returns whether the account above has no users either, and was found already.
fn is_below_empty(view: &View<'_>, node: NodeId, has_users: &[bool]) -> bool {
    if let Some(parent) = view.tree.parent(node)
        && parent != NodeId::ROOT
        && let Some(position) = view.tree.order().position(parent)
    {
        return !has_users[position];
    }
    false
}

/// Returns the finding for accounts without users.
fn without_users(view: &View<'_>, accounts: &[NodeId]) -> Problem {
    let noun = view.settings.noun();
    let count = accounts.len();
    let mut paths = Vec::new();
    for &account in accounts.iter().take(NAMED) {
        paths.push(view.path(account));
    }
    let mut names = Shown::joined(paths, ", ");
    if count > NAMED {
        let more = count - NAMED;
        names += &sentence!(" and {more} more");
    }
    let why = if view.policy == Policy::FairTree {
        "Their shares still count. Where such an account ties with the previous one, Fair Tree repeats a rank"
    } else {
        "Their shares still count"
    };
    let accounts = counted(count, noun.one, noun.many);
    let have = word_for(count, "has", "have");
    Problem::about(
        Severity::Note,
        "account-without-users",
        &view.source.path,
        sentence!("{accounts} {have} no users: {names}. {why}"),
        "remove them, or set their shares to 0, if they are no longer used",
    )
}

/// The factor by which an outlier exceeds the next of its siblings.
///
/// Shares of real sites are spread wide, but without such gaps: of 93 versions of the shares of 250 to 300 labs (from 1 to
/// 387,000, in the middle 220 to 720) 18 have one, always of one lab, and of 67 of those of 35 to 53 projects none. A gap
/// of four is in 49 versions, and five times the middle is what up to 65 labs had.
const GAP: i64 = 5;

/// How many siblings with shares a family has at least in which a node may stand out.
const FAMILY: usize = 4;

/// A node that stands out among its siblings.
struct Outlier {
    /// The node.
    node: NodeId,
    /// Its shares.
    shares: i64,
    /// The shares of the next sibling.
    next: i64,
}

impl Outlier {
    /// Returns how many times the shares of the next sibling it has.
    const fn times(&self) -> i64 {
        self.shares / self.next
    }
}

/// Returns one finding for the whole tree, or `None` without outliers.
///
/// A node stands out if it and all above it in a family of at least [`FAMILY`] siblings with shares have [`GAP`] times
/// the next of them, which stands in the upper half, and if no other node of the tree of its kind has as many: what
/// several have is a class, not a slip.
fn outlier(view: &View<'_>) -> Option<Problem> {
    let found = lone_outliers(view);
    let mut is_wide = false;
    for outlier in &found {
        // A digit too many makes ten times as much, and no version of those shares has such a gap.
        if outlier.times() >= 2 * GAP {
            is_wide = true;
        }
    }
    let message = match &found[..] {
        [] => return None,
        [one] => {
            let path = view.path(one.node);
            let shares = grouped(one.shares);
            let times = grouped(one.times());
            let next = grouped(one.next);
            sentence!(
                "{path} has {shares} shares, {times} times the {next} of its next sibling: each of its siblings gets \
                 little"
            )
        }
        _ => several_outliers(view, found),
    };
    let advice = "if this is not intended, look for an extra digit or for shares in another unit";
    let mut finding = finding(view, "share-outlier", message, advice);
    if !is_wide {
        finding.severity = Severity::Note;
    }
    Some(finding)
}

/// Returns the nodes that stand out, and of whose kind no other node of the tree has as many shares.
fn lone_outliers(view: &View<'_>) -> Vec<Outlier> {
    let tree = view.tree;
    let mut common: HashMap<(Kind, i64), usize> = HashMap::new();
    let mut found = Vec::new();
    for &node in tree.nodes() {
        let kind = tree.kind(node);
        let count = common.entry((kind, shares(view, node)));
        *count.or_insert(0) += 1;
        found.extend(outliers(view, node));
    }
    found.retain(|outlier| {
        let kind = tree.kind(outlier.node);
        common[&(kind, outlier.shares)] == 1
    });
    found
}

/// Returns the sentence for several outliers, the farthest out first.
fn several_outliers(view: &View<'_>, mut outliers: Vec<Outlier>) -> Shown {
    outliers.sort_by_key(|outlier| Reverse(outlier.times()));
    let mut named = Vec::new();
    for outlier in outliers.iter().take(NAMED) {
        let path = view.path(outlier.node);
        let shares = grouped(outlier.shares);
        let next = grouped(outlier.next);
        named.push(sentence!("{path} ({shares}, next {next})"));
    }
    if outliers.len() > NAMED {
        let more = outliers.len() - NAMED;
        named.push(sentence!("{more} more"));
    }
    let count = counted(outliers.len(), "node", "nodes");
    let names = named.join(", ");
    sentence!(
        "{count} have at least {GAP} times the shares of their next sibling: {names}; each of the others gets little"
    )
}

/// Returns the members of an account that stand out.
fn outliers(view: &View<'_>, parent: NodeId) -> Vec<Outlier> {
    let mut family = Vec::new();
    for child in view.tree.children(parent) {
        let count = shares(view, child);
        if Some(child) != view.tree.unknown() && count > 0 {
            family.push((count, child));
        }
    }
    let mut outliers = Vec::new();
    if family.len() < FAMILY {
        return outliers;
    }
    family.sort_unstable();
    let upper = family.len() / 2;
    let mut below_gap = None;
    for place in upper + 1..family.len() {
        let (before, _) = family[place - 1];
        let (shares, node) = family[place];
        if below_gap.is_none() && shares / GAP >= before {
            below_gap = Some(before);
        }
        if let Some(next) = below_gap {
            outliers.push(Outlier { node, shares, next });
        }
    }
    outliers
}
