//! Questions about a tree, answered as values: what differs, what it takes, what becomes of it, what to run.
//!
//! Nothing is drawn or printed here; [`report`](crate::report) and [`tui`](crate::tui) give the answers words.

pub mod advise;
pub mod contention;
pub mod diff;
pub mod gate;
pub mod impact;
pub mod metrics;
pub mod plan;
pub mod queue;
pub mod simulate;
pub mod solve;
pub mod timeline;
pub mod user;
