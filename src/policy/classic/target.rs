//! A node's part of all shares: the product of its parts of the levels, from itself up to the root.

use crate::policy::slurm::Associations;

/// How many multiplications are made before exact order gives way to speed.
///
/// Slurm multiplies from the node upwards, so that no product can be taken over from the account above. Where
/// the parts are not 1 a chain of a million accounts would take half a billion times a thousand.
const MOST_MULTIPLICATIONS: u64 = 1 << 26;

/// By position: the product of the parts of the levels; 1 for the root, and for `parent` what the fair-share
/// parent has.
pub(in crate::policy) fn targets(associations: &Associations) -> Vec<f64> {
    let portions = Portions::of(associations);
    let is_quick = portions.multiplications() <= MOST_MULTIPLICATIONS;
    let mut targets = vec![1.0; portions.of_level.len()];
    for position in 1..targets.len() {
        let home = associations.fair_share_parent[position] as usize;
        targets[position] = if associations.is_parent[position] {
            targets[home]
        } else if is_quick {
            portions.product(associations, position)
        } else {
            portions.of_level[position] * targets[home]
        };
    }
    targets
}

/// The parts of the levels, and the way up past all that are 1: to multiply by 1 changes nothing.
struct Portions {
    /// By position: shares / shares of the level.
    of_level: Vec<f64>,
    /// By position: the nearest account above whose part is not 1; 0 if there is none.
    above: Vec<u32>,
    /// By position: how many such accounts there are.
    steps: Vec<u32>,
}

impl Portions {
    fn of(associations: &Associations) -> Self {
        let count = associations.shares.len();
        let mut portions = Self {
            of_level: vec![1.0; count],
            above: vec![0; count],
            steps: vec![0; count],
        };
        for position in 1..count {
            if !associations.is_parent[position] {
                portions.of_level[position] = associations.portion(position);
            }
            let home = associations.fair_share_parent[position];
            let is_one = portions.of_level[home as usize].to_bits() == 1.0_f64.to_bits();
            let above = if is_one {
                portions.above[home as usize]
            } else {
                home
            };
            portions.above[position] = above;
            if above > 0 {
                portions.steps[position] = portions.steps[above as usize] + 1;
            }
        }
        portions
    }

    fn multiplications(&self) -> u64 {
        self.steps.iter().map(|&steps| u64::from(steps)).sum()
    }

    fn product(&self, associations: &Associations, position: usize) -> f64 {
        let mut product = self.of_level[position];
        let mut here = self.above[position] as usize;
        while here > 0 && product != 0.0 {
            // A level without shares makes the product 0 even if wrapped shares made it infinite.
            if associations.level_shares[here] == 0 {
                return 0.0;
            }
            product *= self.of_level[here];
            here = self.above[here] as usize;
        }
        product
    }
}
