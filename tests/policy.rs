//! Policies against the numbers of the real schedulers.

mod level_based;
mod pbs;
