//! What is assumed: the machine, its jobs, who wants how much.

use super::Runs;
use crate::analysis::contention::half_life;
use crate::base::number::{counted, grouped};
use crate::model::{duration_for_people, path_of};
use crate::report::json::{List, object};
use serde::Serialize;

/// How many exceptions from the common demand are told to people.
const EXCEPTIONS: usize = 3;

/// A number of cores with its word.
fn cores(count: u64) -> String {
    counted(
        usize::try_from(count).unwrap_or(usize::MAX),
        "core",
        "cores",
    )
}

/// What somebody wants.
fn wanted(demand: Option<u64>) -> String {
    demand.map_or_else(
        || "all there are".to_owned(),
        |demand| format!("{} at most", cores(demand)),
    )
}

impl Runs<'_> {
    /// What is assumed, in sentences.
    #[must_use]
    pub fn machine(&self) -> Vec<String> {
        let Some(run) = self.runs.first() else {
            return Vec::new();
        };
        let machine = &run.machine;
        let spread = match machine.spread {
            0 => String::new(),
            spread => format!(" give or take {spread} % (seed {})", machine.seed),
        };
        let half_life = match half_life(self.view.settings) {
            Some(seconds) => format!("half-life {}", duration_for_people(whole(seconds))),
            None => "usage is never forgotten".to_owned(),
        };
        let counted = if run.rhythm.counted == run.rhythm.cycle {
            String::new()
        } else {
            let every = duration_for_people(run.rhythm.counted);
            format!("usage counted every {every}, ")
        };
        let mut sentences = vec![format!(
            "{} for {}, jobs of {} and {}{spread}; a cycle every {}, {counted}{half_life}.",
            cores(machine.cores),
            duration_for_people(run.watched),
            cores(machine.job_cores),
            duration_for_people(machine.job_time),
            duration_for_people(run.rhythm.cycle),
        )];
        let mut demands = vec![format!("Every user wants {}", wanted(machine.demand))];
        for &(node, cores) in machine.demands.iter().take(EXCEPTIONS) {
            demands.push(format!("{} {}", self.view.path(node), wanted(cores)));
        }
        let others = machine.demands.len().saturating_sub(EXCEPTIONS);
        if others > 0 {
            let others = grouped(others);
            demands.push(format!("{others} more have a demand of their own"));
        }
        sentences.push(format!(
            "{}; a core used for a second is one unit of usage. Shares are of the second half of the time.",
            demands.join(", ")
        ));
        sentences
    }
}

/// Seconds without their fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a half-life is above 0, and what is too long is cut to the largest number"
)]
pub(super) fn whole(seconds: f64) -> u64 {
    seconds as u64
}

/// The machine; nothing where there was no run.
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
        cycle: run.rhythm.cycle,
        job_cores: machine.job_cores,
        job_time: machine.job_time,
        job_spread: machine.spread,
        seed: machine.seed,
        watched: run.watched,
        window: run.rhythm.window,
        counted_every: run.rhythm.counted,
        demand: machine.demand,
        demands: List(demands),
    })
}
