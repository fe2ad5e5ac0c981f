//! Usage against targets in words.

use crate::analysis::solve::TargetUse;
use crate::base::number::percent;
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_for_people};

/// Returns what a node used against its target: `uses 66.4% of physics, target 59.4%`, or `of all usage` where targets
/// are portions of the tree.
pub fn uses(tree: &Tree, usage: &TargetUse) -> Shown {
    let whole = whole(tree, usage.whole);
    let [used, share] = told_apart(usage.target.used, usage.target.share);
    sentence!("uses {used} of {whole}, target {share}")
}

/// Returns the account whose usage is divided; `all usage` for the root.
pub(super) fn whole(tree: &Tree, account: NodeId) -> Shown {
    match account {
        NodeId::ROOT => "all usage".into(),
        account => path_for_people(tree, account),
    }
}

/// Returns two portions as percentages, with the digits it takes to tell them apart.
pub(super) fn told_apart(one: f64, other: f64) -> [Shown; 2] {
    let texts = [one, other].map(percent);
    if texts[0] != texts[1] || one.to_bits() == other.to_bits() {
        return texts;
    }
    let digits = [3, 6, 9, 12].into_iter();
    let longer = digits.map(|digits| [one, other].map(|it| sentence!("{:.digits$}%", it * 100.0)));
    let mut longer = longer.filter(|[one, other]| one != other);
    longer.next().unwrap_or(texts)
}

/// Whether a node is on target, with what it uses: `physics is over its target (uses 59.4% of science, target 40.0%)`.
pub fn stands(tree: &Tree, node: NodeId, target: &TargetUse) -> Shown {
    let verdict = if target.target.is_met {
        "on target"
    } else {
        "over its target"
    };
    let name = path_for_people(tree, node);
    sentence!("{name} is {verdict} ({})", uses(tree, target))
}
