//! Time: how long until a node's usage is its share, by formula and on a simulated machine, and what half-lives would do.
//!
//! With every core in use and one half-life h, a portion U of the remembered usage goes to 1 as 1 - (1 - U) 2^(-t/h) for
//! whoever has the whole machine, and to 0 as U 2^(-t/h) for whoever has nothing. So a node with a share s and less usage
//! holds everything for h log2((1 - U) / (1 - s)), and one with more waits for h log2(U / s).

use crate::analysis::contention::{Contention, Machine, contend};
use crate::analysis::simulate::Simulation;
use crate::analysis::solve::share_in;
use crate::base::number::{DAY, days_and_clock};
use crate::model::{NodeId, Pace, Scheduler, Settings, Usage};
use crate::rules::clock::{OnSeconds, half_life};
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, Scenario};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
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
    let (key, value) = match settings.scheduler {
        Some(Scheduler::Pbs) => {
            let factor = f64::from(settings.pbs.fairshare_decay_factor);
            if factor <= 0.0 || factor >= 1.0 {
                return None;
            }
            let time = whole(seconds * factor.ln() / 0.5_f64.ln());
            ("fairshare_decay_time", time.to_string())
        }
        Some(Scheduler::Flux) => ("priority_decay_half_life", whole(seconds).to_string()),
        Some(Scheduler::Slurm) | None => {
            let clock = days_and_clock(whole(seconds));
            ("PriorityDecayHalfLife", clock.as_str().to_owned())
        }
    };
    Some(Edit::SetSetting {
        key: key.to_owned(),
        value,
    })
}

/// Returns whole minutes, in seconds, which are read more easily; of less than a minute whole seconds, at least 1.
fn whole(seconds: f64) -> u64 {
    match seconds as u64 {
        seconds @ 0..60 => seconds.max(1),
        seconds => seconds / 60 * 60,
    }
}

/// The time until a node's portion of the remembered usage is its share.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    pub(super) half_lives: f64,
    /// Whether the node has the whole machine until then, or else nothing.
    is_monopoly: bool,
}

/// Returns how long it takes until a node's portion of the remembered usage is its share. `None` if it has no share, or all
/// of it.
pub(super) fn wait(scenario: &Scenario, node: NodeId) -> Option<Wait> {
    let share = share_in(scenario, node)?;
    if share <= 0.0 || share >= 1.0 {
        return None;
    }
    let evaluation = scenario.evaluation();
    let all = evaluation.number(ColumnId::Usage, NodeId::ROOT);
    let mut used = 0.0;
    if let Some(all) = all
        && all > 0.0
    {
        used = evaluation.number(ColumnId::Usage, node).unwrap_or(0.0) / all;
    }
    let is_monopoly = used < share;
    let ratio = if is_monopoly {
        (1.0 - used) / (1.0 - share)
    } else {
        used / share
    };
    Some(Wait {
        half_lives: ratio.log2(),
        is_monopoly,
    })
}

/// Returns the seconds until a node's portion of the remembered usage is its share. `None` if that never happens.
pub(super) fn until_back(scenario: &Scenario, node: NodeId) -> Option<f64> {
    let wait = wait(scenario, node)?;
    Some(wait.half_lives * half_life(scenario.settings())?)
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
    let Wait {
        half_lives,
        is_monopoly,
    } = wait(scenario, node)?;
    let formula = half_lives * half_life(scenario.settings())?;
    let FullMachine { filled, cycle } = FullMachine::of(scenario, node, cores)?;
    let shortest = SHORTEST.max(formula as u64 / PARTS);
    let window = shortest.next_multiple_of(cycle);
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
    let mut back = first_above(&run, node, turn);
    if is_monopoly && let Some(first) = back {
        back = first_not_above(&run, node, turn, first);
    }
    Some(BackTime {
        node,
        formula,
        measured: back.map(|window| run.end_of(window)),
        window,
        is_monopoly,
    })
}

/// Returns the first window in which a node gets more than a portion. `None` if there is none.
fn first_above(run: &Contention, node: NodeId, turn: f64) -> Option<usize> {
    (0..run.windows()).find(|&window| run.portion(window, node) > Some(turn))
}

/// Returns the first window from one on in which a node gets no more than a portion. `None` if there is none.
fn first_not_above(run: &Contention, node: NodeId, turn: f64, from: usize) -> Option<usize> {
    (from..run.windows()).find(|&window| run.portion(window, node) <= Some(turn))
}

/// A machine that was always full.
struct FullMachine {
    /// The scenario with as much usage as the machine remembers.
    filled: Scenario,
    /// The seconds of a cycle.
    cycle: u64,
}

