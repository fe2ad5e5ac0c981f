//! Policies against the numbers of the real schedulers.

mod classic;
mod extended;
mod fair_tree;
mod flux;
mod formula;
mod level_based;
mod pbs;
mod real_slurm;
mod tickets;
