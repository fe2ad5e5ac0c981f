//! Policies against the numbers of the real schedulers.

mod extended;
mod level_based;
mod pbs;
