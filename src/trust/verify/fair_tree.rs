//! Fair Tree's Level FS and ranks: the walk on the recorded Level FS, and where the missing digits leave it undecided.

use super::given_tree::{GivenTree, PossibleParts};
use super::interval::Interval;
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
    parts: &PossibleParts,
) -> Option<LevelFsBounds<'a>> {
    let mut bounds = possible_level_fs(given_tree, parts);
    given_tree.compare(tally, Fact::LevelFs, evaluation, |position| {
        let is_transparent = given_tree.is_parent(position) && !given_tree.is_user(position);
        (!is_transparent).then_some(bounds[position])
    });
    given_tree.figures(Fact::FairShare)?;
    let mut points = Vec::with_capacity(bounds.len());
    for (bounds, &node) in bounds.iter_mut().zip(given_tree.tree.nodes()) {
        if let Some(figure) = given_tree.snapshot.recorded.figure(Fact::LevelFs, node) {
            *bounds = Interval::of(figure).narrowed(*bounds);
            points.push(figure.value);
        } else {
            let computed = evaluation.number(ColumnId::LevelFs, node);
            points.push(computed.unwrap_or(0.0));
        }
    }
    Some(LevelFsBounds {
        given_tree,
        points,
        bounds,
    })
}

/// Returns, by position, the Level FS that shares and usage give.
fn possible_level_fs(given_tree: &GivenTree, parts: &PossibleParts) -> Vec<Interval> {
    let mut level_fs = Vec::with_capacity(parts.shares.len());
    for (position, &share) in parts.shares.iter().enumerate() {
        level_fs.push(if given_tree.is_parent(position) {
            Interval::exactly(f64::INFINITY)
        } else if share.high == 0.0 {
            Interval::ZERO
        } else {
            share.over(parts.effective[position])
        });
    }
    level_fs
}

/// What is known of Level FS, by position.
pub(super) struct LevelFsBounds<'a> {
    given_tree: &'a GivenTree<'a>,
    /// The recorded number, or else the computed one.
    points: Vec<f64>,
    /// What the number with all its digits can be.
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
        let computed = evaluation.view(ColumnId::LevelFs);
        self.has_ties(|position| computed.value(position).as_f64().unwrap_or(0.0))
            || self.has_ties(|position| self.points[position])
            || self.has_ties(|position| self.narrowed(position))
    }

    /// Returns whether sibling accounts tie by these numbers.
    fn has_ties(&self, level_fs: impl Fn(usize) -> f64) -> bool {
        let given_tree = self.given_tree;
        let mut accounts = Vec::new();
        for position in 1..self.points.len() {
            if !given_tree.is_user(position) && !given_tree.is_parent(position) {
                let parent = given_tree.parent(position);
                accounts.push((parent, level_fs(position).to_bits()));
            }
        }
        accounts.sort_unstable();
        accounts.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Compares the ranks that follow when accounts that tie are visited in this order, as in the evaluation.
    pub(super) fn check_ranks(&self, tally: &mut Tally, order: TieOrder, evaluation: &Evaluation) {
        let snapshot = self.given_tree.snapshot;
        let check = RankCheck {
            level_fs: self,
            evaluation,
            order,
            count: f64::from(user_count(&snapshot.tree)),
            possible: OnceCell::new(),
        };
        tally.compare(snapshot, evaluation, Fact::FairShare, |position, figure| {
            check.judge(position, figure)
        });
    }

    /// Returns the ranks that recorded numbers give, whose last digits are missing.
    fn possible_ranks(&self, order: TieOrder) -> PossibleRanks {
        let tree = self.given_tree.tree;
        let associations = &self.given_tree.associations;
        let threads = cores::for_nodes(self.points.len());
        let points = self.points.clone();
        let mut narrowed = points.clone();
        for (position, point) in narrowed.iter_mut().enumerate() {
            *point = self.narrowed(position);
        }
        let ranks = |level_fs| ranks_by_level_fs(tree, order, associations, level_fs);
        let open = || open_ranks(self.given_tree, order, &self.bounds);
        let (by_points, (by_narrowed, open)) =
            cores::both(threads, || ranks(points), || (ranks(narrowed), open()));
        PossibleRanks {
            by_points,
            by_narrowed,
            open,
        }
    }
}

/// The ranks that recorded Level FS gives, by position.
struct PossibleRanks {
    /// By the numbers as they are.
    by_points: Vec<u32>,
    /// By the numbers with the missing digits taken from shares and usage, if these have them.
    by_narrowed: Vec<u32>,
    /// What a user's rank can be; `None` where that is certain.
    open: Vec<Option<RankRange>>,
}

