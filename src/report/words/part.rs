//! What is not listed of a part of a tree, in words.

use crate::base::number::{counted, grouped, percent, short};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, ShareBounds, Tree, UnlistedLevel};
use crate::report::path;

/// What every list of users of a part of a tree says.
pub(crate) const LISTED_ONLY: &str = "Only a part of the tree is listed: all counts and orders of users here are of the listed ones.";

/// What a comparison with a part of a tree says.
pub(crate) const COMPARED: &str = "Only a part of a tree is listed: what was added or removed may not be listed in one of the \
     two, and ranks are not compared.";

/// Returns what a level lacks and how that is known: `others in physics: 6 shares and 11% of its usage, from the printed
/// NormShares`.
pub(crate) fn assumed(tree: &Tree, level: &UnlistedLevel) -> Shown {
    let amounts = amounts(tree, level);
    match level.account {
        NodeId::ROOT => sentence!("others at the top: {amounts}"),
        account => sentence!("others in {}: {amounts}", path(tree, account)),
    }
}

/// Returns the shares and the usage of what a level lacks, and how they are known.
fn amounts(tree: &Tree, level: &UnlistedLevel) -> Shown {
    let used = tree.usage(level.others).amount().unwrap_or(0.0);
    let part = match tree.usage(level.account).amount() {
        Some(all) if all > 0.0 => sentence!("{} of its usage", percent(used / all)),
        _ => sentence!("usage {}", short(used)),
    };
    match level.shares {
        Some(bounds) => {
            let shares = shares(bounds);
            sentence!("{shares} and {part}, from the printed NormShares")
        }
        None => sentence!("{part}; nothing tells their shares"),
    }
}

/// Returns what a path lacks: of each account on whose level a node of the path competes, what its level has beyond the
/// listed members.
pub(crate) fn of_path(tree: &Tree, node: NodeId) -> Vec<Shown> {
    let mut told = Vec::new();
    let Some(part) = tree.part() else {
        return told;
    };
    for account in tree.upwards(node).skip(1) {
        if let Some(level) = part.level(account) {
            told.push(assumed(tree, level));
        } else if part.is_unknown(account) {
            told.push(unknown(tree, account));
        }
    }
    told
}

/// Returns what a node stands for that has all that is not listed of its account.
pub(crate) fn stands_for(tree: &Tree, others: NodeId) -> Shown {
    let account = tree.parent(others).unwrap_or(NodeId::ROOT);
    let place = match account {
        NodeId::ROOT => Shown::from("at the top"),
        account => sentence!("in {}", path(tree, account)),
    };
    let known = match tree.part().and_then(|part| part.level(account)) {
        Some(level) => amounts(tree, level),
        None => "nothing is known of it".into(),
    };
    sentence!(
        "All that is not listed {place}: {known}. They compute as one; none of them has a rank here."
    )
}

/// Returns a number of shares, or between which numbers it is.
fn shares(bounds: ShareBounds) -> Shown {
    if bounds.least == bounds.most {
        return counted(bounds.least, "share", "shares");
    }
    sentence!(
        "{} to {} shares",
        grouped(bounds.least),
        grouped(bounds.most)
    )
}

/// Returns that nothing tells what an account's level lacks.
pub(crate) fn unknown(tree: &Tree, account: NodeId) -> Shown {
    let place = match account {
        NodeId::ROOT => Shown::from("the top"),
        account => path(tree, account),
    };
    sentence!("the level of {place} is not known: nothing tells the sum of its shares")
}

/// How many levels of a part are written out.
const MOST_LEVELS: usize = 20;

/// Returns what each level lacks, the first of many.
pub(crate) fn levels(tree: &Tree) -> Vec<Shown> {
    let Some(part) = tree.part() else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for level in part.levels.iter().take(MOST_LEVELS) {
        lines.push(assumed(tree, level));
    }
    let mut count = part.levels.len();
    for &account in &part.unknown {
        if part.level(account).is_some() {
            continue;
        }
        count += 1;
        if count <= MOST_LEVELS {
            lines.push(unknown(tree, account));
        }
    }
    if count > lines.len() {
        let more = counted(count - lines.len(), "more level is", "more levels are");
        lines.push(sentence!("… {more} incomplete"));
    }
    lines
}
