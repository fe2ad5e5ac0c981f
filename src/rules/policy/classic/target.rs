//! A node's part of all shares: the product of its parts of the levels, from itself up to the root.

use crate::rules::policy::slurm::Associations;

/// How many multiplications are made in the exact order before speed takes precedence.
///
/// Slurm multiplies from the node upwards, so no product can be reused from the account above. Unless the parts are 1,
/// a chain of a million accounts would take half a million million multiplications.
const MOST_MULTIPLICATIONS: usize = 1 << 26;

/// Returns, by position, the product of the parts of the levels: 1 for the root, and the fair-share parent's product
/// for nodes with shares `parent`.
pub(in crate::rules::policy) fn targets(associations: &Associations, levels: &[u32]) -> Vec<f64> {
    let mut targets = Vec::with_capacity(levels.len());
    targets.push(1.0);
    let mut ancestors = AncestorPortions::default();
    let mut multiplications = 0;
    for (position, &level) in levels.iter().enumerate().skip(1) {
        let parent = associations.fair_share_parent[position] as usize;
        if associations.is_parent(position) {
            targets.push(targets[parent]);
            continue;
        }
        let portion = associations.portion(position);
        ancestors.leave(level);
        multiplications += ancestors.above.len();
        targets.push(if multiplications <= MOST_MULTIPLICATIONS {
            ancestors.product(portion)
        } else {
            portion * targets[parent]
        });
        ancestors.enter(level, portion);
    }
    targets
}

/// The parts of the accounts above a node, the topmost first. Parts of 1 are left out, because they do not change a
/// product.
#[derive(Default)]
struct AncestorPortions {
    /// Each part with its level.
    above: Vec<(u32, f64)>,
}

impl AncestorPortions {
    /// Drops the parts that are not above a level.
    fn leave(&mut self, level: u32) {
        while self.above.last().is_some_and(|&(last, _)| last >= level) {
            self.above.pop();
        }
    }

    fn enter(&mut self, level: u32, portion: f64) {
        if portion.to_bits() != 1.0_f64.to_bits() {
            self.above.push((level, portion));
        }
    }

    fn product(&self, portion: f64) -> f64 {
        let mut product = portion;
        for &(_, portion) in self.above.iter().rev() {
            if product == 0.0 {
                break;
            }
            product *= portion;
        }
        product
    }
}
