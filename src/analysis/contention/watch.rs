//! The simulation of a machine, cycle after cycle.

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

/// What each user ran since usage was last counted.
struct UsageMeter {
    /// How often usage is counted, in seconds.
    every: u64,
    /// Core-seconds by user, in the order of [`MachineState::users`].
    uncounted: Vec<u64>,
}

impl UsageMeter {
    /// Returns the usage of the period that ends, as rates, and begins the next period.
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

/// Advances a clock that is between two of its own cycles to the next one.
fn finish_cycle(simulation: &mut Simulation, progress: OnSeconds<'_>) {
    let cycle = simulation.clock().cycle();
    let late = simulation.clock().passed() % cycle;
    if late > 0 {
        simulation.clock_mut().set_pace(Arc::default());
        // If the caller stops here, the first cycle of the simulation stops too.
        let _ = simulation.advance(cycle - late, progress);
    }
}

/// Simulates users who compete for the cores of a machine under the scenario's policy.
///
/// The scenario itself does not change. Its assumptions about future usage are ignored: only the simulated jobs use
/// anything. `progress` is given the seconds simulated so far.
///
/// # Errors
/// Returns an error if the machine's numbers are out of range, if no user wants a core, or if `progress` stops it.
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
    let demand = machine.demand_by_node(tree, |user| first.rank(user).is_some());
    let mut state = MachineState::of(machine, tree, &demand).ok_or(MachineError::NoDemand)?;
    let targets = targets(tree, scenario.settings(), machine.cores, &demand);
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
        uncounted: vec![0; state.users.len()],
    };
    // Ranks change only when usage is counted.
    let mut ranks = simulation.evaluate().ranks().to_vec();
    let mut is_counted = false;
    let mut now = 0;
    while now < machine.until {
        if state.can_start() {
            if is_counted {
                ranks.clear();
                ranks.extend_from_slice(simulation.evaluate().ranks());
                is_counted = false;
            }
            state.start(now, &ranks);
        }
        state.run(now, cycle);
        for ((user, &ran), uncounted) in
            state.users.iter().zip(&state.ran).zip(&mut meter.uncounted)
        {
            if ran > 0 {
                *uncounted += ran;
                outcome.deliver(now / window, user.node, ran);
            }
        }
        if (now + cycle).is_multiple_of(counted) {
            let pace = meter.pace(&state.users);
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
    outcome.end(tree, now, state.started);
    Ok(outcome)
}