/// The ranks that a user can have.
#[derive(Clone, Copy)]
pub(super) struct RankRange {
    pub(super) least: u32,
    pub(super) most: u32,
}

/// Compares recorded ranks with those of an order of ties.
struct RankCheck<'a> {
    level_fs: &'a LevelFsBounds<'a>,
    /// The policy's numbers under this order of ties.
    evaluation: &'a Evaluation,
    order: TieOrder,
    /// The number of users.
    count: f64,
    /// Most users have the rank that follows from usage, so the others are computed when the first user has not.
    possible: OnceCell<PossibleRanks>,
}

impl RankCheck<'_> {
    /// Judges a recorded factor; `None` if there is nothing to compare.
    fn judge(&self, position: usize, figure: Figure) -> Option<Judgement> {
        if !self.level_fs.given_tree.is_user(position) {
            // Fair Tree ranks only users. JSON has 0 for accounts.
            return (figure.value > 0.0).then_some(Judgement::Differs);
        }
        let factor = Interval::of(figure);
        if self.is_factor_of(factor, self.rank_by_usage(position).into()) {
            return Some(Judgement::Equal);
        }
        let level_fs = self.level_fs;
        let possible = self
            .possible
            .get_or_init(|| level_fs.possible_ranks(self.order));
        if self.is_factor_of(factor, possible.by_points[position].into())
            || self.is_factor_of(factor, possible.by_narrowed[position].into())
        {
            return Some(Judgement::Equal);
        }
        let nearest = (figure.value * self.count).round();
        if let Some(open) = possible.open[position]
            && f64::from(open.least) <= nearest
            && nearest <= f64::from(open.most)
            && self.is_factor_of(factor, nearest)
        {
            return Some(Judgement::Undecided);
        }
        Some(Judgement::Differs)
    }

    /// Returns the rank that follows from usage; 0 without one.
    fn rank_by_usage(&self, position: usize) -> u32 {
        let node = self.level_fs.given_tree.tree.nodes()[position];
        match self.evaluation.value(ColumnId::SchedulerRank, node) {
            Value::Count(rank) => u32::try_from(rank).unwrap_or(0),
            _ => 0,
        }
    }

    /// Returns whether a rank gives this factor.
    fn is_factor_of(&self, factor: Interval, rank: f64) -> bool {
        factor.contains(rank / self.count)
    }
}

/// Returns the number of users, as Slurm holds it.
fn user_count(tree: &Tree) -> u32 {
    u32::try_from(tree.user_count()).unwrap_or(u32::MAX)
}

/// Siblings each of which cannot be distinguished from the next, or ties with it.
#[derive(Clone, Copy)]
struct Cluster {
    /// How many users of the family are visited before all of them.
    before: u32,
    /// How many users they and their subtrees have.
    users: u32,
    /// Whether there are several.
    ties: bool,
    /// Whether their order, or which of them tie, is undecided.
    is_open: bool,
    /// Whether one of the accounts has no users: the next sibling may then inherit a rank from further up.
    has_empty_account: bool,
}

/// The families of a tree, each split into clusters.
struct Clusters<'a> {
    associations: &'a Associations<'a>,
    order: TieOrder,
    /// By position: the bounds of Level FS, as the walk has it.
    bounds: Vec<Interval>,
    /// By position: how many users are in the node's subtree, itself included.
    users: Vec<u32>,
    all: Vec<Cluster>,
    /// By position: the place in `all` of the node's cluster.
    places: Vec<u32>,
}

impl<'a> Clusters<'a> {
    /// Splits all families.
    fn new(associations: &'a Associations<'a>, order: TieOrder, bounds: &[Interval]) -> Self {
        let mut clusters = Self {
            associations,
            order,
            bounds: walked_bounds(associations, bounds),
            users: users_below(associations),
            all: Vec::new(),
            places: vec![0; bounds.len()],
        };
        let families = associations.families();
        for account in 0..bounds.len() {
            clusters.add_family(families.members(account).to_vec());
        }
        clusters
    }

    /// Splits a family into clusters, the most deserving first.
    fn add_family(&mut self, mut family: Vec<u32>) {
        let bounds = &self.bounds;
        family.sort_unstable_by(|&a, &b| {
            let high = bounds[b as usize].high;
            high.total_cmp(&bounds[a as usize].high)
        });
        let mut before = 0;
        let mut rest = family.as_slice();
        while !rest.is_empty() {
            let (members, others) = rest.split_at(self.first_cluster(rest));
            let cluster = self.cluster(members, before);
            let place = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
            for &member in members {
                self.places[member as usize] = place;
            }
            before += cluster.users;
            self.all.push(cluster);
            rest = others;
        }
    }

