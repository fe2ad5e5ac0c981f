//! The least shares for a goal: held against trying every number.

mod brute;
mod reasons;
mod sensitivity;
