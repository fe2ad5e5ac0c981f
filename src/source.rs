//! The origin of a tree, and whether its numbers are right.
//!
//! Files and commands of schedulers become a snapshot with a list of problems. Printed numbers are verified against the
//! rule, and shown as printed until something is edited. Questions about a tree live in [`analysis`](crate::analysis).

pub mod format;
pub mod live;
pub mod opened;
pub mod printed;
pub mod verify;