impl FullMachine {
    /// Fills a machine. Usage is in proportion to that of the tree; without any, all but the node have used their shares.
    /// `None` if the machine cannot be simulated.
    fn of(scenario: &Scenario, node: NodeId, cores: u64) -> Option<Self> {
        let simulation = Simulation::of(scenario);
        let full = cores as f64 / simulation.clock.lost_per_second();
        let tree = scenario.tree();
        let evaluation = scenario.evaluation();
        let used = evaluation.number(ColumnId::Usage, NodeId::ROOT);
        let all = used.unwrap_or(0.0);
        let mut edits = Vec::with_capacity(tree.user_count());
        for user in tree.users() {
            let portion = if all > 0.0 {
                evaluation.number(ColumnId::Usage, user).unwrap_or(0.0) / all
            } else if tree.order().is_within(user, node) {
                0.0
            } else {
                share_in(scenario, user).unwrap_or(0.0)
            };
            edits.push(Edit::SetUsage {
                node: user,
                usage: Usage::new((portion * full).round()),
            });
        }
        let mut filled = scenario.clone();
        filled.apply(Edit::Batch(edits)).ok()?;
        // A job of less than a cycle of the machine would leave its core idle for the rest of it.
        let period = simulation.clock.cycle();
        let cycle = Machine::default().cycle_on(scenario, period).ok()?;
        Some(Self {
            filled,
            cycle: period.max(cycle),
        })
    }
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

/// Returns what half-lives of a range do, in seconds, and its ends and the present one. `None` if usage does not decay,
/// nobody shares anything, or `progress` stops it.
pub fn half_lives_between(
    scenario: &Scenario,
    range: RangeInclusive<u64>,
    progress: OnSeconds<'_>,
) -> Option<HalfLives> {
    let present = half_life(scenario.settings())?;
    half_life_edit(scenario.settings(), present)?;
    let site = Site::of(scenario, present.round() as u64)?;
    let mut half_lives = BTreeSet::from([*range.start(), *range.end(), site.present]);
    for hours in HOURS {
        let seconds = hours * 60 * 60;
        if range.contains(&seconds) {
            half_lives.insert(seconds);
        }
    }
    let mut rows = Vec::with_capacity(half_lives.len());
    for seconds in half_lives {
        rows.push(site.under(seconds, progress)?);
    }
    Some(HalfLives {
        owner: site.owner,
        first: site.first,
        rows,
    })
}

/// A site to which half-lives do something.
struct Site<'a> {
    scenario: &'a Scenario,
    /// The present half-life in seconds.
    present: u64,
    /// The node with the largest share of the whole tree that is not all of it, and the share.
    owner: (NodeId, f64),
    /// The user of the first rank. `None` if no user has a rank.
    first: Option<NodeId>,
    /// The pace at which the first user has the whole machine.
    pace: Arc<Pace>,
}

impl<'a> Site<'a> {
    /// Returns `None` if nobody shares anything.
    fn of(scenario: &'a Scenario, present: u64) -> Option<Self> {
        let evaluation = scenario.evaluation();
        let mut users = scenario.tree().users();
        let first = users.find(|&user| evaluation.rank(user) == Some(1));
        let mut pace = Pace::default();
        if let Some(first) = first {
            let used = evaluation.number(ColumnId::Usage, NodeId::ROOT);
            let lost = Simulation::of(scenario).clock.lost_per_second();
            pace.set_rate(first, (used.unwrap_or(0.0) * lost).max(1.0));
        }
        Some(Self {
            scenario,
            present,
            owner: largest_part(scenario)?,
            first,
            pace: Arc::new(pace),
        })
    }

    /// Returns what a half-life does. `None` if it cannot be set, or `progress` stops the simulation.
    fn under(&self, seconds: u64, progress: OnSeconds<'_>) -> Option<HalfLife> {
        let mut other = self.scenario.clone();
        if seconds != self.present {
            let edit = half_life_edit(self.scenario.settings(), seconds as f64)?;
            other.apply(edit).ok()?;
        }
        let mut simulation = Simulation::of(&other).at_pace(Arc::clone(&self.pace));
        if simulation.advance(u64::from(DAY), progress).is_break() {
            return None;
        }
        let mut fallen = None;
        if let Some(first) = self.first {
            let (_, evaluation) = simulation.look();
            fallen = evaluation.rank(first);
        }
        let (_, share) = self.owner;
        Some(HalfLife {
            seconds,
            is_present: seconds == self.present,
            burst: seconds as f64 * BURST.log2(),
            monopoly: -(seconds as f64) * (1.0 - share).log2(),
            fallen,
        })
    }
}

/// Returns the node with the largest share of the whole tree that is not all of it, and the share. `None` if nobody shares
/// anything.
fn largest_part(scenario: &Scenario) -> Option<(NodeId, f64)> {
    let mut largest: Option<(NodeId, f64)> = None;
    for &node in &scenario.tree().nodes()[1..] {
        let Some(share) = share_in(scenario, node) else {
            continue;
        };
        match largest {
            Some((_, most)) if share < most => {}
            _ if share < 1.0 => largest = Some((node, share)),
            _ => {}
        }
    }
    largest
}
