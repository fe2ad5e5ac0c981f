//! Fair Tree's ranks: the walk on the recorded Level FS, and where the missing digits leave it undecided.

use super::interval::Interval;
use super::judgement::Judgement;
use super::slurm::given_tree::GivenTree;
use crate::model::{Figure, TieOrder, Tree};
use crate::rules::policy::fair_tree::{NO_VALUE, ranks_by_level_fs};
use crate::rules::policy::slurm::Associations;
use std::cell::OnceCell;

/// The possible ranks under Fair Tree. Most users have the rank that follows from usage, so the others are computed
/// when the first user has not.
pub(super) struct Ranks<'a> {
    given_tree: &'a GivenTree<'a>,
    order: TieOrder,
    user_count: u32,
    /// By position: the recorded Level FS, or else the computed one.
    points: Vec<f64>,
    /// By position: its possible values.
    bounds: Vec<Interval>,
    /// By position: the walk on the numbers computed from usage.
    by_usage: Vec<u32>,
    /// By position: the walk on the recorded numbers.
    by_figures: OnceCell<Vec<u32>>,
    /// By position: the same walk, with the missing digits taken from shares and usage if these have them.
    by_bounds: OnceCell<Vec<u32>>,
    /// By position: the least and the most that a rank can be if values of Level FS cannot be distinguished; `None`
    /// where they can.
    open: OnceCell<Vec<Option<(u32, u32)>>>,
}

impl<'a> Ranks<'a> {
    /// Returns the ranks under an order of ties for recorded values of Level FS and their bounds. `by_usage` are those
    /// computed from usage.
    pub(super) fn of(
        given_tree: &'a GivenTree<'a>,
        order: TieOrder,
        (points, bounds): (Vec<f64>, Vec<Interval>),
        by_usage: Vec<u32>,
    ) -> Self {
        let user_count = given_tree.snapshot.tree.user_count();
        Self {
            given_tree,
            order,
            user_count: u32::try_from(user_count).unwrap_or(u32::MAX),
            points,
            bounds,
            by_usage,
            by_figures: OnceCell::new(),
            by_bounds: OnceCell::new(),
            open: OnceCell::new(),
        }
    }

    /// Judges the recorded FairShare of a user: whether Fair Tree can have given it.
    pub(super) fn judge(&self, position: usize, figure: Figure) -> Judgement {
        let recorded = Interval::of(figure);
        let count = f64::from(self.user_count);
        let is = |rank: u32| recorded.meets(Interval::exactly(f64::from(rank) / count));
        if is(self.by_usage[position])
            || is(self.by_figures()[position])
            || is(self.by_bounds()[position])
        {
            return Judgement::Equal;
        }
        let nearest = (figure.value * count).round();
        match self.open()[position] {
            Some((least, most))
                if (f64::from(least)..=f64::from(most)).contains(&nearest)
                    && recorded.meets(Interval::exactly(nearest / count)) =>
            {
                Judgement::Undecided
            }
            _ => Judgement::Differs,
        }
    }

    fn by_figures(&self) -> &[u32] {
        self.by_figures
            .get_or_init(|| self.walk(self.points.clone()))
    }

    fn by_bounds(&self) -> &[u32] {
        self.by_bounds.get_or_init(|| {
            // Two nodes that were both printed as 0.000000 need not tie.
            let within = self.points.iter().zip(&self.bounds);
            let within = within.map(|(point, bounds)| point.max(bounds.low).min(bounds.high));
            self.walk(within.collect())
        })
    }

    fn walk(&self, level_fs: Vec<f64>) -> Vec<u32> {
        let tree = &self.given_tree.snapshot.tree;
        ranks_by_level_fs(tree, self.order, &self.given_tree.associations, level_fs)
    }

