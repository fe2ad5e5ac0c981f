//! Policies against the numbers of the real schedulers.

mod classic;
mod comparison;
mod pbs;
mod tickets;
