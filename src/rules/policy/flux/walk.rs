//! The order in which Flux visits banks and users.

use super::are_equal;
use crate::base::sort::rising;
use crate::model::Tree;
use crate::rules::policy::levels::visit_levels;

/// Returns the rank of every user by position, 1 for the first visited; 0 for accounts and blank nodes.
///
/// Flux walks depth first with a descending counter. Here the number of users below an account tells the counter after
/// it, so levels can be processed one after the other, without recursion.
pub(super) fn ranks(
    tree: &Tree,
    is_user: &[bool],
    weights: &[f64],
    is_blank: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let users_within = tree.order().count_within(is_user);
    let mut ranks = vec![0; is_user.len()];
    let mut siblings = Siblings::default();
    let is_counted = |at| !is_blank(at);
    visit_levels(tree, is_counted, |children, first_rank, next| {
        siblings.clear();
        for &child in children {
            siblings.push(child, weights[child as usize], is_user[child as usize]);
        }
        let mut rank = first_rank;
        for tied in siblings.visited() {
            if is_user[tied[0] as usize] {
                for &user in tied {
                    ranks[user as usize] = rank;
                }
            } else {
                next.push(tied, rank);
            }
            let users = tied.iter().map(|&at| users_within[at as usize]);
            rank += users.sum::<u32>();
        }
    });
    ranks
}

/// The children of accounts that tie.
#[derive(Default)]
pub(super) struct Siblings {
    /// Each with its weight as an integer in descending order of weight.
    users: Vec<(u64, u32)>,
    accounts: Vec<(u64, u32)>,
    order: Vec<u32>,
    /// The ends of the runs that tie, in that order.
    ends: Vec<usize>,
}

impl Siblings {
    fn clear(&mut self) {
        self.users.clear();
        self.accounts.clear();
    }

    pub(super) fn push(&mut self, position: u32, weight: f64, is_user: bool) {
        let members = if is_user {
            &mut self.users
        } else {
            &mut self.accounts
        };
        members.push((!rising(weight), position));
    }

    /// Returns the members in the order in which they are visited, in runs that tie.
    ///
    /// Flux's comparison of siblings is no ordering: "equal" has a tolerance, and a user comes before a bank of equal
    /// weight while two users are compared exactly. But among nodes of one kind it is an ordering. So each kind is
    /// sorted, and the two are merged by Flux's comparison. That gives the same as any sort would where the comparison
    /// is sound.
    pub(super) fn visited(&mut self) -> impl Iterator<Item = &[u32]> {
        for members in [&mut self.users, &mut self.accounts] {
            members.sort_unstable();
        }
        self.order.clear();
        self.ends.clear();
        let (mut users, mut accounts) = (&self.users[..], &self.accounts[..]);
        let mut last: Option<(u64, bool)> = None;
        loop {
            let is_user = match (users.first(), accounts.first()) {
                (Some((user, _)), Some((account, _))) => {
                    are_tied(*user, *account) || user < account
                }
                (user, _) => user.is_some(),
            };
            let members = if is_user { &mut users } else { &mut accounts };
            let Some((&(key, position), rest)) = members.split_first() else {
                break;
            };
            *members = rest;
            // Only neighbours of one kind tie, each with the next, so a chain may span more than the tolerance.
            let is_tied =
                last.is_some_and(|(before, was_user)| was_user == is_user && are_tied(before, key));
            if !is_tied && last.is_some() {
                self.ends.push(self.order.len());
            }
            self.order.push(position);
            last = Some((key, is_user));
        }
        self.ends.push(self.order.len());
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let runs = starts.zip(self.ends.iter().copied());
        runs.map(|(start, end)| &self.order[start..end])
            .filter(|run| !run.is_empty())
    }
}

fn are_tied(a: u64, b: u64) -> bool {
    are_equal(weight(a), weight(b))
}

fn weight(key: u64) -> f64 {
    let rising = !key;
    f64::from_bits(if rising >> 63 == 1 {
        rising ^ 1 << 63
    } else {
        !rising
    })
}
