//! Fair Tree's Level FS and ranks: the walk on the recorded Level FS, and where the missing digits leave it undecided.

use super::given_tree::{GivenTree, Interval};
use super::tally::{Judgement, Tally};
use crate::base::cores;
use crate::base::number::Value;
use crate::model::{Fact, Figure, TieOrder, Tree};
use crate::rules::policy::fair_tree::{NO_VALUE, ranks_by_level_fs};
use crate::rules::policy::slurm::Associations;
use crate::rules::policy::{ColumnId, Evaluation};
use std::cell::OnceCell;

/// Compares Level FS, and returns what ranks are compared with; `None` if none were recorded.
pub(super) fn check<'a>(
    given_tree: &'a GivenTree<'_>,
    tally: &mut Tally,
    evaluation: &Evaluation,
    shares: &[Interval],
    effective: &[Interval],
) -> Option<LevelFsBounds<'a>> {
    let level_fs = |position: usize| {
        if given_tree.is_parent(position) {
            Interval::exactly(f64::INFINITY)
        } else if shares[position].high == 0.0 {
            Interval::ZERO
        } else {
            shares[position].over(effective[position])
        }
    };
    given_tree.compare(tally, Fact::LevelFs, evaluation, |position| {
        let is_transparent = given_tree.is_parent(position) && !given_tree.is_user(position);
        (!is_transparent).then(|| level_fs(position))
    });
    given_tree.figures(Fact::FairShare)?;
    let figures = given_tree.figures(Fact::LevelFs);
    let nodes = given_tree.snapshot.tree.nodes().iter().enumerate();
    let found = nodes.map(|(position, &node)| {
        let computed = level_fs(position);
        if let Some(figure) = figures.and_then(|figures| figures.get(node)) {
            return (figure.value, Interval::of(figure).narrowed(Some(computed)));
        }
        let point = evaluation.number(ColumnId::LevelFs, node);
        (point.unwrap_or(0.0), computed)
    });
    let (points, bounds) = found.unzip();
    Some(LevelFsBounds {
        given_tree,
        points,
        bounds,
    })
}

/// What is known of Level FS, by position.
pub(super) struct LevelFsBounds<'a> {
    given_tree: &'a GivenTree<'a>,
    /// The recorded number, or else the computed one.
    points: Vec<f64>,
    bounds: Vec<Interval>,
}

impl LevelFsBounds<'_> {
    /// Returns the recorded number with the missing digits taken from shares and usage if these have them.
    fn narrowed(&self, position: usize) -> f64 {
        self.bounds[position].nearest(self.points[position])
    }

    /// Returns whether sibling accounts tie by the evaluation or by recorded numbers. Otherwise every order of ties gives
    /// the same ranks.
    pub(super) fn has_tied_accounts(&self, evaluation: &Evaluation) -> bool {
        let given_tree = self.given_tree;
        let nodes = given_tree.snapshot.tree.nodes();
        let is_account = |at: &usize| !given_tree.is_user(*at) && !given_tree.is_parent(*at);
        let accounts: Vec<usize> = (1..nodes.len()).filter(is_account).collect();
        let tie = |level_fs: &dyn Fn(usize) -> f64| {
            let accounts = accounts.iter();
            let keys = accounts.map(|&at| (given_tree.parent(at), level_fs(at).to_bits()));
            let mut keys: Vec<(usize, u64)> = keys.collect();
            keys.sort_unstable();
            keys.windows(2).any(|pair| pair[0] == pair[1])
        };
        let by_usage = |at: usize| evaluation.number(ColumnId::LevelFs, nodes[at]);
        tie(&|at| by_usage(at).unwrap_or(0.0))
            || tie(&|at| self.points[at])
            || tie(&|at| self.narrowed(at))
    }

    /// Compares the ranks that follow when accounts that tie are visited in this order, as in the evaluation.
    pub(super) fn check_ranks(&self, tally: &mut Tally, order: TieOrder, evaluation: &Evaluation) {
        let snapshot = self.given_tree.snapshot;
        let count = f64::from(user_count(&snapshot.tree));
        let by_usage = |position: usize| {
            let node = snapshot.tree.nodes()[position];
            match evaluation.value(ColumnId::SchedulerRank, node) {
                Value::Count(rank) => u32::try_from(rank).unwrap_or(0),
                _ => 0,
            }
        };
        // Most users have the rank that follows from usage, so the others are computed when the first user has not.
        let within = OnceCell::new();
        let judge = |position: usize, figure: Figure| {
            if !self.given_tree.is_user(position) {
                // Fair Tree ranks only users. JSON has 0 for accounts.
                return (figure.value > 0.0).then_some(Judgement::Differs);
            }
            let recorded = Interval::of(figure);
            let is = |rank: f64| recorded.meets(Interval::exactly(rank / count));
            if is(by_usage(position).into()) {
                return Some(Judgement::Equal);
            }
            let (ranks, open) = within.get_or_init(|| self.ranks_within_digits(order));
            if ranks.iter().any(|ranks| is(ranks[position].into())) {
                return Some(Judgement::Equal);
            }
            let nearest = (figure.value * count).round();
            Some(match open[position] {
                Some((least, most))
                    if (f64::from(least)..=f64::from(most)).contains(&nearest) && is(nearest) =>
                {
                    Judgement::Undecided
                }
                _ => Judgement::Differs,
            })
        };
        tally.compare(snapshot, evaluation, Fact::FairShare, judge);
    }

    /// Returns the ranks that recorded numbers give, whose last digits are missing: as they are, and with those digits
    /// taken from shares and usage if these have them; and [`open_ranks`].
    fn ranks_within_digits(&self, order: TieOrder) -> ([Vec<u32>; 2], OpenRanks) {
        let given_tree = self.given_tree;
        let (tree, associations) = (&given_tree.snapshot.tree, &given_tree.associations);
        let walk = |level_fs| ranks_by_level_fs(tree, order, associations, level_fs);
        let count = self.points.len();
        let narrowed = (0..count).map(|position| self.narrowed(position));
        let walks = || [self.points.clone(), narrowed.collect()].map(walk);
        let open = || open_ranks(given_tree, order, &self.bounds);
        cores::both(cores::for_nodes(count), walks, open)
    }
}

