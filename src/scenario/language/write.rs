//! Edits as text.

use super::line_start::{path, shares_line, spelled};
use super::time_edits::write_pace;
use crate::model::{Kind, Tree, duration_of, escape_name};
use crate::scenario::Edit;

/// Returns a name with its partition, as the last step of a path.
fn association(name: &[u8], partition: Option<&[u8]>) -> String {
    let partition = partition.map(|partition| format!("@{}", escape_name(partition)));
    format!("{}{}", escape_name(name), partition.unwrap_or_default())
}

/// Writes an edit so that [`parse`](super::parse) reads it back on the same tree. Each part of a batch is on a line of
/// its own.
pub fn write(edit: &Edit, tree: &Tree) -> String {
    let path = |node| path(tree, node);
    match edit {
        Edit::SetShares { node, shares } => format!("{}{shares}", shares_line(tree, *node)),
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
        Edit::Remove { node } => format!("remove {}", path(*node)),
        Edit::Wait { seconds } => format!("wait {}", duration_of(*seconds)),
        Edit::Pace(change) => write_pace(change, tree),
        Edit::Move { node, to } => {
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
