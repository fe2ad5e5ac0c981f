//! What is not listed of a part of a tree, in words.

use crate::base::number::{counted, percent, short};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, UnlistedLevel};
use crate::report::{path, share_range};

/// What an edit of a part of a tree changes of ranks.
pub(crate) const NO_RANK: &str = "not all users are listed, so no rank is known";

/// Returns what every list of users of a part of a tree says. `None` for a whole tree.
pub(crate) fn listed_only(tree: &Tree) -> Option<Shown> {
    tree.part()?;
    Some("Only a part of the tree is listed: all counts and orders of users here are of the listed ones.".into())
}

/// What a comparison with a part of a tree says.
pub(crate) const COMPARED: &str = "Only a part of a tree is listed: what was added or removed may not be listed in one of the \
     two, and ranks are not compared.";

/// Returns what a level lacks and how that is known: `others in physics: 6 shares and 11% of its usage, from the printed
/// NormShares`.
pub(crate) fn assumed(tree: &Tree, level: &UnlistedLevel) -> Shown {
    let place = place(tree, level.account);
    let amounts = amounts(tree, level);
    sentence!("others {place}: {amounts}")
}

/// Returns where the members of an account are: `in physics`, `at the top`.
fn place(tree: &Tree, account: NodeId) -> Shown {
    if account == NodeId::ROOT {
        return "at the top".into();
    }
    let account = path(tree, account);
    sentence!("in {account}")
}

/// Returns the shares and the usage of what a level lacks, and how they are known.
fn amounts(tree: &Tree, level: &UnlistedLevel) -> Shown {
    let used = tree.usage(level.others).amount().unwrap_or(0.0);
    let part = match tree.usage(level.account).amount() {
        Some(all) if all > 0.0 => {
            let part = percent(used / all);
            sentence!("{part} of its usage")
        }
        _ => {
            let usage = short(used);
            sentence!("usage {usage}")
        }
    };
    let Some(bounds) = level.shares else {
        return sentence!("{part}; nothing tells their shares");
    };
    let shares = share_range(bounds);
    sentence!("{shares} and {part}, from the printed NormShares")
}

/// Returns what is assumed of each account on whose level a node of a path competes: what its level has beyond the listed
/// members. `None` if all of them are listed.
pub(crate) fn assumed_of_path(tree: &Tree, node: NodeId) -> Option<Shown> {
    let part = tree.part()?;
    let mut told = Vec::new();
    for account in tree.upwards(node).skip(1) {
        if let Some(level) = part.level(account) {
            told.push(assumed(tree, level));
        } else if part.is_unknown(account) {
            told.push(unknown(tree, account));
        }
    }
    if told.is_empty() {
        return None;
    }
    let all_told = Shown::joined(told, "; ");
    Some(sentence!("Assumed: {all_told}."))
}

/// Returns what a node stands for that has all that is not listed of its account.
pub(crate) fn stands_for(tree: &Tree, others: NodeId) -> Shown {
    let account = tree.parent(others).unwrap_or(NodeId::ROOT);
    let place = place(tree, account);
    let mut known = Shown::from("nothing is known of it");
    if let Some(part) = tree.part()
        && let Some(level) = part.level(account)
    {
        known = amounts(tree, level);
    }
    sentence!(
        "All that is not listed {place}: {known}. They compute as one; none of them has a rank here."
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