    /// Returns how many members of a sorted family the first cluster has.
    fn first_cluster(&self, family: &[u32]) -> usize {
        let mut least = f64::INFINITY;
        for (place, &member) in family.iter().enumerate() {
            let bounds = self.bounds[member as usize];
            if place > 0 && bounds.high < least {
                return place;
            }
            least = least.min(bounds.low);
        }
        family.len()
    }

    /// Returns the cluster of these members. So many users of the family are visited before them.
    fn cluster(&self, members: &[u32], before: u32) -> Cluster {
        let first = self.bounds[members[0] as usize];
        let mut are_one_number = first.low.to_bits() == first.high.to_bits();
        let mut users = 0;
        let mut accounts = 0;
        let mut has_empty_account = false;
        for &member in members {
            let member = member as usize;
            users += self.users[member];
            are_one_number &= self.bounds[member] == first;
            if !self.associations.is_user[member] {
                accounts += 1;
                has_empty_account |= self.users[member] == 0;
            }
        }
        let ties = members.len() > 1;
        // Accounts were printed by name, so it is unknown which of them Slurm visits first.
        let is_unordered = self.order == TieOrder::Name && accounts > 1;
        Cluster {
            before,
            users,
            ties,
            is_open: is_unordered || (ties && !are_one_number),
            has_empty_account,
        }
    }

    /// Returns, by cluster, whether the order of its members, or whether they tie, is undecided.
    fn are_open(&self) -> Vec<bool> {
        let parents = &self.associations.fair_share_parent;
        let mut are_open: Vec<bool> = self.all.iter().map(|own| own.is_open).collect();
        // By position: whether an order is undecided somewhere below.
        let mut is_open_below = vec![false; parents.len()];
        for position in 1..parents.len() {
            is_open_below[parents[position] as usize] |= are_open[self.places[position] as usize];
        }
        for position in (1..parents.len()).rev() {
            let is_open = is_open_below[position];
            is_open_below[parents[position] as usize] |= is_open;
            // A node that ties with an account may inherit the last rank below it.
            let place = self.places[position] as usize;
            are_open[place] |= self.all[place].ties && is_open;
        }
        are_open
    }
}

/// Returns bounds of Level FS with the numbers that the walk has for `parent` nodes.
fn walked_bounds(associations: &Associations, bounds: &[Interval]) -> Vec<Interval> {
    let mut walked = bounds.to_vec();
    for (position, bounds) in walked.iter_mut().enumerate() {
        if associations.is_parent(position) {
            let is_user = associations.is_user[position];
            *bounds = Interval::exactly(if is_user { f64::INFINITY } else { NO_VALUE });
        }
    }
    walked
}

/// Returns, by position, how many users are in a node's subtree, itself included.
fn users_below(associations: &Associations) -> Vec<u32> {
    let mut users = Vec::with_capacity(associations.len());
    for &is_user in associations.is_user.iter() {
        users.push(u32::from(is_user));
    }
    for position in (1..users.len()).rev() {
        let parent = associations.parent(position);
        users[parent] += users[position];
    }
    users
}

/// The bounds along the path from the root to a node.
#[derive(Clone, Copy, Default)]
struct PathBounds {
    /// The fewest users that can be visited before.
    least: u32,
    /// The most users that can be visited before.
    most: u32,
    /// The best rank that a tie on the path can hand down.
    inherited: Option<u32>,
    /// Whether an order is undecided on the path.
    is_open: bool,
}

/// Returns, by position, what a user's rank can be if Level FS is known only within bounds; `None` for accounts and
/// where the order is certain.
pub(super) fn open_ranks(
    given_tree: &GivenTree,
    order: TieOrder,
    bounds: &[Interval],
) -> Vec<Option<RankRange>> {
    let user_count = user_count(given_tree.tree);
    let clusters = Clusters::new(&given_tree.associations, order, bounds);
    let are_open = clusters.are_open();
    let mut paths = vec![PathBounds::default(); bounds.len()];
    let mut open = vec![None; bounds.len()];
    for position in 1..bounds.len() {
        let place = clusters.places[position] as usize;
        let cluster = clusters.all[place];
        let mut path = paths[given_tree.parent(position)];
        path.least += cluster.before;
        path.most += cluster.before + cluster.users - clusters.users[position];
        path.is_open |= are_open[place];
        if cluster.ties && path.inherited.is_none() {
            let before = if cluster.has_empty_account {
                0
            } else {
                path.least
            };
            path.inherited = Some(user_count - before);
        }
        if path.is_open && given_tree.is_user(position) {
            open[position] = Some(RankRange {
                least: user_count - path.most,
                most: path.inherited.unwrap_or(user_count - path.least),
            });
        }
        paths[position] = path;
    }
    open
}
