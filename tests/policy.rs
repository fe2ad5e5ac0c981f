//! Policies against the numbers of the real schedulers.

mod classic;
mod pbs;
mod tickets;
