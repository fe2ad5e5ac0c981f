//! The origin of a tree, and whether its numbers are right.
//!
//! Files and commands of schedulers become a snapshot with a list of problems. Printed numbers are verified against the
//! rule, and usage is reconstructed so that both agree. Questions about a tree live in [`analysis`](crate::analysis).

pub mod format;
pub mod live;
pub mod opened;
pub mod reconstruct;
pub mod verify;
