//! The target of each node: the cores that its shares entitle it to, among the nodes with demand.

use crate::model::{NodeId, Settings, Shares, Tree};

/// Returns the cores that each node should get, by node id. `None` without demand and with Slurm's `parent` shares.
///
/// At each level the cores are divided by shares. A node that wants fewer cores gets those, and the rest is divided
/// among its siblings. A node without shares gets what the others do not want.
pub(super) fn targets(
    tree: &Tree,
    settings: &Settings,
    cores: u64,
    demand: &[u64],
) -> Vec<Option<f64>> {
    let demand_within = demand_within(tree, demand);
    let mut targets = vec![None; tree.id_count()];
    targets[NodeId::ROOT.index()] = Some(cores.min(demand_within[0]) as f64);
    let mut level = Vec::new();
    for (position, &account) in tree.nodes().iter().enumerate() {
        let Some(cores) = targets[account.index()] else {
            continue;
        };
        if demand_within[position] == 0 {
            continue;
        }
        level.clear();
        for child in tree.children(account) {
            let at = tree.order().position(child);
            let demand = at.map_or(0, |at| demand_within[at]);
            if let (1.., Some(shares)) = (demand, shares(tree, settings, child).count()) {
                level.push(Sibling {
                    node: child,
                    shares: shares.max(0) as f64,
                    demand: demand as f64,
                });
            }
        }
        divide(&mut level, cores, &mut targets);
    }
    targets
}

/// A node with demand among its siblings.
struct Sibling {
    node: NodeId,
    shares: f64,
    /// The most cores wanted by the node and all nodes below it.
    demand: f64,
}

/// Returns the shares of a node. Those of PBS's `unknown` are a setting.
fn shares(tree: &Tree, settings: &Settings, node: NodeId) -> Shares {
    if tree.unknown() == Some(node) {
        return Shares::new(i64::from(settings.pbs.unknown_shares));
    }
    tree.shares(node)
}

/// Returns the cores wanted by each node and all nodes below it, by position, at most [`u64::MAX`].
fn demand_within(tree: &Tree, demand: &[u64]) -> Vec<u64> {
    let above = tree.order().above();
    let nodes = tree.nodes().iter();
    let mut below: Vec<u64> = nodes.map(|node| demand[node.index()]).collect();
    for position in (1..below.len()).rev() {
        let here = below[position];
        let above = &mut below[above[position] as usize];
        *above = above.saturating_add(here);
    }
    below
}

/// Divides the cores of a level. Nodes whose demand is met with the fewest cores per share come first.
fn divide(level: &mut [Sibling], cores: f64, targets: &mut [Option<f64>]) {
    let (mut sharing, rest): (Vec<&Sibling>, Vec<&Sibling>) =
        level.iter().partition(|sibling| sibling.shares > 0.0);
    let satisfied_at = |sibling: &Sibling| sibling.demand / sibling.shares;
    sharing.sort_by(|a, b| satisfied_at(a).total_cmp(&satisfied_at(b)));
    let mut left = cores;
    let mut shares: f64 = sharing.iter().map(|sibling| sibling.shares).sum();
    for sibling in sharing {
        let part = (left / shares * sibling.shares).min(sibling.demand);
        targets[sibling.node.index()] = Some(part);
        left = (left - part).max(0.0);
        shares -= sibling.shares;
    }
    let demand: f64 = rest.iter().map(|sibling| sibling.demand).sum();
    for sibling in rest {
        targets[sibling.node.index()] = Some((left * sibling.demand / demand).min(sibling.demand));
    }
}
