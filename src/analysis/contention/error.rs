//! What cannot be watched.

/// The most cores of a machine.
pub(super) const MOST_CORES: u64 = 1 << 30;

/// Why a machine cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// It has none, or too many cores.
    #[error("a machine of {0} cores cannot be watched; expected 1 to {MOST_CORES} cores")]
    Cores(u64),
    /// Jobs do not fit.
    #[error(
        "a job of {job} cores never runs on {cores} cores; expected 1 to {cores} cores for a job"
    )]
    JobCores {
        /// The cores of a job.
        job: u64,
        /// The cores of the machine.
        cores: u64,
    },
    /// A time that is nothing, or too long.
    #[error("{what} of {seconds} s cannot be; expected 1 s to 100 years")]
    Time {
        /// What takes that time.
        what: &'static str,
        /// The time.
        seconds: u64,
    },
    /// The lengths of jobs would be less than nothing.
    #[error("lengths of jobs cannot differ by {0} %; expected 0 to 100")]
    Spread(u8),
    /// The scheduler looks at usage at moments of its own.
    #[error(
        "cycles of {cycle} s do not go into a calculation of usage every {period} s; expected a multiple of {period} s"
    )]
    Cycle {
        /// The cycle that was given.
        cycle: u64,
        /// The scheduler's.
        period: u64,
    },
    /// The first cycle would last longer than is watched.
    #[error(
        "a cycle of {cycle} s is longer than the {until} s to be watched; expected {until} s at most"
    )]
    LongCycle {
        /// The cycle.
        cycle: u64,
        /// The seconds to be watched.
        until: u64,
    },
    /// Windows must be whole cycles.
    #[error("a window of {window} s holds no cycle of {cycle} s; expected {cycle} s at least")]
    Window {
        /// The window.
        window: u64,
        /// The cycle.
        cycle: u64,
    },
    /// What is delivered is kept for every window and node.
    #[error(
        "windows of {window} s are too many to be kept for {nodes} nodes; expected {least} s at least"
    )]
    Windows {
        /// The window.
        window: u64,
        /// How many nodes there are.
        nodes: u64,
        /// The shortest window that does.
        least: u64,
    },
    /// The scheduler charges nothing, so nothing would change who comes first.
    #[error(
        "fair_share is false: PBS charges no usage to this tree, so the same users would come first for ever; set \
         fair_share=true to watch it"
    )]
    Uncharged,
    /// There is nothing to hand out to.
    #[error(
        "nobody wants a core: there are no users that the policy ranks, or each wants less than a job has"
    )]
    NoDemand,
    /// It was called off.
    #[error("the machine was stopped before its time was over")]
    Stopped,
}
