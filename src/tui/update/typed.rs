//! What is typed for an edit: amounts, jobs, names, and what they make of the tree.

use crate::model::{NodeId, Shares, Tree};
use crate::scenario::{Amount, Edit, Scenario, job_usage, parse, unescape};
use std::collections::HashMap;

/// Reads an amount.
pub(crate) fn amount(text: &str) -> Result<Amount, String> {
    Amount::parse(text).ok_or_else(|| "expected a number such as 20, +10, *2 or 50%".to_owned())
}

/// Returns an amount of usage: typed as such, or what a job such as `+nodes=4 time=2:00:00` costs.
pub(crate) fn charge_or_amount(scenario: &Scenario, text: &str) -> Result<Amount, String> {
    if is_job(text) {
        let cost = job_usage(text.trim_start_matches('+'), scenario.settings());
        return cost.map(Amount::More).map_err(|error| error.to_string());
    }
    amount(text)
}

/// Returns whether a line typed for usage describes a job.
fn is_job(text: &str) -> bool {
    text.contains('=')
}

/// Returns why a line typed for usage makes its edit: the job that is charged. Empty if it describes no job.
pub(crate) fn charge(text: &str) -> String {
    if is_job(text) {
        format!("charge {}", text.trim_start_matches('+'))
    } else {
        String::new()
    }
}

/// Returns the edit that gives a setting a value; `None` if it has that value.
pub(crate) fn setting(scenario: &Scenario, key: &str, text: &str) -> Result<Option<Edit>, String> {
    let mut settings = scenario.settings().clone();
    settings.set(key, text).map_err(|error| error.to_string())?;
    let edit = Edit::SetSetting {
        key: key.to_owned(),
        value: text.to_owned(),
    };
    Ok((settings != *scenario.settings()).then_some(edit))
}

/// One edit of what is one edit; nothing of nothing.
pub(crate) fn as_one(mut edits: Vec<Edit>) -> Option<Edit> {
    if edits.len() > 1 {
        Some(Edit::Batch(edits))
    } else {
        edits.pop()
    }
}

/// Gives every node what the amount makes of its own shares; a percentage is what each of them has of its level then.
pub(crate) fn shares(
    tree: &Tree,
    nodes: &[NodeId],
    amount: Amount,
) -> Result<Option<Edit>, String> {
    let portions = match amount {
        Amount::Percent(percent) if nodes.len() > 1 => Some(portions(tree, nodes, percent)?),
        _ => None,
    };
    let mut edits = Vec::new();
    for &node in nodes {
        let portion = portions.as_ref().zip(tree.parent(node));
        let shares = match portion.and_then(|(portions, account)| portions.get(&account)) {
            Some(count) => Amount::Exactly(*count).shares(tree, node),
            // Nobody else has shares: any number of them is that portion.
            None if portions.is_some() => Ok(tree.shares(node)),
            None => amount.shares(tree, node),
        };
        let shares = shares.map_err(|error| error.to_string())?;
        if shares != tree.shares(node) {
            edits.push(Edit::SetShares { node, shares });
        }
    }
    Ok(as_one(edits))
}

/// By account, the shares with which each of its children among `nodes` has that percentage of the level.
fn portions(tree: &Tree, nodes: &[NodeId], percent: f64) -> Result<HashMap<NodeId, f64>, String> {
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
            return Err(format!(
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

/// Gives every node what the amount makes of its own usage.
pub(crate) fn usage(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, String> {
    let mut edits = Vec::new();
    // What is below comes first: an account whose usage was stated changes with it, and then has its own number.
    for &node in nodes.iter().rev() {
        let now = tree.usage(node).amount().unwrap_or(0.0);
        let usage = amount.usage(now).map_err(|error| error.to_string())?;
        if usage != tree.usage(node) {
            edits.push(Edit::SetUsage { node, usage });
        }
    }
    Ok(as_one(edits))
}

/// So many shares more for every node; fewer only as far as all of them have some.
pub(crate) fn nudge(tree: &Tree, nodes: &[NodeId], by: i64) -> Result<Option<Edit>, String> {
    let mut edits = Vec::with_capacity(nodes.len());
    for &node in nodes {
        let Some(count) = tree.shares(node).count() else {
            return Err("parent is not a number of shares; e gives this node its own".to_owned());
        };
        if node != NodeId::ROOT && count + by < 0 {
            return Err("shares cannot fall below 0".to_owned());
        }
        let shares = Shares::new(count + by);
        edits.push(Edit::SetShares { node, shares });
    }
    Ok(as_one(edits))
}

/// Returns the path that means an account: `/` is the root.
pub(crate) fn account_path(text: &str) -> &str {
    if text == "/" { "" } else { text }
}

/// Returns the node that a line adds: `NAME shares=5 kind=account` below the account, or a whole path from the root.
pub(crate) fn addition(scenario: &Scenario, account: NodeId, text: &str) -> Result<Edit, String> {
    let line = format!("add {text}");
    let edit =
        parse(line.as_bytes(), scenario.tree(), scenario.settings()).map_err(
            |error| match error {
                crate::scenario::LanguageError::Form { .. } => {
                    "expected NAME, and shares=5, usage=N or kind=account if you like".to_owned()
                }
                error => error.to_string(),
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

/// Returns the edit that gives a node a name as it stands in paths. `None` if it is its own.
pub(crate) fn renaming(tree: &Tree, node: NodeId, text: &str) -> Option<Edit> {
    let name = unescape(text.as_bytes());
    (name != tree.name(node)).then_some(Edit::Rename { node, name })
}
