//! Who competes with whom: the members of each account's list, which `parent` accounts pass on.

use super::super::slurm::Associations;

/// The members of every account's list, by position in the tree's order.
pub(super) struct Families {
    /// Where each node's list begins; one more than there are nodes.
    starts: Vec<u32>,
    /// The lists one after the other, each in tree order.
    members: Vec<u32>,
}

impl Families {
    pub(super) fn of(associations: &Associations) -> Self {
        let homes = &associations.fair_share_parent;
        let mut starts = vec![0_u32; homes.len() + 1];
        for &home in &homes[1..] {
            starts[home as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        let mut members = vec![0_u32; homes.len() - 1];
        for (position, &home) in (1_u32..).zip(&homes[1..]) {
            let place = &mut next[home as usize];
            members[*place as usize] = position;
            *place += 1;
        }
        Self { starts, members }
    }

    /// The list of an account; empty for users and for `parent` accounts.
    pub(super) fn members(&self, account: u32) -> &[u32] {
        let account = account as usize;
        &self.members[self.starts[account] as usize..self.starts[account + 1] as usize]
    }
}
