//! CSV: one node a row, accounts before what they hold.
//!
//! ```text
//! parent,name,shares,usage,type
//! ,physics,40,,account
//! physics,alice,2,1200.5,user
//! ```
//!
//! The columns may stand in any order; `name`, `parent` and `shares` must be there. `parent` names an account
//! given on an earlier row and is empty for what stands at the top. Where several accounts have the name, the
//! last one given is meant: rows that follow their account are read as a person would read them.
//!
//! Names are bytes. A quoted field may hold commas, quotes (doubled) and line ends.

mod fields;
mod header;
mod notes;
mod read;
mod write;

pub use read::parse;
pub(super) use write::losses;
pub use write::write;
