//! CSV: one node a row, accounts before their members.
//!
//! ```text
//! parent,name,shares,usage,type
//! ,physics,40,,account
//! physics,alice,2,1200.5,user
//! ```
//!
//! The columns may be in any order; `name`, `parent` and `shares` are required. `parent` names an account of an earlier
//! row and is empty for nodes at the top. If several accounts have the name, the last one before the row is meant, so
//! rows that follow their account are read as a person would read them.
//!
//! Names are bytes. A quoted field may contain commas, quotes (doubled) and line ends.

mod fields;
mod header;
mod notes;
mod read;
mod rows;
mod tree;
mod write;

pub use read::parse;
pub(super) use write::losses;
pub use write::write;
