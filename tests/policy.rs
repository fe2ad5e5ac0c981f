//! Policies against the numbers of the real schedulers.

mod fair_tree;
mod pbs;
