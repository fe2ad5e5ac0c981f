//! Writing CSV.

use crate::format::loss::{Fault, Loss, Losses};
use crate::format::text::{number, records_follow_rows, sums_in_any_order};
use crate::model::{Kind, NodeId, Shares, Tree};

/// Writes a tree in tree order, so that [`super::parse`] reads it back. A conversion reports what cannot be written.
pub fn write(tree: &Tree) -> Vec<u8> {
    let has_partition = tree
        .nodes()
        .iter()
        .any(|&node| tree.partition(node).is_some());
    let has_active = tree.nodes().iter().any(|&node| tree.active(node).is_some());
    let mut out = b"parent,name,shares,usage,type".to_vec();
    out.reserve(tree.node_count() * 32);
    out.extend_from_slice(if has_partition { b",partition" } else { b"" });
    out.extend_from_slice(if has_active { b",active" } else { b"" });
    out.push(b'\n');
    for &node in tree.nodes() {
        if tree.name(node).is_empty() && node != NodeId::ROOT {
            continue;
        }
        let parent = tree.parent(node).filter(|&parent| parent != NodeId::ROOT);
        field(&mut out, parent.map_or(b"", |parent| tree.name(parent)));
        out.push(b',');
        let name = tree.name(node);
        field(&mut out, if name.is_empty() { b"root" } else { name });
        out.push(b',');
        out.extend_from_slice(shares(tree, node).as_bytes());
        out.push(b',');
        if let Some(amount) = usage(tree, node) {
            out.extend_from_slice(number(amount).as_bytes());
        }
        out.push(b',');
        out.extend_from_slice(if node == NodeId::ROOT {
            b"root"
        } else {
            tree.kind(node).name().as_bytes()
        });
        if has_partition {
            out.push(b',');
            field(&mut out, tree.partition(node).unwrap_or_default());
        }
        if has_active {
            out.extend_from_slice(match tree.active(node) {
                None => b",",
                Some(true) => b",1",
                Some(false) => b",0",
            });
        }
        out.push(b'\n');
    }
    out
}

/// Writes a name, in quotes if needed.
fn field(out: &mut Vec<u8>, name: &[u8]) {
    let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    if !name.iter().any(is_special) {
        out.extend_from_slice(name);
        return;
    }
    out.push(b'"');
    for &byte in name {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Returns the shares as written in a row. The root does not share with anyone, so a count of it that does not fit is
/// left out.
fn shares(tree: &Tree, node: NodeId) -> String {
    match tree.shares(node).count() {
        Some(..0) if node == NodeId::ROOT => String::new(),
        Some(count) => count.to_string(),
        None => Shares::PARENT.to_string(),
    }
}

/// Returns the usage as written in a row. The usage of a PBS account is the sum of its members and is not written.
fn usage(tree: &Tree, node: NodeId) -> Option<f64> {
    let is_given = tree.kind(node) == Kind::User || !tree.kinds_follow_shape();
    tree.usage(node)
        .amount()
        .filter(|amount| is_given && amount.is_finite() && *amount >= 0.0)
}

/// What CSV cannot hold of a tree.
pub(crate) fn losses(tree: &Tree) -> Vec<Loss> {
    let mut losses = Losses::default();
    let mut accounts: Vec<Option<NodeId>> = vec![None; tree.names().len()];
    for &node in &tree.nodes()[1..] {
        if tree.name(node).is_empty() {
            losses.add(Fault::CsvName, node);
        }
        if tree.usage(node).amount().is_some() && self::usage(tree, node).is_none() {
            losses.add(Fault::CsvUsage, node);
        }
        if tree.group(node) != 0 {
            losses.add(Fault::Groups, node);
        }
        if let Some(parent) = tree.parent(node).filter(|&parent| parent != NodeId::ROOT)
            && accounts[tree.name_id(parent).index()] != Some(parent)
        {
            losses.add(Fault::CsvParent, node);
        }
        if tree.kind(node) == Kind::Account {
            accounts[tree.name_id(node).index()] = Some(node);
        }
    }
    let mut losses = losses.list(tree);
    if !records_follow_rows(tree, tree.records()) && !sums_in_any_order(tree, tree.records()) {
        losses.push(Loss::RecordOrder);
    }
    losses
}
