//! How lines of the edit language begin, and how they name nodes.

use crate::model::{NodeId, Tree, escape_name, path_of};
use std::fmt::Write as _;

/// Returns a path or name in which no word of the language can be mistaken: blanks, a quote at its begin, and an
/// operator at its end.
pub(super) fn spelled(path: &str) -> String {
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

/// Returns a node as lines name it.
pub(super) fn path(tree: &Tree, node: NodeId) -> String {
    spelled(&path_of(tree, node).unwrap_or_else(|| escape_name(tree.name(node))))
}

/// Returns the line that gives a node other shares, up to their number.
#[must_use]
pub fn shares_line(tree: &Tree, node: NodeId) -> String {
    format!("shares {}=", path(tree, node))
}

/// Returns the line that gives a node a rate, up to its number.
#[must_use]
pub fn rate_line(tree: &Tree, node: NodeId) -> String {
    format!("rate {}=", path(tree, node))
}
