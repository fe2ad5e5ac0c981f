//! The least shares for a goal: held against trying every number.

mod brute;
mod close;
mod reasons;
mod sensitivity;
mod share;
