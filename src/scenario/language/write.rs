//! Edits as text.

use super::passing::write_pace;
use crate::model::{Kind, Tree, duration_of, escape_name, path_of};
use crate::scenario::Edit;
use std::fmt::Write as _;

/// A path or name in which no word of the language can be mistaken: blanks, a quote at its begin, and an operator at
/// its end.
fn spelled(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for (place, char) in path.char_indices() {
        let is_last = place + char.len_utf8() == path.len();
        let is_operator = is_last && matches!(char, '+' | '-' | '*');
        let is_quote = place == 0 && matches!(char, '"' | '\'');
        if char.is_ascii_whitespace() || is_operator || is_quote {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{:02X}", u32::from(char));
            continue;
        }
        text.push(char);
    }
    text
}

/// A name with its partition, as the last step of a path.
fn association(name: &[u8], partition: Option<&[u8]>) -> String {
    let partition = partition.map(|partition| format!("@{}", escape_name(partition)));
    format!("{}{}", escape_name(name), partition.unwrap_or_default())
}

/// Writes an edit so that [`parse`](super::parse) reads it back on the same tree; the parts of a batch stand on lines of their own.
#[must_use]
pub fn write(edit: &Edit, tree: &Tree) -> String {
    let path = |node| spelled(&path_of(tree, node).unwrap_or_else(|| escape_name(tree.name(node))));
    match edit {
        Edit::SetShares { node, shares } => format!("shares {}={shares}", path(*node)),
        Edit::SetUsage { node, usage } => match usage.amount() {
            Some(amount) => format!("usage {}={amount}", path(*node)),
            None => format!("usage {}=0", path(*node)),
        },
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
            let kind = if *kind == Kind::Account {
                " kind=account"
            } else {
                ""
            };
            let usage = usage
                .amount()
                .map(|amount| format!(" usage={amount}"))
                .unwrap_or_default();
            let name = spelled(&association(name, partition.as_deref()));
            format!("add {parent}{separator}{name} shares={shares}{usage}{kind}")
        }
        Edit::Remove { node } | Edit::TakeOut { node } => format!("remove {}", path(*node)),
        Edit::Restore { node } => format!("restore {}", path(*node)),
        Edit::RestoreSettings { .. } => "restore settings".to_owned(),
        Edit::RestoreUsage(_) | Edit::FollowUsage(_) => "restore usage".to_owned(),
        Edit::Wait { seconds } => format!("wait {}", duration_of(*seconds)),
        Edit::Pace(change) => write_pace(change, path),
        Edit::RestoreMoment { .. } => "restore the moment".to_owned(),
        Edit::Move { node, to, .. } => {
            let to = path(*to);
            format!(
                "move {} to {}",
                path(*node),
                if to.is_empty() { "/" } else { &to }
            )
        }
        Edit::Rename { node, name } => {
            format!("rename {} to {}", path(*node), spelled(&escape_name(name)))
        }
        Edit::Batch(edits) => edits
            .iter()
            .map(|edit| write(edit, tree))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}
