//! What each node should get: the cores of its account by shares, among those who want any.

use crate::model::{NodeId, Settings, Shares, Tree};

/// The cores that everybody should get, by node id; nothing for nodes that want none, and for those that have
/// Slurm's `parent` in place of shares.
///
/// At each level the cores are divided by shares. Who wants less than that gets what it wants, and the others divide
/// what it leaves. Who has no shares gets what nobody else wants.
pub(super) fn targets(
    tree: &Tree,
    settings: &Settings,
    cores: u64,
    wanted: &[u64],
) -> Vec<Option<f64>> {
    let wanted = wanted_below(tree, wanted);
    let mut targets = vec![None; tree.id_count()];
    targets[NodeId::ROOT.index()] = Some(cores.min(wanted[0]) as f64);
    let mut level = Vec::new();
    for (position, &account) in tree.nodes().iter().enumerate() {
        let Some(cores) = targets[account.index()] else {
            continue;
        };
        if wanted[position] == 0 {
            continue;
        }
        level.clear();
        for child in tree.children(account) {
            let at = tree.order().position(child);
            let wanted = at.map_or(0, |at| wanted[at]);
            if let (1.., Some(shares)) = (wanted, shares(tree, settings, child).count()) {
                level.push(Sibling {
                    node: child,
                    shares: shares.max(0) as f64,
                    wanted: wanted as f64,
                });
            }
        }
        divide(&mut level, cores, &mut targets);
    }
    targets
}

/// One who takes part in a level.
struct Sibling {
    node: NodeId,
    shares: f64,
    wanted: f64,
}

impl Sibling {
    /// How many cores a share may be worth before it has all it wants.
    fn satisfied_at(&self) -> f64 {
        self.wanted / self.shares
    }
}

/// The shares of a node: those of PBS's `unknown` are a setting.
fn shares(tree: &Tree, settings: &Settings, node: NodeId) -> Shares {
    if tree.unknown() == Some(node) {
        return Shares::new(i64::from(settings.pbs.unknown_shares));
    }
    tree.shares(node)
}

/// What is wanted by each node and all below it, by position. Sums end at the largest number there is.
fn wanted_below(tree: &Tree, wanted: &[u64]) -> Vec<u64> {
    let above = tree.order().above();
    let mut below: Vec<u64> = tree
        .nodes()
        .iter()
        .map(|node| wanted[node.index()])
        .collect();
    for position in (1..below.len()).rev() {
        let here = below[position];
        let above = &mut below[above[position] as usize];
        *above = above.saturating_add(here);
    }
    below
}

/// Divides the cores of a level: those who are content with least first.
fn divide(level: &mut [Sibling], cores: f64, targets: &mut [Option<f64>]) {
    let (sharing, rest): (Vec<&Sibling>, Vec<&Sibling>) =
        level.iter().partition(|sibling| sibling.shares > 0.0);
    let mut sharing = sharing;
    sharing.sort_by(|a, b| a.satisfied_at().total_cmp(&b.satisfied_at()));
    let mut left = cores;
    let mut shares: f64 = sharing.iter().map(|sibling| sibling.shares).sum();
    for sibling in sharing {
        let part = (left / shares * sibling.shares).min(sibling.wanted);
        targets[sibling.node.index()] = Some(part);
        left = (left - part).max(0.0);
        shares -= sibling.shares;
    }
    let wanted: f64 = rest.iter().map(|sibling| sibling.wanted).sum();
    for sibling in rest {
        targets[sibling.node.index()] = Some((left * sibling.wanted / wanted).min(sibling.wanted));
    }
}
