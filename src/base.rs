//! The ground floor: what knows nothing of fairshare trees.
//!
//! Bytes and numbers as text, a word that was probably meant, C's `long double`, the macro of our tables, and files that
//! are either the old one or the new one. What names a node, a policy or a file format lives further up.

pub mod extended;
pub(crate) mod nearest;
pub mod number;
pub mod save;
pub mod shown;
pub(crate) mod table;
