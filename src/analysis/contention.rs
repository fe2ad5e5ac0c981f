//! A machine that hands out cores: whether what users get comes to what their shares promise.
//!
//! Time goes on in cycles, as a scheduler's does. In each cycle the cores that have come free go to the users who want
//! some, the best rank first; users of the same rank follow each other as they stand in the tree. Whoever is first
//! takes as many as it wants, for the rank is looked at once in a cycle. What runs is charged by the clock, so that the
//! ranks of the next cycle follow from it.
//!
//! # The same on every machine
//!
//! Who runs, for how long, and what is delivered are whole numbers: of cores, of seconds, of core-seconds. Chance is
//! SplitMix64 and whole numbers alone. Ranks follow from usage, and usage from the clock and the policy: where those
//! take a power, of a half-life or of a factor, it is the C library's, as it is in the schedulers. A last bit that
//! differs there matters only where two users would otherwise tie to the bit.

mod demand;
mod error;
mod machine;
mod outcome;
mod promise;
mod state;
mod targets;
mod verdict;
mod watch;

pub use demand::demand;
pub use error::MachineError;
pub use machine::Machine;
pub use outcome::{Contention, TargetFit, Timing, half_life};
pub use promise::{Promise, is_promised, promise};
pub use verdict::{Caveat, Convergence, Deviation, Swing, Verdict};
pub use watch::contend;
