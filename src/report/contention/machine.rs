//! The machine as JSON.

use super::Runs;
use crate::model::path_of;
use crate::report::json::{List, object};
use serde::Serialize;

/// Returns the machine; `None` if there was no run.
pub(super) fn facts(runs: &Runs<'_>) -> Option<impl Serialize> {
    let run = runs.runs.first()?;
    let machine = &run.machine;
    let demands = machine.demands.iter().map(|&(node, cores)| {
        object! {
            path: path_of(runs.view.tree, node),
            cores: cores,
        }
    });
    Some(object! {
        cores: machine.cores,
        cycle: run.timing.cycle,
        job_cores: machine.job_cores,
        job_time: machine.job_time,
        job_spread: machine.spread,
        seed: machine.seed,
        watched: run.watched,
        window: run.timing.window,
        counted_every: run.timing.counted,
        demand: machine.demand,
        demands: List(demands),
    })
}
