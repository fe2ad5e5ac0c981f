//! Why a machine cannot be simulated.

/// The largest number of cores that a machine may have.
pub(super) const MOST_CORES: u64 = 1 << 30;

/// Why a machine cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The machine has no cores, or too many.
    #[error("a machine needs 1 to {MOST_CORES} cores, not {0}")]
    Cores(u64),
    /// A job needs no cores, or more than the machine has.
    #[error("a job on this machine needs 1 to {cores} cores, not {job}")]
    JobCores {
        /// The cores that each job needs.
        job: u64,
        /// The cores of the machine.
        cores: u64,
    },
    /// A duration is zero or longer than a century.
    #[error("{what} cannot last {seconds} s; expected 1 s to 100 years")]
    Time {
        /// What the duration is of.
        what: &'static str,
        /// The duration, in seconds.
        seconds: u64,
    },
    /// The spread of job lengths is above 100 %, so that some lengths would be negative.
    #[error("job lengths cannot vary by {0} %; expected 0 to 100 %")]
    Spread(u8),
    /// The cycle does not fit the period at which the scheduler calculates usage.
    #[error(
        "a cycle of {cycle} s does not fit the calculation of usage every {period} s; expected a multiple of {period} s"
    )]
    Cycle {
        /// The given cycle, in seconds.
        cycle: u64,
        /// The scheduler's period, in seconds.
        period: u64,
    },
    /// The first cycle would not end before the simulation does.
    #[error("a cycle of {cycle} s is longer than the simulation; expected at most {until} s")]
    LongCycle {
        /// The cycle, in seconds.
        cycle: u64,
        /// The length of the simulation, in seconds.
        until: u64,
    },
    /// A window is shorter than a cycle.
    #[error("a window of {window} s is shorter than a cycle; expected at least {cycle} s")]
    Window {
        /// The window, in seconds.
        window: u64,
        /// The cycle, in seconds.
        cycle: u64,
    },
    /// The numbers for every window and node would not fit in memory.
    #[error(
        "windows of {window} s are too short to store for {nodes} nodes; expected at least {least} s"
    )]
    Windows {
        /// The window, in seconds.
        window: u64,
        /// The number of nodes in the tree.
        nodes: u64,
        /// The shortest window that fits, in seconds.
        least: u64,
    },
    /// The scheduler charges no usage, so ranks would never change.
    #[error(
        "fair_share is false: PBS charges no usage to this tree, so ranks would never change; set fair_share=true to \
         simulate it"
    )]
    Uncharged,
    /// No ranked user wants a whole job.
    #[error(
        "no demand: the policy ranks no users, or each user wants fewer cores than a job needs"
    )]
    NoDemand,
    /// The caller stopped the simulation.
    #[error("the simulation was cancelled")]
    Stopped,
}
