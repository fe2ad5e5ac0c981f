//! Writing CSV.

use crate::format::loss::{Fault, Loss, Losses};
use crate::format::text::{number, records_follow_rows, sums_in_any_order};
use crate::model::{Kind, NodeId, Shares, Tree};

/// Writes a tree in tree order, so that [`super::parse`] reads it back. A conversion reports what cannot be written.
pub fn write(tree: &Tree) -> Vec<u8> {
    write_rows(tree).expect("writing to memory does not fail")
}

fn write_rows(tree: &Tree) -> csv::Result<Vec<u8>> {
    let has = |is_set: &dyn Fn(NodeId) -> bool| tree.nodes().iter().any(|&node| is_set(node));
    let has_partition = has(&|node| tree.partition(node).is_some());
    let has_active = has(&|node| tree.active(node).is_some());
    let mut out = csv::Writer::from_writer(Vec::with_capacity(tree.node_count() * 32));
    for heading in ["parent", "name", "shares", "usage", "type"] {
        out.write_field(heading)?;
    }
    if has_partition {
        out.write_field("partition")?;
    }
    if has_active {
        out.write_field("active")?;
    }
    out.write_record(None::<&[u8]>)?;
    for &node in tree.nodes() {
        let name = tree.name(node);
        if name.is_empty() && node != NodeId::ROOT {
            continue;
        }
        let parent = tree.parent(node).filter(|&parent| parent != NodeId::ROOT);
        out.write_field(parent.map_or(&b""[..], |parent| tree.name(parent)))?;
        out.write_field(if name.is_empty() { b"root" } else { name })?;
        out.write_field(shares(tree, node))?;
        out.write_field(usage(tree, node).map(number).unwrap_or_default())?;
        let kind = tree.kind(node).name();
        out.write_field(if node == NodeId::ROOT { "root" } else { kind })?;
        if has_partition {
            out.write_field(tree.partition(node).unwrap_or_default())?;
        }
        if has_active {
            out.write_field(match tree.active(node) {
                None => "",
                Some(true) => "1",
                Some(false) => "0",
            })?;
        }
        out.write_record(None::<&[u8]>)?;
    }
    out.into_inner().map_err(|error| error.into_error().into())
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
    let amount = tree.usage(node).amount();
    amount.filter(|amount| is_given && amount.is_finite() && *amount >= 0.0)
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
