//! Policies against the numbers of the real schedulers.

mod pbs;
