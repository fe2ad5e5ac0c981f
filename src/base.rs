//! The ground floor: everything that does not depend on fairshare trees.
//!
//! Bytes and numbers as text, lines and columns, suggestions for misspelled words, fuzzy matching, C's `long double`,
//! sorting by numbers, the macro of our tables, quoting for a shell, work for all cores, and safe saving of files. Names
//! of nodes, policies and file formats live further up.

pub mod ascii;
pub(crate) mod cores;
pub mod extended;
pub(crate) mod fuzzy;
pub(crate) mod nearest;
pub mod number;
pub(crate) mod places;
pub mod save;
pub mod shell;
pub mod shown;
pub(crate) mod sort;
pub(crate) mod table;