    fn open(&self) -> &[Option<(u32, u32)>] {
        self.open.get_or_init(|| {
            let associations = &self.given_tree.associations;
            let clusters = Clusters::of(associations, &self.bounds);
            clusters.open_ranks(associations, self.user_count, self.order)
        })
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
    let ranks = Clusters::of(associations, bounds).open_ranks(associations, user_count, order);
    ranks.iter().map(Option::is_some).collect()
}

/// Siblings each of which cannot be distinguished from the next, or ties with it.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    /// How many users of the family are visited before all of them.
    before: u32,
    /// How many users are in their subtrees, themselves included.
    users: u32,
    /// Whether there are several.
    ties: bool,
    /// Whether the missing digits leave it undecided which of them tie.
    is_open: bool,
    /// How many of them are accounts.
    accounts: usize,
    /// Whether one of the accounts has no users: the next sibling may then inherit a rank from further up.
    has_empty_account: bool,
}

impl Cluster {
    /// Returns whether the order of its members, or whether they tie, is undecided.
    fn is_open_under(self, order: TieOrder) -> bool {
        // Accounts were printed by name, so it is unknown which of them Slurm visits first.
        self.is_open || (order == TieOrder::Name && self.accounts > 1)
    }
}

/// The families of a tree, each split into clusters.
#[derive(Debug)]
struct Clusters {
    all: Vec<Cluster>,
    /// By position: the node's cluster.
    of: Vec<u32>,
    /// By position: how many users are in the node's subtree, itself included.
    users: Vec<u32>,
}

impl Clusters {
    fn of(associations: &Associations, bounds: &[Interval]) -> Self {
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
        let (starts, mut members) = associations.families();
        let mut clusters = Vec::new();
        let mut of = vec![0_u32; count];
        for place in starts.windows(2) {
            let family = &mut members[place[0] as usize..place[1] as usize];
            // The most deserving first.
            family.sort_unstable_by(|&a, &b| bounds(b).high.total_cmp(&bounds(a).high));
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
                let is_account = |&&position: &&u32| !associations.is_user[position as usize];
                let own = Cluster {
                    before,
                    users: cluster.iter().map(|&at| users[at as usize]).sum(),
                    ties,
                    is_open: ties && !cluster.iter().all(is_one_number),
                    accounts: cluster.iter().filter(is_account).count(),
                    has_empty_account: cluster.iter().any(is_empty_account),
                };
                let id = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
                for &position in cluster {
                    of[position as usize] = id;
                }
                before += own.users;
                clusters.push(own);
                first = end;
            }
        }
        Self {
            all: clusters,
            of,
            users,
        }
    }

    /// Returns, by position, the least and the most that a user's rank can be; `None` for accounts and where the order
    /// is certain.
    fn open_ranks(
        &self,
        associations: &Associations,
        user_count: u32,
        order: TieOrder,
    ) -> Vec<Option<(u32, u32)>> {
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
        let is_open = self.are_open(associations, order);
        let mut all_bounds = vec![start; associations.len()];
        let mut open = vec![None; associations.len()];
        for position in 1..all_bounds.len() {
            let above = all_bounds[associations.fair_share_parent[position] as usize];
            let place = self.of[position] as usize;
            let cluster = self.all[place];
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
                is_open: above.is_open || is_open[place],
            };
            if bounds.is_open && associations.is_user[position] {
                let most = bounds.inherited.unwrap_or(user_count - bounds.least);
                open[position] = Some((user_count - bounds.most, most));
            }
            all_bounds[position] = bounds;
        }
        open
    }

    /// Returns, by cluster, whether the order of its members, or whether they tie, is undecided.
    fn are_open(&self, associations: &Associations, order: TieOrder) -> Vec<bool> {
        let parents = &associations.fair_share_parent;
        let clusters = self.all.iter();
        let mut are_open: Vec<bool> = clusters.map(|own| own.is_open_under(order)).collect();
        // By position: whether an order is undecided somewhere below.
        let mut is_open_below = vec![false; parents.len()];
        for position in 1..parents.len() {
            is_open_below[parents[position] as usize] |= are_open[self.of[position] as usize];
        }
        for position in (1..parents.len()).rev() {
            let is_open = is_open_below[position];
            is_open_below[parents[position] as usize] |= is_open;
            // A node that ties with an account may inherit the last rank below it.
            let place = self.of[position] as usize;
            are_open[place] |= self.all[place].ties && is_open;
        }
        are_open
    }
}
