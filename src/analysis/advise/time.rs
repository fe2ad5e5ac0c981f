//! Time: how long until a node's usage is its share, by formula and on a simulated machine, and what half-lives would do.
//!
//! With every core in use and one half-life h, a portion U of the remembered usage goes to 1 as 1 - (1 - U) 2^(-t/h) for
//! whoever has the whole machine, and to 0 as U 2^(-t/h) for whoever has nothing. So a node with a share s and less usage
//! holds everything for h log2((1 - U) / (1 - s)), and one with more waits for h log2(U / s).

use crate::analysis::contention::{Machine, contend, half_life};
use crate::analysis::simulate::Simulation;
use crate::analysis::solve::share_in;
use crate::base::number::{DAY, days_and_clock};
use crate::model::{NodeId, Pace, Scheduler, Settings, Usage};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, Scenario};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How often a burst exceeds a share, in the table of half-lives.
pub(crate) const BURST: f64 = 10.0;

/// The half-lives of a table, in hours, beside its ends and the present one.
const HOURS: [u64; 16] = [
    1, 3, 6, 12, 24, 48, 72, 120, 168, 240, 336, 504, 720, 1440, 2160, 4320,
];

/// The parts into which the time of the formula is divided to be measured.
const PARTS: u64 = 50;

/// The shortest window, in seconds.
const SHORTEST: u64 = 60 * 60;

/// The longest time that is measured, in seconds.
const LONGEST: u64 = 365 * DAY as u64;

/// Returns the edit that gives usage another half-life, in seconds. `None` if usage does not decay.
pub(super) fn half_life_edit(settings: &Settings, seconds: f64) -> Option<Edit> {
    // Whole minutes, where there are some, are read more easily.
    let whole = |seconds: f64| match seconds as u64 {
        seconds @ 0..60 => seconds.max(1),
        seconds => seconds / 60 * 60,
    };
    let (key, value) = match settings.scheduler {
        Some(Scheduler::Pbs) => {
            let factor = f64::from(settings.pbs.fairshare_decay_factor);
            let is_decay = factor > 0.0 && factor < 1.0;
            let time = is_decay.then(|| seconds * factor.ln() / 0.5_f64.ln())?;
            ("fairshare_decay_time", whole(time).to_string())
        }
        Some(Scheduler::Flux) => ("priority_decay_half_life", whole(seconds).to_string()),
        Some(Scheduler::Slurm) | None => {
            let clock = days_and_clock(whole(seconds));
            ("PriorityDecayHalfLife", clock.as_str().to_owned())
        }
    };
    let key = key.to_owned();
    Some(Edit::SetSetting { key, value })
}

/// Returns how many half-lives pass until a node's portion of the remembered usage is its share, and whether the node has
/// the whole machine until then. `None` if it has no share, or all of it.
pub(super) fn half_lives(scenario: &Scenario, node: NodeId) -> Option<(f64, bool)> {
    let share = share_in(scenario, node)?;
    let usage = |node| scenario.evaluation().number(ColumnId::Usage, node);
    let all = usage(NodeId::ROOT).filter(|&all| all > 0.0);
    let used = all.map_or(0.0, |all| usage(node).unwrap_or(0.0) / all);
    let is_possible = share > 0.0 && share < 1.0;
    let is_monopoly = used < share;
    let ratio = if is_monopoly {
        (1.0 - used) / (1.0 - share)
    } else {
        used / share
    };
    is_possible.then(|| (ratio.log2(), is_monopoly))
}

/// Returns the seconds until a node's portion of the remembered usage is its share. `None` if that never happens.
pub(super) fn until_back(scenario: &Scenario, node: NodeId) -> Option<f64> {
    let (half_lives, _) = half_lives(scenario, node)?;
    Some(half_lives * half_life(scenario.settings())?)
}

/// The time until a node is back at its share, by formula and as a simulated machine gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackTime {
    pub(crate) node: NodeId,
    /// Seconds by formula.
    pub formula: f64,
    /// Seconds on the machine, to the end of the window in which it happens. `None` if it does not in twice that time.
    pub measured: Option<u64>,
    /// The length of a window in seconds.
    pub window: u64,
    /// Whether the node holds the whole machine until then, or else waits.
    pub(crate) is_monopoly: bool,
}

/// Measures the time until a node is back at its share, on a machine whose cores are in use all the time and whose memory
/// the tree's usage fills, with jobs of a cycle. The node is back in the first window in which what it gets is nearer to
/// its share than to everything, once it got that, or than to nothing. `None` if the formula has no time, or the machine
/// cannot be simulated.
pub fn measure(
    scenario: &Scenario,
    node: NodeId,
    cores: u64,
    progress: OnSeconds<'_>,
) -> Option<BackTime> {
    let (half_lives, is_monopoly) = half_lives(scenario, node)?;
    let formula = half_lives * half_life(scenario.settings())?;
    let (filled, cycle) = filled(scenario, node, cores)?;
    let window = SHORTEST.max(formula as u64 / PARTS);
    let window = window.next_multiple_of(cycle);
    let machine = Machine {
        cores,
        until: (2 * formula as u64 + 20 * window).min(LONGEST),
        job_time: cycle,
        window: Some(window),
        ..Machine::default()
    };
    let run = contend(&filled, &machine, progress).ok()?;
    let share = run.target(node).unwrap_or(0.0);
    let turn = f64::midpoint(f64::from(is_monopoly), share);
    let mut windows = 0..run.windows();
    let is_above = |window: &usize| run.portion(*window, node).is_some_and(|it| it > turn);
    let first = windows.find(is_above);
    let back = if is_monopoly {
        first.and_then(|_| windows.find(|window| !is_above(window)))
    } else {
        first
    };
    Some(BackTime {
        node,
        formula,
        measured: back.map(|window| run.end_of(window)),
        window,
        is_monopoly,
    })
}

