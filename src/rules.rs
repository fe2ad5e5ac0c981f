//! What schedulers compute: numbers and ranks from a tree, and usage as time passes.
//!
//! Each rule follows the program it is named after to the bit, and cites it. A rule never formats a number and never
//! reads a file: whatever a source says is already in the [settings](crate::model::Settings).

pub mod clock;
pub mod policy;
