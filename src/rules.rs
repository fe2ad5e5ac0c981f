//! What schedulers compute: numbers and ranks out of a tree, and usage as time goes on.
//!
//! A rule follows the program it is named after to the bit, and cites it. It never formats a number and knows no file:
//! what a source says stands in the [settings](crate::model::Settings) already.

pub mod clock;
pub mod policy;