/// Returns a scenario with as much usage as a machine remembers that is always full, and the seconds of a cycle.
/// Usage is in proportion to that of the tree; without any, all but the node have used their shares.
fn filled(scenario: &Scenario, node: NodeId, cores: u64) -> Option<(Scenario, u64)> {
    let simulation = Simulation::of(scenario);
    let full = cores as f64 / simulation.clock.lost_per_second();
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let usage = |node| evaluation.number(ColumnId::Usage, node).unwrap_or(0.0);
    let all = usage(NodeId::ROOT);
    let usage = |user: NodeId| match tree.order().is_within(user, node) {
        _ if all > 0.0 => usage(user) / all * full,
        true => 0.0,
        false => share_in(scenario, user).unwrap_or(0.0) * full,
    };
    let edits = tree.users().map(|user| Edit::SetUsage {
        node: user,
        usage: Usage::new(usage(user).round()),
    });
    let mut filled = scenario.clone();
    filled.apply(Edit::Batch(edits.collect())).ok()?;
    // A job of less than a cycle of the machine would leave its core idle for the rest of it.
    let period = simulation.clock.cycle();
    let cycle = Machine::default().cycle_on(scenario, period).ok()?;
    Some((filled, period.max(cycle)))
}

/// What a half-life does to a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfLife {
    /// The half-life in seconds.
    pub seconds: u64,
    pub(crate) is_present: bool,
    /// The seconds until somebody that was served ten times its share is back at its share.
    pub burst: f64,
    /// The seconds for which the owner of the largest share, if it used nothing before, holds the whole machine.
    pub monopoly: f64,
    /// The rank of the first user after a day with the whole machine. `None` if no user has a rank.
    pub fallen: Option<u32>,
}

/// What half-lives do to a site, from the shortest to the longest.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfLives {
    /// The node with the largest share of the whole tree that is not all of it, and the share.
    pub(crate) owner: (NodeId, f64),
    /// The user of the first rank. `None` if no user has a rank.
    pub(crate) first: Option<NodeId>,
    /// The half-lives.
    pub rows: Vec<HalfLife>,
}

/// Returns what half-lives between two do, in seconds, and the present one. `None` if usage does not decay, nobody shares
/// anything, or `progress` stops it.
pub fn half_lives_between(
    scenario: &Scenario,
    [from, until]: [u64; 2],
    progress: OnSeconds<'_>,
) -> Option<HalfLives> {
    let tree = scenario.tree();
    let present = half_life(scenario.settings())?;
    half_life_edit(scenario.settings(), present)?;
    let share = |&node: &NodeId| Some((node, share_in(scenario, node)?));
    let shares = tree.nodes().iter().skip(1).filter_map(share);
    let parts = shares.filter(|it| it.1 < 1.0);
    let owner = parts.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let mut users = tree.users();
    let first = users.find(|&user| scenario.evaluation().rank(user) == Some(1));
    let clock = Simulation::of(scenario).clock;
    let all = scenario.evaluation().number(ColumnId::Usage, NodeId::ROOT);
    let machine = (all.unwrap_or(0.0) * clock.lost_per_second()).max(1.0);
    let present = present.round() as u64;
    let usual = HOURS.map(|hours| hours * 60 * 60).into_iter();
    let usual = usual.filter(|usual| (from..=until).contains(usual));
    let seconds: BTreeSet<u64> = usual.chain([from, until, present]).collect();
    let mut pace = Pace::default();
    if let Some(first) = first {
        pace.set_rate(first, machine);
    }
    let pace = Arc::new(pace);
    let row = |seconds: u64| {
        let mut other = scenario.clone();
        if seconds != present {
            let edit = half_life_edit(scenario.settings(), seconds as f64)?;
            other.apply(edit).ok()?;
        }
        let mut simulation = Simulation::of(&other).at_pace(Arc::clone(&pace));
        let passed = simulation.advance(u64::from(DAY), progress);
        passed.is_continue().then(|| HalfLife {
            seconds,
            is_present: seconds == present,
            burst: seconds as f64 * BURST.log2(),
            monopoly: -(seconds as f64) * (1.0 - owner.1).log2(),
            fallen: first.and_then(|first| simulation.look().1.rank(first)),
        })
    };
    let rows = seconds.into_iter().map(row);
    Some(HalfLives {
        owner,
        first,
        rows: rows.collect::<Option<_>>()?,
    })
}
