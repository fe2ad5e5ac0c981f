//! The least shares for a goal, compared with trying every number.

mod brute;
mod close;
mod reasons;
mod sensitivity;
mod share;
