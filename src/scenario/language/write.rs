//! Edits as text.

use crate::model::{Kind, NodeId, Tree, duration_of, escape_name, path_of};
use crate::scenario::{Edit, PaceChange};
use std::fmt::Write as _;

/// Returns a path with escapes for what the language could misread: blanks, a first quote, a last operator.
fn spelled(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for (place, char) in path.char_indices() {
        let is_misread = match char {
            '+' | '-' | '*' => place + 1 == path.len(),
            '"' | '\'' => place == 0,
            char => char.is_ascii_whitespace(),
        };
        if is_misread {
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
    match path_of(tree, node) {
        Some(path) => spelled(&path),
        None => spelled(&escape_name(tree.name(node))),
    }
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
    match edit {
        Edit::SetShares { node, shares } => format!("{}{shares}", shares_line(tree, *node)),
        Edit::SetUsage { node, usage } => {
            let path = spelled_path(tree, *node);
            format!("usage {path}={}", usage.amount().unwrap_or(0.0))
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
            let account = spelled_path(tree, *parent);
            let separator = if account.is_empty() { "" } else { "/" };
            let mut full_name = escape_name(name);
            if let Some(partition) = partition {
                full_name.push('@');
                full_name.push_str(&escape_name(partition));
            }
            let name = spelled(&full_name);
            let mut line = format!("add {account}{separator}{name} shares={shares}");
            if let Some(amount) = usage.amount() {
                // Writing to a String cannot fail.
                let _ = write!(line, " usage={amount}");
            }
            if *kind == Kind::Account {
                line.push_str(" kind=account");
            }
            line
        }
        Edit::Remove { node } => format!("remove {}", spelled_path(tree, *node)),
        Edit::Wait { seconds } => format!("wait {}", duration_of(*seconds)),
        Edit::Pace(change) => write_pace(change, tree),
        Edit::Move { node, to } => {
            let path = spelled_path(tree, *node);
            let account = spelled_path(tree, *to);
            let to = if account.is_empty() { "/" } else { &account };
            format!("move {path} to {to}")
        }
        Edit::Rename { node, name } => {
            let path = spelled_path(tree, *node);
            format!("rename {path} to {}", spelled(&escape_name(name)))
        }
        Edit::Batch(edits) => {
            let mut lines = Vec::with_capacity(edits.len());
            for edit in edits {
                lines.push(write(edit, tree));
            }
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
