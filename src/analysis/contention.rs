//! A simulated cluster with a fixed number of cores: whether the cores that users are given match their shares.
//!
//! Time passes in cycles, as in a scheduler. In each cycle the free cores go to the users with demand, best rank first;
//! users of the same rank follow the order of the tree. The first user is given all the cores it asks for, because
//! ranks are read once per cycle. The clock charges what runs, and the ranks of the next cycle follow from that usage.
//!
//! # The same result on every computer
//!
//! Which jobs run, how long they run and what is delivered are whole numbers of cores, seconds and core-seconds. Random
//! numbers come from SplitMix64 and are whole numbers too. Ranks follow from usage, and usage follows from the clock
//! and the policy. Where these take a power, of a half-life or of a factor, they call the C library, as the schedulers
//! do. A difference in the last bit there matters only if two users would otherwise tie exactly.

mod machine;
mod outcome;
mod state;
mod targets;
mod verdict;
mod watch;
mod work;

pub use machine::{Machine, MachineError, demand};
pub use outcome::Contention;
pub(crate) use outcome::half_life;
pub(crate) use verdict::{Caveat, Convergence, Deviation, Verdict, is_promised};
pub use verdict::{Promise, promise};
pub use watch::{Ranks, contend, contend_by};
pub use work::Work;
