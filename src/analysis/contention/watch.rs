//! A machine watched, cycle after cycle.

use super::error::MachineError;
use super::machine::Machine;
use super::outcome::{Contention, Timing};
use super::state::{Contender, MachineState};
use super::targets::targets;
use crate::analysis::simulate::Simulation;
use crate::model::Pace;
use crate::rules::clock::OnSeconds;
use crate::scenario::Scenario;
use std::sync::Arc;

/// What ran since usage was counted last.
struct UsageMeter {
    /// How often usage is counted, in seconds.
    every: u64,
    /// By user, in core-seconds.
    uncounted: Vec<u64>,
}

impl UsageMeter {
    /// What is to be charged for the stretch that is over, as rates; the next one begins.
    fn pace(&mut self, users: &[Contender]) -> Pace {
        let mut pace = Pace::default();
        for (user, uncounted) in users.iter().zip(&mut self.uncounted) {
            if *uncounted > 0 {
                pace.set_rate(user.node, *uncounted as f64 / self.every as f64);
                *uncounted = 0;
            }
        }
        pace
    }
}

/// Lets a clock that stands between two of its own cycles go on to the next one.
fn finish_cycle(simulation: &mut Simulation, progress: OnSeconds<'_>) {
    let cycle = simulation.clock().cycle();
    let late = simulation.clock().passed() % cycle;
    if late > 0 {
        simulation.clock_mut().set_pace(Arc::default());
        // What is called off here is called off in the first cycle, too.
        let _ = simulation.advance(cycle - late, progress);
    }
}

/// Lets users contend for a machine's cores under a scenario's policy. The scenario stays as it is, and what is
/// assumed of its time to come is left out: who runs uses something, and nobody else.
///
/// # Errors
/// If the machine is none, if nobody wants a core of it, or if `progress` called it off.
pub fn contend(
    scenario: &Scenario,
    machine: &Machine,
    progress: OnSeconds<'_>,
) -> Result<Contention, MachineError> {
    machine.check()?;
    let mut simulation = Simulation::of(scenario);
    if !simulation.clock().is_charging() {
        return Err(MachineError::Uncharged);
    }
    let cycle = machine.cycle_on(scenario, &simulation)?;
    let tree = scenario.tree();
    let window = machine.window_of(cycle, tree.id_count() as u64)?;
    let first = scenario.evaluation();
    let wanted = machine.wanted(tree, |user| first.rank(user).is_some());
    let mut floor = MachineState::of(machine, tree, &wanted).ok_or(MachineError::NoDemand)?;
    let targets = targets(tree, scenario.settings(), machine.cores, &wanted);
    let counted = simulation.clock().cycle().max(cycle);
    let timing = Timing {
        cycle,
        counted,
        window,
        lost_per_second: simulation.clock().lost_per_second(),
    };
    let mut outcome = Contention::new(scenario, machine, timing, targets);
    finish_cycle(&mut simulation, progress);
    let mut meter = UsageMeter {
        every: counted,
        uncounted: vec![0; floor.users.len()],
    };
    // The ranks since usage was counted last.
    let mut ranks = simulation.evaluate().ranks().to_vec();
    let mut is_counted = false;
    let mut now = 0;
    while now < machine.until {
        if floor.can_start() {
            if is_counted {
                ranks.clear();
                ranks.extend_from_slice(simulation.evaluate().ranks());
                is_counted = false;
            }
            floor.start(now, &ranks);
        }
        floor.run(now, cycle);
        for ((user, &ran), uncounted) in
            floor.users.iter().zip(&floor.ran).zip(&mut meter.uncounted)
        {
            if ran > 0 {
                *uncounted += ran;
                outcome.deliver(now / window, user.node, ran);
            }
        }
        if (now + cycle).is_multiple_of(counted) {
            let pace = meter.pace(&floor.users);
            simulation.clock_mut().set_pace(Arc::new(pace));
            is_counted = true;
        }
        if simulation
            .advance(cycle, &mut |passed| progress(now + passed))
            .is_break()
        {
            return Err(MachineError::Stopped);
        }
        now += cycle;
    }
    outcome.end(tree, now, floor.started);
    Ok(outcome)
}
