//! How lines of the edit language begin, and how they name nodes.

use crate::model::{NodeId, Tree, escape_name, path_of};
use std::fmt::Write as _;

/// Returns a path or name with escapes for everything that the language could misread: blanks, a quote at the
/// beginning, and an operator at the end.
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

/// Returns the path of a node as written in lines.
pub(super) fn path(tree: &Tree, node: NodeId) -> String {
    spelled(&path_of(tree, node).unwrap_or_else(|| escape_name(tree.name(node))))
}

/// Returns the beginning of the line that sets a node's shares, up to the number.
pub fn shares_line(tree: &Tree, node: NodeId) -> String {
    format!("shares {}=", path(tree, node))
}

/// Returns the beginning of the line that sets a node's rate, up to the number.
pub fn rate_line(tree: &Tree, node: NodeId) -> String {
    format!("rate {}=", path(tree, node))
}
