//! Policies against the numbers of the real schedulers.

mod flux;
mod formula;
mod pbs;
