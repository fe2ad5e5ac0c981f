//! Answers in words, one file a topic: every sentence about what was computed is made here, and nowhere below.
//!
//! Below, an answer is an enum or a struct. Here it becomes a clause without a capital and a full stop, which can stand
//! in a list, behind a colon or on a line of its own. Errors and reasons speak for themselves.

pub mod contention;
pub mod diff;
pub mod dump;
pub mod explain;
pub mod impact;
pub mod plan;
pub mod queue;
pub mod simulate;
pub mod solve;
pub mod source;
pub mod verify;