/// By position: the least and the most that a user's rank can be; `None` where it is certain.
type OpenRanks = Vec<Option<(u32, u32)>>;

fn user_count(tree: &Tree) -> u32 {
    u32::try_from(tree.user_count()).unwrap_or(u32::MAX)
}

/// Siblings each of which cannot be distinguished from the next, or ties with it.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    /// How many users of the family are visited before all of them.
    before: u32,
    users: u32,
    ties: bool,
    /// Whether their order, or which of them tie, is undecided.
    is_open: bool,
    /// Whether one of the accounts has no users: the next sibling may then inherit a rank from further up.
    has_empty_account: bool,
}

/// The families of a tree, each split into clusters.
#[derive(Debug)]
struct Clusters {
    all: Vec<Cluster>,
    of: Vec<u32>,
    /// By position: how many users are in the node's subtree, itself included.
    users: Vec<u32>,
}

impl Clusters {
    fn of(associations: &Associations, order: TieOrder, bounds: &[Interval]) -> Self {
        let parents = &associations.fair_share_parent;
        let count = associations.len();
        let is_user = &associations.is_user;
        let mut users: Vec<u32> = is_user.iter().copied().map(u32::from).collect();
        for position in (1..count).rev() {
            users[parents[position] as usize] += users[position];
        }
        let bounds = |position: u32| {
            let position = position as usize;
            match (associations.is_parent(position), is_user[position]) {
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
                let is_one = point.low.to_bits() == point.high.to_bits();
                let is_one_number = |&position: &u32| is_one && bounds(position) == point;
                let is_empty_account =
                    |&position: &u32| !is_user[position as usize] && users[position as usize] == 0;
                let is_account = |&&position: &&u32| !is_user[position as usize];
                // Accounts were printed by name, so it is unknown which of them Slurm visits first.
                let is_unordered =
                    order == TieOrder::Name && cluster.iter().filter(is_account).count() > 1;
                let own = Cluster {
                    before,
                    users: cluster.iter().map(|&at| users[at as usize]).sum(),
                    ties,
                    is_open: is_unordered || (ties && !cluster.iter().all(is_one_number)),
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

    /// Returns, by cluster, whether the order of its members, or whether they tie, is undecided.
    fn are_open(&self, parents: &[u32]) -> Vec<bool> {
        let mut are_open: Vec<bool> = self.all.iter().map(|own| own.is_open).collect();
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

/// Returns, by position, the least and the most that a user's rank can be if Level FS is known only within bounds; `None`
/// for accounts and where the order is certain.
pub(super) fn open_ranks(
    given_tree: &GivenTree,
    order: TieOrder,
    bounds: &[Interval],
) -> OpenRanks {
    /// The bounds along the path from the root to a node.
    #[derive(Clone, Copy, Default)]
    struct PathBounds {
        /// The least and the most users that can be visited before.
        least: u32,
        most: u32,
        /// The best rank that a tie on the path can hand down.
        inherited: Option<u32>,
        is_open: bool,
    }
    let user_count = user_count(&given_tree.snapshot.tree);
    let clusters = Clusters::of(&given_tree.associations, order, bounds);
    let is_open = clusters.are_open(&given_tree.associations.fair_share_parent);
    let mut all_bounds = vec![PathBounds::default(); bounds.len()];
    let mut open = vec![None; bounds.len()];
    for position in 1..bounds.len() {
        let above = all_bounds[given_tree.parent(position)];
        let place = clusters.of[position] as usize;
        let cluster = clusters.all[place];
        let least = above.least + cluster.before;
        let best = user_count - if cluster.has_empty_account { 0 } else { least };
        let own = PathBounds {
            least,
            most: above.most + cluster.before + cluster.users - clusters.users[position],
            inherited: above.inherited.or_else(|| cluster.ties.then_some(best)),
            is_open: above.is_open || is_open[place],
        };
        if own.is_open && given_tree.is_user(position) {
            let most = own.inherited.unwrap_or(user_count - own.least);
            open[position] = Some((user_count - own.most, most));
        }
        all_bounds[position] = own;
    }
    open
}
