//! Rows to bytes: the same numbers as the screen's, for people, scripts and other programs.

pub mod pbsfs;
