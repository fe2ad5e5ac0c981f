//! Where a tree comes from, and whether its numbers are right.
//!
//! Files and commands of schedulers become a snapshot with a list of problems; what was printed is held against what
//! follows from the rule, and usage is put together again so that both agree. What is asked of a tree afterwards lives
//! in [`analysis`](crate::analysis).

pub mod format;
pub mod live;
pub mod opened;
pub mod reconstruct;
pub mod verify;
