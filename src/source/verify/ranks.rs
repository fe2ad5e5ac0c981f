//! Fair Tree's ranks: the walk on the recorded Level FS, and where the missing digits leave it undecided.

use super::interval::Interval;
use super::tally::Judgement;
use crate::model::{Figure, TieOrder, Tree};
use crate::rules::policy::fair_tree::{NO_VALUE, ranks_by_level_fs};
use crate::rules::policy::slurm::Associations;

/// The possible ranks under Fair Tree.
pub(super) struct Ranks {
    user_count: u32,
    /// By position: the walk on the recorded numbers.
    by_figures: Vec<u32>,
    /// By position: the same walk, with the missing digits taken from shares and usage if these have them.
    by_bounds: Vec<u32>,
    /// By position: the walk on the numbers computed from usage.
    by_usage: Vec<u32>,
    /// By position: the least and the most that a rank can be if values of Level FS cannot be distinguished; `None`
    /// where they can.
    open: Vec<Option<(u32, u32)>>,
}

impl Ranks {
    /// Computes the ranks. `points` is the recorded Level FS, `bounds` its possible values, and `by_usage` the ranks
    /// computed from usage.
    pub(super) fn of(
        tree: &Tree,
        order: TieOrder,
        associations: &Associations,
        points: Vec<f64>,
        bounds: &[Interval],
        by_usage: Vec<u32>,
    ) -> Self {
        let user_count = u32::try_from(tree.user_count()).unwrap_or(u32::MAX);
        // Two nodes that were both printed as 0.000000 need not tie.
        let within = points.iter().zip(bounds);
        let within = within.map(|(point, bounds)| point.max(bounds.low).min(bounds.high));
        let within = within.collect();
        Self {
            user_count,
            by_bounds: ranks_by_level_fs(tree, order, associations, within),
            by_figures: ranks_by_level_fs(tree, order, associations, points),
            by_usage,
            open: Clusters::of(associations, bounds, order).open_ranks(associations, user_count),
        }
    }

    /// Judges the recorded FairShare of a user: whether Fair Tree can have given it.
    pub(super) fn judge(&self, position: usize, figure: Figure) -> Judgement {
        let recorded = Interval::of(figure);
        let count = f64::from(self.user_count);
        let is = |rank: u32| recorded.meets(Interval::exactly(f64::from(rank) / count));
        let walks = [&self.by_figures, &self.by_bounds, &self.by_usage];
        if walks.iter().any(|ranks| is(ranks[position])) {
            return Judgement::Equal;
        }
        let nearest = (figure.value * count).round();
        match self.open[position] {
            Some((least, most))
                if (f64::from(least)..=f64::from(most)).contains(&nearest)
                    && recorded.meets(Interval::exactly(nearest / count)) =>
            {
                Judgement::Undecided
            }
            _ => Judgement::Differs,
        }
    }
}

/// Returns, by position, whether a user's rank is undecided if Level FS is known only within bounds; `false` for
/// accounts.
pub(super) fn open(
    tree: &Tree,
    order: TieOrder,
    associations: &Associations,
    bounds: &[Interval],
) -> Vec<bool> {
    let user_count = u32::try_from(tree.user_count()).unwrap_or(u32::MAX);
    let ranks = Clusters::of(associations, bounds, order).open_ranks(associations, user_count);
    ranks.iter().map(Option::is_some).collect()
}

/// Siblings each of which cannot be distinguished from the next, or ties with it.
#[derive(Clone, Copy)]
struct Cluster {
    /// How many users of the family are visited before all of them.
    before: u32,
    /// How many users are in their subtrees, themselves included.
    users: u32,
    /// Whether there are several.
    ties: bool,
    /// Whether their order, or whether they tie, is undecided.
    is_open: bool,
    /// Whether one of the accounts has no users: the next sibling may then inherit a rank from further up.
    has_empty_account: bool,
}

/// The families of a tree, each split into clusters.
struct Clusters {
    all: Vec<Cluster>,
    /// By position: the node's cluster.
    of: Vec<u32>,
    /// By position: how many users are in the node's subtree, itself included.
    users: Vec<u32>,
}

