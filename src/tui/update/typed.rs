//! Parsing typed amounts, jobs and names into edits of the tree.

use crate::base::shown::{Shown, read_back, sentence};
use crate::model::{NodeId, Shares, Tree};
use crate::scenario::{Amount, Edit, Scenario, job_usage, parse};
use std::collections::HashMap;

/// Parses an amount.
pub(crate) fn amount(text: &str) -> Result<Amount, Shown> {
    Amount::parse(text).ok_or_else(|| "expected a number such as 20, +10, *2 or 50%".into())
}

/// Returns the typed amount of usage, or the cost of a typed job such as `+nodes=4 time=2:00:00`.
pub(crate) fn charge_or_amount(scenario: &Scenario, text: &str) -> Result<Amount, Shown> {
    if is_job(text) {
        let cost = job_usage(text.trim_start_matches('+'), scenario.settings());
        return cost.map(Amount::More).map_err(|error| Shown::error(&error));
    }
    amount(text)
}

/// Returns whether a line typed for usage describes a job.
fn is_job(text: &str) -> bool {
    text.contains('=')
}

/// Returns the job that a line typed for usage charges, as the reason of the edit. Empty if the line describes no job.
pub(crate) fn charge(text: &str) -> String {
    if is_job(text) {
        format!("charge {}", text.trim_start_matches('+'))
    } else {
        String::new()
    }
}

/// Returns the edit that gives a setting a value, or `None` if the setting has that value already.
pub(crate) fn setting(scenario: &Scenario, key: &str, text: &str) -> Result<Option<Edit>, Shown> {
    let mut settings = scenario.settings().clone();
    settings
        .set(key, text)
        .map_err(|error| Shown::error(&error))?;
    let edit = Edit::SetSetting {
        key: key.to_owned(),
        value: text.to_owned(),
    };
    Ok((settings != *scenario.settings()).then_some(edit))
}

/// Combines edits into one, or returns `None` if there are none.
pub(crate) fn as_one(mut edits: Vec<Edit>) -> Option<Edit> {
    if edits.len() > 1 {
        Some(Edit::Batch(edits))
    } else {
        edits.pop()
    }
}

/// Returns the edit that applies an amount to the shares of each node. A percentage is the resulting portion of the
/// level.
pub(crate) fn shares(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, Shown> {
    let portions = match amount {
        Amount::Percent(percent) if nodes.len() > 1 => Some(portions(tree, nodes, percent)?),
        _ => None,
    };
    let mut edits = Vec::new();
    for &node in nodes {
        let portion = portions.as_ref().zip(tree.parent(node));
        let shares = match portion.and_then(|(portions, account)| portions.get(&account)) {
            Some(count) => Amount::Exactly(*count).shares(tree, node),
            // Without unmarked siblings that have shares, the shares stay as they are.
            None if portions.is_some() => Ok(tree.shares(node)),
            None => amount.shares(tree, node),
        };
        let shares = shares.map_err(|error| Shown::error(&error))?;
        if shares != tree.shares(node) {
            edits.push(Edit::SetShares { node, shares });
        }
    }
    Ok(as_one(edits))
}

/// Returns, for each account, the shares that give each of its children among `nodes` this percentage of the level.
fn portions(tree: &Tree, nodes: &[NodeId], percent: f64) -> Result<HashMap<NodeId, f64>, Shown> {
    let mut families: HashMap<NodeId, (f64, f64)> = HashMap::new();
    for &node in nodes {
        let Some(account) = tree.parent(node) else {
            continue;
        };
        let (count, own) = families.entry(account).or_default();
        *count += 1.0;
        *own += tree.shares(node).count().unwrap_or(0) as f64;
    }
    let mut portions = HashMap::new();
    for (account, (count, own)) in families {
        let family = tree.children(account);
        let sum: i64 = family.filter_map(|child| tree.shares(child).count()).sum();
        let others = sum as f64 - own;
        let (portion, all) = (percent / 100.0, percent * count / 100.0);
        let is_reachable = portion >= 0.0 && if others > 0.0 { all < 1.0 } else { all <= 1.0 };
        if !is_reachable {
            let most = 100.0 / count;
            return Err(sentence!(
                "{count} marked nodes of one level cannot have {percent}% each; expected a number from 0 to \
                 below {most:.4}"
            ));
        }
        if others > 0.0 {
            portions.insert(account, others * portion / (1.0 - all));
        }
    }
    Ok(portions)
}

/// Returns the edit that applies an amount to the usage of each node.
pub(crate) fn usage(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, Shown> {
    let mut edits = Vec::new();
    // Descendants come first. They change the usage of an account, which is then set to its own amount.
    for &node in nodes.iter().rev() {
        let now = tree.usage(node).amount().unwrap_or(0.0);
        let usage = amount.usage(now).map_err(|error| Shown::error(&error))?;
        if usage != tree.usage(node) {
            edits.push(Edit::SetUsage { node, usage });
        }
    }
    Ok(as_one(edits))
}

/// Returns the edit that adds `by` shares to each node. Fails if a node has no number of shares or would fall below 0.
pub(crate) fn nudge(tree: &Tree, nodes: &[NodeId], by: i64) -> Result<Option<Edit>, Shown> {
    let mut edits = Vec::with_capacity(nodes.len());
    for &node in nodes {
        let Some(count) = tree.shares(node).count() else {
            return Err("parent is not a number of shares; e gives this node its own".into());
        };
        if node != NodeId::ROOT && count + by < 0 {
            return Err("shares cannot be negative".into());
        }
        let shares = Shares::new(count + by);
        edits.push(Edit::SetShares { node, shares });
    }
    Ok(as_one(edits))
}

/// Returns the path of an account as typed, where `/` is the root.
pub(crate) fn account_path(text: &str) -> &str {
    if text == "/" { "" } else { text }
}

/// Returns the edit that adds a node. The line is `NAME shares=5 kind=account` below `account`, or starts with a path
/// from the root.
pub(crate) fn addition(scenario: &Scenario, account: NodeId, text: &str) -> Result<Edit, Shown> {
    let line = format!("add {text}");
    let edit =
        parse(line.as_bytes(), scenario.tree(), scenario.settings()).map_err(
            |error| match error {
                crate::scenario::LanguageError::Form { .. } => {
                    "expected NAME, optionally shares=5, usage=N or kind=account".into()
                }
                error => Shown::error(&error),
            },
        )?;
    let is_path = text.contains('/');
    Ok(match edit {
        Edit::Add {
            name,
            partition,
            kind,
            shares,
            usage,
            ..
        } if !is_path => Edit::Add {
            parent: account,
            name,
            partition,
            kind,
            shares,
            usage,
        },
        edit => edit,
    })
}

/// Returns the edit that renames a node, or `None` if it has the name already. The name is escaped as in paths.
pub(crate) fn renaming(tree: &Tree, node: NodeId, text: &str) -> Option<Edit> {
    let name = read_back(text.as_bytes());
    (name != tree.name(node)).then_some(Edit::Rename { node, name })
}
