//! The verdict on a simulation: whether deliveries converged to the shares, when, how much they swing, and what the
//! policy promises.

use super::Contention;
use crate::model::{Kind, NodeId, Settings, Tree};
use crate::rules::clock::half_life;
use crate::rules::policy::Policy;

/// A half-life shorter than this many jobs is short: ranks then depend on what runs now and hardly on the past.
const SHORT: f64 = 4.0;

/// The verdict on a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The largest relative distance from a target that counts as on target.
    pub(crate) tolerance: f64,
    /// When the top level converged, in seconds since the start. `None` if it did not.
    pub(crate) top_level: Option<u64>,
    /// When all users converged, in seconds since the start. `None` if they did not.
    pub(crate) users: Option<u64>,
    /// Whether every user is within the tolerance without the slack of two cycles.
    pub(crate) is_exact: bool,
    /// The largest deviation from a target. `None` if no node has a portion.
    pub(crate) furthest: Option<Deviation>,
    /// How far the portions of the top level swing about their means, as a portion of the machine.
    pub(crate) amplitude: f64,
    /// Jain's index of the first and of the last window. `None` if nothing ran in it.
    pub(crate) jain: [Option<f64>; 2],
    /// What the policy promises.
    pub(crate) promise: Promise,
    pub(crate) is_promised: bool,
    pub(crate) caveats: Vec<Caveat>,
}

/// A node's portion and its target, over the second half of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Deviation {
    pub(crate) node: NodeId,
    pub(crate) portion: f64,
    pub(crate) target: f64,
}

impl Deviation {
    /// Returns the deviation of a node. `None` if nothing ran, or it has no target.
    fn of(run: &Contention, node: NodeId) -> Option<Self> {
        Some(Self {
            node,
            portion: run.portion_of(run.second_half(), node)?,
            target: run.target(node)?,
        })
    }
}

/// What limits a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Caveat {
    /// A target is smaller than the amounts in which cores are handed out, and a target was missed.
    Granularity {
        /// The smallest target that can be met; 1 and more if none can.
        least: f64,
        user: NodeId,
        target: f64,
    },
    /// Some user wants less than all cores; the policy's promise assumes that everybody wants more than there is.
    LimitedDemand,
    /// Jobs are so long that few of them end during the simulation.
    LongJobs,
    /// Usage decays before it affects ranks.
    ShortHalfLife {
        half_life: f64,
        /// The largest swing on the top level. `None` if no node there has a target.
        widest: Option<Swing>,
    },
}

/// The range of a node's portions of the machine from window to window, over the second half of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swing {
    pub(crate) node: NodeId,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) target: f64,
}

impl Swing {
    /// Returns the range of a node's portions. `None` without a target, or if nothing ran.
    fn of(run: &Contention, node: NodeId) -> Option<Self> {
        let mut swing = Self {
            node,
            least: f64::INFINITY,
            most: 0.0,
            target: run.target(node)?,
        };
        for window in run.second_half() {
            if let Some(portion) = run.portion(window, node) {
                swing.least = swing.least.min(portion);
                swing.most = swing.most.max(portion);
            }
        }
        (swing.least <= swing.most).then_some(swing)
    }

    /// Returns the distance from the smallest portion to the largest.
    fn width(&self) -> f64 {
        self.most - self.least
    }
}

impl Verdict {
    /// Judges the simulation of a tree. A portion is on target within `tolerance`, relative to the target.
    pub(crate) fn of(tree: &Tree, settings: &Settings, run: &Contention, tolerance: f64) -> Self {
        let top_level: Vec<NodeId> = tree.children(NodeId::ROOT).collect();
        let users: Vec<NodeId> = tree.users().collect();
        let of_top = run.fit(&top_level, tolerance);
        let of_users = run.fit(&users, tolerance);
        let mut furthest = of_users.furthest;
        if of_top.converged.is_none() && of_top.furthest.is_some() {
            furthest = of_top.furthest;
        }
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
            top_level: of_top.converged,
            users: of_users.converged,
            is_exact,
            furthest: furthest.and_then(|node| Deviation::of(run, node)),
            amplitude: of_top.amplitude,
            jain: [0, last].map(|window| run.jain(tree, window)),
            promise: promise(run.policy),
            is_promised,
            caveats,
        }
    }

    /// Returns whether all accounts of the top level and all users converged.
    pub(crate) const fn is_converged(&self) -> bool {
        self.top_level.is_some() && self.users.is_some()
    }
}

/// Returns the caveat about the smallest target, if it is smaller than the amounts in which cores are handed out.
fn granularity(run: &Contention, users: &[NodeId], tolerance: f64) -> Option<Caveat> {
    let least = run.at_once() / tolerance;
    let mut smallest: Option<(NodeId, f64)> = None;
    for &user in users {
        let Some(target) = run.target(user) else {
            continue;
        };
        let most = match smallest {
            Some((_, smallest)) => smallest,
            None => least,
        };
        if target > 0.0 && target < most {
            smallest = Some((user, target));
        }
    }
    let (user, target) = smallest?;
    Some(Caveat::Granularity {
        least,
        user,
        target,
    })
}

/// Returns whether some user wants less than all cores.
fn is_limited(run: &Contention) -> bool {
    let machine = &run.machine;
    let mut least = machine.demand.unwrap_or(machine.cores);
    for &(_, demand) in &machine.demands {
        least = least.min(demand.unwrap_or(machine.cores));
    }
    least < machine.cores
}

/// Returns the caveat about the half-life, if usage decays before it affects ranks.
fn short_half_life(run: &Contention, settings: &Settings, top_level: &[NodeId]) -> Option<Caveat> {
    let half_life = half_life(settings)?;
    if half_life >= SHORT * run.machine.job_time as f64 {
        return None;
    }
    Some(Caveat::ShortHalfLife {
        half_life,
        widest: widest(run, top_level),
    })
}

/// Returns the largest swing on the top level. `None` if no node there has a target.
fn widest(run: &Contention, top_level: &[NodeId]) -> Option<Swing> {
    let swings = top_level.iter().filter_map(|&node| Swing::of(run, node));
    swings.max_by(|one, other| one.width().total_cmp(&other.width()))
}

/// What a policy promises if cores are handed out by its rank for long and everybody wants more than there is: up to
/// [`Contention::at_once`](super::Contention::at_once), which a scheduler's clock makes coarser than the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The deliveries of users and accounts converge to their shares.
    Shares,
    /// They converge to their shares if all users are directly below the root.
    FlatTrees,
    /// They converge to something else.
    Nothing,
}

/// Returns the promise of a policy: usage settles where all users with demand rank equally.
pub const fn promise(policy: Policy) -> Promise {
    match policy {
        Policy::FairTree
        | Policy::FairTreeDocumented
        | Policy::DepthOblivious
        | Policy::Flux
        | Policy::PbsWalk => Promise::Shares,
        Policy::Pbs | Policy::Classic => Promise::FlatTrees,
        Policy::LevelBased | Policy::Tickets | Policy::Formula => Promise::Nothing,
    }
}

/// Returns whether a policy promises that usage converges to the shares in this tree.
pub(crate) fn is_promised(policy: Policy, tree: &Tree) -> bool {
    match promise(policy) {
        Promise::Shares => true,
        Promise::FlatTrees => {
            let mut nodes = tree.nodes().iter();
            nodes.all(|&node| tree.kind(node) == Kind::Account || tree.depth(node) == 1)
        }
        Promise::Nothing => false,
    }
}
