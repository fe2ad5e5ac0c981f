//! Suggestions for a path or name that matches no node.

use super::path_of;
use crate::base::nearest::changes;
use crate::model::{NodeId, Tree};

/// How many paths are suggested.
const OFFERED: usize = 3;

/// The longest text for which suggestions are made. Longer ones are no typing errors.
const LONGEST: usize = 64;

/// How many nodes with a similar name are compared by their whole path.
const COMPARED: usize = 1000;

/// Returns the paths of the nodes whose names differ in the fewest letters, the nearest first; empty if none is near.
pub(super) fn near(tree: &Tree, text: &[u8]) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let unescaped = unescaped(tree, text);
    if !unescaped.is_empty() {
        return unescaped;
    }
    let text = text.to_ascii_lowercase();
    let text = text.trim_ascii();
    let last = text.rsplit(|&byte| byte == b'/').next().unwrap_or(text);
    let end = last.iter().position(|byte| matches!(byte, b'@' | b'#'));
    let wanted = &last[..end.unwrap_or(last.len())];
    if wanted.is_empty() {
        return Vec::new();
    }
    let changed = |node: &NodeId| {
        let name = tree.name(*node).to_ascii_lowercase();
        let allowed = 1 + name.len().min(wanted.len()) / 4;
        if name.len().abs_diff(wanted.len()) > allowed {
            return None;
        }
        let changes = changes(wanted, &name);
        (changes <= allowed).then_some((changes, *node))
    };
    let similar = tree.nodes().iter().skip(1).filter_map(changed);
    let mut similar: Vec<(usize, NodeId)> = similar.take(COMPARED).collect();
    let least = similar.iter().map(|&(changes, _)| changes).min();
    similar.retain(|&(changes, _)| Some(changes) == least);
    let is_path = text.contains(&b'/');
    let mut paths: Vec<(usize, String)> = similar
        .into_iter()
        .filter_map(|(changed, node)| {
            let path = path_of(tree, node)?;
            let distance = if is_path && path.len() <= LONGEST {
                changes(text, path.to_ascii_lowercase().as_bytes())
            } else {
                changed
            };
            Some((distance, path))
        })
        .collect();
    paths.sort_by_key(|&(distance, _)| distance);
    paths.truncate(OFFERED);
    paths.into_iter().map(|(_, path)| path).collect()
}

/// Returns the paths of the nodes with this name or path without the `\` before special characters.
fn unescaped(tree: &Tree, text: &[u8]) -> Vec<String> {
    let is_special = |byte: &u8| b"/\\@#".contains(byte);
    if !text.iter().any(is_special) {
        return Vec::new();
    }
    let ending = tree.nodes().iter().skip(1);
    let ending = ending.filter(|&&node| text.ends_with(tree.name(node)));
    let written = ending.filter_map(|&node| {
        let path = path_of(tree, node)?;
        let is_meant = tree.name(node) == text || path.replace('\\', "").as_bytes() == text;
        is_meant.then_some(path)
    });
    written.take(OFFERED).collect()
}