impl Clusters {
    fn of(associations: &Associations, bounds: &[Interval], order: TieOrder) -> Self {
        let parents = &associations.fair_share_parent;
        let count = associations.len();
        let mut users: Vec<u32> = associations
            .is_user
            .iter()
            .copied()
            .map(u32::from)
            .collect();
        for position in (1..count).rev() {
            users[parents[position] as usize] += users[position];
        }
        let bounds = |position: u32| {
            let position = position as usize;
            match (
                associations.is_parent(position),
                associations.is_user[position],
            ) {
                (true, true) => Interval::exactly(f64::INFINITY),
                (true, false) => Interval::exactly(NO_VALUE),
                _ => bounds[position],
            }
        };
        let last = u32::try_from(count).unwrap_or(u32::MAX);
        let mut members: Vec<u32> = (1..last).collect();
        // Family by family, the most deserving first.
        members.sort_unstable_by(|&a, &b| {
            parents[a as usize]
                .cmp(&parents[b as usize])
                .then_with(|| bounds(b).high.total_cmp(&bounds(a).high))
        });
        let mut clusters = Vec::new();
        let mut of = vec![0_u32; count];
        // By position: whether an order is undecided somewhere below.
        let mut is_open_below = vec![false; count];
        for family in members.chunk_by(|&a, &b| parents[a as usize] == parents[b as usize]) {
            let mut before = 0;
            let mut first = 0;
            while first < family.len() {
                let mut least = bounds(family[first]).low;
                let mut end = first + 1;
                while end < family.len() && bounds(family[end]).high >= least {
                    least = least.min(bounds(family[end]).low);
                    end += 1;
                }
                let cluster = &family[first..end];
                let point = bounds(cluster[0]);
                let ties = cluster.len() > 1;
                let is_one_number = |&position: &u32| point.is_point() && bounds(position) == point;
                let is_empty_account = |&position: &u32| {
                    !associations.is_user[position as usize] && users[position as usize] == 0
                };
                // They were printed by name, so it is unknown which of them Slurm visits first.
                let is_account = |&&position: &&u32| !associations.is_user[position as usize];
                let is_order_open =
                    order == TieOrder::Name && cluster.iter().filter(is_account).count() > 1;
                let own = Cluster {
                    before,
                    users: cluster.iter().map(|&at| users[at as usize]).sum(),
                    ties,
                    is_open: is_order_open || (ties && !cluster.iter().all(is_one_number)),
                    has_empty_account: cluster.iter().any(is_empty_account),
                };
                let id = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
                for &position in cluster {
                    of[position as usize] = id;
                }
                is_open_below[parents[cluster[0] as usize] as usize] |= own.is_open;
                before += own.users;
                clusters.push(own);
                first = end;
            }
        }
        for position in (1..count).rev() {
            let is_open = is_open_below[position];
            is_open_below[parents[position] as usize] |= is_open;
            // A node that ties with an account may inherit the last rank below it.
            let cluster = &mut clusters[of[position] as usize];
            cluster.is_open |= cluster.ties && is_open;
        }
        Self {
            all: clusters,
            of,
            users,
        }
    }

    /// Returns, by position, the least and the most that a user's rank can be; `None` for accounts and where the order
    /// is certain.
    fn open_ranks(&self, associations: &Associations, user_count: u32) -> Vec<Option<(u32, u32)>> {
        /// The bounds along the path from the root to a node.
        #[derive(Clone, Copy)]
        struct PathBounds {
            /// The least and the most users that can be visited before.
            least: u32,
            most: u32,
            /// The best rank that a tie on the path can hand down.
            inherited: Option<u32>,
            is_open: bool,
        }
        let start = PathBounds {
            least: 0,
            most: 0,
            inherited: None,
            is_open: false,
        };
        let mut all_bounds = vec![start; associations.len()];
        let mut open = vec![None; associations.len()];
        for position in 1..all_bounds.len() {
            let above = all_bounds[associations.fair_share_parent[position] as usize];
            let cluster = self.all[self.of[position] as usize];
            let least = above.least + cluster.before;
            let best = if cluster.has_empty_account {
                user_count
            } else {
                user_count - least
            };
            let bounds = PathBounds {
                least,
                most: above.most + cluster.before + cluster.users - self.users[position],
                inherited: above.inherited.or_else(|| cluster.ties.then_some(best)),
                is_open: above.is_open || cluster.is_open,
            };
            if bounds.is_open && associations.is_user[position] {
                let most = bounds.inherited.unwrap_or(user_count - bounds.least);
                open[position] = Some((user_count - bounds.most, most));
            }
            all_bounds[position] = bounds;
        }
        open
    }
}
