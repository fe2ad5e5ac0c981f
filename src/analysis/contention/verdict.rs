//! Whether it came to the shares, when, how much it swings, and what was to be expected.

use super::{Contention, Promise, half_life, is_promised, promise};
use crate::model::{Kind, NodeId, Settings, Tree};

/// A half-life of fewer jobs than this is short: ranks follow what runs now, and hardly what ran before.
const SHORT: f64 = 4.0;

/// What is to be said of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How near a portion must come to its target, as a part of the target.
    pub tolerance: f64,
    /// Whether it came to the shares.
    pub convergence: Convergence,
    /// By how much the portions of the top level swing about their means, as a part of the machine.
    pub amplitude: f64,
    /// Jain's index of the first and of the last window. `None` where nothing ran in it.
    pub jain: [Option<f64>; 2],
    /// What the policy promises.
    pub promise: Promise,
    /// Whether the promise holds for this tree.
    pub is_promised: bool,
    /// What else there is to know, in the order in which it is told.
    pub caveats: Vec<Caveat>,
}

/// Whether users and accounts came to their targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// When the top level had come there, in seconds since the beginning. `None` if it did not.
    pub top_level: Option<u64>,
    /// When all users had come there, in seconds since the beginning. `None` if they did not.
    pub users: Option<u64>,
    /// Whether every user came within the tolerance, without the slack of two cycles.
    pub is_exact: bool,
    /// Who missed a target by most. `None` if nobody's portion can be told.
    pub furthest: Option<Deviation>,
}

impl Convergence {
    /// Whether everybody came to their target.
    #[must_use]
    pub const fn is_reached(&self) -> bool {
        self.top_level.is_some() && self.users.is_some()
    }
}

/// A portion beside its target, over the second half of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Whose portion.
    pub node: NodeId,
    /// The portion it got.
    pub portion: f64,
    /// The portion it should have got.
    pub target: f64,
}

/// What is to be known about a run beside its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Caveat {
    /// Somebody's target is less than can be measured out, and somebody missed theirs.
    Granularity {
        /// The least target that can be measured out; 1 and more if none can.
        least: f64,
        /// Whose target is the smallest.
        user: NodeId,
        /// That target.
        target: f64,
    },
    /// Somebody wants less than all cores, and the promise is made to those who want more than there is.
    LimitedDemand,
    /// Jobs hardly end while they are watched.
    LongJobs,
    /// Usage is forgotten before it counts.
    ShortHalfLife {
        /// The half-life, in seconds.
        half_life: f64,
        /// Who of the top level swings most. `None` if nobody there has a target.
        widest: Option<Swing>,
    },
}

/// Between which portions of the machine a node swings from window to window, over the second half of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// The node.
    pub node: NodeId,
    /// Its portion in the window in which it got least.
    pub least: f64,
    /// Its portion in the window in which it got most.
    pub most: f64,
    /// The portion it should get.
    pub target: f64,
}

impl Verdict {
    /// Judges a run of a tree, where a portion is on target within a part of the target.
    #[must_use]
    pub fn of(tree: &Tree, settings: &Settings, run: &Contention, tolerance: f64) -> Self {
        let top_level: Vec<NodeId> = tree.children(NodeId::ROOT).collect();
        let nodes = tree.nodes().iter().copied();
        let users: Vec<NodeId> = nodes
            .filter(|&node| tree.kind(node) == Kind::User)
            .collect();
        let of_top = run.fit(&top_level, tolerance);
        let of_users = run.fit(&users, tolerance);
        let furthest = match of_top.converged {
            Some(_) => of_users.furthest,
            None => of_top.furthest.or(of_users.furthest),
        };
        let is_exact = of_users.distance <= tolerance;
        let is_promised = is_promised(run.policy, tree);
        let mut caveats = Vec::new();
        if !is_exact && is_promised {
            caveats.extend(granularity(run, &users, tolerance));
        }
        if is_limited(run) && promise(run.policy) != Promise::Nothing {
            caveats.push(Caveat::LimitedDemand);
        }
        if run.machine.job_time > run.watched / 4 {
            caveats.push(Caveat::LongJobs);
        }
        caveats.extend(short_half_life(run, settings, &top_level));
        let last = run.windows().saturating_sub(1);
        Self {
            tolerance,
            convergence: Convergence {
                top_level: of_top.converged,
                users: of_users.converged,
                is_exact,
                furthest: furthest.and_then(|node| miss(run, node)),
            },
            amplitude: of_top.amplitude,
            jain: [0, last].map(|window| run.jain(tree, window)),
            promise: promise(run.policy),
            is_promised,
            caveats,
        }
    }
}

fn miss(run: &Contention, node: NodeId) -> Option<Deviation> {
    Some(Deviation {
        node,
        portion: run.portion_of(run.second_half(), node)?,
        target: run.target(node)?,
    })
}

/// The smallest target, where it is less than can be measured out.
fn granularity(run: &Contention, users: &[NodeId], tolerance: f64) -> Option<Caveat> {
    let least = run.at_once() / tolerance;
    let targets = users
        .iter()
        .filter_map(|&user| Some((user, run.target(user)?)));
    let (user, target) = targets
        .filter(|&(_, target)| target > 0.0 && target < least)
        .min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some(Caveat::Granularity {
        least,
        user,
        target,
    })
}

/// Whether somebody wants less than all cores.
fn is_limited(run: &Contention) -> bool {
    let machine = &run.machine;
    let wants_less = |demand: Option<u64>| demand.is_some_and(|cores| cores < machine.cores);
    let mut demands = machine.demands.iter();
    wants_less(machine.demand) || demands.any(|&(_, demand)| wants_less(demand))
}

/// The half-life, where usage is forgotten before it counts.
fn short_half_life(run: &Contention, settings: &Settings, top_level: &[NodeId]) -> Option<Caveat> {
    let half_life = half_life(settings)?;
    (half_life < SHORT * run.machine.job_time as f64).then(|| Caveat::ShortHalfLife {
        half_life,
        widest: widest(run, top_level),
    })
}

/// Who of the top level swings most.
fn widest(run: &Contention, top_level: &[NodeId]) -> Option<Swing> {
    let swings = top_level.iter().filter_map(|&node| {
        let target = run.target(node)?;
        let portions = run
            .second_half()
            .filter_map(|window| run.portion(window, node));
        let (least, most) = portions.fold((f64::INFINITY, 0.0_f64), |(least, most), portion| {
            (least.min(portion), most.max(portion))
        });
        (least <= most).then_some(Swing {
            node,
            least,
            most,
            target,
        })
    });
    swings.max_by(|one, other| (one.most - one.least).total_cmp(&(other.most - other.least)))
}
