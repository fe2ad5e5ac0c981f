//! Answers in words, one file a topic. All sentences about what was computed are made here, and nowhere below.

pub mod plan;
pub mod verify;
