//! PBS's own files.

pub mod write;
