//! Edits as text.

use crate::model::{Kind, NodeId, Tree, duration_of, escape_name, path_of};
use crate::scenario::{Edit, PaceChange};
use std::fmt::Write as _;

/// Returns a path with escapes for what the language could misread: blanks, a first quote, a last operator.
fn spelled(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for (place, char) in path.char_indices() {
        let is_last = place + char.len_utf8() == path.len();
        let is_operator = is_last && matches!(char, '+' | '-' | '*');
        let is_quote = place == 0 && matches!(char, '"' | '\'');
        if char.is_ascii_whitespace() || is_operator || is_quote {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{:02X}", u32::from(char));
        } else {
            text.push(char);
        }
    }
    text
}

/// Returns the path of a node as the language reads it.
pub(crate) fn spelled_path(tree: &Tree, node: NodeId) -> String {
    spelled(&path_of(tree, node).unwrap_or_else(|| escape_name(tree.name(node))))
}

/// Returns the beginning of the line that sets a node's shares, up to the number.
pub fn shares_line(tree: &Tree, node: NodeId) -> String {
    format!("shares {}=", spelled_path(tree, node))
}

/// Returns the beginning of the line that sets a node's rate, up to the number.
pub fn rate_line(tree: &Tree, node: NodeId) -> String {
    format!("rate {}=", spelled_path(tree, node))
}

/// Writes an edit so that [`parse`](super::parse) reads it back. Each part of a batch is on a line of its own.
pub fn write(edit: &Edit, tree: &Tree) -> String {
    let path = |node| spelled_path(tree, node);
    match edit {
        Edit::SetShares { node, shares } => format!("{}{shares}", shares_line(tree, *node)),
        Edit::SetUsage { node, usage } => {
            format!("usage {}={}", path(*node), usage.amount().unwrap_or(0.0))
        }
        Edit::SetSetting { key, value } => format!("set {key}={value}"),
        Edit::Add {
            parent,
            name,
            partition,
            kind,
            shares,
            usage,
        } => {
            let parent = path(*parent);
            let separator = if parent.is_empty() { "" } else { "/" };
            let is_account = *kind == Kind::Account;
            let kind = if is_account { " kind=account" } else { "" };
            let usage = match usage.amount() {
                Some(amount) => format!(" usage={amount}"),
                None => String::new(),
            };
            let mut full_name = escape_name(name);
            if let Some(partition) = partition {
                full_name.push('@');
                full_name.push_str(&escape_name(partition));
            }
            let name = spelled(&full_name);
            format!("add {parent}{separator}{name} shares={shares}{usage}{kind}")
        }
        Edit::Remove { node } => format!("remove {}", path(*node)),
        Edit::Wait { seconds } => format!("wait {}", duration_of(*seconds)),
        Edit::Pace(change) => write_pace(change, tree),
        Edit::Move { node, to } => {
            let account = path(*to);
            let to = if account.is_empty() { "/" } else { &account };
            format!("move {} to {to}", path(*node))
        }
        Edit::Rename { node, name } => {
            format!("rename {} to {}", path(*node), spelled(&escape_name(name)))
        }
        Edit::Batch(edits) => {
            let lines: Vec<String> = edits.iter().map(|edit| write(edit, tree)).collect();
            lines.join("\n")
        }
    }
}

/// Writes a change of the pace.
fn write_pace(change: &PaceChange, tree: &Tree) -> String {
    match change {
        PaceChange::Idle => "pace idle".to_owned(),
        PaceChange::Steady => "pace steady".to_owned(),
        PaceChange::Rate { node, rate } => format!("{}{rate}", rate_line(tree, *node)),
        PaceChange::Campaign(campaign) => {
            let user = spelled_path(tree, campaign.node);
            let from = duration_of(campaign.from);
            let until = duration_of(campaign.until);
            format!(
                "campaign {user}={} from {from} until {until}",
                campaign.rate
            )
        }
    }
}
