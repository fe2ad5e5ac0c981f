//! The command line: its output, its messages and its exit codes.

mod advise;
mod anonymise;
mod census;
mod check;
mod combinations;
mod commands;
mod contention;
mod contract;
mod convert;
mod decay;
mod desired;
mod diff;
mod endings;
mod every_policy;
mod every_rule;
mod facts;
mod flux;
mod formula;
mod golden;
mod grammar;
mod guarded;
mod help;
mod hostile;
mod jobs;
mod lesson;
mod linking;
mod live;
mod machine;
mod me;
mod memory;
mod metrics;
mod oddities;
mod page;
mod partial;
mod pbs_order;
mod plan;
mod policies;
mod queue;
mod refusals;
mod saves;
mod screenshot;
mod simulate;
mod slurm;
mod solve;
mod sources;
mod timeline;
mod whatif;

use crate::support::data;

/// Returns the path of the tree of PBS's design document, as a `sched_priv` directory.
fn seed() -> String {
    data("seed")
        .into_os_string()
        .into_string()
        .expect("the path of the tests is UTF-8")
}
